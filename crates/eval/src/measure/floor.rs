//! Growth of the floor over a session, read from sessions of T, 2T and 4T turns of one
//! family, pooled: constant, filling up, logarithmic or in proportion to the turns.

pub mod verdict;

use crate::drive::probe::{CHECKPOINTS, turn_of};
use crate::measure::{MetricId, Round};
use crate::prelude::*;
use crate::stats;
use crate::stats::estimate::Estimate;
use crate::stats::fit::{self, Fit, Model};
use crate::stats::line;
use crate::stats::resample::{self, Difference, Interval, Resampling};
use crate::words;

/// Growth under this share of the level, from first to last checkpoint, is none in practice.
pub const FLAT_UNDER: f64 = 0.01;

/// Linear growth is excluded where a line beside the law may rise by no more than this share of the
/// level, from first to last checkpoint.
pub const SHALLOW: f64 = 0.05;

/// Chance with which the line beside the law lies within its interval.
const LEVEL: f64 = 0.95;

/// How far AICc must prefer one model without an interval: Burnham and Anderson, "Model Selection
/// and Multimodel Inference", 2002, section 2.6.
pub const CLEAR_LEAD: f64 = 2.0;

/// A fit is followed to so many times the turns that were driven, and no farther.
pub const REACH: f64 = 10.0;

/// The beginning of a cell, in which the view is as long as the session is young and says nothing
/// of a floor. It ends with the first compaction that takes entries out of the view or, where that
/// never comes, when the untouched view is a base window long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Warmup {
    /// Step and turn of that compaction.
    compacted: Option<(u32, u32)>,
    window: Tokens,
}

impl Warmup {
    /// Of a cell with these compactions, in order, and this base window.
    pub fn of<'a, R: Round + 'a>(
        compactions: impl IntoIterator<Item = &'a R>,
        window: Tokens,
    ) -> Warmup {
        let first = compactions.into_iter().find_map(Round::taking);
        Warmup { compacted: first.map(|(step, turn, _)| (step, turn)), window }
    }

    /// Whether a checkpoint at this step, with this many tokens in the untouched view, is behind it.
    pub fn is_over(&self, step: u32, untouched: Tokens) -> bool {
        match self.compacted {
            Some((compacted, _)) => step > compacted,
            None => untouched >= self.window,
        }
    }

    /// The turn of the first checkpoint behind that compaction.
    fn first_turn(&self, turns: u32) -> Option<u32> {
        let (_, compacted) = self.compacted?;
        (1..=CHECKPOINTS).map(|number| turn_of(turns, number)).find(|turn| *turn >= compacted)
    }
}

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
    /// It is excluded: another model is chosen, and beside it a line rises by [`SHALLOW`] at most.
    Excluded,
    /// Neither excluded nor established.
    Open,
    /// It is clearly better than any other model, and not flat.
    Established,
}

/// How a floor grows: `floor.growth`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// The chosen model: least pooled AICc, but constant where growth is flat, and saturating only
    /// where that is told from a logarithm.
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
    /// Slope of a line beside the chosen model, in tokens a turn; `None` where that is the line,
    /// and with a single session.
    pub line: Option<Estimate>,
    /// Tokens a turn by which a line rises by [`SHALLOW`].
    pub shallow: f64,
    /// What follows for linear growth.
    pub linear: LinearGrowth,
    /// Sessions that gave points.
    pub sessions: usize,
}

impl Growth {
    /// Tokens a turn under which a line beside the chosen model would have been missed: so steep a
    /// one is found with [`stats::estimate::POWER`].
    pub fn missed(&self) -> Option<f64> {
        self.line.map(|line| line.detectable((1.0 - LEVEL) / 2.0, line.units))
    }

    /// Whether the chosen model says that the floor stays where it is.
    pub fn stays(&self) -> bool {
        match self.model {
            Model::Constant => true,
            Model::Saturating => self.linear == LinearGrowth::Excluded,
            Model::Logarithmic | Model::Linear => false,
        }
    }
}

/// Growth of a floor over all points of these sessions. `None` with fewer than five points, all at
/// one turn, before turn 1, or not finite. A model that falls is held at rate 0.
///
/// Linear growth is excluded where the interval of a line beside the chosen model ends under
/// [`SHALLOW`]; it is established where it is chosen, is not flat, and the lead speaks for it.
pub fn growth(series: &[Series], seed: Seed) -> Option<Growth> {
    growth_over(series, Resampling::standard(seed))
}

/// [`growth`], with as many resamples for the leads of its laws as are asked for.
pub fn growth_over(series: &[Series], resampling: Resampling) -> Option<Growth> {
    let sessions: Vec<&Series> = series.iter().filter(|one| !one.points.is_empty()).collect();
    let pooled: Vec<(f64, f64)> = sessions.iter().flat_map(|one| &one.points).copied().collect();
    let mut fits = Fits::of(&pooled)?;
    let lead = fits.lead()?;
    if fits.best(&pooled)?.0.model == Model::Saturating && !fills_up(&fits, &sessions, resampling) {
        fits.saturating = None;
    }
    let fit = fits.chosen(&pooled)?;
    let points: Vec<&[(f64, f64)]> = sessions.iter().map(|one| one.points.as_slice()).collect();
    let mut growth = Growth {
        model: fit.model,
        fit,
        rise: fits.best(&pooled)?.1,
        lead,
        interval: over_draws(&sessions, resampling, |fits, _| fits.lead()),
        line: line::beside(&fit, &points),
        shallow: SHALLOW * level(&pooled)? / span(&pooled)?,
        linear: LinearGrowth::Open,
        sessions: sessions.len(),
    };
    growth.linear = linear_growth(&growth);
    Some(growth)
}

/// Whether a saturating law is told from a logarithm, which rises for ever.
fn fills_up(fits: &Fits, sessions: &[&Series], resampling: Resampling) -> bool {
    let lead = |fits: &Fits| Some(fits.logarithmic.aicc? - fits.saturating?.aicc?);
    match over_draws(sessions, resampling, |fits, _| lead(fits)) {
        Some(interval) => interval.is_above(0.0),
        None => lead(fits).is_some_and(|lead| lead > CLEAR_LEAD),
    }
}

/// The interval of a figure over sessions drawn whole and fitted anew.
fn over_draws(
    sessions: &[&Series],
    resampling: Resampling,
    figure: impl Fn(&Fits, &[(f64, f64)]) -> Option<f64>,
) -> Option<Interval> {
    resample::bootstrap(sessions.len(), resampling, |drawn| {
        let points = drawn.iter().flat_map(|&one| &sessions[one].points);
        let points: Vec<(f64, f64)> = points.copied().collect();
        figure(&Fits::of(&points)?, &points)
    })
}

fn linear_growth(growth: &Growth) -> LinearGrowth {
    let in_favour = match growth.interval {
        Some(interval) => interval.is_below(0.0),
        None => growth.lead < -CLEAR_LEAD,
    };
    let line = growth.line.and_then(|line| line.interval(LEVEL));
    if growth.model == Model::Linear && in_favour {
        LinearGrowth::Established
    } else if line.is_some_and(|line| line.high <= growth.shallow) {
        LinearGrowth::Excluded
    } else {
        LinearGrowth::Open
    }
}

struct Fits {
    constant: Fit,
    /// It takes a point more than the others.
    saturating: Option<Fit>,
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
        let saturating = rising(Model::Saturating).filter(|fit| fit.aicc.is_some());
        let logarithmic = rising(Model::Logarithmic)?;
        let linear = rising(Model::Linear)?;
        Some(Fits { constant, saturating, logarithmic, linear })
    }

    /// All but the line, the one that grows more slowly first.
    fn slower(&self) -> impl Iterator<Item = Fit> {
        [Some(self.constant), self.saturating, Some(self.logarithmic)].into_iter().flatten()
    }

    fn lead(&self) -> Option<f64> {
        let slower = self.slower().filter_map(|fit| fit.aicc).reduce(f64::min)?;
        Some(self.linear.aicc? - slower)
    }

    /// The least AICc, of equals the one that grows more slowly, and its rise: that of the line
    /// where it is the constant, which does not rise by itself and may hide one.
    fn best(&self, points: &[(f64, f64)]) -> Option<(Fit, f64)> {
        let mut best = self.constant;
        for other in self.slower().skip(1).chain([self.linear]) {
            if other.aicc? < best.aicc? {
                best = other;
            }
        }
        let rising = if best.model == Model::Constant { self.linear } else { best };
        Some((best, relative_rise(&rising, points)?))
    }

    /// The best, but the constant where growth is flat.
    fn chosen(&self, points: &[(f64, f64)]) -> Option<Fit> {
        let (best, rise) = self.best(points)?;
        Some(if rise < FLAT_UNDER { self.constant } else { best })
    }
}

/// Fitted growth from the first turn to the last as a share of the mean of y.
fn relative_rise(fit: &Fit, points: &[(f64, f64)]) -> Option<f64> {
    let (first, last) = ends(points)?;
    let (rise, level) = (fit.at(last) - fit.at(first), level(points)?);
    Some(if level > 0.0 { rise / level } else { 0.0 })
}

fn level(points: &[(f64, f64)]) -> Option<f64> {
    let tokens: Vec<f64> = points.iter().map(|(_, tokens)| *tokens).collect();
    stats::mean(&tokens)
}

fn ends(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let turns = || points.iter().map(|(turn, _)| *turn);
    Some((turns().min_by(f64::total_cmp)?, turns().max_by(f64::total_cmp)?))
}

fn span(points: &[(f64, f64)]) -> Option<f64> {
    ends(points).map(|(first, last)| last - first)
}

/// When a floor fills the usable window: `floor.horizon`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Horizon {
    /// At this turn, with its interval.
    At(Difference),
    /// The law never comes to it.
    Never,
    /// The law is not settled: linear growth is neither excluded nor established.
    NotSettled,
    /// The turn, or an end of its interval, lies beyond [`REACH`], or a single session has none.
    OutOfReach,
}

/// The turn at which the law of a settled growth reaches the usable window. In each draw of
/// sessions the law is chosen anew, so that the interval also tells how sure the law is.
pub(crate) fn horizon(series: &[Series], growth: &Growth, usable: Tokens, seed: Seed) -> Horizon {
    let sessions: Vec<&Series> = series.iter().filter(|one| !one.points.is_empty()).collect();
    let turns = sessions.iter().flat_map(|one| &one.points).map(|(turn, _)| *turn);
    let reach = REACH * turns.fold(1.0, f64::max);
    if growth.linear == LinearGrowth::Open {
        return Horizon::NotSettled;
    }
    let Some(mean) = reaches(&growth.fit, usable) else { return Horizon::Never };
    if mean > reach {
        return Horizon::OutOfReach;
    }
    let interval = over_draws(&sessions, Resampling::standard(seed), |fits, points| {
        let turn = reaches(&fits.chosen(points)?, usable).unwrap_or(f64::INFINITY);
        // Draws that never come to it must count: twice the reach is out of it.
        Some(turn.min(2.0 * reach))
    });
    let interval = interval.filter(|ends| ends.high <= reach);
    if interval.is_none() {
        return Horizon::OutOfReach;
    }
    Horizon::At(Difference { mean, interval, pairs: sessions.len() })
}

/// The turn at which a fit reaches so many tokens; `None` where never.
fn reaches(fit: &Fit, usable: Tokens) -> Option<f64> {
    let Fit { model, level, rate, bend, .. } = *fit;
    let first = bend.from.max(1.0);
    if fit.at(first) >= usable.as_f64() {
        return Some(first);
    }
    if rate <= 0.0 {
        return None;
    }
    let regressor = (usable.as_f64() - level) / rate;
    let turn = match model {
        Model::Constant => return None,
        Model::Saturating if regressor >= 1.0 => return None,
        Model::Saturating => bend.from - bend.over * (1.0 - regressor).ln(),
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
        [MetricId::FloorSlope, MetricId::FloorSlopeLowWater][self as usize]
    }

    /// The slope less the reference's.
    pub fn slope_difference(self) -> MetricId {
        [MetricId::FloorSlopeDifference, MetricId::FloorSlopeDifferenceLowWater][self as usize]
    }

    /// The model that fits best.
    pub fn growth(self) -> MetricId {
        [MetricId::FloorGrowth, MetricId::FloorGrowthLowWater][self as usize]
    }

    /// How much the points speak against linear growth.
    pub fn growth_lead(self) -> MetricId {
        [MetricId::FloorGrowthLead, MetricId::FloorGrowthLeadLowWater][self as usize]
    }

    /// The least line that would have been found.
    pub fn growth_missed(self) -> MetricId {
        [MetricId::FloorGrowthMissed, MetricId::FloorGrowthMissedLowWater][self as usize]
    }

    /// The turn at which the window is full.
    pub fn horizon(self) -> MetricId {
        [MetricId::FloorHorizon, MetricId::FloorHorizonLowWater][self as usize]
    }
}

const STRETCHES: u32 = CHECKPOINTS;

/// Turn and tokens of the least view that a compaction which took entries left in each twelfth of
/// the turns, from the first checkpoint behind the first such compaction on.
pub(crate) fn low_water<'a, R: Round + 'a>(
    turns: u32,
    compactions: impl Iterator<Item = &'a R> + Clone,
) -> Vec<(f64, f64)> {
    let first = Warmup::of(compactions.clone(), Tokens::UNBOUNDED).first_turn(turns);
    let mut lowest: [Option<(u32, Tokens)>; STRETCHES as usize] = [None; STRETCHES as usize];
    for (_, turn, tokens) in compactions.filter_map(Round::taking) {
        let turn = turn.max(1);
        if first.is_none_or(|first| turn < first) {
            continue;
        }
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
mod tests;
