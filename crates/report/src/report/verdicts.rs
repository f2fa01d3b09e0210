//! The verdict table and the sweep beside it.

use super::by_scenario;
use super::completion::{self, completes};
use super::configurations;
use super::document::{Cell, Table, figure, text};
use super::figures::{Config, Figures};
use super::floors::verdict::Tally;
use super::metric_table::up_to_the_end;
use super::section::Context;
use super::template::Parts;
use super::{pictures, rules, sweep};
use crate::error::Result;
use crate::measure::MetricId;
use crate::number;
use crate::truth::FactKind;

/// Where savings net and savings effective are in the table.
const NET_AND_EFFECTIVE: [usize; 2] = [5, 6];

/// One row per configuration: whether it works, what it costs, what it knows.
pub fn parts(context: &Context) -> Result<Option<Parts>> {
    let figures = context.figures;
    let mut table = verdicts(figures);
    let [net, effective] = NET_AND_EFFECTIVE;
    let one_saving = table.drop_repeated(effective, net, number::share);
    let judged = figures.shown().any(|config| Tally::of(figures, config).families > 0);
    let parts = rules::legend(remarks(figures))
        .value("judged", judged)
        .value("one_saving", one_saving)
        .value("without_needs", by_scenario::without_needs(figures))
        .value("dearer", dearer(figures))
        .table("verdicts", table);
    Ok(Some(pictures::recall::parts(figures, sweep::parts(figures, parts))?))
}

/// What a reader of the tables must know of the configurations that are not in them.
fn remarks(figures: &Figures) -> Parts {
    let mut inferred: Vec<&str> = Vec::new();
    for config in figures.shown().filter(|config| config.inferred) {
        if !inferred.contains(&config.pipeline.as_str()) {
            inferred.push(&config.pipeline);
        }
    }
    let chosen = figures.representatives.as_ref();
    Parts::default()
        .value("generated", chosen.map(|chosen| chosen.generated))
        .value("three", chosen.map(|chosen| &chosen.three))
        .value("mode", chosen.map(|chosen| chosen.mode.as_str()))
        .value("inferred", inferred)
        .value("ranks_inferred", figures.ranks_inferred)
}

/// Plain cutting that costs more than sending everything.
fn dearer(figures: &Figures) -> Option<String> {
    let dollars = |config: &Config| figures.figure(config, MetricId::CostUsd).value;
    let control = figures.shown().find(|config| config.is_control()).and_then(dollars)?;
    let dearer = figures.shown().find(|config| {
        config.pipeline == "truncate"
            && completes(figures, config)
            && dollars(config).is_some_and(|own| own > control)
    })?;
    Some(dearer.name())
}

fn verdicts(figures: &Figures) -> Table {
    let prices = &figures.run.manifest.prices.name;
    let columns = [
        text("Configuration"),
        text("Sessions completed"),
        text("Floor (steepest slope: one pass / low water)"),
        figure("Steepest (tokens a turn)"),
        figure("Mean prompt (tokens)"),
        figure("Savings net"),
        figure("Savings effective"),
        figure(format!("Dollars a session (prices {prices})")),
        figure("Recall at need [95 %]"),
        figure("n of recall").detail(),
        text("Worst-retained kind at the end").detail(),
        text("Rules broken").detail(),
    ];
    let mut table = Table::new("Verdict of each configuration", columns);
    for config in figures.shown() {
        let row = row(figures, &mut table, config);
        table.rows.push(row);
    }
    table
}

fn row(figures: &Figures, table: &mut Table, config: &Config) -> Vec<Cell> {
    let recall = figures.figure(config, MetricId::RecallAtNeed);
    vec![
        configurations::linked(figures, config),
        completion::cell(figures, table, config),
        floor(figures, table, config),
        steepest(figures, table, config),
        up_to_the_end(figures, table, config, MetricId::TokensMeanPrompt, number::tokens),
        saving(figures, table, config, MetricId::SavingsNet),
        saving(figures, table, config, MetricId::SavingsEffective),
        up_to_the_end(figures, table, config, MetricId::CostUsd, number::dollars),
        recalled(figures, table, config),
        match recall.value {
            Some(_) => Cell::count(recall.n as usize),
            None => table.undefined(""),
        },
        worst_kind(figures, table, config),
        rules::cell(figures, table, config),
    ]
}

/// Recall with its interval, and what an early end does to it.
fn recalled(figures: &Figures, table: &mut Table, config: &Config) -> Cell {
    let cell = table.estimate(&figures.figure(config, MetricId::RecallAtNeed), number::share);
    if cell.note.is_some() || !completion::ended_early(figures, config) {
        return cell;
    }
    cell.noted(table.note("needs after the early end of a session count as not met"))
}

fn floor(figures: &Figures, table: &mut Table, config: &Config) -> Cell {
    if config.is_control() {
        return table.undefined("a control without a window has no floor");
    }
    let tally = Tally::of(figures, config);
    if tally.families == 0 {
        return table.undefined("no verdict on the floor: it takes sessions of several lengths");
    }
    let few = "n too small: under eight sessions in some family, so an indication";
    let families = "families of sessions by verdict; the floor section has each";
    let note = match (tally.small, tally.counts.len() > 1) {
        (false, false) => return tally.cell(),
        (false, true) => families.to_owned(),
        (true, false) => few.to_owned(),
        (true, true) => format!("{few}; {families}"),
    };
    tally.cell().noted(table.note(&note))
}

/// The steepest slope of its floor: what rows are ranked by, whatever the verdict.
fn steepest(figures: &Figures, table: &mut Table, config: &Config) -> Cell {
    if config.is_control() {
        return table.undefined("a control without a window has no floor");
    }
    let steepest = Tally::of(figures, config).steepest();
    table.number(steepest, number::change, "no slope: it takes a probed floor or compactions")
}

/// Savings; those of sessions that ended early compare unlike things.
fn saving(figures: &Figures, table: &mut Table, config: &Config, metric: MetricId) -> Cell {
    if config.is_control() {
        return table.undefined("the control that savings are measured against");
    }
    if !completes(figures, config) {
        return table.undefined("not ranked: some session did not complete");
    }
    table.figure(&figures.figure(config, metric), number::share)
}

/// Retention by kind, kinds in the order of all tables.
pub fn retention(figures: &Figures, config: &Config) -> Vec<(FactKind, Option<f64>)> {
    let kinds = FactKind::ALL.into_iter();
    let value = |kind: FactKind| figures.figure(config, MetricId::retention(kind)).value;
    kinds.map(|kind| (kind, value(kind))).collect()
}

fn worst_kind(figures: &Figures, table: &mut Table, config: &Config) -> Cell {
    let kinds = retention(figures, config);
    let known = kinds.into_iter().filter_map(|(kind, value)| Some((kind, value?)));
    match known.min_by(|one, other| one.1.total_cmp(&other.1)) {
        Some((_, least)) if least >= 1.0 => Cell::text("none lost"),
        Some((kind, least)) => Cell::text(format!("{} {}", kind.name(), number::share(least))),
        None => table.undefined("no fact was live at the end"),
    }
}
