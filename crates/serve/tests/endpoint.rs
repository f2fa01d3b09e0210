//! The endpoint over real connections: who is let in, what comes back, and what is cut off.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use proctor_serve::{
    Answers, Completion, Config, ModelRequest, Refusal, RefusalClass, Reply, Server, Token,
};
use serde_json::{Value, json};

const TOKEN: &str = "a-token";

/// A response as it came.
#[derive(Debug)]
struct Response {
    status: u16,
    headers: String,
    body: String,
}

impl Response {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    fn code(&self) -> Value {
        self.json()["error"]["code"].clone()
    }
}

struct Endpoint {
    server: Server,
}

impl Endpoint {
    fn start(answers: impl Answers + 'static) -> Endpoint {
        let config = Config { most_bytes: 10_000, ..Config::default() };
        let server = Server::start(config).expect("a free port");
        server.grant(&Token::new(TOKEN).expect("a token"), Arc::new(answers));
        Endpoint { server }
    }

    fn address(&self) -> SocketAddr {
        let url = self.server.anthropic_url();
        url["http://".len()..].parse().expect("an address")
    }

    /// Sends these bytes and reads until the server is done.
    fn raw(&self, request: &str) -> Response {
        let mut stream = TcpStream::connect(self.address()).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("it answers");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let (headers, body) = (head.to_lowercase(), body.to_owned());
        Response { status: status.expect("a status"), headers, body }
    }

    fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> Response {
        let length = body.len();
        self.raw(&format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Content-Length: {length}\r\n{headers}\r\n{body}"
        ))
    }

    fn post(&self, path: &str, body: &Value) -> Response {
        let headers = format!("Authorization: Bearer {TOKEN}\r\n");
        self.send("POST", path, &headers, &body.to_string())
    }

    fn get(&self, path: &str, headers: &str) -> Response {
        self.send("GET", path, &format!("x-api-key: {TOKEN}\r\n{headers}"), "")
    }
}

fn says(text: &'static str) -> impl Answers {
    move |request: ModelRequest| -> Reply { Ok(Completion::complete(&request, text)) }
}

fn refuses(class: RefusalClass) -> impl Answers {
    move |_: ModelRequest| -> Reply { Err(Refusal::new(class, "so it is")) }
}

fn chat() -> Value {
    json!({ "model": "m", "messages": [{ "role": "user", "content": "Hello." }] })
}

fn message() -> Value {
    json!({ "model": "m", "max_tokens": 9, "messages": [{ "role": "user", "content": "Hello." }] })
}

#[test]
fn a_client_without_a_valid_token_is_not_let_in() {
    let endpoint = Endpoint::start(says("hi"));
    let body = chat().to_string();
    for (headers, part) in [
        ("", "there is no token"),
        ("Authorization: Bearer wrong\r\n", "not valid"),
        ("Authorization: Basic a-token\r\n", "there is no token"),
        ("x-api-key: a-toke\r\n", "not valid"),
    ] {
        let response = endpoint.send("POST", "/v1/chat/completions", headers, &body);
        assert_eq!((response.status, response.code()), (401, json!("invalid_api_key")));
        assert!(response.body.contains(part), "{}", response.body);
        let response = endpoint.send("POST", "/v1/messages", headers, &body);
        assert_eq!(response.json()["error"]["type"], "authentication_error");
        assert_eq!((response.status, &response.json()["type"]), (401, &json!("error")));
    }
    let headers = "x-api-key: a-token\r\n";
    assert_eq!(endpoint.send("POST", "/v1/chat/completions", headers, &body).status, 200);
}

#[test]
fn a_name_that_is_not_loopback_is_not_answered() {
    let endpoint = Endpoint::start(says("hi"));
    let head = format!("Authorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n");
    for request in [
        format!("GET /v1/models HTTP/1.1\r\nHost: evil.example\r\n{head}"),
        format!("GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1.evil.example:80\r\n{head}"),
        format!("GET http://evil.example/v1/models HTTP/1.1\r\nHost: localhost\r\n{head}"),
        format!("GET /v1/models HTTP/1.0\r\n{head}"),
    ] {
        let response = endpoint.raw(&request);
        assert_eq!((response.status, response.code()), (403, json!("host_not_loopback")));
    }
    let own = format!("GET /v1/models HTTP/1.1\r\nHost: {}\r\n{head}", endpoint.address());
    assert_eq!(endpoint.raw(&own).status, 200);
}

#[test]
fn what_is_not_there_or_not_json_is_an_error_in_the_providers_shape() {
    let endpoint = Endpoint::start(says("hi"));
    let auth = format!("Authorization: Bearer {TOKEN}\r\n");
    for (method, path, body, status) in [
        ("POST", "/v1/nothing", "{}", 404),
        ("GET", "/v1/chat/completions", "", 405),
        ("POST", "/v1/embeddings", "{}", 501),
        ("POST", "/v1/chat/completions", "{", 400),
        ("POST", "/v1/chat/completions", "[]", 400),
        ("POST", "/v1/messages", "{}", 400),
    ] {
        let response = endpoint.send(method, path, &auth, body);
        assert_eq!(response.status, status, "{method} {path} {}", response.body);
        assert!(response.json()["error"]["message"].is_string(), "{}", response.body);
    }
    let deep = "[".repeat(5_000);
    assert_eq!(endpoint.send("POST", "/v1/responses", &auth, &deep).status, 400);
    let allowed = endpoint.send("PUT", "/v1/models", &auth, "");
    assert!(allowed.headers.contains("allow: get"), "{}", allowed.headers);
    let zipped = format!("{auth}Content-Encoding: gzip\r\n");
    assert_eq!(endpoint.send("POST", "/v1/messages", &zipped, "x").status, 415);
}

#[test]
fn a_body_above_the_limit_is_refused() {
    let endpoint = Endpoint::start(says("hi"));
    let long = json!({ "messages": [{ "role": "user", "content": "x".repeat(20_000) }] });
    let response = endpoint.post("/v1/chat/completions", &long);
    assert_eq!((response.status, response.code()), (413, json!("request_too_large")));
    let response = endpoint.post("/v1/messages", &long);
    assert_eq!(response.json()["error"]["type"], "request_too_large");
    let head = format!("Host: localhost\r\nx-api-key: {TOKEN}\r\nConnection: close\r\n");
    let announced =
        format!("POST /v1/messages HTTP/1.1\r\n{head}Content-Length: 99999999999\r\n\r\n");
    assert_eq!(endpoint.raw(&announced).status, 413);
}

#[test]
fn every_endpoint_answers_whole_and_as_a_stream() {
    let endpoint = Endpoint::start(says("Hello there."));
    let input = json!({ "model": "m", "input": "Hello." });
    for (path, body, place, last) in [
        ("/v1/chat/completions", chat(), "/choices/0/message/content", "[DONE]"),
        ("/v1/responses", input, "/output/0/content/0/text", "response.completed"),
        ("/v1/messages", message(), "/content/0/text", "message_stop"),
    ] {
        let whole = endpoint.post(path, &body);
        assert_eq!(whole.json().pointer(place), Some(&json!("Hello there.")), "{}", whole.body);
        assert_eq!(whole.json()["model"], "m");
        assert_eq!(endpoint.post(path, &body).body, whole.body, "equal calls have equal answers");
        let mut body = body;
        body["stream"] = true.into();
        let stream = endpoint.post(path, &body);
        assert!(stream.headers.contains("content-type: text/event-stream"), "{}", stream.headers);
        assert!(stream.body.contains("Hello there."), "{}", stream.body);
        assert!(stream.body.trim_end().lines().last().is_some_and(|line| line.contains(last)));
    }
    let count = endpoint.post("/v1/messages/count_tokens", &message());
    assert_eq!(count.json(), json!({ "input_tokens": 2 }));
}

#[test]
fn models_are_listed_in_the_shape_that_the_headers_ask_for() {
    let endpoint = Endpoint::start(says("hi"));
    let openai = endpoint.get("/v1/models", "").json();
    assert_eq!((&openai["object"], &openai["data"][0]["id"]), (&json!("list"), &json!("proctor")));
    let headers = "anthropic-version: 2023-06-01\r\n";
    let anthropic = endpoint.get("/v1/models", headers).json();
    assert_eq!(anthropic["first_id"], "proctor");
    assert_eq!(endpoint.get("/v1/models/proctor", "").json()["object"], "model");
    assert_eq!(endpoint.get("/v1/models/proctor", headers).json()["type"], "model");
    let unknown = endpoint.get("/v1/models/other", "");
    assert_eq!((unknown.status, unknown.code()), (404, json!("model_not_found")));
}

#[test]
fn every_refusal_has_its_status_also_where_a_stream_was_asked_for() {
    for (class, status) in [
        (RefusalClass::Overflow, 400),
        (RefusalClass::Spent, 429),
        (RefusalClass::Error, 500),
        (RefusalClass::Unavailable, 503),
        (RefusalClass::TimeOut, 504),
        (RefusalClass::Refusal, 200),
    ] {
        let endpoint = Endpoint::start(refuses(class));
        let mut streamed = message();
        streamed["stream"] = true.into();
        for (path, body) in [
            ("/v1/chat/completions", chat()),
            ("/v1/messages", message()),
            ("/v1/messages", streamed),
        ] {
            let response = endpoint.post(path, &body);
            assert_eq!(response.status, status, "{class:?} {path}");
            assert!(response.body.contains("so it is"), "{}", response.body);
        }
    }
    let refused = Endpoint::start(refuses(RefusalClass::Refusal)).post("/v1/messages", &message());
    assert_eq!(refused.json()["stop_reason"], "refusal");
}

#[test]
fn each_token_has_its_own_answers_until_it_is_revoked() {
    let endpoint = Endpoint::start(says("one"));
    let other = Token::random().expect("random numbers");
    let ask = |token: &str| {
        let headers = format!("Authorization: Bearer {token}\r\n");
        endpoint.send("POST", "/v1/chat/completions", &headers, &chat().to_string())
    };
    assert_eq!(ask(other.reveal()).status, 401);
    endpoint.server.grant(&other, Arc::new(says("other")));
    assert!(ask(other.reveal()).body.contains("\"other\""));
    assert!(ask(TOKEN).body.contains("\"one\""));
    endpoint.server.revoke(&other);
    assert_eq!((ask(other.reveal()).status, ask(TOKEN).status), (401, 200));
}

#[test]
fn answers_may_wait_for_another_thread_and_for_each_other() {
    let (sender, requests) = channel::<(ModelRequest, std::sync::mpsc::Sender<Reply>)>();
    let relayed = move |request: ModelRequest| -> Reply {
        let (reply, answered) = channel();
        sender.send((request, reply)).expect("somebody listens");
        answered.recv().expect("somebody answers")
    };
    let endpoint = Endpoint::start(relayed);
    std::thread::scope(|scope| {
        let asking: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| endpoint.post("/v1/messages", &message()).status))
            .collect();
        // All three are asked before the first has its answer.
        let waiting: Vec<_> = (0..3).map(|_| next(&requests)).collect();
        for (request, reply) in waiting {
            reply.send(Ok(Completion::complete(&request, "hi"))).expect("it waits");
        }
        for one in asking {
            assert_eq!(one.join().expect("it ends"), 200);
        }
    });
}

fn next<T>(requests: &Receiver<T>) -> T {
    requests.recv_timeout(Duration::from_secs(20)).expect("it is asked")
}

#[test]
fn a_server_ends_while_somebody_still_answers() {
    let (asked, begun) = channel();
    let endpoint = Endpoint::start(move |_: ModelRequest| -> Reply {
        asked.send(()).expect("the test listens");
        std::thread::sleep(Duration::from_secs(60));
        Err(Refusal::new(RefusalClass::Error, "too late"))
    });
    let address = endpoint.address();
    let mut stream = TcpStream::connect(address).expect("it listens");
    let body = message().to_string();
    let head =
        format!("Host: localhost\r\nx-api-key: {TOKEN}\r\nContent-Length: {}\r\n", body.len());
    let request = format!("POST /v1/messages HTTP/1.1\r\n{head}\r\n{body}");
    stream.write_all(request.as_bytes()).expect("it reads");
    begun.recv_timeout(Duration::from_secs(20)).expect("it is asked");
    let began = std::time::Instant::now();
    drop(endpoint);
    assert!(began.elapsed() < Duration::from_secs(20));
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn whoever_answers_may_panic() {
    let endpoint = Endpoint::start(|_: ModelRequest| -> Reply { panic!("of this test") });
    assert_eq!(endpoint.post("/v1/messages", &message()).status, 500);
    assert_eq!(endpoint.get("/v1/models", "").status, 200);
}

#[test]
fn a_port_that_is_taken_is_an_error() {
    let endpoint = Endpoint::start(says("hi"));
    let port = endpoint.address().port();
    let error = Server::start(Config { port, ..Config::default() }).expect_err("it is taken");
    assert!(error.to_string().starts_with(&format!("127.0.0.1:{port}: failed to listen")));
}
