//! Survival: the share of facts still present, by age or by summarizers gone through.

use super::axis::Scale;
use super::figure;
use super::palette;
use super::panel::{self, Panel, Series};
use super::picture::Picture;
use super::{Rendered, render};
use crate::error::Result;

/// Survival of several configurations over the same buckets.
#[derive(Clone, Debug, Default)]
pub struct SurvivalChart {
    /// What the chart is called.
    pub title: String,
    /// What the buckets are, with their unit.
    pub x_title: &'static str,
    /// The buckets in order.
    pub buckets: Vec<String>,
    /// A panel for each configuration.
    pub panels: Vec<SurvivalPanel>,
}

/// One configuration.
#[derive(Clone, Debug, Default)]
pub struct SurvivalPanel {
    /// Its name.
    pub configuration: String,
    /// Its series; those of one name have one colour in all panels.
    pub series: Vec<SurvivalSeries>,
}

/// Facts that are read together.
#[derive(Clone, Debug, Default)]
pub struct SurvivalSeries {
    /// What they are.
    pub name: String,
    /// Bucket, by its place, and share present, 0 to 1.
    pub points: Vec<(usize, f64)>,
}

/// Panels in a row.
const COLUMNS: usize = 3;

/// Draws the chart; `None` where no series has a point.
pub fn survival(data: &SurvivalChart) -> Result<Option<Rendered>> {
    render(layout(data))
}

pub(super) fn layout(data: &SurvivalChart) -> Option<Picture> {
    let mut names: Vec<&str> = Vec::new();
    for series in data.panels.iter().flat_map(|panel| &panel.series) {
        if !names.contains(&series.name.as_str()) {
            names.push(&series.name);
        }
    }
    let panels: Vec<Panel> = data
        .panels
        .iter()
        .map(|panel| panel_of(data, panel, &names))
        .filter(|panel| !panel.series.is_empty())
        .collect();
    if panels.is_empty() {
        return None;
    }
    let (x, y) = (Scale::named(&data.buckets), Scale::share());
    let key = panel::key(panels.iter(), "share present of the bucket", "");
    let mut picture = figure::start(&data.title, figure::WIDTH, &key);
    let boxes = figure::panels(&mut picture, panels.len(), panels.len().min(COLUMNS), 210.0);
    for (panel, bounds) in panels.iter().zip(&boxes) {
        panel::draw(&mut picture, panel, bounds, &x, &y);
    }
    Some(picture)
}

fn panel_of(data: &SurvivalChart, of: &SurvivalPanel, names: &[&str]) -> Panel {
    let series = of.series.iter().map(|series| {
        let index = names.iter().position(|name| *name == series.name).unwrap_or(0);
        let points = series.points.iter().filter(|(bucket, _)| *bucket < data.buckets.len());
        let points: Vec<(f64, f64)> = points.map(|(at, share)| (*at as f64, *share)).collect();
        let points = panel::finite(&points);
        Series {
            label: series.name.clone(),
            colour: palette::series(index),
            hollow: palette::repeats(index),
            line: points.clone(),
            points,
        }
    });
    Panel {
        title: of.configuration.clone(),
        y_title: "share present",
        x_title: data.x_title,
        series: series.filter(|series| !series.is_empty()).collect(),
        limit: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_without_points_are_left_out() {
        let empty = SurvivalPanel { configuration: "a".to_owned(), series: Vec::new() };
        let beyond = SurvivalSeries { name: "all".to_owned(), points: vec![(7, 0.5)] };
        let beyond = SurvivalPanel { series: vec![beyond], ..empty.clone() };
        let buckets = vec!["1".to_owned()];
        let chart = SurvivalChart { buckets, panels: vec![empty, beyond], ..Default::default() };
        assert!(layout(&chart).is_none());
    }
}
