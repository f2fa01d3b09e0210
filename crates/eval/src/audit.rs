//! What the compactions of a recorded session kept and lost, what of that was needed, and what other
//! strategies would have kept at the same points: `proctor audit`.

mod compacted;
mod driven;
mod notes;
mod reads;
mod seen;
mod signs;
mod words;

pub use driven::Other;
pub use notes::no_room;
pub use signs::{Sign, SignKind};

use serde::Serialize;

use self::compacted::all;
use self::seen::Seen;
use crate::extract;
use crate::import::Imported;
use crate::log::Boundary;
use crate::prelude::*;
use crate::run::Plan;
use crate::scenario::{self, Scenario};

/// Fewer needs than this show no share.
pub const LEAST_NEEDS: usize = 10;

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

/// What a compaction did to a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Kept,
    /// Some of its words stay, so that it may be told in others; or the file does not hold the text
    /// in which it would stand.
    Unclear,
    /// None of its words stays.
    Lost,
}

/// Facts by what a compaction did to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// All of them.
    pub of: usize,
    /// Those that are told as they were.
    pub kept: usize,
    /// Those of which some words stay, or of which the file cannot tell.
    pub unclear: usize,
    /// Those of which no word stays.
    pub lost: usize,
}

impl Count {
    /// The share that was surely kept; none of nothing.
    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.kept as f64 / self.of as f64)
    }

    /// The share that was surely lost; none of nothing.
    pub fn lost_share(self) -> Option<f64> {
        (self.of > 0).then(|| self.lost as f64 / self.of as f64)
    }

    /// The sum.
    pub fn plus(self, other: Count) -> Count {
        Count {
            of: self.of + other.of,
            kept: self.kept + other.kept,
            unclear: self.unclear + other.unclear,
            lost: self.lost + other.lost,
        }
    }

    fn add(&mut self, fate: Fate) {
        self.of += 1;
        match fate {
            Fate::Kept => self.kept += 1,
            Fate::Unclear => self.unclear += 1,
            Fate::Lost => self.lost += 1,
        }
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
    /// Whether the file does not hold the text of its summary: nothing counts as lost then.
    pub hidden: bool,
    /// Tokens of the summary; none where the file does not hold its text.
    pub summary_tokens: Option<u64>,
    /// What was said that still held: rules, choices, preferences, outcomes, dead ends; requests and
    /// reports of the user, while their goal or the next is at hand.
    pub said: Count,
    /// What was worked on: files, symbols, tests, commands, values, errors.
    pub worked_on: Count,
    /// What was needed until the next compaction and last said before this one.
    pub needs: Count,
    /// Needs by how they are known.
    pub needs_by_origin: BTreeMap<&'static str, Count>,
    /// What it kept: first what was needed, then what was said.
    pub kept: Vec<Item>,
    /// What it may have told in other words, or told where the file does not show it.
    pub unclear: Vec<Item>,
    /// What it lost, in the same order.
    pub lost: Vec<Item>,
    /// Signs in the log that something was forgotten.
    pub signs: Vec<Sign>,
}

/// A fact that a compaction kept or lost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Item {
    /// Its kind; what a person tells that is no request and no rule is a `report`.
    pub kind: &'static str,
    /// Who said it, where it was said.
    pub by: Option<&'static str>,
    /// What it says.
    pub statement: String,
    /// The message that said it, or showed it last before the compaction, and its line in the file.
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
    let compactions = all(&view, &taken, recorded);
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
        notes: notes::all(log, scenario, &compactions),
        compactions,
        strategies,
    })
}
