//! Which configurations brought their sessions to the end.

use super::document::Prose;
use super::figures::{Figures, Subject};
use super::rules;
use crate::frame::MeasuredCell;
use crate::scenario::twin_of;

/// What stands at a figure of sessions that ended early beside one of complete ones.
pub const CUT_SHORT: &str = "up to where its sessions ended";

/// Whether a cell reached its last step.
pub fn is_complete(row: &MeasuredCell) -> bool {
    row.completed()
}

/// Whether all cells of a configuration reached their last step.
pub fn completes(figures: &Figures, subject: &Subject) -> bool {
    let cells = figures.cells(subject, figures.main);
    !cells.is_empty()
        && figures.failed(subject, figures.main) == 0
        && cells.iter().all(|row| is_complete(row))
}

/// Whether some session of a configuration ended before its last step.
pub fn ended_early(figures: &Figures, subject: &Subject) -> bool {
    figures.cells(subject, figures.main).iter().any(|row| !is_complete(row))
}

/// How many sessions of a configuration ended before their last step, of how many; none
/// where all completed.
pub fn early(figures: &Figures, subject: &Subject) -> Option<String> {
    let cells = figures.cells(subject, figures.main);
    let early = cells.iter().filter(|row| !is_complete(row)).count();
    (early > 0).then(|| format!("{early} of {} ended early", cells.len()))
}

/// Sessions completed under a summarizer, and sessions driven, failures among them.
pub fn counts<'a>(
    figures: &Figures<'a>,
    subject: &Subject,
    summarizer: &'a str,
) -> Option<(usize, usize)> {
    let cells = figures.cells(subject, summarizer);
    let all = cells.len() + figures.failed(subject, summarizer);
    let complete = cells.iter().filter(|row| is_complete(row)).count();
    (all > 0).then_some((complete, all))
}

/// How many configurations completed everything, and how far the summarizer decides it.
pub fn headline(figures: &Figures) -> Prose {
    let driven: Vec<&Subject> =
        figures.every_unswept().filter(|subject| !subject.is_windowless()).collect();
    let driven: Vec<&Subject> =
        driven.into_iter().filter(|subject| subject.pipeline != "none").collect();
    let complete = driven.iter().filter(|subject| completes(figures, subject)).count();
    let told_once = figures.run.manifest.sessions.iter();
    let sessions = told_once.filter(|session| twin_of(&session.scenario).is_none()).count();
    let says = Prose::default().strong(format!(
        "With summaries by {}, {complete} of {} configurations of compaction brought every one of \
         {sessions} sessions to its end.",
        figures.main,
        driven.len(),
    ));
    let idle = figures.every_unswept().any(|one| one.pipeline == "none" && !one.is_windowless());
    let says = match idle {
        true => says.then(" (").code("none").then(", which does nothing, is not counted.)"),
        false => says,
    };
    let ranges = ranges(figures, &driven);
    let Some((_, _, _, all)) = ranges.first() else { return says };
    let mut says = says.then(format!(
        " Completion depends on the summarizer: over all that were driven, of {all} sessions"
    ));
    for (place, (subject, least, most, _)) in ranges.iter().take(RANGES).enumerate() {
        let before = if place == 0 { " " } else { ", " };
        says = says.then(format!("{before}{least} to {most} for ")).code(subject.name());
    }
    match ranges.len().saturating_sub(RANGES) {
        0 => says.then("."),
        more => says.then(format!("; it differs for {more} more.")),
    }
}

/// Configurations that finished which the opening names.
const FINISHERS: usize = 12;

/// The configurations of the opening that brought every session to its end.
fn finished<'b>(figures: &'b Figures) -> Vec<&'b Subject> {
    let driven = figures.unswept().filter(|one| !one.is_windowless() && one.pipeline != "none");
    let mut finished: Vec<&Subject> =
        driven.filter(|subject| completes(figures, subject)).collect();
    // Those that every provider takes first, those that many refuse last.
    finished.sort_by_key(|subject| rules::gravity(figures, subject));
    finished
}

/// Whether the opening tells what a configuration broke on its way to the end.
pub fn is_told(figures: &Figures, subject: &Subject) -> bool {
    finished(figures).iter().take(FINISHERS).any(|one| *one == subject)
}

/// Each configuration that brought every session to its end, with what it broke and what
/// it took on the way; `None` where there is none.
pub fn finishers(figures: &Figures) -> Option<Prose> {
    let finished = finished(figures);
    if finished.is_empty() {
        return None;
    }
    let mut says = Prose::new("They are, with the rules that each broke on the way: ");
    for (place, subject) in finished.iter().take(FINISHERS).enumerate() {
        says = says.then(if place == 0 { "" } else { "; " }).code(subject.name()).then(": ");
        says = says.followed_by(rules::told(figures, subject));
    }
    says = match finished.len().saturating_sub(FINISHERS) {
        0 => says.then("."),
        more => says.then(format!("; and {more} more, in the table of verdicts.")),
    };
    Some(says.followed_by(rules::consequences(figures, &finished)))
}

/// Configurations whose completion differs over summarizers that are named.
const RANGES: usize = 4;

/// Configurations whose completion differs over summarizers, with the least and the most
/// sessions completed and how many were driven: those that differ most first.
fn ranges<'b>(
    figures: &Figures,
    subjects: &[&'b Subject],
) -> Vec<(&'b Subject, usize, usize, usize)> {
    let ranked = subjects.iter().filter(|subject| figures.ranks(subject));
    let found = ranked.filter_map(|subject| {
        let names = figures.run.manifest.summarizers.iter();
        // Where a cell failed, it is not the summarizer that kept it from its end.
        let sound = names.filter(|name| figures.failed(subject, name) == 0);
        let counts: Vec<(usize, usize)> =
            sound.filter_map(|name| counts(figures, subject, name)).collect();
        let all = counts.iter().map(|(_, all)| *all).max()?;
        let complete = counts.iter().filter(|(_, own)| *own == all).map(|(complete, _)| *complete);
        let (least, most) = (complete.clone().min()?, complete.max()?);
        (most > least).then_some((*subject, least, most, all))
    });
    let mut found: Vec<_> = found.collect();
    found.sort_by_key(|(_, least, most, _)| std::cmp::Reverse(most - least));
    found
}
