//! What a developer reads and does when the gate is red, by the binary, in a git repository.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{conform, ends, is_valid_junit};
use crate::harness::{Outcome, proctor, work};
use serde_json::Value;

const FILE: &str = "strategies/mine.toml";
const GIVEN: [&str; 3] = ["smoke", "--seeds", "1,2,3,4,5,6,7,8,9,10"];
const SHARE: &str = "share = 0.80";

/// A repository whose last commit holds a strategy of one's own.
fn repository(directory: &Path) -> String {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/strategies/goat-doc.toml");
    let text = fs::read_to_string(shipped).expect("it ships");
    let text = text.replace("name = \"goat-doc\"", "name = \"mine\"");
    fs::create_dir_all(directory.join("strategies")).expect("it makes");
    fs::write(directory.join(FILE), &text).expect("it writes");
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(words);
        let output = git.current_dir(directory).output().expect("git is there");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["init", "--quiet"]);
    git(&["add", "strategies"]);
    git(&["commit", "--quiet", "--message", "A strategy"]);
    text
}

fn gate(work: &Path, words: &[&str]) -> Outcome {
    let sides = ["--baseline-config", "HEAD:strategies/mine.toml", "--candidate-config", FILE];
    proctor(&["gate"]).args(&sides).args(&GIVEN).args(words).within(work).run()
}

fn json(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("it is there");
    serde_json::from_str(&text).expect("JSON")
}

fn schema(of: &str) -> Value {
    let schema = proctor(&["schema", of]).run();
    schema.succeeds();
    serde_json::from_str(&schema.stdout).expect("JSON")
}

#[test]
fn a_red_gate_names_the_key_the_fact_and_what_to_do_next() {
    let work = work();
    let work = work.path();
    let text = repository(work);
    let changed = text
        .replace(SHARE, "share = 0.50")
        .replace("resend = \"if-asked\"", "resend = \"if-asked\"\non-error = \"continue\"");
    fs::write(work.join(FILE), &changed).expect("it writes");
    let line = 1 + changed.lines().take_while(|line| !line.contains("share = 0.50")).count();

    let files = ["--json", "g.json", "--junit", "g.xml", "--sarif", "g.sarif", "--comment", "c.md"];
    let more = ["--badge", "b.json", "--out", "both", "--blame", "--github"];
    let red = gate(work, &[&files[..], &more[..]].concat());
    ends(&red, 20, "verdict: regression");
    let first = red.stdout.lines().take(12).collect::<Vec<_>>().join("\n");
    for says in [
        "of mine: ",
        "in return: ",
        "that is: ",
        "because of stage 1: pressure[0].limit.share 0.8 → 0.5 (strategies/mine.toml:",
        "for example, step ",
        "lost it; ",
        "next: see what was lost: `proctor inspect both/candidate smoke@20k/mine/",
    ] {
        assert!(first.contains(says), "no `{says}` in\n{}", red.stdout);
    }
    let annotation = format!("::error file={FILE},line={line},title=");
    assert!(red.stdout.contains(&annotation), "{}", red.stdout);

    let judged = json(&work.join("g.json"));
    conform::holds(&schema("gate"), &judged);
    let worst = &judged["findings"][0];
    assert_eq!((&worst["place"]["file"], &worst["place"]["line"]), (&FILE.into(), &line.into()));
    let tried = judged["blame"]["tried"].as_array().expect("what was undone");
    let undoes = |place: usize| tried[place]["undoes"].as_bool();
    assert_eq!([undoes(0), undoes(1)], [Some(false), Some(true)], "{tried:?}");
    let findings = judged["findings"].as_array().into_iter().flatten();
    let fact = findings.map(|one| &one["detail"]["fact"]).find(|fact| fact.is_object());
    let fact = fact.expect("a fact");
    assert!(fact["statement"].as_str().is_some_and(|text| !text.is_empty()));
    assert!(fact["lost_in"]["compaction"].as_u64().is_some_and(|number| number > 0));
    assert!(!fact["lost_in"]["class"].as_str().unwrap_or_default().is_empty());

    let comment = fs::read_to_string(work.join("c.md")).expect("it is there");
    assert!(comment.starts_with("<!-- proctor-gate: strategies/mine.toml -->\n## "), "{comment}");
    conform::holds(&schema("badge"), &json(&work.join("b.json")));
    assert_eq!(json(&work.join("b.json"))["color"], "red");
    let sarif = json(&work.join("g.sarif"));
    let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], line);
    let junit = work.join("g.xml");
    is_valid_junit(&junit, &fs::read_to_string(&junit).expect("it is there"));

    the_commands_run_as_they_stand(work, &judged);
    the_loss_is_accepted_until_its_last_day(work, &changed, &judged);
}

/// The first step names the key; the first command shows the compaction that lost the fact.
fn the_commands_run_as_they_stand(work: &Path, judged: &Value) {
    let back = judged["next"][0].as_str().expect("a next step");
    assert!(back.contains("set back `stage 1: pressure[0].limit.share` to 0.8"), "{back}");
    let mut next = judged["next"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let command = next
        .find_map(|step| step.split('`').nth(1).filter(|code| code.starts_with("proctor inspect")));
    let command = command.expect("a command");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let shown = proctor(&words).within(work).run();
    shown.succeeds();
    assert!(shown.stdout.contains("LEFT THE CONTEXT"), "{}", shown.stdout);
}

fn the_loss_is_accepted_until_its_last_day(work: &Path, changed: &str, judged: &Value) {
    let next = judged["next"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let entry =
        next.filter_map(|step| step.split('`').nth(1)).find(|code| code.starts_with("gate."));
    let entry = entry.expect("how to accept it");
    let version = |text: &str| {
        fs::write(work.join(FILE), text).expect("it writes");
        let shown = proctor(&["inspect", "--strategy", FILE]).within(work).run();
        shown.succeeds();
        shown.stdout.lines().find(|line| line.starts_with("version:")).map(str::to_owned)
    };
    let (stages, before) = (changed.find("[[stage]]").expect("a stage"), version(changed));
    let with = |entry: &str| format!("{}{entry}\n{}", &changed[..stages], &changed[stages..]);
    assert_eq!(version(&with(entry)), before, "what a pipeline does is as before");
    let green = gate(work, &["--json", "accepted.json"]);
    ends(&green, 0, "accepted: a loss of ");
    let accepted = json(&work.join("accepted.json"));
    // What is open besides is only warned of.
    assert_eq!(
        (&accepted["exit_code"], &accepted["counts"]["regression"]),
        (&0.into(), &Value::Null)
    );
    assert_eq!(accepted["accepts"][0]["outcome"], "accepted");

    let until = entry.split("until = \"").nth(1).and_then(|rest| rest.get(..10)).expect("a day");
    version(&with(&entry.replace(until, "2020-01-31")));
    let red = gate(work, &[]);
    ends(&red, 20, "accepted it until 2020-01-31");
    assert!(red.stdout.contains("expired, so not accepted: a loss of"), "{}", red.stdout);
    assert!(red.stdout.contains("change what strategies/mine.toml:"), "{}", red.stdout);
}

#[test]
fn a_new_file_is_judged_beside_what_it_is_derived_from() {
    let work = work();
    let work = work.path();
    let text = repository(work).replace("name = \"mine\"", "name = \"new\"");
    let new = |text: &str, words: &[&str]| {
        fs::write(work.join("strategies/new.toml"), text).expect("it writes");
        let given = ["--candidate-config", "strategies/new.toml", "smoke", "--seeds", "1"];
        proctor(&["gate"]).args(&given).args(words).within(work).run()
    };
    let derived = text.replace("[[stage]]", "gate.derived-from = \"goat-doc\"\n[[stage]]");
    let same = new(&derived, &["--strict-codes"]);
    ends(&same, 30, "it is judged beside `goat-doc`, from which it is derived");
    let beside = derived.replace("\"goat-doc\"\n[[", "\"mine.toml\"\n[[");
    let commit = ["--baseline-config", "HEAD:strategies/new.toml", "--strict-codes"];
    let same = new(&beside, &commit);
    ends(&same, 30, "strategies/new.toml is not there at HEAD: it is judged beside");
    let alone = new(&text, &[]);
    assert!(alone.stdout.contains("it is judged beside `truncate`"), "{}", alone.stdout);
    let unknown = ["--baseline-config", "nowhere:strategies/new.toml"];
    new(&text, &unknown).fails_with(3, "git does not know this commit here");
}

#[test]
fn a_file_that_is_not_valid_is_an_annotation_and_a_failure() {
    let work = work();
    let work = work.path();
    let text = repository(work).replace(SHARE, "share = \"much\"");
    let line = 1 + text.lines().take_while(|line| !line.contains("much")).count();
    fs::write(work.join(FILE), &text).expect("it writes");
    let words = ["--github", "--junit", "g.xml", "--sarif", "g.sarif", "--comment", "c.md"];
    let outcome = gate(work, &words);
    outcome.fails_with(3, "invalid pipeline");
    let annotation =
        format!("::error file={FILE},line={line},title=proctor gate%3A invalid file::");
    assert!(outcome.stdout.contains(&annotation), "{}", outcome.stdout);
    let junit = fs::read_to_string(work.join("g.xml")).expect("it is there");
    assert!(junit.contains("failures=\"1\""), "{junit}");
    is_valid_junit(&work.join("g.xml"), &junit);
    let comment = fs::read_to_string(work.join("c.md")).expect("it is there");
    assert!(comment.contains("invalid file"), "{comment}");
    assert!(fs::read_to_string(work.join("g.sarif")).expect("it is there").contains("startLine"));
}
