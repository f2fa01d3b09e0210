//! Likely secrets in texts: an automaton finds where one may begin, a pattern there decides. What is
//! loaded is masked, unless it is asked for. A text without findings is no proof of anything.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use regex::Regex;
use serde::Deserialize;

use crate::log::{BoundaryAction, Log, Text};

/// Most bytes after a mark that a pattern may look at.
const REACH: usize = 512;

/// As `data/secrets.toml` has it, which says what each means.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    placeholders: Vec<String>,
    shape: Vec<Shape>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    kind: String,
    marks: Vec<String>,
    pattern: String,
    judge: Judge,
    #[serde(default)]
    behind: bool,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Judge {
    Shape,
    Mixed,
    Password,
    Random,
    Keyed,
    Card,
}

/// The automaton and, by mark, the shape.
struct Scanner {
    table: Table,
    marks: AhoCorasick,
    shape_of: Vec<usize>,
    patterns: Vec<Regex>,
}

static SCANNER: LazyLock<Scanner> = LazyLock::new(|| {
    let table: Table =
        toml::from_str(include_str!("../data/secrets.toml")).expect("OK because a test reads it");
    let marked = table.shape.iter().enumerate();
    let (marks, shape_of): (Vec<&str>, Vec<usize>) = marked
        .flat_map(|(place, shape)| shape.marks.iter().map(move |mark| (mark.as_str(), place)))
        .unzip();
    let marks = AhoCorasickBuilder::new()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .build(marks)
        .expect("OK because the marks are few and short");
    let compile =
        |shape: &Shape| Regex::new(&shape.pattern).expect("OK because a test compiles it");
    let patterns = table.shape.iter().map(compile).collect();
    Scanner { table, marks, shape_of, patterns }
});

/// Likely secrets of a text, in order: what they are and where their values stand.
pub fn find(text: &str) -> Vec<(&'static str, Range<usize>)> {
    let scanner = &*SCANNER;
    let mut found: Vec<(&str, Range<usize>)> = Vec::new();
    for mark in scanner.marks.find_iter(text) {
        let place = scanner.shape_of[mark.pattern().as_usize()];
        let shape = &scanner.table.shape[place];
        if found.last().is_some_and(|(_, last)| mark.start() < last.end) {
            continue;
        }
        if !shape.behind && !stands_alone(text, mark.start()) {
            continue;
        }
        let begins = if shape.behind { mark.end() } else { mark.start() };
        let window = &text[begins..text.floor_char_boundary(begins + REACH)];
        let Some(groups) = scanner.patterns[place].captures(window) else { continue };
        let Some(value) = groups.get(1).or_else(|| groups.get(0)) else { continue };
        if accepts(shape.judge, value.as_str(), &scanner.table.placeholders) {
            found.push((&shape.kind, begins + value.start()..begins + value.end()));
        }
    }
    found
}

static SHOWN: AtomicBool = AtomicBool::new(false);
static ADDRESSES: AtomicBool = AtomicBool::new(false);

/// An e-mail address, but not the user of a repository (`git@host:path`).
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b")
        .expect("OK because a test compiles it")
});

/// From now on, e-mail addresses are masked too.
pub fn mask_addresses() {
    ADDRESSES.store(true, Ordering::Relaxed);
}

fn addresses(text: &str) -> impl Iterator<Item = (&'static str, Range<usize>)> {
    let found = ADDRESS.find_iter(text).filter(|one| !one.as_str().starts_with("git@"));
    found.map(|one| ("e-mail address", one.range()))
}

/// From now on, what is loaded is shown as it is.
pub fn show() {
    SHOWN.store(true, Ordering::Relaxed);
}

/// Puts marks of the same length in the place of likely secrets, unless they are to be shown: how
/// many of each kind.
pub(crate) fn mask(log: &mut Log) -> BTreeMap<&'static str, usize> {
    let mut masked = BTreeMap::new();
    if SHOWN.load(Ordering::Relaxed) {
        return masked;
    }
    let mut of = |text: &mut Text| {
        let mut found = find(text);
        let wanted = ADDRESSES.load(Ordering::Relaxed).then(|| addresses(text));
        for (kind, range) in wanted.into_iter().flatten() {
            let apart = |(_, known): &(&str, Range<usize>)| {
                known.end <= range.start || range.end <= known.start
            };
            if found.iter().all(apart) {
                found.push((kind, range));
            }
        }
        if found.is_empty() {
            return;
        }
        let mut own = text.to_string();
        for (kind, range) in found {
            *masked.entry(kind).or_default() += 1;
            own.replace_range(range.clone(), &mark(kind, range.len()));
        }
        *text = Text::from(own);
    };
    of(&mut log.system);
    of(&mut log.tools);
    for message in &mut log.messages {
        of(&mut message.content);
        message.calls.iter_mut().for_each(|call| of(&mut call.args));
    }
    for boundary in &mut log.boundaries {
        if let BoundaryAction::Summary(text) = &mut boundary.action {
            of(text);
        }
    }
    masked
}

/// Stands for a secret of this kind: as long as it was, so that places in the text stay.
fn mark(kind: &str, length: usize) -> String {
    let named = format!("[{kind}]");
    if named.len() <= length { format!("{named:*<length$}") } else { "*".repeat(length) }
}

/// Whether a key can begin here: it does not in the middle of a word.
fn stands_alone(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let own = text[at..].starts_with(|c: char| c.is_ascii_alphanumeric());
    !own || before.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_' && c != '-')
}

fn accepts(judge: Judge, value: &str, placeholders: &[String]) -> bool {
    let folded = value.to_ascii_lowercase();
    let is_placeholder = placeholders.iter().any(|word| folded.contains(word))
        || folded.trim_matches(is_quote).starts_with(['<', '$', '%', '{', '[', '*']);
    let sound = match judge {
        Judge::Shape => true,
        Judge::Mixed => is_mixed(value),
        Judge::Password => is_password(value),
        Judge::Random => is_random(value),
        Judge::Keyed => is_random(value) || is_hexadecimal(value) && is_mixed(value),
        Judge::Card => is_card(value),
    };
    sound && !is_placeholder
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '\\')
}

/// Whether the digits are a card's: their check digit is right (Luhn).
fn is_card(value: &str) -> bool {
    let digits: Vec<u32> = value.chars().filter_map(|c| c.to_digit(10)).collect();
    let doubled = |(place, digit): (usize, &u32)| match place % 2 {
        0 => *digit,
        _ if *digit > 4 => 2 * digit - 9,
        _ => 2 * digit,
    };
    let sum: u32 = digits.iter().rev().enumerate().map(doubled).sum();
    let one = digits.iter().all(|digit| Some(digit) == digits.first());
    (13..=19).contains(&digits.len()) && sum.is_multiple_of(10) && !one
}

fn is_mixed(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    digits >= 2 && letters >= 4 && entropy(value) >= 3.0
}

/// A quoted value is taken at its word; a bare one must hold a digit beside letters.
fn is_password(value: &str) -> bool {
    let bare = value.trim_matches(is_quote);
    let is_quoted = value.starts_with(is_quote);
    let has = |test: fn(&u8) -> bool| bare.bytes().any(|byte| test(&byte));
    let is_expression = bare.contains(['(', ')', '<', '>', '[', ']']) || bare.contains("::");
    let common = ["password", "passwd", "string", "secret", "required", "optional", "hidden"];
    if common.contains(&bare.to_ascii_lowercase().as_str()) || is_expression {
        return false;
    }
    if is_quoted {
        return bare.len() >= 6;
    }
    has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && !bare.contains('.')
}

/// Random enough for a key, and neither a UUID nor the digest of some object.
fn is_random(value: &str) -> bool {
    let digest = is_hexadecimal(value) && [32, 40, 56, 64, 96, 128].contains(&value.len());
    let uuid = value.len() == 36
        && value.bytes().filter(|byte| *byte == b'-').count() == 4
        && value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let path = value.matches('/').count() > 2 && entropy(value) < 4.5 || value.starts_with('/');
    let named = ["sha256-", "sha384-", "sha512-", "sha1-"].iter().any(|p| value.starts_with(p));
    let dotted = value.split('.').count() > 2 && !value.starts_with("eyJ");
    !(digest || uuid || path || named || dotted)
        && is_mixed(value)
        && entropy(value) >= 3.5
        && changes_class_often(value)
}

fn is_hexadecimal(value: &str) -> bool {
    value.len() >= 32 && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Words joined by hyphens or underscores change between letters and digits seldom.
fn changes_class_often(value: &str) -> bool {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    };
    let classes: Vec<u8> = value.bytes().map(class).collect();
    let changes = classes.windows(2).filter(|pair| pair[0] != pair[1]).count();
    changes * 4 >= value.len()
}

fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    value.bytes().for_each(|byte| counts[byte as usize] += 1);
    let all = value.len().max(1) as f64;
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / all);
    shares.map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
mod tests;
