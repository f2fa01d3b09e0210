//! What `inspect` shows of a cell: the values of its templates, from the cell's story.

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use crate::cli::paper::Paper;
use crate::cli::prelude::*;
use crate::run::story::CellStory;
use crate::run_dir::story::{Story, StoryCompaction, StoryDemand, StoryFact};

const TEMPLATES: [(&str, &str); 5] = [
    ("overview", include_str!("templates/overview.txt")),
    ("compaction", include_str!("templates/compaction.txt")),
    ("step", include_str!("templates/step.txt")),
    ("fact", include_str!("templates/fact.txt")),
    ("pieces", include_str!("templates/pieces.txt")),
];

const LISTED: usize = 30;
const FOLLOWED: usize = 8;

fn detailed<'a>(told: &'a CellStory, compaction: &'a StoryCompaction) -> Value {
    context! {
        compaction => Serde(compaction),
        detail => Serde(told.details.get(&compaction.number)),
    }
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

fn needs(story: &Story) -> Vec<Need<'_>> {
    let mut losers: BTreeMap<(u32, u32), (u32, &str)> = BTreeMap::new();
    for compaction in &story.compactions {
        for lost in &compaction.lost {
            let loser = (compaction.number, lost.class.as_str());
            losers.extend(lost.needed_at.iter().map(|step| ((lost.fact, *step), loser)));
        }
    }
    let need = |demand: &StoryDemand| {
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

pub(super) fn overview(paper: Paper, told: &CellStory, full: bool) -> Result<String> {
    let story = &told.story;
    let most = if full { usize::MAX } else { LISTED };
    let mut listed: Vec<&StoryCompaction> = story.compactions.iter().collect();
    if listed.len() > most {
        let needed = |one: &StoryCompaction| {
            one.lost.iter().filter(|lost| !lost.needed_at.is_empty()).count()
        };
        listed.sort_by_key(|one| (std::cmp::Reverse((needed(one), one.lost.len())), one.number));
        listed.truncate(most);
        listed.sort_by_key(|one| one.number);
    }
    let listed: Vec<Value> = listed.into_iter().map(|one| detailed(told, one)).collect();
    let mut missed: Vec<Need> = needs(story).into_iter().filter(|need| !need.met).collect();
    let unlisted_missed = missed.len().saturating_sub(most);
    missed.truncate(most);
    let prompts = &story.steps.prompt;
    let values = context! {
        story => Serde(story),
        mean => prompts.iter().sum::<u64>() as f64 / prompts.len().max(1) as f64,
        most => prompts.iter().copied().max().unwrap_or(0),
        usd => story.compactions.iter().map(|one| one.usd).sum::<f64>(),
        listed,
        missed => Serde(missed),
        unlisted_missed,
        full,
    };
    fill(paper, "overview", &values)
}

pub(super) fn compaction(
    paper: Paper,
    told: &CellStory,
    number: u32,
    full: bool,
) -> Result<String> {
    let story = &told.story;
    let found = story.compactions.iter().find(|compaction| compaction.number == number);
    let found = found.ok_or_else(|| {
        let rule = format!("the cell has {} compactions", story.compactions.len());
        Error::refused(format!("--compaction {number}"), rule, "omit `--compaction` to list them")
    })?;
    let one = detailed(told, found);
    fill(paper, "compaction", &context! { story => Serde(story), one, full })
}

pub(super) fn step(paper: Paper, story: &Story, number: u32) -> Result<String> {
    let steps = &story.steps;
    let place = steps.step.iter().position(|step| *step == number);
    let place = place.ok_or_else(|| {
        let rule = format!("the cell made {} calls", steps.step.len());
        Error::invalid(format!("--step {number}"), rule)
    })?;
    let shares = story.share_names.iter().zip(steps.shares.get(place).into_iter().flatten());
    let shares: Vec<(&String, &u64)> = shares.filter(|(_, tokens)| **tokens > 0).collect();
    let needs: Vec<Need> = needs(story).into_iter().filter(|need| need.step == number).collect();
    let (shares, needs) = (Serde(shares), Serde(needs));
    fill(paper, "step", &context! { story => Serde(story), number, place, shares, needs })
}

pub(super) fn facts(paper: Paper, story: &Story, text: &str, full: bool) -> Result<String> {
    let wanted = text.to_lowercase();
    let facts = story.facts.iter().zip(0..);
    let found = facts.filter(|(fact, _)| fact.statement.to_lowercase().contains(&wanted));
    let threads: Vec<Value> = found
        .map(|(fact, place)| {
            let StoryFact { kind, statement } = fact;
            let (kind, statement) = (kind.as_str(), statement.as_str());
            context! { kind, statement, events => events(story, place) }
        })
        .collect();
    if threads.is_empty() {
        let rule = "no fact that a compaction took or a step needed holds this text";
        let hint = "`proctor inspect SESSION` lists what a session knows";
        return Err(Error::refused(format!("--fact {text}"), rule, hint));
    }
    let most = if full { usize::MAX } else { FOLLOWED };
    let values = context! {
        story => Serde(story),
        more => threads.len().saturating_sub(most),
        facts => threads.into_iter().take(most).collect::<Vec<_>>(),
    };
    fill(paper, "fact", &values)
}

/// The compactions that a fact lived through or was lost in, and the steps that needed it.
fn events(story: &Story, fact: u32) -> Vec<Value> {
    let mut events = Vec::new();
    for one in &story.compactions {
        let (step, number, stage) = (one.step, one.number, one.stage.as_str());
        let lost = one.lost.iter().find(|lost| lost.fact == fact);
        if lost.is_some() || one.lived.contains(&fact) {
            let lost = lost.map(|lost| lost.class.as_str());
            events.push((step, number, context! { step, number, stage, lost }));
        }
    }
    for demand in story.demands.iter().filter(|demand| demand.fact == fact) {
        let (step, met) = (demand.step, demand.met);
        events.push((step, u32::MAX, context! { step, met, number => 0 }));
    }
    events.sort_by_key(|(step, number, _)| (*step, *number));
    events.into_iter().map(|(.., event)| event).collect()
}

fn fill(paper: Paper, template: &str, values: &Value) -> Result<String> {
    paper.fill(&TEMPLATES, template, values)
}
