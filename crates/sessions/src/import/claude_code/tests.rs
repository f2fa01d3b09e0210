//! One table or test per pitfall of the format.

use super::*;
use crate::import::report::{BadLine, LoadReport};
use crate::import::{Format, Imported};
use crate::log::Role;
use crate::unit::{Millis, Tokens};

fn import_bytes(bytes: &[u8]) -> Result<Imported> {
    let (log, intake) = read(bytes, Path::new("x.jsonl"))?;
    let report = LoadReport::new(Format::ClaudeCode, &log, intake);
    Ok(Imported { log, report, truth: None })
}

fn import(lines: &[String]) -> Imported {
    import_bytes(lines.join("\n").as_bytes()).expect("the session has messages")
}

fn user(text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    format!(r#"{{"type":"user","sessionId":"s","message":{{"role":"user","content":{text}}}}}"#)
}

fn flagged(text: &str, flag: &str) -> String {
    user(text).replacen("{\"type\"", &format!("{{\"{flag}\":true,\"type\""), 1)
}

fn assistant(id: &str, block: &str, prompt: u64) -> String {
    format!(
        r#"{{"type":"assistant","message":{{"id":"{id}","model":"m","content":[{block}],"usage":{{"input_tokens":1,"cache_creation_input_tokens":{prompt},"cache_read_input_tokens":40,"output_tokens":1}}}}}}"#
    )
}

fn text(text: &str) -> String {
    format!(r#"{{"type":"text","text":"{text}"}}"#)
}

fn call(id: &str) -> String {
    format!(r#"{{"type":"tool_use","id":"{id}","name":"Read","input":{{"z":1,"a":"{id}"}}}}"#)
}

fn result(id: &str, content: &str, rest: &str) -> String {
    format!(
        r#"{{"type":"user","toolUseResult":{{"stdout":"DUPLICATE"}},"message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","content":{content}{rest}}}]}}}}"#
    )
}

fn boundary(pre: u64) -> String {
    format!(
        r#"{{"type":"system","subtype":"compact_boundary","content":"Conversation compacted","compactMetadata":{{"trigger":"manual","preTokens":{pre}}}}}"#
    )
}

fn shape(log: &Log) -> String {
    log.messages.iter().map(|m| m.role.name().chars().next().unwrap_or(' ')).collect()
}

#[test]
fn the_parts_of_one_message_are_one_message_in_the_order_of_its_first() {
    let imported = import(&[
        user("go"),
        assistant("m1", r#"{"type":"thinking","thinking":"SECRET","signature":"x"}"#, 10),
        assistant("m1", &text("first"), 10),
        assistant("m1", &call("a"), 12),
        result("a", "\"one\"", ""),
        assistant("m1", &call("b"), 10),
        user("and hurry"),
        result("b", "\"two\"", ",\"is_error\":true"),
        assistant("m2", &text("done"), 20),
    ]);
    let log = &imported.log;
    assert_eq!(shape(log), "uattua");
    assert_eq!(&*log.messages[1].content, "first");
    assert_eq!(log.messages[1].calls.len(), 2);
    assert_eq!(&*log.messages[1].calls[0].args, r#"{"z":1,"a":"a"}"#);
    assert_eq!(&*log.messages[3].content, "two");
    assert!(log.messages[3].failed);
    // Used once per message: input, cache creation and cache read of the largest line.
    let usage: Vec<_> = log.usage.iter().map(|u| (u.message.0, u.prompt.0, u.cached.0)).collect();
    assert_eq!(usage, [(1, 53, 40), (5, 61, 40)]);
    assert_eq!(imported.report.intake.thinking, 1);
    assert!(log.messages.iter().all(|m| !m.content.contains("SECRET")));
    assert!(log.messages.iter().all(|m| !m.content.contains("DUPLICATE")));
}

#[test]
fn a_missing_result_is_made_up_and_an_orphan_dropped() {
    let imported = import(&[
        user("go"),
        assistant("m1", &format!("{},{}", call("a"), call("b")), 10),
        result("b", "\"late\"", ""),
        result("b", "\"again\"", ""),
        result("nobody", "\"orphan\"", ""),
        user("next"),
    ]);
    let contents: Vec<&str> = imported.log.messages.iter().map(|m| &*m.content).collect();
    assert_eq!(contents, ["go", "", "[no result recorded]", "late", "next"]);
    let report = &imported.report;
    assert_eq!((report.intake.synthesized, report.intake.orphans), (1, 2));
    assert_eq!((report.tool_calls, report.tool_results, report.tool_errors), (2, 1, 0));
}

#[test]
fn every_shape_of_result_content_becomes_text() {
    for (content, expected) in crate::cases::<(String, String)>("contents") {
        let lines = [assistant("m", &call("a"), 10), result("a", &content, "")];
        let imported = import(&lines);
        assert_eq!(&*imported.log.messages[1].content, expected, "{content}");
        assert_eq!(imported.report.intake.bad_lines, 0);
    }
}

#[test]
fn injected_lines_are_messages_but_open_no_turn() {
    let imported = import(&[
        flagged("<objective>do it</objective>", "isMeta"),
        user("<command-name>/exit</command-name>"),
        user("[Request interrupted by user]"),
        user("fix it"),
        user("fix it"),
        user("<task-notification>x</task-notification>"),
    ]);
    assert_eq!(shape(&imported.log), "uuuuuu");
    assert_eq!(imported.log.turns().len(), 2);
    assert_eq!((imported.report.resent, imported.report.injected), (1, 4));
    assert_eq!(imported.log.messages[5].author, Author::Harness);
}

#[test]
fn only_what_a_person_typed_is_human() {
    for (text, is_meta, by) in crate::cases::<(String, bool, Author)>("authors") {
        assert_eq!(author(&text, is_meta), by, "{text}");
    }
    for start in INJECTED {
        assert_eq!(author(&format!("{start}x"), false), Author::Harness, "{start}");
    }
}

#[test]
fn a_recorded_summary_is_never_a_message() {
    let imported = import(&[
        user("go"),
        assistant("m1", &text("working"), 1000),
        boundary(1100),
        flagged("This session is being continued: SUMMARY", "isCompactSummary"),
        assistant("m2", &text("on"), 300),
        // One that lost its boundary line, and a boundary that lost its summary.
        flagged("SUMMARY two", "isCompactSummary"),
        boundary(900),
    ]);
    let log = &imported.log;
    assert_eq!(shape(log), "uaa");
    assert!(log.messages.iter().all(|m| !m.content.contains("SUMMARY")));
    let seen = log.boundaries.iter();
    let seen: Vec<_> = seen.map(|b| (b.before.0, b.trigger, b.pre_tokens, b.post_tokens)).collect();
    let first = (2, Trigger::Manual, Some(Tokens(1100)), Some(Tokens(341)));
    let others = [(3, Trigger::Auto, None, None), (3, Trigger::Manual, Some(Tokens(900)), None)];
    assert_eq!((seen[0], &seen[1..]), (first, &others[..]));
    let expected = Text::from("This session is being continued: SUMMARY");
    assert_eq!(log.boundaries[0].action, BoundaryAction::Summary(expected));
}

#[test]
fn a_microcompaction_clears_the_results_it_names() {
    let micro = r#"{"type":"system","subtype":"microcompact_boundary","microcompactMetadata":{"trigger":"auto","preTokens":60,"tokensSaved":20,"compactedToolIds":["a"],"clearedAttachmentUUIDs":[]}}"#;
    let imported = import(&[
        assistant("m1", &call("a"), 10),
        result("a", "\"kept verbatim\"", ""),
        micro.to_owned(),
    ]);
    let boundary = &imported.log.boundaries[0];
    assert_eq!(boundary.action, BoundaryAction::Clear(vec![CallId::new("a")]));
    assert_eq!((boundary.before.0, boundary.pre_tokens), (2, Some(Tokens(60))));
    assert_eq!(&*imported.log.messages[1].content, "kept verbatim");
}

#[test]
fn lines_outside_the_context_are_skipped_and_counted_by_kind() {
    let synthetic =
        assistant("m0", &text("No response requested."), 0).replace("\"m\"", "\"<synthetic>\"");
    let repeated = user("once").replacen('{', "{\"uuid\":\"u1\",", 1);
    let imported = import(&[
        r#"{"type":"summary","summary":"TITLE","leafUuid":"x"}"#.to_owned(),
        r#"{"type":"file-history-snapshot","messageId":"x"}"#.to_owned(),
        r#"{"type":"progress","data":{"type":"bash_progress"}}"#.to_owned(),
        r#"{"type":"attachment","attachment":{"type":"hook_success"}}"#.to_owned(),
        r#"{"type":"system","subtype":"turn_duration","durationMs":5}"#.to_owned(),
        r#"{"type":"queue-operation","operation":"enqueue","content":"x"}"#.to_owned(),
        r#"{"shape":"new"}"#.to_owned(),
        synthetic,
        flagged("inside a subagent", "isSidechain"),
        repeated.clone(),
        repeated,
    ]);
    assert_eq!(shape(&imported.log), "u");
    let skipped = &imported.report.intake.skipped;
    let kinds = "assistant <synthetic>,attachment/hook_success,file-history-snapshot,\
        progress/bash_progress,queue-operation,repeated line,summary,system/turn_duration,\
        untyped line";
    assert_eq!(skipped.keys().cloned().collect::<Vec<_>>().join(","), kinds);
    assert!(skipped.values().all(|count| *count == 1));
    assert_eq!(imported.report.intake.sidechain_lines, 1);
}

#[test]
fn broken_lines_are_counted_and_the_import_goes_on() {
    let mut bytes = format!("\u{feff}{}\r\n\r\n", user("one")).into_bytes();
    bytes.extend(format!("{}{}\r\n", user("two"), user("three")).bytes());
    bytes.extend(b"not json\r\n");
    bytes.extend(user("bad \u{1}yte").replace("\\u0001", "\u{fffd}").bytes());
    bytes.extend(b"\n");
    bytes.extend(b"{\"type\":\"user\",\"message\":{\"content\":\"caf\xe9\"}}\n");
    bytes.extend(user("cut EMOJI").replace("EMOJI", "\\ud83d").bytes());
    bytes.extend(format!("\n{}", &user("the end is missing")[..60]).bytes());
    let imported = import_bytes(&bytes).unwrap();
    let contents: Vec<&str> = imported.log.messages.iter().map(|m| &*m.content).collect();
    let expected = ["one", "two", "three", "bad \u{fffd}yte", "caf\u{fffd}", "cut \u{fffd}"];
    assert_eq!(contents, expected);
    let intake = &imported.report.intake;
    assert_eq!((intake.lines, intake.recovered, intake.mended), (7, 1, 2));
    let bad: Vec<usize> = intake.bad.iter().map(|bad| bad.line).collect();
    assert_eq!((intake.bad_lines, bad), (2, vec![4, 8]));
    assert_eq!(intake.bad[0], BadLine { line: 4, reason: "column 2: expected ident".to_owned() });
}

#[test]
fn a_file_without_messages_is_an_error() {
    let error = import_bytes(b"{\"type\":\"summary\"}\nnot json\n").expect_err("no message");
    assert_eq!(error.to_string(), "x.jsonl: no usable message in 2 lines (1 bad, 0 of subagents)");
    let subagent = flagged("Run: sleep 4", "isSidechain");
    let error = import_bytes(subagent.as_bytes()).expect_err("no message");
    assert_eq!(error.hint(), Some("this is a subagent's file: load the main session"));
}

#[test]
fn time_runs_from_the_first_message_and_never_back() {
    let at = |text: &str, time: &str| {
        user(text).replacen('{', &format!("{{\"timestamp\":\"{time}\","), 1)
    };
    let imported = import(&[
        at("a", "2026-01-23T14:24:18.912Z"),
        at("b", "2026-01-23T14:24:20.000Z"),
        at("c", "2026-01-23T14:24:19.000Z"),
        at("d", "no time"),
        at("e", "2026-01-23T14:24:21.000Z"),
    ]);
    let times: Vec<Millis> = imported.log.messages.iter().map(|m| m.at).collect();
    assert_eq!(times, [0, 1088, 1088, 1088, 2088].map(Millis));
}

#[test]
fn the_overhead_is_what_the_first_prompt_holds_beyond_the_messages() {
    let imported = import(&[user("hello world"), assistant("m", &text("hi"), 959)]);
    assert_eq!(imported.log.overhead, Tokens(1000 - 2));
    let negative = import(&[user("hello world"), assistant("m", &text("hi"), 0)]);
    assert_eq!(negative.log.overhead, Tokens(41 - 2));
}

#[test]
fn the_report_reads_well() {
    let long = text(&"word ".repeat(300));
    let imported = import(&[
        user("go"),
        assistant("m1", &long, 70_000),
        user("on"),
        "broken".to_owned(),
        r#"{"type":"summary","summary":"TITLE","leafUuid":"x"}"#.to_owned(),
        assistant("m2", &call("a"), 70_400),
        flagged("x", "isSidechain"),
    ]);
    insta::assert_snapshot!(imported.report.render());
    assert_eq!(imported.log.messages[1].role, Role::Assistant);
}

#[test]
fn an_imported_log_is_a_valid_native_log() {
    let imported = import(&[
        user("go"),
        assistant("m1", &format!("{},{}", call("a"), call("a")), 10),
        boundary(5),
        result("a", "\"x\"", ""),
        assistant("m1", &call("c"), 10),
    ]);
    let text = crate::log::format::to_text(&imported.log).unwrap();
    let back = crate::log::format::read_from(text.as_bytes(), Path::new("x.jsonl")).unwrap();
    assert_eq!(back, imported.log);
}

proptest::proptest! {
    /// forall bytes b: importing b returns, and never panics.
    #[test]
    fn any_bytes_are_imported_or_refused(
        tail in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..100),
        cut in 0..400_usize,
    ) {
        let whole = [user("one"), assistant("m", &call("a"), 5), result("a", "[\"\\ud83d\"]", "")].join("\n");
        let mut bytes = whole.as_bytes()[..cut.min(whole.len())].to_vec();
        bytes.extend(tail);
        if let Ok(imported) = import_bytes(&bytes) {
            proptest::prop_assert!(crate::log::format::to_text(&imported.log).is_ok());
        }
    }
}
