//! `proctor import`: what is in a transcript, and the transcript in our format.

use std::sync::Arc;

use crate::cli::complain;
use crate::cli::live::{EndpointArguments, Interrupts};
use crate::cli::prelude::*;
use crate::cli::synth::not_there;
use crate::extract::labels;
use crate::log::Log;
use crate::summarize::live::Live;
use crate::summarize::{Ask, Finish};
use crate::truth::Truth;
use crate::unit::Tokens;
use crate::{extract, import, log, truth};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  proctor import --dry-run ~/.claude/projects/*/*.jsonl\n  proctor import session.jsonl --out native.jsonl\n  proctor import session.jsonl --label --base-url http://127.0.0.1:8080/v1 --model NAME --out native.jsonl\n\nWith `--label` a model is asked once a session which sentences a later step could need. It is sent what\nthe user typed and the agent wrote. Its answer is kept in the cassette, from which `--replay` repeats it."
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
    /// Ask a model what is said, in place of finding it by its words
    #[arg(long, conflicts_with = "dry_run")]
    label: bool,
    #[command(flatten, next_help_heading = "Model")]
    model: EndpointArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    if arguments.out.is_some() && arguments.files.len() > 1 {
        let rule = format!("names one file, but {} transcripts are given", arguments.files.len());
        let hint = "import them one by one, or leave `--out` away";
        return Err(Error::refused("--out", rule, hint));
    }
    let model = match (arguments.label, arguments.model.given()) {
        (true, _) => Some(arguments.model.open(|| Ok(cassette(arguments)))?),
        (false, None) => None,
        (false, Some(flag)) => {
            return Err(Error::refused(flag, "no model is asked", "`--label` asks one"));
        }
    };
    let _interrupts = model.as_ref().map(|live| Interrupts::watch(Some(live.ask_handle()), None));
    let code = all(arguments, model.as_ref());
    if let Some(live) = &model {
        live.close();
        talk(Shown::laid_out(&crate::cli::live::summary_line(
            &live.totals(),
            live.endpoint().price.is_some(),
        )));
    }
    Ok(code)
}

/// Where the answers of a model are kept.
fn cassette(arguments: &Arguments) -> PathBuf {
    let first = arguments.out.as_ref().unwrap_or(&arguments.files[0]);
    first.with_extension("labels-cassette.jsonl")
}

fn all(arguments: &Arguments, model: Option<&Arc<Live>>) -> u8 {
    let mut code = ExitCode::OK;
    for given in &arguments.files {
        let files = if given.is_dir() { import::places::below(given) } else { vec![given.clone()] };
        // One bad transcript does not stop the others.
        for file in files {
            if let Err(error) = import_one(&file, arguments, model) {
                complain(&error);
                code = error.exit_code();
            }
        }
    }
    code
}

/// The truth of a session with what a model marked in it.
fn labelled(name: &Path, log: &Log, model: &Live) -> Result<Truth> {
    let place = || name.display().to_string();
    let handle = model.ask_handle();
    let limits = handle.limits();
    let request = labels::request(log, limits.max_output);
    let (tokens, window) = (labels::tokens(&request), limits.window(Tokens::ZERO));
    if tokens + limits.max_output > window {
        let rule = format!(
            "the request of {tokens} tokens and an answer of {} do not fit in {window}",
            limits.max_output
        );
        return Err(Error::refused(place(), rule, "`--model-window N` says what the model takes"));
    }
    let reply = handle.ask(&[request])?.pop();
    let answer = match reply {
        Some(Ok(answer)) if answer.finish == Finish::Stop => answer,
        Some(Ok(_)) => {
            let hint = "`--max-output N` lets it answer more";
            return Err(Error::refused(place(), "the answer of the model was cut off", hint));
        }
        Some(Err(error)) => {
            return Err(Error::invalid(
                place(),
                format!("the model gave no answer: {}", error.message),
            ));
        }
        None => return Err(Error::invalid(place(), "the model gave no answer")),
    };
    let (marks, refused) = labels::marks(&answer.text, log);
    say(shown!("sentences marked by the model: {}, refused: {}", marks.len(), refused));
    if marks.is_empty() {
        return Err(Error::invalid(place(), "no line of the model's answer marks a sentence"));
    }
    Ok(labels::extract(log, &marks))
}

fn import_one(file: &Path, arguments: &Arguments, model: Option<&Arc<Live>>) -> Result<()> {
    let all = import::load_named(file)?;
    if arguments.out.is_some() && all.len() > 1 {
        let rule = format!("names one file, but {} holds {} sessions", file.display(), all.len());
        return Err(Error::refused("--out", rule, "name one of them: `FILE#1`"));
    }
    let several = all.len() > 1;
    for (number, (name, imported)) in (1..).zip(all) {
        say(shown!("{}", name.display()));
        say(Shown::laid_out(&imported.report.render()));
        let truth = match (model, imported.truth) {
            (Some(model), _) => labelled(&name, &imported.log, model)?,
            (None, Some(truth)) => truth,
            (None, None) => extract::extract(&imported.log),
        };
        say(shown!("facts found: {}, demands: {}\n", truth.facts.len(), truth.demands.len()));
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
        talk(shown!("wrote {} and {}", out.display(), beside.display()));
    }
    Ok(())
}
