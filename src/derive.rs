//! Figures that need several cells: `derived.csv`.
//!
//! Pure over rows read back from a run directory, after the run or a merge; nothing
//! in a cell depends on another cell. All sums are in the order of the cells' keys,
//! and every resampling has a seed made from names.

mod banks;
mod brackets;
mod control;
mod curve;
mod faults;
mod firings;
mod groups;
mod partner;
mod pool;
mod triggers;

use crate::measure::MetricId;
use std::collections::{BTreeMap, BTreeSet};

use crate::frame::MeasuredCell;
use crate::row::{CompactionRow, DerivedRow, FloorRow, StepRow, TriggerRow, optional};

pub use control::controls_hold;
pub use curve::curve;
pub use firings::{FiringRow, firings};
pub use groups::NO_REFERENCE;

/// Everything that derived figures are made from.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    /// All cells that were driven and measured.
    pub cells: &'a [MeasuredCell],
    /// `floor.csv`.
    pub floor: &'a [FloorRow],
    /// `compactions.csv`.
    pub compactions: &'a [CompactionRow],
    /// The pipeline that each pipeline's floor is compared with, where it names one.
    pub references: &'a BTreeMap<String, String>,
    /// `triggers.csv`.
    pub triggers: &'a [TriggerRow],
    /// The rows of one cell in `steps.csv`, in order.
    pub steps_of: &'a (dyn Fn(&str) -> Vec<StepRow> + Sync),
}

/// A configuration, mode and summarizer on one family of scenarios: a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Setting {
    family: String,
    pipeline: String,
    variant: String,
    mode: String,
    summarizer: String,
}

impl Setting {
    /// Without the family: what is pooled over scenarios.
    fn everywhere(&self) -> Setting {
        Setting { family: String::new(), ..self.clone() }
    }

    fn configuration(&self) -> String {
        match self.variant.as_str() {
            "windowed" => self.pipeline.clone(),
            variant => format!("{}@{variant}", self.pipeline),
        }
    }

    /// As `derived.csv` names it.
    fn subject(&self) -> String {
        let own = format!("{}/{}/{}", self.configuration(), self.mode, self.summarizer);
        if self.family.is_empty() { own } else { format!("{}/{own}", self.family) }
    }
}

fn setting(cell: &MeasuredCell) -> Setting {
    Setting {
        family: cell.key.family.clone(),
        pipeline: cell.key.pipeline.clone(),
        variant: cell.key.variant.clone(),
        mode: cell.key.mode.clone(),
        summarizer: cell.key.summarizer.clone(),
    }
}

/// Cells in the order of their keys, with what is looked up again and again.
struct Index<'a> {
    record: Record<'a>,
    cells: Vec<&'a MeasuredCell>,
    controls: BTreeMap<(&'a str, u64), &'a MeasuredCell>,
    floor: BTreeMap<&'a str, Vec<&'a FloorRow>>,
    compactions: BTreeMap<&'a str, Vec<&'a CompactionRow>>,
}

impl<'a> Index<'a> {
    fn new(record: Record<'a>) -> Index<'a> {
        let mut cells: Vec<&MeasuredCell> = record.cells.iter().collect();
        cells.sort_by(|one, other| one.key.cell.cmp(&other.key.cell));
        let mut controls = BTreeMap::new();
        for cell in cells.iter().filter(|cell| cell.is_control()) {
            controls.entry(cell.session()).or_insert(*cell);
        }
        let mut floor: BTreeMap<&str, Vec<&FloorRow>> = BTreeMap::new();
        for row in record.floor {
            floor.entry(&row.cell).or_default().push(row);
        }
        let mut compactions: BTreeMap<&str, Vec<&CompactionRow>> = BTreeMap::new();
        for row in record.compactions {
            compactions.entry(&row.cell).or_default().push(row);
        }
        Index { record, cells, controls, floor, compactions }
    }

    fn sessions(&self) -> BTreeSet<(&'a str, u64)> {
        self.cells.iter().map(|cell| cell.session()).collect()
    }

    fn groups(&self) -> BTreeMap<Setting, Vec<&'a MeasuredCell>> {
        let mut groups: BTreeMap<Setting, Vec<&MeasuredCell>> = BTreeMap::new();
        // A summarizer that is made to fail is no setting to choose.
        for cell in self.cells.iter().filter(|cell| cell.key.fault().is_none()) {
            groups.entry(setting(cell)).or_default().push(cell);
        }
        groups
    }

    /// Whether a cell reached the last checkpoint of its session: it completed, or it
    /// was probed as often as a cell of the same session that did.
    fn reached(&self, cell: &MeasuredCell) -> bool {
        let last = |cell: &MeasuredCell| self.floor_of(cell).iter().map(|row| row.checkpoint).max();
        let mates = self.cells.iter().filter(|mate| mate.session() == cell.session());
        let furthest = mates.filter(|mate| mate.completed()).filter_map(|mate| last(mate)).max();
        cell.completed() || (furthest.is_some() && last(cell) == furthest)
    }

    fn floor_of(&self, cell: &MeasuredCell) -> &[&'a FloorRow] {
        self.floor.get(cell.key.cell.as_str()).map_or(&[], Vec::as_slice)
    }

    fn compactions_of(&self, cell: &MeasuredCell) -> &[&'a CompactionRow] {
        self.compactions.get(cell.key.cell.as_str()).map_or(&[], Vec::as_slice)
    }
}

/// All derived figures: of cells, then groups, configurations, brackets, pairs and
/// triggers.
pub fn derive(record: Record) -> Vec<DerivedRow> {
    let index = Index::new(record);
    let mut rows = control::rows(&index);
    rows.extend(partner::rows(&index));
    let savings: pool::Savings = rows
        .iter()
        .filter(|row| row.scope == "cell")
        .filter_map(|row| Some(((row.subject.as_str(), row.metric), row.value.parse().ok()?)))
        .collect();
    let pooled = pool::rows(&index, &savings);
    rows.extend(groups::rows(&index));
    rows.extend(pooled);
    rows.extend(brackets::rows(&index));
    rows.extend(faults::rows(&index));
    rows.extend(banks::rows(&index));
    rows.extend(triggers::rows(&index));
    rows
}

/// A row of one session without an interval.
fn row(
    scope: &str,
    subject: &str,
    metric: MetricId,
    value: Result<f64, String>,
    reason: &str,
) -> DerivedRow {
    let (value, reason) = match value {
        Ok(value) => (optional(Some(value)), reason.to_owned()),
        Err(why) => (String::new(), why),
    };
    DerivedRow {
        scope: scope.to_owned(),
        subject: subject.to_owned(),
        metric,
        n: u32::from(!value.is_empty()),
        value,
        low: String::new(),
        high: String::new(),
        reason,
    }
}

#[cfg(test)]
mod sample;
