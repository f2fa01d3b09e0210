//! The rows of one cell: its trace as the tables of a run directory hold it.

use crate::measure::Subject;
use crate::row::{
    CompactionRow, CompositionRow, FactRow, FloorRow, StepRow, TriggerRow, ViewState,
};
use crate::trace::{Compaction, Composition, DemandRecord, LossClass, Share, SummaryReading};
use crate::unit::{Tokens, Usd, nine};

/// Every round of every floor probe.
pub fn floor_rows(cell: &str, subject: &Subject) -> Vec<FloorRow> {
    let checkpoints = subject.trace.checkpoints.iter();
    let rounds = checkpoints.flat_map(|checkpoint| {
        checkpoint.rounds.iter().zip(0..).map(move |(round, number)| (checkpoint, number, round))
    });
    rounds
        .map(|(checkpoint, number, round)| FloorRow {
            cell: cell.to_owned(),
            checkpoint: checkpoint.number,
            step: checkpoint.step,
            turn: checkpoint.turn,
            round: number,
            tokens: round.tokens,
            live: round.live,
            present: round.present,
        })
        .collect()
}

/// What the view was made of at each checkpoint and at the end (checkpoint 0).
pub fn composition_rows(cell: &str, subject: &Subject) -> Vec<CompositionRow> {
    let mut rows = Vec::new();
    for checkpoint in &subject.trace.checkpoints {
        let number = checkpoint.number;
        rows.extend(shares(cell, number, ViewState::Deployed, &checkpoint.before));
        let floor = checkpoint.floor().map(|(_, composition)| composition);
        rows.extend(
            floor.into_iter().flat_map(|floor| shares(cell, number, ViewState::OnePass, floor)),
        );
    }
    rows.extend(shares(cell, 0, ViewState::Deployed, &subject.trace.last));
    rows
}

fn shares<'a>(
    cell: &'a str,
    checkpoint: u32,
    state: ViewState,
    composition: &'a Composition,
) -> impl Iterator<Item = CompositionRow> + 'a {
    let present = Share::ALL.into_iter().filter(|share| composition.entries[*share as usize] > 0);
    present.map(move |share| CompositionRow {
        cell: cell.to_owned(),
        checkpoint,
        state,
        share,
        entries: composition.entries[share as usize],
        tokens: composition.tokens[share as usize],
        tail_entries: composition.tail_entries[share as usize],
        tail_tokens: composition.tail_tokens[share as usize],
    })
}

/// Every model call.
pub fn step_rows(cell: &str, subject: &Subject) -> Vec<StepRow> {
    let calls = subject.trace.steps.iter();
    calls.map(|call| StepRow { cell: cell.to_owned(), call: call.clone() }).collect()
}

/// Every plan.
pub fn compaction_rows(cell: &str, subject: &Subject) -> Vec<CompactionRow> {
    let compactions = subject.trace.compactions.iter();
    compactions.map(|compaction| compaction_row(cell, subject, compaction)).collect()
}

fn compaction_row(cell: &str, subject: &Subject, compaction: &Compaction) -> CompactionRow {
    let billed = || compaction.attempts.iter().filter(|attempt| attempt.billed);
    let failed = compaction.attempts.iter().filter(|attempt| attempt.failed.is_some());
    let added = &compaction.added;
    let windowed = subject.usable_window().map(|_| compaction.utilization);
    let mut reading = SummaryReading::default();
    added.iter().filter_map(|entry| entry.reading).for_each(|one| reading += one);
    let rules: Vec<&str> = compaction.violations.iter().map(|one| one.rule.name()).collect();
    let lost = |class| compaction.lost.iter().filter(|loss| loss.class == class).count() as u32;
    CompactionRow {
        cell: cell.to_owned(),
        number: compaction.number,
        step: compaction.step,
        turn: compaction.turn,
        stage: stage_name(subject, compaction.stage),
        occasion: compaction.occasion,
        round: compaction.round,
        outcome: compaction.outcome.clone(),
        before: compaction.before,
        after: compaction.after,
        entries_before: compaction.entries_before,
        entries_after: compaction.entries_after,
        removed: compaction.removed,
        added: added.len() as u32,
        generation: added.iter().map(|entry| entry.generation).max().unwrap_or(0),
        utilization: windowed,
        trigger: windowed.and_then(|utilization| trigger(compaction, utilization)).map(nine),
        attempts: compaction.attempts.len() as u32,
        failed_attempts: failed.count() as u32,
        summarizer_prompt: billed().map(|attempt| attempt.prompt).sum(),
        summarizer_completion: billed().map(|attempt| attempt.completion).sum(),
        usd: Usd(nine(compaction.usd.0)),
        blocking_ms: compaction.blocking,
        covered_tokens: added.iter().map(|entry| entry.covered_tokens).sum(),
        unseen_tokens: added.iter().map(|entry| entry.unseen_tokens).sum(),
        words: reading.words,
        copied_words: reading.copied,
        artifacts: reading.artifacts,
        fabricated: reading.fabricated,
        took_live_goal: compaction.took_live_goal,
        lost_dropped: lost(LossClass::Dropped),
        lost_unseen: lost(LossClass::Unseen),
        lost_omitted: lost(LossClass::Omitted),
        lost_resummarized: lost(LossClass::Resummarized),
        lost_inverted: lost(LossClass::Inverted),
        violations: rules.join(";"),
    }
}

/// Where on the scale of utilization the stage's own pressure is just met.
fn trigger(compaction: &Compaction, utilization: f64) -> Option<f64> {
    let reading = compaction.reading.filter(|reading| reading.used > Tokens::ZERO)?;
    Some(utilization * reading.limit.over(reading.used))
}

/// Every stage on every occasion, by what came of it.
pub fn trigger_rows(cell: &str, subject: &Subject) -> Vec<TriggerRow> {
    let mut rows: Vec<TriggerRow> = subject
        .trace
        .triggers
        .iter()
        .map(|trigger| TriggerRow {
            cell: cell.to_owned(),
            stage: trigger.stage + 1,
            strategy: stage_name(subject, trigger.stage),
            occasion: trigger.occasion,
            fired: trigger.moment.fired,
            changed: trigger.moment.changed,
            declined: trigger.moment.declined,
            reason: trigger.moment.reason.clone().into_owned(),
            n: trigger.n,
        })
        .collect();
    let place = |row: &TriggerRow| {
        (row.stage, row.occasion.name(), row.fired, row.changed, row.reason.clone())
    };
    rows.sort_by_key(place);
    rows
}

fn stage_name(subject: &Subject, stage: u32) -> String {
    let stage = subject.pipeline.stages.get(stage as usize);
    stage.map_or("", |stage| stage.strategy.name()).to_owned()
}

/// Every demand.
pub fn fact_rows(cell: &str, subject: &Subject) -> Vec<FactRow> {
    let row = |demand: &DemandRecord| FactRow {
        cell: cell.to_owned(),
        windows: nine(demand.distance.over(subject.base_window)),
        demand: demand.clone(),
    };
    subject.trace.demands.iter().map(row).collect()
}
