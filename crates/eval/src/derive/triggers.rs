//! The trigger audit: how often stages were due, fired and declined, and at what utilization.

use std::collections::{BTreeMap, BTreeSet};

use crate::derive::{Pool, Record, everywhere, groups};
use crate::frame::{Basis, Derived, Scope, Session, Stage, Subject};
use crate::measure::MetricId;
use crate::pressure::Occasion;
use crate::row::TriggerRow;
use crate::stats;

/// Scope; configuration; place and strategy of the stage; occasion, where it is one.
type Key<'a> = (Scope, Pool<'a>, u32, &'a str, &'a str);

fn keys<'a>(pool: Pool<'a>, stage: (u32, &'a str), occasion: Occasion) -> [Key<'a>; 2] {
    let (number, strategy) = stage;
    [
        (Scope::Stage, pool, number, strategy, ""),
        (Scope::Trigger, pool, number, strategy, occasion.name()),
    ]
}

#[derive(Default)]
struct Tally<'a> {
    due: u64,
    fired: u64,
    changed: u64,
    declined: u64,
    reasons: BTreeMap<&'a str, u64>,
    utilizations: Vec<f64>,
    sessions: BTreeSet<Session<'a>>,
}

impl<'a> Tally<'a> {
    fn add(&mut self, row: &'a TriggerRow) {
        let n = u64::from(row.n);
        self.due += n;
        self.fired += n * u64::from(row.fired);
        self.changed += n * u64::from(row.changed);
        self.declined += n * u64::from(row.declined);
        if row.declined {
            *self.reasons.entry(row.reason.as_str()).or_default() += n;
        }
    }

    /// The most frequent first, of equals in the order of their words.
    fn main_reasons(&self) -> Basis {
        const NAMED: usize = 3;
        let mut reasons: Vec<(String, u64)> =
            self.reasons.iter().map(|(reason, n)| ((*reason).to_owned(), *n)).collect();
        reasons.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        let more = reasons.len().saturating_sub(NAMED);
        reasons.truncate(NAMED);
        Basis::Declined { reasons, more }
    }

    fn rows(&self, subject: &Subject) -> Vec<Derived> {
        let row = |metric, value, basis| {
            Derived::number(subject.clone(), metric, value, self.sessions.len(), basis)
        };
        let count = |metric, value: u64, basis| row(metric, Some(value as f64), basis);
        let median = stats::median(&self.utilizations);
        let basis = Basis::MedianOverFirings { firings: self.utilizations.len() };
        vec![
            count(MetricId::TriggerDue, self.due, Basis::Direct),
            count(MetricId::TriggerFired, self.fired, Basis::Direct),
            count(MetricId::TriggerChanged, self.changed, Basis::Direct),
            count(MetricId::TriggerDeclined, self.declined, self.main_reasons()),
            row(MetricId::TriggerUtilization, median, basis),
        ]
    }
}

/// Sums over the sessions of a configuration, twins left out.
pub(super) fn rows(record: &Record) -> Vec<Derived> {
    let mut by_cell: BTreeMap<&str, Vec<&TriggerRow>> = BTreeMap::new();
    for row in record.triggers {
        by_cell.entry(&row.cell).or_default().push(row);
    }
    let mut tallies: BTreeMap<Key, Tally> = BTreeMap::new();
    let pools = everywhere(&groups(record.frame));
    let cells = pools.iter().flat_map(|(pool, cells)| cells.iter().map(move |cell| (*pool, *cell)));
    for (pool, cell) in cells {
        let mut own: BTreeSet<(u32, &str)> = BTreeSet::new();
        for row in by_cell.get(cell.key.cell.as_str()).into_iter().flatten() {
            let stage = (row.stage, row.strategy.as_str());
            own.insert(stage);
            for key in keys(pool, stage, row.occasion) {
                let tally = tallies.entry(key).or_default();
                tally.add(row);
                tally.sessions.insert(cell.session());
            }
        }
        for plan in record.frame.compactions_of(cell).iter().filter(|plan| plan.round == 0) {
            let own = own.iter().filter(|(_, strategy)| *strategy == plan.stage);
            for key in own.flat_map(|stage| keys(pool, *stage, plan.occasion)) {
                if let Some(tally) = tallies.get_mut(&key) {
                    tally.utilizations.extend(plan.utilization);
                }
            }
        }
    }
    let rows = tallies.iter().flat_map(|((scope, pool, number, strategy, occasion), tally)| {
        tally.rows(&Subject {
            stage: Some(Stage { number: *number, strategy: (*strategy).to_owned() }),
            occasion: (*occasion).to_owned(),
            ..Subject::new(*scope, pool.setting())
        })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derive::sample::{Sample, cell};
    use crate::row::CompactionRow;

    fn moments(cell: &str, flags: [bool; 3], reason: &str, n: u32) -> TriggerRow {
        TriggerRow {
            cell: cell.to_owned(),
            stage: 2,
            strategy: "truncate".to_owned(),
            occasion: Occasion::BeforeCall,
            fired: flags[0],
            changed: flags[1],
            declined: flags[2],
            reason: reason.to_owned(),
            n,
        }
    }

    #[test]
    fn moments_are_summed_over_sessions_and_firings_have_a_median() {
        let cells = vec![cell("p", "windowed"), cell("p", "windowed").seed(2)];
        let mut sample = Sample::of(cells);
        let ids = ["scenario/p/1/extractive/0", "scenario/p/2/extractive/0"];
        sample.triggers = vec![
            moments(ids[0], [true, true, false], "", 3),
            moments(ids[0], [false, false, false], "below its limit", 40),
            moments(ids[0], [false, false, true], "no batch", 5),
            moments(ids[1], [true, false, false], "", 1),
            moments(ids[1], [false, false, true], "nothing old", 2),
        ];
        let plan = |utilization: f64, round| CompactionRow {
            cell: ids[0].to_owned(),
            stage: "truncate".to_owned(),
            occasion: Occasion::BeforeCall,
            utilization: Some(utilization),
            round,
            ..crate::measure::sample::compaction_row()
        };
        sample.compactions = vec![plan(0.8, 0), plan(0.7, 1), plan(0.9, 0), plan(0.6, 0)];
        let rows = sample.derive();
        for (scope, subject) in [
            (Scope::Stage, "p/deployed/extractive/2 truncate"),
            (Scope::Trigger, "p/deployed/extractive/2 truncate/before-call"),
        ] {
            let told: Vec<(MetricId, Option<f64>, u32)> = rows
                .iter()
                .filter(|row| row.subject.scope == scope && row.subject.to_string() == subject)
                .map(|row| (row.metric, row.as_number(), row.n))
                .collect();
            let expected = [
                (MetricId::TriggerDue, Some(51.0), 2),
                (MetricId::TriggerFired, Some(4.0), 2),
                (MetricId::TriggerChanged, Some(3.0), 2),
                (MetricId::TriggerDeclined, Some(7.0), 2),
                (MetricId::TriggerUtilization, Some(0.8), 2),
            ];
            assert_eq!(told, expected, "{scope:?}");
        }
        let declined = rows.iter().find(|row| row.metric == MetricId::TriggerDeclined);
        let declined = declined.expect("a row").basis.to_string();
        assert_eq!(declined, "no batch (5); nothing old (2)");
    }
}
