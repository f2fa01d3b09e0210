//! The floor: what stays behind, turn by turn.

mod batches;
mod growth;
mod left;

use super::{Driven, Hypothesis};
use crate::stats::theil_sen;
use crate::trace::Share;

/// H1 to H8.
pub const HYPOTHESES: &[Hypothesis] = &[
    growth::GROWS,
    growth::BATCHES_SLOW_IT,
    left::STRANDED,
    left::OWNERLESS,
    batches::THREE_TURNS,
    batches::BOUNDED,
    growth::REBATCHED,
    left::GENERATIONS,
];

/// Pairs per turn of the sessions of one shape.
const PAIRS: [u32; 10] = [0, 1, 3, 5, 6, 8, 12, 15, 16, 20];
/// Fewer of them, where two or three configurations are set side by side.
const FEWER_PAIRS: [u32; 7] = [0, 1, 3, 5, 8, 12, 20];
/// The turns up to this one fill the recent messages that no tier touches.
const SETTLED: u32 = 20;
/// What the structural tiers leave behind.
const STRUCTURE: [Share; 3] = [Share::User, Share::Summarized, Share::GoalBatch];
/// Forge's code without its threshold, in sessions that nothing refuses.
const FORGE: &str = "forge-head-no-threshold@windowless";

/// `1 pair a turn`.
fn pairs_a_turn(pairs: u32) -> String {
    format!("{pairs} {} a turn", if pairs == 1 { "pair" } else { "pairs" })
}

fn scenario(pairs: u32, turns: u32) -> String {
    format!("turn-shape-p{pairs}-t{turns}")
}

/// (turn, tokens of the structure) at the last call of every settled turn.
fn structure(driven: &Driven) -> Vec<(f64, f64)> {
    super::reading::turn_ends(&driven.trace)
        .filter(|step| step.turn > SETTLED)
        .map(|step| (f64::from(step.turn), super::reading::tokens(step, &STRUCTURE)))
        .collect()
}

/// Tokens of the structure per turn.
fn slope(driven: &Driven) -> Option<f64> {
    theil_sen(&structure(driven))
}
