//! What a terminal is told: lists, files to start from, two strategies beside each other, a run that
//! is interrupted.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::harness::{proctor, work};

#[test]
fn what_ships_is_listed_with_what_it_is() {
    for (kind, name, about) in [
        ("suites", "smoke", "One short session"),
        ("scenarios", "multi-goal-arcs", "Whether a goal survives"),
        ("strategies", "codex", "openai/codex"),
        ("summarizers", "perfect", "upper bound"),
        ("metrics", "recall_at_need", "Share present among ranked demands"),
        ("formats", "claude-code", "Claude Code"),
    ] {
        let listed = proctor(&["list", kind]).run();
        listed.succeeds();
        let mut lines = listed.stdout.lines();
        let line = lines.find(|line| line.split_whitespace().next() == Some(name));
        assert!(line.is_some_and(|line| line.contains(about)), "{kind}\n{}", listed.stdout);
    }
    let kinds = proctor(&["list"]).run();
    kinds.succeeds();
    assert_eq!(kinds.stdout.lines().count(), 6, "{}", kinds.stdout);
}

#[test]
fn a_file_to_start_from_runs_as_it_is_written() {
    let work = work();
    for (kind, words) in [
        ("scenario", &["run", "scenario-1.toml", "--strategies", "truncate", "--seeds", "1"][..]),
        ("pipeline", &["run", "smoke", "--strategies", "pipeline-1.toml", "--seeds", "1"]),
        ("suite", &["run", "suite-1.toml", "--seeds", "1"]),
    ] {
        let name = format!("{kind}-1");
        let new = || proctor(&["new", kind, &name]).within(work.path()).run();
        let made = new();
        made.succeeds();
        assert_eq!(made.stdout, format!("{name}.toml\n"));
        new().fails_with(3, "the file exists already");
        let run = proctor(words).args(&["--out", kind]).within(work.path()).run();
        run.succeeds();
        assert!(run.stdout.contains("100%"), "{kind}\n{}", run.stdout);
    }
    proctor(&["new", "suite", "No/Name"]).within(work.path()).run().fails_with(3, "is no name");
}

#[test]
fn two_strategies_are_told_apart_in_a_sentence() {
    let vs = proctor(&["vs", "truncate", "none", "smoke", "--sessions", "16"]).run();
    vs.succeeds();
    let last = vs.stdout.lines().last().unwrap_or_default();
    assert!(last.starts_with("`truncate` is better in completion"), "{}", vs.stdout);
    assert!(vs.stdout.contains("points ["), "{}", vs.stdout);
    proctor(&["vs", "none", "none"]).run().fails_with(3, "it is both sides");
    proctor(&["vs", "none", "codx"]).run().fails_with(2, "did you mean `codex`?");
}

#[test]
fn strategies_and_a_window_of_ones_own_need_no_file() {
    let work = work();
    let transcript = work.path().join("session.jsonl");
    proctor(&["synth", "smoke", "--seed", "3", "--out"]).arg(&transcript).run().succeeds();
    let run = proctor(&["run", "--strategies", "codex,mask-tool-results", "--window", "30000"])
        .args(&["--summarizer", "lead", "--out"])
        .arg(&work.path().join("run"))
        .arg(&transcript)
        .run();
    run.succeeds();
    for part in ["codex", "mask-tool-results", "none@windowless", "summarizer `lead`"] {
        assert!(run.stdout.contains(part), "{part}\n{}", run.stdout);
    }
    assert!(!run.stdout.contains("forge-adr"), "{}", run.stdout);
    let rows = fs::read_to_string(work.path().join("run/measurements.csv")).expect("it is there");
    assert!(rows.contains("session@30k/codex/0/as-recorded,"), "{rows}");
    for flag in [["--strategies", "codex"], ["--window", "60000"]] {
        let frozen = proctor(&["run", "proctor-1", "--list"]).args(&flag).run();
        frozen.succeeds();
        assert!(frozen.stderr.contains("not the frozen suite"), "{}", frozen.stderr);
    }
}

#[test]
fn the_closing_table_fits_and_says_why_a_figure_is_missing() {
    let work = work();
    let words = ["run", "smoke", "--seeds", "1", "--strategies", "none,codex", "--out"];
    let run = proctor(&words).arg(&work.path().join("run")).run();
    run.succeeds();
    assert!(run.stdout.contains("a control: nothing is compacted"), "{}", run.stdout);
    assert!(run.stdout.contains("sessions ended early"), "{}", run.stdout);
    let wide = run.stdout.lines().find(|line| line.chars().count() > 100);
    assert_eq!(wide.filter(|line| !line.starts_with("report: ")), None);
}

#[test]
fn an_interrupted_run_says_what_is_kept_and_how_to_go_on() {
    let work = work();
    let out = work.path().join("run");
    let words = ["run", "smoke", "--jobs", "1", "--seeds", "1,2,3,4,5,6,7,8,9", "--out"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_proctor"));
    command.args(words).arg(&out).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().expect("the binary runs");
    let shard = out.join("shards/cells");
    for _ in 0..3_000 {
        if fs::metadata(&shard).is_ok_and(|meta| meta.len() > 20_000) {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("`kill` is there").success());
    let ended = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(7), "{said}");
    assert!(said.contains("cells are kept in"), "{said}");
    let hint = said.lines().find(|line| line.starts_with("hint: ")).unwrap_or_default();
    let again: Vec<&str> = hint.split('`').nth(1).unwrap_or_default().split(' ').skip(1).collect();
    assert!(again.contains(&"--resume"), "{said}");
    let resumed = proctor(&again).run();
    resumed.succeeds();
    assert!(resumed.stderr.contains("cells are there from an earlier run"), "{}", resumed.stderr);
}
