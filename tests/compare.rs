//! `proctor compare`, on runs that the binary made.

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{proctor, work};

/// A small suite of eight sessions, some of which die under `none`.
fn suite(directory: &Path, summarizer: &str) -> PathBuf {
    let path = directory.join(format!("{summarizer}.toml"));
    let text = format!(
        "name = \"pair\"\nabout = \"\"\nscenarios = [\"smoke\"]\n\
         pipelines = [\"none\", \"truncate\", \"forge-tool-call-threshold\", \"forge-adr\"]\n\
         windowless = [\"none\"]\nseeds = [1, 2, 3, 4, 5, 6, 7, 8]\nsummarizer = \"{summarizer}\"\n"
    );
    fs::write(&path, text).expect("it writes");
    path
}

fn driven(directory: &Path, summarizer: &str) -> PathBuf {
    let out = directory.join(format!("run-{summarizer}"));
    proctor(&["run", "--out"]).arg(&out).arg(&suite(directory, summarizer)).run().succeeds();
    out
}

/// The records of a CSV by column.
fn records(text: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|record| record.expect("a record")).collect()
}

#[test]
fn runs_and_configurations_are_compared_end_to_end() {
    let work = work();
    let (ours, theirs) = (driven(work.path(), "extractive"), driven(work.path(), "empty"));

    // Within one run.
    let csv =
        proctor(&["compare"]).arg(&ours).args(&["--baseline", "truncate", "--format", "csv"]).run();
    csv.succeeds();
    let rows = records(&csv.stdout);
    let of = |candidate: &str, metric: &str| {
        let found =
            rows.iter().find(|row| row["candidate"] == candidate && row["metric"] == metric);
        found.unwrap_or_else(|| panic!("{candidate}, {metric}: not in\n{}", csv.stdout))
    };
    assert_eq!(of("forge-adr", "recall_at_need")["n"], "8");
    for row in rows.iter().filter(|row| !row["low"].is_empty()) {
        let number = |column: &str| row[column].parse::<f64>().expect("a number");
        let (low, middle, high) = (number("low"), number("difference"), number("high"));
        assert!(low <= middle && middle <= high, "{row:?}");
        if !row["p"].is_empty() {
            assert!(number("p_holm") >= number("p"), "{row:?}");
        }
    }
    // `none` ends at its first overflow: it spends less, and that is no merit.
    assert_eq!(of("none", "completion")["candidate_mean"], "0");
    for metric in ["tokens.mean_prompt", "cost.usd", "recall_at_need"] {
        assert_ne!(of("none", metric)["verdict"], "better", "{metric}");
    }

    // One scenario says nothing of scenarios like it.
    let like = proctor(&["compare"])
        .arg(&ours)
        .args(&["--baseline", "truncate", "--about", "like-these", "--format", "csv"])
        .run();
    for row in records(&like.stdout).iter().filter(|row| row["wins"] != "0") {
        assert!(row["verdict"].starts_with("undecided"), "{row:?}");
    }

    // Turned around, the signs turn.
    let turned = proctor(&["compare"])
        .arg(&ours)
        .args(&["--baseline", "forge-adr", "--candidate", "truncate", "--format", "csv"])
        .run();
    let back = records(&turned.stdout);
    let back = back.iter().find(|row| row["metric"] == "recall_at_need").expect("a row");
    let forth = of("forge-adr", "recall_at_need");
    let turned: f64 = back["difference"].parse().expect("a number");
    assert_eq!(forth["difference"].parse::<f64>().expect("a number"), -turned);
    assert_eq!((&forth["wins"], &forth["p"]), (&back["losses"], &back["p"]));

    // Run against run: what no summarizer touches is the same in every session.
    let both = proctor(&["compare"]).arg(&ours).arg(&theirs).args(&["--format", "csv"]).run();
    both.succeeds();
    let rows = records(&both.stdout);
    for row in rows.iter().filter(|row| row["candidate"] == "truncate") {
        assert_eq!(row["verdict"], "no difference in any session", "{row:?}");
    }
    let forge = rows.iter().find(|row| row["candidate"] == "forge-adr").expect("a row");
    assert_eq!(forge["summarizer"], "extractive → empty");

    answers_have_their_forms(&ours);
    what_cannot_be_compared_is_refused(&ours, &theirs);
}

/// Text and JSON; the same bytes twice.
fn answers_have_their_forms(ours: &Path) {
    let text = || proctor(&["compare"]).arg(ours).args(&["--baseline", "truncate"]).run();
    let first = text();
    first.succeeds();
    for part in ["verdict", "win/tie/loss", "note: Holm's procedure"] {
        assert!(first.stdout.contains(part), "no `{part}` in\n{}", first.stdout);
    }
    assert_eq!(first.stdout, text().stdout);
    let words = ["compare", "--baseline", "truncate", "--format", "json"];
    let written = proctor(&words).arg(ours).run();
    let json: serde_json::Value = serde_json::from_str(&written.stdout).expect("JSON");
    assert!(json["rows"].as_array().is_some_and(|rows| !rows.is_empty()), "{json}");
}

fn what_cannot_be_compared_is_refused(ours: &Path, theirs: &Path) {
    let refused = |words: &[&str], code, says: &str| {
        proctor(&["compare"]).arg(ours).args(words).run().fails_with(code, says);
    };
    refused(&[], 3, "compared with nothing");
    refused(&["--baseline", "forge-ard"], 2, "did you mean `forge-adr`?");
    refused(&["--metric", "recal_at_need"], 2, "did you mean `recall_at_need`?");
    refused(&["--metric", "steps_total"], 3, "describes and does not rank");
    refused(&["--margin", "recall_at_need=-1"], 3, "a number above 0");
    altered(theirs, "\"tokenizer\": \"", "\"tokenizer\": \"other-");
    let differ = || proctor(&["compare"]).arg(ours).arg(theirs);
    differ().run().fails_with(3, "tokenizer");
    let allowed = differ().args(&["--allow", "--format", "csv"]).run();
    allowed.succeeds();
    assert!(records(&allowed.stdout).iter().all(|row| row["metric"] == "completion"));
}

fn altered(run: &Path, from: &str, to: &str) {
    let path = run.join("manifest.json");
    let text = fs::read_to_string(&path).expect("it is there");
    assert!(text.contains(from));
    fs::write(&path, text.replacen(from, to, 1)).expect("it writes");
    // What was changed is to be compared, not noticed.
    crate::harness::sealed(run);
}
