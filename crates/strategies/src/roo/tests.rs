use super::*;
use crate::testkit::{Fate, Line, Scene, Script, fails, says, scene};

/// What is left in a window where condensing fails; `-` where all is.
fn left(strategy: &Roo, mut scene: Scene, window: u64) -> String {
    scene.budget.window = Tokens(window);
    let plan = scene.plan(strategy, None).expect("it acts");
    match scene.carry_out(&plan, &Script::new([fails(FailureClass::Error)])) {
        Fate::Fallback(_) => scene.contents().join(" "),
        Fate::Failed(_) => "-".to_owned(),
        Fate::Accepted(_) => panic!("there is no summary"),
    }
}

fn truncated(shape: &str, share: f64) -> String {
    let strategy = Roo { truncate_share: share, ..Roo::default() };
    let left = left(&strategy, scene(shape), 0);
    left.replace("[Sliding window truncation: ", "[").replace(" messages hidden to save room]", "]")
}

/// truncation.spec.ts and context-management.spec.ts, `truncateConversation`.
#[test]
fn half_of_the_messages_but_the_first_are_hidden_an_even_number_of_them() {
    // should tag messages with truncationParent instead of deleting: 4 of 11
    assert_eq!(truncated("uauauauauau", 0.5), "u0 [4] a5 u6 a7 u8 a9 u10");
    // should round messagesToRemove to an even number: 4 of 12
    assert_eq!(truncated("uauauauauaua", 0.5), "u0 [4] a5 u6 a7 u8 a9 u10 a11");
    // should remove the specified fraction of messages: 2 of 5
    assert_eq!(truncated("uauau", 0.5), "u0 [2] a3 u4");
    // should retain the first message: nothing of 3
    assert_eq!(truncated("uau", 0.5), "-");
    // should round to an even number of messages to remove: 0.3 of 7
    assert_eq!(truncated("uauauau", 0.3), "-");
    // should handle edge case with fracToRemove = 0, and = 1
    assert_eq!(truncated("uauau", 0.0), "-");
    assert_eq!(truncated("uaua", 1.0), "u0 [2] a3");
    assert_eq!(truncated("uauau", 1.0), "u0 [4]");
}

/// A message of the user holds the results of all calls and what was added to them. System messages
/// are none.
#[test]
fn messages_are_the_sources() {
    let cut = |shape: &str| -> Vec<(usize, usize)> {
        messages(&scene(shape).view).iter().map(|one| (one.start, one.end)).collect()
    };
    assert_eq!(cut("yu2ttuac"), [(1, 2), (2, 3), (3, 6), (6, 7), (7, 8)]);
    assert_eq!(cut("uhaa"), [(0, 2), (2, 3), (3, 4)]);
    assert_eq!(cut("MutMu"), [(0, 1), (1, 3), (3, 4), (4, 5)]);
    assert_eq!(cut("yy"), []);
    assert_eq!(truncated("yu2ttctct", 0.5), "y0 u1 [2] c5 t6 c7 t8");
}

/// truncation.spec.ts, should handle multiple truncations correctly.
#[test]
fn markers_stay_and_are_not_counted() {
    let mut scene = scene("uauauauauau");
    let strategy = Roo::default();
    scene.budget.window = Tokens(0);
    for expected in [
        "u0 [4] a5 u6 a7 u8 a9 u10",
        // floor((7 - 1) * 0.5) = 3, rounded to even = 2.
        "u0 [4] [2] a7 u8 a9 u10",
        "u0 [4] [2] [2] a9 u10",
        "",
    ] {
        let plan = scene.plan(&strategy, None).expect("it acts");
        let fate = scene.carry_out(&plan, &Script::new([fails(FailureClass::Error)]));
        let told = scene.contents().join(" ").replace("[Sliding window truncation: ", "[");
        let told = told.replace(" messages hidden to save room]", "]");
        match fate {
            Fate::Fallback(_) => assert_eq!(told, expected),
            other => assert!(expected.is_empty(), "{other:?}"),
        }
        if expected.ends_with("[2] a9 u10") {
            break;
        }
    }
}

/// getEffectiveApiHistory: orphan tool_result blocks are filtered.
#[test]
fn results_whose_calls_are_hidden_go_too() {
    let call = |id| [(id, "Read", "{}")];
    let (one, two) = (call("k1"), call("k2"));
    let lines = [
        Line::User("go"),
        Line::Calls("one", &one),
        Line::User("and"),
        Line::Calls("two", &two),
        Line::Output("k1", "late"),
        Line::Output("k2", "in time"),
        Line::Says("done"),
    ];
    // Five messages but for the first: two go.
    let told = left(&Roo::default(), Scene::lines(&lines), 0);
    assert_eq!(
        told,
        "go [Sliding window truncation: 2 messages hidden to save room] two in time done"
    );
}

/// manageContext: it falls back only above 90 % of the window less the room for the answer.
#[test]
fn without_pressure_a_failure_changes_nothing() {
    let used = scene("uauau").view.counted().0;
    for (window, output, falls_back) in [(1_000, 899, true), (1_000, 900, true), (1_000, 0, false)]
    {
        let mut scene = scene("uauau");
        scene.budget.max_output = Tokens(output);
        assert_eq!(left(&Roo::default(), scene, window) != "-", falls_back);
    }
    // To the token: 900 of 1,000 are allowed, with system prompt and schemas.
    for (more, falls_back) in [(0, false), (1, true)] {
        let mut scene = scene("uauau");
        scene.budget.max_output = Tokens(300);
        scene.budget.system = Tokens(200);
        scene.budget.schemas = Tokens(400 - used + more);
        assert_eq!(left(&Roo::default(), scene, 1_000) != "-", falls_back, "{more}");
    }
}

fn condensed(scene: &mut Scene) -> String {
    let plan = scene.plan(&Roo::default(), None).expect("it acts");
    scene.carry_out(&plan, &Script::new([says(" s\n")])).applied().expect("a summary");
    scene.contents().join(" / ")
}

/// extractCommandBlocks: of the first message of the task, at every condensation.
#[test]
fn workflows_of_the_first_message_are_repeated() {
    let task = "<command name=\"a\">one\ntwo</command> go <command>three</command>";
    let lines =
        [Line::System("y"), Line::User(task), Line::Says("ok"), Line::User("<command>4</command>")];
    let mut scene = Scene::lines(&lines);
    let commands = "<command name=\"a\">one\ntwo</command>\n<command>three</command>";
    let expected = format!("y / {HEADING}s{WORKFLOWS}{commands}{REMINDED}");
    assert_eq!(condensed(&mut scene), expected);
    scene.more("au");
    assert_eq!(condensed(&mut scene), expected);
    let mut scene = Scene::lines(&lines[2..]);
    assert_eq!(condensed(&mut scene), format!("{HEADING}s"));
}

/// transformMessagesForCondensing and injectSyntheticToolResults.
#[test]
fn the_summarizer_is_shown_calls_and_results_as_text() {
    let calls = [("k1", "Read", r#"{"path":"a"}"#), ("k2", "Bash", r#"{"command":"ls"}"#)];
    let lines = [
        Line::System("y"),
        Line::User("go"),
        Line::Calls("look", &calls),
        Line::Output("k2", "a b"),
    ];
    let scene = Scene::lines(&lines);
    let script = Script::new([says("s")]);
    let plan = scene.plan(&Roo::default(), None).expect("it acts");
    scene.answer(&plan.requests, &script);
    let prompt = &script.prompts()[0];
    assert_eq!(prompt.system.as_deref(), Some(SYSTEM));
    let told: Vec<(Role, String)> =
        prompt.messages.iter().map(|one| (one.role, one.text())).collect();
    let look = "look\n[Tool Use: Read]\n{\"path\":\"a\"}\n[Tool Use: Bash]\n{\"command\":\"ls\"}";
    assert_eq!(
        told,
        [
            (Role::User, "go".to_owned()),
            (Role::Assistant, look.to_owned()),
            (Role::User, "[Tool Result]\na b".to_owned()),
            (Role::User, DEFERRED.to_owned()),
            (Role::User, PROMPT.to_owned()),
        ]
    );
}
