//! Tables for the terminal.

use std::collections::BTreeMap;
use std::fmt;

use console::measure_text_width as width;

use crate::apply::Rule;
use crate::compare::contestant;
use crate::compare::render::{self, Column, Lines, written};
use crate::frame::MeasuredCell;
use crate::measure::MetricId;
use crate::number;
use crate::run_dir::ManifestSession;
use crate::run_dir::read::RunData;
use crate::stats;

/// A session, and how many cells it has.
pub(super) type SessionLine = (ManifestSession, usize);

const SESSIONS: [Column<SessionLine>; 9] = [
    ("session", |(session, _)| format!("{} seed {}", session.scenario, session.seed)),
    ("turns", |(session, _)| session.turns.to_string()),
    ("steps", |(session, _)| session.steps.to_string()),
    ("tokens", |(session, _)| number::tokens(session.tokens as f64)),
    ("windows", |(session, _)| format!("{:.1}", session.tokens as f64 / session.window as f64)),
    ("facts", |(session, _)| session.facts.to_string()),
    ("demands", |(session, _)| session.demands.to_string()),
    ("fact load", |(session, _)| format!("{:.2}", session.fact_load)),
    ("cells", |(_, cells)| cells.to_string()),
];

pub(super) fn sessions(lines: &[SessionLine]) -> String {
    drawn(&render::table(&SESSIONS, lines))
}

/// One line per configuration under the main summarizer, means over sessions.
pub(super) fn summary(data: &RunData) -> String {
    let main = data.manifest.main_summarizer();
    let mut groups: Vec<(String, Vec<&MeasuredCell>)> = Vec::new();
    let is_shown = |row: &&MeasuredCell| {
        row.key.summarizer == main && row.key.is_contestant() && !row.is_twin()
    };
    for row in data.measurements.iter().filter(is_shown) {
        let name = contestant(&row.key.configuration(), &row.key.mode);
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((name, vec![row])),
        }
    }
    let dollars = format!("$ ({})", data.manifest.prices.name);
    let mut head: Vec<&str> =
        "configuration/sessions/completed/mean prompt/floor/recall at need".split('/').collect();
    head.extend([dollars.as_str(), "violations"]);
    let mut table = plain(&head);
    for (name, rows) in &groups {
        let mean = |metric: MetricId| {
            let values: Vec<f64> = rows.iter().filter_map(|row| row.number(metric)).collect();
            stats::mean(&values)
        };
        let violations: f64 = rows
            .iter()
            .flat_map(|row| Rule::ALL.map(|rule| row.number(MetricId::violations(rule))))
            .flatten()
            .sum();
        table.add_row([
            name.clone(),
            rows.len().to_string(),
            written(mean(MetricId::Completion), |share| format!("{:.0} %", 100.0 * share)),
            written(mean(MetricId::TokensMeanPrompt), number::tokens),
            written(mean(MetricId::FloorOnePass).filter(|_| has_floor(name, rows)), number::tokens),
            written(mean(MetricId::RecallAtNeed), |share| format!("{:.0} %", 100.0 * share)),
            written(mean(MetricId::CostUsd), |usd| format!("{usd:.2}")),
            format!("{violations:.0}"),
        ]);
    }
    let counts = states(data);
    format!(
        "{table}\nmeans over sessions, summarizer `{main}`{}; {counts}",
        if data.manifest.offline { " (no language model)" } else { "" }
    )
}

/// A control has no floor, and of a session that ended early it is not known.
fn has_floor(name: &str, rows: &[&MeasuredCell]) -> bool {
    name != "none@windowless" && rows.iter().all(|row| row.completed())
}

fn states(data: &RunData) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &data.measurements {
        *counts.entry(row.state.name()).or_default() += 1;
    }
    let parts: Vec<String> = counts.iter().map(|(state, n)| format!("{n} cells {state}")).collect();
    parts.join(", ")
}

/// A table without frames: the first column is aligned to the left, the others to the right.
pub(super) fn plain(head: &[&str]) -> Plain {
    let left = (0..head.len()).map(|column| column == 0).collect();
    Plain::new(head.iter().map(|title| (*title).to_owned()).collect(), left)
}

pub(super) fn drawn((head, lines): &Lines) -> String {
    let mut drawn = plain(head);
    for line in lines {
        drawn.add_row(line.iter().cloned());
    }
    drawn.to_string()
}

pub(super) struct Plain {
    rows: Vec<Vec<String>>,
    left: Vec<bool>,
}

impl Plain {
    /// With these titles; `left` says which columns are aligned to the left.
    pub(super) fn new(head: Vec<String>, left: Vec<bool>) -> Plain {
        Plain { rows: vec![head], left }
    }

    pub(super) fn add_row(&mut self, row: impl IntoIterator<Item = String>) {
        self.rows.push(row.into_iter().collect());
    }

    pub(super) fn align_left(&mut self, column: usize) {
        if let Some(left) = self.left.get_mut(column) {
            *left = true;
        }
    }
}

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths: Vec<usize> = (0..self.left.len())
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                cells.map(|text| width(text)).max().unwrap_or(0)
            })
            .collect();
        for (place, row) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for ((text, room), left) in row.iter().zip(&widths).zip(&self.left) {
                let padding = " ".repeat(room.saturating_sub(width(text)));
                let (before, after) = if *left { ("", &*padding) } else { (&*padding, "") };
                line += &format!(" {before}{text}{after} ");
            }
            let end = if place + 1 == self.rows.len() { "" } else { "\n" };
            write!(f, "{}{end}", line.trim_end())?;
        }
        Ok(())
    }
}
