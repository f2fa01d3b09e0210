//! Where a strategy comes from and what its parameters decide.

use std::fmt::Write as _;

use crate::cli::{say, table};
use crate::error::{Error, Result};
use crate::ident;
use crate::matrix::load_pipeline;
use crate::pipeline::{self, Pipeline, Stage};
use crate::pressure::{Limit, Pressure, When};
use crate::strategy::{KNOWN, StrategySpec};

/// Prints a pipeline, or a strategy with the parameters it has where a file says nothing.
pub(super) fn show(name: &str) -> Result<()> {
    let known = KNOWN.iter().find(|known| known.name == name);
    let ships = pipeline::EMBEDDED.iter().any(|(known, _)| *known == name);
    let is_file = std::path::Path::new(name).extension().is_some_and(|end| end == "toml");
    match known {
        _ if ships || is_file => say(&whole(&load_pipeline(name)?)),
        Some(known) => {
            say(&format!("{}: {}", known.name, known.about.trim()));
            say(&parameters(&(known.standard)()));
        }
        None => {
            let names = KNOWN.iter().map(|known| known.name);
            let names = names.chain(pipeline::EMBEDDED.iter().map(|(name, _)| *name));
            let hint = ident::nearest(name, names).map(|near| format!("did you mean `{near}`?"));
            return Err(Error::Unknown {
                what: "pipeline or strategy",
                name: name.to_owned(),
                hint,
            });
        }
    }
    Ok(())
}

fn whole(pipeline: &Pipeline) -> String {
    let mut text = format!("{}: {}\n", pipeline.name, pipeline.about);
    // OK because writing to a string cannot fail; so below.
    let _ = writeln!(text, "source:    {}", pipeline.source);
    let _ = writeln!(text, "fidelity:  {}", pipeline.fidelity.told());
    if let Some(reference) = &pipeline.reference {
        let _ = writeln!(text, "reference: {reference}");
    }
    let counter = &pipeline.counter;
    let _ = writeln!(
        text,
        "counts:    {}, {} a message, {} a list",
        counter.tokenizer.name(),
        counter.overhead(),
        counter.per_list
    );
    for (number, stage) in pipeline.stages.iter().enumerate() {
        let _ = write!(text, "\nstage {}: {}", number + 1, described(stage));
    }
    text.trim_end().to_owned()
}

fn described(stage: &Stage) -> String {
    let mut text = format!("{}\n", stage.strategy.name());
    for (occasion, when) in &stage.on {
        let when = match when {
            When::Always => "always",
            When::Pressure => "under pressure",
        };
        let _ = writeln!(text, "  {}: {when}", occasion.name());
    }
    for pressure in &stage.pressure {
        let _ = writeln!(text, "  pressure: {}", inequality(pressure));
    }
    let _ = writeln!(text, "{}", parameters(&stage.strategy));
    text
}

fn inequality(pressure: &Pressure) -> String {
    let used: Vec<String> = pressure.used.iter().map(|used| used.name().to_owned()).collect();
    let sign = match pressure.compare {
        crate::pressure::Comparison::AtLeast => "≥",
        crate::pressure::Comparison::Above => ">",
    };
    let mut text = format!("{} {sign} {}", used.join(" + "), amount(&pressure.limit));
    if let Some(target) = &pressure.target {
        let _ = write!(text, ", down to {}", amount(target));
    }
    text
}

fn amount(limit: &Limit) -> String {
    let base = limit.tokens.map_or_else(|| "window".to_owned(), |tokens| tokens.to_string());
    let less: Vec<&str> = limit.less.iter().map(|used| used.name()).collect();
    let base = match less.is_empty() {
        true => base,
        false => format!("({base} - {})", less.join(" - ")),
    };
    let reserve = match limit.reserve.0 {
        0 => String::new(),
        tokens => format!(" - {tokens}"),
    };
    format!("{} × {base}{reserve}", limit.share)
}

/// Parameters with their values: eligibility holds under the floor probe, pressure does
/// not.
fn parameters(spec: &StrategySpec) -> String {
    let values = serde_json::to_value(spec).unwrap_or_default();
    let values = values.get(spec.name()).cloned().unwrap_or_default();
    let described = spec.strategy().parameters();
    if described.is_empty() {
        return "  no parameters".to_owned();
    }
    let mut shown = table::plain(&["  parameter", "value", "decides", "meaning"]);
    for column in shown.column_iter_mut() {
        column.set_cell_alignment(comfy_table::CellAlignment::Left);
    }
    for parameter in described {
        let value = values.get(parameter.name).map(ToString::to_string).unwrap_or_default();
        shown.add_row([
            format!("  {}", parameter.name),
            value,
            parameter.rule.name().to_owned(),
            parameter.meaning.to_owned(),
        ]);
    }
    shown.to_string()
}
