//! One metric of two configurations, session by session.

use super::Question;
use super::evidence::{Evidence, LEVEL, Paired, RESAMPLES};
use super::sessions::Contestant;
use super::verdict::Verdict;
use crate::frame::MeasuredCell;
use crate::measure::MetricId;
use crate::measure::table::{Direction, Metric};
use crate::prelude::*;
use crate::stats;
use crate::stats::paired;
use crate::stats::power::detectable_difference;
use crate::stats::resample::Resampling;

/// Share of the baseline's mean, or of 1 for shares, that does not matter by default.
const MARGIN: f64 = 0.05;

/// A comparison: candidate less baseline.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(super) baseline: String,
    pub(super) candidate: String,
    pub(super) mode: String,
    /// Of both sides, or both where they differ.
    summarizer: String,
    pub(super) metric: MetricId,
    unit: &'static str,
    better: &'static str,
    /// Sessions in which both have the figure; replicates of one count once.
    pub(super) n: usize,
    unpaired: usize,
    pub(super) baseline_mean: Option<f64>,
    pub(super) candidate_mean: Option<f64>,
    /// Mean of candidate − baseline, and its 95 % interval.
    pub(super) difference: Option<f64>,
    pub(super) low: Option<f64>,
    pub(super) high: Option<f64>,
    /// How the interval was made: `bca` or `adjusted-wald`.
    interval: &'static str,
    /// Mean over standard deviation of the differences.
    pub(super) effect: Option<f64>,
    /// Sessions that the candidate has better, alike and worse.
    pub(super) wins: usize,
    pub(super) ties: usize,
    pub(super) losses: usize,
    /// `sign-flip` (exact or drawn) or `mcnemar`, its two-sided p, and that after Holm.
    test: &'static str,
    pub(super) p: Option<f64>,
    pub(super) p_holm: Option<f64>,
    margin: f64,
    /// Least difference that these sessions would find with a power of 0.8.
    detectable: Option<f64>,
    /// Sessions that one side ended earlier than the other.
    candidate_earlier: usize,
    baseline_earlier: usize,
    pub(super) verdict: Verdict,
    #[serde(skip)]
    evidence: Evidence,
}

impl Row {
    pub(super) fn about_completion(&self) -> bool {
        self.metric.is_completion()
    }

    /// Sets the verdict, once p is adjusted over a family of so many tests.
    pub(super) fn conclude(&mut self, p_holm: Option<f64>, tests: usize) {
        self.p_holm = p_holm;
        let earlier = match self.about_completion() {
            true => (0, 0),
            false => (self.candidate_earlier, self.baseline_earlier),
        };
        self.verdict = Verdict::of(&Evidence { p_holm, tests, ..self.evidence }, earlier);
    }
}

pub(super) fn row(
    baseline: &Contestant,
    candidate: &Contestant,
    metric: &'static Metric,
    question: &Question,
) -> Row {
    let common = baseline.common(candidate);
    let sessions = Paired::of(common.iter().map(|(ours, theirs)| {
        let values = (baseline.number(ours, metric.id), candidate.number(theirs, metric.id));
        (ours.session(), values)
    }));
    let differences = &sessions.differences;
    let signs = paired::signs(differences).unwrap_or_default();
    let (wins, losses) = match metric.better {
        Direction::Lower => (signs.below, signs.above),
        Direction::Higher | Direction::Neither => (signs.above, signs.below),
    };
    // Draws of a comparison come from its names alone.
    let names = [&baseline.name(), &candidate.name(), candidate.mode, metric.name];
    let seed = Seed(0).derive(&["compare"]).derive(&names);
    let resampling = Resampling { seed, resamples: RESAMPLES, level: 1.0 - LEVEL };
    let (interval, drawn) = sessions.interval(resampling);
    let (test, p) = sessions.test(seed);
    let baseline_mean = stats::mean(&sessions.baseline);
    let margin = margin(metric, baseline_mean, question);
    let evidence = Evidence::of(&sessions, metric.better, interval, (margin, LEVEL));
    let earlier = |is: fn(&MeasuredCell, &MeasuredCell) -> bool| {
        common.iter().filter(|(ours, theirs)| is(ours, theirs)).count()
    };
    Row {
        baseline: baseline.name(),
        candidate: candidate.name(),
        mode: candidate.mode.to_owned(),
        summarizer: match baseline.summarizer == candidate.summarizer {
            true => candidate.summarizer.to_owned(),
            false => format!("{} → {}", baseline.summarizer, candidate.summarizer),
        },
        metric: metric.id,
        unit: metric.unit,
        better: metric.better.name(),
        n: differences.len(),
        unpaired: sessions.unpaired,
        baseline_mean,
        candidate_mean: stats::mean(&sessions.candidate),
        difference: stats::mean(differences),
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
        interval: drawn,
        effect: paired::standardized_mean(differences),
        wins,
        ties: signs.equal,
        losses,
        test,
        p,
        p_holm: None,
        margin,
        detectable: detectable_difference(differences.len() as u64, evidence.deviation, LEVEL),
        candidate_earlier: earlier(|ours, theirs| theirs.steps_reached() < ours.steps_reached()),
        baseline_earlier: earlier(|ours, theirs| ours.steps_reached() < theirs.steps_reached()),
        verdict: Verdict::TooFew(None),
        evidence,
    }
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
