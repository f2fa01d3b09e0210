//! The rows of one cell: its trace as the files of a run directory hold it.

use crate::apply::Violation;
use crate::measure::retention::windows;
use crate::measure::{Subject, share as part_of};
use crate::row::{
    CompactionRow, CompositionRow, FactRow, FloorRow, StepRow, TriggerRow, optional, tokens,
};
use crate::trace::{
    Compaction, Composition, DemandRecord, Found, LossClass, Share, StepRecord, SummaryReading,
};
use crate::unit::{Tokens, float};

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
            tokens: tokens(round.tokens),
            live: round.live,
            present: round.present,
        })
        .collect()
}

/// What the view was made of at each checkpoint, before and after one forced round,
/// and at the end (checkpoint 0). Shares of which there is nothing have no row.
pub fn composition_rows(cell: &str, subject: &Subject) -> Vec<CompositionRow> {
    let mut rows = Vec::new();
    for checkpoint in &subject.trace.checkpoints {
        let number = checkpoint.number;
        rows.extend(shares(cell, number, "deployed", &checkpoint.before));
        rows.extend(shares(cell, number, "one-pass", &checkpoint.one_pass));
    }
    rows.extend(shares(cell, 0, "deployed", &subject.trace.last));
    rows
}

fn shares<'a>(
    cell: &'a str,
    checkpoint: u32,
    state: &'a str,
    composition: &'a Composition,
) -> impl Iterator<Item = CompositionRow> + 'a {
    let present = Share::ALL.into_iter().filter(|share| composition.entries[*share as usize] > 0);
    present.map(move |share| CompositionRow {
        cell: cell.to_owned(),
        checkpoint,
        state: state.to_owned(),
        share: share.name().to_owned(),
        entries: composition.entries[share as usize],
        tokens: tokens(composition.tokens[share as usize]),
        tail_entries: composition.tail_entries[share as usize],
        tail_tokens: tokens(composition.tail_tokens[share as usize]),
    })
}

/// Every model call.
pub fn step_rows(cell: &str, subject: &Subject) -> Vec<StepRow> {
    subject.trace.steps.iter().map(|step| step_row(cell, subject, step)).collect()
}

fn step_row(cell: &str, subject: &Subject, step: &StepRecord) -> StepRow {
    let share = |share: Share| tokens(step.shares[share as usize]);
    let usd = subject.sheet.cost(step.prompt, step.cached, step.written, step.output);
    StepRow {
        cell: cell.to_owned(),
        step: step.step,
        turn: step.turn,
        prompt: tokens(step.prompt),
        kept: tokens(step.kept),
        sent: tokens(step.sent),
        carried: tokens(step.carried),
        system: share(Share::System),
        user: share(Share::User),
        assistant: share(Share::Assistant),
        tool: share(Share::Tool),
        summarized: share(Share::Summarized),
        goal_batch: share(Share::GoalBatch),
        summary: share(Share::Summary),
        other: share(Share::Other),
        entries: step.entries,
        cached: tokens(step.cached),
        written: tokens(step.written),
        invalidated: tokens(step.invalidated),
        expired: tokens(step.expired),
        output: tokens(step.output),
        usd: float(usd.0),
        live: step.live,
        present: step.present,
        live_goal: u8::from(step.live_goal),
        sends: step.sends,
    }
}

/// Every plan.
pub fn compaction_rows(cell: &str, subject: &Subject) -> Vec<CompactionRow> {
    let compactions = subject.trace.compactions.iter();
    compactions.map(|compaction| compaction_row(cell, subject, compaction)).collect()
}

fn compaction_row(cell: &str, subject: &Subject, compaction: &Compaction) -> CompactionRow {
    let billed = || compaction.attempts.iter().filter(|attempt| attempt.billed);
    let added = &compaction.added;
    let windowed = subject.usable_window().map(|_| compaction.utilization);
    let mut reading = SummaryReading::default();
    added.iter().filter_map(|entry| entry.reading).for_each(|one| reading += one);
    let lost = |class| compaction.lost.iter().filter(|loss| loss.class == class).count() as u32;
    CompactionRow {
        cell: cell.to_owned(),
        number: compaction.number,
        step: compaction.step,
        turn: compaction.turn,
        stage: stage_name(subject, compaction.stage),
        occasion: compaction.occasion.name().to_owned(),
        round: compaction.round,
        outcome: compaction.outcome.name().to_owned(),
        before: tokens(compaction.before),
        after: tokens(compaction.after),
        entries_before: compaction.entries_before,
        entries_after: compaction.entries_after,
        removed: compaction.removed,
        added: added.len() as u32,
        generation: added.iter().map(|entry| entry.generation).max().unwrap_or(0),
        utilization: optional(windowed),
        trigger: optional(windowed.and_then(|utilization| trigger(compaction, utilization))),
        attempts: compaction.attempts.len() as u32,
        failed_attempts: compaction.attempts.iter().filter(|one| one.failed.is_some()).count()
            as u32,
        summarizer_prompt: tokens(billed().map(|attempt| attempt.prompt).sum()),
        summarizer_completion: tokens(billed().map(|attempt| attempt.completion).sum()),
        usd: float(compaction.usd.0),
        blocking_ms: compaction.blocking.0,
        covered_tokens: tokens(added.iter().map(|entry| entry.covered_tokens).sum()),
        unseen_tokens: tokens(added.iter().map(|entry| entry.unseen_tokens).sum()),
        words: reading.words,
        copied_words: reading.copied,
        artifacts: reading.artifacts,
        fabricated: reading.fabricated,
        took_live_goal: u8::from(compaction.took_live_goal),
        lost_dropped: lost(LossClass::Dropped),
        lost_unseen: lost(LossClass::Unseen),
        lost_omitted: lost(LossClass::Omitted),
        lost_resummarized: lost(LossClass::Resummarized),
        lost_inverted: lost(LossClass::Inverted),
        violations: violations(&compaction.violations),
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
            occasion: trigger.occasion.name().to_owned(),
            fired: u8::from(trigger.moment.fired),
            changed: u8::from(trigger.moment.changed),
            declined: u8::from(trigger.moment.declined),
            reason: trigger.moment.reason.clone().into_owned(),
            n: trigger.n,
        })
        .collect();
    let place = |row: &TriggerRow| {
        (row.stage, row.occasion.clone(), row.fired, row.changed, row.reason.clone())
    };
    rows.sort_by_key(place);
    rows
}

fn stage_name(subject: &Subject, stage: u32) -> String {
    let stage = subject.pipeline.stages.get(stage as usize);
    stage.map_or("", |stage| stage.strategy.name()).to_owned()
}

fn violations(violations: &[Violation]) -> String {
    let names: Vec<&str> = violations.iter().map(|violation| violation.rule.name()).collect();
    names.join(";")
}

/// Every demand.
pub fn fact_rows(cell: &str, subject: &Subject) -> Vec<FactRow> {
    let demands = subject.trace.demands.iter();
    demands.map(|demand| fact_row(cell, subject, demand)).collect()
}

fn fact_row(cell: &str, subject: &Subject, demand: &DemandRecord) -> FactRow {
    let fact = subject.session.book.truth.facts.get(demand.fact.index());
    let (found, generation) = match demand.found {
        Found::Present(generation) => ("present", Some(generation)),
        Found::Inverted => ("inverted", None),
        Found::Absent => ("absent", None),
        Found::NotReached => ("not-reached", None),
    };
    let needles = part_of(demand.needles as usize, demand.of_needles as usize);
    FactRow {
        cell: cell.to_owned(),
        demand: demand.demand,
        fact: demand.fact.0,
        kind: fact.map_or("", |fact| fact.kind.name()).to_owned(),
        origin: demand.origin.name().to_owned(),
        step: demand.step,
        distance: tokens(demand.distance),
        windows: in_windows(demand.distance, subject.base_window),
        found: found.to_owned(),
        generation,
        needles: optional(needles.filter(|_| demand.found != Found::NotReached)),
        stale: match demand.stale {
            None => String::new(),
            Some(true) => "carried".to_owned(),
            Some(false) => "gone".to_owned(),
        },
        loss: demand.loss.map_or("", LossClass::name).to_owned(),
        lost_by: demand.lost_by,
    }
}

fn in_windows(distance: Tokens, window: Tokens) -> String {
    float(windows(distance, window))
}
