//! What left the view for answers that failed, and whether anything says so.

use std::collections::BTreeMap;

use crate::answer::Attempt;
use crate::ident::RequestId;
use crate::measure::{Measurement, MetricId, Subject};
use crate::summarize::fault::FaultKind;
use crate::trace::{Compaction, CompactionOutcome, EndedBy, Share, Trace};
use crate::unit::Tokens;

pub(super) fn measure(subject: &Subject, into: &mut Measurement) {
    let trace = subject.trace;
    let attempts = || trace.compactions.iter().flat_map(|one| &one.attempts);
    into.count(MetricId::Attempts, attempts().count());
    into.count(MetricId::AttemptsFailed, attempts().filter(|one| one.failed.is_some()).count());
    into.count(MetricId::FaultsStruck, attempts().filter(|one| one.fault.is_some()).count());
    into.count(MetricId::SendsStale, trace.stale_sends as usize);
    let (mut silent, mut tokens, mut told) = (0, Tokens::ZERO, 0);
    for compaction in trace.compactions.iter().filter(|one| is_blind(one)) {
        if is_told(trace, compaction) {
            told += compaction.lost.len();
        } else {
            silent += compaction.lost.len();
            tokens += compaction.before - compaction.after;
        }
    }
    into.count(MetricId::FaultsSilentFacts, silent);
    into.put(MetricId::FaultsSilentTokens, tokens.as_f64());
    into.count(MetricId::FaultsToldFacts, told);
}

/// Whether it changed the view without one answer that tells anything.
fn is_blind(compaction: &Compaction) -> bool {
    let mut last: BTreeMap<RequestId, &Attempt> = BTreeMap::new();
    last.extend(compaction.attempts.iter().map(|attempt| (attempt.request, attempt)));
    compaction.outcome.is_applied()
        && !last.is_empty()
        && last.values().all(|attempt| tells_nothing(attempt))
}

fn tells_nothing(attempt: &Attempt) -> bool {
    attempt.failed.is_some()
        || attempt.completion == Tokens::ZERO
        || attempt.fault.is_some_and(FaultKind::tells_nothing)
}

/// Whether a notice stands where the summary would, or the session ended on it.
fn is_told(trace: &Trace, compaction: &Compaction) -> bool {
    let noticed = matches!(compaction.outcome, CompactionOutcome::Fallback(_))
        && compaction.added.iter().any(|entry| entry.share == Share::Other);
    let last = trace.compactions.last().is_some_and(|last| last.number == compaction.number);
    noticed || last && matches!(trace.ended_by, EndedBy::Raised(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ident::FactId;
    use crate::measure::sample::{added, attempt, compaction, holds, measured, trace};
    use crate::summarize::FailureClass;
    use crate::trace::{Loss, LossClass};

    fn lossy(attempts: Vec<Attempt>) -> Compaction {
        let loss = |fact| Loss { fact: FactId(fact), class: LossClass::Omitted };
        Compaction { attempts, lost: vec![loss(0), loss(1)], ..compaction(1, 100, 40) }
    }

    fn failed(request: u32) -> Attempt {
        let failed = Some(FailureClass::Error);
        let fault = Some(FaultKind::Error);
        Attempt { request: RequestId(request), failed, fault, billed: false, ..attempt(0, 9, 0) }
    }

    fn struck(kind: FaultKind) -> Attempt {
        Attempt { fault: Some(kind), ..attempt(0, 9, 5) }
    }

    #[test]
    fn a_loss_is_silent_where_no_answer_tells_anything_and_nothing_says_so() {
        let failing = |outcome, added| Compaction { outcome, added, ..lossy(vec![failed(0)]) };
        let fallback = || CompactionOutcome::Fallback(FailureClass::Error);
        let notice = vec![added(Share::Other, 5, 0, 0)];
        let gone = CompactionOutcome::Failed(FailureClass::Error);
        let last_words = "the end of the session says so";
        for (name, compaction, silent, told) in [
            ("a sound answer", lossy(vec![attempt(0, 9, 5)]), 0.0, 0.0),
            ("an empty one", lossy(vec![attempt(0, 9, 0)]), 2.0, 0.0),
            ("noise", lossy(vec![struck(FaultKind::Garbage)]), 2.0, 0.0),
            ("half an answer", lossy(vec![struck(FaultKind::Truncated)]), 0.0, 0.0),
            ("a retry that helped", lossy(vec![failed(0), attempt(1, 9, 5)]), 0.0, 0.0),
            ("one of two", lossy(vec![failed(1), attempt(0, 9, 5)]), 0.0, 0.0),
            ("no request at all", lossy(Vec::new()), 0.0, 0.0),
            ("a fallback without a word", failing(fallback(), Vec::new()), 2.0, 0.0),
            ("a fallback with a notice", failing(fallback(), notice), 0.0, 2.0),
            ("a plan that failed changes nothing", failing(gone, Vec::new()), 0.0, 0.0),
            (last_words, failing(fallback(), Vec::new()), 0.0, 2.0),
        ] {
            let mut trace = Trace { compactions: vec![compaction], ..trace() };
            if name == last_words {
                trace.ended_by = EndedBy::Raised("a compaction failed".to_owned());
            }
            let found = measured(&trace);
            let facts = [MetricId::FaultsSilentFacts, MetricId::FaultsToldFacts];
            assert_eq!(facts.map(|id| found.number(id)), [Some(silent), Some(told)], "{name}");
        }
    }

    #[test]
    fn tries_and_stale_sends_are_counted() {
        let attempts = vec![failed(0), struck(FaultKind::Slow), attempt(2, 9, 5)];
        let compactions = vec![lossy(attempts), lossy(vec![attempt(0, 9, 0)])];
        let trace = Trace { compactions, stale_sends: 3, ..trace() };
        holds(
            &trace,
            "attempts 4, attempts.failed 1, faults.struck 2, faults.silent_facts 2, \
             faults.silent_tokens 60, sends.stale 3",
        );
    }
}
