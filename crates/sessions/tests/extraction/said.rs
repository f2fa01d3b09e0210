//! What two readers marked as said, and what was decided where they differ: `said.tsv`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proctor_core::log::{Log, Role};
use proctor_core::truth::{Fact, FactKind};
use proctor_sessions::import;

use super::excerpt;
use super::labels::Label;

/// A session and what was marked in it.
pub struct Marked {
    pub session: String,
    /// How many bytes of a message the readers saw; all of every message of an excerpt.
    read: BTreeMap<usize, usize>,
    spans: Vec<Span>,
}

/// A marked place. `None` stands for no mark.
struct Span {
    message: usize,
    bytes: std::ops::Range<usize>,
    kind: Option<FactKind>,
    by: [Option<FactKind>; 2],
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/extraction")
}

/// All sessions of the file, by name.
pub fn all() -> Vec<Marked> {
    let text = std::fs::read_to_string(folder().join("said.tsv")).expect("the marks");
    let mut all: BTreeMap<&str, Marked> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [session, message, from, to, kind, by @ ..] = cells.as_slice() else {
            panic!("said.tsv: {line}")
        };
        let number = |text: &str| text.parse::<usize>().expect("a number");
        let new =
            || Marked { session: (*session).to_owned(), read: BTreeMap::new(), spans: Vec::new() };
        let marked = all.entry(session).or_insert_with(new);
        match by {
            [first, second] => marked.spans.push(Span {
                message: number(message),
                bytes: number(from)..number(to),
                kind: named(kind),
                by: [named(first), named(second)],
            }),
            _ => {
                marked.read.insert(number(message), number(to));
            }
        }
    }
    all.into_values().collect()
}

fn named(kind: &str) -> Option<FactKind> {
    let found = FactKind::ALL.into_iter().find(|known| known.name() == kind);
    assert!(found.is_some() || kind == "none", "said.tsv: no kind `{kind}`");
    found
}

impl Marked {
    /// Whether its session is an excerpt of our own writing.
    pub fn is_own(&self) -> bool {
        self.session.starts_with("develop/") || self.session.starts_with("held-out/")
    }

    /// Whether it may be looked at while the extractor is changed.
    pub fn is_at_hand(&self) -> bool {
        const RECORDED: [&str; 4] = ["aider/", "claude-code/cipher-box", "copilot-cli/", "pi/"];
        self.session.starts_with("develop/")
            || RECORDED.iter().any(|begin| self.session.starts_with(begin))
    }

    /// The log, with the labels of artifacts where they are marked too; `None` where the recorded
    /// session is not there.
    pub fn load(&self) -> Option<(Log, Vec<Label>)> {
        if self.is_own() {
            return Some(excerpt::load(&folder().join(format!("{}.txt", self.session))));
        }
        let path = folder().join("../../../../../shared/sessions").join(&self.session);
        let there = import::exists(&path);
        there.then(|| (import::load(&path).expect("a session").log, Vec::new()))
    }

    /// What is said in it.
    pub fn labels(&self, log: &Log) -> Vec<Label> {
        let held = self.spans.iter().filter_map(|span| Some((span, span.kind?)));
        held.map(|(span, kind)| Label {
            kind,
            text: log.messages[span.message].content[span.bytes.clone()].to_owned(),
            by_user: log.messages[span.message].role != Role::Assistant,
        })
        .collect()
    }

    /// Whether the readers saw what the fact was found in.
    pub fn saw(&self, log: &Log, fact: &Fact) -> bool {
        let message = fact.born.index();
        let Some(to) = self.read.get(&message) else { return self.is_own() };
        let text = &log.messages[message].content[..*to];
        text.contains(&*fact.statement)
    }

    /// Places that both marked, and marks of each: of any kind, or of this one.
    pub fn agreement(&self, kind: Option<FactKind>) -> [usize; 3] {
        let is = |by: Option<FactKind>| by.is_some() && (kind.is_none() || by == kind);
        self.spans.iter().fold([0; 3], |[both, first, second], span| {
            let [one, other] = span.by.map(is);
            [
                both + usize::from(one && other),
                first + usize::from(one),
                second + usize::from(other),
            ]
        })
    }
}
