//! Watching a cell: facts and shares follow each change of the view.
//!
//! The only place where truth meets entries. The view knows nothing of it; the
//! driver tells it what was appended, what a change took and brought, and what was
//! sent. Everything is kept incrementally: a step costs what changed in it.

mod artifact;
mod book;
mod composition;
mod loss;
mod quote;
mod shown;
mod summary;

pub use book::{FactBook, Held, Holdings, Need, Partial};
pub use composition::composition;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::answer::Answers;
use crate::apply::{Applied, Fold};
use crate::ident::{EntryId, FactId};
use crate::log::{Text, opens_turn_as};
use crate::overlay::Overlay;
use crate::trace::{
    DemandRecord, FactRecord, Folded, Found, Loss, Sample, Share, ShareTokens, SummaryReading,
};
use crate::truth::FactKind;
use crate::view::{Entry, View};
use loss::Arriving;
use shown::Shown;

/// How one fact stands in the view.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    /// Entries in which it is present.
    present: u32,
    /// Entries in which it is inverted.
    inverted: u32,
    /// Whether it is live at this step.
    live: bool,
    /// The last loss, with the compaction that caused it.
    loss: Option<(crate::trace::LossClass, u32)>,
}

/// Facts and shares of one cell's view.
#[derive(Clone, Debug)]
pub struct Watch {
    book: Arc<FactBook>,
    /// By entry id; `None` once the entry has left.
    held: Vec<Option<Holdings>>,
    /// By entry id: what it holds in part; `None` once the entry has left.
    partial: Vec<Option<Partial>>,
    /// By entry id: its content is all there is of it (no calls).
    plain: Vec<bool>,
    standing: Vec<Standing>,
    live: u32,
    live_present: u32,
    shares: ShareTokens,
    /// Where the latest human message stands word for word, while the view holds it.
    live_goal: Option<EntryId>,
    /// Its words.
    goal: Text,
    goal_seen: bool,
    decoys: u32,
    demands: Vec<DemandRecord>,
    /// The step on its way, by index.
    step: usize,
    /// By kind and generation: facts that a summarizer was shown, and those that its
    /// summary holds.
    folded: BTreeMap<(FactKind, u32), (u32, u32)>,
}

impl Watch {
    /// At the start of a session.
    pub fn new(book: Arc<FactBook>) -> Watch {
        Watch {
            held: Vec::new(),
            partial: Vec::new(),
            plain: Vec::new(),
            standing: vec![Standing::default(); book.truth.facts.len()],
            live: 0,
            live_present: 0,
            shares: ShareTokens::default(),
            live_goal: None,
            goal: Text::from(""),
            goal_seen: false,
            decoys: 0,
            demands: Vec::new(),
            step: 0,
            folded: BTreeMap::new(),
            book,
        }
    }

    /// A message of the log was appended.
    pub fn appended(&mut self, entry: &Entry) {
        let holdings = entry.origin.map_or_else(Default::default, |message| {
            (self.book.of_message(message), self.book.partly_of_message(message))
        });
        if opens_turn_as(entry.role, entry.author) {
            self.live_goal = Some(entry.id);
            self.goal = entry.content();
            self.goal_seen = true;
        }
        self.enter(entry, holdings);
    }

    /// A change is about to be committed. Says which facts it loses and whether it
    /// takes the latest user request.
    pub fn changed(
        &mut self,
        view: &View,
        applied: &Applied,
        answers: &Answers,
        compaction: u32,
    ) -> (Vec<Loss>, bool) {
        let new = applied.entries.iter().filter(|entry| entry.id >= view.next_id());
        let arriving: Vec<Arriving> = new
            .map(|entry| {
                let fold = applied.change.added.iter().find(|fold| fold.entry == entry.id);
                Arriving::new(self, entry, fold, answers)
            })
            .collect();
        let affected = self.facts_of(&applied.change.removed);
        let loss::Outcome { losses, tested } =
            loss::classify(self, &affected, &arriving, applied, answers);
        self.put_to_the_test(&tested);
        for id in &applied.change.removed {
            if let Some(entry) = view.entry(*id) {
                self.leave(&entry.clone());
            }
        }
        let took_goal = self.follow_goal(applied, &arriving);
        for Arriving { entry, held, partial, .. } in arriving {
            self.decoys += self.book.decoys_in(&entry.content()) as u32;
            self.enter(&entry, (held, partial));
        }
        for loss in &losses {
            self.standing[loss.fact.index()].loss = Some((loss.class, compaction));
        }
        (losses, took_goal)
    }

    /// Whether a change takes the latest user request. An entry that quotes it word for
    /// word holds it from then on.
    fn follow_goal(&mut self, applied: &Applied, arriving: &[Arriving]) -> bool {
        let leaving = self.live_goal.filter(|id| applied.change.removed.contains(id));
        let Some(holder) = leaving else { return false };
        let quoting = arriving
            .iter()
            .zip(&applied.change.added)
            .find(|(one, fold)| quote::quotes(&one.entry, fold, holder, &self.goal));
        self.live_goal = quoting.map(|(one, _)| one.entry.id);
        self.live_goal.is_none()
    }

    /// Facts that went through a summarizer; what was replaced by then does not count.
    fn put_to_the_test(&mut self, tested: &[(FactId, u32, bool)]) {
        for (fact, generation, survived) in tested {
            if self.book.is_superseded(*fact, self.step + 1) {
                continue;
            }
            let kind = self.book.truth.facts[fact.index()].kind;
            let (all, present) = self.folded.entry((kind, *generation)).or_default();
            *all += 1;
            *present += u32::from(*survived);
        }
    }

    /// What the answers in a new entry are like; `None` where it holds none.
    pub fn reading(&self, fold: &Fold, answers: &Answers) -> Option<SummaryReading> {
        let own = fold.requests.iter().filter_map(|id| answers.get(id));
        own.filter(|answered| !answered.stand_in)
            .map(|answered| self.book.readings.of(answered))
            .reduce(|mut sum, one| {
                sum += one;
                sum
            })
    }

    /// The facts that the view holds now.
    pub fn sample(&self, number: u32, step: u32) -> Sample {
        let facts = self.standing.iter().zip(0..);
        let present = facts.filter(|(standing, _)| standing.present > 0);
        Sample { number, step, present: present.map(|(_, id)| FactId(id)).collect() }
    }

    /// The step begins: facts come to life or end it.
    pub fn begin_step(&mut self, step: usize) {
        self.step = step;
        let book = self.book.clone();
        for fact in book.ends.get(step).into_iter().flatten() {
            self.set_live(*fact, false);
        }
        for fact in book.begins.get(step).into_iter().flatten() {
            self.set_live(*fact, true);
        }
    }

    /// The demands of a step whose prompt is sent: met or missed. `fresh` is the
    /// first entry appended since the previous call: what came with the need does
    /// not count as remembered.
    pub fn judge(
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
                Found::Absent => shown.needles(self, view, need.fact),
                Found::Present(_) | Found::Inverted | Found::NotReached => all,
            };
            let old = self.book.replaced_by(need.fact);
            let is_there = |old: &FactId| matches!(shown.find(self, *old), Found::Present(_));
            DemandRecord {
                needles,
                stale: (!old.is_empty()).then(|| old.iter().any(is_there)),
                ..self.demand_record(*need, step, found)
            }
        };
        needs.iter().map(record).collect()
    }

    /// Of the demands that the view does not meet, those whose fact stands in a
    /// recalled text, by index.
    pub fn recalled(&self, demands: &[DemandRecord], text: &str) -> Vec<u32> {
        let missed = |one: &&DemandRecord| matches!(one.found, Found::Absent | Found::Inverted);
        if text.is_empty() || !demands.iter().any(|demand| missed(&demand)) {
            return Vec::new();
        }
        let (held, _) = self.book.of_text(text, |_| 0);
        let holds = |fact| held.iter().any(|held| held.fact == fact && !held.inverted);
        demands.iter().filter(missed).filter(|one| holds(one.fact)).map(|one| one.demand).collect()
    }

    /// Keeps what was judged.
    pub fn keep(&mut self, demands: Vec<DemandRecord>) {
        self.demands.extend(demands);
    }

    /// Demands that the session did not reach.
    pub fn unreached(&mut self, from_step: usize) {
        let book = self.book.clone();
        for (step, needs) in book.needs.iter().enumerate().skip(from_step) {
            for need in needs {
                self.demands.push(self.demand_record(*need, step, Found::NotReached));
            }
        }
    }

    fn demand_record(&self, need: Need, step: usize, found: Found) -> DemandRecord {
        let demand = &self.book.truth.demands[need.demand as usize];
        let missing = matches!(found, Found::Absent | Found::Inverted);
        let loss = self.standing[need.fact.index()].loss.filter(|_| missing);
        DemandRecord {
            demand: need.demand,
            fact: need.fact,
            origin: demand.origin,
            step: step as u32 + 1,
            distance: need.distance,
            found,
            needles: 0,
            of_needles: self.book.truth.facts[need.fact.index()].needles.len() as u32,
            stale: None,
            loss: loss.map(|(class, _)| class),
            lost_by: loss.map(|(_, compaction)| compaction),
        }
    }

    /// Live facts, and how many of them the view holds.
    pub fn recall(&self) -> (u32, u32) {
        (self.live, self.live_present)
    }

    /// Reference tokens of the view by share.
    pub fn shares(&self) -> ShareTokens {
        self.shares
    }

    /// Whether the view holds the latest user request word for word (true before
    /// there is one).
    pub fn has_live_goal(&self) -> bool {
        self.live_goal.is_some() || !self.goal_seen
    }

    /// Demands so far.
    pub fn into_records(self, view: &View, steps_reached: usize) -> Records {
        let facts = (0..self.standing.len() as u32).map(FactId);
        let facts = facts.map(|fact| FactRecord { fact, found: self.standing_of(fact, view) });
        let born = |record: &FactRecord| {
            let fact = &self.book.truth.facts[record.fact.index()];
            self.book.is_born(fact.id, steps_reached)
        };
        let facts = facts
            .map(|record| match born(&record) {
                true => record,
                false => FactRecord { found: Found::NotReached, ..record },
            })
            .collect();
        let folded = self.folded.iter().map(|((kind, generation), (all, present))| Folded {
            kind: *kind,
            generation: *generation,
            present: *present,
            all: *all,
        });
        let folded = folded.collect();
        Records { demands: self.demands, facts, folded, decoys_seen: self.decoys }
    }

    fn standing_of(&self, fact: FactId, view: &View) -> Found {
        let standing = self.standing[fact.index()];
        if standing.present > 0 {
            let holders = view.entries().iter().filter_map(|entry| self.held_in(entry.id, fact));
            let least = holders.filter(|held| !held.inverted).map(|held| held.generation).min();
            return Found::Present(least.unwrap_or(0));
        }
        if standing.inverted > 0 { Found::Inverted } else { Found::Absent }
    }

    /// The facts that these entries of the view hold, each once, ascending.
    pub fn facts_in(&self, entries: &[EntryId]) -> Vec<FactId> {
        let mut facts: Vec<FactId> = self
            .facts_of(entries)
            .into_iter()
            .filter(|(fact, entry)| self.held_in(*entry, *fact).is_some_and(|held| !held.inverted))
            .map(|(fact, _)| fact)
            .collect();
        facts.dedup();
        facts
    }

    fn held_in(&self, entry: EntryId, fact: FactId) -> Option<Held> {
        let holdings = self.held.get(entry.0 as usize)?.as_ref()?;
        let place = holdings.binary_search_by_key(&fact, |held| held.fact).ok()?;
        Some(holdings[place])
    }

    fn facts_of(&self, entries: &[EntryId]) -> Vec<(FactId, EntryId)> {
        let mut facts: Vec<(FactId, EntryId)> = entries
            .iter()
            .filter_map(|id| self.held.get(id.0 as usize)?.as_ref().map(|held| (*id, held)))
            .flat_map(|(id, held)| held.iter().map(move |held| (held.fact, id)))
            .collect();
        facts.sort_unstable();
        facts
    }

    fn set_live(&mut self, fact: FactId, live: bool) {
        let standing = &mut self.standing[fact.index()];
        if standing.live == live {
            return;
        }
        standing.live = live;
        let present = u32::from(standing.present > 0);
        if live {
            self.live += 1;
            self.live_present += present;
        } else {
            self.live -= 1;
            self.live_present -= present;
        }
    }

    fn enter(&mut self, entry: &Entry, (holdings, partial): (Holdings, Partial)) {
        self.shares[Share::of(entry) as usize] += entry.tokens();
        for held in holdings.iter() {
            let standing = &mut self.standing[held.fact.index()];
            if held.inverted {
                standing.inverted += 1;
                continue;
            }
            standing.present += 1;
            if standing.present == 1 {
                self.live_present += u32::from(standing.live);
            }
        }
        let id = entry.id.0 as usize;
        if self.held.len() <= id {
            self.held.resize(id + 1, None);
            self.partial.resize(id + 1, None);
            self.plain.resize(id + 1, false);
        }
        self.plain[id] = entry.calls.is_empty();
        self.held[id] = Some(holdings);
        self.partial[id] = Some(partial);
    }

    fn leave(&mut self, entry: &Entry) {
        self.shares[Share::of(entry) as usize] -= entry.tokens();
        if let Some(partial) = self.partial.get_mut(entry.id.0 as usize) {
            *partial = None;
        }
        let Some(holdings) = self.held.get_mut(entry.id.0 as usize).and_then(Option::take) else {
            return;
        };
        for held in holdings.iter() {
            let standing = &mut self.standing[held.fact.index()];
            if held.inverted {
                standing.inverted -= 1;
                continue;
            }
            standing.present -= 1;
            if standing.present == 0 {
                self.live_present -= u32::from(standing.live);
            }
        }
    }
}

/// What a watch leaves behind.
pub struct Records {
    /// Every demand.
    pub demands: Vec<DemandRecord>,
    /// Every fact as the view held it last.
    pub facts: Vec<FactRecord>,
    /// Facts that went through summarizers.
    pub folded: Vec<Folded>,
    /// Decoys that some entry held.
    pub decoys_seen: u32,
}

#[cfg(test)]
mod tests;
