//! Sessions made ready: loaded or synthesized, counted, their truth looked up once.

use std::sync::{Arc, Mutex, PoisonError};

use crate::drive::Session;
use crate::log::{Log, format};
use crate::prelude::*;
use crate::run::Plan;
use crate::run_dir::ManifestSession;
use crate::scenario::{self, Scenario, SessionSource};
use crate::stats;
use crate::token::{Counter, Tokenizer};
use crate::truth::{self, Origin, Truth};

/// A session and what the manifest says of it.
#[derive(Debug)]
pub struct Prepared {
    /// The session.
    pub session: Session,
    /// Its line in the manifest.
    pub manifest: ManifestSession,
}

/// The share of the window that `fact_load` takes for summaries: the median of 60 recorded
/// compactions of one agent (characters by three, over the tokens before).
const SUMMARY_BUDGET: f64 = 0.025;

/// Sessions made ready that are kept, for runs of one process that drive the same ones.
pub type Kept = Arc<Mutex<BTreeMap<(Digest, u64, Vec<Tokenizer>), Arc<Prepared>>>>;

/// A session made ready, as it was kept; where none is, it is made and kept.
pub(super) fn ready(
    plan: &Plan,
    scenario: &Scenario,
    seed: u64,
    kept: Option<&Kept>,
) -> Result<Arc<Prepared>> {
    let Some(kept) = kept else { return prepare(plan, scenario, seed).map(Arc::new) };
    let key = (scenario.digest(), seed, own_tokenizers(plan).collect());
    let all = || kept.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all().get(&key) {
        return Ok(Arc::clone(known));
    }
    let made = Arc::new(prepare(plan, scenario, seed)?);
    all().insert(key, Arc::clone(&made));
    Ok(made)
}

/// Makes a session ready for the configurations of a plan.
pub fn prepare(plan: &Plan, scenario: &Scenario, seed: u64) -> Result<Prepared> {
    prepare_session(plan, scenario, seed, scenario.session(Seed(seed))?)
}

/// The same of a session that was loaded already.
pub fn prepare_session(
    plan: &Plan,
    scenario: &Scenario,
    seed: u64,
    session: scenario::Session,
) -> Result<Prepared> {
    let (log, truth, digests) = digested(session)?;
    if log.steps().is_empty() {
        let rule = "the session has no model call, so there is nothing to replay";
        return Err(Error::invalid(scenario.name.clone(), rule));
    }
    let session = Session::new(log, truth, own_tokenizers(plan));
    check_answers(scenario, &session)?;
    let manifest = describe(scenario, seed, &session, digests);
    Ok(Prepared { session, manifest })
}

/// No recorded answer exceeds what the scenario lets a model answer: such a call could not have been
/// made.
fn check_answers(scenario: &Scenario, session: &Session) -> Result<()> {
    let most = scenario.max_output;
    let answers = session.steps.iter().map(|step| step.answer);
    let longest = answers
        .filter_map(|id| Some((session.reference.messages.get(id.index())?.total(), id)))
        .max_by_key(|(tokens, _)| *tokens);
    let Some((tokens, message)) = longest.filter(|(tokens, _)| *tokens > most) else {
        return Ok(());
    };
    let source = match &scenario.source {
        SessionSource::Transcript(path) => path.display().to_string(),
        SessionSource::Synth(_) => "its session".to_owned(),
    };
    let rule = format!(
        "{most} is less than the answer of {tokens} tokens in message {} of {source}",
        message.0
    );
    let hint = format!("set `max-output` to {tokens} or more");
    Err(Error::refused(format!("scenario `{}`: max-output", scenario.name), rule, hint))
}

/// A session's log and truth, with the digests of both.
pub(super) fn digested(session: scenario::Session) -> Result<(Log, Truth, [Digest; 2])> {
    let log = Digest::of(format::to_text(&session.log)?.as_bytes());
    let truth = truth::format::to_text(&session.truth, &session.log.id)?;
    Ok((session.log, session.truth, [log, Digest::of(truth.as_bytes())]))
}

fn own_tokenizers(plan: &Plan) -> impl Iterator<Item = Tokenizer> + '_ {
    Tokenizer::ALL.into_iter().filter(|tokenizer| {
        *tokenizer != Counter::REFERENCE.tokenizer
            && plan.configurations.iter().any(|c| c.pipeline.counter.tokenizer == *tokenizer)
    })
}

fn describe(
    scenario: &Scenario,
    seed: u64,
    session: &Session,
    [log, truth]: [Digest; 2],
) -> ManifestSession {
    let key = &session.book.truth;
    let ranked = key.demands.iter().filter(|demand| demand.origin != Origin::Incidental).count();
    let loads: Vec<f64> = session
        .book
        .live_statement_tokens(|text| Counter::REFERENCE.tokenizer.count(text))
        .into_iter()
        .map(Tokens::as_f64)
        .collect();
    let budget = scenario.window.as_f64() * SUMMARY_BUDGET;
    let path = match &scenario.source {
        SessionSource::Transcript(path) => {
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        }
        SessionSource::Synth(_) => String::new(),
    };
    ManifestSession {
        scenario: scenario.name.clone(),
        seed,
        log,
        truth,
        path,
        turns: session.turns,
        steps: session.steps.len() as u32,
        messages: session.log.messages.len() as u32,
        tokens: session.reference.total().0,
        fixed_tokens: session.fixed().0,
        window: scenario.window.0,
        facts: key.facts.len() as u32,
        demands: ranked as u32,
        boundaries: session.log.boundaries.len() as u32,
        fact_load: crate::unit::nine(stats::median(&loads).unwrap_or(0.0) / budget),
    }
}
