//! A model marks what is said in a session, once; its recording repeats the truth without it.

use std::fs;

use crate::harness::{proctor, work};
use crate::live::server::{Act, Server};

const MARKS: &str = "{\"message\": 0, \"kind\": \"safety-rule\", \"text\": \"Never prune the young vines.\"}\n\
    {\"message\": 1, \"kind\": \"decision\", \"text\": \"I begin with the oldest row.\"}\n\
    {\"message\": 1, \"kind\": \"decision\", \"text\": \"words that nobody said\"}";

#[test]
fn a_model_is_asked_once_what_is_said_and_its_recording_answers_after_that() {
    let server = Server::start(|_, _| Act::says(MARKS));
    let work = work();
    let path = |name: &str| work.path().join(name);
    let session = "[{\"role\": \"user\", \"content\": \"Prune the vineyard. Never prune the young vines.\"},\n\
        {\"role\": \"assistant\", \"content\": \"I begin with the oldest row.\"}]\n";
    fs::write(path("vineyard.json"), session).expect("it writes");
    let import = |out: &str, flags: &[&str]| {
        let line = proctor(&["import", "--label", "--cassette"]);
        let line = if flags.contains(&"--replay") {
            proctor(&["import", "--label"])
        } else {
            line.arg(&path("calls.jsonl"))
        };
        line.args(flags).arg(&path("vineyard.json")).args(&["--out"]).arg(&path(out)).run()
    };
    let url = server.url();
    let live = import("one.jsonl", &["--base-url", &url, "--model", "vintner"]);
    live.succeeds();
    assert!(
        live.stdout.contains("sentences marked by the model: 2, refused: 1"),
        "{}",
        live.stdout
    );
    let calls = path("calls.jsonl").display().to_string();
    import("two.jsonl", &["--replay", &calls, "--model", "vintner"]).succeeds();
    assert_eq!(server.seen().len(), 1, "the recording answers");
    let truth = |name: &str| fs::read_to_string(path(name)).expect("a truth");
    assert_eq!(truth("one.truth.jsonl"), truth("two.truth.jsonl"));
    assert!(truth("one.truth.jsonl").contains("Never prune the young vines."));
    let useless = proctor(&["import", "--model", "vintner"]).arg(&path("vineyard.json")).run();
    assert!(
        useless.code == 3 && useless.stderr.contains("`--label` asks one"),
        "{}",
        useless.stderr
    );
}
