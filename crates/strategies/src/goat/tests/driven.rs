//! Goat's profiles driven: what triggers them, in which order they announce, and the
//! loops that their arithmetic leads to.

use crate::drive::{Cell, Limits, Mode, Session, Wire, drive};
use crate::log::Text;
use crate::pressure::Occasion;
use crate::summarize::FailureClass;
use crate::testkit::{Script, fails, says, scene, with_cell};
use crate::token::{TokenTable, Tokenizer};
use crate::trace::{EndedBy, Event, Trace};
use crate::truth::Truth;
use crate::unit::Tokens;

/// A session of this shape whose messages are so many bytes each, and its system
/// prompt.
fn session(shape: &str, bytes: usize, system: usize) -> Session {
    let mut log = scene(shape).log;
    for message in &mut log.messages {
        message.content = format!("{:bytes$}", format!("{} ", message.content)).into();
    }
    log.system = Text::from("s ".repeat(system / 2));
    log.tools = Text::from("");
    Session::new(log, Truth::default(), [Tokenizer::Chars4])
}

/// Drives a pipeline with a summarizer that says `short`.
fn run(session: &Session, pipeline: &str, limits: Limits) -> Trace {
    run_in(Mode::Deployed, session, pipeline, limits, &Script::new([says("short")]))
}

fn run_in(mode: Mode, session: &Session, pipeline: &str, limits: Limits, ask: &Script) -> Trace {
    let pipeline = crate::pipeline(pipeline).expect("it ships");
    with_cell(session, &pipeline, limits, ask, |cell| drive(Cell { mode, ..cell }))
}

fn limits(window: u64, max_output: u64) -> Limits {
    Limits::new(Tokens(window), Tokens(max_output))
}

fn outcomes(trace: &Trace) -> Vec<&'static str> {
    trace.compactions.iter().map(|compaction| compaction.outcome.name()).collect()
}

/// What the first compaction announces.
fn events(trace: &Trace) -> Vec<Event> {
    let events = trace.events.iter().filter(|record| record.compaction == 1);
    events.map(|record| record.event).collect()
}

/// 104 tokens a message, asked at odd lengths: before a user message is answered. System
/// prompt 50.
#[test]
fn utilization_is_compared_strictly_and_counts_what_each_source_counts() {
    let session = session(&"ua".repeat(20), 400, 200);
    for (pipeline, window, reserve, entries) in [
        // The code fires above 150 + 104 n = 0.8 × 2,000.
        ("goat-code", 2_000, 100, 15),
        // The document: 104 n > 0.8 × (2,000 − 150) = 1,480, so from 15 on, too.
        ("goat-doc", 2_000, 100, 15),
        // Exactly at the threshold nothing happens: 50 + 98 + 104 × 13 = 0.8 × 1,875.
        ("goat-code", 1_875, 98, 15),
        ("goat-code", 1_874, 98, 13),
    ] {
        let trace = run(&session, pipeline, limits(window, reserve));
        assert_eq!(trace.compactions[0].entries_before, entries, "{pipeline} {window}");
    }
}

#[test]
fn hooks_and_boundary_come_in_the_codes_order() {
    let session = session(&"ua".repeat(20), 400, 200);
    let accepted = [
        Event::PreCompact,
        Event::SummarizationStart,
        Event::SummarizationProgress,
        Event::SummarizationComplete,
        Event::CompactBoundary,
        Event::SessionStart,
    ];
    for reply in [says("short"), fails(FailureClass::Error)] {
        let script = Script::new([reply]);
        let trace = run_in(Mode::Deployed, &session, "goat-code", limits(2_000, 100), &script);
        assert_eq!(trace.ended_by, EndedBy::Completed);
        assert_eq!(events(&trace), accepted, "a failure is as silent as a success");
    }
}

/// A reserve of half the window and a preserve zone of 40 % leave nothing: every
/// call is preceded by a compaction once it has begun.
#[test]
fn a_small_window_means_a_compaction_before_every_call() {
    let session = session(&"ua".repeat(40), 400, 200);
    let trace = run(&session, "goat-code", limits(2_000, 1_000));
    let steps: Vec<u32> = trace.compactions.iter().map(|compaction| compaction.step).collect();
    assert_eq!(steps, (steps[0]..=trace.steps_total).collect::<Vec<_>>());
    assert!(steps.len() > 31, "first at {}", steps[0]);
    // The first time, what presses still fits the preserve zone.
    let outcomes = outcomes(&trace);
    assert_eq!(outcomes[0], "unchanged");
    assert!(outcomes[1..].iter().all(|outcome| *outcome == "accepted"), "{outcomes:?}");
    let roomy = run(&session, "goat-code", limits(2_000, 100));
    assert!(roomy.compactions.len() * 3 < trace.compactions.len(), "{:?}", roomy.compactions.len());
}

/// Messages that fit the preserve zone beside a system prompt that fills the window:
/// the hook runs before every call, nothing changes and no boundary is announced. A single
/// message is not even asked about.
#[test]
fn a_big_system_prompt_means_compactions_that_change_nothing() {
    let trace = run(&session("uauaua", 400, 4_000), "goat-code", limits(2_400, 700));
    assert_eq!(trace.ended_by, EndedBy::Completed);
    assert_eq!(outcomes(&trace), ["unchanged", "unchanged"]);
    assert_eq!(events(&trace), [Event::PreCompact]);
    assert_eq!(trace.steps[2].entries, 5);
}

/// With nothing to split, a cut-off answer is asked for again and again; the driver
/// ends what Goat's loop would not. Without pressure Goat gives up at once.
#[test]
fn a_cut_off_answer_loops_under_pressure_and_ends_the_session_without() {
    let mut session = session("uaua", 400, 4_000);
    session.log.messages[3].content = Text::from("word ".repeat(900));
    session.reference = TokenTable::new(&session.log, Tokenizer::O200k);
    for (window, cut_offs, reactive) in [(2_400, 4, 3), (24_000, 1, 0)] {
        let trace = run(&session, "goat-code", limits(window, 700));
        assert_eq!((&trace.ended_by, trace.cut_offs), (&EndedBy::MaxTokens, cut_offs));
        let reacted = trace.compactions.iter().filter(|one| one.occasion == Occasion::OutputLimit);
        assert_eq!(reacted.count(), reactive, "{window}");
    }
}

/// The reactive half by itself: what was cut off under pressure is asked for again
/// after a compaction, what was cut off without ends the session.
#[test]
fn a_cut_off_answer_is_asked_for_again_after_a_compaction() {
    let session = session(&"ua".repeat(20), 400, 200);
    for (pipeline, every, ended, compactions) in [
        ("goat-code", 20, EndedBy::Completed, 1),
        ("goat-doc", 20, EndedBy::Completed, 1),
        ("goat-code", 10, EndedBy::MaxTokens, 0),
        ("goat-doc", 10, EndedBy::MaxTokens, 0),
        ("split-half-unsafe", 20, EndedBy::MaxTokens, 0),
    ] {
        let limits = Limits { cut_off_every: every, ..limits(5_000, 100) };
        let script = Script::new([says("short")]);
        let trace = run_in(Mode::Reactive, &session, pipeline, limits, &script);
        assert_eq!((&trace.ended_by, trace.cut_offs), (&ended, 1), "{pipeline} {every}");
        assert_eq!(trace.compactions.len(), compactions, "{pipeline} {every}");
        if let Some(compaction) = trace.compactions.first() {
            assert_eq!((compaction.occasion, compaction.step), (Occasion::OutputLimit, 20));
            assert_eq!(trace.steps[19].sends, 2);
        }
    }
}

/// Utilization below 80 % before the call, a prompt and an answer that exceed the
/// window together: nothing reactive is done for a prompt that is refused. The heuristic
/// counts 50 for a system prompt of about 100 tokens and pays no schemas, so a window just
/// below the prompt is refused at under 80 %.
#[test]
fn a_refused_prompt_is_not_compacted() {
    let mut refused = session(&"ua".repeat(4), 400, 200);
    refused.log.overhead = Tokens(5_000);
    refused.tables[0].system = Tokens(0);
    let trace = run(&refused, "goat-code", limits(5_000, 10));
    assert_eq!(trace.ended_by, EndedBy::Overflow);
    assert!(trace.compactions.iter().all(|one| one.occasion == Occasion::BeforeCall));
}

/// On a wire that pairs ids the source's cut ends the session, the corrected one
/// does not.
#[test]
fn a_strict_wire_ends_what_the_sources_cut_orphans() {
    let session = session(&format!("u{}a", "ct".repeat(30)), 400, 200);
    let strict = Limits { wire: Wire::Strict, ..limits(2_000, 100) };
    for (pipeline, ended) in [
        ("goat-code", EndedBy::InvalidRequest("orphan-result".to_owned())),
        ("goat-fixed", EndedBy::Completed),
        ("goat-doc", EndedBy::Completed),
    ] {
        let trace = run(&session, pipeline, strict);
        assert_eq!(trace.ended_by, ended, "{pipeline}");
        assert!(!trace.compactions.is_empty(), "{pipeline}");
    }
}

/// Tool results are cut after tool rounds, once they are outside the last ten: with 12
/// messages after the sixth round the first result is the third from the front.
#[test]
fn old_results_are_cut_after_tool_rounds() {
    let session = session(&format!("u{}a", "ct".repeat(10)), 2_000, 200);
    let trace = run(&session, "goat-code", limits(100_000, 100));
    let rounds: Vec<(u32, Occasion, u32)> =
        trace.compactions.iter().map(|one| (one.step, one.occasion, one.removed)).collect();
    assert_eq!(rounds, [7, 8, 9, 10, 11].map(|step| (step, Occasion::AfterTools, 1)));
}
