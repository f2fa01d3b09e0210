//! The same pipeline again, with nothing new to compact.

use proctor_core::error::Result;
use proctor_core::pipeline::Pipeline;
use proctor_core::trace::Checkpoint;
use proctor_eval::stats::mean;

use super::constructed::windowless;
use super::reading::{for_each, only};
use super::summarizers::brief;
use super::{Driven, Finding, Laboratory, Measured, Rows};
use crate::table::row;

pub(super) fn converges(lab: &Laboratory) -> Result<Finding> {
    let head = proctor_strategies::pipeline("forge-head")?;
    let both = proctor_strategies::pipeline("forge-head-no-threshold")?;
    let tiers = [
        ("tool-call tier", only(&head, 0), 0),
        ("tool-call and goal tier", both, 0),
        ("threshold tier", only(&head, 1), 1),
    ];
    let control = lab.controls("turn-shape-p5-t60")?;
    let mut rows = Rows::default();
    let mut shares = Vec::new();
    for (name, pipeline, from) in &tiers {
        let probed = for_each(&control, |cell| checkpoints(lab, cell, pipeline));
        let share = |points: &Vec<Checkpoint>| {
            let again = points.iter().filter(|point| frees_again(point, *from)).count();
            again as f64 / points.len().max(1) as f64
        };
        let values: Vec<f64> = probed.iter().map(share).collect();
        let all: Vec<&Checkpoint> = probed.iter().flatten().collect();
        let rounds: Vec<f64> = all.iter().map(|point| rounds(point) as f64).collect();
        let again = all.iter().filter(|point| frees_again(point, *from)).count();
        rows.push(row![name, all.len(), again, mean(&rounds).unwrap_or(f64::NAN)]);
        let what = format!("{name}: share of points at which a second run changes the view");
        shares.push(Measured::mean(what, "", &values));
    }
    let parts = [shares[0].value == 0.0, shares[1].value == 0.0, shares[2].value == 1.0];
    Ok(Finding::of(&parts, shares).with(rows))
}

fn checkpoints(lab: &Laboratory, cell: &Driven, pipeline: &Pipeline) -> Vec<Checkpoint> {
    lab.probed(&cell.session, pipeline, windowless(), &brief(200), true).checkpoints
}

/// Whether the run after so many others changed the size of the view.
fn frees_again(point: &Checkpoint, from: usize) -> bool {
    let next = point.rounds.get(from..).unwrap_or_default();
    matches!(next, [before, after, ..] if before.tokens != after.tokens)
}

/// Runs that changed the size of the view.
fn rounds(point: &Checkpoint) -> usize {
    point.rounds.windows(2).filter(|pair| pair[0].tokens != pair[1].tokens).count()
}
