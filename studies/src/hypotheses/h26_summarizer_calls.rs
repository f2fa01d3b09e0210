//! Calls of a proactive tier against calls of a reactive one.

use proctor_core::error::Result;
use proctor_core::pipeline::Pipeline;
use proctor_core::trace::{EndedBy, Trace};
use proctor_eval::measure::MetricId;

use super::constructed::{provider, windowless};
use super::reading::{for_each, only, runs_of};
use super::summarizers::brief;
use super::{Driven, Finding, Laboratory, Measured};

/// Turns of the sessions on which the goal tier has settled.
const SETTLED: u32 = 40;

pub(super) fn dearer(lab: &Laboratory) -> Result<Finding> {
    let control = lab.controls("turn-shape-p5-t120")?;
    let proactive = proctor_strategies::pipeline("forge-head-no-threshold")?;
    let halving = only(&proctor_strategies::pipeline("forge-head")?, 1);
    let pairs = for_each(&control, |cell| {
        let ask = brief(200);
        let early = lab.tried(cell, &proactive, windowless(), &ask);
        let late = as_large(lab, cell, &halving, kept(&early.trace));
        (early, late)
    });
    let matched: Vec<&(Driven, Driven)> = pairs
        .iter()
        .filter(|(early, late)| is_close(kept(&late.trace), kept(&early.trace)))
        .collect();
    let mean = |what: &str, unit, of: &dyn Fn(&Driven, &Driven) -> f64| {
        let values: Vec<f64> = matched.iter().map(|(early, late)| of(early, late)).collect();
        Measured::mean(what, unit, &values)
    };
    let attempts = |trial: &Driven| trial.figure(MetricId::Attempts).unwrap_or(f64::NAN);
    let spent = |trial: &Driven| trial.figure(MetricId::TokensSummarizer).unwrap_or(f64::NAN);
    let ratio =
        mean("calls of the proactive tiers over calls of half-compaction", "", &|early, late| {
            attempts(early) / attempts(late).max(1.0)
        });
    let per_turn =
        mean("goal batches a turn, once settled", "", &|early, _| batches_per_turn(&early.trace));
    let tokens =
        mean("tokens of the summarizer, proactive over half-compaction", "", &|early, late| {
            spent(early) / spent(late)
        });
    let kept_mean =
        mean("kept on average over the second half", "tokens", &|early, _| kept(&early.trace));
    let parts = if matched.is_empty() {
        Vec::new()
    } else {
        vec![ratio.is_above(1.0), (per_turn.value - 1.0 / 3.0).abs() < 0.02]
    };
    Ok(Finding::of(&parts, vec![ratio, per_turn, tokens, kept_mean]))
}

/// Half-compaction in the window in which it keeps this much.
fn as_large(lab: &Laboratory, cell: &Driven, halving: &Pipeline, wanted: f64) -> Driven {
    let (mut low, mut high) = (2_000_u64, 200_000_u64);
    loop {
        let middle = u64::midpoint(low, high);
        let trial = lab.tried(cell, halving, provider(middle, 256), &brief(200));
        let (own, ended) = (kept(&trial.trace), trial.trace.ended_by != EndedBy::Completed);
        if high - low < 100 || (!ended && is_close(own, wanted)) {
            return trial;
        }
        // Who died early kept too little.
        if ended || own < wanted { low = middle } else { high = middle }
    }
}

fn is_close(own: f64, wanted: f64) -> bool {
    (own / wanted - 1.0).abs() < 0.05
}

/// Mean tokens kept over the second half of the session.
fn kept(trace: &Trace) -> f64 {
    let half = trace.steps_total / 2;
    let late = trace.steps.iter().filter(|step| step.step > half);
    let kept: Vec<f64> = late.map(|step| step.kept.as_f64()).collect();
    proctor_eval::stats::mean(&kept).unwrap_or(0.0)
}

fn batches_per_turn(trace: &Trace) -> f64 {
    let turns = trace.steps.last().map_or(0, |step| step.turn);
    let batches = runs_of(trace, 1).filter(|run| run.turn > SETTLED).count();
    batches as f64 / f64::from(turns.saturating_sub(SETTLED).max(1))
}
