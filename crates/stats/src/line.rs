//! How steep a line may lie under another law of growth.

use super::estimate::{Estimate, Unit};
use super::fit::{Fit, Model};

/// Of its own length, what must be left of a regressor beside the others.
const OWN: f64 = 1e-6;

/// The slope of a line that is fitted together with a law, over sessions of points. The error is
/// that of leaving out one session at a time (the jackknife: Efron and Tibshirani, "An Introduction
/// to the Bootstrap", 1993, chapter 11), since points of one session are alike. The degrees of
/// freedom are those of sessions that have unequal shares in the slope (Satterthwaite, "An
/// Approximate Distribution of Estimates of Variance Components", 1946): the longest have most.
///
/// `None` for a law that is the line, with fewer than two sessions, and where the points without one
/// of them do not tell the two apart.
pub fn beside(law: &Fit, sessions: &[&[(f64, f64)]]) -> Option<Estimate> {
    if law.model == Model::Linear || sessions.len() < 2 {
        return None;
    }
    let (mean, shares) = slope(law, sessions)?;
    let units = sessions.len();
    let mut square = 0.0;
    for left_out in 0..units {
        let others = sessions.iter().enumerate().filter(|(place, _)| *place != left_out);
        let others: Vec<&[(f64, f64)]> = others.map(|(_, points)| *points).collect();
        square += (slope(law, &others)?.0 - mean).powi(2);
    }
    let error = (square * (units - 1) as f64 / units as f64).sqrt();
    let alike: f64 = shares.iter().map(|share| share * share).sum();
    let freedom = (1.0 / alike - 1.0).max(1.0);
    let is_finite = [mean, error, freedom].iter().all(|value| value.is_finite());
    let unit = Unit::Sessions;
    is_finite.then_some(Estimate { mean, error, freedom, unit, units, differing: units })
}

/// The slope, and what share of it each session has.
fn slope(law: &Fit, sessions: &[&[(f64, f64)]]) -> Option<(f64, Vec<f64>)> {
    let points = || sessions.iter().flat_map(|points| points.iter());
    let column = |of: &dyn Fn(f64) -> f64| points().map(|(x, _)| of(*x)).collect::<Vec<f64>>();
    let mut columns = vec![column(&|_| 1.0)];
    columns.extend(law.regressors().iter().map(|of| column(of)));
    let line = apart(column(&|x| x), columns)?;
    let square = dot(&line, &line);
    let tokens: Vec<f64> = points().map(|(_, y)| *y).collect();
    let mut rest = line.iter();
    let share = |points: &&[(f64, f64)]| {
        rest.by_ref().take(points.len()).map(|value| value * value).sum::<f64>() / square
    };
    Some((dot(&line, &tokens) / square, sessions.iter().map(share).collect()))
}

/// What of a regressor the others do not have: they are made orthogonal in turn (Gram and Schmidt).
fn apart(line: Vec<f64>, others: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let mut bases: Vec<Vec<f64>> = Vec::new();
    for mut column in others.into_iter().chain([line]) {
        let whole = dot(&column, &column);
        for base in &bases {
            let along = dot(&column, base) / dot(base, base);
            column.iter_mut().zip(base).for_each(|(value, of)| *value -= along * of);
        }
        let left = dot(&column, &column);
        if left.is_nan() || left <= OWN * OWN * whole {
            return None;
        }
        bases.push(column);
    }
    bases.pop()
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::fit;

    const TURNS: [f64; 6] = [10.0, 20.0, 40.0, 60.0, 90.0, 120.0];

    fn estimate(model: Model, sessions: &[Vec<(f64, f64)>]) -> Option<Estimate> {
        let pooled: Vec<(f64, f64)> = sessions.concat();
        let sessions: Vec<&[(f64, f64)]> = sessions.iter().map(Vec::as_slice).collect();
        beside(&fit(model, &pooled)?, &sessions)
    }

    /// Sessions that differ by their level and, a little, by their slope.
    fn sessions(of: impl Fn(f64) -> f64, slopes: &[f64]) -> Vec<Vec<(f64, f64)>> {
        let session = |slope: &f64| TURNS.map(|turn| (turn, of(turn) + slope * turn)).to_vec();
        slopes.iter().map(session).collect()
    }

    #[test]
    fn a_line_under_a_law_is_found_with_its_slope() {
        let logarithm = |turn: f64| 900.0 * turn.ln();
        let filling = |turn: f64| 4e4 * (1.0 - (-(turn - 10.0) / 13.75).exp());
        for (model, law) in
            [(Model::Constant, (&|_| 5.0) as &dyn Fn(f64) -> f64), (Model::Logarithmic, &logarithm)]
        {
            let found = estimate(model, &sessions(law, &[2.0, 3.0, 4.0])).expect("a slope");
            assert!((found.mean - 3.0).abs() < 1e-9, "{model:?}: {}", found.mean);
            // Of equal sessions it is the mean of their own slopes.
            assert!((found.error - (1.0_f64 / 3.0).sqrt()).abs() < 1e-9, "{}", found.error);
            assert!((found.freedom - 2.0).abs() < 1e-9, "{}", found.freedom);
        }
        let found = estimate(Model::Saturating, &sessions(filling, &[0.0, 0.0])).expect("a slope");
        assert!(found.mean.abs() < 1e-6 && found.error < 1e-6, "{found:?}");
    }

    #[test]
    fn the_longest_sessions_count_most() {
        let of = |turns: f64| (1..=12).map(|k| (turns * f64::from(k) / 12.0, 7.0)).collect();
        let found = estimate(Model::Constant, &[of(100.0), of(100.0), of(800.0), of(800.0)]);
        let freedom = found.expect("a slope").freedom;
        // Four sessions of one length have three.
        assert!((1.0..2.5).contains(&freedom), "{freedom}");
    }

    #[test]
    fn what_cannot_be_told_has_no_slope() {
        let one = sessions(|_| 5.0, &[1.0]);
        assert_eq!(estimate(Model::Constant, &one), None, "a single session");
        let two = sessions(|_| 5.0, &[1.0, 2.0]);
        assert_eq!(estimate(Model::Linear, &two), None, "the law is the line");
        let short = vec![vec![(1.0, 5.0)], vec![(2.0, 6.0)]];
        assert_eq!(estimate(Model::Constant, &short), None, "one point is left");
    }
}
