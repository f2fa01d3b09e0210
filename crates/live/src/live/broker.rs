//! The one task that talks to the model: it joins equal requests, keeps to the rates and
//! the budget, retries, and records every call before its answer is used.

use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;

use rustc_hash::{FxHashMap, FxHashSet};
use tokio::sync::mpsc;
use tokio::task::{Id, JoinSet};
use tokio::time::{Instant, sleep_until};

use crate::cassette::{CanonicalRequest, Outcome, Recorded, RequestKey, Usage};
use crate::live::http::{self, Transport};
use crate::live::response::{AttemptResult, Failure, RetryAction};
use crate::live::shared::Shared;
use crate::live::spend::{Admission, SpendLimiter};
use crate::live::value::Positive;
use crate::live::wait::{self, RateLimiter};
use crate::prelude::*;

/// What the asking threads send to the broker.
pub(super) enum Command {
    /// Have a request answered.
    Ask(Job),
    /// Start no further call; the second time, do not wait for any either.
    Interrupt,
    /// End, once the calls in flight are recorded.
    Close,
}

/// A request and who waits for its result.
pub(super) struct Job {
    pub(super) key: RequestKey,
    pub(super) request: CanonicalRequest,
    pub(super) prompt_tokens: u64,
    /// Dropped where the run stops.
    pub(super) reply: Sender<Recorded>,
}

/// A request that is not answered yet.
struct Call {
    request: CanonicalRequest,
    prompt_tokens: u64,
    /// The most that an attempt can cost.
    most: f64,
    waiters: Vec<Sender<Recorded>>,
    tries: u32,
    first_attempt: Option<Instant>,
}

impl Call {
    /// What an attempt used: as the provider says; else by our count, and where it may have worked
    /// on an answer that did not come, all that it might. `None` where it is not billed.
    fn used(&self, result: &AttemptResult) -> Option<Usage> {
        let counted = |completion| Usage { prompt: self.prompt_tokens, completion, cached: None };
        let answer = || match &result.outcome {
            Ok(answer) => Tokenizer::O200k.count(&answer.text).0,
            Err(_) => self.request.max_tokens,
        };
        result.usage.or_else(|| result.may_be_billed.then(|| counted(answer())))
    }
}

pub(super) struct Broker<T> {
    shared: Arc<Shared>,
    transport: T,
    commands: mpsc::UnboundedReceiver<Command>,
    calls: FxHashMap<RequestKey, Call>,
    /// Calls that may start as soon as there is room.
    ready: VecDeque<RequestKey>,
    /// Calls that wait for their next attempt.
    retries: BTreeSet<(Instant, RequestKey)>,
    attempts: JoinSet<AttemptResult>,
    /// By task: the call that it is an attempt of.
    in_flight: FxHashMap<Id, RequestKey>,
    recordings: JoinSet<(Recorded, Result<()>)>,
    requests: Option<RateLimiter>,
    tokens: Option<RateLimiter>,
    spend: SpendLimiter,
    /// No call starts before: a server that turned one away has said so.
    closed_until: Instant,
    /// Requests whose recorded failure was asked again.
    asked_again: FxHashSet<RequestKey>,
    closing: bool,
}

impl<T: Transport> Broker<T> {
    pub(super) fn new(
        shared: Arc<Shared>,
        transport: T,
        commands: mpsc::UnboundedReceiver<Command>,
    ) -> Broker<T> {
        let (now, endpoint) = (Instant::now(), &shared.endpoint);
        let limiter = |rate: Positive| RateLimiter::new(rate.0, now);
        Broker {
            requests: endpoint.requests_per_minute.map(limiter),
            tokens: endpoint.tokens_per_minute.map(limiter),
            spend: SpendLimiter::new(endpoint.price, endpoint.budget),
            closed_until: now,
            shared,
            transport,
            commands,
            calls: FxHashMap::default(),
            ready: VecDeque::new(),
            retries: BTreeSet::new(),
            attempts: JoinSet::new(),
            in_flight: FxHashMap::default(),
            recordings: JoinSet::new(),
            asked_again: FxHashSet::default(),
            closing: false,
        }
    }

    /// Runs a broker on a thread of its own.
    pub(super) fn spawn(self) -> Result<JoinHandle<()>> {
        let failed = |source| Error::io("start", Path::new("the broker"), source);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(failed)?;
        let thread = std::thread::Builder::new().name("broker".to_owned());
        thread.spawn(move || runtime.block_on(self.run())).map_err(failed)
    }

    /// Works until it is closed and nothing is in flight.
    async fn run(mut self) {
        while !(self.closing && self.attempts.is_empty() && self.recordings.is_empty()) {
            let wake = self.start_due();
            tokio::select! {
                Some(command) = self.commands.recv() => match command {
                    Command::Ask(job) => self.ask(job),
                    Command::Interrupt => self.interrupt(),
                    Command::Close => self.close(),
                },
                Some(ended) = self.attempts.join_next_with_id() => match ended {
                    Ok((task, result)) => self.attempt_ended(task, &result),
                    Err(error) => self.attempt_lost(error.id(), error.is_panic()),
                },
                Some(written) = self.recordings.join_next() => match written {
                    Ok((recorded, written)) => self.recorded(&recorded, written),
                    Err(error) => self.stop(Stopped::new(format!("recording failed: {error}"))),
                },
                () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {}
                else => return,
            }
        }
    }

    fn ask(&mut self, job: Job) {
        if self.is_ending() {
            return;
        }
        if let Some(call) = self.calls.get_mut(&job.key) {
            call.waiters.push(job.reply);
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
        let (waiters, most) =
            (vec![reply], self.spend.most_cost(prompt_tokens, request.max_tokens));
        let call = Call { request, prompt_tokens, most, waiters, tries: 0, first_attempt: None };
        self.calls.insert(key, call);
        self.ready.push_back(key);
    }

    fn is_ending(&self) -> bool {
        self.closing || self.shared.stopped().is_some()
    }

    fn interrupt(&mut self) {
        if self.shared.stopped().is_some() {
            self.attempts.abort_all();
            self.calls.clear();
        }
        self.stop(Stopped::new("it was interrupted"));
    }

    fn close(&mut self) {
        self.closing = true;
        self.drop_waiting();
    }

    /// Starts no further call; those in flight may end, as they are paid for. The reason is
    /// stored before any waiter is dropped, and so found by all.
    fn stop(&mut self, stopped: Stopped) {
        self.shared.stop(stopped);
        self.drop_waiting();
    }

    fn drop_waiting(&mut self) {
        let retries = std::mem::take(&mut self.retries).into_iter().map(|(_, key)| key);
        for key in retries.chain(std::mem::take(&mut self.ready)) {
            self.calls.remove(&key);
        }
    }

    /// Starts every attempt that may start, and says when there may be more to do although
    /// nothing has happened.
    fn start_due(&mut self) -> Option<Instant> {
        if self.is_ending() {
            return None;
        }
        let now = Instant::now();
        while self.retries.first().is_some_and(|(when, _)| *when <= now) {
            self.ready.extend(self.retries.pop_first().map(|(_, key)| key));
        }
        let next_retry = self.retries.first().map(|(when, _)| *when);
        while self.attempts.len() < self.shared.endpoint.concurrency.0 {
            let Some(key) = self.ready.front().copied() else { break };
            let limiters = [&self.requests, &self.tokens].into_iter().flatten();
            let when = limiters.map(RateLimiter::next).fold(self.closed_until, Instant::max);
            if when > now {
                return Some(next_retry.map_or(when, |retry| retry.min(when)));
            }
            let most = self.calls.get(&key).map_or(0.0, |call| call.most);
            match self.spend.admit(most, !self.attempts.is_empty()) {
                Admission::Yes => {
                    self.ready.pop_front();
                    self.start(key, now);
                }
                Admission::Later => break,
                Admission::No(reason) => {
                    let remedy = Some("raise it to go on".to_owned());
                    self.stop(Stopped { reason, remedy });
                    return None;
                }
            }
        }
        next_retry
    }

    fn start(&mut self, key: RequestKey, now: Instant) {
        let Some(call) = self.calls.get_mut(&key) else { return };
        call.tries += 1;
        call.first_attempt.get_or_insert(now);
        {
            let mut totals = self.shared.totals();
            totals.calls += 1;
            totals.repeated += u64::from(call.tries > 1);
        }
        self.spend.reserve(call.most);
        if let Some(limiter) = &mut self.requests {
            limiter.take(1, now);
        }
        if let Some(limiter) = &mut self.tokens {
            limiter.take(call.prompt_tokens + call.request.max_tokens, now);
        }
        let limit = self.shared.endpoint.limit_key;
        let body = http::body(&call.request, &self.shared.terms, limit);
        let transport = self.transport.clone();
        let task = self.attempts.spawn(async move { transport.attempt(body).await });
        self.in_flight.insert(task.id(), key);
    }

    /// An attempt has ended: the call is recorded, or retried, or everything stops.
    fn attempt_ended(&mut self, task: Id, result: &AttemptResult) {
        let Some(key) = self.in_flight.remove(&task) else { return };
        let Some(call) = self.calls.get(&key) else { return };
        let (used, tries) = (call.used(result), call.tries);
        let usd = self.spend.settle(call.most, used);
        {
            let mut totals = self.shared.totals();
            totals.usd += usd;
            totals.prompt = totals.prompt.saturating_add(used.map_or(0, |used| used.prompt));
            let completion = used.map_or(0, |used| used.completion);
            totals.completion = totals.completion.saturating_add(completion);
        }
        let Failure { class, message, action } = match &result.outcome {
            Ok(Answer { text, finish }) => {
                let outcome = Outcome::Answer { text: text.clone(), finish: *finish };
                return self.record(key, outcome, result);
            }
            Err(failure) => failure,
        };
        let last = tries > u32::from(self.shared.endpoint.retries);
        let message =
            if tries > 1 { format!("{message} (after {tries} attempts)") } else { message.clone() };
        match action {
            RetryAction::Stop(remedy) => {
                self.stop(Stopped { reason: message, remedy: Some((*remedy).to_owned()) });
                self.calls.remove(&key);
            }
            RetryAction::Unreachable if last => {
                let address = self.shared.endpoint.base_url.as_ref().map_or("", |url| url.as_str());
                self.stop(Stopped::new(format!("{message} (`{address}`)")));
                self.calls.remove(&key);
            }
            RetryAction::Unreachable => self.schedule_retry(key, None, false),
            RetryAction::Again { after, everyone } if !last => {
                self.schedule_retry(key, *after, *everyone);
            }
            RetryAction::Again { .. } | RetryAction::None => {
                self.record(key, Outcome::Failure { class: *class, message }, result);
            }
        }
    }

    /// An attempt has ended without a result: it was aborted, or panicked, a defect of ours.
    fn attempt_lost(&mut self, task: Id, panicked: bool) {
        let key = self.in_flight.remove(&task);
        if panicked {
            self.stop(Stopped::new("a call failed inside proctor (an internal error)"));
        }
        if let Some(key) = key {
            self.calls.remove(&key);
        }
    }

    /// Waits for the next attempt, unless no call starts any more.
    fn schedule_retry(&mut self, key: RequestKey, after: Option<Duration>, everyone: bool) {
        let Some(call) = self.calls.get(&key) else { return };
        if self.is_ending() {
            self.calls.remove(&key);
            return;
        }
        let backoff = self.shared.endpoint.backoff;
        let when = Instant::now() + wait::retry_delay(backoff, call.tries, after, key);
        if everyone && after.is_some() {
            self.closed_until = self.closed_until.max(when);
        }
        self.retries.insert((when, key));
    }

    fn record(&mut self, key: RequestKey, outcome: Outcome, result: &AttemptResult) {
        let Some(call) = self.calls.get(&key) else { return };
        let latency = call.first_attempt.map_or(Duration::ZERO, |first| first.elapsed());
        let recorded = Recorded {
            key,
            model: call.request.model.clone(),
            date: chrono::Utc::now().format("%Y-%m-%d").to_string(),
            outcome,
            usage: result.usage,
            latency_ms: u64::try_from(latency.as_millis()).unwrap_or(u64::MAX),
            tries: call.tries,
        };
        let shared = Arc::clone(&self.shared);
        self.recordings.spawn_blocking(move || {
            let written = shared.cassette.put(recorded.clone());
            (recorded, written)
        });
    }

    /// A call is on the disk, and may be used.
    fn recorded(&mut self, recorded: &Recorded, written: Result<()>) {
        let Some(call) = self.calls.remove(&recorded.key) else { return };
        if let Err(error) = written {
            let remedy = error.hint().map(str::to_owned);
            self.stop(Stopped { reason: error.to_string(), remedy });
            return;
        }
        self.asked_again.insert(recorded.key);
        {
            let mut totals = self.shared.totals();
            match recorded.outcome {
                Outcome::Answer { .. } => totals.answered += 1,
                Outcome::Failure { .. } => totals.failed += 1,
            }
        }
        for waiter in call.waiters {
            // OK to ignore: nobody waits any more.
            let _ = waiter.send(recorded.clone());
        }
    }
}

/// Whoever waits for a broker that panics finds that the run has stopped.
impl<T> Drop for Broker<T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.shared.stop(Stopped::new("the broker failed inside proctor (an internal error)"));
        }
    }
}
