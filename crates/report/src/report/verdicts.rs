//! The verdict table, the sweep beside it, and the brackets.

use super::by_scenario;
use super::completion::{self, CUT_SHORT, completes, is_complete};
use super::configurations;
use super::document::{Block, Cell, Prose, Section, Table, Tone};
use super::figures::{Figure, Figures, Subject};
use super::floors::verdict::Tally;
use super::number;
use super::rules;
use super::standing;
use super::sweep;
use crate::measure::MetricId;
use crate::trace::Ending;
use crate::truth::FactKind;

/// One row per configuration: whether it works, what it costs, what it knows.
pub fn section(figures: &Figures) -> Section {
    let mut blocks: Vec<Block> = standing::remarks(figures).into_iter().map(Block::Prose).collect();
    blocks.push(Block::Prose(Prose::new(INTERVALS)));
    if figures.unswept().any(|subject| Tally::of(figures, subject).families > 0) {
        blocks.push(Block::Prose(Prose::new(FLOORS)));
    }
    let mut table = verdicts(figures);
    let alike = table.drop_alike("Savings effective", "Savings net");
    blocks.push(Block::Table(table));
    blocks.extend(alike.map(Block::Prose));
    blocks.extend(by_scenario::without_needs(figures).map(Block::Prose));
    blocks.push(Block::Prose(rules::legend()));
    blocks.extend(cutting(figures).map(Block::Prose));
    blocks.extend(sweep::blocks(figures));
    Section { id: "verdicts", title: "Verdicts", blocks }
}

/// How all intervals of the page were come by.
const INTERVALS: &str = "All intervals of this page are of 95 %. Those of means are \
    percentile intervals of a seeded bootstrap over sessions. Where a column is headed [95 %] and \
    a mean has none, all sessions have the same value or there is one only, which does not say \
    that another could not differ.";

/// How the column on the floor is read.
const FLOORS: &str = "The words on the floor do not rank: some say which law it follows, others \
    how it stands against a reference, and red is what rises. The figures rank: beside each word \
    stands the steepest slope among its families of sessions, in tokens a turn, of one pass (what \
    a forced compaction leaves) and of low water (what the run's own compactions leave), and the \
    column after it has the steepest of all.";

/// Why plain cutting can cost more than sending everything, where it does.
fn cutting(figures: &Figures) -> Option<Prose> {
    let dollars = |subject: &Subject| figures.figure(subject, MetricId::CostUsd).value;
    let control = figures.unswept().find(|subject| subject.is_control()).and_then(dollars)?;
    let dearer = figures.unswept().find(|subject| {
        subject.pipeline == "truncate"
            && completes(figures, subject)
            && dollars(subject).is_some_and(|own| own > control)
    })?;
    Some(Prose::default().code(dearer.name()).then(
        " sends less than the control without a window and still costs more: cutting a step at \
         nearly every call changes the prefix, and so loses the prompt cache.",
    ))
}

/// A mean that sessions cut short make look small.
pub fn up_to_the_end(
    figures: &Figures,
    table: &mut Table,
    subject: &Subject,
    (metric, write): (MetricId, fn(f64) -> String),
) -> Cell {
    let cell = table.figure(figures.figure(subject, metric).write(write));
    if cell.note.is_some() || !completion::ended_early(figures, subject) {
        return cell;
    }
    Cell { note: Some(table.note(CUT_SHORT)), ..cell }
}

fn verdicts(figures: &Figures) -> Table {
    let dollars = format!("#Dollars a session (prices {})", figures.run.manifest.prices.name);
    let mut table = Table::new(
        "Verdict of each configuration",
        &[
            "Configuration",
            "Sessions completed",
            "Floor (steepest slope: one pass / low water)",
            "#Steepest (tokens a turn)",
            "#Mean prompt (tokens)",
            "#Savings net",
            "#Savings effective",
            &dollars,
            "#Recall at need [95 %]",
            "#n of recall",
            "Worst-retained kind at the end",
            "Rules broken",
        ],
    );
    for subject in figures.unswept() {
        let row = verdict_row(figures, &mut table, subject);
        table.rows.push(row);
    }
    table
}

fn verdict_row(figures: &Figures, table: &mut Table, subject: &Subject) -> Vec<Cell> {
    let figure = |metric| figures.figure(subject, metric);
    let recall = figure(MetricId::RecallAtNeed);
    let n = if recall.value.is_some() { Ok(recall.n.to_string()) } else { Err("") };
    vec![
        configurations::linked(figures, subject),
        completed(figures, table, subject),
        floor(figures, table, subject),
        steepest(figures, table, subject),
        up_to_the_end(figures, table, subject, (MetricId::TokensMeanPrompt, number::tokens)),
        saving(figures, table, subject, MetricId::SavingsNet),
        saving(figures, table, subject, MetricId::SavingsEffective),
        up_to_the_end(figures, table, subject, (MetricId::CostUsd, number::dollars)),
        recalled(figures, table, subject, &recall),
        table.figure(n),
        worst_kind(figures, table, subject),
        rules::cell(figures, table, subject),
    ]
}

/// How many sessions reached their end, and how the others ended.
pub fn completed(figures: &Figures, table: &mut Table, subject: &Subject) -> Cell {
    let cells = figures.cells(subject, figures.main);
    let failed = figures.failed(subject, figures.main);
    if cells.is_empty() && failed == 0 {
        return table.undefined("not driven under the main summarizer");
    }
    let complete = cells.iter().filter(|row| is_complete(row)).count();
    let counts = format!("{complete} of {}", cells.len() + failed);
    let incomplete = cells.iter().filter(|row| !is_complete(row));
    let mut reasons: Vec<&str> =
        incomplete.filter_map(|row| row.ended_by()).map(Ending::name).collect();
    reasons.sort_unstable();
    reasons.dedup();
    if failed > 0 {
        reasons.push("failed");
    }
    match reasons[..] {
        [] if complete == cells.len() => Cell::text(counts),
        [] => Cell::text(counts).toned(Tone::Bad),
        _ => Cell::text(format!("{counts} ({})", reasons.join(", "))).toned(Tone::Bad),
    }
}

/// Recall with its interval, and what an early end does to it.
fn recalled(figures: &Figures, table: &mut Table, subject: &Subject, recall: &Figure) -> Cell {
    let cell = table.figure(recall.write_with_interval(number::share));
    if cell.note.is_some() || !completion::ended_early(figures, subject) {
        return cell;
    }
    let note = "needs behind the early end of a session count as not met, whatever was known";
    Cell { note: Some(table.note(note)), ..cell }
}

fn floor(figures: &Figures, table: &mut Table, subject: &Subject) -> Cell {
    if subject.is_control() {
        return table.undefined("a control without a window has no floor");
    }
    let tally = Tally::of(figures, subject);
    if tally.families == 0 {
        return table.undefined("no verdict on the floor: it takes sessions of several lengths");
    }
    let few = "n too small: under eight sessions in some family, so an indication";
    let families = "families of sessions by verdict; the floor section has each";
    let says = match (tally.small, tally.counts.len() > 1) {
        (false, false) => return tally.cell(),
        (false, true) => families.to_owned(),
        (true, false) => few.to_owned(),
        (true, true) => format!("{few}; {families}"),
    };
    Cell { note: Some(table.note(&says)), ..tally.cell() }
}

/// The steepest slope of its floor: what rows are ranked by, whatever the words beside it.
fn steepest(figures: &Figures, table: &mut Table, subject: &Subject) -> Cell {
    if subject.is_control() {
        return table.undefined("a control without a window has no floor");
    }
    match Tally::of(figures, subject).steepest() {
        Some(slope) => Cell::text(number::change(slope)),
        None => table.undefined("no slope: it takes a probed floor or compactions"),
    }
}

/// Savings of a session that ended early compare unlike things.
fn saving(figures: &Figures, table: &mut Table, subject: &Subject, metric: MetricId) -> Cell {
    if subject.is_control() {
        return table.undefined("the control that savings are measured against");
    }
    if !completes(figures, subject) {
        return table.undefined("not ranked: some session did not complete");
    }
    table.figure(figures.figure(subject, metric).write(number::share))
}

/// Retention by kind, kinds in the order of all tables.
pub fn retention(figures: &Figures, subject: &Subject) -> Vec<(FactKind, Option<f64>)> {
    let kinds = FactKind::ALL.into_iter();
    kinds
        .map(|kind| {
            let metric = MetricId::retention(kind);
            (kind, figures.figure(subject, metric).value)
        })
        .collect()
}

fn worst_kind(figures: &Figures, table: &mut Table, subject: &Subject) -> Cell {
    let kinds = retention(figures, subject);
    let known = kinds.into_iter().filter_map(|(kind, value)| Some((kind, value?)));
    match known.min_by(|one, other| one.1.total_cmp(&other.1)) {
        Some((_, least)) if least >= 1.0 => Cell::text("none lost"),
        Some((kind, least)) => Cell::text(format!("{} {}", kind.name(), number::share(least))),
        None => table.undefined("no fact was live at the end"),
    }
}
