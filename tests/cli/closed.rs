//! The closed loop: an agent that acts on what it has lost, beside the open replay.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::harness::{identity, proctor, work};

const SCENARIO: &str = r#"
extends = "kept-files"
name = "short-kept-files"
purpose = "A short session that returns to its files."
shows = "s"
cannot-show = "c"
expects = "e"

window = 24_000

[session.synth]
turns = 24
"#;

const SUITE: &str = r#"
name = "closed"
about = "Three configurations in the closed loop."
scenarios = ["short-kept-files.toml"]
pipelines = ["truncate-hysteresis", "full-replace", "forge-adr"]
windowless = ["none"]
seeds = [1, 2]
probes = false
summarizer = "simulated"
"#;

/// The scenario, and a suite that names it where it stands.
fn write(dir: &Path, suite: &str) {
    let scenario = dir.join("short-kept-files.toml");
    fs::write(&scenario, SCENARIO).expect("it writes");
    let suite = suite.replace("short-kept-files.toml", &scenario.display().to_string());
    fs::write(dir.join("closed.toml"), suite).expect("it writes");
}

fn run(dir: &Path, name: &str, flags: &[&str]) {
    write(dir, SUITE);
    let run = proctor(&["run"]).arg(&dir.join("closed.toml")).args(&["--closed-loop"]);
    run.args(flags).args(&["--out"]).arg(&dir.join(name)).run().succeeds();
}

/// The rows of a run's measurements.
fn rows(run: &Path) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(run.join("measurements.csv")).expect("it is there");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.expect("a row")).collect()
}

#[test]
fn the_closed_loop_is_deterministic_in_parts_and_when_it_goes_on() {
    let work = work();
    run(work.path(), "one", &["--jobs", "1"]);
    run(work.path(), "two", &["--jobs", "2"]);
    let whole = identity(&work.path().join("one"));
    assert_eq!(whole, identity(&work.path().join("two")));
    for part in ["1/2", "2/2"] {
        run(work.path(), &part.replace('/', "-"), &["--partition", part]);
    }
    let merged = work.path().join("merged");
    let parts = ["1-2", "2-2"].map(|part| work.path().join(part));
    proctor(&["merge"]).arg(&merged).arg(&parts[0]).arg(&parts[1]).run().succeeds();
    assert_eq!(whole, identity(&merged));
    run(work.path(), "one", &["--resume"]);
    assert_eq!(whole, identity(&work.path().join("one")));
}

#[test]
fn where_nothing_was_driven_in_the_open_replay_nothing_is_compared() {
    let work = work();
    run(work.path(), "one", &["--filter", "closed-loop"]);
    let report = fs::read_to_string(work.path().join("one/report.md")).expect("it is there");
    assert!(report.contains("**There is nothing to compare: no strategy was driven"), "{report}");
}

#[test]
fn without_a_window_the_closed_loop_costs_what_agents_do_anyway() {
    let work = work();
    run(work.path(), "run", &[]);
    let rows = rows(&work.path().join("run"));
    let closed = rows.iter().filter(|row| row["mode"].starts_with("closed-loop"));
    let (mut controls, mut extra) = (0, 0.0);
    for row in closed {
        let number = |metric: &str| row[metric].parse::<f64>().expect(metric);
        if row["variant"] == "windowless" {
            controls += 1;
            assert!(number("outcome.anyway_calls") > 0.0);
            for metric in ["extra_calls", "extra_tokens", "extra_usd", "violations", "relapses"] {
                assert_eq!(number(&format!("outcome.{metric}")), 0.0, "{metric}");
            }
        } else if row["mode"] == "closed-loop" {
            extra += number("outcome.extra_tokens");
        }
    }
    assert_eq!(controls, 2 * 3);
    assert!(extra > 0.0);
    let open: Vec<_> = rows.iter().filter(|row| row["mode"] == "deployed").collect();
    assert!(open.iter().all(|row| row["outcome.extra_calls"].is_empty()));
    let report = fs::read_to_string(work.path().join("run/report.md")).expect("it is there");
    let (before, section) = report.split_once("## What forgetting costs").expect("a section");
    assert!(section.contains("| `full-replace` |"), "{section}");
    assert!(!before.contains("closed-loop"), "other sections show the open replay alone");
}

#[test]
fn a_suite_begins_with_the_open_replay() {
    let work = work();
    write(work.path(), &SUITE.replace("seeds =", "modes = [\"closed-loop\"]\nseeds ="));
    let run = proctor(&["run"]).arg(&work.path().join("closed.toml")).run();
    run.fails_with(3, "the closed loop stands beside the open replay, never first");
}
