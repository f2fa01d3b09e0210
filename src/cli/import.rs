//! `proctor import`: what is in a transcript, and the transcript in our format.

use crate::cli::complain;
use crate::cli::prelude::*;
use crate::cli::synth::not_there;
use crate::{extract, import, log, truth};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  proctor import --dry-run ~/.claude/projects/*/*.jsonl\n  proctor import session.jsonl --out native.jsonl"
)]
pub(super) struct Arguments {
    /// Transcripts, or directories of them; their format is told from their content
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Only say what would be imported
    #[arg(long)]
    dry_run: bool,
    /// Where the log goes (one transcript); the extracted truth goes beside it
    #[arg(long)]
    out: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    if arguments.out.is_some() && arguments.files.len() > 1 {
        let rule = format!("names one file, but {} transcripts are given", arguments.files.len());
        let hint = "import them one by one, or leave `--out` away";
        return Err(Error::refused("--out", rule, hint));
    }
    let mut code = ExitCode::OK;
    for given in &arguments.files {
        let files = if given.is_dir() { import::places::below(given) } else { vec![given.clone()] };
        // One bad transcript does not stop the others.
        for file in files {
            if let Err(error) = import_one(&file, arguments) {
                complain(&error);
                code = error.exit_code();
            }
        }
    }
    Ok(code)
}

fn import_one(file: &Path, arguments: &Arguments) -> Result<()> {
    let all = import::load_named(file)?;
    if arguments.out.is_some() && all.len() > 1 {
        let rule = format!("names one file, but {} holds {} sessions", file.display(), all.len());
        return Err(Error::refused("--out", rule, "name one of them: `FILE#1`"));
    }
    let several = all.len() > 1;
    for (number, (name, imported)) in (1..).zip(all) {
        say(&format!("{}\n{}", name.display(), imported.report.render()));
        let truth = imported.truth.unwrap_or_else(|| extract::extract(&imported.log));
        say(&format!("facts found: {}, demands: {}\n", truth.facts.len(), truth.demands.len()));
        if arguments.dry_run {
            continue;
        }
        let number = if several { format!("{number}.") } else { String::new() };
        let beside = || file.with_extension(format!("{number}proctor.jsonl"));
        let out = arguments.out.clone().unwrap_or_else(beside);
        let hint = "name another with `--out`, or look only with `--dry-run`";
        not_there(&out, out.display().to_string(), hint)?;
        log::format::write(&imported.log, &out)?;
        let beside = truth::format::beside(&out);
        truth::format::write(&truth, &imported.log.id, &beside)?;
        talk(&format!("wrote {} and {}", out.display(), beside.display()));
    }
    Ok(())
}
