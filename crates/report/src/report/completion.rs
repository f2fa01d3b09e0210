//! Which configurations brought their sessions to the end.

use serde::Serialize;

use super::document::{Cell, Table, Tone};
use super::figures::{Config, Figures};

/// The footnote of a mean over sessions of which some ended early.
const CUT_SHORT: &str = "up to where its sessions ended";
/// Configurations whose completion differs over summarizers that the opening names.
const RANGES: usize = 4;

/// Whether all cells of a configuration reached their last step.
pub fn completes(figures: &Figures, config: &Config) -> bool {
    let (complete, all) = counts(figures, config, figures.main);
    all > 0 && complete == all
}

/// Whether some session of a configuration ended before its last step.
pub fn ended_early(figures: &Figures, config: &Config) -> bool {
    figures.cells(config).iter().any(|row| !row.completed())
}

/// How many sessions ended before their last step, of how many, as charts write it; none
/// where all completed.
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

/// How many sessions reached their end, and how the others ended.
pub fn cell(figures: &Figures, table: &mut Table, config: &Config) -> Cell {
    let (complete, all) = counts(figures, config, figures.main);
    if all == 0 {
        return table.undefined("not driven under the main summarizer");
    }
    let incomplete = figures.cells(config).iter().filter(|row| !row.completed());
    let mut reasons: Vec<&str> =
        incomplete.filter_map(|row| Some(row.ended_by()?.name())).collect();
    reasons.sort_unstable();
    reasons.dedup();
    if figures.failed(config) > 0 {
        reasons.push("failed");
    }
    let ends =
        if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
    let tone = if complete == all { Tone::Plain } else { Tone::Bad };
    Cell::text(format!("{complete} of {all}{ends}")).toned(tone)
}

/// Marks a figure that only covers the part of the sessions before their early end.
pub fn cut_short(figures: &Figures, table: &mut Table, config: &Config, cell: Cell) -> Cell {
    match cell.note.is_none() && ended_early(figures, config) {
        true => cell.noted(table.note(CUT_SHORT)),
        false => cell,
    }
}

/// How many configurations completed everything, and how far the summarizer decides it.
#[derive(Serialize)]
pub struct Headline {
    complete: usize,
    driven: usize,
    sessions: usize,
    /// Whether the configuration that does nothing was driven in the window.
    idle: bool,
    ranges: Vec<Range>,
    /// Further configurations whose completion differs.
    more: usize,
}

/// The least and the most sessions that a configuration completed over the summarizers.
#[derive(Serialize)]
struct Range {
    config: String,
    least: usize,
    most: usize,
    all: usize,
}

/// Counts them.
pub fn headline(figures: &Figures) -> Headline {
    let in_window = || figures.unswept().filter(|config| !config.is_windowless());
    let driven: Vec<&Config> = in_window().filter(|config| !config.is_idle()).collect();
    let ranked = driven.iter().filter(|config| figures.ranks(config));
    let mut ranges: Vec<Range> = ranked.filter_map(|config| range(figures, config)).collect();
    ranges.sort_by_key(|range| std::cmp::Reverse(range.most - range.least));
    let more = ranges.len().saturating_sub(RANGES);
    ranges.truncate(RANGES);
    Headline {
        complete: driven.iter().filter(|config| completes(figures, config)).count(),
        driven: driven.len(),
        sessions: figures.sessions(),
        idle: in_window().any(Config::is_idle),
        ranges,
        more,
    }
}

fn range(figures: &Figures, config: &Config) -> Option<Range> {
    let names = figures.run.manifest.summarizers.iter();
    // Where a cell failed, it is not the summarizer that kept it from its end.
    let sound = names.filter(|name| figures.failed_under(config, name) == 0);
    let counts: Vec<(usize, usize)> = sound.map(|name| counts(figures, config, name)).collect();
    let all = counts.iter().map(|(_, all)| *all).max().filter(|all| *all > 0)?;
    let complete = || counts.iter().filter(|(_, own)| *own == all).map(|(complete, _)| *complete);
    let (least, most) = (complete().min()?, complete().max()?);
    (most > least).then(|| Range { config: config.name(), least, most, all })
}
