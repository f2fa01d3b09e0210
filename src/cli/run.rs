//! `proctor run`: drive a matrix and write its run directory and report.

mod target;

pub(super) use target::{is_toml, scenarios, seed, suite};

use std::fmt;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use rayon::prelude::*;

use crate::cli::live::{self, Interrupts, LiveArguments};
use crate::cli::prelude::*;
use crate::cli::{binary, complain};
use crate::report;
use crate::run::{self, Options, Outcome, Plan, Progress, frozen, prepare};
use crate::run_dir::Stories;
use crate::run_dir::partition::Partition;
use crate::summarize::live::Live;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/run.txt"))]
pub(super) struct Arguments {
    /// Suites, scenarios or transcripts; the default suite where none is given
    #[arg(value_name = "SUITE | SCENARIO | TRANSCRIPT")]
    targets: Vec<String>,
    /// The run directory [default: the next free reports/runs/NAME-NNN]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Drive only cells whose id contains this text
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Threads [default: all cores]; figures do not depend on it
    #[arg(long, value_name = "N", value_parser = super::threads)]
    jobs: Option<usize>,
    /// Seeds instead of the suite's, e.g. 1,2,3
    #[arg(long, value_name = "N,N,...", value_delimiter = ',')]
    seeds: Vec<u64>,
    /// Drive this pipeline, by name or TOML file, beside the suite's; may be given several times
    #[arg(long = "pipeline", value_name = "FILE")]
    pipelines: Vec<String>,
    /// Go on with what the run directory holds (the latest one without --out)
    #[arg(long)]
    resume: bool,
    /// Go on with a warning where a control does not hold, instead of exit code 5
    #[arg(long)]
    lenient: bool,
    /// Cells that tell what each compaction took and answered, in words: `first` (the first
    /// seed of every scenario, under every pipeline as deployed), `all` or `none`
    #[arg(long, value_name = "WHICH", default_value = "first", value_parser = stories)]
    stories: Stories,
    /// Write digests in place of transcripts' texts, names and paths
    #[arg(long)]
    redact: bool,
    /// Drive one part of N, made of whole sessions; `proctor merge` joins the parts
    #[arg(long, value_name = "K/N")]
    partition: Option<Partition>,
    /// Only list what would be run: cells, tokens and windows per session, and what a model
    /// would be asked
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    live: LiveArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let target::Resolved { mut plan, complaints } = target::resolve(arguments)?;
    for error in &complaints {
        complain(error);
    }
    if let Some(warning) = frozen::hold(&mut plan)? {
        talk(&format!("warning: {warning}"));
    }
    if arguments.list {
        return list(&plan, arguments);
    }
    let out = match (&arguments.out, arguments.resume) {
        (Some(out), _) => out.clone(),
        (None, true) => latest(&plan.suite.name)?,
        (None, false) => next_free(&plan.suite.name),
    };
    let options = Options {
        jobs: arguments.jobs,
        resume: arguments.resume,
        stories: arguments.stories,
        redact: arguments.redact,
        partition: arguments.partition,
        binary: binary(),
        live: arguments.live.open(&plan, &out, arguments.resume)?,
        ..Options::new(&out)
    };
    let code = drive(&plan, &options, arguments.lenient)?;
    Ok(if code == ExitCode::OK { complaints.first().map_or(code, Error::exit_code) } else { code })
}

/// Drives a plan with a bar on stderr, and reports on the run unless it is a part of one.
pub(super) fn drive(plan: &Plan, options: &Options, lenient: bool) -> Result<u8> {
    let live = options.live.as_ref();
    let interrupts = live.map(|live| Interrupts::watch(live.ask_handle()));
    let bar = Bar::new(options.live.as_deref());
    let outcome = run::run(plan, options, &bar);
    bar.0.finish_and_clear();
    drop(interrupts);
    if let Some(live) = live {
        talk(&live::summary_line(&live.totals(), live.endpoint().price.is_some()));
    }
    let (outcome, out) = (outcome?, &options.out);
    let Some(partition) = options.partition else {
        return conclude(out, &outcome, lenient);
    };
    let cells = outcome.cells;
    talk(&format!("part {partition}: {cells} cells; `proctor merge` joins the parts and reports"));
    say(&out.display().to_string());
    Ok(if outcome.failed > 0 { ExitCode::CELLS_FAILED } else { ExitCode::OK })
}

pub(super) fn conclude(out: &Path, outcome: &Outcome, lenient: bool) -> Result<u8> {
    say(&table::summary(&RunData::load(out)?));
    let files = report::write(out)?;
    for broken in &outcome.broken_controls {
        let weight = if lenient { "warning" } else { "error" };
        talk(&format!("{weight}: control does not hold: {broken}"));
    }
    say(&format!("report: {}", files.html.display()));
    if outcome.failed > 0 {
        talk(&format!(
            "error: {} of {} cells failed; they are rows of measurements.csv with the reason",
            outcome.failed, outcome.cells
        ));
        return Ok(ExitCode::CELLS_FAILED);
    }
    if lenient || outcome.broken_controls.is_empty() {
        return Ok(ExitCode::OK);
    }
    talk("hint: no figure of a run whose controls fail can be trusted; `--lenient` goes on");
    Ok(ExitCode::CONTROLS_FAILED)
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/merge.txt"))]
pub(super) struct MergeArguments {
    /// The new run directory
    out: PathBuf,
    /// The run directories of all parts
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,
    /// Go on with a warning where a control does not hold, instead of exit code 5
    #[arg(long)]
    lenient: bool,
}

pub(super) fn merge(arguments: &MergeArguments) -> Result<u8> {
    let outcome = crate::merge::merge(&arguments.out, &arguments.parts, binary())?;
    conclude(&arguments.out, &outcome, arguments.lenient)
}

fn stories(word: &str) -> std::result::Result<Stories, String> {
    match word {
        "first" => Ok(Stories::First),
        "all" => Ok(Stories::All),
        "none" => Ok(Stories::None),
        _ => Err("expected `first`, `all` or `none`".to_owned()),
    }
}

fn list(plan: &Plan, arguments: &Arguments) -> Result<u8> {
    let mut cells = 0;
    let mut rows = Vec::new();
    let rehearsal = if plan.asks_a_model() { Some(arguments.live.rehearsal()?) } else { None };
    let addressed = rehearsal.as_ref().map(|of| plan.clone().addressed(&of.terms));
    let plan = addressed.as_ref().unwrap_or(plan);
    let sessions: Vec<_> = run::slices(plan, arguments.partition)
        .into_par_iter()
        .map(|slice| {
            let (scenario, seed) = (slice.scenario, slice.seed);
            let prepared = prepare(plan, scenario, seed)?;
            let asked = rehearsal.as_ref().map(|of| of.session(plan, scenario, seed, &prepared));
            Ok((slice, prepared.manifest, asked))
        })
        .collect::<Result<_>>()?;
    let mut asked = Vec::new();
    for (slice, session, of_session) in sessions {
        asked.extend(of_session);
        let specs = slice.of(plan.cells(slice.scenario, session.turns, slice.seed));
        cells += specs.len();
        rows.push((session, specs.len()));
        for spec in specs {
            say(&spec.key.cell);
        }
    }
    talk(&table::sessions(&rows));
    talk(&format!("{cells} cells in {} sessions", rows.len()));
    for configuration in &plan.configurations {
        for alias in &configuration.aliases {
            talk(&format!("{alias} is {} under another name: driven once", configuration.name()));
        }
    }
    if let Some(rehearsal) = &rehearsal {
        rehearsal.say(&asked);
    }
    Ok(ExitCode::OK)
}

/// Run directories are numbered: a run never writes over another.
fn numbered(name: &str) -> impl Iterator<Item = PathBuf> {
    let runs = Path::new("reports").join("runs");
    (1..).map(move |number: u32| runs.join(format!("{name}-{number:03}")))
}

pub(super) fn next_free(name: &str) -> PathBuf {
    // OK because a directory cannot hold that many entries and still be listed.
    numbered(name).find(|path| !path.exists()).unwrap_or_default()
}

fn latest(name: &str) -> Result<PathBuf> {
    let last = numbered(name).take_while(|path| path.exists()).last();
    last.ok_or_else(|| {
        let rule = format!("there is no run of `{name}` under reports/runs");
        Error::refused("--resume", rule, "name its directory with `--out DIR`")
    })
}

struct Bar(ProgressBar);

impl Bar {
    fn new(live: Option<&Live>) -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
        let template = "{bar:28} {pos}/{len} cells  {elapsed}  {calls}{msg}";
        // OK because the template is fixed and valid; the default is no harm.
        let style = ProgressStyle::with_template(template);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let calls = live.map(|live| (live.ask_handle(), live.endpoint().price.is_some()));
        let calls = move |_: &ProgressState, out: &mut dyn fmt::Write| {
            if let Some((handle, priced)) = &calls {
                // OK to ignore: a line that is not drawn is drawn again.
                let _ = write!(out, "{}  ", live::progress_line(&handle.totals(), *priced));
            }
        };
        bar.set_style(style.with_key("calls", calls));
        bar.enable_steady_tick(Duration::from_millis(200));
        Bar(bar)
    }
}

impl Progress for Bar {
    fn begin(&self, cells: usize, done: usize) {
        self.0.set_length(cells as u64);
        if done > 0 {
            talk(&format!("{done} cells are there from an earlier run"));
        }
    }

    fn session(&self, name: &str) {
        self.0.set_message(name.to_owned());
        if self.0.is_hidden() {
            talk(&format!("{name} ..."));
        }
    }

    fn cell(&self, _: &str) {
        self.0.inc(1);
    }

    fn warn(&self, text: &str) {
        self.0.suspend(|| talk(&format!("warning: {text}")));
    }
}
