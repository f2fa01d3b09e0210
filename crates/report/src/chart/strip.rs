//! When compactions fire and how long they block: a row of every firing for each
//! configuration.

use super::axis::{Frame, Scale};
use super::figure::{self, Sign};
use super::palette::{BLUE, FAINT, GREEN, INK, ORANGE, PALE_BLUE, SOFT, VERMILLION};
use super::picture::{Bounds, Label, Picture, Side};
use super::text::{self, LABEL, TICK, Weight};
use super::{Rendered, render};
use crate::error::Result;
use crate::number;
use crate::stats;

const ROW: f64 = 24.0;
/// More firings than this are drawn by their quartiles and ends alone.
const MOST_POINTS: usize = 400;
/// Amounts that differ by this factor or more are shown by their powers of ten.
const WIDE: f64 = 25.0;

/// Utilization when compactions fired.
#[derive(Clone, Debug, Default)]
pub struct PressureChart {
    /// What the chart is called.
    pub title: String,
    /// The configurations, in reading order.
    pub rows: Vec<PressureRow>,
}

/// One configuration.
#[derive(Clone, Debug, Default)]
pub struct PressureRow {
    /// Its name.
    pub configuration: String,
    /// The view over the usable window, for each firing that changed the view.
    pub utilization: Vec<f64>,
    /// The utilization at which its stages' own pressure is just met, where they read one.
    pub trigger: Option<f64>,
}

/// Waiting for compactions.
#[derive(Clone, Debug, Default)]
pub struct LatencyChart {
    /// What the chart is called.
    pub title: String,
    /// The target in seconds that is drawn as a line.
    pub target: f64,
    /// The configurations, in reading order.
    pub rows: Vec<LatencyRow>,
}

/// One configuration.
#[derive(Clone, Debug, Default)]
pub struct LatencyRow {
    /// Its name.
    pub configuration: String,
    /// Modelled seconds that the agent waited, for each firing that asked a summarizer.
    pub seconds: Vec<f64>,
}

/// Rows of values over one scale.
struct Strip<'a> {
    title: &'a str,
    x_title: &'a str,
    x: Scale,
    key: Vec<(Sign, String)>,
    line: Option<(f64, String)>,
    rows: Vec<Row<'a>>,
}

struct Row<'a> {
    name: &'a str,
    values: Vec<f64>,
    /// Marked above the row.
    trigger: Option<f64>,
    /// The 95th percentile, marked.
    late: Option<f64>,
    says: String,
}

/// Draws the chart; `None` where nothing fired.
pub fn pressure_when_compacting(data: &PressureChart) -> Result<Option<Rendered>> {
    render(pressure(data))
}

/// Draws the chart; `None` where no firing waited.
pub fn blocking_by_firing(data: &LatencyChart) -> Result<Option<Rendered>> {
    render(latency(data))
}

pub(super) fn pressure(data: &PressureChart) -> Option<Picture> {
    let rows: Vec<Row> = data
        .rows
        .iter()
        .filter_map(|row| {
            let values = finite(&row.utilization)?;
            let high = values.iter().filter(|value| **value >= 0.95).count();
            let high = high as f64 / values.len() as f64;
            let says = format!(
                "median {}, {} at 95 % or above, n {}",
                number::axis_percent(stats::median(&values)?),
                number::axis_percent(high),
                number::axis(values.len() as f64)
            );
            let trigger = row.trigger.filter(|trigger| trigger.is_finite());
            Some(Row { name: &row.configuration, values, trigger, late: None, says })
        })
        .collect();
    let most = greatest(&rows)?;
    let triggers = rows.iter().filter_map(|row| row.trigger);
    let most = triggers.fold(most.max(1.0), f64::max);
    let mut key = key();
    if rows.iter().any(|row| row.trigger.is_some()) {
        key.push((Sign::Triangle(ORANGE), "trigger of its own pressure".to_owned()));
    }
    let strip = Strip {
        title: &data.title,
        x_title: "view over the usable window when the firing began",
        x: Scale::rounded(most, 5).written(number::axis_percent),
        key,
        line: Some((1.0, "window full".to_owned())),
        rows,
    };
    Some(layout(&strip))
}

pub(super) fn latency(data: &LatencyChart) -> Option<Picture> {
    let rows: Vec<Row> = data
        .rows
        .iter()
        .filter_map(|row| {
            let values = finite(&row.seconds)?;
            let quantile = |share| stats::quantile(&values, share);
            let (middle, late, most) = (quantile(0.5)?, quantile(0.95)?, quantile(1.0)?);
            let says = format!(
                "p50 {}, p95 {}, max {} s, n {}",
                seconds(middle),
                seconds(late),
                seconds(most),
                number::axis(values.len() as f64)
            );
            Some(Row { name: &row.configuration, values, trigger: None, late: Some(late), says })
        })
        .collect();
    let most = greatest(&rows)?.max(data.target);
    let values = || rows.iter().flat_map(|row| &row.values).copied();
    let least = values().fold(most, f64::min);
    let log = most / least.max(1.0) >= WIDE;
    let x = if log { Scale::logarithmic(least, most) } else { Scale::rounded(most, 6) };
    let mut key = key();
    key.push((Sign::Triangle(ORANGE), "95th percentile".to_owned()));
    let logarithmic = if log { ", logarithmic" } else { "" };
    let x_title = format!("modelled wait of a firing (seconds{logarithmic})");
    let line = Some((data.target, format!("{} s", number::axis(data.target))));
    Some(layout(&Strip { title: &data.title, x_title: &x_title, x, key, line, rows }))
}

fn key() -> Vec<(Sign, String)> {
    vec![
        (Sign::Disc(BLUE), "one firing".to_owned()),
        (Sign::Swatch(PALE_BLUE), "middle half".to_owned()),
        (Sign::Line(GREEN), "median (upright)".to_owned()),
        (Sign::Line(FAINT), "least to greatest".to_owned()),
    ]
}

fn finite(values: &[f64]) -> Option<Vec<f64>> {
    let mut values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    (!values.is_empty()).then_some(values)
}

fn greatest(rows: &[Row]) -> Option<f64> {
    rows.iter().flat_map(|row| &row.values).copied().reduce(f64::max)
}

fn seconds(value: f64) -> String {
    if value < 9.95 { format!("{value:.1}") } else { number::axis(value.round()) }
}

fn layout(strip: &Strip) -> Picture {
    let mut picture = figure::start(strip.title, figure::WIDTH, &strip.key);
    let (names, beside) = figure::names_beside(strip.rows.iter().map(|row| row.name));
    let says = strip.rows.iter().map(|row| text::width(&row.says, TICK, Weight::Regular));
    let right = figure::MARGIN + says.fold(0.0, f64::max) + 14.0;
    let left = figure::MARGIN + beside;
    let height = strip.rows.len() as f64 * ROW;
    let area = Bounds::new(left, picture.height + 26.0, picture.width - left - right, height);
    let frame = Frame { area, x: strip.x.clone(), y: Scale::share() };
    frame.draw_across(&mut picture, strip.x_title);
    for (index, (row, name)) in strip.rows.iter().zip(&names).enumerate() {
        let y = area.top + (index as f64 + 0.5) * ROW;
        picture.text(Label::new(name, (left - 8.0, y), Side::End, LABEL, INK));
        draw_row(&mut picture, row, &frame, y);
        let at = (area.right() + 12.0, y);
        picture.text(Label::new(&row.says, at, Side::Start, TICK, SOFT));
    }
    if let Some((value, name)) = &strip.line {
        let x = frame.x_of(*value);
        picture.dashes((x, area.top - 4.0), (x, area.bottom()), (5.0, 3.0), VERMILLION);
        let colour = super::palette::text_of(VERMILLION);
        picture.text(Label::new(name, (x, area.top - 11.0), Side::Middle, TICK, colour));
    }
    picture.height = area.bottom() + 31.0 + LABEL + figure::MARGIN;
    picture
}

fn draw_row(picture: &mut Picture, row: &Row, frame: &Frame, y: f64) {
    let at = |share| stats::quantile(&row.values, share).map(|value| frame.x_of(value));
    let (Some(least), Some(most)) = (at(0.0), at(1.0)) else { return };
    picture.line(vec![(least, y), (most, y)], FAINT, 1.0);
    for end in [least, most] {
        picture.line(vec![(end, y - 3.5), (end, y + 3.5)], FAINT, 1.0);
    }
    if let (Some(low), Some(high)) = (at(0.25), at(0.75)) {
        picture.fill(Bounds::new(low, y - 6.0, (high - low).max(1.0), 12.0), PALE_BLUE);
    }
    if row.values.len() <= MOST_POINTS {
        // Beside each other where they would cover each other.
        let shift = |index: usize| [0.0, -3.5, 3.5, -1.75, 1.75][index % 5];
        for (index, value) in row.values.iter().enumerate() {
            picture.disc((frame.x_of(*value), y + shift(index)), 1.5, BLUE);
        }
    }
    if let Some(middle) = at(0.5) {
        picture.line(vec![(middle, y - 7.5), (middle, y + 7.5)], GREEN, 2.5);
    }
    for mark in row.trigger.into_iter().chain(row.late) {
        figure::triangle(picture, (frame.x_of(mark), y + 10.0), ORANGE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_firings_are_left_out_and_a_chart_of_none_too() {
        let utilization = vec![f64::NAN];
        let row = PressureRow { configuration: "a".to_owned(), utilization, trigger: Some(0.8) };
        assert!(pressure(&PressureChart { title: String::new(), rows: vec![row] }).is_none());
        let rows = vec![LatencyRow::default()];
        assert!(latency(&LatencyChart { title: String::new(), target: 5.0, rows }).is_none());
    }
}
