//! Both sides driven in one job: no baseline is needed, and none can be stale.

use std::collections::BTreeSet;

use super::Arguments;
use super::before::{self, Before};
use super::behind::{Driven, Pipelines};
use super::driver::{Driver, Seen};
use crate::cli::prelude::*;
use crate::cli::run as runs;
use crate::compare::{AXIS, points};
use crate::drive::Mode;
use crate::frame::MeasuredCell;
use crate::gate::{Baseline, JudgedRun, Judgement, Policy, Verdict, incomplete, judge, unchanged};
use crate::matrix::{EMBEDDED, Suite, is_command, load_pipeline};
use crate::pipeline::Pipeline;
use crate::run::Plan;
use crate::run_dir::write::Scratch;

/// The suite on which pipelines are driven by default.
pub(in crate::cli) const USUAL: &str = "gate";

enum Side {
    Pipeline(Box<Pipeline>),
    Suite(Box<Suite>),
}

pub(super) fn judged(arguments: &Arguments, candidate: &str, policy: &Policy) -> Result<Judgement> {
    let scratch = Scratch::new("gate");
    if let Some(target) = &arguments.target {
        suite(target)?;
    }
    no_link(candidate)?;
    // A file that is not valid is said of the candidate first: that is what changed.
    let changed = side(candidate)?;
    let suite = arguments.target.as_deref().unwrap_or(USUAL);
    let Before { given: baseline, at, note } =
        before::find(arguments, candidate, suite, &scratch.0)?;
    let own = match &at {
        Some(at) => at.within(|| side(&at.file))?,
        None => side(&baseline)?,
    };
    let mut judgement = match (own, changed) {
        (Side::Pipeline(own), Side::Pipeline(changed)) if at.is_some() && own == changed => {
            unchanged(policy, as_before(arguments, candidate))
        }
        (Side::Pipeline(own), Side::Pipeline(changed)) => {
            let plan = |given| of_pipeline(given, suite, arguments, policy);
            let plans = [plan(&baseline)?, plan(candidate)?];
            let renamed = |side: Baseline| side.renamed(&own.name, &changed.name);
            driven((&scratch.0, arguments), &plans, policy, renamed, |judgement, driven| {
                let sides =
                    Pipelines { before: &own, after: &changed, given: candidate, plan: &plans[1] };
                driven.of_pipelines(judgement, &sides)
            })?
        }
        (Side::Suite(own), Side::Suite(changed)) => {
            if let Some(target) = &arguments.target {
                let rule = "a third suite beside the two that are compared";
                let hint = "leave it out, or compare two pipelines on it";
                return Err(Error::refused(format!("`{target}`"), rule, hint));
            }
            // Both sides are driven here and now, so whoever names two summarizers means to
            // compare them; a blessed baseline under another one stays incompatible.
            let (from, to) = (own.summarizer.to_string(), changed.summarizer.to_string());
            let seeds = &arguments.seeds;
            let before = match &at {
                Some(at) => at.within(|| plan(*own, &at.file, seeds)?.anchored())?,
                None => plan(*own, &baseline, seeds)?,
            };
            let plans = [before, plan(*changed.clone(), candidate, seeds)?];
            if at.is_some() && plans[0].is_same(&plans[1]) {
                return Ok(unchanged(policy, as_before(arguments, candidate)));
            }
            let alike = |side: Baseline| side.summarized_by(&to);
            let mut judgement =
                driven((&scratch.0, arguments), &plans, policy, alike, |judgement, driven| {
                    driven.of_suites(judgement, &changed)
                })?;
            if from != to {
                let says = "the summarizer is part of what is compared";
                judgement.notes.push(format!("{says}: `{from}` against `{to}`"));
            }
            judgement
        }
        _ => return Err(unlike(&baseline, candidate)),
    };
    judgement.notes.extend(note);
    Ok(judgement)
}

/// A change could make its file a link to another one, whose words an error would show.
fn no_link(candidate: &str) -> Result<()> {
    if std::fs::symlink_metadata(candidate).is_ok_and(|there| there.is_symlink()) {
        let rule = "is a link, and a candidate is a file of the change";
        return Err(Error::invalid(format!("`{candidate}`"), rule));
    }
    Ok(())
}

fn unlike(baseline: &str, candidate: &str) -> Error {
    let place = format!("`{baseline}` and `{candidate}`");
    let rule = "one is a pipeline and the other a suite";
    let hint = "name two pipelines or two suites with `--baseline-config` and `--candidate-config`";
    Error::refused(place, rule, hint)
}

/// Drives both sides, judges the second by the first, once that is made alike, and says what
/// stands behind the verdict; on more seeds while it is undecided, where that is asked for.
fn driven(
    (scratch, arguments): (&Path, &Arguments),
    plans: &[Plan; 2],
    policy: &Policy,
    alike: impl Fn(Baseline) -> Baseline,
    behind: impl Fn(&mut Judgement, &Driven) -> Result<()>,
) -> Result<Judgement> {
    let driver = Driver::new(arguments.out.as_deref(), scratch, arguments.jobs);
    let driver = &driver.asking(plans, &arguments.at)?;
    let judged = driver.until(plans, arguments.until_decided, |seen| {
        let Seen { look, base, run, seeds } = seen;
        let failed = |row: &&MeasuredCell| row.state.is_failed();
        let failed = base.measurements.iter().filter(failed).count();
        if failed > 0 {
            let reason = format!("{failed} cells of the baseline's side failed");
            return Ok(Some(incomplete(policy, reason)));
        }
        let policy = &look.policy(policy);
        let figures = alike(Baseline::of(base, policy));
        let mut judgement = judge(Some(&figures), run, policy)?;
        if !look.is_last() && judgement.verdict == Verdict::Undecided {
            return Ok(None);
        }
        judgement.baseline = Some(JudgedRun::of(base));
        judgement.notes.extend(look.note());
        let blame = arguments.blame;
        behind(&mut judgement, &Driven { driver, policy, base: &figures, run, seeds, blame })?;
        Ok(Some(judgement))
    })?;
    Ok(judged.unwrap_or_else(|| incomplete(policy, "no session was driven".to_owned())))
}

fn as_before(arguments: &Arguments, candidate: &str) -> String {
    let before = arguments.baseline_config.as_deref().unwrap_or_default();
    let commit = before.split_once(':').map_or(before, |(commit, _)| commit);
    format!("{candidate} is what it was at {commit}")
}

fn side(given: &str) -> Result<Side> {
    if let Some(suite) = runs::suite(given)? {
        return Ok(Side::Suite(Box::new(suite)));
    }
    let known = || registry().pipeline_names();
    if runs::is_toml(given) || is_command(given) || known().any(|name| name == given) {
        return Ok(Side::Pipeline(Box::new(load_pipeline(registry(), given)?)));
    }
    let names = known().chain(EMBEDDED.iter().map(|(name, _)| *name));
    let hint = did_you_mean(given, names);
    let hint = hint.or_else(|| Some("a file's name ends in `.toml`".to_owned()));
    Err(Error::unknown("pipeline or suite", given, hint))
}

/// The suite with one pipeline in place of its own, and of the rest what the policy and
/// derived figures need: the control, and the modes and summarizers of its rules.
fn of_pipeline(given: &str, on: &str, arguments: &Arguments, policy: &Policy) -> Result<Plan> {
    let mut suite = alone(suite(on)?, given);
    suite.modes.retain(|mode| policy.rules.iter().any(|rule| rule.mode == *mode));
    if suite.modes.is_empty() {
        suite.modes = vec![Mode::Deployed];
    }
    let summarizers = policy.rules.iter().filter_map(|rule| rule.summarizer.as_deref());
    let summarizers: BTreeSet<&str> = summarizers.collect();
    suite.summarizer = arguments.summarizer.unwrap_or(suite.summarizer);
    let main = suite.summarizer;
    let driven: Vec<String> =
        suite.brackets.iter().chain([&main]).map(ToString::to_string).collect();
    // A suite on the axis of summarizers stays on it.
    let is_axis = !points(&driven).is_empty();
    suite.brackets.retain(|one| {
        let name = one.to_string();
        let is_point = is_axis && *one != main && AXIS.contains(&name.as_str());
        is_point || summarizers.contains(name.as_str())
    });
    plan(suite, on, &arguments.seeds)
}

/// The suite with one pipeline in place of its own, beside the control and nothing else.
pub(in crate::cli) fn alone(suite: Suite, given: &str) -> Suite {
    let mut suite = suite.driving(vec![given.to_owned()]);
    suite.truncate_sweep.clear();
    suite.second_bank.clear();
    suite.adversaries.clear();
    suite.faults.clear();
    suite
}

pub(in crate::cli) fn suite(name: &str) -> Result<Suite> {
    match side(name)? {
        Side::Suite(suite) => Ok(*suite),
        Side::Pipeline(_) => {
            let rule = "is a pipeline, and both sides are driven on a suite";
            let hint = "name a suite (`proctor list suites`), or a file that names `scenarios`";
            Err(Error::refused(format!("`{name}`"), rule, hint))
        }
    }
}

pub(in crate::cli) fn plan(mut suite: Suite, given: &str, seeds: &[u64]) -> Result<Plan> {
    runs::seed(&mut suite, seeds)?;
    let mut scenarios = runs::scenarios(given)?;
    scenarios.extend(suite.twins(&scenarios));
    let command = format!("proctor gate, suite {}", suite.name);
    Plan::new(registry(), suite, scenarios, command)
}
