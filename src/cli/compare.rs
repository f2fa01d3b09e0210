//! `proctor compare`: run against run, or configurations of one run.

use clap::ValueEnum;

use crate::cli::prelude::*;
use crate::compare::{HEADLINES, Question, compare, render};
use crate::measure::MetricId;
use crate::stats::estimate::Unit;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/compare.txt"))]
pub(super) struct Arguments {
    /// The run directory that is compared with
    base: PathBuf,
    /// The run directory that is compared; without it, configurations of one run are
    candidate_run: Option<PathBuf>,
    /// Configuration that others are compared with [default: in two runs, each with itself]
    #[arg(long, value_name = "CONFIGURATION")]
    baseline: Option<String>,
    /// Configurations that are compared [default: all]
    #[arg(long, value_name = "CONFIGURATION", value_delimiter = ',')]
    candidate: Vec<String>,
    /// Metrics: the family of tests [default: eight headline figures]
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    metric: Vec<String>,
    /// Difference of a metric that does not matter [default: 0.05 of shares, else 5 %]
    #[arg(long, value_name = "ID=VALUE")]
    margin: Vec<String>,
    /// What the answer is about: sessions of these scenarios, or scenarios like these
    #[arg(long, value_enum, default_value_t = About::These)]
    about: About,
    /// Compare what two runs have in common although their inputs differ
    #[arg(long)]
    allow: bool,
    /// Form of the answer
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Text,
    Json,
    Csv,
    /// A table of booktabs
    Latex,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum About {
    /// What scenarios differ in is no noise
    These,
    /// The unit is the scenario
    LikeThese,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let question = question(arguments)?;
    let base = RunData::load(&arguments.base)?;
    let other = arguments.candidate_run.as_deref().map(RunData::load).transpose()?;
    let comparison = compare(&base, other.as_ref(), &question)?;
    let answer = match arguments.format {
        Format::Text => render::text(&comparison, table::drawn),
        Format::Json => {
            say(render::json(&comparison)?);
            return Ok(ExitCode::OK);
        }
        Format::Latex => render::latex(&comparison),
        Format::Csv => render::csv(&comparison)?.trim_end().to_owned(),
    };
    say(Shown::laid_out(&answer));
    Ok(ExitCode::OK)
}

fn question(arguments: &Arguments) -> Result<Question> {
    let metrics = match arguments.metric.is_empty() {
        true => HEADLINES.to_vec(),
        false => arguments.metric.iter().map(|name| name.parse()).collect::<Result<_>>()?,
    };
    Ok(Question {
        metrics,
        margins: arguments.margin.iter().map(|text| margin(text)).collect::<Result<_>>()?,
        baseline: arguments.baseline.clone(),
        candidates: arguments.candidate.clone(),
        unit: match arguments.about {
            About::These => Unit::WithinScenarios,
            About::LikeThese => Unit::Scenarios,
        },
        allow: arguments.allow,
        spends: 1.0,
    })
}

fn margin(text: &str) -> Result<(MetricId, f64)> {
    let wrong = |rule: &str| Error::invalid(format!("--margin {text}"), rule);
    let (id, value) = text.split_once('=').ok_or_else(|| wrong("it reads METRIC=VALUE"))?;
    let found = id.parse().map_err(|error: Error| error.within(format!("--margin {text}")))?;
    let value = value.parse().ok().filter(|value: &f64| value.is_finite() && *value > 0.0);
    let value = value.ok_or_else(|| wrong("the value is a number above 0"))?;
    Ok((found, value))
}
