//! What the compactions of a recorded session kept and lost, what of that was needed, and what other
//! strategies would have kept at the same points: `proctor audit`.

mod driven;
mod signs;

pub use driven::Other;
pub use signs::{Sign, SignKind};

use serde::Serialize;

use self::driven::{At, Driven};
use crate::extract;
use crate::ident::{FactId, MsgId};
use crate::import::Imported;
use crate::log::{Boundary, BoundaryAction, Log, Message, Role, Trigger};
use crate::prelude::*;
use crate::run::Plan;
use crate::scenario::{self, Scenario};
use crate::token::TokenTable;
use crate::truth::{Fact, Origin, Truth};

/// Fewer needs than this show no share.
pub const LEAST_NEEDS: usize = 10;

/// Facts that are named of each compaction.
const NAMED: usize = 12;

/// A session, and what its compactions did.
#[derive(Clone, Debug, Serialize)]
pub struct Audit {
    /// The file.
    pub file: String,
    /// The session's own name.
    pub id: String,
    /// The format.
    pub format: &'static str,
    /// The model, as the recording names it.
    pub model: Option<String>,
    /// The context window in which others are driven.
    pub window: u64,
    /// The provider's tokens per token of `o200k_base`; none where the recording shows none.
    pub ratio: Option<f64>,
    /// Minutes from the first message to the last.
    pub minutes: f64,
    /// Messages that a person typed or approved.
    pub turns: usize,
    /// Model calls.
    pub steps: usize,
    /// Tool calls.
    pub calls: usize,
    /// Tokens of all messages.
    pub tokens: u64,
    /// The largest recorded prompt.
    pub largest_prompt: Option<u64>,
    /// Recorded prompt tokens of all calls, and of these the cached ones.
    pub prompts: Option<(u64, u64)>,
    /// Their price by the sheet, without answers.
    pub usd: Option<f64>,
    /// The name of the price sheet.
    pub sheet: String,
    /// What the person asked for.
    pub goals: Vec<String>,
    /// The recorded compactions.
    pub compactions: Vec<Compacted>,
    /// The recording and the strategies that were driven over it.
    pub strategies: Vec<Other>,
    /// What is to be known of this session before its figures are believed.
    pub notes: Vec<String>,
}

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// Of these.
    pub of: usize,
    /// So many.
    pub kept: usize,
}

impl Count {
    /// The share; none of nothing.
    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.kept as f64 / self.of as f64)
    }

    fn plus(self, other: Count) -> Count {
        Count { of: self.of + other.of, kept: self.kept + other.kept }
    }
}

/// One recorded compaction.
#[derive(Clone, Debug, Serialize)]
pub struct Compacted {
    /// From 1.
    pub number: usize,
    /// The first message after it, and its line in the file.
    pub before: u32,
    /// See `before`.
    pub line: Option<usize>,
    /// Whether the user asked for it.
    pub manual: bool,
    /// Whether results were cleared, and nothing else; else a summary took the place of the history.
    pub cleared: bool,
    /// Recorded prompt before it and at the first call after it.
    pub tokens_before: Option<u64>,
    /// See `tokens_before`.
    pub tokens_after: Option<u64>,
    /// Tokens of the first prompt after it that the file does not hold: what was attached again and
    /// not logged. None under a tenth of what it holds.
    pub tokens_unseen: Option<u64>,
    /// Tokens of the summary; none where the file does not hold its text.
    pub summary_tokens: Option<u64>,
    /// What was said that still held: rules, choices, preferences, outcomes, dead ends.
    pub said: Count,
    /// What was worked on: files, symbols, tests, commands, values, errors.
    pub worked_on: Count,
    /// What was needed until the next compaction and last said before this one.
    pub needs: Count,
    /// Needs by how they are known.
    pub needs_by_origin: BTreeMap<&'static str, Count>,
    /// What it kept: first what was needed, then what was said.
    pub kept: Vec<Item>,
    /// What it lost, in the same order.
    pub lost: Vec<Item>,
    /// Signs in the log that something was forgotten.
    pub signs: Vec<Sign>,
}

/// A fact that a compaction kept or lost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Item {
    /// Its kind.
    pub kind: &'static str,
    /// What it says.
    pub statement: String,
    /// The message that last held it before the compaction, and its line in the file.
    pub message: u32,
    /// See `message`.
    pub line: Option<usize>,
    /// The first message after the compaction that needed it, and its line.
    pub needed: Option<u32>,
    /// See `needed`.
    pub needed_line: Option<usize>,
}

/// Audits a session. `plan` is of this scenario alone, with the strategies to drive beside
/// `recorded`. Fails where the session cannot be made ready.
pub fn audit(imported: Imported, plan: &Plan, scenario: &Scenario) -> Result<Audit> {
    let Imported { log, report, truth, lines } = imported;
    let truth = truth.unwrap_or_else(|| extract::extract(&log));
    let session = scenario::Session { log, truth };
    let prepared = crate::run::prepare_session(plan, scenario, 0, session)?;
    let session = &prepared.session;
    let (log, truth, table) = (&session.log, &session.book.truth, &session.reference);
    let driven = driven::all(plan, scenario, &prepared)?;
    let recorded = driven.iter().find(|one| one.name == driven::RECORDED);
    let taken: Vec<&Boundary> = log.boundaries.iter().filter(|one| one.took()).collect();
    let view = Seen { log, truth, table, lines: &lines };
    let compactions = taken.iter().enumerate().map(|(place, boundary)| {
        let until = taken.get(place + 1).map_or(log.messages.len() as u32, |next| next.before.0);
        compacted(&view, (place, boundary, until), recorded)
    });
    let compactions: Vec<Compacted> = compactions.collect();
    let usage = |of: fn(&crate::log::Usage) -> Tokens| log.usage.iter().map(of).sum::<Tokens>();
    let prompts =
        (!log.usage.is_empty()).then(|| (usage(|one| one.prompt), usage(|one| one.cached)));
    let usd = prompts.map(|(all, cached)| plan.sheet.cost(all, cached, Tokens::ZERO, Tokens::ZERO));
    let strategies = driven.iter().map(|one| one.told(&view, &taken)).collect();
    Ok(Audit {
        file: log.source.clone(),
        id: log.id.clone(),
        format: report.format.name(),
        model: log.model.as_deref().map(str::to_owned),
        window: scenario.window.0,
        ratio: log.ratio,
        minutes: log.messages.last().map_or(0.0, |last| last.at.0 as f64 / 60_000.0),
        turns: log.turns().len(),
        steps: prepared.session.steps.len(),
        calls: log.messages.iter().map(|message| message.calls.len()).sum(),
        tokens: table.total().0,
        largest_prompt: report.max_prompt.map(|prompt| prompt.0),
        prompts: prompts.map(|(all, cached)| (all.0, cached.0)),
        usd: usd.map(|usd| usd.0),
        sheet: plan.sheet.name().to_owned(),
        goals: truth.goals.iter().map(|goal| goal.title.clone()).collect(),
        notes: notes(log, scenario, &compactions),
        compactions,
        strategies,
    })
}

/// The session, as its facts are told of it.
#[derive(Clone, Copy)]
struct Seen<'a> {
    log: &'a Log,
    truth: &'a Truth,
    /// Reference counts.
    table: &'a TokenTable,
    lines: &'a [usize],
}

impl Seen<'_> {
    fn line(&self, message: u32) -> Option<usize> {
        self.lines.get(message as usize).copied()
    }

    /// Facts that held when this message came: born before it and not replaced before it. Of artifacts
    /// those that were needed later, or that a person or the agent had named by then: what only
    /// results show was not worked on.
    fn alive(&self, before: MsgId, needed: &BTreeMap<FactId, (MsgId, Origin)>) -> Vec<&Fact> {
        let replaced = |fact: &Fact| {
            let next = fact.superseded_by.and_then(|next| self.truth.facts.get(next.index()));
            next.is_some_and(|next| next.born < before)
        };
        let named = |mention: &MsgId| {
            let message = &self.log.messages[mention.index()];
            *mention < before && (message.role == Role::Assistant || !message.words().is_empty())
        };
        let worked_on = |fact: &Fact| {
            fact.kind.is_said() || needed.contains_key(&fact.id) || fact.mentions.iter().any(named)
        };
        let facts = self.truth.facts.iter().filter(|fact| fact.born < before && worked_on(fact));
        facts.filter(|fact| !replaced(fact)).collect()
    }

    /// By fact: the first message in `from..until` that needs what was last said before `from`.
    fn needed(&self, from: MsgId, until: u32) -> BTreeMap<FactId, (MsgId, Origin)> {
        let mut needed = BTreeMap::new();
        let demands = self.truth.demands.iter();
        let within = demands.filter(|one| one.at >= from && one.at.0 < until);
        for demand in within.filter(|one| one.origin != Origin::Incidental) {
            let fact = &self.truth.facts[demand.fact.index()];
            let last = fact.mentions.iter().rev().find(|mention| **mention < demand.at);
            if last.is_some_and(|last| *last < from) {
                needed.entry(demand.fact).or_insert((demand.at, demand.origin));
            }
        }
        needed
    }

    /// A fact with the message that said it last before one, and the message that needs it.
    fn item(&self, fact: &Fact, before: MsgId, needed: Option<u32>) -> Item {
        let last = fact.mentions.iter().rev().find(|mention| **mention < before);
        let message = last.unwrap_or(&fact.born).0;
        Item {
            kind: fact.kind.name(),
            statement: fact.statement.clone(),
            message,
            line: self.line(message),
            needed,
            needed_line: needed.and_then(|at| self.line(at)),
        }
    }
}

fn compacted(
    view: &Seen,
    (place, boundary, until): (usize, &Boundary, u32),
    recorded: Option<&Driven>,
) -> Compacted {
    let kept = recorded.and_then(|one| one.at(boundary.before));
    let needed = view.needed(boundary.before, until);
    // What an earlier compaction lost is not lost again.
    let had = |fact: &&Fact| kept.is_none_or(|at| at.before.contains(&fact.id));
    let alive: Vec<&Fact> = view.alive(boundary.before, &needed).into_iter().filter(had).collect();
    let holds = |fact: &&&Fact| kept.is_some_and(|at| at.kept.contains(&fact.id));
    let count = |said: bool| {
        let of: Vec<&&Fact> = alive.iter().filter(|fact| fact.kind.is_said() == said).collect();
        Count { of: of.len(), kept: of.iter().filter(|fact| holds(fact)).count() }
    };
    let item =
        |fact: &&Fact| view.item(fact, boundary.before, needed.get(&fact.id).map(|(at, _)| at.0));
    let mut ranked = alive.clone();
    let rank = |fact: &&Fact| {
        (
            !needed.contains_key(&fact.id),
            !fact.kind.is_said(),
            std::cmp::Reverse(fact.mentions.len()),
        )
    };
    ranked.sort_by_key(|fact| (rank(fact), fact.id));
    let (held, lost): (Vec<&Fact>, Vec<&Fact>) = ranked.iter().partition(|fact| holds(fact));
    let met = |at: Option<&At>, fact: FactId| at.is_some_and(|at| at.kept.contains(&fact));
    let mut by_origin: BTreeMap<&'static str, Count> = BTreeMap::new();
    for (fact, (_, origin)) in &needed {
        let count = by_origin.entry(origin.name()).or_default();
        *count = count.plus(Count { of: 1, kept: usize::from(met(kept, *fact)) });
    }
    let summary = match &boundary.action {
        BoundaryAction::Summary(text) => Some(text),
        BoundaryAction::Clear(_) | BoundaryAction::Nothing => None,
    };
    let known = summary.filter(|text| !text.is_empty());
    Compacted {
        number: place + 1,
        before: boundary.before.0,
        line: view.line(boundary.before.0),
        manual: boundary.trigger == Trigger::Manual,
        cleared: summary.is_none(),
        tokens_before: boundary.pre_tokens.map(|tokens| tokens.0),
        tokens_after: boundary.post_tokens.map(|tokens| tokens.0),
        tokens_unseen: recorded.and_then(|one| {
            let counted = one.prompt_after(boundary.before)?;
            let more = boundary.post_tokens?.0.checked_sub(counted);
            more.filter(|more| *more * 10 > counted)
        }),
        summary_tokens: known.map(|text| view.log.tokens_of(text).0),
        said: count(true),
        worked_on: count(false),
        needs: by_origin.values().copied().fold(Count::default(), Count::plus),
        needs_by_origin: by_origin,
        kept: held.iter().take(NAMED).map(item).collect(),
        lost: lost.iter().take(NAMED).map(item).collect(),
        signs: signs::find(view, boundary.before, until),
    }
}

/// Where the fixed part of the prompts fills the window: that nothing can be driven in it.
pub fn no_room(log: &Log, scenario: &Scenario) -> Option<String> {
    (log.overhead.0 * 10 > scenario.window.0 * 9).then(|| {
        format!(
            "The fixed part of its prompts, {} tokens, leaves no room in a window of {}: nothing \
             can be driven in it.",
            log.overhead, scenario.window
        )
    })
}

fn notes(log: &Log, scenario: &Scenario, compactions: &[Compacted]) -> Vec<String> {
    let mut notes = Vec::new();
    if compactions.is_empty() {
        notes.push(
            "No compaction is recorded: what follows is what strategies would do by themselves."
                .to_owned(),
        );
    }
    notes.extend(no_room(log, scenario));
    if log.ratio.is_none() {
        notes.push(
            "Too little usage is recorded to calibrate tokens: counts are of `o200k_base`."
                .to_owned(),
        );
    }
    let encrypted = compactions.iter().filter(|one| !one.cleared && one.summary_tokens.is_none());
    if encrypted.count() > 0 {
        notes.push("The file does not hold the text of its summaries: what only a summary kept counts as lost.".to_owned());
    }
    let unseen = compactions.iter().filter_map(|one| one.tokens_unseen);
    let unseen: Vec<String> = unseen.map(|tokens| crate::number::tokens(tokens as f64)).collect();
    if !unseen.is_empty() {
        notes.push(format!(
            "The first prompts after its compactions held {} tokens that the file does not hold: files and instructions that were attached again. What counts as lost may have stood there.",
            unseen.join(", ")
        ));
    }
    let needs: usize = compactions.iter().map(|one| one.needs.of).sum();
    if !compactions.is_empty() && needs < LEAST_NEEDS {
        notes.push(format!("Only {needs} needs lie behind a compaction: too few for a share."));
    }
    if !compactions.is_empty() {
        notes.push(
            "What came after was written by an agent that had the recorded summary: it re-opens what the summary names, so needs favour the recording."
                .to_owned(),
        );
    }
    let foreign = log.messages.iter().flat_map(Message::words).collect::<String>();
    let letters = foreign.chars().filter(|c| c.is_alphabetic()).count();
    let ascii = foreign.chars().filter(char::is_ascii_alphabetic).count();
    if letters > 0 && ascii * 10 < letters * 9 {
        notes.push("The person does not write English: what was said is not found, only what was worked on.".to_owned());
    }
    notes
}
