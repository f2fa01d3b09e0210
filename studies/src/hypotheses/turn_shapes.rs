//! Sessions whose turns all have the same number of tool pairs.

use std::sync::Arc;

use proctor_core::error::Result;
use proctor_core::trace::Share;
use proctor_eval::stats::theil_sen;

use super::{Driven, Laboratory, Measured};

/// Pairs per turn of the sessions of one shape.
pub(super) const PAIRS: [u32; 10] = [0, 1, 3, 5, 6, 8, 12, 15, 16, 20];
/// Fewer of them, where two or three configurations are set side by side.
pub(super) const FEWER_PAIRS: [u32; 7] = [0, 1, 3, 5, 8, 12, 20];
/// The turns up to this one fill the recent messages that no tier touches.
pub(super) const SETTLED: u32 = 20;
/// What the structural tiers leave behind.
pub(super) const STRUCTURE: [Share; 3] = [Share::User, Share::Summarized, Share::GoalBatch];
/// Forge's code without its threshold, in sessions that nothing refuses.
pub(super) const FORGE: &str = "forge-head-no-threshold@windowless";

/// `1 pair a turn`.
pub(super) fn pairs_a_turn(pairs: u32) -> String {
    format!("{pairs} {} a turn", if pairs == 1 { "pair" } else { "pairs" })
}

pub(super) fn scenario(pairs: u32, turns: u32) -> String {
    format!("turn-shape-p{pairs}-t{turns}")
}

/// The cells of a configuration on sessions of 120 turns, by their pairs a turn.
pub(super) fn by_shape(
    lab: &Laboratory,
    pairs: &[u32],
    configuration: &str,
) -> Result<Vec<(u32, Vec<Arc<Driven>>)>> {
    let of = |pairs: &u32| Ok((*pairs, lab.cells(&scenario(*pairs, 120), configuration)?));
    pairs.iter().map(of).collect()
}

/// The figures of some shapes, that of the shape which the expectation names first.
pub(super) fn named_first(mut figures: Vec<(u32, Measured)>, named: u32) -> Vec<Measured> {
    figures.sort_by_key(|(pairs, _)| *pairs != named);
    figures.into_iter().map(|(_, figure)| figure).collect()
}

/// (turn, tokens of the structure) at the last call of every settled turn.
pub(super) fn structure(driven: &Driven) -> Vec<(f64, f64)> {
    super::reading::turn_ends(&driven.trace)
        .filter(|step| step.turn > SETTLED)
        .map(|step| (f64::from(step.turn), super::reading::tokens(step, &STRUCTURE)))
        .collect()
}

/// Tokens of the structure per turn.
pub(super) fn slope(driven: &Driven) -> Option<f64> {
    theil_sen(&structure(driven))
}
