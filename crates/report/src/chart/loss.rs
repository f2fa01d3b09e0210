//! Loss attribution: where each configuration lost what it lost.

use plotters::style::RGBColor;

use super::bars::{self, Bar, Bars};
use super::palette::{BLUE, ORANGE, PURPLE, SKY, VERMILLION};
use super::picture::Picture;
use super::{Rendered, render};
use crate::error::Result;
use crate::number;

/// The causes, in the order of [`LossBar::facts`] (METRICS, retention).
pub const LOSS_CAUSES: [&str; 5] =
    ["dropped", "covered but unseen", "shown but omitted", "lost in re-summary", "inverted"];

const COLOURS: [RGBColor; 5] = [BLUE, SKY, ORANGE, VERMILLION, PURPLE];

/// Lost facts by cause, a bar for each configuration.
#[derive(Clone, Debug, Default)]
pub struct LossChart {
    /// What the chart is called.
    pub title: String,
    /// The configurations, in reading order.
    pub bars: Vec<LossBar>,
}

/// One configuration.
#[derive(Clone, Debug, Default)]
pub struct LossBar {
    /// Its name.
    pub configuration: String,
    /// Number of facts lost by each of [`LOSS_CAUSES`].
    pub facts: [u64; 5],
    /// Steps that its sessions reached, all together; 0 where not known.
    pub steps: u64,
    /// How many of its sessions ended early, of how many: those lost nothing after.
    pub early: Option<String>,
}

impl LossBar {
    /// Losses for each hundred steps reached: what sessions of different ends have in
    /// common.
    fn rate(&self) -> String {
        if self.steps == 0 {
            return String::new();
        }
        let rate = self.facts.iter().sum::<u64>() as f64 * 100.0 / self.steps as f64;
        let figure = if rate < 9.95 { format!("{rate:.1}") } else { number::axis(rate.round()) };
        format!("{figure} per 100 steps")
    }
}

/// Draws the chart; `None` where no configuration lost a fact.
pub fn loss_attribution(data: &LossChart) -> Result<Option<Rendered>> {
    render(layout(data))
}

pub(super) fn layout(data: &LossChart) -> Option<Picture> {
    let rows = data.bars.iter().map(|bar| Bar {
        name: &bar.configuration,
        parts: bar.facts.iter().map(|&facts| facts as f64).collect(),
        says: bar.rate(),
        failed: bar.early.as_deref(),
    });
    bars::layout(&Bars {
        title: &data.title,
        x_title: "facts lost (count)",
        parts: LOSS_CAUSES.into_iter().zip(COLOURS).collect(),
        write: number::axis,
        rows: rows.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_without_losses_is_left_out() {
        let bar = LossBar { configuration: "none".to_owned(), ..LossBar::default() };
        assert!(layout(&LossChart { title: String::new(), bars: vec![bar] }).is_none());
    }

    #[test]
    fn losses_are_told_for_each_hundred_steps_reached() {
        let rate = |facts: u64, steps| {
            LossBar { facts: [facts, 1, 0, 0, 0], steps, ..LossBar::default() }.rate()
        };
        assert_eq!(rate(2, 0), "");
        assert_eq!(rate(2, 400), "0.8 per 100 steps");
        assert_eq!(rate(199, 100), "200 per 100 steps");
    }
}
