//! Request-scope stages: what is sent differs from what is kept.

use crate::answer::{Malformed, Outcome};
use crate::drive::pass::Firing;
use crate::drive::{Drive, End, State};
use crate::overlay::{Overlay, recalled};
use crate::plan::{Decision, Layout, Plan, Recall};
use crate::pressure::{Forced, Occasion, When, read_any};
use crate::strategy::Scope;
use crate::trace::{CompactionOutcome, EndedBy, StageOutcome};

impl Drive<'_> {
    /// Request-scope stages, at send: an overlay each, on the view as it is now.
    pub(super) fn overlay(&mut self) -> Result<(), End> {
        let stages = &self.cell.pipeline.stages;
        for (number, stage) in stages.iter().enumerate() {
            if stage.strategy.strategy().scope() != Scope::Request {
                continue;
            }
            let reading = read_any(&stage.pressure, &self.budget, &self.gauge(), Forced::No);
            let due = stage.on.get(&Occasion::BeforeCall);
            let fires = due.is_some_and(|when| {
                *when == When::Always || reading.is_some_and(|reading| reading.met)
            });
            let mut moment = StageOutcome::default();
            if fires {
                match self.decide(stage, Occasion::BeforeCall, reading) {
                    Decision::Plan(plan) => {
                        moment.fired = true;
                        moment.changed = self.edit(number, &plan)?;
                    }
                    Decision::Decline(reason) => moment.decline(reason),
                    Decision::Raise(reason) => return Err(End::By(EndedBy::Raised(reason))),
                }
            } else {
                moment.at_rest(StageOutcome::BELOW);
            }
            if !moment.fired
                && let Some(last) = self.state.overlays.get(&number)
            {
                let new = last.unasked();
                self.state.send_instead(number, new);
            }
            if due.is_some() {
                self.trace.count(number as u32, Occasion::BeforeCall, moment);
            }
        }
        Ok(())
    }

    fn edit(&mut self, number: usize, plan: &Plan) -> Result<bool, End> {
        let (base, edits) = match &plan.layout {
            Layout::Edits { base, edits } => (base, edits),
            Layout::Recall(recall) => {
                self.recall(number, recall);
                return Ok(true);
            }
            Layout::Whole(_) => {
                return malformed("a request-scope stage can only rewrite or recall entries");
            }
        };
        if !plan.accept.is_empty() || plan.otherwise.is_some() {
            return malformed("a request-scope plan has no acceptance rule and no fallback");
        }
        let outcome = self.ask(plan, number)?;
        self.bill_edit(number, plan, &outcome);
        if outcome.failure.is_some() {
            return Ok(false);
        }
        let state = &mut self.state;
        let past = self.cell.session.log.past(state.happened);
        let old = state.overlays.entry(number).or_default();
        let new = old.next(&state.view, *base, edits, &outcome.answers, past, &state.tally)?;
        state.send_instead(number, new);
        Ok(true)
    }

    /// Brings the archive up to date and sends what it holds for the query.
    fn recall(&mut self, number: usize, recall: &Recall) {
        let at = self.now();
        let state = &mut self.state;
        state.archive.follow(&state.view, self.cell.session.log.past(state.happened));
        let behind = recalled(&state.archive, recall, &state.tally, at, state.user_turn);
        state.send_instead(number, Overlay::adding(behind));
    }

    /// Records what was asked for a request-scope plan as a compaction that leaves the view.
    fn bill_edit(&mut self, number: usize, plan: &Plan, outcome: &Outcome) {
        if plan.requests.is_empty() {
            return;
        }
        let firing = Firing { number, occasion: Occasion::BeforeCall, round: 0, reading: None };
        let mut record = self.record(&firing, &outcome.attempts);
        if let Some(failure) = &outcome.failure {
            record.outcome = CompactionOutcome::Failed(failure.class);
        }
        self.conclude(record);
    }
}

fn malformed(rule: &str) -> Result<bool, End> {
    Err(Malformed(rule.to_owned()).into())
}

impl State {
    fn send_instead(&mut self, stage: usize, new: Overlay) {
        let last = self.overlays.entry(stage).or_default();
        if let Some(first) = new.first_difference(last, &self.view) {
            self.stale_from = self.stale_from.min(first);
        }
        *last = new;
    }
}
