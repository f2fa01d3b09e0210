//! Floor figures of one cell.

use crate::measure::floor::low_water;
use crate::measure::{Measurement, MetricId, Round, Subject};
use crate::row::ONE_PASS;
use crate::stats;
use crate::trace::{Checkpoint, ProbeRound, Share};
use crate::unit::Tokens;

pub(super) fn measure(subject: &Subject, into: &mut Measurement) {
    probed(subject, into);
    deployed(subject, into);
}

/// What the probe found at the last checkpoint that the session reached.
fn probed(subject: &Subject, into: &mut Measurement) {
    let checkpoints = &subject.trace.checkpoints;
    let last = checkpoints.last();
    let one_pass = last.and_then(one_pass);
    let forced = last.and_then(forced);
    let tokens = |round: Option<ProbeRound>| round.map(|round| round.tokens.as_f64());
    into.put(MetricId::FloorOnePass, tokens(one_pass));
    into.put(MetricId::FloorOnePassRecall, one_pass.and_then(recall));
    into.put(MetricId::FloorForced, tokens(forced));
    into.put(MetricId::FloorForcedRecall, forced.and_then(recall));
    let tail = last.map(|last| last.one_pass.tail_tokens.iter().copied().sum::<Tokens>());
    let without_tail = one_pass.zip(tail).map(|(round, tail)| (round.tokens - tail).as_f64());
    into.put(MetricId::FloorOnePassWithoutTail, without_tail);
    let headroom = tokens(one_pass).zip(subject.usable_window());
    into.put(MetricId::FloorHeadroom, headroom.map(|(floor, usable)| usable.as_f64() - floor));
    let points: Vec<(f64, f64)> = checkpoints
        .iter()
        .filter_map(|one| Some((f64::from(one.turn), self::one_pass(one)?.tokens.as_f64())))
        .collect();
    into.put(MetricId::FloorSlope, stats::theil_sen(&points));
    structure(last, into);
    let spent: Tokens = checkpoints.iter().map(|checkpoint| checkpoint.summarizer).sum();
    into.put(MetricId::FloorProbeSummarizer, last.map(|_| spent.as_f64()));
}

fn structure(last: Option<&Checkpoint>, into: &mut Measurement) {
    for share in Share::ALL {
        let per_turn = last.map(|last| {
            let entries = last.one_pass.entries[share as usize];
            f64::from(entries) / f64::from(last.turn.max(1))
        });
        into.put(MetricId::entries_per_turn(share), per_turn);
    }
    let users = last.map(|last| f64::from(last.one_pass.entries[Share::User as usize]));
    into.put(MetricId::FloorUsersLeft, users);
    into.put(MetricId::FloorOwnerless, last.map(|last| f64::from(last.one_pass.ownerless)));
}

fn deployed(subject: &Subject, into: &mut Measurement) {
    let compactions = &subject.trace.compactions;
    let left = compactions.iter().filter(|one| one.changed()).map(|one| (one.turn, one.after));
    let points = low_water(subject.session.turns, left);
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

fn one_pass(checkpoint: &Checkpoint) -> Option<ProbeRound> {
    checkpoint.rounds.get(ONE_PASS as usize).copied()
}

fn forced(checkpoint: &Checkpoint) -> Option<ProbeRound> {
    checkpoint.rounds.iter().skip(1).copied().min_by_key(|round| round.tokens)
}

fn recall(round: ProbeRound) -> Option<f64> {
    (round.live > 0).then(|| f64::from(round.present) / f64::from(round.live))
}
