//! Colours that stay apart for colour-blind readers and on white paper: those of Okabe and
//! Ito ("Color Universal Design", 2008) without the yellow, which white paper swallows.

use plotters::style::RGBColor;

pub const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
pub const SOFT: RGBColor = RGBColor(0x55, 0x55, 0x55);
pub const FAINT: RGBColor = RGBColor(0x8A, 0x8A, 0x8A);
pub const GRID: RGBColor = RGBColor(0xE6, 0xE6, 0xE6);
pub const WHITE: RGBColor = RGBColor(0xFF, 0xFF, 0xFF);
/// Text on a tone, where ink is not dark enough.
const BLACK: RGBColor = RGBColor(0x00, 0x00, 0x00);
pub const SILVER: RGBColor = RGBColor(0xCF, 0xCF, 0xCF);
pub const SLATE: RGBColor = RGBColor(0x6B, 0x6B, 0x6B);
pub const BROWN: RGBColor = RGBColor(0x8A, 0x6A, 0x3B);
pub const BLUE: RGBColor = RGBColor(0x00, 0x72, 0xB2);
pub const PALE_BLUE: RGBColor = RGBColor(0xA6, 0xCE, 0xE8);
pub const VERMILLION: RGBColor = RGBColor(0xD5, 0x5E, 0x00);
pub const GREEN: RGBColor = RGBColor(0x00, 0x9E, 0x73);
pub const ORANGE: RGBColor = RGBColor(0xE6, 0x9F, 0x00);
pub const SKY: RGBColor = RGBColor(0x56, 0xB4, 0xE9);
pub const PURPLE: RGBColor = RGBColor(0xCC, 0x79, 0xA7);
/// Two more, after Tol's muted scheme (technical note SRON/EPS/TN/09-002).
const WINE: RGBColor = RGBColor(0x88, 0x22, 0x55);
const OLIVE: RGBColor = RGBColor(0x99, 0x99, 0x33);

pub const SERIES: [RGBColor; 10] =
    [BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, INK, BROWN, WINE, OLIVE];

/// Dark enough at the far end for white figures, light at the near end for dark ones.
const RAMP: [(u8, u8, u8); 5] = [
    (0xF7, 0xFB, 0xFF),
    (0xC6, 0xDB, 0xEF),
    (0x6B, 0xAE, 0xD6),
    (0x21, 0x71, 0xB5),
    (0x08, 0x30, 0x6B),
];

pub fn series(index: usize) -> RGBColor {
    SERIES[index % SERIES.len()]
}

/// Whether the n-th series has a colour that an earlier one had.
pub fn repeats(index: usize) -> bool {
    (index / SERIES.len()) % 2 == 1
}

/// A tone of one blue for a share: near white at 0, navy at 1.
pub fn tone(share: f64) -> RGBColor {
    let place = share.clamp(0.0, 1.0) * (RAMP.len() - 1) as f64;
    let lower = (place.floor() as usize).min(RAMP.len() - 2);
    let part = place - lower as f64;
    let mix = |from: u8, to: u8| {
        (f64::from(from) + (f64::from(to) - f64::from(from)) * part).round() as u8
    };
    let (from, to) = (RAMP[lower], RAMP[lower + 1]);
    RGBColor(mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

/// The colour so light that marks and text stand out on it.
pub fn pale(RGBColor(red, green, blue): RGBColor) -> RGBColor {
    let light = |channel: u8| 255 - ((255 - u16::from(channel)) / 5) as u8;
    RGBColor(light(red), light(green), light(blue))
}

/// White or black, whichever stands out more from the colour: by 4.58 at least.
pub fn legible_on(colour: RGBColor) -> RGBColor {
    if contrast(WHITE, colour) > contrast(BLACK, colour) { WHITE } else { BLACK }
}

/// The colour, darkened until small text in it reads on white.
pub fn text_of(colour: RGBColor) -> RGBColor {
    let mut factor = 1.0;
    let mut dark = colour;
    while luminance(dark) > 0.17 && factor > 0.3 {
        factor -= 0.05;
        let scale = |channel: u8| (f64::from(channel) * factor).round() as u8;
        dark = RGBColor(scale(colour.0), scale(colour.1), scale(colour.2));
    }
    dark
}

/// Contrast ratio, 1 to 21 (WCAG 2.2, 1.4.3).
pub fn contrast(one: RGBColor, other: RGBColor) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn luminance(RGBColor(red, green, blue): RGBColor) -> f64 {
    let linear = |channel: u8| {
        let part = f64::from(channel) / 255.0;
        if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_reads_in_every_series_colour_and_on_every_tone() {
        for index in 0..SERIES.len() {
            assert!(contrast(text_of(series(index)), WHITE) >= 4.5, "series {index}");
        }
        for step in 0..=100 {
            let tone = tone(f64::from(step) / 100.0);
            assert!(contrast(legible_on(tone), tone) >= 4.5, "tone {step}");
        }
    }
}
