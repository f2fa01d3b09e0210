//! Dollars of a session, by what they were paid for.

use plotters::style::RGBColor;

use super::bars::{self, Bar, Bars};
use super::palette::{BLUE, ORANGE, PALE_BLUE, PURPLE, SKY};
use super::picture::Picture;
use super::{Rendered, render};
use crate::error::Result;
use crate::number;

/// What is paid for, in the order of [`DollarBar::parts`].
pub const DOLLAR_PARTS: [&str; 5] = [
    "input read from the cache",
    "input written to the cache",
    "other input",
    "the agent\u{2019}s answers",
    "summarizer",
];

const COLOURS: [RGBColor; 5] = [PALE_BLUE, SKY, BLUE, PURPLE, ORANGE];

/// Mean dollars of a session, a bar for each configuration.
#[derive(Clone, Debug, Default)]
pub struct DollarChart {
    /// What the chart is called.
    pub title: String,
    /// The configurations, in reading order.
    pub bars: Vec<DollarBar>,
}

/// One configuration.
#[derive(Clone, Debug, Default)]
pub struct DollarBar {
    /// Its name.
    pub configuration: String,
    /// Dollars of a session for each of [`DOLLAR_PARTS`].
    pub parts: [f64; 5],
    /// Share of prompt tokens read from the cache, 0 to 1.
    pub hit_rate: Option<f64>,
    /// How many of its sessions ended early, of how many: those cost nothing after.
    pub early: Option<String>,
}

/// Draws the chart; `None` where nothing cost anything.
pub fn dollars_by_part(data: &DollarChart) -> Result<Option<Rendered>> {
    render(layout(data))
}

pub(super) fn layout(data: &DollarChart) -> Option<Picture> {
    let rows = data.bars.iter().map(|bar| Bar {
        name: &bar.configuration,
        parts: bar.parts.iter().map(|part| if part.is_finite() { *part } else { 0.0 }).collect(),
        says: bar
            .hit_rate
            .map(|rate| format!("{} cached", number::axis_percent(rate)))
            .unwrap_or_default(),
        failed: bar.early.as_deref(),
    });
    bars::layout(&Bars {
        title: &data.title,
        x_title: "dollars a session (mean)",
        parts: DOLLAR_PARTS.into_iter().zip(COLOURS).collect(),
        write: number::axis_dollars,
        rows: rows.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_of_sessions_that_cost_nothing_is_left_out() {
        let parts = [0.0, f64::NAN, 0.0, 0.0, 0.0];
        let bars = vec![DollarBar { parts, ..DollarBar::default() }];
        assert!(layout(&DollarChart { title: String::new(), bars }).is_none());
    }
}
