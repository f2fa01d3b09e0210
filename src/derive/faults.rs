//! What a fault costs: the cell beside the same one under the summarizer without it.

use crate::derive::{Index, MeasuredCell, row};
use crate::measure::MetricId;
use crate::row::DerivedRow;

const NO_PARTNER: &str = "the same cell without the fault was not driven";
const CUT_SHORT: &str = "one of the two ended early: not compared";

pub(super) fn rows(index: &Index) -> Vec<DerivedRow> {
    let faulty = index.cells.iter().filter(|cell| cell.key.fault().is_some());
    faulty.flat_map(|cell| of_cell(index, cell)).collect()
}

fn of_cell(index: &Index, cell: &MeasuredCell) -> [DerivedRow; 2] {
    let partner = index.cells.iter().find(|other| is_partner(cell, other));
    let both = |metric: MetricId| {
        let partner = partner.ok_or(NO_PARTNER)?;
        let figures = cell.number(metric).zip(partner.number(metric));
        Ok((partner, figures.ok_or("a figure is missing")?))
    };
    let cost = both(MetricId::CostUsd).and_then(|(partner, (own, other))| {
        if !(cell.completed() && partner.completed()) {
            return Err(CUT_SHORT.to_owned());
        }
        if other > 0.0 { Ok(own / other) } else { Err("nothing was spent without it".to_owned()) }
    });
    let recall = both(MetricId::RecallAtNeed).map(|(_, (own, other))| own - other);
    let id = &cell.key.cell;
    [
        row("cell", id, MetricId::FaultsCostRatio, cost, ""),
        row("cell", id, MetricId::FaultsRecallChange, recall, ""),
    ]
}

fn is_partner(cell: &MeasuredCell, other: &MeasuredCell) -> bool {
    let (own, other_key) = (&cell.key, &other.key);
    other.session() == cell.session()
        && other_key.summarizer == own.sound_summarizer()
        && (&other_key.pipeline, &other_key.variant, &other_key.mode, other_key.window)
            == (&own.pipeline, &own.variant, &own.mode, own.window)
        && other_key.replicate == own.replicate
}

#[cfg(test)]
mod tests {
    use crate::derive::derive;
    use crate::derive::sample::{Sample, cell};

    #[test]
    fn a_faulty_cell_stands_beside_the_same_one_without_the_fault() {
        let driven = |summarizer: &str, completion: &str, usd: &str, recall: &str| {
            let own =
                cell("a", "windowed").summarizer(summarizer).with(MetricId::Completion, completion);
            own.with(MetricId::CostUsd, usd).with(MetricId::RecallAtNeed, recall)
        };
        let rows = derive(
            Sample::of(vec![
                driven("extractive", "1", "2", "0.5"),
                driven("extractive+error", "1", "3", "0.25"),
                driven("extractive+empty", "0", "1", "0"),
                driven("null+empty", "1", "1", "0"),
            ])
            .record(),
        );
        let found = |summarizer: &str, metric: MetricId| {
            let own = |row: &&crate::row::DerivedRow| {
                row.metric == metric && row.subject.contains(&format!("/{summarizer}/"))
            };
            let row = rows.iter().find(own).expect("a row for every faulty cell");
            (row.value.clone(), row.reason.clone())
        };
        assert_eq!(found("extractive+error", MetricId::FaultsCostRatio).0, "1.5");
        assert_eq!(found("extractive+error", MetricId::FaultsRecallChange).0, "-0.25");
        let (value, reason) = found("extractive+empty", MetricId::FaultsCostRatio);
        assert!(value.is_empty() && reason.contains("ended early"), "{value} {reason}");
        assert_eq!(found("extractive+empty", MetricId::FaultsRecallChange).0, "-0.5");
        assert!(found("null+empty", MetricId::FaultsCostRatio).1.contains("was not driven"));
        // A fault is no bracket and no configuration of its own.
        assert!(rows.iter().all(|row| row.scope == "cell" || !row.subject.contains('+')));
    }
}
