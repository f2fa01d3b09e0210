//! The figures by which orders are compared, and how they are written.

use proctor_eval::frame::Frame;
use proctor_eval::measure::{Direction, MetricId};

use crate::run::Cell;
use crate::table::{number, percent};

/// A figure with the difference that would be too small to care about.
#[derive(Clone, Copy)]
pub struct Figure {
    pub metric: MetricId,
    pub title: &'static str,
    margin: Margin,
    unit: Unit,
}

#[derive(Clone, Copy)]
enum Margin {
    /// In the figure's own unit.
    Points(f64),
    /// As a share of the best order's mean.
    Share(f64),
}

#[derive(Clone, Copy)]
enum Unit {
    Share,
    Dollars,
    Plain,
    Milliseconds,
}

/// The floor stands in for what is kept where it was probed.
const FIGURES: [Figure; 8] = {
    use Margin::{Points, Share};
    const fn figure(metric: MetricId, title: &'static str, margin: Margin, unit: Unit) -> Figure {
        Figure { metric, title, margin, unit }
    }
    [
        figure(MetricId::Completion, "Completion (points)", Points(0.02), Unit::Share),
        figure(MetricId::RecallAtNeed, "Recall at need (points)", Points(0.02), Unit::Share),
        figure(MetricId::SavingsNet, "Net savings (points)", Points(0.02), Unit::Share),
        figure(MetricId::CostUsd, "Dollars", Share(0.05), Unit::Dollars),
        figure(MetricId::FloorOnePass, "Floor (tokens)", Share(0.05), Unit::Plain),
        figure(MetricId::TokensLastKept, "Last kept (tokens)", Share(0.05), Unit::Plain),
        figure(MetricId::Violations, "Violations", Points(0.0), Unit::Plain),
        figure(MetricId::LatencyTotal, "Waiting (s)", Share(0.05), Unit::Milliseconds),
    ]
};

/// Those that are compared over these cells.
pub fn compared<'a>(mut cells: impl Iterator<Item = &'a Cell>) -> Vec<Figure> {
    let probed = cells.any(|cell| cell.number(MetricId::FloorOnePass).is_some());
    let left_out = if probed { MetricId::TokensLastKept } else { MetricId::FloorOnePass };
    FIGURES.into_iter().filter(|figure| figure.metric != left_out).collect()
}

impl Figure {
    /// A cell's value. What a session costs is comparable where it reached its end.
    pub fn of(&self, cell: &Cell, run: &Frame) -> Option<f64> {
        let counts_always = [MetricId::Completion, MetricId::RecallAtNeed].contains(&self.metric);
        run.figure(cell, self.metric).filter(|_| counts_always || cell.completed())
    }

    /// 1 where less is better, −1 where more is.
    pub fn loss(&self) -> f64 {
        match self.metric.metric().better {
            Direction::Higher => -1.0,
            Direction::Lower | Direction::Neither => 1.0,
        }
    }

    /// The largest difference to the best order's mean that is not worth having.
    pub fn allowed(&self, best: f64) -> f64 {
        match self.margin {
            Margin::Points(points) => points,
            Margin::Share(share) => share * best.abs(),
        }
    }

    pub fn value(&self, value: f64) -> String {
        match self.unit {
            Unit::Share => percent(value),
            Unit::Dollars => format!("${}", number(value)),
            Unit::Plain => number(value),
            Unit::Milliseconds => number(value / 1_000.0),
        }
    }

    /// A difference with its sign; shares in points.
    pub fn change(&self, value: f64) -> String {
        let written = match self.unit {
            Unit::Share => number(value * 100.0),
            Unit::Dollars | Unit::Plain => number(value),
            Unit::Milliseconds => number(value / 1_000.0),
        };
        if value > 0.0 && written != "0" { format!("+{written}") } else { written }
    }
}
