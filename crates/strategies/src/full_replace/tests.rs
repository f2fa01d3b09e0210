use super::*;
use crate::answer::Answers;
use crate::drive::{Limits, Session, Wire, drive};
use crate::summarize::{FailureClass, Reply};
use crate::testkit::{Fate, Scene, Script, fails, rules, says, scene, with_cell};
use crate::trace::{EndedBy, Trace};
use crate::truth::Truth;

const AS_FOUND: FullReplace =
    FullReplace { last_request: LastRequest::AsFound, max_tokens: Tokens(4_096) };
const UNNESTED: FullReplace = FullReplace { last_request: LastRequest::Unnested, ..AS_FOUND };

fn replace(strategy: &FullReplace, scene: &mut Scene, answer: &str) {
    scene.compact(strategy, &Script::new([says(answer)])).expect("accepted");
}

#[test]
fn the_last_request_nests_over_three_compactions_unless_it_is_corrected() {
    for (strategy, nests) in [(AS_FOUND, true), (UNNESTED, false)] {
        let (mut scene, mut request) = (scene("yuct"), "u1".to_owned());
        for answer in ["S1", "S2", "S3"] {
            replace(&strategy, &mut scene, answer);
            let left = format!("{answer}{LAST_REQUEST}{request}");
            assert_eq!(scene.contents(), ["y0", &left]);
            assert_eq!(scene.view.entries()[1].role, Role::User);
            if nests {
                request = left;
            }
            // The agent goes on: one more round of tools, and no word of the user.
            scene.more("ct");
        }
        scene.more("u");
        replace(&strategy, &mut scene, "S4");
        assert!(scene.contents()[1].starts_with(&format!("S4{LAST_REQUEST}u")), "a new request");
    }
}

#[test]
fn the_role_alone_tells_the_request_unless_it_is_corrected() {
    let taken = |strategy: &FullReplace, role| strategy.takes_for(role, "Go on.", false);
    assert_eq!(taken(&AS_FOUND, Role::User), Some(Taken::Human));
    assert_eq!(taken(&AS_FOUND, Role::Tool), Some(Taken::Other));
    assert_eq!(taken(&UNNESTED, Role::User), None);
}

#[test]
fn a_summary_that_imitates_the_marker_is_not_taken_for_the_request() {
    let mut scene = scene("uct");
    replace(&UNNESTED, &mut scene, &format!("S1{LAST_REQUEST}nothing of the kind"));
    replace(&UNNESTED, &mut scene, "S2");
    assert_eq!(scene.contents(), ["S2\n\nLast request from user was: u0"]);
    assert_eq!(scene.view.entries()[0].generation(), 2);
    let request = scene.view.entries()[0].parts.last().expect("parts");
    assert_eq!((request.generation, request.spans.ranges()), (0, &[(0, 1)][..]));
}

/// What the request shows behind the messages themselves: `?` a result filled in,
/// `!` the answer behind it.
fn shown(shape: &str) -> String {
    let script = Script::new([says("s")]);
    scene(shape).compact(&AS_FOUND, &script).expect("accepted");
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
    for (shape, expected) in crate::cases::<(String, String)>("cleaned") {
        assert_eq!(shown(&shape), expected, "{shape}");
    }
}

#[test]
fn a_failure_leaves_the_cleaned_history_with_the_prompt_in_it() {
    for class in [FailureClass::Error, FailureClass::TimeOut, FailureClass::Overflow] {
        let mut scene = scene("yu2t");
        let plan = scene.plan(&AS_FOUND, None).expect("it acts");
        let cleaned = plan.otherwise.as_ref().map(|plan| plan.layout.clone());
        let Some(Layout::Whole(slots)) = cleaned else { panic!("no fallback") };
        let broken = rules(&scene.apply(slots, &Answers::new()));
        assert!(broken.iter().all(|rule| !rule.breaks_strict_wire()), "{broken:?}");
        let fate = scene.carry_out(&plan, &Script::new([fails(class)]));
        assert!(matches!(fate, Fate::Failed(Then::Raise)), "{fate:?}");
        let left = scene.contents();
        assert_eq!(left[..6], ["y0", "u1", "22", "t3", "Tool no response", "Understood."]);
        assert!(left[6].starts_with("Write a full but compact summary"));
        let entries = scene.view.entries();
        assert_eq!(entries[4].answers.as_ref(), Some(&entries[2].calls[1].id));
    }
}

/// Drives a pipeline over a session of this shape, a hundred words a message.
fn run(shape: &str, pipeline: &str, reply: Reply) -> Trace {
    let mut log = scene(shape).log;
    for message in &mut log.messages {
        message.content = format!("{}{}", message.content, " word".repeat(100)).into();
    }
    let session = Session::new(log, Truth::default(), []);
    let pipeline = crate::pipeline(pipeline).expect("it ships");
    let limits = Limits { wire: Wire::Strict, ..Limits::new(Tokens(2_000), Tokens(1_000)) };
    with_cell(&session, &pipeline, limits, &Script::new([reply]), drive)
}

fn sizes(trace: &Trace) -> Vec<Tokens> {
    trace.compactions.iter().map(|compaction| compaction.added[0].tokens).collect()
}

#[test]
fn the_threshold_is_read_from_the_last_call_and_recounted_after_a_compaction() {
    let shape = format!("u{}a", "ct".repeat(40));
    let trace = run(&shape, "full-replace", says("S"));
    assert_eq!(trace.ended_by, EndedBy::Completed);
    for compaction in &trace.compactions {
        let previous = &trace.steps[compaction.step as usize - 2];
        let reading = compaction.reading.expect("a pressure");
        assert_eq!(reading.used, previous.prompt + previous.output);
        assert!(reading.used >= Tokens(1_600));
        assert_eq!(compaction.added[0].covers.ranges()[0].0, 0);
    }
    let at: Vec<u32> = trace.compactions.iter().map(|compaction| compaction.step).collect();
    assert!(at.len() >= 4 && at.windows(2).all(|pair| pair[1] - pair[0] > 3), "{at:?}");
    // The stretch of tools holds no request: every compaction nests the one before.
    assert!(sizes(&trace).is_sorted_by(|one, next| one < next), "{:?}", sizes(&trace));
    let fixed = sizes(&run(&shape, "full-replace-fixed", says("S")));
    assert!(fixed.len() >= 4 && fixed.iter().all(|size| *size == fixed[0]), "{fixed:?}");
}

#[test]
fn a_threshold_above_the_window_never_fires_and_a_failed_summary_ends_the_session() {
    let trace = run(&"ua".repeat(40), "full-replace-200k", says("S"));
    assert!(matches!(trace.ended_by, EndedBy::Overflow | EndedBy::MaxTokens));
    assert!(trace.compactions.is_empty());
    let trace = run(&"ua".repeat(40), "full-replace", fails(FailureClass::Error));
    assert!(matches!(trace.ended_by, EndedBy::Raised(_)), "{:?}", trace.ended_by);
    let outcomes = trace.compactions.iter().map(|one| one.outcome.name());
    assert_eq!(outcomes.collect::<Vec<_>>(), ["fallback"]);
}
