//! What was driven and what was not: controls, losses, cells, sessions, provenance.

use crate::frame::Basis;
use crate::measure::{Check, MetricId, Value, Word};
use crate::trace::Ending;
use std::collections::BTreeMap;

use super::completion::{ended_early, is_complete};
use super::document::{Block, Cell, Prose, Section, Table, Tone};
use super::figures::{Figures, Subject};
use super::number;
use super::verdicts::up_to_the_end;
use crate::chart::LOSS_CAUSES;
use crate::row::CompactionRow;
use crate::run_dir::{CellState, ManifestSession};
use crate::stats;

/// Cells named one by one before the rest is only counted.
const NAMED: usize = 12;

/// Whether the measuring works: what must come out, and what did.
pub fn controls(figures: &Figures) -> Section {
    let intro = "The control without a window forgets nothing, so it must recall everything; decoys \
                 are facts that no session holds, so nobody may be found to know them; over the \
                 steps that were reached, empty summaries must not recall more than extractive \
                 ones, nor these more than perfect ones (by scenario). Where a \
                 control does not hold, no figure of this report can be trusted.";
    let mut table = Table::new(
        "Controls",
        &["Control", "Must be", "#Sessions or scenarios", "#Not so", "Holds"],
    );
    for (metric, name, must, shown) in [
        (MetricId::ControlRecall, "recall without a window", Value::Number(1.0), "100%"),
        (MetricId::ControlDecoys, "decoys found", Value::Number(0.0), "0"),
        (
            MetricId::ControlBrackets,
            "more known, more recalled (needs reached)",
            Value::Word(Word::Check(Check::Holds)),
            "so",
        ),
    ] {
        let row = control(figures, &mut table, (metric, name), (must, shown));
        table.rows.push(row);
    }
    let blocks = vec![Block::Prose(Prose::new(intro)), Block::Table(table)];
    Section { id: "controls", title: "Controls", blocks }
}

fn control(
    figures: &Figures,
    table: &mut Table,
    (metric, name): (MetricId, &str),
    (must, shown): (Value, &str),
) -> Vec<Cell> {
    let rows: Vec<_> = figures.run.derived.iter().filter(|row| row.metric == metric).collect();
    // A session without demands has nothing to recall; every other gap is a fault.
    let empty = rows.iter().filter(|row| row.basis == Basis::NoDemands).count();
    let wrong = rows.iter().filter(|row| row.value != Some(must)).count() - empty;
    let holds = match (rows.len(), wrong) {
        (0, _) => table.undefined("not measured in this run"),
        (_, 0) => Cell::text("yes").toned(Tone::Good),
        _ => Cell::text("no").toned(Tone::Bad),
    };
    let counts = [rows.len() - empty, wrong].map(|count| Cell::text(count.to_string()));
    let [sessions, wrong] = counts;
    vec![Cell::text(name), Cell::text(shown), sessions, wrong, holds]
}

/// Why a configuration can lose nothing and know nothing.
const NOTHING_TAKEN: &str = "no compaction took a fact; needs behind the early end of its sessions \
                             are not met all the same, so its recall may be 0 %";

/// Facts lost by cause, in the order of [`LOSS_CAUSES`].
pub fn losses(row: &CompactionRow) -> [u64; 5] {
    [row.lost_dropped, row.lost_unseen, row.lost_omitted, row.lost_resummarized, row.lost_inverted]
        .map(u64::from)
}

/// Facts lost by configuration and cause under the main summarizer.
pub fn losses_by_subject<'b>(figures: &'b Figures) -> Vec<(&'b Subject, [u64; 5])> {
    let mut by_cell: BTreeMap<&str, [u64; 5]> = BTreeMap::new();
    for row in &figures.run.compactions {
        let sum = by_cell.entry(row.cell.as_str()).or_default();
        for (sum, lost) in sum.iter_mut().zip(losses(row)) {
            *sum += lost;
        }
    }
    let subjects = figures.unswept().filter(|subject| !subject.is_control());
    subjects
        .map(|subject| {
            let cells = figures.cells(subject, figures.main).into_iter();
            let known = cells.filter_map(|cell| by_cell.get(cell.key.cell.as_str()));
            let sum = known
                .fold([0; 5], |sum, lost| std::array::from_fn(|cause| sum[cause] + lost[cause]));
            (subject, sum)
        })
        .collect()
}

/// Where facts were lost.
pub fn loss_section(figures: &Figures, chart: Vec<Block>) -> Section {
    let intro = "Every fact that a compaction took from the context, by cause. Facts dropped, or \
                 covered by a summary whose writer never saw them, are lost whatever the model; the \
                 others depend on the summarizer. The last two columns are means a session over \
                 what was needed after all: losses that cannot be had again, because only the user \
                 or the agent's own words gave them, and the tokens of calling again for the rest. \
                 Re-acquisition is priced once per loss, as one call and its result, so what savings effective takes off for forgetting is a lower bound.";
    let mut columns = vec!["Configuration".to_owned()];
    columns.extend(LOSS_CAUSES.iter().map(|cause| format!("#{cause}")));
    columns.extend(["#All", "#Unrecoverable", "#Re-acquired (tokens)"].map(str::to_owned));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut table = Table::new("Facts lost by cause", &columns);
    for (subject, lost) in losses_by_subject(figures) {
        let mut row = vec![Cell::code(subject.name())];
        row.extend(lost.iter().map(|count| Cell::text(number::count(*count as f64))));
        let all = Cell::text(number::count(lost.iter().sum::<u64>() as f64));
        row.push(match lost == [0; 5] && ended_early(figures, subject) {
            true => Cell { note: Some(table.note(NOTHING_TAKEN)), ..all },
            false => all,
        });
        for mean in [
            (MetricId::CostUnrecoverable, number::count as fn(f64) -> String),
            (MetricId::CostReacquire, number::tokens),
        ] {
            row.push(up_to_the_end(figures, &mut table, subject, mean));
        }
        table.rows.push(row);
    }
    let mut blocks = vec![Block::Prose(Prose::new(intro))];
    blocks.extend(chart);
    blocks.push(Block::Table(table));
    Section { id: "losses", title: "Where facts were lost", blocks }
}

/// Failed, excluded and incomplete cells, by reason.
pub fn unfinished(figures: &Figures) -> Section {
    let mut groups: BTreeMap<(&str, String), Vec<&str>> = BTreeMap::new();
    for cell in &figures.run.manifest.cells {
        let name = cell.key.cell.as_str();
        let group = match &cell.state {
            CellState::Failed(reason) => ("failed", reason.clone()),
            CellState::Excluded(reason) => ("excluded", reason.clone()),
            CellState::Done => match figures.cell(name) {
                None => ("missing", "no row in measurements.csv".to_owned()),
                // What becomes of faulty summarizers stands in a section of its own.
                Some(row) if !is_complete(row) && cell.key.fault().is_none() => {
                    ("incomplete", row.ended_by().map_or("not said", Ending::name).to_owned())
                }
                Some(_) => continue,
            },
        };
        groups.entry(group).or_default().push(name);
    }
    let all = figures.run.manifest.cells.len();
    let title = "Cells that failed, were excluded or ended early";
    if groups.is_empty() {
        let says = format!("None: all {all} cells were driven to their last step.");
        let blocks = vec![Block::Prose(Prose::new(says))];
        return Section { id: "cells", title, blocks };
    }
    let intro = format!(
        "Of {all} cells. A session that ended early is a result: needs after its end count as not \
         met.",
    );
    let mut table = Table::new(title, &["What", "Why", "#Cells", "Which"]);
    for ((what, why), cells) in groups {
        let mut named = cells[..cells.len().min(NAMED)].join(", ");
        if cells.len() > NAMED {
            named.push_str(&format!(" and {} more", cells.len() - NAMED));
        }
        let what =
            if what == "failed" { Cell::text(what).toned(Tone::Bad) } else { Cell::text(what) };
        let count = Cell::text(cells.len().to_string());
        table.rows.push(vec![what, Cell::text(why), count, Cell::code(named)]);
    }
    Section {
        id: "cells",
        title,
        blocks: vec![Block::Prose(Prose::new(intro)), Block::Table(table)],
    }
}

/// The sessions, a row for each scenario.
pub fn sessions(figures: &Figures) -> Section {
    let mut table = Table::new(
        "Sessions",
        &[
            "Scenario",
            "#Seeds",
            "#Turns",
            "#Steps",
            "#Tokens",
            "#Window",
            "#Windows",
            "#Facts",
            "#Demands",
            "#Fact load",
            "#Boundaries",
        ],
    );
    let mut scenarios: Vec<(&str, Vec<&ManifestSession>)> = Vec::new();
    for session in &figures.run.manifest.sessions {
        match scenarios.iter_mut().find(|(name, _)| *name == session.scenario) {
            Some((_, sessions)) => sessions.push(session),
            None => scenarios.push((&session.scenario, vec![session])),
        }
    }
    for (name, sessions) in scenarios {
        let mean = |value: fn(&ManifestSession) -> f64| {
            let values: Vec<f64> = sessions.iter().map(|session| value(session)).collect();
            stats::mean(&values).unwrap_or_default()
        };
        let windows = |session: &ManifestSession| {
            if session.window == 0 { 0.0 } else { session.tokens as f64 / session.window as f64 }
        };
        table.rows.push(vec![
            Cell::code(name),
            Cell::text(sessions.len().to_string()),
            Cell::text(number::count(mean(|session| f64::from(session.turns)))),
            Cell::text(number::count(mean(|session| f64::from(session.steps)))),
            Cell::text(number::tokens(mean(|session| session.tokens as f64))),
            Cell::text(number::tokens(mean(|session| session.window as f64))),
            Cell::text(format!("{:.1}", mean(windows))),
            Cell::text(number::count(mean(|session| f64::from(session.facts)))),
            Cell::text(number::count(mean(|session| f64::from(session.demands)))),
            Cell::text(format!("{:.2}", mean(|session| session.fact_load))),
            Cell::text(number::count(mean(|session| f64::from(session.boundaries)))),
        ]);
    }
    let intro = "Means over seeds. Fact load is the median tokens of live facts' statements over \
                 2.5 % of the window, what recorded summaries come to: above 1 a summary of that size \
                 must leave something out. Boundaries are recorded compactions, or points that the \
                 scenario sets beforehand for mode forced.";
    let blocks = vec![Block::Prose(Prose::new(intro)), Block::Table(table)];
    Section { id: "sessions", title: "Sessions", blocks }
}

/// What these figures cannot tell.
pub fn limits(figures: &Figures) -> Section {
    let manifest = &figures.run.manifest;
    let least = figures
        .unswept()
        .filter(|subject| !subject.is_control())
        .map(|subject| figures.cells(subject, figures.main).len())
        .filter(|cells| *cells > 0)
        .min();
    let mut limits = vec![Prose::new(
        "Replay is open-loop: the agent says what it said, whatever it has forgotten.",
    )];
    if manifest.offline {
        limits.push(Prose::new(
            "The summarizer is no language model; figures that depend on what a \
                        summary keeps are bounds, not forecasts.",
        ));
    }
    limits
        .push(Prose::new("Facts are found by their wording. A correct paraphrase counts as lost."));
    limits.push(
        Prose::new("Dollars follow the price sheet ")
            .code(&manifest.prices.name)
            .then(" and a simulated cache; waiting times are modelled."),
    );
    if let Some(least) = least {
        limits.push(Prose::new(format!(
            "The session is the unit: some configuration rests on {least} of them. Intervals cover \
             the variation between sessions like these, not between workloads."
        )));
    }
    limits.push(
        Prose::new("The whole list, our own bias included, is in ").code("LIMITS.md").then("."),
    );
    Section { id: "limits", title: "Limits", blocks: vec![Block::List(limits)] }
}

/// What was run, so that it can be run again.
pub fn provenance(figures: &Figures) -> Section {
    let manifest = &figures.run.manifest;
    let mut table = Table::new("Where these figures come from", &["What", "Value"]);
    let inputs = |inputs: &[crate::run_dir::ManifestInput]| {
        let names: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
        names.join(", ")
    };
    let lines = [
        ("Command", manifest.command.clone()),
        ("Proctor", manifest.tool.clone()),
        ("Suite", manifest.suite.clone()),
        ("Manifest digest", figures.run.manifest_digest.to_string()),
        ("Tokenizer", manifest.tokenizer.clone()),
        ("Price sheet", format!("{} ({})", manifest.prices.name, manifest.prices.digest)),
        ("Summarizers", manifest.summarizers.join(", ")),
        ("Faults", manifest.faults.join(", ")),
        ("Pipelines", inputs(&manifest.pipelines)),
        ("Scenarios", inputs(&manifest.scenarios)),
        ("Cells", manifest.cells.len().to_string()),
    ];
    let said = |line: &(&str, String)| line.0 != "Faults" || !line.1.is_empty();
    for (what, value) in lines.into_iter().filter(said) {
        table.rows.push(vec![Cell::text(what), Cell::code(value)]);
    }
    let again = Prose::new("The same binary and inputs give the same figures, byte for byte.");
    let blocks = vec![Block::Prose(again), Block::Table(table)];
    Section { id: "provenance", title: "Provenance", blocks }
}
