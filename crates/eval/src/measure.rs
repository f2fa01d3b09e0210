//! Measurement: the figures of one cell, from its trace and the session's truth.
//!
//! Nothing here looks at another cell, a clock or a file. What each figure means
//! stands in the metric table ([`table`]) and nowhere else.

mod bounds;
mod faults;
mod firing;
pub mod floor;
mod recovered;
mod retention;
pub mod rows;
#[cfg(test)]
mod sample;
mod savings;
mod shrinking;
mod stale;
mod structure;
pub mod survival;
pub mod table;

use std::collections::BTreeMap;

use crate::drive::{Limits, Session};
use crate::pipeline::Pipeline;
use crate::price::PriceSheet;
use crate::trace::{EndedBy, Trace};
use crate::unit::{Tokens, float};

pub use firing::Firing;
pub use table::{Direction, METRICS, Metric, Needs, metric};

/// A driven cell with all that its figures depend on.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// What it did.
    pub trace: &'a Trace,
    /// The session that was replayed.
    pub session: &'a Session,
    /// The configuration that was driven.
    pub pipeline: &'a Pipeline,
    /// What the model admitted; the window may be swept or absent.
    pub limits: Limits,
    /// The scenario's own window, by which distances are told: never a swept one.
    pub base_window: Tokens,
    /// Prices and rates.
    pub sheet: &'a PriceSheet,
}

impl Subject<'_> {
    /// What the model admits less what every prompt carries; `None` for windowless
    /// cells.
    pub fn usable_window(&self) -> Option<Tokens> {
        let windowed = self.limits.window < Tokens::UNBOUNDED;
        windowed.then(|| self.limits.admitted() - self.session.fixed())
    }

    fn steps_reached(&self) -> usize {
        self.trace.steps.len()
    }
}

/// A figure's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// In the metric's unit.
    Number(f64),
    /// One of the metric's words.
    Word(&'static str),
}

/// The figures of one cell, by metric. A figure without a value is undefined there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurement {
    values: BTreeMap<&'static str, Option<Value>>,
}

impl Measurement {
    /// The number of this metric; `None` where it is undefined or a word.
    pub fn number(&self, id: &str) -> Option<f64> {
        match self.values.get(id).copied().flatten() {
            Some(Value::Number(number)) => Some(number),
            Some(Value::Word(_)) | None => None,
        }
    }

    /// Every metric of cells with its value, in the order of the table.
    pub fn values(&self) -> impl Iterator<Item = (&'static Metric, Option<Value>)> {
        table::of_cells().map(|metric| (metric, self.values.get(metric.id).copied().flatten()))
    }

    /// The columns under [`table::of_cells`], as `measurements.csv` writes them.
    pub fn columns(&self) -> Vec<String> {
        self.values().map(|(_, value)| text(value)).collect()
    }

    /// The columns by metric, as they would be read back from the file.
    pub fn figures(&self) -> BTreeMap<String, String> {
        self.values().map(|(metric, value)| (metric.id.to_owned(), text(value))).collect()
    }

    /// Sets a number; one that is not finite is undefined.
    fn put(&mut self, id: &str, value: impl Into<Option<f64>>) {
        let value = value.into().filter(|value| value.is_finite());
        self.set(id, value.map(Value::Number));
    }

    /// Sets a count.
    fn count(&mut self, id: &str, count: usize) {
        self.put(id, count as f64);
    }

    fn set(&mut self, id: &str, value: Option<Value>) {
        let metric = metric(id);
        debug_assert!(metric.is_some(), "`{id}` is not in the metric table");
        if let Some(metric) = metric {
            self.values.insert(metric.id, value);
        }
    }
}

fn text(value: Option<Value>) -> String {
    match value {
        Some(Value::Number(number)) => float(number),
        Some(Value::Word(word)) => word.to_owned(),
        None => String::new(),
    }
}

/// All figures of a cell.
pub fn measure(subject: &Subject) -> Measurement {
    let mut measurement = Measurement::default();
    let firings = firing::firings(subject.trace);
    completion(subject, &mut measurement);
    shrinking::measure(subject, &firings, &mut measurement);
    savings::measure(subject, &firings, &mut measurement);
    retention::measure(subject, &mut measurement);
    bounds::measure(subject, &mut measurement);
    survival::measure(subject, &mut measurement);
    stale::measure(subject, &mut measurement);
    recovered::measure(subject, &mut measurement);
    structure::measure(subject, &mut measurement);
    faults::measure(subject, &mut measurement);
    measurement
}

fn completion(subject: &Subject, into: &mut Measurement) {
    let trace = subject.trace;
    into.put("completion", f64::from(trace.ended_by == EndedBy::Completed));
    into.set("ended_by", Some(Value::Word(trace.ended_by.name())));
    into.count("steps_reached", subject.steps_reached());
    into.count("steps_total", trace.steps_total as usize);
    into.count("sends.overflows", trace.overflows as usize);
    into.count("sends.cut_offs", trace.cut_offs as usize);
}

/// A part of a whole; `None` of nothing.
fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests;
