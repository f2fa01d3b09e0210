//! `proctor tune`: a search over the numbers of a pipeline.

mod driving;
mod files;
mod told;

use std::time::Instant;

use driving::Driving;

use crate::cli::gate::driven::{USUAL, suite};
use crate::cli::prelude::*;
use crate::cli::run as runs;
use crate::matrix::{Suite, Summarizer, SummarizerName, load_pipeline};
use crate::pipeline::Pipeline;
use crate::run::Plan;
use crate::tune::{Range, Search, Setting, Size, Split, chosen, settings};

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/tune.txt"))]
pub(super) struct Arguments {
    /// The pipeline: a name (`proctor list strategies`) or a TOML file
    #[arg(value_name = "PIPELINE")]
    pipeline: String,
    /// The scenarios that are searched, by name or file [default: those of the suite `gate`]
    #[arg(long, value_name = "NAME,NAME,...", value_delimiter = ',')]
    scenarios: Vec<String>,
    /// The seeds that are searched: half of them first, then more [default: 1 to 8]
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', value_parser = super::a_seed)]
    seeds: Vec<u64>,
    /// Scenarios that the search never drives, beside the searched ones under other seeds
    #[arg(long, value_name = "NAME,NAME,...", value_delimiter = ',')]
    held_back_scenarios: Vec<String>,
    /// The seeds that the search never drives [default: 101 to 108]
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', value_parser = super::a_seed)]
    held_back_seeds: Vec<u64>,
    /// The summarizer (`proctor list summarizers`) [default: that of the suite `gate`]
    #[arg(long, value_name = "NAME")]
    summarizer: Option<Summarizer>,
    /// Vary this number over this range; may be given several times
    #[arg(long, value_name = "KEY=MIN..MAX")]
    vary: Vec<String>,
    /// Vary these numbers alone
    #[arg(long, value_name = "KEY,KEY,...", value_delimiter = ',')]
    only: Vec<String>,
    /// Most cells that are driven, the held-back ones among them
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    cells: usize,
    /// As many cells as this machine drives in so many minutes, about
    #[arg(long, value_name = "N", conflicts_with = "cells", value_parser = minutes)]
    minutes: Option<f64>,
    /// What is drawn follows from this seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    search_seed: u64,
    /// Only list the numbers of the pipeline: ranges, meanings and defaults
    #[arg(long)]
    list: bool,
    /// The directory [default: the next free reports/tune/NAME-NNN]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Threads [default: all cores]; figures do not depend on it
    #[arg(long, value_name = "N", value_parser = super::threads)]
    jobs: Option<usize>,
}

fn minutes(text: &str) -> std::result::Result<f64, String> {
    let minutes = text.parse().ok().filter(|minutes| (0.1..=100_000.0).contains(minutes));
    minutes.ok_or_else(|| "expected minutes from 0.1 to 100000".to_owned())
}

/// What is to be done, looked up.
struct Task {
    pipeline: Pipeline,
    settings: Vec<Setting>,
    ranges: Vec<Range>,
    split: Split,
    plan: Plan,
    /// As they are told: the names of the searched and of the held-back scenarios, and their seeds.
    scenarios: [Vec<String>; 2],
    seeds: [Vec<u64>; 2],
}

/// The suite that a search drives.
const SUITE: &str = "name = \"tune\"\nabout = \"A search over the numbers of a pipeline.\"\n\
                     scenarios = []\npipelines = [\"none\"]\nseeds = [1]\nprobes = false\n";

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let task = Task::of(arguments)?;
    if arguments.list {
        say(Shown::laid_out(&told::list(&task)));
        return Ok(ExitCode::OK);
    }
    if task.ranges.is_empty() {
        let rule = "it has no number that is varied by itself";
        let hint = "`--list` shows what it has, `--vary KEY=MIN..MAX` varies it";
        return Err(Error::refused(format!("pipeline `{}`", task.pipeline.name), rule, hint));
    }
    let out = match &arguments.out {
        Some(out) if out.exists() => {
            let rule = "it is there already, and a search never writes over another";
            return Err(Error::refused(format!("--out {}", out.display()), rule, "name another"));
        }
        Some(out) => out.clone(),
        None => next_free(&task.pipeline.name),
    };
    let search = task.search(arguments.search_seed);
    let mut driving = Driving::new(&task, &out, arguments.jobs);
    let size = task.size(arguments, &mut driving)?;
    files::begin(&out)?;
    let tuning = search.tune(&size, &mut driving)?;
    let head = told::head(&task, arguments, &size, &tuning);
    say(Shown::laid_out(&told::text(&head, &tuning)));
    files::write(&out, &task, arguments, (&size, &head), &tuning)?;
    told::next(&out, &tuning).into_iter().for_each(say);
    say(shown!("directory: {}", out.display()));
    let failed = tuning.found.trials.iter().map(|trial| trial.score.failed).sum::<usize>();
    if failed + tuning.held.failed() > 0 {
        talk(shown!("error: some cells failed; `failed` in trials.csv counts them"));
        return Ok(ExitCode::CELLS_FAILED);
    }
    Ok(ExitCode::OK)
}

impl Task {
    fn of(arguments: &Arguments) -> Result<Task> {
        let pipeline = load_pipeline(registry(), &arguments.pipeline)?;
        let settings = settings(registry(), &pipeline)?;
        let ranges = chosen(&settings, &arguments.vary, &arguments.only)?;
        let usual = suite(USUAL)?;
        let summarizer = arguments.summarizer.unwrap_or(usual.summarizer);
        if summarizer.name == SummarizerName::Http {
            let rule = "a search asks for more summaries than a model should be asked for";
            let hint = "search under `simulated`, then judge the point: `proctor vs A B --summarizer http`";
            return Err(Error::refused("--summarizer http", rule, hint));
        }
        let searched = match arguments.scenarios.as_slice() {
            [] => runs::scenarios(USUAL)?,
            named => scenarios(named)?,
        };
        let held = scenarios(&arguments.held_back_scenarios)?;
        let or = |given: &[u64], usual: std::ops::RangeInclusive<u64>| match given {
            [] => usual.collect(),
            given => given.to_vec(),
        };
        let seeds = [or(&arguments.seeds, 1..=8), or(&arguments.held_back_seeds, 101..=108)];
        let names = |all: &[Scenario]| all.iter().map(|one| one.name.clone()).collect();
        let told = [names(&searched), names(&held)];
        let split = Split::new((searched, &seeds[0]), (held, &seeds[1]))?;
        let suite = Suite { summarizer, ..Suite::parse("tune", SUITE)? };
        suite.check_fitted()?;
        let plan = Plan::new(registry(), suite, Vec::new(), "proctor tune".to_owned())?;
        Ok(Task { pipeline, settings, ranges, split, plan, scenarios: told, seeds })
    }

    fn search(&self, seed: u64) -> Search<'_> {
        Search { registry: registry(), base: &self.pipeline, ranges: &self.ranges, seed }
    }

    /// How much is driven: as many cells as are given, or as this machine drives in the time.
    fn size(&self, arguments: &Arguments, driving: &mut Driving) -> Result<Size> {
        let (cells, place) = match arguments.minutes {
            Some(minutes) => {
                let started = Instant::now();
                let driven = driving.pilot(self.search(arguments.search_seed))?;
                let seconds = (started.elapsed().as_secs_f64() / driven.max(1) as f64).max(1e-6);
                ((minutes * 60.0 / seconds) as usize, format!("--minutes {minutes}"))
            }
            None => (arguments.cells, format!("--cells {}", arguments.cells)),
        };
        Size::within(cells, self.split.rungs(), self.split.held_sessions()).map_err(|least| {
            let rule = format!("{cells} cells are too few for these sessions");
            let hint =
                format!("`--cells {least}` is the least; fewer scenarios or seeds need fewer");
            Error::refused(place, rule, hint)
        })
    }
}

fn scenarios(named: &[String]) -> Result<Vec<Scenario>> {
    let all: Result<Vec<Vec<Scenario>>> = named.iter().map(|name| runs::scenarios(name)).collect();
    Ok(all?.concat())
}

/// Directories are numbered: a search never writes over another.
fn next_free(name: &str) -> PathBuf {
    let folder = Path::new("reports").join("tune");
    let mut all = (1..).map(|number: u32| folder.join(format!("{name}-{number:03}")));
    // OK because a directory cannot hold that many entries and still be listed.
    all.find(|path| !path.exists()).unwrap_or_default()
}
