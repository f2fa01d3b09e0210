//! `proctor vs`: which of two strategies is better, and in what.

mod page;

use crate::cli::gate::driven::{self, USUAL};
use crate::cli::gate::driver::{Driver, Seen};
use crate::cli::live::EndpointArguments;
use crate::cli::prelude::*;
use crate::cli::table::Plain;
use crate::compare::{Comparison, Favour, LEAST_SESSIONS, Question, Row, compare};
use crate::drive::Mode;
use crate::gate::{Change, amount, called, changes, figure, moved_facts};
use crate::matrix::{Summarizer, load_pipeline};
use crate::measure::MetricId;
use crate::number::{self, UNDEFINED};
use crate::run::Plan;
use crate::run_dir::write::Scratch;
use crate::stats::estimate::Unit;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/vs.txt"))]
pub(super) struct Arguments {
    /// A strategy: a name (`proctor list strategies`) or a TOML file
    #[arg(value_name = "A")]
    one: String,
    /// The other; two files may differ in nothing but a prompt
    #[arg(value_name = "B")]
    other: String,
    /// The suite whose scenarios both are driven over
    #[arg(default_value = USUAL)]
    suite: String,
    /// Stop at so many sessions of each, if some figure is still open then
    #[arg(long, value_name = "N", default_value_t = 64)]
    sessions: usize,
    /// The summarizer in place of the suite's (`proctor list summarizers`)
    #[arg(long, value_name = "NAME")]
    summarizer: Option<Summarizer>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = super::threads)]
    jobs: Option<usize>,
    /// Write the comparison as a page: figures, what the second does otherwise, facts won and lost
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    at: EndpointArguments,
    /// Keep the driven runs as DIR/baseline (A) and DIR/candidate (B)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What is compared, most telling first.
const FIGURES: [MetricId; 5] = [
    MetricId::Completion,
    MetricId::RecallAtNeed,
    MetricId::RecallAtNeedUnder025,
    MetricId::CostUsd,
    MetricId::FloorOnePassMean,
];

/// Sessions that are driven before the first look, at least.
const FIRST: usize = 16;

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let names = [&arguments.one, &arguments.other];
    let [one, other] = names.map(|given| load_pipeline(registry(), given));
    let pipelines = [one?, other?];
    let sides = Sides::new(names, pipelines.each_ref().map(|one| one.name.clone()))?;
    let [own, changed] = names.map(|given| plan(given, arguments));
    let plans = [own?, changed?];
    let scratch = Scratch::new("vs");
    let driver = Driver::new(arguments.out.as_deref(), &scratch.0, arguments.jobs);
    let driver = driver.asking(&plans, &arguments.at)?;
    let scenarios = plans[0].scenarios.len().max(1);
    let most = (arguments.sessions / scenarios).max(plans[0].suite.seeds.len());
    let answer = driver.until(&plans, Some(most), |seen| {
        let comparison = compared(&sides, seen)?;
        let is_open = comparison.rows.iter().any(|row| row.favour() == Favour::Open);
        let sessions = seen.run.manifest.sessions.len();
        let manifest = &seen.run.manifest;
        let summarizer = manifest.called(manifest.main_summarizer());
        Ok((seen.look.is_last() || !is_open).then_some((comparison, sessions, summarizer)))
    })?;
    let Some((comparison, sessions, summarizer)) = answer else {
        return Err(Error::invalid("proctor vs", "no session was driven"));
    };
    let kind = if plans[0].asks_a_model() { "model" } else { "summarizer" };
    let about = format!(
        "{sessions} sessions of each strategy (suite `{}`), {kind} `{summarizer}`; intervals are of paired \
         differences",
        arguments.suite
    );
    let sentence = sides.sentence(&comparison.rows, sessions);
    say(Shown::laid_out(&sides.table(&comparison.rows)));
    say(shown!("\n{}", about));
    say(Shown::laid_out(&sentence));
    let [before, after] = &pipelines;
    let changed: Vec<String> = changes(before, after, None).iter().map(Change::told).collect();
    // Of two strategies all is other; of two versions of one it is worth saying what.
    let is_version = before.stages.len() == after.stages.len()
        && before
            .stages
            .iter()
            .zip(&after.stages)
            .all(|(one, other)| one.strategy.name() == other.strategy.name());
    let names = [&*before.name, &*after.name];
    if is_version || arguments.html.is_some() {
        let facts = moved_facts(registry(), &driver.pairs(), names)?;
        if is_version {
            say(shown!(""));
            changed.iter().for_each(|line| say(shown!("changed: {}", line)));
            facts.told().iter().for_each(|line| say(shown!("{}", line)));
        }
        if let Some(path) = &arguments.html {
            let rows = comparison.rows.iter().map(|row| sides.row(row)).collect();
            let (shown, sentence, about) = (&sides.shown, &*sentence, &*about);
            let (pipelines, facts) = (&pipelines, &facts);
            page::Page { shown, sentence, about, rows, changed, pipelines, facts }.write(path)?;
            say(shown!("page: {}", path.display()));
        }
    }
    Ok(ExitCode::OK)
}

fn plan(given: &str, arguments: &Arguments) -> Result<Plan> {
    let mut suite = driven::alone(driven::suite(&arguments.suite)?, given);
    suite.modes = vec![Mode::Deployed];
    suite.brackets.clear();
    suite.windowless.clear();
    suite.replicates = 1;
    suite.summarizer = arguments.summarizer.unwrap_or(suite.summarizer);
    let seeds = FIRST.min(arguments.sessions).div_ceil(suite.scenarios.len().max(1)) as u64;
    let seeds = seeds.max(1);
    driven::plan(suite, &arguments.suite, &(1..=seeds).collect::<Vec<u64>>())
}

fn compared(sides: &Sides, seen: Seen) -> Result<Comparison> {
    let question = Question {
        metrics: FIGURES.to_vec(),
        margins: BTreeMap::new(),
        baseline: Some(sides.pipelines[0].clone()),
        candidates: vec![sides.pipelines[1].clone()],
        unit: Unit::WithinScenarios,
        allow: false,
        spends: seen.look.share(),
    };
    compare(seen.base, Some(seen.run), &question)
}

/// The two sides: as figures name them, and as they are told apart.
struct Sides {
    pipelines: [String; 2],
    shown: [String; 2],
}

impl Sides {
    fn new(given: [&String; 2], pipelines: [String; 2]) -> Result<Sides> {
        let shown =
            if pipelines[0] == pipelines[1] { given.map(String::clone) } else { pipelines.clone() };
        if shown[0] == shown[1] {
            let hint = "name two: `proctor vs forge-adr codex`, or two files";
            return Err(Error::refused(format!("`{}`", shown[0]), "it is both sides", hint));
        }
        Ok(Sides { pipelines, shown })
    }

    fn table(&self, rows: &[Row]) -> String {
        let [one, other] = &self.shown;
        let head = ["", one, other, "difference", "verdict"].map(str::to_owned);
        let mut table = Plain::new(head.to_vec(), vec![true, false, false, false, true]);
        for row in rows {
            table.add_row(self.row(row));
        }
        table.to_string()
    }

    fn row(&self, row: &Row) -> [String; 5] {
        let mean = |value: Option<f64>| {
            value.map_or_else(|| UNDEFINED.to_owned(), |value| figure(row.metric, value))
        };
        [
            called(row.metric).to_owned(),
            mean(row.baseline_mean),
            mean(row.candidate_mean),
            difference(row),
            self.verdict(row),
        ]
    }

    fn verdict(&self, row: &Row) -> String {
        match row.favour() {
            Favour::Baseline => format!("`{}` is better", self.shown[0]),
            Favour::Candidate => format!("`{}` is better", self.shown[1]),
            Favour::Neither => format!("alike, within {}", amount(row.metric, row.margin)),
            Favour::Open if row.n < LEAST_SESSIONS => {
                format!("open: too few sessions have it on both sides ({})", row.n)
            }
            Favour::Open => "open".to_owned(),
        }
    }

    /// What is better in what, in a sentence.
    fn sentence(&self, rows: &[Row], sessions: usize) -> String {
        let of = |favour: Favour| {
            let rows = rows.iter().filter(|row| row.favour() == favour);
            listed(&rows.map(|row| called(row.metric)).collect::<Vec<_>>())
        };
        let better = |name: &String, what: String| format!("`{name}` is better in {what}");
        let parts = [
            of(Favour::Baseline).map(|what| better(&self.shown[0], what)),
            of(Favour::Candidate).map(|what| better(&self.shown[1], what)),
            of(Favour::Neither).map(|what| format!("they do not differ in {what}")),
            of(Favour::Open).map(|what| format!("after {sessions} sessions this is open: {what}")),
        ];
        format!("{}.", parts.into_iter().flatten().collect::<Vec<String>>().join("; "))
    }
}

/// The paired difference with its interval, second less first.
fn difference(row: &Row) -> String {
    let is_share = row.metric.metric().unit == "share";
    let signed = |value: f64| {
        let sign = if value < 0.0 { "−" } else { "+" };
        format!("{sign}{}", amount(row.metric, value.abs()))
    };
    let end = |value: f64| if is_share { number::points(value) } else { signed(value) };
    let Some(by) = row.difference else { return UNDEFINED.to_owned() };
    let interval = row.low.zip(row.high);
    let interval = interval.map(|(low, high)| format!(" [{}, {}]", end(low), end(high)));
    format!("{}{}", signed(by), interval.unwrap_or_default())
}

/// `a`, `a and b`, `a, b and c`; none of none.
fn listed(words: &[&str]) -> Option<String> {
    match words {
        [] => None,
        [one] => Some((*one).to_owned()),
        [first @ .., last] => Some(format!("{} and {last}", first.join(", "))),
    }
}
