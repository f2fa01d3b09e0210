//! The native truth format: the answer key of a log, in a file of its own (`scenarios/FORMAT.md`).

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::bounds::Bound;
use crate::error::{Error, Result};
use crate::log::Log;
use crate::log::format::check::{ensure, in_order};
use crate::log::format::{Objects, push};
use crate::prelude::*;
use crate::truth::{Demand, Fact, Goal, Truth};

/// The version of the format that this build reads and writes.
pub const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    proctor: String,
    version: u32,
    log: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Goal(Goal),
    Fact(Fact),
    Demand(Demand),
    Decoy(Fact),
}

/// Where the truth of a log file lies: `X.truth.jsonl` beside `X.jsonl`.
pub fn beside(log: &Path) -> PathBuf {
    log.with_extension("truth.jsonl")
}

/// Reads the truth of this log. Fails where a rule is broken or it is another log's.
pub fn read(path: &Path, log: &Log) -> Result<Truth> {
    let file = File::open(path).map_err(|error| Error::io("read", path, error))?;
    read_from(BufReader::new(Bound::Session.on(file)), path, log)
}

/// Reads a truth from any reader; `path` is for messages.
pub fn read_from(reader: impl BufRead, path: &Path, log: &Log) -> Result<Truth> {
    let mut objects = Objects::new(reader, path);
    let header: Header = objects.header("truth", VERSION)?;
    if header.log != log.id {
        let (found, expected) = (header.log, &log.id);
        return Err(objects.error(1, format!("the truth of log `{found}`, not of `{expected}`")));
    }
    let mut truth = Truth::default();
    let mut last = 1;
    while let Some((line, number)) = objects.next::<Line>()? {
        take(line, &mut truth, log).map_err(|rule| objects.error(number, rule))?;
        last = number;
    }
    let mut later = truth.facts.iter().filter_map(|fact| fact.superseded_by);
    if let Some(FactId(id)) = later.find(|fact| fact.index() >= truth.facts.len()) {
        return Err(objects.error(last, format!("fact {id} supersedes but is missing")));
    }
    Ok(truth)
}

fn take(line: Line, truth: &mut Truth, log: &Log) -> Result<(), String> {
    let (goals, messages) = (truth.goals.len(), log.messages.len());
    match line {
        Line::Goal(goal) => {
            in_order("goal", goal.id.0, goals)?;
            known_messages(&goal.arc, messages)?;
            truth.goals.push(goal);
        }
        Line::Fact(fact) => {
            in_order("fact", fact.id.0, truth.facts.len())?;
            check_fact(&fact, goals)?;
            known_messages(&[fact.born], messages)?;
            known_messages(&fact.mentions, messages)?;
            truth.facts.push(fact);
        }
        Line::Demand(demand) => {
            let FactId(id) = demand.fact;
            let is_known = demand.fact.index() < truth.facts.len();
            ensure(is_known, || format!("the demand names an unknown fact {id}"))?;
            known_messages(&[demand.at], messages)?;
            let (born, at) = (truth.facts[demand.fact.index()].born, demand.at);
            ensure(born < log.fresh_from(at), || {
                format!(
                    "the demand at message {} needs fact {id}, which is born in message {}: both \
                     belong to one call, so no context could have kept the fact",
                    at.0, born.0
                )
            })?;
            truth.demands.push(demand);
        }
        Line::Decoy(decoy) => {
            in_order("decoy", decoy.id.0, truth.decoys.len())?;
            check_fact(&decoy, goals)?;
            truth.decoys.push(decoy);
        }
    }
    Ok(())
}

fn known_messages(ids: &[MsgId], messages: usize) -> Result<(), String> {
    ids.iter().try_for_each(|MsgId(id)| {
        let is_known = (*id as usize) < messages;
        ensure(is_known, || format!("message {id} is not in the log, which has {messages}"))
    })
}

fn check_fact(fact: &Fact, goals: usize) -> Result<(), String> {
    let FactId(id) = fact.id;
    let mut needles = fact.needles.iter().chain(&fact.polarity);
    let sound = !fact.needles.is_empty() && needles.all(|needle| !needle.text().trim().is_empty());
    ensure(sound, || format!("fact {id} has no needle or an empty one"))?;
    let unknown = fact.goal.filter(|goal| goal.index() >= goals);
    unknown.map_or(Ok(()), |goal| Err(format!("fact {id} names an unknown goal {}", goal.0)))
}

/// Writes the truth of the log with this id, the same bytes for the same truth.
pub fn write(truth: &Truth, log: &str, path: &Path) -> Result<()> {
    std::fs::write(path, to_text(truth, log)?).map_err(|error| Error::io("write", path, error))
}

/// The text of a truth file: goals, facts, demands, decoys.
pub fn to_text(truth: &Truth, log: &str) -> Result<String> {
    let place = || format!("truth of log `{log}`");
    let broken = |error: serde_json::Error| Error::invalid(place(), error.to_string());
    let mut text = String::new();
    let header = Header { proctor: "truth".to_owned(), version: VERSION, log: log.to_owned() };
    push(&mut text, &header).map_err(broken)?;
    let goals = truth.goals.iter().cloned().map(Line::Goal);
    let facts = truth.facts.iter().cloned().map(Line::Fact);
    let demands = truth.demands.iter().cloned().map(Line::Demand);
    let decoys = truth.decoys.iter().cloned().map(Line::Decoy);
    for line in goals.chain(facts).chain(demands).chain(decoys) {
        push(&mut text, &line).map_err(broken)?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(kind: &str) -> &'static str {
        let page = include_str!("../../../../scenarios/FORMAT.md");
        let example = page.split(&format!("```jsonl {kind}\n")).nth(1).expect("an example");
        example.split("```").next().expect("its end")
    }

    fn log() -> Log {
        let text = example("log").as_bytes();
        crate::log::format::read_from(text, Path::new("x.jsonl")).unwrap()
    }

    fn read_text(text: &str) -> Result<Truth> {
        read_from(text.as_bytes(), Path::new("x.truth.jsonl"), &log())
    }

    #[test]
    fn the_example_of_the_format_page_is_a_truth() {
        let truth = read_text(example("truth")).unwrap();
        assert_eq!((truth.goals.len(), truth.facts.len()), (1, 2));
        assert_eq!((truth.demands.len(), truth.decoys.len()), (1, 1));
        assert_eq!(to_text(&truth, &log().id).unwrap(), example("truth"));
        assert_eq!(beside(Path::new("a/b.jsonl")), Path::new("a/b.truth.jsonl"));
    }

    #[test]
    fn a_broken_line_is_named_with_its_rule() {
        let text = example("truth");
        for (from, to, rule) in crate::cases::<(String, String, String)>("truth-lines") {
            assert!(text.contains(&from), "{from}");
            let error = read_text(&text.replacen(&from, &to, 1)).expect_err(&rule).to_string();
            assert!(error.contains(&rule), "{error}");
        }
    }
}
