//! A panel of several series, each named at its right end.

use plotters::style::RGBColor;

use super::axis::{Frame, Scale};
use super::figure::{self, Sign};
use super::labels;
use super::palette::{self, FAINT, INK, SOFT};
use super::picture::{Bounds, Label, Picture, Side};
use super::text::{self, LABEL, Weight};
use crate::number;

/// Height of a line of labels.
const LINE: f64 = 14.0;

/// From the edge of a plot to the names beside it.
const LEADER: f64 = 16.0;

/// One series.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name.
    pub label: String,
    /// Its colour.
    pub colour: RGBColor,
    /// Whether its points are rings: the second use of a colour.
    pub hollow: bool,
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

/// What a key says of series: discs, lines where they are not the discs joined, and
/// dotted ends where some series ends before the others.
pub fn key<'a>(
    panels: impl Iterator<Item = &'a Panel>,
    measured: &str,
    line: &str,
) -> Vec<(Sign, String)> {
    let series: Vec<&Series> = panels.flat_map(|panel| &panel.series).collect();
    let ends: Vec<f64> = series.iter().filter_map(|series| series.end()).map(|end| end.0).collect();
    let last = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut key = vec![(Sign::Disc(INK), measured.to_owned())];
    if !line.is_empty() && series.iter().any(|series| series.line.len() > 1) {
        key.push((Sign::Line(INK), line.to_owned()));
    }
    if ends.iter().any(|end| *end < last) {
        key.push((Sign::Dots(INK), "to the name: no later value".to_owned()));
    }
    key
}

/// The height that a panel needs so that its labels have a line each.
pub fn height_for(series: usize) -> f64 {
    (series as f64 * LINE + 96.0).max(250.0)
}

/// Draws the panel into its box.
pub fn draw(picture: &mut Picture, panel: &Panel, bounds: &Bounds, x: &Scale, y: &Scale) {
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
    draw_limit(picture, panel, &frame);
    for series in &panel.series {
        draw_series(picture, series, &frame);
    }
    draw_names(picture, panel, &names, &frame);
}

/// Names each series at its right end, apart from its neighbours.
fn draw_names(picture: &mut Picture, panel: &Panel, names: &[String], frame: &Frame) {
    let area = &frame.area;
    let edge = area.right();
    let ends: Vec<(f64, f64)> = panel
        .series
        .iter()
        .filter_map(|series| series.end().map(|(x, y)| frame.point(x, y)))
        .collect();
    let wanted: Vec<f64> = ends.iter().map(|end| end.1).collect();
    let heights = labels::spread(&wanted, LINE, area.top, area.bottom());
    for (((series, name), end), height) in panel.series.iter().zip(names).zip(&ends).zip(heights) {
        let from = (end.0 + 4.0, end.1);
        picture.dashes(from, (edge.max(from.0), end.1), figure::DOTS, series.colour);
        let foot = (edge + LEADER, height);
        picture.line(vec![(edge + 2.0, end.1), (foot.0 - 2.0, height)], series.colour, 0.75);
        let colour = palette::text_of(series.colour);
        picture.text(Label::new(name, (foot.0 + 2.0, height), Side::Start, LABEL, colour));
    }
}

fn draw_limit(picture: &mut Picture, panel: &Panel, frame: &Frame) {
    let Some((value, name)) = &panel.limit else { return };
    let says = format!("{name} {}", number::axis(*value));
    let (left, right) = (frame.area.left, frame.area.right());
    if *value > frame.y.high() {
        let says = format!("{says} (above this plot)");
        let at = (right, frame.area.top - 14.0);
        picture.text(Label::new(says, at, Side::End, LABEL, SOFT));
        return;
    }
    let y = frame.y_of(*value);
    picture.dashes((left, y), (right, y), (5.0, 3.0), FAINT);
    let series = panel.series.iter();
    let data: Vec<(f64, f64)> =
        series.flat_map(|series| series.points.iter().chain(&series.line)).copied().collect();
    picture.text_on_paper(frame.name_of_limit(&says, *value, &data));
}

fn draw_series(picture: &mut Picture, series: &Series, frame: &Frame) {
    let line = series.line.iter().map(|(x, y)| frame.point(*x, *y)).collect();
    picture.line(line, series.colour, 1.5);
    for (x, y) in &series.points {
        let at = frame.point(*x, *y);
        if series.hollow {
            figure::ring(picture, at, 3.25, series.colour);
        } else {
            picture.disc(at, 2.75, series.colour);
        }
    }
}
