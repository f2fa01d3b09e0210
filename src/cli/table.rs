//! Tables for the terminal.

mod summary;

pub(super) use summary::{folded, summary};

use std::fmt;

use console::measure_text_width as width;

use crate::compare::render::{self, Column, Lines};
use crate::number;
use crate::stats;

/// Columns that a terminal is taken to have.
const WIDTH: usize = 100;

/// A scenario that would be run.
#[derive(Default)]
pub(super) struct Listed {
    pub(super) scenario: String,
    pub(super) window: f64,
    pub(super) turns: u32,
    /// By session: as planned, or as counted.
    pub(super) tokens: Vec<f64>,
    pub(super) is_planned: bool,
    pub(super) cells: usize,
}

impl Listed {
    fn mean(&self) -> f64 {
        stats::mean(&self.tokens).unwrap_or(0.0)
    }
}

const SCENARIOS: [Column<Listed>; 7] = [
    ("scenario", |line| line.scenario.clone()),
    ("sessions", |line| line.tokens.len().to_string()),
    ("turns", |line| line.turns.to_string()),
    ("tokens", |line| {
        let about = if line.is_planned { "~" } else { "" };
        format!("{about}{}", number::tokens(line.mean()))
    }),
    ("window", |line| number::tokens(line.window)),
    ("windows", |line| format!("{:.1}", line.mean() / line.window)),
    ("cells", |line| line.cells.to_string()),
];

pub(super) fn scenarios(lines: &[Listed]) -> String {
    drawn(&render::table(&SCENARIOS, lines))
}

/// The same with every column aligned to the left.
pub(super) fn left((head, lines): &Lines) -> String {
    let titles = head.iter().map(|title| (*title).to_owned()).collect();
    let mut drawn = Plain::new(titles, vec![true; head.len()]);
    for line in lines {
        drawn.add_row(line.iter().cloned());
    }
    drawn.to_string()
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

    /// Without titles, so many columns aligned to the left.
    pub(super) fn bare(columns: usize) -> Plain {
        Plain { rows: Vec::new(), left: vec![true; columns] }
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
