//! Grids: one pipeline at every combination of some parameters and windows.

use serde_json::Value;

use crate::ident::{did_you_mean, is_name};
use crate::matrix::generated::{self, Rule};
use crate::matrix::{Configuration, Suite, has_doubles, load_pipeline};
use crate::pipeline::{Fidelity, Pipeline};
use crate::prelude::*;
use crate::strategy::Registry;

/// A pipeline and the axes along which it is varied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Grid {
    /// The pipeline, by name or file.
    pub pipeline: String,
    /// Values by key. A key is `STAGE.PARAMETER`, the stage named by its strategy or its
    /// number from 1; or a key of the stage (`STAGE.pressure.limit.share`, which sets all
    /// its pressures, `STAGE.repeat`) or of the pipeline (`on-error`).
    #[serde(default)]
    pub parameters: BTreeMap<String, Vec<Value>>,
    /// Windows in which each point is driven; the scenario's where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<Tokens>,
}

const PROSE: [&str; 5] = ["name", "about", "source", "fidelity", "reference"];

/// A grid with all its points.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridPoints {
    /// The pipeline that is varied.
    pub pipeline: String,
    /// Its axes.
    pub axes: Vec<GridAxis>,
    /// Its points, the last axis running fastest.
    pub points: Vec<String>,
}

/// One thing that a grid varies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridAxis {
    /// The key as the suite writes it, or `window`.
    pub key: String,
    /// The values as written.
    pub values: Vec<String>,
}

impl GridPoints {
    /// Where a point stands on each axis.
    pub fn place(&self, point: usize) -> Vec<usize> {
        let mut rest = point;
        let mut place: Vec<usize> = Vec::new();
        for axis in self.axes.iter().rev() {
            let size = axis.values.len().max(1);
            place.push(rest % size);
            rest /= size;
        }
        place.reverse();
        place
    }
}

/// Every grid of a suite.
pub fn grids(registry: &Registry, suite: &Suite) -> Result<Vec<GridPoints>> {
    let grids = suite.grid.iter().enumerate();
    grids.map(|(number, grid)| grid.all_points(registry, &suite.name, number)).collect()
}

impl Grid {
    pub(super) fn check(&self, number: usize) -> Rule {
        let place = |key: &str| format!("grid {}: {key}", number + 1);
        if self.parameters.is_empty() && self.windows.is_empty() {
            let rule = "a grid without `parameters` and `windows` has no axis".to_owned();
            return Err((place("parameters"), rule));
        }
        for (key, values) in &self.parameters {
            let place = place(&format!("parameters.\"{key}\""));
            if values.is_empty() {
                return Err((place, "an axis without a value has no points".to_owned()));
            }
            let labels: std::result::Result<Vec<String>, _> = values.iter().map(label).collect();
            if has_doubles(&labels.map_err(|rule| (place.clone(), rule))?) {
                return Err((place, "the same value stands twice".to_owned()));
            }
        }
        let points = self.points();
        if points > generated::MOST {
            let rule = format!("its axes make {points} points: at most {}", generated::MOST);
            return Err((place("parameters"), rule));
        }
        generated::check_windows(&place("windows"), &self.windows)
    }

    /// How many points its axes make.
    pub(super) fn points(&self) -> usize {
        let lengths = self.parameters.values().map(Vec::len).chain([self.windows.len().max(1)]);
        lengths.fold(1, usize::saturating_mul)
    }

    fn all_points(&self, registry: &Registry, suite: &str, number: usize) -> Result<GridPoints> {
        let written =
            |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let axis = |(key, values): (&String, &Vec<Value>)| GridAxis {
            key: key.clone(),
            values: values.iter().map(written).collect(),
        };
        let mut axes: Vec<GridAxis> = self.parameters.iter().map(axis).collect();
        if !self.windows.is_empty() {
            let values = self.windows.iter().map(ToString::to_string).collect();
            axes.push(GridAxis { key: "window".to_owned(), values });
        }
        let all = self.configurations(registry, suite, number)?;
        let points = all.iter().map(Configuration::name).collect();
        Ok(GridPoints { pipeline: self.pipeline.clone(), axes, points })
    }

    /// The points in the order of their keys, the last key running fastest.
    pub(super) fn configurations(
        &self,
        registry: &Registry,
        suite: &str,
        number: usize,
    ) -> Result<Vec<Configuration>> {
        let place =
            |key: &str| format!("suite `{suite}`: grid {}: parameters.\"{key}\"", number + 1);
        let mut points = vec![load_pipeline(registry, &self.pipeline)?];
        for (key, values) in &self.parameters {
            let moved = |(point, value): (&Pipeline, &Value)| -> Result<Pipeline> {
                let moved = self.moved(registry, point, key, value);
                let invalid = |(rule, hint)| Error::Invalid { place: place(key), rule, hint };
                let moved = moved.map_err(invalid)?;
                moved.check(&format!("{}: `{value}`", place(key)))?;
                Ok(moved)
            };
            let of = |point| values.iter().map(move |value| (point, value));
            points = points.iter().flat_map(of).map(moved).collect::<Result<_>>()?;
        }
        Ok(points.iter().flat_map(|point| generated::in_windows(point, &self.windows)).collect())
    }

    fn moved(
        &self,
        registry: &Registry,
        from: &Pipeline,
        key: &str,
        value: &Value,
    ) -> Moved<Pipeline> {
        let mut json = serde_json::to_value(from).map_err(|error| (error.to_string(), None))?;
        find(&mut json, from, key)?.into_iter().for_each(|target| *target = value.clone());
        let moved = Pipeline::from_json(registry, json)
            .map_err(|error| (format!("`{value}` does not fit: {error}"), None))?;
        let name =
            format!("{}_{}-{}", from.name, self.short(key), label(value).unwrap_or_default());
        let about = format!("{} With {key} = {value}.", from.about);
        let fidelity = Fidelity::of_generated([from.fidelity]);
        Ok(Pipeline { name, about, fidelity, ..moved })
    }

    /// The least of a key's last parts that no other key of the grid ends with.
    fn short(&self, key: &str) -> String {
        let parts: Vec<&str> = key.split('.').collect();
        let ends = |from: usize| parts[from..].join(".");
        let is_shared = |end: &str| {
            let end = format!(".{end}");
            self.parameters.keys().filter(|other| format!(".{other}").ends_with(&end)).count() > 1
        };
        let from = (0..parts.len()).rev().find(|from| !is_shared(&ends(*from))).unwrap_or(0);
        parts[from..].join("-")
    }
}

type Moved<T> = std::result::Result<T, (String, Option<String>)>;

/// Where a key points to: one place, or one in each pressure of a stage.
fn find<'a>(json: &'a mut Value, pipeline: &Pipeline, key: &str) -> Moved<Vec<&'a mut Value>> {
    let parts: Vec<&str> = key.split('.').collect();
    let Some(place) = stage_of(pipeline, parts[0])? else {
        return within(json, &parts, &PROSE);
    };
    let Some(second) = parts.get(1) else {
        return Err(("names a stage and nothing of it".to_owned(), None));
    };
    let strategy = pipeline.stages[place].strategy.name();
    let stage = &mut json["stage"][place];
    let is_parameter = parts.len() == 2 && stage["strategy"][strategy].get(second).is_some();
    let found = if !is_parameter && stage.get(second).is_some() {
        within(stage, &parts[1..], &["strategy"])?
    } else {
        within(&mut stage["strategy"][strategy], &parts[1..], &[])?
    };
    if found.is_empty() {
        return Err(("there is nothing of this name to set: the list is empty".to_owned(), None));
    }
    Ok(found)
}

/// The stage that a key begins with; `None` where it is a key of the pipeline.
fn stage_of(pipeline: &Pipeline, first: &str) -> Moved<Option<usize>> {
    let names: Vec<&str> = pipeline.stages.iter().map(|stage| stage.strategy.name()).collect();
    if let Ok(number) = first.parse::<usize>() {
        if (1..=names.len()).contains(&number) {
            return Ok(Some(number - 1));
        }
        let rule = format!("there is no stage {number}: the pipeline has {}", names.len());
        return Err((rule, None));
    }
    match names.iter().filter(|name| **name == first).count() {
        1 => Ok(names.iter().position(|name| *name == first)),
        0 if ["counter", "on-error", "resend"].contains(&first) => Ok(None),
        0 => {
            let hint = did_you_mean(first, names.iter().copied());
            Err((format!("`{first}` is no stage of it: expected {}", names.join(", ")), hint))
        }
        several => {
            let rule = format!("{several} stages are called `{first}`: name one by its number");
            Err((rule, None))
        }
    }
}

fn within<'a>(place: &'a mut Value, parts: &[&str], hidden: &[&str]) -> Moved<Vec<&'a mut Value>> {
    let Some((part, rest)) = parts.split_first() else { return Ok(vec![place]) };
    let elements: Vec<&mut Value> = match place {
        Value::Array(list) => list.iter_mut().collect(),
        other => vec![other],
    };
    let mut found = Vec::new();
    for element in elements {
        found.extend(within(step(element, part, hidden)?, rest, hidden)?);
    }
    Ok(found)
}

fn step<'a>(value: &'a mut Value, part: &str, hidden: &[&str]) -> Moved<&'a mut Value> {
    let Value::Object(object) = value else {
        let rule = format!("`{part}` cannot be set: the pipeline gives nothing that it is part of");
        return Err((rule, None));
    };
    let known: Vec<String> =
        object.keys().filter(|key| !hidden.contains(&key.as_str())).cloned().collect();
    if known.iter().any(|key| key == part)
        && let Some(found) = object.get_mut(part)
    {
        return Ok(found);
    }
    let hint = did_you_mean(part, known.iter().map(String::as_str));
    Err((format!("unknown key `{part}`: expected {}", known.join(", ")), hint))
}

fn label(value: &Value) -> std::result::Result<String, String> {
    let label = match value {
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::String(text) => text.clone(),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            return Err(format!("`{value}` is no number, word or truth value"));
        }
    };
    if is_name(&label) {
        return Ok(label);
    }
    Err(format!("`{label}` cannot be part of a name: expected a-z, 0-9, `-` and `.`"))
}

#[cfg(test)]
mod tests;
