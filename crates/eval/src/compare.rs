//! Run against run, or configurations of one run: paired by scenario, seed and replicate,
//! replicates averaged. Completion comes first: sessions that one side ended earlier count in
//! completion and in recall at need, which misses what was not reached; the rest is compared without.

mod evidence;
mod inputs;
mod pair;
pub mod render;
mod sessions;
mod stretch;
mod verdict;

pub use evidence::{LEAST_SESSIONS, LEVEL};
pub use inputs::{Inputs, Session};
pub use pair::Row;
pub use sessions::contestant;
pub use stretch::{AXIS, Higher, OverAxis, Point, Stretch, over_axis, points};
pub use verdict::Favour;

use crate::ident::did_you_mean;
use crate::measure::{Direction, Metric, MetricId};
use crate::prelude::*;
use crate::run_dir::read::RunData;
use crate::stats::estimate::Unit;
pub(crate) use evidence::{Evidence, Pair, Paired, Shown, adjust};
pub(crate) use inputs::{Difference, Differing};
use sessions::{Contestant, contestants};

/// The family that is compared where none is declared.
pub const HEADLINES: [MetricId; 8] = [
    MetricId::Completion,
    MetricId::RecallAtNeed,
    MetricId::RecallMean,
    MetricId::FloorOnePass,
    MetricId::TokensMeanPrompt,
    MetricId::SavingsNet,
    MetricId::CostUsd,
    MetricId::CostReacquire,
];

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// Metrics: the family of Holm's procedure; completion and steps reached are one of their own.
    pub metrics: Vec<MetricId>,
    /// Differences that do not matter, by metric, in its unit.
    pub margins: BTreeMap<MetricId, f64>,
    /// The configuration that others are compared with; `None` in two runs: each with itself.
    pub baseline: Option<String>,
    /// The configurations that are compared with it; all others where none is named.
    pub candidates: Vec<String>,
    /// What the sessions are a sample of: themselves within these scenarios, or of scenarios like
    /// these.
    pub unit: Unit,
    /// Compare what two runs have in common although their inputs differ.
    pub allow: bool,
    /// The part of the level that is spent: all of it, unless sessions are looked at several times.
    pub spends: f64,
}

/// The answer.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// One per metric, pair of configurations and mode.
    pub rows: Vec<Row>,
    notes: Vec<String>,
    /// What a suite would have to say, for the order of recall to have its stretch.
    #[serde(skip)]
    hint: Option<String>,
}

/// Compares two runs, or the configurations of one; [`Error::Unknown`] for a name that is not
/// there, [`Error::Invalid`] for a metric without a direction, other inputs, or nothing to compare.
pub fn compare(base: &RunData, other: Option<&RunData>, question: &Question) -> Result<Comparison> {
    let asked: Vec<&Metric> =
        question.metrics.iter().map(|id| ranked(*id)).collect::<Result<_>>()?;
    let differing = inputs::differing(base, other, question.allow)?;
    let mut notes: Vec<String> = differing.iter().map(|one| one.says.clone()).collect();
    let keeps = |metric: &&Metric| !differing.iter().any(|one| one.what.touches(metric.id));
    let metrics: Vec<&Metric> = asked.into_iter().filter(keeps).collect();
    let frames = (base.frame(), other.map(RunData::frame));
    let ours = contestants(base, &frames.0, question, &differing);
    let theirs = other
        .zip(frames.1.as_ref())
        .map(|(other, frame)| contestants(other, frame, question, &differing));
    if ours.is_empty() || theirs.as_ref().is_some_and(Vec::is_empty) {
        return Err(Error::invalid("compare", "no cell was driven under the main summarizer"));
    }
    let pairs = pairs(&ours, theirs.as_deref(), question)?;
    let mut rows: Vec<Row> = Vec::new();
    for (baseline, candidate) in &pairs {
        let common = baseline.common(candidate);
        let alone = baseline.cells.len() + candidate.cells.len() - 2 * common.len();
        if alone > 0 {
            let name = &candidate.configuration;
            notes.push(format!("{name}: {alone} cells without a partner are left out"));
        }
        if common.is_empty() {
            continue;
        }
        rows.extend(metrics.iter().map(|metric| pair::row(baseline, candidate, metric, question)));
    }
    if rows.is_empty() {
        return Err(Error::invalid("compare", "no session is in both sides with a common metric"));
    }
    let first = conclude(&mut rows, true);
    let rest = conclude(&mut rows, false);
    notes.push(format!("Holm's procedure over {first} tests of completion and {rest} others"));
    let asks = pairs.iter().any(|(one, other)| one.driven.asks() || other.driven.asks());
    let recall = rows.iter().any(|row| row.metric == MetricId::RecallAtNeed);
    let runs = [Some(base), other].into_iter().flatten();
    let hint = runs.filter(|_| asks && recall).find_map(hint);
    Ok(Comparison { rows, notes, hint })
}

/// The brackets that a run lacks to tell over which summaries an order of recall holds.
fn hint(run: &RunData) -> Option<String> {
    let driven = &run.manifest.summarizers;
    let missing = AXIS.iter().filter(|name| !driven.iter().any(|one| one == *name));
    let missing: Vec<String> = missing.map(|name| format!("\"{name}\"")).collect();
    points(driven).is_empty().then(|| {
        let says =
            "add to `brackets` in the suite, to see over which summaries recall is so ordered";
        format!("{says}: {}", missing.join(", "))
    })
}

fn ranked(id: MetricId) -> Result<&'static Metric> {
    let found = id.metric();
    if found.better == Direction::Neither || found.unit == "word" {
        let rule = "it describes and does not rank: there is no better or worse";
        let hint = "METHODOLOGY.md's metric table says which way each is better";
        return Err(Error::refused(format!("--metric {id}"), rule, hint));
    }
    Ok(found)
}

fn pairs<'a>(
    ours: &'a [Contestant<'a>],
    theirs: Option<&'a [Contestant<'a>]>,
    question: &Question,
) -> Result<Vec<(&'a Contestant<'a>, &'a Contestant<'a>)>> {
    let other = theirs.unwrap_or(ours);
    let known = |name: &String, among: &[Contestant]| {
        if among.iter().any(|one| one.configuration == *name) {
            return Ok(());
        }
        let names = among.iter().map(|one| one.configuration.as_str());
        Err(Error::unknown("configuration", name, did_you_mean(name, names)))
    };
    question.baseline.iter().try_for_each(|name| known(name, ours))?;
    question.candidates.iter().try_for_each(|name| known(name, other))?;
    let mut pairs = Vec::new();
    for candidate in other {
        let wanted =
            |names: &[String]| names.is_empty() || names.contains(&candidate.configuration);
        let baseline = match (&question.baseline, theirs) {
            (Some(name), _) => name.as_str(),
            (None, Some(_)) => candidate.configuration.as_str(),
            (None, None) => {
                let rule = "one run is compared with nothing";
                let hint = "name a configuration, or a second run: `proctor compare RUN --baseline \
                            CONFIGURATION`";
                return Err(Error::refused("compare", rule, hint));
            }
        };
        let partner =
            ours.iter().find(|one| one.configuration == baseline && one.mode == candidate.mode);
        let same = theirs.is_none() && candidate.configuration == baseline;
        if let Some(partner) = partner.filter(|_| wanted(&question.candidates) && !same) {
            pairs.push((partner, candidate));
        }
    }
    if pairs.is_empty() {
        let rule = "no two configurations have the same mode";
        return Err(Error::invalid("compare", rule));
    }
    Ok(pairs)
}

/// Holm's procedure over completion or over the other rows, and the verdicts that rest on it; how
/// many tests these are.
fn conclude(rows: &mut [Row], of_completion: bool) -> usize {
    let mut rows: Vec<&mut Row> =
        rows.iter_mut().filter(|row| row.about_completion() == of_completion).collect();
    adjust(&mut rows.iter_mut().map(|row| &mut row.evidence).collect::<Vec<_>>());
    rows.iter_mut().for_each(|row| row.conclude());
    rows.iter().filter(|row| row.p.is_some()).count()
}
