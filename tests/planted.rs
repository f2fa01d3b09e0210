//! Faults planted in a strategy or in its summarizer, and whether `proctor gate` finds
//! them: the binary, the policy that it carries, and as many sessions as a verdict takes.
//! Each fault is also planted the other way round, where undoing it is an improvement.

use std::fs;
use std::path::Path;

use crate::harness::{Outcome, proctor, work};
use serde_json::Value;

/// Sessions of 200 turns in a window of 100,000 tokens, short enough that both sides
/// bring them to their end, and with hardly a need that lies a window back.
const SHORT_FLOOR: &str = r#"
name = "short-floor"
about = "Where the goal tier has a floor to lower and next to nothing to forget."
scenarios = ["floor-p0-t200", "floor-p1-t200", "floor-p3-t200"]
pipelines = ["forge-adr"]
windowless = ["none"]
seeds = [1, 2, 3]
summarizer = "extractive"
"#;

/// Leaving a fifth of all lines out of every summary costs about twice the margin of recall at
/// need; a tenth costs about the margin, which stays undecided however many sessions there are.
const FORGETFUL: &str = "extractive~0.2";

fn shipped(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/strategies");
    fs::read_to_string(folder.join(name).with_extension("toml")).expect("it ships")
}

/// `forge-adr` with something else in the place of a part of its text.
fn changed(from: &str, to: &str) -> String {
    let text = shipped("forge-adr");
    assert_eq!(text.matches(from).count(), 1, "`{from}` in\n{text}");
    text.replace(from, to)
}

/// `forge-adr` without the stages of some strategy.
fn without(strategy: &str) -> String {
    let text = shipped("forge-adr");
    let (head, stages) = text.split_once("[[stage]]").expect("stages");
    let kept: Vec<&str> =
        stages.split("[[stage]]").filter(|stage| !stage.contains(strategy)).collect();
    assert_eq!(kept.len(), 2, "one stage of three is `{strategy}`");
    format!("{head}[[stage]]{}", kept.join("[[stage]]"))
}

/// Another strategy under the name of one that the baseline has.
fn posing(name: &str) -> String {
    let text = shipped(name);
    let own = format!("name = \"{name}\"");
    assert_eq!(text.matches(&own).count(), 1);
    let lines = text.lines().filter(|line| !line.starts_with("reference"));
    let text: Vec<&str> = lines.collect();
    text.join("\n").replace(&own, "name = \"forge-adr\"")
}

/// A suite of `smoke` without shadows, as `plain.toml`, under `forge-adr` and a summarizer: a few
/// sessions tell.
fn suite(summarizer: &str) -> String {
    format!(
        "name = \"planted\"\nabout = \"\"\nscenarios = [\"plain.toml\"]\n\
         pipelines = [\"forge-adr\"]\nwindowless = [\"none\"]\nseeds = [1]\n\
         summarizer = \"{summarizer}\"\n"
    )
}

/// Writes the scenario of such a suite.
fn plain(work: &Path) {
    let smoke = include_str!("../scenarios/smoke.toml");
    assert!(smoke.contains("shadows = 12"));
    let plain = smoke.replace("shadows = 12", "shadows = 0");
    fs::write(work.join("plain.toml"), plain).expect("it writes");
}

/// Seeds 1 to `count`.
fn seeds(count: usize) -> String {
    let seeds: Vec<String> = (1..=count).map(|seed| seed.to_string()).collect();
    seeds.join(",")
}

/// Both sides driven and judged; `gate.json` says why, `both` holds the runs.
fn gated(work: &Path, before: &str, after: &str, words: &[&str]) -> Outcome {
    let sides = ["--baseline-config", before, "--candidate-config", after];
    let kept = ["--strict", "--strict-codes", "--json", "gate.json", "--jobs", "1"];
    proctor(&["gate"]).args(&sides).args(&kept).args(words).within(work).run()
}

/// The two kept runs with their parts exchanged.
fn undone(work: &Path) -> Outcome {
    let words = ["gate", "both/baseline", "--baseline", "both/candidate"];
    proctor(&words).args(&["--strict-codes", "--json", "gate.json"]).within(work).run()
}

#[track_caller]
fn ends(outcome: &Outcome, code: i32, words: &str) {
    assert_eq!(outcome.code, code, "{}\n{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains(words), "no `{words}` in\n{}", outcome.stdout);
}

/// The verdict of a rule over all scenarios, in the judgement written last.
fn verdict(work: &Path, rule: &str) -> String {
    let json = fs::read_to_string(work.join("gate.json")).expect("it is there");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let mut findings = json["findings"].as_array().expect("findings").iter();
    let is_it = |one: &&Value| one["rule"] == rule && one["scenario"].is_null();
    let found = findings.find(is_it).unwrap_or_else(|| panic!("nothing of `{rule}`"));
    found["verdict"].as_str().expect("a verdict").to_owned()
}

/// The goal tier folds turns that are hardly over: the floor falls, and what the agent needs
/// now falls with it.
#[test]
fn a_floor_that_rises_is_a_regression_and_one_that_falls_costs_what_lies_near() {
    let work = work();
    let work = work.path();
    fs::write(work.join("floor.toml"), SHORT_FLOOR).expect("it writes");
    fs::write(work.join("less.toml"), without("forge-goal-batch")).expect("it writes");
    let outcome = gated(work, "forge-adr", "less.toml", &["floor.toml", "--out", "both"]);
    ends(&outcome, 20, "floor of forge-adr: ");
    assert_eq!(
        (verdict(work, "floor").as_str(), verdict(work, "recall").as_str()),
        ("regression", "pass-identical")
    );
    ends(&undone(work), 20, "recall of what is worked with now of forge-adr: ");
    assert_eq!(verdict(work, "near"), "regression");
    assert_eq!(verdict(work, "floor"), "improvement");
}

/// In `smoke` the window is small: without its goal tier the pipeline does not get to the end.
/// Too few sessions of equal length are left then, and recall is judged over all.
#[test]
fn the_goal_tier_brings_sessions_to_their_end_and_recall_is_judged_over_all() {
    let work = work();
    let work = work.path();
    fs::write(work.join("less.toml"), without("forge-goal-batch")).expect("it writes");
    let seeds = seeds(12);
    plain(work);
    fs::write(work.join("suite.toml"), suite("extractive")).expect("it writes");
    let words = ["suite.toml", "--seeds", &seeds, "--out", "both"];
    let outcome = gated(work, "forge-adr", "less.toml", &words);
    ends(&outcome, 25, "of 12 sessions end earlier");
    let undone = undone(work);
    assert!(undone.stdout.contains("sessions come farther than they did"), "{}", undone.stdout);
    assert_eq!(verdict(work, "completion-first"), "improvement");
    assert_eq!(verdict(work, "recall"), "pass");
}

#[test]
fn a_summarizer_that_forgets_is_found_with_no_more_sessions_than_the_gate_asked_for() {
    let work = work();
    let work = work.path();
    plain(work);
    fs::write(work.join("sound.toml"), suite("extractive")).expect("it writes");
    fs::write(work.join("forgetful.toml"), suite(FORGETFUL)).expect("it writes");
    let few = gated(work, "sound.toml", "forgetful.toml", &["--seeds", &seeds(6)]);
    ends(&few, 21, "n too small: 6 of 8 sessions");
    let json = fs::read_to_string(work.join("gate.json")).expect("it is there");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let findings = json["findings"].as_array().expect("findings").iter();
    let needed = findings.filter(|one| one["counts"] == true);
    let asked = needed.filter_map(|one| one["sessions_needed"].as_u64()).max();
    let asked = asked.expect("it says how many sessions would decide") as usize;
    assert!((8..200).contains(&asked), "{asked} sessions");

    // Session 10 overflows where more is forgotten.
    let seeds: Vec<String> = (11..11 + asked.min(24)).map(|seed| seed.to_string()).collect();
    let seeds = seeds.join(",");
    let enough = gated(work, "sound.toml", "forgetful.toml", &["--seeds", &seeds]);
    ends(&enough, 20, "recall at need of forge-adr: ");
    assert_eq!(verdict(work, "recall"), "regression");
    let note = "the summarizer is part of what is compared: `extractive` against `extractive~0.2`";
    assert!(enough.stdout.contains(note), "{}", enough.stdout);
    let undone = gated(work, "forgetful.toml", "sound.toml", &["--seeds", &seeds]);
    // Who remembers more carries more.
    ends(&undone, 20, "floor of forge-adr: ");
    assert_eq!(verdict(work, "floor"), "regression");
    assert_eq!(verdict(work, "recall"), "improvement");
}

#[test]
fn pairs_of_calls_and_results_that_are_split_break_an_invariant() {
    let work = work();
    let work = work.path();
    for name in ["split-half-unsafe", "forge-head"] {
        fs::write(work.join("split.toml"), posing(name)).expect("it writes");
        let outcome = gated(work, "forge-adr", "split.toml", &["smoke", "--seeds", "1,2"]);
        ends(&outcome, 26, "verdict: invariant violated");
        assert_eq!(verdict(work, "structure"), "invariant-violated");
    }
}

#[test]
fn sessions_that_overflow_are_told_before_every_figure_and_their_repair_is_an_improvement() {
    let work = work();
    let work = work.path();
    let late = changed("limit.share = 0.80", "limit.share = 0.99");
    for (name, text) in [("never", without("forge-threshold")), ("late", late)] {
        let file = format!("{name}.toml");
        fs::write(work.join(&file), text).expect("it writes");
        let seeds = seeds(8);
        let words = ["smoke", "--seeds", &seeds, "--out", "both"];
        let outcome = gated(work, "forge-adr", &file, &words);
        ends(&outcome, 25, "8 of 8 sessions end earlier than they did");
        ends(&undone(work), 31, "forge-adr: 8 of 8 sessions come farther than they did");
        assert_eq!(verdict(work, "completion-first"), "improvement");
        assert_eq!(verdict(work, "recall"), "improvement");
        assert_eq!(verdict(work, "price"), "undecided");
        fs::remove_dir_all(work.join("both")).expect("it was kept");
    }
}
