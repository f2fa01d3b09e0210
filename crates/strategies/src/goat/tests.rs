use proptest::prelude::*;

use super::*;
use crate::apply::Rule;
use crate::drive::{Cell, Limits, Mode, Session, Wire, drive};
use crate::pressure::Occasion;
use crate::strategy::Strategy;
use crate::summarize::Reply;
use crate::testkit::{Script, fails, rules, says, scene, with_cell};
use crate::token::{TokenTable, Tokenizer};
use crate::trace::{EndedBy, Event, Trace};
use crate::truth::Truth;

fn decide(strategy: &dyn Strategy, shape: &str, window: u64) -> Decision {
    let mut scene = scene(shape);
    scene.budget.window = Tokens(window);
    scene.decide(strategy, None)
}

/// What a view says after a plan is carried out in a window, its fallback where that fails,
/// and the rules broken.
fn after(
    strategy: &dyn Strategy,
    shape: &str,
    window: u64,
    reply: Reply,
) -> (Vec<String>, Vec<Rule>) {
    let Decision::Plan(plan) = decide(strategy, shape, window) else { panic!("it declines") };
    let mut scene = scene(shape);
    let fate = scene.carry_out(&plan, &Script::new([reply]));
    (scene.contents(), rules(&fate.applied().expect("a fallback")))
}

/// The window of whose 40 % so many messages of the end fill all.
fn window_for(shape: &str, preserved: usize) -> u64 {
    let scene = scene(shape);
    let costs = scene.view.entries().iter().rev().take(preserved).map(|entry| entry.counted.0);
    (costs.sum::<u64>() * 10).div_ceil(4)
}

/// The source's `TestCalculateSplitPoint`, its edges, and the document's split by number.
#[test]
fn the_split_points_are_the_sources() {
    for (costs, budget, split) in crate::cases::<(Vec<Tokens>, u64, usize)>("splits") {
        assert_eq!(by_tokens(&costs, Tokens(budget)), split, "{budget}");
    }
    let counted = [(14, 0.4), (20, 0.4), (3, 0.4), (2, 0.4), (1, 0.4), (0, 0.4), (8, 0.5)];
    assert_eq!(counted.map(|(count, share)| by_count(count, share)), [9, 12, 2, 1, 0, 0, 4]);
}

/// Where each split lands, and whether the preserve zone then begins with a result whose
/// call is gone.
#[test]
fn stepping_back_lands_on_results_and_keeping_pairs_does_not() {
    type Case = (String, usize, usize, bool, usize);
    for (shape, split, stepped, orphan, kept) in crate::cases::<Case>("steps-back") {
        let entries = conversation(&scene(&shape).view);
        let landed = Pairs::StepBack.adjusted(&entries, split);
        assert_eq!(landed, stepped, "{shape} {split}");
        let begins = entries.get(landed..).unwrap_or_default();
        let has_orphan = begins.iter().any(|entry| {
            let answered = entry.answers.as_ref();
            answered.is_some_and(|id| begins.iter().all(|other| other.call(id).is_none()))
        });
        assert_eq!(has_orphan, orphan, "{shape} {split}");
        assert_eq!(Pairs::Kept.adjusted(&entries, split), kept, "{shape} {split}");
        assert_eq!(Pairs::Ignored.adjusted(&entries, split), split);
    }
}

proptest! {
    /// For every list of turns with rounds of one or two calls and every window: the
    /// corrected cut breaks no pair; the source's breaks one exactly where it lands
    /// behind a call and before its result.
    #[test]
    fn no_window_makes_the_corrected_cut_orphan_a_result(
        turns in prop::collection::vec(
            prop::sample::select(vec!["ua", "ucta", "uctcta", "u2ttcta", "uchta", "uctctcta"]),
            1..8,
        ),
        window in 1u64..400,
    ) {
        let shape = turns.concat();
        let fixed = Code { pairs: Pairs::Kept, ..Code::default() };
        let (_, broken) = after(&fixed, &shape, window, says("s"));
        prop_assert!(!broken.iter().any(|rule| rule.breaks_strict_wire()), "{shape} {window}");
        let (left, broken) = after(&Code::default(), &shape, window, says("s"));
        if left.get(1).is_some_and(|first| first.starts_with('t')) {
            prop_assert!(broken.contains(&Rule::OrphanResult), "{shape} {window}");
        }
    }
}

#[test]
fn the_code_puts_one_user_message_before_the_preserve_zone() {
    let mut scene = scene("yucuau");
    scene.budget.window = Tokens(window_for("yucuau", 2));
    let script = Script::new([says("what was done")]);
    // Every message is shown cut and without its calls.
    let code = Code { shown_bytes: 1, ..Code::default() };
    let applied = scene.compact(&code, &script).expect("answered");
    let header = "u* [Previous conversation summary]\n\nwhat was done";
    assert_eq!(scene.rows(), ["y y0", header, "a a4", "u u5"]);
    assert_eq!(rules(&applied), []);
    let prompt = &script.prompts()[0];
    assert_eq!((prompt.messages.len(), prompt.max_tokens), (1, Tokens(4_096)));
    assert_eq!(prompt.model.as_deref(), Some("claude-haiku-4-5-20251001"));
    assert!(prompt.messages[0].text().ends_with("\n[user]: u\n[assistant]: c\n[user]: u"));
    assert_eq!(scene.view.entries()[1].covers.ranges(), [(1, 4)]);
}

#[test]
fn what_a_failed_or_empty_summary_leaves_is_each_sources_own() {
    use FailureClass::{Error, Overflow, TimeOut};
    let code = |reply| after(&Code::default(), "uauau", window_for("uauau", 1), reply);
    for class in [Error, TimeOut, Overflow] {
        assert_eq!(code(fails(class)), (vec!["u4".to_owned()], vec![]));
    }
    let (left, broken) = code(says(""));
    assert_eq!(left, ["[Previous conversation summary]\n\n", "u4"]);
    assert_eq!(broken, [Rule::EmptySummary]);

    let (left, broken) = after(&Document::default(), "uauau", 0, says(""));
    let said = "[COMPACT SUMMARY]\n[Context truncated. Earlier conversation contained 3 messages \
                about: ...]";
    assert_eq!(left, [said, "Understood.", "a3", "u4"]);
    // Three short messages are less than the placeholder, which is no summary.
    assert_eq!(broken, [Rule::Grew]);
}

#[test]
fn the_partner_raises() {
    let (pairs, on_failure) = (Pairs::Ignored, OnFailure::Raise);
    let partner = Document { preserve_share: 0.5, pairs, on_failure, ..Document::default() };
    let Decision::Plan(plan) = decide(&partner, "uctctcta", 0) else { panic!("it declines") };
    assert_eq!((plan.otherwise, plan.then), (None, Then::Raise));
}

#[test]
fn what_fits_or_cannot_be_split_comes_back_unchanged() {
    let fixed = Code { pairs: Pairs::Kept, ..Code::default() };
    for (code, shape, window) in [(Code::default(), "uaua", 1_000_000), (fixed, "ct", 1)] {
        assert_eq!(decide(&code, shape, window), unchanged(&scene(shape).view));
        assert_eq!(after(&code, shape, window, says("s")).0, scene(shape).contents());
    }
}

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
    run_in(Mode::Deployed, session, pipeline, limits, says("short"))
}

fn run_in(mode: Mode, session: &Session, pipeline: &str, limits: Limits, reply: Reply) -> Trace {
    let pipeline = crate::pipeline(pipeline).expect("it ships");
    with_cell(session, &pipeline, limits, &Script::new([reply]), |cell| {
        drive(Cell { mode, ..cell })
    })
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
fn hooks_and_boundary_come_in_the_codes_order_and_a_failure_is_as_silent_as_a_success() {
    use Event::{CompactBoundary, PreCompact, SessionStart};
    use Event::{SummarizationComplete, SummarizationProgress, SummarizationStart};
    let session = session(&"ua".repeat(20), 400, 200);
    let summarized = [SummarizationStart, SummarizationProgress, SummarizationComplete];
    for reply in [says("short"), fails(FailureClass::Error)] {
        let trace = run_in(Mode::Deployed, &session, "goat-code", limits(2_000, 100), reply);
        assert_eq!(trace.ended_by, EndedBy::Completed);
        let accepted = [&[PreCompact][..], &summarized, &[CompactBoundary, SessionStart]].concat();
        assert_eq!(events(&trace), accepted);
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

/// Messages that fit the preserve zone beside a system prompt that fills the window: the hook
/// runs before every call and nothing changes. A single message is not even asked about.
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
        let trace = run_in(Mode::Reactive, &session, pipeline, limits, says("short"));
        assert_eq!((&trace.ended_by, trace.cut_offs), (&ended, 1), "{pipeline} {every}");
        assert_eq!(trace.compactions.len(), compactions, "{pipeline} {every}");
        if let Some(compaction) = trace.compactions.first() {
            assert_eq!((compaction.occasion, compaction.step), (Occasion::OutputLimit, 20));
            assert_eq!(trace.steps[19].sends, 2);
        }
    }
}

/// Nothing reactive is done for a prompt that is refused. The heuristic counts 50 for a system
/// prompt of about 100 tokens and pays no schemas, so a window just below the prompt is refused
/// at under 80 %.
#[test]
fn a_refused_prompt_is_not_compacted() {
    let mut refused = session(&"ua".repeat(4), 400, 200);
    refused.log.overhead = Tokens(5_000);
    refused.tables[0].system = Tokens(0);
    let trace = run(&refused, "goat-code", limits(5_000, 10));
    assert_eq!(trace.ended_by, EndedBy::Overflow);
    assert!(trace.compactions.iter().all(|one| one.occasion == Occasion::BeforeCall));
}

/// On a wire that pairs ids the source's cut ends the session, the corrected one does not.
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
