//! Steps: nights at which a level shifted and stayed. A series that repeats exactly steps wherever
//! it changes. One with noise is cut into levels by `without_outliers`, `candidates` and `prove`;
//! a straight line that fits better, by Schwarz's criterion, is a drift and no step.

use std::ops::Range;

use statrs::function::beta::beta_reg;

use crate::stats::{mean, median};
use crate::unit::nine;

/// The fewest nights of a level with noise: fewer are an outlier.
const SHORTEST: usize = 3;
const FEWEST: usize = 2 * SHORTEST + 2;
/// Robust deviations beyond which a single night is out of line.
const OUT_OF_LINE: f64 = 4.0;
/// Robust deviations within which two nights are alike: 19 of 20 pairs of one level.
const LIKE: f64 = 2.8;
const AROUND: usize = 3;
/// A median absolute deviation times this is the deviation of normal noise.
const NORMAL: f64 = 1.482_602_218_505_602;

/// A lasting shift of the level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The first value of the new level.
    pub at: usize,
    /// The level before.
    pub from: f64,
    /// The level after.
    pub to: f64,
    /// Chance of as much among all places; `None` where the series repeats exactly.
    pub p: Option<f64>,
}

/// The steps of a series that repeats exactly: every change is one.
pub fn exact(values: &[f64]) -> Vec<Step> {
    let pairs = values.windows(2).zip(1..);
    let changed = pairs.filter(|(pair, _)| pair[0].to_bits() != pair[1].to_bits());
    changed.map(|(pair, at)| Step { at, from: pair[0], to: pair[1], p: None }).collect()
}

/// The steps of a noisy series; at most this share of series without a step shows one.
pub fn noisy(values: &[f64], level: f64) -> Vec<Step> {
    let is_usable = values.len() >= FEWEST && values.iter().all(|value| value.is_finite());
    let Some(deviation) = deviation(values).filter(|_| is_usable) else { return Vec::new() };
    let clean = without_outliers(values, deviation);
    let sums = Sums::of(&clean);
    let mut bounds = candidates(&sums, deviation);
    let found = loop {
        let proven = prove(&sums, &bounds);
        let weakest = proven.iter().zip(0..).max_by(|one, other| one.0.total_cmp(other.0));
        match weakest {
            Some((&p, place)) if p > level => bounds.remove(place),
            _ => break proven,
        };
    };
    if bounds.is_empty() || is_line(&clean, &sums, &bounds) {
        return Vec::new();
    }
    let levels = levels(&bounds, clean.len());
    let of = |range: &Range<usize>| nine(sums.mean(range));
    let step = |((&at, pair), p): ((&usize, &[Range<usize>]), f64)| Step {
        at,
        from: of(&pair[0]),
        to: of(&pair[1]),
        p: Some(p),
    };
    bounds.iter().zip(levels.windows(2)).zip(found).map(step).collect()
}

/// The robust deviation of the noise; `None` where every value is the same.
fn deviation(values: &[f64]) -> Option<f64> {
    let sizes: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    let robust = median(&sizes)? * NORMAL / std::f64::consts::SQRT_2;
    // More than half of the nights repeat the one before: the mean still sees the others.
    let plain = mean(&sizes)? * std::f64::consts::PI.sqrt() / 2.0;
    let deviation = if robust > 0.0 { robust } else { plain };
    (deviation.is_finite() && deviation > 0.0).then_some(deviation)
}

/// The values, with each night that is alone more than four robust deviations from the median of
/// the six around it put there (a Hampel filter: Pearson and others, "Generalized Hampel Filters",
/// 2016). The first two nights of a new level look so until the third.
fn without_outliers(values: &[f64], deviation: f64) -> Vec<f64> {
    let line = |at: usize| {
        let low = at.saturating_sub(AROUND);
        let high = (at + AROUND + 1).min(values.len());
        let around: Vec<f64> =
            (low..high).filter(|&other| other != at).map(|other| values[other]).collect();
        median(&around)
    };
    // Two of the four nights beside it at its level: a level, or the start of one.
    let has_company = |at: usize| {
        let beside = at.saturating_sub(SHORTEST - 1)..(at + SHORTEST).min(values.len());
        let near = |other: &usize| (values[*other] - values[at]).abs() <= LIKE * deviation;
        beside.filter(|other| *other != at).filter(near).count() + 1 >= SHORTEST
    };
    let clean = |at: usize| {
        let Some(line) = line(at) else { return values[at] };
        let is_far = (values[at] - line).abs() > OUT_OF_LINE * deviation;
        if is_far && !has_company(at) { line } else { values[at] }
    };
    (0..values.len()).map(clean).collect()
}

/// The values less single nights out of line, as the search for steps sees them.
pub(super) fn smoothed(values: &[f64]) -> Vec<f64> {
    deviation(values)
        .map_or_else(|| values.to_vec(), |deviation| without_outliers(values, deviation))
}

struct Sums {
    /// Subtracted from all values, so that squares stay small.
    shift: f64,
    plain: Vec<f64>,
    squares: Vec<f64>,
}

impl Sums {
    fn of(values: &[f64]) -> Sums {
        let shift = median(values).unwrap_or(0.0);
        let (mut plain, mut squares) = (vec![0.0], vec![0.0]);
        let (mut sum, mut square) = (0.0, 0.0);
        for value in values {
            sum += value - shift;
            square += (value - shift) * (value - shift);
            plain.push(sum);
            squares.push(square);
        }
        Sums { shift, plain, squares }
    }

    fn len(&self) -> usize {
        self.plain.len() - 1
    }

    fn spread(&self, from: usize, to: usize) -> f64 {
        let sum = self.plain[to] - self.plain[from];
        (self.squares[to] - self.squares[from] - sum * sum / (to - from) as f64).max(0.0)
    }

    fn mean(&self, range: &Range<usize>) -> f64 {
        self.shift + (self.plain[range.end] - self.plain[range.start]) / range.len() as f64
    }
}

/// The segmentation with the least sum of squares plus 3 ln n robust variances a level, each of
/// three nights at least, with the pruning of PELT (Killick, Fearnhead and Eckley, "Optimal
/// Detection of Changepoints with a Linear Computational Cost", 2012).
fn candidates(sums: &Sums, deviation: f64) -> Vec<usize> {
    let n = sums.len();
    let penalty = 3.0 * (n as f64).ln() * deviation * deviation;
    let mut best = vec![f64::INFINITY; n + 1];
    let mut last = vec![0; n + 1];
    best[0] = -penalty;
    let mut starts: Vec<usize> = vec![0];
    for end in SHORTEST..=n {
        if end >= 2 * SHORTEST {
            starts.push(end - SHORTEST);
        }
        for &start in &starts {
            let cost = best[start] + sums.spread(start, end) + penalty;
            if cost < best[end] {
                (best[end], last[end]) = (cost, start);
            }
        }
        let bar = best[end];
        // A start may come back while levels after it must have their length.
        let keeps = |&start: &usize| {
            end - start < 2 * SHORTEST || best[start] + sums.spread(start, end) <= bar
        };
        starts.retain(keeps);
    }
    let mut bounds = Vec::new();
    let mut end = n;
    while last[end] > 0 {
        end = last[end];
        bounds.push(end);
    }
    bounds.reverse();
    bounds
}

fn levels(bounds: &[usize], n: usize) -> Vec<Range<usize>> {
    let starts = std::iter::once(0).chain(bounds.iter().copied());
    let ends = bounds.iter().copied().chain(std::iter::once(n));
    starts.zip(ends).map(|(start, end)| start..end).collect()
}

/// For each bound the chance of its t or more, on the spread left over by all levels, times the
/// places it might stand at, and where there are several the nights of another (Bonferroni).
fn prove(sums: &Sums, bounds: &[usize]) -> Vec<f64> {
    let levels = levels(bounds, sums.len());
    let left: f64 = levels.iter().map(|level| sums.spread(level.start, level.end)).sum();
    // A place that was chosen uses up data like a level does.
    let freedom = sums.len().saturating_sub(levels.len() + bounds.len()).max(1) as f64;
    let variance = left / freedom;
    // Two bounds make a bump, which may lie anywhere.
    let chosen_together = if bounds.len() > 1 { sums.len() } else { 1 };
    let chance = |pair: &[Range<usize>]| {
        let (one, other) = (&pair[0], &pair[1]);
        let shift = sums.mean(other) - sums.mean(one);
        let width = variance * (1.0 / one.len() as f64 + 1.0 / other.len() as f64);
        let places = (one.len() + other.len() + 1 - 2 * SHORTEST) * chosen_together;
        (two_sided(shift * shift / width, freedom) * places as f64).min(1.0)
    };
    levels.windows(2).map(chance).collect()
}

/// P(|T| ≥ t) of Student's distribution, from t².
fn two_sided(square: f64, freedom: f64) -> f64 {
    match square {
        square if square.is_nan() => 1.0,
        square if square.is_infinite() => 0.0,
        square => beta_reg(freedom / 2.0, 0.5, freedom / (freedom + square)),
    }
}

/// Whether a straight line tells more for its parameters than the levels do.
fn is_line(values: &[f64], sums: &Sums, bounds: &[usize]) -> bool {
    let n = values.len() as f64;
    let levels = levels(bounds, values.len());
    let by_levels: f64 = levels.iter().map(|level| sums.spread(level.start, level.end)).sum();
    let middle = (n - 1.0) / 2.0;
    let product = |(at, value): (usize, &f64)| (at as f64 - middle) * (value - sums.shift);
    let across: f64 = values.iter().enumerate().map(product).sum();
    let width = n * (n * n - 1.0) / 12.0;
    let by_line = (sums.spread(0, values.len()) - across * across / width).max(0.0);
    let criterion = |rest: f64, parameters: f64| {
        n * (rest.max(f64::MIN_POSITIVE) / n).ln() + parameters * n.ln()
    };
    // Each step has a place and a level.
    criterion(by_line, 2.0) <= criterion(by_levels, 1.0 + 2.0 * bounds.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat_then(level: f64, before: usize, after: usize) -> Vec<f64> {
        // A fixed wobble with no trend of its own.
        let wobble = |at: usize| [0.3, -0.2, 0.1, -0.4, 0.25, -0.05][at * 5 % 6];
        (0..before + after).map(|at| wobble(at) + if at < before { 0.0 } else { level }).collect()
    }

    #[test]
    fn a_level_that_stays_is_a_step_and_neither_a_single_night_nor_a_slope() {
        let there_and_back = [flat_then(2.0, 20, 10), flat_then(0.0, 20, 0)].concat();
        let out_of_line = |at: usize| {
            let mut values = flat_then(0.0, 30, 0);
            values[at] += 40.0;
            values
        };
        let slope = flat_then(0.0, 30, 0).into_iter().zip(0..);
        let slope = slope.map(|(value, at)| value + 0.1 * f64::from(at)).collect();
        for (values, expected) in [
            (flat_then(2.0, 20, 8), vec![20]),
            (there_and_back, vec![20, 30]),
            (out_of_line(0), vec![]),
            (out_of_line(7), vec![]),
            (out_of_line(29), vec![]),
            (slope, vec![]),
            (vec![0.1; 300], vec![]),
            // What cannot be judged.
            (vec![], vec![]),
            (vec![1.0, 2.0, 3.0], vec![]),
            (vec![f64::NAN; 20], vec![]),
            (vec![f64::MAX; 20], vec![]),
        ] {
            let steps = noisy(&values, 0.05);
            assert_eq!(steps.iter().map(|step| step.at).collect::<Vec<_>>(), expected, "{steps:?}");
        }
    }

    #[test]
    fn chances_are_those_of_students_table() {
        // Two-sided 5 % points of t with 10 and 30 degrees of freedom.
        for (t, freedom) in [(2.228_138_852, 10.0), (2.042_272_456, 30.0)] {
            assert!((two_sided(t * t, freedom) - 0.05).abs() < 1e-9);
        }
    }
}
