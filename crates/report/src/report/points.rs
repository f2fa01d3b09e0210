//! Sweeps: the points of a grid as heat maps of recall and savings.

use super::prelude::*;
use crate::matrix::{GridAxis, GridPoints};

const FIGURES: [(MetricId, &str, &str); 2] = [
    (MetricId::RecallAtNeed, "Recall at need", "recall"),
    (MetricId::SavingsNet, "Net savings", "savings"),
];

/// `None` where the run has no grid.
pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    // Grids of several axes are mapped alone, those of one and the same axis below each other.
    let grids = figures.run.manifest.grids.iter().enumerate();
    let maps = grouped(grids.map(|(place, grid)| {
        let axes = if grid.axes.len() == 1 { Ok(&grid.axes) } else { Err(place) };
        (axes, grid)
    }));
    let mut parts = Parts::default();
    let mut drawn = Vec::new();
    for (place, (_, map)) in maps.iter().enumerate() {
        let names: Vec<&str> = map.iter().map(|grid| grid.pipeline.as_str()).collect();
        let last = map.first().and_then(|grid| grid.axes.last());
        for (metric, what, name) in FIGURES {
            let by = last.map_or("", |axis| axis.key.as_str());
            let title = format!("{what} of {} by {by}", names.join(", "));
            let data = chart(figures, map, last, metric);
            let file = format!("sweep-{}-{name}", place + 1);
            let chart = parts.place_chart(&file, data.draw(&title)?);
            drawn.push(context! { title, chart });
        }
    }
    Ok((!maps.is_empty()).then(|| parts.value("maps", drawn)))
}

fn chart(
    figures: &Figures,
    map: &[&GridPoints],
    last: Option<&GridAxis>,
    metric: MetricId,
) -> ToneChart {
    let value = |point: &String| {
        let driven = figures.run.manifest.aliases.get(point).unwrap_or(point);
        let mut own = figures.unswept().filter(|config| config.configuration == *driven);
        figures.value(own.next()?, metric)
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
    ToneChart {
        value: format!("columns: {}", last.map_or("", |axis| axis.key.as_str())),
        ends: match known.is_empty() {
            true => (String::new(), String::new()),
            false => (number::share(least), number::share(most)),
        },
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
    others.iter().zip(&place).map(value).collect::<Vec<_>>().join(", ")
}
