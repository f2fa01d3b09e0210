//! `proctor gate` and `proctor bless`, by the binary, on one small run and on copies of
//! it whose files say something else.

mod cheats;
mod conform;
mod held;
mod planted;
mod power;
mod promises;
mod red;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::{Outcome, proctor, sealed, skipped, work};
use serde_json::Value;

const POLICY: &str = r#"
name = "test"
[[rule]]
name = "size"
kind = "soft"
metric = "tokens.mean_prompt"
margin-relative = 0.05
[[rule]]
name = "structure"
kind = "hard"
metrics = ["violations.orphan-result", "violations.split-pair"]
at-most = 0
"#;

/// Eight sessions of two configurations, driven once.
fn driven(directory: &Path) -> PathBuf {
    let suite = directory.join("pair.toml");
    let text = "name = \"pair\"\nabout = \"\"\nscenarios = [\"smoke\"]\npipelines = [\"truncate\"]\n\
                windowless = [\"none\"]\nseeds = [1, 2, 3, 4, 5, 6, 7, 8]\nprobes = false\n";
    fs::write(&suite, text).expect("it writes");
    fs::write(directory.join("policy.toml"), POLICY).expect("it writes");
    let out = directory.join("run");
    proctor(&["run", "--stories", "none", "--out"]).arg(&out).arg(&suite).run().succeeds();
    out
}

/// A copy of a run in which one column of the pipeline's rows says something else.
fn altered(run: &Path, name: &str, column: &str, says: impl Fn(u64, f64) -> f64) -> PathBuf {
    let copy = copied(run, name);
    let path = copy.join("measurements.csv");
    let mut reader = csv::Reader::from_path(&path).expect("it reads");
    let head = reader.headers().expect("a header").clone();
    let place = |name: &str| head.iter().position(|one| one == name).expect(name);
    let (pipeline, seed, column) = (place("pipeline"), place("seed"), place(column));
    let records: Vec<csv::StringRecord> = reader.records().map(|one| one.expect("a row")).collect();
    let mut writer = csv::Writer::from_path(&path).expect("it writes");
    writer.write_record(&head).expect("it writes");
    for record in records {
        let mut cells: Vec<String> = record.iter().map(str::to_owned).collect();
        if cells[pipeline] == "truncate" {
            let seed = cells[seed].parse().expect("a seed");
            cells[column] = says(seed, cells[column].parse().unwrap_or(0.0)).to_string();
        }
        writer.write_record(&cells).expect("it writes");
    }
    writer.flush().expect("it writes");
    sealed(&copy);
    copy
}

/// A copy of what a gate reads.
fn copied(run: &Path, name: &str) -> PathBuf {
    let copy = run.with_file_name(name);
    fs::create_dir_all(copy.join("shards")).expect("it makes");
    for entry in fs::read_dir(run).expect("it lists").flatten() {
        let path = entry.path();
        if path.is_file() {
            fs::copy(&path, copy.join(entry.file_name())).expect("it copies");
        }
    }
    // What the tests change is to be judged, not noticed.
    sealed(&copy);
    copy
}

fn rewritten(run: &Path, name: &str, from: &str, to: &str) -> PathBuf {
    let copy = copied(run, name);
    let path = copy.join("manifest.json");
    let text = fs::read_to_string(&path).expect("it is there");
    assert!(text.contains(from), "no `{from}`");
    fs::write(&path, text.replacen(from, to, 1)).expect("it writes");
    sealed(&copy);
    copy
}

fn gated(work: &Path, run: &Path, words: &[&str]) -> Outcome {
    proctor(&["gate", "--policy", "policy.toml"]).arg(run).args(words).within(work).run()
}

fn blessed(work: &Path, run: &Path, words: &[&str]) -> Outcome {
    let to = ["--policy", "policy.toml", "--to", "base/pair.json", "--who", "A Name"];
    proctor(&["bless"]).arg(run).args(&to).args(words).within(work).run()
}

#[track_caller]
fn ends(outcome: &Outcome, code: i32, words: &str) {
    assert_eq!(outcome.code, code, "{}\n{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains(words), "no `{words}` in\n{}", outcome.stdout);
}

#[test]
fn every_verdict_has_its_exit_code() {
    let work = work();
    let (work, run) = (work.path(), driven(work.path()));
    let base = ["--baseline", "base/pair.json"];
    ends(&gated(work, &run, &base), 22, "verdict: no baseline");
    blessed(work, &run, &["--why", "the first"]).succeeds();
    ends(&gated(work, &run, &base), 0, "verdict: pass (identical)");
    let strict = [base[0], base[1], "--strict-codes"];
    ends(&gated(work, &run, &strict), 30, "verdict: pass (identical)");

    let column = "tokens.mean_prompt";
    let larger = altered(&run, "larger", column, |seed, tokens| tokens * (1.2 + seed as f64 / 1e3));
    ends(&gated(work, &larger, &base), 20, "verdict: regression");
    let smaller =
        altered(&run, "smaller", column, |seed, tokens| tokens * (0.8 + seed as f64 / 1e3));
    ends(&gated(work, &smaller, &base), 0, "verdict: improvement");
    ends(&gated(work, &smaller, &strict), 31, "verdict: improvement");
    let noisy = altered(&run, "noisy", column, |seed, tokens| {
        tokens * if seed % 2 == 0 { 1.3 } else { 0.7 }
    });
    let open = gated(work, &noisy, &base);
    ends(&open, 0, "WARNING: this is no pass");
    assert!(open.stdout.contains("sessions would decide"), "{}", open.stdout);
    assert!(open.stderr.contains("passes only by its policy"), "{}", open.stderr);
    ends(&gated(work, &noisy, &[base[0], base[1], "--strict"]), 21, "verdict: undecided");
    // A run directory serves as a baseline, too: there the same loss is a gain.
    let turned = ["--baseline", larger.to_str().expect("a path"), "--strict-codes"];
    ends(&gated(work, &run, &turned), 31, "verdict: improvement");

    let other = rewritten(&run, "other", "\"tokenizer\": \"o200k\"", "\"tokenizer\": \"other\"");
    ends(&gated(work, &other, &base), 23, "tokenizer: `o200k` against `other`");
    let failed = rewritten(&run, "failed", "\"state\": \"done\"", "\"state\": {\"failed\": \"x\"}");
    ends(&gated(work, &failed, &base), 24, "1 of 16 cells failed");
    let begun = copied(&run, "begun");
    fs::remove_file(begun.join("manifest.json")).expect("it removes");
    ends(&gated(work, &begun, &base), 24, "was not finished");
    let fell = altered(&run, "fell", "completion", |seed, own| if seed == 3 { 0.0 } else { own });
    ends(&gated(work, &fell, &base), 25, "1 of 8 sessions end earlier");
    let broken = altered(&run, "broken", "violations.orphan-result", |seed, _| (seed / 8) as f64);
    ends(&gated(work, &broken, &base), 26, "1 of 8 cells are not at most 0");

    // The same edits where the run's digests stand beside them.
    fs::copy(run.join("digests.txt"), larger.join("digests.txt")).expect("it copies");
    let edited = gated(work, &larger, &base);
    assert_eq!(edited.code, 3, "{}", edited.stderr);
    assert!(edited.stderr.contains("measurements.csv"), "{}", edited.stderr);
    sealed(&larger);

    blessings_are_refused_and_recorded(work, &run, &begun, &failed, &broken);
    files_are_written_and_stay_the_same(work, &larger);
    what_cannot_be_understood_is_said(work, &run);
}

fn blessings_are_refused_and_recorded(
    work: &Path,
    run: &Path,
    begun: &Path,
    failed: &Path,
    broken: &Path,
) {
    let why = ["--why", "a broken run"];
    blessed(work, begun, &why).fails_with(24, "was not finished");
    blessed(work, failed, &why).fails_with(24, "an incomplete run is no baseline");
    blessed(work, broken, &why).fails_with(26, "breaks its hard rules");
    blessed(work, run, &["--why", "  "]).fails_with(3, "it says nothing");
    let read = || fs::read_to_string(work.join("base/pair.json")).expect("it is there");
    let before = read();
    blessed(work, broken, &["--why", "shown", "--even-though", "it is wanted"]).succeeds();
    let after: Value = serde_json::from_str(&read()).expect("JSON");
    assert_eq!(after["blessed"]["even_though"], "it is wanted");
    assert_eq!(after["history"][0]["why"], "the first");
    let again = blessed(work, run, &["--why", "back", "--even-though", "unneeded"]);
    again.succeeds();
    assert!(again.stdout.contains("1 not as before"), "{}", again.stdout);
    let text = read();
    let last: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        (&last["blessed"]["who"], &last["blessed"]["why"]),
        (&"A Name".into(), &"back".into())
    );
    assert_eq!(last["history"].as_array().map(Vec::len), Some(2));
    assert!(last["blessed"]["even_though"].is_null(), "no rule was broken");
    let first: Value = serde_json::from_str(&before).expect("JSON");
    assert_eq!(first["rows"], last["rows"]);
    assert_eq!(text.lines().filter(|line| line.contains("\"figures\"")).count(), 8);
}

fn files_are_written_and_stay_the_same(work: &Path, run: &Path) {
    let written = |folder: &str| {
        let folder = work.join(folder);
        fs::create_dir_all(&folder).expect("it makes");
        let file = |name: &str| folder.join(name).display().to_string();
        let names = ["gate.json", "gate.xml", "gate.sarif", "gate.md"];
        let [json, junit, sarif, summary] = names.map(file);
        let words = [
            "--baseline",
            "base/pair.json",
            "--json",
            &json,
            "--junit",
            &junit,
            "--sarif",
            &sarif,
            "--step-summary",
            &summary,
            "--github",
        ];
        let outcome = gated(work, run, &words);
        ends(
            &outcome,
            20,
            "::error file=policy.toml,line=4,title=proctor gate%3A regression of mean",
        );
        names.map(|name| fs::read_to_string(folder.join(name)).expect("it is there"))
    };
    let [json, junit, sarif, summary] = written("one");
    let schema = proctor(&["schema", "gate"]).run();
    schema.succeeds();
    let parsed = |text: &str| -> Value { serde_json::from_str(text).expect("JSON") };
    conform::holds(&parsed(&schema.stdout), &parsed(&json));
    assert_eq!(parsed(&sarif)["runs"][0]["results"][0]["ruleId"], "size");
    assert!(summary.starts_with("## Proctor gate: regression"), "{summary}");
    is_valid_junit(&work.join("one/gate.xml"), &junit);
    assert_eq!([json, junit, sarif, summary], written("two"));

    // What stands in the summary already counts against its limit.
    let path = work.join("full.md");
    fs::write(&path, "x".repeat(1024 * 1024 - 300)).expect("it writes");
    let summary = path.display().to_string();
    gated(work, run, &["--baseline", "base/pair.json", "--step-summary", &summary]);
    assert!(fs::metadata(&path).expect("it is there").len() <= 1024 * 1024);
}

/// By the schema beside this test, where a tool that reads schemas is there.
fn is_valid_junit(file: &Path, text: &str) {
    assert!(text.contains("<testsuites name=\"proctor gate\" tests=\""), "{text}");
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gate/junit.xsd");
    let script = "import sys\nfrom lxml import etree\n\
                  etree.XMLSchema(etree.parse(sys.argv[1])).assertValid(etree.parse(sys.argv[2]))";
    let mut xmllint = Command::new("xmllint");
    xmllint.args(["--noout", "--schema"]).arg(&schema).arg(file);
    let mut python = Command::new("python3");
    python.args(["-c", script]).arg(&schema).arg(file);
    let reads_schemas = |mut command: Command, words: &[&str]| {
        command.args(words).output().is_ok_and(|output| output.status.success())
    };
    let output = if reads_schemas(Command::new("xmllint"), &["--version"]) {
        xmllint.output()
    } else if reads_schemas(Command::new("python3"), &["-c", "import lxml"]) {
        python.output()
    } else {
        return skipped("neither xmllint nor lxml is there to read a schema");
    };
    let output = output.expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn what_cannot_be_understood_is_said(work: &Path, run: &Path) {
    let with = |name: &str, text: &str| {
        fs::write(work.join(name), text).expect("it writes");
        proctor(&["gate", "--policy", name]).arg(run).within(work).run()
    };
    let misspelt = POLICY.replace("tokens.mean_prompt", "tokens.mean_promt");
    let outcome = with("misspelt.toml", &misspelt);
    outcome.fails_with(3, "did you mean `tokens.mean_prompt`?");
    assert!(outcome.stderr.contains("misspelt.toml"), "{}", outcome.stderr);
    let nothing =
        POLICY.replace("name = \"size\"", "name = \"size\"\nconfigurations = [\"trunkate\"]");
    with("nothing.toml", &nothing).fails_with(3, "did you mean `truncate`?");
    proctor(&["gate"]).run().fails_with(2, "required");
    proctor(&["gate", "no-such-run"]).within(work).run().fails_with(1, "manifest.json");
}

#[test]
fn two_pipelines_are_driven_and_gated_in_one_job() {
    let work = work();
    let work = work.path();
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/strategies/forge-adr.toml");
    let text = fs::read_to_string(shipped).expect("it ships");
    let changed = text.replace("older-than-turns = 10", "older-than-turns = 2");
    assert_ne!(text, changed);
    let line = 1 + text.lines().take_while(|line| !line.contains("older-than-turns")).count();
    fs::write(work.join("old.toml"), &text).expect("it writes");
    fs::write(work.join("new.toml"), changed.replace("\"forge-adr\"", "\"eager\""))
        .expect("it writes");
    let gate = |candidate: &str, words: &[&str]| {
        let sides = ["--baseline-config", "old.toml", "--candidate-config", candidate];
        proctor(&["gate", "--seeds", "1,2"]).args(&sides).args(words).within(work).run()
    };
    let same = gate("forge-adr", &["smoke", "--strict-codes"]);
    ends(&same, 30, "verdict: pass (identical)");
    let outcome = gate("new.toml", &["smoke", "--out", "both", "--json", "gate.json"]);
    ends(&outcome, 0, "n too small: 2 of 8 sessions");
    let json = fs::read_to_string(work.join("gate.json")).expect("it is there");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let recall = json["findings"].as_array().into_iter().flatten();
    let recall = recall.clone().find(|one| one["rule"] == "recall").expect("a finding");
    assert_eq!(recall["configuration"], "eager");
    assert_eq!(recall["place"]["file"], "new.toml");
    assert_eq!(recall["place"]["line"], line);
    for side in ["baseline", "candidate"] {
        assert!(work.join("both").join(side).join("manifest.json").exists(), "{side}");
    }
    gate("smoke", &[]).fails_with(3, "one is a pipeline and the other a suite");
    gate("forge-ard", &[]).fails_with(2, "did you mean `forge-adr`?");
    gate("new.toml", &["forge-adr"]).fails_with(3, "both sides are driven on a suite");
}
