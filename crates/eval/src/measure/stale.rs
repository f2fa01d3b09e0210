//! Old values: carried along after they were replaced, or let go (METRICS 3).

use crate::measure::retention::is_ranked;
use crate::measure::{Measurement, MetricId, Subject};
use crate::stats::share;
use crate::trace::{DemandRecord, Found, OldValue};

pub(super) fn measure(subject: &Subject, into: &mut Measurement) {
    at_need(subject, into);
    at_the_end(subject, into);
}

fn at_need(subject: &Subject, into: &mut Measurement) {
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
fn at_the_end(subject: &Subject, into: &mut Measurement) {
    let (book, trace) = (&subject.session.book, subject.trace);
    let present = |fact: crate::ident::FactId| {
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
            (false, true) => resolved += 1,
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
