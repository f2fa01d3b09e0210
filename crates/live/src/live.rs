//! A model behind an endpoint, or behind the record of one. The threads of the cells wait here
//! for one task, the broker: only there are sockets, clocks and money. A failure that says
//! something about the model is recorded; any other stops the run ([`Stopped`]).

mod api_key;
#[cfg(feature = "live")]
mod broker;
mod endpoint;
#[cfg(feature = "live")]
mod http;
mod request;
#[cfg(feature = "live")]
mod response;
mod shared;
#[cfg(feature = "live")]
mod spend;
mod value;
#[cfg(feature = "live")]
mod wait;

use std::fmt;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

use crate::cassette::{CanonicalRequest, Cassette, Outcome, Recorded};
use crate::prelude::*;
#[cfg(feature = "live")]
use broker::{Broker, Command, Job};
#[cfg(feature = "live")]
use http::{HttpTransport, Transport};
use shared::Shared;

pub use api_key::ApiKey;
pub use endpoint::{Backoff, Budget, Endpoint, LimitKey, Omitted, Price, Terms, TimeOuts};
pub use request::{canonical, tokens};
pub use shared::{CallRow, Totals};
pub use value::{BaseUrl, Concurrency, Dollars, Positive, Seconds, Temperature};

/// A model that can be asked, with everything that was asked of it.
pub struct Live {
    handle: Handle,
    broker: Mutex<Option<JoinHandle<()>>>,
}

/// Where answers come from.
#[derive(Clone)]
enum Source {
    /// The broker, out of the cassette or from the model.
    #[cfg(feature = "live")]
    Broker(tokio::sync::mpsc::UnboundedSender<Command>),
    /// The cassette alone.
    Cassette,
}

impl Live {
    /// Starts a broker that asks the endpoint what the cassette does not hold, and records
    /// it there. Errors as for [`Endpoint::terms`], and where there is no address.
    #[cfg(feature = "live")]
    pub fn start(endpoint: Endpoint, cassette: Cassette) -> Result<Live> {
        let transport = HttpTransport::new(&endpoint)?;
        Live::with_transport(endpoint, cassette, transport)
    }

    /// Always an error: this build can only replay.
    #[cfg(not(feature = "live"))]
    pub fn start(_: Endpoint, _: Cassette) -> Result<Live> {
        Err(refused(
            "base-url",
            "this build asks no model: it was made without the feature `live`",
            "`--replay FILE` answers from a cassette",
        ))
    }

    #[cfg(feature = "live")]
    fn with_transport(
        endpoint: Endpoint,
        cassette: Cassette,
        transport: impl Transport,
    ) -> Result<Live> {
        let shared = Shared::new(endpoint, cassette)?;
        let (sender, commands) = tokio::sync::mpsc::unbounded_channel();
        let broker = Broker::new(Arc::clone(&shared), transport, commands).spawn()?;
        let handle = Handle { shared, source: Source::Broker(sender) };
        Ok(Live { handle, broker: Mutex::new(Some(broker)) })
    }

    /// Answers from the cassette alone. A request that it does not hold stops the run. Errors
    /// as for [`Endpoint::terms`].
    pub fn replay(endpoint: Endpoint, cassette: Cassette) -> Result<Live> {
        let shared = Shared::new(endpoint, cassette)?;
        let handle = Handle { shared, source: Source::Cassette };
        Ok(Live { handle, broker: Mutex::new(None) })
    }

    /// A summarizer that is answered here; threads may share it.
    pub fn ask_handle(&self) -> Handle {
        self.handle.clone()
    }

    /// What of the endpoint decides answers.
    pub fn terms(&self) -> &Terms {
        &self.handle.shared.terms
    }

    /// The endpoint.
    pub fn endpoint(&self) -> &Endpoint {
        &self.handle.shared.endpoint
    }

    /// The cassette.
    pub fn cassette(&self) -> &Cassette {
        &self.handle.shared.cassette
    }

    /// Whether answers come from the cassette alone.
    pub fn is_replay(&self) -> bool {
        matches!(self.handle.source, Source::Cassette)
    }

    /// Why no further call starts, where none does.
    pub fn stopped(&self) -> Option<&Stopped> {
        self.handle.shared.stopped()
    }

    /// Its progress.
    pub fn totals(&self) -> Totals {
        *self.handle.shared.totals()
    }

    /// Every request that was asked, by key.
    pub fn calls(&self) -> Vec<CallRow> {
        self.handle.shared.rows()
    }

    /// Hands out the requests that were asked since the last time, to one writer at a time;
    /// where `write` fails, they are handed out again.
    pub fn new_calls(&self, write: impl FnOnce(&[CallRow]) -> Result<()>) -> Result<()> {
        self.handle.shared.hand_out(write)
    }

    /// Waits for the calls in flight, each within its time-outs, and ends the broker.
    pub fn close(&self) {
        #[cfg(feature = "live")]
        self.handle.send(Command::Close);
        if let Some(broker) = held(&self.broker).take() {
            // OK to ignore: a broker that panicked has stored why (see `Broker::drop`).
            let _ = broker.join();
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live").field("terms", self.terms()).finish_non_exhaustive()
    }
}

/// The summarizer `http`.
#[derive(Clone)]
pub struct Handle {
    shared: Arc<Shared>,
    source: Source,
}

/// A request whose answer is waited for.
struct Pending {
    prompt_tokens: u64,
    reply: Receiver<Recorded>,
}

impl Handle {
    /// Starts no further call. Those in flight are recorded; the second time, none is.
    pub fn interrupt(&self) {
        match &self.source {
            #[cfg(feature = "live")]
            Source::Broker(_) => self.send(Command::Interrupt),
            Source::Cassette => self.shared.stop(Stopped::new("it was interrupted")),
        }
    }

    /// Its progress.
    pub fn totals(&self) -> Totals {
        *self.shared.totals()
    }

    #[cfg(feature = "live")]
    fn send(&self, command: Command) {
        if let Source::Broker(sender) = &self.source {
            // OK to ignore: a broker that has ended needs no command. A job in it is dropped,
            // and whoever waits for it finds out.
            let _ = sender.send(command);
        }
    }

    /// Submits a request; the answer is waited for once all of a batch are submitted.
    fn submit(&self, prompt: &Prompt) -> Pending {
        let request = canonical(prompt, &self.shared.terms);
        let key = request.key();
        let known = self.shared.known_prompt(&key);
        let prompt_tokens = known.unwrap_or_else(|| tokens(&request));
        let (reply, receiver) = channel();
        match &self.source {
            #[cfg(feature = "live")]
            Source::Broker(_) => {
                self.send(Command::Ask(Job { key, request, prompt_tokens, reply }));
            }
            Source::Cassette => match self.shared.cassette.get(&key) {
                Some(recorded) => {
                    self.shared.totals().replayed += 1;
                    // OK to ignore: the receiver is returned below.
                    let _ = reply.send(recorded);
                }
                None => self.missing(&request),
            },
        }
        Pending { prompt_tokens, reply: receiver }
    }

    /// A replay cannot answer a request.
    fn missing(&self, request: &CanonicalRequest) {
        let cassette = &self.shared.cassette;
        let models: Vec<String> = cassette.models().into_iter().collect();
        let reason = format!(
            "`{}` ({} calls of {}) holds no answer to {}",
            cassette.path().display(),
            cassette.len(),
            if models.is_empty() { "no model".to_owned() } else { models.join(", ") },
            request::describe(request)
        );
        let remedy = "the recording was made with other inputs, or ended early: record what is \
                      missing with `--cassette FILE` and an endpoint";
        self.shared.stop(Stopped { reason, remedy: Some(remedy.to_owned()) });
    }

    fn wait(&self, pending: &Pending) -> Result<Reply, Stopped> {
        let Ok(recorded) = pending.reply.recv() else {
            let closed = || Stopped::new("the model was asked after its broker was closed");
            return Err(self.shared.stopped().cloned().unwrap_or_else(closed));
        };
        self.shared.note(pending.prompt_tokens, &recorded);
        Ok(match recorded.outcome {
            Outcome::Answer { text, finish } => Ok(Answer { text, finish }),
            Outcome::Failure { class, message } => Err(AskError { class, message: message.into() }),
        })
    }
}

impl Ask for Handle {
    fn limits(&self) -> Limits {
        let Terms { window, max_output, .. } = self.shared.terms;
        Limits { window: Some(window), max_output }
    }

    /// Blocks the thread until every prompt has an answer or has failed for good, or the
    /// run has stopped.
    fn ask(&self, batch: &[Prompt]) -> Result<Vec<Reply>, Stopped> {
        let pending: Vec<Pending> = batch.iter().map(|prompt| self.submit(prompt)).collect();
        // All are waited for, so that those answered before a stop are noted.
        let replies: Vec<_> = pending.into_iter().map(|pending| self.wait(&pending)).collect();
        replies.into_iter().collect()
    }
}

#[cfg(all(test, feature = "live"))]
mod tests;
