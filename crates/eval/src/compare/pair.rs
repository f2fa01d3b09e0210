//! One metric of two configurations, session by session.

use crate::measure::MetricId;
use serde::Serialize;

use super::Question;
use super::paired::{Paired, Pairing};
use super::sessions::{Cell, Contestant};
use super::verdict::{Evidence, LEVEL, Verdict};
use crate::ident::Seed;
use crate::measure::table::{Direction, Metric};
use crate::stats;
use crate::stats::paired;
use crate::stats::power::detectable_difference;
use crate::stats::resample::{Interval, Resampling};

/// Share of the baseline's mean, or of 1 for shares, that does not matter where no
/// margin is given.
pub const MARGIN: f64 = 0.05;
/// Columns of the histogram of differences.
const COLUMNS: usize = 16;

/// A comparison: candidate less baseline.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Configuration that is compared with.
    pub baseline: String,
    /// Configuration that is compared.
    pub candidate: String,
    /// Mode of both.
    pub mode: String,
    /// Summarizer, or both where they differ.
    pub summarizer: String,
    /// Metric.
    pub metric: MetricId,
    /// Its unit.
    pub unit: &'static str,
    /// `higher` or `lower`.
    pub better: &'static str,
    /// Sessions in which both have the figure; replicates of one count once.
    pub n: usize,
    /// Sessions in which only one has it.
    pub unpaired: usize,
    /// Mean over these sessions.
    pub baseline_mean: Option<f64>,
    /// See `baseline_mean`.
    pub candidate_mean: Option<f64>,
    /// Mean of candidate − baseline.
    pub difference: Option<f64>,
    /// Its 95 % interval.
    pub low: Option<f64>,
    /// See `low`.
    pub high: Option<f64>,
    /// How the interval was made: `bca`, or `adjusted-wald` for all-or-nothing figures.
    pub interval: &'static str,
    /// Mean over standard deviation of the differences.
    pub effect: Option<f64>,
    /// Matched-pairs rank-biserial correlation.
    pub rank_biserial: Option<f64>,
    /// Chance that a candidate's session has more than a baseline's, less the reverse.
    pub cliffs_delta: Option<f64>,
    /// Sessions that the candidate has better, alike and worse.
    pub wins: usize,
    /// See `wins`.
    pub ties: usize,
    /// See `wins`.
    pub losses: usize,
    /// `sign-flip` (exact or drawn) or `mcnemar`.
    pub test: &'static str,
    /// Its p, two-sided.
    pub p: Option<f64>,
    /// p of the signed-rank test, beside it.
    pub p_signed_rank: Option<f64>,
    /// p after Holm's procedure over the family.
    pub p_holm: Option<f64>,
    /// Difference that does not matter.
    pub margin: f64,
    /// Least difference that these sessions would find with a power of 0.8.
    pub detectable: Option<f64>,
    /// Differences: minimum, 10, 25, 50, 75, 90 % and maximum.
    pub quantiles: Option<[f64; 7]>,
    /// Sessions over the range of differences, 16 bars from the least to the greatest.
    pub histogram: String,
    /// Share of sessions lost entirely: ended early, or with nothing of a share.
    pub baseline_lost: Option<f64>,
    /// See `baseline_lost`.
    pub candidate_lost: Option<f64>,
    /// Sessions that the candidate ended earlier than the baseline.
    pub candidate_earlier: usize,
    /// Sessions that the baseline ended earlier than the candidate.
    pub baseline_earlier: usize,
    /// What it is worth.
    pub verdict: Verdict,
    #[serde(skip)]
    deviation: f64,
}

impl Row {
    /// Whether it is about how far sessions came.
    pub(super) fn about_completion(&self) -> bool {
        self.metric.is_completion()
    }

    /// Sets the verdict, once p is adjusted over a family of this size.
    pub(super) fn conclude(&mut self, family: usize) {
        let turn = if self.better == Direction::Lower.name() { -1.0 } else { 1.0 };
        let interval = self.low.zip(self.high).map(|(low, high)| match turn < 0.0 {
            true => Interval { low: -high, high: -low },
            false => Interval { low, high },
        });
        let evidence = Evidence {
            sessions: self.n,
            identical: self.ties == self.n && self.n > 0,
            gain: turn * self.difference.unwrap_or(0.0),
            interval,
            p_holm: self.p_holm,
            deviation: self.deviation,
            margin: self.margin,
            family,
            candidate_earlier: self.candidate_earlier,
            baseline_earlier: self.baseline_earlier,
            about_completion: self.about_completion(),
        };
        self.verdict = evidence.verdict();
    }
}

/// Compares one metric.
pub(super) fn row(
    baseline: &Contestant,
    candidate: &Contestant,
    metric: &'static Metric,
    question: &Question,
) -> Row {
    let common = baseline.common(candidate);
    let sessions = collected(&common, metric);
    let differences = sessions.differences();
    let turn = if metric.better == Direction::Lower { -1.0 } else { 1.0 };
    let signs = paired::signs(differences).unwrap_or_default();
    let (wins, losses) =
        if turn > 0.0 { (signs.above, signs.below) } else { (signs.below, signs.above) };
    let seed = seed(baseline, candidate, metric);
    let (pooling, level) = (question.pooling, 1.0 - LEVEL);
    let resampling = Resampling { seed, resamples: question.resamples, level };
    let (interval, drawn) = sessions.interval(pooling, resampling);
    let (test, p) = sessions.test(seed);
    let earlier = |is: fn(f64, f64) -> bool| {
        common.iter().filter(|(ours, theirs)| is(ours.steps(), theirs.steps())).count()
    };
    let deviation = paired::standard_deviation(differences).unwrap_or(f64::NAN);
    let lost = |cells: Vec<&Cell>| {
        let lost = cells.iter().filter(|cell| is_lost(cell, metric)).count();
        stats::share(lost, cells.len())
    };
    let baseline_mean = stats::mean(sessions.baseline());
    Row {
        baseline: baseline.name(),
        candidate: candidate.name(),
        mode: candidate.mode.to_owned(),
        summarizer: summarizers(baseline, candidate),
        metric: metric.id,
        unit: metric.unit,
        better: metric.better.name(),
        n: differences.len(),
        unpaired: sessions.unpaired(),
        baseline_mean,
        candidate_mean: stats::mean(sessions.candidate()),
        difference: stats::mean(differences),
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
        interval: drawn,
        effect: paired::standardized_mean(differences),
        rank_biserial: paired::rank_biserial(differences),
        cliffs_delta: paired::cliffs_delta(sessions.candidate(), sessions.baseline()),
        wins,
        ties: signs.equal,
        losses,
        test,
        p,
        p_signed_rank: paired::signed_rank(differences).map(|test| test.p),
        p_holm: None,
        margin: margin(metric, baseline_mean, question),
        detectable: detectable_difference(differences.len() as u64, deviation, LEVEL),
        quantiles: quantiles(differences),
        histogram: histogram(differences),
        baseline_lost: lost(common.iter().map(|pair| pair.0).collect()),
        candidate_lost: lost(common.iter().map(|pair| pair.1).collect()),
        candidate_earlier: earlier(|ours, theirs| theirs < ours),
        baseline_earlier: earlier(|ours, theirs| ours < theirs),
        verdict: Verdict::TooFew(None),
        deviation,
    }
}

fn collected<'a>(common: &[(&'a Cell<'a>, &'a Cell<'a>)], metric: &Metric) -> Paired<'a> {
    let mut paired = Pairing::default();
    for (ours, theirs) in common {
        let key = &ours.row.key;
        let values = (ours.number(metric.id), theirs.number(metric.id));
        paired.put((&key.scenario, key.seed), values);
    }
    paired.finish()
}

fn summarizers(baseline: &Contestant, candidate: &Contestant) -> String {
    match baseline.summarizer == candidate.summarizer {
        true => candidate.summarizer.to_owned(),
        false => format!("{} → {}", baseline.summarizer, candidate.summarizer),
    }
}

/// Draws of a comparison come from its names alone.
fn seed(baseline: &Contestant, candidate: &Contestant, metric: &Metric) -> Seed {
    let names = [&baseline.name(), &candidate.name(), candidate.mode, metric.name];
    Seed(0).derive(&["compare"]).derive(&names)
}

/// A session of which nothing is left: it ended early, or a share that ought to be
/// high is 0.
fn is_lost(cell: &Cell, metric: &Metric) -> bool {
    let share = metric.unit == "share" && metric.better == Direction::Higher;
    !cell.completed() || (share && cell.number(metric.id) == Some(0.0))
}

fn margin(metric: &Metric, baseline_mean: Option<f64>, question: &Question) -> f64 {
    let usual = match metric.unit {
        "share" => MARGIN,
        _ => baseline_mean.map_or(MARGIN, |mean| MARGIN * mean.abs()),
    };
    let margin = question.margins.get(&metric.id).copied().unwrap_or(usual);
    // A margin of nothing could never be kept.
    if margin > 0.0 { margin } else { MARGIN }
}

fn quantiles(differences: &[f64]) -> Option<[f64; 7]> {
    let mut found = [0.0; 7];
    for (place, share) in found.iter_mut().zip([0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0]) {
        *place = stats::quantile(differences, share)?;
    }
    Some(found)
}

/// Bars of equal width from the least difference to the greatest.
fn histogram(differences: &[f64]) -> String {
    const BARS: [char; 9] = ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let least = differences.iter().copied().fold(f64::INFINITY, f64::min);
    let most = differences.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !(least.is_finite() && most > least) {
        return String::new();
    }
    let mut counts = [0_usize; COLUMNS];
    for difference in differences {
        let place = (difference - least) / (most - least) * COLUMNS as f64;
        counts[(place as usize).min(COLUMNS - 1)] += 1;
    }
    let highest = counts.iter().copied().max().unwrap_or(1).max(1);
    counts.iter().map(|count| BARS[(count * 8).div_ceil(highest)]).collect()
}
