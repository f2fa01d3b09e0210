//! Series as drawings: coordinates that the templates put into SVG.

use std::ops::Range;

use serde::Serialize;

use super::book::Book;
use super::figure::figure;
use super::{WINDOW, figure};
use crate::history::series::Point;
use crate::history::{Finding, Kind, Series};

/// The least height of a chart as a share of its level: noise under it looks small.
const LEAST_RANGE: f64 = 0.02;

/// A drawing's size: whole, and the area of its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// One of many small drawings side by side.
pub(super) const SMALL: Size =
    Size { width: 240.0, height: 64.0, left: 4.0, right: 236.0, top: 6.0, bottom: 58.0 };
/// A drawing with axes.
pub(super) const LARGE: Size =
    Size { width: 760.0, height: 264.0, left: 84.0, right: 748.0, top: 40.0, bottom: 230.0 };
/// All nights in a strip under a drawing.
const STRIP: Size =
    Size { width: 760.0, height: 44.0, left: 84.0, right: 748.0, top: 4.0, bottom: 40.0 };

/// A series, laid out.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Plot {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    /// One line an era.
    lines: Vec<String>,
    /// Points of nights that have no neighbour in their era.
    dots: Vec<(f64, f64)>,
    /// Where the last night is.
    last: (f64, f64),
    /// The levels that steps part: left, right, height.
    levels: Vec<(f64, f64, f64)>,
    steps: Vec<Upright>,
    marks: Vec<Upright>,
    drifts: Vec<Drawn>,
    /// Title of the axis of values.
    unit: &'static str,
    y_ticks: Vec<(f64, String)>,
    x_ticks: Vec<(f64, String)>,
    /// For readers who do not see it.
    pub(super) label: String,
    /// The last figure, and the range of all that is drawn.
    pub(super) now: String,
    pub(super) low: String,
    pub(super) high: String,
    /// The date of the last figure, where that is not the last night.
    pub(super) stale: Option<String>,
    /// All nights, where not all are drawn above.
    pub(super) strip: Option<Strip>,
}

/// Something at one night.
#[derive(Clone, Debug, Serialize)]
struct Upright {
    x: f64,
    /// The date of a step, the number of a mark.
    label: String,
    /// Whether there is room for the label.
    has_room: bool,
    says: String,
    class: &'static str,
}

/// A drift that goes on: its nights, and the line that is fitted to them.
#[derive(Clone, Debug, Serialize)]
struct Drawn {
    left: f64,
    right: f64,
    from: f64,
    to: f64,
    says: String,
}

/// All nights of a series, thinned.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Strip {
    width: f64,
    height: f64,
    lines: Vec<String>,
    /// The nights that are drawn in full: left and right.
    window: (f64, f64),
    steps: Vec<f64>,
    first: String,
    last: String,
}

/// Scales of a drawing.
struct Scale {
    size: Size,
    nights: (usize, usize),
    low: f64,
    high: f64,
}

impl Scale {
    fn of(points: &[Point], size: Size) -> Scale {
        let least = points.iter().map(|point| point.mean).fold(f64::INFINITY, f64::min);
        let most = points.iter().map(|point| point.mean).fold(f64::NEG_INFINITY, f64::max);
        let middle = (least + most) / 2.0;
        let half = ((most - least) / 2.0 * 1.08).max(middle.abs() * LEAST_RANGE / 2.0);
        let half = if half > 0.0 { half } else { 0.5 };
        let nights = (points.first().map_or(0, |p| p.night), points.last().map_or(0, |p| p.night));
        Scale { size, nights, low: middle - half, high: middle + half }
    }

    fn x(&self, night: usize) -> f64 {
        let (first, last) = self.nights;
        let width = self.size.right - self.size.left;
        if last <= first {
            return tenth(self.size.left + width / 2.0);
        }
        let share = night.saturating_sub(first) as f64 / (last - first) as f64;
        tenth(self.size.left + share.min(1.0) * width)
    }

    fn y(&self, value: f64) -> f64 {
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        tenth(self.size.bottom - share * (self.size.bottom - self.size.top))
    }
}

fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Lays out the last nights of a series.
pub(super) fn plot(book: &Book, series: &Series, size: Size) -> Option<Plot> {
    let end = series.points.len();
    laid_out(book, series, size, end.saturating_sub(WINDOW)..end)
}

/// Lays out the nights around one of them: as many as are usual, the last ones where it
/// is among these.
pub(super) fn around(book: &Book, series: &Series, night: usize) -> Option<Plot> {
    let at = series.points.partition_point(|point| point.night < night);
    let end = (at + WINDOW / 3).max(WINDOW).min(series.points.len());
    let latest = series.points.len().saturating_sub(WINDOW);
    let start = if at >= latest { latest } else { end.saturating_sub(WINDOW) };
    let end = if at >= latest { series.points.len() } else { end };
    laid_out(book, series, SMALL, start..end)
}

fn laid_out(book: &Book, series: &Series, size: Size, window: Range<usize>) -> Option<Plot> {
    let points = &series.points[window.clone()];
    let (first, last) = (points.first()?, points.last()?);
    let scale = Scale::of(points, size);
    let metric = &series.key.metric;
    let findings: Vec<&Finding> = book.findings_of(&series.key).collect();
    let shown = |night: usize| (first.night..=last.night).contains(&night);
    let steps: Vec<&Finding> = findings
        .iter()
        .copied()
        .filter(|finding| finding.kind == Kind::Step && shown(finding.night))
        .collect();
    let drifting = findings.iter().filter(|finding| finding.kind == Kind::Drift);
    let range = |pick: fn(f64, f64) -> f64| points.iter().map(|p| p.mean).reduce(pick);
    let (lines, dots) = lines(series, &window, &scale);
    let is_large = size.height > 100.0;
    Some(Plot {
        width: size.width,
        height: size.height,
        left: size.left,
        right: size.right,
        top: size.top,
        bottom: size.bottom,
        lines,
        dots,
        last: (scale.x(last.night), scale.y(last.mean)),
        levels: if is_large { levels(series, &window, &steps, &scale) } else { Vec::new() },
        steps: uprights(book, &steps, &scale),
        marks: marks(book, series, &scale, &shown),
        drifts: drifting
            .filter(|one| shown(one.other))
            .map(|one| drawn(book, one, &scale))
            .collect(),
        unit: figure::unit(metric),
        y_ticks: if is_large { y_ticks(metric, &scale) } else { Vec::new() },
        x_ticks: if is_large { x_ticks(book, &scale) } else { Vec::new() },
        label: label(book, series, points, &steps),
        now: figure(metric, last.mean),
        low: range(f64::min).map_or(String::new(), |low| figure(metric, low)),
        high: range(f64::max).map_or(String::new(), |high| figure(metric, high)),
        stale: (window.end == series.points.len() && last.night + 1 < book.nights.len())
            .then(|| book.date(last.night).to_owned()),
        strip: (is_large && window.start > 0).then(|| strip(book, series, window.start, &findings)),
    })
}

fn label(book: &Book, series: &Series, points: &[Point], steps: &[&Finding]) -> String {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return String::new() };
    let key = &series.key;
    let on = key.scenario.as_ref().map_or(String::new(), |scenario| format!(" on {scenario}"));
    let found: Vec<&str> = steps.iter().map(|step| book.date(step.night)).collect();
    let found = match found.as_slice() {
        [] => "no step".to_owned(),
        dates => format!("steps on {}", dates.join(", ")),
    };
    format!(
        "{} of {}{on}, {} to {}: from {} to {}, {found}",
        key.metric,
        key.contestant(),
        book.date(first.night),
        book.date(last.night),
        figure(&key.metric, first.mean),
        figure(&key.metric, last.mean),
    )
}

/// One line an era; an era of one night is a dot.
fn lines(series: &Series, window: &Range<usize>, scale: &Scale) -> (Vec<String>, Vec<(f64, f64)>) {
    let (mut lines, mut dots) = (Vec::new(), Vec::new());
    for era in &series.eras {
        let places: Vec<(f64, f64)> = series.points[within(era, window)]
            .iter()
            .map(|point| (scale.x(point.night), scale.y(point.mean)))
            .collect();
        match places.as_slice() {
            [] => {}
            [one] => dots.push(*one),
            more => lines.push(joined(more)),
        }
    }
    (lines, dots)
}

/// What of an era is drawn.
fn within(era: &Range<usize>, window: &Range<usize>) -> Range<usize> {
    let start = era.start.clamp(window.start, window.end);
    start..era.end.clamp(start, window.end)
}

fn joined(places: &[(f64, f64)]) -> String {
    use std::fmt::Write;
    let mut text = String::with_capacity(places.len() * 12);
    for (x, y) in places {
        // OK to drop: writing to a string does not fail.
        let _ = write!(text, "{}{x},{y}", if text.is_empty() { "" } else { " " });
    }
    text
}

/// Means of the stretches between steps and ends of eras, where there is a step.
fn levels(
    series: &Series,
    window: &Range<usize>,
    steps: &[&Finding],
    scale: &Scale,
) -> Vec<(f64, f64, f64)> {
    let mut levels = Vec::new();
    for era in &series.eras {
        let points = &series.points[within(era, window)];
        let is_bound = |point: &Point| steps.iter().any(|step| step.night == point.night);
        if !points.iter().any(is_bound) {
            continue;
        }
        for level in points.chunk_by(|_, next| !is_bound(next)) {
            let (Some(first), Some(last)) = (level.first(), level.last()) else { continue };
            let mean = level.iter().map(|point| point.mean).sum::<f64>() / level.len() as f64;
            levels.push((scale.x(first.night), scale.x(last.night), scale.y(mean)));
        }
    }
    levels
}

fn uprights(book: &Book, steps: &[&Finding], scale: &Scale) -> Vec<Upright> {
    /// Width of a date on a large drawing.
    const ROOM: f64 = 150.0;
    let mut nights: Vec<&Finding> = steps.to_vec();
    nights.sort_by_key(|step| std::cmp::Reverse(step.night));
    let mut free_to = f64::INFINITY;
    let mut uprights = Vec::new();
    for step in nights {
        let x = scale.x(step.night);
        let has_room = x + ROOM / 2.0 <= free_to;
        if has_room {
            free_to = x - ROOM / 2.0;
        }
        let class = match step.better {
            Some(true) => "better",
            Some(false) => "worse",
            None => "other",
        };
        let (from, to) = figure::pair(&step.key.metric, step.from, step.to);
        let label = book.date(step.night).to_owned();
        let says = format!("{label}: {from} → {to}");
        uprights.push(Upright { x, label, has_room, says, class });
    }
    uprights
}

/// A drift's nights and its line. The line goes through the middle of its nights; where
/// the drawing begins later, it is drawn from there.
fn drawn(book: &Book, drift: &Finding, scale: &Scale) -> Drawn {
    let nights = (drift.other - drift.night).max(1) as f64;
    let cut = scale.nights.0.saturating_sub(drift.night) as f64;
    let slope = (drift.to - drift.from) / nights;
    let (from, to) = figure::pair(&drift.key.metric, drift.from, drift.to);
    Drawn {
        left: scale.x(drift.night),
        right: scale.x(drift.other),
        from: scale.y(drift.from + cut * slope),
        to: scale.y(drift.to),
        says: format!(
            "drift, fitted {from} on {} and {to} on {}",
            book.date(drift.night),
            book.date(drift.other)
        ),
    }
}

/// One upright a night on which something else changed, the oldest first.
fn marks(
    book: &Book,
    series: &Series,
    scale: &Scale,
    shown: &impl Fn(usize) -> bool,
) -> Vec<Upright> {
    /// Width of a number.
    const ROOM: f64 = 24.0;
    let marks: Vec<_> = book.marks_of(&series.key).filter(|mark| shown(mark.night)).collect();
    let nights = marks.chunk_by(|one, other| one.night == other.night);
    let mut taken_to = f64::NEG_INFINITY;
    nights
        .map(|marks| {
            let night = marks[0].night;
            let says: Vec<&str> = marks.iter().take(6).map(|mark| mark.says.as_str()).collect();
            let more = marks.len().saturating_sub(6);
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            let says = format!("{}: {}{more}", book.date(night), says.join("; "));
            let x = scale.x(night);
            let has_room = x >= taken_to && x + ROOM <= scale.size.width;
            if has_room {
                taken_to = x + ROOM;
            }
            Upright { x, label: book.number_of(night).to_string(), has_room, says, class: "mark" }
        })
        .collect()
}

fn y_ticks(metric: &str, scale: &Scale) -> Vec<(f64, String)> {
    let rough = (scale.high - scale.low) / 4.0;
    let power = 10_f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough);
    let step = factor.unwrap_or(10.0) * power;
    let first = (scale.low / step).ceil();
    let values = (0..8).map(|at| (first + f64::from(at)) * step);
    let values: Vec<f64> = values.take_while(|value| *value <= scale.high).collect();
    // Ticks next to each other are told apart, whatever digits that takes.
    let text = |at: usize| match (values.get(at + 1), at.checked_sub(1).map(|at| values[at])) {
        (Some(next), _) => figure::pair(metric, values[at], *next).0,
        (None, Some(before)) => figure::pair(metric, before, values[at]).1,
        (None, None) => figure(metric, values[at]),
    };
    (0..values.len()).map(|at| (scale.y(values[at]), text(at))).collect()
}

/// Up to six dates, evenly spread, the first and the last among them.
fn x_ticks(book: &Book, scale: &Scale) -> Vec<(f64, String)> {
    let (first, last) = scale.nights;
    let parts = (last - first).clamp(1, 5);
    let mut nights: Vec<usize> =
        (0..=parts).map(|part| first + (last - first) * part / parts).collect();
    nights.dedup();
    nights.into_iter().map(|night| (scale.x(night), book.date(night).to_owned())).collect()
}

/// All nights: of every two pixels the least and the greatest figure.
fn strip(book: &Book, series: &Series, start: usize, findings: &[&Finding]) -> Strip {
    let scale = Scale::of(&series.points, STRIP);
    let mut lines = Vec::new();
    for era in &series.eras {
        let points = &series.points[era.clone()];
        let column = |point: &Point| (scale.x(point.night) / 2.0) as i64;
        let mut places = Vec::new();
        for points in points.chunk_by(|one, other| column(one) == column(other)) {
            let mut ends: Vec<&Point> = Vec::new();
            ends.extend(points.iter().min_by(|one, other| one.mean.total_cmp(&other.mean)));
            ends.extend(points.iter().max_by(|one, other| one.mean.total_cmp(&other.mean)));
            ends.sort_by_key(|point| point.night);
            ends.dedup_by_key(|point| point.night);
            places.extend(ends.iter().map(|point| (scale.x(point.night), scale.y(point.mean))));
        }
        lines.push(joined(&places));
    }
    let steps = findings.iter().filter(|finding| finding.kind == Kind::Step);
    let (first, last) = scale.nights;
    Strip {
        width: STRIP.width,
        height: STRIP.height,
        lines,
        window: (scale.x(series.points[start].night), scale.x(last)),
        steps: steps.map(|step| scale.x(step.night)).collect(),
        first: book.date(first).to_owned(),
        last: book.date(last).to_owned(),
    }
}
