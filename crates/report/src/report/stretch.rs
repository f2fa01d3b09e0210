//! Over which stretch of the axis of summarizers an order holds, pair by pair.

use super::prelude::*;
use crate::compare::{LEVEL, Stretch, over_axis, points};
use crate::number::whole_points;
use crate::stats::estimate::Unit;

/// Pairs of a table.
const MOST: usize = 60;

/// Of two configurations on the sessions of both; `None` where the run has no axis.
pub fn between(figures: &Figures, one: &Config, other: &Config) -> Option<Stretch> {
    let axis = points(&figures.run.manifest.summarizers);
    let recalls = |config: &Config| {
        over_axis(&axis, |name| {
            let is_told = figures.under(config, name, MetricId::RecallAtNeed).value.is_some();
            if is_told { figures.cells_under(config, name) } else { &[] }
        })
    };
    let (ours, theirs) = (recalls(one), recalls(other));
    let names = [one.name(), other.name()];
    let terms = (Unit::WithinScenarios, LEVEL);
    Stretch::of([&ours, &theirs], names.each_ref().map(|name| &**name), terms)
}

/// One row per pair of configurations, those first whose order turns. Without rows where the run has
/// no axis.
pub fn table(figures: &Figures) -> Table {
    let axis = points(&figures.run.manifest.summarizers);
    let configs: Vec<&Config> = figures.shown_but_control().collect();
    let mut pairs: Vec<(bool, Vec<Cell>)> = Vec::new();
    for (place, one) in configs.iter().enumerate() {
        let others = configs[place + 1..].iter().filter(|other| other.mode == one.mode);
        pairs.extend(others.filter_map(|other| row(figures, (one, other), &axis)));
    }
    pairs.sort_by_key(|(turns, _)| !turns);
    let caption = match pairs.len() {
        ..=MOST => "Over which summaries an order holds".to_owned(),
        all => format!("Over which summaries an order holds: {MOST} of {all} pairs"),
    };
    let rows = pairs.into_iter().take(MOST).map(|(_, row)| row);
    let titles = ["Higher", "Lower", "Holds"].map(str::to_owned).into_iter();
    let titles = titles.chain(axis.iter().map(|name| format!("#{name}")));
    Table::of(caption, titles, rows)
}

/// Whether the order turns, and its cells; the first is the one whose mean is higher as recorded.
fn row(figures: &Figures, pair: (&Config, &Config), axis: &[&str]) -> Option<(bool, Vec<Cell>)> {
    let (mut higher, mut lower) = pair;
    let mut stretch = between(figures, higher, lower)?;
    if stretch.as_recorded() < 0.0 {
        (higher, lower) = (lower, higher);
        stretch = between(figures, higher, lower)?;
    }
    let turns = stretch.turns();
    let told = Cell::text(stretch.where_higher());
    let told = if turns { told.toned(Tone::Bad) } else { told };
    let cells = [Cell::code(higher.name()), Cell::code(lower.name()), told];
    let difference = |name: &&str| {
        let point = stretch.points.iter().find(|point| point.summarizer == **name);
        let difference = point.map(|point| point.difference);
        let cell = Cell::number(difference, whole_points, "no session of both has it");
        cell.within(point.and_then(|point| point.low.zip(point.high)), whole_points)
    };
    Some((turns, cells.into_iter().chain(axis.iter().map(difference)).collect()))
}
