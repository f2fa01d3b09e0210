//! Sending: does it fit, is it refused, is the answer cut off, and what then.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::drive::{Drive, End, SENDS, Sent, Wire};
use crate::ident::{EntryId, MsgId, key_of};
use crate::log::Step;
use crate::overlay::Overlay;
use crate::pipeline::Resend;
use crate::pressure::Occasion;
use crate::trace::{DemandRecord, EndedBy, RecallRecord, StepRecord};
use crate::unit::{Tokens, Usd, nine};
use crate::view::{Part, View};
use crate::watch::FactTracker;

impl Drive<'_> {
    /// Makes and records the step's call, with reactive passes and resends as the pipeline says.
    pub(super) fn send_step(&mut self, number: usize, step: &Step) -> Result<(), End> {
        let output = self.cell.session.reference.messages[step.answer.index()].total();
        for sends in 1..=SENDS {
            self.overlay()?;
            if let (Wire::Strict, Some(rule)) = (self.cell.limits.wire, self.state.broken_wire) {
                return Err(End::By(EndedBy::InvalidRequest(rule.to_owned())));
            }
            let prompt = self.cell.session.fixed() + self.messages_as_sent();
            let Some((occasion, end)) = self.hindrance(prompt, output, sends) else {
                self.record_step(number, prompt, output, sends);
                return Ok(());
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
        }
        Ok(())
    }

    fn messages_as_sent(&self) -> Tokens {
        let state = &self.state;
        let now = || as_sent(&state.overlays).tokens(&state.view);
        state.stale.as_ref().map_or_else(now, |stale| stale.view.tokens())
    }

    /// Why a prompt gets no whole answer. What comes before a cut is discarded with its
    /// incomplete calls: the scripted answer is not appended in part.
    fn hindrance(&self, prompt: Tokens, output: Tokens, sends: u32) -> Option<(Occasion, EndedBy)> {
        let limits = self.cell.limits;
        // The scenario says so: the model ran on where the scripted one did not. It is
        // more to the point once the context has been compacted.
        let ran_on = sends == 1
            && limits.cut_off_every > 0
            && self.step.is_multiple_of(limits.cut_off_every);
        if prompt > limits.admitted() {
            Some((Occasion::Overflow, EndedBy::Overflow))
        } else if ran_on || output > limits.max_output || prompt + output > limits.window {
            Some((Occasion::OutputLimit, EndedBy::MaxTokens))
        } else {
            None
        }
    }

    fn record_step(&mut self, number: usize, prompt: Tokens, output: Tokens, sends: u32) {
        let sent = self.messages_as_sent();
        let stale = self.state.stale.take();
        self.trace.stale_sends += u32::from(stale.is_some());
        self.follow_cache(stale.as_ref().map(|stale| &stale.view));
        let (at, checkpoint) = (self.now(), self.checkpoint_at(number));
        let state = &mut self.state;
        let cost = state.cache.send(at);
        let usd = self.cell.sheet.cost(prompt, cost.cached, cost.written, output);
        // What was sent is what remembers: after a failed pass, the old view.
        let (view, watch, overlay) = match &stale {
            Some(stale) => (&stale.view, &stale.watch, Cow::Owned(Overlay::default())),
            None => (&state.view, &state.watch, as_sent(&state.overlays)),
        };
        let overlay: &Overlay = &overlay;
        let demands = watch.judge(number, view, overlay, state.fresh);
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
