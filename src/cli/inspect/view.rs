//! What `inspect` shows of a cell: the values of its templates, from the cell's story.

use std::collections::BTreeMap;

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use super::cell::Shown;
use super::chart;
use crate::cli::paper::Paper;
use crate::error::{Error, Result};
use crate::run::story::{Came, Told};
use crate::run_dir::story::{Story, ToldCompaction, ToldFact};
use crate::summarize::Prompt;
use crate::truth::Fact;

/// The templates; the first four are parts of a cell.
const TEMPLATES: [(&str, &str); 5] = [
    ("overview", include_str!("templates/overview.txt")),
    ("compaction", include_str!("templates/compaction.txt")),
    ("step", include_str!("templates/step.txt")),
    ("fact", include_str!("templates/fact.txt")),
    ("pieces", include_str!("templates/pieces.txt")),
];

/// Compactions and missed needs that are listed before the rest is only counted.
const LISTED: usize = 30;
/// Facts that are followed, unless all are wanted.
const FOLLOWED: usize = 8;

/// A compaction, with what its story has no room for.
#[derive(Serialize)]
struct Compaction<'a> {
    compaction: &'a ToldCompaction,
    accepted: bool,
    /// Share of the messages' tokens that it freed, in per cent.
    freed: f64,
    /// Rules that it broke, each once with its count.
    rules: String,
    requests: &'a [Prompt],
    came: Vec<Entry<'a>>,
}

/// An entry that came into the view.
#[derive(Serialize)]
struct Entry<'a> {
    share: &'a str,
    tokens: u64,
    generation: u32,
    stands_for: &'a str,
    shown: &'a str,
    text: &'a str,
    /// Whether it holds an answer, which is shown already.
    is_answer: bool,
}

impl<'a> Compaction<'a> {
    fn of(told: &'a Told, compaction: &'a ToldCompaction) -> Compaction<'a> {
        let detail = told.details.get(&compaction.number);
        let entry = |came: &'a Came| Entry {
            share: came.share.name(),
            tokens: came.tokens.0,
            generation: came.generation,
            stands_for: &came.stands_for,
            shown: &came.shown,
            text: &came.text,
            is_answer: compaction.answers.iter().any(|answer| came.text.contains(answer.trim())),
        };
        let (before, after) = (compaction.before as f64, compaction.after as f64);
        Compaction {
            compaction,
            accepted: compaction.outcome == "accepted",
            freed: 100.0 * (before - after) / before.max(1.0),
            rules: rules(compaction),
            requests: detail.map_or(&[], |detail| &detail.requests),
            came: detail.iter().flat_map(|detail| detail.came.iter().map(entry)).collect(),
        }
    }
}

fn rules(compaction: &ToldCompaction) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for rule in &compaction.violations {
        *counts.entry(rule).or_default() += 1;
    }
    let written = counts.iter().map(|(rule, count)| match count {
        1 => (*rule).to_owned(),
        count => format!("{count} × {rule}"),
    });
    written.collect::<Vec<_>>().join(", ")
}

/// A fact needed at a step, with the compaction that lost it where it was missing.
#[derive(Serialize)]
struct Need<'a> {
    step: u32,
    met: bool,
    kind: &'a str,
    statement: &'a str,
    lost_by: Option<u32>,
    class: Option<&'a str>,
}

/// The needs of a cell, in order.
fn needs(story: &Story) -> Vec<Need<'_>> {
    let mut losers: BTreeMap<(u32, u32), (u32, &str)> = BTreeMap::new();
    for compaction in &story.compactions {
        for lost in &compaction.lost {
            let loser = (compaction.number, lost.class.as_str());
            losers.extend(lost.needed_at.iter().map(|step| ((lost.fact, *step), loser)));
        }
    }
    let need = |demand: &crate::run_dir::story::ToldDemand| {
        let fact = story.facts.get(demand.fact as usize)?;
        let loser = losers.get(&(demand.fact, demand.step));
        Some(Need {
            step: demand.step,
            met: demand.met,
            kind: &fact.kind,
            statement: &fact.statement,
            lost_by: loser.map(|(number, _)| *number),
            class: loser.map(|(_, class)| *class),
        })
    };
    story.demands.iter().filter_map(need).collect()
}

/// A cell at a glance: how it ended, its context, its compactions, what was missed.
pub(super) fn overview(paper: Paper, shown: &Shown, full: bool) -> Result<String> {
    let story = &shown.told.story;
    let most = if full { usize::MAX } else { LISTED };
    let mut listed: Vec<&ToldCompaction> = story.compactions.iter().collect();
    if listed.len() > most {
        let needed = |one: &ToldCompaction| {
            one.lost.iter().filter(|lost| !lost.needed_at.is_empty()).count()
        };
        listed.sort_by_key(|one| (std::cmp::Reverse((needed(one), one.lost.len())), one.number));
        listed.truncate(most);
        listed.sort_by_key(|one| one.number);
    }
    let listed: Vec<Compaction> =
        listed.into_iter().map(|one| Compaction::of(&shown.told, one)).collect();
    let mut missed: Vec<Need> = needs(story).into_iter().filter(|need| !need.met).collect();
    let unlisted_missed = missed.len().saturating_sub(most);
    missed.truncate(most);
    let prompts = &story.steps.prompt;
    let values = context! {
        story => Serde(story),
        completed => story.ended_by == "completed",
        steps => prompts.len(),
        turns => story.steps.turn.last().copied().unwrap_or(0),
        mean => prompts.iter().sum::<u64>() as f64 / prompts.len().max(1) as f64,
        most => prompts.iter().copied().max().unwrap_or(0),
        usd => story.compactions.iter().map(|one| one.usd).sum::<f64>(),
        met => story.demands.iter().filter(|demand| demand.met).count(),
        chart => Serde(chart::draw(story, paper.width())),
        unlisted => story.compactions.len() - listed.len(),
        listed => Serde(listed),
        missed => Serde(missed),
        unlisted_missed,
        full,
    };
    fill(paper, "overview", &values)
}

/// One compaction: what left the context, what was asked and answered, what was lost.
pub(super) fn compaction(paper: Paper, told: &Told, number: u32, full: bool) -> Result<String> {
    let story = &told.story;
    let found = story.compactions.iter().find(|compaction| compaction.number == number);
    let found = found.ok_or_else(|| Error::Invalid {
        place: format!("--compaction {number}"),
        rule: format!("the cell has {} compactions", story.compactions.len()),
        hint: Some("omit `--compaction` to list them".to_owned()),
    })?;
    let one = Serde(Compaction::of(told, found));
    fill(paper, "compaction", &context! { story => Serde(story), one, full })
}

/// What was sent at a step, and what was needed there.
pub(super) fn step(paper: Paper, story: &Story, number: u32) -> Result<String> {
    let steps = &story.steps;
    let place = steps.step.iter().position(|step| *step == number);
    let place = place.ok_or_else(|| Error::Invalid {
        place: format!("--step {number}"),
        rule: format!("the cell made {} calls", steps.step.len()),
        hint: None,
    })?;
    let at = |column: &[u64]| column.get(place).copied().unwrap_or(0);
    let count = |column: &[u32]| column.get(place).copied().unwrap_or(0);
    let shares = story.share_names.iter().zip(steps.shares.get(place).into_iter().flatten());
    let shares: Vec<(&String, &u64)> = shares.filter(|(_, tokens)| **tokens > 0).collect();
    let compactions: Vec<&ToldCompaction> =
        story.compactions.iter().filter(|one| one.step == number).collect();
    let needs: Vec<Need> = needs(story).into_iter().filter(|need| need.step == number).collect();
    let step = context! {
        number,
        turn => count(&steps.turn),
        prompt => at(&steps.prompt),
        cached => at(&steps.cached),
        kept => at(&steps.kept),
        live => count(&steps.live),
        present => count(&steps.present),
        shares => Serde(shares),
    };
    let (compactions, needs) = (Serde(compactions), Serde(needs));
    fill(paper, "step", &context! { story => Serde(story), step, compactions, needs })
}

/// A fact through the session.
#[derive(Serialize)]
struct Thread<'a> {
    kind: &'a str,
    statement: &'a str,
    /// The message that first states it, where the session is at hand.
    born: Option<u32>,
    events: Vec<Event<'a>>,
}

/// What happened to a fact.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Event<'a> {
    /// It lived through a compaction.
    Lived { step: u32, number: u32, stage: &'a str },
    /// A compaction lost it.
    Lost { step: u32, number: u32, stage: &'a str, class: &'a str },
    /// It was needed.
    Needed { step: u32, met: bool },
}

impl Event<'_> {
    /// Compactions of a step come before its call.
    fn order(&self) -> (u32, u32) {
        match *self {
            Event::Lived { step, number, .. } | Event::Lost { step, number, .. } => (step, number),
            Event::Needed { step, .. } => (step, u32::MAX),
        }
    }
}

/// Facts whose statement holds a text, through the session.
pub(super) fn facts(paper: Paper, shown: &Shown, text: &str, full: bool) -> Result<String> {
    let story = &shown.told.story;
    let wanted = text.to_lowercase();
    let holds = |statement: &str| statement.to_lowercase().contains(&wanted);
    let truth = shown.session.as_ref().map(|prepared| &prepared.session.book.truth);
    let truth: Vec<&Fact> = truth.iter().flat_map(|truth| &truth.facts).collect();
    let same = |told: &ToldFact, fact: &Fact| {
        // A story shortens statements.
        let beginning = told.statement.trim_end_matches('…');
        told.kind == fact.kind.name() && fact.statement.starts_with(beginning)
    };
    let found = story.facts.iter().zip(0..).filter(|(told, _)| holds(&told.statement));
    let threads = found.map(|(told, place)| Thread {
        kind: &told.kind,
        statement: &told.statement,
        born: truth.iter().find(|fact| same(told, fact)).map(|fact| fact.born.0),
        events: events(story, place),
    });
    let threads: Vec<Thread> = threads.collect();
    let untouched = truth
        .iter()
        .filter(|fact| holds(&fact.statement) && !story.facts.iter().any(|told| same(told, fact)));
    let untouched: Vec<Value> = untouched
        .map(|fact| context! { kind => fact.kind.name(), statement => fact.statement.to_string() })
        .collect();
    if threads.is_empty() && untouched.is_empty() {
        return Err(Error::Invalid {
            place: format!("--fact {text}"),
            rule: "no fact of the session holds this text".to_owned(),
            hint: Some("`proctor inspect SESSION` lists what a session knows".to_owned()),
        });
    }
    let most = if full { usize::MAX } else { FOLLOWED };
    let values = context! {
        story => Serde(story),
        more => threads.len().saturating_sub(most),
        facts => Serde(threads.iter().take(most).collect::<Vec<_>>()),
        untouched => untouched.into_iter().take(most).collect::<Vec<_>>(),
    };
    fill(paper, "fact", &values)
}

fn events(story: &Story, fact: u32) -> Vec<Event<'_>> {
    let mut events = Vec::new();
    for one in &story.compactions {
        let (step, number, stage) = (one.step, one.number, one.stage.as_str());
        if one.lived.contains(&fact) {
            events.push(Event::Lived { step, number, stage });
        }
        if let Some(lost) = one.lost.iter().find(|lost| lost.fact == fact) {
            events.push(Event::Lost { step, number, stage, class: &lost.class });
        }
    }
    let needed = story.demands.iter().filter(|demand| demand.fact == fact);
    events.extend(needed.map(|demand| Event::Needed { step: demand.step, met: demand.met }));
    events.sort_by_key(Event::order);
    events
}

fn fill(paper: Paper, template: &str, values: &Value) -> Result<String> {
    paper.fill(&TEMPLATES, template, values)
}
