//! The floor by family of sessions.

pub mod verdict;

use super::composition;
use super::document::{Block, Cell, Prose, Section, Table, Tone};
use super::figures::{Figure, Figures, Subject};
use super::glossary;
use super::number;
use crate::frame::Basis;
use crate::frame::MeasuredCell;
use crate::measure::MetricId;
use crate::measure::floor::FloorSeries;
use crate::row::CellKey;
use crate::stats;
use verdict::Verdict;

/// Three tables per family in which the floor was probed: the verdicts with what they
/// rest on, sizes, and what the floor is made of.
pub fn section(figures: &Figures, charts: Vec<Block>) -> Section {
    let mut blocks = vec![Block::Prose(Prose::new(
        "Twelve times in a session the context is copied and compaction forced on the copy. One \
         pass is what the first round leaves, low water what the run's own compactions left. The \
         first table of each family holds all that its verdicts are read from: the law of growth \
         that fits each series best, and the difference of its slope from that of the reference, \
         which is the pipeline that the configuration's file names as the one whose floor it is to \
         undercut. The second has sizes in tokens: one pass at the last checkpoint, the last low \
         water, and counts, all of the longest sessions; slopes (Theil-Sen, tokens a turn) are \
         means over the sessions of all lengths. Users and ownerless summaries (those that follow \
         no user message) are what the first forced pass at the last checkpoint left; goal batches \
         are all that the run made; a live goal is absorbed where a compaction took the request \
         being worked on: red, as the agent then goes on without its task word for word, though no \
         rule is broken. The third says what the view after that forced pass is made of, as \
         tokens (entries); the tail is all that follows the last summary.",
    ))];
    blocks.push(Block::Prose(Prose::new(
        "What the verdicts mean, in the order in which they are tried:",
    )));
    blocks.push(Block::List(glossary::verdicts()));
    blocks.extend(charts);
    let views = composition::by_cell(figures.run);
    let mut any = false;
    for family in figures.families() {
        let subjects = probed(figures, family);
        if subjects.is_empty() {
            continue;
        }
        any = true;
        blocks.push(Block::Heading(heading(figures, family)));
        blocks.push(Block::Table(verdicts(figures, family, &subjects)));
        blocks.push(Block::Table(sizes(figures, family, &subjects)));
        blocks.extend(composition(figures, &views, family).map(Block::Table));
    }
    if !any {
        blocks = vec![Block::Prose(Prose::new("The floor was not probed in this run."))];
    }
    Section { id: "floor", title: "Floor", blocks }
}

/// The configurations whose floor a family tells.
fn probed<'b>(figures: &'b Figures, family: &str) -> Vec<&'b Subject> {
    let probed = |subject: &&Subject| {
        figures.in_family(family, subject, MetricId::FloorOnePass).value.is_some()
            || !figures.in_family(family, subject, MetricId::FloorVerdict).word.is_empty()
    };
    figures.unswept().filter(|subject| !subject.is_control()).filter(probed).collect()
}

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
    if compares {
        titles.extend([
            "#One pass: slope less the reference's [95 %]",
            "#Low water: the same [95 %]",
        ]);
    }
    let caption = format!("Verdicts on the floor in sessions of family {family}");
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
            });
        }
        table.rows.push(row);
    }
    table
}

fn judged(figures: &Figures, table: &mut Table, family: &str, subject: &Subject) -> Cell {
    match Verdict::of(figures, family, subject) {
        None => {
            let found = figures.in_family(family, subject, MetricId::FloorVerdict);
            table.undefined(why(&found.reason, "the family has one length only"))
        }
        Some(verdict) => {
            let note = (!verdict.reason.is_empty()).then(|| table.note(&verdict.reason));
            Cell { note, ..verdict.cell() }
        }
    }
}

/// The law that fits best, and whether growth in proportion to the turns is settled.
fn law(table: &mut Table, growth: &Figure) -> Cell {
    let settled = match growth.reason.split(';').next().unwrap_or_default() {
        "linear growth excluded" => ", linear excluded",
        "linear growth neither excluded nor shown" => ", not settled",
        _ => "",
    };
    match growth.word.as_str() {
        "" => table.undefined(why(&growth.reason, "too few checkpoints for a fit")),
        word => Cell::text(format!("{word}{settled}")),
    }
}

/// The reference that a slope was compared with.
fn reference(table: &mut Table, difference: &Figure) -> Cell {
    match &difference.basis {
        Basis::Beside { reference } => Cell::code(reference),
        Basis::ReferenceNotDriven { reference } | Basis::NoPair { reference } => {
            Cell::text(format!("{reference}, not driven")).toned(Tone::Faint)
        }
        Basis::NoReference => Cell::text("none named").toned(Tone::Faint),
        _ => table.undefined(why(&difference.reason, "not measured in this run")),
    }
}

/// Sizes in tokens and counts.
fn sizes(figures: &Figures, family: &str, subjects: &[&Subject]) -> Table {
    let mut table = Table::new(
        format!("Floor in sessions of family {family}"),
        &[
            "Configuration",
            "#One pass, longest",
            "#Low water, longest",
            "#Slope of one pass [95 %]",
            "#Slope of low water [95 %]",
            "#Goal batches made",
            "#Users left",
            "#Ownerless left",
            "#Live goals absorbed",
        ],
    );
    for subject in subjects {
        let row = size(figures, &mut table, family, subject);
        table.rows.push(row);
    }
    table
}

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
    });
    cells
}

fn why<'a>(reason: &'a str, otherwise: &'a str) -> &'a str {
    if reason.is_empty() { otherwise } else { reason }
}

/// Cells of a family's longest sessions.
fn longest<'a>(figures: &Figures<'a>, family: &str, subject: &Subject) -> Vec<&'a MeasuredCell> {
    let mut rows = figures.cells(subject, figures.main);
    rows.retain(|row| row.key.family == family);
    let most = rows.iter().map(|row| row.key.turns).max();
    rows.retain(|row| Some(row.key.turns) == most);
    rows
}

fn mean(cells: &[&MeasuredCell], metric: MetricId) -> Option<f64> {
    let values: Vec<f64> = cells.iter().filter_map(|row| row.number(metric)).collect();
    stats::mean(&values)
}
