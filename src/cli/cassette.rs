//! `proctor cassette`: recorded calls of a model, looked at and joined.

use std::collections::BTreeSet;

use clap::Subcommand;

use crate::cli::bless::folder_of;
use crate::cli::prelude::*;
use crate::cli::synth::not_there;
use crate::run_dir::write::write_whole;
use crate::summarize::cassette::{self, Conflicts, Contents, Outcome, Recorded, Usage};

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
        What::Show { file } => show(file),
        What::Merge(arguments) => merge(arguments),
    }
    .map(|()| ExitCode::OK)
}

fn show(file: &Path) -> Result<()> {
    let contents = Contents::read(file)?;
    say(Shown::laid_out(&overview(&contents)));
    if let Some(line) = contents.cut_off {
        talk(shown!("warning: {}:{}: the line is cut off and not counted", file.display(), line));
    }
    Ok(())
}

fn merge(arguments: &Merge) -> Result<()> {
    let out = &arguments.out;
    not_there(out, out.display().to_string(), "give another name, or remove it first")?;
    let read = |path: &PathBuf| -> Result<(String, Contents)> {
        Ok((path.display().to_string(), Contents::read(path)?.whole(path)?))
    };
    let cassettes = arguments.cassettes.iter().map(read).collect::<Result<Vec<_>>>()?;
    let conflicts = if arguments.prefer_first { Conflicts::PreferFirst } else { Conflicts::Refuse };
    let merged = cassette::merge(&cassettes, conflicts)?;
    let bytes = cassette::render(&merged, out)?;
    let Some(name) = out.file_name() else {
        return Err(Error::invalid(out.display().to_string(), "the path names no file"));
    };
    write_whole(folder_of(out), &name.to_string_lossy(), &bytes)?;
    talk(shown!("{} calls, {} bytes", merged.len(), bytes.len()));
    say(shown!("{}", out.display()));
    Ok(())
}

fn overview(contents: &Contents) -> String {
    let mut models: BTreeMap<&str, Vec<&Recorded>> = BTreeMap::new();
    for recorded in contents.entries.values() {
        models.entry(&recorded.model).or_default().push(recorded);
    }
    let head =
        "model/calls/failures/dates/prompt tokens/of these cached/answer tokens/without usage";
    let mut table = table::plain(&head.split('/').collect::<Vec<_>>());
    models.iter().for_each(|(model, calls)| table.add_row(row(model, calls)));
    let Contents { entries, replaced, file_bytes, .. } = contents;
    let calls = entries.len();
    format!("{table}\n{calls} calls, {replaced} replaced by a later line, {file_bytes} bytes")
}

fn row(model: &str, calls: &[&Recorded]) -> [String; 8] {
    let mut failures: BTreeMap<&str, usize> = BTreeMap::new();
    for call in calls {
        if let Outcome::Failure { class, .. } = &call.outcome {
            *failures.entry(class.name()).or_default() += 1;
        }
    }
    let failures: Vec<String> =
        failures.iter().map(|(class, calls)| format!("{class} {calls}")).collect();
    let dates: BTreeSet<&str> = calls.iter().map(|call| call.date.as_str()).collect();
    let dates = match (dates.first(), dates.last()) {
        (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
        (only, _) => only.copied().unwrap_or_default().to_owned(),
    };
    let sum = |of: fn(Usage) -> u64| {
        let usages = calls.iter().filter_map(|call| call.usage);
        usages.map(of).fold(0, u64::saturating_add).to_string()
    };
    [
        sanitize::terminal(model),
        calls.len().to_string(),
        if failures.is_empty() { "–".to_owned() } else { failures.join(", ") },
        dates,
        sum(|usage| usage.prompt),
        sum(|usage| usage.cached.unwrap_or(0)),
        sum(|usage| usage.completion),
        calls.iter().filter(|call| call.usage.is_none()).count().to_string(),
    ]
}
