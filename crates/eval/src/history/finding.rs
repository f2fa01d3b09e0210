//! Findings: a figure that stands on another level than before.

use std::cmp::Reverse;

use super::series::Key;

/// How far apart in nights the starts of one change in two series may lie.
const NEAR: usize = 2;

/// What is done about a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is announced.
    Announced,
    /// It is smaller than the margin: the pages tell of it, and nothing else does.
    Small,
    /// Somebody wrote that it is known, for this reason.
    Acknowledged(String),
}

/// A change of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The series.
    pub key: Key,
    /// Index of the first night of the new level.
    pub night: usize,
    /// Index of the night on which it was found. No later night changes this or `night`.
    pub made: usize,
    /// The level before.
    pub from: f64,
    /// The level after, as it was when the change was found.
    pub to: f64,
    /// Whether the series repeats exactly, so that any difference is a change.
    pub is_exact: bool,
    /// Whether it is for the better, where the metric has a direction.
    pub better: Option<bool>,
    /// What is done about it.
    pub state: State,
    /// Whether the last night is the first that shows it.
    pub is_new: bool,
    /// Whether it is for the worse, announced, and its level has not come back.
    pub stands: bool,
    /// The same in single scenarios, with their own figures, where it is over all of them.
    pub parts: Vec<Finding>,
}

impl Finding {
    /// The scenarios that show it too, where it is over all of them.
    pub fn scenarios(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| part.key.scenario.as_deref())
    }

    /// Whether it is announced: neither small nor acknowledged.
    pub fn is_announced(&self) -> bool {
        self.state == State::Announced
    }

    /// Whether the change of a single scenario is part of this one over all of them.
    pub(super) fn shows(&self, single: &Finding) -> bool {
        let (one, other) = (&self.key, &single.key);
        one.scenario.is_none()
            && (&one.metric, &one.configuration, &one.mode)
                == (&other.metric, &other.configuration, &other.mode)
            && self.night <= single.made + NEAR
            && single.night <= self.made + NEAR
            && (self.to > self.from) == (single.to > single.from)
            // A small change over all scenarios does not hide what is announced of one.
            && (self.is_announced() || !single.is_announced())
    }

    /// The newest first; of one night those over all scenarios before single ones, the
    /// worse before the better, the larger before the smaller.
    pub(super) fn order(&self) -> impl Ord + use<> {
        let size = (self.to - self.from).abs() / self.from.abs().max(self.to.abs());
        let size = if size.is_finite() { (size * 1e6) as u64 } else { 0 };
        // Worse, better, neither.
        let worth = self.better.map_or(2, u8::from);
        let is_single = self.key.scenario.is_some();
        (Reverse(self.night), is_single, worth, Reverse(size), self.key.clone())
    }
}
