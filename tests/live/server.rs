//! A server on loopback that does what a test tells it to, and remembers what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A request as it came in.
#[derive(Clone, Debug)]
pub struct Seen {
    /// When its last byte was read.
    pub at: Instant,
    /// The value of `authorization`, empty where there is none.
    pub authorization: String,
    /// The body.
    pub body: String,
}

impl Seen {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("requests are JSON")
    }
}

/// What the server does about a request.
#[derive(Clone, Debug)]
pub enum Act {
    /// Waits, then sends status, header lines and body, and keeps the connection.
    Whole { wait: Duration, status: u16, headers: Vec<String>, body: String },
    /// Sends this over and over, every so often, until the client has had enough.
    Endless { piece: Vec<u8>, every: Duration },
}

impl Act {
    /// A status and a body of JSON, at once.
    pub fn json(status: u16, body: &Value) -> Act {
        Act::typed(status, "application/json", body.to_string())
    }

    /// A status and a body of a type, at once.
    pub fn typed(status: u16, content_type: &str, body: impl Into<String>) -> Act {
        let headers = vec![format!("content-type: {content_type}")];
        Act::Whole { wait: Duration::ZERO, status, headers, body: body.into() }
    }

    /// An answer of a model.
    pub fn says(text: &str) -> Act {
        Act::json(
            200,
            &json!({
                "choices": [{ "message": { "role": "assistant", "content": text },
                              "finish_reason": "stop" }],
                "usage": { "prompt_tokens": 100, "completion_tokens": 10 },
            }),
        )
    }

    /// The same, after a while.
    pub fn after(self, later: Duration) -> Act {
        match self {
            Act::Whole { status, headers, body, .. } => {
                Act::Whole { wait: later, status, headers, body }
            }
            other => other,
        }
    }

    /// The same, with one more header line.
    pub fn with(self, header: &str) -> Act {
        match self {
            Act::Whole { wait, status, mut headers, body } => {
                headers.push(header.to_owned());
                Act::Whole { wait, status, headers, body }
            }
            other => other,
        }
    }
}

/// What to do about the request of this number, from 0.
type Script = dyn Fn(usize, &Seen) -> Act + Send + Sync;

struct Shared {
    seen: Mutex<Vec<Seen>>,
    script: Box<Script>,
    open: AtomicUsize,
    most_open: AtomicUsize,
    ended: AtomicBool,
}

/// The server; it ends when it is dropped.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Server {
    /// Listens on a free port.
    pub fn start(script: impl Fn(usize, &Seen) -> Act + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            seen: Mutex::default(),
            script: Box::new(script),
            open: AtomicUsize::new(0),
            most_open: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if accepting.ended.load(Ordering::SeqCst) {
                    return;
                }
                let shared = Arc::clone(&accepting);
                // A client that goes away in the middle is nothing to a server.
                std::thread::spawn(move || shared.converse(&stream).is_ok());
            }
        });
        Server { address, shared }
    }

    /// Its base URL.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// What it was asked so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Most requests that it had in hand at once.
    pub fn most_open(&self) -> usize {
        self.shared.most_open.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn converse(&self, stream: &TcpStream) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let mut reader = BufReader::new(stream.try_clone()?);
        while let Some(seen) = request(&mut reader)? {
            let open = self.open.fetch_add(1, Ordering::SeqCst) + 1;
            self.most_open.fetch_max(open, Ordering::SeqCst);
            let number = {
                let mut all = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
                all.push(seen.clone());
                all.len() - 1
            };
            let kept = act((self.script)(number, &seen), stream);
            self.open.fetch_sub(1, Ordering::SeqCst);
            if !kept? {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// The next request of a connection; none where it was closed.
fn request(reader: &mut BufReader<TcpStream>) -> std::io::Result<Option<Seen>> {
    let (mut length, mut authorization, mut line) = (0, String::new(), String::new());
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap_or(0),
            "authorization" => value.clone_into(&mut authorization),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body = String::from_utf8_lossy(&body).into_owned();
    Ok(Some(Seen { at: Instant::now(), authorization, body }))
}

/// Does it; whether the connection is kept.
fn act(act: Act, mut stream: &TcpStream) -> std::io::Result<bool> {
    match act {
        Act::Whole { wait, status, headers, body } => {
            std::thread::sleep(wait);
            let mut head = format!("HTTP/1.1 {status} Word\r\ncontent-length: {}\r\n", body.len());
            for header in headers {
                head.push_str(&format!("{header}\r\n"));
            }
            stream.write_all(format!("{head}\r\n{body}").as_bytes())?;
            Ok(true)
        }
        Act::Endless { piece, every } => {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
                        transfer-encoding: chunked\r\n\r\n";
            stream.write_all(head.as_bytes())?;
            loop {
                stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes())?;
                stream.write_all(&piece)?;
                stream.write_all(b"\r\n")?;
                std::thread::sleep(every);
            }
        }
    }
}
