//! What forgetting cost an agent that acted on it: empty in the open replay.

use crate::drive::consequences::Consequences;
use crate::measure::{Measurement, MetricId, Subject};
use crate::prelude::*;
use crate::pressure::Occasion;
use crate::stats;
use crate::trace::{Act, Compaction, ExtraCall, Trace};
use crate::truth::FactKind;

/// Calls after a compaction over which the recorded excess is known.
const CALLS: usize = 20;

pub(super) fn measure(subject: &Subject, into: &mut Measurement) {
    let trace = subject.trace;
    let Some(sweep) = trace.closed else { return };
    let caused = || trace.extra.iter().filter(|call| !call.anyway);
    let of = |act: Act| caused().filter(|call| call.act == act).count();
    into.count(MetricId::OutcomeExtraCalls, caused().count());
    into.put(MetricId::OutcomeExtraTokens, beyond(&trace.extra, |_| true).as_f64());
    into.put(MetricId::OutcomeExtraUsd, caused().map(|call| price(subject, call)).sum::<f64>());
    let waits = caused().map(|call| subject.sheet.blocking(call.prompt, call.cached, call.output));
    into.put(MetricId::OutcomeExtraMinutes, waits.map(|wait| wait.0).sum::<u64>() as f64 / 60e3);
    into.count(MetricId::OutcomeRereads, of(Act::Reread));
    into.count(MetricId::OutcomeSearches, of(Act::Search));
    into.count(MetricId::OutcomeRetries, of(Act::Retry));
    into.count(MetricId::OutcomeRelapses, relapses(&trace.extra));
    into.count(MetricId::OutcomeAnywayCalls, trace.extra.len() - caused().count());
    let after = after_compactions(trace);
    let mean = |is: fn(&ExtraCall) -> bool| {
        let each: Vec<f64> = after.iter().map(|calls| beyond(calls, is).as_f64()).collect();
        stats::mean(&each)
    };
    into.put(MetricId::OutcomeRereadTokens20, mean(|call| call.act == Act::Reread));
    into.put(MetricId::OutcomeExtraTokens20, mean(|_| true));
    let rates = Consequences::recorded();
    let violations = losses(trace, is_rule) * rates.violation.at(sweep);
    let contradictions = losses(trace, is_course) * rates.contradiction.at(sweep);
    into.put(MetricId::OutcomeViolations, violations);
    into.put(MetricId::OutcomeContradictions, contradictions);
    let corrected = (violations + contradictions) * rates.correction.at(sweep);
    into.put(MetricId::OutcomeCorrections, corrected);
}

fn price(subject: &Subject, call: &ExtraCall) -> f64 {
    subject.sheet.cost(call.prompt, call.cached, call.written, call.output).0
}

/// Tokens added beyond what an agent adds that has lost nothing.
fn beyond(calls: &[ExtraCall], is: impl Fn(&ExtraCall) -> bool) -> Tokens {
    calls.iter().filter(|call| is(call)).map(|call| call.added - call.added_anyway).sum()
}

/// Whole re-reads of what was re-read whole before: it was gone both times.
fn relapses(calls: &[ExtraCall]) -> usize {
    let mut lost: BTreeSet<&str> = BTreeSet::new();
    let whole = calls.iter().filter(|one| one.act == Act::Reread && one.added > one.added_anyway);
    whole.filter(|call| !lost.insert(&call.about)).count()
}

/// By compaction that [`CALLS`] calls follow before the next: the added ones among them.
fn after_compactions(trace: &Trace) -> Vec<Vec<ExtraCall>> {
    let taking = trace.compactions.iter().filter(|one| one.entries_after < one.entries_before);
    let taking: Vec<&Compaction> = taking.collect();
    let last = trace.steps.last().map_or(0, |step| step.step);
    let windows = taking.iter().enumerate().filter_map(|(place, from)| {
        let next = taking.get(place + 1);
        let (until, end) = next.map_or((u32::MAX, last), |next| (next.number, next.step - 1));
        // Behind an answer the call of its step is made already.
        let begin = from.step + u32::from(from.occasion == Occasion::AfterAnswer);
        let between = |call: &&ExtraCall| (from.number..until).contains(&call.compactions);
        let mut added = trace.extra.iter().filter(between).peekable();
        let (mut calls, mut found) = (0, Vec::new());
        for step in begin..=end {
            while let Some(call) = added.next_if(|call| call.step <= step && calls < CALLS) {
                found.push(call.clone());
                calls += 1;
            }
            calls += 1;
            if calls >= CALLS {
                return Some(found);
            }
        }
        None
    });
    windows.collect()
}

fn is_rule(kind: FactKind) -> bool {
    matches!(kind, FactKind::Constraint | FactKind::SafetyRule)
}

fn is_course(kind: FactKind) -> bool {
    matches!(kind, FactKind::Decision | FactKind::Direction)
}

/// Losses of facts of these kinds that were then needed, each once.
fn losses(trace: &Trace, is: fn(FactKind) -> bool) -> f64 {
    let missed = trace.demands.iter().filter(|one| is(one.kind) && one.found.is_missing());
    let losses: BTreeSet<_> = missed.map(|one| (one.fact, one.lost_by)).collect();
    losses.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::StepRecord;

    fn reread(step: u32, about: &str, anyway: bool, added: u64) -> ExtraCall {
        ExtraCall {
            step,
            act: Act::Reread,
            about: about.to_owned(),
            anyway,
            added: Tokens(added),
            added_anyway: if anyway { Tokens(10) } else { Tokens::ZERO },
            prompt: Tokens(100),
            cached: Tokens::ZERO,
            written: Tokens::ZERO,
            invalidated: Tokens::ZERO,
            expired: Tokens::ZERO,
            output: Tokens(5),
            compactions: 0,
        }
    }

    #[test]
    fn a_relapse_is_a_file_that_was_gone_twice() {
        let calls = [
            reread(1, "a", true, 10),
            reread(2, "a", false, 90),
            reread(3, "b", true, 80),
            reread(4, "a", true, 90),
            reread(5, "b", true, 10),
        ];
        assert_eq!(relapses(&calls), 1, "the second whole reading of `a`");
        assert_eq!(beyond(&calls, |_| true), Tokens(90 + 70 + 80));
    }

    #[test]
    fn windows_behind_compactions_have_twenty_calls_and_no_second_compaction() {
        let step = |step| StepRecord { step, ..StepRecord::default() };
        let taking = |number, step| Compaction {
            number,
            step,
            entries_before: 9,
            entries_after: 1,
            ..Compaction::default()
        };
        let added = [(12, 2), (13, 2), (27, 2), (28, 2), (30, 2), (31, 3)];
        let added = added
            .map(|(step, compactions)| ExtraCall { compactions, ..reread(step, "a", false, 7) });
        let trace = Trace {
            steps: (1..=60).map(step).collect(),
            compactions: vec![taking(1, 5), taking(2, 10), taking(3, 30)],
            extra: added.to_vec(),
            ..Trace::default()
        };
        let found: Vec<usize> = after_compactions(&trace).iter().map(Vec::len).collect();
        // Five steps lie between the first two. Behind the second 20 calls are 17 steps and three added
        // ones, and the fourth comes too late. The third has one added call.
        assert_eq!(found, [3, 1]);
    }
}
