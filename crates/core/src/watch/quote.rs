//! What a new entry quotes beside its answers, with its source's generation and words.

use rustc_hash::FxHashMap;

use crate::ident::{EntryId, FactId};
use crate::view::{Entry, PartSource};
use crate::watch::{FactTracker, Holdings};

/// A stretch of an entry from one source.
pub(super) struct Run {
    source: PartSource,
    generation: u32,
    text: String,
}

/// The stretches of an entry. Neighbours of one source are one, as a fact may lie across them.
pub(super) fn runs(entry: &Entry) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for part in &entry.parts {
        match runs.last_mut() {
            Some(run) if run.source == part.source => {
                run.generation = run.generation.min(part.generation);
                run.text.push_str(&part.text);
            }
            _ => runs.push(Run {
                source: part.source,
                generation: part.generation,
                text: part.text.to_string(),
            }),
        }
    }
    runs
}

/// Facts outside an entry's answers, with their least generation, and whether answers hold them.
pub(super) fn beside_answers(watch: &FactTracker, entry: &Entry) -> FxHashMap<FactId, (u32, bool)> {
    let mut facts: FxHashMap<FactId, (u32, bool)> = FxHashMap::default();
    let (answers, beside): (Vec<Run>, Vec<Run>) =
        runs(entry).into_iter().partition(|run| run.source == PartSource::Answer);
    for run in beside {
        let (found, _) = watch.read(&run.text, |_| run.generation);
        for held in found.iter().filter(|held| held.is_present()) {
            let source = match run.source {
                PartSource::Entry(id) => watch.held_in(id, held.fact),
                PartSource::Words | PartSource::Log | PartSource::Answer => None,
            };
            let generation = source.map_or(held.generation, |source| source.generation);
            let known = facts.entry(held.fact).or_insert((generation, false));
            known.0 = known.0.min(generation);
        }
    }
    if facts.is_empty() {
        return facts;
    }
    for run in answers {
        let (found, _) = watch.read(&run.text, |_| 0);
        for held in found.iter().filter(|held| held.is_present()) {
            facts.entry(held.fact).and_modify(|known| known.1 = true);
        }
    }
    facts
}

/// What an entry says of facts in words that its strategy wrote, quotes and answers left out.
pub(super) fn in_own_words(watch: &FactTracker, entry: &Entry) -> Holdings {
    let own = runs(entry).into_iter().filter(|run| run.source == PartSource::Words);
    let text = own.map(|run| run.text).collect::<Vec<String>>().join("\n");
    watch.read(&text, |_| 0).0
}

/// Whether an entry quotes these words of another, all of them. No words are no quote.
pub(super) fn quotes(entry: &Entry, source: EntryId, words: &str) -> bool {
    !words.is_empty()
        && runs(entry)
            .iter()
            .any(|run| run.source == PartSource::Entry(source) && run.text.contains(words))
}
