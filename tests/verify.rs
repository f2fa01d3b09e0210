//! Verifying and merging, with the real binary.

mod merging;

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{Outcome, identity, proctor, sealed, shared, work};
use proctor::record::{Line, Value};
use proctor::run_dir::tables::{LineReader, LineWriter, infos, packed_text, whole_text};

const NOT_VERIFIED: i32 = 8;

/// A run of one session, made once for all that only read it.
fn smoke() -> &'static Path {
    static RUN: std::sync::OnceLock<tempfile::TempDir> = std::sync::OnceLock::new();
    let made = RUN.get_or_init(|| {
        let work = work();
        proctor(&["run", "smoke", "--seeds", "1", "--out"]).arg(&run_in(&work)).run().succeeds();
        work
    });
    Box::leak(Box::new(run_in(made)))
}

fn run_in(work: &tempfile::TempDir) -> PathBuf {
    work.path().join("run")
}

/// A copy of a run that may be changed.
fn copied(from: &Path) -> (tempfile::TempDir, PathBuf) {
    let work = work();
    let to = run_in(&work);
    copy(from, &to);
    (work, to)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("it is listed") {
        let path = entry.expect("an entry").path();
        let name = to.join(path.file_name().expect("a name"));
        if path.is_dir() { copy(&path, &name) } else { drop(fs::copy(&path, name)) }
    }
}

fn verify(run: &Path, words: &[&str]) -> Outcome {
    proctor(&["verify"]).arg(run).args(words).run()
}

fn edit(run: &Path, file: &str, change: impl Fn(&str) -> String) {
    let path = run.join(file);
    let before = fs::read_to_string(&path).expect("it is there");
    let after = change(&before);
    assert_ne!(before, after, "{file} was not changed");
    fs::write(&path, after).expect("it writes");
}

/// A column of one cell's line, changed.
fn set(text: &str, cell: &str, column: &str, value: &str) -> String {
    let header: Vec<&str> = text.lines().next().expect("a header").split(',').collect();
    let place = header.iter().position(|name| *name == column).expect("the column is there");
    let mut is_first = true;
    let lines = text.lines().map(|line| {
        if !is_first || !line.starts_with(&format!("{cell},")) {
            return line.to_owned();
        }
        is_first = false;
        let mut fields: Vec<&str> = line.split(',').collect();
        fields[place] = value;
        fields.join(",")
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

const CELL: &str = "smoke@20k/forge-adr/1";

#[test]
fn a_run_is_verified_by_driving_it_again() {
    let told = verify(smoke(), &[]);
    told.succeeds();
    assert!(told.stdout.contains("cells: 11 driven again\n"), "{}", told.stdout);
    assert!(told.stdout.contains("verified: everything holds"), "{}", told.stdout);
    let some = verify(smoke(), &["--cells", "forge-adr"]);
    some.succeeds();
    assert!(some.stdout.contains("3 driven again, 8 not chosen"), "{}", some.stdout);
    verify(smoke(), &["--cells", "no-such-cell"]).fails_with(2, "no-such-cell");
}

#[test]
fn a_changed_figure_is_named_with_what_it_should_be() {
    let (_work, run) = copied(smoke());
    edit(&run, "measurements.csv", |text| set(text, CELL, "recall_at_need", "0.99"));
    let told = verify(&run, &[]);
    told.fails_with(NOT_VERIFIED, "");
    let line = format!("measurements.csv, {CELL}, recall_at_need: found 0.99, expected 0");
    assert!(told.stdout.contains(&line), "{}", told.stdout);
    assert!(told.stdout.contains("digests.txt, measurements.csv: found"), "{}", told.stdout);
    // Digests that were made to fit hide nothing.
    sealed(&run);
    let told = verify(&run, &[]);
    told.fails_with(NOT_VERIFIED, "");
    assert!(told.stdout.contains(&line) && !told.stdout.contains("digests.txt"), "{}", told.stdout);
}

/// Changes a value in the first row of a packed table that is about the cell.
fn alter(run: &Path, file: &str, column: &str, value: Value) {
    let info = infos().into_iter().find(|info| info.file == file).expect("a table");
    let place = |name: &str| info.columns.iter().position(|column| column.name == name);
    let (own, changed) = (place("cell").expect("a cell"), place(column).expect("the column"));
    let mut reader = LineReader::open(&run.join(file), &info.columns).expect("it opens");
    let mut lines = Vec::new();
    let mut line = Line::default();
    while reader.next(&mut line).expect("it reads") {
        lines.push(line.clone());
    }
    let mut writer = LineWriter::create(run, file, &info.columns).expect("it begins");
    let mut is_first = true;
    for line in lines {
        let is_changed = is_first && line.get(own) == Value::Text(CELL);
        is_first &= !is_changed;
        let mut new = Line::default();
        for (place, old) in line.values().enumerate() {
            new.push(if is_changed && place == changed { value } else { old });
        }
        writer.put(&new).expect("it writes");
    }
    writer.finish().expect("it ends");
    assert!(!is_first, "{file} has no row of the cell");
}

#[test]
fn a_change_in_any_table_is_found_though_the_digests_fit() {
    let (_work, run) = copied(smoke());
    let changes = [
        ("steps.parquet", "prompt", Value::Integer(7)),
        ("facts.parquet", "kind", Value::Text("decision")),
        ("floor.parquet", "tokens", Value::Integer(7)),
        ("composition.parquet", "tokens", Value::Integer(7)),
        ("compactions.parquet", "utilization", Value::Number(0.5)),
        ("triggers.parquet", "n", Value::Integer(7)),
        ("survival.parquet", "present", Value::Integer(99)),
    ];
    for (file, column, value) in changes {
        alter(&run, file, column, value);
    }
    sealed(&run);
    let told = verify(&run, &["--cells", CELL]);
    told.fails_with(NOT_VERIFIED, "");
    for (file, column, value) in changes {
        let named = format!("{file}, {CELL}, {column}: found {value}, expected ");
        assert!(told.stdout.contains(&named), "{named} is missing in\n{}", told.stdout);
    }
}

fn edit_packed(run: &Path, file: &str, change: impl Fn(&str) -> String) {
    let path = run.join(file);
    let before = whole_text(&path).expect("it is there");
    let after = change(&before);
    assert_ne!(before, after, "{file} was not changed");
    fs::write(&path, packed_text(&path, after.as_bytes()).expect("packed")).expect("it writes");
}

#[test]
fn a_changed_trace_or_story_is_found() {
    let (_work, run) = copied(smoke());
    edit_packed(&run, "traces.jsonl.gz", |text| text.replacen("\"stage\":", "\"stage\":1", 1));
    edit_packed(&run, "stories/0001.json.gz", |text| {
        text.replacen("\"prompt\":[", "\"prompt\":[1", 1)
    });
    sealed(&run);
    let told = verify(&run, &[]);
    told.fails_with(NOT_VERIFIED, "");
    for file in ["traces.jsonl.gz, smoke@20k/", "stories, smoke@20k/"] {
        assert!(told.stdout.contains(file), "{file} is missing in\n{}", told.stdout);
    }
}

#[test]
fn changed_inputs_are_named() {
    let (_work, run) = copied(smoke());
    edit(&run, "inputs.json", |text| text.replacen("\"share\": 0.8", "\"share\": 0.7", 1));
    sealed(&run);
    let told = verify(&run, &[]);
    told.fails_with(NOT_VERIFIED, "");
    assert!(told.stdout.contains("is not what the manifest says was run"), "{}", told.stdout);
    proctor(&["rerun"]).arg(&run).run().fails_with(3, "inputs.json");
}

#[test]
fn what_the_manifest_says_is_held_against_the_binary() {
    for (from, to, named) in [
        (
            "\"turns\": 40,\n      \"steps",
            "\"turns\": 41,\n      \"steps",
            "turns: found 41, expected 40",
        ),
        ("\"log\": \"", "\"log\": \"0", "log: found"),
        (
            "\"cell\": \"smoke@20k/truncate/1\"",
            "\"cell\": \"smoke@20k/truncate/9\"",
            "no such cell",
        ),
        ("\"completion\",\n      1", "\"completion\",\n      2", "metrics"),
        ("\"schema\": ", "\"schema\": 9", "layout is version"),
        ("\"offline\": true", "\"offline\": yes", "manifest.json"),
    ] {
        let (_work, run) = copied(smoke());
        edit(&run, "manifest.json", |text| text.replacen(from, to, 1));
        sealed(&run);
        let told = verify(&run, &[]);
        told.fails_with(NOT_VERIFIED, "");
        assert!(told.stdout.contains(named), "{named} is missing in\n{}", told.stdout);
    }
}

#[test]
fn an_emptied_cut_or_missing_file_is_named_by_every_verb() {
    for (file, keep) in [("steps.parquet", 0), ("facts.parquet", 400), ("traces.jsonl.gz", 5_000)] {
        let (_work, run) = copied(smoke());
        let whole = fs::read(run.join(file)).expect("it is there");
        fs::write(run.join(file), &whole[..keep]).expect("it writes");
        let told = verify(&run, &[]);
        told.fails_with(NOT_VERIFIED, "");
        assert!(told.stdout.contains(file), "{}", told.stdout);
        proctor(&["report"]).arg(&run).run().fails_with(3, file);
        let resumed = ["run", "smoke", "--seeds", "1", "--resume", "--out"];
        proctor(&resumed).arg(&run).run().fails_with(3, file);
    }
    let (_work, run) = copied(smoke());
    fs::remove_file(run.join("stories/0002.json.gz")).expect("it is removed");
    proctor(&["report"]).arg(&run).run().fails_with(3, "0002.json.gz");
    verify(&run, &[]).fails_with(NOT_VERIFIED, "");
}

#[test]
fn an_absent_session_is_said_and_a_given_one_is_used() {
    let work = work();
    let (path, run) = (work.path().join("session.jsonl"), run_in(&work));
    proctor(&["synth", "smoke", "--seed", "3", "--out"]).arg(&path).run().succeeds();
    let made = proctor(&["run", "--filter", "forge-head", "--redact", "--out"]);
    made.arg(&run).arg(&path).run().succeeds();
    let absent = verify(&run, &[]);
    absent.succeeds();
    assert!(absent.stdout.contains("0 driven again"), "{}", absent.stdout);
    assert!(absent.stdout.contains("session absent"), "{}", absent.stdout);
    let given = path.display().to_string();
    let told = verify(&run, &["--sessions", &given]);
    told.succeeds();
    assert!(told.stdout.contains("verified: everything holds"), "{}", told.stdout);
    // Another file is not it.
    let other = work.path().join("other.jsonl");
    proctor(&["synth", "smoke", "--seed", "4", "--out"]).arg(&other).run().succeeds();
    let told = verify(&run, &["--sessions", &other.display().to_string()]);
    told.succeeds();
    assert!(told.stdout.contains("is no session of this run"), "{}", told.stdout);
}

#[test]
fn a_recorded_session_is_verified_where_the_run_read_it() {
    let name = "claude-code/entireio-cli_6113e919_42turns_3compactions.jsonl";
    let Some(path) = shared(name) else { return };
    let work = work();
    let run = run_in(&work);
    proctor(&["run", "--filter", "forge-head/0", "--out"]).arg(&run).arg(&path).run().succeeds();
    let told = verify(&run, &[]);
    told.succeeds();
    assert!(told.stdout.contains("verified: everything holds"), "{}", told.stdout);
}

#[test]
fn a_run_of_ones_own_files_is_driven_again_without_them() {
    let work = work();
    let (suite, pipeline) = (work.path().join("mine.toml"), work.path().join("own.toml"));
    let scenario = work.path().join("brief.toml");
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let text = fs::read_to_string(shipped.join("strategies/truncate.toml")).expect("it ships");
    fs::write(&pipeline, text.replacen("name = \"truncate\"", "name = \"own\"", 1))
        .expect("it writes");
    let text = fs::read_to_string(shipped.join("smoke.toml")).expect("it ships");
    fs::write(&scenario, text.replace("\"smoke\"", "\"brief\"")).expect("it writes");
    let said = format!(
        "name = \"mine\"\nabout = \"\"\nscenarios = [\"{}\"]\nseeds = [1]\n\
         windowless = [\"none\"]\npipelines = [\"{}\", \"forge-adr\"]\nprobes = false\n",
        scenario.display(),
        pipeline.display()
    );
    fs::write(&suite, said).expect("it writes");
    let run = run_in(&work);
    proctor(&["run"]).arg(&suite).args(&["--out"]).arg(&run).run().succeeds();
    for file in [&suite, &pipeline, &scenario] {
        fs::remove_file(file).expect("it is removed");
    }
    let told = verify(&run, &[]);
    told.succeeds();
    assert!(told.stdout.contains("verified: everything holds"), "{}", told.stdout);
    let again = work.path().join("again");
    proctor(&["rerun"]).arg(&run).args(&["--out"]).arg(&again).run().succeeds();
    assert_eq!(identity(&again), identity(&run));
    let shown = proctor(&["inspect"]).arg(&again).args(&["own/1"]).run();
    shown.succeeds();
    assert!(!shown.stderr.contains("note: "), "{}", shown.stderr);
}

#[test]
fn what_is_no_run_is_no_verdict() {
    let work = work();
    verify(work.path(), &[]).fails_with(1, "manifest.json");
}
