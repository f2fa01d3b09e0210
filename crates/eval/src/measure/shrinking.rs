//! Floor figures of one cell.

use crate::measure::floor::{Warmup, low_water};
use crate::measure::{Measurement, MetricId, Subject};
use crate::stats;
use crate::trace::{Checkpoint, Composition, ProbeRound, Share};
use crate::unit::Tokens;

pub(super) fn measure(subject: &Subject, into: &mut Measurement) {
    probed(subject, into);
    deployed(subject, into);
}

/// What the probe found at the last checkpoint that the session reached.
fn probed(subject: &Subject, into: &mut Measurement) {
    let checkpoints = &subject.trace.checkpoints;
    let last = checkpoints.last();
    let floor = last.and_then(Checkpoint::floor);
    let one_pass = floor.map(|(round, _)| round);
    let forced = last.and_then(forced);
    let tokens = |round: Option<ProbeRound>| round.map(|round| round.tokens.as_f64());
    into.put(MetricId::FloorOnePass, tokens(one_pass));
    let floors = checkpoints.iter().filter_map(Checkpoint::floor);
    let floors: Vec<f64> = floors.map(|(round, _)| round.tokens.as_f64()).collect();
    into.put(MetricId::FloorOnePassMean, stats::mean(&floors));
    into.put(MetricId::FloorOnePassRecall, one_pass.and_then(recall));
    into.put(MetricId::FloorForced, tokens(forced));
    into.put(MetricId::FloorForcedRecall, forced.and_then(recall));
    let without_tail = floor.map(|(round, floor)| {
        (round.tokens - floor.tail_tokens.iter().copied().sum::<Tokens>()).as_f64()
    });
    into.put(MetricId::FloorOnePassWithoutTail, without_tail);
    let headroom = tokens(one_pass).zip(subject.usable_window());
    into.put(MetricId::FloorHeadroom, headroom.map(|(floor, usable)| usable.as_f64() - floor));
    structure(last.zip(floor.map(|(_, floor)| floor)), into);
    growth(subject, into);
    let spent: Tokens = checkpoints.iter().map(|checkpoint| checkpoint.summarizer).sum();
    into.put(MetricId::FloorProbeSummarizer, last.map(|_| spent.as_f64()));
}

fn structure(floor: Option<(&Checkpoint, &Composition)>, into: &mut Measurement) {
    for share in Share::ALL {
        let per_turn = floor.map(|(last, floor)| {
            let entries = floor.entries[share as usize];
            f64::from(entries) / f64::from(last.turn.max(1))
        });
        into.put(MetricId::entries_per_turn(share), per_turn);
    }
    let users = floor.map(|(_, floor)| f64::from(floor.entries[Share::User as usize]));
    into.put(MetricId::FloorUsersLeft, users);
    into.put(MetricId::FloorOwnerless, floor.map(|(_, floor)| f64::from(floor.ownerless)));
    let batch = floor.and_then(|(_, floor)| {
        let tokens: Tokens = SUMMARIES.iter().map(|share| floor.tokens[*share as usize]).sum();
        let batches = batches(floor);
        (batches > 0).then(|| tokens.as_f64() / f64::from(batches))
    });
    into.put(MetricId::FloorBatchTokens, batch);
}

const SUMMARIES: [Share; 3] = [Share::Summarized, Share::GoalBatch, Share::Summary];

fn batches(floor: &Composition) -> u32 {
    SUMMARIES.iter().map(|share| floor.entries[*share as usize]).sum()
}

/// How the floor grows over the checkpoints behind the warm-up.
fn growth(subject: &Subject, into: &mut Measurement) {
    // The window of the cell's key: its own where it has one, else its scenario's.
    let windowed = subject.limits.window < Tokens::UNBOUNDED;
    let window = if windowed { subject.limits.window } else { subject.base_window };
    let warmup = Warmup::of(&subject.trace.compactions, window);
    let settled = subject.trace.checkpoints.iter().filter(|one| {
        one.rounds.first().is_some_and(|untouched| warmup.is_over(one.step, untouched.tokens))
    });
    let floors: Vec<(f64, (ProbeRound, &Composition))> =
        settled.filter_map(|one| Some((f64::from(one.turn), one.floor()?))).collect();
    let slope = |of: &dyn Fn(ProbeRound, &Composition) -> f64| {
        let points = floors.iter().map(|(turn, (round, floor))| (*turn, of(*round, floor)));
        stats::theil_sen(&points.collect::<Vec<_>>())
    };
    into.put(MetricId::FloorSlope, slope(&|round, _| round.tokens.as_f64()));
    let entries = slope(&|_, floor| f64::from(floor.entries.iter().sum::<u32>()));
    into.put(MetricId::FloorEntriesPerTurn, entries);
    into.put(MetricId::FloorBatchesPerTurn, slope(&|_, floor| f64::from(batches(floor))));
}

fn deployed(subject: &Subject, into: &mut Measurement) {
    let compactions = &subject.trace.compactions;
    let points = low_water(subject.session.turns, compactions.iter());
    let tokens: Vec<f64> = points.iter().map(|(_, tokens)| *tokens).collect();
    into.put(MetricId::FloorLowWater, tokens.last().copied());
    into.put(MetricId::FloorLowWaterMedian, stats::median(&tokens));
    into.put(MetricId::FloorSlopeLowWater, stats::theil_sen(&points));
    let batches = compactions
        .iter()
        .filter(|compaction| compaction.added.iter().any(|entry| entry.share == Share::GoalBatch));
    into.count(MetricId::FloorGoalBatches, batches.count());
    let absorbed = compactions.iter().filter(|compaction| compaction.took_live_goal);
    into.count(MetricId::FloorGoalsAbsorbed, absorbed.count());
}

fn forced(checkpoint: &Checkpoint) -> Option<ProbeRound> {
    checkpoint.rounds.iter().copied().min_by_key(|round| round.tokens)
}

fn recall(round: ProbeRound) -> Option<f64> {
    (round.live > 0).then(|| f64::from(round.present) / f64::from(round.live))
}
