//! Instructions per step of the driver, counted by callgrind. What it takes to make the session is counted apart and
//! taken off. Skipped where valgrind is absent. With `--write` the table goes into
//! ARCHITECTURE.md.

#[path = "session/callgrind.rs"]
mod callgrind;
#[path = "session/structural.rs"]
mod structural;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use proctor::unit::Tokens;
use structural::Knowledge;

const TURNS: [u32; 2] = [1_000, 10_000];
/// The first argument of the runs that are counted.
const COUNTED: &str = "counted";
/// The cell of a counted run that only makes the session.
const SET_UP: &str = "set-up";
const BEGIN: &str = "<!-- instructions a step: begin -->\n";
const END: &str = "<!-- instructions a step: end -->";

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args.get(1).is_some_and(|first| first == COUNTED) {
        counted(&args[2], args[3].parse().expect("a number of turns"), &args[4]);
        return;
    }
    if !callgrind::is_here() {
        say("skipped: valgrind is not installed");
        return;
    }
    let table = table();
    say(&table);
    if args.iter().any(|arg| arg == "--write") {
        write(&table).expect("ARCHITECTURE.md is readable, has the markers and is writable");
    }
}

/// A row for each pipeline, without facts and with them.
fn table() -> String {
    let [short, long] = TURNS;
    let mut table = format!(
        "| pipeline | session | {short} turns | {long} turns | growth |\n|---|---|---:|---:|---:|\n"
    );
    for knowledge in Knowledge::ALL {
        let set_ups = TURNS.map(|turns| count(SET_UP, turns, knowledge));
        for (name, window) in structural::CELLS {
            let per_step = [0, 1].map(|place| {
                let steps = structural::session(TURNS[place], Knowledge::Nothing).steps.len();
                (count(name, TURNS[place], knowledge) - set_ups[place]) / steps as f64
            });
            let window = match window {
                Tokens::UNBOUNDED => "windowless".to_owned(),
                Tokens(tokens) => format!("window {tokens}"),
            };
            let [short, long] = per_step;
            let growth = long / short;
            let _ = writeln!(
                table,
                "| `{name}`, {window} | {} | {short:.0} | {long:.0} | × {growth:.3} |",
                knowledge.name()
            );
        }
    }
    table
}

/// The run that is counted: makes a session, and drives it unless it is the set-up.
fn counted(name: &str, turns: u32, knowledge: &str) {
    let knowledge = Knowledge::ALL.into_iter().find(|known| known.name() == knowledge);
    let session = structural::session(turns, knowledge.expect("a known session"));
    if let Some((name, window)) = structural::CELLS.iter().find(|(known, _)| *known == name) {
        let pipeline = structural::pipeline(name);
        std::hint::black_box(structural::run(&session, &pipeline, *window));
    }
}

/// Instructions of one counted run.
fn count(name: &str, turns: u32, knowledge: Knowledge) -> f64 {
    callgrind::count(&[COUNTED, name, &turns.to_string(), knowledge.name()])
}

/// Puts the table between its markers.
fn write(table: &str) -> Option<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md");
    let text = std::fs::read_to_string(&path).ok()?;
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    std::fs::write(path, format!("{before}{BEGIN}\n{table}\n{END}{after}")).ok()
}

fn say(line: &str) {
    // A closed pipe ends the report, nothing else.
    let _ = writeln!(std::io::stdout(), "{line}");
}
