//! Where a strategy comes from and what its parameters decide.

use std::fmt::Write as _;

use crate::cli::{registry, say, table};
use crate::error::{Error, Result};
use crate::ident;
use crate::matrix::load_pipeline;
use crate::pipeline::{OnError, Pipeline, Repeat, Resend, Stage};
use crate::pressure::{Limit, Pressure, When};
use crate::strategy::StrategySpec;

/// Prints a pipeline, or a strategy with the parameters it has where a file says nothing.
pub(super) fn show(name: &str) -> Result<()> {
    let registry = registry();
    let known = registry.strategies().iter().find(|known| known.name == name);
    let ships = registry.pipeline_names().any(|known| known == name);
    let is_file = std::path::Path::new(name).extension().is_some_and(|end| end == "toml");
    match known {
        _ if ships || is_file => say(&whole(&load_pipeline(registry, name)?)),
        Some(known) => {
            say(&format!("{}: {}", known.name, known.about.trim()));
            say(&parameters(&known.standard));
        }
        None => {
            let names = registry.strategies().iter().map(|known| known.name.as_str());
            let names = names.chain(registry.pipeline_names());
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
    // A pipeline is what its file says: the digest is its version, as in manifests.
    let _ = writeln!(text, "version:   {}", pipeline.digest());
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
    let _ = writeln!(text, "failure:   {}", on_error(pipeline.on_error));
    let _ = writeln!(text, "resend:    {}", resend(pipeline.resend));
    if pipeline.stages.is_empty() {
        let _ = writeln!(text, "\nno stages: nothing is ever changed");
    }
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
    if let Some(again) = again(stage.repeat) {
        let _ = writeln!(text, "  repeat: {again}");
    }
    for pressure in &stage.pressure {
        let _ = writeln!(text, "  pressure: {}", inequality(pressure));
    }
    if !stage.pressure.is_empty() {
        let _ = writeln!(text, "  (the floor probe takes it as met, with nothing as its target)");
    }
    let _ = writeln!(text, "{}", parameters(&stage.strategy));
    text
}

fn on_error(on_error: OnError) -> &'static str {
    match on_error {
        OnError::AbortPass => "a failed plan ends the pass, the call is made",
        OnError::AbortPassSendStale => "a failed plan ends the pass, the old view is sent",
        OnError::Continue => "a failed plan is passed over",
        OnError::Raise => "a failed plan ends the session",
    }
}

fn resend(resend: Resend) -> &'static str {
    match resend {
        Resend::IfActed => "after a refusal, if a stage changed the view",
        Resend::IfAsked => "after a refusal, if a stage made a plan",
        Resend::Always => "after every refusal",
    }
}

fn again(repeat: Repeat) -> Option<&'static str> {
    match repeat {
        Repeat::Once => None,
        Repeat::ToTarget => Some("until used is at the target"),
        Repeat::UntilStable => Some("until it changes nothing"),
    }
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
    let values = match serde_json::to_value(spec) {
        Ok(values) => values,
        Err(error) => return format!("  its parameters cannot be written: {error}"),
    };
    let values = values.get(spec.name()).cloned().unwrap_or_default();
    let described = spec.strategy().parameters();
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
    fn a_pipeline_without_stages_says_so() {
        let text = whole(&crate::strategy::pipeline("none").expect("it ships"));
        assert!(text.ends_with("no stages: nothing is ever changed"), "{text}");
    }

    #[test]
    fn a_pipeline_with_everything_reads_well() {
        let pipeline = crate::strategy::pipeline("forge-adr").expect("it ships");
        insta::assert_snapshot!(whole(&pipeline));
    }
}
