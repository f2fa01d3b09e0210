//! Figures that need several cells: `derived.csv`. Pure over the cells and rows of a run; all sums
//! are in the order of keys, and every resampling has a seed made from names.

mod adversaries;
mod banks;
mod brackets;
mod control;
mod curve;
mod faults;
mod groups;
mod partner;
mod pool;
mod triggers;

use crate::frame::{Derived, Frame, MeasuredCell, Scope, Setting, Subject};
use crate::matrix::configuration;
use crate::prelude::*;
use crate::row::{StepRow, TriggerRow};

pub use control::controls_hold;
pub use curve::curve;

/// The model calls of one cell, in order.
pub type StepsOf<'a> = &'a (dyn Fn(&str) -> Result<Vec<StepRow>> + Sync);

/// Everything that derived figures are made from.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    /// All cells that were driven and measured, with their floors and compactions.
    pub frame: &'a Frame<'a>,
    /// The pipeline that each pipeline's floor is compared with, where it names one.
    pub references: &'a BTreeMap<String, String>,
    /// `triggers.parquet`.
    pub triggers: &'a [TriggerRow],
    /// The rows of one cell in `steps.parquet`, in order.
    pub steps_of: StepsOf<'a>,
}

/// A configuration, mode and summarizer, on one family of scenarios or on all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pool<'a> {
    family: Option<&'a str>,
    pipeline: &'a str,
    variant: &'a str,
    mode: &'a str,
    summarizer: &'a str,
}

impl<'a> Pool<'a> {
    fn of(cell: &'a MeasuredCell) -> Pool<'a> {
        Pool {
            family: Some(&cell.key.family),
            pipeline: &cell.key.pipeline,
            variant: &cell.key.variant,
            mode: &cell.key.mode,
            summarizer: &cell.key.summarizer,
        }
    }

    fn everywhere(self) -> Pool<'a> {
        Pool { family: None, ..self }
    }

    fn setting(&self) -> Setting {
        Setting {
            configuration: configuration(self.pipeline, self.variant),
            mode: self.mode.to_owned(),
            summarizer: self.summarizer.to_owned(),
        }
    }

    fn subject(&self) -> Subject {
        let setting = self.setting();
        match self.family {
            Some(family) => Subject::on(family, Scope::Group, setting),
            None => Subject::new(Scope::Configuration, setting),
        }
    }
}

/// Cells by whose figures they are pooled with.
type Pools<'a> = BTreeMap<Pool<'a>, Vec<&'a MeasuredCell>>;

/// The cells of every group. A summarizer that is made to fail is no setting to choose.
fn groups<'a>(frame: &Frame<'a>) -> Pools<'a> {
    let mut groups = Pools::new();
    for cell in frame.cells().iter().copied().filter(|cell| cell.key.fault().is_none()) {
        groups.entry(Pool::of(cell)).or_default().push(cell);
    }
    groups
}

/// The same over all scenarios, without twins in another phrase bank.
fn everywhere<'a>(groups: &Pools<'a>) -> Pools<'a> {
    let mut everywhere = Pools::new();
    for (pool, cells) in groups.iter().filter(|(_, cells)| !cells[0].is_twin()) {
        everywhere.entry(pool.everywhere()).or_default().extend(cells);
    }
    everywhere
}

/// All derived figures: of cells, groups, configurations, brackets, pairs and triggers.
pub fn derive(record: &Record) -> Result<Vec<Derived>> {
    let frame = record.frame;
    let mut rows = control::rows(frame);
    rows.extend(adversaries::rows(frame));
    rows.extend(partner::rows(record)?);
    let pooled = pool::rows(frame, &pool::savings(&rows));
    rows.extend(groups::rows(record));
    rows.extend(pooled);
    rows.extend(brackets::rows(frame));
    rows.extend(faults::rows(frame));
    rows.extend(banks::rows(frame));
    rows.extend(triggers::rows(record));
    Ok(rows)
}

/// Of names alone, so that another group's figures never shift these.
fn seed(subject: &Subject, figure: &str, purpose: &str) -> Seed {
    // The summarizer `empty` was called `null`; it keeps the draws of its first name, and so
    // the figures that were published under it.
    let subject = subject.to_string().replace("/empty", "/null");
    Seed(0).derive(&["derive", &subject, figure, purpose])
}

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
