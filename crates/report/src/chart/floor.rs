//! Floor over turns: the least context after one forced round, as the session grows.

use super::axis::Scale;
use super::figure;
use super::palette;
use super::panel::{self, Panel, Series};
use super::picture::Picture;
use super::{Rendered, render};
use crate::error::Result;
use crate::unit::Tokens;

/// `floor.one_pass` over turns, a panel for each family of configurations.
#[derive(Clone, Debug, Default)]
pub struct FloorChart {
    /// What the chart is called.
    pub title: String,
    /// The families, in reading order.
    pub families: Vec<FloorFamily>,
    /// What the scenario's model admits less system and schemas.
    pub usable_window: Option<Tokens>,
}

/// Configurations that are read together.
#[derive(Clone, Debug, Default)]
pub struct FloorFamily {
    /// What they share: `forge`, `p = 3`, ...
    pub name: String,
    /// The configurations.
    pub series: Vec<FloorSeries>,
}

/// One configuration.
#[derive(Clone, Debug, Default)]
pub struct FloorSeries {
    /// Its name.
    pub configuration: String,
    /// Turn and tokens of each checkpoint, turns ascending.
    pub points: Vec<(f64, f64)>,
    /// Turn and tokens along the fitted line, turns ascending; empty where nothing was fitted.
    pub fit: Vec<(f64, f64)>,
}

/// A window farther above the data than this factor is named and not drawn.
const FAR_WINDOW: f64 = 2.5;

/// Draws the chart; `None` where no family holds a point.
pub fn floor_over_turns(data: &FloorChart) -> Result<Option<Rendered>> {
    render(layout(data))
}

pub(super) fn layout(data: &FloorChart) -> Option<Picture> {
    let colours = ColourBook::of(data);
    let panels: Vec<Panel> = data
        .families
        .iter()
        .map(|family| panel_of(family, data.usable_window, &colours))
        .filter(|panel| !panel.series.is_empty())
        .collect();
    let drawn = || panels.iter().flat_map(|panel| &panel.series);
    let values = || drawn().flat_map(|series| series.points.iter().chain(&series.line));
    values().next()?;
    let most = values().map(|(_, tokens)| *tokens).fold(0.0, f64::max);
    let window = data.usable_window.map(Tokens::as_f64);
    let near = window.filter(|window| *window <= most * FAR_WINDOW);
    let top = near.map_or(most, |window| most.max(window * 1.1));
    let y = Scale::rounded(top, 4);

    let mut picture = figure::start(
        &data.title,
        figure::WIDTH,
        &panel::key(panels.iter(), "after one forced pass", "fitted"),
    );
    let columns = panels.len().min(2);
    let most_series = panels.iter().map(|panel| panel.series.len()).max().unwrap_or(0);
    let height = panel::height_for(most_series) + if columns == 1 { 60.0 } else { 0.0 };
    let boxes = figure::panels(&mut picture, panels.len(), columns, height);
    for (panel, bounds) in panels.iter().zip(&boxes) {
        panel::draw(&mut picture, panel, bounds, &turns(panel), &y);
    }
    Some(picture)
}

/// As long as the panel's own sessions: families differ in length.
fn turns(panel: &Panel) -> Scale {
    let values = panel.series.iter().flat_map(|series| series.points.iter().chain(&series.line));
    Scale::whole(values.map(|(turn, _)| *turn).fold(0.0, f64::max), 5)
}

fn panel_of(family: &FloorFamily, window: Option<Tokens>, colours: &ColourBook<'_>) -> Panel {
    let series = family.series.iter().enumerate().map(|(index, series)| {
        let index = colours.index(&series.configuration).unwrap_or(index);
        Series {
            label: series.configuration.clone(),
            colour: palette::series(index),
            hollow: palette::repeats(index),
            points: panel::finite(&series.points),
            line: panel::finite(&series.fit),
        }
    });
    Panel {
        title: family.name.clone(),
        y_title: "floor after one pass (tokens)",
        x_title: "turn",
        series: series.filter(|series| !series.is_empty()).collect(),
        limit: window
            .filter(|window| *window < Tokens::UNBOUNDED)
            .map(|window| (window.as_f64(), "usable window".to_owned())),
    }
}

/// One colour per configuration over all panels, where there are colours enough.
struct ColourBook<'a> {
    names: Vec<&'a str>,
}

impl<'a> ColourBook<'a> {
    fn of(data: &'a FloorChart) -> Self {
        let mut names: Vec<&str> = Vec::new();
        for series in data.families.iter().flat_map(|family| &family.series) {
            if !names.contains(&series.configuration.as_str()) {
                names.push(&series.configuration);
            }
        }
        ColourBook { names }
    }

    fn index(&self, name: &str) -> Option<usize> {
        const COLOURS: usize = 8;
        let found = self.names.iter().position(|known| *known == name);
        found.filter(|_| self.names.len() <= COLOURS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_without_points_are_left_out() {
        let empty = FloorFamily { name: "p = 0".to_owned(), series: vec![FloorSeries::default()] };
        let chart = FloorChart { families: vec![empty], ..FloorChart::default() };
        assert!(layout(&chart).is_none());
    }
}
