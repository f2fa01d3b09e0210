//! What left the view for answers that failed, and whether anything says so.

use crate::answer::Attempt;
use crate::ident::RequestId;
use crate::measure::{Measurement, MetricId, Subject};
use crate::prelude::*;
use crate::summarize::fault::FaultKind;
use crate::trace::{Compaction, CompactionOutcome, EndedBy, Share, Trace};

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
