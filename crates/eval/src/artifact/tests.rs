use std::path::Path;

use super::*;
use crate::ident::MsgId;
use crate::log::{Author, Call, CallId};
use crate::unit::Millis;

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

fn sightings(messages: &[Message], summary: &str) -> Vec<(Kind, Sighting)> {
    let kept = find::Summary::new(summary);
    find::artifacts(messages).iter().map(|one| (one.kind, one.sighting(&kept))).collect()
}

fn only(kind: Kind, messages: &[Message], summary: &str) -> Sighting {
    let all = sightings(messages, summary);
    let mut of_kind = all.into_iter().filter(|(known, _)| *known == kind).map(|(_, one)| one);
    let first = of_kind.next().expect("one of the kind");
    assert_eq!(of_kind.next(), None, "one of the kind alone");
    first
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
        let one = only(Kind::Path, &messages, "");
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
        assert_eq!(only(Kind::Path, &seen, summary).survived, survived, "{summary}");
    }
}

#[test]
fn kinds_are_told_by_their_shape() {
    let shown = "ran test_valve_opens and openValve() on v1.20.3, see http://a.example/x_y_z.html";
    let all = sightings(&[result(0, shown), result(1, shown)], shown);
    let kinds: Vec<Kind> = all.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [Kind::Symbol, Kind::Test, Kind::Value, Kind::Value]);
    assert!(all.iter().all(|(_, one)| one.survived));
}

#[test]
fn errors_commands_and_sentences_survive_loosely() {
    let run = call(0, "bash", r#"{"command": "cd orchard && make check-valve"}"#);
    let one = only(Kind::Command, &[run], "then `make  check-valve` was run");
    assert!(one.survived);
    let failed = Message { failed: true, ..result(0, "Error: the valve is stuck!") };
    assert!(only(Kind::Error, &[failed], "error: the valve is stuck").survived);
    let said = message(0, Role::User, Author::Human, "Never open the valve by hand.");
    let one = only(Kind::UserSentence, &[said], "- never open the valve by hand");
    assert!(one.survived && !one.pasted);
}

#[test]
fn a_name_seen_once_is_no_symbol() {
    assert!(sightings(&[result(0, "let open_valve = 1")], "").is_empty());
}

#[test]
fn the_recorded_table_gives_the_rates_that_were_published_with_it() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/recorded-compactions");
    if !dir.exists() {
        // Skipped: the recorded table is not part of the project.
        return;
    }
    let column =
        Column { name: "recorded".to_owned(), sightings: recorded(&dir).expect("it reads") };
    for (kind, which, rate, rows) in [
        (Kind::Path, "all", 0.119, 5374),
        (Kind::Path, "in tool results only", 0.009, 3540),
        (Kind::Path, "edited and read", 0.860, 314),
        (Kind::Symbol, "in the agent's words", 0.495, 1330),
        (Kind::Command, "all", 0.061, 1480),
        (Kind::UserSentence, "typed", 0.712, 878),
    ] {
        let line = lines().into_iter().find(|line| line.kind == kind && line.which == which);
        let (found, count) = column.rate(&line.expect("a line")).expect("rows");
        assert_eq!(count, rows, "{} {which}", kind.name());
        assert!((found - rate).abs() < 0.0006, "{} {which}: {found}", kind.name());
    }
}

#[test]
fn what_the_recorded_table_lacks_is_named() {
    let error = recorded(Path::new("no/such/directory")).expect_err("nothing there");
    assert!(error.to_string().contains("boundaries.csv"), "{error}");
}
