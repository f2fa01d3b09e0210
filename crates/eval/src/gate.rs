//! Gates: whether a change lets compaction become worse, as verdicts that a job can fail on.
//! Completion comes first; runs that are not whole, or of other inputs, are not judged on their
//! figures; what these sessions neither show nor exclude is `undecided`, never a pass.

mod always;
mod axis;
mod baseline;
mod changes;
mod detail;
mod explain;
mod finding;
#[cfg(test)]
mod fixture;
mod held;
mod looks;
mod moved;
pub mod policy;
pub mod render;
mod rules;
mod steps;
mod terms;
#[cfg(test)]
mod tests;
mod verdict;
mod words;

pub use axis::OfAxis;
pub use baseline::{Baseline, Blessing, Row};
pub use changes::{Change, changes};
pub use detail::{
    Acceptance, Blame, BrokenRule, Detail, EarlyEnd, LostFact, LostIn, Moved, Outcome, Place,
    Undone,
};
pub use explain::{Directories, explain, moved_facts};
pub use finding::{Finding, JudgedRun, Judgement, Kind, Named};
pub use looks::Look;
pub use moved::{MovedFact, MovedFacts};
pub use policy::Policy;
pub use steps::Ways;
pub use terms::Terms;
pub use verdict::Verdict;
pub use words::{amount, called, figure};

use crate::compare::Differing;
use crate::ident::did_you_mean;
use crate::measure::MetricId;
use crate::prelude::*;
use crate::run_dir::read::RunData;
use baseline::takes;
use policy::Rule;

/// Judges a run by a policy, beside a baseline where there is one; [`crate::error::Error::Toml`]
/// where a rule finds nothing to judge and does not say that it may.
pub fn judge(baseline: Option<&Baseline>, run: &RunData, policy: &Policy) -> Result<Judgement> {
    let candidate = Baseline::of(run, policy);
    let mut findings = always::complete(baseline, run, &candidate, policy);
    let mut notes = match matched(&candidate, baseline, run, policy) {
        // What a rule would judge may be among the cells that are not there.
        Err(_) if !findings.is_empty() => Vec::new(),
        matched => matched?,
    };
    findings.extend(rules::hard(&candidate, policy));
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

/// Judges one side's figures by the other's: as [`judge`], but for missing cells and idle rules.
pub fn between(baseline: &Baseline, candidate: &Baseline, policy: &Policy) -> Judgement {
    let (mut findings, mut notes) = (rules::hard(candidate, policy), Vec::new());
    findings.extend(beside(baseline, candidate, policy, &mut notes));
    settled(policy, findings, notes)
}

/// The judgement where a side is not whole.
pub fn incomplete(policy: &Policy, reason: String) -> Judgement {
    settled(policy, vec![always::incomplete(reason)], Vec::new())
}

/// Of two sides that are the same, so that nothing need be driven.
pub fn unchanged(policy: &Policy, note: String) -> Judgement {
    let mut judgement = settled(policy, Vec::new(), vec![note]);
    judgement.verdict = Verdict::PassIdentical;
    judgement
}

/// What the figures say beside the baseline's, completion first.
fn beside(
    baseline: &Baseline,
    candidate: &Baseline,
    policy: &Policy,
    notes: &mut Vec<String>,
) -> Vec<Finding> {
    let mut differences = baseline.inputs.differences(&candidate.inputs);
    // Prices count only where a rule rests on them.
    let is_priced = policy.metrics().any(MetricId::is_priced);
    differences.retain(|one| is_priced || one.what != Differing::Prices);
    let incompatible = |says| Finding::always("same-inputs", Verdict::Incompatible, says);
    let mut findings: Vec<Finding> =
        differences.iter().map(|one| incompatible(one.says.clone())).collect();
    let fallen = always::Fallen::of(baseline, candidate, policy);
    let completion = fallen.findings();
    notes.extend(completion.iter().filter(|one| one.verdict.passes()).map(|one| {
        let rest = "other figures are compared where both sides came equally far";
        format!("{}: {}; {rest}", one.subject(), one.reason)
    }));
    findings.extend(completion);
    let sides = rules::Sides { baseline, candidate, fallen: &fallen, differences: &differences };
    findings.extend(rules::soft(sides, policy, notes));
    findings.extend(held::held(sides, policy));
    findings
}

fn settled(policy: &Policy, mut findings: Vec<Finding>, notes: Vec<String>) -> Judgement {
    for finding in &mut findings {
        let rule = policy.rules.iter().find(|one| one.name == finding.rule);
        finding.place = rule
            .zip(policy.file.as_ref())
            .map(|(rule, file)| Place { file: file.replace('\\', "/"), line: rule.line });
    }
    let mut judgement = Judgement {
        format: finding::JUDGEMENT_FORMAT,
        verdict: Verdict::Pass,
        warned: false,
        undecided: policy.undecided,
        no_baseline: policy.no_baseline,
        exit_code: 0,
        policy: Named { name: policy.name.clone(), digest: policy.digest.0.clone() },
        run: JudgedRun::default(),
        baseline: None,
        counts: BTreeMap::new(),
        findings,
        notes,
        changed: Vec::new(),
        facts: None,
        blame: None,
        accepts: Vec::new(),
        next: Vec::new(),
    };
    judgement.settle();
    judgement.direct(&Ways::default());
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

/// Every rule finds something to judge, or says that it may not.
fn matched(
    candidate: &Baseline,
    baseline: Option<&Baseline>,
    run: &RunData,
    policy: &Policy,
) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    for rule in &policy.rules {
        let finds =
            |row: &Row| takes(rule, row) && rule.metrics.iter().any(|id| row.figure(*id).is_some());
        let mut rows = candidate.rows.iter().chain(baseline.iter().flat_map(|one| &one.rows));
        if rows.any(finds) {
            continue;
        }
        let says = format!("the rule `{}` finds nothing to judge in this run", rule.name);
        if !rule.may_match_nothing {
            return Err(policy.at_rule(rule, says, &remedy(policy, rule, run)));
        }
        notes.push(says);
    }
    Ok(notes)
}

fn remedy(policy: &Policy, rule: &Rule, run: &RunData) -> String {
    let all: BTreeSet<String> =
        run.frame().cells().iter().map(|row| row.key.configuration()).collect();
    let mut idle = rule
        .configurations
        .iter()
        .filter(|pattern| !all.iter().any(|name| pattern.matches_configuration(name)));
    match idle.find_map(|pattern| did_you_mean(&pattern.0, all.iter().map(String::as_str))) {
        Some(near) => format!("no configuration is meant; {near}"),
        None if policy.file.is_none() => {
            "this is the policy that ships: give one of your own with \
                                          `--policy`, without this rule or with `may-match-nothing \
                                          = true` in it"
                .to_owned()
        }
        None => "write `may-match-nothing = true` where that is as it should be".to_owned(),
    }
}
