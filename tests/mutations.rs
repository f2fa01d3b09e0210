//! Everything that reads a file, given thousands of broken ones: bytes flipped, cut and doubled, values
//! of other types, keys gone, numbers at their ends, fields of tables swapped. Each is read or refused;
//! none panics. `MUTATIONS=N` sets how many of each file there are. (Transcripts have such a test beside
//! their readers, `crates/sessions/tests/mutations.rs`; random bytes are fed to all by `fuzz`.)

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use proctor::gate::{Baseline, Policy};
use proctor::history::{Acknowledged, History};
use proctor::matrix::Suite;
use proctor::pipeline::Pipeline;
use proctor::price::PriceSheet;
use proctor::run::Plan;
use proctor::run_dir::digests;
use proctor::run_dir::read::RunData;
use proctor::scenario::Scenario;
use proctor::strategy::shipped;
use proctor::summarize::cassette::Contents;
use proctor::summarize::live::Endpoint;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use regex::Regex;

use crate::harness::{proctor, work};

/// What numbers are replaced by.
const ENDS: [&str; 13] = [
    "0",
    "-1",
    "1",
    "-0.0",
    "1e308",
    "-1e308",
    "1e-308",
    "nan",
    "inf",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "-9223372036854775808",
];

/// What values are replaced by.
const VALUES: [&str; 9] = [
    "\"\"",
    "true",
    "[]",
    "{}",
    "\"\\u0000\\u202e\"",
    "[[[[[[[[1]]]]]]]]",
    "''",
    "1979-05-27",
    "\"é\"",
];

/// Of how many broken runs that are read one has its report written.
const REPORTED: u64 = 16;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// How many broken versions of each file.
fn wanted() -> u64 {
    std::env::var("MUTATIONS").ok().and_then(|number| number.parse().ok()).unwrap_or(40)
}

/// The files below a folder that end so.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let (mut open, mut found) = (vec![root().join(folder)], Vec::new());
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("it is listed").flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => open.push(path),
                false if path.to_string_lossy().ends_with(ending) => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    found
}

/// The text with one to three places broken.
fn broken(text: &str, rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..rng.random_range(1..4) {
        bytes = broken_once(&bytes, rng);
    }
    bytes
}

fn broken_once(bytes: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let pick = |rng: &mut ChaCha8Rng, pattern: &str| {
        let pattern = Regex::new(pattern).expect("it is sound");
        let found: Vec<std::ops::Range<usize>> =
            pattern.find_iter(&text).map(|found| found.range()).collect();
        (!found.is_empty()).then(|| found[rng.random_range(0..found.len())].clone())
    };
    let put = |range: std::ops::Range<usize>, new: &str| {
        [&text.as_bytes()[..range.start], new.as_bytes(), &text.as_bytes()[range.end..]].concat()
    };
    let place = |rng: &mut ChaCha8Rng| rng.random_range(0..bytes.len().max(1)).min(bytes.len());
    let structural = match rng.random_range(0..10) {
        0 => pick(rng, r"-?\d+(\.\d+)?")
            .map(|range| put(range, ENDS[rng.random_range(0..ENDS.len())])),
        1 => pick(rng, r#""[^"\n]*"|\d+|true|false"#)
            .map(|range| put(range, VALUES[rng.random_range(0..VALUES.len())])),
        2 => pick(rng, r"(?m)^.*\n").map(|range| put(range, "")),
        3 => pick(rng, r"(?m)^.*\n").map(|range| put(range.end..range.end, &text[range])),
        4 => pick(rng, r"[A-Za-z_-]+").map(|range| put(range, "other")),
        5 => pick(rng, r"[^,\n]*,").map(|range| put(range, ",")),
        _ => None,
    };
    structural.unwrap_or_else(|| {
        let (at, to) = (place(rng), place(rng));
        let (from, to) = (at.min(to), at.max(to).min(at.min(to) + 64));
        let mut bytes = bytes.to_vec();
        match rng.random_range(0..5) {
            0 => bytes.truncate(from),
            1 => drop(bytes.drain(from..to)),
            2 => {
                let doubled = bytes[from..to].to_vec();
                drop(bytes.splice(from..from, doubled));
            }
            3 => drop(bytes.splice(from..to, (from..to).map(|_| rng.random::<u8>()))),
            _ => bytes
                .iter_mut()
                .skip(from)
                .take(1)
                .for_each(|byte| *byte ^= 1 << rng.random_range(0..8)),
        }
        bytes
    })
}

/// Feeds broken versions of every file to a reader: how many were read, and how many refused.
fn feed(files: &[PathBuf], mut each: impl FnMut(&Path, &[u8]) -> bool) -> [u64; 2] {
    assert!(!files.is_empty(), "there is nothing to break");
    let mut counts = [0; 2];
    for path in files {
        let text = String::from_utf8_lossy(&fs::read(path).expect("it reads")).into_owned();
        let mut rng = ChaCha8Rng::seed_from_u64(text.len() as u64);
        for number in 0..wanted() {
            let bytes = broken(&text, &mut rng);
            let done = catch_unwind(AssertUnwindSafe(|| each(path, &bytes)));
            let Ok(read) = done else {
                let kept = std::env::temp_dir().join("proctor-mutation");
                fs::write(&kept, &bytes).expect("it is written");
                panic!("version {number} of {} panics; it is {}", path.display(), kept.display());
            };
            counts[usize::from(read)] += 1;
        }
    }
    counts
}

#[track_caller]
fn both([refused, read]: [u64; 2]) {
    assert!(refused > 0 && read > 0, "{read} are read and {refused} refused: nothing is shown");
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn broken_scenarios_are_read_or_refused() {
    let all: Vec<PathBuf> = files("scenarios", ".toml");
    let scenarios: Vec<PathBuf> = all
        .into_iter()
        .filter(|path| path.parent() == Some(&root().join("scenarios")))
        .filter(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("cannot-show")))
        .collect();
    both(feed(&scenarios, |_, bytes| Scenario::parse_all("a.toml", &text(bytes)).is_ok()));
}

#[test]
fn broken_suites_are_planned_or_refused() {
    both(feed(&files("scenarios/suites", ".toml"), |_, bytes| {
        let suite = Suite::parse("a.toml", &text(bytes));
        suite.is_ok_and(|suite| {
            // A plan of millions of cells is not listed here.
            Plan::new(shipped(), suite, Vec::new(), String::new()).is_ok()
        })
    }));
}

#[test]
fn broken_pipelines_policies_prices_and_endpoints_are_read_or_refused() {
    both(feed(&files("scenarios/strategies", ".toml"), |_, bytes| {
        Pipeline::parse(shipped(), "a.toml", &text(bytes)).is_ok()
    }));
    let gates = [root().join("scenarios/gates.toml")];
    both(feed(&gates, |_, bytes| Policy::parse("a.toml", &text(bytes)).is_ok()));
    let prices = [root().join("scenarios/prices.toml")];
    both(feed(&prices, |_, bytes| PriceSheet::parse("a.toml", &text(bytes)).is_ok()));
    let endpoints = [root().join("scenarios/cassettes/smollm2.toml")];
    both(feed(&endpoints, |_, bytes| Endpoint::parse("a.toml", &text(bytes)).is_ok()));
    let work = work();
    let known = work.path().join("known.toml");
    fs::write(
        &known,
        "[[change]]\nreason = \"a\"\nmetric = \"recall.at_need\"\nnights = [\"2026-01-01\"]\n",
    )
    .expect("it is written");
    feed(&[known], |_, bytes| Acknowledged::parse("a.toml", &text(bytes)).is_ok());
}

#[test]
fn a_broken_cassette_is_read_or_refused() {
    let work = work();
    let whole = root().join("scenarios/cassettes/smollm2.jsonl.gz");
    let contents = Contents::read(&whole).expect("it reads");
    let some = contents.entries.into_iter().take(5).collect();
    let path = work.path().join("some.jsonl");
    let bytes = proctor::summarize::cassette::render(&some, &path).expect("it is rendered");
    fs::write(&path, bytes).expect("it is written");
    let broken = work.path().join("broken.jsonl");
    both(feed(&[path], |_, bytes| {
        fs::write(&broken, bytes).expect("it is written");
        Contents::read(&broken).is_ok()
    }));
}

/// The digests fit what was broken, as an attacker's would.
#[test]
fn a_broken_run_is_read_or_refused_with_digests_that_fit() {
    let work = work();
    let (run, again) = (work.path().join("run"), work.path().join("again"));
    proctor(&["run", "smoke", "--seeds", "1", "--out"]).arg(&run).run().succeeds();
    let names = [
        "manifest.json",
        "measurements.csv",
        "derived.csv",
        "curve.csv",
        "steps.parquet",
        "compactions.parquet",
        "inputs.json",
        "host.json",
        "digests.txt",
    ];
    fs::create_dir(&again).expect("it is made");
    for entry in fs::read_dir(&run).expect("it is listed").flatten() {
        if entry.path().is_file() {
            fs::copy(entry.path(), again.join(entry.file_name())).expect("it is copied");
        }
    }
    // Without stories, which have a file each.
    let manifest = fs::read(run.join("manifest.json")).expect("it reads");
    digests::seal(&again, &manifest).expect("it is sealed");
    let sealed = fs::read(again.join("digests.txt")).expect("it reads");
    let paths: Vec<PathBuf> = names.iter().map(|name| run.join(name)).collect();
    let mut read_runs = 0;
    let counts = feed(&paths, |path, bytes| {
        let name = path.file_name().expect("a name");
        let whole = fs::read(path).expect("it reads");
        fs::write(again.join(name), bytes).expect("it is written");
        if name != "digests.txt" {
            let own = if name == "manifest.json" { bytes } else { &manifest };
            digests::seal(&again, own).expect("it is sealed");
        }
        let read = RunData::load(&again).is_ok();
        // A report takes longer than all else together.
        read_runs += u64::from(read);
        if read && read_runs.is_multiple_of(REPORTED) {
            let _ = proctor::report::write(&again);
        }
        fs::write(again.join(name), whole).expect("it is written");
        fs::write(again.join("digests.txt"), &sealed).expect("it is written");
        fs::write(again.join("manifest.json"), &manifest).expect("it is written");
        read
    });
    both(counts);
    RunData::load(&again).expect("it is whole again");
}

#[test]
fn broken_baselines_and_histories_are_read_or_refused() {
    let work = work();
    let (run, history, site) =
        (work.path().join("run"), work.path().join("history"), work.path().join("site"));
    proctor(&["run", "smoke", "--seeds", "1", "--out"]).arg(&run).run().succeeds();
    let baseline = work.path().join("baseline.json");
    let line = proctor(&["bless", "--why", "a test", "--to"]).arg(&baseline).arg(&run);
    line.run().succeeds();
    both(feed(&[baseline], |_, bytes| Baseline::parse("a.json", &text(bytes)).is_ok()));
    let line = proctor(&["nightly", "--date", "2026-01-01", "--from"]).arg(&run);
    line.args(&["--history"]).arg(&history).args(&["--site"]).arg(&site).run().succeeds();
    let mut nights: Vec<PathBuf> =
        fs::read_dir(&history).expect("it is listed").flatten().map(|entry| entry.path()).collect();
    nights.retain(|path| path.is_file());
    let folder = work.path().join("again");
    fs::create_dir(&folder).expect("it is made");
    both(feed(&nights, |path, bytes| {
        let place = folder.join(path.file_name().expect("a name"));
        fs::write(place, bytes).expect("it is written");
        History::load(&folder).is_ok_and(|history| {
            let options = proctor::site::Options::default();
            proctor::site::render(&history, &work.path().join("site-again"), &options).is_ok()
        })
    }));
}
