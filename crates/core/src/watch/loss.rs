//! Which facts a change loses, and why.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::answer::{Answered, Answers};
use crate::apply::{Applied, Fold};
use crate::ident::{EntryId, FactId};
use crate::trace::{Loss, LossClass};
use crate::view::Entry;
use crate::watch::{Held, Holdings, Partial, Watch, quote};

/// All text of an entry in which facts are looked for.
pub(super) fn searchable_entry(entry: &Entry) -> String {
    let mut text = entry.content().to_string();
    for call in &entry.calls {
        text.push('\n');
        text.push_str(&call.args);
    }
    text
}

/// A new or rewritten entry and what it holds.
pub(super) struct Arriving {
    pub(super) entry: Arc<Entry>,
    pub(super) held: Holdings,
    pub(super) partial: Partial,
    /// Facts that stand in it outside any answer.
    quoted: FxHashSet<FactId>,
}

impl Arriving {
    /// What an entry holds, with generations: a fact that stands in a quote keeps the
    /// generation of its source; a fact in an answer is one older than the youngest
    /// shown piece that held it. Where it stands in both, the younger counts.
    pub(super) fn new(
        watch: &Watch,
        entry: &Arc<Entry>,
        fold: Option<&Fold>,
        answers: &Answers,
    ) -> Arriving {
        let (found, partial) = watch.book.of_text(&searchable_entry(entry), |_| 0);
        let of = |held, quoted| Arriving { entry: entry.clone(), held, partial, quoted };
        if found.is_empty() {
            return of(found, FxHashSet::default());
        }
        match fold.filter(|fold| !fold.requests.is_empty()) {
            Some(fold) => {
                let shown = shown_facts(watch, fold, answers);
                let beside = quote::beside_answers(watch, entry);
                let generation = |fact: FactId| {
                    let answered = 1 + shown.get(&fact).copied().unwrap_or(0);
                    match beside.get(&fact) {
                        Some((quoted, true)) => answered.min(*quoted),
                        Some((quoted, false)) => *quoted,
                        None => answered,
                    }
                };
                of(aged(&found, generation), beside.keys().copied().collect())
            }
            None => {
                let covered = fold.map_or(&[][..], |fold| &fold.covered);
                let generation = |fact| {
                    let sources = covered.iter().filter_map(|id| watch.held_in(*id, fact));
                    sources.map(|source| source.generation).min().unwrap_or(0)
                };
                let held = aged(&found, generation);
                let quoted = held.iter().map(|held| held.fact).collect();
                of(held, quoted)
            }
        }
    }
}

fn aged(found: &Holdings, generation: impl Fn(FactId) -> u32) -> Holdings {
    let aged = found.iter().map(|held| Held { generation: generation(held.fact), ..*held });
    aged.collect()
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
fn seen(watch: &Watch, answered: &Answered) -> Vec<(Option<EntryId>, Held)> {
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
        let (found, _) = watch.book.of_text(&text, |_| generation);
        seen.extend(found.iter().map(|held| (entry, *held)));
    }
    seen
}

/// What a change did to the facts whose last holders it took.
#[derive(Default)]
pub(super) struct Outcome {
    /// Facts that were present before the change and are not after it.
    pub(super) losses: Vec<Loss>,
    /// Facts that only a summary could keep. Facts that stay elsewhere, or in a quote,
    /// are not among them.
    pub(super) tested: Vec<Tested>,
}

/// A fact that a summarizer was shown and that no other entry holds.
pub(super) struct Tested {
    pub(super) fact: FactId,
    /// The generation that its answer has.
    pub(super) generation: u32,
    /// Whether the summary holds it.
    pub(super) survived: bool,
}

pub(super) fn classify(
    watch: &Watch,
    affected: &[(FactId, EntryId)],
    arriving: &[Arriving],
    applied: &Applied,
    answers: &Answers,
) -> Outcome {
    let mut outcome = Outcome::default();
    let mut lookup: Option<Lookup> = None;
    let answering = holds_answer(applied, answers);
    for group in affected.chunk_by(|a, b| a.0 == b.0) {
        let fact = group[0].0;
        let held = group.iter().filter_map(|(_, id)| Some((*id, watch.held_in(*id, fact)?)));
        let held: Vec<(EntryId, u32)> = held
            .filter(|(_, held)| !held.inverted)
            .map(|(id, held)| (id, held.generation))
            .collect();
        let before = watch.presence[fact.index()].held.total();
        if before == 0 || before > held.len() as u32 {
            continue;
        }
        let arrival = Arrival::of(fact, arriving);
        if let Some(generation) = arrival.kept {
            if !arrival.quoted {
                outcome.tested.push(Tested { fact, generation, survived: true });
            }
            continue;
        }
        let holders: Vec<EntryId> = held.iter().map(|(id, _)| *id).collect();
        let class = if arrival.inverted {
            LossClass::Inverted
        } else {
            lookup
                .get_or_insert_with(|| Lookup::new(watch, applied, answers))
                .class(watch, fact, &holders)
        };
        let was_shown = match class {
            LossClass::Omitted | LossClass::Resummarized => true,
            LossClass::Inverted => answering,
            LossClass::Dropped | LossClass::Unseen => false,
        };
        let least = held.iter().map(|(_, generation)| *generation).min();
        if let (true, Some(least)) = (was_shown, least) {
            outcome.tested.push(Tested { fact, generation: least + 1, survived: false });
        }
        outcome.losses.push(Loss { fact, class });
    }
    outcome
}

/// Whether any new entry holds an answer.
fn holds_answer(applied: &Applied, answers: &Answers) -> bool {
    let mut requests = applied.change.added.iter().flat_map(|fold| &fold.requests);
    requests.any(|id| answers.contains_key(id))
}

/// What new entries hold of a fact.
#[derive(Default)]
struct Arrival {
    /// The least generation in which it is there.
    kept: Option<u32>,
    /// Whether it is there outside any answer.
    quoted: bool,
    /// Whether its subject is there without its sense.
    inverted: bool,
}

impl Arrival {
    fn of(fact: FactId, arriving: &[Arriving]) -> Arrival {
        let mut arrival = Arrival::default();
        for new in arriving {
            for held in new.held.iter().filter(|held| held.fact == fact) {
                if held.inverted {
                    arrival.inverted = true;
                    continue;
                }
                arrival.quoted |= new.quoted.contains(&fact);
                let least = arrival.kept.unwrap_or(u32::MAX).min(held.generation);
                arrival.kept = Some(least);
            }
        }
        arrival
    }
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
