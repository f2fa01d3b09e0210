use super::sample::{
    WINDOW, added, attempt, checkpoint, compaction, demand, measured, measured_in, session, step,
    trace, with_subject,
};
use super::*;
use crate::apply::{Rule, Violation};
use crate::ident::{FactId, MsgId};
use crate::log::{Boundary, BoundaryAction, Trigger, Usage};
use crate::measure::MetricId;
use crate::pressure::{Occasion, Reading};
use crate::row::ViewState;
use crate::summarize::FailureClass;
use crate::trace::{
    Compaction, CompactionOutcome, DemandRecord, FactRecord, Found, Loss, LossClass, Share,
    StageOutcome, StepRecord,
};
use crate::truth::Origin;
use crate::unit::{Millis, Usd};

fn assert_figures(found: &Measurement, expected: &[(MetricId, Option<f64>)]) {
    for (id, expected) in expected {
        match (found.number(*id), expected) {
            (Some(found), Some(expected)) => {
                assert!((found - expected).abs() < 1e-9, "{id}: {found} is not {expected}");
            }
            (found, expected) => assert_eq!(found, *expected, "{id}"),
        }
    }
}

#[test]
fn every_metric_of_cells_is_measured() {
    const UNTOUCHED: Value = Value::Number(-123.456);
    let untouched = table::of_cells().map(|metric| (metric, UNTOUCHED));
    let mut measurement: Measurement = untouched.collect();
    let trace = trace();
    with_subject(&trace, WINDOW, |subject| measure_into(subject, &mut measurement));
    let mut missing: Vec<MetricId> = table::of_cells().collect();
    missing.retain(|metric| measurement.value(*metric) == Some(UNTOUCHED));
    assert_eq!(missing, []);
}

#[test]
fn a_cell_without_steps_has_counts_but_no_means() {
    let mut trace = trace();
    trace.ended_by = EndedBy::Overflow;
    trace.overflows = 1;
    let found = measured(&trace);
    assert_figures(
        &found,
        &[
            (MetricId::Completion, Some(0.0)),
            (MetricId::StepsReached, Some(0.0)),
            (MetricId::SendsOverflows, Some(1.0)),
            (MetricId::TokensPromptTotal, Some(0.0)),
            (MetricId::TokensPeak, None),
            (MetricId::TokensMeanPrompt, None),
            (MetricId::CacheHitRate, None),
            (MetricId::RecallAtNeed, None),
            (MetricId::RecallMean, None),
            (MetricId::RetentionAll, None),
            (MetricId::Demands, Some(0.0)),
            (MetricId::FloorOnePass, None),
            (MetricId::FloorEntriesPerTurnUser, None),
            (MetricId::FloorLowWater, None),
            (MetricId::ThrashFreedMedian, None),
            (MetricId::ThrashHardlyFreed, Some(0.0)),
            (MetricId::ThrashStuckAt, None),
            (MetricId::LatencyP95, None),
            (MetricId::LatencyRateFor5s, None),
            (MetricId::UtilizationAtCompaction, None),
            (MetricId::FoldUnseenShare, None),
            (MetricId::SummaryRatio, None),
            (MetricId::CostUsd, Some(0.0)),
        ],
    );
    assert_eq!(&found.columns()[..3], ["0", "overflow", "0"]);
}

#[test]
fn the_probe_is_read_at_the_last_checkpoint() {
    let mut trace = trace();
    let mut last = checkpoint(2, 4, &[(900, 10), (500, 8), (300, 4), (300, 3), (400, 9)]);
    last.one_pass.entries[Share::User as usize] = 6;
    last.one_pass.tail_tokens[Share::Tool as usize] = Tokens(120);
    last.one_pass.ownerless = 2;
    trace.checkpoints = vec![checkpoint(1, 2, &[(900, 10), (480, 9)]), last];
    let fixed = session().fixed().as_f64();
    assert_figures(
        &measured(&trace),
        &[
            (MetricId::FloorOnePass, Some(500.0)),
            (MetricId::FloorOnePassRecall, Some(0.8)),
            (MetricId::FloorOnePassWithoutTail, Some(380.0)),
            (MetricId::FloorForced, Some(300.0)),
            (MetricId::FloorForcedRecall, Some(0.4)),
            (MetricId::FloorSlope, Some(10.0)),
            (MetricId::FloorHeadroom, Some(1_000.0 - fixed - 500.0)),
            (MetricId::FloorEntriesPerTurnUser, Some(1.5)),
            (MetricId::FloorEntriesPerTurnGoalBatch, Some(0.0)),
            (MetricId::FloorUsersLeft, Some(6.0)),
            (MetricId::FloorOwnerless, Some(2.0)),
            (MetricId::FloorProbeSummarizer, Some(14.0)),
        ],
    );
}

#[test]
fn a_windowless_cell_has_no_utilization_and_no_headroom() {
    let mut trace = trace();
    trace.checkpoints = vec![checkpoint(1, 2, &[(900, 10), (500, 8)])];
    trace.compactions = vec![compaction(1, 100, 50)];
    assert_figures(
        &measured_in(&trace, Tokens::UNBOUNDED),
        &[
            (MetricId::TokensUsableWindow, None),
            (MetricId::FloorHeadroom, None),
            (MetricId::FloorOnePass, Some(500.0)),
            (MetricId::UtilizationAtCompaction, None),
            (MetricId::UtilizationAtCompactionHigh, None),
            (MetricId::CompactionsAfterOverBefore, Some(0.5)),
        ],
    );
    let rows = with_subject(&trace, Tokens::UNBOUNDED, |one| rows::compaction_rows("c", one));
    assert_eq!(rows[0].utilization, None);
}

#[test]
fn rounds_of_a_stage_are_one_firing() {
    let mut trace = trace();
    let second = Compaction { round: 1, ..compaction(1, 98, 50) };
    let idle =
        Compaction { outcome: CompactionOutcome::Unchanged, removed: 0, ..compaction(3, 60, 60) };
    trace.compactions = vec![compaction(1, 100, 98), second, compaction(2, 80, 20), idle];
    trace.compactions[2].utilization = 0.95;
    assert_figures(
        &measured(&trace),
        &[
            // 0.5, 0.75 and 0 freed.
            (MetricId::ThrashFreedMedian, Some(0.5)),
            (MetricId::ThrashHardlyFreed, Some(1.0)),
            // 0.5 and 0.25 left; the idle one changed nothing.
            (MetricId::CompactionsAfterOverBefore, Some(0.375)),
            (MetricId::CompactionsCount, Some(3.0)),
            (MetricId::UtilizationAtCompaction, Some(0.725)),
            (MetricId::UtilizationAtCompactionHigh, Some(0.5)),
            // Turns 1 and 2 are stretches of their own in a session of three turns.
            (MetricId::FloorLowWater, Some(20.0)),
            (MetricId::FloorLowWaterMedian, Some(35.0)),
            (MetricId::FloorSlopeLowWater, Some(-30.0)),
        ],
    );
}

#[test]
fn a_cell_that_fires_to_its_death_is_stuck() {
    let limit = Tokens(90);
    let hopeless = |number| Compaction {
        reading: Some(Reading { used: Tokens(200), limit, target: limit, met: true }),
        ..compaction(number, 100, 99)
    };
    let mut trace = trace();
    trace.steps = vec![step(1, 100), step(2, 100)];
    trace.compactions = vec![hopeless(2), hopeless(3)];
    trace.ended_by = EndedBy::Overflow;
    assert_figures(&measured(&trace), &[(MetricId::ThrashStuckAt, Some(2.0))]);
    // The reading falls with the view: 200 × 40 / 100 is under 90.
    trace.compactions[1].after = Tokens(40);
    assert_figures(&measured(&trace), &[(MetricId::ThrashStuckAt, None)]);
}

#[test]
fn compactions_are_counted_by_what_came_of_them() {
    let with = |outcome, occasion| Compaction { outcome, occasion, ..compaction(1, 100, 50) };
    let mut trace = trace();
    trace.compactions = vec![
        with(CompactionOutcome::Accepted, Occasion::BeforeCall),
        with(CompactionOutcome::Fallback(FailureClass::Empty), Occasion::Overflow),
        with(CompactionOutcome::Failed(FailureClass::Empty), Occasion::Overflow),
        with(CompactionOutcome::Rejected, Occasion::BeforeCall),
        with(CompactionOutcome::Unchanged, Occasion::BeforeCall),
    ];
    trace.compactions[0].added = vec![added(Share::GoalBatch, 10, 100, 0)];
    trace.compactions[0].added[0].generation = 3;
    trace.compactions[1].took_live_goal = true;
    for declined in [true, true, false, true, true, true, true] {
        trace.count(0, Occasion::BeforeCall, StageOutcome { declined, ..StageOutcome::default() });
    }
    assert_figures(
        &measured(&trace),
        &[
            (MetricId::CompactionsCount, Some(2.0)),
            (MetricId::CompactionsFallback, Some(1.0)),
            (MetricId::CompactionsFailed, Some(2.0)),
            (MetricId::CompactionsReactive, Some(1.0)),
            (MetricId::CompactionsDeclined, Some(6.0)),
            (MetricId::CompactionsMaxGeneration, Some(3.0)),
            (MetricId::FloorGoalBatches, Some(1.0)),
            (MetricId::FloorGoalsAbsorbed, Some(1.0)),
        ],
    );
}

#[test]
fn tokens_and_dollars_are_those_of_sends_and_billed_requests() {
    let mut trace = trace();
    trace.steps = vec![
        StepRecord { output: Tokens(1_000), ..step(1, 100_000) },
        StepRecord {
            cached: Tokens(60_000),
            written: Tokens(30_000),
            invalidated: Tokens(5),
            expired: Tokens(6),
            output: Tokens(1_000),
            ..step(2, 100_000)
        },
    ];
    let refused = crate::answer::Attempt { billed: false, ..attempt(0, 999, 999) };
    trace.compactions = vec![Compaction {
        attempts: vec![refused, attempt(1, 50, 5)],
        usd: Usd(0.5),
        ..compaction(1, 100, 50)
    }];
    assert_figures(
        &measured(&trace),
        &[
            (MetricId::TokensPeak, Some(100_000.0)),
            (MetricId::TokensMeanPrompt, Some(100_000.0)),
            (MetricId::TokensPromptTotal, Some(200_000.0)),
            (MetricId::TokensSummarizer, Some(55.0)),
            (MetricId::TokensSummarizerPrompt, Some(50.0)),
            (MetricId::TokensSummarizerCompletion, Some(5.0)),
            // The example sheet: 2 dollars in, 0.2 cached, 2.5 written, 10 out, a million.
            (MetricId::CostUsd, Some(0.21 + 0.117 + 0.5)),
            (MetricId::CostUsdSummarizer, Some(0.5)),
            (MetricId::CacheHitRate, Some(0.3)),
            (MetricId::CacheInvalidatedTokens, Some(5.0)),
            (MetricId::CacheExpiredTokens, Some(6.0)),
        ],
    );
}

#[test]
fn a_wait_is_that_of_a_whole_firing() {
    let round = |round, blocking, attempts| Compaction {
        round,
        blocking: Millis(blocking),
        attempts,
        ..compaction(1, 100, 50)
    };
    // The example sheet generates 60 tokens a second. Round 0: two tries at once, the
    // longest of 60 tokens; round 1: one of 120. 3 s of 5 s are generating.
    let both = || {
        vec![
            round(0, 2_000, vec![attempt(1, 9, 60), attempt(1, 9, 30)]),
            round(1, 3_000, vec![attempt(1, 9, 120)]),
        ]
    };
    let mut trace = trace();
    trace.compactions = both();
    // A firing without a request makes no one wait.
    trace.compactions.push(round(0, 0, vec![]));
    assert_figures(
        &measured(&trace),
        &[
            (MetricId::LatencyP50, Some(5_000.0)),
            (MetricId::LatencyP95, Some(5_000.0)),
            (MetricId::LatencyMax, Some(5_000.0)),
            (MetricId::LatencyRateFor5s, Some(60.0)),
        ],
    );
    trace.compactions = vec![round(0, 9_000, vec![attempt(1, 9, 60)])];
    assert_figures(&measured(&trace), &[(MetricId::LatencyRateFor5s, None)]);
}

#[test]
fn recall_at_need_is_over_ranked_demands_a_window_away() {
    let mut trace = trace();
    let incidental = DemandRecord { origin: Origin::Incidental, ..demand(0, 5_000, Found::Absent) };
    trace.demands = vec![
        demand(0, 100, Found::Absent),
        demand(0, 500, Found::Present(0)),
        demand(0, 999, Found::Absent),
        demand(0, 1_000, Found::Present(2)),
        demand(0, 1_999, Found::Inverted),
        demand(0, 2_000, Found::NotReached),
        demand(0, 4_000, Found::Present(0)),
        incidental,
    ];
    assert_figures(
        &measured(&trace),
        &[
            (MetricId::Demands, Some(7.0)),
            (MetricId::DemandsAtNeed, Some(4.0)),
            (MetricId::RecallAtNeed, Some(0.5)),
            (MetricId::RecallAtNeedReached, Some(2.0 / 3.0)),
            (MetricId::RecallAtNeedFrom05, Some(0.5)),
            (MetricId::RecallAtNeedFrom1, Some(0.5)),
            (MetricId::RecallAtNeedFrom2, Some(0.0)),
            (MetricId::RecallAtNeedFrom4, Some(1.0)),
            (MetricId::RecallAll, Some(3.0 / 7.0)),
            (MetricId::MissedNotReached, Some(1.0)),
            (MetricId::MissedUnexplained, Some(3.0)),
        ],
    );
    // A swept window changes nothing: distances are told in base windows.
    assert_figures(&measured_in(&trace, Tokens(200)), &[(MetricId::RecallAtNeed, Some(0.5))]);
}

#[test]
fn a_loss_is_paid_for_once() {
    let missed = |fact, lost_by| DemandRecord { lost_by, ..demand(fact, 0, Found::Absent) };
    let mut trace = trace();
    trace.demands = vec![
        missed(1, Some(1)),
        missed(1, Some(1)),
        missed(1, Some(4)),
        missed(0, Some(1)),
        missed(4, Some(1)),
        demand(1, 0, Found::Present(0)),
        demand(1, 0, Found::NotReached),
        DemandRecord { origin: Origin::Incidental, ..missed(1, Some(9)) },
    ];
    // Fact 1 came with message 2 and again with 6, whose call has the shorter arguments.
    let session = session();
    let counts = &session.reference.messages;
    let price = counts[6].total() + counts[5].calls[0];
    assert!(price < counts[2].total() + counts[1].calls[0]);
    assert_figures(
        &measured(&trace),
        &[
            (MetricId::CostReacquire, Some(2.0 * price.as_f64())),
            (MetricId::CostUnrecoverable, Some(2.0)),
            (MetricId::DeadEndExposed, Some(1.0)),
        ],
    );
}

#[test]
fn losses_are_attributed_among_all_and_among_the_missed() {
    let lost = |class| Loss { fact: FactId(0), class };
    let mut trace = trace();
    trace.compactions = vec![Compaction {
        lost: vec![lost(LossClass::Dropped), lost(LossClass::Unseen), lost(LossClass::Unseen)],
        added: vec![
            added(Share::Summarized, 10, 100, 40),
            added(Share::Summary, 20, 60, 0),
            added(Share::Tool, 5, 40, 10),
        ],
        violations: vec![
            Violation { rule: Rule::EmptySummary, entry: None },
            Violation { rule: Rule::SplitPair, entry: None },
        ],
        ..compaction(1, 100, 50)
    }];
    trace.demands =
        vec![DemandRecord { loss: Some(LossClass::Unseen), ..demand(0, 0, Found::Absent) }];
    trace.decoys_seen = 1;
    assert_figures(
        &measured(&trace),
        &[
            (MetricId::Losses, Some(3.0)),
            (MetricId::LossesDropped, Some(1.0)),
            (MetricId::LossesCoveredButUnseen, Some(2.0)),
            (MetricId::MissedDropped, Some(0.0)),
            (MetricId::MissedCoveredButUnseen, Some(1.0)),
            (MetricId::MissedUnexplained, Some(0.0)),
            (MetricId::FoldUnseenShare, Some(0.25)),
            (MetricId::SummaryRatio, Some(30.0 / 160.0)),
            (MetricId::SummaryEmpty, Some(0.5)),
            (MetricId::Violations, Some(2.0)),
            (MetricId::ViolationsSplitPair, Some(1.0)),
            (MetricId::ViolationsGrew, Some(0.0)),
            (MetricId::DecoysSeen, Some(1.0)),
        ],
    );
}

#[test]
fn retention_is_over_facts_born_and_not_superseded() {
    let record = |fact, found| FactRecord { fact: FactId(fact), found };
    let mut trace = trace();
    trace.facts = vec![
        record(0, Found::Present(0)),
        record(1, Found::Absent),
        record(2, Found::Absent),
        record(3, Found::Present(1)),
        record(4, Found::Inverted),
    ];
    trace.steps = (1..=6).map(|number| step(number, 10)).collect();
    assert_figures(
        &measured(&trace),
        &[
            (MetricId::RetentionAll, Some(0.5)),
            (MetricId::RetentionPath, Some(1.0)),
            (MetricId::RetentionValue, Some(0.0)),
            (MetricId::RetentionConstraint, Some(1.0)),
            (MetricId::RetentionDeadEnd, Some(0.0)),
            (MetricId::RetentionSymbol, None),
        ],
    );
    // After four steps fact 3 is not born, so fact 2 still holds.
    trace.steps.truncate(4);
    trace.facts[3].found = Found::NotReached;
    assert_figures(&measured(&trace), &[(MetricId::RetentionConstraint, Some(0.0))]);
}

#[test]
fn recall_over_steps_leaves_out_steps_with_nothing_live() {
    let mut trace = trace();
    let known = |live, present| StepRecord { live, present, ..step(1, 10) };
    trace.steps = vec![known(0, 0), known(4, 4), known(4, 1)];
    trace.steps[2].live_goal = false;
    assert_figures(
        &measured(&trace),
        &[(MetricId::RecallMean, Some(0.625)), (MetricId::LiveGoalLost, Some(1.0))],
    );
}

#[test]
fn counters_are_compared_over_the_whole_log() {
    let mut session = session();
    let pipeline = crate::strategy::pipeline("truncate").expect("a shipped pipeline");
    let total = session.reference.total().as_f64();
    let own = session.table(pipeline.counter.tokenizer).total().as_f64();
    let between = |from: usize, to: usize| {
        let counts = &session.reference.messages[from..to];
        counts.iter().map(|one| one.total().0).sum::<u64>()
    };
    // Recorded prompts grow twice as fast as ours; the third is after a recorded
    // compaction, and the last does not grow.
    let (first, second) = (between(1, 5), between(7, 9));
    let mut prompt = 100;
    let mut usage = |message, growth: u64| {
        prompt += growth;
        Usage { message: MsgId(message), prompt: Tokens(prompt), cached: Tokens::ZERO }
    };
    session.log.usage =
        vec![usage(1, 0), usage(5, 2 * first), usage(7, 5_000), usage(9, 2 * second), usage(11, 0)];
    session.log.boundaries = vec![Boundary {
        before: MsgId(6),
        trigger: Trigger::Auto,
        action: BoundaryAction::Clear(Vec::new()),
        pre_tokens: None,
        post_tokens: None,
    }];
    let (trace, sheet) = (trace(), PriceSheet::embedded());
    let subject = Subject {
        trace: &trace,
        session: &session,
        pipeline: &pipeline,
        limits: sample::limits(WINDOW),
        base_window: WINDOW,
        sheet: &sheet,
    };
    assert_figures(
        &measure(&subject),
        &[
            (MetricId::CounterError, Some(own / total - 1.0)),
            (MetricId::CounterReferenceError, Some(-0.5)),
        ],
    );
    assert_figures(&measured(&trace), &[(MetricId::CounterReferenceError, None)]);
}

#[test]
fn rows_tell_what_the_trace_tells() {
    let mut trace = trace();
    trace.checkpoints = vec![checkpoint(1, 2, &[(900, 10), (500, 8)])];
    trace.checkpoints[0].one_pass.entries[Share::User as usize] = 3;
    trace.last.entries[Share::Tool as usize] = 2;
    trace.demands = vec![demand(1, 1_500, Found::Present(2)), demand(4, 0, Found::NotReached)];
    trace.compactions = vec![Compaction {
        attempts: vec![attempt(1, 50, 5), attempt(2, 40, 4)],
        lost: vec![Loss { fact: FactId(0), class: LossClass::Omitted }],
        violations: vec![
            Violation { rule: Rule::Grew, entry: None },
            Violation { rule: Rule::SplitPair, entry: None },
        ],
        ..compaction(1, 100, 50)
    }];
    with_subject(&trace, WINDOW, |subject| {
        let floor = rows::floor_rows("c", subject);
        let told: Vec<_> = floor.iter().map(|row| (row.round, row.tokens, row.present)).collect();
        assert_eq!(told, [(0, Tokens(900), 10), (1, Tokens(500), 8)]);
        let composition = rows::composition_rows("c", subject).into_iter();
        let told = composition.map(|row| (row.checkpoint, row.state, row.share, row.entries));
        let forced = (1, ViewState::OnePass, Share::User, 3);
        assert!(told.eq([forced, (0, ViewState::Deployed, Share::Tool, 2)]));
        let facts = rows::fact_rows("c", subject);
        assert_eq!((facts[0].windows, facts[0].demand.found), (1.5, Found::Present(2)));
        assert_eq!(facts[1].demand.found, Found::NotReached);
        let compactions = rows::compaction_rows("c", subject);
        let row = &compactions[0];
        assert_eq!((row.stage.as_str(), row.occasion), ("truncate", Occasion::BeforeCall));
        assert_eq!((row.summarizer_prompt, row.summarizer_completion), (Tokens(90), Tokens(9)));
        assert_eq!((row.lost_omitted, row.lost_dropped), (1, 0));
        assert_eq!((row.violations.as_str(), row.utilization), ("grew;split-pair", Some(0.5)));
    });
}
