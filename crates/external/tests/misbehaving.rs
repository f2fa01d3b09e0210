//! Programs that hang, flood, crash and lie. Each costs its own sessions, and nothing of it is left.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use proctor_core::config;
use proctor_core::drive::{Cell, Limits, Session, drive};
use proctor_core::pipeline::Pipeline;
use proctor_core::strategy::Registry;
use proctor_core::testkit::{Script, says, scene, with_cell};
use proctor_core::trace::EndedBy;
use proctor_core::truth::Truth;
use proctor_core::unit::Tokens;
use proctor_external::External;
use proctor_external::record::Record;
use serde::Deserialize;

#[derive(Deserialize)]
struct Programs {
    program: Vec<Program>,
}

#[derive(Deserialize)]
struct Program {
    name: String,
    body: String,
    reason: String,
}

fn programs() -> Vec<Program> {
    let text = include_str!("misbehaving/programs.toml");
    let read: Programs =
        config::parse("table", "programs.toml", text).unwrap_or_else(|e| panic!("{e}"));
    read.program
}

/// A pipeline of the program, which may use little.
fn pipeline(directory: &Path, body: &str) -> Pipeline {
    let code = format!("{}\n{body}\n", include_str!("misbehaving/prelude.py"));
    fs::write(directory.join("bad.py"), code).expect("a file");
    let text = "name = 'bad'\nabout = ''\nsource = ''\nfidelity = 'baseline'\n[[stage]]\n\
                on.before-call = 'always'\n[stage.strategy.external]\n\
                command = ['python3', 'bad.py']\nseconds = 2\nstart-seconds = 5\nanswer-mib = 1\n\
                calls = 4\nmemory-mib = 256\nprocesses = 16\n";
    let mut registry = Registry::default();
    registry.add::<External>(External::NAME, "", External::PARAMETERS);
    let file = directory.join("bad.toml");
    Pipeline::parse(&registry, &file.display().to_string(), text).unwrap_or_else(|e| panic!("{e}"))
}

/// How the session ended, and what the record has to say of the program.
fn driven(pipeline: &Pipeline) -> (EndedBy, Record) {
    let session = Session::new(scene("uctuctuct").log, Truth::default(), []);
    let limits = Limits::new(Tokens(8_000), Tokens(500));
    let (record, script) = (Record::in_memory(), Script::new([says("s")]));
    let trace = with_cell(&session, pipeline, limits, &script, |cell| {
        drive(Cell { exchanges: Some(&record), ..cell })
    });
    (trace.ended_by, record)
}

/// Processes whose command line holds a text.
fn running(text: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = entries.filter_map(|entry| fs::read_to_string(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.contains(text)).collect()
}

#[test]
fn each_costs_its_own_session_and_nothing_of_it_is_left() {
    let programs = programs();
    assert!(programs.len() >= 40);
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            check(program);
        }
    };
    // Most of them wait for most of their time.
    std::thread::scope(|scope| {
        (0..6).for_each(|_| {
            scope.spawn(work);
        });
    });
}

fn check(Program { name, body, reason }: &Program) {
    let directory = tempfile::tempdir().expect("a directory");
    let begun = Instant::now();
    let pipeline = pipeline(directory.path(), body);
    let (ended, _) = driven(&pipeline);
    drop(pipeline);
    match (reason.as_str(), ended) {
        ("", ended) => assert_eq!(ended, EndedBy::Completed, "{name}"),
        (reason, EndedBy::Raised(told)) => assert!(told.contains(reason), "{name}: {told}"),
        (_, ended) => panic!("{name}: {ended:?}"),
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "{name}");
    assert_eq!(running(&directory.path().display().to_string()), [""; 0], "{name}");
}

#[test]
fn what_a_program_said_last_is_kept() {
    let directory = tempfile::tempdir().expect("a directory");
    let body = "hello(); ready(); hear(); sys.exit('out of ideas')";
    let (ended, record) = driven(&pipeline(directory.path(), body));
    assert_eq!(ended, EndedBy::Raised("the program exited with code 1".to_owned()));
    let complaints = record.complaints();
    let complaint = complaints.values().next().expect("a complaint");
    let first = ("exited with code 1".to_owned(), "out of ideas".to_owned());
    assert_eq!((complaint.broken, complaint.first.clone()), (1, Some(first)));
}

#[test]
fn a_program_that_is_not_there_is_told_before_a_run() {
    let directory = tempfile::tempdir().expect("a directory");
    let words = |all: &[&str]| all.iter().map(|word| (*word).to_owned()).collect();
    let absent = External::new(words(&["no-such-program"]), directory.path()).expect("read");
    let error = absent.greet().expect_err("it is not there");
    assert!(error.contains("`no-such-program` could not be started"), "{error}");
    fs::write(directory.path().join("x.py"), "import sys; sys.exit('no module')").expect("a file");
    let broken = External::new(words(&["python3", "x.py"]), directory.path()).expect("read");
    let error = broken.greet().expect_err("it ends");
    assert!(error.contains("exited with code 1; it said: no module"), "{error}");
}
