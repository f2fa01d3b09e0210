//! Names and reasons as plain words: they may come from transcripts, and must not steer
//! what they are shown in.

/// The text on one line, without control characters and without marks that turn or hide
/// text.
pub(super) fn line(text: &str) -> String {
    text.chars().map(visible).collect()
}

fn visible(c: char) -> char {
    match c {
        '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
        c if c.is_control() => '\u{FFFD}',
        '\u{061C}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' => '\u{FFFD}',
        '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' => '\u{FFFD}',
        '\u{E0000}'..='\u{E007F}' => '\u{FFFD}',
        c => c,
    }
}
