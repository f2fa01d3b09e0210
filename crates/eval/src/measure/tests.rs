use super::sample::{
    WINDOW, added, attempt, checkpoint, compaction, demand, measured, measured_in, session, step,
    trace, with_subject,
};
use super::*;
use crate::apply::{Rule, Violation};
use crate::ident::{FactId, MsgId};
use crate::log::{Boundary, BoundaryAction, Trigger, Usage};
use crate::pressure::{Occasion, Reading};
use crate::row::ViewState;
use crate::summarize::FailureClass;
use crate::trace::{
    Compaction, CompactionOutcome, DemandRecord, FactRecord, Found, Loss, LossClass, Moment, Share,
    StepRecord,
};
use crate::truth::Origin;
use crate::unit::{Millis, Usd};

fn assert_figures(found: &Measurement, expected: &[(&str, Option<f64>)]) {
    for (id, expected) in expected {
        assert!(metric(id).is_some(), "{id} is no metric");
        match (found.number(id), expected) {
            (Some(found), Some(expected)) => {
                assert!((found - expected).abs() < 1e-9, "{id}: {found} is not {expected}");
            }
            (found, expected) => assert_eq!(found, *expected, "{id}"),
        }
    }
}

#[test]
fn every_metric_of_cells_is_measured() {
    let measurement = measured(&trace());
    let expected: Vec<&str> = table::of_cells().map(|metric| metric.id).collect();
    let mut missing = expected.clone();
    missing.retain(|id| !measurement.values.contains_key(id));
    assert_eq!(missing, Vec::<&str>::new());
    assert_eq!(measurement.values.len(), expected.len());
    assert_eq!(measurement.columns().len(), expected.len());
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
            ("completion", Some(0.0)),
            ("steps_reached", Some(0.0)),
            ("sends.overflows", Some(1.0)),
            ("tokens.prompt_total", Some(0.0)),
            ("tokens.peak", None),
            ("tokens.mean_prompt", None),
            ("cache.hit_rate", None),
            ("recall_at_need", None),
            ("recall.mean", None),
            ("retention.all", None),
            ("demands", Some(0.0)),
            ("floor.one_pass", None),
            ("floor.entries_per_turn.user", None),
            ("floor.low_water", None),
            ("thrash.freed_median", None),
            ("thrash.hardly_freed", Some(0.0)),
            ("thrash.stuck_at", None),
            ("latency.p95", None),
            ("latency.rate_for_5s", None),
            ("utilization_at_compaction", None),
            ("fold.unseen_share", None),
            ("summary.ratio", None),
            ("cost.usd", Some(0.0)),
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
            ("floor.one_pass", Some(500.0)),
            ("floor.one_pass_recall", Some(0.8)),
            ("floor.one_pass_without_tail", Some(380.0)),
            ("floor.forced", Some(300.0)),
            ("floor.forced_recall", Some(0.4)),
            ("floor.slope", Some(10.0)),
            ("floor.headroom", Some(1_000.0 - fixed - 500.0)),
            ("floor.entries_per_turn.user", Some(1.5)),
            ("floor.entries_per_turn.goal-batch", Some(0.0)),
            ("floor.users_left", Some(6.0)),
            ("floor.ownerless", Some(2.0)),
            ("floor.probe_summarizer", Some(14.0)),
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
            ("tokens.usable_window", None),
            ("floor.headroom", None),
            ("floor.one_pass", Some(500.0)),
            ("utilization_at_compaction", None),
            ("utilization_at_compaction.high", None),
            ("compactions.after_over_before", Some(0.5)),
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
            ("thrash.freed_median", Some(0.5)),
            ("thrash.hardly_freed", Some(1.0)),
            // 0.5 and 0.25 left; the idle one changed nothing.
            ("compactions.after_over_before", Some(0.375)),
            ("compactions.count", Some(3.0)),
            ("utilization_at_compaction", Some(0.725)),
            ("utilization_at_compaction.high", Some(0.5)),
            // Turns 1 and 2 are stretches of their own in a session of three turns.
            ("floor.low_water", Some(20.0)),
            ("floor.low_water.median", Some(35.0)),
            ("floor.slope.low_water", Some(-30.0)),
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
    assert_figures(&measured(&trace), &[("thrash.stuck_at", Some(2.0))]);
    // The reading falls with the view: 200 × 40 / 100 is under 90.
    trace.compactions[1].after = Tokens(40);
    assert_figures(&measured(&trace), &[("thrash.stuck_at", None)]);
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
        trace.count(0, Occasion::BeforeCall, Moment { declined, ..Moment::default() });
    }
    assert_figures(
        &measured(&trace),
        &[
            ("compactions.count", Some(2.0)),
            ("compactions.fallback", Some(1.0)),
            ("compactions.failed", Some(2.0)),
            ("compactions.reactive", Some(1.0)),
            ("compactions.declined", Some(6.0)),
            ("compactions.max_generation", Some(3.0)),
            ("floor.goal_batches", Some(1.0)),
            ("floor.goals_absorbed", Some(1.0)),
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
            ("tokens.peak", Some(100_000.0)),
            ("tokens.mean_prompt", Some(100_000.0)),
            ("tokens.prompt_total", Some(200_000.0)),
            ("tokens.summarizer", Some(55.0)),
            ("tokens.summarizer_prompt", Some(50.0)),
            ("tokens.summarizer_completion", Some(5.0)),
            // The example sheet: 2 dollars in, 0.2 cached, 2.5 written, 10 out, a million.
            ("cost.usd", Some(0.21 + 0.117 + 0.5)),
            ("cost.usd_summarizer", Some(0.5)),
            ("cache.hit_rate", Some(0.3)),
            ("cache.invalidated_tokens", Some(5.0)),
            ("cache.expired_tokens", Some(6.0)),
        ],
    );
    let rows = with_subject(&trace, WINDOW, |subject| rows::step_rows("c", subject));
    assert_eq!(rows.len(), 2);
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
            ("latency.p50", Some(5_000.0)),
            ("latency.p95", Some(5_000.0)),
            ("latency.max", Some(5_000.0)),
            ("latency.rate_for_5s", Some(60.0)),
        ],
    );
    trace.compactions = vec![round(0, 9_000, vec![attempt(1, 9, 60)])];
    assert_figures(&measured(&trace), &[("latency.rate_for_5s", None)]);
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
            ("demands", Some(7.0)),
            ("demands.at_need", Some(4.0)),
            ("recall_at_need", Some(0.5)),
            ("recall_at_need.reached", Some(2.0 / 3.0)),
            ("recall_at_need.from_0.5", Some(0.5)),
            ("recall_at_need.from_1", Some(0.5)),
            ("recall_at_need.from_2", Some(0.0)),
            ("recall_at_need.from_4", Some(1.0)),
            ("recall.all", Some(3.0 / 7.0)),
            ("missed.not-reached", Some(1.0)),
            ("missed.unexplained", Some(3.0)),
        ],
    );
    // A swept window changes nothing: distances are told in base windows.
    assert_figures(&measured_in(&trace, Tokens(200)), &[("recall_at_need", Some(0.5))]);
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
            ("cost.reacquire", Some(2.0 * price.as_f64())),
            ("cost.unrecoverable", Some(2.0)),
            ("dead_end.exposed", Some(1.0)),
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
            ("losses", Some(3.0)),
            ("losses.dropped", Some(1.0)),
            ("losses.covered-but-unseen", Some(2.0)),
            ("missed.dropped", Some(0.0)),
            ("missed.covered-but-unseen", Some(1.0)),
            ("missed.unexplained", Some(0.0)),
            ("fold.unseen_share", Some(0.25)),
            ("summary.ratio", Some(30.0 / 160.0)),
            ("summary.empty", Some(0.5)),
            ("violations", Some(2.0)),
            ("violations.split-pair", Some(1.0)),
            ("violations.grew", Some(0.0)),
            ("decoys.seen", Some(1.0)),
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
            ("retention.all", Some(0.5)),
            ("retention.path", Some(1.0)),
            ("retention.value", Some(0.0)),
            ("retention.constraint", Some(1.0)),
            ("retention.dead-end", Some(0.0)),
            ("retention.symbol", None),
        ],
    );
    // After four steps fact 3 is not born, so fact 2 still holds.
    trace.steps.truncate(4);
    trace.facts[3].found = Found::NotReached;
    assert_figures(&measured(&trace), &[("retention.constraint", Some(0.0))]);
}

#[test]
fn recall_over_steps_leaves_out_steps_with_nothing_live() {
    let mut trace = trace();
    let known = |live, present| StepRecord { live, present, ..step(1, 10) };
    trace.steps = vec![known(0, 0), known(4, 4), known(4, 1)];
    trace.steps[2].live_goal = false;
    assert_figures(
        &measured(&trace),
        &[("recall.mean", Some(0.625)), ("live_goal.lost", Some(1.0))],
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
        &[("counter.error", Some(own / total - 1.0)), ("counter.reference_error", Some(-0.5))],
    );
    assert_figures(&measured(&trace), &[("counter.reference_error", None)]);
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
        let composition = rows::composition_rows("c", subject);
        let told: Vec<_> = composition
            .iter()
            .map(|row| (row.checkpoint, row.state, row.share, row.entries))
            .collect();
        let forced = (1, ViewState::OnePass, Share::User, 3);
        assert_eq!(told, [forced, (0, ViewState::Deployed, Share::Tool, 2)]);
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
