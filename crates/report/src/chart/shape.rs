//! Shapes of sessions: small multiples, a row for each session in every panel.

use plotters::style::RGBColor;

use super::axis::{Frame, Scale};
use super::figure::{self, Sign};
use super::palette::{self, BLUE, INK, VERMILLION};
use super::picture::{Bounds, Label, Picture, Side};
use super::text::{self, LABEL, Weight};
use super::{Rendered, render};
use crate::error::Result;

/// What the panels show where the logs themselves were measured: title and unit.
pub const SHAPE_PANELS: [(&str, &str); 6] = [
    ("User messages", "tokens"),
    ("Assistant messages", "tokens, calls included"),
    ("Tool results", "tokens"),
    ("Tool pairs per turn", "count"),
    ("Turns", "tokens"),
    ("Between model calls", "seconds"),
];

const COLUMNS: usize = 3;
const ROW: f64 = 15.0;

/// Sessions with the ranges of their main shapes.
#[derive(Clone, Debug)]
pub struct ShapeChart {
    /// What the chart is called.
    pub title: String,
    /// What the panels show, with their units, in the order of [`ShapeRow::ranges`].
    pub panels: [(&'static str, &'static str); 6],
    /// The sessions, in reading order.
    pub rows: Vec<ShapeRow>,
}

impl Default for ShapeChart {
    fn default() -> ShapeChart {
        ShapeChart { title: String::new(), panels: SHAPE_PANELS, rows: Vec::new() }
    }
}

/// One session, or several taken together.
#[derive(Clone, Debug, Default)]
pub struct ShapeRow {
    /// Its name.
    pub name: String,
    /// Whether it was recorded from real work.
    pub recorded: bool,
    /// Whether it stands for several.
    pub pooled: bool,
    /// A range for each of [`ShapeChart::panels`].
    pub ranges: [Spread; 6],
}

/// A range of values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// One value in ten is at most this.
    pub low: f64,
    /// The median.
    pub middle: f64,
    /// One value in ten is at least this.
    pub high: f64,
}

/// Draws the chart; `None` without a session.
pub fn shapes_side_by_side(data: &ShapeChart) -> Result<Option<Rendered>> {
    render(layout(data))
}

pub(super) fn layout(data: &ShapeChart) -> Option<Picture> {
    if data.rows.is_empty() {
        return None;
    }
    let mut key = Vec::new();
    for (recorded, says) in [(true, "recorded"), (false, "synthetic")] {
        if data.rows.iter().any(|row| row.recorded == recorded) {
            key.push((Sign::Disc(colour(recorded)), format!("{says}: median")));
            key.push((Sign::Line(colour(recorded)), "10 % to 90 %".to_owned()));
        }
    }
    if data.rows.iter().any(|row| row.pooled) {
        key.push((Sign::Ring(INK), "several sessions taken together".to_owned()));
    }
    let mut picture = figure::start(&data.title, figure::WIDTH, &key);
    let height = data.rows.len() as f64 * ROW + 74.0;
    let boxes = figure::panels(&mut picture, data.panels.len(), COLUMNS, height);
    let names: Vec<String> =
        data.rows.iter().map(|row| text::fit(&row.name, LABEL, Weight::Regular, 150.0)).collect();
    for (index, bounds) in boxes.iter().enumerate() {
        draw_panel(&mut picture, data, &names, index, bounds);
    }
    Some(picture)
}

fn colour(recorded: bool) -> RGBColor {
    if recorded { VERMILLION } else { BLUE }
}

fn draw_panel(
    picture: &mut Picture,
    data: &ShapeChart,
    names: &[String],
    index: usize,
    bounds: &Bounds,
) {
    let (title, unit) = data.panels[index];
    let widths = names.iter().map(|name| text::width(name, LABEL, Weight::Regular));
    let left = widths.fold(0.0, f64::max) + 10.0;
    let rows = data.rows.len() as f64 * ROW;
    let area = Bounds::new(bounds.left + left, bounds.top + 22.0, bounds.width - left - 18.0, rows);
    let x = scale(data.rows.iter().map(|row| row.ranges[index]));
    let frame = Frame { area, x, y: Scale::share() };
    figure::panel_title(picture, bounds, title);
    frame.draw_across(picture, unit);
    for (number, (row, name)) in data.rows.iter().zip(names).enumerate() {
        let y = area.top + (number as f64 + 0.5) * ROW;
        let ink = if row.recorded { palette::text_of(VERMILLION) } else { INK };
        picture.text(Label::new(name, (area.left - 8.0, y), Side::End, LABEL, ink));
        draw_range(picture, row, row.ranges[index], &frame, y);
    }
}

/// Amounts that span more than two powers of ten are shown by their powers.
fn scale(ranges: impl Iterator<Item = Spread>) -> Scale {
    let (mut least, mut greatest) = (f64::INFINITY, 0.0_f64);
    for range in ranges {
        least = least.min(range.low.max(1.0));
        greatest = greatest.max(range.high);
    }
    if greatest > 100.0 * least || greatest > 1_000.0 {
        Scale::logarithmic(least, greatest)
    } else {
        Scale::rounded(greatest, 4)
    }
}

fn draw_range(picture: &mut Picture, row: &ShapeRow, range: Spread, frame: &Frame, y: f64) {
    let colour = colour(row.recorded);
    let (from, to) = (frame.x_of(range.low), frame.x_of(range.high));
    picture.line(vec![(from, y), (to, y)], colour, if row.pooled { 3.0 } else { 2.0 });
    let at = (frame.x_of(range.middle), y);
    if row.pooled {
        figure::ring(picture, at, 4.5, colour);
    } else {
        picture.disc(at, 3.5, colour);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_without_sessions_is_left_out() {
        assert!(layout(&ShapeChart::default()).is_none());
    }

    #[test]
    fn narrow_ranges_are_linear_and_wide_ones_are_not() {
        let range = |high: f64| scale([Spread { low: 2.0, middle: 3.0, high }].into_iter());
        assert!((range(8.0).place(4.0) - 0.5).abs() < 1e-9);
        assert!(range(20_000.0).place(200.0) > 0.3);
    }
}
