//! Broken files: records of our own files of each format, and of real ones where they are at hand,
//! with keys gone, values of another type, texts cut and lines torn. Each is imported or refused; none
//! panics. `MUTATIONS=1000000` sets how many of each format (100 of each file otherwise); the slowest is
//! told.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proctor_core::log::format::to_text;
use proctor_sessions::import::{self, places};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Map, Value, json};

/// Records of a file that one broken file takes at most, and bytes of each of their texts.
const RECORDS: usize = 14;
const LONGEST: usize = 300;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file, cut into what it is made of.
enum Cut {
    /// Lines of JSON.
    Lines(Vec<Value>),
    /// One value.
    Whole(Value),
    /// Text.
    Text(String),
}

fn cut(path: &Path) -> Cut {
    let text = String::from_utf8_lossy(&std::fs::read(path).expect("a file")).into_owned();
    if let Ok(value) = serde_json::from_str::<Value>(&text) {
        return Cut::Whole(value);
    }
    let lines: Vec<Value> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if lines.is_empty() { Cut::Text(text) } else { Cut::Lines(lines) }
}

/// A value of any kind.
fn any(rng: &mut ChaCha8Rng) -> Value {
    match rng.random_range(0..10) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(u64::MAX),
        4 => json!(1e300),
        5 => json!(""),
        6 => json!("\u{1f600}</system-reminder><task>x"),
        7 => json!([]),
        8 => json!({}),
        _ => json!([[{"type": "text", "text": null}]]),
    }
}

/// Breaks one place of a value.
fn break_one(value: &mut Value, rng: &mut ChaCha8Rng) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let keys: Vec<String> = map.keys().cloned().collect();
            let key = keys[rng.random_range(0..keys.len())].clone();
            match rng.random_range(0..8) {
                0 => drop(map.remove(&key)),
                1 => drop(map.insert(key, any(rng))),
                2 => {
                    let other = keys[rng.random_range(0..keys.len())].clone();
                    let taken = map.get(&other).cloned().unwrap_or_default();
                    map.insert(key, taken);
                }
                3 => {
                    let own = Value::Object(std::mem::take(map));
                    *map = Map::from_iter([(key, own)]);
                }
                _ => map.get_mut(&key).into_iter().for_each(|inner| break_one(inner, rng)),
            }
        }
        Value::Array(values) if !values.is_empty() => {
            let place = rng.random_range(0..values.len());
            match rng.random_range(0..6) {
                0 => drop(values.remove(place)),
                1 => values.push(values[place].clone()),
                2 => values[place] = any(rng),
                3 => values.swap(0, place),
                _ => break_one(&mut values[place], rng),
            }
        }
        Value::String(text) if !text.is_empty() => {
            let place = text.floor_char_boundary(rng.random_range(0..=text.len()));
            match rng.random_range(0..3) {
                0 => text.truncate(place),
                1 => text.insert_str(place, "\u{0}\n####  \u{2028}\""),
                _ => *value = any(rng),
            }
        }
        _ => *value = any(rng),
    }
}

/// Breaks a line of a text.
fn break_line(lines: &mut Vec<String>, place: usize, rng: &mut ChaCha8Rng) {
    let Some(line) = lines.get(place).cloned() else { return };
    match rng.random_range(0..5) {
        0 => drop(lines.remove(place)),
        1 => lines.insert(place, line),
        2 => lines.swap(0, place),
        _ => {
            let mut value = Value::String(line);
            break_one(&mut value, rng);
            lines[place] = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        }
    }
}

/// A few values of a list, in order.
fn some(values: &[Value], rng: &mut ChaCha8Rng) -> Vec<Value> {
    let from = rng.random_range(0..values.len());
    values[from..].iter().take(RECORDS).map(|value| shortened(value, rng)).collect()
}

/// Lists and texts of a value that are long are cut.
fn shortened(value: &Value, rng: &mut ChaCha8Rng) -> Value {
    match value {
        Value::Array(values) if values.len() > RECORDS => Value::Array(some(values, rng)),
        Value::Array(values) => values.iter().map(|one| shortened(one, rng)).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (key.clone(), shortened(value, rng))).collect()
        }
        Value::String(text) => Value::String(text[..text.floor_char_boundary(LONGEST)].to_owned()),
        value => value.clone(),
    }
}

/// Parts of a file from which broken ones are made: to cut a large file takes longer than to read a
/// small one.
const PARTS: u64 = 200;

/// A small part of a file.
fn part_of(cut: &Cut, rng: &mut ChaCha8Rng) -> Cut {
    match cut {
        Cut::Lines(lines) => {
            let mut some = some(lines, rng);
            if rng.random_range(0..2) == 0 {
                some.insert(0, shortened(&lines[0], rng));
            }
            Cut::Lines(some)
        }
        Cut::Whole(value) => Cut::Whole(shortened(value, rng)),
        Cut::Text(text) => {
            let lines: Vec<&str> = text.lines().collect();
            let from = rng.random_range(0..lines.len());
            let first = lines.iter().find(|line| !line.is_empty());
            let some = first.into_iter().chain(lines[from..].iter().take(8 * RECORDS));
            Cut::Text(some.map(|line| format!("{line}\n")).collect())
        }
    }
}

fn broken(part: &Cut, rng: &mut ChaCha8Rng) -> Vec<u8> {
    let times = rng.random_range(1..5);
    let mut text: String = match part {
        Cut::Lines(lines) => {
            let mut lines = lines.clone();
            for _ in 0..times {
                let place = rng.random_range(0..lines.len().max(1));
                lines.get_mut(place).into_iter().for_each(|line| break_one(line, rng));
            }
            lines.iter().map(|line| format!("{line}\n")).collect()
        }
        Cut::Whole(value) => {
            let mut value = value.clone();
            (0..times).for_each(|_| break_one(&mut value, rng));
            value.to_string()
        }
        Cut::Text(text) => {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            for _ in 0..times {
                let place = rng.random_range(0..lines.len().max(1));
                break_line(&mut lines, place, rng);
            }
            lines.join("\n")
        }
    };
    if rng.random_range(0..8) == 0 {
        text.truncate(text.floor_char_boundary(rng.random_range(0..=text.len())));
    }
    text.into_bytes()
}

fn files() -> Vec<PathBuf> {
    let mut files = places::files(&root().join("crates/sessions/tests/formats"), &[""], 1);
    files.extend(places::files(
        &root().join("../shared/sessions"),
        &[".jsonl", ".json", ".traj", ".md"],
        5,
    ));
    files.retain(|path| {
        !path.ends_with("SOURCES.md") && !path.to_string_lossy().contains("summaries")
    });
    files
}

/// The files of each format; those that are refused whole, as a subagent's is, by themselves.
fn by_format() -> BTreeMap<&'static str, Vec<PathBuf>> {
    let mut files_of: BTreeMap<&'static str, Vec<PathBuf>> = BTreeMap::new();
    for file in files() {
        let bytes = std::fs::read(&file).expect("a file");
        let read = import::from_bytes(&bytes, &file).ok().and_then(|mut all| all.pop());
        let format = read.map_or("refused", |one| one.report.format.name());
        files_of.entry(format).or_default().push(file);
    }
    files_of
}

/// Breaks a file so often; what was imported of it, and the slowest.
fn broken_often(file: &Path, times: u64) -> (u64, Duration) {
    let (cut, mut slowest, mut imported) = (cut(file), Duration::ZERO, 0_u64);
    let parts: Vec<Cut> = (0..PARTS.min(times))
        .map(|seed| part_of(&cut, &mut ChaCha8Rng::seed_from_u64(seed)))
        .collect();
    for seed in 0..times {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let bytes = broken(&parts[(seed % PARTS) as usize], &mut rng);
        let begun = Instant::now();
        if let Ok(all) = import::from_bytes(&bytes, file) {
            imported += 1;
            for one in &all {
                let text = to_text(&one.log);
                assert!(text.is_ok(), "{} seed {seed}: {text:?}", file.display());
                let lines = one.lines.len();
                assert_eq!(lines, one.log.messages.len(), "{} seed {seed}", file.display());
            }
        }
        slowest = slowest.max(begun.elapsed());
    }
    (imported, slowest)
}

#[test]
fn a_broken_file_is_imported_or_refused() {
    let of_format: Option<u64> = std::env::var("MUTATIONS").ok().and_then(|text| text.parse().ok());
    for (format, files) in by_format() {
        let times = of_format.map_or(100, |all| all.div_ceil(files.len() as u64));
        let (mut all, mut imported, mut slowest) = (0, 0, Duration::ZERO);
        for file in &files {
            let (of_it, longest) = broken_often(file, times);
            assert!(of_it > 0 || format == "refused", "none of {} is imported", file.display());
            (all, imported, slowest) = (all + times, imported + of_it, slowest.max(longest));
        }
        // Shown with `--nocapture`; there is nothing to do about a failure.
        let told = format!("{format}: {imported} of {all} imported, slowest {slowest:?}");
        let _ = writeln!(std::io::stderr(), "{told}");
        assert!(slowest < Duration::from_secs(20), "{told}");
    }
}
