//! The server: a thread of its own, one task a connection, one thread a request that waits.

mod exchange;
mod guard;
mod route;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::thread::JoinHandle;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, oneshot};

use crate::model::Answers;
use crate::prelude::*;
use crate::token::Token;

/// How a server is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Port on 127.0.0.1; 0 takes any free one.
    pub port: u16,
    /// Models that are listed. The first stands where a request names none; other names are
    /// answered too.
    pub models: Vec<String>,
    /// Most bytes of a request's body.
    pub most_bytes: usize,
    /// Most connections at once; more wait.
    pub connections: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            port: 0,
            models: vec!["proctor".to_owned()],
            most_bytes: 64 << 20,
            connections: 512,
        }
    }
}

/// How long a client may take to send its headers.
const HEADERS_WITHIN: Duration = Duration::from_secs(30);

/// What the tasks of a server share.
struct Shared {
    config: Config,
    /// Who answers, by digest of the token.
    granted: Mutex<BTreeMap<u128, Granted>>,
}

/// A token and who answers its clients.
type Granted = (Token, Arc<dyn Answers>);

/// A model endpoint on loopback. It stops when it is dropped; calls in flight are cut off.
pub struct Server {
    shared: Arc<Shared>,
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Begins to listen. Nobody is let in before a token is granted. Fails where the port is taken.
    pub fn start(config: Config) -> Result<Server> {
        let place = format!("127.0.0.1:{}", config.port);
        let failed = |error: std::io::Error| {
            let hint = "port 0 takes any that is free";
            Error::refused(place.clone(), format!("failed to listen there: {error}"), hint)
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, config.port)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(failed)?;
        let shared = Arc::new(Shared { config, granted: Mutex::default() });
        let (stop, stopped) = oneshot::channel();
        let serving = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("serve".to_owned());
        let thread = thread.spawn(move || run(runtime, listener, serving, stopped));
        let thread = Some(thread.map_err(failed)?);
        Ok(Server { shared, address, stop: Some(stop), thread })
    }

    /// The base address of OpenAI's clients: `http://127.0.0.1:PORT/v1`.
    pub fn url(&self) -> String {
        format!("{}/v1", self.anthropic_url())
    }

    /// The base address of Anthropic's clients, which put `/v1` behind it themselves.
    pub fn anthropic_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Lets clients with this token in. A token that was granted before is answered anew.
    pub fn grant(&self, token: &Token, answers: Arc<dyn Answers>) {
        let digest = Token::digest(token.reveal());
        held(&self.shared.granted).insert(digest, (token.clone(), answers));
    }

    /// Lets them in no more. Requests that are being answered come to their end.
    pub fn revoke(&self, token: &Token) {
        held(&self.shared.granted).remove(&Token::digest(token.reveal()));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // OK to ignore: a thread that panicked serves no more, which is what is wanted.
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

fn run(
    runtime: Runtime,
    listener: TcpListener,
    shared: Arc<Shared>,
    stopped: oneshot::Receiver<()>,
) {
    runtime.block_on(async {
        tokio::select! {
            // An error says that the server was dropped, which is the same.
            _ = stopped => {}
            () = accept(listener, shared) => {}
        }
    });
    // Whoever answers may wait for something that never comes.
    runtime.shutdown_background();
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let free = Arc::new(Semaphore::new(shared.config.connections));
    loop {
        let Ok(permit) = Arc::clone(&free).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Too many open files, or a client that is gone: neither is mended at once.
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        // OK to ignore: it would only be slower.
        let _ = stream.set_nodelay(true);
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let service = service_fn(|request| {
                let shared = Arc::clone(&shared);
                async move { Ok::<_, Infallible>(exchange::respond(&shared, request).await) }
            });
            // OK to ignore: what breaks a connection is the client's affair.
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADERS_WITHIN)
                .serve_connection(TokioIo::new(stream), service)
                .await;
            drop(permit);
        });
    }
}
