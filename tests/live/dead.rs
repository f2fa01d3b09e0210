//! A model that does not answer is no bad strategy, and what it may cost is counted.

use std::fs;
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use crate::harness::proctor;
use crate::live::server::{Act, Server};
use crate::live::setting::{Setting, answer};

const PIPELINES: [&str; 2] = ["full-replace", "forge-adr"];

#[test]
fn cells_that_a_dead_model_left_are_failed_and_not_ranked() {
    for act in [
        Act::json(500, &json!({ "error": { "message": "overloaded" } })),
        Act::typed(200, "text/html", "<p>a portal</p>"),
        Act::json(429, &json!({ "error": { "message": "slow down" } })),
    ] {
        let setting = Setting::new(&PIPELINES, 1);
        let server = Server::start(move |_, _| act.clone());
        let run = setting.run(&server, "run").run();
        run.fails_with(4, "because the model did not answer");
        assert!(run.stderr.contains("--retry-failures"), "{}", run.stderr);
        let report = fs::read_to_string(setting.path("run/report.md")).expect("it reads");
        let top: String = report.lines().take(12).collect::<Vec<&str>>().join("\n");
        assert!(top.contains("cells have no figures: the model did not answer in"), "{top}");
        assert!(top.contains("nothing can be said of the strategies"), "{top}");
        assert!(!report.contains("safe configuration"), "{report}");
        // The gate does not say that completion fell.
        let gate = proctor(&["gate"]).arg(&setting.path("run")).run();
        assert_eq!(gate.code, 24, "{}", gate.stdout);
    }
}

#[test]
fn one_failure_among_answers_costs_its_own_cell_alone() {
    let setting = Setting::new(&PIPELINES, 2).endpoint("retries = 1", "retries = 0");
    let server = Server::start(|number, seen| match number {
        3 => Act::json(500, &json!({ "error": "down" })),
        _ => Act::says(&answer(seen)),
    });
    let run = setting.run(&server, "run").run();
    run.fails_with(4, "1 of 6 cells failed");
    let table = fs::read_to_string(setting.path("run/measurements.csv")).expect("it reads");
    assert_eq!(table.matches(",unanswered,").count(), 1, "{table}");
    // Asked again, only that one is.
    let before = server.seen().len();
    let again = setting.run(&server, "again").args(&["--retry-failures", "--cassette"]);
    again.arg(&setting.path("run/cassette.jsonl")).run().succeeds();
    let asked = server.seen().len() - before;
    assert!(asked > 0 && asked < before, "{asked} calls after {before}");
}

#[test]
fn a_budget_holds_where_the_server_does_not_say_what_was_used() {
    let usages = [
        json!(null),
        json!({ "prompt_tokens": 100.5, "completion_tokens": 10.5 }),
        json!({ "prompt_tokens": -1, "completion_tokens": -1 }),
        json!({ "prompt_tokens": 100 }),
        json!({ "prompt_tokens": "many" }),
        json!({ "prompt_tokens": 1, "completion_tokens": 18_446_744_073_709_551_615_u64 }),
    ];
    for usage in usages {
        let setting = Setting::new(&PIPELINES, 6).endpoint(
            "retries = 1",
            "retries = 1\nprice = { in = 0, out = 100 }\nbudget = { max-usd = 0.03 }",
        );
        let told = usage.clone();
        let server = Server::start(move |_, _| {
            let words = "The berths were planned and the tide table was read again. ".repeat(12);
            let choice = json!({ "message": { "content": words }, "finish_reason": "stop" });
            Act::json(200, &json!({ "choices": [choice], "usage": told }))
        });
        let run = setting.run(&server, "run").args(&["--concurrency", "1"]).run();
        run.fails_with(7, "the budget of $0.03");
        // About 150 tokens of 0.01 cents each, and the next may have 200.
        assert!(server.seen().len() <= 2, "{usage}: {} calls", server.seen().len());
    }
}

#[test]
fn content_that_is_no_text_is_no_answer() {
    for content in [json!(5), json!({ "text": "x" }), json!(true)] {
        let setting = Setting::new(&["full-replace"], 1);
        let server = Server::start(move |_, _| {
            let choice = json!({ "message": { "content": content }, "finish_reason": "stop" });
            Act::json(200, &json!({ "choices": [choice] }))
        });
        setting.run(&server, "run").run().fails_with(4, "did not answer");
        let kept = fs::read_to_string(setting.path("run/cassette.jsonl")).expect("it reads");
        assert!(kept.contains("the content of the answer is no text"), "{kept}");
    }
}

#[test]
fn a_process_that_is_told_to_end_records_the_calls_in_flight() {
    for signal in ["-TERM", "-HUP"] {
        let setting = Setting::new(&PIPELINES, 4);
        let server =
            Server::start(|_, seen| Act::says(&answer(seen)).after(Duration::from_millis(400)));
        let mut run = setting.run(&server, "run").spawn();
        while server.seen().len() < 2 {
            assert!(run.try_wait().expect("it can be asked").is_none(), "it ended early");
            std::thread::sleep(Duration::from_millis(5));
        }
        let told = Command::new("kill").args([signal, &run.id().to_string()]).status();
        assert!(told.expect("`kill` is there").success());
        assert_eq!(run.wait().expect("it ends").code(), Some(7), "{signal}");
        let recorded = setting.cassette("run").entries.len();
        assert_eq!(recorded, server.seen().len(), "{signal}: every paid call is recorded");
        setting.run(&server, "run").args(&["--resume"]).run().succeeds();
    }
}
