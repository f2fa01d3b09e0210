//! Redaction and the secrets scan: what a run of a transcript leaves behind.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use proctor::record::Line;
use proctor::run_dir::tables::{LineReader, infos, whole_text};

use crate::harness::{proctor, work};

/// A session of 24 turns in our own format; `say` gives the user's words of each turn.
pub fn session(id: &str, say: impl Fn(u32) -> String) -> String {
    let mut lines = format!(
        "{{\"proctor\":\"log\",\"version\":1,\"id\":\"{id}\",\"source\":\"{id}\",\
         \"system\":\"\",\"tools\":\"\",\"overhead\":0}}\n"
    );
    let quoted = |text: &str| serde_json::to_string(text).expect("JSON");
    for turn in 0..24 {
        let (first, at) = (turn * 4, turn * 60_000);
        let words = quoted(&say(turn));
        let args = quoted(&format!("{{\"path\":{}}}", quoted(&say(turn))));
        for line in [
            format!(
                "\"id\":{first},\"role\":\"user\",\"author\":\"human\",\"at\":{at},\"content\":{words}"
            ),
            format!(
                "\"id\":{},\"role\":\"assistant\",\"author\":\"agent\",\"at\":{at},\"content\":{words},\
                 \"calls\":[{{\"id\":\"c{turn}\",\"name\":\"Read\",\"args\":{args}}}]",
                first + 1
            ),
            format!(
                "\"id\":{},\"role\":\"tool\",\"author\":\"harness\",\"at\":{at},\"content\":{words},\
                 \"answers\":\"c{turn}\"",
                first + 2
            ),
            format!(
                "\"id\":{},\"role\":\"assistant\",\"author\":\"agent\",\"at\":{at},\"content\":{words}",
                first + 3
            ),
        ] {
            // OK because writing to a string cannot fail.
            let _ = writeln!(lines, "{{\"message\":{{{line}}}}}");
        }
    }
    lines
}

/// Words of five letters and more, in lower case.
fn words(text: &str) -> BTreeSet<String> {
    let all = text.split(|c: char| !c.is_ascii_alphabetic());
    all.filter(|word| word.len() >= 5).map(str::to_ascii_lowercase).collect()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("it is listed") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// All words of the project itself: what it may say without having been told.
fn vocabulary() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["src", "crates", "scenarios"] {
        files(&root.join(folder), &mut found);
    }
    let texts = found.iter().filter_map(|path| fs::read_to_string(path).ok());
    texts.flat_map(|text| words(&text)).collect()
}

/// A file's text; unpacked where it is packed, which would hide every word.
fn readable(path: &Path) -> String {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if let Some(info) = infos().iter().find(|info| info.file == name) {
        let mut reader = LineReader::open(path, &info.columns).expect("it opens");
        let (mut line, mut text) = (Line::default(), String::new());
        while reader.next(&mut line).expect("it reads") {
            line.values().for_each(|value| text.push_str(&format!("{value}\n")));
        }
        return text;
    }
    if name.ends_with(".gz") {
        return whole_text(path).expect("it unpacks");
    }
    String::from_utf8_lossy(&fs::read(path).expect("it reads")).into_owned()
}

/// The first of these words in any file of the folder.
fn leak(folder: &Path, secret: &BTreeSet<String>) -> Option<String> {
    let mut found = Vec::new();
    files(folder, &mut found);
    found.sort();
    for path in found {
        let text = readable(&path).to_ascii_lowercase();
        let name = path.to_string_lossy().to_ascii_lowercase();
        let name = name.rsplit('/').next().unwrap_or_default().to_owned();
        let told = secret.iter().find(|word| text.contains(*word) || name.contains(*word));
        if let Some(word) = told {
            return Some(format!("`{word}` in {}", path.display()));
        }
    }
    None
}

/// What the user of the made-up session says: words that no file of ours holds.
fn say(turn: u32) -> String {
    let nouns = ["brunkelfitz", "zorplequan", "kohlrabisch", "wumpelstrand", "quandleberg"];
    let noun = nouns[turn as usize % nouns.len()];
    format!(
        "The {noun} of Theodolinde must never touch src/{noun}_vault_{turn}.rs again. \
         Run `marzipanctl --{noun} {turn}` because error SCHNURR-{turn} says the {noun} flumed."
    )
}

#[test]
fn a_redacted_run_holds_no_word_of_its_transcript() {
    let work = work();
    let path = work.path().join("Quorblestone-Saga.jsonl");
    let text = session("Hauptmannsbriefe", say);
    fs::write(&path, &text).expect("it writes");
    let known = vocabulary();
    let told = words(&format!("{text} Quorblestone Saga"));
    let secret: BTreeSet<String> = told.difference(&known).cloned().collect();
    assert!(secret.len() > 8 && secret.contains("theodolinde"), "{secret:?}");

    let (plain, hidden) = (work.path().join("plain"), work.path().join("hidden"));
    let filter = ["--strategies", "forge-adr", "--filter", "forge-adr/0"];
    proctor(&["run", "--out"]).arg(&plain).arg(&path).args(&filter).run().succeeds();
    assert!(leak(&plain, &secret).is_some(), "the plain run quotes its transcript");
    let redacted =
        proctor(&["run", "--redact", "--out"]).arg(&hidden).arg(&path).args(&filter).run();
    redacted.succeeds();
    assert_eq!(leak(&hidden, &secret), None);
    let story = whole_text(&hidden.join("stories/0001.json.gz")).expect("a story");
    assert!(story.contains("text:") && story.contains("\"before\":"), "{story}");

    let shown = |words: &[&str]| {
        let line = proctor(&["inspect"]).arg(&hidden).args(&["--cell", "forge-adr/0"]);
        let shown = line.args(words).run();
        shown.succeeds();
        shown
    };
    let recorded = shown(&["--compaction", "1"]);
    assert!(recorded.stderr.contains("the story that the run recorded"), "{}", recorded.stderr);
    let pages = work.path().join("pages");
    fs::create_dir(&pages).expect("a directory");
    fs::write(pages.join("recorded.txt"), recorded.stdout).expect("it writes");
    assert_eq!(leak(&pages, &secret), None);
    let given = path.to_string_lossy();
    let again = shown(&["--compaction", "1", "--transcript", &given]);
    assert!(again.stdout.contains("marzipanctl"), "{}", again.stdout);
    assert!(!again.stderr.contains("did not repeat"), "{}", again.stderr);
}

#[test]
fn likely_secrets_are_masked_unless_they_are_asked_for() {
    let work = work();
    let path = work.path().join("session.jsonl");
    let token = format!("gh{}_{}", "p", "a1B2c3D4e5F6".repeat(3));
    let text = session("session", |turn| format!("{token} is the token of src/turn_{turn}.rs"));
    fs::write(&path, text).expect("it writes");
    let run = |name: &str, words: &[&str]| {
        let out = work.path().join(name);
        let filter = ["--strategies", "forge-adr", "--filter", "forge-adr/0"];
        let run = proctor(&["run", "--out"]).arg(&out).arg(&path).args(&filter).args(words).run();
        run.succeeds();
        run.stderr
    };
    let told = run("plain", &[]);
    assert!(told.contains("likely secrets masked: "), "{told}");
    let secret = BTreeSet::from([token.to_ascii_lowercase()]);
    assert_eq!(leak(&work.path().join("plain"), &secret), None);
    for words in [&["inspect"][..], &["import", "--dry-run"], &["audit"]] {
        let shown = proctor(words).arg(&path).run();
        assert!(!shown.stdout.contains(&token) && !shown.stderr.contains(&token), "{words:?}");
    }
    run("shown", &["--show-secrets"]);
    assert!(leak(&work.path().join("shown"), &secret).is_some());
    let report = proctor(&["report"]).arg(&work.path().join("shown")).run();
    report.succeeds();
    assert!(report.stderr.contains("GitHub token"), "{}", report.stderr);
    assert!(!report.stderr.contains(&token), "{}", report.stderr);
}
