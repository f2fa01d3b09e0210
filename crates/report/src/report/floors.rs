//! The floor by family of sessions.

pub mod verdict;

use minijinja::Value;
use serde::Serialize;

use super::composition::{self, ByCell};
use super::document::{Cell, Table, Tone, figure, text};
use super::figures::{Config, Figure, Figures, Write};
use super::pictures;
use super::section::Context;
use super::template::Parts;
use crate::error::Result;
use crate::frame::{Basis, MeasuredCell};
use crate::measure::MetricId;
use crate::measure::floor::{FloorSeries, LinearGrowth};
use crate::number;
use crate::stats;
use verdict::FloorVerdict;

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

/// The configurations whose floor was probed in a family.
fn probed<'b>(figures: &'b Figures, family: &str) -> Vec<&'b Config> {
    let probed = |config: &&Config| {
        figures.in_family(family, config, MetricId::FloorOnePass).value.is_some()
            || figures.in_family(family, config, MetricId::FloorVerdict).verdict().is_some()
    };
    figures.shown_but_control().filter(probed).collect()
}

/// Verdicts with all that they rest on.
fn verdicts(figures: &Figures, family: &str, configs: &[&Config]) -> Table {
    let difference = |config: &Config, series: FloorSeries| {
        figures.in_family(family, config, series.slope_difference())
    };
    let compares =
        configs.iter().any(|config| difference(config, FloorSeries::OnePass).value.is_some());
    let titles = ["Configuration", "Verdict", "Law of one pass", "Law of low water", "Reference"];
    let mut columns: Vec<_> = titles.map(text).into();
    if compares {
        columns.push(figure("One pass: slope less the reference's [95 %]"));
        columns.push(figure("Low water: slope less the reference's [95 %]"));
    }
    let caption = format!("Verdicts on the floor in sessions of family {family}");
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
            });
        }
        table.rows.push(row);
    }
    table
}

fn judged(figures: &Figures, table: &mut Table, family: &str, config: &Config) -> Cell {
    match FloorVerdict::of(figures, family, config) {
        None => {
            let found = figures.in_family(family, config, MetricId::FloorVerdict);
            table.undefined(&found.why_or("the family has one length only"))
        }
        Some(verdict) if verdict.reason.is_empty() => verdict.cell(),
        Some(verdict) => verdict.cell().noted(table.note(&verdict.reason)),
    }
}

/// The law that fits best, and whether growth in proportion to the turns is settled.
fn law(table: &mut Table, growth: &Figure) -> Cell {
    let settled = match growth.basis.linear_growth() {
        Some(LinearGrowth::Excluded) => ", linear excluded",
        Some(LinearGrowth::Open) => ", not settled",
        Some(LinearGrowth::Established) | None => "",
    };
    match growth.model() {
        None => table.undefined(&growth.why_or("too few checkpoints for a fit")),
        Some(model) => Cell::text(format!("{}{settled}", model.name())),
    }
}

/// The reference that a slope was compared with.
fn reference(table: &mut Table, difference: &Figure) -> Cell {
    match &difference.basis {
        Basis::Beside { reference } => Cell::code(reference),
        Basis::ReferenceNotDriven { reference } => {
            Cell::text(format!("{reference}, not driven")).toned(Tone::Faint)
        }
        Basis::NoReference => Cell::text("none named").toned(Tone::Faint),
        _ => table.undefined(&difference.why()),
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
        mean(
            table,
            MetricId::FloorLowWater,
            number::tokens,
            "nothing fired in the longest as deployed",
        ),
    ];
    for series in FloorSeries::ALL {
        let slope = figures.in_family(family, config, series.slope());
        cells.push(table.estimate(&slope, number::change));
    }
    for metric in [MetricId::FloorGoalBatches, MetricId::FloorUsersLeft, MetricId::FloorOwnerless] {
        cells.push(mean(table, metric, number::count, NOT_COUNTED));
    }
    let absorbed =
        mean(table, MetricId::FloorGoalsAbsorbed, number::count, "not counted in this run");
    cells.push(match absorbed.value {
        Some(times) if times > 0.0 => absorbed.toned(Tone::Bad),
        _ => absorbed,
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
fn longest<'a>(figures: &Figures<'a>, family: &str, config: &Config) -> Vec<&'a MeasuredCell> {
    let mut rows = figures.cells(config).to_vec();
    rows.retain(|row| row.key.family == family);
    let most = rows.iter().map(|row| row.key.turns).max();
    rows.retain(|row| Some(row.key.turns) == most);
    rows
}
