//! The material of a request as sentences: who said each, under which heading, and what
//! one pass over its bytes tells of its words.

use memchr::memchr;

use crate::log::Role;
use crate::summarize::extractive::topic::{Speaker, Topic, Topics, VOCABULARY};
use crate::summarize::{Prompt, PromptMessage, sentence};

/// A sentence of the material.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    pub(super) speaker: Speaker,
    /// Topics of the heading above it.
    pub(super) under: Topics,
    /// The stretch by one speaker that it belongs to, and its number within.
    pub(super) block: u32,
    pub(super) number: u32,
    pub(super) code: bool,
}

/// The lines of the prompt's material, in order.
pub(super) fn read(prompt: &Prompt) -> Vec<Line<'_>> {
    let mut reader = Reader::default();
    for message in &prompt.messages {
        reader.open(speaker_of(message));
        for segment in &message.segments {
            if segment.material {
                reader.quote(&segment.text);
            } else {
                reader.label(&segment.text);
            }
        }
    }
    reader.lines
}

/// A message quoted whole is by whom its role says; any other tells by labels.
fn speaker_of(message: &PromptMessage) -> Speaker {
    if !message.segments.iter().all(|segment| segment.material) {
        return Speaker::Agent;
    }
    match message.role {
        Role::User => Speaker::User,
        Role::Assistant => Speaker::Agent,
        Role::Tool | Role::System => Speaker::Tool,
    }
}

#[derive(Default)]
struct Reader<'a> {
    lines: Vec<Line<'a>>,
    speaker: Option<Speaker>,
    under: Topics,
    block: u32,
    number: u32,
    code: bool,
}

impl<'a> Reader<'a> {
    /// A new stretch begins.
    fn open(&mut self, speaker: Speaker) {
        let (lines, block) = (std::mem::take(&mut self.lines), self.block + 1);
        *self = Reader { lines, block, speaker: Some(speaker), ..Reader::default() };
    }

    /// What the strategy wrote before a quote may say who is quoted.
    fn label(&mut self, text: &str) {
        let last = text.trim_end().rsplit('\n').next().unwrap_or_default();
        if let Some((speaker, _)) = speaker_label(last) {
            self.open(speaker);
        }
    }

    fn quote(&mut self, text: &'a str) {
        self.code = false;
        sentence::lines(text).for_each(|line| self.line(line));
    }

    fn line(&mut self, mut line: &'a str) {
        if line.starts_with("```") {
            self.code = !self.code;
            return;
        }
        if let Some((speaker, length)) = said_by(line) {
            self.open(speaker);
            line = line[length..].trim_start();
        }
        if self.speaker != Some(Speaker::Tool)
            && !self.code
            && let Some(title) = heading(line)
        {
            self.under = Topics::of_title(title);
            return;
        }
        let line = without_bullet(line);
        if Topic::all().any(|topic| topic.words().lead_in == line) {
            return;
        }
        // A longer one is a single word: a blob that nobody would quote.
        for text in sentence::of_line(line).filter(|text| text.len() <= sentence::LONGEST) {
            let Reader { under, block, number, code, .. } = *self;
            let speaker = self.speaker.unwrap_or(Speaker::Agent);
            self.lines.push(Line { text, speaker, under, block, number, code });
            self.number += 1;
        }
    }
}

/// The speaker that a line of material names, and where its words begin. Plain labels count only
/// when capitalized.
fn said_by(line: &str) -> Option<(Speaker, usize)> {
    let opens = *line.as_bytes().first()?;
    if !(opens == b'[' || opens.is_ascii_digit() || opens.is_ascii_uppercase()) {
        return None;
    }
    speaker_label(line).filter(|_| !opens.is_ascii_digit() || line.contains('['))
}

/// The speaker that a label names, and its length: `[user]:`, `3. [assistant]: `,
/// `[SUMMARIZED]`, `[summary 2]:`, `User:`, `Tool 'x' result:`.
pub(super) fn speaker_label(line: &str) -> Option<(Speaker, usize)> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let start = if digits == 0 { 0 } else { digits + 2 };
    if digits > 0 && line.get(digits..start) != Some(". ") {
        return None;
    }
    let rest = &line[start..];
    let bracketed = rest.starts_with('[');
    let name = &rest[usize::from(bracketed)..];
    let named = |(word, _): &&(String, Speaker)| {
        name.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
    };
    let (word, speaker) = VOCABULARY.speakers.iter().find(named)?;
    let tail = &name[word.len()..];
    let close = if bracketed {
        memchr(b']', &tail.as_bytes()[..tail.len().min(40)])? + 1
    } else if *speaker == Speaker::Tool && tail.starts_with(" '") {
        tail.find("result").filter(|&place| place < 80)? + "result".len()
    } else {
        0
    };
    let colon = tail[close..].starts_with(':');
    if !colon && !bracketed {
        return None;
    }
    Some((*speaker, line.len() - tail.len() + close + usize::from(colon)))
}

/// The title of a heading: `## Dead Ends`, or an element alone on its line.
fn heading(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix('#') {
        let title = rest.trim_start_matches('#');
        return title.starts_with(' ').then(|| title.trim());
    }
    let name = line.strip_prefix('<')?.strip_suffix('>')?;
    let named = name.trim_start_matches('/');
    named.bytes().all(|b| b.is_ascii_lowercase() || b == b'_').then_some(named)
}

/// Without what marks it as an item of a list or a quotation.
fn without_bullet(line: &str) -> &str {
    let mut rest = line;
    for mark in ["> ", "- ", "* ", "• "] {
        rest = rest.strip_prefix(mark).unwrap_or(rest).trim_start();
    }
    rest
}

/// What looks named by a program or a person at work: a path, an identifier, a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Where it stands in the line.
    pub(super) start: u16,
    pub(super) end: u16,
    /// Slot in the table of frequencies.
    pub(super) slot: u16,
    /// Worth listing by itself (a number is not).
    pub(super) named: bool,
}

/// What one pass tells of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gist {
    /// Words of two or more letters.
    pub(super) words: u16,
    /// Characters of code and tables.
    pub(super) punctuation: u16,
    /// Estimated tokens.
    pub(super) tokens: u16,
    /// Of the folded words.
    pub(super) hash: u64,
}

const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
const UNDER: u8 = 8;
const SLASH: u8 = 16;
const JOINT: u8 = 32;
const WIDE: u8 = 64;

/// Number of slots in the table of frequencies.
pub(super) const SLOTS: usize = 1 << 14;

const CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDER,
            b'/' => SLASH,
            b'.' | b':' | b'-' | b'@' | b'~' | b'+' | b'%' | b'#' => JOINT,
            0x80.. => WIDE,
            _ => 0,
        };
        byte += 1;
    }
    table
}

/// Reads a line; `digits_differ` is false where lines that differ in their digits alone are one
/// (logs). Offsets fit 16 bits since lines are cut at [`sentence::LONGEST`].
pub(super) fn scan(line: &str, digits_differ: bool, marks: &mut Vec<Mark>) -> Gist {
    let bytes = line.as_bytes();
    let mut gist = Gist::default();
    let mut eighths = 0_u32;
    let mut place = 0;
    while let Some(&byte) = bytes.get(place) {
        if CLASS[usize::from(byte)] == 0 {
            if byte != b' ' && byte != b'\t' {
                gist.punctuation += 1;
                eighths += 6;
            }
            place += 1;
            continue;
        }
        let word = Word::at(bytes, place, digits_differ);
        place = word.next;
        gist.hash = (gist.hash.rotate_left(5) ^ word.hash).wrapping_mul(0x517c_c1b7_2722_0a95);
        gist.words += u16::from(word.end - word.start > 1);
        let kind = word.kind(bytes);
        eighths += word.eighths(kind);
        if kind != Kind::Plain {
            marks.push(Mark {
                start: word.start as u16,
                end: word.end as u16,
                slot: (word.hash >> 48) as u16 % SLOTS as u16,
                named: kind == Kind::Named,
            });
        }
    }
    gist.tokens = (eighths / 8 + 1) as u16;
    gist
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Figure,
    Named,
}

/// A run of word bytes; `start..end` leaves out joints at its edges.
struct Word {
    start: usize,
    end: usize,
    next: usize,
    bits: u8,
    humps: u32,
    hash: u64,
}

impl Word {
    fn at(bytes: &[u8], start: usize, digits_differ: bool) -> Word {
        let mut word = Word { start, end: start, next: start, bits: 0, humps: 0, hash: 0 };
        let mut before = 0;
        while let Some(&byte) = bytes.get(word.next) {
            let class = CLASS[usize::from(byte)];
            if class == 0 {
                break;
            }
            word.bits |= class;
            word.humps += u32::from(before & LOWER != 0 && class & UPPER != 0);
            let same =
                if class == DIGIT && !digits_differ { b'0' } else { byte | (class & UPPER) << 4 };
            if class != JOINT {
                word.hash = (word.hash ^ u64::from(same)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                word.hash ^= word.hash >> 29;
                word.end = word.next + 1;
            }
            before = class;
            word.next += 1;
        }
        while word.start < word.end && CLASS[usize::from(bytes[word.start])] == JOINT {
            word.start += 1;
        }
        word
    }

    fn kind(&self, bytes: &[u8]) -> Kind {
        let length = self.end - self.start;
        if length < 2 || self.bits & (LOWER | UPPER | DIGIT) == 0 {
            return Kind::Plain;
        }
        let letters = self.bits & (LOWER | UPPER) != 0;
        let inside = &bytes[self.start..self.end];
        let joined =
            self.bits & JOINT != 0 && length > 4 && inside.iter().any(|&b| b == b'.' || b == b':');
        let path = inside.iter().filter(|&&b| b == b'/').count() > 1 && length > 4;
        let named = self.bits & UNDER != 0 || self.humps > 0 || joined || path;
        if letters && length > 3 && named {
            Kind::Named
        } else if self.bits & DIGIT != 0 {
            Kind::Figure
        } else {
            Kind::Plain
        }
    }

    /// Estimated tokens in eighths, calibrated on prose and code.
    fn eighths(&self, kind: Kind) -> u32 {
        let length = (self.next - self.start) as u32;
        match kind {
            _ if self.bits & WIDE != 0 => 8 + length * 3,
            Kind::Plain => 8 + length * 8 / 14,
            Kind::Figure => 8 + length * 8 / 4,
            Kind::Named => 8 + length * 8 / 5,
        }
    }
}

#[cfg(test)]
mod tests;
