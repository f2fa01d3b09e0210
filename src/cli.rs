//! The command line, one file per verb: stdout is data, stderr is talk.

mod audit;
mod bless;
mod cassette;
mod compare;
mod fit;
mod gate;
mod import;
mod inspect;
mod list;
mod live;
mod new;
mod nightly;
mod paper;
mod prelude;
mod question;
mod report;
mod rerun;
mod run;
#[cfg(feature = "serve")]
mod serve;
mod sessions;
mod submit;
mod synth;
mod table;
mod tune;
mod verify;
mod vs;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};

use crate::bounds;
use crate::error::{self, Error};
use crate::gate::{Judgement, render};
use crate::sanitize::Shown;
use crate::strategy::{Registry, shipped};
use proctor_core::shown;

/// The standard compaction test for agent context.
///
/// Replays long multi-goal agent sessions through every configuration of every
/// compaction strategy and measures whether the context can keep shrinking, what
/// that costs, and what the agent still knows.
#[derive(Debug, Parser)]
#[command(name = "proctor", version = version(), max_term_width = 100, after_help = include_str!("cli/help/proctor.txt"))]
struct Arguments {
    /// Show what looks like a secret in sessions; it is masked otherwise
    #[arg(long, global = true)]
    show_secrets: bool,
    /// Mask e-mail addresses of transcripts too
    #[arg(long, global = true)]
    mask_emails: bool,
    // Every verb takes the bounds; the help of `proctor` alone says so (`help/proctor.txt`).
    #[arg(long, global = true, value_name = "SIZE", hide = true)]
    max_file_size: Option<bounds::Size>,
    #[arg(long, global = true, value_name = "SIZE", hide = true)]
    max_line_size: Option<bounds::Size>,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Drive suites, scenarios or transcripts, and write a run directory
    Run(run::Arguments),
    /// List what ships: suites, scenarios, strategies, summarizers, metrics, formats
    List(list::Arguments),
    /// Write a file to start from: a scenario, a pipeline or a suite
    New(new::Arguments),
    /// Say which of two strategies is better, and in what
    Vs(vs::Arguments),
    /// Search the numbers of a pipeline for more recall at less cost, and hold what is found against
    /// the defaults on sessions that the search never saw
    Tune(tune::Arguments),
    /// Render the report of a run directory again
    Report(report::Arguments),
    /// Compare two runs, or configurations of one: differences, intervals, verdicts
    Compare(compare::Arguments),
    /// Judge a run against its baseline, or one configuration against another: an exit code for CI
    Gate(gate::Arguments),
    /// Make a run the baseline that later ones are gated against
    Bless(bless::Arguments),
    /// Print the JSON Schema of what a verb writes
    Schema {
        /// What the schema is of
        #[arg(value_enum)]
        of: SchemaOf,
    },
    /// Drive a recorded run again, from what its directory embeds
    Rerun(rerun::Arguments),
    /// Drive a run again and compare, and say what does not hold
    Verify(verify::Arguments),
    /// Write, or submit, a run in parts for a scheduler
    Submit(submit::Arguments),
    /// Join the parts of a run (`run --partition`) into one run directory
    Merge(run::MergeArguments),
    /// Look at a session, or at one compaction of one cell and what it lost
    Inspect(inspect::Arguments),
    /// Ask a reader about facts, from the compacted views of a run alone
    Question(question::Arguments),
    /// Serve a summarizer as a model endpoint on loopback, and record what passes
    #[cfg(feature = "serve")]
    Serve(serve::Arguments),
    /// Write a synthesized session as log and truth files
    Synth(synth::Arguments),
    /// Say what the compactions of recorded sessions kept and lost, and what others would have kept
    Audit(audit::Arguments),
    /// Fit the simulated summarizer to what recorded compactions of one's own kept
    Fit(fit::Arguments),
    /// List where agents keep their sessions on this machine, and what lies there
    Sessions(sessions::Arguments),
    /// Read transcripts, say what was found, and write them in the native format
    Import(import::Arguments),
    /// Look at recorded calls of a model, or join several recordings
    Cassette(cassette::Arguments),
    /// Run a suite, keep it in a history of nights, gate it and render the history's site
    Nightly(nightly::Arguments),
    /// Render the site of a history again
    Site(nightly::SiteArguments),
    /// Write the manual pages of all verbs
    Man {
        /// The directory
        directory: PathBuf,
    },
    /// Print a shell completion script
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SchemaOf {
    /// What `proctor gate --json` writes
    Gate,
    /// What `proctor gate --badge` writes
    Badge,
}

impl SchemaOf {
    fn schema(self) -> error::Result<String> {
        match self {
            SchemaOf::Gate => render::schema::<Judgement>(),
            SchemaOf::Badge => render::schema::<render::Badge>(),
        }
    }
}

static REGISTRY: OnceLock<Registry> = OnceLock::new();

fn registry() -> &'static Registry {
    REGISTRY.get_or_init(|| shipped().clone())
}

/// Runs the command line with what ships.
pub fn main() -> ExitCode {
    main_with(shipped().clone())
}

/// Runs the command line to its exit code, with the strategies and pipelines of the registry.
pub fn main_with(registry: Registry) -> ExitCode {
    // A second command line in one process would be the same one.
    REGISTRY.get_or_init(|| registry);
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return refused(error),
    };
    bounds::set(arguments.max_file_size, arguments.max_line_size);
    if arguments.mask_emails {
        proctor_sessions::masking::mask_addresses();
    }
    if arguments.show_secrets {
        proctor_sessions::masking::show();
    }
    let outcome = match arguments.verb {
        Verb::Run(arguments) => run::run(&arguments),
        Verb::List(arguments) => list::run(&arguments),
        Verb::New(arguments) => new::run(&arguments),
        Verb::Vs(arguments) => vs::run(&arguments),
        Verb::Tune(arguments) => tune::run(&arguments),
        Verb::Report(arguments) => report::run(&arguments),
        Verb::Compare(arguments) => compare::run(&arguments),
        Verb::Gate(arguments) => gate::run(&arguments),
        Verb::Bless(arguments) => bless::run(&arguments),
        Verb::Schema { of } => of.schema().map(|text| {
            say(Shown::laid_out(text.trim_end()));
            error::ExitCode::OK
        }),
        Verb::Rerun(arguments) => rerun::run(&arguments),
        Verb::Verify(arguments) => verify::run(&arguments),
        Verb::Submit(arguments) => submit::run(&arguments),
        Verb::Merge(arguments) => run::merge(&arguments),
        Verb::Inspect(arguments) => inspect::run(&arguments),
        Verb::Question(arguments) => question::run(&arguments),
        #[cfg(feature = "serve")]
        Verb::Serve(arguments) => serve::run(&arguments),
        Verb::Synth(arguments) => synth::run(&arguments),
        Verb::Audit(arguments) => audit::run(&arguments),
        Verb::Fit(arguments) => fit::run(&arguments),
        Verb::Sessions(arguments) => sessions::run(&arguments),
        Verb::Import(arguments) => import::run(&arguments),
        Verb::Cassette(arguments) => cassette::run(&arguments),
        Verb::Nightly(arguments) => nightly::run(&arguments),
        Verb::Site(arguments) => nightly::site(&arguments),
        Verb::Man { directory } => manual(&directory),
        Verb::Completions { shell } => {
            let mut command = Arguments::command();
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut command, "proctor", &mut script);
            say(Shown::laid_out(&String::from_utf8_lossy(&script)));
            Ok(error::ExitCode::OK)
        }
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            complain(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

/// Shows what the parser of the command line says: help, or what is wrong.
fn refused(mut error: clap::Error) -> ExitCode {
    let argument = error.get(ContextKind::InvalidArg).map(ToString::to_string);
    // A key may stand in an address.
    if argument.is_some_and(|argument| argument.contains("url")) {
        error.insert(ContextKind::InvalidValue, ContextValue::String("…".to_owned()));
    }
    let (styled, code) = (error.render(), error.exit_code());
    let (is_help, colours) =
        (!error.use_stderr(), [console::colors_enabled_stderr(), console::colors_enabled()]);
    let text = match colours[usize::from(is_help)] {
        true => styled.ansi().to_string(),
        false => styled.to_string(),
    };
    let text = Shown::coloured(text.trim_end());
    if is_help {
        say(text);
    } else {
        talk(text);
    }
    ExitCode::from(u8::try_from(code).unwrap_or(error::ExitCode::USAGE))
}

fn manual(directory: &Path) -> error::Result<u8> {
    let io = |source| Error::io("write", directory, source);
    std::fs::create_dir_all(directory).map_err(io)?;
    clap_mangen::generate_to(Arguments::command(), directory).map_err(io)?;
    say(shown!("{}", directory.display()));
    Ok(error::ExitCode::OK)
}

fn version() -> &'static str {
    env!("PROCTOR_VERSION")
}

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

/// A seed of `--seeds`.
fn a_seed(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| "seeds are whole numbers, as in `--seeds 1,2,3`".to_owned())
}

fn a_counter(text: &str) -> Result<f64, String> {
    let factor = text.trim().parse().map_err(|_| "expected a number, as in `--counter 1.3`")?;
    crate::scenario::check_counter(factor)
}

/// Errors for people: the place drawn where there is one, the remedy on a line of its own.
fn complain(error: &Error) {
    match error {
        // An empty file has no place to draw.
        Error::Toml { text, rule, .. } if text.trim().is_empty() => {
            talk(shown!("error: {}: it is empty: {}", error, rule));
        }
        Error::Toml { file, text, span, rule, .. } => {
            let place = AnnotationKind::Primary.span(span.clone()).label(rule);
            let (title, snippet) = (error.to_string(), Snippet::source(text).path(file));
            let group = Level::ERROR.primary_title(&title).element(snippet.annotation(place));
            let is_coloured = console::colors_enabled_stderr();
            let renderer = if is_coloured { Renderer::styled() } else { Renderer::plain() };
            talk(Shown::coloured(&renderer.decor_style(DecorStyle::Unicode).render(&[group])));
        }
        _ => talk(shown!("error: {}", error)),
    }
    if let Some(hint) = error.hint() {
        talk(shown!("\nhint: {}", hint));
    }
}

/// Prints a line of data. Where the reader has left, the work goes on without it, to its own exit
/// code; any other failure ends the program.
#[expect(clippy::needless_pass_by_value, reason = "what is shown is made for it")]
fn say(line: Shown) {
    use std::io::{ErrorKind, Write};
    let mut stdout = std::io::stdout();
    let Err(error) = writeln!(stdout, "{line}").and_then(|()| stdout.flush()) else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        return;
    }
    talk(shown!("error: failed to write to standard output: {}", error));
    std::process::exit(i32::from(error::ExitCode::FAILURE));
}

#[expect(clippy::needless_pass_by_value, reason = "what is shown is made for it")]
fn talk(line: Shown) {
    use std::io::Write;
    // A closed stderr is no reason to stop working.
    let _ = writeln!(std::io::stderr(), "{line}");
}
