//! Parts of a run, and the run that is made of them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{Outcome, identity, proctor, work};

fn part(out: &Path, of: &str, words: &[&str]) -> Outcome {
    proctor(&["run", "smoke", "--partition", of, "--out"]).arg(out).args(words).run()
}

fn merge(out: &Path, parts: &[&Path]) -> Outcome {
    let mut line = proctor(&["merge"]).arg(out);
    for part in parts {
        line = line.arg(part);
    }
    line.run()
}

/// The identity set with its digests.
fn sealed(run: &Path) -> (std::collections::BTreeMap<String, Vec<u8>>, String) {
    (identity(run), fs::read_to_string(run.join("digests.txt")).expect("it is there"))
}

#[test]
fn parts_are_merged_to_the_bytes_of_the_whole() {
    let work = work();
    let at = |name: &str| work.path().join(name);
    let seeds = ["--seeds", "1,2,3,4"];
    proctor(&["run", "smoke", "--out"]).arg(&at("whole")).args(&seeds).run().succeeds();
    // Fewer parts than sessions, and more.
    for of in [3_u32, 6] {
        let parts: Vec<PathBuf> = (1..=of).map(|part| at(&format!("{part}-of-{of}"))).collect();
        for (path, number) in parts.iter().zip(1..) {
            part(path, &format!("{number}/{of}"), &seeds).succeeds();
        }
        // In whatever order they are named.
        let paths: Vec<&Path> = parts.iter().rev().map(PathBuf::as_path).collect();
        let merged = at(&format!("merged-{of}"));
        merge(&merged, &paths).succeeds();
        assert_eq!(sealed(&merged), sealed(&at("whole")));
        for page in ["report.md", "report.html"] {
            let read = |run: &Path| fs::read(run.join(page)).expect("it is there");
            assert_eq!(read(&merged), read(&at("whole")), "{page}");
        }
    }
    let merged = at("merged-3");
    let verified = proctor(&["verify"]).arg(&merged).run();
    verified.succeeds();
    assert!(verified.stdout.contains("verified: everything holds"), "{}", verified.stdout);
    proctor(&["verify"]).arg(&at("2-of-6")).run().succeeds();
    // It is a finished run like any other.
    let resumed = ["run", "smoke", "--resume", "--seeds", "1,2,3,4", "--out"];
    proctor(&resumed).arg(&merged).run().succeeds();
}

#[test]
fn a_killed_part_resumes_to_the_same_merge() {
    let work = work();
    let at = |name: &str| work.path().join(name);
    let seeds = ["--seeds", "1,2,3,4,5,6,7,8"];
    let killed = at("killed");
    let words = ["run", "smoke", "--partition", "1/2", "--jobs", "1", "--out"];
    // The rest of the part takes many times longer.
    crate::harness::killed(proctor(&words).arg(&killed).args(&seeds), &killed, 20_000);
    merge(&at("early"), &[&killed]).fails_with(1, "manifest.json");
    // Another part does not go on with it.
    part(&killed, "2/2", &["--resume", "--seeds", "1,2,3,4,5,6,7,8"]).fails_with(6, "`part`");
    let mut resume = vec!["--resume"];
    resume.extend(seeds);
    let resumed = part(&killed, "1/2", &resume);
    resumed.succeeds();
    assert!(resumed.stderr.contains("cells are there from an earlier run"), "{}", resumed.stderr);
    part(&at("other"), "2/2", &seeds).succeeds();
    merge(&at("merged"), &[&killed, &at("other")]).succeeds();
    proctor(&["run", "smoke", "--out"]).arg(&at("whole")).args(&seeds).run().succeeds();
    assert_eq!(sealed(&at("merged")), sealed(&at("whole")));
}

#[test]
fn parts_that_do_not_make_a_run_are_refused() {
    let work = work();
    let at = |name: &str| work.path().join(name);
    let seeds = ["--seeds", "1,2,3"];
    for number in 1..=3 {
        part(&at(&number.to_string()), &format!("{number}/3"), &seeds).succeeds();
    }
    let (one, two, three) = (at("1"), at("2"), at("3"));
    let out = at("out");
    let gap = merge(&out, &[&one, &three]);
    gap.fails_with(3, "cells are in none of the parts: `smoke@20k/none@windowless/2`");
    assert!(gap.stderr.contains("part 2/3 was not given"), "{}", gap.stderr);
    merge(&out, &[&one, &two, &two, &three]).fails_with(3, "once more: `smoke@20k/");
    assert!(!out.exists(), "nothing is begun where the parts do not fit");

    // Another run's part: the key is named.
    part(&at("others"), "2/3", &["--seeds", "1,2,4"]).succeeds();
    merge(&out, &[&one, &at("others"), &three]).fails_with(6, "its `command` differs");
    part(&at("halves"), "2/2", &seeds).succeeds();
    merge(&out, &[&one, &at("halves"), &three]).fails_with(6, "`part.partition.of` differs");
    part(&at("silent"), "2/3", &["--seeds", "1,2,3", "--stories", "none"]).succeeds();
    merge(&out, &[&one, &at("silent"), &three]).fails_with(6, "its `stories` differs");

    proctor(&["run", "smoke", "--seeds", "1", "--out"]).arg(&at("whole")).run().succeeds();
    merge(&out, &[&at("whole")]).fails_with(3, "is a whole run");
    merge(&at("whole"), &[&one, &two, &three]).fails_with(3, "is not empty");
    fs::write(three.join("steps.parquet"), "").expect("it writes");
    merge(&out, &[&one, &two, &three]).fails_with(3, "steps.parquet");
    proctor(&["run", "smoke", "--partition", "4/3"]).run().fails_with(2, "expected `K/N`");
}

#[test]
fn the_cells_of_all_parts_are_those_of_the_run() {
    let listed = |words: &[&str]| {
        let listed = proctor(&["run", "smoke", "--list"]).args(words).run();
        listed.succeeds();
        listed.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let whole = listed(&[]);
    for of in [2, 5] {
        let mut parts: Vec<String> =
            (1..=of).flat_map(|part| listed(&["--partition", &format!("{part}/{of}")])).collect();
        parts.sort();
        let mut whole = whole.clone();
        whole.sort();
        assert_eq!(parts, whole);
    }
}
