//! Fonts, widths of text, and how figures are written on axes.

use std::sync::Once;

use plotters::style::{FontDesc, FontFamily, FontStyle, register_font};

/// The family both backends draw with; in the SVG the reader's own font of that name.
pub const FAMILY: FontFamily<'static> = FontFamily::SansSerif;
/// Plotters asks for the line height and not the em; for the bundled fonts one is
/// this many of the other (ascent 1901, descent 483, of 2048 units).
pub const LINE_PER_EM: f64 = 2384.0 / 2048.0;

/// A chart's title.
pub const TITLE: f64 = 15.0;
/// A panel's title.
pub const PANEL: f64 = 12.0;
/// Labels, axis titles, remarks.
pub const LABEL: f64 = 11.0;
/// Figures at ticks.
pub const TICK: f64 = 10.5;

const REGULAR: &[u8] = include_bytes!("../../assets/DejaVuSans-subset.ttf");
const BOLD: &[u8] = include_bytes!("../../assets/DejaVuSans-Bold-subset.ttf");

/// How heavy a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Everything but titles.
    Regular,
    /// Titles.
    Bold,
}

impl Weight {
    /// The same in plotters' words.
    pub fn style(self) -> FontStyle {
        match self {
            Weight::Regular => FontStyle::Normal,
            Weight::Bold => FontStyle::Bold,
        }
    }
}

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

/// Width in pixels of a text of `size` pixels per em, in the bundled font.
pub fn width(text: &str, size: f64, weight: Weight) -> f64 {
    register();
    // Plotters rounds down to whole pixels: measured large, the error is a hundredth.
    let measured = FontDesc::new(FAMILY, 100.0 * LINE_PER_EM, weight.style()).layout_box(text);
    match measured {
        Ok((_, (wide, _))) => f64::from(wide + 1) * size / 100.0,
        Err(_) => text.chars().count() as f64 * size * 0.7,
    }
}

/// The text, cut with an ellipsis in its middle where it is wider than `room`: names
/// that differ at either end stay apart.
pub fn fit(text: &str, size: f64, weight: Weight, room: f64) -> String {
    let clean = clean(text);
    if width(&clean, size, weight) <= room {
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
        if width(&cut(middle), size, weight) <= room { low = middle } else { high = middle - 1 }
    }
    cut(low)
}

/// The text in lines no wider than `room`, broken at spaces.
pub fn wrap(text: &str, size: f64, weight: Weight, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in clean(text).split(' ').filter(|word| !word.is_empty()) {
        let longer = lines.last().map(|line| format!("{line} {word}"));
        match (longer, lines.last_mut()) {
            (Some(longer), Some(line)) if width(&longer, size, weight) <= room => *line = longer,
            _ => lines.push(fit(word, size, weight, room)),
        }
    }
    lines
}

/// Without control characters and without what XML forbids; no font draws either.
pub fn clean(text: &str) -> String {
    let drawn = |letter: char| !letter.is_control() && !matches!(letter, '\u{FFFE}' | '\u{FFFF}');
    text.chars().map(|letter| if drawn(letter) { letter } else { ' ' }).collect()
}

/// A count as axes show it: `0`, `750`, `2.5k`, `40k`, `2M`.
pub fn count(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        size if size >= 999_950_000.0 => (value / 1e9, "G"),
        size if size >= 999_950.0 => (value / 1e6, "M"),
        size if size >= 1_000.0 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    format!("{}{unit}", decimal(scaled, 2))
}

/// A share as axes show it: `0`, `0.2`, `1`.
pub fn share(value: f64) -> String {
    decimal(value, 2)
}

/// A share in per cent: `0%`, `-12%` with a true minus, `62%`.
pub fn percent(value: f64) -> String {
    format!("{}%", decimal(value * 100.0, 0)).replace('-', "−")
}

/// Dollars: `$0`, `$0.25`, `$1.50`, `$12`, with cents only where there are any.
pub fn dollars(value: f64) -> String {
    let whole = (value - value.round()).abs() < 0.005;
    if whole || value >= 100.0 { format!("${value:.0}") } else { format!("${value:.2}") }
}

/// A figure without trailing zeros.
fn decimal(value: f64, places: usize) -> String {
    let text = format!("{value:.places$}");
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_short() {
        let cases = [
            (0.0, "0"),
            (7.0, "7"),
            (0.5, "0.5"),
            (999.0, "999"),
            (1_000.0, "1k"),
            (2_500.0, "2.5k"),
            (40_000.0, "40k"),
            (999_999.0, "1M"),
            (2_000_000.0, "2M"),
            (1_250_000.0, "1.25M"),
        ];
        for (value, expected) in cases {
            assert_eq!(count(value), expected, "{value}");
        }
    }

    #[test]
    fn dollars_and_percent_are_short() {
        for (value, expected) in
            [(0.0, "$0"), (0.254, "$0.25"), (1.5, "$1.50"), (3.0, "$3"), (123.4, "$123")]
        {
            assert_eq!(dollars(value), expected);
        }
        for (value, expected) in [(0.0, "0%"), (-0.123, "−12%"), (0.625, "62%"), (1.0, "100%")] {
            assert_eq!(percent(value), expected);
        }
    }

    #[test]
    fn a_fitted_name_keeps_both_ends_and_its_room() {
        let name = "forge-threshold+goal-batch-with-a-very-long-tail-p3";
        let short = fit(name, LABEL, Weight::Regular, 120.0);
        assert!(width(&short, LABEL, Weight::Regular) <= 120.0, "{short}");
        assert!(short.starts_with("forge") && short.ends_with("p3"), "{short}");
        assert_eq!(fit("short", LABEL, Weight::Regular, 120.0), "short");
    }

    #[test]
    fn wrapped_lines_keep_their_room_and_every_word() {
        let text = "Context over steps of one long session with many configurations";
        let lines = wrap(text, TITLE, Weight::Bold, 200.0);
        assert!(lines.len() > 2);
        assert_eq!(lines.join(" "), text);
        assert!(lines.iter().all(|line| width(line, TITLE, Weight::Bold) <= 200.0));
    }

    #[test]
    fn bold_is_measured_with_its_own_font() {
        let (regular, bold) = (Weight::Regular, Weight::Bold);
        assert!(width("configuration", 12.0, bold) > width("configuration", 12.0, regular));
    }
}
