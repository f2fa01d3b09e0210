//! The same pipeline again, with nothing new to compact.

use crate::answer::Memo;
use crate::drive::{Cell, Mode, drive};
use crate::error::Result;
use crate::hypothesis::answering::brief;
use crate::hypothesis::constructed::windowless;
use crate::hypothesis::trial::{controls, for_each, only};
use crate::hypothesis::{Driven, Finding, Hypothesis, Laboratory, Measured, Rows, Verdict};
use crate::pipeline::Pipeline;
use crate::trace::Checkpoint;

pub(super) const CONVERGES: Hypothesis = Hypothesis {
    id: "H34",
    title: "Run twice, the structural tiers rest and the threshold does not",
    expects: "Without new messages, a second run of the tool-call tier or of the goal tier changes \
              nothing once there is no backlog. The threshold tier folds half of what is left every \
              time.",
    source: "STRATEGIES 20, H34 and 1.5, 1.6",
    method: "Each tier of `forge-head` alone and the two structural ones together, without a window, \
             five sessions of 60 turns with 5 pairs. At twelve points of each session, right after \
             the pipeline's own run, it is forced on a copy of the view, again and again, pressure \
             taken as met. The structural tiers act without pressure, so every forced run is a \
             second one; of the threshold tier, which had none, the forced runs after the first.",
    judge: converges,
    remarks: &[],
};

fn converges(lab: &Laboratory) -> Result<Finding> {
    let head = crate::strategy::pipeline("forge-head")?;
    let both = crate::strategy::pipeline("forge-head-no-threshold")?;
    let tiers = [
        ("tool-call tier", only(&head, 0), 0),
        ("tool-call and goal tier", both, 0),
        ("threshold tier", only(&head, 1), 1),
    ];
    let control = controls(lab, "turn-shape-p5-t60")?;
    let mut rows = Rows::new(
        "Twelve points of five sessions",
        &["pipeline", "points", "second run changes", "rounds until it rests, mean"],
    );
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
        rows.push([
            (*name).to_owned(),
            all.len().to_string(),
            all.iter().filter(|point| frees_again(point, *from)).count().to_string(),
            crate::hypothesis::number(crate::stats::mean(&rounds).unwrap_or(f64::NAN)),
        ]);
        shares.push(Measured::mean(
            format!("{name}: share of points at which a second run changes the view"),
            "",
            &values,
        ));
    }
    let parts = [shares[0].value == 0.0, shares[1].value == 0.0, shares[2].value == 1.0];
    Ok(Finding::new(Verdict::of_parts(&parts), shares).with(rows))
}

fn checkpoints(lab: &Laboratory, cell: &Driven, pipeline: &Pipeline) -> Vec<Checkpoint> {
    let trace = drive(Cell {
        session: &cell.session,
        pipeline,
        limits: windowless(),
        mode: Mode::Deployed,
        ask: &brief(200),
        memo: &Memo::default(),
        sheet: lab.sheet(),
        replicate: 0,
        probes: true,
    });
    trace.checkpoints
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
