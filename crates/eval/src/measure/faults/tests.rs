use super::*;
use crate::ident::FactId;
use crate::measure::MetricId;
use crate::measure::sample::{added, attempt, compaction, measured, trace};
use crate::summarize::FailureClass;
use crate::trace::{Loss, LossClass};

/// A compaction from 100 to 40 tokens that lost two facts, with these tries.
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

fn silent(compaction: Compaction, ended_by: EndedBy) -> (Option<f64>, Option<f64>) {
    let trace = Trace { compactions: vec![compaction], ended_by, ..trace() };
    let found = measured(&trace);
    (found.number(MetricId::FaultsSilentFacts), found.number(MetricId::FaultsToldFacts))
}

#[test]
fn a_loss_is_silent_where_no_answer_tells_anything_and_nothing_says_so() {
    let fallback = || CompactionOutcome::Fallback(FailureClass::Error);
    let completed = || EndedBy::Completed;
    for (name, compaction, expected) in [
        ("a sound answer", lossy(vec![attempt(0, 9, 5)]), (0.0, 0.0)),
        ("an empty one", lossy(vec![attempt(0, 9, 0)]), (2.0, 0.0)),
        ("noise", lossy(vec![struck(FaultKind::Garbage)]), (2.0, 0.0)),
        ("half an answer", lossy(vec![struck(FaultKind::Truncated)]), (0.0, 0.0)),
        ("a retry that helped", lossy(vec![failed(0), attempt(1, 9, 5)]), (0.0, 0.0)),
        ("one of two", lossy(vec![failed(1), attempt(0, 9, 5)]), (0.0, 0.0)),
        ("no request at all", lossy(Vec::new()), (0.0, 0.0)),
        (
            "a fallback without a word",
            Compaction { outcome: fallback(), ..lossy(vec![failed(0)]) },
            (2.0, 0.0),
        ),
        (
            "a fallback with a notice",
            Compaction {
                outcome: fallback(),
                added: vec![added(Share::Other, 5, 0, 0)],
                ..lossy(vec![failed(0)])
            },
            (0.0, 2.0),
        ),
        (
            "a plan that failed changes nothing",
            Compaction {
                outcome: CompactionOutcome::Failed(FailureClass::Error),
                ..lossy(vec![failed(0)])
            },
            (0.0, 0.0),
        ),
    ] {
        let (facts, told) = silent(compaction, completed());
        assert_eq!((facts, told), (Some(expected.0), Some(expected.1)), "{name}");
    }
    let raised = EndedBy::Raised("a compaction failed".to_owned());
    let last = Compaction { outcome: fallback(), ..lossy(vec![failed(0)]) };
    assert_eq!(silent(last, raised), (Some(0.0), Some(2.0)), "the end of the session says so");
}

#[test]
fn tries_and_stale_sends_are_counted() {
    let attempts = vec![failed(0), struck(FaultKind::Slow), attempt(2, 9, 5)];
    let compactions = vec![lossy(attempts), lossy(vec![attempt(0, 9, 0)])];
    let trace = Trace { compactions, stale_sends: 3, ..trace() };
    let found = measured(&trace);
    for (metric, expected) in [
        (MetricId::Attempts, 4.0),
        (MetricId::AttemptsFailed, 1.0),
        (MetricId::FaultsStruck, 2.0),
        (MetricId::FaultsSilentFacts, 2.0),
        (MetricId::FaultsSilentTokens, 60.0),
        (MetricId::SendsStale, 3.0),
    ] {
        assert_eq!(found.number(metric), Some(expected), "{metric}");
    }
}
