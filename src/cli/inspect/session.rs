//! A session for people: its turns, what it knows, what it will need.

use std::path::Path;

use crate::cli::{say, table};
use crate::error::{Error, Result};
use crate::ident::Seed;
use crate::log::Log;
use crate::sanitize::{beginning, terminal};
use crate::scenario::Scenario;
use crate::token::{TokenTable, Tokenizer};
use crate::truth::Truth;

pub(super) fn show(target: &str, seed: u64) -> Result<()> {
    let path = Path::new(target);
    let scenario = if path.extension().is_some_and(|extension| extension == "toml") {
        Scenario::load(path)?
    } else if path.exists() {
        Scenario::for_transcript(path, "transcript")
    } else {
        Scenario::embedded(target).map_err(|error| match error {
            Error::Unknown { name, hint, .. } => Error::Unknown {
                what: "run directory, session file or scenario",
                name,
                hint: hint.or_else(|| Some("no such file or directory exists".to_owned())),
            },
            other => other,
        })?
    };
    let session = scenario.session(Seed(seed))?;
    let table = TokenTable::new(&session.log, Tokenizer::O200k);
    let (id, source) = (&session.log.id, &session.log.source);
    say(&format!("session {}\nsource  {}", terminal(id), terminal(source)));
    say(&format!(
        "{} messages, {} steps, {} reference tokens, {} recorded boundaries\n",
        session.log.messages.len(),
        session.log.steps().len(),
        table.total(),
        session.log.boundaries.len()
    ));
    turns(&session.log, &table);
    facts(&session.log, &session.truth);
    demands(&session.log, &session.truth);
    Ok(())
}

fn turns(log: &Log, tokens: &TokenTable) {
    let mut lines = table::plain(&["turn", "messages", "calls", "tokens", "the user"]);
    for (number, turn) in log.turns().iter().enumerate() {
        let messages = &log.messages[turn.messages.clone()];
        let calls: usize = messages.iter().map(|message| message.calls.len()).sum();
        let sum: u64 = turn.messages.clone().map(|index| tokens.messages[index].total().0).sum();
        lines.add_row([
            (number + 1).to_string(),
            messages.len().to_string(),
            calls.to_string(),
            crate::number::tokens(sum as f64),
            beginning(messages.first().map_or("", |message| &message.content), 76),
        ]);
    }
    lines.align_left(4);
    say(&format!("{lines}\n"));
}

fn facts(log: &Log, truth: &Truth) {
    let mut lines = table::plain(&["fact", "kind", "born", "role", "mentions", "statement"]);
    for fact in &truth.facts {
        lines.add_row([
            fact.id.0.to_string(),
            fact.kind.name().to_owned(),
            fact.born.0.to_string(),
            log.message(fact.born).map_or("", |message| message.role.name()).to_owned(),
            fact.mentions.len().to_string(),
            beginning(&fact.statement, 70),
        ]);
    }
    lines.align_left(5);
    say(&format!("{lines}\n"));
}

fn demands(log: &Log, truth: &Truth) {
    let mut lines = table::plain(&["demand", "fact", "needed at", "origin", "statement"]);
    for (number, demand) in truth.demands.iter().enumerate() {
        let statement = truth.facts.get(demand.fact.index()).map_or("", |fact| &fact.statement);
        lines.add_row([
            number.to_string(),
            demand.fact.0.to_string(),
            format!("message {} of {}", demand.at.0, log.messages.len()),
            demand.origin.name().to_owned(),
            beginning(statement, 70),
        ]);
    }
    lines.align_left(4);
    say(&lines.to_string());
}
