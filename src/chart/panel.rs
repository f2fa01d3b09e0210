//! A panel of several series, each named at its right end.

use plotters::style::RGBColor;

use super::axis::{Frame, Scale};
use super::figure;
use super::labels;
use super::palette::{self, FAINT, SOFT};
use super::picture::{Bounds, Label, Picture, Side};
use super::text::{self, LABEL, TICK, Weight};

/// Height of a line of labels.
const LINE: f64 = 14.0;

/// One series.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name.
    pub label: String,
    /// Its colour.
    pub colour: RGBColor,
    /// What was measured.
    pub points: Vec<(f64, f64)>,
    /// The line through it: a fit, or the points themselves.
    pub line: Vec<(f64, f64)>,
}

impl Series {
    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty() && self.line.is_empty()
    }

    fn end(&self) -> Option<(f64, f64)> {
        let ends = [self.line.last(), self.points.last()];
        ends.into_iter().flatten().copied().max_by(|one, other| one.0.total_cmp(&other.0))
    }
}

/// A panel of series on axes of its own or shared ones.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Its title.
    pub title: String,
    /// What y is, with its unit.
    pub y_title: &'static str,
    /// What x is, with its unit.
    pub x_title: &'static str,
    /// The series.
    pub series: Vec<Series>,
    /// A limit on y with its name.
    pub limit: Option<(f64, String)>,
}

/// Only finite values can be drawn.
pub fn finite(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let whole = |(x, y): &(f64, f64)| x.is_finite() && y.is_finite();
    points.iter().copied().filter(whole).collect()
}

/// The height that a panel needs so that its labels have a line each.
pub fn height_for(series: usize) -> f64 {
    (series as f64 * LINE + 96.0).max(250.0)
}

/// Draws the panel into its box.
pub fn draw(picture: &mut Picture, panel: &Panel, bounds: &Bounds, x: &Scale, y: &Scale) {
    const LEADER: f64 = 16.0;
    let left = y.label_width() + 6.0;
    let room = bounds.width * 0.4;
    let names: Vec<String> = panel
        .series
        .iter()
        .map(|series| text::fit(&series.label, LABEL, Weight::Regular, room))
        .collect();
    let widths = names.iter().map(|name| text::width(name, LABEL, Weight::Regular));
    let right = (widths.fold(0.0, f64::max) + LEADER + 6.0).max(30.0);
    let area = Bounds::new(
        bounds.left + left,
        bounds.top + 44.0,
        bounds.width - left - right,
        bounds.height - 84.0,
    );
    let frame = Frame { area, x: x.clone(), y: y.clone() };
    figure::panel_title(picture, bounds, &panel.title);
    frame.draw(picture, panel.x_title, panel.y_title);
    if let Some((value, name)) = &panel.limit {
        draw_limit(picture, &frame, *value, name);
    }
    for series in &panel.series {
        draw_series(picture, series, &frame);
    }
    let ends: Vec<f64> = panel
        .series
        .iter()
        .map(|series| series.end().map_or(area.bottom(), |(_, y)| frame.y_of(y)))
        .collect();
    let heights = labels::spread(&ends, LINE, area.top, area.bottom());
    for (index, series) in panel.series.iter().enumerate() {
        let edge = area.right();
        if let Some((end, _)) = series.end() {
            let from = (frame.x_of(end) + 4.0, ends[index]);
            picture.dashes(from, (edge.max(from.0), ends[index]), (1.5, 2.5), series.colour);
        }
        let to = (edge + LEADER, heights[index]);
        picture.line(vec![(edge + 2.0, ends[index]), (to.0 - 2.0, to.1)], series.colour, 0.75);
        let colour = palette::text_of(series.colour);
        let at = (to.0 + 2.0, to.1);
        picture.text(Label::new(&names[index], at, Side::Start, LABEL, colour));
    }
}

fn draw_limit(picture: &mut Picture, frame: &Frame, value: f64, name: &str) {
    let says = format!("{name} {}", text::count(value));
    let (left, right) = (frame.area.left, frame.area.right());
    let (at, side) = if value > frame.y.high() {
        ((right, frame.area.top - 14.0), Side::End)
    } else {
        let y = frame.y_of(value);
        picture.dashes((left, y), (right, y), (5.0, 3.0), FAINT);
        ((left + 4.0, y - 8.0), Side::Start)
    };
    let says = if side == Side::End { format!("{says} (above this plot)") } else { says };
    picture.text_on_paper(Label::new(says, at, side, TICK, SOFT));
}

fn draw_series(picture: &mut Picture, series: &Series, frame: &Frame) {
    let line = series.line.iter().map(|(x, y)| frame.point(*x, *y)).collect();
    picture.line(line, series.colour, 1.5);
    for (x, y) in &series.points {
        picture.disc(frame.point(*x, *y), 2.75, series.colour);
    }
}
