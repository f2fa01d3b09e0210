//! `proctor inspect`: a session, a strategy, or what one cell did and what it lost. A cell is
//! driven again and compared with its record, or else told by its recorded story.

pub(super) mod cell;
mod session;
mod strategy;
mod view;

use crate::cli::paper::Paper;
use crate::cli::prelude::*;
use crate::run::story::Length;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/inspect.txt"))]
pub(super) struct Arguments {
    /// A run directory, a transcript or native log, a scenario name, or a cell of the latest run
    #[arg(required_unless_present = "strategy", value_name = "RUN | SESSION | CELL")]
    target: Option<String>,
    /// The cell of a run directory, by id or a unique part of it
    #[arg(value_name = "CELL", conflicts_with = "cell")]
    of_run: Option<String>,
    /// A pipeline (name or TOML file) or strategy: source, fidelity, parameters
    #[arg(long, value_name = "NAME", conflicts_with_all = ["target", "cell"])]
    strategy: Option<String>,
    /// The cell, by id or a unique part of it
    #[arg(long, value_name = "ID")]
    cell: Option<String>,
    /// One compaction, by its number in the cell
    #[arg(long, value_name = "N", conflicts_with_all = ["step", "fact"])]
    compaction: Option<u32>,
    /// One step: what was sent, what was needed
    #[arg(long, value_name = "N", conflicts_with = "fact")]
    step: Option<u32>,
    /// The facts whose statement holds this text: where they lived, were lost, were needed
    #[arg(long, value_name = "TEXT")]
    fact: Option<String>,
    /// Seed of a scenario's session
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Show whole texts, whole requests and all lines instead of their beginnings
    #[arg(long)]
    full: bool,
    /// Where the transcript of the cell lies now
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug)]
enum Part<'a> {
    Overview,
    Compaction(u32),
    Step(u32),
    Fact(&'a str),
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    if let Some(name) = &arguments.strategy {
        strategy::show(name)?;
        return Ok(ExitCode::OK);
    }
    let target = arguments.target.as_deref().unwrap_or_default();
    let path = Path::new(target);
    let is_run = path.join("manifest.json").exists();
    match arguments.of_run.as_ref().or(arguments.cell.as_ref()) {
        Some(cell) if is_run => show_cell(path, cell, arguments)?,
        Some(_) => {
            let rule = "is no run directory (it has no manifest.json)";
            let hint = "a cell goes with a directory that `proctor run` wrote";
            return Err(Error::refused(path.display().to_string(), rule, hint));
        }
        None => without_cell(target, is_run, arguments)?,
    }
    Ok(ExitCode::OK)
}

/// A target without a cell beside it: a run, a session, or a cell by its id alone.
fn without_cell(target: &str, is_run: bool, arguments: &Arguments) -> Result<()> {
    let path = Path::new(target);
    if !is_run && !path.exists() && target.contains('/') {
        let run = cell::latest(target)?;
        return show_cell(&run, target, arguments);
    }
    let of_a_cell = [
        ("--compaction", arguments.compaction.is_some()),
        ("--step", arguments.step.is_some()),
        ("--fact", arguments.fact.is_some()),
    ];
    if let Some((option, _)) = of_a_cell.iter().find(|(_, given)| *given) {
        let hint = "name one behind the run directory: `proctor inspect RUN CELL`";
        return Err(Error::refused(*option, "needs a cell", hint));
    }
    if is_run { cell::list(path) } else { session::show(target, arguments.seed) }
}

fn show_cell(run: &Path, name: &str, arguments: &Arguments) -> Result<()> {
    let part = match (arguments.compaction, arguments.step, &arguments.fact) {
        (Some(number), _, _) => Part::Compaction(number),
        (_, Some(number), _) => Part::Step(number),
        (_, _, Some(text)) => Part::Fact(text),
        (None, None, None) => Part::Overview,
    };
    let full = arguments.full;
    let length = match part {
        Part::Overview | Part::Compaction(_) if full => Length::Whole,
        Part::Compaction(_) => Length::Details,
        Part::Overview | Part::Step(_) | Part::Fact(_) => Length::Excerpts,
    };
    let told = cell::tell(run, name, length, arguments.transcript.as_deref())?;
    let (paper, told) = (Paper::of_stdout(), &told);
    let text = match part {
        Part::Overview => view::overview(paper, told, full)?,
        Part::Compaction(number) => view::compaction(paper, told, number, full)?,
        Part::Step(number) => view::step(paper, &told.story, number)?,
        Part::Fact(text) => view::facts(paper, &told.story, text, full)?,
    };
    say(Shown::coloured(text.trim_end()));
    Ok(())
}
