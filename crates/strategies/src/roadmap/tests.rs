use super::*;
use crate::apply::Rule;
use crate::summarize::{Answer, Finish};
use crate::testkit::{PRESSED, Scene, Script, fails, rules, says};

/// What cogni's own tests configure.
const TIGHT: Policy = Policy {
    hard_limit: Some(Tokens(100)),
    soft_limit: Some(Tokens(1)),
    recent_user_tokens: Some(Tokens(1)),
    recent_tool_outputs: 0,
    max_tokens: Tokens(2_000),
};

const AGENTS: &str = "# AGENTS.md instructions for /repo\n\nuse tabs";
const ENVIRONMENT: &str = "<environment_context>\n  <cwd>/repo</cwd>\n</environment_context>";

fn profiles(policy: &Policy) -> [Box<dyn Strategy>; 2] {
    [Box::new(Document(policy.clone())), Box::new(Code(policy.clone()))]
}

fn summary(text: &str) -> String {
    format!("assistant*: {SUMMARY_PREFIX}{text}")
}

/// cogni: TestCompactHistoryRebuildsWithSummary.
#[test]
fn instructions_environment_the_last_user_message_and_the_summary_make_five() {
    for profile in profiles(&TIGHT) {
        let mut scene = Scene::texts(&[
            ('y', "dev"),
            ('h', AGENTS),
            ('h', ENVIRONMENT),
            ('u', "question one"),
            ('a', "answer one"),
            ('u', "question two"),
        ]);
        scene.compact(&*profile, &Script::new([says("summary text")])).expect("accepted");
        let environment = format!("user: {ENVIRONMENT}");
        let agents = format!("user: {AGENTS}");
        let expected =
            ["system: dev", &agents, &environment, "user: question two", &summary("summary text")];
        assert_eq!(scene.rows(), expected, "{profile:?}");
    }
}

/// cogni: TestCompactHistoryRetainsToolOutputs.
#[test]
fn the_last_tool_output_is_kept_with_its_call() {
    for profile in profiles(&Policy { recent_tool_outputs: 1, ..TIGHT }) {
        let mut scene = Scene::texts(&[
            ('u', "question one"),
            ('c', ""),
            ('t', "out-1"),
            ('c', ""),
            ('t', "out-2"),
            ('u', "question two"),
        ]);
        scene.compact(&*profile, &Script::new([says("s")])).expect("accepted");
        let expected = ["assistant:  [1]", "tool: out-2", "user: question two", &summary("s")];
        assert_eq!(scene.rows(), expected, "{profile:?}");
        let call = scene.view.entries()[0].calls[0].id.clone();
        assert_eq!(scene.view.entries()[1].answers, Some(call));
    }
}

/// cogni: TestCompactHistoryDropsPriorSummary.
#[test]
fn there_is_one_summary_however_often_it_compacts() {
    for profile in profiles(&TIGHT) {
        let old = format!("{SUMMARY_PREFIX}old summary");
        let mut scene = Scene::texts(&[('u', "question one"), ('a', &old), ('u', "question two")]);
        scene.compact(&*profile, &Script::new([says("new summary")])).expect("accepted");
        assert_eq!(scene.rows(), ["user: question two", &summary("new summary")], "{profile:?}");
    }
}

/// cogni: TestCompactHistorySkipsUnderSoftLimit.
#[test]
fn nothing_happens_within_the_soft_limit() {
    let policy = Policy { soft_limit: Some(Tokens(1_000)), ..Policy::default() };
    for profile in profiles(&policy) {
        let scene = Scene::texts(&[('u', "small")]);
        let decision = scene.decide(&*profile, None);
        assert_eq!(decision, Decision::decline("within the soft limit"));
    }
}

/// Two compactions, with a fact that only the first summary holds at the second.
fn twice(profile: &dyn Strategy) -> (Scene, Script) {
    let mut scene = Scene::texts(&[('u', "the port is 7070"), ('a', "noted"), ('u', "go on")]);
    let script = Script::new([says("port 7070"), says("went on")]);
    scene.compact(profile, &script).expect("accepted");
    scene.more_texts(&[('a', "working"), ('u', "and now?")]);
    scene.compact(profile, &script).expect("accepted");
    (scene, script)
}

#[test]
fn the_code_forgets_what_only_a_summary_knew_and_the_document_shows_it() {
    let (code, document) = (Code(TIGHT), Document(TIGHT));
    let (scene, script) = twice(&code);
    assert_eq!(script.shown(1), ["go on", "working"]);
    assert_eq!(scene.rows(), ["user: and now?", &summary("went on")]);
    assert_eq!(scene.view.entries()[1].generation(), 1, "never a summary of a summary");
    let (scene, script) = twice(&document);
    let first = format!("{SUMMARY_PREFIX}port 7070");
    assert_eq!(script.shown(1), ["go on", &first, "working"]);
    assert_eq!(scene.view.entries()[1].generation(), 2);
}

#[test]
fn where_all_else_is_kept_the_code_loses_its_summary_for_nothing() {
    let policy = Policy { recent_user_tokens: Some(Tokens(100)), ..TIGHT };
    let old = format!("{SUMMARY_PREFIX}port 7070");
    let lines = [('u', "one"), ('a', &*old), ('u', "two")];
    let mut code = Scene::texts(&lines);
    assert!(code.plan(&Code(policy.clone()), PRESSED).expect("it acts").requests.is_empty());
    let applied = code.compact(&Code(policy.clone()), &Script::new([])).expect("mechanical");
    assert_eq!(code.rows(), ["user: one", "user: two"]);
    assert_eq!(applied.change.dropped.ranges(), [(1, 2)]);
    let again = code.decide(&Code(policy.clone()), PRESSED);
    assert_eq!(again, Decision::decline("everything is kept by rule"));
    let mut document = Scene::texts(&lines);
    document.compact(&Document(policy), &Script::new([says("again")])).expect("accepted");
    assert_eq!(document.rows(), ["user: one", "user: two", &summary("again")]);
}

#[test]
fn a_number_of_outputs_takes_the_place_of_the_live_turns_outputs() {
    for (limit, expected) in [
        (0, ["c1", "t1", "c2", "t2"].as_slice()),
        (1, &["c2", "t2"]),
        (3, &["c0", "t0", "c1", "t1", "c2", "t2"]),
    ] {
        let policy = Policy { recent_tool_outputs: limit, ..TIGHT };
        let mut scene = Scene::texts(&[
            ('u', "first"),
            ('c', ""),
            ('t', "t0"),
            ('u', "second"),
            ('c', ""),
            ('t', "t1"),
            ('c', ""),
            ('t', "t2"),
        ]);
        scene.compact(&Code(policy), &Script::new([says("s")])).expect("accepted");
        let outputs: Vec<String> =
            scene.rows().into_iter().filter(|row| row.starts_with("tool")).collect();
        let wanted: Vec<String> = expected
            .iter()
            .filter(|name| name.starts_with('t'))
            .map(|name| format!("tool: {name}"))
            .collect();
        assert_eq!(outputs, wanted, "{limit}");
        assert_eq!(scene.rows().len(), expected.len() + 2, "{limit}: a user and a summary beside");
    }
}

#[test]
fn without_a_user_message_no_output_is_kept_by_rule() {
    let mut scene = Scene::texts(&[('c', ""), ('t', "out")]);
    scene.compact(&Code(TIGHT), &Script::new([says("s")])).expect("accepted");
    assert_eq!(scene.rows(), [summary("s")]);
}

#[test]
fn what_was_said_beside_a_kept_call_goes_to_the_summarizer() {
    let lines = [('u', "do it"), ('2', "I look twice."), ('t', "one"), ('t', "two")];
    for profile in profiles(&Policy { recent_tool_outputs: 1, ..TIGHT }) {
        let mut scene = Scene::texts(&lines);
        let script = Script::new([says("s")]);
        let applied = scene.compact(&*profile, &script).expect("accepted");
        assert_eq!(script.shown(0), ["I look twice."]);
        let expected = ["user: do it", "assistant~:  [2]", "tool: one", "tool: two", &summary("s")];
        assert_eq!(scene.rows(), expected, "{profile:?}");
        assert!(!rules(&applied).iter().any(|rule| rule.breaks_strict_wire()));
    }
}

#[test]
fn the_newest_user_message_stays_and_the_first_that_does_not_fit_ends_the_selection() {
    let lines = [('u', "tiny"), ('u', "a message of some length"), ('u', "four"), ('u', "five")];
    for (budget, kept) in [(1, 1), (2, 2), (7, 2), (8, 3), (100, 4)] {
        let policy = Policy { recent_user_tokens: Some(Tokens(budget)), ..TIGHT };
        let mut scene = Scene::texts(&lines);
        scene.more_texts(&[('a', "said")]);
        scene.compact(&Code(policy), &Script::new([says("s")])).expect("accepted");
        assert_eq!(scene.rows().len(), kept + 1, "{budget}");
    }
}

/// The source asks whether anything was counted, not whether anything was kept.
#[test]
fn a_newest_message_that_counts_for_nothing_does_not_use_up_the_exception() {
    let mut scene = Scene::texts(&[('u', "first of all"), ('u', "yes"), ('a', "said")]);
    scene.compact(&Code(TIGHT), &Script::new([says("s")])).expect("accepted");
    assert_eq!(scene.rows(), ["user: first of all", "user: yes", &summary("s")]);
}

#[test]
fn a_user_who_writes_like_a_summary_is_dropped_unread_by_the_code() {
    let quoted = format!("{SUMMARY_PREFIX}is what it says here");
    let lines = [('u', &*quoted), ('a', "I see."), ('u', "ok")];
    let (mut code, mut document) = (Scene::texts(&lines), Scene::texts(&lines));
    let script = Script::new([says("s")]);
    code.compact(&Code(TIGHT), &script).expect("accepted");
    document.compact(&Document(TIGHT), &script).expect("accepted");
    assert_eq!(script.shown(0), ["I see."]);
    assert_eq!(script.shown(1), [&*quoted, "I see."]);
}

#[test]
fn only_the_last_environment_block_stays() {
    let diff = "<environment_diff>branch</environment_diff>";
    let mut scene = Scene::texts(&[('h', ENVIRONMENT), ('u', "a"), ('h', diff), ('a', "b")]);
    scene.compact(&Code(TIGHT), &Script::new([says("s")])).expect("accepted");
    assert_eq!(scene.rows(), ["user: a", &format!("user: {diff}"), &summary("s")]);
}

#[test]
fn an_error_or_a_tool_call_leaves_the_history_as_it_was() {
    let called = || Ok(Answer { text: "I call".to_owned(), finish: Finish::ToolCall });
    for (reply, class) in [
        (called(), FailureClass::ToolCall),
        (fails(FailureClass::Error), FailureClass::Error),
        (fails(FailureClass::TimeOut), FailureClass::TimeOut),
    ] {
        for profile in profiles(&TIGHT) {
            let mut scene = Scene::texts(&[('u', "question"), ('a', "said"), ('u', "next one")]);
            let before = scene.rows();
            let failed = scene.compact(&*profile, &Script::new([reply.clone()]));
            assert_eq!(failed.expect_err("it fails"), class);
            assert_eq!(scene.rows(), before);
        }
    }
}

#[test]
fn an_empty_answer_makes_no_summary_and_the_items_are_gone() {
    for profile in profiles(&TIGHT) {
        let mut scene = Scene::texts(&[('u', "question"), ('a', "said"), ('u', "next one")]);
        let applied = scene.compact(&*profile, &Script::new([says(" \n")])).expect("accepted");
        assert_eq!(scene.rows(), ["user: next one"], "{profile:?}");
        assert_eq!(applied.change.dropped.ranges(), [(0, 2)]);
        assert!(!rules(&applied).contains(&Rule::EmptySummary), "there is no entry to be empty");
    }
}

#[test]
fn the_code_trims_the_oldest_before_it_asks_and_asks_nobody_where_nothing_is_left() {
    let long = "x".repeat(400);
    let lines = [('u', "older"), ('a', &*long), ('a', "kept in view of the limit"), ('u', "newer")];
    let room = PROMPT.len() as u64 / 4;
    for (hard, expected) in [
        (room + 200, Some(vec!["older", &*long, "kept in view of the limit"])),
        (room + 20, Some(vec!["kept in view of the limit"])),
        (room, None),
    ] {
        let policy = Policy { hard_limit: Some(Tokens(hard)), ..TIGHT };
        let mut scene = Scene::texts(&lines);
        let script = Script::new([says("s")]);
        let applied = scene.compact(&Code(policy), &script).expect("never an error");
        assert_eq!(
            (!script.prompts().is_empty()).then(|| script.shown(0)),
            expected.map(|l| { l.into_iter().map(str::to_owned).collect::<Vec<_>>() })
        );
        let summarized = !script.prompts().is_empty();
        assert_eq!(scene.rows().len(), if summarized { 2 } else { 1 }, "{hard}");
        // Trimmed items are folded unseen; where nobody was asked they are dropped.
        assert_eq!(applied.change.dropped.is_empty(), summarized, "{hard}");
    }
}

#[test]
fn the_document_trims_after_a_refusal_and_fails_on_the_last_item() {
    let lines = [('u', "older"), ('a', "older words"), ('a', "newer words"), ('u', "newer")];
    let mut scene = Scene::texts(&lines);
    let refused = || fails(FailureClass::Overflow);
    let script = Script::new([refused(), refused(), says("s")]);
    scene.compact(&Document(TIGHT), &script).expect("accepted");
    assert_eq!(script.shown(2), ["newer words"]);
    let mut scene = Scene::texts(&lines);
    let failed = scene.compact(&Document(TIGHT), &Script::new([refused()]));
    assert_eq!(failed.expect_err("nothing is left to trim"), FailureClass::Overflow);
    assert_eq!(scene.rows().len(), lines.len());
    let mut scene = Scene::texts(&lines);
    let script = Script::new([refused()]);
    assert_eq!(scene.compact(&Code(TIGHT), &script).expect_err("no retry"), FailureClass::Overflow);
    assert_eq!(script.prompts().len(), 1);
}

#[test]
fn limits_follow_from_each_other() {
    let of = |hard: Option<u64>, soft: Option<u64>, user: Option<u64>| {
        let policy = Policy {
            hard_limit: hard.map(Tokens),
            soft_limit: soft.map(Tokens),
            recent_user_tokens: user.map(Tokens),
            ..Policy::default()
        };
        let Limits { hard, soft, recent_user } = policy.limits(Tokens(100_001));
        (hard.0, soft.0, recent_user.0)
    };
    assert_eq!(of(None, None, None), (100_001, 80_001, 20_001));
    assert_eq!(of(Some(1_001), None, None), (1_001, 801, 201));
    assert_eq!(of(None, Some(10), None), (10, 10, 3));
    assert_eq!(of(Some(99), Some(10), Some(7)), (99, 10, 7));
    let zero = Policy { soft_limit: Some(Tokens::ZERO), ..Policy::default() };
    assert!(zero.check().expect_err("0 is no limit").contains("`soft-limit` is 0"));
}

#[test]
fn what_they_take_for_what_goes_by_the_beginning_of_the_text() {
    let summary = format!("{SUMMARY_PREFIX}all done");
    for (role, text, calls, expected) in [
        (Role::User, "Add a flag.", false, Taken::Human),
        (Role::User, "Operation stopped by user.", false, Taken::Human),
        (Role::User, AGENTS, false, Taken::Other),
        (Role::User, ENVIRONMENT, false, Taken::Other),
        (Role::Assistant, &summary, false, Taken::Summary),
        // Whoever wrote it, but for an output and a message with calls.
        (Role::User, &summary, false, Taken::Summary),
        (Role::Assistant, &summary, true, Taken::Other),
        (Role::Tool, &summary, false, Taken::Other),
        (Role::Assistant, "Done.", false, Taken::Other),
    ] {
        for profile in profiles(&TIGHT) {
            let taken = profile.takes_for(role, text, calls);
            assert_eq!(taken, Some(expected), "{role:?} {text}");
        }
    }
}
