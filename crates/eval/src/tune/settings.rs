//! The numbers that a pipeline file can set, under the names that the file has for them.

use serde_json::Value;

use super::json::{as_json, put};
use super::kind::Kind;
use crate::pipeline::Pipeline;
use crate::prelude::*;
use crate::strategy::{Registry, Rule};

/// A number of a pipeline file.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// `STAGE.PARAMETER` or `STAGE.pressure.limit.share`: the stage by its strategy, or by its number
    /// where two have the same.
    pub key: String,
    /// Where it stands in the pipeline as JSON.
    pub(super) place: String,
    /// What it decides.
    pub rule: Rule,
    /// What it means, with its unit.
    pub meaning: String,
    /// What kind of number it is.
    pub kind: Kind,
    /// Its value; none where the file leaves it out.
    pub value: Option<f64>,
}

/// A seed decides luck; the best of many is nothing that holds elsewhere.
const LUCK: &str = "seed";

/// Every number of a pipeline, in the order of its file; [`Error::Unknown`] for a strategy that is
/// not registered.
pub fn settings(registry: &Registry, pipeline: &Pipeline) -> Result<Vec<Setting>> {
    let json = as_json(pipeline)?;
    let names: Vec<&str> = pipeline.stages.iter().map(|stage| stage.strategy.name()).collect();
    let mut all = Vec::new();
    for (number, stage) in pipeline.stages.iter().enumerate() {
        let name = stage.strategy.name();
        let is_alone = names.iter().filter(|other| **other == name).count() == 1;
        let label = if is_alone { name.to_owned() } else { (number + 1).to_string() };
        for parameter in registry.strategy(name)?.parameters {
            let place = format!("/stage/{number}/strategy/{name}/{}", parameter.name);
            let found = json.pointer(&place).unwrap_or(&Value::Null);
            let kind = match found {
                Value::Null => kind_of_absent(registry, &json, &place),
                found => Kind::of(found),
            };
            let Some(kind) = kind.filter(|_| parameter.name != LUCK) else { continue };
            all.push(Setting {
                key: format!("{label}.{}", parameter.name),
                place,
                rule: parameter.rule,
                meaning: parameter.meaning.to_owned(),
                kind,
                value: found.as_f64(),
            });
        }
        for pressure in 0..stage.pressure.len() {
            let place = format!("/stage/{number}/pressure/{pressure}");
            let several = stage.pressure.len() > 1;
            let which = if several { format!(".{}", pressure + 1) } else { String::new() };
            all.extend(of_pressure(&json, &place, &format!("{label}.pressure{which}")));
        }
    }
    Ok(all)
}

/// What kind of number a parameter takes that the file leaves out; none where it takes none.
fn kind_of_absent(registry: &Registry, json: &Value, place: &str) -> Option<Kind> {
    let takes = |value: Value| {
        let mut json = json.clone();
        put(&mut json, place, value);
        Pipeline::from_json(registry, json).is_ok()
    };
    let kinds = [(Value::from(1), Kind::Count), (Value::from(0.5), Kind::Share)];
    kinds.into_iter().rev().find_map(|(value, kind)| takes(value).then_some(kind))
}

/// Numbers of a limit, what they mean of a limit, and of a target.
const OF_LIMIT: [(&str, &str, [&str; 2]); 5] = [
    ("share", "share", ["share of the window at which it acts", "share at which it stops"]),
    ("tokens", "tokens", ["tokens that the share is of", "tokens that the share is of"]),
    ("reserve", "reserve", ["tokens taken off the limit", "tokens taken off the target"]),
    ("clamp.least", "clamp/0", ["least tokens of the limit", "least tokens of the target"]),
    ("clamp.most", "clamp/1", ["most tokens of the limit", "most tokens of the target"]),
];

fn of_pressure(json: &Value, place: &str, label: &str) -> Vec<Setting> {
    let mut all = Vec::new();
    for (which, side) in ["limit", "target"].into_iter().enumerate() {
        let of = |path: &str| json.pointer(&format!("{place}/{side}/{path}"));
        let has_base = of("tokens").is_some_and(Value::is_number);
        for (key, path, meanings) in OF_LIMIT {
            let Some(found) = of(path) else { continue };
            // The whole of a base of its own is what a file has that names no share.
            let is_usual = match path {
                "share" => has_base && found.as_f64() == Some(1.0),
                _ => found.as_f64() == Some(0.0),
            };
            let Some(kind) = Kind::of(found).filter(|_| !is_usual) else { continue };
            all.push(Setting {
                key: format!("{label}.{side}.{key}"),
                place: format!("{place}/{side}/{path}"),
                rule: Rule::Pressure,
                meaning: meanings[which].to_owned(),
                kind,
                value: found.as_f64(),
            });
        }
    }
    all
}
