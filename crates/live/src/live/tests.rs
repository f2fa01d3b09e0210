//! The broker with scripted attempts, and attempts against sockets of this machine.

mod http;
mod response;

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Semaphore;

use super::*;
use crate::cassette::Usage;
use crate::error::ExitCode;
use crate::live::response::{AttemptResult, RetryAction};

fn prompt(text: &str) -> Prompt {
    Prompt { system: Some("summarize".into()), ..Prompt::of_user([(text, true)], 100) }
}

/// Waits that a test can afford.
fn endpoint() -> Endpoint {
    Endpoint {
        base_url: Some("http://127.0.0.1:1/v1".parse().expect("an address")),
        model: Some("m".to_owned()),
        retries: 2,
        backoff: Backoff { first: Seconds(0.001), longest: Seconds(0.01) },
        ..Endpoint::default()
    }
}

fn cassette(folder: &Path) -> Cassette {
    Cassette::record(&folder.join("c.jsonl")).unwrap_or_else(|error| panic!("{error}"))
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

fn answer(text: &str) -> AttemptResult {
    AttemptResult {
        outcome: Ok(Answer::complete(text)),
        usage: Some(Usage { prompt: 1_000, completion: 10, cached: None }),
        may_be_billed: true,
    }
}

fn failure(action: RetryAction) -> AttemptResult {
    AttemptResult::failure(FailureClass::Error, "no luck", action)
}

/// The result of an attempt, by its number from 0.
type Script = dyn Fn(usize) -> AttemptResult + Send + Sync;

/// Attempts that a test scripts.
struct Scripted(Arc<Attempts>);

struct Attempts {
    script: Box<Script>,
    started: AtomicUsize,
    in_flight: AtomicUsize,
    /// Most in flight at once.
    most: AtomicUsize,
    /// One permit lets one attempt end.
    permits: Semaphore,
    /// Whether the broker panics when it starts an attempt.
    breaks_broker: bool,
}

impl Clone for Scripted {
    fn clone(&self) -> Scripted {
        assert!(!self.0.breaks_broker, "the broker copies it to start an attempt");
        Scripted(Arc::clone(&self.0))
    }
}

impl Scripted {
    fn new(script: impl Fn(usize) -> AttemptResult + Send + Sync + 'static) -> Scripted {
        Scripted::with(Box::new(script), 1 << 20, false)
    }

    /// No attempt ends before it is let through.
    fn held(script: impl Fn(usize) -> AttemptResult + Send + Sync + 'static) -> Scripted {
        Scripted::with(Box::new(script), 0, false)
    }

    fn with(script: Box<Script>, permits: usize, breaks_broker: bool) -> Scripted {
        let (started, in_flight, most) = Default::default();
        let permits = Semaphore::new(permits);
        Scripted(Arc::new(Attempts { script, started, in_flight, most, permits, breaks_broker }))
    }

    fn started(&self) -> usize {
        self.0.started.load(Ordering::SeqCst)
    }

    fn until_started(&self, attempts: usize) {
        while self.started() < attempts {
            std::thread::yield_now();
        }
    }

    /// Lets so many attempts end.
    fn release(&self, attempts: usize) {
        self.0.permits.add_permits(attempts);
    }

    fn live(&self, endpoint: Endpoint, folder: &Path) -> Live {
        started(endpoint, cassette(folder), Scripted(Arc::clone(&self.0)))
    }
}

fn started(endpoint: Endpoint, cassette: Cassette, scripted: Scripted) -> Live {
    let live = Live::with_transport(endpoint, cassette, scripted);
    live.unwrap_or_else(|error| panic!("{error}"))
}

impl Transport for Scripted {
    async fn attempt(&self, _: Vec<u8>) -> AttemptResult {
        let attempts = &self.0;
        let number = attempts.started.fetch_add(1, Ordering::SeqCst);
        let now = attempts.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
        attempts.most.fetch_max(now, Ordering::SeqCst);
        attempts.permits.acquire().await.expect("it stays open").forget();
        attempts.in_flight.fetch_sub(1, Ordering::SeqCst);
        (attempts.script)(number)
    }
}

fn ask(live: &Live, text: &str) -> Result<Reply, Stopped> {
    live.ask_handle().ask(&[prompt(text)]).map(|mut replies| replies.remove(0))
}

fn text(live: &Live, words: &str) -> String {
    ask(live, words).expect("no stop").expect("an answer").text
}

#[test]
fn an_answer_is_recorded_and_found_again() {
    let (scripted, folder) = (Scripted::new(|_| answer("short")), folder());
    let live = scripted.live(endpoint(), folder.path());
    assert_eq!([text(&live, "long"), text(&live, "long")], ["short", "short"]);
    assert_eq!(scripted.started(), 1);
    let calls = live.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!((calls[0].provider_prompt, calls[0].answer_tokens), (Some(1000), 1));
    let totals = live.totals();
    assert_eq!((totals.calls, totals.answered, totals.replayed), (1, 1, 1));
    let mut written = 0;
    for _ in 0..2 {
        live.new_calls(|rows| {
            written += rows.len();
            Ok(())
        })
        .expect("it is written");
    }
    assert_eq!(written, 1, "a row is handed out once");
}

#[test]
fn a_failed_attempt_is_retried_and_the_last_one_recorded() {
    let folder = folder();
    let scripted = Scripted::new(|number| match number {
        2 => answer("at last"),
        _ => failure(RetryAction::SOON),
    });
    let live = scripted.live(endpoint(), folder.path());
    assert_eq!(text(&live, "long"), "at last");
    assert_eq!((live.calls()[0].tries, live.totals().repeated), (3, 2));
    let failed = || ask(&live, "longer").expect("no stop").expect_err("a failure");
    assert_eq!(failed().message, "no luck (after 3 attempts)");
    assert_eq!(failed(), failed(), "a failure is recorded");
    assert_eq!((scripted.started(), live.stopped()), (6, None));
}

#[test]
fn what_is_no_measurement_stops_the_run() {
    for (action, attempts) in [(RetryAction::Stop("pay first"), 1), (RetryAction::Unreachable, 3)] {
        let (scripted, folder) = (Scripted::new(move |_| failure(action.clone())), folder());
        let live = scripted.live(endpoint(), folder.path());
        let stopped = ask(&live, "long").expect_err("it stops");
        assert_eq!((scripted.started(), Some(&stopped)), (attempts, live.stopped()));
        assert!(stopped.reason.contains("no luck") && live.cassette().is_empty(), "{stopped}");
    }
}

/// A defect of ours is not an answer of the model: nobody waits for ever, nothing is
/// recorded, and the process ends with the exit code of a run that stopped.
#[test]
fn a_panic_in_an_attempt_or_in_the_broker_stops_the_run() {
    let attempt = Scripted::held(|_| panic!("in the attempt"));
    let broker = Scripted::with(Box::new(|_| answer("never")), 0, true);
    for (scripted, reason) in [(attempt, "a call failed inside"), (broker, "the broker failed")] {
        let folder = folder();
        let live = scripted.live(endpoint(), folder.path());
        let handle = live.ask_handle();
        std::thread::scope(|scope| {
            let asking: Vec<_> = (0..3)
                .map(|number| {
                    let handle = &handle;
                    scope.spawn(move || handle.ask(&[prompt("a"), prompt(&format!("b {number}"))]))
                })
                .collect();
            scripted.release(4);
            for thread in asking {
                let stopped = thread.join().expect("no panic here").expect_err("it stops");
                assert!(stopped.reason.starts_with(reason), "{stopped}");
                assert_eq!(Error::from(stopped).exit_code(), ExitCode::STOPPED);
            }
        });
        assert!(ask(&live, "later").is_err(), "no later call is waited for either");
        assert!(live.stopped().is_some() && live.cassette().is_empty());
    }
}

#[test]
fn equal_requests_in_flight_are_one_call_and_no_more_are_than_may_be() {
    let (scripted, folder) = (Scripted::held(|_| answer("once")), folder());
    let live = scripted.live(Endpoint { concurrency: Concurrency(3), ..endpoint() }, folder.path());
    let handle = live.ask_handle();
    let batch: Vec<Prompt> =
        (0..24).map(|number| prompt(&format!("text {}", number % 12))).collect();
    std::thread::scope(|scope| {
        let asking: Vec<_> = (0..4).map(|_| scope.spawn(|| handle.ask(&batch))).collect();
        scripted.until_started(3);
        scripted.release(12);
        for thread in asking {
            let replies = thread.join().expect("no panic").expect("no stop");
            assert!(replies.into_iter().all(|reply| reply.expect("an answer").text == "once"));
        }
    });
    assert_eq!((scripted.started(), scripted.0.most.load(Ordering::SeqCst)), (12, 3));
}

#[test]
fn a_budget_stops_the_run_before_it_is_exceeded() {
    let price = Some(Price { input: Dollars(10.0), cached: None, out: Dollars(100.0) });
    for (budget, words) in [
        (Budget { max_calls: Some(2), max_usd: None }, "2 calls"),
        // A call costs 1000 × 10 + 10 × 100 dollars per million, and at most 100 × 100.
        (Budget { max_calls: None, max_usd: Some(Dollars(0.025)) }, "$0.02"),
    ] {
        let (scripted, folder) = (Scripted::new(|_| answer("x")), folder());
        let limited = Endpoint { price, budget, concurrency: Concurrency(1), ..endpoint() };
        let live = scripted.live(limited, folder.path());
        let replies: Vec<bool> = (0..5).map(|n| ask(&live, &format!("t {n}")).is_ok()).collect();
        assert_eq!(replies, [true, true, false, false, false]);
        assert_eq!(scripted.started(), 2);
        let reason = &live.stopped().expect("it stops").reason;
        assert!(reason.contains(words), "{reason}");
        assert!((live.totals().usd - 0.022).abs() < 1e-9, "{:?}", live.totals());
    }
}

#[test]
fn an_interrupt_lets_calls_in_flight_be_recorded_and_a_second_one_does_not() {
    for interrupts in [1, 2] {
        let (scripted, folder) = (Scripted::held(|_| answer("paid for")), folder());
        let limited = Endpoint { concurrency: Concurrency(1), ..endpoint() };
        let live = scripted.live(limited, folder.path());
        let handle = live.ask_handle();
        std::thread::scope(|scope| {
            let asking = scope.spawn(|| handle.ask(&[prompt("a"), prompt("b")]));
            scripted.until_started(1);
            (0..interrupts).for_each(|_| handle.interrupt());
            if interrupts == 1 {
                scripted.release(1);
            }
            let stopped = asking.join().expect("no panic").expect_err("it stops");
            assert_eq!(stopped.reason, "it was interrupted");
        });
        live.close();
        assert_eq!((scripted.started(), live.cassette().len()), (1, 2 - interrupts));
    }
}

#[test]
fn a_disk_that_fails_stops_the_run() {
    let folder = folder();
    let path = folder.path().join("c.jsonl");
    cassette(folder.path());
    // A cassette that only replays takes no record, as a full disk does not.
    let full = Cassette::replay(&path).unwrap_or_else(|error| panic!("{error}"));
    let live = started(endpoint(), full, Scripted::new(|_| answer("x")));
    let stopped = ask(&live, "long").expect_err("an answer that is not recorded is not used");
    assert!(stopped.reason.contains("c.jsonl"), "{stopped}");
}

#[test]
fn an_endpoint_without_an_address_is_refused() {
    let folder = folder();
    let nowhere = Endpoint { base_url: None, ..endpoint() };
    let Err(error) = Live::start(nowhere, cassette(folder.path())) else { panic!("it starts") };
    assert!(matches!(error, Error::Invalid { .. }) && error.to_string().contains("base-url"));
}
