//! Which configurations tables and charts have room for: those that a suite names, as deployed
//! first; of generated ones the best, the median and the worst.

use std::cmp::Ordering;

use super::figures::{Config, Figures, Representatives};
use crate::prelude::*;

pub const ROWS: usize = 16;
pub const PANELS: usize = 12;
/// Generated configurations that every table still has room for.
const GENERATED: usize = 12;

pub struct Choice<'b> {
    pub drawn: Vec<&'b Config>,
    pub left_out: LeftOut,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    named: Vec<String>,
    generated_left: usize,
    generated: usize,
}

pub fn choose<'b>(figures: &Figures, mut all: Vec<&'b Config>, most: usize) -> Choice<'b> {
    if all.len() <= most {
        return Choice { drawn: all, left_out: LeftOut::default() };
    }
    let (mut generated, mut named): (Vec<&Config>, Vec<&Config>) =
        all.iter().partition(|config| config.generated);
    let count = generated.len();
    let extremes = extremes(figures, &generated);
    generated.retain(|config| extremes.contains(config));
    let room = most.saturating_sub(generated.len());
    // Sorting keeps the order of the run among equals.
    named.sort_by_key(|config| !config.is_deployed());
    let left_out = LeftOut {
        named: named.iter().skip(room).map(|config| config.name()).collect(),
        generated_left: count - generated.len(),
        generated: count,
    };
    named.truncate(room);
    all.retain(|config| named.contains(config) || generated.contains(config));
    Choice { drawn: all, left_out }
}

/// The generated configurations that represent all; `None` where tables have room for all.
pub fn representatives(figures: &Figures) -> Option<Representatives> {
    let mut generated: Vec<&Config> = figures.unswept().filter(|config| config.generated).collect();
    let mode = generated.first()?.mode.clone();
    generated.retain(|config| config.mode == mode);
    let count = generated.len();
    if count <= GENERATED {
        return None;
    }
    if generated.iter().any(|config| figures.ranks(config)) {
        generated.retain(|config| figures.ranks(config));
    }
    let extremes = extremes(figures, &generated);
    let three = extremes.iter().map(|config| config.configuration.clone()).collect();
    Some(Representatives { generated: count, three, mode })
}

fn extremes<'b>(figures: &Figures, all: &[&'b Config]) -> Vec<&'b Config> {
    let rank = |config: &Config| {
        let figure = |metric| figures.value(config, metric);
        [
            -figure(MetricId::Completion).unwrap_or(0.0),
            -figure(MetricId::RecallAtNeed).unwrap_or(0.0),
            figure(MetricId::CostUsd).unwrap_or(f64::MAX),
        ]
    };
    let mut ranked: Vec<([f64; 3], &Config)> =
        all.iter().map(|config| (rank(config), *config)).collect();
    ranked.sort_by(|(left, _), (right, _)| left.partial_cmp(right).unwrap_or(Ordering::Equal));
    let places = [0, ranked.len() / 2, ranked.len().saturating_sub(1)];
    places.iter().filter_map(|place| Some(ranked.get(*place)?.1)).collect()
}
