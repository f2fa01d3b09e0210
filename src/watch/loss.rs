//! Which facts a change loses, and why.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::answer::{Answered, Answers};
use crate::apply::{Applied, Fold};
use crate::ident::{EntryId, FactId};
use crate::trace::{Loss, LossClass};
use crate::view::Entry;
use crate::watch::{Holdings, Watch};

/// All text of an entry in which facts are looked for.
pub(super) fn searchable_entry(entry: &Entry) -> String {
    let mut text = entry.content().to_string();
    for call in &entry.calls {
        text.push('\n');
        text.push_str(&call.args);
    }
    text
}

/// What a new or rewritten entry holds, with generations: a fact that stands in a
/// quote keeps the generation of its source; a fact in an answer is one older than
/// the youngest shown piece that held it (DESIGN 4).
pub(super) fn holdings(
    watch: &Watch,
    entry: &Entry,
    fold: Option<&Fold>,
    answers: &Answers,
) -> Holdings {
    let text = searchable_entry(entry);
    let found = watch.book.of_text(&text, |_| 0);
    if found.is_empty() {
        return found;
    }
    let shown = fold.map_or_else(FxHashMap::default, |fold| shown_facts(watch, fold, answers));
    let covered = fold.map_or(&[][..], |fold| &fold.covered);
    let quotes = fold.is_none_or(|fold| fold.requests.is_empty());
    found
        .iter()
        .map(|held| {
            let generation = if quotes {
                let sources = covered.iter().filter_map(|id| watch.held_in(*id, held.fact));
                sources.map(|source| source.generation).min().unwrap_or(0)
            } else {
                1 + shown.get(&held.fact).copied().unwrap_or(0)
            };
            crate::watch::Held { generation, ..*held }
        })
        .collect()
}

/// Facts that the requests of a fold showed, with their least generation.
fn shown_facts(watch: &Watch, fold: &Fold, answers: &Answers) -> FxHashMap<FactId, u32> {
    let mut facts: FxHashMap<FactId, u32> = FxHashMap::default();
    let mut see = |fact: FactId, generation: u32| {
        facts.entry(fact).and_modify(|least| *least = generation.min(*least)).or_insert(generation);
    };
    for answered in fold.requests.iter().filter_map(|id| answers.get(id)) {
        for (entry, held) in seen(watch, answered) {
            let source = entry.and_then(|id| watch.held_in(id, held.fact));
            see(held.fact, source.map_or(held.generation, |source| source.generation));
        }
    }
    facts
}

/// What an answered request showed, fact by fact. An entry that was shown whole is
/// looked up; anything less is searched.
fn seen(watch: &Watch, answered: &Answered) -> Vec<(Option<EntryId>, crate::watch::Held)> {
    let mut pieces: Vec<(Option<EntryId>, u32, String)> = Vec::new();
    let mut seen = Vec::new();
    for shown in &answered.shown {
        let holdings = shown.entry.and_then(|id| watch.held.get(id.0 as usize)?.as_ref());
        if let (true, Some(holdings), true) = (shown.whole, holdings, is_plain(watch, shown.entry))
        {
            seen.extend(holdings.iter().map(|held| (shown.entry, *held)));
            continue;
        }
        // Pieces of one entry are read together: a fact may lie across them.
        match pieces.last_mut() {
            Some((entry, _, text)) if *entry == shown.entry && entry.is_some() => {
                text.push('\n');
                text.push_str(&shown.text);
            }
            _ => pieces.push((shown.entry, shown.generation, shown.text.to_string())),
        }
    }
    for (entry, generation, text) in pieces {
        let found = watch.book.of_text(&text, |_| generation);
        seen.extend(found.iter().map(|held| (entry, *held)));
    }
    seen
}

/// Whether an entry's content is all there is of it: no call arguments that a
/// whole quote of the content would miss.
fn is_plain(watch: &Watch, entry: Option<EntryId>) -> bool {
    entry.is_some_and(|id| watch.plain.get(id.0 as usize).copied().unwrap_or(false))
}

/// The facts that were present before the change and are not after it.
pub(super) fn classify(
    watch: &Watch,
    affected: &[(FactId, EntryId)],
    arriving: &[(Arc<Entry>, Holdings)],
    applied: &Applied,
    answers: &Answers,
) -> Vec<Loss> {
    let mut losses = Vec::new();
    let mut lookup: Option<Lookup> = None;
    for group in affected.chunk_by(|a, b| a.0 == b.0) {
        let fact = group[0].0;
        let holders: Vec<EntryId> = group
            .iter()
            .map(|(_, id)| *id)
            .filter(|id| watch.held_in(*id, fact).is_some_and(|held| !held.inverted))
            .collect();
        let before = watch.standing[fact.index()].present;
        if before == 0 || before > holders.len() as u32 {
            continue;
        }
        let arrives = |inverted: bool| {
            arriving
                .iter()
                .flat_map(|(_, held)| held.iter())
                .any(|held| held.fact == fact && held.inverted == inverted)
        };
        if arrives(false) {
            continue;
        }
        let class = if arrives(true) {
            LossClass::Inverted
        } else {
            lookup
                .get_or_insert_with(|| Lookup::new(watch, applied, answers))
                .class(watch, fact, &holders)
        };
        losses.push(Loss { fact, class });
    }
    losses
}

/// What each fold of a change covers and what its requests showed.
struct Lookup {
    covered_by: FxHashMap<EntryId, Vec<usize>>,
    shown: Vec<FxHashMap<FactId, Vec<EntryId>>>,
}

impl Lookup {
    fn new(watch: &Watch, applied: &Applied, answers: &Answers) -> Lookup {
        let mut covered_by: FxHashMap<EntryId, Vec<usize>> = FxHashMap::default();
        let mut shown = Vec::new();
        for (number, fold) in applied.change.added.iter().enumerate() {
            for id in &fold.covered {
                covered_by.entry(*id).or_default().push(number);
            }
            let mut facts: FxHashMap<FactId, Vec<EntryId>> = FxHashMap::default();
            for answered in fold.requests.iter().filter_map(|id| answers.get(id)) {
                for (entry, held) in seen(watch, answered) {
                    facts.entry(held.fact).or_default().extend(entry);
                }
            }
            shown.push(facts);
        }
        Lookup { covered_by, shown }
    }

    /// The strongest chance that the fact had: shown raw, shown in a summary,
    /// covered only, or not even that.
    fn class(&self, watch: &Watch, fact: FactId, holders: &[EntryId]) -> LossClass {
        let mut class = LossClass::Dropped;
        for holder in holders {
            let Some(folds) = self.covered_by.get(holder) else { continue };
            let generation = watch.held_in(*holder, fact).map_or(0, |held| held.generation);
            let was_shown = folds.iter().any(|fold| {
                self.shown[*fold].get(&fact).is_some_and(|entries| entries.contains(holder))
            });
            let here = match (was_shown, generation) {
                (true, 0) => return LossClass::Omitted,
                (true, _) => LossClass::Resummarized,
                (false, _) => LossClass::Unseen,
            };
            if class != LossClass::Resummarized {
                class = here;
            }
        }
        class
    }
}
