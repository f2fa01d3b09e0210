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
