//! Likely secrets in texts that are about to be written: what kind, how many and where, never what.
//! A text without findings is no proof of anything.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::run_dir::story::Story;

/// Likely secrets by kind: how many different ones, and where the first stands.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    by_kind: BTreeMap<&'static str, (usize, String)>,
    /// The same secret counts once. Kept as digests.
    seen: FxHashSet<[u8; 16]>,
}

impl Findings {
    /// Scans a text; `place` says in words where it stands.
    pub fn scan(&mut self, text: &str, place: impl Fn() -> String) {
        for (kind, range) in proctor_sessions::masking::find(text) {
            let mut key = [0; 16];
            let value = text.get(range).unwrap_or_default();
            key.copy_from_slice(&blake3::hash(value.as_bytes()).as_bytes()[..16]);
            if self.seen.insert(key) {
                self.by_kind.entry(kind).or_insert_with(|| (0, place())).0 += 1;
            }
        }
    }

    /// Kinds, counts and places in words; `None` where nothing was found.
    pub fn told(&self) -> Option<String> {
        let parts = self.by_kind.iter().map(|(kind, (count, place))| match count {
            1 => format!("1 {kind} ({place})"),
            _ => format!("{count} {kind}s (the first in {place})"),
        });
        let parts: Vec<String> = parts.collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Scans the texts of a story.
pub fn in_story(story: &Story, findings: &mut Findings) {
    for compaction in &story.compactions {
        let place = || format!("compaction {} of {}", compaction.number, story.cell);
        findings.scan(&compaction.instruction, place);
        compaction.answers.iter().for_each(|answer| findings.scan(answer, place));
        compaction.covers.iter().for_each(|covered| findings.scan(&covered.text, place));
    }
    for fact in &story.facts {
        findings.scan(&fact.statement, || format!("a fact of {}", story.cell));
    }
}
