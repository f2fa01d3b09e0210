//! Responses of servers, as they are read; the tables are files beside this one.

use crate::live::response::{AttemptResult, Failure, RetryAction, read};
use crate::prelude::*;

fn parsed(status: u16, body: &str) -> AttemptResult {
    read(status, Some("application/json"), None, Ok(body))
}

fn failed(result: AttemptResult) -> (FailureClass, String, RetryAction) {
    let Failure { class, message, action } = result.outcome.expect_err("a failure");
    (class, message, action)
}

/// The rows of a table.
fn rows<const COLUMNS: usize>(
    table: &'static str,
) -> impl Iterator<Item = [&'static str; COLUMNS]> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let columns: Vec<&str> = line.splitn(COLUMNS, '|').map(str::trim).collect();
        columns.try_into().unwrap_or_else(|_| panic!("{line}"))
    })
}

#[test]
fn answers_are_read_in_every_dialect() {
    for [message, finish, kind, text] in rows(include_str!("answers.txt")) {
        let body = format!(r#"{{"choices":[{{"message":{message},"finish_reason":{finish}}}]}}"#);
        let found = match parsed(200, &body).outcome {
            Ok(answer) => (answer.finish.name(), answer.text),
            Err(failure) => (failure.class.name(), failure.message),
        };
        assert_eq!(found, (kind, text.to_owned()), "{message} {finish}");
    }
}

#[test]
fn usage_is_read_in_every_dialect() {
    for [usage, expected] in rows(include_str!("usage.txt")) {
        let body = format!(r#"{{"choices":[{{"message":{{"content":"x"}}}}],"usage":{usage}}}"#);
        let found = parsed(200, &body).usage.map_or("none".to_owned(), |usage| {
            let cached = usage.cached.map_or("-".to_owned(), |cached| cached.to_string());
            format!("{} {} {cached}", usage.prompt, usage.completion)
        });
        assert_eq!(found, expected, "{usage}");
    }
}

#[test]
fn errors_are_read_in_every_dialect() {
    for [status, class, next, words, body] in rows(include_str!("errors.txt")) {
        let result = parsed(status.parse().expect("a status"), body);
        let (found, message, action) = failed(result);
        let found_next = match action {
            RetryAction::None => "-",
            RetryAction::Again { .. } | RetryAction::Unreachable => "+",
            RetryAction::Stop(_) => "!",
        };
        assert_eq!((found.name(), found_next), (class, next), "{status} {body}");
        assert!(message.contains(words), "{status} {body}: {message}");
    }
}

#[test]
fn bytes_that_are_no_utf8_are_no_answer_and_an_error_says_what_it_can() {
    let shown = r#"{"choices":[{"message":{"content":"a � b"}}]}"#;
    assert!(parsed(200, shown).outcome.is_ok());
    let (class, message, action) = failed(read(200, None, None, Err(shown)));
    assert_eq!((class, action), (FailureClass::Error, RetryAction::None));
    assert!(message.starts_with("HTTP 200 with bytes that are no UTF-8: {"), "{message}");
    let (_, message, _) = failed(read(400, None, None, Err("not � so")));
    assert!(message.contains("not � so"), "{message}");
}

#[test]
fn a_page_in_place_of_an_answer_is_an_error() {
    let page = "<html>\n  <h1>Welcome</h1> ".to_owned() + &"long ".repeat(1000);
    let page = read(200, Some("text/html; charset=utf-8"), None, Ok(&page));
    let (class, message, action) = failed(page);
    assert_eq!((class, action), (FailureClass::Error, RetryAction::None));
    assert!(message.contains("`text/html; charset=utf-8`"), "{message}");
    assert!(message.contains("Welcome") && message.chars().count() < 500, "{message}");
}

#[test]
fn a_rate_limit_says_how_long_it_lasts() {
    let after = Some(Duration::from_secs(7));
    let (.., action) = failed(read(429, None, after, Ok("")));
    assert_eq!(action, RetryAction::Again { after, everyone: true });
}
