//! A pass: the stages that are due at an occasion, in order.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::answer::{AnswerContext, AnswerError, Answers, Attempt, Malformed, Outcome, answer};
use crate::apply::{Applied, apply, commit};
use crate::drive::{Drive, End, Mode, State, Unchanged};
use crate::ident::EntryId;
use crate::pipeline::{OnError, Repeat, Stage};
use crate::plan::{Decision, Plan, Then};
use crate::pressure::{Forced, Occasion, Reading, When, read_any};
use crate::strategy::{Desk, PlanContext, Scope};
use crate::summarize::FailureClass;
use crate::summarize::fault::FaultKind;
use crate::trace::{
    AddedEntry, Compaction, CompactionOutcome, EndedBy, Event, Share, StageOutcome,
};
use crate::unit::{Millis, Tokens, Usd, nine};
use crate::view::{Entry, Spans};

/// Most repetitions of a stage on one occasion.
const ROUNDS: u32 = 4096;
/// Most plans of a cell for each step, beyond [`ROUNDS`]: more ends it with `compaction-limit`. The
/// busiest shipped pipeline comes to 1.33 (`forge-adr` on 800 turns without calls).
const PLANS_PER_STEP: u32 = 8;

#[derive(Clone, Copy)]
pub(super) struct Due {
    pub(super) when: When,
    pub(super) forced: Forced,
}

/// Whether a plan changed the view, or what follows its failure.
type Carried = Result<bool, Then>;

impl Drive<'_> {
    /// Runs the pass; true when a stage changed the view.
    pub(super) fn pass(&mut self, occasion: Occasion) -> Result<bool, End> {
        let pipeline = self.cell.pipeline;
        let stages = pipeline.stages.iter().zip(0..);
        let stages = stages.filter(|(one, _)| one.strategy.strategy().scope() == Scope::History);
        let due = stages.filter_map(|(stage, number)| Some((number, self.due(stage, occasion)?)));
        let due: Vec<(usize, Due)> = due.collect();
        if due.is_empty() {
            return Ok(false);
        }
        self.state.stale = None;
        self.state.before_pass = None;
        let mut acted = false;
        for (number, due) in due {
            let (changed, failed) = self.run_stage(number, due, occasion)?;
            acted |= changed;
            let Some(then) = failed else { continue };
            match (then, pipeline.on_error) {
                (Then::Continue, _) | (Then::AsPipeline, OnError::Continue) => {}
                (Then::Raise, _) | (Then::AsPipeline, OnError::Raise) => {
                    return Err(End::By(EndedBy::Raised("a compaction failed".to_owned())));
                }
                (Then::AsPipeline, OnError::AbortPass) => break,
                (Then::AsPipeline, OnError::AbortPassSendStale) => {
                    self.state.stale = self.state.before_pass.take();
                    break;
                }
            }
        }
        Ok(acted)
    }

    fn due(&self, stage: &Stage, occasion: Occasion) -> Option<Due> {
        let own = stage.on.get(&occasion).map(|when| Due { when: *when, forced: Forced::No });
        let has_reactive = stage.on.keys().any(|occasion| occasion.is_reactive());
        let as_met = Due { when: When::Always, forced: Forced::Met };
        let pressed = occasion == Occasion::Overflow && !has_reactive;
        let forced = (occasion == Occasion::Boundary).then_some(as_met);
        match self.cell.mode {
            Mode::AsRecorded if self.cell.session.log.was_compacted() => forced,
            Mode::Deployed | Mode::AsRecorded => own,
            Mode::ClosedLoop | Mode::ClosedLoopLow | Mode::ClosedLoopHigh => own,
            Mode::Proactive => own.filter(|_| !occasion.is_reactive()),
            Mode::Reactive if occasion.is_reactive() => own.or(pressed.then_some(as_met)),
            Mode::Reactive => None,
            Mode::Both => own.or(pressed.then_some(as_met)),
            Mode::Forced => forced,
        }
    }

    /// Runs one stage, repeating as it says: whether it changed anything, and what then on failure.
    pub(super) fn run_stage(
        &mut self,
        number: usize,
        due: Due,
        occasion: Occasion,
    ) -> Result<(bool, Option<Then>), End> {
        let mut moment = StageOutcome::default();
        let then = self.rounds(number, due, occasion, &mut moment);
        let changed = moment.changed;
        self.trace.count(number as u32, occasion, moment);
        Ok((changed, then?))
    }

    fn rounds(
        &mut self,
        number: usize,
        due: Due,
        occasion: Occasion,
        moment: &mut StageOutcome,
    ) -> Result<Option<Then>, End> {
        let stage = &self.cell.pipeline.stages[number];
        for round in 0..ROUNDS {
            let reading = read_any(&stage.pressure, &self.budget, &self.gauge(), due.forced);
            if !wanted(stage, due, round, reading) {
                moment.at_rest(StageOutcome::BELOW);
                break;
            }
            let firing = Firing { number, occasion, round, reading };
            let (decision, called) = self.decide(number, occasion, reading)?;
            let plan = match decision {
                Decision::Plan(plan) => plan,
                Decision::Decline(reason) => {
                    self.bill(&firing, &called);
                    moment.decline(reason);
                    break;
                }
                Decision::Raise(reason) => {
                    self.bill(&firing, &called);
                    moment.at_rest(StageOutcome::RAISED);
                    return Err(End::By(EndedBy::Raised(reason)));
                }
            };
            moment.fired = true;
            match self.carry_out(&plan, called, firing)? {
                Ok(true) => moment.changed = true,
                Ok(false) => break,
                Err(then) => return Ok(Some(then)),
            }
            if stage.repeat == Repeat::Once {
                break;
            }
        }
        Ok(None)
    }

    /// What a stage proposes, and what the model calls came to that it made on the way.
    pub(super) fn decide(
        &mut self,
        number: usize,
        occasion: Occasion,
        reading: Option<Reading>,
    ) -> Result<(Decision, Outcome), End> {
        self.state.moment = self.state.moment.at(self.step);
        let memory = self.state.memory.get(&number).cloned();
        let view = &self.state.view;
        let desk = Desk::new(self.state.session, view, self.desk(), memory);
        let desk = desk.keeping(self.cell.exchanges);
        let context = PlanContext {
            occasion,
            budget: &self.budget,
            reading,
            past: self.cell.session.log.past(self.state.happened),
            turn: self.state.user_turn,
            desk: Some(&desk),
        };
        let strategy = self.cell.pipeline.stages[number].strategy.strategy();
        let decision = strategy.plan(view, &context);
        let (called, memory) = desk.close().map_err(End::Stopped)?;
        self.state.moment = self.state.moment.later(called.asked);
        match memory {
            Some(memory) => self.state.memory.insert(number, memory),
            None => self.state.memory.remove(&number),
        };
        Ok((decision, called))
    }

    /// Records model calls of a strategy that then left the view as it was.
    fn bill(&mut self, firing: &Firing, called: &Outcome) {
        if let Some(last) = called.attempts.last() {
            let mut record = self.record(firing, &called.attempts);
            record.outcome = match last.failed {
                Some(class) => CompactionOutcome::Failed(class),
                None => CompactionOutcome::Unchanged,
            };
            self.conclude(record);
        }
    }

    fn desk(&self) -> AnswerContext<'_> {
        let (cell, state) = (&self.cell, &self.state);
        AnswerContext {
            ask: cell.ask,
            memo: cell.memo,
            tally: &state.tally,
            window: cell.limits.window,
            system: &cell.session.log.system,
            tools: &cell.session.log.tools,
            past: cell.session.log.past(state.happened),
            replicate: cell.replicate,
            moment: state.moment,
        }
    }

    fn carry_out(&mut self, plan: &Plan, called: Outcome, firing: Firing) -> Result<Carried, End> {
        let most = PLANS_PER_STEP * self.trace.steps_total + ROUNDS;
        if self.trace.compactions.len() >= most as usize {
            return Err(End::By(EndedBy::CompactionLimit));
        }
        self.event(Event::PreCompact);
        let outcome = self.ask(plan, called, firing.number)?;
        let mut record = self.record(&firing, &outcome.attempts);
        let applied = match &outcome.failure {
            Some(failure) => Err(CompactionOutcome::Failed(failure.class)),
            None => {
                let accepted = self.candidate(plan, &outcome.answers, firing.number)?;
                accepted.ok_or(CompactionOutcome::Rejected)
            }
        };
        let carried = match applied {
            Ok(applied) if self.commit(&applied, &outcome.answers, &mut record) => {
                record.outcome = CompactionOutcome::Accepted;
                Ok(true)
            }
            Ok(_) => Ok(false),
            Err(refused) => self.fall_back(plan, refused, firing.number, &mut record)?,
        };
        record.after = self.state.view.tokens();
        record.entries_after = self.state.view.len() as u32;
        self.conclude(record);
        Ok(carried)
    }

    /// Has the requests of a plan answered, after what was `called` while it was made.
    pub(super) fn ask(
        &mut self,
        plan: &Plan,
        called: Outcome,
        stage: usize,
    ) -> Result<Outcome, End> {
        if plan.requests.is_empty() && called.attempts.is_empty() {
            return Ok(called);
        }
        self.event(Event::SummarizationStart);
        self.state.moment = self.state.moment.at(self.step);
        let stage = &self.cell.pipeline.stages[stage];
        let requests = stage.addressed(&plan.requests, &self.state.view);
        let outcome = answer(&requests, &self.state.view, &self.desk())?;
        self.state.moment = self.state.moment.later(outcome.asked);
        let outcome = called.then(outcome);
        self.event(Event::SummarizationProgress);
        if let Some(observer) = &mut self.observer {
            observer.asked(&outcome);
        }
        Ok(outcome)
    }

    /// The next view; `None` where the plan's own rules reject it.
    fn candidate(
        &self,
        plan: &Plan,
        answers: &Answers,
        stage: usize,
    ) -> Result<Option<Applied>, Malformed> {
        let strategy = self.cell.pipeline.stages[stage].strategy.strategy();
        let state = &self.state;
        let past = self.cell.session.log.past(state.happened);
        let applied = apply(
            &state.view,
            &plan.layout,
            answers,
            past,
            &state.tally,
            strategy.claims_whole_turns(),
            state.unread,
        )?;
        let (before, after) = (state.view.counted(), applied.counted);
        let accepted = plan.accept.iter().all(|rule| rule.holds(before, after));
        Ok(accepted.then_some(applied))
    }

    /// The fallbacks of a plan that failed or was rejected; a rejected result counts as inflated.
    fn fall_back(
        &mut self,
        plan: &Plan,
        refused: CompactionOutcome,
        stage: usize,
        record: &mut Compaction,
    ) -> Result<Carried, End> {
        let class = refused.failure().unwrap_or(FailureClass::Inflated);
        record.outcome = refused;
        // A fallback may have one of its own; what follows is what the first plan says.
        let mut next = plan.otherwise.as_deref();
        while let Some(otherwise) = next {
            let outcome = self.ask(otherwise, Outcome::default(), stage)?;
            // Its batches go out after those that failed.
            let later = record.attempts.last().map_or(0, |last| last.batch + 1);
            record.attempts.extend(
                outcome.attempts.iter().map(|a| Attempt { batch: later + a.batch, ..a.clone() }),
            );
            self.price(record);
            record.outcome = CompactionOutcome::Failed(class);
            if outcome.failure.is_none()
                && let Some(applied) = self.candidate(otherwise, &outcome.answers, stage)?
            {
                let changed = self.commit(&applied, &outcome.answers, record);
                record.outcome = CompactionOutcome::Fallback(class);
                return Ok(if plan.then == Then::Raise { Err(plan.then) } else { Ok(changed) });
            }
            next = otherwise.otherwise.as_deref();
        }
        Ok(Err(plan.then))
    }

    /// Changes the view and everything that follows it. False when nothing changed.
    fn commit(&mut self, applied: &Applied, answers: &Answers, record: &mut Compaction) -> bool {
        if applied.change.is_empty() && applied.violations.is_empty() {
            return false;
        }
        let next = self.state.view.next_id();
        applied.entries.iter().filter(|one| one.id >= next).for_each(|one| self.count_taken(one));
        let keeps_stale = self.cell.pipeline.on_error == OnError::AbortPassSendStale;
        let state = &mut self.state;
        if let Some(observer) = &mut self.observer {
            observer.changing(&state.view, applied, answers, &state.watch);
        }
        if keeps_stale && state.before_pass.is_none() {
            let (view, watch) = (state.view.clone(), state.watch.clone());
            state.before_pass = Some(Box::new(Unchanged { view, watch }));
        }
        record.removed = applied.change.removed.len() as u32;
        record.dropped = applied.change.dropped.clone();
        record.violations.clone_from(&applied.violations);
        record.added = added(state, applied, answers);
        let number = self.trace.compactions.len() as u32 + 1;
        (record.lost, record.took_live_goal) =
            state.watch.changed(&state.view, applied, answers, number);
        state.stale_from = state.stale_from.min(applied.change.first);
        commit(&mut state.view, applied);
        for overlay in state.overlays.values_mut() {
            overlay.retain(&state.view);
        }
        state.compacted_since = true;
        let broken = applied.violations.iter().find(|v| v.rule.breaks_strict_wire());
        if let Some(violation) = broken {
            state.broken_wire.get_or_insert(violation.rule.name());
        }
        true
    }

    pub(super) fn record(&self, firing: &Firing, attempts: &[Attempt]) -> Compaction {
        let view = &self.state.view;
        let mut record = Compaction {
            number: self.trace.compactions.len() as u32 + 1,
            step: self.step,
            turn: self.turn,
            occasion: firing.occasion,
            stage: firing.number as u32,
            round: firing.round,
            reading: firing.reading,
            utilization: nine(
                view.tokens().over(self.cell.limits.admitted() - self.cell.session.fixed()),
            ),
            before: view.tokens(),
            after: view.tokens(),
            entries_before: view.len() as u32,
            entries_after: view.len() as u32,
            attempts: attempts.to_vec(),
            ..Compaction::default()
        };
        self.price(&mut record);
        record
    }

    /// Price and modelled time of requests: tries of a batch run at once, batches one after the
    /// other. A call that fails at once takes no time.
    fn price(&self, record: &mut Compaction) {
        let sheet = self.cell.sheet;
        let (mut usd, mut total, mut batch, mut slowest) = (0.0, Millis(0), 0, Millis(0));
        for attempt in &record.attempts {
            let mut took = attempt.fault.map_or(Millis(0), FaultKind::delay);
            if attempt.billed {
                let Attempt { prompt, completion, .. } = *attempt;
                let cached = self.cached(attempt);
                usd += sheet.summarizer_cost(prompt, cached, completion).0;
                took = took + sheet.blocking(prompt, cached, completion);
            }
            if attempt.batch != batch {
                total = total + slowest;
                (batch, slowest) = (attempt.batch, Millis(0));
            }
            slowest = slowest.max(took);
        }
        record.usd = Usd(nine(usd));
        record.blocking = total + slowest;
    }

    fn cached(&self, attempt: &Attempt) -> Tokens {
        if attempt.prefix_entries == 0 {
            return Tokens::ZERO;
        }
        let state = &self.state;
        let upto = attempt.prefix_entries.min(state.cache.entries()).min(state.stale_from);
        state.cache.cached_prefix(upto, self.now())
    }

    pub(super) fn now(&self) -> Millis {
        let messages = &self.cell.session.log.messages[..self.state.happened];
        messages.last().map_or(Millis(0), |message| message.at)
    }

    /// Announces and records a compaction that is over.
    pub(super) fn conclude(&mut self, record: Compaction) {
        let events: &[Event] = match record.outcome {
            CompactionOutcome::Accepted | CompactionOutcome::Fallback(_) => {
                &[Event::SummarizationComplete, Event::CompactBoundary, Event::SessionStart]
            }
            CompactionOutcome::Failed(_) | CompactionOutcome::Rejected => {
                &[Event::SummarizationError]
            }
            CompactionOutcome::Unchanged => &[],
        };
        events.iter().for_each(|event| self.event(*event));
        if let Some(observer) = &mut self.observer {
            observer.compacted(&record, &self.state.view);
        }
        self.trace.compactions.push(record);
    }
}

#[derive(Clone, Copy)]
pub(super) struct Firing {
    pub(super) number: usize,
    pub(super) occasion: Occasion,
    pub(super) round: u32,
    pub(super) reading: Option<Reading>,
}

fn wanted(stage: &Stage, due: Due, round: u32, reading: Option<Reading>) -> bool {
    let met = reading.is_none_or(|reading| reading.met);
    if round == 0 {
        return due.when == When::Always || met;
    }
    match (stage.repeat, reading) {
        (Repeat::ToTarget, Some(reading)) => reading.used > reading.target,
        (Repeat::Once | Repeat::ToTarget | Repeat::UntilStable, _) => true,
    }
}

impl From<Malformed> for End {
    fn from(error: Malformed) -> End {
        End::By(EndedBy::Raised(error.to_string()))
    }
}

impl From<AnswerError> for End {
    fn from(error: AnswerError) -> End {
        match error {
            AnswerError::Malformed(error) => error.into(),
            AnswerError::Stopped(stopped) => End::Stopped(stopped),
        }
    }
}

fn added(state: &State, applied: &Applied, answers: &Answers) -> Vec<AddedEntry> {
    let view = &state.view;
    let mut seen: FxHashMap<EntryId, Tokens> = FxHashMap::default();
    for shown in answers.values().flat_map(|answered| &answered.shown) {
        if let Some(entry) = shown.entry {
            *seen.entry(entry).or_default() += shown.tokens;
        }
    }
    // A message with several calls is covered by several summaries and counts once.
    let mut counted: FxHashSet<EntryId> = FxHashSet::default();
    let new = applied.entries.iter().filter(|entry| entry.id >= view.next_id());
    new.zip(&applied.change.added)
        .map(|(entry, fold)| {
            let covered: Vec<_> = fold.covered.iter().filter_map(|id| view.entry(*id)).collect();
            let fresh: Vec<_> = covered.iter().filter(|entry| counted.insert(entry.id)).collect();
            let shown = fold.requests.iter().filter_map(|id| answers.get(id));
            let spans: Vec<_> = shown.flat_map(|a| &a.shown).map(|shown| &shown.spans).collect();
            AddedEntry {
                share: Share::of(entry),
                tokens: entry.tokens(),
                generation: entry.generation(),
                covered: covered.len() as u32,
                covered_tokens: fresh.iter().map(|entry| entry.tokens()).sum(),
                unseen_tokens: fresh.iter().map(|entry| unseen(state, entry, &seen)).sum(),
                covers: entry.covers.clone(),
                shown: Spans::union(spans),
                reading: state.watch.reading(fold, answers),
                note: entry.note.clone(),
            }
        })
        .collect()
}

/// Tokens of a covered entry that no request showed; names of tools are not missed.
fn unseen(state: &State, entry: &Entry, seen: &FxHashMap<EntryId, Tokens>) -> Tokens {
    let names = entry.calls.iter().map(|call| state.tally.reference(&call.name)).sum();
    let seen = seen.get(&entry.id).copied().unwrap_or_default();
    entry.tokens() - seen - names
}
