//! A session, its facts and its needs, as an audit sees them.

use super::Item;
use crate::ident::{FactId, MsgId};
use crate::log::calls::file;
use crate::log::{Boundary, BoundaryAction, Log, Role};
use crate::prelude::*;
use crate::token::TokenTable;
use crate::truth::{Fact, FactKind, Goal, Origin, Truth};

/// Goals back from the one at hand whose requests still hold.
const GOALS: usize = 1;
/// Files that Claude Code attaches again behind a compaction.
const RESTORED: usize = 5;

/// The session, as its facts are told of it.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) log: &'a Log,
    pub(super) truth: &'a Truth,
    /// Reference counts.
    pub(super) table: &'a TokenTable,
    pub(super) lines: &'a [usize],
}

/// By fact: the first message that needs it, and how that is known.
pub(super) type Needed = BTreeMap<FactId, (MsgId, Origin)>;

impl Seen<'_> {
    pub(super) fn line(&self, message: u32) -> Option<usize> {
        self.lines.get(message as usize).copied()
    }

    /// Facts that held when this message came: born before it and not replaced before it. Of artifacts
    /// those that were needed later, or that a person or the agent had named by then, names of code in
    /// prose: what only results show, or the text of an edit, was not worked on.
    pub(super) fn alive(&self, before: MsgId, needed: &Needed) -> Vec<&Fact> {
        let replaced = |fact: &Fact| {
            let next = fact.superseded_by.and_then(|next| self.truth.facts.get(next.index()));
            next.is_some_and(|next| next.born < before)
        };
        let named = |mention: &MsgId| {
            let message = &self.log.messages[mention.index()];
            *mention < before && (message.role == Role::Assistant || !message.words().is_empty())
        };
        let told = |fact: &Fact, mention: &MsgId| {
            let message = &self.log.messages[mention.index()];
            fact.kind != FactKind::Symbol || message.content.contains(&fact.statement)
        };
        let goal = self.goal_at(before);
        let holds = |fact: &Fact| {
            needed.contains_key(&fact.id)
                || match fact.kind {
                    FactKind::Direction => self.is_recent(fact, goal),
                    FactKind::Outcome if self.by(fact) == Role::User => self.is_recent(fact, goal),
                    kind => {
                        let named = |mention: &MsgId| named(mention) && told(fact, mention);
                        kind.is_said() || fact.mentions.iter().any(named)
                    }
                }
        };
        let facts = self.truth.facts.iter().filter(|fact| fact.born < before && holds(fact));
        let alive: Vec<&Fact> = facts.filter(|fact| !replaced(fact)).collect();
        let files: BTreeSet<&str> = alive
            .iter()
            .filter(|fact| fact.kind == FactKind::Path)
            .map(|fact| stem(fact))
            .collect();
        // A class and the file that bears its name are one thing.
        let doubles =
            |fact: &&Fact| fact.kind == FactKind::Symbol && files.contains(&*fact.statement);
        alive.into_iter().filter(|fact| !doubles(fact)).collect()
    }

    /// The message that bore it is its speaker's.
    pub(super) fn by(&self, fact: &Fact) -> Role {
        self.log.messages[fact.born.index()].role
    }

    fn goal_at(&self, before: MsgId) -> usize {
        let begun = |goal: &Goal| goal.arc.first().is_some_and(|id| *id < before);
        self.truth.goals.iter().filter(|goal| begun(goal)).count()
    }

    /// A request is spent once its goal is past.
    fn is_recent(&self, fact: &Fact, goal: usize) -> bool {
        fact.goal.is_none_or(|own| own.index() + 1 + GOALS >= goal)
    }

    /// What is needed in `from..until` and was last shown before `from`.
    pub(super) fn needed(&self, from: MsgId, until: u32) -> Needed {
        let mut needed = BTreeMap::new();
        let demands = self.truth.demands.iter();
        let within = demands.filter(|one| one.at >= from && one.at.0 < until);
        for demand in within.filter(|one| one.origin != Origin::Incidental) {
            let fact = &self.truth.facts[demand.fact.index()];
            let earlier = fact.mentions.partition_point(|mention| *mention < demand.at);
            let last = fact.mentions[..earlier].last();
            if last.is_some_and(|last| *last < from) {
                needed.entry(demand.fact).or_insert((demand.at, demand.origin));
            }
        }
        needed
    }

    pub(super) fn item(&self, fact: &Fact, before: MsgId, needed: Option<u32>) -> Item {
        let last = fact.mentions.iter().rev().find(|id| **id < before && self.names(fact, **id));
        let (is_said, by_user) = (fact.kind.is_said(), self.by(fact) == Role::User);
        // What has the words of a sentence later need not say it again.
        let message = if is_said { fact.born.0 } else { last.unwrap_or(&fact.born).0 };
        Item {
            kind: match fact.kind {
                FactKind::Outcome if by_user => "report",
                kind => kind.name(),
            },
            by: is_said.then_some(if by_user { "user" } else { "agent" }),
            statement: fact.statement.clone(),
            message,
            line: self.line(message),
            needed,
            needed_line: needed.and_then(|at| self.line(at)),
        }
    }

    /// Whether a message that mentions the fact holds it by its own name, and not by another form of
    /// it: these three kinds have other forms.
    pub(super) fn names(&self, fact: &Fact, message: MsgId) -> bool {
        if !matches!(fact.kind, FactKind::Path | FactKind::Symbol | FactKind::Test) {
            return true;
        }
        let message = &self.log.messages[message.index()];
        let holds = |text: &str| fact.needles.iter().all(|needle| text.contains(needle.text()));
        holds(&message.content) || message.calls.iter().any(|call| holds(&call.args))
    }

    /// Messages about the files that were read or written last before this one: harnesses attach these
    /// again behind a compaction.
    pub(super) fn of_last_files(&self, since: MsgId, before: MsgId) -> BTreeSet<MsgId> {
        let mut files: Vec<String> = Vec::new();
        let (mut calls, mut messages) = (BTreeSet::new(), BTreeSet::new());
        for message in self.log.messages[since.index()..before.index()].iter().rev() {
            for call in &message.calls {
                let Some(file) = file(call) else { continue };
                let known = files.contains(&file);
                if known || files.len() < RESTORED {
                    files.extend((!known).then_some(file));
                    calls.insert(&call.id);
                    messages.insert(message.id);
                }
            }
        }
        let answers = self
            .log
            .messages
            .iter()
            .filter(|one| one.answers.as_ref().is_some_and(|call| calls.contains(call)));
        messages.extend(answers.map(|one| one.id));
        messages
    }

    /// What is named first: what was needed, then what a person said, then what the agent said.
    pub(super) fn rank(
        &self,
        fact: &Fact,
        needed: &Needed,
    ) -> (bool, bool, bool, std::cmp::Reverse<usize>) {
        let (by_user, is_said) = (self.by(fact) == Role::User, fact.kind.is_said());
        let is_needed = needed.contains_key(&fact.id);
        (!is_needed, !is_said, is_said && !by_user, std::cmp::Reverse(fact.mentions.len()))
    }
}

/// The name of a file without its ending.
fn stem(fact: &Fact) -> &str {
    let name = fact.statement.rsplit('/').next().unwrap_or_default();
    name.split('.').next().unwrap_or_default()
}

/// Whether the file does not hold the text of the summary.
pub(super) fn is_hidden(boundary: &Boundary) -> bool {
    matches!(&boundary.action, BoundaryAction::Summary(text) if text.is_empty())
}
