//! The floor by family of sessions.

pub mod verdict;

<<<<<<< HEAD
use minijinja::Value;
use serde::Serialize;

use super::composition::{self, ByCell};
use super::document::{Cell, Table, Tone, figure, text};
use super::figures::{Config, Figure, Figures, Write};
use super::template::Parts;
use super::words::{self, Reference};
use super::{Context, pictures};
use crate::error::Result;
use crate::measure::floor::{FloorSeries, LinearGrowth};
use crate::number;
use crate::frame::MeasuredCell;
use crate::stats;
use verdict::FloorVerdict;
=======
use super::composition;
use super::document::{Block, Cell, Prose, Section, Table, Tone};
use super::figures::{Figure, Figures, Subject};
use super::glossary;
use super::number;
use crate::derive::NO_REFERENCE;
use crate::frame::MeasuredCell;
use crate::measure::MetricId;
use crate::measure::floor::FloorSeries;
use crate::row::CellKey;
use crate::stats;
use verdict::Verdict;
>>>>>>> frame

/// A family of sessions and its tables.
#[derive(Serialize)]
struct Family<'a> {
    name: &'a str,
    /// The lengths of its sessions in turns.
    turns: Vec<u32>,
    verdicts: Value,
    sizes: Value,
    composition: Value,
}

/// Three tables for each family in which the floor was probed: verdicts, sizes and what the
/// floor is made of.
pub fn parts(context: &Context) -> Result<Option<Parts>> {
    let figures = context.figures;
    let mut parts = pictures::floor::parts(figures)?;
    let views = composition::by_cell(figures.run);
    let mut families = Vec::new();
    for name in figures.families() {
        let configs = probed(figures, name);
        if configs.is_empty() {
            continue;
        }
        families.push(Family {
            name,
            turns: figures.lengths(name),
            verdicts: parts.place(verdicts(figures, name, &configs)),
            sizes: parts.place(sizes(figures, name, &configs)),
            composition: parts.place(made_of(figures, &views, name)),
        });
    }
    Ok(Some(parts.value("families", families)))
}

<<<<<<< HEAD
/// The configurations whose floor was probed in a family.
fn probed<'b>(figures: &'b Figures, family: &str) -> Vec<&'b Config> {
    let probed = |config: &&Config| {
        figures.in_family(family, config, MetricId::FloorOnePass).value.is_some()
            || words::verdict(&figures.in_family(family, config, MetricId::FloorVerdict)).is_some()
=======
/// The configurations whose floor a family tells.
fn probed<'b>(figures: &'b Figures, family: &str) -> Vec<&'b Subject> {
    let probed = |subject: &&Subject| {
        figures.in_family(family, subject, MetricId::FloorOnePass).value.is_some()
            || !figures.in_family(family, subject, MetricId::FloorVerdict).word.is_empty()
>>>>>>> frame
    };
    figures.shown_but_control().filter(probed).collect()
}

<<<<<<< HEAD
/// Verdicts with all that they rest on.
fn verdicts(figures: &Figures, family: &str, configs: &[&Config]) -> Table {
    let difference =
        |config: &Config, series: FloorSeries| figures.in_family(family, config, series.slope_difference());
    let compares = configs.iter().any(|config| difference(config, FloorSeries::OnePass).value.is_some());
    let titles = ["Configuration", "Verdict", "Law of one pass", "Law of low water", "Reference"];
    let mut columns: Vec<_> = titles.map(text).into();
=======
fn heading(figures: &Figures, family: &str) -> String {
    let keys = keys(figures, family);
    let mut turns: Vec<u32> = keys.map(|key| key.turns).collect();
    turns.sort_unstable();
    turns.dedup();
    let turns: Vec<String> = turns.iter().map(u32::to_string).collect();
    let turns = match turns.len() {
        0..=4 => turns.join(", "),
        _ => format!("{} to {}", turns[0], turns[turns.len() - 1]),
    };
    format!("{family} ({turns} turns)")
}

fn keys<'a>(figures: &Figures<'a>, family: &str) -> impl Iterator<Item = &'a CellKey> {
    let cells = figures.run.manifest.cells.iter().map(|cell| &cell.key);
    cells.filter(move |key| key.family == family)
}

/// Verdicts with all that they are read from.
fn verdicts(figures: &Figures, family: &str, subjects: &[&Subject]) -> Table {
    let difference = |subject: &Subject, series: FloorSeries| {
        figures.in_family(family, subject, series.slope_difference())
    };
    let compared = |subject: &&Subject| difference(subject, FloorSeries::OnePass).value.is_some();
    let compares = subjects.iter().copied().any(|subject| compared(&subject));
    let mut titles =
        vec!["Configuration", "Verdict", "Law of one pass", "Law of low water", "Reference"];
>>>>>>> frame
    if compares {
        columns.push(figure("One pass: slope less the reference's [95 %]"));
        columns.push(figure("Low water: slope less the reference's [95 %]"));
    }
    let caption = format!("Verdicts on the floor in sessions of family {family}");
<<<<<<< HEAD
    let mut table = Table::new(caption, columns);
    for config in configs {
        let mut row = vec![Cell::code(config.name()), judged(figures, &mut table, family, config)];
        for series in FloorSeries::ALL {
            let growth = figures.in_family(family, config, series.growth());
            row.push(law(&mut table, &growth));
        }
        row.push(reference(&mut table, &difference(config, FloorSeries::OnePass)));
        for series in FloorSeries::ALL.into_iter().filter(|_| compares) {
            let found = difference(config, series);
            row.push(match found.value {
                Some(_) => table.estimate(&found, number::change),
                None => table.undefined(""),
=======
    let mut table = Table::new(caption, &titles);
    for subject in subjects {
        let mut row =
            vec![Cell::code(subject.name()), judged(figures, &mut table, family, subject)];
        for series in FloorSeries::ALL {
            let growth = figures.in_family(family, subject, series.growth());
            row.push(law(&mut table, &growth));
        }
        row.push(reference(&mut table, &difference(subject, FloorSeries::OnePass)));
        for series in FloorSeries::ALL.into_iter().filter(|_| compares) {
            let found = difference(subject, series);
            let written = found.write_with_interval(number::change);
            row.push(match written {
                Ok(written) => Cell::text(written),
                Err(_) => table.undefined(""),
>>>>>>> frame
            });
        }
        table.rows.push(row);
    }
    table
}

fn judged(figures: &Figures, table: &mut Table, family: &str, config: &Config) -> Cell {
    match FloorVerdict::of(figures, family, config) {
        None => {
<<<<<<< HEAD
            let found = figures.in_family(family, config, MetricId::FloorVerdict);
            table.undefined(&found.why_or("the family has one length only"))
=======
            let found = figures.in_family(family, subject, MetricId::FloorVerdict);
            table.undefined(why(&found.reason, "the family has one length only"))
        }
        Some(verdict) => {
            let note = (!verdict.reason.is_empty()).then(|| table.note(&verdict.reason));
            Cell { note, ..verdict.cell() }
>>>>>>> frame
        }
        Some(verdict) if verdict.reason.is_empty() => verdict.cell(),
        Some(verdict) => verdict.cell().noted(table.note(&verdict.reason)),
    }
}

/// The law that fits best, and whether growth in proportion to the turns is settled.
fn law(table: &mut Table, growth: &Figure) -> Cell {
    let settled = match words::linear(growth) {
        Some(LinearGrowth::Excluded) => ", linear excluded",
        Some(LinearGrowth::Open) => ", not settled",
        Some(LinearGrowth::Established) | None => "",
    };
    match words::model(growth) {
        None => table.undefined(&growth.why_or("too few checkpoints for a fit")),
        Some(model) => Cell::text(format!("{}{settled}", model.name())),
    }
}

/// The reference that a slope was compared with.
fn reference(table: &mut Table, difference: &Figure) -> Cell {
    match words::reference(difference) {
        Reference::Driven(name) => Cell::code(name),
        Reference::NotDriven(name) => Cell::text(format!("{name}, not driven")).toned(Tone::Faint),
        Reference::NotNamed => Cell::text("none named").toned(Tone::Faint),
        Reference::Unknown => table.undefined(&difference.why()),
    }
}

/// Sizes in tokens and counts.
fn sizes(figures: &Figures, family: &str, configs: &[&Config]) -> Table {
    let caption = format!("Floor in sessions of family {family}");
    let titles = [
        "One pass, longest",
        "Low water, longest",
        "Slope of one pass [95 %]",
        "Slope of low water [95 %]",
        "Goal batches made",
        "Users left",
        "Ownerless left",
        "Live goals absorbed",
    ];
    let columns = std::iter::once(text("Configuration")).chain(titles.map(figure));
    let mut table = Table::new(caption, columns);
    for config in configs {
        let row = size(figures, &mut table, family, config);
        table.rows.push(row);
    }
    table
}

<<<<<<< HEAD
fn size(figures: &Figures, table: &mut Table, family: &str, config: &Config) -> Vec<Cell> {
    const NOT_COUNTED: &str = "not counted: no session was probed to its end";
    let longest = longest(figures, family, config);
    let mean = |table: &mut Table, metric: MetricId, write: Write, why: &str| {
        let values: Vec<f64> = longest.iter().filter_map(|row| row.number(metric)).collect();
        table.number(stats::mean(&values), write, why)
    };
    let mut cells = vec![
        Cell::code(config.name()),
        mean(table, MetricId::FloorOnePass, number::tokens, "no session of the longest was probed"),
        mean(table, MetricId::FloorLowWater, number::tokens, "nothing fired in the longest as deployed"),
    ];
    for series in FloorSeries::ALL {
        let slope = figures.in_family(family, config, series.slope());
        cells.push(table.estimate(&slope, number::change));
    }
    for metric in [MetricId::FloorGoalBatches, MetricId::FloorUsersLeft, MetricId::FloorOwnerless] {
        cells.push(mean(table, metric, number::count, NOT_COUNTED));
    }
    let absorbed = mean(table, MetricId::FloorGoalsAbsorbed, number::count, "not counted in this run");
    cells.push(match absorbed.value {
        Some(times) if times > 0.0 => absorbed.toned(Tone::Bad),
        _ => absorbed,
=======
/// What the floor is made of, configuration by configuration.
fn composition(figures: &Figures, views: &composition::ByCell, family: &str) -> Option<Table> {
    let mut table = composition::table(family);
    for subject in figures.unswept().filter(|subject| !subject.is_control()) {
        let cells = longest(figures, family, subject);
        table.rows.extend(composition::row(views, subject, &cells));
    }
    (!table.rows.is_empty()).then_some(table)
}

fn size(figures: &Figures, table: &mut Table, family: &str, subject: &Subject) -> Vec<Cell> {
    let figure = |metric| figures.in_family(family, subject, metric);
    let longest = longest(figures, family, subject);
    let mut cells = vec![Cell::code(subject.name())];
    for (metric, why) in [
        (MetricId::FloorOnePass, "no session of the longest was probed"),
        (MetricId::FloorLowWater, "nothing fired in the longest as deployed"),
    ] {
        let mean = mean(&longest, metric).map(number::tokens);
        cells.push(table.figure(mean.ok_or(why)));
    }
    for metric in [MetricId::FloorSlope, MetricId::FloorSlopeLowWater] {
        cells.push(table.figure(figure(metric).write_with_interval(number::change)));
    }
    for metric in [MetricId::FloorGoalBatches, MetricId::FloorUsersLeft, MetricId::FloorOwnerless] {
        let mean = mean(&longest, metric).map(number::count);
        cells.push(table.figure(mean.ok_or("not counted: no session was probed to its end")));
    }
    cells.push(match mean(&longest, MetricId::FloorGoalsAbsorbed) {
        Some(times) if times > 0.0 => Cell::text(number::count(times)).toned(Tone::Bad),
        Some(times) => Cell::text(number::count(times)),
        None => table.undefined("not counted in this run"),
>>>>>>> frame
    });
    cells
}

/// What the floor is made of, configuration by configuration.
fn made_of(figures: &Figures, views: &ByCell, family: &str) -> Table {
    let mut table = composition::table(family);
    for config in figures.shown_but_control() {
        let cells = longest(figures, family, config);
        table.rows.extend(composition::row(views, config, &cells));
    }
    table
}

/// Cells of a family's longest sessions.
<<<<<<< HEAD
fn longest<'a>(figures: &Figures<'a>, family: &str, config: &Config) -> Vec<&'a MeasuredCell> {
    let mut rows = figures.cells(config).to_vec();
=======
fn longest<'a>(figures: &Figures<'a>, family: &str, subject: &Subject) -> Vec<&'a MeasuredCell> {
    let mut rows = figures.cells(subject, figures.main);
>>>>>>> frame
    rows.retain(|row| row.key.family == family);
    let most = rows.iter().map(|row| row.key.turns).max();
    rows.retain(|row| Some(row.key.turns) == most);
    rows
}
<<<<<<< HEAD
=======

fn mean(cells: &[&MeasuredCell], metric: MetricId) -> Option<f64> {
    let values: Vec<f64> = cells.iter().filter_map(|row| row.number(metric)).collect();
    stats::mean(&values)
}
>>>>>>> frame
