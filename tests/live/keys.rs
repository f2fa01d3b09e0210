//! The key of an endpoint appears nowhere, whatever the server does with it.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::json;

use crate::live::server::{Act, Seen, Server};
use crate::live::setting::{Setting, answer};

const KEY: &str = "sk-test/Zq8+vR2=mW7xN4pL";

/// Ways in which servers are known to show a key, and some that they are not known for.
fn echo(number: usize, seen: &Seen) -> Act {
    let header = &seen.authorization;
    assert_eq!(header, &format!("Bearer {KEY}"), "the server is given the key");
    let encoded = STANDARD.encode(KEY);
    let percent: String = KEY.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let words = format!("invalid header `{header}` ({encoded}, {percent})");
    match number % 7 {
        0 => Act::json(400, &json!({ "error": { "message": words, "code": header } })),
        1 => Act::typed(500, "text/html", format!("<pre>{words}</pre>")),
        2 => Act::typed(200, &format!("text/plain; key={header}"), words),
        3 => Act::says(&format!("{words} {}", URL_SAFE_NO_PAD.encode(format!("x{KEY}")))),
        4 => Act::json(429, &json!({ "error": words })).with(&format!("retry-after: {header}")),
        // Where the words of a server are cut, they may not be cut within the key.
        5 => Act::typed(200, "text/html", format!("<p>{}{KEY}", "x".repeat(290))),
        _ => Act::says(&answer(seen)).with(&format!("x-echo: {header}")),
    }
}

/// The key as it is, and parts that would give it away.
fn betrayals() -> Vec<String> {
    let percent = KEY.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let hex = KEY.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    vec![
        KEY.to_owned(),
        KEY[3..20].to_owned(),
        KEY[8..].to_owned(),
        percent,
        hex,
        STANDARD.encode(KEY)[..24].to_owned(),
        URL_SAFE_NO_PAD.encode(format!("x{KEY}"))[4..24].to_owned(),
    ]
}

fn search(place: &Path, found: &mut Vec<String>, files: &mut usize) {
    for entry in fs::read_dir(place).expect("it is listed").flatten() {
        let path = entry.path();
        if path.is_dir() {
            search(&path, found, files);
            continue;
        }
        *files += 1;
        let text = String::from_utf8_lossy(&fs::read(&path).expect("it reads")).into_owned();
        found.extend(
            betrayals()
                .iter()
                .filter(|word| text.contains(*word))
                .map(|word| format!("`{word}` stands in {}", path.display())),
        );
    }
}

#[test]
fn no_file_and_no_word_of_a_run_holds_the_key_that_the_server_echoes() {
    let setting = Setting::new(&["full-replace", "forge-adr", "split-half-unsafe"], 6);
    // Outside the directory that is searched.
    let secret = tempfile::NamedTempFile::new().expect("a file");
    fs::write(secret.path(), format!("{KEY}\n")).expect("it is written");
    // Which call is shown the key how depends on their order: six seeds are enough for any.
    let server = Server::start(echo);
    let key = |line: crate::harness::Line| line.args(&["--api-key-file"]).arg(secret.path());
    let run = key(setting.run(&server, "run")).run();
    run.fails_with(4, "the model did not answer");
    assert!(server.seen().len() > 14, "every way of showing it came up twice");
    // What was echoed is kept, all but the key: the search below is of something.
    let kept = fs::read_to_string(setting.path("run/cassette.jsonl")).expect("it reads");
    assert!(kept.matches("[key]").count() > 6, "{kept}");

    // A run that stops says why, in the server's words.
    let refused = Server::start(|_, seen| {
        Act::json(401, &json!({ "error": { "message": format!("bad {}", seen.authorization) } }))
    });
    let stopped = key(setting.run(&refused, "stopped")).run();
    stopped.fails_with(7, "HTTP 401");

    let mut found = Vec::new();
    for outcome in [&run, &stopped] {
        for said in [&outcome.stdout, &outcome.stderr] {
            found.extend(betrayals().into_iter().filter(|word| said.contains(word)));
        }
    }
    let mut files = 0;
    search(setting.path("").as_path(), &mut found, &mut files);
    assert!(files > 20, "{files} files were searched");
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn a_key_in_the_endpoint_file_or_given_as_a_flag_is_refused_without_being_shown() {
    let setting = Setting::new(&["full-replace"], 1)
        .endpoint("model = 'small'", &format!("model = 'small'\napi-key = '{KEY}'"));
    let refused = setting.offline("run").run();
    refused.fails_with(3, "a key must not stand in an endpoint file");
    assert!(!refused.stderr.contains(KEY), "{}", refused.stderr);
}
