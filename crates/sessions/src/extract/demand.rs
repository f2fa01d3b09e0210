//! Demands of a recorded session: the steps that needed a fact.

use super::{Mentions, once_each};
use crate::log::calls::file;
use crate::prelude::*;

/// A mention further back is out of the base window of the long-session scenarios.
const WINDOW: Tokens = Tokens(100_000);
/// A call needs from memory what was last said this far back; what is nearer stands in the part that
/// strategies leave alone. How far back a need lies is measured, and told beside it.
const RECENT: Tokens = Tokens(10_000);
/// Two words point to a rule where at most so many messages hold both.
const RARE: usize = 4;

pub(super) fn demands(
    log: &Log,
    table: &TokenTable,
    facts: &[Fact],
    mentions: &Mentions,
) -> Vec<Demand> {
    let timeline = Timeline::new(log, table);
    let again = again(log);
    let mut demands = Vec::new();
    for fact in facts {
        let mut add = |at: Option<MsgId>, origin| {
            demands.extend(at.map(|at| Demand { fact: fact.id, at, origin }));
        };
        for (id, in_call) in mentions.with_calls(fact.id).iter().skip(1).copied() {
            let before = fact.mentions.partition_point(|seen| *seen < id);
            let Some(earlier) = fact.mentions[..before].last() else { continue };
            let message = &log.messages[id.index()];
            let distance = timeline.between(*earlier, id);
            let far = distance >= WINDOW || log.was_compacted_between(*earlier, id);
            // What a person's own message names is in the prompt with it: no need.
            match (message.role, message.author) {
                (Role::Assistant, _) if in_call && again.contains(&id) => {
                    add(Some(id), Origin::Reacquired);
                }
                (Role::Assistant, _) if in_call && (far || distance >= RECENT) => {
                    add(Some(id), Origin::Call);
                }
                (Role::Tool, _) if far => {
                    let caller = message.answers.as_ref().and_then(|id| timeline.callers.get(id));
                    add(caller.copied(), Origin::Incidental);
                }
                _ => {}
            }
        }
    }
    for (fact, by, origin) in touches(log, facts, mentions) {
        let at = if origin == Origin::User { timeline.answer(by) } else { Some(by) };
        demands.extend(at.map(|at| Demand { fact, at, origin }));
    }
    // What is born in the call that needs it could not have been forgotten.
    demands.retain(|demand| facts[demand.fact.index()].born < log.fresh_from(demand.at));
    once_each(demands)
}

/// Where messages lie in tokens, and which answer each belongs to.
struct Timeline<'a> {
    /// Tokens before each message; one more than messages.
    before: Vec<Tokens>,
    answers: Vec<Option<MsgId>>,
    callers: BTreeMap<&'a CallId, MsgId>,
}

impl Timeline<'_> {
    fn new<'a>(log: &'a Log, table: &TokenTable) -> Timeline<'a> {
        let mut before = vec![Tokens::ZERO];
        let mut total = Tokens::ZERO;
        for counted in &table.messages {
            total += counted.total();
            before.push(total);
        }
        let mut answers = vec![None; log.messages.len()];
        let mut next = None;
        let mut callers = BTreeMap::new();
        for message in log.messages.iter().rev() {
            if message.role == Role::Assistant {
                next = Some(message.id);
            }
            answers[message.id.index()] = next;
            callers.extend(message.calls.iter().map(|call| (&call.id, message.id)));
        }
        Timeline { before, answers, callers }
    }

    /// Tokens from the end of one message to the beginning of a later one.
    fn between(&self, earlier: MsgId, later: MsgId) -> Tokens {
        self.before[later.index()] - self.before[earlier.index() + 1]
    }

    fn answer(&self, message: MsgId) -> Option<MsgId> {
        self.answers[message.index()]
    }
}

/// Assistant messages with a call made before the last boundary, and not again since.
fn again(log: &Log) -> BTreeSet<MsgId> {
    let mut again = BTreeSet::new();
    let (mut before, mut since) = (BTreeSet::new(), BTreeSet::new());
    // Where nothing was taken away, nothing was lost.
    let mut boundaries = log.boundaries.iter().filter(|one| one.took()).peekable();
    for message in &log.messages {
        while boundaries.next_if(|boundary| boundary.before <= message.id).is_some() {
            before.append(&mut since);
        }
        for call in &message.calls {
            let what = sought(call);
            if before.contains(&what) && !since.contains(&what) {
                again.insert(message.id);
            }
            since.insert(what);
        }
    }
    again
}

/// What a call seeks: the file where it reads a part of one, else its tool and arguments.
fn sought(call: &Call) -> (String, String) {
    let name = call.name.to_lowercase();
    let reads = name.contains("read") || name.contains("view");
    match file(call) {
        Some(file) if reads => (name, file),
        _ => (name, call.args.to_string()),
    }
}

/// When a later step touches what a rule is about: the artifacts it names, or two of its telling
/// words close together, in a call or in a person's words. The first in each turn after its own.
fn touches(log: &Log, facts: &[Fact], mentions: &Mentions) -> Vec<(FactId, MsgId, Origin)> {
    let turns = turns(log);
    let (pairs, owners) = pairs(facts);
    let of_pairs = Mentions::of(log, &pairs);
    let mut touched: BTreeSet<(FactId, MsgId, bool)> = BTreeSet::new();
    let by_pair = pairs.iter().zip(owners).map(|(pair, rule)| (rule, of_pairs.with_calls(pair.id)));
    // Words that meet everywhere are what the session is about, and point to no rule.
    let by_pair = by_pair.filter(|(_, seen)| seen.len() <= RARE);
    let by_name = named(facts).into_iter().map(|(rule, name)| (rule, mentions.with_calls(name)));
    for (rule, seen) in by_pair.chain(by_name) {
        touched.extend(seen.iter().map(|(message, in_call)| (rule, *message, *in_call)));
    }
    let mut last: Option<(FactId, u32)> = None;
    let mut touches = Vec::new();
    for (rule, by, in_call) in touched {
        let message = &log.messages[by.index()];
        let origin = match (message.role, message.author) {
            (Role::User, Author::Human) => Origin::User,
            (Role::Assistant, _) if in_call => Origin::Call,
            _ => continue,
        };
        let turn = turns[by.index()];
        let later = turn > turns[facts[rule.index()].born.index()];
        if later && last != Some((rule, turn)) {
            last = Some((rule, turn));
            touches.push((rule, by, origin));
        }
    }
    touches
}

/// Facts that bind what is done later.
fn is_rule(fact: &Fact) -> bool {
    use FactKind::{Constraint, DeadEnd, Preference, SafetyRule};
    matches!(fact.kind, Constraint | DeadEnd | Preference | SafetyRule) && !fact.mentions.is_empty()
}

fn turns(log: &Log) -> Vec<u32> {
    let mut turn = 0;
    let number = |message: &Message| {
        turn += u32::from(message.role == Role::User && message.author == Author::Human);
        turn
    };
    log.messages.iter().map(number).collect()
}

/// Every two telling words of a rule as a fact of their own, and the rule of each.
fn pairs(facts: &[Fact]) -> (Vec<Fact>, Vec<FactId>) {
    let (mut pairs, mut owners) = (Vec::new(), Vec::new());
    for rule in facts.iter().filter(|fact| is_rule(fact)) {
        for (place, one) in rule.needles.iter().enumerate() {
            for other in &rule.needles[place + 1..] {
                pairs.push(Fact {
                    id: FactId(pairs.len() as u32),
                    needles: vec![one.clone(), other.clone()],
                    polarity: Vec::new(),
                    ..rule.clone()
                });
                owners.push(rule.id);
            }
        }
    }
    (pairs, owners)
}

fn named(facts: &[Fact]) -> Vec<(FactId, FactId)> {
    use FactKind::{Command, Path, Symbol, Test};
    let index = NeedleIndex::new(facts);
    let mut named = Vec::new();
    for rule in facts.iter().filter(|fact| is_rule(fact)) {
        let held = index.search(&rule.statement).into_iter().filter(|held| held.present());
        let artifact =
            |id: &FactId| matches!(facts[id.index()].kind, Path | Symbol | Test | Command);
        named.extend(held.map(|held| held.fact).filter(artifact).map(|id| (rule.id, id)));
    }
    named
}
