use super::*;
use crate::testkit::{Line, Scene, scene};

const PARALLEL: [(&str, &str, &str); 2] =
    [("k2", "Read", r#"{"path":"b"}"#), ("k3", "Bash", r#"{"command":"ls -l"}"#)];

/// One call, then two at once, then one.
fn session() -> Scene {
    Scene::lines(&[
        Line::User("go"),
        Line::Calls("", &[("k1", "Read", r#"{"path":"a"}"#)]),
        Line::Output("k1", "one two three"),
        Line::Calls("", &PARALLEL),
        Line::Output("k2", "four five six"),
        Line::Output("k3", "seven eight nine"),
        Line::Calls("", &[("k4", "Read", r#"{"path":"c"}"#)]),
        Line::Output("k4", "ten"),
    ])
}

/// The calls whose results are cleared, and then those whose arguments are.
fn cleared_by(strategy: &ClearToolUses, scene: &Scene) -> String {
    let Some(plan) = scene.plan(strategy, None) else { return "-".to_owned() };
    let Layout::Edits { base: Base::View, edits } = plan.layout else { panic!("other edits") };
    let results = edits.iter().filter(|edit| edit.pieces.is_some()).map(|edit| {
        assert_eq!(edit.pieces, Some(vec![Piece::literal(PLACEHOLDER)]));
        let entry = scene.view.entry(edit.entry).expect("it is there");
        entry.answers.as_ref().expect("a result").to_string()
    });
    let inputs = edits.iter().flat_map(|edit| &edit.args).map(|(id, args)| format!(" {id}{args}"));
    results.collect::<Vec<_>>().join(" ") + &inputs.collect::<String>()
}

/// Context editing: Configuration options for tool result clearing.
#[test]
fn all_results_but_the_last_are_cleared_the_oldest_first() {
    let strategy = ClearToolUses::default();
    assert_eq!(cleared_by(&strategy, &session()), "k1");
    let strategy = ClearToolUses { keep: 1, ..strategy };
    assert_eq!(cleared_by(&strategy, &session()), "k1 k2 k3");
    let strategy = ClearToolUses { keep: 0, ..strategy };
    assert_eq!(cleared_by(&strategy, &session()), "k1 k2 k3 k4");
    assert_eq!(cleared_by(&strategy, &scene("uaua")), "-");
    assert_eq!(cleared_by(&ClearToolUses { keep: 4, ..strategy }, &session()), "-");
}

/// Configuration options: `exclude_tools`. That they count among those kept is ours.
#[test]
fn results_of_excluded_tools_stay() {
    let exclude_tools = vec!["Bash".to_owned(), "Write".to_owned()];
    let strategy = ClearToolUses { keep: 1, exclude_tools, ..ClearToolUses::default() };
    assert_eq!(cleared_by(&strategy, &session()), "k1 k2");
    assert_eq!(cleared_by(&ClearToolUses { keep: 2, ..strategy }, &session()), "k1 k2");
}

/// Configuration options: `clear_tool_inputs`.
#[test]
fn the_arguments_of_a_cleared_result_s_call_go_where_that_is_asked_for() {
    let strategy = ClearToolUses { keep: 2, clear_tool_inputs: true, ..ClearToolUses::default() };
    assert_eq!(cleared_by(&strategy, &session()), "k1 k2 k1{} k2{}");
}

/// Configuration options: `clear_at_least`. Where the API cannot clear so much, it clears nothing.
#[test]
fn clear_at_least_is_a_gate() {
    let session = session();
    let content = |place: usize| session.view.entries()[place].counts.content;
    let freed = content(2) + content(4);
    let strategy = ClearToolUses { keep: 2, clear_at_least: freed, ..ClearToolUses::default() };
    assert_eq!(cleared_by(&strategy, &session), "k1 k2");
    let more = freed + Tokens(1);
    let strategy = ClearToolUses { clear_at_least: more, ..strategy };
    assert_eq!(cleared_by(&strategy, &session), "-");
    // Arguments count where they are cleared.
    let calls = |place: usize| session.view.entries()[place].counts.calls[0];
    let freed = freed + calls(1) + calls(3);
    let strategy = ClearToolUses { clear_tool_inputs: true, clear_at_least: freed, ..strategy };
    assert_eq!(cleared_by(&strategy, &session), "k1 k2 k1{} k2{}");
    let more = freed + Tokens(1);
    assert_eq!(cleared_by(&ClearToolUses { clear_at_least: more, ..strategy }, &session), "-");
}

#[test]
fn a_result_without_a_call_stays() {
    let strategy = ClearToolUses { keep: 0, ..ClearToolUses::default() };
    assert_eq!(cleared_by(&strategy, &scene("tutu")), "-");
    let lines = [Line::User("go"), Line::Output("gone", "one"), Line::Output("k", "two")];
    assert_eq!(cleared_by(&strategy, &Scene::lines(&lines)), "-");
}

/// Context editing: the client keeps its full history. Compaction changes it.
#[test]
fn clearing_is_of_the_request_and_asks_no_model() {
    let clear = ClearToolUses::default();
    assert_eq!((clear.scope(), clear.asks()), (Scope::Request, false));
    assert_eq!((Compact::default().scope(), Compact::default().asks()), (Scope::History, true));
}
