//! Which configurations a chart has room for.
//!
//! Those that a suite names come first, as deployed before other modes. Of the generated
//! ones (orders of stages and points of grids) the best, the median and the worst by recall
//! at need stand for all. The caption says what is left out.

use serde::Serialize;

use super::completion::completes;
use super::figures::{Config, Figures};
use crate::measure::MetricId;

/// Rows of one chart.
pub const ROWS: usize = 16;
/// Panels of one chart.
pub const PANELS: usize = 12;

/// What is drawn, and what is not.
pub struct Choice<'b> {
    /// In the order of the run.
    pub drawn: Vec<&'b Config>,
    /// What is left out.
    pub left_out: LeftOut,
}

/// What a chart leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Named configurations left out.
    named: usize,
    /// Generated configurations left out.
    generated_left: usize,
    /// All generated configurations.
    generated: usize,
}

/// Chooses among these.
pub fn choose<'b>(figures: &Figures, all: Vec<&'b Config>, most: usize) -> Choice<'b> {
    if all.len() <= most {
        return Choice { drawn: all, left_out: LeftOut::default() };
    }
    let (generated, mut named): (Vec<&Config>, Vec<&Config>) =
        all.iter().partition(|config| config.generated);
    let extremes = extremes(figures, &generated);
    // Sorting keeps the order of the run among equals.
    named.sort_by_key(|config| !config.is_deployed());
    named.truncate(most.saturating_sub(extremes.len()));
    let left_out = LeftOut {
        named: all.len() - generated.len() - named.len(),
        generated_left: generated.len() - extremes.len(),
        generated: generated.len(),
    };
    let drawn =
        all.into_iter().filter(|config| named.contains(config) || extremes.contains(config));
    Choice { drawn: drawn.collect(), left_out }
}

/// The best, the median and the worst by recall at need, those that completed first.
fn extremes<'b>(figures: &Figures, generated: &[&'b Config]) -> Vec<&'b Config> {
    let mut ranked: Vec<((bool, f64), &Config)> = generated
        .iter()
        .map(|config| {
            let recall = figures.figure(config, MetricId::RecallAtNeed).value;
            ((completes(figures, config), recall.unwrap_or(f64::NEG_INFINITY)), *config)
        })
        .collect();
    ranked.sort_by(|((ends, recall), config), ((other_ends, other_recall), other)| {
        let best_first = other_ends.cmp(ends).then(other_recall.total_cmp(recall));
        best_first.then_with(|| config.name().cmp(&other.name()))
    });
    let count = ranked.len();
    let mut kept: Vec<&Config> = Vec::new();
    for place in [0, count / 2, count.saturating_sub(1)] {
        kept.extend(ranked.get(place).map(|(_, config)| *config).filter(|one| !kept.contains(one)));
    }
    kept
}
