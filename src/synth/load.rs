//! How much a session asks to be remembered.

use crate::ident::MsgId;
use crate::log::Log;
use crate::token::Tokenizer;
use crate::truth::{Fact, Truth};
use crate::unit::Tokens;

/// The facts that are live at a message: born by then, not replaced, and needed at
/// it or later (METRICS 3).
pub fn live_at(truth: &Truth, at: MsgId) -> Vec<&Fact> {
    let mut needed = vec![false; truth.facts.len()];
    for demand in truth.demands.iter().filter(|demand| demand.at >= at) {
        needed[demand.fact.index()] = true;
    }
    let replaced =
        |fact: &Fact| fact.superseded_by.is_some_and(|next| truth.facts[next.index()].born <= at);
    let facts = truth.facts.iter();
    facts.filter(|f| f.born <= at && needed[f.id.index()] && !replaced(f)).collect()
}

/// Reference tokens of the statements of all live facts, at `checkpoints` equally
/// spaced shares of the session's turns, the last at its end. Divided by a summary
/// budget it is the scenario's `fact_load` (METRICS 3).
pub fn fact_load(log: &Log, truth: &Truth, checkpoints: usize) -> Vec<Tokens> {
    let turns = log.turns();
    (1..=checkpoints)
        .filter_map(|checkpoint| turns.get((turns.len() * checkpoint / checkpoints).max(1) - 1))
        .map(|turn| {
            let live = live_at(truth, MsgId(turn.messages.start as u32));
            live.iter().map(|fact| Tokenizer::O200k.count(&fact.statement)).sum()
        })
        .collect()
}
