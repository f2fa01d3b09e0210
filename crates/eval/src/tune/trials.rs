//! The log of a search as CSV: every point in every rung, then on the held-back part.

use super::range::Range;
use super::score::{Cost, Score};
use super::search::Found;
use super::{Held, Point};
use crate::error::Result;
use crate::run_dir::write::lines;
use crate::unit::float;

/// Every point, rung and figure; floats in nine digits, what is undefined empty.
pub fn csv(ranges: &[Range], found: &Found, held: Option<&Held>) -> Result<String> {
    let mut head = ["part", "rung", "point", "found"].map(str::to_owned).to_vec();
    head.extend(ranges.iter().map(|range| range.key.clone()));
    let figures =
        ["sessions", "finished", "failed", "recall", "usd", "prompt_tokens", "wait_ms", "stays"];
    head.extend(figures.map(str::to_owned));
    let mut rows = vec![head];
    let point = |number: usize| &found.points[number];
    let last = found.trials.iter().map(|trial| trial.rung).max();
    // Unknown until the last rung is through.
    let last = last.filter(|_| held.is_some()).unwrap_or(usize::MAX);
    for trial in &found.trials {
        let place = ("search", trial.rung.to_string());
        let stays = match (trial.survives, trial.rung == last) {
            (false, _) => "",
            (true, true) => "on a front",
            (true, false) => "goes on",
        };
        rows.push(row(place, point(trial.point), &trial.score, stays));
    }
    for one in held.iter().flat_map(|held| &held.points) {
        let on = Cost::ALL.into_iter().filter(|cost| one.stays[*cost as usize]);
        let on: Vec<&str> = on.map(Cost::name).collect();
        rows.push(row(("held-back", String::new()), point(one.point), &one.score, &on.join(" ")));
    }
    lines(&rows)
}

fn row((part, rung): (&str, String), point: &Point, score: &Score, stays: &str) -> Vec<String> {
    let figure = |value: Option<f64>| value.map_or_else(String::new, float);
    let mut row = vec![part.to_owned(), rung, point.number.to_string(), point.origin.to_string()];
    row.extend(point.values.iter().map(|value| figure(*value)));
    row.extend([score.sessions, score.finished, score.failed].map(|count| count.to_string()));
    row.push(figure(score.recall));
    row.extend(score.costs.map(figure));
    row.push(stays.to_owned());
    row
}
