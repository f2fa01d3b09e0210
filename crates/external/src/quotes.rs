//! Where the words of a text come from: answers of the model, messages of the view, or the program.

use std::collections::BTreeMap;

use memchr::memmem;
use rustc_hash::FxHashMap;

use crate::plan::{Clean, Piece, Source};
use crate::prelude::*;

/// Words in common that are shorter are no quote: they may be chance.
const LEAST: usize = 16;
/// The least part of an answer that is known for one.
const LEAST_OF_ANSWER: usize = 32;

/// An answer of the model, with its number.
pub type Answer = (RequestId, Text);

/// A stretch of a text with what it is.
type Claims = BTreeMap<usize, (usize, Piece)>;

/// A text as pieces, in order.
pub fn pieces(text: &str, view: &View, answers: &[Answer]) -> Vec<Piece> {
    let mut claims = of_answers(text, answers);
    quote(text, view, &mut claims);
    written(text, claims)
}

/// The same for a new text of an entry: what it has in common with the old one stays its own.
pub fn rewriting(text: &str, entry: &Entry, answers: &[Answer]) -> Vec<Piece> {
    let old = entry.content();
    let head = common(old.bytes(), text.bytes());
    let head = old.floor_char_boundary(head);
    let tail = common(old[head..].bytes().rev(), text[head..].bytes().rev());
    let tail = old.ceil_char_boundary(old.len() - tail);
    let (from, to) = (head, text.len() - (old.len() - tail));
    let of = |bytes| Piece::Quote { of: Source::Entry(entry.id), bytes: Some(bytes) };
    let mut all = Vec::new();
    all.extend((head > 0).then(|| of((0, head))));
    all.extend(written(&text[from..to], of_answers(&text[from..to], answers)));
    all.extend((tail < old.len()).then(|| of((tail, old.len()))));
    if all.is_empty() { vec![Piece::literal("")] } else { all }
}

fn common<T: PartialEq>(one: impl Iterator<Item = T>, other: impl Iterator<Item = T>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}

/// The pieces, and the program's own words between them.
fn written(text: &str, claims: Claims) -> Vec<Piece> {
    let (mut all, mut from) = (Vec::new(), 0);
    for (start, (end, piece)) in claims {
        if from < start {
            all.push(Piece::literal(&text[from..start]));
        }
        all.push(piece);
        from = end;
    }
    if from < text.len() {
        all.push(Piece::literal(&text[from..]));
    }
    all
}

fn is_free(claims: &Claims, from: usize, to: usize) -> bool {
    claims.range(..to).next_back().is_none_or(|(_, (end, _))| *end <= from)
}

fn of_answers(text: &str, answers: &[Answer]) -> Claims {
    let mut claims = Claims::new();
    for (id, answer) in answers.iter().rev() {
        let trimmed = answer.trim();
        if trimmed.is_empty() {
            continue;
        }
        let is_all = text.trim() == trimmed;
        let whole = (is_all || trimmed.len() >= LEAST)
            .then(|| memmem::find(text.as_bytes(), trimmed.as_bytes()));
        let (start, end, clean) = match whole.flatten() {
            Some(start) => {
                let clean = if trimmed.len() == answer.len() { Clean::AsIs } else { Clean::Trim };
                (start, start + trimmed.len(), clean)
            }
            None => match longest_part(text, answer) {
                Some((start, from, length)) => {
                    (start, start + length, Clean::Part(from, from + length))
                }
                None => continue,
            },
        };
        if is_free(&claims, start, end) {
            claims.insert(start, (end, Piece::Answer { first_of: vec![*id], clean }));
        }
    }
    claims
}

/// The longest stretch that both have: where it stands in the text and in the answer, and its length.
fn longest_part(text: &str, answer: &str) -> Option<(usize, usize, usize)> {
    let mut best: Option<(usize, usize, usize)> = None;
    // A stretch of the least length holds one of these windows whole.
    let step = LEAST_OF_ANSWER / 2;
    for at in (0..answer.len()).step_by(step) {
        let Some(window) = answer.as_bytes().get(at..at + step) else { break };
        if best.is_some_and(|(_, from, length)| at < from + length) {
            continue;
        }
        let Some(in_text) = memmem::find(text.as_bytes(), window) else { continue };
        let (text, words) = (text.as_bytes(), answer.as_bytes());
        let before = common(text[..in_text].iter().rev(), words[..at].iter().rev());
        let after = common(text[in_text..].iter(), words[at..].iter());
        let from = answer.ceil_char_boundary(at - before);
        let to = answer.floor_char_boundary(at + after);
        let found = (in_text + from - at, from, to.saturating_sub(from));
        if best.is_none_or(|(.., length)| found.2 > length) {
            best = Some(found);
        }
    }
    best.filter(|(.., length)| *length >= LEAST_OF_ANSWER)
}

/// Claims the words of messages, in the order of the view.
fn quote(text: &str, view: &View, claims: &mut Claims) {
    let mut after = 0;
    let mut lines: Option<FxHashMap<&str, Vec<usize>>> = None;
    for entry in view.entries() {
        let content = (Source::Entry(entry.id), entry.content());
        let calls = entry.calls.iter();
        let calls = calls.map(|call| (Source::Call(entry.id, call.id.clone()), call.args.clone()));
        for (of, words) in std::iter::once(content).chain(calls) {
            let words = &*words;
            if words.trim().len() < LEAST {
                continue;
            }
            match place(text, words.trim(), after, claims) {
                Some(start) => {
                    let trimmed = words.trim();
                    let from = trimmed.as_ptr() as usize - words.as_ptr() as usize;
                    after = start + trimmed.len();
                    claims.insert(start, (after, quoting(of, words, from, trimmed.len())));
                }
                None => {
                    let lines = lines.get_or_insert_with(|| lines_of(text));
                    by_line(&of, words, lines, claims);
                }
            }
        }
    }
}

fn quoting(of: Source, words: &str, from: usize, length: usize) -> Piece {
    let bytes = (length < words.len()).then_some((from, from + length));
    Piece::Quote { of, bytes }
}

/// Where words stand behind a place, or else anywhere, and nothing is known yet.
fn place(text: &str, words: &str, after: usize, claims: &Claims) -> Option<usize> {
    let find = |from: usize| {
        let found = memmem::find(&text.as_bytes()[from..], words.as_bytes())?;
        Some(from + found).filter(|start| is_free(claims, *start, start + words.len()))
    };
    find(after).or_else(|| if after > 0 { find(0) } else { None })
}

/// Lines of a text by what they say, also of texts written as JSON.
fn lines_of(text: &str) -> FxHashMap<&str, Vec<usize>> {
    let mut lines: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    let all = text.split('\n').flat_map(|line| line.split("\\n"));
    let all = all.map(|line| line.trim().trim_matches('"'));
    for line in all.filter(|line| line.len() >= LEAST) {
        lines.entry(line).or_default().push(line.as_ptr() as usize - text.as_ptr() as usize);
    }
    lines
}

fn by_line(of: &Source, words: &str, lines: &FxHashMap<&str, Vec<usize>>, claims: &mut Claims) {
    for line in words.lines().map(str::trim).filter(|line| line.len() >= LEAST) {
        let from = line.as_ptr() as usize - words.as_ptr() as usize;
        let places = lines.get(line).map_or(&[][..], Vec::as_slice);
        let free = places.iter().find(|start| is_free(claims, **start, **start + line.len()));
        if let Some(&start) = free {
            let piece = quoting(of.clone(), words, from, line.len());
            claims.insert(start, (start + line.len(), piece));
        }
    }
}
