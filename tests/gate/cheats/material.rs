//! What a cheat reads in its material: statements of every kind, and how it writes them again.

use std::collections::HashSet;
use std::sync::LazyLock;

use proctor::summarize::{Offline, Prompt, cut_within};
use regex::Regex;

/// What a sentence of the material is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// "Do not {topic} {name}."
    Rule,
    /// A rule that asks for a transaction.
    Transaction,
    /// A command that must not run in production.
    Production,
    /// What did not work.
    DeadEnd,
    /// What to build on.
    Direction,
    /// What is done.
    Outcome,
    /// What is left.
    Pending,
    /// Commits with a ticket number.
    Ticket,
    /// Tests as tables.
    Tables,
    /// What to name things after.
    Naming,
    /// A key and its number.
    Value,
    /// A command and what it exercises.
    Command,
    /// An error and where.
    Error,
    /// A test and what it covers.
    Test,
    /// A path and what is there.
    Path,
    /// A symbol and what it does.
    Symbol,
}

/// One statement of the material: what it names, and the other half of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    kind: Kind,
    name: String,
    topic: String,
}

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        pub(super) static $name: LazyLock<Regex> =
            LazyLock::new(|| Regex::new($text).expect("a pattern"));
    };
}

pattern!(COMMAND, r"cargo xtask [a-z-]+ --[a-z]+ \d+");
pattern!(PATH, r"\b(?:[\w-]+/)+[\w-]+\.[a-z]+\b");
pattern!(KEY, r"\b([a-z]+_[a-z_]+\.[a-z]+_[a-z_]+)\b");
pattern!(CODE, r"\b[A-Z]{3}-\d{4}\b");
pattern!(SYMBOL, r"\b[a-z]+_[a-z]+(?:_[a-z]+)+\b");
pattern!(TEST, r"_(?:is|survives|times|keeps|does|can|has|returns|rejects|accepts)_");
pattern!(NUMBER, r"\b\d{4,}\b");
pattern!(
    TOPIC,
    r"\b([a-z]+ [a-z]+ (?:validation|rounding|layout|sampling|tracing|shutdown|start-up|warm-up|hand-over|handshake|wiring|cleanup|numbering|conversion|bookkeeping|versioning|paging|ordering|deduplication|permission check|rate limiting|time zone handling|lookup|backoff))\b"
);
pattern!(PHRASE, r"\b(?:[Tt]he|[Aa]n?|its) ([a-z]{3,} [a-z]{3,} [a-z]{3,})\b");
pattern!(THREE, r"\b(?:[a-z]{4,} ){2}[a-z]{3,}\b");
pattern!(
    FORBIDS,
    r"(?i)\b(?:must not|must never|never|do not|don't|forbidden|off limits|not allowed|prohibited|no circumstances)\b"
);
pattern!(
    FAILED,
    r"(?i)\b(?:abandoned|did not work|does not work|ruled out|dead end|gave up|given up|reverted|rejected|not viable|dropped it|dropped|failed)\b"
);
pattern!(
    LEFT,
    r"(?i)\b(?:todo|fixme|still to do|left open|remains|remained|switched off|can go after|what i left)\b"
);
pattern!(
    DIRECTION,
    r"(?i)\b(?:direction|build on|builds on|built around|and extend|what i want for)\b"
);
pattern!(DONE, r"(?i)(?: got |\bdone\b|i added|finished:|work is complete)");
pattern!(COMPONENT, r"\b(?:the|The) ([a-z]{3,} [a-z]{3,})\b");
pattern!(ENDS, r"[.;!?](?:\s+|$)");

/// Words that end a phrase of three.
const SMALL: &[&str] = &[
    "the", "that", "which", "and", "for", "from", "with", "has", "must", "was", "are", "got",
    "can", "not", "did", "turned", "should", "needs", "before", "after", "one", "takes", "now",
    "may", "end", "ticket",
];

/// Words of phrases that are no part of the project.
const WHOLE: &[&str] = &["direction", "old ", "work ", "whole", "rest ", "new ", " part"];

fn phrase(text: &str) -> Option<String> {
    let three = |c: regex::Captures| c[1].to_owned();
    PHRASE.captures_iter(text).map(three).find(|p| !p.split(' ').any(|word| SMALL.contains(&word)))
}

fn found(pattern: &Regex, text: &str) -> Option<String> {
    pattern.find(text).map(|m| m.as_str().to_owned())
}

fn of(kind: Kind, name: String, topic: impl Into<String>) -> Option<Atom> {
    Some(Atom { kind, name, topic: topic.into() })
}

/// The part of the project that a sentence speaks of.
fn component(text: &str) -> String {
    let is_part = |part: &String| !WHOLE.iter().any(|word| part.contains(word));
    let mut parts = COMPONENT.captures_iter(text).map(|c| c[1].to_owned());
    parts.find(is_part).unwrap_or("project".to_owned())
}

/// The statement of one sentence, if it makes one.
fn atom(text: &str) -> Option<Atom> {
    let topic = found(&TOPIC, text);
    let forbids = FORBIDS.is_match(text);
    if let Some(command) = found(&COMMAND, text) {
        if forbids || text.contains("production") {
            return of(Kind::Production, command, "run");
        }
        return topic.and_then(|topic| of(Kind::Command, command, topic));
    }
    if let (Some(key), Some(number)) = (found(&KEY, text), found(&NUMBER, text)) {
        return of(Kind::Value, key, number);
    }
    if let Some(code) = found(&CODE, text) {
        return topic.and_then(|topic| of(Kind::Error, code, topic));
    }
    if let (Some(path), true) = (found(&PATH, text), forbids) {
        return of(Kind::Rule, path, "edit");
    }
    if let (Some(path), Some(topic), false) = (found(&PATH, text), &topic, text.contains("/tests"))
    {
        return of(Kind::Path, path, topic.clone());
    }
    let stands = |name: &&str| {
        let end = format!("{name}.");
        !text.contains(&end) || text.trim_end().ends_with(&end)
    };
    match SYMBOL.find_iter(text).map(|m| m.as_str()).find(stands) {
        Some(name) => of_symbol(text, name.to_owned(), topic),
        None => of_phrase(text, phrase(text)?),
    }
}

fn of_symbol(text: &str, name: String, topic: Option<String>) -> Option<Atom> {
    if TEST.is_match(&name) {
        if LEFT.is_match(text) {
            return of(Kind::Pending, name, "enable");
        }
        return topic.and_then(|topic| of(Kind::Test, name, topic));
    }
    if FAILED.is_match(text) || text.contains("dropped") {
        return of(Kind::DeadEnd, name, "approach");
    }
    if DIRECTION.is_match(text) {
        return of(Kind::Direction, name, component(text));
    }
    if text.contains("named after") || text.contains("names in the style") {
        return phrase(text).and_then(|at| of(Kind::Naming, at, name));
    }
    if DONE.is_match(text) {
        return of(Kind::Outcome, name, component(text));
    }
    topic.filter(|_| text.contains("does the")).and_then(|topic| of(Kind::Symbol, name, topic))
}

/// What a rule forbids, by a word of it.
const VERBS: &[(&str, &str)] = &[
    ("dependenc", "add dependencies to"),
    ("librar", "add dependencies to"),
    ("packages", "add dependencies to"),
    ("print", "print"),
    ("Print", "print"),
    ("log ", "log"),
    ("personal data", "print"),
    ("delete", "delete"),
    ("purge", "delete"),
    ("backup", "delete"),
];

fn of_phrase(text: &str, phrase: String) -> Option<Atom> {
    if text.contains("ticket number") {
        return of(Kind::Ticket, phrase, "ticket number");
    }
    if text.contains("tables") {
        return of(Kind::Tables, phrase, "tables");
    }
    if text.contains("transaction") {
        return of(Kind::Transaction, phrase, "write");
    }
    if FORBIDS.is_match(text) {
        let verb = VERBS.iter().find(|(sign, _)| text.contains(sign));
        return of(Kind::Rule, phrase, verb.map_or("change", |(_, verb)| verb));
    }
    if FAILED.is_match(text) {
        return of(Kind::DeadEnd, phrase, "approach");
    }
    if LEFT.is_match(text) {
        return of(Kind::Pending, phrase, "remove");
    }
    if text.contains("direction") || text.contains("What I want for") {
        return of(Kind::Direction, phrase, component(text));
    }
    let is_done = DONE.is_match(text);
    is_done.then(|| Atom { kind: Kind::Outcome, name: phrase, topic: component(text) })
}

pub type Template = fn(Kind) -> &'static str;
pub type Frame = fn(&str) -> String;

/// Statements of the material, each written by a template, all put into a frame.
#[derive(Clone, Copy)]
pub struct Told {
    pub line: Template,
    /// What stands before and behind each line.
    pub around: (&'static str, &'static str),
    pub frame: Frame,
}

/// The name and the topic, read back from a line that the template wrote.
fn read_back(template: &str, kind: Kind, line: &str) -> Option<Atom> {
    let mut rest = line.trim();
    let (mut name, mut topic) = (String::new(), String::new());
    let mut parts = template.split('{');
    rest = rest.strip_prefix(parts.next()?)?;
    for part in parts {
        let (hole, text) = part.split_once('}')?;
        let end = if text.is_empty() { rest.len() } else { rest.find(text)? };
        let slot = if hole == "n" { &mut name } else { &mut topic };
        rest[..end].clone_into(slot);
        rest = &rest[end + text.len()..];
    }
    let sound = |part: &str| !part.contains([';', ':', '|']) && part.len() < 90;
    (rest.is_empty() && !name.is_empty() && sound(&name) && sound(&topic)).then_some(Atom {
        kind,
        name,
        topic,
    })
}

const KINDS: [Kind; 16] = [
    Kind::Rule,
    Kind::Transaction,
    Kind::Production,
    Kind::DeadEnd,
    Kind::Direction,
    Kind::Pending,
    Kind::Outcome,
    Kind::Ticket,
    Kind::Tables,
    Kind::Naming,
    Kind::Value,
    Kind::Error,
    Kind::Command,
    Kind::Test,
    Kind::Path,
    Kind::Symbol,
];

fn statements(prompt: &Prompt, told: Told) -> Vec<Atom> {
    let material: String =
        prompt.material().collect::<Vec<_>>().join("\n").replace("\\n", "\n").replace('→', "\n");
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for one in material.lines() {
        let bare = one.trim().strip_prefix(told.around.0).unwrap_or(one.trim());
        let bare = bare.strip_suffix(told.around.1).unwrap_or(bare).trim();
        let bare =
            bare.trim_start_matches(['-', '"', '|', ' ']).trim_end_matches(['"', ',', '|', ' ']);
        let own = KINDS.iter().find_map(|kind| read_back((told.line)(*kind), *kind, bare));
        if let Some(own) = own {
            if seen.insert((own.kind, own.name.clone())) {
                all.push(own);
            }
            continue;
        }
        let mut start = 0;
        let ends: Vec<usize> = ENDS.find_iter(one).map(|m| m.end()).chain([one.len()]).collect();
        for end in ends {
            if end > start {
                // A path's dot is followed by no space, so that a sentence is whole.
                if let Some(atom) =
                    atom(&one[start..end]).filter(|a| seen.insert((a.kind, a.name.clone())))
                {
                    all.push(atom);
                }
            }
            start = end;
        }
    }
    all
}

/// As many as fit, each kind in turn, the newest of each first.
fn chosen(all: &[Atom], room: usize, size: impl Fn(&Atom) -> usize) -> Vec<Atom> {
    let mut queues: Vec<Vec<&Atom>> =
        KINDS.iter().map(|kind| all.iter().filter(|a| a.kind == *kind).collect()).collect();
    let (mut kept, mut used) = (Vec::new(), 0);
    loop {
        let mut any = false;
        for queue in &mut queues {
            let Some(one) = queue.pop() else { continue };
            let cost = size(one);
            if used + cost <= room {
                used += cost;
                kept.push(one.clone());
                any = true;
            }
        }
        if !any {
            return kept;
        }
    }
}

fn written(told: Told, atom: &Atom) -> String {
    let line = (told.line)(atom.kind).replace("{n}", &atom.name).replace("{t}", &atom.topic);
    format!("{}{line}{}", told.around.0, told.around.1)
}

impl Offline for Told {
    fn answer(&self, prompt: &Prompt) -> String {
        let all = statements(prompt, *self);
        // What the frame takes, and about so many characters a token.
        let frame = (self.frame)("").len();
        let room = ((prompt.max_tokens.0 as usize) * 33 / 10).saturating_sub(frame);
        let kept = chosen(&all, room, |a| written(*self, a).len() + 1);
        if kept.is_empty() {
            return String::new();
        }
        let mut lines: Vec<String> = kept.iter().map(|a| written(*self, a)).collect();
        // The end of the frame has to be there: lines give way.
        loop {
            let text = (self.frame)(&lines.join("\n"));
            let text = text.trim_end();
            let fit = cut_within(text.to_owned(), prompt.max_tokens);
            if fit.len() == text.len() || lines.is_empty() {
                return fit;
            }
            lines.truncate(lines.len() - 1 - (text.len() - fit.len()) / 120);
        }
    }
}
