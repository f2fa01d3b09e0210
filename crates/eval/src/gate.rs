//! Gates: whether a change lets compaction become worse, with verdicts that a job can
//! be failed on.
//!
//! A [`Policy`] says which figures may not become worse and what must hold; a
//! [`Baseline`] holds the figures of a run that somebody blessed; [`judge`] compares a
//! run with it. Completion comes first, runs that are not whole or not of the same
//! inputs are not judged on their figures, and what these sessions could not have found
//! is `inconclusive`, never a pass.

mod always;
mod baseline;
mod decide;
mod finding;
#[cfg(test)]
mod fixture;
mod hard;
mod next;
mod pattern;
pub mod policy;
pub mod render;
mod soft;
#[cfg(test)]
mod tests;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};

pub use baseline::{Baseline, Blessing, Row};
pub use finding::{Finding, JudgedRun, Judgement, Kind, Named, Place};
pub use policy::Policy;
pub use verdict::Verdict;

use crate::compare::Difference;
use crate::error::Result;
use crate::ident::nearest;
use crate::run_dir::read::RunData;
use baseline::takes;
use policy::Rule;

/// Judges a run by a policy, beside a baseline where there is one. A run that is to
/// serve as the baseline unblessed goes through [`Baseline::of`].
///
/// # Errors
///
/// [`crate::error::Error::Toml`], drawn at the rule, where a rule finds nothing to judge
/// in run and baseline and does not say that it may.
pub fn judge(baseline: Option<&Baseline>, run: &RunData, policy: &Policy) -> Result<Judgement> {
    let candidate = Baseline::of(run, policy);
    let mut notes = matched(&candidate, baseline, run, policy)?;
    let mut findings = always::complete(baseline, run, &candidate, policy);
    findings.extend(hard::findings(&candidate, policy));
    match baseline {
        None => {
            let reason = "there is no baseline to compare with".to_owned();
            findings.push(Finding::always("baseline", Verdict::NoBaseline, reason));
        }
        Some(baseline) => findings.extend(beside(baseline, &candidate, policy, &mut notes)),
    }
    let (run, baseline) = (JudgedRun::of(run), baseline.map(JudgedRun::of_baseline));
    Ok(Judgement { run, baseline, ..settled(policy, findings, notes) })
}

/// Judges the figures of one side by the other's, without the runs that they are from:
/// as [`judge`], but for what needs those (missing cells, rules that find nothing).
pub fn between(baseline: &Baseline, candidate: &Baseline, policy: &Policy) -> Judgement {
    let (mut findings, mut notes) = (hard::findings(candidate, policy), Vec::new());
    findings.extend(beside(baseline, candidate, policy, &mut notes));
    settled(policy, findings, notes)
}

/// The judgement where a side cannot be judged because it is not whole: a run directory
/// that was begun and not finished, or a baseline side that failed in part.
pub fn incomplete(policy: &Policy, reason: String) -> Judgement {
    settled(policy, vec![always::incomplete(reason)], Vec::new())
}

/// What the figures say beside the baseline's, completion first.
fn beside(
    baseline: &Baseline,
    candidate: &Baseline,
    policy: &Policy,
    notes: &mut Vec<String>,
) -> Vec<Finding> {
    let differences = always::differences(baseline, candidate, policy);
    let incompatible =
        |one: &Difference| Finding::always("same-inputs", Verdict::Incompatible, one.says.clone());
    let mut findings: Vec<Finding> = differences.iter().map(incompatible).collect();
    let fallen = always::Fallen::of(baseline, candidate);
    let completion = fallen.findings();
    notes.extend(completion.iter().filter(|one| one.verdict.passes()).map(|one| {
        let rest = "other figures are compared where both sides came equally far";
        format!("{}: {}; {rest}", one.subject(), one.reason)
    }));
    findings.extend(completion);
    let sides = soft::Sides { baseline, candidate, fallen: &fallen, differences: &differences };
    findings.extend(soft::findings(sides, policy, notes));
    findings
}

fn settled(policy: &Policy, mut findings: Vec<Finding>, notes: Vec<String>) -> Judgement {
    for finding in &mut findings {
        finding.place = rule_place(policy, &finding.rule);
    }
    let mut judgement = Judgement {
        format: finding::JUDGEMENT_FORMAT,
        verdict: Verdict::Pass,
        warned: false,
        inconclusive: policy.inconclusive,
        no_baseline: policy.no_baseline,
        exit_code: 0,
        policy: Named { name: policy.name.clone(), digest: policy.digest.0.clone() },
        run: JudgedRun::default(),
        baseline: None,
        counts: BTreeMap::new(),
        findings,
        notes,
        next: Vec::new(),
    };
    judgement.settle();
    judgement.next = next::steps(&judgement);
    judgement
}

impl JudgedRun {
    /// A run that nobody blessed.
    pub fn of(run: &RunData) -> JudgedRun {
        JudgedRun {
            suite: run.manifest.suite.clone(),
            run: run.manifest_digest.0.clone(),
            tool: run.manifest.tool.clone(),
            blessed: None,
        }
    }

    fn of_baseline(baseline: &Baseline) -> JudgedRun {
        let Some(blessed) = &baseline.blessed else { return JudgedRun::default() };
        JudgedRun {
            suite: blessed.suite.clone(),
            run: blessed.run.0.clone(),
            tool: blessed.tool.clone(),
            blessed: Some(format!("by {} on {}: {}", blessed.who, blessed.date, blessed.why)),
        }
    }
}

/// The rule's line in the policy, where that is a file.
fn rule_place(policy: &Policy, rule: &str) -> Option<Place> {
    let file = policy.file.as_ref()?.replace('\\', "/");
    let rule = policy.rules.iter().find(|one| one.name == rule)?;
    Some(Place { file, line: rule.line })
}

/// Every rule finds something to judge, or says that it may not.
fn matched(
    candidate: &Baseline,
    baseline: Option<&Baseline>,
    run: &RunData,
    policy: &Policy,
) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    let rows = || candidate.rows.iter().chain(baseline.iter().flat_map(|one| &one.rows));
    for rule in &policy.rules {
        let finds = |row: &&Row| {
            takes(rule, row) && rule.metrics.iter().any(|id| row.figures.contains_key(id))
        };
        if rows().any(|row| finds(&row)) {
            continue;
        }
        let says = format!("the rule `{}` finds nothing to judge in this run", rule.name);
        if rule.may_match_nothing {
            notes.push(says);
            continue;
        }
        return Err(policy.at_rule(rule, says, Some(remedy(rule, run))));
    }
    Ok(notes)
}

fn remedy(rule: &Rule, run: &RunData) -> String {
    let all: BTreeSet<String> =
        run.measurements.iter().map(|row| row.key.configuration()).collect();
    let near = rule
        .configurations
        .iter()
        .filter(|pattern| !all.iter().any(|name| pattern.matches_configuration(name)))
        .find_map(|pattern| nearest(&pattern.0, all.iter().map(String::as_str)));
    match near {
        Some(near) => format!("no configuration is meant; did you mean `{near}`?"),
        None => "write `may-match-nothing = true` where that is as it should be".to_owned(),
    }
}
