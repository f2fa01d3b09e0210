//! The two phrase banks: the same sessions told by two authors, and how much of a
//! figure is owed to the wording (METRICS 3, "Two phrase banks").

use crate::measure::MetricId;
use std::collections::BTreeMap;

use crate::derive::groups::seed;
use crate::derive::{Index, MeasuredCell, Setting, setting};
use crate::row::{DerivedRow, optional};
use crate::scenario::twin_of;
use crate::stats;
use crate::stats::resample::{Resampling, bootstrap_mean};

/// The figure that is compared.
const FIGURE: MetricId = MetricId::RecallAtNeed;

/// For every configuration, mode and summarizer: the mean over sessions told in bank
/// A, over the same sessions told in bank B, and the gap A − B with its interval over
/// the pairs. Only sessions that were told in both count.
pub(super) fn rows(index: &Index) -> Vec<DerivedRow> {
    let mut pairs: BTreeMap<Setting, BTreeMap<(&str, u64), Pair>> = BTreeMap::new();
    for cell in &index.cells {
        let Some(figure) = cell.number(FIGURE) else { continue };
        let (scenario, seed) = cell.session();
        let twin = twin_of(scenario);
        let session = (twin.unwrap_or(scenario), seed);
        let pair = pairs.entry(everywhere(cell)).or_default().entry(session).or_default();
        if twin.is_some() { pair.b.push(figure) } else { pair.a.push(figure) }
    }
    let told: BTreeMap<Setting, Vec<(f64, f64)>> = pairs
        .into_iter()
        .map(|(setting, pairs)| {
            (setting, pairs.into_values().filter_map(|pair| pair.means()).collect::<Vec<_>>())
        })
        .filter(|(_, pairs)| !pairs.is_empty())
        .collect();
    told.iter().flat_map(|(setting, pairs)| of_setting(setting, pairs)).collect()
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

fn everywhere(cell: &MeasuredCell) -> Setting {
    setting(cell).everywhere()
}

fn of_setting(setting: &Setting, pairs: &[(f64, f64)]) -> [DerivedRow; 3] {
    let columns: [(MetricId, Vec<f64>); 3] = [
        (MetricId::BankA, pairs.iter().map(|pair| pair.0).collect()),
        (MetricId::BankB, pairs.iter().map(|pair| pair.1).collect()),
        (MetricId::BankGap, pairs.iter().map(|pair| pair.0 - pair.1).collect()),
    ];
    columns.map(|(metric, values)| {
        let subject = setting.subject();
        let Resampling { seed, resamples, level } =
            Resampling::standard(seed(&subject, metric.name(), "bank"));
        let interval = bootstrap_mean(&values, seed, resamples, level);
        DerivedRow {
            scope: "bank".to_owned(),
            metric,
            value: optional(stats::mean(&values)),
            low: optional(interval.map(|interval| interval.low)),
            high: optional(interval.map(|interval| interval.high)),
            n: values.len() as u32,
            reason: "mean over sessions told in both banks".to_owned(),
            subject,
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::derive::derive;
    use crate::derive::sample::{Sample, SampleCell, cell};
    use crate::row::DerivedRow;

    fn told(scenario: &str, seed: u64, recall: &str) -> SampleCell {
        cell("forge", "windowed").on(scenario).seed(seed).with(MetricId::RecallAtNeed, recall)
    }

    fn bank_rows(cells: Vec<SampleCell>) -> Vec<DerivedRow> {
        let rows = derive(Sample::of(cells).record());
        rows.into_iter().filter(|row| row.scope == "bank").collect()
    }

    #[test]
    fn only_sessions_told_in_both_banks_are_compared() {
        let rows = bank_rows(vec![
            told("orchard", 1, "0.9"),
            told("orchard", 2, "0.5"),
            told("orchard-bank-b", 1, "0.6"),
            told("valve", 1, "0.7"),
            told("valve-bank-b", 1, "0.8"),
        ]);
        let values: Vec<(MetricId, &str, u32)> =
            rows.iter().map(|row| (row.metric, row.value.as_str(), row.n)).collect();
        assert_eq!(
            values,
            [
                (MetricId::BankA, "0.8", 2),
                (MetricId::BankB, "0.7", 2),
                (MetricId::BankGap, "0.1", 2)
            ]
        );
        assert!(rows.iter().all(|row| row.subject == "forge/deployed/extractive"));
    }

    #[test]
    fn without_twins_nothing_is_said() {
        assert_eq!(bank_rows(vec![told("orchard", 1, "0.9")]), []);
    }

    #[test]
    fn twins_are_left_out_of_what_is_pooled_over_scenarios() {
        let cells = vec![told("orchard", 1, "0.9"), told("orchard-bank-b", 1, "0.1")];
        let rows = derive(Sample::of(cells).record());
        let pooled = rows
            .iter()
            .find(|row| row.scope == "configuration" && row.metric == MetricId::RecallAtNeed);
        assert_eq!(pooled.map(|row| (row.value.as_str(), row.n)), Some(("0.9", 1)));
    }
}
