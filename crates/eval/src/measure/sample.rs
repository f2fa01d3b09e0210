//! Sessions and traces by hand, for tests.

use crate::answer::Attempt;
use crate::drive::{Limits, Session};
use crate::ident::{FactId, MsgId, RequestId};
use crate::log::{Log, Text};
use crate::measure::{Measurement, MetricId, Subject, Value, measure, rows};
use crate::pressure::Occasion;
use crate::price::PriceSheet;
use crate::row::CompactionRow;
use crate::testkit::{self, Line, fact, message};
use crate::token::Tokenizer;
use crate::trace::{
    AddedEntry, Checkpoint, Compaction, CompactionOutcome, DemandRecord, Found, ProbeRound, Share,
    StepRecord, Trace,
};
use crate::truth::{Fact, FactKind, Origin, Truth};
use crate::unit::Tokens;
use crate::view::Spans;

pub(super) const WINDOW: Tokens = Tokens(1_000);

/// Three turns of user, call, result, answer: six steps. Facts: 0 a path from the user; 1 a value
/// from two results; 2 a constraint that 3 replaces in turn 3; 4 a dead end of the agent.
pub(super) fn session() -> Session {
    let truth = Truth {
        facts: vec![
            named(0, FactKind::Path, &[0]),
            named(1, FactKind::Value, &[2, 6]),
            Fact { superseded_by: Some(FactId(3)), ..named(2, FactKind::Constraint, &[4]) },
            named(3, FactKind::Constraint, &[8]),
            named(4, FactKind::DeadEnd, &[3]),
        ],
        ..Truth::default()
    };
    Session::new(log(), truth, [Tokenizer::Chars4])
}

fn named(id: u32, kind: FactKind, mentions: &[u32]) -> Fact {
    let fact = fact(id, kind, &format!("needle_{id}"), mentions[0]);
    Fact { mentions: mentions.iter().copied().map(MsgId).collect(), ..fact }
}

fn log() -> Log {
    let messages = (0..12_usize).map(|number| {
        let text = format!("message {number} says what it says");
        let made = |number| format!("call-{number}");
        match number % 4 {
            0 => message(number, Line::User(&text)),
            1 => {
                let args = "some arguments ".repeat(12 - number);
                message(number, Line::Calls(&text, &[(&made(number), "read", &args)]))
            }
            2 => message(number, Line::Output(&made(number - 1), &text)),
            _ => message(number, Line::Says(&text)),
        }
    });
    let (system, tools) = (Text::from("You help."), Text::from(""));
    Log { system, tools, overhead: Tokens(100), ..testkit::log(messages.collect()) }
}

/// A cell that did nothing, and completed in no steps.
pub(super) fn trace() -> Trace {
    Trace { steps_total: 6, ..Trace::default() }
}

pub(crate) fn step(number: u32, prompt: u64) -> StepRecord {
    let (turn, prompt) = (number.div_ceil(2), Tokens(prompt));
    let record = StepRecord { step: number, turn, prompt, kept: prompt, ..StepRecord::default() };
    StepRecord { sent: prompt, carried: prompt, entries: 1, live_goal: true, sends: 1, ..record }
}

/// An accepted compaction of stage 0, at the turn of the step's number, that dropped an entry.
pub(super) fn compaction(step: u32, before: u64, after: u64) -> Compaction {
    Compaction {
        number: 1,
        step,
        turn: step,
        occasion: Occasion::BeforeCall,
        outcome: CompactionOutcome::Accepted,
        utilization: 0.5,
        before: Tokens(before),
        after: Tokens(after),
        entries_before: 2,
        entries_after: 1,
        removed: 1,
        ..Compaction::default()
    }
}

/// A billed try in a batch, with this many tokens each way.
pub(super) fn attempt(batch: u32, prompt: u64, completion: u64) -> Attempt {
    Attempt {
        fault: None,
        request: RequestId(0),
        batch,
        failed: None,
        prompt: Tokens(prompt),
        completion: Tokens(completion),
        billed: true,
        prefix_entries: 0,
    }
}

/// A new entry that covers so many tokens, of which its request did not show some.
pub(super) fn added(share: Share, tokens: u64, covered: u64, unseen: u64) -> AddedEntry {
    AddedEntry {
        share,
        tokens: Tokens(tokens),
        generation: 1,
        covered: 1,
        covered_tokens: Tokens(covered),
        unseen_tokens: Tokens(unseen),
        covers: Spans::new(),
        shown: Spans::new(),
        reading: None,
        note: None,
    }
}

/// A planned demand at step 1.
pub(super) fn demand(fact: u32, distance: u64, found: Found) -> DemandRecord {
    DemandRecord {
        demand: 0,
        fact: FactId(fact),
        kind: FactKind::Path,
        origin: Origin::Planned,
        step: 1,
        distance: Tokens(distance),
        compacted: false,
        found,
        needles: Some(0),
        of_needles: 1,
        stale: None,
        loss: None,
        lost_by: None,
    }
}

/// A checkpoint with rounds of tokens and facts present of ten live ones.
pub(super) fn checkpoint(number: u32, turn: u32, rounds: &[(u64, u32)]) -> Checkpoint {
    let round = |&(tokens, present)| ProbeRound { tokens: Tokens(tokens), live: 10, present };
    let rounds = rounds.iter().map(round).collect();
    let summarizer = Tokens(7);
    Checkpoint { number, step: turn, turn, rounds, summarizer, ..Checkpoint::default() }
}

pub(super) fn measured(trace: &Trace) -> Measurement {
    with_subject(trace, WINDOW, measure)
}

pub(super) fn with_subject<T>(
    trace: &Trace,
    window: Tokens,
    then: impl FnOnce(&Subject) -> T,
) -> T {
    on(&session(), trace, window, then)
}

pub(super) fn on<T>(
    session: &Session,
    trace: &Trace,
    window: Tokens,
    then: impl FnOnce(&Subject) -> T,
) -> T {
    let pipeline = crate::strategy::pipeline("truncate").expect("a shipped pipeline");
    let subject = Subject {
        trace,
        session,
        pipeline: &pipeline,
        limits: Limits::new(window, Tokens(100)),
        base_window: WINDOW,
        sheet: &PriceSheet::embedded(),
    };
    then(&subject)
}

/// The row of a plan that changed nothing.
pub(crate) fn compaction_row() -> CompactionRow {
    let idle =
        Compaction { outcome: CompactionOutcome::Unchanged, removed: 0, ..compaction(0, 0, 0) };
    let trace = Trace { compactions: vec![idle], ..trace() };
    with_subject(&trace, WINDOW, |subject| rows::compaction_rows("", subject).remove(0))
}

/// Figures written as `recall_at_need 0.5, tokens.peak -`; the last is undefined.
pub(crate) fn figures(text: &str) -> Vec<(MetricId, Option<Value>)> {
    let figure = |figure: &str| {
        let (metric, value) = figure.trim().split_once(' ').expect("a metric and its value");
        let metric: MetricId = metric.parse().expect("a metric");
        let value = (value != "-").then(|| Value::parse(metric, value).expect("its value"));
        (metric, value)
    };
    text.split(',').map(figure).collect()
}

/// Holds a measurement to figures written so, to nine digits.
#[track_caller]
pub(super) fn assert_figures(found: &Measurement, expected: &str) {
    for (metric, expected) in figures(expected) {
        match (found.number(metric), expected.and_then(Value::number)) {
            (Some(found), Some(expected)) => {
                assert!((found - expected).abs() < 1e-9, "{metric}: {found} is not {expected}");
            }
            _ => assert_eq!(found.value(metric), expected, "{metric}"),
        }
    }
}

#[track_caller]
pub(super) fn holds(trace: &Trace, expected: &str) {
    assert_figures(&measured(trace), expected);
}
