//! Points driven in memory, on sessions that are made once.

use std::ops::Range;

use super::Task;
use super::files;
use crate::cli::prelude::*;
use crate::cli::run::Bar;
use crate::matrix::Configuration;
use crate::pipeline::Pipeline;
use crate::run::{Kept, Options, measured};
use crate::run_dir::Stories;
use crate::tune::{Drive, Found, Search, Size};

pub(super) struct Driving<'a> {
    task: &'a Task,
    out: &'a Path,
    options: Options,
    /// Whether trials are kept as they come in.
    is_pilot: bool,
    rungs: usize,
}

/// Points that are driven to see how fast this machine is.
const PILOT: usize = 6;

impl<'a> Driving<'a> {
    pub(super) fn new(task: &'a Task, out: &'a Path, jobs: Option<usize>) -> Driving<'a> {
        let sessions = Some(Kept::default());
        let options = Options { jobs, stories: Stories::None, sessions, ..Options::default() };
        let rungs = task.split.rungs().count();
        Driving { task, out, options, is_pilot: false, rungs }
    }

    /// Drives a few points over the first rung; how many cells these were.
    pub(super) fn pilot(&mut self, search: Search) -> Result<usize> {
        talk(shown!("a few points, to see how fast this machine is"));
        let first = Size { points: PILOT, ..Size::first(&self.task.split.rungs()) };
        self.is_pilot = true;
        let found = search.found(&first, self);
        self.is_pilot = false;
        Ok(found?.cells)
    }

    fn drive(
        &self,
        pipelines: &[Pipeline],
        (scenarios, seeds): (Vec<Scenario>, Vec<u64>),
    ) -> Result<RunData> {
        let mut plan = self.task.plan.clone();
        plan.suite.seeds = seeds;
        plan.scenarios = scenarios;
        plan.configurations = pipelines.iter().cloned().map(configuration).collect();
        let bar = Bar::new(None);
        let run = measured(&plan, &self.options, &bar);
        bar.clear();
        run
    }
}

fn configuration(pipeline: Pipeline) -> Configuration {
    let variant = "windowed".to_owned();
    Configuration { pipeline, windowless: false, window: None, variant, aliases: Vec::new() }
}

impl Drive for Driving<'_> {
    fn rungs(&mut self, pipelines: &[Pipeline], rungs: Range<usize>) -> Result<RunData> {
        if !self.is_pilot {
            let (points, rung) = (pipelines.len(), rungs.end);
            let what = if rungs.start == 0 { "new points" } else { "points go on" };
            talk(shown!("rung {} of {}: {} {}", rung, self.rungs, points, what));
        }
        self.drive(pipelines, self.task.split.over(rungs))
    }

    fn held_back(&mut self, pipelines: &[Pipeline]) -> Result<RunData> {
        talk(shown!("held back: {} points, the defaults among them", pipelines.len()));
        self.drive(pipelines, self.task.split.held_back())
    }

    fn landed(&mut self, so_far: &Found) -> Result<()> {
        if self.is_pilot {
            return Ok(());
        }
        files::trials(self.out, &self.task.ranges, so_far, None)
    }
}
