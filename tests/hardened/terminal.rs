//! Text from outside steers no terminal and no log of CI, exit codes survive whoever stops reading,
//! and a key in the wrong place is not repeated.

use std::fs;
use std::process::{Command, Stdio};

use proctor::sanitize::steers;

use crate::harness::{Outcome, proctor, work};

/// What stands in names of the hostile files: an escape code, a title, marks of direction, a
/// command of CI on a line of its own.
const HOSTILE: &str =
    "x\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}\r\n::error::owned\n##[error]owned";

#[track_caller]
fn steers_nothing(outcome: &Outcome) {
    for text in [&outcome.stdout, &outcome.stderr] {
        let found = text.chars().find(|c| steers(*c) && !matches!(c, '\n' | '\t'));
        assert_eq!(found, None, "{text}");
        let commands = text
            .lines()
            .map(str::trim_start)
            .filter(|line| line.starts_with("::") || line.contains("##["));
        assert_eq!(commands.collect::<Vec<&str>>(), Vec::<&str>::new());
        assert!(!text.contains("panicked"), "{text}");
    }
}

#[test]
fn no_message_that_quotes_a_file_steers() {
    let work = work();
    let write = |name: &str, text: &str| {
        let path = work.path().join(name);
        fs::write(&path, text).expect("it is written");
        path
    };
    let quoted = serde_json::to_string(HOSTILE).expect("JSON");
    let kinds = format!("{{\"type\":{quoted},\"subtype\":{quoted},\"sessionId\":{quoted}}}\n");
    let block = format!(
        "{{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":{quoted},\"timestamp\":\"2026-01-01T00:00:00Z\",\
         \"message\":{{\"role\":\"user\",\"content\":[{{\"type\":{quoted}}},\
         {{\"type\":\"text\",\"text\":\"hi\"}}]}}}}\n"
    );
    let claude = write("claude.jsonl", &format!("{kinds}{block}not json {HOSTILE}\n"));
    let native = write(
        "native.jsonl",
        &format!(
            "{{\"proctor\":\"log\",\"version\":1,\"id\":{quoted},\"source\":{quoted},\"system\":\"\",\
             \"tools\":\"\",\"overhead\":0}}\n"
        ),
    );
    let raw = write("raw.toml", &format!("name = \"a\"\n{HOSTILE}\n"));
    let named = write("named.toml", &format!("name = {quoted}\nabout = 3\n"));
    let about = write(
        "about.toml",
        &format!(
            "name = \"a\"\nabout = {}\nsource = {}\n[[stage]]\nstrategy = \"truncate\"\n",
            serde_json::to_string("x\u{202e}\u{1b}[2J").expect("JSON"),
            serde_json::to_string("y\u{9b}31m").expect("JSON"),
        ),
    );
    let odd = write("odd\u{1b}[2J\u{202e}.jsonl", "nothing\n");
    for (words, path) in [
        (&["import", "--dry-run"][..], &claude),
        (&["import", "--dry-run"], &native),
        (&["import", "--dry-run"], &odd),
        (&["run"], &claude),
        (&["run"], &odd),
        (&["run"], &raw),
        (&["run"], &named),
        (&["inspect", "--strategy"], &raw),
        (&["inspect", "--strategy"], &named),
        (&["inspect", "--strategy"], &about),
        (&["inspect"], &native),
        (&["gate", "--baseline-config", "none", "--candidate-config"], &raw),
        (&["report"], &odd),
        (&["audit"], &claude),
        (&["compare", "--baseline", HOSTILE], &odd),
    ] {
        let outcome = proctor(words).arg(path).within(work.path()).run();
        assert!(!(outcome.stdout.is_empty() && outcome.stderr.is_empty()), "{words:?}");
        steers_nothing(&outcome);
    }
    steers_nothing(&proctor(&["run", HOSTILE]).run());
    steers_nothing(&proctor(&["list", "strategies"]).args(&["--window", HOSTILE]).run());
}

#[test]
fn a_reader_that_leaves_changes_no_exit_code() {
    let work = work();
    let out = work.path().join("run");
    proctor(&["run", "smoke", "--seeds", "1", "--out"]).arg(&out).run().succeeds();
    fs::write(out.join("measurements.csv"), "nothing\n").expect("it is written");
    let left = |words: &[&str], stdout: Stdio| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_proctor"));
        command.args(words).stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!said.contains("panicked"), "{said}");
        output.status.code()
    };
    let run = out.to_str().expect("a plain path");
    assert_eq!(left(&["verify", run], Stdio::piped()), Some(8));
    assert_eq!(left(&["completions", "bash"], Stdio::piped()), Some(0));
    assert_eq!(left(&["--help"], Stdio::piped()), Some(0));
    if let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") {
        assert_eq!(left(&["completions", "bash"], Stdio::from(full)), Some(1));
    }
}

#[test]
fn a_key_in_a_place_where_none_belongs_is_not_repeated() {
    const KEY: &str = "sk-test-Zq8vR2mW7xN4pL";
    let work = work();
    let path = work.path().join("e.toml");
    for line in [
        format!("headers = {{ Authorization = \"Bearer {KEY}\" }}"),
        format!("OPENAI_KEY = \"{KEY}\""),
        format!("auth = \"{KEY}\""),
        format!("credentials = '{KEY}'"),
        format!("extra-headers = [\"X-Api-Key: {KEY}\"]"),
        format!("\"api\\u002dkey\" = \"{KEY}\""),
        format!("note = \"\"\"\n{KEY}\n\"\"\""),
        format!("base-url = \"http://127.0.0.1:9/v1?api_key={KEY}\""),
        format!("base-url = \"http://u:{KEY}@127.0.0.1:9/v1\""),
        format!("model = {KEY}"),
        format!("temperature = \"{KEY}\""),
        format!("omit = [\"{KEY}\"]"),
        KEY.to_owned(),
    ] {
        fs::write(&path, format!("model = \"m\"\n{line}\n")).expect("it is written");
        let words = ["run", "replay", "--summarizer", "http", "--endpoint"];
        let refused = proctor(&words).arg(&path).run();
        assert_eq!(refused.code, 3, "{line}: {}", refused.stderr);
        assert!(refused.stderr.contains("e.toml"), "{}", refused.stderr);
        assert!(!refused.stderr.contains(KEY), "{line}: {}", refused.stderr);
    }
    for address in [
        format!("http://u:{KEY}@127.0.0.1:9"),
        format!("http://127.0.0.1:9/v1?api_key={KEY}"),
        KEY.to_owned(),
    ] {
        let refused = proctor(&["run", "replay", "--base-url", &address]).run();
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        assert!(refused.stderr.contains("--base-url"), "{}", refused.stderr);
        assert!(!refused.stderr.contains(KEY), "{}", refused.stderr);
    }
    let unknown = proctor(&["run", "replay", &format!("--api-key={KEY}")]).run();
    assert_eq!(unknown.code, 2);
    assert!(!unknown.stderr.contains(KEY), "{}", unknown.stderr);
}
