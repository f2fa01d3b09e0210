//! What stands behind a judgement of two driven sides: the keys that changed, the losses that are
//! accepted, one case, and, where it is asked for, the key that did it.

use super::driver::Driver;
use crate::cli::prelude::*;
use crate::config;
use crate::gate::{
    Baseline, Blame, Directories, Finding, Judgement, Place, Policy, Terms, Undone, Verdict,
    changes, explain, judge, moved_facts,
};
use crate::matrix::Suite;
use crate::pipeline::Pipeline;
use crate::run::Plan;

/// Two sides that were driven, in one folder.
pub(super) struct Driven<'a> {
    pub(super) driver: &'a Driver<'a>,
    pub(super) policy: &'a Policy,
    /// The baseline's figures, under the candidate's names.
    pub(super) base: &'a Baseline,
    pub(super) run: &'a RunData,
    /// The seeds of all looks.
    pub(super) seeds: &'a [u64],
    /// How many changed keys are undone one by one, where that is asked for.
    pub(super) blame: Option<usize>,
}

/// Two pipelines: what the first is called is called as the second in the figures.
pub(super) struct Pipelines<'a> {
    pub(super) before: &'a Pipeline,
    pub(super) after: &'a Pipeline,
    /// The candidate as it was given.
    pub(super) given: &'a str,
    /// How the candidate is driven.
    pub(super) plan: &'a Plan,
}

impl Driven<'_> {
    pub(super) fn of_pipelines(&self, judgement: &mut Judgement, sides: &Pipelines) -> Result<()> {
        let file = super::super::run::is_toml(sides.given).then(|| Path::new(sides.given));
        let text = file.map(config::text).transpose()?;
        judgement.changed = changes(sides.before, sides.after, text.as_deref());
        let lines = judgement.changed.iter().filter_map(|change| change.line);
        let first = text.as_deref().map_or(1, first_stage);
        if let Some(file) = file {
            let place = place(file, lines.min().unwrap_or(first));
            judgement.locate(&sides.after.name, &place);
        }
        let terms = terms(sides.given)?;
        let accept = |judgement: &mut Judgement| {
            judgement.accept(&sides.after.name, &terms, &super::today(), self.policy);
        };
        accept(judgement);
        if let Some(most) = self.blame {
            self.blame(judgement, sides, most, &accept)?;
        }
        let names = [&*sides.before.name, &*sides.after.name];
        if !judgement.changed.is_empty() {
            let facts = moved_facts(registry(), &self.driver.pairs(), names);
            match facts {
                Ok(facts) => judgement.facts = Some(facts),
                Err(error) => {
                    judgement.notes.push(format!("which facts moved cannot be told: {error}"));
                }
            }
        }
        self.explain(judgement, Some((names[0], names[1])));
        Ok(())
    }

    /// Of two suites the files of the candidate's pipelines say which losses are accepted.
    pub(super) fn of_suites(&self, judgement: &mut Judgement, after: &Suite) -> Result<()> {
        for given in after.pipelines.iter().filter(|name| super::super::run::is_toml(name)) {
            let pipeline = crate::matrix::load_pipeline(registry(), given)?;
            judgement.accept(&pipeline.name, &terms(given)?, &super::today(), self.policy);
        }
        self.explain(judgement, None);
        Ok(())
    }

    fn explain(&self, judgement: &mut Judgement, renamed: Option<(&str, &str)>) {
        let [baseline, candidate] =
            ["baseline", "candidate"].map(|side| self.driver.folder.join(side));
        let baseline = Some(baseline.as_path());
        let directories = Directories { baseline, candidate: &candidate, renamed };
        explain(judgement, registry(), (self.base, self.run), directories);
    }

    /// Undoes the changed keys one by one, drives the candidate again on the same sessions, and
    /// records with which of them nothing fails any more. The place is the first such key.
    fn blame(
        &self,
        judgement: &mut Judgement,
        sides: &Pipelines,
        most: usize,
        accept: &dyn Fn(&mut Judgement),
    ) -> Result<()> {
        let failing = judgement.findings.iter().filter(|one| is_worse(one)).cloned();
        let failing: Vec<Finding> = failing.collect();
        let Some(worst) = failing.first() else {
            judgement.notes.push("nothing became worse, so no key is blamed".to_owned());
            return Ok(());
        };
        if judgement.changed.len() < 2 {
            return Ok(());
        }
        let left_out = judgement.changed.len().saturating_sub(most);
        let mut blame = Blame { left_out, ..Blame::default() };
        for (place, change) in judgement.changed.iter().enumerate().take(most) {
            talk(shown!("undone alone: {}", change.told()));
            let mut undone = Undone { change: place, ..Undone::default() };
            match change.undone(registry()) {
                Err(error) => undone.error = Some(error.to_string()),
                Ok(pipeline) => {
                    let name = format!("undone-{}", place + 1);
                    let run = self.driven_with(&pipeline, sides, &name)?;
                    let mut own = judge(Some(self.base), &run, self.policy)?;
                    accept(&mut own);
                    let same =
                        |of: &Finding| own.findings.iter().find(|one| one.is_same(of)).cloned();
                    undone.figure = same(worst).and_then(|one| one.candidate);
                    undone.undoes = !own.findings.iter().any(is_worse);
                }
            }
            blame.tried.push(undone);
        }
        let culprit = blame.culprits().next().and_then(|place| judgement.changed[place].line);
        if let Some(line) = culprit {
            judgement.locate(&sides.after.name, &place(Path::new(sides.given), line));
        }
        judgement.blame = Some(blame);
        Ok(())
    }

    /// The candidate's side with another pipeline under its name.
    fn driven_with(&self, pipeline: &Pipeline, sides: &Pipelines, name: &str) -> Result<RunData> {
        let mut plan = sides.plan.clone();
        plan.suite.seeds = self.seeds.to_vec();
        for configuration in &mut plan.configurations {
            if configuration.pipeline == *sides.after {
                configuration.pipeline = pipeline.clone();
            }
        }
        self.driver.drive(name, &plan)
    }
}

/// Whether a finding fails because the candidate is worse than the baseline, or breaks a rule.
fn is_worse(finding: &Finding) -> bool {
    let worse = [Verdict::Regression, Verdict::CompletionFell, Verdict::InvariantViolated];
    finding.fails() && worse.contains(&finding.verdict)
}

/// What a pipeline's file says to the gate; nothing where it is no file.
fn terms(given: &str) -> Result<Terms> {
    if !super::super::run::is_toml(given) {
        return Ok(Terms::default());
    }
    let file = place(Path::new(given), 1).file;
    Terms::parse(&file, &config::text(Path::new(given))?)
}

/// A line of a file, as the repository knows the file: relative where that can be said.
fn place(path: &Path, line: usize) -> Place {
    let here = std::env::current_dir().ok();
    let relative = here.as_ref().and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path);
    Place { file: relative.display().to_string().replace('\\', "/"), line }
}

fn first_stage(text: &str) -> usize {
    let is_stage = |line: &str| line.trim_start().starts_with("[[stage]]");
    text.lines().position(is_stage).map_or(1, |index| index + 1)
}
