//! Orderings, grids and triggers end to end: a small suite of two stages, driven and
//! reported.

use std::fs;
use std::path::{Path, PathBuf};

use proctor::frame::Scope;
use proctor::measure::MetricId;
use proctor::pressure::Occasion;
use proctor::run_dir::read::RunData;

use crate::harness::{proctor, work};
use tempfile::TempDir;

/// A short session with seven boundaries set beforehand.
fn scenario(dir: &Path) -> PathBuf {
    let smoke = include_str!("../../scenarios/smoke.toml");
    let text = smoke
        .replace("name = \"smoke\"", "name = \"short\"")
        .replace("wire = \"text\"", "wire = \"text\"\nforced-at = { parts = 8 }")
        .replace("turns = 40", "turns = 24");
    let path = dir.join("short.toml");
    fs::write(&path, text).expect("it is written");
    path
}

fn suite(dir: &Path, rest: &str) -> PathBuf {
    let scenario = scenario(dir);
    let text = format!(
        "name = \"small\"\nabout = \"A small suite.\"\nscenarios = [\"{}\"]\nwindowless = [\"none\"]\n\
         summarizer = \"extractive\"\nprobes = false\n{rest}",
        scenario.display()
    );
    let path = dir.join("small.toml");
    fs::write(&path, text).expect("it is written");
    path
}

const TWO_STAGES: &str = r#"
seeds = [1, 2, 3]
modes = ["deployed", "forced", "reactive"]

[orderings]
stages = ["forge-tool-call", "mask-tool-results"]
labels = ["call", "mask"]
settings-of = "forge-adr"

[[grid]]
pipeline = "forge-tool-call-threshold"
windows = [16_000, 20_000]
parameters = { "forge-threshold.pressure.limit.share" = [0.6, 0.8] }

[[grid]]
pipeline = "truncate"
parameters = { "truncate.pressure.limit.share" = [0.4, 0.6] }
"#;

fn driven(rest: &str) -> (TempDir, PathBuf) {
    let work = work();
    let suite = suite(work.path(), rest);
    let out = work.path().join("run");
    proctor(&["run"]).arg(&suite).args(&["--out"]).arg(&out).run().succeeds();
    (work, out)
}

/// A section of the report, heading and all.
fn section(markdown: &str, heading: &str) -> String {
    let start = markdown.find(heading).unwrap_or_else(|| panic!("no section `{heading}`"));
    let rest = &markdown[start..];
    let end = rest[3..].find("\n## ").map_or(rest.len(), |end| end + 3);
    rest[..end].trim_end().to_owned()
}

#[test]
fn two_stages_are_driven_in_both_orders() {
    let (_work, run) = driven(TWO_STAGES);
    let markdown = fs::read_to_string(run.join("report.md")).expect("a report");
    let headings = ["## Does the order", "## Sweeps", "## When stages act"];
    let shown = headings.map(|heading| section(&markdown, heading));
    insta::assert_snapshot!(shown.join("\n\n"));
    let plans = RunData::load(&run).expect("it reads").compactions;
    let forced: Vec<_> = plans.iter().filter(|plan| plan.cell.ends_with("/forced")).collect();
    assert!(!forced.is_empty());
    assert!(forced.iter().all(|plan| plan.occasion == Occasion::Boundary));
    for name in ["sweep-1-recall", "sweep-2-recall"] {
        assert!(run.join(format!("charts/{name}.png")).exists(), "{name}");
    }
}

/// Of the scenarios of the suite `orderings` those in which the threshold tier acts as deployed.
#[test]
fn every_stage_fires_as_deployed_in_a_tight_window() {
    let work = work();
    let text = "name = \"tight\"\nabout = \"Orders in a tight window.\"\n\
        scenarios = [\"ord-tight-p6-t60\"]\nseeds = [1]\nsummarizer = \"extractive\"\n\
        probes = false\n[orderings]\n\
        stages = [\"forge-tool-call\", \"forge-threshold\", \"forge-goal-batch\", \"mask-tool-results\"]\n\
        settings-of = \"forge-adr\"\norder = \"adjacent\"\n";
    let (suite, out) = (work.path().join("tight.toml"), work.path().join("run"));
    fs::write(&suite, text).expect("it is written");
    proctor(&["run"]).arg(&suite).args(&["--out"]).arg(&out).run().succeeds();
    let derived = RunData::load(&out).expect("it reads").derived;
    let stages = derived.iter().filter(|row| row.subject.scope == Scope::Stage);
    let fired = stages.filter(|row| row.metric == MetricId::TriggerFired);
    let fired: Vec<(&str, f64)> = fired
        .filter_map(|row| Some((row.subject.stage.as_ref()?.strategy.as_str(), row.as_number()?)))
        .collect();
    // The base order and three swaps, of four stages each.
    assert_eq!(fired.len(), 16);
    assert!(fired.iter().all(|(_, times)| *times > 0.0), "{fired:?}");
}

#[test]
fn the_same_session_with_another_fixed_prompt_is_a_column_of_the_ranking() {
    let work = work();
    let text = include_str!("../../scenarios/smoke.toml")
        .replace("name = \"smoke\"", "name = \"smoke-{tool-tokens}\"\nsessions-of = \"smoke\"")
        .replace("tool-tokens = 800", "")
        .replace(
            "[session.synth]\n",
            "[vary]\ntool-tokens = { large = 3_000 }\n\n[session.synth]\n",
        );
    let (more, suite) = (work.path().join("more.toml"), work.path().join("two.toml"));
    fs::write(&more, text).expect("it is written");
    let text = format!(
        "name = \"two\"\nabout = \"Two fixed prompts.\"\nscenarios = [\"smoke\", \"{}\"]\n\
         pipelines = [\"truncate\", \"forge-adr\"]\nwindowless = [\"none\"]\nseeds = [1, 2]\n\
         summarizer = \"extractive\"\nprobes = false\n",
        more.display()
    );
    fs::write(&suite, text).expect("it is written");
    let out = work.path().join("run");
    proctor(&["run"]).arg(&suite).args(&["--out"]).arg(&out).run().succeeds();
    let markdown = fs::read_to_string(out.join("report.md")).expect("a report");
    let shown = section(&markdown, "## By the share of a fixed prompt");
    assert!(shown.contains("| Configuration | 7.5% | 20% |"), "{shown}");
    let row = shown.lines().find(|line| line.contains("`forge-adr`")).expect("a row");
    assert_eq!(row.matches("/2)").count(), 2, "recall and completion at both shares: {row}");
}

#[test]
fn listing_names_what_is_driven_under_another_name() {
    let work = work();
    let rest = "seeds = [1]\npipelines = [\"forge-tool-call-threshold\"]\n[orderings]\n\
                stages = [\"forge-tool-call\", \"forge-threshold\"]\nlabels = [\"call\", \"threshold\"]\n\
                settings-of = \"forge-tool-call-threshold\"\n";
    let suite = suite(work.path(), rest);
    let listed = proctor(&["run", "--list"]).arg(&suite).run();
    listed.succeeds();
    let says = "order_call_threshold is forge-tool-call-threshold under another name: driven once";
    assert!(listed.stderr.contains(says), "{}", listed.stderr);
}

#[test]
fn an_inferred_pipeline_is_shown_and_ranked_only_where_that_is_asked_for() {
    let guess = include_str!("../../scenarios/strategies/forge-adr.toml")
        .replace("name = \"forge-adr\"", "name = \"guess\"")
        .replace("fidelity = \"document\"", "fidelity = \"inferred\"");
    let pipelines = work();
    let file = pipelines.path().join("guess.toml");
    fs::write(&file, guess).expect("it is written");
    let rest = format!("seeds = [1]\npipelines = [\"truncate\", \"{}\"]\n", file.display());
    let (_work, run) = driven(&rest);
    let manifest = fs::read_to_string(run.join("manifest.json")).expect("a manifest");
    assert!(manifest.contains("\"guess\": \"inferred\""), "{manifest}");
    let markdown = |words: &[&str]| {
        proctor(&["report"]).arg(&run).args(words).run().succeeds();
        fs::read_to_string(run.join("report.md")).expect("a report")
    };
    let best = |markdown: &str| markdown.contains("**Use** `guess (inferred)`");
    let plain = markdown(&[]);
    assert!(plain.contains("| `guess (inferred)` |"), "it stands in the tables");
    assert!(plain.contains("so not ranked"));
    assert!(!best(&plain), "it is not called best");
    assert!(best(&markdown(&["--include-inferred"])), "it is where that is asked for");
}
