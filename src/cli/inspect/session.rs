//! A session for people: its turns, what it knows, what it will need.

use crate::cli::prelude::*;
use crate::ident::Seed;
use crate::sanitize::beginning;
use crate::token::{TokenTable, Tokenizer};

pub(super) fn show(target: &str, seed: u64) -> Result<()> {
    let path = Path::new(target);
    let scenario = if path.extension().is_some_and(|extension| extension == "toml") {
        Scenario::load(path)?
    } else if path.exists() {
        Scenario::for_transcript(path, "transcript")
    } else {
        Scenario::embedded(target).map_err(|error| match error {
            Error::Unknown { name, hint, .. } => {
                let hint = hint.or_else(|| Some("no such file or directory exists".to_owned()));
                Error::unknown("run directory, session file or scenario", name, hint)
            }
            other => other,
        })?
    };
    let session = scenario.session(Seed(seed))?;
    let table = TokenTable::new(&session.log, Tokenizer::O200k);
    let (id, source) = (&session.log.id, &session.log.source);
    say(shown!("session {}\nsource  {}", id, source));
    say(shown!(
        "{} messages, {} steps, {} reference tokens, {} recorded boundaries\n",
        session.log.messages.len(),
        session.log.steps().len(),
        table.total(),
        session.log.boundaries.len()
    ));
    let (log, truth) = (&session.log, &session.truth);
    let turns = log.turns().into_iter().zip(1..).map(|(turn, number)| {
        let messages = &log.messages[turn.clone()];
        let calls: usize = messages.iter().map(|message| message.calls.len()).sum();
        let sum: u64 = turn.clone().map(|index| table.messages[index].total().0).sum();
        let tokens = crate::number::tokens(sum as f64);
        let said = beginning(messages.first().map_or("", |message| &message.content), 76);
        vec![number.to_string(), messages.len().to_string(), calls.to_string(), tokens, said]
    });
    list(&["turn", "messages", "calls", "tokens", "the user"], turns);
    say(shown!(""));
    let facts = truth.facts.iter().map(|fact| {
        let role = log.message(fact.born).map_or("", |message| message.role.name()).to_owned();
        let (id, born) = (fact.id.0.to_string(), fact.born.0.to_string());
        let (kind, mentions) = (fact.kind.name().to_owned(), fact.mentions.len().to_string());
        vec![id, kind, born, role, mentions, beginning(&fact.statement, 70)]
    });
    list(&["fact", "kind", "born", "role", "mentions", "statement"], facts);
    say(shown!(""));
    let demands = truth.demands.iter().zip(0..).map(|(demand, number): (_, usize)| {
        let statement = truth.facts.get(demand.fact.index()).map_or("", |fact| &fact.statement);
        let at = format!("message {} of {}", demand.at.0, log.messages.len());
        let (fact, origin) = (demand.fact.0.to_string(), demand.origin.name().to_owned());
        vec![number.to_string(), fact, at, origin, beginning(statement, 70)]
    });
    list(&["demand", "fact", "needed at", "origin", "statement"], demands);
    Ok(())
}

/// Prints rows whose last column is text.
fn list(head: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let mut lines = table::plain(head);
    rows.for_each(|row| lines.add_row(row));
    lines.align_left(head.len() - 1);
    say(Shown::laid_out(&lines.to_string()));
}
