//! The real binary, driven end to end.

mod axis;
mod closed;
mod controls;
mod faults;
mod fit;
mod mistakes;
mod orderings;
mod own;
pub mod redaction;
mod stories;
mod terminal;
mod tune;

use crate::harness;
use std::fs;

use crate::harness::{IDENTITY, Outcome, identity, proctor, shared, work};

#[test]
fn the_number_of_jobs_changes_no_byte() {
    let work = work();
    for jobs in ["1", "2"] {
        let out = work.path().join(jobs);
        let run = proctor(&["run", "smoke", "--jobs", jobs, "--out"]).arg(&out).run();
        run.succeeds();
        assert!(run.stdout.contains("forge-adr"), "{}", run.stdout);
        assert!(run.stdout.contains("report.html"), "{}", run.stdout);
    }
    assert_eq!(identity(&work.path().join("1")), identity(&work.path().join("2")));
    for file in ["report.html", "report.md"] {
        let read = |jobs: &str| fs::read(work.path().join(jobs).join(file)).expect("it is there");
        assert_eq!(read("1"), read("2"), "{file}");
    }
}

#[test]
fn a_killed_run_resumes_to_the_same_bytes() {
    let work = work();
    let (whole, killed) = (work.path().join("whole"), work.path().join("killed"));
    let seeds = ["--seeds", "1,2,3,4,5,6,7,8"];
    proctor(&["run", "smoke", "--out"]).arg(&whole).args(&seeds).run().succeeds();
    let line = proctor(&["run", "smoke", "--jobs", "1", "--out"]).arg(&killed).args(&seeds);
    // The rest of the run takes many times longer.
    harness::killed(line, &killed, 20_000);
    let resumed = proctor(&["run", "smoke", "--resume", "--out"]).arg(&killed).args(&seeds).run();
    resumed.succeeds();
    assert!(resumed.stderr.contains("cells are there from an earlier run"), "{}", resumed.stderr);
    assert_eq!(identity(&whole), identity(&killed));
}

#[test]
fn a_finished_run_is_not_driven_again_nor_written_over() {
    let work = work();
    let out = work.path().join("run");
    proctor(&["run", "smoke", "--seeds", "1", "--out"]).arg(&out).run().succeeds();
    let again = proctor(&["run", "smoke", "--seeds", "1", "--out"]).arg(&out).run();
    again.fails_with(6, "`--resume` was not given");
    proctor(&["run", "smoke", "--seeds", "1", "--resume", "--out"]).arg(&out).run().succeeds();
    let other = proctor(&["run", "smoke", "--seeds", "2", "--resume", "--out"]).arg(&out).run();
    other.fails_with(6, "are not the same");
}

#[test]
fn unknown_names_get_their_neighbour() {
    proctor(&["run", "defualt"]).run().fails_with(2, "did you mean `default`?");
    proctor(&["run", "multi-goal-arc"]).run().fails_with(2, "did you mean `multi-goal-arcs`?");
    proctor(&["synth", "shrt-turns"]).run().fails_with(2, "did you mean `short-turns`?");
    proctor(&["run", "no-such-thing-at-all.jsonl"]).run().fails_with(2, "no file of this name");
}

#[test]
fn malformed_files_are_drawn_with_a_caret() {
    let work = work();
    let suite = |name: &str, body: &str| {
        let path = work.path().join(name);
        let head = "name = \"mine\"\nabout = \"\"\nscenarios = [\"smoke\"]\nseeds = [1]\n";
        fs::write(&path, format!("{head}{body}\n")).expect("it writes");
        path
    };
    for (name, body, place, rule) in [
        (
            "key.toml",
            "pipelines = [\"none\"]\nbrackts = []",
            "key.toml:6:1",
            "did you mean `brackets`?",
        ),
        ("type.toml", "pipelines = \"none\"", "type.toml:5:13", "invalid type: string"),
        (
            "variant.toml",
            "pipelines = [\"none\"]\nmodes = [\"deploid\"]",
            "variant.toml:6:10",
            "did you mean `deployed`?",
        ),
        ("syntax.toml", "pipelines = [", "syntax.toml:", "invalid suite"),
    ] {
        let run = proctor(&["run"]).arg(&suite(name, body)).run();
        run.fails_with(3, rule);
        assert!(run.stderr.contains(place), "{}", run.stderr);
    }
    let range = suite("range.toml", "pipelines = [\"none\"]\ntruncate-sweep = [7.0]");
    proctor(&["run"]).arg(&range).run().fails_with(3, "between 0.01 and 1");
    let pipeline = suite("pipeline.toml", "pipelines = [\"nono\"]");
    proctor(&["run"]).arg(&pipeline).run().fails_with(3, "did you mean `none`?");
}

#[test]
fn an_unwritable_place_is_known_before_the_first_cell() {
    let work = work();
    let file = work.path().join("file");
    fs::write(&file, "").expect("it writes");
    let run = proctor(&["run", "smoke", "--out"]).arg(&file.join("run")).run();
    run.fails_with(1, "failed to create");
    assert!(!run.stderr.contains("smoke seed"), "{}", run.stderr);
}

#[test]
fn a_full_disk_keeps_what_was_done_and_the_run_goes_on_elsewhere() {
    let work = work();
    let disk = work.path().join("disk");
    fs::create_dir(&disk).expect("a directory");
    let mount = |verb: &str, words: &[&str]| {
        std::process::Command::new(verb).args(words).arg(&disk).output()
    };
    let mounted = mount("mount", &["-t", "tmpfs", "-o", "size=256k", "tmpfs"]);
    if !mounted.is_ok_and(|output| output.status.success()) {
        harness::skipped("no right to mount a small disk");
        return;
    }
    let out = disk.join("run");
    let run = proctor(&["run", "smoke", "--jobs", "1", "--out"]).arg(&out).run();
    let kept = fs::read(out.join("shards/cells")).unwrap_or_default();
    let grown = mount("mount", &["-o", "remount,size=64m", "-t", "tmpfs", "tmpfs"]);
    let resumed = proctor(&["run", "smoke", "--resume", "--out"]).arg(&out).run();
    let finished = IDENTITY.iter().all(|name| out.join(name).exists());
    mount("umount", &[]).expect("it can be unmounted");
    run.fails_with(1, "No space left on device");
    assert!(kept.len() > 1_000, "{} bytes kept", kept.len());
    let said = "cells are there from an earlier run";
    assert!(resumed.stderr.contains(said), "{}", resumed.stderr);
    assert!(grown.is_ok_and(|output| output.status.success()));
    resumed.succeeds();
    assert!(finished);
}

#[test]
fn listing_drives_nothing_and_names_every_cell() {
    let listed = proctor(&["run", "smoke", "--list"]).run();
    listed.succeeds();
    assert!(listed.stdout.contains("smoke@20k/forge-adr/1\n"), "{}", listed.stdout);
    assert!(listed.stdout.contains("smoke@20k/forge-adr/2/perfect\n"), "{}", listed.stdout);
    assert!(listed.stderr.contains("windows"), "{}", listed.stderr);
    let filtered = proctor(&["run", "smoke", "--list", "--filter", "forge-adr/1"]).run();
    assert_eq!(filtered.stdout.lines().count(), 3, "{}", filtered.stdout);
}

#[test]
fn inspect_shows_what_a_compaction_took_and_why() {
    let work = work();
    let out = work.path().join("run");
    proctor(&["run", "smoke", "--seeds", "1", "--out"]).arg(&out).run().succeeds();
    let cell = "smoke@20k/forge-adr/1";
    let listed = proctor(&["inspect"]).arg(&out).args(&["--cell", cell]).run();
    listed.succeeds();
    assert!(listed.stdout.contains("forge-goal-batch"), "{}", listed.stdout);
    assert!(!listed.stderr.contains("did not repeat"), "{}", listed.stderr);
    let one = proctor(&["inspect"]).arg(&out).args(&["--cell", cell, "--compaction", "1"]).run();
    one.succeeds();
    for part in ["LEFT THE CONTEXT", "ANSWERED", "CAME INTO THE CONTEXT", "FACTS", "summarized"] {
        assert!(one.stdout.contains(part), "{part} is missing in\n{}", one.stdout);
    }
    let vague = proctor(&["inspect"]).arg(&out).args(&["--cell", "forge-adr"]).run();
    vague.fails_with(3, "cells hold this text");
}

#[test]
fn a_synthesized_session_comes_back_from_its_files() {
    let work = work();
    let path = work.path().join("session.jsonl");
    proctor(&["synth", "smoke", "--seed", "3", "--out"]).arg(&path).run().succeeds();
    let run = proctor(&["run", "--filter", "none@windowless", "--out"])
        .arg(&work.path().join("run"))
        .arg(&path)
        .run();
    run.succeeds();
    assert!(run.stdout.contains("none@windowless"), "{}", run.stdout);
    proctor(&["inspect"]).arg(&path).run().succeeds();
}

#[test]
fn completions_and_help_are_there() {
    proctor(&["completions", "bash"]).run().succeeds();
    let help = proctor(&["run", "--help"]).run();
    help.succeeds();
    assert!(help.stdout.contains("Examples:"), "{}", help.stdout);
}

#[test]
fn a_recorded_session_runs_under_every_configuration() {
    let name = "claude-code/entireio-cli_6113e919_42turns_3compactions.jsonl";
    let Some(path) = shared(name) else { return };
    let work = work();
    let out = work.path().join("run");
    let run = proctor(&["run", "--out"]).arg(&out).arg(&path).run();
    run.succeeds();
    let manifest = fs::read_to_string(out.join("manifest.json")).expect("it is there");
    for line in ["\"turns\": 42,", "\"boundaries\": 3,"] {
        assert!(manifest.contains(line), "{line} is missing");
    }
    let rows = fs::read_to_string(out.join("measurements.csv")).expect("it is there");
    assert!(rows.contains("/none@windowless/0,"), "the control is driven as it is");
    for configuration in ["recorded", "truncate-hysteresis", "forge-head", "codex"] {
        assert!(rows.contains(&format!("/{configuration}/0/as-recorded,")), "{configuration}");
    }
}

#[test]
fn hostile_transcripts_are_refused_or_survived() {
    let work = work();
    let transcript = |name: &str, bytes: &[u8]| {
        let path = work.path().join(name);
        fs::write(&path, bytes).expect("it writes");
        path
    };
    let spaces = " ".repeat(1_000_000);
    let user = |text: &str| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"u\",\"timestamp\":\"2026-01-01T00:00:00Z\",\
             \"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
        )
    };
    let assistant = "{\"type\":\"assistant\",\"uuid\":\"a\",\"timestamp\":\"2026-01-01T00:00:01Z\",\
         \"message\":{\"id\":\"m\",\"model\":\"x\",\"role\":\"assistant\",\
         \"content\":[{\"type\":\"text\",\"text\":\"done\"}],\"usage\":{\"input_tokens\":10}}}\n";
    let check = |run: Outcome| {
        assert!([0, 3].contains(&run.code), "exit {}: {}", run.code, run.stderr);
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    };
    let long = format!("{}{assistant}", user(&"x".repeat(50_000_000)));
    let half = &assistant[..assistant.len() / 2];
    let mut invalid = format!("{}{assistant}", user("hello")).into_bytes();
    invalid.extend(b"{\"type\":\"user\",\"message\":\"\xff\xfe\"}\n");
    for (name, bytes) in [
        ("spaces.jsonl", format!("{}{assistant}", user(&spaces)).into_bytes()),
        ("long.jsonl", long.into_bytes()),
        ("truncated.jsonl", format!("{}{assistant}{half}", user("hello")).into_bytes()),
        ("invalid.jsonl", invalid),
        ("empty.jsonl", Vec::new()),
        ("noise.jsonl", b"\x00\x01\x02 not a transcript".to_vec()),
    ] {
        let path = transcript(name, &bytes);
        check(proctor(&["import", "--dry-run"]).arg(&path).run());
        check(
            proctor(&["run", "--filter", "forge-head/0", "--out"])
                .arg(&work.path().join(format!("{name}-run")))
                .arg(&path)
                .run(),
        );
    }
}

#[test]
fn threads_have_a_bound() {
    for jobs in ["0", "99999", "many"] {
        proctor(&["run", "smoke", "--list", "--jobs", jobs]).run().fails_with(2, "from 1 to 512");
    }
}
