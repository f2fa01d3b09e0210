//! Over which stretch of the axis of summarizers an order holds, pair by pair.

use super::prelude::*;
use crate::compare::{LEVEL, OverAxis, Stretch, over_axis, points};
use crate::number::{points as exact, whole_points};
use crate::stats::estimate::Unit;

/// Pairs of a table.
const MOST: usize = 60;

/// Two configurations of a mode; the first is the one whose mean is higher as recorded.
pub struct Pair<'a> {
    pub configs: [&'a Config; 2],
    pub stretch: Stretch,
}

/// Recall of a configuration over the axis of summarizers that were driven.
fn over<'a>(figures: &'a Figures, config: &Config) -> OverAxis<'a> {
    over_axis(&points(&figures.run.manifest.summarizers), |name| {
        let is_told = figures.under(config, name, MetricId::RecallAtNeed).value.is_some();
        if is_told { figures.cells_under(config, name) } else { &[] }
    })
}

/// Of two configurations on the sessions of both; `None` where the run has no axis.
pub fn between(figures: &Figures, one: &Config, other: &Config) -> Option<Stretch> {
    of([(one, &over(figures, one)), (other, &over(figures, other))])
}

fn of([(one, ours), (other, theirs)]: [(&Config, &OverAxis); 2]) -> Option<Stretch> {
    let names = [one.name(), other.name()];
    let terms = (Unit::WithinScenarios, LEVEL);
    Stretch::of([ours, theirs], names.each_ref().map(|name| &**name), terms)
}

/// All pairs that are shown; none where the run has no axis.
pub fn pairs<'a>(figures: &'a Figures) -> Vec<Pair<'a>> {
    let configs: Vec<&Config> = figures.shown_but_control().collect();
    let sides: Vec<(&Config, OverAxis)> =
        configs.into_iter().map(|config| (config, over(figures, config))).collect();
    let pair = |one: &'a Config, other: &'a Config, [ours, theirs]: [&OverAxis; 2]| {
        let stretch = of([(one, ours), (other, theirs)])?;
        if stretch.as_recorded() < 0.0 {
            let stretch = of([(other, theirs), (one, ours)])?;
            return Some(Pair { configs: [other, one], stretch });
        }
        Some(Pair { configs: [one, other], stretch })
    };
    let mut pairs = Vec::new();
    for (place, (one, ours)) in sides.iter().enumerate() {
        let others = sides[place + 1..].iter().filter(|(other, _)| other.mode == one.mode);
        pairs.extend(others.filter_map(|(other, theirs)| pair(one, other, [ours, theirs])));
    }
    pairs
}

/// One row per pair, those first whose order turns.
pub fn table(figures: &Figures, pairs: &[Pair]) -> Table {
    let axis = points(&figures.run.manifest.summarizers);
    let mut pairs: Vec<&Pair> = pairs.iter().collect();
    pairs.sort_by_key(|pair| !pair.stretch.turns());
    let caption = match pairs.len() {
        ..=MOST => "Over which summaries an order holds".to_owned(),
        all => format!("Over which summaries an order holds: {MOST} of {all} pairs"),
    };
    let rows = pairs.into_iter().take(MOST).map(|pair| row(pair, &axis));
    let titles = ["Higher", "Lower", "Holds"].map(str::to_owned).into_iter();
    let titles = titles.chain(axis.iter().map(|name| format!("#{name}")));
    Table::of(caption, titles, rows)
}

fn row(Pair { configs, stretch }: &Pair, axis: &[&str]) -> Vec<Cell> {
    let told = Cell::text(stretch.where_higher());
    let told = if stretch.turns() { told.toned(Tone::Bad) } else { told };
    let [higher, lower] = configs.map(|config| Cell::code(config.name()));
    let difference = |name: &&str| {
        let point = stretch.points.iter().find(|point| point.summarizer == **name);
        let difference = point.map(|point| point.difference);
        let cell = Cell::number(difference, in_points, "no session of both has it");
        cell.within(point.and_then(|point| point.low.zip(point.high)), in_points)
    };
    [higher, lower, told].into_iter().chain(axis.iter().map(difference)).collect()
}

/// In whole points, but that what is not 0 never reads 0: on which side an end lies is the finding.
fn in_points(share: f64) -> String {
    match whole_points(share) {
        none if none == "0" && share != 0.0 => exact(share),
        whole => whole,
    }
}
