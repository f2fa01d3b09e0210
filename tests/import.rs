//! Real transcripts, where they are at hand: what they are known to hold must be
//! what the importer finds.

use std::io::Write;
use std::path::PathBuf;

use proctor::extract::extract;
use proctor::import::{self, Imported};
use proctor::log::{Author, Boundary, BoundaryAction, Log, Role};
use proctor::truth::{Demand, FactKind, NeedleIndex, Origin};
use proctor::unit::Tokens;

const ENTIREIO: &str = "entireio-cli_6113e919_42turns_3compactions.jsonl";
const CIPHER_BOX: &str = "cipher-box_9fb6a2d6_24turns_1compaction.jsonl";

/// The session, or nothing where the transcripts are not on this machine.
fn session(name: &str) -> Option<Imported> {
    let sessions = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/sessions/claude-code");
    let path = sessions.join(name);
    if path.is_file() {
        return Some(import::load(&path).expect("the transcript is usable"));
    }
    // The harness shows this with `--nocapture`; there is nothing to do about a failure.
    let _ = writeln!(std::io::stderr(), "skipped: no {}", path.display());
    None
}

fn summaries(log: &Log) -> Vec<&str> {
    log.boundaries.iter().filter_map(summary).collect()
}

fn summary(boundary: &Boundary) -> Option<&str> {
    match &boundary.action {
        BoundaryAction::Summary(text) => Some(text),
        BoundaryAction::Clear(_) | BoundaryAction::Nothing => None,
    }
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
    // Seven of them were typed while the agent was busy.
    assert_eq!((report.user_turns, report.boundaries), (31, 1));
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

#[test]
fn the_facts_of_a_session_are_its_own_and_no_summary_gave_them() {
    for name in [ENTIREIO, CIPHER_BOX] {
        let Some(Imported { mut log, .. }) = session(name) else { return };
        let truth = extract(&log);
        assert!((150..=400).contains(&truth.facts.len()), "{}", truth.facts.len());
        let index = NeedleIndex::new(&truth.facts);
        for fact in &truth.facts {
            let born = log.message(fact.born).expect("births are in the log");
            let texts = [&born.content].into_iter().chain(born.calls.iter().map(|call| &call.args));
            let held = texts.flat_map(|text| index.search(text));
            assert!(held.into_iter().any(|h| h.fact == fact.id && h.present()), "{fact:?}");
        }
        for boundary in &mut log.boundaries {
            boundary.action = BoundaryAction::Clear(Vec::new());
        }
        let without = extract(&log);
        assert_eq!((without.facts, without.demands), (truth.facts, truth.demands));
    }
}

#[test]
fn what_was_said_before_a_compaction_and_used_after_it_is_found() {
    let Some(Imported { log, .. }) = session(ENTIREIO) else { return };
    let truth = extract(&log);
    let redirect =
        truth.facts.iter().find(|fact| fact.statement.starts_with("no remove this again"));
    assert_eq!(redirect.map(|fact| fact.kind), Some(FactKind::Direction));
    let used = |demand: &&Demand| matches!(demand.origin, Origin::Call | Origin::Reacquired);
    let needed: Vec<&str> = truth
        .demands
        .iter()
        .filter(used)
        .map(|demand| truth.facts[demand.fact.index()].statement.as_str())
        .collect();
    for named in ["manual_commit_attribution.go", "committed.go"] {
        assert!(needed.contains(&named), "{named} not in {needed:?}");
    }
    let Some(Imported { log, .. }) = session(CIPHER_BOX) else { return };
    let rule = extract(&log).facts.into_iter().find(|fact| fact.kind == FactKind::SafetyRule);
    assert!(rule.is_some_and(|rule| rule.statement.contains("PII in local storage")));
}

#[test]
fn a_loaded_session_survives_our_own_format() {
    let Some(Imported { log, .. }) = session(ENTIREIO) else { return };
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("copy.jsonl");
    let truth = extract(&log);
    proctor::log::format::write(&log, &path).expect("the log is valid");
    let beside = proctor::truth::format::beside(&path);
    proctor::truth::format::write(&truth, &log.id, &beside).expect("the truth is valid");
    let back = import::load(&path).expect("what was written can be read");
    assert_eq!((back.log, back.truth), (log, Some(truth)));
}

#[test]
fn only_people_open_turns() {
    let Some(Imported { log, .. }) = session(CIPHER_BOX) else { return };
    let injected =
        log.messages.iter().filter(|m| m.role == Role::User && m.author == Author::Harness);
    let starts = ["<command", "<local-command", "<task-notification", "<objective", "[Request"];
    for message in injected {
        assert!(starts.iter().any(|start| message.content.starts_with(start)));
    }
}
