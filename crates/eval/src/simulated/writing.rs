//! The text of a simulated summary: sections of the facts that were kept, with their errors, and as
//! many lines of the material without facts as make it as long as a recorded one.

use regex::{NoExpand, Regex};

use crate::truth::{Fact, FactKind, Needle};

/// How such a summary begins: it knows its own where it is shown one.
pub(super) const HEADING: &str = "# Summary of the session so far";

/// A fact that was kept, and what is wrong with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept<'a> {
    pub(super) fact: &'a Fact,
    pub(super) altered: bool,
    pub(super) unpolar: bool,
    pub(super) merged: bool,
}

pub(super) struct Page<'a> {
    pub(super) kept: Vec<Kept<'a>>,
    pub(super) invented: Vec<&'a str>,
    /// Lines of the material that hold no fact, the last first.
    pub(super) rest: &'a mut dyn Iterator<Item = &'a str>,
    /// Bytes.
    pub(super) length: usize,
}

/// Sections, each with its kinds of fact.
const SECTIONS: [(&str, &[FactKind]); 5] = [
    ("Requests", &[FactKind::Direction]),
    (
        "Rules and decisions",
        &[FactKind::Constraint, FactKind::SafetyRule, FactKind::Preference, FactKind::Decision],
    ),
    (
        "Files, names and values",
        &[FactKind::Path, FactKind::Symbol, FactKind::Test, FactKind::Command, FactKind::Value],
    ),
    ("Findings", &[FactKind::Outcome, FactKind::DeadEnd, FactKind::Error]),
    ("Next", &[FactKind::Pending]),
];

impl Page<'_> {
    pub(super) fn write(self) -> String {
        let mut text = format!("{HEADING}\n");
        for (title, kinds) in SECTIONS {
            let lines: Vec<String> = self.lines(kinds);
            if !lines.is_empty() {
                text.push_str(&format!("\n## {title}\n\n{}\n", lines.join("\n")));
            }
        }
        let mut left = self.length.saturating_sub(text.len());
        let fits = |line: &&str| {
            let fits = left > 0;
            left = left.saturating_sub(line.len() + 1);
            fits
        };
        let mut rest: Vec<&str> = self.rest.take_while(fits).collect();
        if !rest.is_empty() {
            rest.reverse();
            text.push_str(&format!("\n## Details\n\n{}\n", rest.join("\n")));
        }
        text
    }

    fn lines(&self, kinds: &[FactKind]) -> Vec<String> {
        let of = self.kept.iter().filter(|one| kinds.contains(&one.fact.kind));
        let mut lines: Vec<String> = of.map(|one| format!("- {}", self.line(one))).collect();
        if kinds.contains(&FactKind::Path) {
            lines.extend(self.invented.iter().map(|name| format!("- {name}")));
        }
        lines
    }

    fn line(&self, one: &Kept) -> String {
        let mut text = one.fact.statement.split_whitespace().collect::<Vec<_>>().join(" ");
        if one.unpolar {
            for word in &one.fact.polarity {
                text = replaced(&text, word, "");
            }
        }
        if let Some(other) = self.other(one).filter(|_| one.merged)
            && let Some(own) = one.fact.needles.last()
        {
            text = replaced(&text, own, other.text());
        }
        if let Some(name) = one.fact.needles.first().filter(|_| one.altered) {
            text = replaced(&text, name, &altered(name.text()));
        }
        text
    }

    /// A name of another fact of its kind.
    fn other(&self, one: &Kept) -> Option<&Needle> {
        let other = |other: &&Kept| other.fact.kind == one.fact.kind && other.fact.id > one.fact.id;
        self.kept.iter().find(other)?.fact.needles.last()
    }
}

/// A text with another in place of a needle, wherever it stands as a word.
fn replaced(text: &str, needle: &Needle, by: &str) -> String {
    let needle = needle.text();
    // A sign at its edge is a border by itself: `/etc/pump.conf`.
    let border = |c: Option<char>| if c.is_some_and(char::is_alphanumeric) { r"\b" } else { "" };
    let (begins, ends) = (border(needle.chars().next()), border(needle.chars().next_back()));
    let pattern = format!("(?i){begins}{}{ends}", regex::escape(needle));
    // OK to leave the text as it is: an escaped word is a pattern.
    let Ok(pattern) = Regex::new(&pattern) else { return text.to_owned() };
    pattern.replace_all(text, NoExpand(by)).into_owned()
}

/// A name with a letter in its middle left out.
fn altered(name: &str) -> String {
    let middle = name.chars().count() / 2;
    name.chars().enumerate().filter(|(place, _)| *place != middle).map(|(_, c)| c).collect()
}
