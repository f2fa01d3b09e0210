//! `proctor submit`: a run in parts on a cluster.

use std::process::Command;

use super::run::next_free;
use crate::cli::prelude::*;
use crate::run_dir::write::write_whole;

/// Processors of an element.
const CPUS: u32 = 2;
/// More elements than schedulers take by default.
const MOST: u32 = 1_000;
/// Tokens of sessions that a processor drives in a minute, all cells of a session together: half of
/// what was measured on the machine of `docs/performance.md`, as others may be slower.
const TOKENS_A_MINUTE: f64 = 150e6;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/submit.txt"))]
pub(super) struct Arguments {
    /// The scheduler
    #[arg(value_enum)]
    to: Scheduler,
    /// Suites, scenarios or transcripts, as `proctor run` takes them
    #[arg(value_name = "SUITE | SCENARIO | TRANSCRIPT")]
    targets: Vec<String>,
    /// The run directory [default: the next free reports/runs/NAME-NNN]; scripts and logs stand
    /// beside it in DIR.submit, the parts in DIR.parts
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Minutes that an element is to take; as many parts as that needs, by estimate
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    minutes: u32,
    /// The number of parts in place of the estimate
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    parts: Option<u32>,
    /// Processors of an element
    #[arg(long, value_name = "N", default_value_t = CPUS, value_parser = clap::value_parser!(u32).range(1..=512))]
    cpus: u32,
    /// Submit the scripts too
    #[arg(long)]
    now: bool,
    /// An option of the scheduler's for both jobs, e.g. --option=--partition=short; may be given
    /// several times
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    option: Vec<String>,
    /// Further arguments of `proctor run`
    #[arg(last = true, value_name = "RUN ARGUMENTS")]
    rest: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Scheduler {
    /// A job array of Slurm, and a job that merges and reports
    Slurm,
}

/// What the scripts are made of.
struct Job {
    name: String,
    program: PathBuf,
    /// Where the command was run.
    here: PathBuf,
    /// Of `proctor run`.
    words: Vec<String>,
    out: PathBuf,
    parts: u32,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let Scheduler::Slurm = arguments.to;
    let words: Vec<String> = arguments.targets.iter().chain(&arguments.rest).cloned().collect();
    let plan = super::run::planned(&words)?;
    let out = arguments.out.clone().unwrap_or_else(|| next_free(&plan.suite.name));
    let here = whole(Path::new("."))?;
    let job = Job {
        name: plan.suite.name.clone(),
        program: std::env::current_exe()
            .map_err(|source| Error::io("find", Path::new("proctor"), source))?,
        words,
        out: whole(&out)?,
        parts: arguments.parts.unwrap_or_else(|| parts(crate::run::estimate(&plan), arguments)),
        here,
    };
    let folder = beside(&job.out, "submit");
    std::fs::create_dir_all(&folder).map_err(|source| Error::io("create", &folder, source))?;
    let scripts = [("array", job.array(arguments)), ("merge", job.merge(arguments))];
    for (name, text) in &scripts {
        write_whole(&folder, &format!("{name}.sbatch"), text.as_bytes())?;
    }
    let [array, merge] = ["array", "merge"].map(|name| folder.join(format!("{name}.sbatch")));
    if !arguments.now {
        say(shown!("array {}\nmerge {}", array.display(), merge.display()));
        talk(shown!(
            "{} parts; `proctor submit ... --now` submits them, or\n  \
             sbatch --dependency=afterany:$(sbatch --parsable {}) {}",
            job.parts,
            quoted(&array.display().to_string()),
            quoted(&merge.display().to_string())
        ));
        return Ok(ExitCode::OK);
    }
    let array = submitted(&[], &array)?;
    say(shown!("array {}", array));
    say(shown!("merge {}", submitted(&[format!("--dependency=afterany:{array}")], &merge)?));
    talk(shown!("{} parts into {}", job.parts, job.out.display()));
    Ok(ExitCode::OK)
}

/// As many parts as take so many minutes each.
fn parts(tokens: u64, arguments: &Arguments) -> u32 {
    let minutes = tokens as f64 / TOKENS_A_MINUTE / f64::from(arguments.cpus);
    (minutes / f64::from(arguments.minutes)).ceil().clamp(1.0, f64::from(MOST)) as u32
}

fn whole(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|source| Error::io("find", path, source))
}

fn beside(out: &Path, what: &str) -> PathBuf {
    out.with_added_extension(what)
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

impl Job {
    /// What both scripts begin with.
    fn head(&self, arguments: &Arguments, own: &[String]) -> String {
        let common = [
            format!("--job-name=proctor-{}", self.name),
            format!("--chdir={}", self.here.display()),
            // A job that starts again goes on with its log.
            "--open-mode=append".to_owned(),
        ];
        let options = common.iter().chain(own).chain(&arguments.option);
        let options: String = options.map(|option| format!("#SBATCH {option}\n")).collect();
        format!("#!/usr/bin/env bash\n{options}set -euo pipefail\n")
    }

    /// Where a job's output goes.
    fn log(&self, name: &str) -> String {
        format!("--output={}/{name}.log", beside(&self.out, "submit").display())
    }

    /// One element for each part. Whatever ended it, it goes on from what has landed.
    fn array(&self, arguments: &Arguments) -> String {
        let own = [
            format!("--array=1-{}", self.parts),
            "--requeue".to_owned(),
            format!("--cpus-per-task={}", arguments.cpus),
            self.log("part-%a"),
        ];
        let words: Vec<String> = self.words.iter().map(|word| quoted(word)).collect();
        format!(
            "{}exec {} run {} --partition auto/{} --resume --jobs \"$SLURM_CPUS_PER_TASK\" --out {}/\"$SLURM_ARRAY_TASK_ID\"\n",
            self.head(arguments, &own),
            quoted(&self.program.display().to_string()),
            words.join(" "),
            self.parts,
            quoted(&beside(&self.out, "parts").display().to_string()),
        )
    }

    /// Joins the parts and reports; where cells are missing it says which.
    fn merge(&self, arguments: &Arguments) -> String {
        let own = ["--requeue".to_owned(), self.log("merge")];
        format!(
            "{}exec {} merge {} {}/*\n",
            self.head(arguments, &own),
            quoted(&self.program.display().to_string()),
            quoted(&self.out.display().to_string()),
            quoted(&beside(&self.out, "parts").display().to_string()),
        )
    }
}

/// Submits a script: the number of its job.
fn submitted(options: &[String], script: &Path) -> Result<String> {
    let output = Command::new("sbatch").arg("--parsable").args(options).arg(script).output();
    let output = output.map_err(|source| {
        Error::io("run", Path::new("sbatch"), source)
            .with_hint("submit from a login node; without `--now` only the scripts are written")
    })?;
    if !output.status.success() {
        let rule = format!("it refused: {}", String::from_utf8_lossy(&output.stderr).trim());
        return Err(Error::invalid(format!("sbatch {}", script.display()), rule));
    }
    let said = String::from_utf8_lossy(&output.stdout);
    // The job, and behind a semicolon its cluster.
    Ok(said.trim().split(';').next().unwrap_or_default().to_owned())
}
