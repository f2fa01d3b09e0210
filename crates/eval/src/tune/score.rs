//! What a point is worth on the sessions that it was driven over.

use crate::frame::MeasuredCell;
use crate::measure::MetricId;
use crate::prelude::*;
use crate::stats;
use crate::words;

words! {
    /// What is paid. Each has a front of its own.
    pub enum Cost {
        /// Dollars of a session, summaries included.
        Dollars = "dollars",
        /// Tokens of all prompts of a session.
        Tokens = "tokens",
        /// The time that the agent waits for summaries in a session.
        Wait = "wait",
    }
}

impl Cost {
    /// The figure of a cell.
    pub fn metric(self) -> MetricId {
        match self {
            Cost::Dollars => MetricId::CostUsd,
            Cost::Tokens => MetricId::TokensPromptTotal,
            Cost::Wait => MetricId::LatencyTotal,
        }
    }
}

/// Means over sessions. Needs behind an early end count as not recalled; what a session cost that
/// ended early is scaled to all of its calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Score {
    /// Sessions.
    pub sessions: usize,
    /// Those that came to their end.
    pub finished: usize,
    /// Those without figures, by an internal error.
    pub failed: usize,
    /// Recall at need.
    pub recall: Option<f64>,
    /// By [`Cost`].
    pub costs: [Option<f64>; 3],
}

impl Score {
    /// Of the cells of one point.
    pub fn of<'a>(cells: impl IntoIterator<Item = &'a MeasuredCell>) -> Score {
        let cells: Vec<&MeasuredCell> = cells.into_iter().collect();
        let done: Vec<&MeasuredCell> =
            cells.iter().copied().filter(|cell| cell.is_done()).collect();
        let mean = |of: &dyn Fn(&MeasuredCell) -> Option<f64>| {
            stats::mean(&done.iter().filter_map(|cell| of(cell)).collect::<Vec<f64>>())
        };
        Score {
            sessions: cells.len(),
            finished: done.iter().filter(|cell| cell.completed()).count(),
            failed: cells.len() - done.len(),
            recall: mean(&|cell| cell.number(MetricId::RecallAtNeed)),
            costs: Cost::ALL.map(|cost| mean(&|cell| whole(cell, cost.metric()))),
        }
    }

    /// What it costs.
    pub fn cost(&self, cost: Cost) -> Option<f64> {
        self.costs[cost as usize]
    }

    /// Sessions that did not come to their end.
    pub fn unfinished(&self) -> usize {
        self.sessions - self.finished
    }
}

/// A figure of a session, scaled to all of its calls.
fn whole(cell: &MeasuredCell, metric: MetricId) -> Option<f64> {
    let (reached, total) = (cell.steps_reached(), cell.number(MetricId::StepsTotal)?);
    (reached > 0.0).then_some(cell.number(metric)? * total / reached)
}
