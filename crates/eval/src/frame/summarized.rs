//! The cells of one configuration, by who wrote its summaries.

use std::collections::BTreeMap;

use super::cell::MeasuredCell;
use crate::measure::MetricId;

/// The cells of one configuration by summarizer.
#[derive(Clone, Debug, Default)]
pub struct Summarized<'a> {
    by_summarizer: BTreeMap<&'a str, Vec<&'a MeasuredCell>>,
}

impl<'a> Summarized<'a> {
    /// Puts one in.
    pub fn add(&mut self, cell: &'a MeasuredCell) {
        self.by_summarizer.entry(&cell.key.summarizer).or_default().push(cell);
    }

    /// By how many summarizers it was driven.
    pub fn summarizers(&self) -> usize {
        self.by_summarizer.len()
    }

    /// Whether it asks for summaries.
    pub fn asks(&self) -> bool {
        let mut cells = self.by_summarizer.values().flatten();
        cells.any(|cell| cell.number(MetricId::TokensSummarizer) != Some(0.0))
    }

    /// Its cells under a summarizer; the only ones where it asks for no summary.
    pub fn under(&self, summarizer: &str) -> Option<&[&'a MeasuredCell]> {
        let alone = || self.by_summarizer.values().next().filter(|_| !self.asks());
        let only = || alone().filter(|_| self.summarizers() == 1);
        self.by_summarizer.get(summarizer).or_else(only).map(Vec::as_slice)
    }
}
