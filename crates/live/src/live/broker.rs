//! The one task that talks to the model: it joins equal requests, keeps to the rates and
//! the budget, repeats what may pass, and records every call before its answer is used.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use crate::cassette::{CanonicalRequest, Outcome, Recorded, RequestKey};
use crate::error::{Error, Result};
use crate::live::http::Sender;
use crate::live::purse::{Admission, Purse};
use crate::live::reading::{Came, Next, What};
use crate::live::request;
use crate::live::shared::Shared;
use crate::live::wait::{self, Pace};
use crate::summarize::FailureClass;

/// What the broker is told.
pub(super) enum Command {
    /// Have a request answered.
    Ask(Job),
    /// Make no further call; the second time, wait for none either.
    Interrupt,
    /// End, once the calls in flight are recorded.
    Close,
}

/// A request and who waits for what it comes to.
pub(super) struct Job {
    pub(super) key: RequestKey,
    pub(super) request: CanonicalRequest,
    pub(super) prompt_tokens: u64,
    /// Dropped where the run stops.
    pub(super) reply: oneshot::Sender<Recorded>,
}

/// A request that is not answered yet.
struct Call {
    request: CanonicalRequest,
    prompt_tokens: u64,
    waiting: Vec<oneshot::Sender<Recorded>>,
    tries: u32,
    began: Option<Instant>,
}

pub(super) struct Broker {
    shared: Arc<Shared>,
    sender: Sender,
    calls: FxHashMap<RequestKey, Call>,
    /// Calls that may be made as soon as there is room.
    ready: VecDeque<RequestKey>,
    /// Calls that wait for their next attempt.
    resting: BTreeSet<(Instant, RequestKey)>,
    attempts: JoinSet<(RequestKey, Came)>,
    recordings: JoinSet<(RequestKey, Recorded, Result<()>)>,
    requests: Option<Pace>,
    tokens: Option<Pace>,
    purse: Purse,
    /// No call begins before: a server that turned one away has said so.
    closed_until: Instant,
    /// Requests whose recorded failure was asked again.
    asked_again: FxHashSet<RequestKey>,
    closing: bool,
    /// Nobody is left who could say anything.
    alone: bool,
}

impl Broker {
    pub(super) fn new(shared: Arc<Shared>, sender: Sender) -> Broker {
        let (now, endpoint) = (Instant::now(), &shared.endpoint);
        let pace = |per_minute: u64| Pace::new(per_minute, now);
        Broker {
            requests: endpoint.requests_per_minute.map(|rate| pace(rate.0)),
            tokens: endpoint.tokens_per_minute.map(|rate| pace(rate.0)),
            purse: Purse::new(endpoint.price, endpoint.budget),
            closed_until: now,
            shared,
            sender,
            calls: FxHashMap::default(),
            ready: VecDeque::new(),
            resting: BTreeSet::new(),
            attempts: JoinSet::new(),
            recordings: JoinSet::new(),
            asked_again: FxHashSet::default(),
            closing: false,
            alone: false,
        }
    }

    /// Works until it is closed and nothing is in flight.
    pub(super) async fn run(mut self, mut commands: mpsc::UnboundedReceiver<Command>) {
        while !(self.closing && self.attempts.is_empty() && self.recordings.is_empty()) {
            let wake = self.begin_due();
            tokio::select! {
                command = commands.recv(), if !self.alone => match command {
                    Some(Command::Ask(job)) => self.ask(job),
                    Some(Command::Interrupt) => self.interrupt(),
                    Some(Command::Close) => self.close(),
                    None => {
                        self.alone = true;
                        self.close();
                    }
                },
                Some(ended) = self.attempts.join_next() => {
                    // An attempt that was aborted has nothing to say.
                    if let Ok((key, came)) = ended {
                        self.ended(key, &came);
                    }
                }
                Some(written) = self.recordings.join_next() => match written {
                    Ok((key, recorded, written)) => self.written(key, &recorded, &written),
                    Err(error) => self.stop(format!("recording failed: {error}"), None),
                },
                () = until(wake), if wake.is_some() => {}
                else => return,
            }
        }
    }

    fn ask(&mut self, job: Job) {
        if self.closing || self.shared.stopped().is_some() {
            return;
        }
        if let Some(call) = self.calls.get_mut(&job.key) {
            call.waiting.push(job.reply);
            return;
        }
        if let Some(recorded) = self.shared.cassette.get(&job.key) {
            let failed = matches!(recorded.outcome, Outcome::Failure { .. });
            let again = failed && self.shared.endpoint.retry_failures;
            if !again || self.asked_again.contains(&job.key) {
                self.shared.totals().replayed += 1;
                // OK to ignore: nobody waits any more.
                let _ = job.reply.send(recorded);
                return;
            }
        }
        let Job { key, request, prompt_tokens, reply } = job;
        let waiting = vec![reply];
        self.calls.insert(key, Call { request, prompt_tokens, waiting, tries: 0, began: None });
        self.ready.push_back(key);
    }

    fn interrupt(&mut self) {
        if self.shared.stopped().is_some() {
            self.attempts.abort_all();
            self.calls.clear();
        }
        self.stop("it was interrupted".to_owned(), None);
    }

    fn close(&mut self) {
        self.closing = true;
        self.drop_waiting();
    }

    /// Makes no further call. Those in flight may end: they are paid for. Whoever waits for
    /// an answer that will not come is told only after this is known everywhere, so that it
    /// is never taken for a failure of the model.
    fn stop(&mut self, reason: String, remedy: Option<String>) {
        self.shared.stop(reason, remedy);
        self.drop_waiting();
    }

    fn drop_waiting(&mut self) {
        let resting = std::mem::take(&mut self.resting).into_iter().map(|(_, key)| key);
        for key in resting.chain(std::mem::take(&mut self.ready)) {
            self.calls.remove(&key);
        }
    }

    /// Begins every attempt that may begin. Gives the moment at which there may be more to
    /// do although nothing has happened.
    fn begin_due(&mut self) -> Option<Instant> {
        if self.closing || self.shared.stopped().is_some() {
            return None;
        }
        let now = Instant::now();
        while self.resting.first().is_some_and(|(when, _)| *when <= now) {
            self.ready.extend(self.resting.pop_first().map(|(_, key)| key));
        }
        let rested = self.resting.first().map(|(when, _)| *when);
        while self.attempts.len() < self.shared.endpoint.concurrency.0 {
            let Some(key) = self.ready.front().copied() else { break };
            let paces = [&self.requests, &self.tokens].into_iter().flatten();
            let when = paces.map(Pace::next).fold(self.closed_until, Instant::max);
            if when > now {
                return Some(rested.map_or(when, |rested| rested.min(when)));
            }
            match self.purse.admit(self.most(&key), !self.attempts.is_empty()) {
                Admission::Yes => {
                    self.ready.pop_front();
                    self.begin(key, now);
                }
                Admission::Later => break,
                Admission::No(reason) => {
                    self.stop(reason, Some("raise it to go on".to_owned()));
                    return None;
                }
            }
        }
        rested
    }

    /// The most that an attempt costs.
    fn most(&self, key: &RequestKey) -> f64 {
        let most = |call: &Call| self.purse.most(call.prompt_tokens, call.request.max_tokens);
        self.calls.get(key).map_or(0.0, most)
    }

    fn begin(&mut self, key: RequestKey, now: Instant) {
        let most = self.most(&key);
        let Some(call) = self.calls.get_mut(&key) else { return };
        call.tries += 1;
        call.began.get_or_insert(now);
        {
            let mut totals = self.shared.totals();
            totals.calls += 1;
            totals.repeated += u64::from(call.tries > 1);
        }
        self.purse.hold(most);
        if let Some(pace) = &mut self.requests {
            pace.take(1, now);
        }
        if let Some(pace) = &mut self.tokens {
            pace.take(call.prompt_tokens + call.request.max_tokens, now);
        }
        let limit = self.shared.endpoint.limit_key;
        let body = request::body(&call.request, &self.shared.terms, limit);
        let sender = self.sender.clone();
        self.attempts.spawn(async move { (key, sender.attempt(body).await) });
    }

    /// An attempt has ended: the call is recorded, or made again, or everything stops.
    fn ended(&mut self, key: RequestKey, came: &Came) {
        let most = self.most(&key);
        let Some(call) = self.calls.get(&key) else { return };
        let (prompt, tries) = (call.prompt_tokens, call.tries);
        let usd = self.purse.settle(most, prompt, came.usage, came.worked);
        {
            let mut totals = self.shared.totals();
            totals.usd += usd;
            let counted = if came.worked { prompt } else { 0 };
            totals.prompt += came.usage.map_or(counted, |usage| usage.prompt);
            totals.completion += came.usage.map_or(0, |usage| usage.completion);
        }
        let (class, message, next) = match &came.what {
            What::Answer { text, finish } => {
                let outcome = Outcome::Answer { text: text.clone(), finish: *finish };
                return self.record(key, outcome, came);
            }
            What::Failed { class, message, next } => (*class, message, next),
        };
        let last = tries > u32::from(self.shared.endpoint.retries);
        let message = format!("{message}{}", attempts(tries));
        match next {
            Next::Stop(remedy) => {
                self.stop(message, Some((*remedy).to_owned()));
                self.calls.remove(&key);
            }
            Next::Unreached if last => {
                let address = self.shared.endpoint.base_url.as_ref().map_or("", |url| url.as_str());
                self.stop(format!("{message} (`{address}`)"), None);
                self.calls.remove(&key);
            }
            Next::Unreached => self.rest(key, None, false),
            Next::Again { after, everyone } if !last => self.rest(key, *after, *everyone),
            Next::Again { .. } | Next::Nothing => self.fail(key, class, message, came),
        }
    }

    /// Waits for the next attempt, unless no call is made any more.
    fn rest(&mut self, key: RequestKey, after: Option<Duration>, everyone: bool) {
        let Some(call) = self.calls.get(&key) else { return };
        if self.closing || self.shared.stopped().is_some() {
            self.calls.remove(&key);
            return;
        }
        let backoff = self.shared.endpoint.backoff;
        let when = Instant::now() + wait::before_next(backoff, call.tries, after, key);
        if everyone && after.is_some() {
            self.closed_until = self.closed_until.max(when);
        }
        self.resting.insert((when, key));
    }

    fn fail(&mut self, key: RequestKey, class: FailureClass, message: String, came: &Came) {
        self.record(key, Outcome::Failure { class, message }, came);
    }

    fn record(&mut self, key: RequestKey, outcome: Outcome, came: &Came) {
        let Some(call) = self.calls.get(&key) else { return };
        let latency = call.began.map_or(Duration::ZERO, |began| began.elapsed());
        let recorded = Recorded {
            model: call.request.model.clone(),
            date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
            outcome,
            usage: came.usage,
            latency_ms: u64::try_from(latency.as_millis()).unwrap_or(u64::MAX),
            tries: call.tries,
        };
        let shared = Arc::clone(&self.shared);
        self.recordings.spawn_blocking(move || {
            let written = shared.cassette.put(key, recorded.clone());
            (key, recorded, written)
        });
    }

    /// A call is on the disk, and may be used.
    fn written(&mut self, key: RequestKey, recorded: &Recorded, written: &Result<()>) {
        let Some(call) = self.calls.remove(&key) else { return };
        if let Err(error) = written {
            self.stop(error.to_string(), error.hint().map(str::to_owned));
            return;
        }
        self.asked_again.insert(key);
        {
            let mut totals = self.shared.totals();
            match recorded.outcome {
                Outcome::Answer { .. } => totals.answered += 1,
                Outcome::Failure { .. } => totals.failed += 1,
            }
        }
        for reply in call.waiting {
            // OK to ignore: nobody waits any more.
            let _ = reply.send(recorded.clone());
        }
    }
}

async fn until(when: Option<Instant>) {
    if let Some(when) = when {
        sleep_until(when).await;
    }
}

fn attempts(tries: u32) -> String {
    if tries > 1 { format!(" (after {tries} attempts)") } else { String::new() }
}

/// Runs a broker on a thread of its own.
pub(super) fn start(
    broker: Broker,
    commands: mpsc::UnboundedReceiver<Command>,
) -> Result<std::thread::JoinHandle<()>> {
    let failed = |source| Error::Io { action: "start", path: "the broker".into(), source };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(failed)?;
    let thread = std::thread::Builder::new().name("broker".to_owned());
    thread.spawn(move || runtime.block_on(broker.run(commands))).map_err(failed)
}
