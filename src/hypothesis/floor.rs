//! The floor: what stays behind, turn by turn.

use super::{Driven, Finding, Hypothesis, Laboratory, Measured, Rows, Verdict};
use crate::error::Result;
use crate::stats::theil_sen;
use crate::trace::{Share, StepRecord};

/// H1 to H8.
pub const HYPOTHESES: &[Hypothesis] = &[Hypothesis {
    id: "H1",
    title: "Goal batches alone leave a floor that grows",
    expects: "With the tool-call tier and goal batches but no threshold, the tokens of user messages, [SUMMARIZED] blocks and [GOAL BATCH] blocks grow linearly with the turns, whatever the number of tool pairs a turn: the slope is above 0.",
    source: "STRATEGIES 20, H1; ADR-0041 against entrhq/forge at 0bff338",
    method: "forge-head-no-threshold without a window on turns of one shape, 0 to 20 pairs, 120 turns. Per session the Theil-Sen slope of those tokens over the turns after the 20th.",
    judge: grows,
    remarks: &[],
}];

/// Pairs per turn of the scenarios.
const PAIRS: [u32; 10] = [0, 1, 3, 5, 6, 8, 12, 15, 16, 20];
/// Turns before this one fill the recent messages that no tier touches.
const SETTLED: u32 = 20;

fn scenario(pairs: u32) -> String {
    format!("turn-shape-p{pairs}-t120")
}

/// Tokens of some shares of the view at a step.
fn tokens(step: &StepRecord, shares: &[Share]) -> f64 {
    let of = |share: &Share| {
        let place = Share::ALL.iter().position(|known| known == share);
        place.map_or(0.0, |place| step.shares[place].as_f64())
    };
    shares.iter().map(of).sum()
}

const STRUCTURE: [Share; 3] = [Share::User, Share::Summarized, Share::GoalBatch];

/// (turn, tokens of the structure) at the last step of every settled turn.
fn structure(driven: &Driven) -> Vec<(f64, f64)> {
    let steps = &driven.trace.steps;
    let ends = steps.iter().enumerate().filter(|(place, step)| {
        steps.get(place + 1).is_none_or(|next| next.turn > step.turn) && step.turn > SETTLED
    });
    ends.map(|(_, step)| (f64::from(step.turn), tokens(step, &STRUCTURE))).collect()
}

/// Tokens per turn, one slope per session.
fn slopes(lab: &Laboratory, pairs: u32, configuration: &str) -> Result<Vec<f64>> {
    let driven = lab.cells(&scenario(pairs), configuration)?;
    Ok(driven.iter().filter_map(|cell| theil_sen(&structure(cell))).collect())
}

fn grows(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::new("Growth by pairs per turn", &["pairs", "slope"]);
    let mut measured = Vec::new();
    for pairs in PAIRS {
        let slopes = slopes(lab, pairs, "forge-head-no-threshold@windowless")?;
        let slope = Measured::mean(format!("slope at {pairs} pairs"), "tokens/turn", &slopes);
        rows.push([pairs.to_string(), slope.text()]);
        measured.push(slope);
    }
    let parts: Vec<bool> = measured.iter().map(|slope| slope.is_above(0.0)).collect();
    measured.sort_by(|one, other| one.value.total_cmp(&other.value));
    measured.truncate(1);
    Ok(Finding::new(Verdict::of_parts(&parts), measured).with(rows))
}
