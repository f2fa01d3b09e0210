//! Which facts a change loses, and why.

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::answer::{Answered, Answers};
use crate::apply::Fold;
use crate::prelude::*;
use crate::trace::{Loss, LossClass};
use crate::view::Entry;
use crate::watch::book::searchable;
use crate::watch::{FactTracker, Held, Holdings, Partial, quote};

pub(super) struct Arriving<'a> {
    pub(super) entry: &'a Arc<Entry>,
    pub(super) held: Holdings,
    pub(super) partial: Partial,
    fold: &'a Fold,
    /// Facts that stand in it outside any answer.
    quoted: FxHashSet<FactId>,
    /// What its requests showed, once it is asked for.
    shown: OnceCell<FxHashMap<FactId, ShownFact>>,
}

/// The least generation of a fact that was shown, and the entries that showed it.
type ShownFact = (u32, Vec<EntryId>);

impl<'a> Arriving<'a> {
    /// What an entry holds: a fact in a quote keeps the generation of its source, one in an answer
    /// is one older than the youngest shown piece that held it. Of both, the younger counts.
    pub(super) fn new(
        watch: &FactTracker,
        entry: &'a Arc<Entry>,
        fold: &'a Fold,
        answers: &Answers,
    ) -> Arriving<'a> {
        let text = searchable(&entry.content(), &entry.calls);
        let (held, partial) = watch.read(&text, |_| 0);
        let (quoted, shown) = (FxHashSet::default(), OnceCell::new());
        let new = Arriving { entry, held, partial, fold, quoted, shown };
        if new.held.is_empty() {
            return new;
        }
        if fold.requests.is_empty() {
            let generation = |fact| {
                let sources = fold.covered.iter().filter_map(|id| watch.held_in(*id, fact));
                let sources = sources.filter(Held::is_subject);
                sources.map(|source| source.generation).min().unwrap_or(0)
            };
            let quoted = new.held.iter().map(|held| held.fact).collect();
            return Arriving { held: aged(&new.held, generation), quoted, ..new };
        }
        let beside = quote::beside_answers(watch, entry);
        let generation = |fact: FactId| {
            let shown = new.shown(watch, answers).get(&fact);
            let answered = 1 + shown.map_or(0, |(generation, _)| *generation);
            match beside.get(&fact) {
                Some((quoted, true)) => answered.min(*quoted),
                Some((quoted, false)) => *quoted,
                None => answered,
            }
        };
        let held = aged(&new.held, generation);
        Arriving { held, quoted: beside.keys().copied().collect(), ..new }
    }

    /// Whether it holds what a summarizer answered.
    pub(super) fn is_answered(&self) -> bool {
        !self.fold.requests.is_empty()
    }

    fn shown(&self, watch: &FactTracker, answers: &Answers) -> &FxHashMap<FactId, ShownFact> {
        self.shown.get_or_init(|| {
            let mut facts: FxHashMap<FactId, ShownFact> = FxHashMap::default();
            let answered = self.fold.requests.iter().filter_map(|id| answers.get(id));
            let seen = answered.flat_map(|answered| seen(watch, answered));
            for (entry, held) in seen.filter(|(_, held)| held.is_subject()) {
                let source = entry.and_then(|id| watch.held_in(id, held.fact)).unwrap_or(held);
                let (least, entries) = facts.entry(held.fact).or_insert((u32::MAX, Vec::new()));
                *least = (*least).min(source.generation);
                entries.extend(entry);
            }
            facts
        })
    }
}

fn aged(found: &Holdings, generation: impl Fn(FactId) -> u32) -> Holdings {
    let aged = found.iter().map(|held| Held { generation: generation(held.fact), ..*held });
    aged.collect()
}

/// What an answered request showed. An entry shown whole is looked up; anything less is searched.
fn seen(watch: &FactTracker, answered: &Answered) -> Vec<(Option<EntryId>, Held)> {
    let mut pieces: Vec<(Option<EntryId>, u32, String)> = Vec::new();
    let mut seen = Vec::new();
    for shown in &answered.shown {
        // A whole quote of the content misses the arguments of calls.
        let contents = shown.entry.and_then(|id| watch.contents(id));
        if let Some(contents) = contents.filter(|contents| shown.whole && contents.plain) {
            seen.extend(contents.held.iter().map(|held| (shown.entry, *held)));
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
        let (found, _) = watch.read(&text, |_| generation);
        seen.extend(found.iter().map(|held| (entry, *held)));
    }
    seen
}

/// A fact that a summarizer was shown and that no other entry holds.
pub(super) struct Tested {
    pub(super) fact: FactId,
    /// The generation that its answer has.
    pub(super) generation: u32,
    pub(super) survived: bool,
}

/// What a change did to the facts whose last holders it took: those that are lost, and those that
/// only a summary could keep.
pub(super) fn classify(
    watch: &FactTracker,
    affected: &[(FactId, EntryId)],
    arriving: &[Arriving],
    answers: &Answers,
) -> (Vec<Loss>, Vec<Tested>) {
    let (mut losses, mut all_tested) = (Vec::new(), Vec::new());
    let covered_by: OnceCell<CoveredBy> = OnceCell::new();
    let mut requests = arriving.iter().flat_map(|new| &new.fold.requests);
    let answering = requests.any(|id| answers.contains_key(id));
    for group in affected.chunk_by(|a, b| a.0 == b.0) {
        let fact = group[0].0;
        let held = group.iter().filter_map(|(_, id)| Some((*id, watch.held_in(*id, fact)?)));
        let held: Vec<(EntryId, u32)> = held
            .filter(|(_, held)| held.is_present())
            .map(|(id, held)| (id, held.generation))
            .collect();
        let before = watch.presence[fact.index()].held.total();
        if before == 0 || before > held.len() as u32 {
            continue;
        }
        let arrived = || {
            let held = arriving.iter().flat_map(|new| new.held.iter().map(move |held| (new, held)));
            held.filter(|(_, held)| held.fact == fact && held.is_subject())
        };
        let kept = || arrived().filter(|(_, held)| held.is_present());
        if let Some(generation) = kept().map(|(_, held)| held.generation).min() {
            if !kept().any(|(new, _)| new.quoted.contains(&fact)) {
                all_tested.push(Tested { fact, generation, survived: true });
            }
            continue;
        }
        let holders: Vec<EntryId> = held.iter().map(|(id, _)| *id).collect();
        let class = if arrived().next().is_some() {
            LossClass::Inverted
        } else {
            let covered_by = covered_by.get_or_init(|| covered_by_folds(arriving));
            let chance = |holder| {
                let folds = covered_by.get(holder)?;
                let generation = watch.held_in(*holder, fact).map_or(0, |held| held.generation);
                let was_shown = folds.iter().any(|fold| {
                    let shown = arriving[*fold].shown(watch, answers).get(&fact);
                    shown.is_some_and(|(_, entries)| entries.contains(holder))
                });
                Some(match (was_shown, generation) {
                    (true, 0) => LossClass::Omitted,
                    (true, _) => LossClass::Resummarized,
                    (false, _) => LossClass::Unseen,
                })
            };
            strongest(holders.iter().filter_map(chance))
        };
        let was_shown = match class {
            LossClass::Omitted | LossClass::Resummarized => true,
            LossClass::Inverted => answering,
            LossClass::Dropped | LossClass::Unseen => false,
        };
        let least = held.iter().map(|(_, generation)| *generation).min();
        if let (true, Some(least)) = (was_shown, least) {
            all_tested.push(Tested { fact, generation: least + 1, survived: false });
        }
        losses.push(Loss { fact, class });
    }
    (losses, all_tested)
}

/// By entry: the places of the new entries that cover it.
type CoveredBy = FxHashMap<EntryId, Vec<usize>>;

fn covered_by_folds(arriving: &[Arriving]) -> CoveredBy {
    let mut covered_by = CoveredBy::default();
    for (place, new) in arriving.iter().enumerate() {
        for id in &new.fold.covered {
            covered_by.entry(*id).or_default().push(place);
        }
    }
    covered_by
}

/// The strongest chance that a fact had: shown raw, shown in a summary, covered only, or none.
fn strongest(chances: impl Iterator<Item = LossClass>) -> LossClass {
    let rank = |class: &LossClass| match class {
        LossClass::Omitted => 3,
        LossClass::Resummarized => 2,
        LossClass::Unseen => 1,
        LossClass::Dropped | LossClass::Inverted => 0,
    };
    chances.max_by_key(rank).unwrap_or(LossClass::Dropped)
}
