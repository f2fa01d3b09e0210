//! Series as drawings: coordinates that the templates put into SVG.

use super::prelude::*;

use super::WINDOW;
use crate::history::mark::Mark;
use crate::history::series::Point;

/// The least height of a chart as a share of its level: noise under it looks small.
const LEAST_RANGE: f64 = 0.02;
/// Marks of one night that are told one by one.
const TOLD: usize = 6;

/// A drawing's size: whole, and the area of its values.
#[derive(Clone, Copy, Serialize)]
pub struct Size {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

pub const SMALL: Size =
    Size { width: 240.0, height: 64.0, left: 4.0, right: 236.0, top: 6.0, bottom: 58.0 };
pub const LARGE: Size =
    Size { width: 760.0, height: 264.0, left: 84.0, right: 748.0, top: 40.0, bottom: 230.0 };
const STRIP: Size =
    Size { width: 760.0, height: 44.0, left: 84.0, right: 748.0, top: 4.0, bottom: 40.0 };

struct Scale {
    size: Size,
    nights: (usize, usize),
    low: f64,
    high: f64,
    /// The distance of its ticks.
    tick: f64,
}

impl Scale {
    fn of(points: &[Point], size: Size) -> Scale {
        let (least, most) = range(points);
        let middle = (least + most) / 2.0;
        let half = ((most - least) / 2.0 * 1.08).max(middle.abs() * LEAST_RANGE / 2.0);
        let half = if half > 0.0 { half } else { 0.5 };
        let nights = (points.first().map_or(0, |p| p.night), points.last().map_or(0, |p| p.night));
        let (low, high) = (middle - half, middle + half);
        if size.height <= SMALL.height {
            return Scale { size, nights, low, high, tick: high - low };
        }
        // A drawing with an axis begins and ends on a tick, so that both ends have a figure.
        let tick = tick(low, high);
        let (low, high) = ((low / tick).floor() * tick, (high / tick).ceil() * tick);
        Scale { size, nights, low, high, tick }
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

    fn place(&self, point: &Point) -> (f64, f64) {
        (self.x(point.night), self.y(point.mean))
    }

    fn shows(&self, night: usize) -> bool {
        (self.nights.0..=self.nights.1).contains(&night)
    }
}

fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn range(points: &[Point]) -> (f64, f64) {
    let means = || points.iter().map(|point| point.mean);
    (means().fold(f64::INFINITY, f64::min), means().fold(f64::NEG_INFINITY, f64::max))
}

pub fn plot(book: &Book, series: &Series, size: Size) -> Option<Value> {
    let end = series.points.len();
    laid_out(book, series, size, end.saturating_sub(WINDOW)..end)
}

/// Lays out the nights around one of them, the last ones where it is among these.
pub fn around(book: &Book, series: &Series, night: usize) -> Option<Value> {
    let all = series.points.len();
    let at = series.points.partition_point(|point| point.night < night);
    let end = match at >= all.saturating_sub(WINDOW) {
        true => all,
        false => (at + WINDOW / 3).max(WINDOW).min(all),
    };
    laid_out(book, series, SMALL, end.saturating_sub(WINDOW)..end)
}

fn laid_out(book: &Book, series: &Series, size: Size, window: Range<usize>) -> Option<Value> {
    let points = &series.points[window.clone()];
    let (first, last) = (points.first()?, points.last()?);
    let scale = Scale::of(points, size);
    let key = &series.key;
    let (low, high) = range(points);
    let (least, greatest) = pair(&key.metric, low, high);
    let findings: Vec<&Finding> = book.findings_of(key).collect();
    let steps = || findings.iter().copied().filter(|one| one.state != State::Small);
    let shown: Vec<&Finding> = steps().filter(|step| scale.shows(step.night)).collect();
    let eras = series.eras.iter().map(|era| &series.points[within(era, &window)]);
    let places = |era: &[Point]| era.iter().map(|point| scale.place(point)).collect::<Vec<_>>();
    let (dots, lines): (Vec<_>, Vec<_>) =
        eras.map(places).filter(|era| !era.is_empty()).partition(|era| era.len() == 1);
    let axes = || {
        context! {
            y_ticks => y_ticks(&key.metric, &scale),
            x_ticks => x_ticks(book, &scale),
            levels => levels(series, &window, &shown, &scale),
            // All nights, where not all are drawn above.
            strip => (window.start > 0).then(|| strip(book, series, window.start, steps())),
        }
    };
    Some(context! {
        size => Value::from(Serde(size)),
        metric => &key.metric,
        contestant => key.contestant(),
        scenario => key.scenario.as_deref(),
        unit => unit(&key.metric),
        // One line an era; nights without a neighbour in their era are dots.
        lines => lines.iter().map(|era| joined(era)).collect::<Value>(),
        dots => dots.concat(),
        last => scale.place(last),
        axes => (size.height > SMALL.height).then(axes),
        marks => marks(book, series, &scale),
        steps => uprights(book, shown, &scale),
        dates => (book.date(first.night), book.date(last.night)),
        from => figure(&key.metric, first.mean),
        now => figure(&key.metric, last.mean),
        low => least,
        high => greatest,
        is_level => low.to_bits() == high.to_bits(),
        // Whether the last figure is not of the last night.
        is_stale => window.end == series.points.len() && last.night + 1 < book.nights.len(),
    })
}

fn within(era: &Range<usize>, window: &Range<usize>) -> Range<usize> {
    let start = era.start.clamp(window.start, window.end);
    start..era.end.clamp(start, window.end)
}

fn joined(places: &[(f64, f64)]) -> String {
    places.iter().map(|(x, y)| format!("{x},{y}")).collect::<Vec<_>>().join(" ")
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

fn uprights(book: &Book, mut steps: Vec<&Finding>, scale: &Scale) -> Value {
    /// Width of a date on a large drawing.
    const ROOM: f64 = 150.0;
    steps.sort_by_key(|step| Reverse(step.night));
    let mut free_to = f64::INFINITY;
    let upright = |step: &Finding| {
        let x = scale.x(step.night);
        let has_room = x + ROOM / 2.0 <= free_to;
        if has_room {
            free_to = x - ROOM / 2.0;
        }
        let (from, to) = pair(&step.key.metric, step.from, step.to);
        let worth = worth(step.better).unwrap_or("other");
        context! { x, date => book.date(step.night), has_room, worth, from, to }
    };
    steps.into_iter().map(upright).collect()
}

/// One upright a night on which something else changed, the oldest first.
fn marks(book: &Book, series: &Series, scale: &Scale) -> Value {
    /// Width of a number.
    const ROOM: f64 = 24.0;
    let marks: Vec<_> = book.marks_of(&series.key).filter(|mark| scale.shows(mark.night)).collect();
    let mut taken_to = f64::NEG_INFINITY;
    let nights = marks.chunk_by(|one, other| one.night == other.night);
    let upright = |marks: &[&Mark]| {
        let night = marks[0].night;
        let x = scale.x(night);
        let has_room = x >= taken_to && x + ROOM <= scale.size.width;
        if has_room {
            taken_to = x + ROOM;
        }
        let marks = few(marks.iter().map(|mark| &mark.says), TOLD);
        let number = book.number_of(night);
        context! { x, date => book.date(night), has_room, number, marks }
    };
    nights.map(upright).collect()
}

/// The distance of ticks that gives about four of them between two values.
fn tick(low: f64, high: f64) -> f64 {
    let rough = (high - low) / 4.0;
    let power = 10_f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough);
    factor.unwrap_or(10.0) * power
}

/// From the foot of the drawing to its top.
fn y_ticks(metric: &str, scale: &Scale) -> Vec<(f64, String)> {
    let step = scale.tick;
    let first = (scale.low / step).round();
    let values = (0..9).map(|at| (first + f64::from(at)) * step);
    // Half a tick of room for what floats do.
    let values: Vec<f64> = values.take_while(|value| *value <= scale.high + step / 2.0).collect();
    // Ticks next to each other are told apart, whatever digits that takes.
    let text = |at: usize| match (values.get(at + 1), at.checked_sub(1).map(|at| values[at])) {
        (Some(next), _) => pair(metric, values[at], *next).0,
        (None, Some(before)) => pair(metric, before, values[at]).1,
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
fn strip<'a>(
    book: &Book,
    series: &Series,
    start: usize,
    steps: impl Iterator<Item = &'a Finding>,
) -> Value {
    let scale = Scale::of(&series.points, STRIP);
    let column = |point: &Point| (scale.x(point.night) / 2.0) as i64;
    let lines = series.eras.iter().map(|era| {
        let columns =
            series.points[era.clone()].chunk_by(|one, other| column(one) == column(other));
        let places = columns.flat_map(|points| {
            let by_mean = |one: &&Point, other: &&Point| one.mean.total_cmp(&other.mean);
            let ends = [points.iter().min_by(by_mean), points.iter().max_by(by_mean)];
            let mut ends: Vec<&Point> = ends.into_iter().flatten().collect();
            ends.sort_by_key(|point| point.night);
            ends.dedup_by_key(|point| point.night);
            ends.into_iter().map(|point| scale.place(point)).collect::<Vec<_>>()
        });
        joined(&places.collect::<Vec<_>>())
    });
    let (first, last) = scale.nights;
    context! {
        size => Value::from(Serde(STRIP)),
        lines => lines.collect::<Value>(),
        window => (scale.x(series.points[start].night), scale.x(last)),
        steps => steps.map(|step| scale.x(step.night)).collect::<Value>(),
        first => book.date(first),
        last => book.date(last),
    }
}
