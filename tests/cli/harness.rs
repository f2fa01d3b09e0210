//! Runs the binary and looks at what it left.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

/// The files that must be the same bytes for the same inputs.
pub const IDENTITY: [&str; 14] = [
    "manifest.json",
    "inputs.json",
    "datapackage.json",
    "measurements.csv",
    "derived.csv",
    "curve.csv",
    "floor.parquet",
    "composition.parquet",
    "steps.parquet",
    "compactions.parquet",
    "facts.parquet",
    "survival.parquet",
    "triggers.parquet",
    "traces.jsonl.gz",
];

/// A directory of the test's own.
pub fn work() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

/// The identity set of a run directory, its stories among it.
pub fn identity(run: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |name: String| {
        let bytes = fs::read(run.join(&name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, bytes)
    };
    let stories = stories(run).into_iter().map(|name| format!("stories/{name}"));
    IDENTITY.into_iter().map(str::to_owned).chain(stories).map(read).collect()
}

/// Makes the digests of a run fit what its files say now, as whoever forges them would.
pub fn sealed(run: &Path) {
    let manifest = fs::read(run.join("manifest.json")).expect("it is there");
    proctor::run_dir::digests::seal(run, &manifest).expect("it is sealed");
}

/// The report of a run whose files are taken as they are.
pub fn reported(run: &Path) -> proctor::error::Result<proctor::report::ReportFiles> {
    sealed(run);
    proctor::report::write(run)
}

/// Kills a run once so many bytes of its cells have landed.
pub fn killed(line: Line, run: &Path, bytes: u64) {
    let mut child = line.spawn();
    let shard = run.join("shards/cells");
    for _ in 0..30_000 {
        if fs::metadata(&shard).is_ok_and(|meta| meta.len() > bytes) {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    assert!(!run.join("manifest.json").exists(), "the run had finished before it was killed");
}

/// The names of a run's story files, in order.
pub fn stories(run: &Path) -> Vec<String> {
    let listed = fs::read_dir(run.join("stories")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        listed.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A recorded session beside the checkout, if it is there.
pub fn shared(name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("../shared/sessions").join(name);
    if !path.exists() {
        skipped("the recorded sessions are not there");
        return None;
    }
    Some(path)
}

/// Says that a test did nothing, and why.
pub fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// A command line in the making.
pub struct Line(Command);

/// `proctor` with these words, from a directory without runs of its own.
pub fn proctor(words: &[&str]) -> Line {
    let mut command = Command::new(env!("CARGO_BIN_EXE_proctor"));
    command.args(words).env("NO_COLOR", "1").stdin(Stdio::null());
    Line(command)
}

/// What a command line did.
pub struct Outcome {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Line {
    pub fn arg(mut self, path: &Path) -> Line {
        self.0.arg(path);
        self
    }

    pub fn args(mut self, words: &[&str]) -> Line {
        self.0.args(words);
        self
    }

    /// From another directory.
    pub fn within(mut self, directory: &Path) -> Line {
        self.0.current_dir(directory);
        self
    }

    /// In another home directory.
    pub fn at_home(mut self, home: &Path) -> Line {
        self.0.env("HOME", home);
        self
    }

    /// With colours, though stdout is no terminal.
    pub fn coloured(mut self) -> Line {
        self.0.env_remove("NO_COLOR").env("CLICOLOR_FORCE", "1");
        self
    }

    pub fn run(mut self) -> Outcome {
        let output = self.0.output().expect("the binary runs");
        Outcome {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    pub fn spawn(mut self) -> Child {
        self.0.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary runs")
    }
}

impl Outcome {
    #[track_caller]
    pub fn succeeds(&self) {
        assert_eq!(self.code, 0, "{}\n{}", self.stdout, self.stderr);
    }

    #[track_caller]
    pub fn fails_with(&self, code: i32, words: &str) {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        assert!(self.stderr.contains(words), "no `{words}` in\n{}", self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }
}
