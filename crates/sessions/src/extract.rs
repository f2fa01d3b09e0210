//! Facts and demands of a recorded session, found by pattern: what its calls and results name, and
//! by cue words what its user asked for and its agent concluded. Summaries are never read.
//! `tests/extraction` measures how often a cue misleads.

mod artifact;
mod choose;
mod data;
mod demand;
mod finder;
pub mod labels;
mod leaves;
mod path;
mod shown;
mod stated;

use rayon::prelude::*;

use self::data::PROSE;
use crate::log::calls::{argument, file, is_listing, is_plan};
use crate::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Draft {
    kind: FactKind,
    statement: String,
    needles: Vec<Needle>,
    polarity: Vec<Needle>,
    /// What the value is of: a later value of the same key may supersede it.
    key: Option<String>,
}

impl Draft {
    fn new(kind: FactKind, statement: String, needles: Vec<Needle>) -> Draft {
        Draft { kind, statement, needles, polarity: Vec::new(), key: None }
    }

    fn code(kind: FactKind, text: &str) -> Draft {
        Draft::new(kind, text.to_owned(), vec![Needle::Code(text.to_owned())])
    }
}

/// The truth of a real session, as far as patterns can find it.
pub fn extract(log: &Log) -> Truth {
    extracted(log, stated::drafts(log))
}

/// The same with these drafts of what is said, each with the message that says it.
fn extracted(log: &Log, stated: Vec<(Draft, MsgId)>) -> Truth {
    let mut drafts = artifact::drafts(log);
    let mut said: BTreeMap<Vec<Needle>, MsgId> = BTreeMap::new();
    for (draft, by) in stated {
        said.entry(draft.needles.clone()).or_insert(by);
        drafts.push(draft);
    }
    let goals = goals(log);
    let (mut facts, keys) = facts_of(drafts);
    let mentions = Mentions::of(log, &facts);
    for fact in &mut facts {
        fact.mentions = mentions.of_fact(fact.id);
        // Words that met before the sentence was said do not tell it from others.
        let early = |by: &MsgId| fact.mentions.first().is_some_and(|first| first < by);
        if said.get(&fact.needles).is_some_and(early) {
            fact.mentions.clear();
        }
        fact.born = fact.mentions.first().copied().unwrap_or(MsgId(0));
        fact.goal = goal_at(&goals, fact.born);
    }
    supersede(&mut facts, &keys);
    show(log, &mut facts);
    let table = TokenTable::new(log, Tokenizer::O200k);
    let demands = demand::demands(log, &table, &facts, &mentions);
    let use_of = |fact: &Fact| mentions.use_of(log, fact.id);
    let (facts, demands) = choose::choose(facts, demands, use_of, log.messages.len());
    let decoys = choose::decoys(log, &facts);
    Truth { goals, facts, demands, decoys }
}

/// Facts without mentions, one per set of needles, and the key of each value.
fn facts_of(drafts: Vec<Draft>) -> (Vec<Fact>, BTreeMap<FactId, String>) {
    let mut by_needles: BTreeMap<Vec<Needle>, Draft> = BTreeMap::new();
    for draft in drafts {
        by_needles.entry(draft.needles.clone()).or_insert(draft);
    }
    let mut keys = BTreeMap::new();
    let mut facts = Vec::with_capacity(by_needles.len());
    for (index, (needles, draft)) in by_needles.into_iter().enumerate() {
        let id = FactId(index as u32);
        if let Some(key) = draft.key {
            keys.insert(id, key);
        }
        let fact = Fact::new(id, draft.kind, draft.statement, needles);
        facts.push(Fact { polarity: draft.polarity, ..fact });
    }
    (facts, keys)
}

/// Adds the messages after its birth that show a fact in another form.
fn show(log: &Log, facts: &mut [Fact]) {
    let shown = shown::shown(log, facts);
    for (fact, shown) in facts.iter_mut().zip(shown) {
        let later = shown.into_iter().filter(|id| *id > fact.born);
        fact.mentions.extend(later);
        fact.mentions.sort_unstable();
        fact.mentions.dedup();
    }
}

/// A value is superseded by the next of its key, unless it is still named after that.
fn supersede(facts: &mut [Fact], keys: &BTreeMap<FactId, String>) {
    let mut by_key: BTreeMap<&str, Vec<FactId>> = BTreeMap::new();
    for (id, key) in keys {
        if !facts[id.index()].mentions.is_empty() {
            by_key.entry(key).or_default().push(*id);
        }
    }
    for values in by_key.values_mut() {
        values.sort_by_key(|id| (facts[id.index()].born, *id));
        for (place, id) in values.iter().enumerate() {
            let later = |next: &&FactId| facts[next.index()].born > facts[id.index()].born;
            let Some(next) = values[place..].iter().find(later).copied() else { break };
            let born = facts[next.index()].born;
            let old = &mut facts[id.index()];
            if old.mentions.last().is_some_and(|last| *last < born) {
                old.superseded_by = Some(next);
            }
        }
    }
}

/// A key to sort by for a sample that is the same in every run.
fn sample_key(purpose: &str, text: &str) -> u64 {
    Seed(0).derive(&["extract", purpose, text]).0
}

/// Demands with each fact and step once, by the origin that rankings prefer.
fn once_each(mut demands: Vec<Demand>) -> Vec<Demand> {
    use Origin::{Call, Incidental, Planned, Reacquired, User};
    let preferred = [Planned, User, Reacquired, Call, Incidental];
    let rank = |origin| preferred.iter().position(|one| *one == origin);
    demands.sort_by_key(|demand| (demand.at, demand.fact, rank(demand.origin)));
    demands.dedup_by_key(|demand| (demand.at, demand.fact));
    demands
}

struct Mentions {
    /// Per fact, in log order: the message, and whether a call's arguments hold it.
    by_fact: Vec<Vec<(MsgId, bool)>>,
    /// The results of searches and listings.
    lists: BTreeSet<MsgId>,
}

/// How far the work used what stands in a session, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    /// Only the results of searches and listings name it.
    Listed,
    Seen,
    /// A call or a person named it first, and none later.
    Once,
    /// A call or a person named it after it was seen.
    Again,
}

impl Mentions {
    /// In content and in call arguments. Recorded summaries are no messages.
    fn of(log: &Log, facts: &[Fact]) -> Mentions {
        let index = NeedleIndex::new(facts);
        let held: Vec<Vec<(FactId, bool)>> =
            log.messages.par_iter().map(|message| held(&index, message)).collect();
        let mut by_fact = vec![Vec::new(); facts.len()];
        for (message, held) in log.messages.iter().zip(held) {
            for (fact, in_call) in held {
                by_fact[fact.index()].push((message.id, in_call));
            }
        }
        let calls = log.messages.iter().flat_map(|message| &message.calls);
        let listing: BTreeSet<&CallId> =
            calls.filter(|call| is_listing(call)).map(|call| &call.id).collect();
        let lists = log
            .messages
            .iter()
            .filter(|message| message.answers.as_ref().is_some_and(|call| listing.contains(call)));
        Mentions { by_fact, lists: lists.map(|message| message.id).collect() }
    }

    /// How far the work used a fact, by where it stands.
    fn use_of(&self, log: &Log, fact: FactId) -> Use {
        let seen = &self.by_fact[fact.index()];
        let uses = |(message, in_call): &(MsgId, bool)| {
            *in_call || !log.messages[message.index()].words().is_empty()
        };
        let lists = |(message, _): &(MsgId, bool)| self.lists.contains(message);
        match seen.split_first() {
            Some((_, later)) if later.iter().any(uses) => Use::Again,
            Some((first, _)) if uses(first) => Use::Once,
            _ if seen.iter().all(lists) => Use::Listed,
            _ => Use::Seen,
        }
    }

    fn of_fact(&self, fact: FactId) -> Vec<MsgId> {
        self.by_fact[fact.index()].iter().map(|(message, _)| *message).collect()
    }

    /// The messages that hold the fact, and whether a call of theirs does.
    fn with_calls(&self, fact: FactId) -> &[(MsgId, bool)] {
        &self.by_fact[fact.index()]
    }
}

/// Facts that the message holds, in order, and whether a call does.
fn held(index: &NeedleIndex, message: &Message) -> Vec<(FactId, bool)> {
    let present = |text: &str| {
        let holdings = index.search(text).into_iter();
        holdings.filter(|holding| Holding::present(*holding)).map(|holding| holding.fact)
    };
    let mut held: Vec<(FactId, bool)> =
        present(&message.content).map(|fact| (fact, false)).collect();
    for call in &message.calls {
        // A list of what is to be done retells: it uses nothing.
        held.extend(present(&call.args).map(|fact| (fact, !is_plan(call))));
    }
    // A call that holds the fact sorts first and survives: it is what matters.
    held.sort_unstable_by_key(|(fact, in_call)| (*fact, !in_call));
    held.dedup_by_key(|(fact, _)| *fact);
    held
}

/// What a person typed, without what the harness put beside it.
fn typed(message: &Message) -> Option<String> {
    let words = message.words();
    let said = || PROSE.reminder.replace_all(&words.join("\n"), " ").into_owned();
    (!words.is_empty()).then(said)
}

/// Messages of at most this many words are acknowledgements.
const ACKNOWLEDGEMENT: usize = 2;
/// Messages of at most this many words continue the goal at hand.
const REMARK: usize = 5;
/// A first line this like the one before is a prompt sent again, mended.
const RESENT: f64 = 0.7;
const TITLE: usize = 100;

/// A person's message opens a goal unless it begins like a continuation or is a short remark;
/// acknowledgements belong to none.
fn goals(log: &Log) -> Vec<Goal> {
    let mut goals: Vec<Goal> = Vec::new();
    let mut last = String::new();
    for message in &log.messages {
        // What was said inside a result goes on with the goal at hand.
        let Some(text) = typed(message).filter(|_| message.role == Role::User) else { continue };
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.len() <= ACKNOWLEDGEMENT {
            continue;
        }
        let first = words[0].trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let continues = words.len() <= REMARK
            || PROSE.words.continues.contains(&first)
            || strsim::normalized_levenshtein(&title(&text), &last) > RESENT;
        last = title(&text);
        match goals.last_mut() {
            Some(goal) if continues => goal.arc.push(message.id),
            _ => goals.push(Goal {
                id: GoalId(goals.len() as u32),
                title: last.clone(),
                arc: vec![message.id],
            }),
        }
    }
    goals
}

/// The goal at hand when this message was written.
fn goal_at(goals: &[Goal], message: MsgId) -> Option<GoalId> {
    let begun = goals.partition_point(|goal| goal.arc.first().is_some_and(|id| *id <= message));
    begun.checked_sub(1).map(|last| goals[last].id)
}

fn title(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    line.chars().take(TITLE).collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests;
