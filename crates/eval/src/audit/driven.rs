//! The recording and the strategies, driven over one session: what each held after every compaction.

use serde::Serialize;

use super::seen::{Seen, is_hidden};
use super::words::Words;
use super::{Count, Fate, LEAST_NEEDS};
use crate::answer::{Answers, Memo};
use crate::apply::Applied;
use crate::drive::{Observer, drive_observed};
use crate::ident::{EntryId, FactId, MsgId};
use crate::log::Boundary;
use crate::matrix::CellSpec;
use crate::measure::{Measurement, MetricId, Subject, measure};
use crate::prelude::*;
use crate::run::{Plan, Prepared, cell_of};
use crate::scenario::Scenario;
use crate::summarize::Ask;
use crate::trace::{Compaction, EndedBy, Found, Trace};
use crate::truth::{Fact, Origin};
use crate::view::View;
use crate::watch::FactTracker;

/// The configuration that does what the recording says.
pub(super) const RECORDED: &str = "recorded";

/// What a strategy would have kept, and at which price.
#[derive(Clone, Debug, Serialize)]
pub struct Other {
    /// The configuration.
    pub name: String,
    /// Whether the session came to its end under it, and how it ended.
    pub completed: bool,
    /// See `completed`.
    pub ended_by: String,
    /// The last step that it reached.
    pub steps: usize,
    /// Compactions that changed something.
    pub compactions: usize,
    /// Of what was said and still held at the recorded compactions.
    pub said: Count,
    /// Of what was worked on.
    pub worked_on: Count,
    /// Of what was needed after a recorded compaction and last said before it.
    pub needs: Count,
    /// The same as a share; none below ten needs.
    pub recall: Option<f64>,
    /// Median prompt at the first call after a recorded compaction.
    pub tokens_after: Option<u64>,
    /// Price of the whole session by the sheet, its summaries included; a recorded summary is not
    /// billed.
    pub usd: Option<f64>,
}

/// What a strategy held at a recorded compaction.
#[derive(Debug)]
pub(super) struct At {
    /// Facts that its history held before.
    pub(super) before: BTreeSet<FactId>,
    /// Facts that its history holds afterwards.
    pub(super) kept: BTreeSet<FactId>,
    /// Facts of which its history has a word afterwards.
    touched: BTreeSet<FactId>,
}

impl At {
    /// What became of a fact.
    pub(super) fn fate(&self, fact: FactId) -> Fate {
        match (self.kept.contains(&fact), self.touched.contains(&fact)) {
            (true, _) => Fate::Kept,
            (false, true) => Fate::Unclear,
            (false, false) => Fate::Lost,
        }
    }
}

/// One configuration, driven.
pub(super) struct Driven {
    pub(super) name: String,
    by_step: BTreeMap<u32, At>,
    trace: Trace,
    figures: Measurement,
    /// By message: the step that it belongs to, from 1.
    steps: Vec<(MsgId, u32)>,
}

/// Every configuration of the plan under its main summarizer and mode.
pub(super) fn all(plan: &Plan, scenario: &Scenario, prepared: &Prepared) -> Result<Vec<Driven>> {
    let cells = plan.cells(scenario, prepared.session.turns, 0);
    let main = |cell: &&CellSpec| {
        let first = plan.suite.modes.first();
        cell.summarizer == plan.suite.summarizer && first == Some(&cell.mode)
    };
    // All have the same summarizer: an answer is made once.
    let ask = plan.suite.summarizer.build(&prepared.session, Seed(0), &plan.suite.fitted);
    let memo = Memo::default();
    let words = Words::of(&prepared.session.book.truth.facts);
    let cells = cells.iter().filter(main);
    cells.map(|spec| one(plan, scenario, prepared, spec, (&*ask, &memo), &words)).collect()
}

fn one(
    plan: &Plan,
    scenario: &Scenario,
    prepared: &Prepared,
    spec: &CellSpec,
    answers: (&dyn Ask, &Memo),
    words: &Words,
) -> Result<Driven> {
    let session = &prepared.session;
    let cell = cell_of(plan, scenario, prepared, spec, answers);
    let (pipeline, limits) = (cell.pipeline, cell.limits);
    let mut held = Held { words, before: BTreeSet::new(), by_step: BTreeMap::new() };
    let trace = drive_observed(cell, &mut held).map_err(|stopped| {
        Error::invalid(spec.key.cell.clone(), format!("the summarizer stopped: {stopped:?}"))
    })?;
    let subject = Subject {
        trace: &trace,
        session,
        pipeline,
        limits,
        base_window: scenario.window,
        sheet: &plan.sheet,
    };
    let figures = measure(&subject);
    let steps = (1..).zip(&session.steps).map(|(number, step)| (step.answer, number)).collect();
    let name = spec.key.configuration();
    Ok(Driven { name, by_step: held.by_step, figures, steps, trace })
}

/// Keeps what the history holds after each compaction.
struct Held<'a> {
    words: &'a Words,
    before: BTreeSet<FactId>,
    by_step: BTreeMap<u32, At>,
}

impl Observer for Held<'_> {
    fn changing(&mut self, view: &View, _: &Applied, _: &Answers, watch: &FactTracker) {
        let entries: Vec<EntryId> = view.entries().iter().map(|entry| entry.id).collect();
        self.before = watch.facts_in(&entries).into_iter().collect();
    }

    fn compacted(&mut self, record: &Compaction, view: &View) {
        if !record.outcome.changed(record.removed, record.added.len()) {
            return;
        }
        let before = std::mem::take(&mut self.before);
        let mut kept = before.clone();
        for loss in &record.lost {
            kept.remove(&loss.fact);
        }
        // A second stage at the same point takes from what the first left.
        let first = self.by_step.remove(&record.step);
        let before = first.map_or(before, |first| first.before);
        let touched = self.words.in_view(view);
        self.by_step.insert(record.step, At { before, kept, touched });
    }
}

impl Driven {
    /// What it held at the recorded compaction before this message; none where it did nothing there.
    pub(super) fn at(&self, before: MsgId) -> Option<&At> {
        self.by_step.get(&self.step(before))
    }

    /// What had become of a fact behind a recorded compaction: what its last compaction by then left,
    /// and what was said since. Lost, where the session had ended.
    fn fate(&self, view: &Seen, fact: &Fact, boundary: MsgId) -> Fate {
        let step = self.step(boundary);
        if step == 0 || step as usize > self.trace.steps.len() {
            return Fate::Lost;
        }
        let Some((last, at)) = self.by_step.range(..=step).next_back() else { return Fate::Kept };
        let from = self.steps[*last as usize - 1].0;
        let said_since =
            |mention: &MsgId| *mention >= from && *mention < boundary && view.names(fact, *mention);
        match fact.mentions.iter().any(said_since) {
            true => Fate::Kept,
            false => at.fate(fact.id),
        }
    }

    /// Tokens of the prompt at the first call after a message; none where it was not reached.
    pub(super) fn prompt_after(&self, message: MsgId) -> Option<u64> {
        let step = self.step(message) as usize;
        self.trace.steps.get(step.checked_sub(1)?).map(|record| record.prompt.0)
    }

    /// The step whose call comes first at or after a message.
    fn step(&self, message: MsgId) -> u32 {
        let first = self.steps.partition_point(|(answer, _)| *answer < message);
        self.steps.get(first).map_or(0, |(_, step)| *step)
    }

    /// What is told of it.
    pub(super) fn told(&self, view: &Seen, taken: &[&Boundary]) -> Other {
        let (mut said, mut worked_on, mut needs) =
            (Count::default(), Count::default(), Count::default());
        let mut prompts = Vec::new();
        for (place, boundary) in taken.iter().enumerate() {
            let until =
                taken.get(place + 1).map_or(view.log.messages.len() as u32, |next| next.before.0);
            for fact in view.alive(boundary.before, &BTreeMap::new()) {
                let of = if fact.kind.is_said() { &mut said } else { &mut worked_on };
                let fate = self.fate(view, fact, boundary.before);
                let untold = fate == Fate::Lost && self.name == RECORDED && is_hidden(boundary);
                of.add(if untold { Fate::Unclear } else { fate });
            }
            needs = needs.plus(self.needs(view, boundary, until));
            prompts.extend(self.prompt_after(boundary.before));
        }
        prompts.sort_unstable();
        let changed = |one: &&Compaction| one.outcome.changed(one.removed, one.added.len());
        Other {
            name: self.name.clone(),
            completed: self.trace.ended_by == EndedBy::Completed,
            ended_by: self.trace.ended_by.name().to_owned(),
            steps: self.trace.steps.len(),
            compactions: self.trace.compactions.iter().filter(changed).count(),
            said,
            worked_on,
            needs,
            recall: needs.share().filter(|_| needs.of >= LEAST_NEEDS),
            tokens_after: prompts.get(prompts.len() / 2).copied(),
            usd: self
                .figures
                .number(MetricId::CostUsd)
                .filter(|_| self.trace.ended_by == EndedBy::Completed),
        }
    }

    /// Of what was needed in `from..until` and last said before: what its prompts held then.
    fn needs(&self, view: &Seen, boundary: &Boundary, until: u32) -> Count {
        let needed = view.needed(boundary.before, until);
        let untold = self.name == RECORDED && is_hidden(boundary);
        let unmet = if untold { Fate::Unclear } else { Fate::Lost };
        let mut count = Count::default();
        for (fact, (at, _)) in &needed {
            let step = self.step(*at);
            let of = |one: &&crate::trace::DemandRecord| {
                one.fact == *fact && one.step == step && one.origin != Origin::Incidental
            };
            let met = self.trace.demands.iter().find(of);
            let is_met = met.is_some_and(|one| matches!(one.found, Found::Present(_)));
            count.add(if is_met { Fate::Kept } else { unmet });
        }
        count
    }
}
