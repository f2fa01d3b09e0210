//! The two phrase banks: what of recall is owed to the wording of the sessions.

use super::document::{Block, Cell, Prose, Section, Table};
use super::figures::{Figures, Subject};
use super::number;
use crate::measure::MetricId;

/// Recall of sessions told twice, by configuration.
pub fn section(figures: &Figures) -> Section {
    let (id, title) = ("banks", "Phrase banks: the same sessions in other words");
    let intro = Prose::new(
        "Summarizers and strategies are developed on sessions in phrase bank A. The author of bank B \
         had the list of words that the offline summarizer looks for, and bank B holds none of them. \
         These sessions were run in both banks, turn by turn the same. The gap is recall at need in \
         A less that in B, in points, with its interval over pairs of sessions. Under ",
    )
    .code("perfect")
    .then(", which no wording affects, it shows what else differs between the two. A gap under ")
    .code(figures.main)
    .then(
        " that is clearly larger is an upper bound of what recall on bank A owes to its wording.",
    );
    let table = table(figures);
    let blocks = match table.rows.is_empty() {
        true => {
            let why = "No session of this run was told in the second phrase bank, so what of recall \
                       is owed to the wording is not known.";
            vec![Block::Prose(Prose::new(why))]
        }
        false => vec![Block::Prose(intro), Block::Table(table)],
    };
    Section { id, title, blocks }
}

fn table(figures: &Figures) -> Table {
    let titles = ["Configuration", "#Bank A", "#Bank B", "#Gap", "#Gap under perfect", "#n"];
    let mut table = Table::new("Recall at need by phrase bank", &titles);
    let subjects: Vec<&Subject> =
        figures.unswept().filter(|subject| !subject.is_control()).collect();
    for subject in subjects {
        let gap = figures.told_twice(subject, figures.main, MetricId::BankGap);
        if gap.value.is_none() {
            continue;
        }
        let mut row = vec![Cell::code(subject.name())];
        for metric in [MetricId::BankA, MetricId::BankB] {
            let figure = figures.told_twice(subject, figures.main, metric);
            row.push(table.figure(figure.write(number::share)));
        }
        row.push(table.figure(gap.write_with_interval(points)));
        let perfect = figures.told_twice(subject, "perfect", MetricId::BankGap);
        row.push(table.figure(perfect.write_with_interval(points).map_err(|_| "not driven")));
        row.push(Cell::text(gap.n.to_string()));
        table.rows.push(row);
    }
    table
}

/// Points of recall.
fn points(share: f64) -> String {
    number::change(share * 100.0)
}
