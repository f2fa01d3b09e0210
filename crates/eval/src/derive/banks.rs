//! The two phrase banks: how much of a figure is due to the wording.

use std::collections::BTreeMap;

use crate::derive::Pool;
use crate::derive::pool::over_sessions;
use crate::frame::{Basis, Derived, Frame, Scope, Session, Subject};
use crate::measure::MetricId;
use crate::scenario::twin_of;
use crate::stats;

const FIGURE: MetricId = MetricId::RecallAtNeed;

/// For every setting, over sessions told in both banks: both means, and the gap A − B.
pub(super) fn rows(frame: &Frame) -> Vec<Derived> {
    let mut pools: BTreeMap<Pool, BTreeMap<Session, Pair>> = BTreeMap::new();
    for cell in frame.cells() {
        let Some(figure) = cell.number(FIGURE) else { continue };
        let (scenario, seed) = cell.session();
        let twin = twin_of(scenario);
        let session = (twin.unwrap_or(scenario), seed);
        let pool = pools.entry(Pool::of(cell).everywhere()).or_default();
        let pair = pool.entry(session).or_default();
        if twin.is_some() { pair.b.push(figure) } else { pair.a.push(figure) }
    }
    let in_both = pools.into_iter().map(|(pool, pairs)| {
        let means = pairs.into_values().filter_map(|pair| pair.means());
        (pool, means.collect::<Vec<(f64, f64)>>())
    });
    in_both
        .filter(|(_, pairs)| !pairs.is_empty())
        .flat_map(|(pool, pairs)| of_pool(pool, &pairs))
        .collect()
}

/// A session's figures in the two banks, one for each replicate.
#[derive(Default)]
struct Pair {
    a: Vec<f64>,
    b: Vec<f64>,
}

impl Pair {
    fn means(&self) -> Option<(f64, f64)> {
        Some((stats::mean(&self.a)?, stats::mean(&self.b)?))
    }
}

fn of_pool(pool: Pool, pairs: &[(f64, f64)]) -> [Derived; 3] {
    let columns: [(MetricId, Vec<f64>); 3] = [
        (MetricId::BankA, pairs.iter().map(|pair| pair.0).collect()),
        (MetricId::BankB, pairs.iter().map(|pair| pair.1).collect()),
        (MetricId::BankGap, pairs.iter().map(|pair| pair.0 - pair.1).collect()),
    ];
    columns.map(|(metric, values)| {
        let subject = Subject::new(Scope::Bank, pool.setting());
        Derived { basis: Basis::MeanOverTwins, ..over_sessions(subject, metric, &values) }
    })
}
