use super::*;
use crate::apply::{Rule, commit};
use crate::drive::{Limits, Session, drive};
use crate::scenario::Wire;
use crate::summarize::{Answer, FailureClass, Finish};
use crate::testkit::{Scene, Script, fails, rules, says, scene, with_cell};
use crate::trace::{EndedBy, Trace};
use crate::truth::Truth;

const AS_FOUND: FullReplace =
    FullReplace { last_request: LastRequest::AsFound, max_tokens: Tokens(4_096) };
const UNNESTED: FullReplace = FullReplace { last_request: LastRequest::Unnested, ..AS_FOUND };

fn proposed(strategy: &FullReplace, scene: &Scene) -> Plan {
    scene.plan(strategy, None).expect("it acts")
}

fn rows(scene: &Scene) -> Vec<String> {
    let row = |entry: &std::sync::Arc<Entry>| format!("{}: {}", entry.role.name(), entry.content());
    scene.view.entries().iter().map(row).collect()
}

/// Carries the plan out with this script.
fn replace(strategy: &FullReplace, scene: &mut Scene, script: &Script) -> Vec<Rule> {
    let plan = proposed(strategy, scene);
    let outcome = scene.answer(&plan.requests, script);
    let layout = match (&outcome.failure, &plan.otherwise) {
        (None, _) => plan.layout,
        (Some(_), otherwise) => otherwise.clone().expect("a fallback").layout,
    };
    let Layout::Whole(slots) = layout else { panic!("history scope") };
    let applied = scene.apply(slots, &outcome.answers);
    commit(&mut scene.view, &applied);
    rules(&applied)
}

/// The agent goes on: one more round of tools, and no word of the user.
fn work_on(scene: &mut Scene) {
    scene.more("ct");
}

#[test]
fn the_last_request_nests_over_three_compactions_unless_it_is_corrected() {
    for (strategy, expected) in [
        (
            AS_FOUND,
            [
                "S1\n\nLast request from user was: u1",
                "S2\n\nLast request from user was: S1\n\nLast request from user was: u1",
                "S3\n\nLast request from user was: S2\n\nLast request from user was: \
                 S1\n\nLast request from user was: u1",
            ],
        ),
        (
            UNNESTED,
            [
                "S1\n\nLast request from user was: u1",
                "S2\n\nLast request from user was: u1",
                "S3\n\nLast request from user was: u1",
            ],
        ),
    ] {
        let mut scene = scene("yuct");
        for (round, expected) in expected.iter().enumerate() {
            replace(&strategy, &mut scene, &Script::new([says(&format!("S{}", round + 1))]));
            assert_eq!(rows(&scene), ["system: y0", &format!("user: {expected}")]);
            work_on(&mut scene);
        }
    }
}

#[test]
fn a_summary_that_imitates_the_marker_is_not_taken_for_the_request() {
    let mut scene = scene("uct");
    let imitates = "S1\n\nLast request from user was: nothing of the kind";
    replace(&UNNESTED, &mut scene, &Script::new([says(imitates)]));
    replace(&UNNESTED, &mut scene, &Script::new([says("S2")]));
    assert_eq!(rows(&scene), ["user: S2\n\nLast request from user was: u0"]);
    assert_eq!(scene.view.entries()[0].generation(), 2);
    let request = scene.view.entries()[0].parts.last().expect("parts");
    assert_eq!((request.generation, request.spans.ranges()), (0, &[(0, 1)][..]));
}

#[test]
fn a_new_request_ends_the_nesting() {
    let mut scene = scene("uct");
    replace(&AS_FOUND, &mut scene, &Script::new([says("S1")]));
    scene.more("u");
    replace(&AS_FOUND, &mut scene, &Script::new([says("S2")]));
    assert_eq!(rows(&scene), ["user: S2\n\nLast request from user was: u3"]);
}

/// What the request shows behind the messages themselves: `?` a result filled in,
/// `!` the answer behind it.
fn shown(shape: &str) -> String {
    let scene = scene(shape);
    let plan = proposed(&AS_FOUND, &scene);
    let script = Script::new([says("s")]);
    scene.answer(&plan.requests, &script);
    let prompt = &script.prompts()[0];
    let (asked, messages) = prompt.messages.split_last().expect("messages");
    assert_eq!(asked.role, Role::User);
    assert!(asked.text().contains("## Immediate Next Step"));
    let letter = |text: String| match &*text {
        "Tool no response" => '?',
        "Understood." => '!',
        other => other.chars().next().unwrap_or('_'),
    };
    messages.iter().map(|message| letter(message.text())).collect()
}

#[test]
fn every_call_of_the_request_is_answered_and_no_result_is_last() {
    for (shape, expected) in [
        ("ua", "ua"),
        ("uct", "uct!"),
        ("ucta", "ucta"),
        // No result, one of two, neither of two.
        ("uc", "uc?!"),
        ("ucu", "uc?u"),
        ("u2tu", "u2t?u"),
        ("u2t", "u2t?!"),
        ("u2", "u2??!"),
        ("u2tta", "u2tta"),
        // The first call's result comes behind the second call, which gets none.
        ("uccta", "uc?ct?a"),
        // A result that comes after a user message is a second one.
        ("uchta", "uc?hta"),
    ] {
        assert_eq!(shown(shape), expected, "{shape}");
    }
}

#[test]
fn a_failure_leaves_the_cleaned_history_with_the_prompt_in_it() {
    for class in [FailureClass::Error, FailureClass::TimeOut, FailureClass::Overflow] {
        let mut scene = scene("yu2t");
        let plan = proposed(&AS_FOUND, &scene);
        assert_eq!(plan.then, Then::Raise);
        let broken = replace(&AS_FOUND, &mut scene, &Script::new([fails(class)]));
        let left = rows(&scene);
        let (prompt, history) = left.split_last().expect("rows");
        let filled = ["tool: Tool no response", "assistant: Understood."];
        assert_eq!(
            history,
            [&["system: y0", "user: u1", "assistant: 22", "tool: t3"], &filled[..]].concat()
        );
        assert!(prompt.starts_with("user: Write a full but compact summary"));
        assert!(broken.iter().all(|rule| !rule.breaks_strict_wire()), "{broken:?}");
    }
}

#[test]
fn an_empty_or_tool_calling_answer_is_taken_for_a_summary() {
    let calls = Ok(Answer { text: String::new(), finish: Finish::ToolCall });
    for reply in [says(""), calls] {
        let mut scene = scene("uct");
        let broken = replace(&AS_FOUND, &mut scene, &Script::new([reply]));
        assert_eq!(rows(&scene), ["user: \n\nLast request from user was: u0"]);
        assert!(broken.contains(&Rule::EmptySummary));
    }
}

#[test]
fn without_a_message_there_is_nothing_to_replace() {
    for shape in ["", "y"] {
        assert!(scene(shape).plan(&AS_FOUND, None).is_none(), "{shape:?}");
    }
    // Without a request of the user nothing is appended.
    let mut scene = scene("act");
    replace(&AS_FOUND, &mut scene, &Script::new([says("S1")]));
    assert_eq!(rows(&scene), ["user: S1"]);
}

fn session(shape: &str, words: usize) -> Session {
    let mut log = scene(shape).log;
    for message in &mut log.messages {
        message.content = format!("{}{}", message.content, " word".repeat(words)).into();
    }
    Session::new(log, Truth::default(), [])
}

fn run(session: &Session, pipeline: &str, window: u64, ask: &Script) -> Trace {
    let pipeline = crate::pipeline(pipeline).expect("it ships");
    let limits = Limits { wire: Wire::Strict, ..Limits::new(Tokens(window), Tokens(1_000)) };
    with_cell(session, &pipeline, limits, ask, drive)
}

#[test]
fn the_threshold_is_read_from_the_last_call_and_recounted_after_a_compaction() {
    let session = session(&("u".to_owned() + &"ct".repeat(40) + "a"), 100);
    let trace = run(&session, "full-replace", 2_000, &Script::new([says("S")]));
    assert_eq!(trace.ended_by, EndedBy::Completed);
    for compaction in &trace.compactions {
        let previous = &trace.steps[compaction.step as usize - 2];
        let reading = compaction.reading.expect("a pressure");
        assert_eq!(reading.used, previous.prompt + previous.output);
        assert!(reading.used >= Tokens(1_600));
    }
    let at: Vec<u32> = trace.compactions.iter().map(|compaction| compaction.step).collect();
    assert!(at.len() >= 4 && at.windows(2).all(|pair| pair[1] - pair[0] > 3), "{at:?}");
    // The stretch of tools holds no request: every compaction nests the one before.
    let nested: Vec<usize> = trace
        .compactions
        .iter()
        .map(|compaction| compaction.added[0].covers.ranges()[0].0 as usize)
        .collect();
    assert!(nested.iter().all(|first| *first == 0));
    let sizes: Vec<Tokens> = trace.compactions.iter().map(|one| one.added[0].tokens).collect();
    assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]), "{sizes:?}");
    let fixed = run(&session, "full-replace-fixed", 2_000, &Script::new([says("S")]));
    let sizes: Vec<Tokens> = fixed.compactions.iter().map(|one| one.added[0].tokens).collect();
    assert!(sizes.len() >= 4 && sizes.iter().all(|size| *size == sizes[0]), "{sizes:?}");
}

#[test]
fn a_threshold_above_the_window_never_fires() {
    let session = session(&"ua".repeat(40), 100);
    let trace = run(&session, "full-replace-200k", 2_000, &Script::new([says("S")]));
    assert!(matches!(trace.ended_by, EndedBy::Overflow | EndedBy::MaxTokens));
    assert!(trace.compactions.is_empty());
}

#[test]
fn a_failed_summary_ends_the_session() {
    let session = session(&"ua".repeat(40), 100);
    let trace = run(&session, "full-replace", 2_000, &Script::new([fails(FailureClass::Error)]));
    assert!(matches!(trace.ended_by, EndedBy::Raised(_)), "{:?}", trace.ended_by);
    assert_eq!(trace.compactions.len(), 1);
    assert_eq!(trace.compactions[0].outcome.name(), "fallback");
}
