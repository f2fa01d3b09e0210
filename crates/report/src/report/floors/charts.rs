//! The floor over turns, and the floor curve of one session.

use super::super::prelude::*;
use crate::row::{FloorRow, floors};
use crate::stats::fit;

const FLOOR_PANELS: usize = 8;
const SERIES: usize = 8;

pub fn parts(figures: &Figures) -> Result<Parts> {
    curve(figures, over_turns(figures)?)
}

/// `floor.one_pass` over turns by family.
fn over_turns(figures: &Figures) -> Result<Parts> {
    let is_probed = |row: &&MeasuredCell| !figures.frame.floor_of(row).is_empty();
    let mut families = figures.families();
    families.retain(|family| {
        let mut cells = figures.run.measurements.iter();
        cells.any(|row| row.key.family == *family && is_probed(&row))
    });
    // Families with several lengths first: they are there to be read here.
    families.sort_by_key(|family| figures.lengths(family).len() < 2);
    let left_out = families.split_off(families.len().min(FLOOR_PANELS));
    let usable_window = usable_window(figures, &families);
    let probed = figures.shown_but_control().filter(|config| {
        let own = figures.cells_where(config, |key| families.contains(&key.family.as_str()));
        own.iter().any(is_probed)
    });
    let choice = choose(figures, probed.collect(), SERIES);
    // Without a window a floor may rise so far that it flattens the others.
    let fits = |series: &LineSeries| {
        let most = series.points.iter().map(|(_, tokens)| *tokens).fold(0.0, f64::max);
        usable_window.is_none_or(|window| most <= window * 1.5)
    };
    let mut too_tall: BTreeSet<String> = BTreeSet::new();
    let panels = families.iter().map(|family| {
        let series = choice.drawn.iter().map(|config| series(figures, family, config));
        let (series, tall): (Vec<_>, Vec<_>) =
            series.filter(|series| !series.points.is_empty()).partition(fits);
        too_tall.extend(tall.into_iter().map(|series| series.name));
        LinePanel {
            title: (*family).to_owned(),
            y_title: "floor after one pass (tokens)",
            y: Upwards::Tokens,
            series,
        }
    });
    let mut panels: Vec<LinePanel> = panels.collect();
    panels.retain(|panel| !panel.series.is_empty());
    let data = LineChart {
        x_title: "turn",
        x: Across::Whole(5),
        point: "after one forced pass",
        limit: usable_window.map(|window| (window, "usable window")),
        columns: 2,
        height: if panels.len() > 1 { 250.0 } else { 310.0 },
        panels,
    };
    Ok(Parts::default()
        .chart("floor", "floor", data.draw("Floor after one forced round, over turns")?)
        .value("floor_choice", choice.left_out)
        .value("floor_families_left", left_out)
        .value("floor_too_tall", too_tall))
}

/// The window that all of these share, less what every prompt carries.
fn usable_window(figures: &Figures, families: &[&str]) -> Option<f64> {
    let sessions = figures.sessions_of(families);
    let usable = sessions.iter().map(|session| session.window.saturating_sub(session.fixed_tokens));
    let least = usable.clone().min()?;
    // Sessions differ a little in what they carry; windows of two sizes do not fit one line.
    (usable.max()? - least <= least / 50).then_some(least as f64)
}

/// Means over cells after the first forced round at each turn, with the law fitted to those behind
/// the warm-up.
fn series(figures: &Figures, family: &str, config: &Config) -> LineSeries {
    let cells = figures.cells_where(config, |key| key.family == family);
    let frame = &figures.frame;
    let all = cells.iter().flat_map(|cell| floors(frame.floor_of(cell)));
    let points = means(all.map(|(_, row)| (f64::from(row.turn), row.tokens.as_f64())));
    let settled = means(cells.iter().flat_map(|cell| frame.settled_floor(cell)));
    let growth = figures.in_family(family, config, MetricId::FloorGrowth);
    let fit = growth.model().map_or(Vec::new(), |model| fitted(model, &settled));
    let colour = Some(figures.colour(config));
    LineSeries { name: config.name(), colour, points, fit: Some(fit) }
}

/// The mean of the tokens at each turn.
fn means(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut by_turn: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (turn, tokens) in points {
        by_turn.entry(turn as u32).or_default().push(tokens);
    }
    let mean = |(turn, values): (&u32, &Vec<f64>)| Some((f64::from(*turn), stats::mean(values)?));
    by_turn.iter().filter_map(mean).collect()
}

/// The floor curve of one session: what further rounds free and what they forget.
fn curve(figures: &Figures, parts: Parts) -> Result<Parts> {
    let Some(session) = curve_session(figures) else {
        return Ok(parts.chart("curve", "curve", None).value("curve_choice", LeftOut::default()));
    };
    let rows = |config: &Config| {
        let rows = figures.frame.floor_of(figures.cell_of(config, session)?);
        (!rows.is_empty()).then_some(rows)
    };
    // Without a window there is so much that all others would lie on one line.
    let probed = figures.shown_but_control().filter(|config| rows(config).is_some());
    let choice = choose(figures, probed.collect(), SERIES);
    let panel = |title: &str, y_title, y, value: fn(&FloorRow) -> Option<f64>| {
        let series = choice.drawn.iter().filter_map(|config| {
            let rows = rows(config)?;
            let last = rows.iter().map(|row| row.checkpoint).max()?;
            let rounds = rows.iter().filter(|row| row.checkpoint == last);
            let points = rounds.filter_map(|row| Some((f64::from(row.round), value(row)?)));
            let colour = Some(figures.colour(config));
            Some(LineSeries { name: config.name(), colour, points: points.collect(), fit: None })
        });
        LinePanel { title: title.to_owned(), y_title, y, series: series.collect() }
    };
    let tokens = |row: &FloorRow| Some(row.tokens.as_f64());
    let recall =
        |row: &FloorRow| (row.live > 0).then(|| f64::from(row.present) / f64::from(row.live));
    let data = LineChart {
        x_title: "probe round (0: before the probe)",
        x: Across::Whole(8),
        point: "after the round",
        limit: None,
        columns: 2,
        height: 280.0,
        panels: vec![
            panel("Context", "context (tokens)", Upwards::Tokens, tokens),
            panel("Recall", "recall (share of live facts, 0 to 1)", Upwards::Share, recall),
        ],
    };
    let drawn = data.draw(&format!("Floor curve: {}, seed {}", session.scenario, session.seed))?;
    Ok(parts.chart("curve", "curve", drawn).value("curve_choice", choice.left_out))
}

/// The probed session with most live facts in its probe; of equals the first.
fn curve_session<'a>(figures: &Figures<'a>) -> Option<&'a ManifestSession> {
    let most = |session: &ManifestSession| {
        let name = (session.scenario.as_str(), session.seed);
        let cells = figures.frame.cells().iter().filter(|cell| cell.session() == name);
        cells.flat_map(|cell| figures.frame.floor_of(cell)).map(|row| row.live).max()
    };
    let sessions = &figures.run.manifest.sessions;
    let best = sessions.iter().filter_map(most).max()?;
    sessions.iter().find(|session| most(session) == Some(best))
}

/// A law of growth through the points, along their turns.
fn fitted(model: Model, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    const PIECES: u32 = 24;
    let Some(fit) = fit::fit(model, points) else { return Vec::new() };
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    let step = (last.0 - first.0) / f64::from(PIECES);
    let turns = (0..=PIECES).map(|piece| first.0 + step * f64::from(piece));
    turns.map(|turn| (turn, fit.at(turn))).collect()
}
