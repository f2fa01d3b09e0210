//! Sessions of one's own: where they lie, what their compactions kept, and what others would have.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{proctor, shared, work};

/// A session of Claude Code that was compacted once: a rule and a file before it, both needed after
/// it. The summary names the file and leaves the rule out.
fn compacted() -> String {
    let mut lines = Vec::new();
    let mut parent = Value::Null;
    let mut push = |mut line: Value| {
        let uuid = format!("u{}", lines.len());
        line["uuid"] = json!(uuid);
        line["parentUuid"] = std::mem::replace(&mut parent, json!(uuid));
        line["sessionId"] = json!("harbour");
        line["timestamp"] = json!(format!("2026-01-01T00:{:02}:00Z", lines.len()));
        lines.push(line.to_string());
    };
    let user = |text: &str| json!({"type": "user", "message": {"role": "user", "content": text}});
    let call = |id: &str, name: &str, input: Value| {
        json!({"type": "assistant", "message": {"id": format!("m-{id}"), "model": "claude-x",
            "content": [{"type": "tool_use", "id": id, "name": name, "input": input}],
            "usage": {"input_tokens": 900, "cache_read_input_tokens": 100}}})
    };
    let result = |id: &str, text: &str| {
        json!({"type": "user", "message": {"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]}})
    };
    push(user("Mend the berth planner. Never edit src/tide_table.rs, the pilots rely on it."));
    push(call("a", "Read", json!({"file_path": "src/berth_planner.rs"})));
    push(result("a", "pub fn plan_berths() {}"));
    push(call("b", "Read", json!({"file_path": "src/tide_table.rs"})));
    push(result("b", "pub fn high_water() {}"));
    push(json!({"type": "system", "subtype": "compact_boundary",
        "compactMetadata": {"trigger": "manual", "preTokens": 1000}}));
    push(json!({"type": "user", "isCompactSummary": true,
        "message": {"role": "user", "content": "We mend src/berth_planner.rs."}}));
    push(user("Go on with the next part of it, and look at the other one again."));
    push(call("c", "Read", json!({"file_path": "src/berth_planner.rs"})));
    push(result("c", "pub fn plan_berths() {}"));
    push(call("d", "Edit", json!({"file_path": "src/tide_table.rs", "new_string": "x"})));
    push(result("d", "done"));
    lines.join("\n") + "\n"
}

fn audited(path: &Path, words: &[&str]) -> (Value, String, i32) {
    let json = path.with_extension("audit.json");
    let run = proctor(&["audit"]).arg(path).args(words).args(&["--json"]).arg(&json).run();
    let text = fs::read(&json).expect("the figures");
    (serde_json::from_slice(&text).expect("JSON"), run.stdout, run.code)
}

#[test]
fn an_audit_says_what_a_compaction_kept_and_lost_and_what_was_needed() {
    let work = work();
    let path = work.path().join("harbour.jsonl");
    fs::write(&path, compacted()).expect("it writes");
    let (all, told, code) = audited(&path, &[]);
    assert_eq!(code, 0, "{told}");
    let compaction = &all["sessions"][0]["compactions"][0];
    assert_eq!((&compaction["manual"], &compaction["line"]), (&json!(true), &json!(8)));
    let named = |list: &str| -> Vec<String> {
        let items = compaction[list].as_array().expect("a list");
        items.iter().map(|item| item["statement"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let (kept, lost) = (named("kept"), named("lost"));
    assert!(kept.iter().any(|one| one == "berth_planner.rs"), "{kept:?}");
    assert!(lost.iter().any(|one| one.contains("Never edit src/tide_table.rs")), "{lost:?}");
    let signs = compaction["signs"].as_array().expect("a list");
    let again: Vec<&str> = signs.iter().filter_map(|sign| sign["kind"].as_str()).collect();
    assert_eq!(again, ["read-again"]);
    assert_eq!(signs[0]["earlier_line"], json!(2));
    let strategies = all["sessions"][0]["strategies"].as_array().expect("a list");
    let of = |name: &str| strategies.iter().find(|one| one["name"] == name).expect("it was driven");
    assert_eq!(of("recorded")["compactions"], json!(1));
    // All old results are masked, and nothing else is.
    assert_eq!(of("mask-tool-results")["said"]["kept"], of("mask-tool-results")["said"]["of"]);
    assert!(told.contains("## What the compactions kept"), "{told}");
}

#[test]
fn an_audit_can_fail_a_build() {
    let work = work();
    let path = work.path().join("harbour.jsonl");
    fs::write(&path, compacted()).expect("it writes");
    let (_, _, code) = audited(&path, &["--fail-below", "0.9"]);
    assert_eq!(code, 20);
    let run = proctor(&["audit", "--fail-below", "2"]).arg(&path).run();
    assert!(run.stderr.contains("expected a share from 0 to 1"), "{}", run.stderr);
}

#[test]
fn a_directory_is_audited_as_a_whole_and_run_as_one_suite() {
    let work = work();
    for name in ["one.jsonl", "two.jsonl", "notes.json"] {
        let text = if name == "notes.json" { "{\"a\":1}".to_owned() } else { compacted() };
        fs::write(work.path().join(name), text).expect("it writes");
    }
    let audit = proctor(&["audit"]).arg(work.path()).run();
    audit.succeeds();
    assert!(audit.stdout.contains("# 2 sessions"), "{}", audit.stdout);
    assert!(audit.stderr.contains("1 files are no sessions"), "{}", audit.stderr);
    let out = work.path().join("run");
    let run = proctor(&["run"]).arg(work.path()).args(&["--out"]).arg(&out).run();
    run.succeeds();
    assert!(run.stdout.contains("recorded"), "{}", run.stdout);
}

#[test]
fn the_places_of_agents_are_listed_without_reading_files() {
    let work = work();
    let place = work.path().join(".claude/projects/-home-me-garden");
    fs::create_dir_all(&place).expect("a directory");
    // What it holds is never looked at.
    fs::write(place.join("0b1c.jsonl"), "no session").expect("it writes");
    let run = |words: &[&str]| {
        let run = proctor(words).at_home(work.path()).run();
        run.succeeds();
        run.stdout
    };
    let told = run(&["sessions"]);
    assert!(told.contains("claude-code") && told.contains("~/.claude/projects"), "{told}");
    assert!(run(&["sessions", "--files"]).trim_end().ends_with("0b1c.jsonl"));
}

#[test]
fn real_sessions_with_a_recorded_compaction_are_audited() {
    let mut seen = 0;
    for (name, compactions) in [
        ("claude-code/entireio-cli_6113e919_42turns_3compactions.jsonl", 3),
        ("claude-code/cipher-box_9fb6a2d6_24turns_1compaction.jsonl", 1),
        ("codex-cli/agentv_019f03e0_10turns_2compacted.jsonl", 2),
        ("pi/pi-mono_before-compaction_55turns_2compactions.jsonl", 2),
    ] {
        let Some(path) = shared(name) else { continue };
        let work = work();
        let json = work.path().join("audit.json");
        let run = proctor(&["audit"]).arg(&path).args(&["--json"]).arg(&json).run();
        run.succeeds();
        let all: Value =
            serde_json::from_slice(&fs::read(&json).expect("the figures")).expect("JSON");
        let session = &all["sessions"][0];
        assert_eq!(session["compactions"].as_array().map(Vec::len), Some(compactions), "{name}");
        let strategies = session["strategies"].as_array().expect("a list");
        let recorded =
            strategies.iter().find(|one| one["name"] == "recorded").expect("it is driven");
        assert_eq!(recorded["ended_by"], json!("completed"), "{name}: {recorded}");
        assert_eq!(recorded["compactions"], json!(compactions), "{name}");
        seen += 1;
    }
    assert!(seen == 0 || seen == 4, "{seen}");
}

#[test]
fn a_run_over_synthesized_and_recorded_sessions_shows_them_apart() {
    let work = work();
    let path = |name: &str| work.path().join(name);
    fs::create_dir(path("logs")).expect("it is made");
    fs::write(path("logs/harbour.jsonl"), compacted()).expect("it writes");
    let scenario = "name = \"own\"\npurpose = \"a\"\nshows = \"b\"\ncannot-show = \"c\"\nexpects = \"d\"\n\
        admits = \"prompt-plus-output\"\nwire = \"text\"\nsession.transcript = { path = \"logs\" }\n";
    fs::write(path("own.toml"), scenario).expect("it writes");
    let suite = format!(
        "name = \"both\"\nabout = \"a\"\nasks = \"session\"\nscenarios = [\"smoke\", {:?}]\n\
         pipelines = [\"recorded\", \"codex\"]\nwindowless = [\"none\"]\nmodes = [\"as-recorded\"]\n\
         seeds = [1]\nprobes = false\n",
        path("own.toml").display().to_string()
    );
    fs::write(path("both.toml"), suite).expect("it writes");
    let run = proctor(&["run", "--out"]).arg(&path("run")).arg(&path("both.toml")).run();
    run.succeeds();
    let report = fs::read_to_string(path("run/report.md")).expect("it is there");
    assert!(report.contains("Synthesized: finishes"), "{report}");
    assert!(report.contains("have too few needs to be compared"), "{report}");
    let manifest = fs::read_to_string(path("run/manifest.json")).expect("it is there");
    assert!(manifest.contains("\"own-harbour\""), "{manifest}");
}
