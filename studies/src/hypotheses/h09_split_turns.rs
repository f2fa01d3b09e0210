//! Units, logical turns, tool pairs and the live request under the knife: H9 to H11.

use std::collections::BTreeSet;

use proctor_core::apply::Rule;
use proctor_core::drive::Session;
use proctor_core::error::Result;
use proctor_core::log::Turn;
use proctor_core::trace::{AddedEntry, Compaction, Share, Trace};

use super::constructed::{Construction, window};
use super::reading::{each, for_each, only, runs_of};
use super::summarizers::brief;
use super::turn_shapes::{FORGE, PAIRS, by_shape, named_first, scenario};
use super::{Driven, Finding, Laboratory, Measured, Rows};
use crate::table::{Shown, row};

fn broken(compaction: &Compaction, rules: &[Rule]) -> usize {
    compaction.violations.iter().filter(|violation| rules.contains(&violation.rule)).count()
}

pub(super) fn units(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::default();
    let (mut unit_shares, mut turn_shares) = (Vec::new(), Vec::new());
    for (pairs, cells) in by_shape(lab, &PAIRS, FORGE)? {
        let units = each(&cells, |driven| split_units(&driven.trace));
        let turns: Vec<(usize, usize)> =
            cells.iter().map(|driven| split_turns(&driven.session, &driven.trace)).collect();
        let touched: Vec<f64> = turns.iter().map(|(_, touched)| *touched as f64).collect();
        let some = turns.iter().filter(|(_, touched)| *touched > 0);
        let shares: Vec<f64> =
            some.map(|(split, touched)| 100.0 * *split as f64 / *touched as f64).collect();
        rows.push(row![
            pairs,
            Measured::mean("units", "%", &units),
            Measured::mean("touched", "", &touched),
            Measured::mean("split", "%", &shares),
        ]);
        unit_shares.extend(units);
        turn_shares.extend(shares);
    }
    let units = Measured::mean(
        "batches that split a user message from its summaries, all shapes",
        "%",
        &unit_shares,
    );
    let turns = Measured::mean(
        "logical turns that a batch touched and did not hold whole, all shapes",
        "%",
        &turn_shares,
    );
    let parts = [units.value == 0.0, turns.is_above(0.0)];
    Ok(Finding::of(&parts, vec![units, turns]).with(rows))
}

/// Goal-batch runs that break `turn-split`, in %.
fn split_units(trace: &Trace) -> Option<f64> {
    let batches: Vec<&Compaction> = runs_of(trace, 1).collect();
    let split = batches.iter().filter(|batch| broken(batch, &[Rule::TurnSplit]) > 0).count();
    (!batches.is_empty()).then(|| 100.0 * split as f64 / batches.len() as f64)
}

/// Ended turns of the log of which some message stands in no batch that holds another of
/// them, and the ended turns that batches touched at all.
fn split_turns(session: &Session, trace: &Trace) -> (usize, usize) {
    let turns = session.log.turns();
    let (mut touched, mut split) = (BTreeSet::new(), BTreeSet::new());
    for run in runs_of(trace, 1) {
        for batch in run.added.iter().filter(|entry| entry.share == Share::GoalBatch) {
            let ended =
                turns.iter().enumerate().filter(|(number, _)| *number + 1 < run.turn as usize);
            for (number, turn) in ended {
                let held = held(batch, turn);
                if held > 0 {
                    touched.insert(number);
                }
                if held > 0 && held < turn.messages.len() {
                    split.insert(number);
                }
            }
        }
    }
    (split.len(), touched.len())
}

fn held(batch: &AddedEntry, turn: &Turn) -> usize {
    let ids = turn.messages.clone().map(|index| proctor_core::ident::MsgId(index as u32));
    ids.filter(|id| batch.covers.contains(*id)).count()
}

pub(super) fn live_goal(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::default();
    let (mut parts, mut measured) = (Vec::new(), Vec::new());
    for (pairs, cells) in by_shape(lab, &PAIRS, FORGE)? {
        let runs = each(&cells, |driven| Some(runs_of(&driven.trace, 1).count() as f64));
        let what = format!("batches that took the live request with {pairs} pairs a turn");
        let took = Measured::mean(what, "%", &each(&cells, took_live_goal));
        rows.push(row![pairs, Measured::mean("batches", "", &runs), took]);
        parts.push(if pairs >= 16 { took.is_above(0.0) } else { took.value == 0.0 });
        if [15, 16, 20].contains(&pairs) {
            measured.push((pairs, took));
        }
    }
    Ok(Finding::of(&parts, named_first(measured, 16)).with(rows))
}

fn took_live_goal(driven: &Driven) -> Option<f64> {
    let runs: Vec<&Compaction> = runs_of(&driven.trace, 1).collect();
    let took = runs.iter().filter(|run| run.took_live_goal).count();
    (!runs.is_empty()).then(|| 100.0 * took as f64 / runs.len() as f64)
}

const PAIR_RULES: [Rule; 3] = [Rule::OrphanCall, Rule::OrphanResult, Rule::SplitPair];

pub(super) fn window_edge(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::default();
    let rate = |what: &str, rates: &[f64]| {
        Measured::mean(format!("broken pairs per 100 compactions of {what}"), "", rates)
    };
    let pipeline = proctor_strategies::pipeline("forge-head")?;
    let cells = lab.cells("ord-long-p10-t28", "forge-head")?;
    let calls = rate(
        "the tool-call tier, irregular turns",
        &each(&cells, |driven| per_hundred(&driven.trace, 0)),
    );
    let halving = only(&pipeline, 1);
    let alone = for_each(&cells, |driven| {
        let trace = lab.drive(&driven.session, &halving, driven.limits, &brief(600));
        per_hundred(&trace, 0)
    });
    let alone: Vec<f64> = alone.into_iter().flatten().collect();
    let halves = rate("half-compaction alone, irregular turns", &alone);
    rows.push(row!["irregular turns, 5 sessions", calls, format!("{} (alone)", halves.shown())]);
    for pairs in [3, 8, 20] {
        let cells = lab.cells(&scenario(pairs, 120), "forge-head")?;
        let of = |stage| rate("a tier", &each(&cells, |driven| per_hundred(&driven.trace, stage)));
        rows.push(row![format!("{pairs} pairs a turn, 5 sessions"), of(0), of(1)]);
    }
    for (name, session) in constructed() {
        let trace = lab.drive(&session, &pipeline, window(5_000), &brief(300));
        let [calls, halves] = [0, 1].map(|stage| {
            let (pairs, runs) = broken_pairs(&trace, stage);
            format!("{pairs} in {runs} compactions")
        });
        rows.push(row![format!("constructed: {name}"), calls, halves]);
    }
    let parts = [calls.is_above(0.0), halves.is_above(0.0)];
    Ok(Finding::of(&parts, vec![calls, halves]).with(rows))
}

/// Pairs that the runs of a stage broke, and the runs.
fn broken_pairs(trace: &Trace, stage: u32) -> (usize, usize) {
    let runs = runs_of(trace, stage);
    (runs.map(|run| broken(run, &PAIR_RULES)).sum(), runs_of(trace, stage).count())
}

fn per_hundred(trace: &Trace, stage: u32) -> Option<f64> {
    let (pairs, runs) = broken_pairs(trace, stage);
    (runs > 0).then(|| 100.0 * pairs as f64 / runs as f64)
}

fn constructed() -> [(&'static str, Session); 4] {
    let made = |disturb: fn(&mut Construction, u32)| {
        let mut made = Construction::new();
        for turn in 0..40 {
            made.user(60).pairs(3, 120);
            disturb(&mut made, turn);
            made.pairs(3, 120).closing();
        }
        made.session()
    };
    let rejected = |made: &mut Construction, turn: u32| {
        if turn.is_multiple_of(2) {
            made.closing().notice("The user rejected this tool call.");
        }
    };
    let stopped = |made: &mut Construction, turn: u32| {
        if turn.is_multiple_of(2) {
            made.notice("Operation stopped by user.");
        }
    };
    let twice = |made: &mut Construction, _: u32| {
        made.round(2, 120);
    };
    [
        ("undisturbed", made(|_, _| ())),
        ("a rejected call in every other turn", made(rejected)),
        ("a stop notice in every other turn", made(stopped)),
        ("a message with two calls in every turn", made(twice)),
    ]
}
