//! Loss attribution: where each configuration lost what it lost.

use plotters::style::RGBColor;

use super::axis::{Frame, Scale};
use super::figure::{self, Sign};
use super::palette::{self, BLUE, INK, ORANGE, PURPLE, SKY, VERMILLION};
use super::picture::{Bounds, Label, Picture, Side};
use super::text::{self, LABEL, TICK, Weight};
use super::{Rendered, render};
use crate::error::Result;

/// The causes, in the order of [`LossBar::facts`] (METRICS, retention).
pub const LOSS_CAUSES: [&str; 5] =
    ["dropped", "covered but unseen", "shown but omitted", "lost in re-summary", "inverted"];

const COLOURS: [RGBColor; 5] = [BLUE, SKY, ORANGE, VERMILLION, PURPLE];
const ROW: f64 = 24.0;

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
}

impl LossBar {
    fn total(&self) -> f64 {
        self.facts.iter().map(|&facts| facts as f64).sum()
    }
}

/// Draws the chart; `None` where no configuration lost a fact.
pub fn loss_attribution(data: &LossChart) -> Result<Option<Rendered>> {
    render(layout(data))
}

pub(super) fn layout(data: &LossChart) -> Option<Picture> {
    let most = data.bars.iter().map(LossBar::total).fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let key: Vec<(Sign, String)> = LOSS_CAUSES
        .iter()
        .zip(COLOURS)
        .map(|(cause, colour)| (Sign::Swatch(colour), (*cause).to_owned()))
        .collect();
    let mut picture = figure::start(&data.title, figure::WIDTH, &key);
    let names: Vec<String> = data
        .bars
        .iter()
        .map(|bar| text::fit(&bar.configuration, LABEL, Weight::Regular, 280.0))
        .collect();
    let widest = names.iter().map(|name| text::width(name, LABEL, Weight::Regular));
    let left = figure::MARGIN + widest.fold(0.0, f64::max) + 10.0;
    let right = figure::MARGIN + 44.0;
    let height = data.bars.len() as f64 * ROW;
    let area = Bounds::new(left, picture.height + 10.0, picture.width - left - right, height);
    let frame = Frame { area, x: Scale::rounded(most, 6), y: Scale::share() };
    frame.draw_across(&mut picture, "facts lost (count)");
    for (index, (bar, name)) in data.bars.iter().zip(&names).enumerate() {
        let y = area.top + (index as f64 + 0.5) * ROW;
        picture.text(Label::new(name, (left - 8.0, y), Side::End, LABEL, INK));
        draw_bar(&mut picture, bar, &frame, y);
    }
    picture.height = area.bottom() + 31.0 + LABEL + figure::MARGIN;
    Some(picture)
}

fn draw_bar(picture: &mut Picture, bar: &LossBar, frame: &Frame, y: f64) {
    let mut before = 0.0;
    for (&facts, colour) in bar.facts.iter().zip(COLOURS).filter(|(facts, _)| **facts > 0) {
        let (from, to) = (frame.x_of(before), frame.x_of(before + facts as f64));
        // A white seam keeps neighbours apart without relying on colour.
        let segment = Bounds::new(from, y - 8.5, (to - from - 1.0).max(0.5), 17.0);
        picture.fill(segment, colour);
        let says = text::count(facts as f64);
        if text::width(&says, TICK, Weight::Regular) + 6.0 < segment.width {
            let middle = (segment.left + segment.width / 2.0, y);
            let ink = palette::legible_on(colour);
            picture.text(Label::new(says, middle, Side::Middle, TICK, ink));
        }
        before += facts as f64;
    }
    let at = (frame.x_of(before) + 6.0, y);
    let total = Label::new(text::count(before), at, Side::Start, TICK, INK);
    picture.text_on_paper(Label { weight: Weight::Bold, ..total });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_without_losses_is_left_out() {
        let bars = vec![LossBar { configuration: "none".to_owned(), facts: [0; 5] }];
        assert!(layout(&LossChart { title: String::new(), bars }).is_none());
    }
}
