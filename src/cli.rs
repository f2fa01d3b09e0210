//! The command line: one file per verb.
//!
//! stdout is data (tables, listings, paths, exported files); stderr is talk
//! (progress, warnings, errors). The only room that reads the clock and prints.

mod again;
mod bless;
mod cassette;
mod compare;
mod complain;
mod gate;
mod import;
mod inspect;
mod live;
mod merge;
mod nightly;
mod paper;
mod question;
mod report;
mod rerun;
mod run;
mod schema;
mod synth;
mod table;
mod verify;

use std::process::ExitCode;
use std::sync::OnceLock;

use clap::{CommandFactory, Parser, Subcommand};

use crate::error;
use crate::strategy::{Registry, shipped};

/// The standard compaction test for agent context.
///
/// Replays long multi-goal agent sessions through every configuration of every
/// compaction strategy and measures whether the context can keep shrinking, what
/// that costs, and what the agent still knows.
#[derive(Debug, Parser)]
#[command(name = "proctor", version = version(), max_term_width = 100, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

const EXAMPLES: &str = "\
Examples:
  proctor run                          measure the default suite and write its report
  proctor run floor                    does the floor grow? 7 shapes of turn, 3 lengths
  proctor run session.jsonl            a recorded session of your own
  proctor run --list                   what would be run: cells, tokens, windows
  proctor inspect RUN CELL             one cell, compaction by compaction";

#[derive(Debug, Subcommand)]
enum Verb {
    /// Drive suites, scenarios or transcripts, and write a run directory
    Run(run::Arguments),
    /// Render the report of a run directory again
    Report(report::Arguments),
    /// Compare two runs, or configurations of one: differences, intervals, verdicts, fronts
    Compare(compare::Arguments),
    /// Judge a run against its baseline, or one configuration against another: an exit code for CI
    Gate(gate::Arguments),
    /// Make a run the baseline that later ones are gated against
    Bless(bless::Arguments),
    /// Print the JSON Schema of what a verb writes
    Schema(schema::Arguments),
    /// Drive a recorded run again, from what its directory embeds
    Rerun(rerun::Arguments),
    /// Drive a run again and compare, and say what does not hold
    Verify(verify::Arguments),
    /// Join the parts of a run (`run --partition`) into one run directory
    Merge(merge::Arguments),
    /// Look at a session, or at one compaction of one cell and what it lost
    Inspect(inspect::Arguments),
    /// Ask a reader about facts, from the compacted views of a run alone
    Question(question::Arguments),
    /// Write a synthesized session as log and truth files
    Synth(synth::Arguments),
    /// Read transcripts, say what was found, and write them in the native format
    Import(import::Arguments),
    /// Look at recorded calls of a model, or join several recordings
    Cassette(cassette::Arguments),
    /// Run a suite, keep it in a history of nights, gate it and render the history's site
    Nightly(nightly::Arguments),
    /// Render the site of a history again
    Site(nightly::SiteArguments),
    /// Print a shell completion script
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

static REGISTRY: OnceLock<Registry> = OnceLock::new();

/// What suites can name in this process.
fn registry() -> &'static Registry {
    REGISTRY.get_or_init(|| shipped().clone())
}

/// Runs the command line with what ships.
pub fn main() -> ExitCode {
    main_with(shipped().clone())
}

/// Runs the command line to its exit code. What the registry holds can be named by suites
/// and pipeline files, strategies of your own among it.
pub fn main_with(registry: Registry) -> ExitCode {
    // A second command line in one process would be the same one.
    REGISTRY.get_or_init(|| registry);
    let arguments = Arguments::parse();
    let outcome = match arguments.verb {
        Verb::Run(arguments) => run::run(&arguments),
        Verb::Report(arguments) => report::run(&arguments),
        Verb::Compare(arguments) => compare::run(&arguments),
        Verb::Gate(arguments) => gate::run(&arguments),
        Verb::Bless(arguments) => bless::run(&arguments),
        Verb::Schema(arguments) => schema::run(&arguments),
        Verb::Rerun(arguments) => rerun::run(&arguments),
        Verb::Verify(arguments) => verify::run(&arguments),
        Verb::Merge(arguments) => merge::run(&arguments),
        Verb::Inspect(arguments) => inspect::run(&arguments),
        Verb::Question(arguments) => question::run(&arguments),
        Verb::Synth(arguments) => synth::run(&arguments),
        Verb::Import(arguments) => import::run(&arguments),
        Verb::Cassette(arguments) => cassette::run(&arguments),
        Verb::Nightly(arguments) => nightly::run(&arguments),
        Verb::Site(arguments) => nightly::site(&arguments),
        Verb::Completions { shell } => {
            let mut command = Arguments::command();
            clap_complete::generate(shell, &mut command, "proctor", &mut std::io::stdout());
            Ok(error::ExitCode::OK)
        }
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            complain::complain(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

/// The version, with the commit that it was built from where that is known.
fn version() -> &'static str {
    env!("PROCTOR_VERSION")
}

/// The binary, for the record of a run.
fn binary() -> String {
    format!("proctor {}", version())
}

/// Threads of a run: more than any machine has would only make it stand still.
fn threads(text: &str) -> Result<usize, String> {
    const MOST: usize = 512;
    match text.parse() {
        Ok(number) if (1..=MOST).contains(&number) => Ok(number),
        _ => Err(format!("expected a number from 1 to {MOST}")),
    }
}

/// Prints a line of data. A closed pipe ends the program quietly: whoever reads has
/// seen enough. Any other failure, a full disk above all, ends it loudly.
fn say(line: &str) {
    use std::io::{ErrorKind, Write};
    let mut stdout = std::io::stdout();
    let Err(error) = writeln!(stdout, "{line}").and_then(|()| stdout.flush()) else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(i32::from(error::ExitCode::OK));
    }
    talk(&format!("error: failed to write to standard output: {error}"));
    std::process::exit(i32::from(error::ExitCode::FAILURE));
}

/// Prints a line of talk.
fn talk(line: &str) {
    use std::io::Write;
    // A closed stderr is no reason to stop working.
    let _ = writeln!(std::io::stderr(), "{line}");
}
