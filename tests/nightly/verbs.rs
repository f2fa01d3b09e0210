//! `proctor nightly` and `proctor site`, through the binary.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use proctor::history::History;

use crate::fixture;

fn proctor(directory: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_proctor"));
    command.args(words).current_dir(directory).output().expect("the binary runs")
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn nights(directory: &Path) -> usize {
    History::load(&directory.join("nights")).expect("a history").nights.len()
}

const ONE_CELL: [&str; 5] = ["--filter", "truncate", "--seeds", "1", "--stories=none"];

/// Two nights of a real suite, the second of them run twice.
#[test]
fn a_suite_is_run_kept_and_shown_and_twice_is_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = |date: &str| {
        let mut words = vec!["nightly", "smoke", "--history", "nights", "--site", "site"];
        words.extend(["--date", date, "--"]);
        words.extend(ONE_CELL);
        proctor(directory.path(), &words)
    };
    for (date, count) in [("2026-11-21", 1), ("2026-11-22", 2), ("2026-11-22", 2)] {
        let output = run(date);
        assert_eq!(code(&output), Some(0), "{output:?}");
        assert_eq!(nights(directory.path()), count, "{date}");
    }
    assert!(directory.path().join("nights/runs/2026-11-22-smoke/manifest.json").exists());
    let index = fs::read_to_string(directory.path().join("site/index.html")).expect("a page");
    assert!(index.contains("No new change since 2026-11-21"), "{index}");
    assert!(index.contains("all are the same in every session"), "{index}");
    let before = fs::read(directory.path().join("site/index.html")).expect("a page");
    let again = proctor(directory.path(), &["site", "nights", "--out", "other"]);
    assert_eq!(code(&again), Some(0), "{again:?}");
    assert_eq!(fs::read(directory.path().join("other/index.html")).expect("a page"), before);
}

#[test]
fn a_run_that_is_there_becomes_a_night_and_the_gates_code_is_the_exit_code() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::create_dir(directory.path().join("run")).expect("a directory");
    fixture::write(&directory.path().join("run"), &fixture::ORDINARY);
    let nightly = |more: &[&str]| {
        let mut words = vec!["nightly", "--from", "run", "--history", "nights", "--site", "site"];
        words.extend(["--date", "2026-11-22"]);
        words.extend(more);
        proctor(directory.path(), &words)
    };
    // No baseline where one is named: the gate says so, and the night is kept.
    let output = nightly(&["--baseline", "missing.json"]);
    assert!(matches!(code(&output), Some(20..=26)), "{output:?}");
    assert_eq!(nights(directory.path()), 1);
    let history = History::load(&directory.path().join("nights")).expect("a history");
    let note = history.nights[0].gate.as_ref().expect("the gate's word is kept");
    assert_eq!(Some(i32::from(note.exit_code)), code(&output));
    let index = fs::read_to_string(directory.path().join("site/index.html")).expect("a page");
    assert!(index.to_lowercase().contains(&note.verdict), "{}", note.verdict);
}

#[test]
fn what_is_wrong_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let bad = |words: &[&str]| {
        let output = proctor(directory.path(), words);
        (code(&output), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let usual = ["--history", "nights", "--site", "site"];
    let with = |first: &[&'static str]| [first, &usual[..]].concat();
    let (code, says) = bad(&with(&["nightly", "smoke", "--date", "2026-02-30"]));
    assert!(code == Some(2) && says.contains("YYYY-MM-DD"), "{says}");
    let (code, says) = bad(&with(&["nightly"]));
    assert!(code == Some(2) && says.contains("SUITE"), "{says}");
    let (code, says) = bad(&with(&["nightly", "--from", "missing"]));
    assert!(code == Some(1) && says.contains("missing"), "{says}");
    fs::create_dir(directory.path().join("empty")).expect("a directory");
    let (code, says) = bad(&["site", "empty", "--out", "site"]);
    assert!(code == Some(3) && says.contains("no night"), "{says}");
}
