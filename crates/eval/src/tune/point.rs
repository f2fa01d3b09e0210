//! A point: a pipeline with other numbers, and how it was found.

use std::fmt;

use super::json::{as_json, put};
use super::range::Range;
use crate::pipeline::{Fidelity, Pipeline};
use crate::prelude::*;
use crate::strategy::Registry;

/// How a point was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The pipeline as it was given.
    Defaults,
    /// Drawn from the whole space before the first rung.
    Drawn,
    /// Drawn near a point that had survived the rung before this one.
    Near {
        /// The number of that point.
        point: usize,
        /// The rung it was drawn for, from 1.
        rung: usize,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Defaults => f.write_str("as given"),
            Origin::Drawn => f.write_str("drawn"),
            Origin::Near { point, rung } => write!(f, "near point {point}, for rung {rung}"),
        }
    }
}

/// A pipeline with other numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its number; 0 are the defaults.
    pub number: usize,
    /// Its numbers in the order of the ranges; none where the file leaves one out.
    pub values: Vec<Option<f64>>,
    /// The pipeline; its name ends with the number.
    pub pipeline: Pipeline,
    /// How it was found.
    pub origin: Origin,
}

impl Point {
    /// The defaults.
    pub(super) fn defaults(pipeline: &Pipeline, ranges: &[Range]) -> Point {
        Point {
            number: 0,
            values: ranges.iter().map(|range| range.default).collect(),
            pipeline: pipeline.clone(),
            origin: Origin::Defaults,
        }
    }

    /// A point with these numbers; `None` where the pipeline's own check refuses it.
    pub(super) fn of(
        registry: &Registry,
        base: &Pipeline,
        ranges: &[Range],
        values: &[f64],
        (number, origin): (usize, Origin),
    ) -> Result<Option<Point>> {
        let mut json = as_json(base)?;
        for (range, value) in ranges.iter().zip(values) {
            put(&mut json, &range.place, range.json(*value));
        }
        let told = ranges
            .iter()
            .zip(values)
            .map(|(range, value)| format!("{} = {}", range.key, range.json(*value)));
        let about = format!("{} With {}.", base.about, told.collect::<Vec<_>>().join(", "));
        let Ok(mut moved) = Pipeline::from_json(registry, json) else { return Ok(None) };
        // A program knows where its file lies, which JSON does not say.
        for (stage, own) in moved.stages.iter_mut().zip(&base.stages) {
            if stage.strategy == own.strategy {
                stage.strategy = own.strategy.clone();
            }
        }
        let pipeline = Pipeline {
            name: format!("{}-{number}", base.name),
            about,
            fidelity: Fidelity::of_generated([base.fidelity]),
            ..moved
        };
        let values = values.iter().copied().map(Some).collect();
        let is_sound = pipeline.check(&pipeline.name).is_ok();
        Ok(is_sound.then_some(Point { number, values, pipeline, origin }))
    }

    /// Its file: a pipeline that `proctor run --pipeline` takes, below how it was found.
    pub fn file(&self, comment: &str) -> Result<String> {
        let body = toml::to_string(&self.pipeline);
        let body = body.map_err(|error| Error::invalid(&*self.pipeline.name, error.to_string()))?;
        let comment = comment.lines().map(|line| format!("# {line}").trim_end().to_owned() + "\n");
        Ok(comment.collect::<String>() + &body)
    }

    /// Its numbers that are not the defaults', as people read them.
    pub fn changed(&self, ranges: &[Range]) -> Vec<String> {
        let all = ranges.iter().zip(&self.values);
        let changed = all.filter(|(range, value)| **value != range.default);
        let told = changed.map(|(range, value)| match value {
            Some(value) => format!("{} {}", range.key, range.written(*value)),
            None => format!("{} left out", range.key),
        });
        told.collect()
    }
}
