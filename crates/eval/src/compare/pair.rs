//! One metric of two configurations, session by session.

use super::Question;
use super::evidence::{Evidence, LEVEL, Paired};
use super::sessions::Contestant;
use super::stretch::Stretch;
use super::verdict::{Favour, Verdict};
use crate::frame::MeasuredCell;
use crate::measure::MetricId;
use crate::measure::table::{Direction, Metric};
use crate::prelude::*;
use crate::stats;
use crate::stats::estimate::Unit;
use crate::stats::paired;

/// Share of the baseline's mean, or of 1 for shares, that does not matter by default.
const MARGIN: f64 = 0.05;

/// A comparison: candidate less baseline.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub(super) baseline: String,
    /// The configuration that is compared with the baseline.
    pub candidate: String,
    pub(super) mode: String,
    /// Of both sides, or both where they differ.
    summarizer: String,
    /// The figure.
    pub metric: MetricId,
    unit: &'static str,
    better: &'static str,
    /// Sessions in which both have the figure; replicates of one count once.
    pub n: usize,
    unpaired: usize,
    /// Mean of the baseline over these sessions.
    pub baseline_mean: Option<f64>,
    /// And of the candidate.
    pub candidate_mean: Option<f64>,
    /// Mean of candidate − baseline, and its interval (of 95 % where one look spends all).
    pub difference: Option<f64>,
    /// Its low end.
    pub low: Option<f64>,
    /// Its high end.
    pub high: Option<f64>,
    /// What was drawn: that of the interval, of the test and of what would be found.
    pub(super) drawn: &'static str,
    pub(super) units: usize,
    /// Mean over standard deviation of the differences.
    pub(super) effect: Option<f64>,
    /// Sessions that the candidate has better, alike and worse.
    pub(super) wins: usize,
    pub(super) ties: usize,
    pub(super) losses: usize,
    /// Of no difference: two-sided, and that after Holm.
    pub(super) p: Option<f64>,
    pub(super) p_holm: Option<f64>,
    /// Difference that does not matter.
    pub margin: f64,
    /// Least loss that these would show beyond the margin, with a power of 0.9.
    detectable: Option<f64>,
    /// Sessions that one side ended earlier than the other.
    candidate_earlier: usize,
    baseline_earlier: usize,
    pub(super) verdict: Verdict,
    #[serde(skip)]
    pub(super) evidence: Evidence,
    /// Sessions that are not compared, since one side ended earlier.
    left_out: usize,
    /// Over which summarizers the order of recall holds, where both were driven on their axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch: Option<Stretch>,
}

impl Row {
    /// Which side the figure speaks for.
    pub fn favour(&self) -> Favour {
        self.verdict.favour()
    }

    /// Whether a loss beyond the margin is excluded.
    pub fn excludes_loss(&self) -> bool {
        self.verdict.excludes_loss()
    }

    /// The verdict in words.
    pub fn says(&self) -> String {
        self.verdict.to_string()
    }

    pub(super) fn about_completion(&self) -> bool {
        self.metric.is_completion()
    }

    /// Sets the verdict, once the family is known.
    pub(super) fn conclude(&mut self) {
        self.p = self.evidence.alone.map(|chances| chances.equal);
        self.p_holm = self.evidence.adjusted.map(|chances| chances.equal);
        self.detectable = self.evidence.detectable();
        self.verdict = Verdict::of(&self.evidence, self.left_out);
    }
}

pub(super) fn row(
    baseline: &Contestant,
    candidate: &Contestant,
    metric: &'static Metric,
    question: &Question,
) -> Row {
    let common = baseline.common(candidate);
    // What one side did not reach counts in these; of others it is not known.
    let counts_all = metric.id.is_completion() || metric.id == MetricId::RecallAtNeed;
    let alike = |(ours, theirs): &&(&MeasuredCell, &MeasuredCell)| {
        counts_all || ours.steps_reached() == theirs.steps_reached()
    };
    let compared: Vec<_> = common.iter().filter(alike).collect();
    let sessions = Paired::of(compared.iter().map(|(ours, theirs)| {
        let values = (baseline.number(ours, metric.id), candidate.number(theirs, metric.id));
        (ours.session(), values)
    }));
    let differences = &sessions.differences;
    let signs = paired::signs(differences).unwrap_or_default();
    let (wins, losses) = match metric.better {
        Direction::Lower => (signs.below, signs.above),
        Direction::Higher | Direction::Neither => (signs.above, signs.below),
    };
    let baseline_mean = stats::mean(&sessions.baseline);
    let margin = margin(metric, baseline_mean, question);
    let level = LEVEL * question.spends;
    let evidence = Evidence::of(&sessions, metric.better, question.unit, (margin, level));
    let interval = evidence.difference(metric.better);
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
        low: interval.map(|one| one.low),
        high: interval.map(|one| one.high),
        drawn: evidence.estimate.map_or(question.unit, |one| one.unit).name(),
        units: evidence.estimate.map_or(0, |one| one.units),
        effect: paired::standardized_mean(differences),
        wins,
        ties: signs.equal,
        losses,
        p: None,
        p_holm: None,
        margin,
        detectable: None,
        candidate_earlier: earlier(|ours, theirs| theirs.steps_reached() < ours.steps_reached()),
        baseline_earlier: earlier(|ours, theirs| ours.steps_reached() < theirs.steps_reached()),
        verdict: Verdict::of(&evidence, 0),
        left_out: common.len() - compared.len(),
        stretch: stretch([candidate, baseline], metric.id, (question.unit, level)),
        evidence,
    }
}

/// Of the recall of candidate and baseline; none of another metric.
fn stretch(sides: [&Contestant; 2], metric: MetricId, terms: (Unit, f64)) -> Option<Stretch> {
    let names = sides.map(Contestant::name);
    let over = sides.map(Contestant::over_axis);
    let stretch = || Stretch::of(over.each_ref(), names.each_ref().map(String::as_str), terms);
    (metric == MetricId::RecallAtNeed).then(stretch).flatten()
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
