//! Sweeps: the points of a grid as heat maps of recall and savings.

use super::prelude::*;
use serde::Serialize;

use crate::matrix::{GridAxis, GridPoints};

/// What is mapped: metric, title and name of the chart.
const FIGURES: [(MetricId, &str, &str); 2] = [
    (MetricId::RecallAtNeed, "Recall at need", "recall"),
    (MetricId::SavingsNet, "Net savings", "savings"),
];

/// Grids that one map shows: those of several axes alone, those of one and the same axis
/// below each other.
type Map<'a> = Vec<&'a GridPoints>;

#[derive(Serialize)]
struct Drawn {
    title: String,
    chart: Value,
}

/// `None` where the run has no grid.
pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let maps = maps(&figures.run.manifest.grids);
    if maps.is_empty() {
        return Ok(None);
    }
    let mut parts = Parts::default();
    let mut drawn = Vec::new();
    for (place, map) in maps.iter().enumerate() {
        for (metric, title, name) in FIGURES {
            let data = chart(figures, map, metric, title);
            let file = format!("sweep-{}-{name}", place + 1);
            let chart = parts.place_chart(&file, data.draw()?);
            drawn.push(Drawn { title: data.title, chart });
        }
    }
    Ok(Some(parts.value("maps", drawn)))
}

fn maps(grids: &[GridPoints]) -> Vec<Map<'_>> {
    let mut maps: Vec<Map> = Vec::new();
    for grid in grids {
        let same =
            |map: &&mut Map| grid.axes.len() == 1 && map.iter().all(|own| own.axes == grid.axes);
        match maps.iter_mut().find(same) {
            Some(map) => map.push(grid),
            None => maps.push(vec![grid]),
        }
    }
    maps
}

fn chart(figures: &Figures, map: &Map, metric: MetricId, title: &str) -> ToneChart {
    let value = |point: &String| {
        let driven = figures.run.manifest.aliases.get(point).unwrap_or(point);
        let mut own = figures.unswept().filter(|config| config.configuration == *driven);
        figures.figure(own.next()?, metric).value
    };
    let known: Vec<f64> = map.iter().flat_map(|grid| &grid.points).filter_map(value).collect();
    let least = known.iter().copied().fold(f64::MAX, f64::min);
    let most = known.iter().copied().fold(f64::MIN, f64::max);
    let cell = |point: &String| {
        let value = value(point)?;
        let share = if most > least { (value - least) / (most - least) } else { 0.0 };
        Some(ToneCell { share, text: number::share(value) })
    };
    let rows = map.iter().flat_map(|grid| {
        let columns = grid.axes.last().map_or(1, |axis| axis.values.len()).max(1);
        grid.points.chunks(columns).enumerate().map(move |(row, points)| ToneRow {
            name: row_name(grid, row * columns),
            cells: points.iter().map(cell).collect(),
        })
    });
    let last = map.first().and_then(|grid| grid.axes.last());
    let names: Vec<&str> = map.iter().map(|grid| grid.pipeline.as_str()).collect();
    let by = last.map_or("", |axis| axis.key.as_str());
    let ends = match known.is_empty() {
        true => (String::new(), String::new()),
        false => (number::share(least), number::share(most)),
    };
    ToneChart {
        title: format!("{title} of {} by {by}", names.join(", ")),
        value: format!("columns: {by}"),
        ends,
        empty: "no figure".to_owned(),
        columns: last.map_or_else(Vec::new, |axis| axis.values.clone()),
        rows: rows.collect(),
    }
}

/// The values of all axes but the last; the pipeline where there is one axis.
fn row_name(grid: &GridPoints, point: usize) -> String {
    let Some((_, others)) = grid.axes.split_last().filter(|(_, others)| !others.is_empty()) else {
        return grid.pipeline.clone();
    };
    let place = grid.place(point);
    let value = |(axis, at): (&GridAxis, &usize)| {
        format!("{} {}", axis.key, axis.values.get(*at).map_or("", String::as_str))
    };
    let parts: Vec<String> = others.iter().zip(&place).map(value).collect();
    parts.join(", ")
}
