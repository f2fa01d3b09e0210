//! Byte-pair counts. `tiktoken-rs` 0.12 overflows the stack of its regular expression and panics on
//! about a million white-space characters in a row, so runs that long are cut before counting.

use tiktoken_rs::CoreBPE;

use crate::unit::Tokens;

/// Longest white space that is passed on whole (panics from 999,999 on, none at 900,000).
const LONGEST_RUN: usize = 100_000;

pub fn count(bpe: &CoreBPE, text: &str) -> Tokens {
    let (mut rest, mut count) = (text, 0);
    while let Some(cut) = first_long_run(rest) {
        let (piece, tail) = rest.split_at(cut);
        count += bpe.count_ordinary(piece);
        rest = tail;
    }
    Tokens((count + bpe.count_ordinary(rest)) as u64)
}

/// Where the first run of white space reaches the limit.
fn first_long_run(text: &str) -> Option<usize> {
    let mut start = None;
    for (place, c) in text.char_indices().filter(|_| text.len() > LONGEST_RUN) {
        match (c.is_whitespace(), start) {
            (true, None) => start = Some(place),
            (true, Some(from)) if place - from >= LONGEST_RUN => return Some(place),
            (true, Some(_)) => {}
            (false, _) => start = None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_agree_with_the_published_vocabularies() {
        let o200k = |text: &str| count(tiktoken_rs::o200k_base_singleton(), text);
        let cl100k = |text: &str| count(tiktoken_rs::cl100k_base_singleton(), text);
        // Counted with OpenAI's own `tiktoken` 0.14 for Python.
        for (text, o200k_count, cl100k_count) in crate::cases::<(String, u64, u64)>("counts") {
            assert_eq!(o200k(&text), Tokens(o200k_count), "{text}");
            assert_eq!(cl100k(&text), Tokens(cl100k_count), "{text}");
        }
        assert!(o200k("<|endoftext|>") > Tokens(1), "a special token's look-alike is text");
    }

    #[test]
    fn a_million_spaces_are_counted_and_do_not_panic() {
        let o200k = |text: &str| count(tiktoken_rs::o200k_base_singleton(), text);
        assert!(o200k(&" ".repeat(1_000_000)) > Tokens(1_000));
        let mixed = format!("word{}\t\n{}word", " ".repeat(999_999), "\u{2003}".repeat(400_000));
        assert!(o200k(&mixed) > Tokens(1_000));
        assert_eq!(first_long_run(&"a b\n".repeat(50_000)), None, "ordinary text is one piece");
    }
}
