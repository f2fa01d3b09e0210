//! Servers that misbehave: every call ends, classified, and every cell is a row.

use proctor::measure::MetricId;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::live::server::{Act, Server};
use crate::live::setting::{Setting, answer, outcomes, row};

const PIPELINE: &str = "full-replace";

/// What a server does about every call, the endpoint's lines that are changed for it, and
/// what is to come of it: class, attempts of each call, words of the message.
struct Case {
    name: &'static str,
    act: fn() -> Act,
    changed: (&'static str, &'static str),
    class: &'static str,
    tries: u32,
    says: &'static str,
}

const NOTHING: (&str, &str) = ("retries = 1", "retries = 1");

/// One case for each way in which a call ends; how each response is read, and what a broken
/// connection is, are unit tests.
const CASES: &[Case] = &[
    Case {
        name: "a slow first byte",
        act: || Act::says("late").after(Duration::from_secs(5)),
        changed: ("first-byte = 30", "first-byte = 0.3"),
        class: "time-out",
        tries: 1,
        says: "no byte of an answer came within 0.3 s",
    },
    Case {
        name: "a rate limit that never ends",
        act: || {
            Act::json(429, &json!({ "error": { "message": "slow down" } })).with("retry-after: 0")
        },
        changed: NOTHING,
        class: "error",
        tries: 2,
        says: "HTTP 429: slow down",
    },
    Case {
        name: "a stream that pours without end",
        act: || Act::Endless { piece: vec![b' '; 1 << 20], every: Duration::ZERO },
        changed: NOTHING,
        class: "error",
        tries: 1,
        says: "larger than 16 MiB",
    },
    Case {
        name: "an overflow as llama.cpp puts it",
        act: || {
            let error = json!({
                "code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 10031,
                "message": "request (10031 tokens) exceeds the available context size (8192 \
                            tokens), try increasing it", "n_ctx": 8192,
            });
            Act::json(400, &json!({ "error": error }))
        },
        changed: NOTHING,
        class: "overflow",
        tries: 1,
        says: "exceeds the available context size",
    },
];

#[test]
fn a_call_that_fails_is_classified_and_the_cell_is_a_row() {
    std::thread::scope(|scope| {
        for case in CASES {
            scope.spawn(move || check(case));
        }
    });
}

fn check(case: &'static Case) {
    let name = case.name;
    let act = case.act;
    let server = Server::start(move |_, _| act());
    let setting = Setting::new(&[PIPELINE], 1).endpoint(case.changed.0, case.changed.1);
    let began = Instant::now();
    let run = setting.run(&server, "run").run();
    // A prompt that is too long is the strategy's own; everything else is the server's.
    let (code, state) = if case.class == "overflow" { (0, "done") } else { (4, "unanswered") };
    assert_eq!(run.code, code, "{name}: {}", run.stderr);
    // A hang is what this rules out; the figure is far above what a busy machine needs.
    assert!(began.elapsed() < Duration::from_secs(120), "{name}: it took {:?}", began.elapsed());
    assert_eq!(row(&setting.path("run"), PIPELINE).state.name(), state, "{name}");
    let contents = setting.cassette("run");
    let (failures, answers) = outcomes(&contents);
    assert_eq!(failures.keys().copied().collect::<Vec<_>>(), [case.class], "{name}");
    assert_eq!(answers, 0, "{name}");
    for recorded in contents.entries.values() {
        let said = format!("{:?}", recorded.outcome);
        assert!(said.contains(case.says), "{name}: {said}");
        assert_eq!(recorded.tries, case.tries, "{name}: {said}");
        assert!(said.len() < 1_000, "{name}: {said}");
    }
    let calls: u32 = contents.entries.values().map(|recorded| recorded.tries).sum();
    assert_eq!(server.seen().len(), calls as usize, "{name}");
}

#[test]
fn retry_after_is_waited_for_and_the_call_is_answered() {
    let server = Server::start(|number, seen| match number {
        0 => Act::json(429, &json!({ "error": "wait" })).with("retry-after: 1"),
        _ => Act::says(&answer(seen)),
    });
    let setting = Setting::new(&[PIPELINE], 1);
    setting.run(&server, "run").run().succeeds();
    let seen = server.seen();
    assert_eq!(seen[0].body, seen[1].body);
    let waited = seen[1].at - seen[0].at;
    assert!(waited >= Duration::from_millis(990), "asked again after {waited:?}");
    let (failures, answers) = outcomes(&setting.cassette("run"));
    assert!(failures.is_empty(), "{failures:?}");
    assert_eq!(answers, seen.len() - 1);
    assert_eq!(row(&setting.path("run"), PIPELINE).number(MetricId::Completion), Some(1.0));
}

#[test]
fn what_says_nothing_of_the_model_stops_the_run_and_can_be_resumed() {
    for (status, words) in [(401, "HTTP 401"), (403, "HTTP 403"), (404, "HTTP 404")] {
        // The first two calls are answered, the third is not.
        let server = Server::start(move |number, seen| match number {
            2 => Act::json(status, &json!({ "error": { "message": "no" } })),
            _ => Act::says(&answer(seen)),
        });
        let setting = Setting::new(&[PIPELINE], 1);
        let stopped = setting.run(&server, "run").run();
        stopped.fails_with(7, words);
        assert!(stopped.stderr.contains("--resume"), "{}", stopped.stderr);
        assert!(!setting.path("run/manifest.json").exists(), "the run is not finished");
        assert_eq!(outcomes(&setting.cassette("run")), ([].into(), 2));
        setting.run(&server, "run").args(&["--resume"]).run().succeeds();
        let mut bodies: Vec<String> = server.seen().into_iter().map(|seen| seen.body).collect();
        let all = bodies.len();
        bodies.sort();
        bodies.dedup();
        assert_eq!(bodies.len(), all - 1, "only the refused call is made again");
    }
}

#[test]
fn a_server_that_is_not_there_stops_the_run() {
    let address = {
        let server = Server::start(|_, _| Act::says("never"));
        server.url()
    };
    let setting = Setting::new(&[PIPELINE], 1);
    let stopped = setting.offline("run").args(&["--base-url", &address]).run();
    stopped.fails_with(7, "no connection");
}

#[test]
fn a_recorded_failure_is_asked_again_on_demand_and_the_answer_takes_its_place() {
    let setting = Setting::new(&[PIPELINE], 1);
    let cassette = setting.path("calls.jsonl");
    let broken = Server::start(|_, _| Act::typed(200, "text/html", "maintenance"));
    let record = |server: &Server, out: &str, more: &[&str]| {
        setting.run(server, out).args(&["--cassette"]).arg(&cassette).args(more).run().code
    };
    assert_eq!(record(&broken, "broken", &[]), 4);
    let sound = Server::start(|_, seen| Act::says(&answer(seen)));
    assert_eq!(record(&sound, "kept", &[]), 4);
    assert!(sound.seen().is_empty(), "a recorded failure stays one until it is asked again");
    assert_eq!(record(&sound, "again", &["--retry-failures"]), 0);
    assert!(!sound.seen().is_empty());
    let contents = proctor::summarize::cassette::Contents::read(&cassette).expect("it reads");
    assert!(contents.replaced > 0);
    assert_eq!(row(&setting.path("again"), PIPELINE).number(MetricId::Completion), Some(1.0));
}
