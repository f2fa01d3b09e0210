//! The trigger audit: how often each stage was due, fired and declined, and how full
//! the window was when it fired.

use crate::measure::MetricId;
use std::collections::{BTreeMap, BTreeSet};

use crate::derive::{Index, MeasuredCell, Setting, setting};
use crate::row::{DerivedRow, TriggerRow, optional};
use crate::stats;

/// A configuration and one of its stages, by place and strategy.
type Stage<'a> = (Setting, u32, &'a str);

/// What the moments of a stage came to.
#[derive(Default)]
struct Tally<'a> {
    due: u64,
    fired: u64,
    changed: u64,
    declined: u64,
    reasons: BTreeMap<&'a str, u64>,
    utilizations: Vec<f64>,
    sessions: BTreeSet<(&'a str, u64)>,
}

impl<'a> Tally<'a> {
    fn add(&mut self, row: &'a TriggerRow) {
        let n = u64::from(row.n);
        self.due += n;
        self.fired += n * u64::from(row.fired);
        self.changed += n * u64::from(row.changed);
        self.declined += n * u64::from(row.declined);
        if row.declined == 1 {
            *self.reasons.entry(row.reason.as_str()).or_default() += n;
        }
    }

    /// The most frequent first, of equals in the order of their words.
    fn main_reasons(&self) -> String {
        const NAMED: usize = 3;
        let mut reasons: Vec<(&str, u64)> =
            self.reasons.iter().map(|(reason, n)| (*reason, *n)).collect();
        reasons.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        let told = reasons.iter().take(NAMED).map(|(reason, n)| format!("{reason} ({n})"));
        let mut told: Vec<String> = told.collect();
        if reasons.len() > NAMED {
            told.push(format!("{} more", reasons.len() - NAMED));
        }
        told.join("; ")
    }

    fn rows(&self, scope: &str, subject: &str) -> Vec<DerivedRow> {
        let count = |metric: MetricId, value: u64, reason: String| {
            self.row(scope, subject, metric, Some(value as f64), reason)
        };
        let fired = self.utilizations.len();
        let median = stats::median(&self.utilizations);
        vec![
            count(MetricId::TriggerDue, self.due, String::new()),
            count(MetricId::TriggerFired, self.fired, String::new()),
            count(MetricId::TriggerChanged, self.changed, String::new()),
            count(MetricId::TriggerDeclined, self.declined, self.main_reasons()),
            self.row(
                scope,
                subject,
                MetricId::TriggerUtilization,
                median,
                format!("median over {fired} firings of all sessions"),
            ),
        ]
    }

    fn row(
        &self,
        scope: &str,
        subject: &str,
        metric: MetricId,
        value: Option<f64>,
        reason: String,
    ) -> DerivedRow {
        DerivedRow {
            scope: scope.to_owned(),
            subject: subject.to_owned(),
            metric,
            value: optional(value),
            low: String::new(),
            high: String::new(),
            n: self.sessions.len() as u32,
            reason,
        }
    }
}

/// Sums over the sessions of a configuration, twins left out: by stage, then by stage
/// and occasion.
pub(super) fn rows(index: &Index) -> Vec<DerivedRow> {
    let mut stages: BTreeMap<Stage, Tally> = BTreeMap::new();
    let mut occasions: BTreeMap<(Stage, &str), Tally> = BTreeMap::new();
    let mut by_cell: BTreeMap<&str, Vec<&TriggerRow>> = BTreeMap::new();
    for row in index.record.triggers {
        by_cell.entry(&row.cell).or_default().push(row);
    }
    let sound = |cell: &&&MeasuredCell| !cell.is_twin() && cell.key.fault().is_none();
    for cell in index.cells.iter().filter(sound) {
        let setting = setting(cell).everywhere();
        let mut own: BTreeSet<(u32, &str)> = BTreeSet::new();
        for row in by_cell.get(cell.key.cell.as_str()).into_iter().flatten() {
            own.insert((row.stage, &row.strategy));
            let stage = (setting.clone(), row.stage, row.strategy.as_str());
            let on = occasions.entry((stage.clone(), &row.occasion)).or_default();
            for tally in [stages.entry(stage).or_default(), on] {
                tally.add(row);
                tally.sessions.insert(cell.session());
            }
        }
        for plan in index.compactions_of(cell).iter().filter(|plan| plan.round == 0) {
            let Ok(utilization) = plan.utilization.parse::<f64>() else { continue };
            let own = own.iter().filter(|(_, strategy)| *strategy == plan.stage);
            for (number, strategy) in own {
                let stage = (setting.clone(), *number, *strategy);
                if let Some(tally) = stages.get_mut(&stage) {
                    tally.utilizations.push(utilization);
                }
                if let Some(tally) = occasions.get_mut(&(stage, plan.occasion.as_str())) {
                    tally.utilizations.push(utilization);
                }
            }
        }
    }
    let of_stage =
        |(setting, number, strategy): &Stage| format!("{}/{number} {strategy}", setting.subject());
    let stages = stages.iter().flat_map(|(stage, tally)| tally.rows("stage", &of_stage(stage)));
    let occasions = occasions.iter().flat_map(|((stage, occasion), tally)| {
        tally.rows("trigger", &format!("{}/{occasion}", of_stage(stage)))
    });
    stages.chain(occasions).collect()
}

#[cfg(test)]
mod tests {
    use crate::derive::derive;
    use crate::derive::sample::{Sample, cell};
    use crate::row::{CompactionRow, TriggerRow};

    fn moments(cell: &str, flags: [u8; 3], reason: &str, n: u32) -> TriggerRow {
        TriggerRow {
            cell: cell.to_owned(),
            stage: 2,
            strategy: "truncate".to_owned(),
            occasion: "before-call".to_owned(),
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
            moments(ids[0], [1, 1, 0], "", 3),
            moments(ids[0], [0, 0, 0], "below its limit", 40),
            moments(ids[0], [0, 0, 1], "no batch", 5),
            moments(ids[1], [1, 0, 0], "", 1),
            moments(ids[1], [0, 0, 1], "nothing old", 2),
        ];
        let plan = |utilization: &str, round| CompactionRow {
            cell: ids[0].to_owned(),
            stage: "truncate".to_owned(),
            occasion: "before-call".to_owned(),
            utilization: utilization.to_owned(),
            round,
            ..crate::derive::sample::compaction()
        };
        sample.compactions = vec![plan("0.8", 0), plan("0.7", 1), plan("0.9", 0), plan("0.6", 0)];
        let rows = derive(sample.record());
        for (scope, subject) in [
            ("stage", "p/deployed/extractive/2 truncate"),
            ("trigger", "p/deployed/extractive/2 truncate/before-call"),
        ] {
            let told: Vec<(MetricId, &str, u32)> = rows
                .iter()
                .filter(|row| row.scope == scope && row.subject == subject)
                .map(|row| (row.metric, row.value.as_str(), row.n))
                .collect();
            let expected = [
                (MetricId::TriggerDue, "51", 2),
                (MetricId::TriggerFired, "4", 2),
                (MetricId::TriggerChanged, "3", 2),
                (MetricId::TriggerDeclined, "7", 2),
                (MetricId::TriggerUtilization, "0.8", 2),
            ];
            assert_eq!(told, expected, "{scope}");
        }
        let declined = rows.iter().find(|row| row.metric == MetricId::TriggerDeclined);
        assert_eq!(declined.expect("a row").reason, "no batch (5); nothing old (2)");
    }
}
