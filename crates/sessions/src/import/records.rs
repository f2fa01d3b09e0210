//! The JSON values of a file, one after another: lines of JSON, several values on a line where a line
//! end was lost, or one value over many lines.

use std::collections::VecDeque;
use std::io::{BufRead, Cursor, Read};

use serde_json::value::RawValue;

use super::report::Intake;
use crate::log::format::lines::Lines;
use crate::log::format::reason;
use crate::prelude::*;

/// One JSON value as it stands in the file.
#[derive(Debug)]
pub(super) struct Record {
    /// The line on which it begins, from 1.
    pub(super) line: usize,
    /// Its text.
    pub(super) json: String,
}

/// Reads values, and counts what could not be read.
pub(super) struct Records<'a> {
    lines: Lines<Box<dyn BufRead + 'a>>,
    waiting: VecDeque<Record>,
    path: &'a Path,
    /// Lines read so far, bad ones and mended ones.
    pub(super) intake: Intake,
}

impl<'a> Records<'a> {
    /// From the beginning of a file; `path` names it. A file whose first line is no whole value is
    /// read as one value where it can be.
    pub(super) fn new(mut reader: Box<dyn BufRead + 'a>, path: &'a Path) -> Result<Records<'a>> {
        let mut head = Vec::new();
        let read = reader.by_ref().take(HEAD).read_to_end(&mut head);
        read.map_err(|error| Error::io("read", path, error))?;
        let mut first = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let first = first.find(|line| !line.is_empty() && *line != BYTE_ORDER_MARK);
        let spans_lines = first.is_some_and(|first| {
            let first = first.strip_prefix(BYTE_ORDER_MARK).unwrap_or(first);
            let opens = first.first().is_some_and(|byte| matches!(byte, b'{' | b'['));
            let ends = serde_json::from_slice::<&RawValue>(first);
            opens && head.len() > first.len() && ends.is_err_and(|error| error.is_eof())
        });
        let mut waiting = VecDeque::new();
        if spans_lines {
            reader.read_to_end(&mut head).map_err(|error| Error::io("read", path, error))?;
            let text = String::from_utf8_lossy(&head);
            let text = text.trim_start_matches('\u{feff}').trim();
            if let Ok(whole) = serde_json::from_str::<&RawValue>(text) {
                waiting.push_back(Record { line: 1, json: whole.get().to_owned() });
                head.clear();
            }
        }
        let reader: Box<dyn BufRead> = Box::new(Cursor::new(head).chain(reader));
        let intake = Intake { lines: waiting.len(), ..Intake::default() };
        Ok(Records { lines: Lines::new(reader), waiting, path, intake })
    }

    /// The first values, which stay to be read: at most so many.
    pub(super) fn peek(&mut self, most: usize) -> Result<&VecDeque<Record>> {
        let mut seen = 0;
        while self.waiting.len() < most && seen < most && self.line()? {
            seen += 1;
        }
        Ok(&self.waiting)
    }

    /// The next value.
    pub(super) fn next(&mut self) -> Result<Option<Record>> {
        while self.waiting.is_empty() {
            if !self.line()? {
                return Ok(None);
            }
        }
        Ok(self.waiting.pop_front())
    }

    /// Takes the values of one more line; false at the end.
    fn line(&mut self) -> Result<bool> {
        let too_long = self.lines.limit_rule();
        let line = self.lines.next().map_err(|error| Error::io("read", self.path, error))?;
        let Some(line) = line else { return Ok(false) };
        if line.is_blank() {
            return Ok(true);
        }
        self.intake.lines += 1;
        if line.too_long {
            self.intake.bad_line(line.number, too_long);
            return Ok(true);
        }
        let text = String::from_utf8_lossy(line.bytes);
        self.intake.mended += usize::from(matches!(text, std::borrow::Cow::Owned(_)));
        let (number, mut rest, mut found) = (line.number, &*text, 0);
        loop {
            let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
            let json = match stream.next() {
                None => break,
                Some(Ok(value)) => value.get().to_owned(),
                Some(Err(error)) => {
                    self.intake.bad_line(number, reason(&error));
                    break;
                }
            };
            rest = &rest[stream.byte_offset()..];
            self.intake.recovered += usize::from(found > 0);
            found += 1;
            let mended = without_lone_surrogates(&json);
            self.intake.mended += usize::from(mended.is_some());
            self.waiting.push_back(Record { line: number, json: mended.unwrap_or(json) });
        }
        Ok(true)
    }
}

/// How much of a file is looked at to tell whether its first line is a whole value, in bytes.
const HEAD: u64 = 64 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The JSON with halves of character pairs, as a writer leaves that truncates inside an emoji,
/// replaced; `None` where it has none.
fn without_lone_surrogates(json: &str) -> Option<String> {
    if !json.contains("\\ud") && !json.contains("\\uD") {
        return None;
    }
    let mut mended = String::new();
    let (mut done, mut from) = (0, 0);
    while let Some(found) = json[from..].find('\\') {
        let place = from + found;
        let unit = unit_at(json, place);
        from = match unit {
            Some(0xD800..=0xDBFF) if is_low(unit_at(json, place + 6)) => place + 12,
            Some(0xD800..=0xDFFF) => {
                mended.push_str(&json[done..place]);
                mended.push_str("\\ufffd");
                done = place + 6;
                done
            }
            // The escape's second byte is ASCII in valid JSON; never cut elsewhere.
            _ => place + 1 + usize::from(json.as_bytes().get(place + 1).is_some_and(u8::is_ascii)),
        };
    }
    (done > 0).then(|| mended + &json[done..])
}

fn is_low(unit: Option<u32>) -> bool {
    matches!(unit, Some(0xDC00..=0xDFFF))
}

/// The code unit that four hexadecimal digits behind `\u` name at this place.
fn unit_at(json: &str, place: usize) -> Option<u32> {
    let digits = json.get(place..place + 6)?.strip_prefix("\\u")?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_character_pair_is_replaced_and_a_whole_one_kept() {
        for (json, mended) in crate::cases::<(String, Vec<String>)>("surrogates") {
            assert_eq!(without_lone_surrogates(&json).as_slice(), mended, "{json}");
        }
    }
}
