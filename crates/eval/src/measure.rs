//! The figures of one cell, from its trace and the session's truth alone ([`table`]).

mod bounds;
mod faults;
mod firing;
pub mod floor;
mod outcome;
mod retention;
pub mod rows;
#[cfg(test)]
pub(crate) mod sample;
mod savings;
mod shrinking;
mod structure;
pub mod survival;
pub mod table;
mod thrash;
mod value;

use std::collections::BTreeMap;

use crate::drive::{Limits, Session};
use crate::ident::{GoalId, MsgId};
use crate::pipeline::Pipeline;
use crate::price::PriceSheet;
use crate::trace::{EndedBy, Trace};
use crate::unit::Tokens;

pub use firing::{Firing, Round, firings};
pub use table::{Direction, METRICS, Metric, MetricId, Needs};
pub use value::{Check, Measurement, Sign, Value, Word};

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
    /// What the model admits less what every prompt carries; `None` without a window.
    pub fn usable_window(&self) -> Option<Tokens> {
        let windowed = self.limits.window < Tokens::UNBOUNDED;
        windowed.then(|| self.limits.admitted() - self.session.fixed())
    }

    fn steps_reached(&self) -> usize {
        self.trace.steps.len()
    }
}

/// All figures of a cell.
pub fn measure(subject: &Subject) -> Measurement {
    let mut measurement = Measurement::default();
    measure_into(subject, &mut measurement);
    measurement
}

fn measure_into(subject: &Subject, into: &mut Measurement) {
    let firings = firings(&subject.trace.compactions);
    completion(subject, into);
    shrinking::measure(subject, into);
    thrash::measure(subject.trace, &firings, into);
    savings::measure(subject, &firings, into);
    retention::measure(subject, into);
    bounds::measure(subject, into);
    survival::measure(subject, into);
    structure::measure(subject, into);
    faults::measure(subject, into);
    outcome::measure(subject, into);
}

fn completion(subject: &Subject, into: &mut Measurement) {
    let trace = subject.trace;
    into.put(MetricId::Completion, f64::from(trace.ended_by == EndedBy::Completed));
    into.set(MetricId::EndedBy, Some(Value::Word(Word::Ended(trace.ended_by.kind()))));
    into.count(MetricId::StepsReached, subject.steps_reached());
    into.count(MetricId::StepsTotal, trace.steps_total as usize);
    goals(subject, into);
    into.count(MetricId::SendsOverflows, trace.overflows as usize);
    into.count(MetricId::SendsCutOffs, trace.cut_offs as usize);
}

/// Goals with steps, and those of which every step was answered.
fn goals(subject: &Subject, into: &mut Measurement) {
    let Session { book, steps, .. } = subject.session;
    let arcs = book.truth.goals.iter();
    let mut begun: Vec<(MsgId, GoalId)> =
        arcs.flat_map(|goal| goal.arc.iter().map(|message| (*message, goal.id))).collect();
    begun.sort();
    // By goal, its last step: later steps write over earlier ones.
    let mut last: BTreeMap<GoalId, usize> = BTreeMap::new();
    for (step, call) in steps.iter().enumerate() {
        let before = begun.partition_point(|(message, _)| *message < call.answer);
        last.extend(before.checked_sub(1).map(|place| (begun[place].1, step)));
    }
    let reached = subject.steps_reached();
    into.count(MetricId::GoalsFinished, last.values().filter(|step| **step < reached).count());
    into.count(MetricId::GoalsTotal, last.len());
}

#[cfg(test)]
mod endings;
#[cfg(test)]
mod tests;
