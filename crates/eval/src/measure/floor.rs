//! Growth of the floor over a session, read from sessions of T, 2T and 4T turns of one
//! family, pooled: constant, logarithmic or in proportion to the turns.

pub mod verdict;

use serde::{Deserialize, Serialize};

use crate::drive::probe::CHECKPOINTS;
use crate::ident::Seed;
use crate::measure::MetricId;
use crate::stats;
use crate::stats::fit::{self, Fit, Model};
use crate::stats::resample::{self, Difference, Interval, Resampling};
use crate::unit::Tokens;
use crate::words;

/// Growth under this share of the level, from first to last checkpoint, is none in practice.
pub const FLAT_UNDER: f64 = 0.01;

/// A constant excludes a line where one that rises so much would have been seen.
pub const SEEN_FROM: f64 = 0.10;

/// How far AICc must prefer one model without an interval: Burnham and Anderson, "Model Selection
/// and Multimodel Inference", 2002, section 2.6.
pub const CLEAR_LEAD: f64 = 2.0;

/// A floor figure (one_pass or low_water) of one session.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Names the session; a reference's series of the same name is its partner.
    pub session: String,
    /// Turn (from 1) and tokens, at each checkpoint.
    pub points: Vec<(f64, f64)>,
}

/// What can be said about growth in proportion to the turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinearGrowth {
    /// It is excluded: growth is flat, or another model is clearly better.
    Excluded,
    /// Neither excluded nor established.
    Open,
    /// It is clearly better than any other model, and not flat.
    Established,
}

/// How a floor grows: `floor.growth`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// The chosen model: least pooled AICc, but constant where growth is flat.
    pub model: Model,
    /// Its fit.
    pub fit: Fit,
    /// Rise of the least-AICc fit (of the line, where that is the constant) from the first
    /// checkpoint to the last, as a share of the mean.
    pub rise: f64,
    /// AICc(linear) − the lesser AICc of the others: above 0 speaks against linear growth.
    pub lead: f64,
    /// Of the lead, over sessions drawn whole; `None` with a single one.
    pub interval: Option<Interval>,
    /// How far the fitted line may rise, as a share of the mean: the upper end over the same
    /// resamples, or the point value with a single session.
    pub line_rise_at_most: f64,
    /// What follows for linear growth.
    pub linear: LinearGrowth,
    /// Sessions that gave points.
    pub sessions: usize,
}

/// Growth of a floor over all points of these sessions. `None` with fewer than five points, all at
/// one turn, before turn 1, or not finite. A model that falls is held at rate 0.
///
/// Linear growth is excluded where growth is flat, or where another model is chosen and the lead
/// speaks for it (for a constant also [`SEEN_FROM`]); it is established where it is chosen and the
/// lead speaks for it as clearly.
pub fn growth(series: &[Series], seed: Seed) -> Option<Growth> {
    let sessions: Vec<&Series> = series.iter().filter(|one| !one.points.is_empty()).collect();
    let pooled: Vec<(f64, f64)> = sessions.iter().flat_map(|one| &one.points).copied().collect();
    let fits = Fits::of(&pooled)?;
    let best = fits.best()?;
    // A constant does not rise by itself: what it may hide is the line's rise.
    let rising = if best.model == Model::Constant { fits.linear } else { best };
    let rise = relative_rise(&rising, &pooled)?;
    // Sessions are drawn whole and fitted anew.
    let over_draws = |figure: fn(&Fits, &[(f64, f64)]) -> Option<f64>| {
        resample::bootstrap(sessions.len(), Resampling::standard(seed), |drawn| {
            let points = drawn.iter().flat_map(|&one| &sessions[one].points);
            let points: Vec<(f64, f64)> = points.copied().collect();
            figure(&Fits::of(&points)?, &points)
        })
    };
    let line_rise_at_most = match over_draws(|fits, points| relative_rise(&fits.linear, points)) {
        Some(interval) => interval.high,
        None => relative_rise(&fits.linear, &pooled)?,
    };
    let fit = if rise < FLAT_UNDER { fits.constant } else { best };
    let mut growth = Growth {
        model: fit.model,
        fit,
        rise,
        lead: fits.lead()?,
        interval: over_draws(|fits, _| fits.lead()),
        line_rise_at_most,
        linear: LinearGrowth::Open,
        sessions: sessions.len(),
    };
    growth.linear = linear_growth(&growth);
    Some(growth)
}

fn linear_growth(growth: &Growth) -> LinearGrowth {
    let (against, in_favour) = match growth.interval {
        Some(interval) => (interval.is_above(0.0), interval.is_below(0.0)),
        None => (growth.lead > CLEAR_LEAD, growth.lead < -CLEAR_LEAD),
    };
    let (excluded, established) = match growth.model {
        Model::Constant => (against && growth.line_rise_at_most < SEEN_FROM, false),
        Model::Logarithmic => (against, false),
        Model::Linear => (false, in_favour),
    };
    if excluded || growth.rise < FLAT_UNDER {
        LinearGrowth::Excluded
    } else if established {
        LinearGrowth::Established
    } else {
        LinearGrowth::Open
    }
}

struct Fits {
    constant: Fit,
    logarithmic: Fit,
    linear: Fit,
}

impl Fits {
    fn of(points: &[(f64, f64)]) -> Option<Fits> {
        let constant = fit::fit(Model::Constant, points)?;
        let rising = |model| {
            let free = fit::fit(model, points)?;
            Some(if free.rate < 0.0 { free.without_rate(&constant, points) } else { free })
        };
        let logarithmic = rising(Model::Logarithmic)?;
        let linear = rising(Model::Linear)?;
        Some(Fits { constant, logarithmic, linear })
    }

    fn lead(&self) -> Option<f64> {
        Some(self.linear.aicc? - self.constant.aicc?.min(self.logarithmic.aicc?))
    }

    /// The least AICc; of equals the one that grows more slowly.
    fn best(&self) -> Option<Fit> {
        let mut best = self.constant;
        for other in [self.logarithmic, self.linear] {
            if other.aicc? < best.aicc? {
                best = other;
            }
        }
        Some(best)
    }
}

/// Fitted growth from the first turn to the last as a share of the mean of y.
fn relative_rise(fit: &Fit, points: &[(f64, f64)]) -> Option<f64> {
    let turns = || points.iter().map(|(turn, _)| *turn);
    let first = turns().min_by(f64::total_cmp)?;
    let last = turns().max_by(f64::total_cmp)?;
    let tokens: Vec<f64> = points.iter().map(|(_, tokens)| *tokens).collect();
    let level = stats::mean(&tokens)?;
    let rise = fit.at(last) - fit.at(first);
    Some(if level > 0.0 { rise / level } else { 0.0 })
}

/// The turn at which the fit reaches the usable window: `floor.horizon`; `None` where never.
pub(crate) fn horizon(growth: &Growth, usable: Tokens) -> Option<f64> {
    let Fit { model, level, rate, .. } = growth.fit;
    if growth.fit.at(1.0) >= usable.as_f64() {
        return Some(1.0);
    }
    if rate <= 0.0 {
        return None;
    }
    let regressor = (usable.as_f64() - level) / rate;
    let turn = match model {
        Model::Constant => return None,
        Model::Logarithmic => regressor.exp(),
        Model::Linear => regressor,
    };
    turn.is_finite().then_some(turn)
}

/// Tokens per turn by which a floor grows (`floor.slope`): the mean of each session's Theil-Sen
/// slope; `None` where none has two checkpoints.
pub(crate) fn slope(series: &[Series], seed: Seed) -> Option<Difference> {
    let slopes = series.iter().filter_map(|one| stats::theil_sen(&one.points));
    resample::mean_of(&slopes.collect::<Vec<f64>>(), Resampling::standard(seed))
}

/// Our slopes less the reference's, over the sessions that both have.
pub(crate) fn slope_difference(
    ours: &[Series],
    reference: &[Series],
    seed: Seed,
) -> Option<Difference> {
    let pairs: Vec<(f64, f64)> = ours
        .iter()
        .filter_map(|one| {
            let partner = reference.iter().find(|other| other.session == one.session)?;
            Some((stats::theil_sen(&one.points)?, stats::theil_sen(&partner.points)?))
        })
        .collect();
    resample::paired_difference(&pairs, Resampling::standard(seed))
}

words! {
    /// A floor figure that is followed over the turns of a session.
    pub enum FloorSeries {
        /// The view after one round of the floor probe.
        OnePass = "one_pass",
        /// The least view that the run's own compactions left.
        LowWater = "low_water",
    }
}

impl FloorSeries {
    /// Tokens per turn.
    pub fn slope(self) -> MetricId {
        self.pick(MetricId::FloorSlope, MetricId::FloorSlopeLowWater)
    }

    /// The slope less the reference's.
    pub fn slope_difference(self) -> MetricId {
        self.pick(MetricId::FloorSlopeDifference, MetricId::FloorSlopeDifferenceLowWater)
    }

    /// The model that fits best.
    pub fn growth(self) -> MetricId {
        self.pick(MetricId::FloorGrowth, MetricId::FloorGrowthLowWater)
    }

    /// How much the points speak against linear growth.
    pub fn growth_lead(self) -> MetricId {
        self.pick(MetricId::FloorGrowthLead, MetricId::FloorGrowthLeadLowWater)
    }

    /// The turn at which the window is full.
    pub fn horizon(self) -> MetricId {
        self.pick(MetricId::FloorHorizon, MetricId::FloorHorizonLowWater)
    }

    fn pick(self, one_pass: MetricId, low_water: MetricId) -> MetricId {
        match self {
            FloorSeries::OnePass => one_pass,
            FloorSeries::LowWater => low_water,
        }
    }
}

const STRETCHES: u32 = CHECKPOINTS;

/// Turn and tokens of the least view that a compaction left in each twelfth of the turns.
pub(crate) fn low_water(turns: u32, left: impl Iterator<Item = (u32, Tokens)>) -> Vec<(f64, f64)> {
    let mut lowest: [Option<(u32, Tokens)>; STRETCHES as usize] = [None; STRETCHES as usize];
    for (turn, tokens) in left {
        let turn = turn.max(1);
        let lowest = &mut lowest[stretch(turns, turn)];
        if lowest.is_none_or(|(_, least)| tokens < least) {
            *lowest = Some((turn, tokens));
        }
    }
    lowest.into_iter().flatten().map(|(turn, tokens)| (f64::from(turn), tokens.as_f64())).collect()
}

/// The first stretch whose last turn is this one or later.
fn stretch(turns: u32, turn: u32) -> usize {
    let ends = (1..STRETCHES).map(|number| (turns * number).div_ceil(STRETCHES));
    ends.take_while(|end| *end < turn).count()
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    /// Sessions of T, 2T and 4T turns, twelve checkpoints each, with this much noise.
    fn family(noise: f64, law: impl Fn(f64) -> f64) -> Vec<Series> {
        let mut rng = Seed(5).rng();
        let mut session = |turns: u32| Series {
            session: format!("{turns}-turns"),
            points: (1..=12)
                .map(|checkpoint| f64::from(turns * checkpoint / 12))
                .map(|turn| (turn, law(turn) + noise * rng.random_range(-1.0..1.0)))
                .collect(),
        };
        [48, 96, 192].map(&mut session).into()
    }

    fn some_growth() -> Growth {
        growth(&family(0.0, |t| 2e3 + 900.0 * t.ln()), Seed(1)).expect("enough points")
    }

    #[test]
    fn a_family_of_sessions_tells_the_laws_apart() {
        use LinearGrowth::{Established, Excluded, Open};
        for (name, series, model, linear) in [
            ("exactly constant", family(0.0, |_| 9e3), Model::Constant, Excluded),
            ("nothing left", family(0.0, |_| 0.0), Model::Constant, Excluded),
            ("nearly constant", family(60.0, |_| 9e3), Model::Constant, Excluded),
            ("logarithmic", family(150.0, |t| 2e3 + 900.0 * t.ln()), Model::Logarithmic, Excluded),
            ("linear", family(150.0, |t| 2e3 + 25.0 * t), Model::Linear, Established),
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
    fn a_single_session_needs_a_clear_lead_and_has_no_interval() {
        use LinearGrowth::{Established, Excluded, Open};
        for (law, interval, lead, expected) in [
            (Model::Logarithmic, None, 2.1, Excluded),
            (Model::Logarithmic, None, 1.9, Open),
            (Model::Linear, None, -1.9, Open),
            (Model::Linear, None, -2.1, Established),
            (Model::Logarithmic, Some((0.1, 9.0)), 1.0, Excluded),
            (Model::Logarithmic, Some((-0.1, 9.0)), 5.0, Open),
            (Model::Linear, Some((-9.0, -0.1)), -1.0, Established),
            (Model::Linear, Some((-9.0, 0.1)), -5.0, Open),
            // The interval of a skewed resampling may miss its own point.
            (Model::Linear, Some((0.1, 9.0)), -0.1, Open),
        ] {
            let interval = interval.map(|(low, high)| Interval { low, high });
            let mut growth = Growth { model: law, lead, interval, ..some_growth() };
            assert_eq!(linear_growth(&growth), expected, "{law:?} by {lead}");
            growth.rise = 0.009;
            assert_eq!(linear_growth(&growth), Excluded);
        }
        // A constant stands only where a line would have been seen.
        for (line_rise_at_most, expected) in [(0.09, Excluded), (0.11, Open)] {
            let growth = Growth { model: Model::Constant, line_rise_at_most, ..some_growth() };
            assert_eq!(linear_growth(&growth), expected);
        }
        let one = &family(0.0, |t| 2e3 + 25.0 * t)[..1];
        let growth = growth(one, Seed(1)).expect("twelve points");
        assert_eq!((growth.sessions, growth.interval), (1, None));
        assert_eq!(growth.linear, Established);
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
    fn the_horizon_is_where_the_fit_meets_the_window() {
        let of = |law: fn(f64) -> f64, usable| {
            let growth = growth(&family(0.0, law), Seed(1)).expect("points");
            horizon(&growth, Tokens(usable)).map(f64::round)
        };
        assert_eq!(of(|t| 2e3 + 25.0 * t, 100_000), Some(3920.0));
        assert_eq!(of(|t| 2e3 + 900.0 * t.ln(), 8_000), Some(786.0));
        assert_eq!(of(|t| 2e3 + 90.0 * t.ln(), 100_000_000), None, "beyond any number of turns");
        assert_eq!(of(|_| 9e3, 100_000), None);
        assert_eq!(of(|_| 9e3, 9_000), Some(1.0));
        assert_eq!(of(|t| 9e3 - 20.0 * t, 100_000), None);
    }

    #[test]
    fn slopes_are_compared_with_the_partner_of_the_same_name() {
        let ours = family(0.0, |t| 2e3 + 5.0 * t);
        let mut reference = family(0.0, |t| 2e3 + 25.0 * t);
        reference.reverse();
        reference[0].session = "another".into();
        let slope = slope(&ours, Seed(1)).expect("checkpoints");
        assert_eq!((slope.mean, slope.pairs), (5.0, 3));
        let difference = slope_difference(&ours, &reference, Seed(1)).expect("two in common");
        assert_eq!((difference.mean, difference.pairs), (-20.0, 2));
        assert!(difference.interval.expect("two pairs").is_below(0.0));
        assert_eq!(slope_difference(&ours, &[], Seed(1)), None);
    }

    #[test]
    fn each_stretch_has_its_lowest_view() {
        let of = |turns, left: &[(u32, u64)]| {
            low_water(turns, left.iter().map(|(turn, tokens)| (*turn, Tokens(*tokens))))
        };
        assert_eq!(of(24, &[]), []);
        // Turns 1-2 are the first stretch, 3-4 the second, 23-24 the last.
        assert_eq!(
            of(24, &[(1, 50), (2, 40), (2, 45), (3, 60), (4, 60), (24, 90)]),
            [(2.0, 40.0), (3.0, 60.0), (24.0, 90.0)]
        );
        // A short session has fewer stretches.
        assert_eq!(of(3, &[(0, 9), (1, 8), (2, 7), (3, 6)]), [(1.0, 8.0), (2.0, 7.0), (3.0, 6.0)]);
        // Turns beyond the session's own count belong to the last stretch.
        assert_eq!(of(12, &[(13, 5), (12, 6)]), [(13.0, 5.0)]);
    }
}
