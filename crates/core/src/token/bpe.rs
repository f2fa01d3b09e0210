//! Byte-pair counts by the vocabularies of OpenAI. They are those of `tiktoken-rs`, to which tests
//! hold them on every text at hand.

use std::sync::LazyLock;

use tiktoken::CoreBpe;

use crate::unit::Tokens;

/// The longest run of one kind of letters that is counted whole, in bytes. The time and memory of a
/// longer one would grow with it, and no text that people or programs write has one; it is counted in
/// pieces, which is a few tokens off.
const LONGEST_RUN: usize = 100_000;

static O200K: LazyLock<&CoreBpe> = LazyLock::new(|| vocabulary("o200k_base"));
static CL100K: LazyLock<&CoreBpe> = LazyLock::new(|| vocabulary("cl100k_base"));

fn vocabulary(name: &str) -> &'static CoreBpe {
    tiktoken::get_encoding(name).expect("OK because the vocabulary is built in")
}

pub fn o200k(text: &str) -> Tokens {
    count(text, |piece| O200K.count(piece))
}

pub fn cl100k(text: &str) -> Tokens {
    count(text, |piece| CL100K.count(piece))
}

fn count(text: &str, of: impl Fn(&str) -> usize) -> Tokens {
    let (mut rest, mut count) = (text, 0);
    while let Some(cut) = first_long_run(rest) {
        let (piece, tail) = rest.split_at(cut);
        count += of(piece);
        rest = tail;
    }
    Tokens((count + of(rest)) as u64)
}

/// Where the first run of one kind of letters reaches the limit.
fn first_long_run(text: &str) -> Option<usize> {
    if text.len() <= LONGEST_RUN {
        return None;
    }
    let kind = |c: char| match c {
        _ if c.is_whitespace() => 0,
        _ if c.is_numeric() => 1,
        _ if c.is_alphanumeric() => 2,
        _ => 3,
    };
    let (mut start, mut known) = (0, None);
    for (place, c) in text.char_indices() {
        let own = Some(kind(c));
        if own != known {
            (start, known) = (place, own);
        } else if place - start >= LONGEST_RUN {
            return Some(place);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// As `tiktoken-rs` counts, of the same pieces: it panics on a million blanks.
    fn reference(text: &str) -> [Tokens; 2] {
        let [o200k, cl100k] =
            [tiktoken_rs::o200k_base_singleton(), tiktoken_rs::cl100k_base_singleton()];
        [o200k, cl100k].map(|bpe| count(text, |piece| bpe.count_ordinary(piece)))
    }

    fn both(text: &str) -> [Tokens; 2] {
        [o200k(text), cl100k(text)]
    }

    #[test]
    fn counts_agree_with_the_published_vocabularies() {
        // Counted with OpenAI's own `tiktoken` 0.14 for Python.
        for (text, o200k_count, cl100k_count) in crate::cases::<(String, u64, u64)>("counts") {
            assert_eq!(both(&text), [Tokens(o200k_count), Tokens(cl100k_count)], "{text}");
        }
        assert!(o200k("<|endoftext|>") > Tokens(1), "a special token's look-alike is text");
    }

    #[test]
    fn a_long_run_of_anything_is_counted_and_does_not_panic() {
        for letter in [" ", "\t", "\n", "a", "^", "7", "\u{2003}", "汉", "🦀", "é"] {
            let text = letter.repeat(1_200_000 / letter.len());
            assert!(o200k(&text) > Tokens(1_000), "{letter:?}");
            assert_eq!(both(&text), reference(&text), "{letter:?}");
        }
        let mixed = format!("word{}\t\n{}word", " ".repeat(999_999), "\u{2003}".repeat(400_000));
        assert!(o200k(&mixed) > Tokens(1_000));
        assert_eq!(first_long_run(&"a b\n".repeat(50_000)), None, "ordinary text is one piece");
        assert_eq!(first_long_run(&format!("{}b", "a".repeat(100_000))), Some(100_000));
    }

    /// Every text file of the checkout: code, prose, tables, sessions, phrase banks in other tongues.
    #[test]
    fn every_text_at_hand_is_counted_as_the_reference_counts_it() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let (mut open, mut seen) = (vec![root], 0_u64);
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder).expect("it is listed").flatten() {
                let (path, name) = (entry.path(), entry.file_name());
                let name = name.to_string_lossy();
                let is_other =
                    name.starts_with('.') || ["target", "node_modules"].contains(&&*name);
                if is_other || path.is_symlink() {
                    continue;
                }
                if path.is_dir() {
                    open.push(path);
                    continue;
                }
                let Ok(text) = std::fs::read_to_string(&path) else { continue };
                for chunk in text.as_bytes().chunks(4_096).map(String::from_utf8_lossy) {
                    assert_eq!(both(&chunk), reference(&chunk), "{}", path.display());
                }
                seen += text.len() as u64;
            }
        }
        assert!(seen > 1 << 20, "{seen} bytes are too few to show anything");
    }

    proptest! {
        #[test]
        fn any_text_is_counted_as_the_reference_counts_it(
            text in "(\\PC|[ \\t\\r\\n]{1,9}|[a-z]{1,12}|[A-Z]{2,5}|'(s|re|ll)|[0-9]{1,7}|[{}();=<>\\./|_-]{1,5}|<\\|endoftext\\|>|\\p{Han}|\\p{M}){0,60}"
        ) {
            prop_assert_eq!(both(&text), reference(&text));
        }
    }
}
