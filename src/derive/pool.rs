//! Headline figures, pooled over the sessions of a group and of a configuration.

use crate::measure::{MetricId, Needs};
use std::collections::BTreeMap;

use crate::derive::groups::seed;
use crate::derive::{Index, MeasuredCell, Setting};
use crate::row::{DerivedRow, optional};
use crate::stats;
use crate::stats::resample::{Resampling, bootstrap_mean};

/// The figures that are pooled. Savings are over completed sessions alone.
pub const HEADLINES: [MetricId; 16] = [
    MetricId::Completion,
    MetricId::RecallAtNeed,
    MetricId::RecallMean,
    MetricId::TokensMeanPrompt,
    MetricId::SavingsGross,
    MetricId::SavingsNet,
    MetricId::SavingsEffective,
    MetricId::CostUsd,
    MetricId::CostReacquire,
    MetricId::Violations,
    MetricId::Oracle,
    MetricId::RandomDrop,
    MetricId::Regret,
    MetricId::UpdateResolved,
    MetricId::FabricatedShare,
    MetricId::SummaryCopyShare,
];

/// Derived figures of cells, by cell and metric.
pub(super) type Savings<'a> = BTreeMap<(&'a str, MetricId), f64>;

pub(super) fn rows(index: &Index, savings: &Savings<'_>) -> Vec<DerivedRow> {
    let groups = index.groups();
    let mut everywhere: BTreeMap<Setting, Vec<&MeasuredCell>> = BTreeMap::new();
    // Twins in another phrase bank tell the same sessions again: pooled, they would
    // count twice.
    for (setting, cells) in groups.iter().filter(|(_, cells)| !cells[0].is_twin()) {
        everywhere.entry(setting.everywhere()).or_default().extend(cells);
    }
    let scoped = groups.iter().map(|group| ("group", group));
    let scoped = scoped.chain(everywhere.iter().map(|group| ("configuration", group)));
    scoped
        .flat_map(|(scope, (setting, cells))| {
            HEADLINES.map(|metric| pooled(scope, setting, cells, metric, savings))
        })
        .collect()
}

fn pooled(
    scope: &str,
    setting: &Setting,
    cells: &[&MeasuredCell],
    metric: MetricId,
    savings: &Savings<'_>,
) -> DerivedRow {
    let figure = |cell: &MeasuredCell| match metric.metric().needs == Needs::Control {
        true if cell.completed() => savings.get(&(cell.key.cell.as_str(), metric)).copied(),
        true => None,
        false => cell.number(metric),
    };
    let subject = setting.subject();
    let values = by_session(cells, figure);
    let Resampling { seed, resamples, level } =
        Resampling::standard(seed(&subject, metric.name(), scope));
    let interval = bootstrap_mean(&values, seed, resamples, level);
    DerivedRow {
        scope: scope.to_owned(),
        metric,
        value: optional(stats::mean(&values)),
        low: optional(interval.map(|interval| interval.low)),
        high: optional(interval.map(|interval| interval.high)),
        n: values.len() as u32,
        reason: reason(&values, interval.is_some()).to_owned(),
        subject,
    }
}

fn reason(values: &[f64], spread: bool) -> &'static str {
    match (values.is_empty(), spread) {
        (true, _) => "no session has the figure",
        (false, true) => "mean over sessions",
        (false, false) => "one session: no interval",
    }
}

/// A value for each session: replicates of one are no sessions of their own.
pub(super) fn by_session(
    cells: &[&MeasuredCell],
    figure: impl Fn(&MeasuredCell) -> Option<f64>,
) -> Vec<f64> {
    let mut sessions: BTreeMap<(&str, u64), Vec<f64>> = BTreeMap::new();
    for cell in cells {
        sessions.entry(cell.session()).or_default().extend(figure(cell));
    }
    sessions.values().filter_map(|replicates| stats::mean(replicates)).collect()
}

#[cfg(test)]
mod tests {
    use crate::derive::derive;
    use crate::derive::sample::{Sample, cell};

    #[test]
    fn replicates_count_as_one_session() {
        let of = |seed, replicate, recall: &str| {
            cell("forge", "windowed")
                .seed(seed)
                .replicate(replicate)
                .with(MetricId::RecallAtNeed, recall)
        };
        let sample = Sample::of(vec![of(1, 0, "0.2"), of(1, 1, "0.4"), of(2, 0, "0.9")]);
        let rows = derive(sample.record());
        for scope in ["group", "configuration"] {
            let row =
                rows.iter().find(|row| row.scope == scope && row.metric == MetricId::RecallAtNeed);
            let row = row.expect("a pooled row");
            assert_eq!((row.value.as_str(), row.n), ("0.6", 2), "{scope}");
            assert_eq!((row.low.as_str(), row.high.as_str()), ("0.3", "0.9"), "{scope}");
        }
    }

    #[test]
    fn savings_of_sessions_that_ended_early_are_not_pooled() {
        let control = |seed| cell("none", "windowless").seed(seed).prompts(&[100, 100]);
        let saved = |seed, completion: &str| {
            cell("forge", "windowed")
                .seed(seed)
                .with(MetricId::Completion, completion)
                .with(MetricId::TokensSummarizer, "0")
                .prompts(&[50, 100])
        };
        let sample = Sample::of(vec![control(1), control(2), saved(1, "1"), saved(2, "0")]);
        let rows = derive(sample.record());
        let row = rows.iter().find(|row| {
            row.metric == MetricId::SavingsNet && row.subject == "family/forge/deployed/extractive"
        });
        let row = row.expect("a pooled row");
        assert_eq!((row.value.as_str(), row.n), ("0.25", 1));
    }
}
