//! The floor curve: what forcing more rounds still frees, and what it forgets.

use super::axis::Scale;
use super::figure;
use super::palette;
use super::panel::{self, Panel, Series};
use super::picture::Picture;
use super::{Rendered, render};
use crate::error::Result;
use crate::unit::Tokens;

/// `floor.curve` of several configurations.
#[derive(Clone, Debug, Default)]
pub struct CurveChart {
    /// What the chart is called.
    pub title: String,
    /// The configurations.
    pub series: Vec<CurveSeries>,
}

/// One configuration.
#[derive(Clone, Debug, Default)]
pub struct CurveSeries {
    /// Its name.
    pub configuration: String,
    /// Its rounds, ascending from 0 (before any).
    pub rounds: Vec<CurveRound>,
}

/// The context after one round of the floor probe.
#[derive(Clone, Copy, Debug, Default)]
pub struct CurveRound {
    /// The round.
    pub round: u64,
    /// Tokens of context after it.
    pub tokens: Tokens,
    /// Share of live facts present after it, 0 to 1; none where no fact is live.
    pub recall: Option<f64>,
}

/// Draws the chart; `None` where no configuration has a round.
pub fn floor_curve(data: &CurveChart) -> Result<Option<Rendered>> {
    render(layout(data))
}

pub(super) fn layout(data: &CurveChart) -> Option<Picture> {
    let tokens = panel_of(data, "Context", "context (tokens)", |round| Some(round.tokens.as_f64()));
    let recall = panel_of(data, "Recall", "recall (share of live facts, 0 to 1)", |round| {
        round.recall.filter(|recall| recall.is_finite())
    });
    let rounds = data.series.iter().flat_map(|series| &series.rounds);
    let last = rounds.clone().map(|round| round.round).max()?;
    let most = rounds.map(|round| round.tokens.as_f64()).fold(0.0, f64::max);
    let x = Scale::whole(last as f64, 8);
    let panels: Vec<(Panel, Scale)> = [(tokens, Scale::rounded(most, 4)), (recall, Scale::share())]
        .into_iter()
        .filter(|(panel, _)| !panel.series.is_empty())
        .collect();

    let key = panel::key(panels.iter().map(|(panel, _)| panel), "after the round", "");
    let mut picture = figure::start(&data.title, figure::WIDTH, &key);
    let most_series = panels.iter().map(|(panel, _)| panel.series.len()).max().unwrap_or(0);
    let height = panel::height_for(most_series) + 30.0;
    let boxes = figure::panels(&mut picture, panels.len(), panels.len(), height);
    for ((panel, y), bounds) in panels.iter().zip(&boxes) {
        panel::draw(&mut picture, panel, bounds, &x, y);
    }
    Some(picture)
}

fn panel_of(
    data: &CurveChart,
    title: &str,
    y_title: &'static str,
    value: impl Fn(&CurveRound) -> Option<f64>,
) -> Panel {
    let series = data.series.iter().enumerate().map(|(index, series)| {
        let rounds = series.rounds.iter();
        let points: Vec<(f64, f64)> =
            rounds.filter_map(|round| Some((round.round as f64, value(round)?))).collect();
        let colour = palette::series(index);
        let label = series.configuration.clone();
        Series { label, colour, hollow: palette::repeats(index), line: points.clone(), points }
    });
    Panel {
        title: title.to_owned(),
        y_title,
        x_title: "probe round (0: before the probe)",
        series: series.filter(|series| !series.is_empty()).collect(),
        limit: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_without_rounds_is_left_out() {
        let series = vec![CurveSeries::default()];
        assert!(layout(&CurveChart { title: String::new(), series }).is_none());
    }
}
