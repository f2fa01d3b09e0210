//! What a cell still knows.

use crate::ident::FactId;
use crate::measure::{Measurement, MetricId, Subject, survival};
use crate::prelude::*;
use crate::stats::{self, share};
use crate::trace::{DemandRecord, EndedBy, Found, LossClass, OldValue, Trace};
use crate::truth::{FactKind, Origin};

/// Buckets of distance in base windows: from the one to under the other.
const BUCKETS: [(MetricId, f64, f64); 6] = [
    (MetricId::RecallAtNeedUnder025, 0.0, 0.25),
    (MetricId::RecallAtNeedUnder1, 0.0, 1.0),
    (MetricId::RecallAtNeedFrom05, 0.5, 1.0),
    (MetricId::RecallAtNeedFrom1, 1.0, 2.0),
    (MetricId::RecallAtNeedFrom2, 2.0, 4.0),
    (MetricId::RecallAtNeedFrom4, 4.0, f64::INFINITY),
];

/// Whether a demand counts in rankings: what was merely seen again does not.
pub(super) fn is_ranked(demand: &DemandRecord) -> bool {
    demand.origin != Origin::Incidental
}

/// Whether the need counts for recall at need; never by a swept window.
pub(super) fn is_far(subject: &Subject, demand: &DemandRecord) -> bool {
    demand.is_far(subject.base_window)
}

pub(super) fn measure(subject: &Subject, into: &mut Measurement) {
    let ranked: Vec<&DemandRecord> =
        subject.trace.demands.iter().filter(|demand| is_ranked(demand)).collect();
    needs(subject, &ranked, into);
    by_name(subject, &ranked, into);
    attribution(subject.trace, &ranked, into);
    at_the_end(subject, into);
    over_steps(subject, into);
    old_values_at_need(subject, into);
    old_values_at_the_end(subject, into);
    recovered(subject, into);
}

fn needs(subject: &Subject, ranked: &[&DemandRecord], into: &mut Measurement) {
    let window = subject.base_window;
    let between = |from: f64, to: f64| {
        ranked.iter().copied().filter(move |demand| {
            let windows = demand.distance.over(window);
            // Near is what no compaction lies between.
            from <= windows && windows < to && (from >= 1.0 || !demand.compacted)
        })
    };
    let far = || ranked.iter().copied().filter(|demand| is_far(subject, demand));
    into.put(MetricId::RecallAtNeed, recall(far()));
    into.put(MetricId::RecallAtNeedReached, recall(far().filter(|one| was_sent(one))));
    for (id, from, to) in BUCKETS {
        into.put(id, recall(between(from, to)));
    }
    into.put(MetricId::RecallAll, recall(ranked.iter().copied()));
    let book = &subject.session.book;
    let irreplaceable = ranked.iter().copied().filter(|one| book.reacquire(one.fact).is_none());
    into.put(MetricId::RecallIrreplaceable, recall(irreplaceable));
    let met: Vec<u32> = far().filter_map(generation).collect();
    let verbatim = met.iter().filter(|generation| **generation == 0).count();
    into.put(MetricId::RecallAtNeedVerbatim, share(verbatim, met.len()));
    into.put(MetricId::RecallAtNeedSummarized, share(met.len() - verbatim, met.len()));
    let absent = ranked.iter().filter(|demand| demand.found == Found::Absent);
    let parts: Vec<f64> = absent
        .filter_map(|demand| share(demand.needles? as usize, demand.of_needles as usize))
        .collect();
    into.put(MetricId::Partial, stats::mean(&parts));
    let found = |what: Found| ranked.iter().filter(|demand| demand.found == what).count();
    into.count(MetricId::DemandsInverted, found(Found::Inverted));
    into.count(MetricId::DemandsAmbiguous, found(Found::Ambiguous));
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
    into.put(MetricId::SafetyRuleRetained, recall(of(FactKind::SafetyRule)));
    let exposed = of(FactKind::DeadEnd).filter(|one| is_missed(one));
    into.count(MetricId::DeadEndExposed, exposed.count());
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
    let unexplained = missed().filter(|demand| demand.loss.is_none());
    into.count(MetricId::MissedUnexplained, unexplained.count());
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

fn over_steps(subject: &Subject, into: &mut Measurement) {
    let trace = subject.trace;
    let shares = trace.steps.iter();
    let mut shares: Vec<f64> =
        shares.filter_map(|step| share(step.present as usize, step.live as usize)).collect();
    // Nothing is known at a step that was not reached.
    let book = &subject.session.book;
    let has_live = |step: &usize| book.truth.facts.iter().any(|fact| book.is_live(fact.id, *step));
    let missing = (trace.steps.len()..trace.steps_total as usize).filter(has_live);
    let missing = if trace.ended_by == EndedBy::Completed { 0 } else { missing.count() };
    shares.resize(shares.len() + missing, 0.0);
    into.put(MetricId::RecallMean, stats::mean(&shares));
    into.count(MetricId::LiveGoalLost, trace.steps.iter().filter(|step| !step.live_goal).count());
}

pub(super) fn recall<'a>(demands: impl Iterator<Item = &'a DemandRecord>) -> Option<f64> {
    let generations: Vec<Option<u32>> = demands.map(generation).collect();
    share(generations.iter().flatten().count(), generations.len())
}

/// That of the needle which was there; `None` where the fact was not.
fn generation(demand: &DemandRecord) -> Option<u32> {
    match demand.found {
        Found::Present(generation) => Some(generation),
        _ => None,
    }
}

fn was_sent(demand: &DemandRecord) -> bool {
    demand.found != Found::NotReached
}

pub(super) fn is_missed(demand: &DemandRecord) -> bool {
    demand.found.is_missing()
}

fn old_values_at_need(subject: &Subject, into: &mut Measurement) {
    let demands = subject.trace.demands.iter();
    let needs: Vec<&DemandRecord> =
        demands.filter(|demand| is_ranked(demand) && demand.stale.is_some()).collect();
    let carried = || needs.iter().filter(|demand| demand.stale == Some(OldValue::Carried));
    let known = |demand: &&&DemandRecord| matches!(demand.found, Found::Present(_));
    let beside = carried().filter(known).count();
    let alone = carried().count() - beside;
    into.count(MetricId::StaleNeeds, needs.len());
    into.count(MetricId::StaleAlone, alone);
    into.put(MetricId::StaleAloneShare, share(alone, needs.len()));
    into.count(MetricId::StaleBeside, beside);
    into.put(MetricId::StaleBesideShare, share(beside, needs.len()));
    into.put(MetricId::StaleCarried, share(carried().count(), needs.len()));
}

/// In the last view. A pair whose second half the session never came to counts as a pair alone.
fn old_values_at_the_end(subject: &Subject, into: &mut Measurement) {
    let (book, trace) = (&subject.session.book, subject.trace);
    let present = |fact: FactId| {
        let record = trace.facts.get(fact.index());
        record.is_some_and(|record| matches!(record.found, Found::Present(_)))
    };
    let (mut pairs, mut reached, mut alone, mut beside, mut resolved) = (0, 0, 0, 0, 0);
    for fact in &book.truth.facts {
        let steps = trace.steps_total as usize;
        let Some(successor) = fact.superseded_by else { continue };
        if !book.is_born(fact.id, steps) || !book.is_superseded(fact.id, steps) {
            continue;
        }
        pairs += 1;
        if !book.is_superseded(fact.id, trace.steps.len()) {
            continue;
        }
        reached += 1;
        match (present(fact.id), present(successor)) {
            (true, true) => beside += 1,
            (true, false) => alone += 1,
            // What was resolved when a session ended early need not be at its end.
            (false, true) => resolved += usize::from(trace.ended_by == EndedBy::Completed),
            (false, false) => {}
        }
    }
    into.count(MetricId::StalePairs, pairs);
    into.count(MetricId::StaleEndAlone, alone);
    into.put(MetricId::StaleEndAloneShare, share(alone, reached));
    into.count(MetricId::StaleEndBeside, beside);
    into.put(MetricId::StaleEndBesideShare, share(beside, reached));
    into.put(MetricId::UpdateResolved, share(resolved, pairs));
}

/// What an archive gave back; undefined where nothing was recalled.
fn recovered(subject: &Subject, into: &mut Measurement) {
    let recalls = &subject.trace.recalls;
    let any = !recalls.is_empty();
    let defined = |value: f64| any.then_some(value);
    let tokens: Tokens = recalls.iter().map(|one| one.tokens).sum();
    let idle = recalls.iter().filter(|one| one.demands == 0);
    let waste: Tokens = idle.map(|one| one.tokens).sum();
    into.put(MetricId::ArchiveCalls, defined(recalls.len() as f64));
    into.put(MetricId::ArchiveTokens, defined(tokens.as_f64()));
    into.put(MetricId::ArchiveWaste, defined(waste.as_f64()));
    into.put(MetricId::ArchiveWasteShare, defined(waste.over(tokens)));
    let met: BTreeSet<u32> = recalls.iter().flat_map(|one| &one.met).copied().collect();
    let ranked = || subject.trace.demands.iter().filter(|demand| is_ranked(demand));
    let recovered = |demand: &&DemandRecord| met.contains(&demand.demand);
    into.put(MetricId::ArchiveMet, defined(ranked().filter(recovered).count() as f64));
    let far: Vec<&DemandRecord> = ranked().filter(|demand| is_far(subject, demand)).collect();
    let known =
        |demand: &&&DemandRecord| matches!(demand.found, Found::Present(_)) || recovered(demand);
    let recoverable = share(far.iter().filter(known).count(), far.len());
    into.put(MetricId::ArchiveRecoverable, recoverable.filter(|_| any));
}
