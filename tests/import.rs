//! Real transcripts, where they are at hand: what they are known to hold must be
//! what the importer finds.

use std::path::PathBuf;

use proctor::import::{self, Imported};
use proctor::log::{BoundaryAction, Log};
use proctor::unit::Tokens;

const ENTIREIO: &str = "entireio-cli_6113e919_42turns_3compactions.jsonl";
const CIPHER_BOX: &str = "cipher-box_9fb6a2d6_24turns_1compaction.jsonl";

/// The session, or nothing where the transcripts are not on this machine.
fn session(name: &str) -> Option<Imported> {
    let sessions = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/sessions/claude-code");
    let path = sessions.join(name);
    path.is_file().then(|| import::load(&path).expect("the transcript is usable"))
}

fn summaries(log: &Log) -> Vec<&str> {
    let summary = |action: &'_ BoundaryAction| matches!(action, BoundaryAction::Summary(_));
    log.boundaries
        .iter()
        .filter(|boundary| summary(&boundary.action))
        .filter_map(|boundary| match &boundary.action {
            BoundaryAction::Summary(text) => Some(&**text),
            BoundaryAction::Clear(_) => None,
        })
        .collect()
}

#[test]
fn a_session_with_three_compactions_has_its_known_figures() {
    let Some(imported) = session(ENTIREIO) else { return };
    let report = &imported.report;
    assert_eq!(report.user_turns, 42);
    assert_eq!((report.tool_calls, report.tool_results, report.tool_errors), (206, 206, 12));
    assert_eq!((report.intake.orphans, report.intake.synthesized), (0, 0));
    assert_eq!((report.usage_records, report.max_prompt), (225, Some(Tokens(155_023))));
    let pre: Vec<u64> =
        imported.log.boundaries.iter().filter_map(|b| Some(b.pre_tokens?.0)).collect();
    assert_eq!(pre, [156_699, 155_241, 155_413]);
    let post: Vec<u64> =
        imported.log.boundaries.iter().filter_map(|b| Some(b.post_tokens?.0)).collect();
    assert_eq!(post, [66_549, 60_458, 59_943]);
    let accuracy = report.accuracy.expect("calls can be compared");
    assert!((accuracy.chars_per_recorded_token - 2.6).abs() < 0.1, "{accuracy:?}");
}

#[test]
fn a_session_with_a_missing_result_has_its_known_figures() {
    let Some(imported) = session(CIPHER_BOX) else { return };
    let report = &imported.report;
    assert_eq!((report.user_turns, report.boundaries), (24, 1));
    assert_eq!((report.tool_calls, report.tool_results, report.tool_errors), (233, 232, 16));
    assert_eq!(report.intake.synthesized, 1);
    assert_eq!((report.usage_records, report.max_prompt), (228, Some(Tokens(167_072))));
    let accuracy = report.accuracy.expect("calls can be compared");
    assert!((accuracy.chars_per_recorded_token - 2.21).abs() < 0.1, "{accuracy:?}");
}

#[test]
fn an_object_behind_another_one_is_recovered() {
    let name = "entireio-cli_cf21d297_malformed_EXCERPT_lines290-310.jsonl";
    let Some(imported) = session(name) else { return };
    assert_eq!((imported.report.intake.recovered, imported.report.intake.bad_lines), (1, 0));
    assert_eq!(imported.report.intake.skipped.get("summary"), Some(&11));
}

#[test]
fn a_main_file_has_nothing_of_its_subagents() {
    let name = "vscode_b3a7bd3c/b3a7bd3c-5a10-4e7b-8ff0-7fc0cd6d1093.jsonl";
    let Some(imported) = session(name) else { return };
    assert_eq!((imported.report.user_turns, imported.report.tool_calls), (1, 4));
    assert_eq!(
        (imported.report.usage_records, imported.report.max_prompt),
        (2, Some(Tokens(16_846)))
    );
    assert!(imported.log.messages.iter().all(|m| !m.content.starts_with("Run: sleep")));
}

#[test]
fn a_short_session_has_its_known_figures() {
    let Some(imported) = session("vscode-copilot-chat_30530d66.jsonl") else { return };
    let report = &imported.report;
    assert_eq!((report.user_turns, report.tool_calls, report.tool_errors), (1, 25, 0));
    assert_eq!((report.usage_records, report.max_prompt), (14, Some(Tokens(77_248))));
}

#[test]
fn no_message_holds_a_recorded_summary() {
    for name in [ENTIREIO, CIPHER_BOX] {
        let Some(imported) = session(name) else { return };
        let summaries = summaries(&imported.log);
        assert!(!summaries.is_empty());
        for summary in summaries {
            assert!(summary.len() > 4_000, "a real summary is long");
            // Any stretch of it from the middle, so that a quotation is noticed too.
            let middle = summary.chars().skip(500).take(200).collect::<String>();
            assert!(imported.log.messages.iter().all(|m| !m.content.contains(&middle)));
        }
    }
}
