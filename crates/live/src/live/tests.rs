//! A model that answers, fails and lies, behind a socket of this machine.

mod reading;
mod server;

use std::path::Path;
use std::time::{Duration, Instant};

use super::*;
use crate::error::Error;
use crate::log::{Role, Text};
use crate::summarize::{Finish, PromptMessage, Segment};
use server::{JSON, Server, completion, keep_silent, respond, say};

fn prompt(text: &str) -> Prompt {
    let segments = vec![Segment { text: Text::from(text), material: true }];
    Prompt {
        system: Some("summarize".into()),
        messages: vec![PromptMessage { role: Role::User, segments }],
        max_tokens: Tokens(100),
        model: None,
        replicate: 0,
    }
}

/// Waits that a test can afford.
fn endpoint(url: &str) -> Endpoint {
    Endpoint {
        base_url: Some(url.parse().expect("an address")),
        model: Some("m".to_owned()),
        retries: 2,
        time_out: TimeOuts { connect: Seconds(2.0), first_byte: Seconds(0.4), total: Seconds(0.8) },
        backoff: Backoff { first: Seconds(0.01), longest: Seconds(0.2) },
        ..Endpoint::default()
    }
}

fn cassette(folder: &Path) -> Cassette {
    Cassette::record(&folder.join("c.jsonl")).unwrap_or_else(|error| panic!("{error}"))
}

fn started(endpoint: Endpoint, folder: &Path) -> Live {
    Live::start(endpoint, cassette(folder)).unwrap_or_else(|error| panic!("{error}"))
}

fn ask(live: &Live, text: &str) -> Reply {
    live.ask_handle().ask(&[prompt(text)]).remove(0)
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

#[test]
fn an_answer_is_recorded_and_found_again() {
    let (server, folder) = (Server::saying("short"), folder());
    let live = started(endpoint(&server.url), folder.path());
    for _ in 0..2 {
        let answer = ask(&live, "long").expect("an answer");
        assert_eq!((&*answer.text, answer.finish), ("short", Finish::Stop));
    }
    let seen = server.seen();
    assert_eq!(seen.len(), 1);
    assert!(seen[0].head.starts_with("POST /v1/chat/completions HTTP/1.1"), "{}", seen[0].head);
    assert!(seen[0].body.contains(r#""stream":false"#), "{}", seen[0].body);
    assert!(!seen[0].head.to_lowercase().contains("authorization"), "{}", seen[0].head);
    let calls = live.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!((calls[0].provider_prompt, calls[0].answer_tokens), (Some(1000), 1));
    let totals = live.totals();
    assert_eq!((totals.calls, totals.answered, totals.replayed), (1, 1, 1));
}

#[test]
fn a_replay_asks_nobody_and_says_what_is_missing() {
    let folder = folder();
    {
        let server = Server::saying("short");
        ask(&started(endpoint(&server.url), folder.path()), "long").expect("an answer");
    }
    let path = folder.path().join("c.jsonl");
    let replay = Cassette::replay(&path).unwrap_or_else(|error| panic!("{error}"));
    let nowhere = Endpoint { base_url: None, ..endpoint("http://127.0.0.1:1/v1") };
    let live = Live::replay(nowhere, replay).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(ask(&live, "long").expect("an answer").text, "short");
    assert!(live.stopped().is_none());
    ask(&live, "longer still").expect_err("nobody to ask");
    let reason = &live.stopped().expect("it stops").reason;
    let key = live.ask_handle().canonical(&prompt("longer still")).key().to_string();
    for word in [&*key, "`m`", "longer still", "100 to answer", "1 calls"] {
        assert!(reason.contains(word), "{word}: {reason}");
    }
}

/// Asks once; gives what failed, how many requests the server saw, and whether it stopped.
fn failing(server: &Server) -> (AskError, usize, Option<String>) {
    let folder = folder();
    let live = started(endpoint(&server.url), folder.path());
    let began = Instant::now();
    let error = ask(&live, "long").expect_err("a failure");
    assert!(began.elapsed() < Duration::from_secs(10), "time-outs hold");
    assert!(error.message.chars().count() < 700, "{}", error.message);
    let stopped = live.stopped().map(|stopped| stopped.reason.clone());
    if stopped.is_none() {
        let again = ask(&live, "long").expect_err("the same failure");
        assert_eq!(again, error, "a failure is recorded");
    }
    (error, server.seen().len(), stopped)
}

#[test]
fn what_a_model_does_wrong_is_a_measurement() {
    use FailureClass::{Error, Overflow, Refusal, TimeOut};
    let silent = || Server::start(|_, _, stream| keep_silent(stream));
    let with = |status, headers: &'static str, body: &'static str| {
        Server::start(move |_, _, stream| respond(stream, status, headers, body))
    };
    let raw = |text: &'static str| {
        Server::start(move |_, _, stream| {
            let _ = std::io::Write::write_all(stream, text.as_bytes());
        })
    };
    let headers_then_silence = Server::start(|_, _, stream| {
        let head = "HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n";
        let _ = std::io::Write::write_all(stream, head.as_bytes());
        keep_silent(stream);
    });
    let drip = Server::start(|_, _, stream| {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
        let _ = std::io::Write::write_all(stream, head.as_bytes());
        while std::io::Write::write_all(stream, b" ").is_ok() {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let flood = Server::start(|_, _, stream| {
        let _ = std::io::Write::write_all(stream, b"HTTP/1.1 200 OK\r\n\r\n");
        let block = vec![b' '; 1 << 20];
        while std::io::Write::write_all(stream, &block).is_ok() {}
    });
    let overflow = r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#;
    let refusal = r#"{"choices":[{"message":{"refusal":"no"},"finish_reason":"stop"}]}"#;
    let half =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{\"ch";
    for (name, server, class, seen, said) in [
        ("no byte", silent(), TimeOut, 1, "no byte"),
        ("no body", headers_then_silence, TimeOut, 1, "no byte"),
        ("a stream without an end", drip, TimeOut, 1, "did not come to an end"),
        ("500 every time", with(500, "", "boom"), Error, 3, "HTTP 500: boom (after 3 attempts)"),
        ("a reset in the body", raw(half), Error, 3, "(after 3 attempts)"),
        ("a closed connection", raw(""), Error, 3, "(after 3 attempts)"),
        ("no HTTP", raw("SSH-2.0-OpenSSH\r\n\r\n"), Error, 3, "the connection broke"),
        ("429 every time", with(429, "retry-after: 0\r\n", "wait"), Error, 3, "HTTP 429: wait"),
        ("invalid JSON", with(200, JSON, "{\"choices\": nope}"), Error, 1, "invalid JSON"),
        ("a page", with(200, "content-type: text/html\r\n", "<p>Hi"), Error, 1, "`text/html`"),
        ("an error in a 200", with(200, JSON, r#"{"error":"bad"}"#), Error, 1, "bad"),
        ("an overflow", with(400, JSON, overflow), Overflow, 1, "too long"),
        ("a refusal", with(200, JSON, refusal), Refusal, 1, "refused"),
        ("a bad request", with(400, JSON, r#"{"error":{"message":"odd"}}"#), Error, 1, "odd"),
    ] {
        let (error, asked, stopped) = failing(&server);
        assert_eq!((error.class, asked, stopped), (class, seen, None), "{name}: {error:?}");
        assert!(error.message.contains(said), "{name}: {}", error.message);
    }
    let (error, asked, stopped) = failing(&flood);
    assert_eq!((error.class, asked, stopped), (Error, 1, None), "{error:?}");
    assert!(error.message.contains("larger than 16 MiB"), "{}", error.message);
}

#[test]
fn what_says_nothing_of_the_model_stops_the_run() {
    for (status, body, said) in [
        (401, r#"{"error":{"message":"who are you"}}"#, "who are you"),
        (403, "", "HTTP 403"),
        (404, r#"{"error":{"message":"no such model","code":"model_not_found"}}"#, "no such model"),
        (307, "", "HTTP 307"),
    ] {
        let server = Server::start(move |_, _, stream| respond(stream, status, JSON, body));
        let (error, asked, stopped) = failing(&server);
        assert_eq!(asked, 1, "{status}");
        let reason = stopped.unwrap_or_else(|| panic!("{status} is a measurement: {error:?}"));
        assert!(reason.contains(said), "{reason}");
    }
}

#[test]
fn a_server_that_is_not_there_stops_the_run() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    drop(listener);
    let folder = folder();
    let live = started(endpoint(&url), folder.path());
    ask(&live, "long").expect_err("nobody is there");
    let reason = &live.stopped().expect("it stops").reason;
    assert!(reason.contains("no connection") && reason.contains("3 attempts"), "{reason}");
    assert!(reason.contains(&url) && live.cassette().is_empty(), "{reason}");
}

#[test]
fn a_call_that_fails_and_then_does_not_is_an_answer() {
    let server = Server::start(|number, _, stream| match number {
        0 => respond(stream, 503, "", "busy"),
        1 => respond(stream, 429, "retry-after: 0.05\r\n", "slower"),
        _ => say(stream, "at last"),
    });
    let folder = folder();
    let live = started(endpoint(&server.url), folder.path());
    assert_eq!(ask(&live, "long").expect("an answer").text, "at last");
    assert_eq!((live.calls()[0].tries, live.totals().repeated), (3, 2));
}

#[test]
fn equal_requests_in_flight_are_one_call() {
    let server = Server::start(|_, _, stream| {
        std::thread::sleep(Duration::from_millis(100));
        say(stream, "once");
    });
    let folder = folder();
    let live = started(endpoint(&server.url), folder.path());
    let handle = live.ask_handle();
    let batch = [prompt("a"), prompt("b"), prompt("a")];
    let texts: Vec<String> = std::thread::scope(|scope| {
        let ask = || handle.ask(&batch).into_iter().map(|reply| reply.expect("one").text);
        let threads: Vec<_> =
            (0..6).map(|_| scope.spawn(move || ask().collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    assert_eq!(texts, vec!["once"; 18]);
    assert_eq!(server.seen().len(), 2);
}

#[test]
fn no_more_calls_are_in_flight_than_may_be() {
    let server = Server::start(|_, _, stream| {
        std::thread::sleep(Duration::from_millis(30));
        say(stream, "x");
    });
    let folder = folder();
    let limited = Endpoint { concurrency: Concurrency(3), ..endpoint(&server.url) };
    let live = started(limited, folder.path());
    let batch: Vec<Prompt> = (0..12).map(|number| prompt(&format!("text {number}"))).collect();
    assert!(live.ask_handle().ask(&batch).iter().all(Result::is_ok));
    assert_eq!((server.seen().len(), server.most_at_once()), (12, 3));
}

#[test]
fn a_budget_stops_the_run_before_it_is_exceeded() {
    let price = Some(Price { input: Dollars(10.0), cached: None, out: Dollars(100.0) });
    for (budget, asked, said) in [
        (Budget { max_calls: Some(2), max_usd: None }, 2, "2 calls"),
        // A call costs 1000 × 10 + 10 × 100 dollars per million, and at most 100 × 100.
        (Budget { max_calls: None, max_usd: Some(Dollars(0.025)) }, 2, "$0.02"),
    ] {
        let (server, folder) = (Server::saying("x"), folder());
        let limited =
            Endpoint { price, budget, concurrency: Concurrency(1), ..endpoint(&server.url) };
        let live = started(limited, folder.path());
        let replies: Vec<bool> = (0..5).map(|n| ask(&live, &format!("t {n}")).is_ok()).collect();
        assert_eq!(replies, [true, true, false, false, false]);
        assert_eq!(server.seen().len(), asked);
        let reason = &live.stopped().expect("it stops").reason;
        assert!(reason.contains(said), "{reason}");
        assert!((live.totals().usd - 0.022).abs() < 1e-9, "{:?}", live.totals());
    }
}

#[test]
fn an_interrupt_lets_calls_in_flight_be_recorded() {
    let server = Server::start(|_, _, stream| {
        std::thread::sleep(Duration::from_millis(200));
        say(stream, "paid for");
    });
    let folder = folder();
    let limited = Endpoint { concurrency: Concurrency(1), ..endpoint(&server.url) };
    let live = started(limited, folder.path());
    let handle = live.ask_handle();
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| handle.ask(&[prompt("a"), prompt("b")]));
        while server.seen().is_empty() {
            std::thread::sleep(Duration::from_millis(5));
        }
        handle.interrupt();
        let replies = asking.join().expect("no panic");
        assert!(replies[0].is_ok() && replies[1].is_err(), "{replies:?}");
    });
    assert!(live.stopped().is_some());
    assert_eq!((server.seen().len(), live.cassette().len()), (1, 1));
}

#[test]
fn a_second_interrupt_waits_for_nothing() {
    let server = Server::start(|_, _, stream| keep_silent(stream));
    let folder = folder();
    let patient =
        TimeOuts { first_byte: Seconds(60.0), total: Seconds(60.0), ..TimeOuts::default() };
    let live = started(Endpoint { time_out: patient, ..endpoint(&server.url) }, folder.path());
    let handle = live.ask_handle();
    let began = Instant::now();
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| handle.ask(&[prompt("a")]));
        while server.seen().is_empty() {
            std::thread::sleep(Duration::from_millis(5));
        }
        handle.interrupt();
        handle.interrupt();
        asking.join().expect("no panic").remove(0).expect_err("nothing came");
    });
    live.close();
    assert!(began.elapsed() < Duration::from_secs(30) && live.cassette().is_empty());
}

#[test]
fn recorded_failures_are_asked_again_where_that_is_wanted() {
    let folder = folder();
    let server = Server::start(|number, _, stream| match number {
        0 => respond(stream, 400, JSON, r#"{"error":{"message":"odd"}}"#),
        _ => say(stream, "better"),
    });
    ask(&started(endpoint(&server.url), folder.path()), "long").expect_err("a failure");
    ask(&started(endpoint(&server.url), folder.path()), "long").expect_err("the same failure");
    assert_eq!(server.seen().len(), 1);
    let again = Endpoint { retry_failures: true, ..endpoint(&server.url) };
    let live = started(again, folder.path());
    assert_eq!(ask(&live, "long").expect("an answer").text, "better");
    assert_eq!(ask(&live, "long").expect("an answer").text, "better");
    assert_eq!(server.seen().len(), 2);
}

#[test]
fn the_key_is_sent_and_never_seen_again() {
    const KEY: &str = "sk-Very/Secret+Key=1";
    let folder = folder();
    // The server throws the key back in every way: in an answer, in an error, in a page.
    let server = Server::start(|number, request, stream| {
        let lines = request.head.lines();
        let header = lines.filter(|line| line.to_lowercase().starts_with("authorization"));
        let bearer = header.map(|line| line[15..].trim()).collect::<String>();
        let key = bearer.trim_start_matches("Bearer ").to_owned();
        let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &bearer);
        let escaped: String = key.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
        match number {
            0 => say(stream, &format!("{bearer} {encoded} {}", key.replace('/', "%2F"))),
            1 => {
                let body = completion("KEY").replace("KEY", &escaped);
                respond(stream, 200, JSON, &body);
            }
            2 => respond(stream, 400, "", &format!("bad {key} and {encoded}")),
            3 => respond(
                stream,
                200,
                "content-type: text/html\r\n",
                &format!("<p>{}{key}", "x".repeat(290)),
            ),
            _ => respond(stream, 401, JSON, &format!(r#"{{"error":{{"message":"{key}"}}}}"#)),
        }
    });
    let key = ApiKey::new(KEY, "here").unwrap_or_else(|error| panic!("{error}"));
    let live = started(Endpoint { key: Some(key), ..endpoint(&server.url) }, folder.path());
    let mut said: Vec<String> = (0..5)
        .map(|number| match ask(&live, &format!("text {number}")) {
            Ok(answer) => answer.text,
            Err(error) => error.message.into_owned(),
        })
        .collect();
    assert!(server.seen()[0].head.contains(KEY), "it is sent");
    said.push(live.stopped().map(|stopped| stopped.reason.clone()).unwrap_or_default());
    said.push(format!("{live:?} {:?}", live.calls()));
    said.push(std::fs::read_to_string(folder.path().join("c.jsonl")).expect("a cassette"));
    for text in &said {
        for piece in ["sk-Very", "Secret", "VmVyeS9TZWNyZXQ", "ktVmVyeS", "c2stVmVyeS9T", "Key=1"] {
            assert!(!text.contains(piece), "{piece}: {text}");
        }
    }
    assert!(said[0].contains("[key]") && said[1] == "[key]", "{said:?}");
}

#[test]
fn a_disk_that_fails_stops_the_run() {
    let (server, folder) = (Server::saying("x"), folder());
    let path = folder.path().join("c.jsonl");
    cassette(folder.path());
    // A cassette that only replays takes no record, as a full disk does not.
    let full = Cassette::replay(&path).unwrap_or_else(|error| panic!("{error}"));
    let live = Live::start(endpoint(&server.url), full).unwrap_or_else(|error| panic!("{error}"));
    ask(&live, "long").expect_err("an answer that is not recorded is not used");
    assert!(live.stopped().expect("it stops").reason.contains("c.jsonl"));
}

#[test]
fn an_endpoint_without_an_address_or_a_model_is_refused() {
    let folder = folder();
    let nowhere = Endpoint { base_url: None, ..endpoint("http://127.0.0.1:1/v1") };
    let Err(error) = Live::start(nowhere, cassette(folder.path())) else { panic!("it starts") };
    assert!(matches!(error, Error::Invalid { .. }) && error.to_string().contains("base-url"));
    let nobody = Endpoint { model: None, ..endpoint("http://127.0.0.1:1/v1") };
    let Err(error) = Live::start(nobody, cassette(folder.path())) else { panic!("it starts") };
    assert!(error.hint().is_some_and(|hint| hint.contains("--model")));
}
