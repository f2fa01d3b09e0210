//! A model behind an endpoint, or behind the record of one.
//!
//! Cells are driven by threads, each of which waits here for the answers that it asked
//! for. One task of one further thread, the broker, makes the calls: only there are
//! sockets, clocks and money. Every call is in the cassette before its answer is used, so
//! that a run that is killed repeats none, and one that is replayed needs no network.
//!
//! What ends in a measurement and what ends the run is told apart: a model that refuses,
//! overflows, fails time and again or takes too long has answered in its way, and that is
//! recorded; a wrong key, a missing model, an unreachable server, an empty purse or a full
//! disk say nothing of the model, and stop the run ([`Live::stopped`]).

mod broker;
mod endpoint;
mod http;
mod key;
mod purse;
mod reading;
mod request;
mod shared;
mod value;
mod wait;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::{mpsc, oneshot};

use crate::cassette::{CanonicalRequest, Cassette, Outcome, Recorded, RequestKey};
use crate::error::Result;
use crate::summarize::Limits;
use crate::summarize::{Answer, Ask, AskError, FailureClass, Prompt, Reply};
use crate::unit::Tokens;
use broker::{Broker, Command, Job};
use http::Sender;
use shared::Shared;

pub use endpoint::{Backoff, Budget, Endpoint, LimitKey, Omitted, Price, Terms, TimeOuts};
pub use key::ApiKey;
pub use request::{canonical, tokens};
pub use shared::{CallRow, Stopped, Totals};
pub use value::{BaseUrl, Concurrency, Dollars, Positive, Seconds, Temperature};

/// A model that can be asked, with everything that was asked of it.
pub struct Live {
    handle: Handle,
    broker: Mutex<Option<JoinHandle<()>>>,
}

/// Who answers.
#[derive(Clone)]
enum Line {
    /// The broker, out of the cassette or from the model.
    Broker(mpsc::UnboundedSender<Command>),
    /// The cassette alone.
    Cassette,
}

impl Live {
    /// Starts a broker that asks the endpoint what the cassette does not hold, and records
    /// it there.
    ///
    /// # Errors
    ///
    /// As for [`Endpoint::terms`]; [`crate::error::Error::Invalid`] where there is no
    /// address or no client for it.
    pub fn start(endpoint: Endpoint, cassette: Cassette) -> Result<Live> {
        let terms = endpoint.terms()?;
        let sender = Sender::new(&endpoint)?;
        let shared = Arc::new(Shared::new(endpoint, terms, cassette));
        let (line, commands) = mpsc::unbounded_channel();
        let broker = broker::start(Broker::new(Arc::clone(&shared), sender), commands)?;
        let handle = Handle { shared, line: Line::Broker(line) };
        Ok(Live { handle, broker: Mutex::new(Some(broker)) })
    }

    /// Answers from the cassette alone. A request that it does not hold stops the run.
    ///
    /// # Errors
    ///
    /// As for [`Endpoint::terms`].
    pub fn replay(endpoint: Endpoint, cassette: Cassette) -> Result<Live> {
        let terms = endpoint.terms()?;
        let shared = Arc::new(Shared::new(endpoint, terms, cassette));
        let handle = Handle { shared, line: Line::Cassette };
        Ok(Live { handle, broker: Mutex::new(None) })
    }

    /// A summarizer that is answered here. Threads may use it, and copies of it, side by
    /// side.
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
        matches!(self.handle.line, Line::Cassette)
    }

    /// Why no further call is made, where none is. An answer that a thread was given before
    /// this says something is as good as any.
    pub fn stopped(&self) -> Option<&Stopped> {
        self.handle.shared.stopped()
    }

    /// How it gets on.
    pub fn totals(&self) -> Totals {
        *self.handle.shared.totals()
    }

    /// Every request that was put, by key.
    pub fn calls(&self) -> Vec<CallRow> {
        self.handle.shared.rows()
    }

    /// Hands out the requests that were put since the last time; one writer at a time.
    ///
    /// # Errors
    ///
    /// Those of `write`; then they are handed out again.
    pub fn new_calls(&self, write: impl FnOnce(&[CallRow]) -> Result<()>) -> Result<()> {
        self.handle.shared.hand_out(write)
    }

    /// Waits for the calls in flight, each within its time-outs, and ends the broker.
    pub fn close(&self) {
        self.handle.tell(Command::Close);
        let mut broker = self.broker.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(broker) = broker.take() {
            // OK to ignore: a broker that panicked is as ended as another.
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
    line: Line,
}

/// A request on its way.
struct Asked {
    key: RequestKey,
    prompt_tokens: u64,
    reply: Option<oneshot::Receiver<Recorded>>,
}

impl Handle {
    /// Makes no further call. Those in flight end and are recorded; told a second time,
    /// nothing waits for them.
    pub fn interrupt(&self) {
        match &self.line {
            Line::Broker(_) => self.tell(Command::Interrupt),
            Line::Cassette => self.shared.stop("it was interrupted".to_owned(), None),
        }
    }

    /// Why no further call is made, where none is.
    pub fn stopped(&self) -> Option<&Stopped> {
        self.shared.stopped()
    }

    /// How it gets on.
    pub fn totals(&self) -> Totals {
        *self.shared.totals()
    }

    /// The request that a prompt becomes, as it is sent and recorded.
    pub fn canonical(&self, prompt: &Prompt) -> CanonicalRequest {
        canonical(prompt, &self.shared.terms)
    }

    fn tell(&self, command: Command) {
        if let Line::Broker(line) = &self.line {
            // OK to ignore: a broker that has ended wants to know nothing.
            let _ = line.send(command);
        }
    }

    /// Puts a request; the answer is waited for once all of a batch are put.
    fn put(&self, prompt: &Prompt) -> Asked {
        let request = self.canonical(prompt);
        let key = request.key();
        let known = self.shared.known_prompt(&key);
        let prompt_tokens = known.unwrap_or_else(|| tokens(&request));
        let (reply, receiver) = oneshot::channel();
        match &self.line {
            Line::Broker(_) => {
                self.tell(Command::Ask(Job { key, request, prompt_tokens, reply }));
            }
            Line::Cassette => match self.shared.cassette.get(&key) {
                Some(recorded) => {
                    self.shared.totals().replayed += 1;
                    // OK to ignore: the receiver is at hand.
                    let _ = reply.send(recorded);
                }
                None => self.missing(&request),
            },
        }
        Asked { key, prompt_tokens, reply: Some(receiver) }
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
            request::told(request)
        );
        let remedy = "the recording was made with other inputs, or ended early: record what is \
                      missing with `--cassette FILE` and an endpoint";
        self.shared.stop(reason, Some(remedy.to_owned()));
    }

    fn wait(&self, asked: &mut Asked) -> Reply {
        let recorded = asked.reply.take().and_then(|reply| reply.blocking_recv().ok());
        let Some(recorded) = recorded else { return Err(self.unanswered()) };
        self.shared.note(asked.key, asked.prompt_tokens, &recorded);
        match recorded.outcome {
            Outcome::Answer { text, finish } => Ok(Answer { text, finish }),
            Outcome::Failure { class, message } => Err(AskError { class, message: message.into() }),
        }
    }

    fn unanswered(&self) -> AskError {
        let message = match self.shared.stopped() {
            Some(stopped) => Cow::Owned(format!("not asked: {}", stopped.reason)),
            None => Cow::Borrowed("not asked: the broker has ended"),
        };
        AskError { class: FailureClass::Error, message }
    }
}

/// Stands for `http` where no model and no recording is at hand.
#[derive(Clone, Copy, Debug)]
pub struct NoModel;

impl Ask for NoModel {
    fn name(&self) -> &'static str {
        "http"
    }

    fn window(&self) -> Tokens {
        Limits::WINDOW
    }

    fn max_output(&self) -> Tokens {
        Limits::MAX_OUTPUT
    }

    fn ask(&self, batch: &[Prompt]) -> Vec<Reply> {
        let message = || "no model is at hand, nor a recording of one".into();
        let error = || AskError { class: FailureClass::Error, message: message() };
        batch.iter().map(|_| Err(error())).collect()
    }
}

impl Ask for Handle {
    fn name(&self) -> &'static str {
        "http"
    }

    fn window(&self) -> Tokens {
        self.shared.terms.window
    }

    fn max_output(&self) -> Tokens {
        self.shared.terms.max_output
    }

    /// Blocks the thread until every prompt has an answer or has failed for good. Where
    /// the run is stopped meanwhile ([`Handle::stopped`]), what is missing is an error that
    /// is no measurement.
    fn ask(&self, batch: &[Prompt]) -> Vec<Reply> {
        let mut asked: Vec<Asked> = batch.iter().map(|prompt| self.put(prompt)).collect();
        asked.iter_mut().map(|asked| self.wait(asked)).collect()
    }
}

#[cfg(test)]
mod tests;
