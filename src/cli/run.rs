//! `proctor run`: drive a matrix and write its run directory and report.

mod bar;
mod list;
mod overrides;
mod target;

pub(super) use bar::Bar;
pub(super) use overrides::{seed, widen};
pub(super) use target::{prices, scenarios, suite};

use std::ffi::OsString;

use crate::cli::live::{self, Interrupts, Kept, LiveArguments};
use crate::cli::prelude::*;
use crate::cli::{binary, complain};
use clap::Parser;

use crate::report;
use crate::run::{self, Options, Outcome, Plan, Programs, frozen};
use crate::run_dir::Stories;
use crate::run_dir::partition::Partition;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/run.txt"))]
pub(super) struct Arguments {
    /// Suites, scenarios or transcripts; the default suite where none is given
    #[arg(value_name = "SUITE | SCENARIO | TRANSCRIPT")]
    targets: Vec<OsString>,
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
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', value_parser = super::a_seed)]
    seeds: Vec<u64>,
    /// Drive these in place of the suite's: strategies by name (`proctor list strategies`) or
    /// TOML file
    #[arg(long, value_name = "NAME,NAME,...", value_delimiter = ',')]
    strategies: Vec<String>,
    /// Drive this pipeline, by name or TOML file, beside the suite's; may be given several times
    #[arg(long = "pipeline", value_name = "FILE")]
    pipelines: Vec<String>,
    /// Drive this program beside the suite's, by its command line (docs/protocol.md); may be given
    /// several times
    #[arg(long = "strategy", value_name = "COMMAND")]
    programs: Vec<String>,
    /// Take the answers of programs from this record alone (exchanges.jsonl.gz of a run); may be
    /// given several times
    #[arg(long, value_name = "FILE")]
    replay_strategies: Vec<PathBuf>,
    /// The window, in place of the scenarios'
    #[arg(long, value_name = "TOKENS")]
    window: Option<u64>,
    /// Drive every cell also in the closed loop: the agent reads, searches and tries again where its
    /// prompt no longer holds what it needs; at the estimate and at both ends of its interval
    #[arg(long)]
    closed_loop: bool,
    /// Tokens of the provider by token of `o200k_base`, in place of what the usage that a transcript
    /// records shows; 1 for none
    #[arg(long, value_name = "FACTOR", value_parser = super::a_counter)]
    counter: Option<f64>,
    /// Prices: a sheet as TOML file, or the list price of a model by its name [default: that of the
    /// transcripts' model, else the example sheet]
    #[arg(long, value_name = "FILE | MODEL")]
    prices: Option<String>,
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
    /// Drive one part of N, alike in cost; `auto` and `auto/N` take K from a scheduler (Slurm,
    /// Kubernetes, AWS Batch, ...); `proctor merge` joins the parts
    #[arg(long, value_name = "K/N | auto")]
    partition: Option<Partition>,
    /// Only list what would be run: cells, and turns, tokens and windows by scenario as their
    /// files plan them; of a model also what it would be asked
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    live: LiveArguments,
}

/// The words of `proctor run`, given to another verb.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct Words {
    #[command(flatten)]
    arguments: Arguments,
}

/// What `proctor run` would drive by these words.
pub(super) fn planned(words: &[String]) -> Result<Plan> {
    let place = || format!("run {}", words.join(" "));
    let parsed = Words::try_parse_from(words).map_err(|error| {
        let said = error.to_string();
        let first = said.lines().next().unwrap_or_default().trim_start_matches("error: ");
        Error::refused(place(), first, "`proctor run --help` says what it takes")
    })?;
    let Arguments { out, resume, partition, list, .. } = &parsed.arguments;
    if out.is_some() || *resume || partition.is_some() || *list {
        let rule = "`--out`, `--resume`, `--partition` and `--list` are for one process";
        return Err(Error::invalid(place(), rule));
    }
    let target::Resolved { mut plan, complaints } = target::resolve(&parsed.arguments)?;
    if let Some(error) = complaints.into_iter().next() {
        return Err(error);
    }
    frozen::hold(&mut plan)?;
    Ok(plan)
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let target::Resolved { mut plan, complaints } = target::resolve(arguments)?;
    for error in &complaints {
        complain(error);
    }
    if let Some(warning) = frozen::hold(&mut plan)? {
        talk(shown!("warning: {}", warning));
    }
    if arguments.list {
        arguments.live.check(&plan)?;
        live::there(arguments.replay_strategies.iter())?;
        return list::list(&plan, arguments);
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
        live: arguments.live.open(&plan, &out, arguments.resume, arguments.partition)?,
        programs: match arguments.replay_strategies.as_slice() {
            [] => Programs::Asked,
            files => Programs::Recorded(files.to_vec()),
        },
        ..Options::new(&out)
    };
    let code = drive(&plan, &options, arguments.lenient)?;
    Ok(if code == ExitCode::OK { complaints.first().map_or(code, Error::exit_code) } else { code })
}

/// Drives a plan with a bar on stderr, and reports on the run unless it is a part of one.
pub(super) fn drive(plan: &Plan, options: &Options, lenient: bool) -> Result<u8> {
    let live = options.live.as_ref();
    let bar = Bar::new(options.live.as_deref());
    let kept = Kept {
        bar: bar.clone(),
        out: options.out.clone(),
        again: again(options, std::env::args_os().map(|word| word.to_string_lossy().into_owned())),
    };
    let interrupts = Interrupts::watch(live.map(|live| live.ask_handle()), Some(kept));
    let outcome = run::run(plan, options, &bar);
    bar.clear();
    if let Some(live) = live {
        talk(Shown::laid_out(&live::summary_line(&live.totals(), live.endpoint().price.is_some())));
    }
    let (outcome, out) = (outcome?, &options.out);
    let Some(partition) = options.partition else {
        let code = conclude(out, &outcome, lenient);
        drop(interrupts);
        return code;
    };
    let cells = outcome.cells;
    talk(shown!(
        "part {}: {} cells; `proctor merge` joins the parts and reports",
        partition,
        cells
    ));
    say(shown!("{}", out.display()));
    Ok(if outcome.failed > 0 { ExitCode::CELLS_FAILED } else { ExitCode::OK })
}

/// The command that goes on with a run, from the one that began it.
fn again(options: &Options, words: impl Iterator<Item = String>) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=@+~".contains(c);
    let quoted = |word: String| match word.chars().all(is_plain) && !word.is_empty() {
        true => word,
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    let mut words: Vec<String> = words.skip(1).map(quoted).collect();
    words.insert(0, "proctor".to_owned());
    let names_out = words.iter().any(|word| word == "--out" || word.starts_with("--out="));
    if !options.resume {
        words.push("--resume".to_owned());
        if !names_out {
            words.extend(["--out".to_owned(), quoted(options.out.display().to_string())]);
        }
    }
    words.join(" ")
}

pub(super) fn conclude(out: &Path, outcome: &Outcome, lenient: bool) -> Result<u8> {
    say(Shown::laid_out(&table::summary(&RunData::load(out)?)));
    let files = report::write(out)?;
    say(Shown::laid_out(&format!("\n{}", table::folded(&files.answer))));
    for broken in &outcome.broken_controls {
        let weight = if lenient { "warning" } else { "error" };
        talk(shown!("{}: control does not hold: {}", weight, broken));
    }
    say(shown!("report: {}", files.html.display()));
    if outcome.failed > 0 {
        talk(shown!(
            "error: {} of {} cells failed; they are rows of measurements.csv with the reason",
            outcome.failed,
            outcome.cells
        ));
        if outcome.unanswered > 0 {
            talk(shown!(
                "{} of them because the model did not answer, which says nothing of a strategy\n\n\
                 hint: `proctor cassette show FILE` lists the failures; another run with the same \
                 `--cassette FILE --retry-failures` asks only those again",
                outcome.unanswered
            ));
        }
        return Ok(ExitCode::CELLS_FAILED);
    }
    if lenient || outcome.broken_controls.is_empty() {
        return Ok(ExitCode::OK);
    }
    talk(shown!(
        "hint: no figure of a run whose controls fail can be trusted; `--lenient` goes on"
    ));
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

/// Whether a name is that of a TOML file.
pub(super) fn is_toml(name: impl AsRef<Path>) -> bool {
    name.as_ref().extension().is_some_and(|extension| extension == "toml")
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
