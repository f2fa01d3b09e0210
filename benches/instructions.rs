//! Instructions per step of the driver, counted by callgrind: the same on every run,
//! where times are not. What it takes to make the session is counted apart and
//! taken off. Skipped where valgrind is absent.

#[path = "session/structural.rs"]
mod structural;

use std::io::Write;
use std::process::Command;

use proctor::price::PriceSheet;

const TURNS: [usize; 2] = [1_000, 10_000];
/// The first argument of the runs that are counted.
const COUNTED: &str = "counted";

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args.get(1).is_some_and(|first| first == COUNTED) {
        counted(&args[2], args[3].parse().expect("a number of turns"), args[4] == "drive");
        return;
    }
    say("instructions per step (callgrind, making the session taken off)");
    if Command::new("valgrind").arg("--version").output().is_err() {
        say("skipped: valgrind is not installed");
        return;
    }
    for (name, _) in structural::CELLS {
        let per_step = TURNS.map(|turns| {
            let steps = structural::session(turns).steps.len() as f64;
            let counts = ["drive", "set-up"].map(|what| count(name, turns, what));
            let [Some(whole), Some(set_up)] = counts else { return f64::NAN };
            let each = (whole - set_up) / steps;
            say(&format!("{name:28} {turns:6} turns {each:12.0} instructions/step"));
            each
        });
        let growth = per_step[1] / per_step[0];
        say(&format!("{name:28} {} against {} turns: x{growth:.3}", TURNS[1], TURNS[0]));
    }
}

/// The run that is counted: makes a session and drives it, or only makes it.
fn counted(name: &str, turns: usize, drives: bool) {
    let session = structural::session(turns);
    let (pipeline, sheet) = (structural::pipeline(name), PriceSheet::embedded());
    let cell = structural::CELLS.iter().find(|(known, _)| *known == name);
    let (_, window) = cell.expect("a known cell");
    if drives {
        std::hint::black_box(structural::run(&session, &pipeline, &sheet, *window));
    }
}

/// Instructions of one counted run.
fn count(name: &str, turns: usize, what: &str) -> Option<f64> {
    let own = std::env::current_exe().ok()?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/empty"])
        .arg(own)
        .args([COUNTED, name, &turns.to_string(), what])
        // One thread: making the fact book spins on others.
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .ok()?;
    let report = String::from_utf8_lossy(&output.stderr);
    let line = report.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}

fn say(line: &str) {
    // A closed pipe ends the report, nothing else.
    let _ = writeln!(std::io::stdout(), "{line}");
}
