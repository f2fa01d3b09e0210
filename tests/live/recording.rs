//! The recording that ships: it answers the suite it was made of, to the same bytes.

use std::path::Path;

use proctor::summarize::cassette::Contents;

use crate::harness::{identity, proctor, work};
use crate::live::server::{Act, Server};
use crate::live::setting::{Setting, answer};

const SHIPPED: &str = "scenarios/cassettes/smollm2.jsonl.gz";
const ENDPOINT: &str = "scenarios/cassettes/smollm2.toml";

#[test]
fn the_shipped_recording_replays_to_the_same_bytes_with_any_number_of_jobs() {
    let shipped = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let work = work();
    let replay = |out: &str, jobs: &str| {
        let line = proctor(&["run", "replay", "--summarizer", "http", "--jobs", jobs]);
        let line = line.args(&["--endpoint"]).arg(&shipped(ENDPOINT));
        let line = line.args(&["--replay"]).arg(&shipped(SHIPPED));
        line.args(&["--out"]).arg(&work.path().join(out)).run()
    };
    for (out, jobs) in [("one", "1"), ("two", "2")] {
        replay(out, jobs).succeeds();
    }
    assert_eq!(identity(&work.path().join("one")), identity(&work.path().join("two")));
}

#[test]
fn a_fit_to_a_run_takes_the_summaries_that_its_model_wrote() {
    let shipped = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let work = work();
    let run = work.path().join("one");
    let line = proctor(&["run", "replay", "--summarizer", "http", "--endpoint"]);
    let line = line.arg(&shipped(ENDPOINT)).args(&["--replay"]).arg(&shipped(SHIPPED));
    line.args(&["--out"]).arg(&run).run().succeeds();
    let out = work.path().join("model.toml");
    let fit = proctor(&["fit"]).arg(&run).args(&["--out"]).arg(&out).run();
    fit.succeeds();
    // What the tutorial on sessions tells of it.
    assert!(fit.stdout.starts_with("35 facts, 16 compactions, 1 session\n"), "{}", fit.stdout);
    assert!(fit.stdout.contains("skill: -3.59 units"), "{}", fit.stdout);
    assert!(std::fs::read_to_string(&out).expect("it reads").contains("[intercepts]"));

    let other = work.path().join("other");
    let line = proctor(&["run", "pocket", "--out"]).arg(&other);
    line.run().succeeds();
    let fit = proctor(&["fit"]).arg(&other).run();
    fit.fails_with(3, "the run has no summary that a model wrote");
}

#[test]
fn a_run_and_its_replay_have_the_same_identity_set() {
    let server = Server::start(|_, seen| Act::says(&answer(seen)));
    let setting = Setting::new(&["full-replace", "forge-adr"], 2);
    setting.run(&server, "live").run().succeeds();
    let asked = server.seen().len();
    let cassette = setting.path("live/cassette.jsonl");
    setting.offline("replayed").args(&["--replay"]).arg(&cassette).run().succeeds();
    assert_eq!(server.seen().len(), asked, "a replay asks nobody");
    assert_eq!(identity(&setting.path("live")), identity(&setting.path("replayed")));
}

#[test]
fn a_replay_that_lacks_a_call_names_the_request() {
    let server = Server::start(|_, seen| Act::says(&answer(seen)));
    let setting = Setting::new(&["full-replace"], 2);
    setting.run(&server, "live").run().succeeds();
    let cassette = setting.path("live/cassette.jsonl");
    let text = std::fs::read_to_string(&cassette).expect("it reads");
    let calls = Contents::read(&cassette).expect("it reads").entries.len();
    let short: Vec<&str> = text.lines().take(calls).collect();
    let missing = text.lines().nth(calls).expect("the last call");
    let key = &missing[8..72];
    std::fs::write(&cassette, short.join("\n") + "\n").expect("it is written");
    let stopped = setting.offline("replayed").args(&["--replay"]).arg(&cassette).run();
    stopped.fails_with(7, key);
    assert!(stopped.stderr.contains("holds no answer to request"), "{}", stopped.stderr);
}
