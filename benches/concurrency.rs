//! How near calls in flight come to the ideal, and whether a rate limit holds by the
//! server's own clock: `cargo bench --bench concurrency`. About two minutes, most of them
//! for the rate limit, whose period is a minute.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use proctor::log::{Role, Text};
use proctor::summarize::cassette::Cassette;
use proctor::summarize::live::{Concurrency, Endpoint, Live, Positive};
use proctor::summarize::{Ask, Prompt, PromptMessage, Segment};
use proctor::unit::Tokens;

use server::{Act, Server};

#[path = "../tests/live/server.rs"]
#[expect(dead_code, reason = "shared with the tests of live runs")]
mod server;

const CALLERS: usize = 64;
const EACH: usize = 10;
const LATENCY: Duration = Duration::from_millis(200);
/// Whatever else the machine does only lengthens a round: the best of several counts.
const ROUNDS: usize = 5;
/// Share of the ideal time that may be lost.
const LOSS: f64 = 0.10;

const PER_MINUTE: u64 = 600;
const LIMITED: usize = 1_000;
const PERIOD: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let throughput = throughput();
    let rate = rate();
    ExitCode::from(u8::from(!(throughput && rate)))
}

/// 64 callers, ten calls each, of a server that takes 200 ms: 2.0 s if nothing is lost.
fn throughput() -> bool {
    let ideal = LATENCY * EACH as u32;
    let over = |taken: Duration| taken.as_secs_f64() / ideal.as_secs_f64() - 1.0;
    // The first call of a process loads the tokenizer.
    ask_all(&Server::start(|_, _| Act::says("done")), None, 1);
    let rounds = (0..ROUNDS).map(|_| {
        let server = Server::start(|_, _| Act::says("done").after(LATENCY));
        let taken = ask_all(&server, None, CALLERS * EACH);
        say(&format!(
            "{} calls of {LATENCY:?} by {CALLERS} callers: {:.3} s, {:.1} % over the ideal {:.1} s; \
             most in flight {}",
            server.seen().len(),
            taken.as_secs_f64(),
            100.0 * over(taken),
            ideal.as_secs_f64(),
            server.most_open()
        ));
        taken
    });
    let best = rounds.min().unwrap_or(Duration::MAX);
    say(&format!("best round {:.1} % over (at most {:.0} %)", 100.0 * over(best), 100.0 * LOSS));
    over(best) <= LOSS
}

/// No sliding minute of the server's log holds more requests than are allowed.
fn rate() -> bool {
    let server = Server::start(|_, _| Act::says("done"));
    let taken = ask_all(&server, Some(PER_MINUTE), LIMITED);
    let mut times: Vec<Instant> = server.seen().into_iter().map(|seen| seen.at).collect();
    times.sort();
    let minutes = times
        .iter()
        .enumerate()
        .map(|(place, first)| times[place..].partition_point(|at| *at - *first < PERIOD));
    let most = minutes.max().unwrap_or(0);
    let ideal = LIMITED as f64 * 60.0 / PER_MINUTE as f64;
    say(&format!(
        "{LIMITED} calls at {PER_MINUTE} a minute: {:.1} s, evenly {ideal:.1} s; most requests in \
         a sliding minute {most}",
        taken.as_secs_f64()
    ));
    most as u64 <= PER_MINUTE
}

/// Has so many different prompts answered and says how long that took.
fn ask_all(server: &Server, per_minute: Option<u64>, calls: usize) -> Duration {
    let dir = tempfile::tempdir().expect("a directory");
    let cassette = Cassette::record(&dir.path().join("calls.jsonl")).expect("a cassette");
    let endpoint = Endpoint {
        base_url: Some(server.url().parse().expect("an address")),
        model: Some("small".to_owned()),
        concurrency: Concurrency(CALLERS),
        requests_per_minute: per_minute.map(Positive),
        ..Endpoint::default()
    };
    let live = Live::start(endpoint, cassette).expect("a broker");
    let began = Instant::now();
    std::thread::scope(|scope| {
        for caller in 0..CALLERS {
            let handle = live.ask_handle();
            scope.spawn(move || {
                for call in (caller..calls).step_by(CALLERS) {
                    let replies =
                        handle.ask(&[prompt(&format!("call {call}"))]).expect("it goes on");
                    assert!(replies.iter().all(Result::is_ok), "{replies:?}");
                }
            });
        }
    });
    began.elapsed()
}

fn prompt(words: &str) -> Prompt {
    let segments = vec![Segment { text: Text::from(words), material: true }];
    Prompt {
        system: None,
        messages: vec![PromptMessage { role: Role::User, segments }],
        max_tokens: Tokens(10),
        model: None,
        replicate: 0,
    }
}

fn say(line: &str) {
    // OK to ignore: nobody reads.
    let _ = writeln!(std::io::stdout(), "{line}");
}
