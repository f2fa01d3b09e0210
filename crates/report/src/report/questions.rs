//! What a reader knew from the compacted views, where a run was asked.

use super::document::{Cell, Table, figure, text};
use super::section::Context;
use super::template::Parts;
use crate::error::Result;
use crate::number;
use crate::question::{Figure, Header, Line, load, summarize};
use crate::row::CellKey;

const NOT_ASKED: &str = "no question of this sort was answered";

/// None where the run holds no answers.
pub fn parts(context: &Context) -> Result<Option<Parts>> {
    let Some((header, rows)) = load(context.dir)? else { return Ok(None) };
    let keys: Vec<&CellKey> = context.figures.run.measurements.iter().map(|row| &row.key).collect();
    let summary = summarize(&keys, &rows);
    let drawn = |count: fn(&crate::question::SheetCounts) -> usize| -> usize {
        header.sessions.iter().map(|(_, drawn)| count(drawn)).sum()
    };
    let unanswered: usize = summary.configurations.iter().map(|line| line.unanswered).sum();
    Ok(Some(
        Parts::default()
            .value("reader", &header.reader)
            .value("is_model", header.is_model)
            .value("judged", header.judged)
            .value("answerable", drawn(|drawn| drawn.fair))
            .value("needs", drawn(|drawn| drawn.needs))
            .value("distant", header.windows > 0.0)
            .value("questions", summary.questions)
            .value("sessions", summary.sessions)
            .value("unanswered", unanswered)
            .value("differing", header.differing.len())
            .table(
                "configurations",
                accuracy(Rows::Configurations, &summary.configurations, &header),
            )
            .table("agreement", agreement(&summary.configurations))
            .table("kinds", accuracy(Rows::Kinds, &summary.kinds, &header)),
    ))
}

/// What the rows of a table are.
#[derive(Clone, Copy)]
enum Rows {
    Configurations,
    Kinds,
}

fn accuracy(rows: Rows, lines: &[Line], header: &Header) -> Table {
    let mut columns = vec![text(match rows {
        Rows::Configurations => "Configuration",
        Rows::Kinds => "Kind of question",
    })];
    columns.extend(["Asked", "In the words", "Right", "Right, leniently"].map(figure));
    columns.extend(header.judged.then(|| figure("Right, judged")));
    columns.extend(["Full", "None", "Restated", "Decoys accepted"].map(figure));
    let mut table = Table::new("Questions answered from the compacted view", columns);
    for line in lines {
        let [view, full, none, restated, decoy] = &line.strict;
        let name = match rows {
            Rows::Configurations => Cell::code(line.name.clone()),
            Rows::Kinds => Cell::text(line.name.clone()),
        };
        let mut row = vec![name, Cell::count(view.answers)];
        let judge = header.judged.then_some(&line.judge);
        let figures = [&line.lexical, view, &line.lenient].into_iter().chain(judge);
        for figure in figures.chain([full, none, restated, decoy]) {
            row.push(field(&mut table, figure));
        }
        table.rows.push(row);
    }
    table
}

fn agreement(lines: &[Line]) -> Table {
    let titles = ["Equal", "Kappa", "Equal, leniently", "Kappa, leniently", "n"].map(figure);
    let columns = std::iter::once(text("Configuration")).chain(titles);
    let mut table = Table::new("Agreement of presence by words with the reader's answers", columns);
    for line in lines.iter().filter(|line| line.agreement[0].count > 0) {
        let mut row = vec![Cell::code(line.name.clone())];
        for agreement in line.agreement {
            row.push(table.number(agreement.equal, number::share, NOT_ASKED));
            row.push(match (agreement.kappa, agreement.written()) {
                (Some(kappa), Some(written)) => Cell { value: Some(kappa), ..Cell::text(written) },
                _ => table.undefined("one of the two verdicts never varies"),
            });
        }
        row.push(Cell::count(line.agreement[0].count));
        table.rows.push(row);
    }
    table
}

fn field(table: &mut Table, figure: &Figure) -> Cell {
    let cell = table.number(figure.mean, number::share, NOT_ASKED);
    match figure.interval.filter(|_| figure.mean.is_some()) {
        Some(interval) => {
            let ends = number::interval((interval.low, interval.high), number::share);
            Cell { text: format!("{} {ends}", cell.text), ..cell }
        }
        None => cell,
    }
}
