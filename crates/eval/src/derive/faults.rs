//! What a fault costs: the cell beside the same one under the summarizer without it.

use crate::frame::{Basis, Derived, Frame, MeasuredCell, Subject};
use crate::measure::MetricId;
use crate::row::CellKey;

pub(super) fn rows(frame: &Frame) -> Vec<Derived> {
    let faulty = frame.cells().iter().filter(|cell| cell.key.fault().is_some());
    faulty.flat_map(|cell| of_cell(frame, cell)).collect()
}

fn of_cell(frame: &Frame, cell: &MeasuredCell) -> [Derived; 2] {
    let CellKey { pipeline, .. } = &cell.key;
    let mut partners = frame.partners(&cell.key, pipeline, cell.key.sound_summarizer());
    let partner = partners.find(|other| other.key.window == cell.key.window);
    let both = |metric: MetricId| {
        let partner = partner.ok_or(Basis::NoSoundPartner)?;
        let figures = cell.number(metric).zip(partner.number(metric));
        Ok((partner, figures.ok_or(Basis::FigureMissing)?))
    };
    let cost = both(MetricId::CostUsd).and_then(|(partner, (own, other))| {
        if !(cell.completed() && partner.completed()) {
            return Err(Basis::CutShort);
        }
        if other > 0.0 { Ok(own / other) } else { Err(Basis::NothingSpent) }
    });
    let recall = both(MetricId::RecallAtNeed).map(|(_, (own, other))| own - other);
    let row =
        |metric, value| Derived::single(Subject::cell(&cell.key), metric, value, Basis::Direct);
    [row(MetricId::FaultsCostRatio, cost), row(MetricId::FaultsRecallChange, recall)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derive::sample::{Sample, cell, row};
    use crate::frame::Scope;

    #[test]
    fn a_faulty_cell_stands_beside_the_same_one_without_the_fault() {
        let driven = |summarizer: &str, completion: &str, usd: &str, recall: &str| {
            let own =
                cell("a", "windowed").summarizer(summarizer).with(MetricId::Completion, completion);
            own.with(MetricId::CostUsd, usd).with(MetricId::RecallAtNeed, recall)
        };
        let rows = Sample::of(vec![
            driven("extractive", "1", "2", "0.5"),
            driven("extractive+error", "1", "3", "0.25"),
            driven("extractive+empty", "0", "1", "0"),
            driven("empty+empty", "1", "1", "0"),
        ])
        .derive();
        let found = |summarizer: &str, metric: MetricId| {
            let row = row(&rows, &format!("scenario/a/1/{summarizer}/0"), metric);
            (row.as_number(), row.basis)
        };
        assert_eq!(found("extractive+error", MetricId::FaultsCostRatio).0, Some(1.5));
        assert_eq!(found("extractive+error", MetricId::FaultsRecallChange).0, Some(-0.25));
        assert_eq!(found("extractive+empty", MetricId::FaultsCostRatio), (None, Basis::CutShort));
        assert_eq!(found("extractive+empty", MetricId::FaultsRecallChange).0, Some(-0.5));
        assert_eq!(found("empty+empty", MetricId::FaultsCostRatio).1, Basis::NoSoundPartner);
        // A fault is no bracket and no configuration of its own.
        assert!(rows.iter().all(|row| {
            row.subject.scope == Scope::Cell || !row.subject.to_string().contains('+')
        }));
    }
}
