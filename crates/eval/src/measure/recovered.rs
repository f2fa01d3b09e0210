//! What an archive gave back, apart from what the view held.

use std::collections::BTreeSet;

use crate::measure::retention::{is_far, is_ranked};
use crate::measure::{Measurement, MetricId, Subject};
use crate::stats::share;
use crate::trace::{DemandRecord, Found};
use crate::unit::Tokens;

/// Undefined where nothing was recalled.
pub(super) fn measure(subject: &Subject, into: &mut Measurement) {
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
