//! What a cell still knows (METRICS 3).

use crate::measure::{Measurement, MetricId, Subject, survival};
use crate::stats::{self, share};
use crate::trace::{DemandRecord, Found, LossClass, Trace};
use crate::truth::{FactKind, Origin};
use crate::unit::Tokens;

/// Buckets of distance in base windows: from the one to under the other.
const BUCKETS: [(MetricId, f64, f64); 4] = [
    (MetricId::RecallAtNeedFrom05, 0.5, 1.0),
    (MetricId::RecallAtNeedFrom1, 1.0, 2.0),
    (MetricId::RecallAtNeedFrom2, 2.0, 4.0),
    (MetricId::RecallAtNeedFrom4, 4.0, f64::INFINITY),
];

/// Whether a demand counts in rankings: what was merely seen again does not.
pub(super) fn is_ranked(demand: &DemandRecord) -> bool {
    demand.origin != Origin::Incidental
}

/// Whether the fact was last mentioned at least a base window before the need.
pub(super) fn is_far(subject: &Subject, demand: &DemandRecord) -> bool {
    demand.distance.over(subject.base_window) >= 1.0
}

pub(super) fn measure(subject: &Subject, into: &mut Measurement) {
    let ranked: Vec<&DemandRecord> =
        subject.trace.demands.iter().filter(|demand| is_ranked(demand)).collect();
    needs(subject, &ranked, into);
    by_name(subject, &ranked, into);
    attribution(subject.trace, &ranked, into);
    at_the_end(subject, into);
    over_steps(subject.trace, into);
}

fn needs(subject: &Subject, ranked: &[&DemandRecord], into: &mut Measurement) {
    let window = subject.base_window;
    let between = |from: f64, to: f64| {
        ranked.iter().copied().filter(move |demand| {
            let windows = demand.distance.over(window);
            from <= windows && windows < to
        })
    };
    let far = || between(1.0, f64::INFINITY);
    into.put(MetricId::RecallAtNeed, recall(far()));
    into.put(MetricId::RecallAtNeedReached, recall(far().filter(|one| was_sent(one))));
    for (id, from, to) in BUCKETS {
        into.put(id, recall(between(from, to)));
    }
    into.put(MetricId::RecallAll, recall(ranked.iter().copied()));
    let met: Vec<u32> = far().filter_map(generation).collect();
    let verbatim = met.iter().filter(|generation| **generation == 0).count();
    into.put(MetricId::RecallAtNeedVerbatim, share(verbatim, met.len()));
    into.put(MetricId::RecallAtNeedSummarized, share(met.len() - verbatim, met.len()));
    let absent = ranked.iter().filter(|demand| demand.found == Found::Absent);
    let parts: Vec<f64> = absent
        .filter_map(|demand| share(demand.needles? as usize, demand.of_needles as usize))
        .collect();
    into.put(MetricId::Partial, stats::mean(&parts));
    let inverted = ranked.iter().filter(|demand| demand.found == Found::Inverted).count();
    into.count(MetricId::DemandsInverted, inverted);
    into.count(MetricId::Demands, ranked.len());
    into.count(MetricId::DemandsAtNeed, far().count());
}

fn by_name(subject: &Subject, ranked: &[&DemandRecord], into: &mut Measurement) {
    let facts = &subject.session.book.truth.facts;
    let of = |kind: FactKind| {
        ranked.iter().copied().filter(move |demand| {
            facts.get(demand.fact.index()).is_some_and(|fact| fact.kind == kind)
        })
    };
    into.put(MetricId::DirectionRetained, recall(of(FactKind::Direction)));
    into.put(MetricId::ConstraintRetained, recall(of(FactKind::Constraint)));
    into.put(MetricId::DeadEndRetained, recall(of(FactKind::DeadEnd)));
    into.count(
        MetricId::DeadEndExposed,
        of(FactKind::DeadEnd).filter(|one| is_missed(one)).count(),
    );
}

fn attribution(trace: &Trace, ranked: &[&DemandRecord], into: &mut Measurement) {
    let losses = || trace.compactions.iter().flat_map(|compaction| &compaction.lost);
    let missed = || ranked.iter().filter(|demand| is_missed(demand));
    into.count(MetricId::Losses, losses().count());
    for class in LossClass::ALL {
        let lost = losses().filter(|loss| loss.class == class).count();
        into.count(MetricId::losses(class), lost);
        let missed = missed().filter(|demand| demand.loss == Some(class)).count();
        into.count(MetricId::missed(class), missed);
    }
    into.count(
        MetricId::MissedUnexplained,
        missed().filter(|demand| demand.loss.is_none()).count(),
    );
    into.count(MetricId::MissedNotReached, ranked.iter().filter(|one| !was_sent(one)).count());
    let (mut covered, mut unseen) = (Tokens::ZERO, Tokens::ZERO);
    for entry in trace.compactions.iter().flat_map(|compaction| &compaction.added) {
        covered += entry.covered_tokens;
        unseen += entry.unseen_tokens;
    }
    let unseen_share = (covered > Tokens::ZERO).then(|| unseen.over(covered));
    into.put(MetricId::FoldUnseenShare, unseen_share);
    into.count(MetricId::DecoysSeen, trace.decoys_seen as usize);
}

fn at_the_end(subject: &Subject, into: &mut Measurement) {
    let metrics =
        FactKind::ALL.map(MetricId::retention).into_iter().chain([MetricId::RetentionAll]);
    for (metric, count) in metrics.zip(survival::at_the_end(subject)) {
        into.put(metric, share(count.present as usize, count.all as usize));
    }
}

fn over_steps(trace: &Trace, into: &mut Measurement) {
    let shares: Vec<f64> = trace
        .steps
        .iter()
        .filter_map(|step| share(step.present as usize, step.live as usize))
        .collect();
    into.put(MetricId::RecallMean, stats::mean(&shares));
    into.count(MetricId::LiveGoalLost, trace.steps.iter().filter(|step| !step.live_goal).count());
}

pub(super) fn recall<'a>(demands: impl Iterator<Item = &'a DemandRecord>) -> Option<f64> {
    let (mut present, mut all) = (0, 0);
    for demand in demands {
        present += usize::from(matches!(demand.found, Found::Present(_)));
        all += 1;
    }
    share(present, all)
}

fn generation(demand: &DemandRecord) -> Option<u32> {
    match demand.found {
        Found::Present(generation) => Some(generation),
        Found::Inverted | Found::Absent | Found::NotReached => None,
    }
}

fn was_sent(demand: &DemandRecord) -> bool {
    demand.found != Found::NotReached
}

fn is_missed(demand: &DemandRecord) -> bool {
    matches!(demand.found, Found::Absent | Found::Inverted)
}
