//! Which configurations brought their sessions to the end.

use super::figures::{Config, Figures};
use super::table::{Cell, Tone};
use crate::prelude::*;

pub fn completes(figures: &Figures, config: &Config) -> bool {
    let (complete, all) = counts(figures, config, figures.main);
    all > 0 && complete == all
}

pub fn ended_early(figures: &Figures, config: &Config) -> bool {
    figures.cells(config).iter().any(|row| !row.completed())
}

/// How many sessions ended before their last step, as charts write it.
pub fn early(figures: &Figures, config: &Config) -> Option<String> {
    let cells = figures.cells(config);
    let early = cells.iter().filter(|row| !row.completed()).count();
    (early > 0).then(|| format!("{early} of {} ended early", cells.len()))
}

/// Sessions completed under a summarizer, and sessions driven, failures among them.
pub fn counts(figures: &Figures, config: &Config, summarizer: &str) -> (usize, usize) {
    let cells = figures.cells_under(config, summarizer);
    let complete = cells.iter().filter(|row| row.completed()).count();
    (complete, cells.len() + figures.failed_under(config, summarizer))
}

/// How its sessions ended that did not reach their last step.
pub fn ends(figures: &Figures, config: &Config) -> Cell {
    let cells = figures.cells(config).iter();
    let ended = cells.filter_map(|row| row.figures.ended_by()).map(|end| (end.name(), ()));
    let ended = super::figures::grouped(ended).into_iter();
    let failed = figures.failed_under(config, figures.main);
    let failed = (failed > 0).then(|| format!("failed {failed}"));
    let ended = ended.map(|(end, of)| format!("{end} {}", of.len())).chain(failed);
    Cell::text(ended.collect::<Vec<_>>().join(", "))
}

pub fn cell(figures: &Figures, config: &Config) -> Cell {
    let (complete, all) = counts(figures, config, figures.main);
    if all == 0 {
        return Cell::undefined("not driven under the main summarizer");
    }
    let incomplete = figures.cells(config).iter().filter(|row| !row.completed());
    let ends: BTreeSet<&str> =
        incomplete.filter_map(|row| Some(row.figures.ended_by()?.name())).collect();
    let failed = (figures.failed_under(config, figures.main) > 0).then_some("failed");
    let ends: Vec<&str> = ends.into_iter().chain(failed).collect();
    let tone = if complete == all { Tone::Plain } else { Tone::Bad };
    let cell = Cell::text(format!("{complete} of {all}")).toned(tone);
    match ends.is_empty() {
        true => cell,
        false => cell.followed_by(&format!("({})", ends.join(", "))),
    }
}
