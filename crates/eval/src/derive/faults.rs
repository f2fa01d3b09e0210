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
