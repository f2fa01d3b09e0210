//! Fonts and widths of text.

use std::sync::{Arc, LazyLock, Once};

use plotters::style::{FontDesc, FontFamily, FontStyle, register_font};
use resvg::usvg::fontdb::Database;

use crate::sanitize;

/// The family of all text; in the SVG the reader's own font of that name.
pub const FAMILY: FontFamily<'static> = FontFamily::SansSerif;
/// Plotters takes the height of a line for the size of a font: ascent 1901 and descent 483 of 2048
/// units an em.
const LINE_PER_EM: f64 = 2384.0 / 2048.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Font {
    pub size: f64,
    is_bold: bool,
}

impl Font {
    pub fn style(self) -> FontStyle {
        if self.is_bold { FontStyle::Bold } else { FontStyle::Normal }
    }
}

pub const TITLE: Font = Font { size: 15.0, is_bold: true };
pub const PANEL: Font = Font { size: 12.0, is_bold: true };
pub const LABEL: Font = Font { size: 11.0, is_bold: false };
pub const TICK: Font = Font { size: 10.5, is_bold: false };
pub const FIGURE: Font = Font { size: 10.5, is_bold: true };

const REGULAR: &[u8] = include_bytes!("../../assets/DejaVuSans-subset.ttf");
const BOLD: &[u8] = include_bytes!("../../assets/DejaVuSans-Bold-subset.ttf");

/// Makes the bundled fonts known to plotters, once a process.
pub fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for (style, bytes) in [(FontStyle::Normal, REGULAR), (FontStyle::Bold, BOLD)] {
            // A font that cannot be read shows as an error of the first drawing.
            let _ = register_font(FAMILY.as_str(), style, bytes);
        }
    });
}

/// The bundled fonts, for what is no picture of plotters'.
pub fn database() -> Arc<Database> {
    static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
        let mut fonts = Database::new();
        fonts.load_font_data(REGULAR.to_vec());
        fonts.load_font_data(BOLD.to_vec());
        fonts.set_sans_serif_family("DejaVu Sans");
        Arc::new(fonts)
    });
    Arc::clone(&FONTS)
}

pub fn width(text: &str, font: Font) -> f64 {
    register();
    // Plotters rounds down to whole pixels: measured large, the error is a hundredth.
    let measured = FontDesc::new(FAMILY, 100.0 * LINE_PER_EM, font.style()).layout_box(text);
    match measured {
        Ok((_, (wide, _))) => f64::from(wide + 1) * font.size / 100.0,
        Err(_) => text.chars().count() as f64 * font.size * 0.7,
    }
}

pub fn widest<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, font: Font) -> f64 {
    texts.into_iter().map(|text| width(text.as_ref(), font)).fold(0.0, f64::max)
}

/// The text, cut in its middle where it is wider than `room`: both ends tell names apart.
pub fn fit(text: &str, font: Font, room: f64) -> String {
    let clean = clean(text);
    if width(&clean, font) <= room {
        return clean;
    }
    let letters: Vec<char> = clean.chars().collect();
    let cut = |kept: usize| {
        let head = kept.div_ceil(2);
        let tail = kept - head;
        let start: String = letters[..head].iter().collect();
        let end: String = letters[letters.len() - tail..].iter().collect();
        format!("{start}…{end}")
    };
    let (mut low, mut high) = (0, letters.len().saturating_sub(1).min(400));
    while low < high {
        let middle = (low + high).div_ceil(2);
        if width(&cut(middle), font) <= room { low = middle } else { high = middle - 1 }
    }
    cut(low)
}

/// The text in lines no wider than `room`, broken at spaces.
pub fn wrap(text: &str, font: Font, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in clean(text).split(' ').filter(|word| !word.is_empty()) {
        let longer = lines.last().map(|line| format!("{line} {word}"));
        match (longer, lines.last_mut()) {
            (Some(longer), Some(line)) if width(&longer, font) <= room => *line = longer,
            _ => lines.push(fit(word, font, room)),
        }
    }
    lines
}

/// The text without what steers the text around it; no font draws that either.
pub fn clean(text: &str) -> String {
    text.chars().map(|letter| if sanitize::steers(letter) { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fitted_name_keeps_both_ends_and_its_room() {
        let name = "forge-threshold+goal-batch-with-a-very-long-tail-p3";
        let short = fit(name, LABEL, 120.0);
        assert!(width(&short, LABEL) <= 120.0, "{short}");
        assert!(short.starts_with("forge") && short.ends_with("p3"), "{short}");
        assert_eq!(fit("short", LABEL, 120.0), "short");
    }

    #[test]
    fn wrapped_lines_keep_their_room_and_every_word() {
        let text = "Context over steps of one long session with many configurations";
        let lines = wrap(text, TITLE, 200.0);
        assert!(lines.len() > 2);
        assert_eq!(lines.join(" "), text);
        assert!(lines.iter().all(|line| width(line, TITLE) <= 200.0));
        // Bold is measured with its own font.
        assert!(width("configuration", FIGURE) > width("configuration", TICK));
    }
}
