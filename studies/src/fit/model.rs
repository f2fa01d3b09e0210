//! Logistic regression with an intercept per sort, and what says how good it is.

use std::cmp::Ordering;

use super::rows::{FEATURES, Row, SORTS};

const WEIGHTS: usize = SORTS.len() + FEATURES.len();
/// Half of this times the squared weights is added to the loss.
const RIDGE: f64 = 0.1;
const STEPS: usize = 12;
/// Groups of the calibration error.
const GROUPS: usize = 10;

/// Weights: an intercept per sort, then a slope per feature, by Newton's steps.
pub fn fitted(rows: &[Row]) -> Vec<f64> {
    let mut weights = vec![0.0; WEIGHTS];
    for _ in 0..STEPS {
        let mut gradient: Vec<f64> = weights.iter().map(|weight| RIDGE * weight).collect();
        let mut curvature = vec![vec![0.0; WEIGHTS]; WEIGHTS];
        for (place, of) in curvature.iter_mut().enumerate() {
            of[place] = RIDGE;
        }
        for row in rows {
            let chance = predicted(&weights, row);
            let (error, spread) =
                (chance - f64::from(u8::from(row.survived)), chance * (1.0 - chance));
            let own = design(row);
            for (one, x) in own.iter().filter(|(_, x)| *x != 0.0) {
                gradient[*one] += error * x;
                for (other, y) in own.iter().filter(|(_, y)| *y != 0.0) {
                    curvature[*one][*other] += spread * x * y;
                }
            }
        }
        let step = solved(curvature, gradient);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight -= step);
    }
    weights
}

/// The chance of survival.
pub fn predicted(weights: &[f64], row: &Row) -> f64 {
    let odds: f64 = design(row).iter().map(|(at, x)| weights[*at] * x).sum();
    1.0 / (1.0 + (-odds).exp())
}

/// The weights that bear on a row, with its values.
fn design(row: &Row) -> [(usize, f64); FEATURES.len() + 1] {
    let mut own = [(row.sort, 1.0); FEATURES.len() + 1];
    for (place, value) in row.features.iter().enumerate() {
        own[place + 1] = (SORTS.len() + place, *value);
    }
    own
}

/// Solves a system by elimination with the largest pivot.
fn solved(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for column in 0..size {
        let largest =
            |a: &usize, b: &usize| matrix[*a][column].abs().total_cmp(&matrix[*b][column].abs());
        let pivot = (column..size).max_by(largest).unwrap_or(column);
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        for below in column + 1..size {
            let factor = matrix[below][column] / matrix[column][column];
            let pivot = matrix[column].clone();
            let own = matrix[below].iter_mut().zip(pivot).skip(column);
            own.for_each(|(value, above)| *value -= factor * above);
            right[below] -= factor * right[column];
        }
    }
    for column in (0..size).rev() {
        let known: f64 = (column + 1..size).map(|at| matrix[column][at] * right[at]).sum();
        right[column] = (right[column] - known) / matrix[column][column];
    }
    right
}

/// The chance that one that survived was given a higher chance than one that did not; ties are halves.
pub fn area(rows: &[(f64, bool)]) -> f64 {
    let mut sorted = rows.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut sum, mut place) = (0.0, 0.0, 0);
    while place < sorted.len() {
        let equal = sorted[place..].iter().take_while(|one| one.0 == sorted[place].0).count();
        let group = &sorted[place..place + equal];
        let survived = group.iter().filter(|one| one.1).count() as f64;
        let lost = equal as f64 - survived;
        sum += survived * (below + lost / 2.0);
        below += lost;
        place += equal;
    }
    let survived = rows.len() as f64 - below;
    if survived == 0.0 || below == 0.0 { f64::NAN } else { sum / (survived * below) }
}

/// The mean distance of predicted and recorded survival over groups of equal size by chance.
pub fn calibration(outcomes: &[bool], chances: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|a, b| chances[*a].total_cmp(&chances[*b]));
    let size = chances.len().div_ceil(GROUPS).max(1);
    let distance = |group: &[usize]| {
        let survived = group.iter().filter(|at| outcomes[**at]).count() as f64;
        (survived - group.iter().map(|at| chances[*at]).sum::<f64>()).abs()
    };
    order.chunks(size).map(distance).sum::<f64>() / chances.len().max(1) as f64
}

/// Spearman's, with mean ranks for ties.
pub fn rank_correlation(pairs: &[(f64, f64)]) -> f64 {
    let ranks = |of: &dyn Fn(&(f64, f64)) -> f64| -> Vec<f64> {
        let rank = |one: &(f64, f64)| {
            let count = |wanted: Ordering| {
                pairs.iter().filter(|other| of(other).total_cmp(&of(one)) == wanted).count() as f64
            };
            count(Ordering::Less) + (count(Ordering::Equal) - 1.0) / 2.0
        };
        pairs.iter().map(rank).collect()
    };
    let (one, other) = (ranks(&|pair| pair.0), ranks(&|pair| pair.1));
    let mean = (pairs.len() as f64 - 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(x, y)| (x - mean) * (y - mean)).sum()
    };
    product(&one, &other) / (product(&one, &one) * product(&other, &other)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_solved_and_an_area_and_a_correlation_are_what_they_are_by_hand() {
        let matrix = vec![vec![0.0, 2.0], vec![3.0, 1.0]];
        assert_eq!(solved(matrix, vec![4.0, 5.0]), [1.0, 2.0]);
        assert_eq!(area(&[(0.1, false), (0.4, true), (0.4, false), (0.9, true)]), 0.875);
        assert_eq!(rank_correlation(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]), -1.0);
        assert_eq!(calibration(&[true, false], &[0.75, 0.25]), 0.25);
    }

    #[test]
    fn known_weights_are_found_again() {
        let row = |place: u32| {
            let x = f64::from(place % 40) / 10.0 - 2.0;
            let mut features = [0.0; FEATURES.len()];
            features[0] = x;
            // Survives as often as the odds 1 + 2x say, spread evenly.
            let chance = 1.0 / (1.0 + (-1.0 - 2.0 * x).exp());
            let survived = f64::from(place / 40 % 100) / 100.0 + 0.005 < chance;
            Row { session: "s".into(), sort: 0, place: 0, features, survived }
        };
        let rows: Vec<Row> = (0..4_000).map(row).collect();
        let weights = fitted(&rows);
        assert!((weights[0] - 1.0).abs() < 0.05, "{weights:?}");
        assert!((weights[SORTS.len()] - 2.0).abs() < 0.05, "{weights:?}");
    }
}
