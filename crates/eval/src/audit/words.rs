//! Which facts a prompt still has words of. Where it has some, a fact may be told in other words.

use aho_corasick::AhoCorasick;

use crate::ident::FactId;
use crate::prelude::*;
use crate::truth::{Fact, FactKind, needle::Needle};
use crate::view::{Entry, View};

/// The telling words of all facts, to be found in any form.
pub(super) struct Words {
    matcher: Option<AhoCorasick>,
    /// By word: the facts of which it is one, and whether it alone tells of them.
    owners: Vec<Vec<(FactId, bool)>>,
    /// By fact: how many words its statement has.
    words: Vec<usize>,
}

/// Of the words of a statement: the share that tells of it where they stand close together, and how
/// many it takes at least.
const TELLS: (f64, usize) = (0.5, 2);
/// How close, in bytes.
const REACH: usize = 400;
/// Shorter words tell nothing.
const SHORTEST: usize = 5;

impl Words {
    pub(super) fn of(facts: &[Fact]) -> Words {
        let mut owners: BTreeMap<String, Vec<(FactId, bool)>> = BTreeMap::new();
        let mut words = Vec::new();
        for fact in facts {
            let alone = fact.needles.iter().flat_map(|needle| forms(fact.kind, needle));
            alone.for_each(|word| owners.entry(word).or_default().push((fact.id, true)));
            let said = if fact.kind.is_said() { stems(&fact.statement) } else { BTreeSet::new() };
            words.push(said.len());
            said.into_iter()
                .for_each(|word| owners.entry(word).or_default().push((fact.id, false)));
        }
        let matcher = AhoCorasick::builder().ascii_case_insensitive(true).build(owners.keys());
        Words { matcher: matcher.ok(), owners: owners.into_values().collect(), words }
    }

    /// The facts of which the history has telling words.
    pub(super) fn in_view(&self, view: &View) -> BTreeSet<FactId> {
        view.entries().iter().flat_map(|entry| self.in_entry(entry)).collect()
    }

    fn in_entry(&self, entry: &Entry) -> BTreeSet<FactId> {
        let content = entry.content();
        let texts = entry.calls.iter().map(|call| &*call.args).chain([&*content]);
        texts.flat_map(|text| self.in_text(text)).collect()
    }

    fn in_text(&self, text: &str) -> BTreeSet<FactId> {
        let Some(matcher) = &self.matcher else { return BTreeSet::new() };
        let mut held = BTreeSet::new();
        let mut some: BTreeMap<FactId, Vec<(usize, usize)>> = BTreeMap::new();
        for found in matcher.find_overlapping_iter(text) {
            let word = found.pattern().as_usize();
            for (fact, alone) in &self.owners[word] {
                if *alone {
                    held.insert(*fact);
                } else {
                    some.entry(*fact).or_default().push((found.start(), word));
                }
            }
        }
        some.retain(|fact, _| !held.contains(fact));
        let told = some.iter().filter(|(fact, hits)| self.meet(**fact, hits));
        held.extend(told.map(|(fact, _)| *fact));
        held
    }

    /// Whether enough words of a fact stand close together.
    fn meet(&self, fact: FactId, hits: &[(usize, usize)]) -> bool {
        let least = (TELLS.0 * self.words[fact.index()] as f64).max(TELLS.1 as f64);
        hits.iter().enumerate().any(|(place, (from, _))| {
            let near = hits[place..].iter().take_while(|(at, _)| *at <= from + REACH);
            near.map(|(_, word)| word).collect::<BTreeSet<_>>().len() as f64 >= least
        })
    }
}

/// The stems of the words of a statement that are not short.
fn stems(statement: &str) -> BTreeSet<String> {
    let words = statement.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let long = words.filter(|word| word.chars().count() >= SHORTEST);
    long.map(|word| stem(&word.to_lowercase())).collect()
}

/// What may stand for a needle: the stem of a word, the name of a file, the number in a value.
fn forms(kind: FactKind, needle: &Needle) -> Vec<String> {
    let text = needle.text();
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    // `valve-driver.ts` is imported as `valve-driver.js`; `valve` is a word.
    let file = |path: &str| {
        let name = name(path);
        let stem = name.rsplit_once('.').map(|(stem, _)| stem);
        let stem = stem.filter(|stem| stem.contains(['-', '_', '.']));
        stem.map_or_else(|| name.clone(), str::to_owned)
    };
    let mut forms = match (needle, kind) {
        (Needle::Prose(word), _) if kind.is_said() => vec![stem(word)],
        (_, FactKind::Command) => {
            text.split_whitespace().filter(|word| word.contains('/')).map(name).collect()
        }
        (_, FactKind::Value) => {
            let parts = text.split(|c: char| !c.is_alphanumeric() && c != '.');
            let tells =
                |part: &&str| part.len() >= 4 && part.contains(|c: char| c.is_ascii_digit());
            parts.filter(tells).map(str::to_owned).collect()
        }
        (_, FactKind::Path) => vec![file(text)],
        _ => vec![text.to_owned()],
    };
    if forms.is_empty() {
        forms.push(text.to_owned());
    }
    forms
}

/// The beginning of a word, which its inflections share.
fn stem(word: &str) -> String {
    let length = word.chars().count();
    word.chars().take(if length > 6 { length - length / 4 } else { length }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_known_by_its_stem_a_file_by_its_name_and_a_value_by_its_number() {
        let (code, prose) = (|s: &str| Needle::Code(s.into()), |s: &str| Needle::Prose(s.into()));
        for (kind, needle, expected) in [
            (FactKind::Constraint, prose("irrigation"), "irrigati"),
            (FactKind::Constraint, prose("valve"), "valve"),
            (FactKind::Path, code("pumps/valve.rs"), "valve.rs"),
            (FactKind::Path, code("pumps/valve-driver.ts"), "valve-driver"),
            (FactKind::Value, code("localhost:5173"), "5173"),
            (FactKind::Value, code("eager"), "eager"),
            (FactKind::Command, code("run tools/water.sh"), "water.sh"),
            (FactKind::Command, code("make water"), "make water"),
        ] {
            assert_eq!(forms(kind, &needle), [expected]);
        }
    }
}
