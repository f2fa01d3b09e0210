//! One table or test per pitfall of the format.

use super::*;
use crate::import::records::Records;
use crate::import::report::BadLine;
use crate::import::{Format, Imported, finished, parts};

fn import_bytes(bytes: &[u8]) -> Result<Imported> {
    let path = Path::new("x.jsonl");
    let mut records = Records::new(Box::new(bytes), path)?;
    let session = parts(&mut ClaudeCode::default(), &mut records)?;
    let all = finished(Format::ClaudeCode, vec![session], records.intake, path, None)?;
    Ok(all.wanted.into_iter().next().expect("a session").1)
}

/// A transcript of `tests.txt`.
fn transcript(name: &str) -> &'static str {
    crate::section(include_str!("tests.txt"), name)
}

fn import_text(text: &str) -> Imported {
    import_bytes(text.as_bytes()).expect("the session has messages")
}

fn import(name: &str) -> Imported {
    import_text(transcript(name))
}

fn shape(log: &Log) -> String {
    log.messages.iter().map(|m| m.role.name().chars().next().unwrap_or(' ')).collect()
}

#[test]
fn the_parts_of_one_message_are_one_message_in_the_order_of_its_first() {
    let imported = import("parts");
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
    let imported = import("results");
    let contents: Vec<&str> = imported.log.messages.iter().map(|m| &*m.content).collect();
    assert_eq!(contents, ["go", "", "[no result recorded]", "late", "next"]);
    let report = &imported.report;
    assert_eq!((report.intake.synthesized, report.intake.orphans), (1, 2));
    assert_eq!((report.tool_calls, report.tool_results, report.tool_errors), (2, 1, 0));
}

#[test]
fn every_shape_of_result_content_becomes_text() {
    for (content, expected) in crate::cases::<(String, String)>("contents") {
        let imported = import_text(&transcript("content").replace("CONTENT", &content));
        assert_eq!(&*imported.log.messages[1].content, expected, "{content}");
        assert_eq!(imported.report.intake.bad_lines, 0);
    }
}

#[test]
fn injected_lines_are_messages_but_open_no_turn() {
    let imported = import("injected");
    assert_eq!(shape(&imported.log), "uuuuuu");
    assert_eq!(imported.log.turns().len(), 2);
    assert_eq!((imported.report.resent, imported.report.injected), (1, 4));
    assert_eq!(imported.log.messages[5].author, Author::Harness);
}

#[test]
fn a_recorded_summary_is_never_a_message() {
    let imported = import("summaries");
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
    let imported = import("microcompaction");
    let boundary = &imported.log.boundaries[0];
    assert_eq!(boundary.action, BoundaryAction::Clear(vec![CallId::new("a")]));
    assert_eq!((boundary.before.0, boundary.pre_tokens), (2, Some(Tokens(60))));
    assert_eq!(&*imported.log.messages[1].content, "kept verbatim");
}

#[test]
fn lines_outside_the_context_are_skipped_and_counted_by_kind() {
    let imported = import("skipped");
    assert_eq!(shape(&imported.log), "u");
    let skipped = &imported.report.intake.skipped;
    let kinds = "assistant <synthetic>,attachment/hook_success,file-history-snapshot,\
        progress/bash_progress,repeated line,summary,system/turn_duration,\
        untyped line";
    assert_eq!(skipped.keys().cloned().collect::<Vec<_>>().join(","), kinds);
    assert!(skipped.values().all(|count| *count == 1));
    assert_eq!(imported.report.intake.sidechain_lines, 1);
}

#[test]
fn broken_lines_are_counted_and_the_import_goes_on() {
    let text = transcript("broken").replace("CR", "\r");
    let (before, after) = text.split_once("LATIN").expect("a byte that is no UTF-8");
    let bytes = [before.as_bytes(), b"\xe9", after.as_bytes()].concat();
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
    assert_eq!(
        error.to_string(),
        "x.jsonl: no usable message in 2 lines (1 bad, 0 of subagents); line 2: column 2: expected ident"
    );
    let error = import_bytes(transcript("subagent").as_bytes()).expect_err("no message");
    assert_eq!(error.hint(), Some("this is a subagent's file: load the main session"));
}

#[test]
fn time_runs_from_the_first_message_and_never_back() {
    let imported = import("times");
    let times: Vec<Millis> = imported.log.messages.iter().map(|m| m.at).collect();
    assert_eq!(times, [0, 1088, 1088, 1088, 2088].map(Millis));
}

#[test]
fn the_overhead_is_what_the_first_prompt_holds_beyond_the_messages() {
    let imported = import("overhead");
    assert_eq!(imported.log.overhead, Tokens(1000 - 2));
    let negative = import_text(&transcript("overhead").replace("959", "0"));
    assert_eq!(negative.log.overhead, Tokens(41 - 2));
}

#[test]
fn a_session_that_shows_the_provider_s_ratio_is_counted_in_its_tokens() {
    let words = "word ".repeat(300);
    let lines = |steps: u64| -> String {
        let line = |step: u64| {
            // The provider counts two tokens where the reference counts one.
            let prompt = 1_000 + step * 2 * 302;
            format!(
                "{{\"type\":\"user\",\"sessionId\":\"s\",\"message\":{{\"role\":\"user\",\
                 \"content\":\"go\"}}}}\n{{\"type\":\"assistant\",\"message\":{{\"id\":\"m{step}\",\
                 \"model\":\"m\",\"content\":[{{\"type\":\"text\",\"text\":\"{words}\"}}],\
                 \"usage\":{{\"input_tokens\":{prompt},\"output_tokens\":1}}}}}}\n"
            )
        };
        (0..steps).map(line).collect()
    };
    let log = import_text(&lines(7)).log;
    assert_eq!(log.ratio, Some(2.0));
    assert_eq!(log.overhead, Tokens(1_000 - 2));
    // Two steps show nothing.
    assert_eq!(import_text(&lines(3)).log.ratio, None);
}

#[test]
fn the_report_reads_well() {
    let words = "word ".repeat(300);
    let imported = import_text(&transcript("report").replace("WORDS", &words));
    insta::assert_snapshot!(imported.report.render());
    assert_eq!(imported.log.messages[1].role, Role::Assistant);
}

#[test]
fn an_imported_log_is_a_valid_native_log() {
    let imported = import("native");
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
        let whole = transcript("small");
        let mut bytes = whole.as_bytes()[..cut.min(whole.len())].to_vec();
        bytes.extend(tail);
        if let Ok(imported) = import_bytes(&bytes) {
            proptest::prop_assert!(crate::log::format::to_text(&imported.log).is_ok());
        }
    }
}
