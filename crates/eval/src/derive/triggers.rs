//! The trigger audit: how often each stage was due, fired and declined, and how full
//! the window was when it fired.

use std::collections::{BTreeMap, BTreeSet};

use crate::derive::{Pool, Record};
use crate::frame::{Basis, Derived, MeasuredCell, Scope, Session, Stage, Subject};
use crate::measure::MetricId;
use crate::row::TriggerRow;
use crate::stats;

/// A configuration and one of its stages, by place and strategy.
type StageKey<'a> = (Pool<'a>, u32, &'a str);

/// What the moments of a stage came to.
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

/// Sums over the sessions of a configuration, twins left out: by stage, then by stage
/// and occasion.
pub(super) fn rows(record: &Record) -> Vec<Derived> {
    let mut stages: BTreeMap<StageKey, Tally> = BTreeMap::new();
    let mut occasions: BTreeMap<(StageKey, &str), Tally> = BTreeMap::new();
    let mut by_cell: BTreeMap<&str, Vec<&TriggerRow>> = BTreeMap::new();
    for row in record.triggers {
        by_cell.entry(&row.cell).or_default().push(row);
    }
    let sound = |cell: &&MeasuredCell| !cell.is_twin() && cell.key.fault().is_none();
    for cell in record.frame.cells().iter().copied().filter(sound) {
        let pool = Pool::of(cell).everywhere();
        let mut own: BTreeSet<(u32, &str)> = BTreeSet::new();
        for row in by_cell.get(cell.key.cell.as_str()).into_iter().flatten() {
            own.insert((row.stage, &row.strategy));
            let stage = (pool, row.stage, row.strategy.as_str());
            let on = occasions.entry((stage, row.occasion.name())).or_default();
            for tally in [stages.entry(stage).or_default(), on] {
                tally.add(row);
                tally.sessions.insert(cell.session());
            }
        }
        for plan in record.frame.compactions_of(cell).iter().filter(|plan| plan.round == 0) {
            let Some(utilization) = plan.utilization else { continue };
            let own = own.iter().filter(|(_, strategy)| *strategy == plan.stage);
            for (number, strategy) in own {
                let stage = (pool, *number, *strategy);
                if let Some(tally) = stages.get_mut(&stage) {
                    tally.utilizations.push(utilization);
                }
                if let Some(tally) = occasions.get_mut(&(stage, plan.occasion.name())) {
                    tally.utilizations.push(utilization);
                }
            }
        }
    }
    let named = |(_, number, strategy): &StageKey| Stage {
        number: *number,
        strategy: (*strategy).to_owned(),
    };
    let stages = stages.iter().map(|(stage, tally)| ((stage, ""), tally));
    let occasions = occasions.iter().map(|((stage, occasion), tally)| ((stage, *occasion), tally));
    let rows = stages.chain(occasions).flat_map(|((stage, occasion), tally)| {
        let scope = if occasion.is_empty() { Scope::Stage } else { Scope::Trigger };
        tally.rows(&Subject {
            stage: Some(named(stage)),
            occasion: occasion.to_owned(),
            ..Subject::new(scope, stage.0.setting())
        })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derive::sample::{Sample, cell};
    use crate::pressure::Occasion;
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
