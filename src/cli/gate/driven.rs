//! Both sides driven in one job: no baseline is needed, and none can be stale.

use std::collections::BTreeSet;

use super::Arguments;
use crate::cli::prelude::*;
use crate::cli::run as runs;
use crate::drive::Mode;
use crate::frame::MeasuredCell;
use crate::gate::{
    Baseline, JudgedRun, Judgement, Look, Place, Policy, Verdict, incomplete, judge,
};
use crate::matrix::{EMBEDDED, Suite, load_pipeline};
use crate::pipeline::Pipeline;
use crate::run::{self, Options, Plan, Progress};
use crate::run_dir::write::Scratch;
use crate::run_dir::{CellState, Stories};

/// The suite on which pipelines are driven by default.
const USUAL: &str = "gate";

enum Side {
    Pipeline(Box<Pipeline>),
    Suite(Box<Suite>),
}

pub(super) fn judged(
    arguments: &Arguments,
    baseline: &str,
    candidate: &str,
    policy: &Policy,
) -> Result<Judgement> {
    match (side(baseline)?, side(candidate)?) {
        (Side::Pipeline(own), Side::Pipeline(changed)) => {
            let plan = |given| of_pipeline(given, arguments, policy);
            let plans = [plan(baseline)?, plan(candidate)?];
            let renamed = |side: Baseline| side.renamed(&own.name, &changed.name);
            let mut judgement = driven(arguments, &plans, policy, renamed)?;
            if let Some(place) = place_of_change(baseline, candidate) {
                judgement.locate(&changed.name, &place);
            }
            Ok(judgement)
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
            let plans = [plan(*own, baseline, arguments)?, plan(*changed, candidate, arguments)?];
            let alike = |side: Baseline| side.summarized_by(&to);
            let mut judgement = driven(arguments, &plans, policy, alike)?;
            if from != to {
                let says = "the summarizer is part of what is compared";
                judgement.notes.push(format!("{says}: `{from}` against `{to}`"));
            }
            Ok(judgement)
        }
        _ => {
            let (place, rule) = (
                format!("`{baseline}` and `{candidate}`"),
                "one is a pipeline and the other a suite",
            );
            Err(Error::refused(place, rule, "name two pipelines or two suites"))
        }
    }
}

/// Drives both sides and judges the second by the first, once that is made alike; on more seeds
/// while it is undecided, where that is asked for.
fn driven(
    arguments: &Arguments,
    [own, changed]: &[Plan; 2],
    policy: &Policy,
    alike: impl Fn(Baseline) -> Baseline,
) -> Result<Judgement> {
    let scratch = Scratch::new("gate");
    let folder = arguments.out.as_deref().unwrap_or(&scratch.0);
    let batch = own.suite.seeds.len();
    let mut sides: Option<[RunData; 2]> = None;
    for look in Look::all(batch, arguments.until_decided.unwrap_or(batch)) {
        let drive = |name: &str, plan: &Plan| {
            let mut plan = plan.clone();
            plan.suite.seeds = look.seeds(&plan.suite.seeds);
            drive(&format!("{name}{look}"), &plan, folder, arguments)
        };
        let (more, run) = (drive("baseline", own)?, drive("candidate", changed)?);
        let [base, run] = match sides.take() {
            Some([before, after]) => [before.joined(more), after.joined(run)],
            None => [more, run],
        };
        let failed = |row: &&MeasuredCell| matches!(row.state, CellState::Failed(_));
        let failed = base.measurements.iter().filter(failed).count();
        if failed > 0 {
            let reason = format!("{failed} cells of the baseline's side failed");
            return Ok(incomplete(policy, reason));
        }
        let policy = look.policy(policy);
        let mut judgement = judge(Some(&alike(Baseline::of(&base, &policy))), &run, &policy)?;
        if look.is_last() || judgement.verdict != Verdict::Undecided {
            judgement.baseline = Some(JudgedRun::of(&base));
            judgement.notes.extend(look.note());
            return Ok(judgement);
        }
        sides = Some([base, run]);
    }
    Ok(incomplete(policy, "no session was driven".to_owned()))
}

fn side(given: &str) -> Result<Side> {
    if let Some(suite) = runs::suite(given)? {
        return Ok(Side::Suite(Box::new(suite)));
    }
    let known = || registry().pipeline_names();
    if runs::is_toml(given) || known().any(|name| name == given) {
        return Ok(Side::Pipeline(Box::new(load_pipeline(registry(), given)?)));
    }
    let names = known().chain(EMBEDDED.iter().map(|(name, _)| *name));
    let hint = did_you_mean(given, names);
    let hint = hint.or_else(|| Some("a file's name ends in `.toml`".to_owned()));
    Err(Error::unknown("pipeline or suite", given, hint))
}

/// The suite with one pipeline in place of its own, and of the rest what the policy and
/// derived figures need: the control, and the modes and summarizers of its rules.
fn of_pipeline(given: &str, arguments: &Arguments, policy: &Policy) -> Result<Plan> {
    let name = arguments.target.as_deref().unwrap_or(USUAL);
    let mut suite = suite(name)?;
    suite.modes.retain(|mode| policy.rules.iter().any(|rule| rule.mode == *mode));
    if suite.modes.is_empty() {
        suite.modes = vec![Mode::Deployed];
    }
    let summarizers = policy.rules.iter().filter_map(|rule| rule.summarizer.as_deref());
    let summarizers: BTreeSet<&str> = summarizers.collect();
    suite.brackets.retain(|one| summarizers.contains(one.to_string().as_str()));
    suite.pipelines = vec![given.to_owned()];
    suite.windowless.retain(|name| name == "none");
    suite.truncate_sweep.clear();
    suite.second_bank.clear();
    suite.adversaries.clear();
    suite.faults.clear();
    suite.grid.clear();
    suite.orderings = None;
    plan(suite, name, arguments)
}

fn suite(name: &str) -> Result<Suite> {
    match side(name)? {
        Side::Suite(suite) => Ok(*suite),
        Side::Pipeline(_) => {
            let rule = "is a pipeline, and both sides are driven on a suite";
            let hint = "name a suite, or a file that names `scenarios`";
            Err(Error::refused(format!("`{name}`"), rule, hint))
        }
    }
}

fn plan(mut suite: Suite, given: &str, arguments: &Arguments) -> Result<Plan> {
    runs::seed(&mut suite, &arguments.seeds)?;
    let mut scenarios = runs::scenarios(given)?;
    scenarios.extend(suite.twins(&scenarios));
    let command = format!("proctor gate, suite {}", suite.name);
    let plan = Plan::new(registry(), suite, scenarios, command)?;
    if plan.asks_a_model() {
        let rule = "its summarizer is a live model, which a gate does not ask";
        let hint = "drive both with `proctor run`, then `proctor gate RUN --baseline RUN`";
        return Err(Error::refused(format!("`{given}`"), rule, hint));
    }
    Ok(plan)
}

/// Where a pipeline file can be changed: the first line in which it differs.
fn place_of_change(before: &str, given: &str) -> Option<Place> {
    let read = |name: &str| std::fs::read_to_string(name).ok();
    let text = read(given).filter(|_| given.ends_with(".toml"))?;
    let line = read(before).map_or_else(|| first_stage(&text), |own| first_change(&own, &text));
    Some(place(Path::new(given), line))
}

fn drive(name: &str, plan: &Plan, folder: &Path, arguments: &Arguments) -> Result<RunData> {
    let out = folder.join(name);
    let options = Options { jobs: arguments.jobs, stories: Stories::None, ..Options::new(&out) };
    talk(&format!("{name}: {} sessions", plan.sessions().len()));
    run::run(plan, &options, &Quiet)?;
    if arguments.out.is_some() {
        talk(&format!("{name}: {}", out.display()));
    }
    RunData::load(&out)
}

struct Quiet;

impl Progress for Quiet {
    fn warn(&self, text: &str) {
        talk(&format!("warning: {text}"));
    }
}

/// A line of a file, as the repository knows the file: relative where that can be said.
fn place(path: &Path, line: usize) -> Place {
    let here = std::env::current_dir().ok();
    let relative = here.as_ref().and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path);
    Place { file: relative.display().to_string().replace('\\', "/"), line }
}

fn first_stage(text: &str) -> usize {
    line_of(text, |line| line.trim_start().starts_with("[[stage]]"))
}

/// The first line that another text does not have: of the stages, or else before them,
/// where names are; where there is none, the stages.
fn first_change(before: &str, text: &str) -> usize {
    let parts = |text: &str| first_stage(text).saturating_sub(1);
    let (before, there): (Vec<&str>, usize) = (before.lines().collect(), parts(before));
    let (own, here): (Vec<&str>, usize) = (text.lines().collect(), parts(text));
    let (before, own) =
        (before.split_at(there.min(before.len())), own.split_at(here.min(own.len())));
    let of_stages = changed(before.1, own.1).map(|place| here + place);
    of_stages.or_else(|| changed(before.0, own.0)).unwrap_or(here) + 1
}

/// The first line that is new, comments aside, else the first that is not where it was.
fn changed(before: &[&str], own: &[&str]) -> Option<usize> {
    let is_new = |line: &&str| !line.trim_start().starts_with('#') && !before.contains(line);
    let moved = || own.iter().zip(before).position(|(line, other)| line != other);
    own.iter().position(is_new).or_else(moved)
}

fn line_of(text: &str, is: impl Fn(&str) -> bool) -> usize {
    text.lines().position(is).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_the_one_that_changed() {
        let text = "name = \"a\"\n\n[[stage]]\nx = 1\n";
        assert_eq!(first_stage(text), 3);
        assert_eq!(first_change(text, text), 3);
        assert_eq!(first_change(text, &text.replace("x = 1", "x = 2")), 4);
        assert_eq!(first_change("", text), 3);
        assert_eq!(first_change(text, &text.replace("\"a\"", "\"b\"").replace("x = 1", "y")), 4);
        assert_eq!(first_change(text, &text.replace("\"a\"", "\"b\"")), 1);
        // Lines above it move it, and are not it.
        let below = format!("# why\n{}", text.replace("x = 1", "x = 2"));
        assert_eq!(first_change(text, &below), 5);
        assert_eq!(first_change("[[stage]]\na\nb\n", "[[stage]]\nb\na\n"), 2);
    }
}
