//! What each recorded compaction kept and lost.

use super::driven::{At, Driven};
use super::{Compacted, Count, Fate, Item, Sign, signs};
use crate::extract::calls::file;
use crate::ident::{FactId, MsgId};
use crate::log::{Boundary, BoundaryAction, Log, Role, Trigger};
use crate::prelude::*;
use crate::token::TokenTable;
use crate::truth::{Fact, FactKind, Goal, Origin, Truth};

/// Facts that are named of each compaction.
const NAMED: usize = 12;
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
    fn by(&self, fact: &Fact) -> Role {
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
            let last = fact.mentions.iter().rev().find(|mention| **mention < demand.at);
            if last.is_some_and(|last| *last < from) {
                needed.entry(demand.fact).or_insert((demand.at, demand.origin));
            }
        }
        needed
    }

    fn item(&self, fact: &Fact, before: MsgId, needed: Option<u32>) -> Item {
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

    /// Whether a message holds the fact by its own name, and not by another form of it.
    fn names(&self, fact: &Fact, message: MsgId) -> bool {
        let message = &self.log.messages[message.index()];
        let holds = |text: &str| fact.needles.iter().all(|needle| text.contains(needle.text()));
        holds(&message.content) || message.calls.iter().any(|call| holds(&call.args))
    }

    /// Messages about the files that were read or written last before this one: harnesses attach these
    /// again behind a compaction.
    fn of_last_files(&self, since: MsgId, before: MsgId) -> BTreeSet<MsgId> {
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
    fn rank(&self, fact: &Fact, needed: &Needed) -> (bool, bool, bool, std::cmp::Reverse<usize>) {
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

/// All recorded compactions, in order.
pub(super) fn all(view: &Seen, taken: &[&Boundary], recorded: Option<&Driven>) -> Vec<Compacted> {
    let mut gone = BTreeSet::new();
    let mut since = MsgId(0);
    let mut compactions = Vec::new();
    for (place, boundary) in taken.iter().enumerate() {
        let until =
            taken.get(place + 1).map_or(view.log.messages.len() as u32, |next| next.before.0);
        let judged = Judged::of(view, boundary, (since, until), recorded, &mut gone);
        let signs = signs::find(view, since, boundary.before, until);
        compactions.push(told(view, (place, boundary), judged, signs));
        since = boundary.before;
    }
    compactions
}

/// Whether the file does not hold the text of the summary.
pub(super) fn is_hidden(boundary: &Boundary) -> bool {
    matches!(&boundary.action, BoundaryAction::Summary(text) if text.is_empty())
}

/// The facts that a compaction met, and what it did to them.
struct Judged<'a> {
    needed: Needed,
    needs_by_origin: BTreeMap<&'static str, Count>,
    fates: Vec<(&'a Fact, Fate)>,
    unseen: Option<u64>,
    hidden: bool,
}

impl<'a> Judged<'a> {
    /// `gone` are the sayings that earlier compactions lost: what has their words later does not bring
    /// them back.
    fn of(
        view: &'a Seen,
        boundary: &Boundary,
        (since, until): (MsgId, u32),
        recorded: Option<&Driven>,
        gone: &mut BTreeSet<FactId>,
    ) -> Judged<'a> {
        let at = recorded.and_then(|one| one.at(boundary.before));
        let hidden = is_hidden(boundary);
        let unseen = recorded.and_then(|one| {
            let counted = one.prompt_after(boundary.before)?;
            let more = boundary.post_tokens?.0.checked_sub(counted);
            more.filter(|more| *more * 10 > counted)
        });
        let needed = view.needed(boundary.before, until);
        let restored = view.of_last_files(since, boundary.before);
        let fate = |fact: &Fact| {
            let fate = at.map_or(Fate::Unclear, |at| at.fate(fact.id));
            // What the prompt held beside the file: instructions, which alone can have told the agent a
            // command that nothing told it, and files.
            let told_unseen = fact.kind == FactKind::Command && view.by(fact) == Role::Assistant;
            let in_file = || fact.mentions.iter().any(|mention| restored.contains(mention));
            let from_unseen = unseen.is_some() && (told_unseen || in_file());
            if fate == Fate::Lost && (hidden || from_unseen) { Fate::Unclear } else { fate }
        };
        let had = |fact: &&Fact| at.is_none_or(|at: &At| at.before.contains(&fact.id));
        let alive = view.alive(boundary.before, &needed).into_iter().filter(had);
        let alive = alive.filter(|fact| !gone.contains(&fact.id));
        let fates: Vec<(&Fact, Fate)> = alive.map(|fact| (fact, fate(fact))).collect();
        let lost = fates.iter().filter(|(fact, fate)| fact.kind.is_said() && *fate == Fate::Lost);
        gone.extend(lost.map(|(fact, _)| fact.id));
        let mut needs_by_origin: BTreeMap<&'static str, Count> = BTreeMap::new();
        for (fact, (_, origin)) in &needed {
            let fate = fate(&view.truth.facts[fact.index()]);
            needs_by_origin.entry(origin.name()).or_default().add(fate);
        }
        Judged { needed, needs_by_origin, fates, unseen, hidden }
    }

    fn count(&self, said: bool) -> Count {
        let mut count = Count::default();
        let of = self.fates.iter().filter(|(fact, _)| fact.kind.is_said() == said);
        of.for_each(|(_, fate)| count.add(*fate));
        count
    }

    /// The first facts with this fate.
    fn items(&self, view: &Seen, before: MsgId, wanted: Fate) -> Vec<Item> {
        let of = self.fates.iter().filter(|(_, fate)| *fate == wanted);
        let mut facts: Vec<&Fact> = of.map(|(fact, _)| *fact).collect();
        facts.sort_by_key(|fact| (view.rank(fact, &self.needed), fact.id));
        let needed = |fact: &Fact| self.needed.get(&fact.id).map(|(at, _)| at.0);
        facts.into_iter().take(NAMED).map(|fact| view.item(fact, before, needed(fact))).collect()
    }
}

fn told(
    view: &Seen,
    (place, boundary): (usize, &Boundary),
    judged: Judged,
    signs: Vec<Sign>,
) -> Compacted {
    let summary = match &boundary.action {
        BoundaryAction::Summary(text) => Some(text),
        BoundaryAction::Clear(_) | BoundaryAction::Nothing => None,
    };
    let known = summary.filter(|text| !text.is_empty());
    let before = boundary.before;
    Compacted {
        number: place + 1,
        before: before.0,
        line: view.line(before.0),
        manual: boundary.trigger == Trigger::Manual,
        cleared: summary.is_none(),
        tokens_before: boundary.pre_tokens.map(|tokens| tokens.0),
        tokens_after: boundary.post_tokens.map(|tokens| tokens.0),
        tokens_unseen: judged.unseen,
        hidden: judged.hidden,
        summary_tokens: known.map(|text| view.log.tokens_of(text).0),
        said: judged.count(true),
        worked_on: judged.count(false),
        needs: judged.needs_by_origin.values().copied().fold(Count::default(), Count::plus),
        kept: judged.items(view, before, Fate::Kept),
        unclear: judged.items(view, before, Fate::Unclear),
        lost: judged.items(view, before, Fate::Lost),
        needs_by_origin: judged.needs_by_origin,
        signs,
    }
}
