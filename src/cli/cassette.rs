//! `proctor cassette`: recorded calls of a model, looked at and joined.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::cli::{say, table, talk};
use crate::error::{Error, ExitCode, Result};
use crate::run_dir::write::write_whole;
use crate::sanitize;
use crate::summarize::cassette::{self, Conflicts, Contents, Outcome, Recorded};

/// Arguments of `proctor cassette`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Say what a cassette holds: models, dates, calls, failures, tokens
    Show {
        /// The cassette; a name that ends in `.gz` is read compressed
        file: PathBuf,
    },
    /// Join cassettes into one, sorted by key
    Merge(Merge),
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  proctor cassette merge all.jsonl.gz monday.jsonl tuesday.jsonl"
)]
struct Merge {
    /// The cassette to write; compressed if the name ends in `.gz`
    out: PathBuf,
    /// The cassettes to join
    #[arg(required = true)]
    cassettes: Vec<PathBuf>,
    /// Where outcomes of a request differ, keep that of the cassette named first
    #[arg(long)]
    prefer_first: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    match &arguments.what {
        What::Show { file } => show(file)?,
        What::Merge(arguments) => merge(arguments)?,
    }
    Ok(ExitCode::OK)
}

fn show(file: &Path) -> Result<()> {
    let contents = Contents::read(file)?;
    say(&overview(&contents));
    if let Some(line) = contents.cut_off {
        talk(&format!("warning: {}:{line}: the line is cut off and not counted", file.display()));
    }
    Ok(())
}

fn merge(arguments: &Merge) -> Result<()> {
    let out = &arguments.out;
    if out.exists() {
        return Err(Error::Invalid {
            place: out.display().to_string(),
            rule: "the file exists already".to_owned(),
            hint: Some("give another name, or remove it first".to_owned()),
        });
    }
    let read = |path: &PathBuf| -> Result<(String, Contents)> {
        Ok((path.display().to_string(), Contents::read(path)?.whole(path)?))
    };
    let cassettes = arguments.cassettes.iter().map(read).collect::<Result<Vec<_>>>()?;
    let conflicts = if arguments.prefer_first { Conflicts::PreferFirst } else { Conflicts::Refuse };
    let merged = cassette::merge(&cassettes, conflicts)?;
    let bytes = cassette::render(&merged, out)?;
    let (Some(name), Some(dir)) = (out.file_name(), out.parent()) else {
        return Err(Error::invalid(out.display().to_string(), "the path names no file"));
    };
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    write_whole(dir, &name.to_string_lossy(), &bytes)?;
    talk(&format!("{} calls, {} bytes", merged.len(), bytes.len()));
    say(&out.display().to_string());
    Ok(())
}

/// What one model was asked.
#[derive(Default)]
struct Tally {
    calls: u64,
    failures: BTreeMap<&'static str, u64>,
    first: String,
    last: String,
    prompt: u64,
    cached: u64,
    completion: u64,
    /// Calls whose tokens the provider did not give.
    unmetered: u64,
}

impl Tally {
    fn add(&mut self, recorded: &Recorded) {
        if self.calls == 0 || recorded.date < self.first {
            self.first.clone_from(&recorded.date);
        }
        if recorded.date > self.last {
            self.last.clone_from(&recorded.date);
        }
        self.calls += 1;
        if let Outcome::Failure { class, .. } = &recorded.outcome {
            *self.failures.entry(class.name()).or_default() += 1;
        }
        match recorded.usage {
            Some(usage) => {
                self.prompt = self.prompt.saturating_add(usage.prompt);
                self.cached = self.cached.saturating_add(usage.cached.unwrap_or(0));
                self.completion = self.completion.saturating_add(usage.completion);
            }
            None => self.unmetered += 1,
        }
    }

    fn row(&self, model: &str) -> [String; 8] {
        let failures = self.failures.iter().map(|(class, calls)| format!("{class} {calls}"));
        let failures: Vec<String> = failures.collect();
        [
            sanitize::terminal(model),
            self.calls.to_string(),
            if failures.is_empty() { "–".to_owned() } else { failures.join(", ") },
            if self.first == self.last {
                self.first.clone()
            } else {
                format!("{} to {}", self.first, self.last)
            },
            self.prompt.to_string(),
            self.cached.to_string(),
            self.completion.to_string(),
            self.unmetered.to_string(),
        ]
    }
}

fn overview(contents: &Contents) -> String {
    let mut models: BTreeMap<&str, Tally> = BTreeMap::new();
    for recorded in contents.entries.values() {
        models.entry(&recorded.model).or_default().add(recorded);
    }
    let mut table = table::plain(&[
        "model",
        "calls",
        "failures",
        "dates",
        "prompt tokens",
        "of these cached",
        "answer tokens",
        "without usage",
    ]);
    for (model, tally) in &models {
        table.add_row(tally.row(model));
    }
    format!(
        "{table}\n{} calls, {} replaced by a later line, {} bytes",
        contents.entries.len(),
        contents.replaced,
        contents.file_bytes
    )
}
