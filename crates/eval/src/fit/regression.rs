//! Logistic regression with a normal prior, by Newton's steps.

use std::sync::Arc;

use crate::simulated::{Features, Parameters, Sort, WEIGHTS, Weights, logistic, odds};

const STEPS: usize = 12;
const SORTS: usize = Sort::ALL.len();

/// A fact that a compaction met, and whether its summary has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The session, as it is left out.
    pub session: Arc<str>,
    /// Its compaction, from 0.
    pub compaction: usize,
    /// Its sort.
    pub sort: Sort,
    /// Its standing.
    pub features: Features,
    /// Whether it was kept.
    pub survived: bool,
}

impl Row {
    /// Its chance under these weights.
    pub fn chance(&self, weights: &Weights) -> f64 {
        logistic(odds(weights, self.sort, &self.features))
    }

    fn outcome(&self) -> f64 {
        f64::from(u8::from(self.survived))
    }

    /// The weights that bear on it, with its values.
    fn design(&self) -> impl Iterator<Item = (usize, f64)> + Clone {
        let slopes = (SORTS..).zip(self.features).filter(|(_, value)| *value != 0.0);
        [(self.sort as usize, 1.0)].into_iter().chain(slopes)
    }
}

/// What is believed of the weights before any row: their means, and the inverse of their covariance.
#[derive(Clone, Debug)]
pub struct Prior {
    mean: Weights,
    precision: [Weights; WEIGHTS],
}

impl Prior {
    /// Small weights, each by itself: a ridge.
    pub fn ridge(precision: f64) -> Prior {
        let mut prior = Prior { mean: [0.0; WEIGHTS], precision: [[0.0; WEIGHTS]; WEIGHTS] };
        (0..WEIGHTS).for_each(|at| prior.precision[at][at] = precision);
        prior
    }

    /// Near these parameters. `all`, `sort` and `slope` are standard deviations: by how much all sorts
    /// may differ together, each sort beside that, and each slope.
    pub fn near(parameters: &Parameters, all: f64, sort: f64, slope: f64) -> Prior {
        let mut prior = Prior::ridge(slope.powi(-2));
        prior.mean = parameters.weights();
        // The covariance of the intercepts is sort² on the diagonal and all² everywhere.
        let shared = all.powi(2) / (sort.powi(2) + SORTS as f64 * all.powi(2));
        for (row, of) in prior.precision.iter_mut().enumerate().take(SORTS) {
            for (column, value) in of.iter_mut().enumerate().take(SORTS) {
                let own = f64::from(u8::from(row == column));
                *value = (own - shared) * sort.powi(-2);
            }
        }
        prior
    }
}

/// The likeliest weights.
pub fn fitted(rows: &[Row], prior: &Prior) -> Weights {
    let mut weights = prior.mean;
    for _ in 0..STEPS {
        let mut curvature = prior.precision;
        let mut gradient = prior.precision.map(|of| {
            let away = of.iter().zip(weights.iter().zip(&prior.mean));
            away.map(|(value, (weight, mean))| value * (weight - mean)).sum::<f64>()
        });
        for row in rows {
            let chance = row.chance(&weights);
            let (error, spread) = (chance - row.outcome(), chance * (1.0 - chance));
            for (one, x) in row.design() {
                gradient[one] += error * x;
                for (other, y) in row.design() {
                    curvature[one][other] += spread * x * y;
                }
            }
        }
        let step = solved(curvature, gradient);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight -= step);
    }
    weights
}

/// By how much the log-odds of all rows lie above these weights together. Half a row is kept and half
/// a row lost beside them, so that it stays finite.
pub fn shift(rows: &[&Row], weights: &Weights) -> f64 {
    let mut shift: f64 = 0.0;
    for _ in 0..STEPS {
        let even = logistic(shift);
        let (mut gradient, mut curvature) = (even - 0.5, even * (1.0 - even));
        for row in rows {
            let chance = logistic(odds(weights, row.sort, &row.features) + shift);
            gradient += chance - row.outcome();
            curvature += chance * (1.0 - chance);
        }
        shift -= (gradient / curvature).clamp(-2.0, 2.0);
    }
    shift
}

/// Solves a system by elimination with the largest pivot.
fn solved<const N: usize>(mut matrix: [[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
    for column in 0..N {
        let largest =
            |a: &usize, b: &usize| matrix[*a][column].abs().total_cmp(&matrix[*b][column].abs());
        let pivot = (column..N).max_by(largest).unwrap_or(column);
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let above = matrix[column];
        for below in column + 1..N {
            let factor = matrix[below][column] / above[column];
            let own = matrix[below].iter_mut().zip(above).skip(column);
            own.for_each(|(value, above)| *value -= factor * above);
            right[below] -= factor * right[column];
        }
    }
    for column in (0..N).rev() {
        let known: f64 = (column + 1..N).map(|at| matrix[column][at] * right[at]).sum();
        right[column] = (right[column] - known) / matrix[column][column];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of one sort that survive as often as these odds say, spread evenly.
    fn rows(count: u32, odds: impl Fn(f64) -> f64) -> Vec<Row> {
        let row = |place: u32| {
            let x = f64::from(place % 40) / 10.0 - 2.0;
            let mut features = Features::default();
            features[0] = x;
            let survived = f64::from(place / 40 % 100) / 100.0 + 0.005 < logistic(odds(x));
            Row { session: "s".into(), compaction: 0, sort: Sort::Path, features, survived }
        };
        (0..count).map(row).collect()
    }

    #[test]
    fn a_system_is_solved() {
        assert_eq!(solved([[0.0, 2.0], [3.0, 1.0]], [4.0, 5.0]), [1.0, 2.0]);
    }

    #[test]
    fn known_weights_are_found_again() {
        let weights = fitted(&rows(4_000, |x| 1.0 + 2.0 * x), &Prior::ridge(0.1));
        assert!((weights[0] - 1.0).abs() < 0.05, "{weights:?}");
        assert!((weights[SORTS] - 2.0).abs() < 0.05, "{weights:?}");
    }

    #[test]
    fn few_rows_stay_near_the_prior_and_many_move_every_sort_with_them() {
        let recorded = Parameters::recorded();
        let prior = Prior::near(recorded, 2.0, 1.0, 0.25);
        let start = recorded.weights();
        let at = |weights: &Weights| weights[0] - start[0];
        assert_eq!(fitted(&[], &prior), start);
        let own = |x: f64| start[0] + 1.5 + start[SORTS] * x;
        let (few, many) = (fitted(&rows(40, own), &prior), fitted(&rows(4_000, own), &prior));
        assert!(at(&many) > 1.4 && at(&few) > at(&many) - 1.5, "{few:?} {many:?}");
        // What is known of files tells of symbols, less surely.
        let symbols = many[1] - start[1];
        assert!(symbols > 0.5 && symbols < at(&many), "{symbols}");
        let all = rows(4_000, own);
        let shift = shift(&all.iter().collect::<Vec<_>>(), &start);
        assert!((shift - 1.5).abs() < 0.05, "{shift}");
    }
}
