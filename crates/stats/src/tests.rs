use super::binary::wilson;
use super::estimate::{Estimate, Unit};
use super::fit::{Model, fit};
use super::multiplicity::holm;
use super::paired::{Method, share_at_least, sign_flip, signs, standardized_mean};
use super::resample::*;
use super::*;
use proctor_core::ident::Seed;

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

fn standard() -> Resampling {
    Resampling::standard(Seed(1))
}

#[test]
fn quantiles_are_those_of_numpy() {
    // numpy.quantile (NumPy 2), default method.
    for (share, expected) in
        [(0.0, 1.0), (0.1, 1.0), (0.25, 1.75), (0.5, 3.5), (0.75, 5.25), (0.9, 6.9), (1.0, 9.0)]
    {
        let pi = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
        close(quantile(&pi, share).expect("a value"), expected);
    }
}

/// What NumPy and SciPy were given too.
const POINTS: [(f64, f64); 6] =
    [(1.0, 10.0), (2.0, 12.0), (3.0, 11.0), (5.0, 15.0), (8.0, 14.0), (13.0, 21.0)];

#[test]
fn the_robust_slope_is_that_of_scipy() {
    // scipy.stats.theilslopes (SciPy 1.17).
    close(theil_sen(&POINTS).expect("a slope"), 0.818_181_818_181_818);
    // Two points share an x.
    close(theil_sen(&[(1.0, 1.0), (1.0, 5.0), (2.0, 4.0), (3.0, 9.0)]).expect("a slope"), 3.0);
}

#[test]
fn what_makes_no_sense_is_nothing() {
    for values in [&[][..], &[f64::NAN], &[1.0, f64::INFINITY]] {
        assert_eq!((mean(values), median(values)), (None, None));
        assert_eq!((signs(values), sign_flip(values, Seed(1))), (None, None));
        assert_eq!(standardized_mean(values), None);
        assert_eq!(Estimate::of(values, &vec![0; values.len()], Unit::Sessions), None);
    }
    assert_eq!(mean(&[f64::MAX, f64::MAX]), None);
    assert_eq!(quantile(&[1.0, 2.0], 1.5), None);
    assert_eq!(quantile(&[1.0, 2.0], f64::NAN), None);
    for points in [&[][..], &[(1.0, 1.0)], &[(1.0, 1.0), (1.0, 2.0)]] {
        assert_eq!(theil_sen(points), None);
    }
    assert_eq!(standardized_mean(&[0.0; 6]), None);
    for unit in Unit::ALL {
        assert_eq!(Estimate::of(&[1.0], &[1], unit), None);
    }
    // Sessions of one scenario say nothing of others.
    assert_eq!(Estimate::of(&[1.0, 2.0], &[1, 1], Unit::Scenarios), None);
    assert_eq!(wilson(0, 0), None);
    for (ours, theirs, count) in [(0, 0, 0), (2, 2, 3), (u64::MAX, 1, 3)] {
        assert_eq!(Estimate::of_shares(ours, theirs, count), None);
    }
    for wrong in [f64::NAN, -0.1, 1.1] {
        assert_eq!(holm(&[0.5, wrong]), None);
    }
    assert_eq!(holm(&[]), Some(vec![]));
    let some = Estimate::of(&[1.0, 2.0, 4.0], &[0; 3], Unit::Sessions).expect("an estimate");
    for distance in [0.0, -1.0, f64::NAN, 1e-9] {
        assert_eq!(some.needed(distance, 0.05), None);
    }
    assert_eq!((some.interval(1.0), some.interval(f64::NAN)), (None, None));
    for (model, points) in [
        (Model::Constant, vec![]),
        (Model::Constant, vec![(1.0, f64::NAN)]),
        (Model::Linear, vec![(1.0, f64::MAX), (2.0, -f64::MAX)]),
        (Model::Linear, vec![(2.0, 1.0), (2.0, 3.0)]),
        (Model::Saturating, vec![]),
        (Model::Saturating, vec![(2.0, 1.0), (2.0, 3.0)]),
        (Model::Logarithmic, vec![(0.0, 1.0), (2.0, 3.0)]),
        (Model::Logarithmic, vec![(-1.0, 1.0), (2.0, 3.0)]),
    ] {
        assert_eq!(fit(model, &points), None, "{model:?} of {points:?}");
    }
}

#[test]
fn what_has_no_spread_has_no_interval() {
    for (values, resamples, level) in [
        (&[][..], 100, 0.95),
        (&[3.0], 100, 0.95),
        (&[3.0, f64::NAN], 100, 0.95),
        (&[3.0, 4.0], 0, 0.95),
        (&[3.0, 4.0], 100, 1.0),
    ] {
        let resampling = Resampling { seed: Seed(1), resamples, level };
        assert_eq!(bootstrap_mean(values, resampling), None, "{values:?}");
    }
    assert_eq!(paired_difference(&[], standard()), None);
    let one = paired_difference(&[(3.0, 1.0)], standard());
    assert_eq!(one, Some(Difference { mean: 2.0, interval: None, pairs: 1 }));
}

#[test]
fn wilsons_interval_is_the_published_one() {
    // Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I.
    for (successes, all, low, high) in
        [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)]
    {
        let found = wilson(successes, all).expect("an interval");
        assert!((found.low - low).abs() < 1e-4 && (found.high - high).abs() < 1e-4);
    }
}

#[test]
fn what_scenarios_differ_in_is_noise_only_where_they_are_the_unit() {
    let labels = [1, 1, 2, 2, 2, 3, 3];
    let values = [1.0, 5.0, 10.0, 11.0, 15.0, -3.0, 0.0];
    let of = |unit| Estimate::of(&values, &labels, unit).expect("an estimate");
    // Σ n_h² / n² · s_h² / n_h by hand: strata variances 8, 7, 4.5.
    let expected = (2.0 * 8.0 + 3.0 * 7.0 + 2.0 * 4.5) / 49.0;
    close(of(Unit::WithinScenarios).error.powi(2), expected);
    // Sums of what lies beyond the mean (39 / 7): −36 / 7, 135 / 7, −99 / 7; k / (k − 1) Σ z² / n².
    let squares = (36.0_f64.powi(2) + 135.0_f64.powi(2) + 99.0_f64.powi(2)) / 49.0;
    close(of(Unit::Scenarios).error.powi(2), 1.5 * squares / 49.0);
    let units = Unit::ALL.map(|unit| (of(unit).units, of(unit).mean));
    assert_eq!(units.map(|(units, _)| units), [7, 7, 3]);
    units.iter().for_each(|(_, mean)| close(*mean, 39.0 / 7.0));
}

#[test]
fn scenarios_of_one_session_are_drawn_together() {
    for (labels, unit) in [
        (vec![1, 2, 3], Unit::Sessions),
        (vec![1, 1, 2], Unit::Sessions),
        (vec![1, 1, 2, 3], Unit::WithinScenarios),
        (vec![1, 1, 2, 2], Unit::WithinScenarios),
    ] {
        let values: Vec<f64> = (0..labels.len()).map(|index| index as f64).collect();
        let found = Estimate::of(&values, &labels, Unit::WithinScenarios).expect("an estimate");
        assert_eq!(found.unit, unit, "{labels:?}");
    }
}

#[test]
fn few_sessions_prove_little_however_alike_they_are() {
    let of = |values: &[f64]| {
        Estimate::of(values, &vec![0; values.len()], Unit::Sessions).expect("an estimate")
    };
    close(of(&[2.0; 8]).above(0.0), 1.0 / 256.0);
    // Sessions without any difference are no tosses.
    close(of(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]).above(0.0), 0.25);
    assert_eq!((of(&[0.0; 8]).above(0.0), of(&[-1.0; 8]).above(0.0)), (1.0, 1.0));
}

fn curve(count: u32, value: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    (1..=count).map(|x| (f64::from(x), value(f64::from(x)))).collect()
}

#[test]
fn fits_and_criteria_are_those_of_numpy_and_scipy() {
    // numpy.linalg.lstsq; −2 Σ scipy.stats.norm.logpdf(residual, 0, √(RSS / n))
    // plus the penalty written out (NumPy 2, SciPy 1.17).
    let (constant, logarithmic, linear) = (
        [13.833_333_333_3, 0.0, 78.833_333_333_3, 40.480_721_098_7],
        [8.880_460_759_7, 3.693_606_285_1, 18.912_388_624_5, 41.915_608_723_7],
        [9.394_736_842_1, 0.832_236_842_1, 8.648_026_315_8, 37.220_692_323_0],
    );
    for (model, expected) in
        [(Model::Constant, constant), (Model::Logarithmic, logarithmic), (Model::Linear, linear)]
    {
        let fit = fit(model, &POINTS).expect("six points fit");
        let aicc = fit.aicc.expect("six points have a criterion");
        let found = [fit.level, fit.rate, fit.residual_sum, aicc];
        found.iter().zip(expected).for_each(|(found, expected)| close(*found, expected));
    }
}

#[test]
fn a_law_that_fills_up_is_found_with_its_limit() {
    // 41 points, τ an eighth of the range, which is among those that are tried.
    let points = curve(41, |x| 100.0 + 50.0 * (1.0 - (-(x - 1.0) / 5.0).exp()));
    let fit = fit(Model::Saturating, &points).expect("a fit");
    [fit.level, fit.rate, fit.bend.from, fit.bend.over]
        .iter()
        .zip([100.0, 50.0, 1.0, 5.0])
        .for_each(|(found, expected)| close(*found, expected));
    close(fit.at(1e9), 150.0);
}

#[test]
fn too_few_points_have_a_fit_but_no_criterion() {
    for (count, model, has_criterion) in [
        (3, Model::Constant, false),
        (4, Model::Constant, true),
        (4, Model::Linear, false),
        (5, Model::Linear, true),
        (5, Model::Saturating, false),
        (6, Model::Saturating, true),
    ] {
        let fit = fit(model, &curve(count, |x| x * x)).expect("they fit");
        assert_eq!(fit.aicc.is_some(), has_criterion, "{count} points, {model:?}");
    }
}

#[test]
fn a_fit_held_at_no_rate_is_the_constant_at_a_higher_price() {
    let points = curve(12, |x| 100.0 - x);
    let constant = fit(Model::Constant, &points).expect("a fit");
    let held = fit(Model::Linear, &points).expect("a fit").without_rate(&constant, &points);
    assert_eq!((held.level, held.rate), (constant.level, 0.0));
    // 6 + 24 / 8 against 4 + 12 / 9.
    close(held.aicc.expect("a value") - constant.aicc.expect("a value"), 9.0 - 16.0 / 3.0);
}

#[test]
fn no_difference_and_a_single_one_cannot_convince() {
    for values in [&[0.0; 6][..], &[5.0]] {
        assert_eq!(sign_flip(values, Seed(1)).expect("a test").p, 1.0);
    }
}

#[test]
fn drawn_signs_come_near_counted_ones() {
    let values: Vec<f64> = (0..40).map(|x| f64::from(x % 7) - 2.2).collect();
    let drawn = sign_flip(&values, Seed(1)).expect("a test");
    assert_eq!(drawn.method, Method::Drawn(10_000));
    let sizes: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    let exact = 2.0 * share_at_least(&sizes, drawn.statistic.abs() - 1e-9);
    assert!((drawn.p - exact).abs() < 0.01, "{} is not near {exact}", drawn.p);
}

#[test]
fn the_units_needed_find_the_difference() {
    let values: Vec<f64> = (0..20).map(|index| f64::from(index % 5)).collect();
    let found = Estimate::of(&values, &[0; 20], Unit::Sessions).expect("an estimate");
    for distance in [0.2, 0.5, 1.0, 3.0] {
        let needed = found.needed(distance, 0.05).expect("a number");
        assert!(found.detectable(0.05, needed) <= distance * (1.0 + 1e-9), "{distance}: {needed}");
        assert!(
            found.detectable(0.05, (needed - 2).max(2)) >= distance * 0.9,
            "{distance}: {needed}"
        );
    }
}

#[test]
fn clusters_count_once_whatever_their_size() {
    let clusters = vec![vec![1.0, 1.0, 1.0, 1.0], vec![3.0], vec![]];
    // Means 1 and 3: a resample of two has mean 1, 2, 2 or 3.
    let found = clustered(&clusters, standard()).expect("clusters");
    let interval = found.interval.expect("a spread");
    assert_eq!((found.mean, found.pairs), (2.0, 2));
    assert_eq!((interval.low, interval.high), (1.0, 3.0));
    assert_eq!(clustered(&[vec![]], standard()), None);
}

#[test]
fn many_resamples_come_near_the_full_enumeration() {
    // All 5^5 resamples with itertools.product, numpy.quantile of their means.
    let values = [1.0, 2.0, 4.0, 8.0, 16.0];
    for (level, low, high) in [(0.95, 2.0, 11.4), (0.90, 2.44, 10.4)] {
        let resampling = Resampling { seed: Seed(1), resamples: 40_000, level };
        let interval = bootstrap_mean(&values, resampling).expect("a spread");
        let room = (interval.low - low).abs().max((interval.high - high).abs());
        assert!(room <= 0.2, "{interval:?} is not near {low} to {high}");
    }
}

#[test]
fn a_statistic_that_mostly_fails_has_no_interval() {
    let over = |least: usize| {
        bootstrap(2, standard(), |drawn| (drawn.iter().sum::<usize>() >= least).then_some(1.0))
    };
    assert_eq!(over(1), Some(Interval { low: 1.0, high: 1.0 }));
    assert_eq!(over(2), None);
}
