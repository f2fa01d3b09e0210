//! Run against run, or configurations of one run against each other: paired by
//! scenario, seed and replicate, with what the differences are worth.
//!
//! The unit is the session; its replicates are averaged. Completion comes first: where
//! one side ended earlier, no other figure of it can read as better.

mod agreed;
mod evidence;
mod front;
mod inputs;
mod pair;
mod paired;
mod ranking;
pub mod render;
mod sessions;
mod verdict;

use std::collections::BTreeMap;

use serde::Serialize;

pub use evidence::LEAST_SESSIONS;
pub use front::{Front, FrontPoint};
pub use inputs::{Inputs, Session};
pub use pair::Row;
pub use ranking::Ranking;
pub use verdict::Verdict;

use crate::error::{Error, Result};
use crate::ident::did_you_mean;
use crate::measure::{Direction, Metric, MetricId};
use crate::run_dir::read::RunData;
use crate::stats::design::Design;
use crate::stats::multiplicity::holm;
pub(crate) use evidence::Evidence;
pub(crate) use inputs::{Difference, Differing};
pub(crate) use paired::{Paired, Pairing};
pub use sessions::contestant;
use sessions::{Contestant, Named, contestants};

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

/// How sessions are resampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pooling {
    /// Sessions: the verdict is about these scenarios. Within scenarios where each has
    /// at least [`LEAST_SESSIONS`], else from one pool.
    Stratified,
    /// Whole scenarios: it is about scenarios like these.
    Clustered,
}

impl Pooling {
    /// How sessions of these scenarios are drawn. The spread within a scenario of two
    /// or five sessions is too uncertain to stand alone: by simulation (the bench
    /// `coverage`) strata of two cover 71 % and strata of five 88 % where one pool,
    /// whose spread is over all sessions, covers 91 and 93 %.
    fn design(self, scenarios: &[&str]) -> Option<Design> {
        let sessions = |name: &&str| scenarios.iter().filter(|other| *other == name).count();
        match self {
            Pooling::Clustered => Design::clustered(scenarios),
            Pooling::Stratified
                if scenarios.iter().all(|name| sessions(name) >= LEAST_SESSIONS) =>
            {
                Design::stratified(scenarios)
            }
            Pooling::Stratified => Design::simple(scenarios.len()),
        }
    }
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// Metrics: the family over which Holm's procedure runs, over all rows at once;
    /// completion and steps reached are a family of their own.
    pub metrics: Vec<MetricId>,
    /// Differences that do not matter, by metric, in its unit.
    pub margins: BTreeMap<MetricId, f64>,
    /// The configuration that others are compared with; in two runs, each with itself
    /// where none is named.
    pub baseline: Option<String>,
    /// The configurations that are compared with it; all others where none is named.
    pub candidates: Vec<String>,
    /// The mode; all where none is named.
    pub mode: Option<String>,
    /// The summarizer; each run's main one where none is named.
    pub summarizer: Option<String>,
    /// How sessions are resampled.
    pub pooling: Pooling,
    /// Resamples of every interval.
    pub resamples: u32,
    /// Compare what two runs have in common although their inputs differ.
    pub allow: bool,
}

impl Default for Question {
    fn default() -> Question {
        Question {
            metrics: HEADLINES.to_vec(),
            margins: BTreeMap::new(),
            baseline: None,
            candidates: Vec::new(),
            mode: None,
            summarizer: None,
            pooling: Pooling::Stratified,
            resamples: 5_000,
            allow: false,
        }
    }
}

/// The answer.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// One per metric, pair of configurations and mode.
    pub rows: Vec<Row>,
    /// What costs least for what it knows: by tokens, then by dollars.
    pub fronts: Vec<Front>,
    /// Configurations ranked in every session; of one run alone.
    pub rankings: Vec<Ranking>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// Compares two runs, or the configurations of one.
///
/// # Errors
///
/// [`Error::Unknown`] for a metric or configuration that is not there;
/// [`Error::Invalid`] for a metric without a direction, for runs of other inputs
/// (unless allowed), and where nothing is left to compare.
pub fn compare(base: &RunData, other: Option<&RunData>, question: &Question) -> Result<Comparison> {
    let asked: Vec<&Metric> =
        question.metrics.iter().map(|id| ranked(*id)).collect::<Result<_>>()?;
    let agreed = agreed::agreed(base, other, question.allow)?;
    let mut notes = agreed.notes.clone();
    let metrics: Vec<&Metric> = asked.into_iter().filter(|one| agreed.keeps(one.id)).collect();
    let frames = (base.frame(), other.map(RunData::frame));
    let ours = contestants(base, &frames.0, question, &agreed);
    let theirs = other
        .zip(frames.1.as_ref())
        .map(|(other, frame)| contestants(other, frame, question, &agreed));
    if ours.is_empty() || theirs.as_ref().is_some_and(Vec::is_empty) {
        return Err(Error::invalid("compare", "no driven cell has this mode and summarizer"));
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
    if rows.is_empty() && !pairs.is_empty() {
        return Err(Error::invalid("compare", "no session is in both sides with a common metric"));
    }
    adjust(&mut rows);
    if !rows.is_empty() {
        let first = rows.iter().filter(|row| row.p.is_some() && row.about_completion()).count();
        let rest = rows.iter().filter(|row| row.p.is_some()).count() - first;
        notes.push(format!("Holm's procedure over {first} tests of completion and {rest} others"));
    }
    let prefixes = if theirs.is_some() { ["base: ", "candidate: "] } else { ["", ""] };
    let sides = ours.iter().map(|one| (prefixes[0], one));
    let sides = sides.chain(theirs.iter().flatten().map(|one| (prefixes[1], one)));
    let all: Vec<Named> =
        sides.map(|(prefix, one)| (format!("{prefix}{}", one.name()), one)).collect();
    let fronts = front::fronts(&all, question);
    let rankings = if theirs.is_none() { ranking::rankings(&all, &metrics) } else { Vec::new() };
    Ok(Comparison { rows, fronts, rankings, notes })
}

/// The metric, if it says which way is better.
fn ranked(id: MetricId) -> Result<&'static Metric> {
    let found = id.metric();
    if found.better == Direction::Neither || found.unit == "word" {
        return Err(Error::Invalid {
            place: format!("--metric {id}"),
            rule: "it describes and does not rank: there is no better or worse".to_owned(),
            hint: Some("METHODOLOGY.md's metric table says which way each is better".to_owned()),
        });
    }
    Ok(found)
}

/// Baseline and candidate of every comparison.
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
        Err(Error::Unknown {
            what: "configuration",
            name: name.clone(),
            hint: did_you_mean(name, names),
        })
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
            // One run without a baseline has fronts, but no pairs.
            (None, None) => continue,
        };
        let partner = ours.iter().find(|one| one.configuration == baseline && one.suits(candidate));
        let same = theirs.is_none() && candidate.configuration == baseline;
        if let Some(partner) = partner.filter(|_| wanted(&question.candidates) && !same) {
            pairs.push((partner, candidate));
        }
    }
    if (question.baseline.is_some() || theirs.is_some()) && pairs.is_empty() {
        let rule = "no two configurations have the same mode and summarizer";
        return Err(Error::invalid("compare", rule));
    }
    Ok(pairs)
}

/// Holm's procedure, then the verdicts, which rest on it. Completion comes first: its
/// tests are a family of their own, and the other rows another.
fn adjust(rows: &mut [Row]) {
    for first in [true, false] {
        let mut family: Vec<&mut Row> =
            rows.iter_mut().filter(|row| row.about_completion() == first).collect();
        let raw: Vec<f64> = family.iter().filter_map(|row| row.p).collect();
        let mut adjusted = holm(&raw).unwrap_or_default().into_iter();
        for row in &mut family {
            row.conclude(row.p.and_then(|_| adjusted.next()), raw.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scenarios_with_enough_sessions_are_strata() {
        let of = |each: usize| -> Vec<&str> {
            ["a", "b"].into_iter().flat_map(|name| vec![name; each]).collect()
        };
        let strata = |each| Pooling::Stratified.design(&of(each)).map(|design| design.strata());
        assert_eq!((strata(2), strata(7), strata(8)), (Some(1), Some(1), Some(2)));
        assert_eq!(Pooling::Clustered.design(&of(1)).map(|design| design.count()), Some(2));
    }
}
