use proctor::ident::MsgId;
use proctor::log::{Author, Call, CallId};
use proctor::unit::Millis;

use super::find::Artifact;
use super::*;

fn message(id: u32, role: Role, author: Author, content: &str) -> Message {
    Message {
        id: MsgId(id),
        role,
        author,
        at: Millis(0),
        content: Text::from(content),
        calls: Vec::new(),
        answers: None,
        failed: false,
    }
}

fn call(id: u32, tool: &str, args: &str) -> Message {
    let calls = vec![Call { id: CallId::new("c"), name: Text::from(tool), args: Text::from(args) }];
    Message { calls, ..message(id, Role::Assistant, Author::Agent, "") }
}

fn result(id: u32, content: &str) -> Message {
    Message { answers: Some(CallId::new("c")), ..message(id, Role::Tool, Author::Harness, content) }
}

fn only(kind: Kind, messages: &[Message]) -> Artifact {
    let mut found = find::artifacts(messages);
    found.retain(|artifact| artifact.kind == kind);
    assert_eq!(found.len(), 1, "one of the kind alone");
    found.swap_remove(0)
}

fn survives(artifact: &Artifact, summary: &str) -> bool {
    artifact.survives(&find::Summary::new(summary))
}

#[test]
fn a_file_is_read_by_being_opened_and_edited_by_being_changed() {
    let opened = call(0, "read_file", r#"{"path": "src/valve/pump.rs"}"#);
    let changed = call(1, "Edit", r#"{"file_path": "src/valve/pump.rs", "old_string": "x"}"#);
    let named = message(2, Role::User, Author::Human, "Please look at pump.rs again.");
    for (messages, place, read, edited) in [
        (vec![opened.clone()], Place::Call, true, false),
        (vec![opened.clone(), changed.clone()], Place::Call, true, true),
        (vec![opened, changed, named], Place::User, true, true),
        (vec![result(0, "see src/valve/pump.rs")], Place::Result, false, false),
    ] {
        let one = only(Kind::Path, &messages);
        assert_eq!((one.place, one.read, one.edited), (Some(place), read, edited));
    }
}

#[test]
fn a_path_survives_in_any_form_of_several_segments() {
    let seen = [
        call(0, "read_file", r#"{"path": "home/src/valve/pump.rs"}"#),
        message(1, Role::Assistant, Author::Agent, "In src/valve/pump.rs all is well."),
    ];
    for (summary, survived) in [
        ("we read src/valve/pump.rs", true),
        ("we read home/src/valve/pump.rs", true),
        ("we read pump.rs", false),
        ("we read src/valve/pump.rsx", false),
        ("", false),
    ] {
        assert_eq!(survives(&only(Kind::Path, &seen), summary), survived, "{summary}");
    }
}

#[test]
fn kinds_are_told_by_their_shape() {
    let shown = "ran test_valve_opens and openValve() on v1.20.3, see http://a.example/x_y_z.html";
    let all = find::artifacts(&[result(0, shown), result(1, shown)]);
    let kinds: Vec<Kind> = all.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [Kind::Symbol, Kind::Test, Kind::Value, Kind::Value]);
    assert!(all.iter().all(|one| survives(one, shown)));
}

#[test]
fn errors_commands_and_sentences_survive_loosely() {
    let run = call(0, "bash", r#"{"command": "cd orchard && make check-valve"}"#);
    assert!(survives(&only(Kind::Command, &[run]), "then `make  check-valve` was run"));
    let failed = Message { failed: true, ..result(0, "Error: the valve is stuck!") };
    assert!(survives(&only(Kind::Error, &[failed]), "error: the valve is stuck"));
    let said = message(0, Role::User, Author::Human, "Never open the valve by hand.");
    let one = only(Kind::UserSentence, &[said]);
    assert!(survives(&one, "- never open the valve by hand") && !one.pasted);
}

#[test]
fn a_name_seen_once_is_no_symbol() {
    assert!(find::artifacts(&[result(0, "let open_valve = 1")]).is_empty());
}
