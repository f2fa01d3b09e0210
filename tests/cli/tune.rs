//! A search over the numbers of a pipeline, end to end on a tiny scenario.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::harness::{Outcome, proctor, work};

const SMALL: [&str; 8] =
    ["--scenarios", "smoke", "--seeds", "1,2", "--held-back-seeds", "101,102", "--cells", "40"];

fn searched(out: &Path, more: &[&str]) -> Outcome {
    let run = proctor(&["tune", "codex"]).args(&SMALL).args(more).args(&["--out"]).arg(out).run();
    run.succeeds();
    run
}

/// Every file below a directory, by its path.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for folder in ["", "points"] {
        for entry in fs::read_dir(directory.join(folder)).unwrap().flatten() {
            if entry.path().is_file() {
                let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
                found.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

fn rows(csv: &[u8]) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(csv);
    reader.deserialize().map(Result::unwrap).collect()
}

#[test]
fn a_search_leaves_the_same_bytes_whatever_the_threads_and_its_points_can_be_run() {
    let work = work();
    let (one, two) = (work.path().join("one"), work.path().join("two"));
    let said = searched(&one, &["--jobs", "1"]);
    searched(&two, &["--jobs", "2"]);
    let written = files(&one);
    assert_eq!(written, files(&two));
    for name in ["/tune.md", "/tune.json", "/trials.csv", "/front.svg"] {
        assert!(written.contains_key(name), "{name}");
    }
    for words in ["The front on the held-back part", "What each parameter does", "\nverdict: "] {
        assert!(said.stdout.contains(words), "{words}: {}", said.stdout);
    }
    let rows = rows(&written["/trials.csv"]);
    let points = written.keys().filter(|name| name.starts_with("points/")).count();
    let of = |key: &str| rows.iter().map(|row| row[key].clone()).collect::<Vec<String>>();
    let last = of("point").iter().map(|point| point.parse().unwrap()).max();
    assert_eq!(last, Some(points), "the defaults are point 0 and have no file");
    let driven = |row: &BTreeMap<String, String>| row["sessions"].parse::<usize>().unwrap();
    assert!(rows.iter().all(|row| driven(row) > 0));
    let file = one.join("points/codex-1.toml");
    let run = proctor(&["run", "smoke", "--seeds", "1", "--out"]).arg(&work.path().join("run"));
    let run = run.args(&["--lenient", "--pipeline"]).arg(&file).run();
    run.succeeds();
    assert!(run.stdout.contains("codex-1"), "{}", run.stdout);
}

#[test]
fn results_are_of_sessions_that_the_search_never_drove() {
    let work = work();
    let out = work.path().join("out");
    let said = searched(&out, &[]);
    let lines: Vec<&str> = said.stderr.lines().filter(|line| line.contains(" seed ")).collect();
    let held = said.stderr.find("held back:").unwrap();
    for line in lines {
        let seed: u64 = line.split(' ').nth(2).unwrap().parse().unwrap();
        let is_held = said.stderr.find(line).unwrap() > held;
        assert_eq!(is_held, seed > 100, "{line}");
    }
    let record: serde_json::Value =
        serde_json::from_slice(&fs::read(out.join("tune.json")).unwrap()).unwrap();
    assert_eq!(record["held_back"]["seeds"], serde_json::json!([101, 102]));
    assert_eq!(record["search"]["seeds"], serde_json::json!([1, 2]));
    // It says how to repeat it, and that leads to the same bytes.
    let command = record["command"].as_str().unwrap();
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let again = work.path().join("again");
    proctor(&words).args(&["--out"]).arg(&again).run().succeeds();
    assert_eq!(files(&out), files(&again));
}

#[test]
fn flags_that_make_the_parts_overlap_or_ask_for_nothing_are_refused() {
    for (words, code, said) in [
        (&["--held-back-seeds", "8,9"][..], 3, "seed 8 is searched, so it cannot be held back"),
        (&["--seeds", "1,101"], 3, "seed 101 is searched"),
        (
            &["--scenarios", "smoke", "--held-back-scenarios", "smoke"],
            3,
            "`smoke` is searched or stands twice",
        ),
        (&["--scenarios", "smoke", "--cells", "9"], 3, "9 cells are too few"),
        (&["--only", "tokens"], 3, "no number of this name"),
        (&["--vary", "user-tokens=5..2"], 3, "MIN is 0 or more and below MAX"),
        (&["--summarizer", "http"], 3, "a search asks for more summaries"),
        (&["--minutes", "1", "--cells", "9"], 2, "cannot be used with"),
        (&["--scenarios", "smok"], 2, "smoke"),
    ] {
        let run = proctor(&["tune", "codex"]).args(words).run();
        run.fails_with(code, said);
        assert!(code == 2 || run.stderr.contains("hint: "), "{}", run.stderr);
    }
    let none = proctor(&["tune", "none"]).run();
    none.fails_with(3, "it has no number that is varied by itself");
}

#[test]
fn the_numbers_of_a_pipeline_are_listed_and_nothing_is_driven() {
    let work = work();
    let run = proctor(&["tune", "codex", "--list"]).within(work.path()).run();
    run.succeeds();
    for words in ["codex.user-tokens", "5,000 to 80,000", "0.225 to 0.95", "share of the window"] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    assert_eq!(fs::read_dir(work.path()).unwrap().count(), 0);
}
