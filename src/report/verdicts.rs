//! The verdict table and the sweep beside it.

use super::by_scenario;
use super::completion::{self, completes};
use super::configurations;
use super::document::{Cell, Table, figure, text};
use super::figures::{Config, Figures};
use super::floors::verdict::Tally;
<<<<<<< HEAD
use super::metric_table::up_to_the_end;
use super::template::Parts;
use super::{Context, pictures, rules, sweep};
use crate::error::Result;
use crate::number;
=======
use super::number;
use super::rules;
use super::standing;
use super::sweep;
use crate::measure::MetricId;
use crate::trace::Ending;
>>>>>>> frame
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

<<<<<<< HEAD
/// What a reader of the tables must know of the configurations that are not in them.
fn remarks(figures: &Figures) -> Parts {
    let mut inferred: Vec<&str> = Vec::new();
    for config in figures.shown().filter(|config| config.inferred) {
        if !inferred.contains(&config.pipeline.as_str()) {
            inferred.push(&config.pipeline);
        }
=======
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
>>>>>>> frame
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

<<<<<<< HEAD
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

=======
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
    let complete = cells.iter().filter(|row| row.completed()).count();
    let counts = format!("{complete} of {}", cells.len() + failed);
    let incomplete = cells.iter().filter(|row| !row.completed());
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

>>>>>>> frame
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

<<<<<<< HEAD
/// Savings; those of sessions that ended early compare unlike things.
fn saving(figures: &Figures, table: &mut Table, config: &Config, metric: MetricId) -> Cell {
    if config.is_control() {
=======
/// Savings of a session that ended early compare unlike things.
fn saving(figures: &Figures, table: &mut Table, subject: &Subject, metric: MetricId) -> Cell {
    if subject.is_control() {
>>>>>>> frame
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
<<<<<<< HEAD
    let value =
        |kind: FactKind| figures.figure(config, MetricId::retention(kind)).value;
    kinds.map(|kind| (kind, value(kind))).collect()
=======
    kinds
        .map(|kind| {
            let metric = MetricId::retention(kind);
            (kind, figures.figure(subject, metric).value)
        })
        .collect()
>>>>>>> frame
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
