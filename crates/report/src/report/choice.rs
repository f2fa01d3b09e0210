//! Which configurations a chart has room for.
//!
//! The rule: those that a suite names come first, as deployed before other modes. Of the
//! generated ones (orders of stages and points of grids, whose names are joined by
//! underscores) the best, the median and the worst by recall at need stand for all. What
//! is left out is always told.

use super::completion::completes;
use super::figures::{Figures, Subject};
use crate::measure::MetricId;

/// Rows of one chart.
pub const ROWS: usize = 16;
/// Panels of one chart.
pub const PANELS: usize = 12;

/// What is drawn, and what is said of the rest.
pub struct Choice<'b> {
    /// In the order of the run.
    pub drawn: Vec<&'b Subject>,
    /// A sentence on what is left out, with a space before it; empty where nothing is.
    pub left_out: String,
}

/// Chooses among these.
pub fn choose<'b>(figures: &Figures, all: Vec<&'b Subject>, most: usize) -> Choice<'b> {
    if all.len() <= most {
        return Choice { drawn: all, left_out: String::new() };
    }
    let (generated, mut named): (Vec<&Subject>, Vec<&Subject>) =
        all.iter().copied().partition(|subject| is_generated(subject));
    let shown = extremes(figures, generated.clone());
    // Sorting keeps the order of the run among equals.
    named.sort_by_key(|subject| subject.mode != "deployed");
    named.truncate(most.saturating_sub(shown.len()));
    let mut said = Vec::new();
    let named_left = all.len() - generated.len() - named.len();
    if named_left > 0 {
        said.push(format!(
            "{named_left} named configurations, those in other modes than deployed first"
        ));
    }
    if generated.len() > shown.len() {
        let left = generated.len() - shown.len();
        said.push(format!(
            "{left} of {} generated ones, of which the best, the median and the worst by recall at \
             need are drawn",
            generated.len()
        ));
    }
    let drawn = all.into_iter().filter(|one| named.contains(one) || shown.contains(one)).collect();
    Choice { drawn, left_out: format!(" Left out for want of room: {}.", said.join("; and ")) }
}

/// Whether a suite's orderings or grids made it: no named pipeline has an underscore.
fn is_generated(subject: &Subject) -> bool {
    subject.pipeline.contains('_')
}

/// The best, the median and the worst by recall at need, those that completed first.
fn extremes<'b>(figures: &Figures, generated: Vec<&'b Subject>) -> Vec<&'b Subject> {
    let recall = |subject: &Subject| {
        let known = figures.figure(subject, MetricId::RecallAtNeed).value;
        (completes(figures, subject), known.unwrap_or(f64::NEG_INFINITY))
    };
    let mut ranked: Vec<_> = generated.into_iter().map(|one| (recall(one), one)).collect();
    ranked.sort_by(|((ends, known), one), ((other_ends, other_known), other)| {
        let best_first = other_ends.cmp(ends).then(other_known.total_cmp(known));
        best_first.then_with(|| one.name().cmp(&other.name()))
    });
    let places = match ranked.len() {
        0 => Vec::new(),
        count => vec![0, count / 2, count - 1],
    };
    let mut kept: Vec<&Subject> = Vec::new();
    for (_, subject) in places.into_iter().filter_map(|place| ranked.get(place)) {
        if !kept.contains(subject) {
            kept.push(subject);
        }
    }
    kept
}
