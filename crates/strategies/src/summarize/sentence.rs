//! Cutting text into sentences, for whoever keeps some and drops others.

use memchr::{memchr, memchr3_iter, memrchr2};

/// Longest sentence in bytes: what runs on is cut at white space. The needles of a fact lie
/// within 400 characters.
pub const LONGEST: usize = 400;

/// Paragraphs up to this many bytes stay whole, and a sentence that leans on the
/// one before it ("It ...", "But ...") stays with it up to this.
const TOGETHER: usize = 240;

/// Openings of sentences that mean little without the one before.
const LEANING: [&str; 11] = [
    "It ", "This ", "That ", "They ", "These ", "But ", "So ", "Because ", "Which ", "Then ",
    "Both ",
];

/// The sentences of a text in order, without surrounding white space. None is
/// empty; one is longer than [`LONGEST`] only if it is a single word.
pub fn sentences(text: &str) -> impl Iterator<Item = &str> {
    lines(text).flat_map(of_line)
}

/// The lines that are not blank, trimmed.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// The sentences of one line.
pub fn of_line(line: &str) -> impl Iterator<Item = &str> {
    let first: fn(&str) -> usize = if line.len() <= TOGETHER { str::len } else { first_end };
    pieces(line, first).flat_map(|sentence| pieces(sentence, first_cut))
}

/// A text in pieces without white space around them; `first` says where the first one ends.
fn pieces(text: &str, first: fn(&str) -> usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, tail) = rest.split_at(first(rest));
        rest = tail.trim_start();
        Some(piece.trim_end())
    })
    .filter(|piece| !piece.is_empty())
}

/// Where the first sentence of the text ends, with those that lean on it.
fn first_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    for end in memchr3_iter(b'.', b'!', b'?', bytes) {
        let opens = bytes.get(end + 2).is_some_and(|&byte| {
            byte.is_ascii_uppercase() || matches!(byte, b'`' | b'"') || !byte.is_ascii()
        });
        if bytes.get(end + 1) != Some(&b' ') || !opens {
            continue;
        }
        let leans = LEANING.iter().any(|opening| text[end + 2..].starts_with(opening));
        if !(leans && end < TOGETHER) {
            return end + 1;
        }
    }
    text.len()
}

/// Where the first piece of a long sentence ends: after at most [`LONGEST`] bytes, at white
/// space, or before a character beyond ASCII where there is none; never inside a word of code.
fn first_cut(text: &str) -> usize {
    let bytes = text.as_bytes();
    if bytes.len() <= LONGEST {
        return bytes.len();
    }
    let within = &bytes[..LONGEST];
    if let Some(space) = memrchr2(b' ', b'\t', within).filter(|&place| place > 0) {
        return space;
    }
    if let Some(lead) = within.iter().rposition(|&byte| byte >= 0xC0).filter(|&place| place > 0) {
        return lead;
    }
    memchr(b' ', &bytes[LONGEST..]).map_or(bytes.len(), |place| LONGEST + place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        sentences(text).collect()
    }

    #[test]
    fn a_long_paragraph_is_cut_where_sentences_end_and_a_short_line_stays_whole() {
        assert_eq!(cut("  One. Two.\n\n \t\nthree  "), ["One. Two.", "three"]);
        assert!(cut("").is_empty());
        let filler = "word ".repeat(50);
        let text =
            format!("Version 1.2 of e.g. this {filler}ends. Next one. `code` starts a third.");
        let found = cut(&text);
        assert_eq!(found.len(), 3);
        assert_eq!(found[1..], ["Next one.", "`code` starts a third."]);
        // A leaning sentence stays with its forerunner.
        let text = format!("We tried a cache. It broke. Other {}", "words ".repeat(50));
        assert_eq!(cut(&text)[0], "We tried a cache. It broke.");
    }

    #[test]
    fn run_on_text_is_cut_at_white_space_and_never_inside_a_word() {
        let text = format!("{} {}", "a/b_c ".repeat(200), "x".repeat(900));
        let found = cut(&text);
        assert!(found.iter().all(|piece| piece.len() <= LONGEST || piece.len() == 900));
        assert!(found.iter().flat_map(|p| p.split(' ')).all(|w| w == "a/b_c" || w.len() == 900));
        // Beyond ASCII, without spaces, it is cut between characters.
        let text = "東京".repeat(2_000);
        assert_eq!(cut(&text).concat(), text);
        assert!(cut(&text).iter().all(|piece| piece.len() <= LONGEST));
    }
}
