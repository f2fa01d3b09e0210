use super::*;
use crate::testkit::{Line, PRESSED, Scene};

const READ: &str = r#"{"file_path":"a.rs"}"#;

fn reads<'a>(id: &'a str, args: &'a str) -> [(&'a str, &'a str, &'a str); 1] {
    [(id, "Read", args)]
}

/// What comes back, without the words around it.
fn restored(strategy: &ClaudeCode, scene: &mut Scene) -> Vec<String> {
    scene.act(strategy, PRESSED).expect("it acts");
    let recalled = scene.view.entries().iter().filter(|entry| entry.kind == Kind::Recalled);
    let told = |entry: &Arc<Entry>| {
        let content = entry.content();
        content.strip_prefix(RESTORED).expect("the words before a file").to_owned()
    };
    recalled.map(told).collect()
}

fn after(calls: &[(&str, &str, &str)]) -> Vec<String> {
    let mut scene = Scene::lines(&[Line::User("go")]);
    for (number, (tool, args, output)) in calls.iter().enumerate() {
        let id = number.to_string();
        scene.more_lines(&[Line::Calls("", &[(&id, tool, args)]), Line::Output(&id, output)]);
    }
    restored(&ClaudeCode::default(), &mut scene)
}

/// Anthropic's documentation: up to five, those modified last.
#[test]
fn five_files_come_back_the_one_modified_last_at_the_end() {
    let named = |n: usize| format!(r#"{{"file_path":"{n}.rs","content":"text"}}"#);
    let args: Vec<String> = (0..7).map(named).collect();
    let mut calls: Vec<_> = args.iter().map(|args| ("Read", args.as_str(), "text")).collect();
    let back = |calls: &[_]| -> String {
        after(calls).iter().map(|file| file.strip_suffix(".rs\ntext").unwrap_or(file)).collect()
    };
    assert_eq!(back(&calls), "23456");
    // To read one again is to use it.
    calls.push(("Read", &args[1], "text"));
    assert_eq!(back(&calls), "34561");
    // One that was edited goes before all that were not, and reading it is no change.
    calls.insert(1, ("Write", &args[0], "ok"));
    assert_eq!(back(&calls), "45610");
    calls.push(("Write", &args[2], "ok"));
    calls.push(("Read", &args[0], "text"));
    assert_eq!(back(&calls), "56102");
}

#[test]
fn a_file_comes_back_as_it_was_left() {
    let edit = r#"{"file_path":"a.rs","old_string":"old","new_string":"new"}"#;
    let write = r#"{"file_path":"a.rs","content":"all new"}"#;
    assert_eq!(after(&[("Read", READ, "old text"), ("Edit", edit, "ok")]), ["a.rs\nnew text"]);
    assert_eq!(after(&[("Write", write, "ok")]), ["a.rs\nall new"]);
    assert_eq!(after(&[("Write", write, "ok"), ("Read", READ, "newer")]), ["a.rs\nnewer"]);
    // Nothing is known of what a file holds that was only edited or found.
    assert_eq!(after(&[("Edit", edit, "ok"), ("Grep", READ, "a.rs:1: old")]), [""; 0]);
    assert_eq!(after(&[("Read", READ, "old"), ("Grep", READ, "a.rs:1")]), ["a.rs\nold"]);
    assert_eq!(after(&[("Bash", r#"{"command":"cat a.rs"}"#, "old")]), [""; 0]);
}

#[test]
fn a_part_that_is_shorter_than_half_is_not_taken_for_the_file() {
    let read = |second| after(&[("Read", READ, "12345678"), ("Read", READ, second)]);
    assert_eq!(read("123"), ["a.rs\n12345678"]);
    assert_eq!(read("1234"), ["a.rs\n1234"]);
}

#[test]
fn a_call_that_failed_or_was_not_answered_shows_nothing() {
    let lines = [Line::User("go"), Line::Calls("", &reads("k", READ)), Line::Output("k", "text")];
    let mut scene = Scene::lines(&lines);
    scene.log.messages[2].failed = true;
    assert_eq!(restored(&ClaudeCode::default(), &mut scene), [""; 0]);
    let mut scene = Scene::lines(&lines[..2]);
    assert_eq!(restored(&ClaudeCode::default(), &mut scene), [""; 0]);
}

/// Anthropic's documentation: one over 5,000 tokens comes back as a path without its content.
#[test]
fn a_long_file_comes_back_as_its_path_alone() {
    let strategy = ClaudeCode { file_tokens: Tokens(4), ..ClaudeCode::default() };
    let back = |window, text: &str| {
        let lines = [Line::User("go"), Line::Calls("", &reads("k", READ)), Line::Output("k", text)];
        let mut scene = Scene::lines(&lines);
        scene.budget.window = Tokens(window);
        restored(&strategy, &mut scene).remove(0)
    };
    let alone = format!("a.rs\n{TOO_LARGE}");
    assert_eq!(back(200_000, "0123456789abcdef"), "a.rs\n0123456789abcdef");
    assert_eq!(back(200_000, "0123456789abcdefg"), alone);
    assert_eq!(back(1_000_000, "0123456789abcdefg"), alone);
    assert_eq!(back(50_000, "0123"), "a.rs\n0123");
    assert_eq!(back(50_000, "01234"), alone);
}

#[test]
fn a_cleared_result_still_shows_its_file() {
    let lines = [Line::User("go"), Line::Calls("", &reads("k", READ)), Line::Output("k", "text")];
    let mut scene = Scene::lines(&lines);
    let clear = Microcompact { keep: 0, target_tokens: Tokens(0), ..Microcompact::default() };
    let clear = Microcompact { clear_at_least: Tokens(0), ..clear };
    scene.act(&clear, None).expect("it acts");
    assert_eq!(scene.contents()[2], CLEARED);
    assert_eq!(restored(&ClaudeCode::default(), &mut scene), ["a.rs\ntext"]);
}

/// And it is edited there, or gives way to a later reading.
#[test]
fn a_file_that_came_back_comes_back_again() {
    let lines = [Line::User("go"), Line::Calls("", &reads("k", READ)), Line::Output("k", "text")];
    let mut scene = Scene::lines(&lines);
    assert_eq!(restored(&ClaudeCode::default(), &mut scene), ["a.rs\ntext"]);
    scene.more_lines(&[Line::User("more")]);
    assert_eq!(restored(&ClaudeCode::default(), &mut scene), ["a.rs\ntext"]);
    let edit = r#"{"file_path":"a.rs","old_string":"t","new_string":"n"}"#;
    let call = [("e", "Edit", edit)];
    scene.more_lines(&[Line::Calls("", &call), Line::Output("e", "ok")]);
    assert_eq!(restored(&ClaudeCode::default(), &mut scene), ["a.rs\nnext"]);
    // That it was edited is remembered.
    let other = [("r", "Read", r#"{"file_path":"b.rs"}"#)];
    scene.more_lines(&[Line::Calls("", &other), Line::Output("r", "b")]);
    assert_eq!(restored(&ClaudeCode::default(), &mut scene), ["b.rs\nb", "a.rs\nnext"]);
    // Nothing new but what it brought back itself.
    assert!(scene.act(&ClaudeCode::default(), PRESSED).is_none());
}

/// Anthropic's documentation: CLAUDE.md is read again after a compaction.
#[test]
fn instructions_kept_in_files_stay() {
    let lines =
        [Line::Injected("CLAUDE.md: be brief"), Line::Injected("2026-01-01"), Line::User("go")];
    let mut scene = Scene::lines(&lines);
    scene.log.messages[0].injected = Some(Injected::Memory);
    scene.log.messages[1].injected = Some(Injected::Environment);
    scene.act(&ClaudeCode::default(), PRESSED).expect("it acts");
    assert_eq!(scene.contents().len(), 2);
    assert_eq!(scene.contents()[0], "CLAUDE.md: be brief");
    assert!(scene.act(&ClaudeCode::default(), PRESSED).is_none());
}

#[test]
fn the_floor_probe_takes_microcompaction_to_its_keep_rule() {
    let scene = crate::testkit::scene("uctctctct");
    let context = |occasion| PlanContext {
        occasion,
        budget: &scene.budget,
        reading: None,
        past: scene.past(),
        turn: 1,
        desk: None,
    };
    let cleared = |occasion| match Microcompact::default().plan(&scene.view, &context(occasion)) {
        Decision::Plan(plan) => {
            let Layout::Whole(slots) = plan.layout else { panic!("not whole") };
            slots.iter().filter(|slot| matches!(slot, Slot::Rewrite(_))).count()
        }
        _ => 0,
    };
    assert_eq!(cleared(Occasion::FloorProbe), 1);
    assert_eq!(cleared(Occasion::BeforeCall), 0);
    assert_eq!(cleared(Occasion::Boundary), 0);
}
