//! When a later step touches what a rule is about: the artifacts it names, or two of its telling
//! words close together, in a call (origin `call`) or in a person's words (origin `user`).

use std::collections::BTreeSet;

use super::mention::Mentions;
use crate::ident::{FactId, MsgId};
use crate::log::{Author, Log, Role};
use crate::truth::{Fact, FactKind, NeedleIndex, Origin};

/// What a touched rule is needed for, before its step is known.
pub(super) struct Touch {
    pub(super) rule: FactId,
    pub(super) by: MsgId,
    pub(super) origin: Origin,
}

/// The first touch of each rule in each turn after its own.
pub(super) fn touches(log: &Log, facts: &[Fact], mentions: &Mentions) -> Vec<Touch> {
    let turns = turns(log);
    let (pairs, owners) = pairs(facts);
    let of_pairs = Mentions::of(log, &pairs);
    let mut touched: BTreeSet<(FactId, MsgId, bool)> = BTreeSet::new();
    for (pair, rule) in pairs.iter().zip(owners) {
        let seen = of_pairs.with_calls(pair.id).iter();
        touched.extend(seen.map(|(message, in_call)| (rule, *message, *in_call)));
    }
    for (rule, artifact) in named(facts) {
        let seen = mentions.with_calls(artifact).iter();
        touched.extend(seen.map(|(message, in_call)| (rule, *message, *in_call)));
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
            touches.push(Touch { rule, by, origin });
        }
    }
    touches
}

/// Facts that bind what is done later.
fn is_rule(fact: &Fact) -> bool {
    use FactKind::{Constraint, DeadEnd, Preference, SafetyRule};
    matches!(fact.kind, Constraint | DeadEnd | Preference | SafetyRule) && !fact.mentions.is_empty()
}

/// The number of the turn of each message.
fn turns(log: &Log) -> Vec<u32> {
    let mut turn = 0;
    let number = |message: &crate::log::Message| {
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

/// The artifacts that a rule's own words name.
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
