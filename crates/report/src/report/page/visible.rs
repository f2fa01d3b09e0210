//! Text of a run as a page shows it: nothing in it steers how its surroundings look.

/// The text with a replacement mark for every control character, mark of direction and
/// letter without width; line breaks and tabs stay.
pub fn visible(text: &str) -> String {
    text.chars().map(|letter| if steers(letter) { '\u{FFFD}' } else { letter }).collect()
}

fn steers(letter: char) -> bool {
    match letter {
        '\n' | '\t' => false,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{FEFF}' => true,
        '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' => true,
        '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}' => true,
        other => other.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_the_text_around_it_is_shown_as_a_mark() {
        for (text, expected) in [
            ("plain – ünï ✓\n\tline", "plain – ünï ✓\n\tline"),
            ("a\u{202E}b\u{2066}c", "a\u{FFFD}b\u{FFFD}c"),
            ("\u{1B}[31mred\0", "\u{FFFD}[31mred\u{FFFD}"),
            ("zero\u{200B}width\u{FEFF}", "zero\u{FFFD}width\u{FFFD}"),
        ] {
            assert_eq!(visible(text), expected);
        }
    }
}
