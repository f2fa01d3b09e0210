//! `proctor nightly`: run a suite, keep the night, gate it, render; `proctor site`: render again.

use clap::FromArgMatches;

use crate::cli::prelude::*;
use crate::cli::run;
use crate::gate::{self, Baseline, Judgement, Policy, judge};
use crate::history::kept::{NightOf, keep, runs};
use crate::history::parameters::parameters;
use crate::history::{Acknowledged, Added, Day, GateFinding, GateNote, History, gather};
use crate::site::{self, RunLinks};

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
    #[arg(long, value_name = "BASE", value_parser = web_address)]
    url: Option<String>,
    /// Changes that are known, with reasons [default: HISTORY/acknowledged.toml, where it is there]
    #[arg(long, value_name = "FILE")]
    acknowledged: Option<PathBuf>,
    /// Exit with 20 while a figure stands worse than before and nobody has acknowledged it
    #[arg(long)]
    strict_history: bool,
    /// Keep the runs of the last N nights under HISTORY/runs and remove those of earlier ones
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
    /// Further arguments of `proctor run`
    #[arg(last = true, value_name = "RUN ARGUMENTS")]
    rest: Vec<String>,
}

/// An address that a page may link to.
fn web_address(text: &str) -> std::result::Result<String, String> {
    let is_web = ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme));
    let is_plain = text.chars().all(|c| c.is_ascii_graphic() && !"<>\"'`\\{}^|".contains(c));
    match is_web && is_plain {
        true => Ok(text.to_owned()),
        false => Err("expected an address that begins with http:// or https://".to_owned()),
    }
}

#[derive(Debug, Args)]
pub(super) struct SiteArguments {
    /// The history: a directory of nights
    history: PathBuf,
    /// Where the site is rendered
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Where the site will be found, for the links of its feed
    #[arg(long, value_name = "BASE", value_parser = web_address)]
    url: Option<String>,
    /// The policy whose margins count [default: the one of the binary]
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Changes that are known, with reasons [default: HISTORY/acknowledged.toml, where it is there]
    #[arg(long, value_name = "FILE")]
    acknowledged: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let date = arguments.date.clone().map_or_else(today, Ok)?;
    let gate = gate(arguments)?;
    let history = &arguments.history;
    // Before the run, which may take an hour.
    let acknowledged = acknowledged(history, arguments.acknowledged.as_deref())?;
    let (directory, ran) = match (&arguments.from, &arguments.suite) {
        (Some(from), _) => (from.clone(), ExitCode::OK),
        (None, Some(suite)) => measure(arguments, suite, &date)?,
        (None, None) => {
            let hint =
                "`proctor nightly default --history DIR --site DIR` drives the default suite";
            return Err(Error::refused("nightly", "it takes a suite, or `--from RUN`", hint));
        }
    };
    let data = RunData::load(&directory)?;
    if data.manifest.part.is_some() {
        let rule = "is a part of a run, and a night is a whole one";
        let hint = "join the parts with `proctor merge`, then add it by `--from`";
        return Err(Error::refused(directory.display().to_string(), rule, hint));
    }
    let (mut named, mut note) = (Vec::new(), None);
    if let Some((policy, baseline)) = &gate {
        let judgement = judge(baseline.as_ref(), &data, policy)?;
        say(shown!("gate: {}", judgement.verdict));
        named = policy.metrics().collect();
        note = Some(noted(&judgement));
    }
    let failed = note.as_ref().map(|note| note.exit_code).filter(|code| *code != ExitCode::OK);
    let mut night = gather(&data, &date, &named, note);
    night.parameters = parameters(&directory)?;
    match History::add(history, night)? {
        Added::Written(path) => say(shown!("night: {}", path.display())),
        Added::Known(path) => {
            say(shown!("night: {} (this run is there for this date)", path.display()));
        }
    }
    let nights = History::load(history)?;
    if let Some(last) = arguments.keep {
        for path in keep(history, &nights.nights, last as usize)? {
            talk(shown!("removed: {}", path.display()));
        }
    }
    let base = arguments.url.clone();
    let policy = gate.map(|(policy, _)| policy);
    let runs = links(history, &nights, &arguments.site)?;
    let options = site::Options { base, policy, acknowledged, runs };
    let standing = render(&nights, &arguments.site, &options)?;
    let worse = (arguments.strict_history && standing > 0).then_some(ExitCode::REGRESSION);
    Ok(failed.or(worse).unwrap_or(ran))
}

/// The file that is named, else the history's own, which need not be there.
fn acknowledged(history: &Path, named: Option<&Path>) -> Result<Acknowledged> {
    let usual = history.join("acknowledged.toml");
    match named {
        Some(path) => Acknowledged::load(path),
        None if usual.exists() => Acknowledged::load(&usual),
        None => Ok(Acknowledged::default()),
    }
}

/// Where the runs of the nights lie, as the pages of the site link to them.
fn links(history: &Path, nights: &History, site: &Path) -> Result<BTreeMap<NightOf, RunLinks>> {
    std::fs::create_dir_all(site).map_err(|source| Error::io("create", site, source))?;
    let whole = |path: &Path| path.canonicalize().map_err(|source| Error::io("read", path, source));
    let from = whole(site)?;
    let link = |(path, night): (PathBuf, NightOf)| {
        let directory = relative(&from, &whole(&path)?);
        let has_report = path.join("report.html").is_file();
        let report = has_report.then(|| format!("{directory}/report.html"));
        Ok((night, RunLinks { directory, report }))
    };
    runs(history, &nights.nights)?.into_iter().map(link).collect()
}

/// The way from one directory to another, with slashes; both are whole paths.
fn relative(from: &Path, to: &Path) -> String {
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let same = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = std::iter::repeat_n("..".to_owned(), from.len() - same);
    let down = to[same..].iter().map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
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
    let history = &arguments.history;
    let nights = History::load(history)?;
    let options = site::Options {
        base: arguments.url.clone(),
        policy: arguments.policy.as_deref().map(|path| Policy::load(Some(path))).transpose()?,
        acknowledged: acknowledged(history, arguments.acknowledged.as_deref())?,
        runs: links(history, &nights, &arguments.out)?,
    };
    render(&nights, &arguments.out, &options)?;
    Ok(ExitCode::OK)
}

/// Renders, says what came of it, and counts the figures that stand worse.
fn render(history: &History, out: &Path, options: &site::Options) -> Result<usize> {
    let site = site::render(history, out, options)?;
    say(shown!("verdict: {}", site.verdict));
    talk(shown!("{} of {} files of the site are new", site.written, site.files));
    say(shown!("site: {}", site.index.display()));
    Ok(site.standing)
}
