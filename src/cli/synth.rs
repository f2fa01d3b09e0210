//! `proctor synth`: a synthesized session as files.

use crate::cli::prelude::*;
use crate::ident::Seed;
use crate::token::{TokenTable, Tokenizer};
use crate::{log, truth};

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  proctor synth multi-goal-arcs --seed 7 --out session.jsonl")]
pub(super) struct Arguments {
    /// A scenario: embedded name or TOML file
    scenario: String,
    /// The seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where the log goes; the truth goes beside it as NAME.truth.jsonl
    #[arg(long, default_value = "session.jsonl")]
    out: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let scenario = if arguments.scenario.ends_with(".toml") {
        Scenario::load(Path::new(&arguments.scenario))?
    } else {
        Scenario::embedded(&arguments.scenario)?
    };
    let session = scenario.session(Seed(arguments.seed))?;
    let place = format!("--out {}", arguments.out.display());
    not_there(&arguments.out, place, "give another name, or remove it first")?;
    let beside = truth::format::beside(&arguments.out);
    log::format::write(&session.log, &arguments.out)?;
    truth::format::write(&session.truth, &session.log.id, &beside)?;
    let tokens = TokenTable::new(&session.log, Tokenizer::O200k).total();
    talk(shown!(
        "{} messages, {} turns, {} tokens; {} facts, {} demands",
        session.log.messages.len(),
        session.log.turns().len(),
        tokens,
        session.truth.facts.len(),
        session.truth.demands.len()
    ));
    say(Shown::laid_out(&arguments.out.display().to_string()));
    say(Shown::laid_out(&beside.display().to_string()));
    Ok(ExitCode::OK)
}

/// No file is written over.
pub(super) fn not_there(path: &Path, place: String, hint: &str) -> Result<()> {
    if path.exists() { Err(Error::refused(place, "the file exists already", hint)) } else { Ok(()) }
}
