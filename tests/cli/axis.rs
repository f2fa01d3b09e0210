//! The axis of summarizers: `compare` and `gate` say over which summaries an order of recall holds.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{proctor, work};

const POLICY: &str = r#"
name = "recall"
[[rule]]
name = "recall"
kind = "soft"
metric = "recall_at_need"
margin = 0.05
"#;

/// Eight sessions: fewer decide nothing.
fn suite(dir: &Path, name: &str, summarizer: &str, brackets: &str) {
    let text = format!(
        "name = \"{name}\"\nabout = \"\"\nscenarios = [\"smoke\"]\npipelines = [\"forge-adr\", \"full-replace\", \"truncate\", \
         \"truncate-hysteresis\"]\nseeds = [1, 2, 3, 4, 5, 6, 7, 8]\nprobes = false\nsummarizer = \"{summarizer}\"\n\
         brackets = [{brackets}]\n"
    );
    fs::write(dir.join(format!("{name}.toml")), text).expect("it writes");
}

fn on_the_axis(dir: &Path) {
    suite(dir, "axis", "simulated", r#""empty", "simulated-poor", "simulated-good", "perfect""#);
}

fn compared(run: &Path, format: &str) -> String {
    let words = ["compare", "--baseline", "forge-adr", "--format", format];
    let outcome = proctor(&words).arg(run).run();
    outcome.succeeds();
    outcome.stdout
}

fn driven(dir: &Path, name: &str) -> std::path::PathBuf {
    let out = dir.join(name);
    let run = proctor(&["run", "--stories", "none", "--out"]).arg(&out);
    run.arg(&dir.join(format!("{name}.toml"))).run().succeeds();
    out
}

#[test]
fn a_comparison_of_recall_says_over_which_summaries_its_order_holds() {
    let work = work();
    on_the_axis(work.path());
    let run = driven(work.path(), "axis");
    let json: Value = serde_json::from_str(&compared(&run, "json")).expect("JSON");
    let rows = json["rows"].as_array().expect("rows");
    let (recall, others): (Vec<&Value>, Vec<&Value>) =
        rows.iter().partition(|row| row["metric"] == "recall_at_need");
    assert!(others.iter().all(|row| row.get("stretch").is_none()));
    let (text, latex) = (compared(&run, "text"), compared(&run, "latex"));
    assert!(latex.contains("& stretch") && !text.contains("hint: "), "{text}");
    for row in &recall {
        let stretch = &row["stretch"];
        let told = stretch["told"].as_str().expect("words");
        assert!(text.contains(told) && latex.contains(told), "no `{told}` in\n{text}\n{latex}");
        let points = stretch["points"].as_array().expect("points");
        assert_eq!(points.len(), 5);
        // The recorded point is the comparison itself.
        for name in ["difference", "low", "high"] {
            let [own, at] = [&row[name], &points[2][name]].map(|one| one.as_f64().expect(name));
            assert!((own - at).abs() < 1e-8, "{name}: {own} against {at}");
        }
    }
    let csv = compared(&run, "csv");
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let named: Vec<bool> = reader
        .deserialize::<std::collections::BTreeMap<String, String>>()
        .map(|row| row.expect("a row"))
        .map(|row| row["stretch"].is_empty() != (row["metric"] == "recall_at_need"))
        .collect();
    assert!(named.len() == rows.len() && named.iter().all(|holds| *holds), "{csv}");
    // Where no summary is asked for there is nothing to say.
    let words = ["compare", "--baseline", "truncate", "--candidate", "truncate-hysteresis"];
    let idle = proctor(&words).arg(&run).run();
    assert!(!idle.stdout.contains("perfect") && !idle.stdout.contains("hint: "), "{}", idle.stdout);

    suite(work.path(), "alone", "extractive", "\"perfect\"");
    let alone = driven(work.path(), "alone");
    let text = compared(&alone, "text");
    let missing = r#""empty", "simulated-poor", "simulated", "simulated-good""#;
    assert_eq!(text.matches("hint: ").count(), 1, "{text}");
    assert!(text.trim_end().ends_with(missing), "{text}");
    for format in ["json", "csv", "latex"] {
        let told = compared(&alone, format);
        assert!(!told.contains("stretch") && !told.contains("simulated"), "{told}");
    }
}

#[test]
fn a_gate_on_the_axis_says_over_which_summaries_a_finding_holds() {
    let work = work();
    on_the_axis(work.path());
    let path = |name: &str| work.path().join(name);
    fs::write(path("policy.toml"), POLICY).expect("it writes");
    let gated = |from: &str, to: &str| {
        let gate = proctor(&["gate", "--baseline-config", from, "--candidate-config", to]);
        let gate = gate.arg(&path("axis.toml")).args(&["--policy"]).arg(&path("policy.toml"));
        let gate = gate.args(&["--json"]).arg(&path("gate.json"));
        let outcome = gate.args(&["--comment"]).arg(&path("comment.md")).run();
        let read = |name: &str| fs::read_to_string(path(name)).expect("it is there");
        let json: Value = serde_json::from_str(&read("gate.json")).expect("JSON");
        let findings = json["findings"].as_array().expect("findings");
        let told = findings.iter().filter_map(|one| one["stretch"]["told"].as_str());
        let told: Vec<String> = told.map(str::to_owned).collect();
        for one in &told {
            assert!(outcome.stdout.contains(one), "{}", outcome.stdout);
            assert!(read("comment.md").contains(one), "{}", read("comment.md"));
        }
        (json["verdict"].as_str().expect("a verdict").to_owned(), told)
    };
    let (verdict, told) = gated("forge-adr", "truncate");
    assert_eq!(verdict, "regression");
    assert!(told.len() == 1 && told[0].starts_with("baseline above candidate "), "{told:?}");
    let (verdict, told) = gated("truncate", "forge-adr");
    assert_eq!(verdict, "improvement");
    assert!(told.len() == 1 && told[0].starts_with("candidate above baseline "), "{told:?}");
}
