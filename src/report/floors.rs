//! The floor by family of sessions.

use super::composition;
use super::document::{Block, Cell, Prose, Section, Table, Tone};
use super::figures::{Figure, Figures, Subject};
use super::glossary;
use super::number;
use super::verdicts::verdict;
use crate::row::CellKey;
use crate::run_dir::read::MeasurementRow;
use crate::stats;

/// One table per family in which the floor was probed.
pub fn section(figures: &Figures, charts: Vec<Block>) -> Section {
    let mut blocks = vec![Block::Prose(Prose::new(
        "Twelve times in a session the context is copied and compaction forced on the copy. One \
         pass is what the first round leaves, low water what the run's own compactions left. The \
         slope (Theil-Sen) is in tokens a turn; growth names the law that fits best, of one pass \
         and of low water. The last four columns are of the longest sessions: goal batches made \
         in the run, user messages and ownerless summaries (those that follow no user message) \
         left after the first forced pass at the last checkpoint, and live goals absorbed, where a compaction took the \
         request being worked on. The second table of each family says what that last view is made \
         of, as tokens (entries); the tail is all that follows the last summary.",
    ))];
    blocks.push(Block::Prose(Prose::new("What the verdicts mean:")));
    blocks.push(Block::List(glossary::verdicts()));
    blocks.extend(charts);
    let mut any = false;
    for family in figures.families() {
        if let Some(table) = table(figures, family) {
            any = true;
            blocks.push(Block::Heading(heading(figures, family)));
            blocks.push(Block::Table(table));
            blocks.extend(composition(figures, family).map(Block::Table));
        }
    }
    if !any {
        blocks = vec![Block::Prose(Prose::new("The floor was not probed in this run."))];
    }
    Section { id: "floor", title: "Floor", blocks }
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

fn table(figures: &Figures, family: &str) -> Option<Table> {
    let probed = |subject: &&Subject| {
        figures.in_family(family, subject, "floor.one_pass").value.is_some()
            || !figures.in_family(family, subject, "floor.verdict").word.is_empty()
    };
    let subjects: Vec<&Subject> =
        figures.unswept().filter(|subject| !subject.is_control()).filter(probed).collect();
    if subjects.is_empty() {
        return None;
    }
    let mut table = Table::new(
        format!("Floor in sessions of family {family}"),
        &[
            "Configuration",
            "Verdict",
            "#One pass (tokens)",
            "#Low water (tokens)",
            "#Slope of one pass [95 %]",
            "#Slope of low water [95 %]",
            "Growth",
            "#Goal batches",
            "#Users left",
            "#Ownerless summaries",
            "#Live goals absorbed",
        ],
    );
    for subject in subjects {
        let row = row(figures, &mut table, family, subject);
        table.rows.push(row);
    }
    Some(table)
}

/// What the floor is made of, configuration by configuration.
fn composition(figures: &Figures, family: &str) -> Option<Table> {
    let mut table = composition::table(family);
    for subject in figures.unswept().filter(|subject| !subject.is_control()) {
        let cells = longest(figures, family, subject);
        table.rows.extend(composition::row(figures.run, subject, &cells));
    }
    (!table.rows.is_empty()).then_some(table)
}

fn row(figures: &Figures, table: &mut Table, family: &str, subject: &Subject) -> Vec<Cell> {
    let figure = |metric| figures.in_family(family, subject, metric);
    let judged = figure("floor.verdict");
    let judged = match judged.word.as_str() {
        "" => table.undefined(why(&judged.reason, "the family has one length only")),
        word => {
            let note = (!judged.reason.is_empty()).then(|| table.note(&judged.reason));
            Cell { note, ..verdict(word) }
        }
    };
    let mut cells = vec![
        Cell::code(subject.name()),
        judged,
        table.figure(figure("floor.one_pass").write(number::tokens)),
        table.figure(low_water(&figure("floor.low_water"))),
        table.figure(figure("floor.slope").write_with_interval(number::change)),
        table.figure(figure("floor.slope.low_water").write_with_interval(number::change)),
        growth(table, &figure("floor.growth"), &figure("floor.growth.low_water")),
    ];
    let longest = longest(figures, family, subject);
    for metric in ["floor.goal_batches", "floor.users_left", "floor.ownerless"] {
        let mean = mean(&longest, metric).map(number::count);
        cells.push(table.figure(mean.ok_or("not counted: no session was probed to its end")));
    }
    cells.push(match mean(&longest, "floor.goals_absorbed") {
        Some(times) if times > 0.0 => Cell::text(number::count(times)).toned(Tone::Bad),
        Some(times) => Cell::text(number::count(times)),
        None => table.undefined("not counted in this run"),
    });
    cells
}

fn growth(table: &mut Table, one_pass: &Figure, low_water: &Figure) -> Cell {
    match (one_pass.word.as_str(), low_water.word.as_str()) {
        ("", "") => table.undefined(why(&one_pass.reason, "too few checkpoints for a fit")),
        (one, "") => Cell::text(one),
        ("", other) => Cell::text(format!("– / {other}")),
        (one, other) if one == other => Cell::text(one),
        (one, other) => Cell::text(format!("{one} / {other}")),
    }
}

fn why<'a>(reason: &'a str, otherwise: &'a str) -> &'a str {
    if reason.is_empty() { otherwise } else { reason }
}

fn low_water(figure: &Figure) -> Result<String, &str> {
    match figure.write(number::tokens) {
        Err(_) if figure.reason.is_empty() => Err("nothing fired in the run as deployed"),
        other => other,
    }
}

/// Cells of a family's longest sessions.
fn longest<'a>(figures: &Figures<'a>, family: &str, subject: &Subject) -> Vec<&'a MeasurementRow> {
    let mut rows = figures.cells(subject, figures.main);
    rows.retain(|row| row.key.family == family);
    let most = rows.iter().map(|row| row.key.turns).max();
    rows.retain(|row| Some(row.key.turns) == most);
    rows
}

fn mean(cells: &[&MeasurementRow], metric: &str) -> Option<f64> {
    let values: Vec<f64> = cells.iter().filter_map(|row| row.number(metric)).collect();
    stats::mean(&values)
}
