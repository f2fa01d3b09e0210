//! Text of a session made safe to print: a transcript must not steer the terminal that
//! it is looked at in.
//!
//! Control characters (so every escape sequence loses its beginning: CSI, OSC, DCS, their
//! C1 forms, bell, backspace) and marks that turn or hide text are shown as U+FFFD. What
//! is left of a sequence stands there as plain letters.

/// A text on one line: line breaks are shown as a sign.
pub(super) fn line(text: &str) -> String {
    text.replace("\r\n", "\n").chars().map(|c| if c == '\n' { '⏎' } else { visible(c) }).collect()
}

/// The lines of a text, each printable.
pub(super) fn lines(text: &str) -> Vec<String> {
    text.replace("\r\n", "\n").split('\n').map(line).collect()
}

/// The beginning of a text on one line.
pub(super) fn beginning(text: &str, characters: usize) -> String {
    let mut shown: String = text.chars().take(characters).collect();
    if text.chars().nth(characters).is_some() {
        shown.push('…');
    }
    line(&shown)
}

fn visible(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => '\u{FFFD}',
        // Line and paragraph separators break lines in some terminals.
        '\u{2028}' | '\u{2029}' => '⏎',
        // Marks of direction make text read other than it is, and others hide in it.
        '\u{061C}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' => '\u{FFFD}',
        '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' => '\u{FFFD}',
        '\u{E0000}'..='\u{E007F}' => '\u{FFFD}',
        c => c,
    }
}

/// Columns that a printable text takes: two for East Asian and pictorial letters, none
/// for marks that combine with the letter before.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(width_of).sum()
}

pub(super) fn width_of(c: char) -> usize {
    match c as u32 {
        0x0300..=0x036F | 0xFE00..=0xFE0F | 0x20D0..=0x20FF => 0,
        0x1100..=0x115F | 0x2E80..=0x303E | 0x3041..=0xA4CF | 0xAC00..=0xD7A3 => 2,
        0xF900..=0xFAFF | 0xFE30..=0xFE6F | 0xFF00..=0xFF60 | 0xFFE0..=0xFFE6 => 2,
        0x1F300..=0x1F64F | 0x1F680..=0x1F6FF | 0x1F900..=0x1F9FF | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What terminals act on, and what must be left of it.
    const HOSTILE: &[(&str, &str)] = &[
        ("a\u{1b}[31mred\u{1b}[0m", "a�[31mred�[0m"),
        ("\u{1b}[2J\u{1b}[H", "�[2J�[H"),
        (
            "\u{1b}]8;;http://evil.example\u{7}here\u{1b}]8;;\u{7}",
            "�]8;;http://evil.example�here�]8;;�",
        ),
        ("\u{1b}]52;c;cm0gLXJmIC8=\u{1b}\\", "�]52;c;cm0gLXJmIC8=�\\"),
        ("\u{1b}P+q544e\u{1b}\\", "�P+q544e�\\"),
        ("\u{1b}_Gf=24;AAAA\u{1b}\\", "�_Gf=24;AAAA�\\"),
        ("\u{9b}31m \u{9d}0;title\u{9c} \u{90}dcs\u{9c}", "�31m �0;title� �dcs�"),
        ("ding\u{7} rub\u{8}\u{8}\u{8}out \u{7f}", "ding� rub���out �"),
        ("over\rwritten", "over�written"),
        ("\u{202e}txt.exe\u{202c}", "�txt.exe�"),
        ("\u{2066}isolate\u{2069} \u{200f}mark\u{061c}", "�isolate� �mark�"),
        ("zero\u{200b}width\u{feff}", "zero�width�"),
        ("tag\u{e0041}", "tag�"),
        ("שלום عالم", "שלום عالم"),
        ("nul\u{0}", "nul�"),
    ];

    #[test]
    fn terminal_escapes_are_inert() {
        for (hostile, inert) in HOSTILE {
            assert_eq!(line(hostile), *inert);
            assert_eq!(lines(hostile).join("\n"), *inert);
            assert_eq!(beginning(hostile, 100), *inert);
        }
    }

    #[test]
    fn lines_are_kept_or_shown() {
        assert_eq!(line("a\nb\r\nc\td"), "a⏎b⏎c d");
        assert_eq!(lines("a\r\nb\u{2028}c"), ["a", "b⏎c"]);
        assert_eq!(beginning("größer", 3), "grö…");
    }

    proptest::proptest! {
        /// forall texts: what is printed holds no control character.
        #[test]
        fn nothing_that_steers_gets_through(text in "\\PC*|[\\x00-\\x1f\\x7f-\\u{9f}\\u{202e}a]{0,30}") {
            proptest::prop_assert!(!line(&text).chars().any(char::is_control));
            proptest::prop_assert!(lines(&text).iter().all(|line| !line.chars().any(char::is_control)));
        }
    }

    #[test]
    fn wide_letters_count_twice_and_marks_not_at_all() {
        assert_eq!((width("abc"), width("漢字"), width("e\u{301}")), (3, 4, 1));
    }
}
