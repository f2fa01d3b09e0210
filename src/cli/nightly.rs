//! `proctor nightly`: run a suite, keep the night, gate it, render; `proctor site`: render again.

use clap::FromArgMatches;

use crate::cli::gate::whole;
use crate::cli::prelude::*;
use crate::cli::run;
use crate::gate::{self, Baseline, Judgement, Policy, judge};
use crate::history::{Added, Day, GateFinding, GateNote, History, gather};
use crate::site;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/nightly.txt"))]
pub(super) struct Arguments {
    /// The suite to run
    #[arg(required_unless_present = "from", conflicts_with = "from")]
    suite: Option<String>,
    /// The history: one file a night; run directories are kept under its `runs`
    #[arg(long, value_name = "DIR")]
    history: PathBuf,
    /// Where the site is rendered
    #[arg(long, value_name = "DIR")]
    site: PathBuf,
    /// A run directory that is there already, in place of running
    #[arg(long, value_name = "RUN")]
    from: Option<PathBuf>,
    /// The run directory [default: HISTORY/runs/DATE-SUITE]; a stopped run is gone on with
    #[arg(long, value_name = "DIR", conflicts_with = "from")]
    out: Option<PathBuf>,
    /// A blessed baseline that the night is gated against
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// The gate's policy [default: the one of the binary, where a baseline is given]
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// The date that the night counts for [default: today, UTC]
    #[arg(long, value_name = "YYYY-MM-DD")]
    date: Option<Day>,
    /// Where the site will be found, for the links of its feed
    #[arg(long, value_name = "BASE")]
    url: Option<String>,
    /// Further arguments of `proctor run`
    #[arg(last = true, value_name = "RUN ARGUMENTS")]
    rest: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct SiteArguments {
    /// The history: a directory of nights
    history: PathBuf,
    /// Where the site is rendered
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Where the site will be found, for the links of its feed
    #[arg(long, value_name = "BASE")]
    url: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let date = arguments.date.clone().map_or_else(today, Ok)?;
    let gate = gate(arguments)?;
    let (directory, ran) = match (&arguments.from, &arguments.suite) {
        (Some(from), _) => (from.clone(), ExitCode::OK),
        (None, Some(suite)) => measure(arguments, suite, &date)?,
        (None, None) => return Err(Error::invalid("nightly", "it takes a suite, or `--from RUN`")),
    };
    let data = whole(&directory)?;
    if data.manifest.part.is_some() {
        let rule = "is a part of a run, and a night is a whole one";
        let hint = "join the parts with `proctor merge`, then add it by `--from`";
        return Err(Error::refused(directory.display().to_string(), rule, hint));
    }
    let (mut named, mut note) = (Vec::new(), None);
    if let Some((policy, baseline)) = &gate {
        let judgement = judge(baseline.as_ref(), &data, policy)?;
        say(&format!("gate: {}", judgement.verdict));
        named = policy.metrics().collect();
        note = Some(noted(&judgement));
    }
    let failed = note.as_ref().map(|note| note.exit_code).filter(|code| *code != ExitCode::OK);
    match History::add(&arguments.history, gather(&data, &date, &named, note))? {
        Added::Written(path) => say(&format!("night: {}", path.display())),
        Added::Known(path) => {
            say(&format!("night: {} (this run is there for this date)", path.display()));
        }
    }
    let history = History::load(&arguments.history)?;
    render(&history, &arguments.site, arguments.url.as_deref())?;
    Ok(failed.unwrap_or(ran))
}

/// The policy and the baseline that the night is gated by; `None` where neither is named.
fn gate(arguments: &Arguments) -> Result<Option<(Policy, Option<Baseline>)>> {
    let (policy, baseline) = (arguments.policy.as_deref(), arguments.baseline.as_deref());
    if policy.is_none() && baseline.is_none() {
        return Ok(None);
    }
    // A file that is not there is no baseline, which the gate says.
    let baseline = baseline.filter(|path| path.exists()).map(Baseline::load).transpose()?;
    Ok(Some((Policy::load(policy)?, baseline)))
}

/// What the night keeps of a judgement: its verdict, and what speaks against it.
fn noted(judgement: &Judgement) -> GateNote {
    const KEPT: usize = 20;
    let told = |finding: &gate::Finding| {
        let metric = finding.metric.as_ref().map_or(String::new(), |id| format!("{id} of "));
        let on = finding.scenario.as_ref().map_or(String::new(), |name| format!(" on {name}"));
        GateFinding {
            verdict: finding.verdict.name().to_owned(),
            says: format!("{metric}{}{on}: {}", finding.subject(), finding.reason),
        }
    };
    let against = judgement.findings.iter().filter(|finding| finding.fails());
    GateNote {
        verdict: judgement.verdict.name().to_owned(),
        exit_code: judgement.exit_code,
        findings: against.take(KEPT).map(told).collect(),
    }
}

fn measure(arguments: &Arguments, suite: &str, date: &Day) -> Result<(PathBuf, u8)> {
    let runs = arguments.history.join("runs");
    let stem = Path::new(suite).file_stem().and_then(|stem| stem.to_str()).unwrap_or(suite);
    let usual = |turn: usize| match turn {
        0 => runs.join(format!("{date}-{stem}")),
        turn => runs.join(format!("{date}-{stem}-{}", turn + 1)),
    };
    let mut turn = 0;
    loop {
        let out = arguments.out.clone().unwrap_or_else(|| usual(turn));
        match drive(arguments, suite, &out) {
            // Another program or other inputs on the same date: a run of its own.
            Err(Error::WrongRun { .. }) if arguments.out.is_none() && turn < 99 => turn += 1,
            Err(error) => return Err(error),
            Ok(code) => return Ok((out, code)),
        }
    }
}

fn drive(arguments: &Arguments, suite: &str, out: &Path) -> Result<u8> {
    let mut words: Vec<std::ffi::OsString> =
        vec!["run".into(), suite.into(), "--out".into(), out.into(), "--resume".into()];
    words.extend(arguments.rest.iter().map(Into::into));
    let command = run::Arguments::augment_args(clap::Command::new("run"));
    let matches = command.try_get_matches_from(words).unwrap_or_else(|error| error.exit());
    let parsed = run::Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    run::run(&parsed)
}

fn today() -> Result<Day> {
    let today = chrono::Utc::now().date_naive().to_string().parse::<Day>();
    today.map_err(|error| Error::invalid("--date", error.to_string()))
}

pub(super) fn site(arguments: &SiteArguments) -> Result<u8> {
    let history = History::load(&arguments.history)?;
    render(&history, &arguments.out, arguments.url.as_deref())?;
    Ok(ExitCode::OK)
}

fn render(history: &History, out: &Path, url: Option<&str>) -> Result<()> {
    let site = site::render(history, out, url)?;
    say(&format!("verdict: {}", site.verdict));
    talk(&format!("{} of {} files of the site are new", site.written, site.files));
    say(&format!("site: {}", site.index.display()));
    Ok(())
}
