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

/// How many configurations completed everything, and how far the summarizer decides it.
pub fn headline(figures: &Figures) -> Value {
    let in_window = || figures.unswept().filter(|config| !config.is_windowless());
    let driven: Vec<&Config> = in_window().filter(|config| !config.is_idle()).collect();
    let ranked = driven.iter().filter(|config| figures.ranks(config));
    let ranges = ranked.filter_map(|config| Some((range(figures, config)?, config)));
    let mut ranges: Vec<_> = ranges.collect();
    ranges.sort_by_key(|((least, most, _), _)| Reverse(most - least));
    let ranges = ranges.into_iter().map(|((least, most, all), config)| {
        context! { config => config.name(), least, most, all }
    });
    context! {
        complete => driven.iter().filter(|config| completes(figures, config)).count(),
        driven => driven.len(),
        sessions => figures.sessions(),
        idle => in_window().any(Config::is_idle),
        ranges => ranges.collect::<Vec<Value>>(),
    }
}

/// The least and the most sessions completed over the summarizers, and all, where they differ.
fn range(figures: &Figures, config: &Config) -> Option<(usize, usize, usize)> {
    let names = figures.run.manifest.summarizers.iter();
    // Where a cell failed, it is not the summarizer that kept it from its end.
    let sound = names.filter(|name| figures.failed_under(config, name) == 0);
    let counts: Vec<(usize, usize)> = sound.map(|name| counts(figures, config, name)).collect();
    let all = counts.iter().map(|(_, all)| *all).max().filter(|all| *all > 0)?;
    let complete = || counts.iter().filter(|(_, own)| *own == all).map(|(complete, _)| *complete);
    let (least, most) = (complete().min()?, complete().max()?);
    (most > least).then_some((least, most, all))
}
