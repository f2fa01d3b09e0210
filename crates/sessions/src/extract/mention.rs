//! Which messages hold which facts: one pass over the log.

use rayon::prelude::*;

use crate::ident::{FactId, MsgId};
use crate::log::{Log, Message};
use crate::truth::{Fact, Holding, NeedleIndex};

/// The mentions of all facts.
pub(super) struct Mentions {
    /// Per fact, in log order: the message, and whether a call's arguments hold it.
    by_fact: Vec<Vec<(MsgId, bool)>>,
}

impl Mentions {
    /// In content and in call arguments. Recorded summaries are no messages.
    pub(super) fn of(log: &Log, facts: &[Fact]) -> Mentions {
        let index = NeedleIndex::new(facts);
        let held: Vec<Vec<(FactId, bool)>> =
            log.messages.par_iter().map(|message| held(&index, message)).collect();
        let mut by_fact = vec![Vec::new(); facts.len()];
        for (message, held) in log.messages.iter().zip(held) {
            for (fact, in_call) in held {
                by_fact[fact.index()].push((message.id, in_call));
            }
        }
        Mentions { by_fact }
    }

    /// The messages that hold the fact.
    pub(super) fn of_fact(&self, fact: FactId) -> Vec<MsgId> {
        self.by_fact[fact.index()].iter().map(|(message, _)| *message).collect()
    }

    /// The messages that hold the fact, and whether a call of theirs does.
    pub(super) fn with_calls(&self, fact: FactId) -> &[(MsgId, bool)] {
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
        held.extend(present(&call.args).map(|fact| (fact, true)));
    }
    // True sorts last and survives: a call that holds the fact is what matters.
    held.sort_unstable_by_key(|(fact, in_call)| (*fact, !in_call));
    held.dedup_by_key(|(fact, _)| *fact);
    held
}
