//! `proctor cassette`: joining and showing.

use std::fs;
use std::path::{Path, PathBuf};

use proctor::summarize::cassette::{
    CanonicalMessage, CanonicalRequest, Cassette, Contents, Outcome, Recorded, Usage,
};
use proctor::summarize::{FailureClass, Finish};

use crate::harness::{Outcome as Ended, proctor, work};

fn request(words: &str) -> CanonicalRequest {
    let text = words.to_owned();
    CanonicalRequest {
        model: "small".to_owned(),
        messages: vec![CanonicalMessage { role: proctor::log::Role::User, text }],
        max_tokens: 100,
        temperature: 0.0,
        seed: 1,
        replicate: 0,
    }
}

fn answered(text: &str, date: &str) -> Recorded {
    Recorded {
        key: request("").key(),
        model: "small".to_owned(),
        date: date.to_owned(),
        outcome: Outcome::Answer { text: text.to_owned(), finish: Finish::Stop },
        usage: Some(Usage { prompt: 1_000, completion: 20, cached: Some(640) }),
        latency_ms: 200,
        tries: 1,
    }
}

fn failed(class: FailureClass, date: &str) -> Recorded {
    let outcome = Outcome::Failure { class, message: "no".to_owned() };
    Recorded { outcome, usage: None, ..answered("", date) }
}

fn cassette(dir: &Path, name: &str, calls: &[(&str, Recorded)]) -> PathBuf {
    let path = dir.join(name);
    let cassette = Cassette::record(&path).expect("it opens");
    for (words, recorded) in calls {
        let recorded = Recorded { key: request(words).key(), ..recorded.clone() };
        cassette.put(recorded).expect("it is written");
    }
    path
}

fn merge(out: &Path, inputs: &[&PathBuf], flags: &[&str]) -> Ended {
    let line = proctor(&["cassette", "merge"]).args(flags).arg(out);
    inputs.iter().fold(line, |line, input| line.arg(input)).run()
}

#[test]
fn the_order_of_cassettes_changes_no_byte_of_what_they_are_merged_into() {
    let work = work();
    let dir = work.path();
    let monday = [("a", answered("one", "2026-02-02")), ("b", answered("two", "2026-02-02"))];
    let tuesday = [("c", answered("three", "2026-02-03")), ("b", answered("two", "2026-02-03"))];
    let monday = cassette(dir, "monday.jsonl", &monday);
    let tuesday = cassette(dir, "tuesday.jsonl", &tuesday);
    for end in ["jsonl", "jsonl.gz"] {
        let out = |name: &str| dir.join(format!("{name}.{end}"));
        merge(&out("one"), &[&monday, &tuesday], &[]).succeeds();
        merge(&out("two"), &[&tuesday, &monday, &monday], &[]).succeeds();
        let bytes = |name: &str| fs::read(out(name)).expect("it is there");
        assert_eq!(bytes("one"), bytes("two"));
        // What was merged merges to itself, whether it is compressed or not.
        merge(&out("again"), &[&out("one"), &out("one")], &[]).succeeds();
        assert_eq!(bytes("one"), bytes("again"));
        assert_eq!(Contents::read(&out("one")).expect("it reads").entries.len(), 3);
    }
    let again = merge(&dir.join("one.jsonl"), &[&monday], &[]);
    again.fails_with(3, "the file exists already");
}

#[test]
fn calls_that_differ_are_refused_by_name_or_settled_by_order() {
    let work = work();
    let dir = work.path();
    let one = cassette(dir, "one.jsonl", &[("a", answered("yes", "2026-02-02"))]);
    let two = cassette(dir, "two.jsonl", &[("a", answered("no", "2026-02-02"))]);
    let out = dir.join("out.jsonl");
    let refused = merge(&out, &[&one, &two], &[]);
    refused.fails_with(3, &request("a").key().to_string());
    refused.fails_with(3, "`--prefer-first`");
    assert!(!out.exists());
    merge(&out, &[&two, &one], &["--prefer-first"]).succeeds();
    assert_eq!(fs::read(&out).expect("it is there"), fs::read(&two).expect("it is there"));
}

#[test]
fn what_a_cassette_holds_is_shown() {
    let work = work();
    let calls = [
        ("a", failed(FailureClass::TimeOut, "2026-02-02")),
        ("a", answered("after all", "2026-02-03")),
        ("b", failed(FailureClass::TimeOut, "2026-02-03")),
        ("c", failed(FailureClass::Refusal, "2026-02-04")),
        ("d", Recorded { model: "evil\u{1b}[2J".to_owned(), ..answered("x", "2026-02-01") }),
    ];
    let path = cassette(work.path(), "calls.jsonl", &calls);
    let shown = proctor(&["cassette", "show"]).arg(&path).run();
    shown.succeeds();
    insta::assert_snapshot!("cassette_show", shown.stdout);
    let whole = fs::read(&path).expect("it reads");
    fs::write(&path, &whole[..whole.len() - 5]).expect("it is written");
    let shown = proctor(&["cassette", "show"]).arg(&path).run();
    shown.succeeds();
    assert!(shown.stderr.contains(":6: the line is cut off"), "{}", shown.stderr);
    let missing = proctor(&["cassette", "show"]).arg(&work.path().join("nothing.jsonl")).run();
    missing.fails_with(1, "nothing.jsonl");
}
