//! Attempts against a socket: every way in which a connection can go wrong ends, in time
//! and classified. What a whole response means is `tests/response.rs`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use super::{endpoint, prompt};
use crate::live::http::{HttpTransport, Transport, body};
use crate::live::response::RetryAction;
use crate::live::{Endpoint, LimitKey, Omitted, Seconds, TimeOuts, canonical};
use crate::prelude::*;

/// Answers one connection.
fn serve(script: impl FnOnce(&mut TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        let Ok((mut stream, _)) = listener.accept() else { return };
        // A connection that is closed before the request was read would be reset.
        let mut lines = BufReader::new(&stream).lines();
        while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
        script(&mut stream);
    });
    url
}

fn writes(text: &'static str) -> String {
    serve(move |stream| drop(stream.write_all(text.as_bytes())))
}

/// Keeps the connection open without a word until the peer closes it.
fn keep_silent(stream: &mut TcpStream) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
    let _ = stream.read(&mut [0]);
}

#[test]
fn a_connection_that_goes_wrong_ends_classified() {
    let unused = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let nobody = format!("http://{}/v1", unused.local_addr().expect("an address"));
    drop(unused);
    let headers_then_silence = serve(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n");
        keep_silent(stream);
    });
    let drip = serve(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n");
        // Slow enough to be outlived by the time-out, fast enough never to look silent.
        while stream.write_all(b" ").is_ok() {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let half = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{";
    let greeting = "SSH-2.0-OpenSSH\r\n\r\n";
    use FailureClass::{Error, TimeOut};
    for (name, url, class, action, words) in [
        ("no body", headers_then_silence, TimeOut, RetryAction::None, "no byte"),
        ("a stream without an end", drip, TimeOut, RetryAction::None, "did not come to an end"),
        ("a reset in the body", writes(half), Error, RetryAction::SOON, "the connection broke"),
        ("a closed connection", writes(""), Error, RetryAction::SOON, "the connection broke"),
        ("no HTTP", writes(greeting), Error, RetryAction::SOON, "the connection broke"),
        ("nobody", nobody, Error, RetryAction::Unreachable, "no connection"),
    ] {
        let time_out =
            TimeOuts { connect: Seconds(2.0), first_byte: Seconds(0.4), total: Seconds(0.8) };
        let base_url = Some(url.parse().expect("an address"));
        let endpoint = Endpoint { base_url, time_out, ..endpoint() };
        let transport = HttpTransport::new(&endpoint).unwrap_or_else(|error| panic!("{error}"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let result = runtime.expect("a runtime").block_on(transport.attempt(b"{}".to_vec()));
        let failure = result.outcome.expect_err(name);
        assert!(failure.message.contains(words), "{name}: {}", failure.message);
        assert_eq!((failure.class, failure.action), (class, action), "{name}");
    }
}

#[test]
fn a_body_has_the_request_without_what_the_endpoint_refuses() {
    let terms = Endpoint { omit: [Omitted::Seed].into(), ..endpoint() }.terms().expect("sound");
    let request = canonical(&prompt("one"), &terms);
    let body = body(&request, &terms, LimitKey::MaxCompletionTokens);
    let expected = json!({
        "model": "m",
        "messages": [
            { "role": "system", "content": "summarize" },
            { "role": "user", "content": "one" },
        ],
        "max_completion_tokens": 100,
        "temperature": 0.0,
        "stream": false,
    });
    assert_eq!(serde_json::from_slice::<Value>(&body).expect("JSON"), expected);
}
