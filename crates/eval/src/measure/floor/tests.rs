use LinearGrowth::{Established, Excluded, Open};
use rand::RngExt;

use super::verdict::{Evidence, Support, Trend, Verdict, verdict};
use super::*;
use crate::measure::sample::compaction;
use crate::stats::fit::Bend;
use crate::trace::Compaction;

/// Three sessions each of T, 2T and 4T turns, twelve checkpoints each, with this much noise.
fn family(noise: f64, law: impl Fn(f64) -> f64) -> Vec<Series> {
    let mut rng = Seed(5).rng();
    let mut session = |(turns, seed): (u32, u32)| Series {
        session: format!("{turns}-turns/{seed}"),
        points: (1..=12)
            .map(|checkpoint| f64::from(turns * checkpoint / 12))
            .map(|turn| (turn, law(turn) + noise * rng.random_range(-1.0..1.0)))
            .collect(),
    };
    let lengths = [48, 96, 192].into_iter();
    lengths.flat_map(|turns| [1, 2, 3].map(|seed| (turns, seed))).map(&mut session).collect()
}

fn some_growth() -> Growth {
    growth(&family(0.0, |t| 2e3 + 900.0 * t.ln()), Seed(1)).expect("enough points")
}

#[test]
fn a_family_of_sessions_tells_the_laws_apart() {
    for (name, series, model, linear) in [
        ("exactly constant", family(0.0, |_| 9e3), Model::Constant, Excluded),
        ("nothing left", family(0.0, |_| 0.0), Model::Constant, Excluded),
        ("nearly constant", family(60.0, |_| 9e3), Model::Constant, Excluded),
        ("logarithmic", family(150.0, |t| 2e3 + 900.0 * t.ln()), Model::Logarithmic, Excluded),
        (
            "a line under it",
            family(60.0, |t| 2e3 + 900.0 * t.ln() + 5.0 * t),
            Model::Logarithmic,
            Open,
        ),
        ("linear", family(150.0, |t| 2e3 + 25.0 * t), Model::Linear, Established),
        (
            "filled up by turn 30",
            family(150.0, |t| 4e4 - 3e4 * (-t / 8.0).exp()),
            Model::Saturating,
            Excluded,
        ),
        ("noise", family(3e3, |_| 9e3), Model::Constant, Open),
        ("falling", family(0.0, |t| 9e3 - 20.0 * t), Model::Constant, Excluded),
    ] {
        let growth = growth(&series, Seed(1)).expect("enough points");
        assert_eq!((growth.model, growth.linear), (model, linear), "{name}");
    }
}

#[test]
fn an_exact_slope_of_under_one_percent_is_flat() {
    // 191 turns from the first checkpoint's to the last's, near enough.
    for (per_turn, model) in [(0.4, Model::Constant), (0.6, Model::Linear)] {
        let growth = growth(&family(0.0, |t| 1e4 + per_turn * t), Seed(1)).expect("points");
        assert_eq!(growth.model, model, "rise {}", growth.rise);
        assert_eq!(growth.rise < FLAT_UNDER, model == Model::Constant);
    }
}

#[test]
fn linear_growth_is_settled_by_the_lead_and_by_the_line_beside_the_law() {
    let line = |mean, error| Estimate { mean, error, ..some_growth().line.expect("nine sessions") };
    let shallow = some_growth().shallow;
    let (under, over) = (Some(line(0.0, 0.1 * shallow)), Some(line(0.0, shallow)));
    for (model, interval, lead, line, expected) in [
        (Model::Logarithmic, None, 2.1, under, Excluded),
        (Model::Logarithmic, Some((0.1, 9.0)), 1.0, over, Open),
        (Model::Saturating, Some((-0.1, 9.0)), 5.0, under, Excluded),
        (Model::Constant, Some((0.1, 9.0)), 5.0, Some(line(0.99 * shallow, 0.1 * shallow)), Open),
        (Model::Constant, None, 9.0, None, Open),
        (Model::Linear, None, -1.9, None, Open),
        (Model::Linear, None, -2.1, None, Established),
        (Model::Linear, Some((-9.0, -0.1)), -1.0, None, Established),
        (Model::Linear, Some((-9.0, 0.1)), -5.0, None, Open),
        // The interval of a skewed resampling may miss its own point.
        (Model::Linear, Some((0.1, 9.0)), -0.1, None, Open),
    ] {
        let interval = interval.map(|(low, high)| Interval { low, high });
        let growth = Growth { model, lead, interval, line, ..some_growth() };
        assert_eq!(linear_growth(&growth), expected, "{model:?} by {lead}");
    }
}

#[test]
fn a_single_session_has_no_interval_and_excludes_nothing() {
    for (law, expected) in [(25.0, Established), (0.0, Open)] {
        let one = &family(0.0, |t| 2e3 + law * t)[..1];
        let growth = growth(one, Seed(1)).expect("twelve points");
        assert_eq!((growth.sessions, growth.interval, growth.missed()), (1, None, None));
        assert_eq!(growth.linear, expected);
    }
}

#[test]
fn a_line_of_what_would_have_been_missed_is_found_nine_times_in_ten() {
    let missed = growth(&family(400.0, |_| 9e3), Seed(1)).and_then(|growth| growth.missed());
    let missed = missed.expect("nine sessions");
    // 144 turns from checkpoint 1 of the shortest to the last: a tenth of the level is 5 a turn.
    assert!((1.0..10.0).contains(&missed), "{missed}");
    let less = growth(&family(100.0, |_| 9e3), Seed(1)).and_then(|growth| growth.missed());
    assert!((less.expect("nine sessions") / missed - 0.25).abs() < 1e-6, "a quarter of the noise");
}

#[test]
fn too_little_has_no_growth() {
    let of = |points: &[(f64, f64)]| {
        growth(&[Series { session: "s".into(), points: points.into() }], Seed(1))
    };
    assert_eq!(growth(&[], Seed(1)), None);
    assert_eq!(of(&[]), None);
    assert_eq!(of(&[(1.0, 1.0), (2.0, 2.0), (3.0, 3.0), (4.0, 4.0)]), None);
    assert_eq!(of(&[(7.0, 1.0); 12]), None);
    assert!(of(&[(1.0, 1.0), (2.0, 2.0), (3.0, 3.0), (4.0, 4.0), (5.0, 5.0)]).is_some());
}

#[test]
fn the_horizon_is_where_the_law_meets_the_window_within_ten_times_the_turns_driven() {
    let of = |noise, law: fn(f64) -> f64, usable| {
        let family = family(noise, law);
        let growth = growth(&family, Seed(1)).expect("points");
        match horizon(&family, &growth, Tokens(usable), Seed(2)) {
            Horizon::At(found) => {
                let ends = found.interval.expect("no horizon stands without its interval");
                assert!(ends.low <= found.mean && found.mean <= ends.high && ends.high <= 1920.0);
                Ok(found.mean.round())
            }
            other => Err(other),
        }
    };
    assert_eq!(of(0.0, |t| 2e3 + 25.0 * t, 40_000), Ok(1520.0));
    assert_eq!(of(0.0, |t| 2e3 + 25.0 * t, 100_000), Err(Horizon::OutOfReach));
    assert_eq!(of(0.0, |t| 2e3 + 900.0 * t.ln(), 8_000), Ok(786.0));
    assert_eq!(of(0.0, |t| 2e3 + 90.0 * t.ln(), 4_000), Err(Horizon::OutOfReach));
    assert_eq!(of(0.0, |t| 2e3 + 90.0 * t.ln(), 100_000_000), Err(Horizon::Never));
    assert_eq!(of(0.0, |_| 9e3, 100_000), Err(Horizon::Never));
    assert_eq!(of(0.0, |_| 9e3, 9_000), Ok(1.0));
    assert_eq!(of(0.0, |t| 9e3 - 20.0 * t, 100_000), Err(Horizon::Never));
    assert_eq!(of(9.0, |t| 4e4 - 3e4 * (-t / 8.0).exp(), 50_000), Err(Horizon::Never));
    assert_eq!(of(3e3, |_| 9e3, 10_000), Err(Horizon::NotSettled));
}

#[test]
fn one_session_alone_has_no_horizon() {
    let one = &family(0.0, |t| 2e3 + 25.0 * t)[..1];
    let growth = growth(one, Seed(1)).expect("twelve points");
    assert_eq!(growth.linear, Established);
    assert_eq!(horizon(one, &growth, Tokens(4_000), Seed(1)), Horizon::OutOfReach);
}

fn taking(step: u32, turn: u32, after: u64) -> Compaction {
    let (entries_before, entries_after) = (5, 4);
    Compaction { turn, entries_before, entries_after, ..compaction(step, 10_000, after) }
}

#[test]
fn the_warm_up_ends_behind_the_first_compaction_that_takes_entries() {
    // Cutting a result short leaves as many entries as there were.
    let cut = Compaction { entries_after: 5, ..taking(2, 1, 9_000) };
    let warmup = Warmup::of(&[cut, taking(7, 3, 400), taking(9, 4, 300)], Tokens(1_000));
    for (step, expected) in [(2, false), (7, false), (8, true)] {
        assert_eq!(warmup.is_over(step, Tokens(5_000)), expected, "step {step}");
    }
    let none = Warmup::of::<Compaction>(&[], Tokens(1_000));
    assert!(!none.is_over(99, Tokens(999)) && none.is_over(1, Tokens(1_000)));
}

#[test]
fn slopes_are_compared_with_the_partner_of_the_same_name() {
    let ours = family(0.0, |t| 2e3 + 5.0 * t);
    let mut reference = family(0.0, |t| 2e3 + 25.0 * t);
    reference.reverse();
    reference[0].session = "another".into();
    let slope = slope(&ours, Seed(1)).expect("checkpoints");
    assert_eq!((slope.mean, slope.pairs), (5.0, 9));
    let difference = slope_difference(&ours, &reference, Seed(1)).expect("eight in common");
    assert_eq!((difference.mean, difference.pairs), (-20.0, 8));
    assert!(difference.interval.expect("eight pairs").is_below(0.0));
    assert_eq!(slope_difference(&ours, &[], Seed(1)), None);
}

#[test]
fn each_stretch_has_its_lowest_view() {
    let of = |turns, left: &[(u32, u64)]| {
        let taking: Vec<Compaction> =
            left.iter().map(|(turn, tokens)| taking(1, *turn, *tokens)).collect();
        low_water(turns, taking.iter())
    };
    assert_eq!(of(24, &[]), []);
    // Turns 1-2 are the first stretch, 3-4 the second, 23-24 the last; the first checkpoint is at
    // the end of turn 2, the last at the end of turn 23.
    assert_eq!(
        of(24, &[(1, 30), (2, 40), (2, 45), (3, 60), (4, 60), (24, 90)]),
        [(2.0, 40.0), (3.0, 60.0), (24.0, 90.0)]
    );
    assert_eq!(of(24, &[(24, 90)]), [], "no checkpoint lies behind it");
    // A short session has fewer stretches.
    assert_eq!(of(3, &[(0, 9), (1, 8), (2, 7), (3, 6)]), [(1.0, 8.0), (2.0, 7.0), (3.0, 6.0)]);
    // Turns beyond the session's own count belong to the last stretch.
    assert_eq!(of(12, &[(1, 9), (13, 5), (12, 6)]), [(1.0, 9.0), (13.0, 5.0)]);
}

fn trend(linear: LinearGrowth, interval: Option<(f64, f64)>) -> Trend {
    let model = Model::Constant;
    let bend = Bend::default();
    let fit = Fit { model, level: 1.0, rate: 0.0, bend, residual_sum: 0.0, aicc: None };
    let growth = Growth {
        model,
        fit,
        rise: 0.0,
        lead: 0.0,
        interval: None,
        line: None,
        shallow: 1.0,
        linear,
        sessions: 9,
    };
    let against_reference = interval.map(|(low, high)| Difference {
        mean: (low + high) / 2.0,
        interval: Some(Interval { low, high }),
        pairs: 9,
    });
    Trend { growth, against_reference }
}

fn judge(one_pass: Trend, low_water: Option<Trend>) -> Verdict {
    let evidence = Evidence {
        reached: true,
        one_pass: Some(one_pass),
        low_water,
        recall_before: Some(0.8),
        forced_recall: Some(0.5),
    };
    verdict(&evidence).verdict
}

#[test]
fn without_a_reference_only_the_law_of_growth_counts() {
    for (one_pass, low_water, expected) in [
        (Excluded, Some(Excluded), Verdict::Eliminated),
        (Excluded, None, Verdict::Eliminated),
        (Excluded, Some(Open), Verdict::NotShown),
        (Open, Some(Excluded), Verdict::NotShown),
        (Open, None, Verdict::NotShown),
        (Excluded, Some(Established), Verdict::Grown),
        (Established, None, Verdict::Grown),
    ] {
        let found = judge(trend(one_pass, None), low_water.map(|linear| trend(linear, None)));
        assert_eq!(found, expected, "{one_pass:?} and {low_water:?}");
    }
}

#[test]
fn a_floor_that_rises_by_a_law_that_is_not_settled_is_inconclusive() {
    for model in [Model::Saturating, Model::Logarithmic, Model::Linear] {
        let mut rising = trend(Open, None);
        rising.growth.model = model;
        assert_eq!(judge(rising, None), Verdict::Inconclusive, "{model:?}");
    }
}

#[test]
fn with_a_reference_the_slopes_are_compared() {
    let (below, across, above) = ((-9.0, -1.0), (-1.0, 1.0), (1.0, 9.0));
    for (one_pass, low_water, expected) in [
        (below, None, Verdict::Lowered),
        (across, None, Verdict::Unchanged),
        ((0.0, 0.0), None, Verdict::Unchanged),
        (above, None, Verdict::Grown),
        (below, Some(across), Verdict::Lowered),
        (across, Some(below), Verdict::Lowered),
        (below, Some(above), Verdict::Grown),
    ] {
        let low_water = low_water.map(|interval| trend(Established, Some(interval)));
        let found = judge(trend(Established, Some(one_pass)), low_water);
        assert_eq!(found, expected, "{one_pass:?} and {low_water:?}");
    }
    assert_eq!(judge(trend(Excluded, Some(above)), None), Verdict::Eliminated);
}

#[test]
fn a_single_pair_proves_nothing() {
    let mut one_pass = trend(Established, None);
    one_pass.against_reference = Some(Difference { mean: -5.0, interval: None, pairs: 1 });
    assert_eq!(judge(one_pass, None), Verdict::Inconclusive);
}

#[test]
fn shrinking_by_forgetting_is_named_so() {
    for (before, forced, expected) in [
        (Some(0.8), Some(0.39), Verdict::EliminatedByForgetting),
        (Some(0.8), Some(0.4), Verdict::Eliminated),
        (Some(0.0), Some(0.0), Verdict::Eliminated),
        (None, None, Verdict::Eliminated),
    ] {
        let evidence = Evidence {
            reached: true,
            one_pass: Some(trend(Excluded, None)),
            recall_before: before,
            forced_recall: forced,
            ..Evidence::default()
        };
        assert_eq!(verdict(&evidence).verdict, expected, "{before:?} to {forced:?}");
    }
}

#[test]
fn a_verdict_says_what_it_rests_on_and_claims_nothing_of_what_is_missing() {
    let one_pass = Some(trend(Excluded, None));
    let mut rare = trend(Excluded, None);
    rare.growth.sessions = 1;
    for (reached, one_pass, low_water, expected) in [
        (true, one_pass, None, (Verdict::Eliminated, Support::OnePassAlone, 9)),
        (true, one_pass, Some(rare), (Verdict::Eliminated, Support::OnePassAndLowWater, 1)),
        (true, None, Some(rare), (Verdict::Inconclusive, Support::OnePassAndLowWater, 1)),
        (false, one_pass, None, (Verdict::NotReached, Support::OnePassAlone, 9)),
    ] {
        let found = verdict(&Evidence { reached, one_pass, low_water, ..Evidence::default() });
        assert_eq!((found.verdict, found.support, found.sessions), expected);
    }
}
