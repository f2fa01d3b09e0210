//! Which configurations brought their sessions to the end.

use super::document::Prose;
use super::figures::{Figures, Subject};
use crate::run_dir::read::MeasurementRow;
use crate::scenario::twin_of;

/// What stands at a figure of sessions that ended early beside one of complete ones.
pub const CUT_SHORT: &str = "up to where its sessions ended";

/// Whether a cell reached its last step.
pub fn is_complete(row: &MeasurementRow) -> bool {
    match row.word("completion") {
        Some("true" | "yes" | "completed") => true,
        _ => row.number("completion").is_some_and(|share| share >= 1.0),
    }
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

/// As [`ended_early`], of one family of sessions.
pub fn ended_early_in(figures: &Figures, family: &str, subject: &Subject) -> bool {
    let cells = figures.cells(subject, figures.main);
    cells.iter().any(|row| row.key.family == family && !is_complete(row))
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
    match widest(figures, &driven) {
        None => says,
        Some((subject, least, most, all)) => says
            .then(format!(
                " Completion depends on the summarizer: over all that were driven, between \
                 {least} and {most} of {all} for "
            ))
            .code(subject.name())
            .then("."),
    }
}

/// The configuration whose completion differs most over summarizers.
fn widest<'b>(
    figures: &Figures,
    subjects: &[&'b Subject],
) -> Option<(&'b Subject, usize, usize, usize)> {
    let mut found: Option<(&Subject, usize, usize, usize)> = None;
    for subject in subjects.iter().filter(|subject| figures.ranks(subject)) {
        let names = figures.run.manifest.summarizers.iter();
        // Where a cell failed, it is not the summarizer that kept it from its end.
        let sound = names.filter(|name| figures.failed(subject, name) == 0);
        let counts: Vec<(usize, usize)> =
            sound.filter_map(|name| counts(figures, subject, name)).collect();
        let Some(all) = counts.iter().map(|(_, all)| *all).max() else { continue };
        let complete = counts.iter().filter(|(_, own)| *own == all).map(|(complete, _)| *complete);
        let (Some(least), Some(most)) = (complete.clone().min(), complete.max()) else { continue };
        let wider = found.is_none_or(|(_, low, high, _)| most - least > high - low);
        if most > least && wider {
            found = Some((subject, least, most, all));
        }
    }
    found
}
