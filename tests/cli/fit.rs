//! The simulated summarizer, fitted to compactions of one's own: from the transcript to a run that is
//! driven again from what it embeds.

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{identity, proctor, work};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)
}

/// Fits to the example, and gives the parameters and what was said of them.
fn fitted(dir: &Path) -> (PathBuf, String) {
    let out = dir.join("mine.toml");
    let fit = proctor(&["fit"]).arg(&example("compacted.jsonl")).args(&["--out"]).arg(&out).run();
    fit.succeeds();
    (out, fit.stdout)
}

/// The tables and keys of a file of parameters.
fn keys(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| line.split(" = ").next().unwrap_or_default()).collect()
}

fn suite(dir: &Path, rest: &str) -> PathBuf {
    let path = dir.join("own.toml");
    let head = "name = \"own\"\nabout = \"\"\nscenarios = [\"dead-end-returns\"]\nseeds = [1]\n\
                pipelines = [\"full-replace\"]\nwindowless = [\"none\"]\nprobes = false\n";
    fs::write(&path, head.to_owned() + rest).expect("it writes");
    path
}

fn summarizers(run: &Path) -> Vec<String> {
    let text = fs::read_to_string(run.join("measurements.csv")).expect("it is there");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let place = reader.headers().expect("a head").iter().position(|name| name == "summarizer");
    let mut all: Vec<String> = reader
        .records()
        .map(|row| row.expect("a row")[place.expect("it is a column")].to_owned())
        .collect();
    all.sort();
    all.dedup();
    all
}

#[test]
fn a_fit_says_how_much_it_rests_on_and_writes_parameters_of_the_recorded_form() {
    let work = work();
    let (out, told) = fitted(work.path());
    assert!(told.contains("facts, 2 compactions, 1 session\n"), "{told}");
    assert!(told.contains("units of log-odds from `simulated`"), "{told}");
    assert!(told.contains("one session: how well the fit foretells another"), "{told}");
    let text = fs::read_to_string(&out).expect("it is written");
    assert!(text.starts_with("# Fitted by `proctor fit` to "), "{text}");
    let recorded = include_str!("../../crates/eval/src/simulated/recorded.toml");
    assert_eq!(keys(&text), keys(recorded));
    let (again, _) = fitted(work.path());
    assert_eq!(fs::read_to_string(again).expect("it is there"), text);
}

#[test]
fn sessions_of_a_directory_are_left_out_one_by_one() {
    let work = work();
    let text = fs::read_to_string(example("compacted.jsonl")).expect("it ships");
    fs::write(work.path().join("one.jsonl"), &text).expect("it writes");
    let other = text.replace("7c0f5d1e-3b7a-4c41-9d52-0a6e8b94f214", "another-session");
    fs::write(work.path().join("two.jsonl"), other).expect("it writes");
    let fit = proctor(&["fit"]).arg(work.path()).run();
    fit.succeeds();
    assert!(fit.stdout.contains("4 compactions, 2 sessions\n"), "{}", fit.stdout);
    assert!(fit.stdout.contains("sessions left out: area "), "{}", fit.stdout);
}

#[test]
fn a_run_under_a_fit_is_driven_again_without_the_file_and_knows_other_parameters() {
    let work = work();
    let (mine, _) = fitted(work.path());
    let suite = suite(work.path(), "");
    let named = format!("simulated:{}", mine.display());
    let run = |name: &str| {
        let run = work.path().join(name);
        let line = proctor(&["run"]).arg(&suite).args(&["--summarizer", &named, "--out"]).arg(&run);
        line.run().succeeds();
        run
    };
    let one = run("one");
    assert_eq!(summarizers(&one), ["fitted-mine"]);
    assert_eq!(identity(&one), identity(&run("same")));
    let text = fs::read_to_string(&mine).expect("it is there");
    let other = text.lines().map(|line| match line.starts_with("path = ") {
        true => "path = 3.0\n".to_owned(),
        false => format!("{line}\n"),
    });
    fs::write(&mine, other.collect::<String>()).expect("it writes");
    let two = run("two");
    fs::remove_file(&mine).expect("it goes");
    proctor(&["verify"]).arg(&one).run().succeeds();
    let baseline = work.path().join("baseline.json");
    let bless =
        proctor(&["bless", "--why", "first", "--who", "me", "--even-though", "a test", "--to"]);
    bless.arg(&baseline).arg(&one).run().succeeds();
    let gate = proctor(&["gate", "--baseline"]).arg(&baseline).arg(&two).run();
    assert_eq!(gate.code, 23, "{}{}", gate.stdout, gate.stderr);
    assert!(gate.stdout.contains("summarizer: `fitted-mine, "), "{}", gate.stdout);
}

#[test]
fn a_suite_brackets_with_a_fit_and_its_report_sets_it_on_the_axis() {
    let work = work();
    let (mine, _) = fitted(work.path());
    let rest = format!(
        "summarizer = \"simulated\"\nbrackets = [\"empty\", \"fitted-mine\", \"perfect\"]\n\
         fitted.mine = {:?}\n",
        mine.display().to_string()
    );
    let (suite, run) = (suite(work.path(), &rest), work.path().join("run"));
    let line = proctor(&["run"]).arg(&suite).args(&["--strategies", "full-replace,forge-adr"]);
    line.args(&["--out"]).arg(&run).run().succeeds();
    assert_eq!(summarizers(&run), ["empty", "fitted-mine", "perfect", "simulated"]);
    let report = fs::read_to_string(run.join("report.md")).expect("it is written");
    let head = report.lines().find(|line| line.contains("| Holds |")).expect("the axis");
    assert!(head.contains("fitted-mine"), "{head}");
}

#[test]
fn too_few_facts_and_names_without_parameters_are_refused() {
    let work = work();
    let none = proctor(&["fit"]).arg(&example("session.jsonl")).run();
    none.fails_with(3, "0 facts are fewer than 30");
    let named = suite(work.path(), "summarizer = \"fitted-mine\"\n");
    proctor(&["run"]).arg(&named).run().fails_with(3, "the suite has no parameters for it");
    let suite = suite(work.path(), "");
    let absent = proctor(&["run"]).arg(&suite).args(&["--summarizer", "simulated:no.toml"]).run();
    absent.fails_with(1, "no.toml");
}
