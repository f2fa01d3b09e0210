//! The Proctor curve.

use super::prelude::*;
use crate::row::CurveRow;
use crate::run_dir::read::number as parsed;

/// Points of one chart, those of a sweep aside.
const POINTS: usize = 40;

pub fn parts(figures: &Figures, parts: Parts) -> Result<Parts> {
    let choice = choose(figures, figures.shown_but_control().collect(), POINTS);
    let swept = figures.configs.iter().filter(|config| config.is_swept());
    let configs = choice.drawn.iter().copied().chain(swept);
    let control = figures.shown().find(|config| config.is_control());
    let data = ScatterChart {
        unit: "% of the window",
        points: configs.filter_map(|config| point(figures, config)).collect(),
        control: control.and_then(|config| {
            let configuration = format!("control ({})", config.name());
            Some(ScatterPoint { configuration, ..point(figures, config)? })
        }),
    };
    let drawn = data.draw("The Proctor curve: what is known, against what is sent")?;
    let all = figures.sessions();
    Ok(parts
        .chart("recall", "recall", drawn)
        .value("recall_choice", choice.left_out)
        .value("recall_sessions", pooled(figures).filter(|n| *n < all))
        .value("all_sessions", all))
}

fn rows<'a>(
    figures: &Figures<'a>,
    point: &str,
    summarizer: &str,
) -> impl Iterator<Item = &'a CurveRow> {
    let rows = figures.run.curve.iter().filter(|row| row.pool == "all");
    rows.filter(move |row| row.point == point && row.summarizer == summarizer)
}

/// The sessions behind the points under the main summarizer.
fn pooled(figures: &Figures) -> Option<usize> {
    let main = rows(figures, "achieved", figures.main);
    let first = main.min_by_key(|row| (&row.pipeline, &row.variant, &row.mode));
    first.map(|row| row.n as usize)
}

/// Mean prompt over the window, and recall.
fn at(figures: &Figures, config: &Config, summarizer: &str, point: &str) -> Option<(f64, f64)> {
    let row = rows(figures, point, summarizer).find(|row| {
        (&row.pipeline, &row.variant, &row.mode)
            == (&config.pipeline, &config.variant, &config.mode)
    })?;
    Some((parsed(&row.mean_share)?, parsed(&row.recall)?))
}

fn point(figures: &Figures, config: &Config) -> Option<ScatterPoint> {
    let own = figures.summarizer(config, figures.main)?;
    let (share, recall) = at(figures, config, own, "achieved")?;
    let recall_of = |summarizer, point| Some(at(figures, config, summarizer, point)?.1);
    let swept = config.is_swept();
    Some(ScatterPoint {
        configuration: name(config),
        means: means(figures, config),
        mean_prompt: share * 100.0,
        recall,
        brackets: recall_of("empty", "achieved").zip(recall_of("perfect", "achieved")),
        // Over a sweep they would hide what it is beside.
        bounds: recall_of(own, "random-drop").zip(recall_of(own, "oracle")).filter(|_| !swept),
        completed: completes(figures, config),
        unranked: !figures.ranks(config),
        sweep: swept.then(|| format!("{} ({})", config.pipeline, config.mode)),
    })
}

/// A swept limit by its share: its sweep has a name of its own.
fn name(config: &Config) -> String {
    let limit = config.variant.strip_prefix("limit=").and_then(parsed);
    match limit.filter(|_| config.is_swept()) {
        Some(limit) => format!("{} to {}", config.pipeline, number::share(limit)),
        None => config.name(),
    }
}

fn means(figures: &Figures, config: &Config) -> Means {
    let cells = figures.cells(config).iter();
    let plans = cells.flat_map(|row| figures.frame.compactions_of(row));
    match plans.filter(|plan| plan.outcome.is_applied()).map(|plan| plan.attempts > 0).max() {
        Some(true) => Means::Summaries,
        Some(false) => Means::Dropping,
        None => Means::Nothing,
    }
}
