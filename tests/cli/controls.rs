//! What a run says, and ends with, where it cannot be trusted.

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{proctor, work};

/// The example of the format page as a recorded session: its log, and its truth with one change.
fn recorded(dir: &Path, from: &str, to: &str) -> PathBuf {
    let page = include_str!("../../scenarios/FORMAT.md");
    let example = |kind: &str| {
        let rest = page.split(&format!("```jsonl {kind}\n")).nth(1).expect("an example");
        rest.split("```").next().expect("its end").to_owned()
    };
    let truth = example("truth");
    assert!(truth.contains(from), "{from}");
    fs::write(dir.join("one.jsonl"), example("log")).expect("it writes");
    fs::write(dir.join("one.truth.jsonl"), truth.replace(from, to)).expect("it writes");
    dir.join("one.jsonl")
}

#[test]
fn a_control_that_fails_ends_the_run_with_5_and_a_red_banner_unless_it_is_lenient() {
    let work = work();
    // A fact that its own message does not hold: no history could keep it.
    let session = recorded(work.path(), r#"{"code":"vendor/"}"#, r#"{"code":"nowhere/"}"#);
    let run = |name: &str, flags: &[&str]| {
        let out = work.path().join(name);
        (proctor(&["run"]).arg(&session).args(flags).args(&["--out"]).arg(&out).run(), out)
    };
    let (failed, out) = run("strict", &[]);
    failed.fails_with(5, "error: control does not hold");
    assert!(failed.stderr.contains("control.recall must be 1"), "{}", failed.stderr);
    let markdown = fs::read_to_string(out.join("report.md")).expect("there is a report");
    let banner = markdown.lines().nth(2).unwrap_or_default();
    assert!(banner.starts_with("> **A control failed"), "{banner}");
    assert!(banner.contains("must be 1"), "{banner}");
    let html = fs::read_to_string(out.join("report.html")).expect("there is a page");
    assert!(html.contains("<p class=\"banner\" role=\"alert\">"));
    let (lenient, _) = run("lenient", &["--lenient"]);
    lenient.succeeds();
    assert!(lenient.stderr.contains("warning: control does not hold"), "{}", lenient.stderr);
}

#[test]
fn a_need_for_what_the_same_call_brings_is_refused_when_it_is_read() {
    let work = work();
    let session = recorded(work.path(), r#""fact":0,"at":3"#, r#""fact":1,"at":3"#);
    let run = proctor(&["run"]).arg(&session).run();
    run.fails_with(3, "one.truth.jsonl:5");
    assert!(run.stderr.contains("born in message 2: both belong to one call"), "{}", run.stderr);
}

#[test]
fn an_answer_longer_than_max_output_is_refused_when_it_is_read() {
    let work = work();
    recorded(work.path(), "vendor/", "vendor/");
    let scenario = work.path().join("short.toml");
    let text = "name = \"short\"\npurpose = \"p\"\nshows = \"s\"\ncannot-show = \"c\"\nexpects = \"e\"\n\
                window = 100_000\nmax-output = 1\nadmits = \"prompt\"\nwire = \"text\"\n\
                [session.transcript]\npath = \"one.jsonl\"\n";
    fs::write(&scenario, text).expect("it writes");
    let run = proctor(&["run"]).arg(&scenario).args(&["--out"]).arg(&work.path().join("run")).run();
    run.fails_with(3, "scenario `short`: max-output: 1 is less than the answer of");
    assert!(run.stderr.contains("set `max-output` to"), "{}", run.stderr);
}
