//! Lines of a file, one at a time, with bounded memory per line.

use std::io::{self, BufRead, Read};

use crate::bounds::longest_line;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads lines without their ends; a byte-order mark is dropped.
pub struct Lines<R> {
    reader: R,
    limit: usize,
    number: usize,
    buffer: Vec<u8>,
}

/// One line as it stood in the file.
pub struct RawLine<'a> {
    /// From 1.
    pub number: usize,
    /// Without `\n` or `\r\n`; empty where it was too long.
    pub bytes: &'a [u8],
    /// A line end followed, as behind all lines but the last; one that is too long counts.
    pub ended: bool,
    /// It was longer than the limit and was skipped.
    pub too_long: bool,
}

impl RawLine<'_> {
    /// Nothing but white space stands on it.
    pub fn is_blank(&self) -> bool {
        !self.too_long && self.bytes.iter().all(u8::is_ascii_whitespace)
    }
}

impl<R: BufRead> Lines<R> {
    /// With the common limit.
    pub fn new(reader: R) -> Lines<R> {
        Lines::with_limit(reader, usize::try_from(longest_line()).unwrap_or(usize::MAX))
    }

    /// Lines longer than this are not held.
    pub fn with_limit(reader: R, limit: usize) -> Lines<R> {
        Lines { reader, limit, number: 0, buffer: Vec::new() }
    }

    /// The longest line it reads, in words for an error.
    pub fn limit_rule(&self) -> String {
        format!("the line is longer than {} bytes (`--max-line-size`)", self.limit)
    }

    /// The next line, blank ones included.
    #[expect(clippy::should_implement_trait, reason = "it fails, and lends what it read")]
    pub fn next(&mut self) -> io::Result<Option<RawLine<'_>>> {
        self.buffer.clear();
        let mut within = self.reader.by_ref().take(self.limit as u64 + 1);
        if within.read_until(b'\n', &mut self.buffer)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        let ended = self.buffer.pop_if(|last| *last == b'\n').is_some();
        let too_long = !ended && self.buffer.len() > self.limit;
        if too_long {
            self.reader.skip_until(b'\n')?;
            self.buffer = Vec::new();
        }
        let bytes = trimmed(&self.buffer, self.number == 1);
        Ok(Some(RawLine { number: self.number, bytes, ended: ended || too_long, too_long }))
    }
}

fn trimmed(bytes: &[u8], first: bool) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    if first { bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes) } else { bytes }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    type Seen = Vec<(usize, String, bool, bool)>;

    fn all<R: BufRead>(mut lines: Lines<R>) -> Seen {
        let mut seen = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            let text = String::from_utf8_lossy(line.bytes).into_owned();
            seen.push((line.number, text, line.ended, line.too_long));
        }
        seen
    }

    #[test]
    fn marks_and_line_ends_are_no_part_of_a_line() {
        let text = "\u{feff}one\r\n\ntwo\nthree";
        // A small buffer makes every line span several reads.
        let seen = all(Lines::new(BufReader::with_capacity(2, text.as_bytes())));
        let expected: Seen = vec![
            (1, "one".into(), true, false),
            (2, String::new(), true, false),
            (3, "two".into(), true, false),
            (4, "three".into(), false, false),
        ];
        assert_eq!(seen, expected);
        assert!(all(Lines::new(&b""[..])).is_empty());
    }

    #[test]
    fn a_line_over_the_limit_is_skipped_and_the_next_one_read() {
        let seen = all(Lines::with_limit(&b"0123456789\nshort\n"[..], 8));
        let expected: Seen = vec![(1, String::new(), true, true), (2, "short".into(), true, false)];
        assert_eq!(seen, expected);
    }
}
