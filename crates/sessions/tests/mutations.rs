//! Broken files: records of our own files of each format, and of real ones where they are at hand,
//! with keys gone, values of another type, texts cut and lines torn. Each is imported or refused; none
//! panics. `MUTATIONS=1000000` sets how many of each file (100 otherwise); the slowest is told.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proctor_core::log::format::to_text;
use proctor_sessions::import::{self, places};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Map, Value, json};

/// Records of a file that one broken file takes at most, and their bytes together.
const RECORDS: usize = 14;
const BYTES: usize = 24 * 1024;

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

/// A part of a list, so that a broken file is small.
fn part<T: Clone>(values: &[T], rng: &mut ChaCha8Rng, size: impl Fn(&T) -> usize) -> Vec<T> {
    let (from, mut bytes) = (rng.random_range(0..values.len()), 0);
    let within = |value: &&T| {
        bytes += size(value);
        bytes <= BYTES
    };
    values[from..].iter().take(RECORDS).take_while(within).cloned().collect()
}

/// Lists of a value that are long are cut to a part.
fn shortened(value: &Value, rng: &mut ChaCha8Rng) -> Value {
    let size = |value: &Value| value.to_string().len();
    match value {
        Value::Array(values) if size(value) > BYTES => {
            let values = part(values, rng, |one| size(one).min(BYTES / 2));
            Value::Array(values.iter().map(|one| shortened(one, rng)).collect())
        }
        Value::Object(map) if size(value) > BYTES => {
            map.iter().map(|(key, value)| (key.clone(), shortened(value, rng))).collect()
        }
        Value::String(text) if text.len() > BYTES => {
            Value::String(text[..text.floor_char_boundary(BYTES / 4)].to_owned())
        }
        value => value.clone(),
    }
}

fn broken(cut: &Cut, rng: &mut ChaCha8Rng) -> Vec<u8> {
    let times = rng.random_range(1..5);
    let mut text = match cut {
        Cut::Lines(lines) => {
            let first = lines[0].clone();
            let mut lines = part(lines, rng, |line| line.to_string().len());
            if rng.random_range(0..2) == 0 {
                lines.insert(0, first);
            }
            for _ in 0..times {
                let place = rng.random_range(0..lines.len().max(1));
                lines.get_mut(place).into_iter().for_each(|line| break_one(line, rng));
            }
            lines.iter().map(|line| format!("{line}\n")).collect()
        }
        Cut::Whole(value) => {
            let mut value = shortened(value, rng);
            (0..times).for_each(|_| break_one(&mut value, rng));
            value.to_string()
        }
        Cut::Text(text) => {
            let from = text.floor_char_boundary(rng.random_range(0..text.len()));
            let to = text.floor_char_boundary((from + BYTES).min(text.len()));
            format!(
                "{}\n{}",
                text.lines().find(|line| !line.is_empty()).unwrap_or_default(),
                &text[from..to]
            )
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

#[test]
fn a_broken_file_is_imported_or_refused() {
    let times: u64 =
        std::env::var("MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(100);
    for file in files() {
        let (cut, mut slowest, mut imported) = (cut(&file), Duration::ZERO, 0_u64);
        for seed in 0..times {
            let bytes = broken(&cut, &mut ChaCha8Rng::seed_from_u64(seed));
            let begun = Instant::now();
            if let Ok(all) = import::from_bytes(&bytes, &file) {
                imported += 1;
                for one in &all {
                    let text = to_text(&one.log);
                    assert!(text.is_ok(), "{} seed {seed}: {text:?}", file.display());
                    assert_eq!(
                        one.lines.len(),
                        one.log.messages.len(),
                        "{} seed {seed}",
                        file.display()
                    );
                }
            }
            slowest = slowest.max(begun.elapsed());
        }
        // Shown with `--nocapture`; there is nothing to do about a failure.
        let told =
            format!("{}: {imported} of {times} imported, slowest {slowest:?}", file.display());
        let _ = writeln!(std::io::stderr(), "{told}");
        // A subagent's file is refused whole as well.
        assert!(imported > 0 || import::load(&file).is_err(), "{told}");
        assert!(slowest < Duration::from_secs(20), "{told}");
    }
}
