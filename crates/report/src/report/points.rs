//! Sweeps: the points of a grid as heat maps of recall and savings.

use super::document::{Block, Prose, Section};
use super::figures::Figures;
use super::number;
use super::pictures::block;
use crate::chart::{ToneCell, ToneChart, ToneRow, table_of_tones};
use crate::error::Result;
use crate::matrix::{GridAxis, GridPoints};
use crate::measure::MetricId;

/// What is mapped: metric, title and name of the chart.
const FIGURES: [(MetricId, &str, &str); 2] = [
    (MetricId::RecallAtNeed, "Recall at need", "recall"),
    (MetricId::SavingsNet, "Net savings", "savings"),
];

/// Grids whose maps are one: those of several axes stand alone, those of one and the
/// same axis stand below each other.
type Map<'a> = Vec<&'a GridPoints>;

/// `None` where the run has no grid.
pub fn section(figures: &Figures) -> Result<Option<Section>> {
    let maps = maps(&figures.run.manifest.grids);
    if maps.is_empty() {
        return Ok(None);
    }
    let mut blocks = vec![Block::Prose(Prose::new(
        "Means over all sessions as deployed, under the main summarizer. Savings are over the \
         sessions that completed.",
    ))];
    for (number, map) in maps.iter().enumerate() {
        for (metric, title, name) in FIGURES {
            let data = chart(figures, map, metric, title);
            let caption = format!("{}: the darker, the more.", data.title);
            let name = format!("sweep-{}-{name}", number + 1);
            let drawn = table_of_tones(&data)?;
            blocks.push(block(&name, &caption, drawn, "no point of the grid has the figure"));
        }
    }
    Ok(Some(Section { id: "sweeps", title: "Sweeps", blocks }))
}

fn maps(grids: &[GridPoints]) -> Vec<Map<'_>> {
    let mut maps: Vec<Map> = Vec::new();
    for grid in grids {
        let same =
            |map: &&mut Map| grid.axes.len() == 1 && map.iter().all(|one| one.axes == grid.axes);
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
        let mut own = figures.every_unswept().filter(|one| one.configuration == *driven);
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
    let told = |(axis, at): (&GridAxis, &usize)| {
        let value = axis.values.get(*at).map_or("", String::as_str);
        format!("{} {value}", axis.key)
    };
    let parts: Vec<String> = others.iter().zip(&place).map(told).collect();
    parts.join(", ")
}
