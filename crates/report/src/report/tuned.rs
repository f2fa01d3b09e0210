//! The picture of a search over the numbers of a pipeline.

use crate::chart::{Chart, ScatterChart, ScatterPoint};
use crate::prelude::*;
use crate::tune::{Cost, HeldPoint, Score, Tuning};

/// The colours of the points that were found and of the defaults.
const COLOURS: (usize, usize) = (0, 1);

/// Recall over dollars: the points of the held-back part with intervals, the defaults marked, and
/// pale what was tried in the search. An SVG; `None` where no point has both figures.
pub fn front_of(tuning: &Tuning) -> Result<Option<String>> {
    let place = |score: &Score| Some((score.cost(Cost::Dollars)?, score.recall?));
    // Of each point what it was worth when it came furthest.
    let trials = tuning.found.trials.iter().map(|trial| (trial.point, &trial.score));
    let trials: BTreeMap<usize, &Score> = trials.collect();
    let chart = ScatterChart {
        across: "price of a session",
        unit: "$",
        points: tuning.held.points.iter().filter_map(|one| point(tuning, one)).collect(),
        trials: trials.into_values().filter_map(place).collect(),
        control: None,
    };
    let name = &tuning.found.points[0].pipeline.name;
    let title = format!("{name} on sessions that the search never saw");
    Ok(chart.draw(&title)?.map(|drawn| drawn.svg))
}

fn point(tuning: &Tuning, one: &HeldPoint) -> Option<ScatterPoint> {
    let is_default = one.point == 0;
    Some(ScatterPoint {
        configuration: match is_default {
            true => "defaults".to_owned(),
            false => tuning.found.points[one.point].pipeline.name.clone(),
        },
        colour: if is_default { COLOURS.1 } else { COLOURS.0 },
        cost: one.score.cost(Cost::Dollars)?,
        recall: one.score.recall?,
        interval: one.interval,
        completed: one.score.unfinished() == 0,
        ..ScatterPoint::default()
    })
}
