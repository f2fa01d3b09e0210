//! Where a strategy comes from and what its parameters decide.

use std::fmt::Write as _;

use minijinja::value::Serde;
use minijinja::{Value, context};

use crate::cli::paper::Paper;
use crate::cli::prelude::*;
use crate::cli::run::is_toml;
use crate::matrix::load_pipeline;
use crate::pipeline::{Pipeline, Stage};
use crate::pressure::{Limit, Pressure, When};
use crate::strategy::StrategySpec;

const TEMPLATES: [(&str, &str); 1] = [("strategy", include_str!("templates/strategy.txt"))];

/// Prints a pipeline, or a strategy with the parameters it has where a file says nothing.
pub(super) fn show(name: &str) -> Result<()> {
    let registry = registry();
    let known = registry.strategies().iter().find(|known| known.name == name);
    let ships = registry.pipeline_names().any(|known| known == name);
    match known {
        _ if ships || is_toml(name) => {
            say(Shown::laid_out(&whole(&load_pipeline(registry, name)?)?));
        }
        Some(known) => {
            say(shown!("{}: {}", known.name, known.about.trim()));
            say(Shown::laid_out(&parameters(&known.standard)));
        }
        None => {
            let names = registry.strategies().iter().map(|known| known.name.as_str());
            let names = names.chain(registry.pipeline_names());
            return Err(Error::unknown("pipeline or strategy", name, did_you_mean(name, names)));
        }
    }
    Ok(())
}

fn whole(pipeline: &Pipeline) -> Result<String> {
    let stage = |stage: &Stage| {
        let on = stage.on.iter().map(|(occasion, when)| (occasion.name(), *when == When::Always));
        context! {
            name => stage.strategy.name(),
            on => Serde(on.collect::<Vec<_>>()),
            repeat => Serde(stage.repeat),
            pressure => Serde(stage.pressure.iter().map(inequality).collect::<Vec<_>>()),
            prompt => stage.prompt.as_ref().map(|own| own.text().split_whitespace().count()),
            parameters => Value::from_safe_string(parameters(&stage.strategy)),
        }
    };
    let counter = &pipeline.counter;
    let values = context! {
        pipeline => Serde(pipeline),
        // A pipeline is what its file says: the digest is its version, as in manifests.
        version => pipeline.digest().0,
        fidelity => pipeline.fidelity.told(),
        counts => Serde((counter.tokenizer.name(), counter.overhead().0, counter.per_list)),
        stages => pipeline.stages.iter().map(stage).collect::<Vec<_>>(),
    };
    let text = Paper::plain().fill(&TEMPLATES, "strategy", &values)?;
    Ok(text.trim_end().to_owned())
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
    let base = if less.is_empty() { base } else { format!("({base} - {})", less.join(" - ")) };
    let reserve = match limit.reserve.0 {
        0 => String::new(),
        tokens => format!(" - {tokens}"),
    };
    format!("{} × {base}{reserve}", limit.share)
}

/// Parameters with their values; eligibility holds under the floor probe, pressure does not.
fn parameters(spec: &StrategySpec) -> String {
    let values = match serde_json::to_value(spec) {
        Ok(values) => values,
        Err(error) => return format!("  its parameters cannot be written: {error}"),
    };
    let values = values.get(spec.name()).cloned().unwrap_or_default();
    let known = registry().strategy(spec.name());
    let described = known.map_or(&[][..], |known| known.parameters);
    if described.is_empty() {
        return "  no parameters: all it goes by is its pressure".to_owned();
    }
    let mut shown = table::plain(&["  parameter", "value", "decides", "meaning"]);
    (1..4).for_each(|column| shown.align_left(column));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipeline_with_everything_reads_well() {
        let of = |name| whole(&crate::strategy::pipeline(name).expect("it ships")).expect("a page");
        insta::assert_snapshot!(of("forge-adr"));
        assert!(of("none").ends_with("no stages: nothing is ever changed"));
    }
}
