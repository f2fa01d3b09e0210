//! The figures by which orders are compared.

use std::collections::BTreeMap;
use std::fmt;

use super::Set;
use crate::derive::MeasuredCell;

/// By metric, with the difference that would be too small to care about. The floor
/// stands in for what is kept where it was probed.
pub(super) const FIGURES: [(&str, Margin); 8] = [
    ("completion", Margin::Points(0.02)),
    ("recall_at_need", Margin::Points(0.02)),
    ("savings.net", Margin::Points(0.02)),
    ("cost.usd", Margin::Share(0.05)),
    ("floor.one_pass", Margin::Share(0.05)),
    ("tokens.last_kept", Margin::Share(0.05)),
    ("violations", Margin::Points(0.0)),
    ("latency.total", Margin::Share(0.05)),
];

/// A difference that is none worth having.
#[derive(Clone, Copy)]
pub(super) enum Margin {
    /// In the figure's own unit.
    Points(f64),
    /// As a share of the best order's mean.
    Share(f64),
}

impl Margin {
    pub(super) fn of(metric: &str) -> Margin {
        let known = FIGURES.iter().find(|(name, _)| *name == metric);
        known.map_or(Margin::Points(0.0), |(_, margin)| *margin)
    }

    pub(super) fn amount(self, best: f64) -> f64 {
        match self {
            Margin::Points(points) => points,
            Margin::Share(share) => share * best.abs(),
        }
    }
}

impl fmt::Display for Margin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Margin::Points(points) => write!(f, "the margin of {points}"),
            Margin::Share(share) => write!(f, "the margin of {} %", share * 100.0),
        }
    }
}

/// Those that a set has.
pub(super) fn shown(set: &Set) -> Vec<&'static str> {
    let mut cells = set.orders.iter().flat_map(|order| order.cells.values().flatten());
    let probed = cells.any(|cell| cell.number("floor.one_pass").is_some());
    let left_out = if probed { "tokens.last_kept" } else { "floor.one_pass" };
    FIGURES.iter().map(|(name, _)| *name).filter(|name| *name != left_out).collect()
}

/// A cell's figure. What a session costs is comparable where it reached its end; what it
/// missed behind an early end counts as missed.
pub(super) fn value(cell: &MeasuredCell, metric: &str, net: &BTreeMap<String, f64>) -> Option<f64> {
    match metric {
        "completion" | "recall_at_need" => cell.number(metric),
        _ if !cell.completed() => None,
        "savings.net" => net.get(&cell.key.cell).copied(),
        _ => cell.number(metric),
    }
}
