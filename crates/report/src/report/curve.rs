//! Recall against price, and against tokens: the Proctor curve.

use super::prelude::*;
use super::standing::Standing;
use crate::row::CurveRow;
use crate::run_dir::read::number as parsed;

/// Points of one chart, those of a sweep aside.
const POINTS: usize = 40;

/// Recall against price, for the first screen.
pub fn prices(figures: &Figures, all: &[Standing], parts: Parts) -> Result<Parts> {
    let contestants = all.iter().map(|one| one.config).filter(|config| !config.is_control());
    let choice = choose(figures, contestants.collect(), POINTS);
    let control = all.iter().find(|one| one.config.is_control());
    let data = ScatterChart {
        across: "price of a finished goal",
        unit: "$",
        points: choice.drawn.iter().filter_map(|config| priced(figures, config)).collect(),
        control: control.and_then(|one| as_control(one.config, priced(figures, one.config))),
        ..ScatterChart::default()
    };
    let drawn = data.draw("What is remembered, against what it costs")?;
    Ok(parts.chart("prices", "prices", drawn).value("prices_choice", choice.left_out))
}

fn priced(figures: &Figures, config: &Config) -> Option<ScatterPoint> {
    let recall = |summarizer: &str| figures.under(config, summarizer, MetricId::RecallAtNeed);
    let own = recall(figures.main);
    let of =
        |name: &str| recall(name).value.filter(|_| figures.summarizer(config, name) == Some(name));
    Some(ScatterPoint {
        configuration: config.name(),
        colour: figures.colour(config),
        cost: figures.value(config, MetricId::CostPerGoal)?,
        recall: own.value?,
        interval: own.interval,
        brackets: of("empty").zip(of("perfect")),
        completed: completes(figures, config),
        unranked: !figures.ranks(config),
        ..ScatterPoint::default()
    })
}

fn as_control(config: &Config, point: Option<ScatterPoint>) -> Option<ScatterPoint> {
    Some(ScatterPoint { configuration: format!("control ({})", config.name()), ..point? })
}

/// Recall against tokens, with what choosing alone could reach.
pub fn parts(figures: &Figures, parts: Parts) -> Result<Parts> {
    let choice = choose(figures, figures.shown_but_control().collect(), POINTS);
    let swept = figures.configs.iter().filter(|config| config.is_swept());
    let configs = choice.drawn.iter().copied().chain(swept);
    let control = figures.shown().find(|config| config.is_control());
    let data = ScatterChart {
        across: "mean prompt",
        unit: "% of the window",
        points: configs.filter_map(|config| point(figures, config)).collect(),
        control: control.and_then(|config| as_control(config, point(figures, config))),
        ..ScatterChart::default()
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
        colour: figures.colour(config),
        cost: share * 100.0,
        recall,
        interval: figures.figure(config, MetricId::RecallAtNeed).interval.filter(|_| !swept),
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
