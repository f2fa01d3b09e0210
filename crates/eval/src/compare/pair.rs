//! One metric of two configurations, session by session.

use serde::Serialize;

use super::Question;
use super::evidence::{Evidence, LEVEL};
use super::paired::{Paired, Pairing};
use super::sessions::{Cell, Contestant};
use super::verdict::{Earlier, Verdict};
use crate::ident::Seed;
use crate::measure::MetricId;
use crate::measure::table::{Direction, Metric};
use crate::stats;
use crate::stats::paired;
use crate::stats::power::detectable_difference;
use crate::stats::resample::Resampling;

/// Share of the baseline's mean, or of 1 for shares, that does not matter where no
/// margin is given.
pub const MARGIN: f64 = 0.05;

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
    /// p after Holm's procedure over the family.
    pub p_holm: Option<f64>,
    /// Difference that does not matter.
    pub margin: f64,
    /// Least difference that these sessions would find with a power of 0.8.
    pub detectable: Option<f64>,
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
    evidence: Evidence,
}

impl Row {
    /// Whether it is about how far sessions came.
    pub(super) fn about_completion(&self) -> bool {
        self.metric.is_completion()
    }

    /// Sets the verdict, once p is adjusted over a family of so many tests.
    pub(super) fn conclude(&mut self, p_holm: Option<f64>, tests: usize) {
        self.p_holm = p_holm;
        let earlier = match self.about_completion() {
            true => Earlier::default(),
            false => Earlier { candidate: self.candidate_earlier, baseline: self.baseline_earlier },
        };
        self.verdict = Verdict::of(&Evidence { p_holm, tests, ..self.evidence }, earlier);
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
    let differences = &sessions.differences;
    let signs = paired::signs(differences).unwrap_or_default();
    let (wins, losses) = match metric.better {
        Direction::Lower => (signs.below, signs.above),
        Direction::Higher | Direction::Neither => (signs.above, signs.below),
    };
    let seed = seed(baseline, candidate, metric);
    let resampling = Resampling { seed, resamples: question.resamples, level: 1.0 - LEVEL };
    let (interval, drawn) = sessions.interval(question.pooling, resampling);
    let (test, p) = sessions.test(seed);
    let baseline_mean = stats::mean(&sessions.baseline);
    let margin = margin(metric, baseline_mean, question);
    let evidence = Evidence::of(&sessions, metric.better, interval, (margin, LEVEL));
    let earlier = |is: fn(f64, f64) -> bool| {
        common.iter().filter(|(ours, theirs)| is(ours.steps(), theirs.steps())).count()
    };
    let lost = |side: fn(&(&Cell, &Cell), &Metric) -> bool| {
        stats::share(common.iter().filter(|pair| side(pair, metric)).count(), common.len())
    };
    Row {
        baseline: baseline.name(),
        candidate: candidate.name(),
        mode: candidate.mode.to_owned(),
        summarizer: summarizers(baseline, candidate),
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
        baseline_lost: lost(|(ours, _), metric| is_lost(ours, metric)),
        candidate_lost: lost(|(_, theirs), metric| is_lost(theirs, metric)),
        candidate_earlier: earlier(|ours, theirs| theirs < ours),
        baseline_earlier: earlier(|ours, theirs| ours < theirs),
        verdict: Verdict::TooFew(None),
        evidence,
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
