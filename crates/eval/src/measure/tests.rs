use super::sample::{
    WINDOW, added, assert_figures, attempt, checkpoint, compaction, compaction_row, demand, holds,
    measured, on, session, step, trace, with_subject,
};
use super::thrash::stuck_at;
use super::*;
use crate::answer::Attempt;
use crate::apply::{Rule, Violation};
use crate::drive::consequences::Sweep;
use crate::ident::{FactId, MsgId, RequestId};
use crate::log::{Boundary, BoundaryAction, Trigger, Usage};
use crate::pressure::{Occasion, Reading};
use crate::row::{CompactionRow, ViewState};
use crate::summarize::FailureClass;
use crate::summarize::fault::FaultKind;
use crate::trace::{
    Compaction, CompactionOutcome, DemandRecord, FactRecord, Found, Loss, LossClass, Share,
    StageOutcome, StepRecord,
};
use crate::truth::Origin;
use crate::unit::{Millis, Usd};

#[test]
fn every_metric_of_cells_is_measured() {
    const UNTOUCHED: Value = Value::Number(-123.456);
    let untouched = table::of_cells().map(|metric| (metric, UNTOUCHED));
    let mut measurement: Measurement = untouched.collect();
    let trace = Trace { closed: Some(Sweep::Estimate), ..trace() };
    with_subject(&trace, WINDOW, |subject| measure_into(subject, &mut measurement));
    let mut missing: Vec<MetricId> = table::of_cells().collect();
    missing.retain(|metric| measurement.value(*metric) == Some(UNTOUCHED));
    assert_eq!(missing, []);
}

#[test]
fn a_cell_without_steps_has_counts_but_no_means() {
    let trace = Trace { ended_by: EndedBy::Overflow, overflows: 1, ..trace() };
    holds(
        &trace,
        "completion 0, ended_by overflow, steps_reached 0, sends.overflows 1, tokens.prompt_total 0, \
         tokens.peak -, tokens.mean_prompt -, cache.hit_rate -, recall_at_need -, \
         recall.mean -, retention.all -, demands 0, floor.one_pass -, \
         floor.entries_per_turn.user -, floor.low_water -, thrash.freed_median -, \
         thrash.hardly_freed 0, thrash.stuck_at -, latency.p95 -, latency.rate_for_5s -, \
         utilization_at_compaction -, fold.unseen_share -, summary.ratio -, cost.usd 0",
    );
}

#[test]
fn the_probe_is_read_at_the_last_checkpoint() {
    let mut trace = trace();
    let mut last = checkpoint(2, 4, &[(900, 10), (500, 8), (300, 4), (300, 3), (400, 9)]);
    last.one_pass.entries[Share::User as usize] = 6;
    last.one_pass.entries[Share::GoalBatch as usize] = 2;
    last.one_pass.tokens[Share::GoalBatch as usize] = Tokens(300);
    last.one_pass.tail_tokens[Share::Tool as usize] = Tokens(120);
    last.one_pass.ownerless = 2;
    trace.checkpoints = vec![checkpoint(1, 2, &[(900, 10), (480, 9)]), last];
    trace.compactions = vec![compaction(1, 100, 50)];
    let headroom = 1_000.0 - session().fixed().as_f64() - 500.0;
    holds(
        &trace,
        &format!(
            "floor.one_pass 500, floor.one_pass_recall 0.8, floor.one_pass_without_tail 380, \
             floor.forced 300, floor.forced_recall 0.4, floor.slope 10, floor.headroom {headroom}, \
             floor.entries_per_turn.user 1.5, floor.entries_per_turn.goal-batch 0.5, \
             floor.entries_per_turn 4, floor.batches_per_turn 1, floor.batch_tokens 150, \
             floor.users_left 6, floor.ownerless 2, floor.probe_summarizer 14"
        ),
    );
}

#[test]
fn a_windowless_cell_has_no_utilization_and_no_headroom() {
    let mut trace = trace();
    trace.checkpoints = vec![checkpoint(1, 2, &[(900, 10), (500, 8)])];
    trace.compactions = vec![compaction(1, 100, 50)];
    assert_figures(
        &with_subject(&trace, Tokens::UNBOUNDED, measure),
        "tokens.usable_window -, floor.headroom -, floor.one_pass 500, \
         utilization_at_compaction -, utilization_at_compaction.high -, \
         compactions.after_over_before 0.5",
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
    // 0.5, 0.75 and 0 freed.
    // 0.5 and 0.25 left; the idle one changed nothing.
    // Turns 1 and 2 are stretches of their own in a session of three turns.
    holds(
        &trace,
        "thrash.freed_median 0.5, thrash.hardly_freed 1, compactions.after_over_before 0.375, \
         compactions.count 3, utilization_at_compaction 0.725, \
         utilization_at_compaction.high 0.5, floor.low_water 20, floor.low_water.median 35, \
         floor.slope.low_water -30",
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
    holds(&trace, "thrash.stuck_at 2");
    // The reading falls with the view: 200 × 40 / 100 is under 90.
    trace.compactions[1].after = Tokens(40);
    holds(&trace, "thrash.stuck_at -");
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
    for declined in [true, false, true, true] {
        trace.count(0, Occasion::BeforeCall, StageOutcome { declined, ..StageOutcome::default() });
    }
    holds(
        &trace,
        "compactions.count 2, compactions.fallback 1, compactions.failed 2, \
         compactions.reactive 1, compactions.declined 3, compactions.max_generation 3, \
         floor.goal_batches 1, floor.goals_absorbed 1",
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
    let refused = Attempt { billed: false, ..attempt(0, 999, 999) };
    trace.compactions = vec![Compaction {
        attempts: vec![refused, attempt(1, 50, 5)],
        usd: Usd(0.5),
        ..compaction(1, 100, 50)
    }];
    // The example sheet: 2 dollars in, 0.2 cached, 2.5 written, 10 out, a million.
    holds(
        &trace,
        "tokens.peak 100000, tokens.mean_prompt 100000, tokens.prompt_total 200000, \
         tokens.summarizer 55, tokens.summarizer_prompt 50, tokens.summarizer_completion 5, \
         cost.usd 0.827, cost.usd_summarizer 0.5, cache.hit_rate 0.3, \
         cache.invalidated_tokens 5, cache.expired_tokens 6",
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
    let mut trace = trace();
    trace.compactions = vec![
        round(0, 2_000, vec![attempt(1, 9, 60), attempt(1, 9, 30)]),
        round(1, 3_000, vec![attempt(1, 9, 120)]),
        // A firing without a request makes no one wait.
        round(0, 0, vec![]),
    ];
    holds(&trace, "latency.p50 5000, latency.p95 5000, latency.max 5000, latency.rate_for_5s 60");
    trace.compactions = vec![round(0, 9_000, vec![attempt(1, 9, 60)])];
    holds(&trace, "latency.rate_for_5s -");
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
    holds(
        &trace,
        "demands 7, demands.at_need 4, recall_at_need 0.5, recall_at_need.reached 0.666666667, \
         recall_at_need.under_0.25 0, recall_at_need.under_1 0.333333333, \
         recall_at_need.from_0.5 0.5, recall_at_need.from_1 0.5, recall_at_need.from_2 0, \
         recall_at_need.from_4 1, recall.all 0.428571429, missed.not-reached 1, \
         missed.unexplained 3",
    );
    // A swept window changes nothing: distances are told in base windows.
    assert_figures(&with_subject(&trace, Tokens(200), measure), "recall_at_need 0.5");
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
        demand(0, 0, Found::Present(0)),
        demand(1, 0, Found::Present(0)),
        demand(1, 0, Found::NotReached),
        DemandRecord { origin: Origin::Incidental, ..missed(1, Some(9)) },
    ];
    // Fact 1 came with message 2 and again with 6, whose call has the shorter arguments.
    let session = session();
    let counts = &session.reference.messages;
    let price = counts[6].total() + counts[5].calls[0];
    assert!(price < counts[2].total() + counts[1].calls[0]);
    let twice = 2 * price.0;
    holds(
        &trace,
        &format!(
            "cost.reacquire {twice}, cost.unrecoverable 2, dead_end.exposed 1, \
                              recall.irreplaceable 0.333333333"
        ),
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
    holds(
        &trace,
        "losses 3, losses.dropped 1, losses.covered-but-unseen 2, missed.dropped 0, \
         missed.covered-but-unseen 1, missed.unexplained 0, fold.unseen_share 0.25, \
         summary.ratio 0.1875, summary.empty 0.5, violations 2, violations.split-pair 1, \
         violations.grew 0, decoys.seen 1",
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
    holds(
        &trace,
        "retention.all 0.5, retention.path 1, retention.value 0, retention.constraint 1, \
         retention.dead-end 0, retention.symbol -",
    );
    // After four steps fact 3 is not born, so fact 2 still holds.
    trace.steps.truncate(4);
    trace.facts[3].found = Found::NotReached;
    holds(&trace, "retention.constraint 0");
}

#[test]
fn recall_over_steps_leaves_out_steps_with_nothing_live() {
    let mut trace = trace();
    let known = |live, present| StepRecord { live, present, ..step(1, 10) };
    trace.steps = vec![known(0, 0), known(4, 4), known(4, 1)];
    trace.steps[2].live_goal = false;
    holds(&trace, "recall.mean 0.625, live_goal.lost 1");
}

#[test]
fn counters_are_compared_over_the_whole_log() {
    let mut session = session();
    let pipeline = crate::strategy::pipeline("truncate").expect("a shipped pipeline");
    let total = session.reference.total().as_f64();
    let own = session.table(pipeline.counter.tokenizer).total().as_f64();
    let error = crate::unit::float(own / total - 1.0);
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
        kept: Vec::new(),
        pre_tokens: None,
        post_tokens: None,
    }];
    let trace = trace();
    let found = on(&session, &trace, WINDOW, measure);
    assert_figures(&found, &format!("counter.error {error}, counter.reference_error -0.5"));
    holds(&trace, "counter.reference_error -");
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

fn lossy(attempts: Vec<Attempt>) -> Compaction {
    let loss = |fact| Loss { fact: FactId(fact), class: LossClass::Omitted };
    Compaction { attempts, lost: vec![loss(0), loss(1)], ..compaction(1, 100, 40) }
}

fn failed(request: u32) -> Attempt {
    let failed = Some(FailureClass::Error);
    let fault = Some(FaultKind::Error);
    Attempt { request: RequestId(request), failed, fault, billed: false, ..attempt(0, 9, 0) }
}

fn struck(kind: FaultKind) -> Attempt {
    Attempt { fault: Some(kind), ..attempt(0, 9, 5) }
}

#[test]
fn a_loss_is_silent_where_no_answer_tells_anything_and_nothing_says_so() {
    let failing = |outcome, added| Compaction { outcome, added, ..lossy(vec![failed(0)]) };
    let fallback = || CompactionOutcome::Fallback(FailureClass::Error);
    let notice = vec![added(Share::Other, 5, 0, 0)];
    let gone = CompactionOutcome::Failed(FailureClass::Error);
    let last_words = "the end of the session says so";
    for (name, compaction, silent, told) in [
        ("a sound answer", lossy(vec![attempt(0, 9, 5)]), 0.0, 0.0),
        ("an empty one", lossy(vec![attempt(0, 9, 0)]), 2.0, 0.0),
        ("noise", lossy(vec![struck(FaultKind::Garbage)]), 2.0, 0.0),
        ("half an answer", lossy(vec![struck(FaultKind::Truncated)]), 0.0, 0.0),
        ("a retry that helped", lossy(vec![failed(0), attempt(1, 9, 5)]), 0.0, 0.0),
        ("one of two", lossy(vec![failed(1), attempt(0, 9, 5)]), 0.0, 0.0),
        ("no request at all", lossy(Vec::new()), 0.0, 0.0),
        ("a fallback without a word", failing(fallback(), Vec::new()), 2.0, 0.0),
        ("a fallback with a notice", failing(fallback(), notice), 0.0, 2.0),
        ("a plan that failed changes nothing", failing(gone, Vec::new()), 0.0, 0.0),
        (last_words, failing(fallback(), Vec::new()), 0.0, 2.0),
    ] {
        let mut trace = Trace { compactions: vec![compaction], ..trace() };
        if name == last_words {
            trace.ended_by = EndedBy::Raised("a compaction failed".to_owned());
        }
        let found = measured(&trace);
        let facts = [MetricId::FaultsSilentFacts, MetricId::FaultsToldFacts];
        assert_eq!(facts.map(|id| found.number(id)), [Some(silent), Some(told)], "{name}");
    }
}

#[test]
fn tries_and_stale_sends_are_counted() {
    let attempts = vec![failed(0), struck(FaultKind::Slow), attempt(2, 9, 5)];
    let compactions = vec![lossy(attempts), lossy(vec![attempt(0, 9, 0)])];
    let trace = Trace { compactions, stale_sends: 3, ..trace() };
    holds(
        &trace,
        "attempts 4, attempts.failed 1, faults.struck 2, faults.silent_facts 2, \
         faults.silent_tokens 60, sends.stale 3",
    );
}

#[test]
fn rounds_of_one_occasion_are_one_firing() {
    let row = |cell: &str, step, round, blocking| CompactionRow {
        cell: cell.to_owned(),
        step,
        round,
        blocking_ms: Millis(blocking),
        ..compaction_row()
    };
    let rows =
        [row("a", 7, 0, 3_000), row("a", 7, 1, 4_000), row("a", 8, 0, 0), row("b", 8, 0, 10)];
    let told: Vec<_> = firings(&rows)
        .iter()
        .map(|one| (one.first.cell.as_str(), one.first.step, one.blocking().0))
        .collect();
    assert_eq!(told, [("a", 7, 7_000), ("a", 8, 0), ("b", 8, 10)]);
    assert_eq!(firings(&rows).iter().filter(|one| one.was_waited_for()).count(), 2);
}

#[test]
fn stuck_is_firing_at_every_step_to_the_end_without_getting_under_the_trigger() {
    for (name, steps, last_step, expected) in [
        ("never fired", &[][..], 9, None),
        ("every step to the end", &[(7, true), (8, true), (9, true)], 9, Some(7)),
        ("from the very first", &[(0, true), (1, true)], 1, Some(0)),
        ("recovered at the end", &[(7, true), (8, true), (9, false)], 9, None),
        ("stopped before the end", &[(7, true), (8, true)], 9, None),
        ("a gap", &[(5, true), (6, true), (8, true), (9, true)], 9, Some(8)),
        ("under it between", &[(6, true), (7, false), (8, true), (9, true)], 9, Some(8)),
        ("the last step alone", &[(9, true)], 9, None),
        ("the second stage got under", &[(8, true), (9, true), (9, false)], 9, None),
        ("the second stage did not", &[(8, false), (8, true), (9, true)], 9, Some(8)),
    ] {
        let rounds = steps.iter().map(|(step, above)| {
            let limit = Tokens(if *above { 99 } else { 100 });
            let reading = Reading { used: Tokens(100), limit, target: limit, met: true };
            Compaction { reading: Some(reading), ..compaction(*step, 100, 99) }
        });
        let rounds: Vec<Compaction> = rounds.collect();
        assert_eq!(stuck_at(&firings(&rounds), last_step), expected, "{name}");
    }
}
