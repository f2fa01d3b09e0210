//! `proctor serve`: a summarizer behind a model endpoint on loopback.

use std::sync::Arc;

use proctor_serve::recording::Recording;
use proctor_serve::summarizing::{Caps, Summarizing};
use proctor_serve::{Answers, Config, Server, Token};
use serde_json::json;

use crate::cli::complain;
use crate::cli::live::{self, EndpointArguments, Interrupts};
use crate::cli::prelude::*;
use crate::ident::Seed;
use crate::matrix::{Summarizer, SummarizerName};
use crate::number::tokens;
use crate::summarize::live::Live;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/serve.txt"))]
#[command(mut_arg("cassette", |argument| argument.help(KEPT)))]
#[command(mut_arg("max_calls", |argument| argument.help(CALLS)))]
pub(super) struct Arguments {
    /// Who answers: extractive, empty, lead, ..., with a fault as in `extractive+error-0.3`, or http
    #[arg(long, value_name = "NAME", default_value = "extractive")]
    summarizer: Summarizer,
    /// Port on 127.0.0.1; 0 takes any free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// What clients send as their key [default: a random one]
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Write the conversations that pass as sessions: FILE, and further ones beside it
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Model")]
    model: EndpointArguments,
}

const CASSETTE: &str = "serve-cassette.jsonl";
const KEPT: &str = "Where calls are recorded and found again [default: serve-cassette.jsonl]";
const CALLS: &str = "Refuse requests after these; of a model also the most HTTP requests";

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let live = live(arguments)?;
    let summarizing = Arc::new(summarizing(arguments, live.as_deref())?);
    let recording = recording(arguments, Arc::clone(&summarizing))?;
    let token = match &arguments.token {
        Some(words) => Token::new(words)?,
        None => Token::random()?,
    };
    let models = models(arguments, live.as_deref());
    let server = Server::start(Config { port: arguments.port, models, ..Config::default() })?;
    let answers: Arc<dyn Answers> = match &recording {
        Some(recording) => Arc::clone(recording) as _,
        None => Arc::clone(&summarizing) as _,
    };
    server.grant(&token, answers);
    // Heard from here on: whoever reads the line may end this at once.
    let ended = Ended::listen()?;
    let (url, anthropic_url) = (server.url(), server.anthropic_url());
    let line = json!({ "url": url, "anthropic_url": anthropic_url, "token": token.reveal() });
    say(Shown::laid_out(&line.to_string()));
    talk(shown!("`{}` answers at {} until Ctrl-C", arguments.summarizer, url));
    ended.wait();
    drop(server);
    conclude(&summarizing, recording.as_deref(), live.as_deref());
    Ok(ExitCode::OK)
}

/// The model, where one answers.
fn live(arguments: &Arguments) -> Result<Option<Arc<Live>>> {
    match arguments.summarizer.name {
        SummarizerName::Http => arguments.model.open(|| Ok(PathBuf::from(CASSETTE))).map(Some),
        _ => match arguments.model.given() {
            Some(flag) => {
                let rule = format!("`{}` asks no model", arguments.summarizer);
                Err(Error::refused(flag, rule, "`--summarizer http` attaches one"))
            }
            None => Ok(None),
        },
    }
}

fn summarizing(arguments: &Arguments, live: Option<&Live>) -> Result<Summarizing> {
    // Lots and faults of an endpoint have one seed: the same calls get the same answers.
    const SEED: Seed = Seed(1);
    let Arguments { summarizer, .. } = arguments;
    let place = format!("--summarizer {summarizer}");
    let sound = match (summarizer.name, live) {
        (name, _) if name.is_told() => {
            let rule = "it is told the facts of a session, and an endpoint has no session";
            return Err(Error::refused(place, rule, "`extractive` needs none"));
        }
        (SummarizerName::Own(_), _) => {
            let rule = "a summarizer of one's own is in the program that brings it, not here";
            return Err(Error::refused(place, rule, "that program can serve it itself"));
        }
        (_, Some(live)) => Box::new(live.ask_handle()) as _,
        (name, None) => name.alone(SEED),
    };
    let caps = Caps { calls: arguments.model.max_calls(), tokens: None };
    let summarizing = Summarizing::new(Arc::from(summarizer.around(sound, SEED)), caps);
    let names = live.map(|live| live.endpoint().models.keys().cloned());
    Ok(summarizing.with_models(names.into_iter().flatten()))
}

fn recording(
    arguments: &Arguments,
    summarizing: Arc<Summarizing>,
) -> Result<Option<Arc<Recording>>> {
    let Some(path) = &arguments.log else { return Ok(None) };
    Recording::new(summarizing, path, complain).map(|recording| Some(Arc::new(recording)))
}

/// The names that the endpoint lists.
fn models(arguments: &Arguments, live: Option<&Live>) -> Vec<String> {
    let own = live.map(Live::endpoint).into_iter().flat_map(|endpoint| {
        endpoint.model.iter().chain(endpoint.models.keys()).cloned().collect::<Vec<_>>()
    });
    let own: Vec<String> = own.collect();
    if own.is_empty() { vec![arguments.summarizer.to_string()] } else { own }
}

fn conclude(summarizing: &Summarizing, recording: Option<&Recording>, live: Option<&Live>) {
    if let Some(live) = live {
        let handle = live.ask_handle();
        handle.interrupt();
        let _interrupts = Interrupts::watch(Some(handle), None);
        live.close();
        talk(Shown::laid_out(&live::summary_line(&live.totals(), live.endpoint().price.is_some())));
    }
    let totals = summarizing.totals();
    talk(shown!(
        "{} calls, {} answered; {} prompt and {} answer tokens",
        totals.calls,
        totals.answered,
        tokens(totals.prompt.0 as f64),
        tokens(totals.completion.0 as f64)
    ));
    for file in recording.map(Recording::files).unwrap_or_default() {
        talk(shown!("wrote {}", file.display()));
    }
}

/// Ctrl-C, and where there are signals the one that ends a process.
struct Ended {
    runtime: tokio::runtime::Runtime,
    #[cfg(unix)]
    signals: [tokio::signal::unix::Signal; 2],
}

impl Ended {
    fn listen() -> Result<Ended> {
        let failed = |error: std::io::Error| Error::invalid("signals", error.to_string());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(failed)?;
        #[cfg(unix)]
        let signals = {
            use tokio::signal::unix::{SignalKind, signal};
            let _inside = runtime.enter();
            let kinds = [SignalKind::interrupt(), SignalKind::terminate()];
            let [interrupt, terminate] = kinds.map(signal);
            [interrupt.map_err(failed)?, terminate.map_err(failed)?]
        };
        Ok(Ended {
            runtime,
            #[cfg(unix)]
            signals,
        })
    }

    #[cfg(unix)]
    fn wait(self) {
        let [mut interrupt, mut terminate] = self.signals;
        self.runtime.block_on(async {
            tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
        });
    }

    #[cfg(not(unix))]
    fn wait(self) {
        // OK to ignore: where no interrupt can be heard, nothing is waited for.
        let _ = self.runtime.block_on(tokio::signal::ctrl_c());
    }
}
