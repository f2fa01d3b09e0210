//! Sending: does it fit, is it refused, is the answer cut off, and what then.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::answer::{Malformed, Outcome};
use crate::apply::{Rule, Violation, is_hidden};
use crate::cache::SendCost;
use crate::drive::pass::Firing;
use crate::drive::{Drive, End, Sent, State, Unchanged, Wire};
use crate::ident::{EntryId, MsgId, key_of};
use crate::log::Step;
use crate::overlay::{Overlay, recalled};
use crate::pipeline::Resend;
use crate::plan::{Decision, Layout, Plan, Recall};
use crate::pressure::{Forced, Occasion, When, read_any};
use crate::strategy::Scope;
use crate::trace::{
    CompactionOutcome, DemandRecord, EndedBy, RecallRecord, StageOutcome, StepRecord,
};
use crate::unit::{Tokens, Usd, nine};
use crate::view::{Part, View};
use crate::watch::FactTracker;

/// Most sends of one step: the first and its resends after reactive passes.
pub(super) const SENDS: u32 = 4;

impl Drive<'_> {
    /// Makes and records the step's call, in the closed loop behind those that the agent makes first.
    pub(super) fn send_step(&mut self, number: usize, step: &Step) -> Result<(), End> {
        let output = self.cell.session.reference.messages[step.answer.index()].total();
        let (mut prompt, mut sends) = self.send(output, true)?;
        let demands = self.judge(number);
        for planned in self.detours(number, &demands) {
            self.make(&planned, prompt)?;
            (prompt, sends) = self.send(output, false)?;
        }
        self.record_step(number, demands, (prompt, output), sends);
        Ok(())
    }

    /// Sends a prompt until it is admitted, with reactive passes and resends as the pipeline says:
    /// its tokens, and how often it was sent. Only the first call of a step may run on.
    fn send(&mut self, output: Tokens, is_first: bool) -> Result<(Tokens, u32), End> {
        let mut sends = 1;
        loop {
            self.overlay()?;
            if let (Wire::Strict, Some(rule)) = (self.cell.limits.wire, self.state.broken_wire) {
                return Err(End::By(EndedBy::InvalidRequest(rule.to_owned())));
            }
            let prompt = self.cell.session.fixed() + self.messages_as_sent();
            let Some((occasion, end)) = self.hindrance(prompt, output, is_first && sends == 1)
            else {
                return Ok((prompt, sends));
            };
            match occasion {
                Occasion::Overflow => self.trace.overflows += 1,
                _ => self.trace.cut_offs += 1,
            }
            let plans = self.trace.compactions.len();
            // After the last send no pass could help any more.
            let again = sends < SENDS && {
                let acted = self.pass(occasion)?;
                match self.cell.pipeline.resend {
                    Resend::IfActed => acted,
                    Resend::IfAsked => self.trace.compactions.len() > plans,
                    Resend::Always => true,
                }
            };
            if !again {
                return Err(End::By(end));
            }
            sends += 1;
        }
    }

    /// Looks at a prompt as it is sent: after a failed pass, the old view.
    pub(super) fn sent<T>(&self, look: impl FnOnce(&View, &FactTracker, &Overlay) -> T) -> T {
        let state = &self.state;
        match &state.stale {
            Some(stale) => look(&stale.view, &stale.watch, &Overlay::default()),
            None => look(&state.view, &state.watch, &as_sent(&state.overlays)),
        }
    }

    /// Whether the prompt meets what a step needs.
    fn judge(&self, number: usize) -> Vec<DemandRecord> {
        let fresh = self.state.fresh;
        self.sent(|view, watch, overlay| watch.judge(number, view, overlay, fresh))
    }

    fn messages_as_sent(&self) -> Tokens {
        let state = &self.state;
        let now = || as_sent(&state.overlays).tokens(&state.view);
        state.stale.as_ref().map_or_else(now, |stale| stale.view.tokens())
    }

    /// Why a prompt gets no whole answer. What comes before a cut is discarded with its
    /// incomplete calls: the scripted answer is not appended in part.
    fn hindrance(
        &self,
        prompt: Tokens,
        output: Tokens,
        is_first: bool,
    ) -> Option<(Occasion, EndedBy)> {
        let limits = self.cell.limits;
        // The scenario says so: the model ran on where the scripted one did not.
        let ran_on =
            is_first && limits.cut_off_every > 0 && self.step.is_multiple_of(limits.cut_off_every);
        if prompt > limits.admitted() {
            Some((Occasion::Overflow, EndedBy::Overflow))
        } else if ran_on || output > limits.max_output || prompt + output > limits.window {
            Some((Occasion::OutputLimit, EndedBy::MaxTokens))
        } else {
            None
        }
    }

    /// What the prompt that was sent costs in terms of the cache, what it hid, and the view from before a failed
    /// pass where that was sent.
    pub(super) fn charge(&mut self) -> (SendCost, Option<Box<Unchanged>>) {
        let stale = self.state.stale.take();
        self.trace.stale_sends += u32::from(stale.is_some());
        self.follow_cache(stale.as_ref().map(|stale| &stale.view));
        match &stale {
            Some(stale) => self.trace.read_after_all(self.step, &stale.view),
            None => {
                let overlay = as_sent(&self.state.overlays);
                self.trace.masked.extend(masked(&self.state.view, &overlay, self.state.unread));
            }
        }
        self.state.unread = MsgId(self.state.happened as u32);
        let at = self.now();
        (self.state.cache.send(at), stale)
    }

    fn record_step(
        &mut self,
        number: usize,
        demands: Vec<DemandRecord>,
        (prompt, output): (Tokens, Tokens),
        sends: u32,
    ) {
        let sent = self.messages_as_sent();
        let (cost, stale) = self.charge();
        let checkpoint = self.checkpoint_at(number);
        let state = &mut self.state;
        let usd = self.cell.sheet.cost(prompt, cost.cached, cost.written, output);
        // What was sent is what remembers: after a failed pass, the old view.
        let (view, watch, overlay) = match &stale {
            Some(stale) => (&stale.view, &stale.watch, Cow::Owned(Overlay::default())),
            None => (&state.view, &state.watch, as_sent(&state.overlays)),
        };
        let overlay: &Overlay = &overlay;
        if let Some(observer) = &mut self.observer {
            let (step, fresh) = (self.step, state.fresh);
            observer.sending(&Sent { step, view, overlay, fresh, demands: &demands });
        }
        let fresh = MsgId(self.cell.session.steps[number].appended.start as u32);
        self.trace.recalls.extend(recall(self.step, overlay, fresh, watch, &demands));
        let (live, present) = watch.recall();
        // What an archive brings back for one call is no part of what was carried over.
        let recalled: Tokens = overlay.behind().iter().map(|entry| entry.tokens()).sum();
        let sample = checkpoint.map(|planned| watch.sample(planned.number, self.step));
        self.trace.samples.extend(sample);
        self.trace.steps.push(StepRecord {
            step: self.step,
            turn: self.turn,
            prompt,
            kept: state.view.tokens(),
            sent,
            carried: sent - recalled - appended(view, overlay, state.fresh),
            shares: state.watch.shares(),
            entries: state.view.len() as u32,
            cached: cost.cached,
            written: cost.written,
            invalidated: cost.invalidated,
            expired: cost.expired,
            output,
            usd: Usd(nine(usd.0)),
            live,
            present,
            live_goal: watch.has_live_goal(),
            sends,
        });
        state.watch.keep(demands);
        state.last_usage = Some(prompt + output);
        state.compacted_since = false;
    }

    fn follow_cache(&mut self, stale: Option<&View>) {
        let state = &mut self.state;
        if let Some(stale) = stale {
            state.cache.change(0);
            push(&mut state.cache, stale, &Overlay::default(), 0);
            state.stale_from = 0;
            return;
        }
        if state.stale_from < state.cache.entries() {
            state.cache.change(state.stale_from);
        }
        let from = state.cache.entries();
        let overlay = as_sent(&state.overlays);
        push(&mut state.cache, &state.view, &overlay, from);
        // What was added behind the view stands where its next entry will.
        let adds = !overlay.behind().is_empty();
        state.stale_from = if adds { state.view.len() } else { usize::MAX };
    }
}

/// What was recalled for a call. A passage that came with the need is not remembered.
fn recall(
    step: u32,
    overlay: &Overlay,
    fresh: MsgId,
    watch: &FactTracker,
    demands: &[DemandRecord],
) -> Option<RecallRecord> {
    let behind = overlay.behind();
    let parts = || behind.iter().flat_map(|entry| &entry.parts);
    let before = |part: &&Part| part.spans.iter().all(|message| message < fresh);
    let text: String = parts().filter(before).map(|part| &*part.text).collect();
    (!behind.is_empty()).then(|| RecallRecord {
        step,
        passages: parts().count() as u32,
        tokens: behind.iter().map(|entry| entry.tokens()).sum(),
        demands: demands.len() as u32,
        met: watch.recalled(demands, &text),
    })
}

/// The unread results that are sent in other words.
fn masked(view: &View, overlay: &Overlay, unread: MsgId) -> Vec<Violation> {
    let hidden = overlay.iter().filter(|(id, sent)| {
        view.entry(*id).is_some_and(|kept| is_hidden(kept, std::iter::once(*sent), unread))
    });
    let broken = |(id, _)| Violation { rule: Rule::FreshResultHidden, entry: Some(id) };
    hidden.map(broken).collect()
}

/// Tokens, as sent, of messages appended since the previous call: they are not remembered.
fn appended(view: &View, overlay: &Overlay, fresh: EntryId) -> Tokens {
    let recent = view.entries().iter().rev().take_while(|entry| entry.id >= fresh);
    let messages = recent.filter(|entry| entry.origin.is_some());
    messages.map(|entry| overlay.of(entry.id).map_or(entry.tokens(), |edit| edit.tokens())).sum()
}

/// What all request-scope stages together send.
fn as_sent(overlays: &BTreeMap<usize, Overlay>) -> Cow<'_, Overlay> {
    let mut stages = overlays.values();
    match (stages.next(), stages.next()) {
        (Some(overlay), None) => Cow::Borrowed(overlay),
        _ => Cow::Owned(Overlay::together(overlays.values())),
    }
}

fn push(cache: &mut crate::cache::CacheSim, view: &View, overlay: &Overlay, from: usize) {
    for entry in &view.entries()[from.min(view.len())..] {
        match overlay.of(entry.id) {
            // A rewritten entry is another entry to the cache: keyed by what it says.
            Some(edited) => cache.push(content_key(&edited.content()), edited.tokens()),
            None => cache.push(u64::from(entry.id.0), entry.tokens()),
        }
    }
    for added in overlay.behind() {
        cache.push(content_key(&added.content()), added.tokens());
    }
}

/// A key beyond all entry ids.
fn content_key(text: &str) -> u64 {
    key_of([text]) as u64 | 1 << 63
}

impl Drive<'_> {
    /// Request-scope stages: an overlay each, on the view as it is now.
    fn overlay(&mut self) -> Result<(), End> {
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
                match self.decide(number, Occasion::BeforeCall, reading)?.0 {
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
        let outcome = self.ask(plan, Outcome::default(), number)?;
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
