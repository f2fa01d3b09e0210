//! Plain cutting at fixed sizes, and the strategies beside it.

<<<<<<< HEAD
use super::completion;
use super::document::{Cell, Table, figure, text};
use super::figures::{Config, Figures};
use super::metric_table::up_to_the_end;
use super::template::Parts;
use crate::number::{points, share, tokens};

/// The swept limits, where there are any, and what each configuration adds to them.
pub fn parts(figures: &Figures, parts: Parts) -> Parts {
    let is_swept = figures.configs.iter().any(Config::is_swept);
    let none = || Table::new("", []);
    parts
        .table("sweep", if is_swept { sweep(figures) } else { none() })
        .table("beside", if is_swept { beside(figures) } else { none() })
}

fn sweep(figures: &Figures) -> Table {
    let columns = [
        text("Configuration"),
        text("Sessions completed"),
        figure("Mean prompt (tokens)"),
        figure("Recall at need [95 %]"),
        figure("n"),
    ];
    let mut table = Table::new("Swept limits", columns);
    for config in figures.configs.iter().filter(|config| config.is_swept()) {
        let recall = figures.figure(config, MetricId::RecallAtNeed);
        let row = vec![
            Cell::code(config.name()),
            completion::cell(figures, &mut table, config),
            up_to_the_end(figures, &mut table, config, MetricId::TokensMeanPrompt, tokens),
            table.estimate(&recall, share),
            match recall.value {
                Some(_) => Cell::count(recall.n as usize),
                None => table.undefined(""),
            },
=======
use super::document::{Block, Cell, Prose, Table};
use super::figures::{Figures, Subject};
use super::number;
use super::verdicts::{completed, up_to_the_end};
use crate::measure::MetricId;

/// The swept limits, where there are any, and what each configuration adds to them.
pub fn blocks(figures: &Figures) -> Vec<Block> {
    if !figures.subjects.iter().any(Subject::is_swept) {
        return Vec::new();
    }
    let mut blocks = vec![
        Block::Heading("Swept limits".to_owned()),
        Block::Prose(Prose::new(
            "The same pipeline under fixed limits: what plain cutting achieves at each size. A \
             need counts here only where its fact was last mentioned a whole window before, which \
             cutting to a part of the window cannot keep: near 0 by construction, and a yardstick \
             only where something else is near it. What cutting still holds at the end stands \
             under What is still known.",
        )),
        Block::Table(sweep(figures)),
    ];
    if figures.run.derived.iter().any(|row| row.metric == MetricId::SavingsTruncateEqual) {
        blocks.push(Block::Heading("Beside truncation at the same mean prompt".to_owned()));
        blocks.push(Block::Prose(Prose::new(
            "Recall at need less that of truncation at the same mean prompt, read off the sweep of \
             the same session and never beyond its ends. Both are over the sessions that completed \
             and whose mean prompt lies within the sweep: n, of all driven. Where n is much \
             smaller, the sessions that are missing are not like the others: they ended early, \
             or lie beyond the sweep.",
        )));
        blocks.push(Block::Table(beside(figures)));
    }
    blocks
}

fn sweep(figures: &Figures) -> Table {
    let mut table = Table::new(
        "Swept limits",
        &[
            "Configuration",
            "Sessions completed",
            "#Mean prompt (tokens)",
            "#Recall at need [95 %]",
            "#n",
        ],
    );
    for subject in figures.subjects.iter().filter(|subject| subject.is_swept()) {
        let recall = figures.figure(subject, MetricId::RecallAtNeed);
        let n = if recall.value.is_some() { Ok(recall.n.to_string()) } else { Err("") };
        let row = vec![
            Cell::code(subject.name()),
            completed(figures, &mut table, subject),
            up_to_the_end(
                figures,
                &mut table,
                subject,
                (MetricId::TokensMeanPrompt, number::tokens),
            ),
            table.figure(recall.write_with_interval(number::share)),
            table.figure(n),
>>>>>>> frame
        ];
        table.rows.push(row);
    }
    table
}

/// Configurations beside truncation at the same mean prompt; no rows where the run did not
/// compare them.
fn beside(figures: &Figures) -> Table {
<<<<<<< HEAD
    let columns = [
        text("Configuration"),
        text("Sessions completed"),
        figure("Truncation's recall"),
        figure("Recall beside it (points)"),
        figure("n, of all"),
    ];
    let mut table = Table::new("Beside truncation at the same mean prompt", columns);
    let others = figures.shown_but_control().filter(|config| config.pipeline != "truncate");
    let mut compared = false;
    for config in others {
        let equal = figures.figure(config, MetricId::SavingsTruncateEqual);
        let truncate = figures.figure(config, MetricId::SavingsTruncateRecall);
        compared |= equal.value.is_some();
=======
    let mut table = Table::new(
        "Beside truncation at the same mean prompt",
        &[
            "Configuration",
            "Sessions completed",
            "#Truncation's recall",
            "#Recall beside it (points)",
            "#n, of all",
        ],
    );
    let others = figures.unswept().filter(|subject| !subject.is_control());
    for subject in others.filter(|subject| subject.pipeline != "truncate") {
        let equal = figures.figure(subject, MetricId::SavingsTruncateEqual);
        let truncate = figures.figure(subject, MetricId::SavingsTruncateRecall);
        let all = figures.cells(subject, figures.main).len();
>>>>>>> frame
        let known = if equal.value.is_some() { equal.n } else { 0 };
        let count = Cell::count(known as usize);
        let row = vec![
            Cell::code(config.name()),
            completion::cell(figures, &mut table, config),
            table.figure(&truncate, share),
            table.figure(&equal, points),
            Cell { text: format!("{known} of {}", figures.cells(config).len()), ..count },
        ];
        table.rows.push(row);
    }
    if !compared {
        table.rows.clear();
    }
    table
}
