//! A run goes on from the very inputs that it was begun with, and shows no table but its own.

use std::fs;
use std::path::{Path, PathBuf};

use crate::hardened::transcript;
use crate::harness::{identity, proctor, work};

/// A run of a transcript that was killed once a cell had landed.
fn killed(session: &Path, out: &Path) {
    let line = proctor(&["run"]).arg(session).args(&["--jobs", "1", "--out"]).arg(out);
    crate::harness::killed(line, out, 0);
}

fn run(session: &Path, out: &Path, flags: &[&str]) -> crate::harness::Outcome {
    proctor(&["run"]).arg(session).args(flags).args(&["--out"]).arg(out).run()
}

#[test]
fn a_session_that_has_changed_is_not_mixed_into_a_run() {
    let work = work();
    let (session, out) = (work.path().join("t.jsonl"), work.path().join("run"));
    transcript(&session, 24);
    killed(&session, &out);
    transcript(&session, 12);
    run(&session, &out, &["--resume"]).fails_with(6, "the session of `t` has changed since");
    transcript(&session, 24);
    run(&session, &out, &["--resume"]).succeeds();
    // The same of a run that is finished.
    run(&session, &out, &["--resume"]).succeeds();
    transcript(&session, 12);
    run(&session, &out, &["--resume"]).fails_with(6, "the session of `t` has changed since");
}

#[test]
fn a_damaged_record_of_inputs_is_replaced_where_the_cells_agree() {
    let work = work();
    let (session, out, whole) =
        (work.path().join("t.jsonl"), work.path().join("run"), work.path().join("whole"));
    transcript(&session, 24);
    run(&session, &whole, &[]).succeeds();
    killed(&session, &out);
    let recorded = out.join("shards/manifest.json");
    let sound = fs::read(&recorded).expect("it reads");
    for damage in [&b""[..], &b"\0\0\0\0"[..], &sound[..sound.len() / 2]] {
        fs::write(&recorded, damage).expect("it is written");
        // Of other inputs nothing is made: the cells are not of them.
        run(&session, &out, &["--resume", "--window", "50000"]).fails_with(6, "run");
    }
    let resumed = run(&session, &out, &["--resume"]);
    resumed.succeeds();
    assert!(resumed.stderr.contains("its landed cells agree on it"), "{}", resumed.stderr);
    assert_eq!(identity(&whole), identity(&out));
}

#[test]
fn where_a_transcript_lies_changes_no_byte() {
    let work = work();
    let places = ["one", "two/below"].map(|name| work.path().join(name));
    let runs = places.map(|place| {
        fs::create_dir_all(&place).expect("it is made");
        transcript(&place.join("t.jsonl"), 12);
        let out = place.join("run");
        run(&place.join("t.jsonl"), &out, &[]).succeeds();
        out
    });
    let digests = |run: &PathBuf| fs::read_to_string(run.join("digests.txt")).expect("it reads");
    assert_eq!(digests(&runs[0]), digests(&runs[1]));
    assert_eq!(identity(&runs[0]), identity(&runs[1]));
}

#[test]
fn no_verb_shows_tables_that_were_edited_or_have_no_digests() {
    let work = work();
    let out = work.path().join("run");
    proctor(&["run", "smoke", "--seeds", "1", "--out"]).arg(&out).run().succeeds();
    let (table, digests) = (out.join("measurements.csv"), out.join("digests.txt"));
    let (rows, sums) =
        (fs::read_to_string(&table).expect("it reads"), fs::read(&digests).expect("it reads"));
    let verbs: [&[&str]; 6] = [
        &["report"],
        &["compare", "--baseline", "none"],
        &["gate", "--baseline", "none.json"],
        &["bless", "--to", "b.json", "--why", "a test"],
        &["inspect"],
        &["run", "smoke", "--seeds", "1", "--resume", "--out"],
    ];
    let refused = |file: &str| {
        for words in verbs {
            let outcome = proctor(words).arg(&out).within(work.path()).run();
            assert_eq!(outcome.code, 3, "{words:?}\n{}\n{}", outcome.stdout, outcome.stderr);
            assert!(outcome.stderr.contains(file), "{words:?}: {}", outcome.stderr);
        }
    };
    // As long as before: one digit of a figure is another.
    let place = rows.rfind(",1,").expect("a figure");
    let mut edited = rows.clone();
    edited.replace_range(place + 1..place + 2, "0");
    fs::write(&table, edited).expect("it is written");
    refused("measurements.csv");
    fs::write(&table, &rows).expect("it is written");
    fs::remove_file(&digests).expect("it is removed");
    refused("digests.txt");
    fs::write(&digests, sums).expect("it is written");
    proctor(&["report"]).arg(&out).run().succeeds();
}
