//! What a program that does nothing costs a step, beside a stage of our own that does nothing. The
//! program is this file itself: it answers every question with `decline` and keeps the view.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

#[path = "session/callgrind.rs"]
mod callgrind;
#[expect(dead_code, reason = "other benches drive other pipelines over these sessions")]
#[path = "session/structural.rs"]
mod structural;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use proctor::drive::{Limits, Session, drive};
use proctor::pipeline::Pipeline;
use proctor::plan::Decision;
use proctor::strategy::{PlanContext, Strategy, shipped};
use proctor::testkit::with_cell;
use proctor::unit::Tokens;
use proctor::view::View;
use serde::{Deserialize, Serialize};
use structural::Knowledge;

const ROUNDS: usize = 5;
/// Lines that are sent to learn what the machine takes for one.
const EXCHANGES: u32 = 20_000;
const TURNS: [u32; 3] = [100, 1_000, 4_000];
const OWN: &str = "strategy.idle = {}";

/// Declines every time.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Idle {}

impl Strategy for Idle {
    fn plan(&self, _: &View, _: &PlanContext) -> Decision {
        Decision::decline("nothing to do")
    }
}

/// The first argument of the runs that are counted.
const COUNTED: &str = "counted";
/// The stage of a counted run that only makes the session.
const SET_UP: &str = "set-up";

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["contestant"] => return contestant(),
        [COUNTED, stage, turns] => return counted(stage, turns.parse().expect("a number")),
        _ => {}
    }
    println!(
        "A step, in microseconds; a line to the program and back, without Proctor: {:.1}",
        bare()
    );
    println!("{:>7} {:>9} {:>10} {:>10} {:>10}", "turns", "steps", "built-in", "program", "more");
    for turns in TURNS {
        let session = structural::session(turns, Knowledge::Facts);
        let [own, program] = [OWN, &external()].map(|stage| least(&session, &pipeline(stage)));
        let steps = session.steps.len();
        println!("{turns:>7} {steps:>9} {own:>10.1} {program:>10.1} {:>10.1}", program - own);
    }
    if !callgrind::is_here() {
        return println!("Instructions are not counted: valgrind is not installed.");
    }
    println!("A step, in instructions of Proctor itself");
    println!("{:>7} {:>9} {:>10} {:>10} {:>10}", "turns", "steps", "built-in", "program", "more");
    for turns in TURNS {
        let steps = structural::session(turns, Knowledge::Facts).steps.len();
        let count = |stage| callgrind::count(&[COUNTED, stage, &turns.to_string()]);
        let made = count(SET_UP);
        let [own, program] = ["own", "program"].map(|one| (count(one) - made) / steps as f64);
        println!("{turns:>7} {steps:>9} {own:>10.0} {program:>10.0} {:>10.0}", program - own);
    }
}

/// The run that is counted: makes a session, and drives it unless it is the set-up.
fn counted(stage: &str, turns: u32) {
    let session = structural::session(turns, Knowledge::Facts);
    if stage != SET_UP {
        let stage = if stage == "own" { OWN.to_owned() } else { external() };
        driven(&session, &pipeline(&stage));
    }
}

/// What the machine takes for a line of a question's length to the program and one back, in
/// microseconds.
fn bare() -> f64 {
    let own = std::env::current_exe().expect("a path");
    let mut child = Command::new(own)
        .arg("contestant")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this bench starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let line = format!("{{\"type\":\"evaluate\",\"view\":\"{}\"}}\n", "x".repeat(400));
    let begun = Instant::now();
    for _ in 0..EXCHANGES {
        input.write_all(line.as_bytes()).expect("it reads");
        output.read_line(&mut String::new()).expect("it answers");
    }
    let spent = begun.elapsed().as_secs_f64() * 1e6 / f64::from(EXCHANGES);
    drop(input);
    child.wait().expect("it ends");
    spent
}

/// The least time of several drives, in microseconds a step.
fn least(session: &Session, pipeline: &Pipeline) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let begun = Instant::now();
        driven(session, pipeline);
        begun.elapsed().as_secs_f64() * 1e6 / session.steps.len() as f64
    });
    times.fold(f64::INFINITY, f64::min)
}

fn driven(session: &Session, pipeline: &Pipeline) {
    let limits = Limits::new(Tokens::UNBOUNDED, Tokens(8_192));
    let ask = proctor::summarize::simple::Null::default();
    std::hint::black_box(with_cell(session, pipeline, limits, &ask, drive));
}

fn pipeline(stage: &str) -> Pipeline {
    let text = format!(
        "name = 'idle'\nabout = ''\nsource = ''\nfidelity = 'baseline'\n[[stage]]\n{stage}\n\
         on.before-call = 'always'\n"
    );
    let mut registry = shipped().clone();
    registry.add::<Idle>("idle", "", &[]);
    Pipeline::parse(&registry, "idle.toml", &text).unwrap_or_else(|error| panic!("{error}"))
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
