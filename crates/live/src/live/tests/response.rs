//! Responses of servers, as they are read.

use std::time::Duration;

use crate::cassette::Usage;
use crate::live::response::{AttemptResult, ResponseOutcome, RetryAction, read};
use crate::summarize::{FailureClass, Finish};

fn parsed(status: u16, body: &str) -> AttemptResult {
    read(status, Some("application/json"), None, body.as_bytes())
}

#[test]
fn answers_are_read_in_every_dialect() {
    let choice = |message: &str, finish: &str| {
        format!(r#"{{"choices":[{{"message":{message},"finish_reason":{finish}}}]}}"#)
    };
    for (message, finish, text, expected) in [
        (r#"{"content":"done"}"#, r#""stop""#, "done", Finish::Stop),
        (r#"{"content":""}"#, r#""stop""#, "", Finish::Stop),
        (r#"{"content":null}"#, r#""stop""#, "", Finish::Stop),
        (r#"{"content":"cut"}"#, r#""length""#, "cut", Finish::Length),
        (r#"{"content":"cut"}"#, r#""max_tokens""#, "cut", Finish::Length),
        (r#"{"content":"x"}"#, "null", "x", Finish::Stop),
        (r#"{"content":"x"}"#, r#""end_turn""#, "x", Finish::Stop),
        (r#"{"content":null,"tool_calls":[{}]}"#, r#""tool_calls""#, "", Finish::ToolCall),
        (r#"{"content":null,"tool_calls":[{}]}"#, r#""stop""#, "", Finish::ToolCall),
        (r#"{"function_call":{"name":"f"}}"#, r#""function_call""#, "", Finish::ToolCall),
        (r#"{"content":"x","tool_calls":[]}"#, r#""stop""#, "x", Finish::Stop),
        (
            r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#,
            r#""stop""#,
            "ab",
            Finish::Stop,
        ),
        (r#"{"content":"x","refusal":null}"#, r#""stop""#, "x", Finish::Stop),
        (r#"{"content":"x","refusal":""}"#, r#""stop""#, "x", Finish::Stop),
    ] {
        let answer = ResponseOutcome::Answer { text: text.to_owned(), finish: expected };
        assert_eq!(parsed(200, &choice(message, finish)).outcome, answer, "{message} {finish}");
    }
    for (message, finish, class) in [
        (r#"{"content":null,"refusal":"I will not"}"#, r#""stop""#, FailureClass::Refusal),
        (r#"{"content":[{"type":"refusal","refusal":"no"}]}"#, r#""stop""#, FailureClass::Refusal),
        (r#"{"content":"half"}"#, r#""content_filter""#, FailureClass::Refusal),
        (r#"{}"#, r#""stop""#, FailureClass::Error),
        (r#"{"content":"half"}"#, r#""error""#, FailureClass::Error),
    ] {
        let ResponseOutcome::Failed { class: read, .. } =
            parsed(200, &choice(message, finish)).outcome
        else {
            panic!("{message} {finish} is taken for an answer");
        };
        assert_eq!(read, class, "{message} {finish}");
    }
}

#[test]
fn usage_is_read_in_every_dialect() {
    for (usage, expected) in [
        (r#"{"prompt_tokens":9,"completion_tokens":2}"#, Some((9, 2, None))),
        (
            r#"{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}"#,
            Some((9, 2, Some(4))),
        ),
        (
            r#"{"prompt_tokens":9,"completion_tokens":2,"prompt_cache_hit_tokens":5}"#,
            Some((9, 2, Some(5))),
        ),
        (
            r#"{"input_tokens":9,"output_tokens":2,"cache_read_input_tokens":5,"cache_creation_input_tokens":1}"#,
            Some((15, 2, Some(5))),
        ),
        (
            r#"{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":null}"#,
            Some((9, 2, None)),
        ),
        (r#"{"prompt_tokens":-9}"#, None),
        ("null", None),
        ("[]", None),
    ] {
        let body = format!(r#"{{"choices":[{{"message":{{"content":"x"}}}}],"usage":{usage}}}"#);
        let expected =
            expected.map(|(prompt, completion, cached)| Usage { prompt, completion, cached });
        assert_eq!(parsed(200, &body).usage, expected, "{usage}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn errors_are_read_in_every_dialect() {
    use FailureClass::{Error, Overflow, Refusal, TimeOut};
    // What may be done: `-` nothing, `+` ask again, `!` stop.
    for (status, body, class, next, said) in [
        (
            400,
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
            Overflow,
            '-',
            "8192",
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}"#,
            Overflow,
            '-',
            "available",
        ),
        (
            500,
            r#"{"error":{"code":500,"message":"x","type":"exceed_context_size_error"}}"#,
            Overflow,
            '-',
            "x",
        ),
        (
            400,
            r#"{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000","type":"BadRequestError","code":400}"#,
            Overflow,
            '-',
            "However",
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            Overflow,
            '-',
            "210000",
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"The input token count (9) exceeds the maximum number of tokens allowed (8).","status":"INVALID_ARGUMENT"}}]"#,
            Overflow,
            '-',
            "(9)",
        ),
        (
            413,
            r#"{"error":{"type":"request_too_large","message":"large"}}"#,
            Overflow,
            '-',
            "large",
        ),
        (
            200,
            r#"{"error":{"code":400,"message":"maximum context length is 10"}}"#,
            Overflow,
            '-',
            "10",
        ),
        (
            429,
            r#"{"error":{"message":"Request too large: tokens per min, please reduce the length of the messages","code":"rate_limit_exceeded"}}"#,
            Error,
            '+',
            "large",
        ),
        (429, r#"{"error":{"message":"pay","code":"insufficient_quota"}}"#, Error, '!', "pay"),
        (500, "oops", Error, '+', "HTTP 500: oops"),
        (503, "", Error, '+', "HTTP 503"),
        (
            529,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            Error,
            '+',
            "Overloaded",
        ),
        (504, "<html>gateway</html>", TimeOut, '+', "gateway"),
        (408, "", TimeOut, '+', "408"),
        (200, r#"{"error":{"code":502,"message":"upstream"}}"#, Error, '+', "upstream"),
        (200, r#"{"error":"something"}"#, Error, '-', "something"),
        (
            200,
            r#"{"choices":[{"error":{"code":429,"message":"slow down"}}]}"#,
            Error,
            '+',
            "slow down",
        ),
        (400, r#"{"detail":[{"msg":"field required"}]}"#, Error, '-', "field required"),
        (400, r#"{"error":{"message":"policy","code":"content_filter"}}"#, Refusal, '-', "policy"),
        (422, "no", Error, '-', "no"),
        (401, r#"{"error":{"message":"Incorrect API key"}}"#, Error, '!', "Incorrect"),
        (403, "", Error, '!', "403"),
        (402, "", Error, '!', "402"),
        (
            404,
            r#"{"error":{"message":"model `x` not found","code":"model_not_found"}}"#,
            Error,
            '!',
            "not found",
        ),
        (
            400,
            r#"{"error":{"message":"no such model","code":"model_not_found"}}"#,
            Error,
            '!',
            "no such",
        ),
        (302, "", Error, '!', "302"),
        (200, r#"{"choices":[]}"#, Error, '-', "no choices"),
        (200, "[1, 2]", Error, '-', "no choices"),
        (200, "", Error, '-', "empty body"),
        (200, r#"{"choices":[{"mess"#, Error, '-', "invalid JSON"),
    ] {
        let ResponseOutcome::Failed { class: read, message, action: then } =
            parsed(status, body).outcome
        else {
            panic!("{status} {body} is taken for an answer");
        };
        assert_eq!(read, class, "{status} {body}");
        assert!(message.contains(said), "{status} {body}: {message}");
        let then = match then {
            RetryAction::None => '-',
            RetryAction::Again { .. } | RetryAction::Unreachable => '+',
            RetryAction::Stop(_) => '!',
        };
        assert_eq!(then, next, "{status} {body}");
    }
}

#[test]
fn a_page_in_place_of_an_answer_is_an_error() {
    let page = "<html>\n  <h1>Welcome</h1> ".to_owned() + &"long ".repeat(1000);
    let read = read(200, Some("text/html; charset=utf-8"), None, page.as_bytes());
    let ResponseOutcome::Failed { class, message, action } = read.outcome else {
        panic!("it is an answer")
    };
    assert_eq!((class, action), (FailureClass::Error, RetryAction::None));
    assert!(message.contains("`text/html; charset=utf-8`"), "{message}");
    assert!(message.contains("Welcome") && message.chars().count() < 500, "{message}");
}

#[test]
fn a_rate_limit_says_how_long_it_lasts() {
    let after = Some(Duration::from_secs(7));
    let ResponseOutcome::Failed { action, .. } = read(429, None, after, b"").outcome else {
        panic!("an answer")
    };
    assert_eq!(action, RetryAction::Again { after, everyone: true });
}
