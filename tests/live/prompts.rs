//! Two prompts over one recorded model: what is said of their words and of the facts they keep.

use std::fs;

use serde_json::Value;

use crate::harness::proctor;
use crate::live::server::{Act, Seen, Server};
use crate::live::setting::Setting;

/// A model that tells what it was shown where it is asked to keep it, and nothing otherwise.
fn obedient(seen: &Seen) -> String {
    let body = seen.json();
    let messages = body["messages"].as_array().expect("messages");
    let text = messages.last().and_then(|one| one["content"].as_str()).unwrap_or_default();
    let told = text.floor_char_boundary(text.len().saturating_sub(24_000));
    match text.contains("Keep every name") {
        true => text[told..].to_owned(),
        false => "The work went on.".to_owned(),
    }
}

fn pipeline(setting: &Setting, name: &str, words: &str) -> String {
    let prompt = format!("{words}\n\n{{{{material}}}}\n");
    fs::write(setting.path(&format!("{name}.md")), prompt).expect("a file");
    let text = format!(
        "name = \"mine\"\nabout = \"\"\nsource = \"\"\nfidelity = \"baseline\"\n[[stage]]\n\
         strategy.full-replace = {{}}\non.before-call = \"pressure\"\nprompt = \"{name}.md\"\n\
         pressure = [{{ used = [\"messages\"], limit.share = 0.5 }}]\n"
    );
    let file = setting.path(&format!("{name}.toml"));
    fs::write(&file, text).expect("a file");
    file.display().to_string()
}

#[test]
fn a_changed_prompt_is_told_by_its_words_and_by_the_facts_it_won_and_lost() {
    let server = Server::start(|_, seen| Act::says(&obedient(seen)));
    let setting = Setting::new(&["none"], 2);
    // A session that is longer than its window, and a model that takes all of it.
    for (file, from, to) in [
        ("suite.toml", "pocket", "smoke"),
        (
            "endpoint.toml",
            "window = 8_000\nmax-output = 200",
            "window = 100_000\nmax-output = 8_000",
        ),
    ] {
        let text = fs::read_to_string(setting.path(file)).expect("a file");
        assert!(text.contains(from), "{text}");
        fs::write(setting.path(file), text.replace(from, to)).expect("a file");
    }
    let before = pipeline(&setting, "before", "Write down what was done.");
    let after = pipeline(&setting, "after", "Write down what was done. Keep every name.");
    let [suite, endpoint, cassette, page, json] =
        ["suite.toml", "endpoint.toml", "calls.jsonl", "page.html", "gate.json"]
            .map(|name| setting.path(name).display().to_string());
    let versus = |flags: &[&str]| {
        let line = proctor(&["vs", &before, &after, &suite, "--summarizer", "http"]);
        line.args(&["--endpoint", &endpoint, "--html", &page, "--sessions", "2"]).args(flags).run()
    };
    let live = versus(&["--base-url", &server.url(), "--cassette", &cassette]);
    live.succeeds();
    assert!(live.stdout.contains("model `small`"), "{}", live.stdout);
    assert!(
        live.stdout.contains("changed: stage 1: prompt “” → “Keep every name.”"),
        "{}",
        live.stdout
    );
    let won = live.stdout.lines().filter(|line| line.starts_with("won: “")).count();
    assert!(won > 0, "{}", live.stdout);
    let asked = server.seen().len();
    let replayed = versus(&["--replay", &cassette]);
    replayed.succeeds();
    assert_eq!((replayed.stdout, server.seen().len()), (live.stdout, asked), "nobody is asked");
    let page = fs::read_to_string(setting.path("page.html")).expect("a page");
    assert!(page.contains("<ins>"), "{page}");
    assert!(page.contains("model small") && page.contains("<h3>Won: "), "{page}");
    let gate =
        proctor(&["gate", &suite, "--baseline-config", &before, "--candidate-config", &after]);
    let gate = gate.args(&["--summarizer", "http", "--endpoint", &endpoint, "--replay", &cassette]);
    let gate = gate.args(&["--json", &json]).run();
    assert!(gate.stdout.contains("“Keep every name.”"), "{}\n{}", gate.stdout, gate.stderr);
    assert!(gate.stdout.contains("won: “"), "{}\n{}", gate.stdout, gate.stderr);
    let judged: Value = serde_json::from_slice(&fs::read(&json).expect("a file")).expect("JSON");
    assert!(judged["facts"]["won_count"].as_u64() > Some(0), "{judged}");
}
