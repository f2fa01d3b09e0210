//! What the tests of live runs share: a suite, an endpoint, and a look at the results.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proctor::frame::MeasuredCell;
use proctor::run_dir::read::RunData;
use proctor::summarize::cassette::{
    CanonicalMessage, CanonicalRequest, Contents, Outcome, RequestKey,
};
use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Line, proctor, work};
use crate::live::server::{Seen, Server};

/// Time-outs and waits short enough for a test, long enough for a busy machine where a
/// server answers at once.
const ENDPOINT: &str = "\
model = 'small'
window = 8_000
max-output = 200
concurrency = 8
retries = 1
[time-out]
connect = 5
first-byte = 30
total = 30
[backoff]
first = 0.05
longest = 2
";

/// A directory with a suite and an endpoint file in it.
pub struct Setting {
    dir: TempDir,
}

impl Setting {
    /// A suite of these pipelines and seeds over the pocket scenario.
    pub fn new(pipelines: &[&str], seeds: u64) -> Setting {
        let dir = work();
        let seeds: Vec<u64> = (1..=seeds).collect();
        let suite = format!(
            "name = \"live\"\nabout = \"a test\"\nscenarios = [\"pocket\"]\n\
             pipelines = {pipelines:?}\nwindowless = [\"none\"]\nseeds = {seeds:?}\n\
             summarizer = \"http\"\nprobes = false\n"
        );
        fs::write(dir.path().join("suite.toml"), suite).expect("it is written");
        fs::write(dir.path().join("endpoint.toml"), ENDPOINT).expect("it is written");
        Setting { dir }
    }

    /// The same endpoint, but for some lines.
    pub fn endpoint(self, from: &str, to: &str) -> Setting {
        assert!(ENDPOINT.contains(from), "no `{from}` in the endpoint");
        let text = ENDPOINT.replace(from, to);
        fs::write(self.dir.path().join("endpoint.toml"), text).expect("it is written");
        self
    }

    /// A path in the directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// `proctor run` of the suite against a server, into a directory of this name.
    pub fn run(&self, server: &Server, out: &str) -> Line {
        self.offline(out).args(&["--base-url", &server.url()])
    }

    /// The same without an address.
    pub fn offline(&self, out: &str) -> Line {
        let line = proctor(&["run"]).arg(&self.path("suite.toml")).args(&["--endpoint"]);
        line.arg(&self.path("endpoint.toml")).args(&["--out"]).arg(&self.path(out))
    }

    /// The cassette of a run that was given none.
    pub fn cassette(&self, out: &str) -> Contents {
        Contents::read(&self.path(out).join("cassette.jsonl")).expect("a cassette")
    }
}

/// The row of a pipeline's only cell.
pub fn row(run: &Path, pipeline: &str) -> MeasuredCell {
    let data = RunData::load(run).expect("a finished run");
    let mut rows = data.measurements.into_iter();
    rows.find(|row| row.key.configuration() == pipeline).expect("the cell is a row")
}

/// The failures of a cassette, by class, and the number of its answers.
pub fn outcomes(contents: &Contents) -> (BTreeMap<&'static str, usize>, usize) {
    let (mut failures, mut answers) = (BTreeMap::new(), 0);
    for recorded in contents.entries.values() {
        match &recorded.outcome {
            Outcome::Answer { .. } => answers += 1,
            Outcome::Failure { class, .. } => *failures.entry(class.name()).or_default() += 1,
        }
    }
    (failures, answers)
}

/// What a request is recorded under, from what came over the wire.
pub fn key(seen: &Seen) -> RequestKey {
    let body = seen.json();
    let message = |message: &Value| CanonicalMessage {
        role: serde_json::from_value(message["role"].clone()).expect("a role"),
        text: message["content"].as_str().expect("a text").to_owned(),
    };
    let request = CanonicalRequest {
        model: body["model"].as_str().expect("a model").to_owned(),
        messages: body["messages"].as_array().expect("messages").iter().map(message).collect(),
        max_tokens: body["max_tokens"].as_u64().expect("a limit"),
        temperature: body["temperature"].as_f64().expect("a temperature"),
        seed: body["seed"].as_u64().expect("a seed"),
        replicate: 0,
    };
    request.key()
}

/// An answer that depends on the request and on nothing else.
pub fn answer(seen: &Seen) -> String {
    let words = seen.body.split(|c: char| !c.is_ascii_alphanumeric() && !"/._".contains(c));
    let named: Vec<&str> = words.filter(|word| word.contains(['/', '.'])).take(12).collect();
    format!("The work went on with {}. ({} bytes read)", named.join(", "), seen.body.len())
}
