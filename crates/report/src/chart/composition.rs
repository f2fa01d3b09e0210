//! Composition over steps: what the context of each configuration is made of.

use plotters::style::RGBColor;

use super::axis::{Frame, Scale};
use super::context::End;
use super::figure::{self, Sign};
use super::labels;
use super::palette::{self, BLUE, BROWN, ORANGE, PURPLE, SILVER, SKY, SLATE, VERMILLION, WHITE};
use super::picture::{Bounds, Label, Mark, Picture, Point, Side};
use super::text::{self, TICK, Weight};
use super::{Rendered, render};
use crate::error::Result;

/// What a context is made of, from the bottom of the areas, in the order of
/// [`CompositionStep::tokens`].
pub const COMPOSITION_PARTS: [&str; 8] = [
    "system and schemas",
    "[GOAL BATCH]",
    "[SUMMARIZED]",
    "summary",
    "other",
    "user",
    "assistant",
    "tool results",
];

const COLOURS: [RGBColor; 8] = [SLATE, VERMILLION, ORANGE, PURPLE, BROWN, BLUE, SKY, SILVER];

/// The same parts as panels name them.
const SHORT: [&str; 8] =
    ["system", "goal batch", "summarized", "summary", "other", "user", "assistant", "tool"];

/// One session through several configurations: a panel each, on the same axes.
#[derive(Clone, Debug, Default)]
pub struct CompositionChart {
    /// What the chart is called.
    pub title: String,
    /// The configurations, in reading order.
    pub panels: Vec<CompositionPanel>,
}

/// One configuration.
#[derive(Clone, Debug, Default)]
pub struct CompositionPanel {
    /// Its name.
    pub configuration: String,
    /// What each step sent, steps ascending.
    pub steps: Vec<CompositionStep>,
    /// How the session ended, where it did not complete.
    pub end: Option<End>,
}

/// One step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompositionStep {
    /// The step.
    pub step: u64,
    /// Tokens of each of [`COMPOSITION_PARTS`].
    pub tokens: [u64; 8],
}

impl CompositionStep {
    fn total(&self) -> u64 {
        self.tokens.iter().sum()
    }
}

/// From the edge of a plot to the names beside it.
const LEADER: f64 = 12.0;
/// Height of a line of names.
const LINE: f64 = 12.5;

/// Draws the chart; `None` where no panel holds a step.
pub fn composition_over_steps(data: &CompositionChart) -> Result<Option<Rendered>> {
    render(layout(data))
}

pub(super) fn layout(data: &CompositionChart) -> Option<Picture> {
    let panels: Vec<&CompositionPanel> =
        data.panels.iter().filter(|panel| !panel.steps.is_empty()).collect();
    let steps = || panels.iter().flat_map(|panel| &panel.steps);
    let last = steps().map(|step| step.step).max()?;
    let most = steps().map(CompositionStep::total).max()?;
    let (x, y) = (Scale::whole(last as f64, 4), Scale::rounded(most as f64, 4));
    let used = |part: usize| steps().any(|step| step.tokens[part] > 0);
    let parts = COMPOSITION_PARTS.into_iter().zip(COLOURS).enumerate();
    let mut key: Vec<(Sign, String)> = parts
        .filter(|(part, _)| used(*part))
        .map(|(_, (name, colour))| (Sign::Swatch(colour), name.to_owned()))
        .collect();
    if panels.iter().any(|panel| panel.end.is_some()) {
        key.push((Sign::Cross(VERMILLION), "session ended early".to_owned()));
    }
    let mut picture = figure::start(&data.title, figure::WIDTH, &key);
    let columns = match panels.len() {
        one @ 0..=1 => one.max(1),
        2..=4 => 2,
        _ => 3,
    };
    let height = if columns == 1 { 340.0 } else { 236.0 };
    let boxes = figure::panels(&mut picture, panels.len(), columns, height);
    for (panel, bounds) in panels.iter().zip(&boxes) {
        draw_panel(&mut picture, panel, bounds, (&x, &y));
    }
    Some(picture)
}

fn draw_panel(
    picture: &mut Picture,
    panel: &CompositionPanel,
    bounds: &Bounds,
    (x, y): (&Scale, &Scale),
) {
    let left = y.label_width() + 6.0;
    let names = SHORT.iter().map(|name| text::width(name, TICK, Weight::Regular));
    let right = names.fold(0.0, f64::max) + LEADER + 6.0;
    let (width, height) = (bounds.width - left - right, bounds.height - 98.0);
    let area = Bounds::new(bounds.left + left, bounds.top + 58.0, width, height);
    let frame = Frame { area, x: x.clone(), y: y.clone() };
    figure::panel_title(picture, bounds, &panel.configuration);
    let failed = panel.end.as_ref().map(|end| format!("{} at step {}", end.reason, end.step));
    figure::panel_remark(picture, bounds, failed.as_deref(), "");
    frame.draw(picture, "step", "prompt (tokens)");
    let steps = thinned(&panel.steps, &frame);
    draw_areas(picture, &steps, &frame);
    if let Some(last) = steps.last() {
        draw_names(picture, last, &frame);
        if panel.end.is_some() {
            let at = frame.point(last.step as f64, last.total() as f64);
            figure::cross(picture, at, VERMILLION);
        }
    }
}

/// One step for each pixel of width: the largest prompt of those that share it, and
/// the last step of all.
fn thinned(steps: &[CompositionStep], frame: &Frame) -> Vec<CompositionStep> {
    let column = |step: &CompositionStep| frame.x_of(step.step as f64).floor() as i64;
    let runs = steps.chunk_by(|one, other| column(one) == column(other));
    let mut kept: Vec<CompositionStep> =
        runs.filter_map(|run| run.iter().max_by_key(|step| step.total()).copied()).collect();
    if let Some(last) = steps.last().filter(|last| kept.last() != Some(last)) {
        kept.push(*last);
    }
    kept
}

fn draw_areas(picture: &mut Picture, steps: &[CompositionStep], frame: &Frame) {
    let edge = |parts: usize| -> Vec<Point> {
        let under = |step: &CompositionStep| step.tokens[..parts].iter().sum::<u64>() as f64;
        steps.iter().map(|step| frame.point(step.step as f64, under(step))).collect()
    };
    if let [only] = steps {
        return draw_bar(picture, only, frame);
    }
    let used = |part: usize| steps.iter().any(|step| step.tokens[part] > 0);
    let parts: Vec<usize> = (0..COLOURS.len()).filter(|part| used(*part)).collect();
    for part in &parts {
        let mut outline = edge(part + 1);
        outline.extend(edge(*part).into_iter().rev());
        picture.marks.push(Mark::Area(outline, COLOURS[*part]));
    }
    // A white seam keeps neighbours apart without relying on colour.
    for part in parts.iter().skip(1) {
        picture.line(edge(*part), WHITE, 0.5);
    }
}

/// A session of one step: a bar of its parts.
fn draw_bar(picture: &mut Picture, step: &CompositionStep, frame: &Frame) {
    let (x, mut under) = (frame.x_of(step.step as f64), 0.0);
    for (tokens, colour) in step.tokens.iter().zip(COLOURS) {
        let (low, high) = (frame.y_of(under), frame.y_of(under + *tokens as f64));
        picture.fill(Bounds::new(x - 6.0, high, 12.0, low - high), colour);
        under += *tokens as f64;
    }
}

/// Names what the last prompt is made of, where it can be seen.
fn draw_names(picture: &mut Picture, last: &CompositionStep, frame: &Frame) {
    let (mut under, mut seen) = (0.0, Vec::new());
    for (part, tokens) in last.tokens.iter().enumerate() {
        let over = under + *tokens as f64;
        let (low, high) = (frame.y_of(under), frame.y_of(over));
        if low - high >= 1.5 {
            seen.push((part, (low + high) / 2.0));
        }
        under = over;
    }
    let area = &frame.area;
    let wanted: Vec<f64> = seen.iter().map(|(_, at)| *at).collect();
    let heights = labels::spread(&wanted, LINE, area.top, area.bottom());
    let end = frame.x_of(last.step as f64);
    for ((part, at), height) in seen.into_iter().zip(heights) {
        let foot = (area.right() + LEADER - 2.0, height);
        let from = end.max(area.right() - 1.0);
        picture.dashes((end, at), (from + 2.0, at), figure::DOTS, COLOURS[part]);
        picture.line(vec![(from + 2.0, at), foot], COLOURS[part], 0.75);
        let colour = palette::text_of(COLOURS[part]);
        let at = (area.right() + LEADER, height);
        picture.text(Label::new(SHORT[part], at, Side::Start, TICK, colour));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_without_steps_is_left_out() {
        let panels = vec![CompositionPanel::default()];
        assert!(layout(&CompositionChart { title: String::new(), panels }).is_none());
    }

    #[test]
    fn thinning_keeps_the_largest_prompt_of_each_pixel_and_the_last_step() {
        let tokens = |step: u64| if step == 777 { 900 } else { 100 };
        let step = |step| CompositionStep { step, tokens: [tokens(step), 0, 0, 0, 0, 0, 0, 0] };
        let steps: Vec<CompositionStep> = (1..=10_000).map(step).collect();
        let area = Bounds::new(0.0, 0.0, 300.0, 100.0);
        let frame = Frame { area, x: Scale::whole(10_000.0, 4), y: Scale::share() };
        let kept = thinned(&steps, &frame);
        assert!(kept.len() <= 302, "{}", kept.len());
        assert!(kept.iter().any(|step| step.step == 777));
        assert_eq!(kept.last(), steps.last());
    }
}
