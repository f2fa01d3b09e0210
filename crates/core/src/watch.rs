//! Follows one cell's view: which facts its entries hold, and whose tokens they are. The only place
//! where truth meets entries. Every count is incremental: a step costs what changed in it.

mod artifact;
mod book;
mod levels;
mod loss;
mod quote;
mod shown;
mod summary;

pub use book::FactBook;
use book::{Asked, Held, Holdings, Need, Partial};

use crate::answer::Answers;
use crate::apply::{Applied, Fold};
use crate::log::{Text, opens_turn_as};
use crate::overlay::Overlay;
use crate::prelude::*;
use crate::trace::{
    Claimed, DemandRecord, FactRecord, Folded, Found, Loss, LossClass, OldValue, Sample, Share,
    ShareTokens, SummaryReading, Trace,
};
use crate::truth::{FactKind, Reading};
use crate::view::{Entry, View};
use levels::Levels;
use loss::{Arriving, Tested};
use shown::Shown;

#[derive(Clone, Debug, Default)]
struct Presence {
    /// The entries that hold it, by generation.
    held: Levels,
    /// How many entries hold its subject without its sense, and how many leave it open.
    inverted: u32,
    ambiguous: u32,
    /// The entries that hold only some of its needles, by how many.
    partial: Levels,
    live: bool,
    /// The last loss, with the compaction that caused it.
    loss: Option<(LossClass, u32)>,
}

#[derive(Clone, Debug)]
struct Contents {
    held: Holdings,
    partial: Partial,
    /// Whether it makes no calls, so that its content is all there is of it.
    plain: bool,
}

/// Facts and shares of one cell's view.
#[derive(Clone, Debug, Default)]
pub struct FactTracker {
    book: Arc<FactBook>,
    asked: Arc<Asked>,
    /// By entry id; `None` once the entry has left.
    contents: Vec<Option<Contents>>,
    presence: Vec<Presence>,
    live: u32,
    live_present: u32,
    shares: ShareTokens,
    /// The entry that holds the latest human message word for word, if any does.
    live_goal: Option<EntryId>,
    goal: Text,
    goal_seen: bool,
    decoys: u32,
    demands: Vec<DemandRecord>,
    step: usize,
    /// By kind and generation: facts that a summarizer was shown, and those that its summary holds.
    folded: BTreeMap<(FactKind, u32), (u32, u32)>,
    /// By kind: facts of which summaries say something, and those of which it is true and current.
    claimed: BTreeMap<FactKind, (u32, u32)>,
}

impl FactTracker {
    /// At the start of a session.
    pub fn new(book: Arc<FactBook>) -> FactTracker {
        let presence = vec![Presence::default(); book.truth.facts.len()];
        FactTracker { presence, book, ..FactTracker::default() }
    }

    pub(crate) fn appended(&mut self, entry: &Entry) {
        let holdings = match entry.origin {
            Some(message) if !entry.again => self.book.of_message(message),
            _ => self.book.of_said(&entry.content(), &entry.calls),
        };
        if opens_turn_as(entry.role, entry.author) {
            self.live_goal = Some(entry.id);
            self.goal = entry.content();
            self.goal_seen = true;
        }
        self.enter(entry, holdings);
    }

    /// A change is about to be committed: what facts it loses, and whether it takes the request.
    pub(crate) fn changed(
        &mut self,
        view: &View,
        applied: &Applied,
        answers: &Answers,
        compaction: u32,
    ) -> (Vec<Loss>, bool) {
        let words = answers.values().flat_map(|answered| &answered.words);
        if let Some(asked) = self.asked.with(words.map(|words| &**words)) {
            self.asked = Arc::new(asked);
        }
        let new = applied.entries.iter().filter(|entry| entry.id >= view.next_id());
        let arriving: Vec<Arriving> = new
            .zip(&applied.change.added)
            .map(|(entry, fold)| Arriving::new(self, entry, fold, answers))
            .collect();
        let affected = self.facts_of(&applied.change.removed);
        let (losses, tested) = loss::classify(self, &affected, &arriving, answers);
        self.count_folded(&tested);
        for id in &applied.change.removed {
            if let Some(entry) = view.entry(*id) {
                self.leave(entry);
            }
        }
        let took_goal = self.follow_goal(applied, &arriving);
        self.count_claimed(&arriving);
        for Arriving { entry, held, partial, .. } in arriving {
            self.decoys += self.book.decoys_in(&entry.content()) as u32;
            self.enter(entry, (held, partial));
        }
        for loss in &losses {
            self.presence[loss.fact.index()].loss = Some((loss.class, compaction));
        }
        (losses, took_goal)
    }

    /// What a text that this cell wrote holds.
    fn read(&self, text: &str, generation: impl Fn(FactId) -> u32) -> (Holdings, Partial) {
        self.book.of_text(text, &self.asked, generation)
    }

    /// Whether a change takes the latest user request; an entry that quotes it whole holds it next.
    fn follow_goal(&mut self, applied: &Applied, arriving: &[Arriving]) -> bool {
        let leaving = self.live_goal.filter(|id| applied.change.removed.contains(id));
        let Some(holder) = leaving else { return false };
        let mut arriving = arriving.iter();
        let quoting = arriving.find(|arriving| quote::quotes(arriving.entry, holder, &self.goal));
        self.live_goal = quoting.map(|arriving| arriving.entry.id);
        self.live_goal.is_none()
    }

    /// Counts the facts that a summarizer was shown, but for those that others have replaced.
    fn count_folded(&mut self, tested: &[Tested]) {
        for Tested { fact, generation, survived } in tested {
            if self.book.is_superseded(*fact, self.step + 1) {
                continue;
            }
            let kind = self.book.truth.facts[fact.index()].kind;
            let (all, present) = self.folded.entry((kind, *generation)).or_default();
            *all += 1;
            *present += u32::from(*survived);
        }
    }

    /// Counts what summaries, and strategies in their own words, say of facts, and what of it is so.
    fn count_claimed(&mut self, arriving: &[Arriving]) {
        let claims = |new: &Arriving| match new.is_answered() {
            true => new.held.clone(),
            false => quote::in_own_words(self, new.entry),
        };
        let claims: Vec<Holdings> = arriving.iter().map(claims).collect();
        for held in claims.iter().flat_map(|held| &**held) {
            let kind = self.book.truth.facts[held.fact.index()].kind;
            let current = !self.book.is_superseded(held.fact, self.step + 1);
            let (all, so) = self.claimed.entry(kind).or_default();
            *all += 1;
            *so += u32::from(held.is_present() && current);
        }
    }

    /// What the answers in a new entry are like; `None` where it holds none.
    pub(crate) fn reading(&self, fold: &Fold, answers: &Answers) -> Option<SummaryReading> {
        let answers = fold.requests.iter().filter_map(|id| answers.get(id));
        answers
            .filter(|answered| !answered.stand_in)
            .map(|answered| self.book.readings.of(answered))
            .reduce(|mut sum, reading| {
                sum += reading;
                sum
            })
    }

    pub(crate) fn sample(&self, number: u32, step: u32) -> Sample {
        let facts = self.presence.iter().zip(0..);
        let present = facts.filter(|(presence, _)| !presence.held.is_empty());
        Sample { number, step, present: present.map(|(_, id)| FactId(id)).collect() }
    }

    /// The step begins: facts come to life or end it.
    pub(crate) fn begin_step(&mut self, step: usize) {
        self.step = step;
        let book = self.book.clone();
        for fact in book.ends.get(step).into_iter().flatten() {
            self.set_live(*fact, false);
        }
        for fact in book.begins.get(step).into_iter().flatten() {
            self.set_live(*fact, true);
        }
    }

    /// Whether the prompt of a step meets its demands. What was appended together with the need,
    /// from `fresh` on, does not count as remembered.
    pub(crate) fn judge(
        &self,
        step: usize,
        view: &View,
        overlay: &Overlay,
        fresh: EntryId,
    ) -> Vec<DemandRecord> {
        let Some(needs) = self.book.needs.get(step).filter(|needs| !needs.is_empty()) else {
            return Vec::new();
        };
        let shown = Shown::new(self, view, overlay, fresh);
        let record = |need: &Need| {
            let found = shown.find(self, need.fact);
            let all = self.book.truth.facts[need.fact.index()].needles.len() as u32;
            let needles = match found {
                Found::Absent => shown.needles(self, need.fact),
                _ => all,
            };
            let replaced = self.book.replaced_by(need.fact);
            let is_there = |fact: &FactId| matches!(shown.find(self, *fact), Found::Present(_));
            let carried = replaced.iter().any(is_there);
            let stale = if carried { OldValue::Carried } else { OldValue::Gone };
            DemandRecord {
                needles: Some(needles),
                stale: (!replaced.is_empty()).then_some(stale),
                ..self.demand_record(*need, step, found)
            }
        };
        needs.iter().map(record).collect()
    }

    /// The demands that the view does not meet and a recalled text does, by index.
    pub(crate) fn recalled(&self, demands: &[DemandRecord], text: &str) -> Vec<u32> {
        let missed: Vec<&DemandRecord> =
            demands.iter().filter(|demand| demand.found.is_missing()).collect();
        if text.is_empty() || missed.is_empty() {
            return Vec::new();
        }
        let (held, _) = self.read(text, |_| 0);
        let holds = |fact| held.iter().any(|held| held.fact == fact && held.is_present());
        let met = missed.into_iter().filter(|demand| holds(demand.fact));
        met.map(|demand| demand.demand).collect()
    }

    pub(crate) fn keep(&mut self, demands: Vec<DemandRecord>) {
        self.demands.extend(demands);
    }

    fn demand_record(&self, need: Need, step: usize, found: Found) -> DemandRecord {
        let demand = &self.book.truth.demands[need.demand as usize];
        let fact = &self.book.truth.facts[need.fact.index()];
        let loss = self.presence[need.fact.index()].loss.filter(|_| found.is_missing());
        DemandRecord {
            demand: need.demand,
            fact: need.fact,
            kind: fact.kind,
            origin: demand.origin,
            step: step as u32 + 1,
            distance: need.distance,
            compacted: need.compacted,
            found,
            needles: None,
            of_needles: fact.needles.len() as u32,
            stale: None,
            loss: loss.map(|(class, _)| class),
            lost_by: loss.map(|(_, compaction)| compaction),
        }
    }

    /// Live facts, and how many of them the view holds.
    pub(crate) fn recall(&self) -> (u32, u32) {
        (self.live, self.live_present)
    }

    pub(crate) fn shares(&self) -> ShareTokens {
        self.shares
    }

    /// Whether the view holds the latest user request word for word (true before there is one).
    pub(crate) fn has_live_goal(&self) -> bool {
        self.live_goal.is_some() || !self.goal_seen
    }

    /// Writes down what the session leaves behind after so many steps.
    pub(crate) fn conclude(mut self, steps_reached: usize, trace: &mut Trace) {
        let book = self.book.clone();
        for (step, needs) in book.needs.iter().enumerate().skip(steps_reached) {
            for need in needs {
                self.demands.push(self.demand_record(*need, step, Found::NotReached));
            }
        }
        let facts = (0..self.presence.len() as u32).map(FactId);
        let found = |fact| match self.book.is_born(fact, steps_reached) {
            true => self.found(fact),
            false => Found::NotReached,
        };
        trace.facts = facts.map(|fact| FactRecord { fact, found: found(fact) }).collect();
        let folded = self.folded.iter().map(|((kind, generation), (all, present))| Folded {
            kind: *kind,
            generation: *generation,
            present: *present,
            all: *all,
        });
        trace.folded = folded.collect();
        let claimed = self.claimed.iter();
        trace.claimed =
            claimed.map(|(kind, (all, so))| Claimed { kind: *kind, so: *so, all: *all }).collect();
        trace.decoys_seen = self.decoys;
        trace.demands = self.demands;
    }

    fn found(&self, fact: FactId) -> Found {
        let presence = &self.presence[fact.index()];
        match presence.held.least() {
            Some(generation) => Found::Present(generation),
            None if presence.inverted > 0 => Found::Inverted,
            None if presence.ambiguous > 0 => Found::Ambiguous,
            None => Found::Absent,
        }
    }

    /// The facts that these entries of the view hold, each once, ascending.
    pub fn facts_in(&self, entries: &[EntryId]) -> Vec<FactId> {
        let mut facts: Vec<FactId> = self
            .facts_of(entries)
            .into_iter()
            .filter(|(fact, entry)| {
                self.held_in(*entry, *fact).is_some_and(|held| held.is_present())
            })
            .map(|(fact, _)| fact)
            .collect();
        facts.dedup();
        facts
    }

    fn contents(&self, entry: EntryId) -> Option<&Contents> {
        self.contents.get(entry.0 as usize)?.as_ref()
    }

    fn held_in(&self, entry: EntryId, fact: FactId) -> Option<Held> {
        let held = &self.contents(entry)?.held;
        let place = held.binary_search_by_key(&fact, |held| held.fact).ok()?;
        Some(held[place])
    }

    fn facts_of(&self, entries: &[EntryId]) -> Vec<(FactId, EntryId)> {
        let mut facts: Vec<(FactId, EntryId)> = entries
            .iter()
            .filter_map(|id| Some((*id, &self.contents(*id)?.held)))
            .flat_map(|(id, held)| held.iter().map(move |held| (held.fact, id)))
            .collect();
        facts.sort_unstable();
        facts
    }

    fn set_live(&mut self, fact: FactId, live: bool) {
        let presence = &mut self.presence[fact.index()];
        if presence.live == live {
            return;
        }
        presence.live = live;
        let present = u32::from(!presence.held.is_empty());
        if live {
            self.live += 1;
            self.live_present += present;
        } else {
            self.live -= 1;
            self.live_present -= present;
        }
    }

    fn enter(&mut self, entry: &Entry, (held, partial): (Holdings, Partial)) {
        self.shares[Share::of(entry) as usize] += entry.tokens();
        for held in held.iter() {
            let presence = &mut self.presence[held.fact.index()];
            match held.reading {
                Reading::Present => {
                    self.live_present += u32::from(presence.live && presence.held.is_empty());
                    presence.held.add(held.generation);
                }
                Reading::Inverted => presence.inverted += 1,
                Reading::Ambiguous => presence.ambiguous += 1,
                Reading::Wrong => {}
            }
        }
        for (fact, needles) in partial.iter() {
            self.presence[fact.index()].partial.add(*needles);
        }
        let id = entry.id.index();
        if self.contents.len() <= id {
            self.contents.resize(id + 1, None);
        }
        self.contents[id] = Some(Contents { held, partial, plain: entry.calls.is_empty() });
    }

    fn leave(&mut self, entry: &Entry) {
        self.shares[Share::of(entry) as usize] -= entry.tokens();
        let contents = self.contents.get_mut(entry.id.index()).and_then(Option::take);
        let Some(Contents { held, partial, .. }) = contents else { return };
        for held in held.iter() {
            let presence = &mut self.presence[held.fact.index()];
            match held.reading {
                Reading::Present => {
                    presence.held.remove(held.generation);
                    self.live_present -= u32::from(presence.live && presence.held.is_empty());
                }
                Reading::Inverted => presence.inverted -= 1,
                Reading::Ambiguous => presence.ambiguous -= 1,
                Reading::Wrong => {}
            }
        }
        for (fact, needles) in partial.iter() {
            self.presence[fact.index()].partial.remove(*needles);
        }
    }
}

#[cfg(test)]
mod tests;
