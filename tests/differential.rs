//! Ports beside their originals: both are driven over fifty sessions with one summarizer, and what is
//! sent at every step is compared.

// The summarizer is `lead`, since it does not heed the words of a prompt: the port asks in ours. The originals answer from their recordings; with
//! `PROCTOR_LIVE=1` the frameworks themselves are asked (`adapters/setup`), and the recordings are
//! renewed.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use proctor::answer::Memo;
use proctor::drive::{Cell, Limits, Mode, Observer, Sent, Session, drive_observed};
use proctor::matrix::load_pipeline;
use proctor::pipeline::Pipeline;
use proctor::price::PriceSheet;
use proctor::scenario::Scenario;
use proctor::strategy::{Exchanges, shipped};
use proctor::summarize::simple::Lead;
use proctor::trace::{Compaction, EndedBy};
use proctor::unit::Tokens;
use proctor::view::View;
use proctor_external::record::Record;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const SESSIONS: u64 = 50;

/// What was sent at each step, how many compactions there were, and how the session ended.
#[derive(Debug, Default, PartialEq)]
struct Course {
    sent: Vec<(u32, Vec<String>)>,
    compactions: usize,
    ended: Option<EndedBy>,
}

impl Observer for Course {
    fn compacted(&mut self, _: &Compaction, _: &View) {
        self.compactions += 1;
    }

    fn sending(&mut self, sent: &Sent) {
        let told = sent.view.entries().iter().map(|entry| {
            let entry = sent.overlay.of(entry.id).unwrap_or(entry);
            let calls = entry.calls.iter().map(|call| format!(" {}({})", call.id, call.args));
            let calls: String = calls.collect();
            format!("{}: {}{calls}", entry.role.name(), entry.content())
        });
        self.sent.push((sent.step, told.collect()));
    }
}

fn course(session: &Session, pipeline: &Pipeline, exchanges: &dyn Exchanges) -> Course {
    let (ask, memo, sheet) = (Lead::default(), Memo::default(), PriceSheet::embedded());
    let mut course = Course::default();
    let cell = Cell {
        session,
        pipeline,
        limits: Limits::new(Tokens(20_000), Tokens(4_096)),
        mode: Mode::Deployed,
        ask: &ask,
        memo: &memo,
        sheet: &sheet,
        replicate: 0,
        probes: false,
        exchanges: Some(exchanges),
    };
    let trace = drive_observed(cell, &mut course).unwrap_or_else(|stopped| panic!("{stopped}"));
    course.ended = Some(trace.ended_by);
    course
}

/// Where two courses part, in words.
fn difference(own: &Course, original: &Course) -> Option<String> {
    for ((step, one), (_, other)) in own.sent.iter().zip(&original.sent) {
        if let Some(line) = one.iter().zip(other).position(|(one, other)| one != other) {
            let short = |text: &str| text.chars().take(200).collect::<String>();
            let (one, other) = (short(&one[line]), short(&other[line]));
            return Some(format!("step {step}, entry {line}:\n  port: {one}\n  original: {other}"));
        }
        if one.len() != other.len() {
            return Some(format!("step {step}: {} entries and {}", one.len(), other.len()));
        }
    }
    let told = |one: &Course| format!("{} steps, {:?}", one.sent.len(), one.ended);
    let same = own.ended == original.ended && own.sent.len() == original.sent.len();
    (!same).then(|| format!("{}; {}", told(own), told(original)))
}

/// Compares a port with its original, and says how many compactions were compared.
fn compared(port: &str, original: &str, recording: &str) -> usize {
    let own = shipped().pipeline(port).unwrap();
    let file = Path::new(ROOT).join(original);
    let original = load_pipeline(shipped(), file.to_str().unwrap()).unwrap();
    let recording = Path::new(ROOT).join("adapters/recordings").join(recording);
    let live = std::env::var_os("PROCTOR_LIVE").is_some();
    let record = match live {
        true => Record::in_memory(),
        false => Record::replay([recording.as_path()]).unwrap(),
    };
    let (mut differences, mut compactions) = (Vec::new(), 0);
    let scenario = Scenario::embedded("smoke").unwrap();
    for seed in 1..=SESSIONS {
        let made = scenario.session(proctor::ident::Seed(seed)).unwrap();
        let session = Session::new(made.log, made.truth, []);
        let [own, original] = [&own, &original].map(|one| course(&session, one, &record));
        compactions += original.compactions;
        if let Some(difference) = difference(&own, &original) {
            differences.push(format!("seed {seed}: {difference}"));
        }
    }
    if live {
        let mut file = GzEncoder::new(File::create(&recording).unwrap(), Compression::best());
        file.write_all(record.lines().as_bytes()).unwrap();
        file.finish().unwrap();
    }
    assert!(
        differences.is_empty(),
        "{} of {SESSIONS}:\n{}",
        differences.len(),
        differences.join("\n")
    );
    compactions
}

#[test]
fn langchain_and_its_port_send_the_same() {
    let adapter = "adapters/langchain/langchain-summarization.toml";
    assert!(compared("langchain", adapter, "differential-langchain.jsonl.gz") >= 50);
}

#[test]
fn langchain_and_its_port_clear_the_same_results() {
    let adapter = "adapters/langchain/langchain-clear-tool-uses.toml";
    let file = "differential-langchain-clear-tool-uses.jsonl.gz";
    assert!(compared("langchain-clear-tool-uses", adapter, file) >= 50);
}
