//! Findings: a step or a drift of a series.

use std::cmp::Reverse;

use super::series::Key;
use crate::words;

pub(super) const NEAR: usize = 2;

words! {
    /// What was found.
    pub enum Kind {
        /// The level shifted and stayed.
        Step = "step",
        /// The level moves a little every night.
        Drift = "drift",
        /// The noise about the level grows or shrinks.
        Spread = "noise",
    }
}

/// A change of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The series.
    pub key: Key,
    /// What was found.
    pub kind: Kind,
    /// Index of the night: the first of the new level, or of the nights that drift.
    pub night: usize,
    /// Index of the night before it in the series; of a drift, its last night.
    pub other: usize,
    /// The level, or the noise, before.
    pub from: f64,
    /// The level, or the noise, after.
    pub to: f64,
    /// Chance of as much anywhere in its family; `None` where the series repeats exactly.
    pub p: Option<f64>,
    /// Whether it is for the better, where the metric has a direction.
    pub better: Option<bool>,
    /// Index of the night on which it was first found: of a step in noise some nights
    /// after its own, of a drift the first of those that all show it.
    pub made: usize,
    /// Index of the night that names it however many nights follow: the place of a step
    /// as it was first found; of a drift the first night that might have been part of it.
    pub named: usize,
    /// Whether the last night is the first that shows it.
    pub is_new: bool,
    /// Whether it is for the worse and holds on the last night (`standing`).
    pub stands: bool,
    /// The same in single scenarios, with their own figures, where it is over all of them.
    pub parts: Vec<Finding>,
}

impl Finding {
    /// The scenarios that show it too, where it is over all of them.
    pub fn scenarios(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| part.key.scenario.as_deref())
    }

    pub(super) fn shows(&self, single: &Finding) -> bool {
        let (one, other) = (&self.key, &single.key);
        one.scenario.is_none()
            && self.kind == single.kind
            && (&one.metric, &one.configuration, &one.mode)
                == (&other.metric, &other.configuration, &other.mode)
            && (self.kind != Kind::Step || self.night.abs_diff(single.night) <= NEAR)
            && (self.to > self.from) == (single.to > single.from)
    }

    /// The newest first; of one night those over all scenarios before single ones, the
    /// worse before the better, the larger before the smaller.
    pub(super) fn order(&self) -> impl Ord + use<> {
        let size = (self.to - self.from).abs() / self.from.abs().max(self.to.abs());
        let size = if size.is_finite() { (size * 1e6) as u64 } else { 0 };
        // Worse, better, neither.
        let worth = self.better.map_or(2, u8::from);
        let is_step = self.kind == Kind::Step;
        // A drift is as new as its last night, but no single night is its own.
        let night = if is_step { self.night } else { 0 };
        let is_single = self.key.scenario.is_some();
        (!is_step, Reverse(night), is_single, worth, Reverse(size), self.key.clone())
    }
}
