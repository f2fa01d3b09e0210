//! What a program that does nothing costs a step, beside a stage of our own that does nothing. The
//! program is this file itself: it answers every question with `decline` and keeps the view.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

#[expect(dead_code, reason = "other benches drive other pipelines over these sessions")]
#[path = "session/structural.rs"]
mod structural;

use std::io::{BufRead, Write};
use std::time::Instant;

use proctor::drive::{Limits, Session, drive};
use proctor::pipeline::Pipeline;
use proctor::testkit::with_cell;
use proctor::unit::Tokens;
use structural::Knowledge;

const ROUNDS: usize = 5;

fn main() {
    if std::env::args().any(|word| word == "contestant") {
        return contestant();
    }
    println!(
        "{:>7} {:>9} {:>12} {:>12} {:>12}",
        "turns", "steps", "built-in µs", "program µs", "more µs"
    );
    for turns in [100, 1_000, 4_000] {
        let session = structural::session(turns, Knowledge::Facts);
        let own =
            least(&session, &pipeline("strategy.mask-tool-results = { keep-last = 1000000 }"));
        let program = least(&session, &pipeline(&external()));
        let steps = session.steps.len();
        println!("{turns:>7} {steps:>9} {own:>12.1} {program:>12.1} {:>12.1}", program - own);
    }
}

/// The least time of several drives, in microseconds a step.
fn least(session: &Session, pipeline: &Pipeline) -> f64 {
    let limits = Limits::new(Tokens::UNBOUNDED, Tokens(8_192));
    let ask = proctor::summarize::simple::Null::default();
    let times = (0..ROUNDS).map(|_| {
        let begun = Instant::now();
        with_cell(session, pipeline, limits, &ask, drive);
        begun.elapsed().as_secs_f64() * 1e6 / session.steps.len() as f64
    });
    times.fold(f64::INFINITY, f64::min)
}

fn pipeline(stage: &str) -> Pipeline {
    let text = format!(
        "name = 'idle'\nabout = ''\nsource = ''\nfidelity = 'baseline'\n[[stage]]\n{stage}\n\
         on.before-call = 'always'\n"
    );
    Pipeline::parse(proctor::strategy::shipped(), "idle.toml", &text)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn external() -> String {
    let own = std::env::current_exe().expect("a path");
    format!("strategy.external = {{ command = ['{}', 'contestant'] }}", own.display())
}

fn contestant() {
    let (input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    for line in input.lines() {
        let line = line.unwrap_or_default();
        let answer = match &line[..line.len().min(20)] {
            start if start.starts_with("{\"type\":\"hello\"") => {
                "{\"type\":\"hello\",\"protocol\":1,\"name\":\"idle\",\"version\":\"1\",\
                 \"level\":\"list\",\"keeps-view\":true}\n"
            }
            start if start.starts_with("{\"type\":\"reset\"") => "{\"type\":\"ready\"}\n",
            start if start.starts_with("{\"type\":\"evaluate\"") => "{\"type\":\"decline\"}\n",
            _ => return,
        };
        if output.write_all(answer.as_bytes()).and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}
