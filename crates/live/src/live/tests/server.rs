//! A scripted server on this machine: what it is sent is kept, what it says is the test's.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a request was: its head and its body.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) head: String,
    pub(super) body: String,
}

/// One response: the number of the request from 0, the request, and where to write.
type Script = dyn Fn(usize, &Request, &mut TcpStream) + Send + Sync;

pub(super) struct Server {
    pub(super) url: String,
    seen: Arc<Mutex<Vec<Request>>>,
    most: Arc<AtomicUsize>,
}

impl Server {
    pub(super) fn start(
        script: impl Fn(usize, &Request, &mut TcpStream) + Send + Sync + 'static,
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let seen: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (most, now) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let script: Arc<Script> = Arc::new(script);
        let (kept, peak) = (Arc::clone(&seen), Arc::clone(&most));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let (script, seen) = (Arc::clone(&script), Arc::clone(&kept));
                let (now, peak) = (Arc::clone(&now), Arc::clone(&peak));
                std::thread::spawn(move || {
                    let Some(request) = read(&stream) else { return };
                    peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    let number = {
                        let mut seen = seen.lock().expect("no script panics");
                        seen.push(request.clone());
                        seen.len() - 1
                    };
                    script(number, &request, &mut stream);
                    now.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Server { url, seen, most }
    }

    /// Answers every request with the same text.
    pub(super) fn saying(text: &'static str) -> Server {
        Server::start(move |_, _, stream| say(stream, text))
    }

    pub(super) fn seen(&self) -> Vec<Request> {
        self.seen.lock().expect("no script panics").clone()
    }

    /// Most requests that it worked on at once.
    pub(super) fn most_at_once(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let lower = line.to_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { head, body: String::from_utf8(body).ok()? })
}

/// A response of any kind. A peer that has gone away does not matter.
pub(super) fn respond(stream: &mut TcpStream, status: u16, headers: &str, body: &str) {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} Said\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n"
    );
    let _ = stream.write_all((head + body).as_bytes());
}

pub(super) const JSON: &str = "content-type: application/json\r\n";

/// A completion, as JSON.
pub(super) fn completion(text: &str) -> String {
    serde_json::json!({
        "choices": [{
            "message": { "role": "assistant", "content": text },
            "finish_reason": "stop",
        }],
        "usage": { "prompt_tokens": 1000, "completion_tokens": 10 },
    })
    .to_string()
}

pub(super) fn say(stream: &mut TcpStream, text: &str) {
    respond(stream, 200, JSON, &completion(text));
}

/// Keeps the connection open without a word until the peer closes it.
pub(super) fn keep_silent(stream: &mut TcpStream) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
    let _ = stream.read(&mut [0]);
}
