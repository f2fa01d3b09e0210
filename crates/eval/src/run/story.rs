//! The maker of stories: what a cell's compactions took, showed and answered, in words. Texts are
//! cut to excerpts as soon as a compaction is over.

mod words;

pub use words::{Cut, messages};

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::answer::{Answers, Outcome};
use crate::apply::Applied;
use crate::drive::{Limits, Observer, Session};
use crate::ident::{EntryId, FactId};
use crate::matrix::CellKey;
use crate::pipeline::Pipeline;
use crate::prelude::*;
use crate::run_dir::story::{
    Covered, LostFact, MoreCovered, Steps, Story, StoryCompaction, StoryDemand, StoryFact,
};
use crate::summarize::Prompt;
use crate::trace::{Compaction, DemandRecord, Found, Loss, Share, StepRecord, Trace};
use crate::truth::Origin;
use crate::view::{Entry, View};
use crate::watch::FactTracker;

/// A story, and what was kept of single compactions besides.
#[derive(Clone, Debug, Default)]
pub struct CellStory {
    /// The story.
    pub story: Story,
    /// By number of the compaction: what a story has no room for.
    pub details: BTreeMap<u32, Detail>,
}

/// What a story has no room for: the requests themselves and what came into the view.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Detail {
    /// The requests as they were last put, those of a fallback behind the others.
    pub requests: Vec<Prompt>,
    /// The entries that came.
    pub came: Vec<Came>,
}

/// An entry that a compaction put into the view.
#[derive(Clone, Debug, Serialize)]
pub struct Came {
    /// Its share, as in [`Story::share_names`].
    pub share: &'static str,
    /// Its reference tokens.
    pub tokens: u64,
    /// How many times its content went through a summarizer.
    pub generation: u32,
    /// The messages that it stands for, in words.
    pub stands_for: String,
    /// What its summarizer was shown of them, in words; empty where none was asked.
    pub shown: String,
    /// Its text, cut as the compaction's others.
    pub text: String,
    /// Whether it holds an answer, which the story has.
    pub is_answer: bool,
}

/// How much of a cell's texts is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Excerpts: a story as runs write it.
    Excerpts,
    /// Excerpts, and the details.
    Details,
    /// The details, and whole texts.
    Whole,
}

/// Makes the story of one cell while it is driven.
pub struct Recorder<'a> {
    session: &'a Session,
    pipeline: &'a Pipeline,
    length: Length,
    /// Facts that some ranked demand names.
    needed: FxHashSet<FactId>,
    pending: Pending,
    compactions: Vec<StoryCompaction>,
    details: BTreeMap<u32, Detail>,
}

#[derive(Default)]
struct Pending {
    prompts: Vec<Prompt>,
    answers: Vec<crate::log::Text>,
    left: Vec<Left>,
    came: Vec<Arc<Entry>>,
    held: Vec<FactId>,
}

struct Left {
    entry: Arc<Entry>,
    facts: Vec<FactId>,
    fate: Fate,
    seen: Tokens,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// Nothing stands for it.
    Dropped,
    /// It is there still, changed.
    Rewritten,
    /// Another entry stands for it.
    Covered,
}

impl<'a> Recorder<'a> {
    /// For a cell of this session under this pipeline.
    pub fn new(session: &'a Session, pipeline: &'a Pipeline, length: Length) -> Recorder<'a> {
        let demands = session.book.truth.demands.iter();
        let ranked = demands.filter(|demand| demand.origin != Origin::Incidental);
        Recorder {
            session,
            pipeline,
            length,
            needed: ranked.map(|demand| demand.fact).collect(),
            pending: Pending::default(),
            compactions: Vec::new(),
            details: BTreeMap::new(),
        }
    }

    /// The story, once the cell has been driven.
    pub fn finish(self, key: &CellKey, limits: Limits, trace: &Trace) -> CellStory {
        let windowed = limits.window < Tokens::UNBOUNDED;
        let mut story = Story {
            cell: key.cell.clone(),
            configuration: key.configuration(),
            scenario: key.scenario.clone(),
            seed: key.seed,
            mode: key.mode.clone(),
            summarizer: key.summarizer.clone(),
            window: if windowed { limits.window.0 } else { 0 },
            usable: if windowed { limits.admitted().0 } else { 0 },
            ended_by: trace.ended_by.name().to_owned(),
            share_names: Share::ALL.map(|share| share.name().to_owned()).to_vec(),
            steps: steps(&trace.steps),
            compactions: self.compactions,
            facts: Vec::new(),
            demands: demands(trace),
        };
        name_needs(&mut story.compactions, trace);
        name_facts(&mut story, self.session);
        CellStory { story, details: self.details }
    }

    /// What left the view, in its order: first of all what held something lost and needed.
    fn covered(&self, record: &Compaction, cut: Cut) -> (Vec<Covered>, Vec<MoreCovered>) {
        let lost: FxHashSet<FactId> =
            record.lost.iter().map(|loss| loss.fact).filter(|f| self.needed.contains(f)).collect();
        let missed = |left: &Left| left.facts.iter().find(|fact| lost.contains(*fact)).copied();
        let left = &self.pending.left;
        let mut order: Vec<usize> = (0..left.len()).collect();
        order.sort_by_key(|place| (missed(&left[*place]).is_none(), *place));
        let more = order.split_off(order.len().min(cut.items));
        let more = by_kind(more.into_iter().map(|place| &left[place]));
        order.sort_unstable();
        let told = order.into_iter().map(|place| {
            let left = &left[place];
            let text = words::of_entry(&left.entry);
            let at = missed(left).and_then(|fact| {
                let fact = self.session.book.truth.facts.get(fact.index())?;
                words::find(&text, &fact.needles)
            });
            Covered {
                what: left.what(),
                role: left.entry.role.name().to_owned(),
                tokens: left.entry.tokens().0,
                text: words::excerpt(&text, at.unwrap_or(0), cut.covered),
                shown: left.seen > Tokens::ZERO,
            }
        });
        (told.collect(), more)
    }

    fn compaction(&self, record: &Compaction, cut: Cut) -> StoryCompaction {
        let (covers, more_kinds) = self.covered(record, cut);
        let lost: FxHashSet<FactId> = record.lost.iter().map(|loss| loss.fact).collect();
        let fact = |loss: &Loss| (loss.fact.0, loss.class.name().to_owned());
        let lost_fact = |(fact, class)| LostFact { fact, class, needed_at: Vec::new() };
        let held = self.pending.held.iter();
        let stage = self.pipeline.stages.get(record.stage as usize);
        let answers = self.pending.answers.iter().take(cut.items);
        let prompt = self.pending.prompts.first();
        let instruction = prompt.map(|prompt| words::written(prompt, &self.session.log.system));
        StoryCompaction {
            number: record.number,
            step: record.step,
            turn: record.turn,
            occasion: record.occasion.name().to_owned(),
            stage: stage.map_or("", |stage| stage.strategy.name()).to_owned(),
            outcome: record.outcome.name().to_owned(),
            before: record.before.0,
            after: record.after.0,
            usd: record.usd.0,
            attempts: record.attempts.len() as u32,
            violations: record.violations.iter().map(|v| v.rule.name().to_owned()).collect(),
            covers,
            more_covered: more_kinds.iter().map(|kind| kind.entries).sum(),
            more_kinds,
            instruction: words::excerpt(&instruction.unwrap_or_default(), 0, cut.instruction),
            answers: answers.map(|answer| words::excerpt(answer, 0, cut.answer)).collect(),
            lived: held.filter(|fact| !lost.contains(*fact)).map(|fact| fact.0).collect(),
            lost: record.lost.iter().map(fact).map(lost_fact).collect(),
        }
    }
}

impl Observer for Recorder<'_> {
    fn asked(&mut self, outcome: &Outcome) {
        self.pending.prompts.extend(outcome.prompts.values().cloned());
        self.pending.answers.extend(outcome.answers.values().map(|answer| answer.text.clone()));
    }

    fn changing(&mut self, view: &View, applied: &Applied, answers: &Answers, watch: &FactTracker) {
        let pending = &mut self.pending;
        pending.held = watch.facts_in(&applied.change.removed);
        let mut seen: FxHashMap<EntryId, Tokens> = FxHashMap::default();
        for shown in answers.values().flat_map(|answered| &answered.shown) {
            if let Some(entry) = shown.entry {
                *seen.entry(entry).or_default() += shown.tokens;
            }
        }
        let mut fates: FxHashMap<EntryId, Fate> = FxHashMap::default();
        let new: Vec<&Arc<Entry>> =
            applied.entries.iter().filter(|entry| entry.id >= view.next_id()).collect();
        for (entry, fold) in new.iter().zip(&applied.change.added) {
            let fate = if entry.rewritten { Fate::Rewritten } else { Fate::Covered };
            fates.extend(fold.covered.iter().map(|id| (*id, fate)));
        }
        pending.came = new.into_iter().cloned().collect();
        let removed = applied.change.removed.iter().filter_map(|id| view.entry(*id));
        pending.left = removed
            .map(|entry| Left {
                facts: watch.facts_in(&[entry.id]),
                fate: fates.get(&entry.id).copied().unwrap_or(Fate::Dropped),
                seen: seen.get(&entry.id).copied().unwrap_or_default(),
                entry: entry.clone(),
            })
            .collect();
    }

    fn compacted(&mut self, record: &Compaction, _: &View) {
        let cut = if self.length == Length::Whole { Cut::WHOLE } else { Cut::RECORDED };
        let compaction = self.compaction(record, cut);
        let pending = std::mem::take(&mut self.pending);
        if self.length != Length::Excerpts {
            let came = record.added.iter().zip(&pending.came).map(|(added, entry)| {
                let text = words::excerpt(&words::of_entry(entry), 0, cut.answer);
                let shown = Some(&added.shown).filter(|shown| !shown.is_empty());
                let is_answer = |answer: &String| text.contains(answer.trim());
                Came {
                    share: added.share.name(),
                    tokens: added.tokens.0,
                    generation: added.generation,
                    stands_for: messages(&added.covers),
                    shown: shown.map(messages).unwrap_or_default(),
                    is_answer: compaction.answers.iter().any(is_answer),
                    text,
                }
            });
            let detail = Detail { came: came.collect(), requests: pending.prompts };
            self.details.insert(record.number, detail);
        }
        self.compactions.push(compaction);
    }
}

/// Entries that are not told one by one, counted.
fn by_kind<'a>(left: impl Iterator<Item = &'a Left>) -> Vec<MoreCovered> {
    let mut kinds: BTreeMap<&str, MoreCovered> = BTreeMap::new();
    for one in left {
        let kind = kinds.entry(Share::of(&one.entry).name()).or_default();
        kind.entries += 1;
        kind.tokens += one.entry.tokens().0;
        kind.shown += u32::from(one.seen > Tokens::ZERO);
    }
    let named = |(kind, counts)| MoreCovered { kind: str::to_owned(kind), ..counts };
    kinds.into_iter().map(named).collect()
}

impl Left {
    /// What it was, and what became of it where that is not plain.
    fn what(&self) -> String {
        let entry = &self.entry;
        let name = words::name_of(entry);
        // Names of tools are the strategy's to tell and are not missed.
        let names = Tokens(8 * entry.calls.len() as u64);
        match self.fate {
            Fate::Dropped => format!("{name}, dropped"),
            Fate::Rewritten => format!("{name}, rewritten"),
            Fate::Covered if self.seen > Tokens::ZERO && self.seen + names < entry.tokens() => {
                format!("{name}, {} of its {} tokens shown", self.seen, entry.tokens())
            }
            Fate::Covered => name,
        }
    }
}

fn steps(records: &[StepRecord]) -> Steps {
    let of = |value: fn(&StepRecord) -> u64| records.iter().map(value).collect();
    let small = |value: fn(&StepRecord) -> u32| records.iter().map(value).collect();
    let shares = records.iter().map(|step| step.shares.iter().map(|tokens| tokens.0).collect());
    Steps {
        step: small(|step| step.step),
        turn: small(|step| step.turn),
        prompt: of(|step| step.prompt.0),
        kept: of(|step| step.kept.0),
        live: small(|step| step.live),
        present: small(|step| step.present),
        cached: of(|step| step.cached.0),
        shares: shares.collect(),
    }
}

/// Demands that count in rankings and were reached.
fn ranked(trace: &Trace) -> impl Iterator<Item = &DemandRecord> {
    let reached = trace.demands.iter().filter(|demand| demand.found != Found::NotReached);
    reached.filter(|demand| demand.origin != Origin::Incidental)
}

fn demands(trace: &Trace) -> Vec<StoryDemand> {
    let told = |demand: &DemandRecord| StoryDemand {
        step: demand.step,
        fact: demand.fact.0,
        met: matches!(demand.found, Found::Present(_)),
    };
    ranked(trace).map(told).collect()
}

fn name_needs(compactions: &mut [StoryCompaction], trace: &Trace) {
    let mut missed: FxHashMap<(u32, u32), Vec<u32>> = FxHashMap::default();
    for demand in ranked(trace) {
        if let Some(number) = demand.lost_by {
            missed.entry((number, demand.fact.0)).or_default().push(demand.step);
        }
    }
    for compaction in compactions {
        for lost in &mut compaction.lost {
            lost.needed_at = missed.remove(&(compaction.number, lost.fact)).unwrap_or_default();
        }
    }
}

/// Puts the facts that the story names into its list, and their places into the story.
fn name_facts(story: &mut Story, session: &Session) {
    let of_compactions = story.compactions.iter().flat_map(|compaction| {
        compaction.lived.iter().copied().chain(compaction.lost.iter().map(|lost| lost.fact))
    });
    let named: BTreeSet<u32> =
        of_compactions.chain(story.demands.iter().map(|demand| demand.fact)).collect();
    let places: FxHashMap<u32, u32> = named.iter().copied().zip(0..).collect();
    let place = |fact: &mut u32| *fact = places.get(fact).copied().unwrap_or_default();
    for compaction in &mut story.compactions {
        compaction.lived.iter_mut().for_each(place);
        compaction.lost.iter_mut().for_each(|lost| place(&mut lost.fact));
    }
    story.demands.iter_mut().for_each(|demand| place(&mut demand.fact));
    let facts = named.iter().filter_map(|fact| session.book.truth.facts.get(*fact as usize));
    story.facts = facts
        .map(|fact| StoryFact {
            kind: fact.kind.name().to_owned(),
            statement: words::excerpt(&fact.statement, 0, Cut::RECORDED.covered),
        })
        .collect();
}
