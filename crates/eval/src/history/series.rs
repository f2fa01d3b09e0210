//! Series: one figure of one configuration, night by night.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::night::{Group, Night};
pub use crate::compare::contestant;
use crate::measure::MetricId;

/// What a series is of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Metric id.
    pub metric: String,
    /// Configuration.
    pub configuration: String,
    /// Mode.
    pub mode: String,
    /// Scenario; `None` over all sessions of all scenarios.
    pub scenario: Option<String>,
}

impl Key {
    /// Configuration, with its mode where that is an intervention.
    pub fn contestant(&self) -> String {
        contestant(&self.configuration, &self.mode)
    }
}

/// The figure of one night.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Index of the night in the history.
    pub night: usize,
    /// Mean over sessions.
    pub mean: f64,
    /// Sessions.
    pub n: u32,
}

/// A figure over the nights that have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it is of.
    pub key: Key,
    /// One a night, the oldest first.
    pub points: Vec<Point>,
    /// Stretches of points that mean the same thing; nothing is compared across their ends.
    pub eras: Vec<Range<usize>>,
    /// Of every era, whether its figures repeat exactly unless something changed.
    pub exact: Vec<bool>,
}

/// All series of the nights, pooled and of single scenarios, by key.
pub fn assemble(nights: &[Night]) -> Vec<Series> {
    type Name<'a> = (&'a str, &'a str, &'a str, Option<&'a str>);
    let mut points: FxHashMap<Name, Vec<Point>> = FxHashMap::default();
    for (index, night) in nights.iter().enumerate() {
        let mut pooled: FxHashMap<Name, (f64, u32)> = FxHashMap::default();
        for Group { configuration, mode, scenario, figures, .. } in &night.groups {
            for (metric, figure) in figures {
                let point = Point { night: index, mean: figure.mean, n: figure.n };
                let name = (metric.as_str(), configuration.as_str(), mode.as_str());
                let named = (name.0, name.1, name.2, Some(scenario.as_str()));
                points.entry(named).or_default().push(point);
                let sum = pooled.entry((name.0, name.1, name.2, None)).or_default();
                sum.0 += figure.mean * f64::from(figure.n);
                sum.1 += figure.n;
            }
        }
        for (name, (sum, n)) in pooled {
            let mean = crate::unit::nine(sum / f64::from(n.max(1)));
            points.entry(name).or_default().push(Point { night: index, mean, n });
        }
    }
    let build = |((metric, configuration, mode, scenario), points): (Name, Vec<Point>)| {
        let key = Key {
            metric: metric.to_owned(),
            configuration: configuration.to_owned(),
            mode: mode.to_owned(),
            scenario: scenario.map(str::to_owned),
        };
        let eras = eras(&key, &points, nights);
        let exact = eras.iter().map(|era| is_exact(&points[era.clone()], nights)).collect();
        Series { key, points, eras, exact }
    };
    let mut series: Vec<Series> = points.into_iter().map(build).collect();
    series.sort_by(|one, other| one.key.cmp(&other.key));
    series
}

/// Whether a metric is in dollars or seconds of the price sheet.
pub fn is_priced(metric: &str) -> bool {
    MetricId::named(metric).is_some_and(MetricId::is_priced)
}

/// Whether a metric means the same in both nights, on sessions that are the same.
pub(super) fn is_comparable(metric: &str, one: &Night, other: &Night) -> bool {
    one.offline == other.offline
        && one.tokenizer == other.tokenizer
        && one.summarizer == other.summarizer
        && one.metrics.get(metric) == other.metrics.get(metric)
        && (one.prices == other.prices || !is_priced(metric))
}

fn comparable(key: &Key, one: &Night, other: &Night) -> bool {
    let same_inputs = match &key.scenario {
        Some(scenario) => one.inputs.get(scenario) == other.inputs.get(scenario),
        None => one.inputs == other.inputs,
    };
    same_inputs && is_comparable(&key.metric, one, other)
}

fn eras(key: &Key, points: &[Point], nights: &[Night]) -> Vec<Range<usize>> {
    let alike =
        |one: &Point, other: &Point| comparable(key, &nights[one.night], &nights[other.night]);
    let ends = points.chunk_by(alike).scan(0, |end, era| {
        *end += era.len();
        Some(*end - era.len()..*end)
    });
    ends.collect()
}

/// Whether every change has a cause, as in offline runs, which repeat to the byte.
fn is_exact(points: &[Point], nights: &[Night]) -> bool {
    points.iter().all(|point| nights[point.night].offline)
}
