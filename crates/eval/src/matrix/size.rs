//! How large a suite may be: known before anything is made of it.

use crate::matrix::Suite;
use crate::matrix::generated::Rule;
use crate::matrix::grid::Grid;
use crate::matrix::orderings::Orderings;

/// Draws of a stochastic summarizer, at most.
pub(super) const MOST_DRAWS: u32 = 1_000;
/// Cells of a suite, at most: what a directory can hold and a report can read.
const MOST_CELLS: usize = 5_000_000;

pub(super) fn check(suite: &Suite) -> Rule {
    let cells = most_cells(suite);
    match cells > MOST_CELLS {
        true => {
            let rule = format!("the suite comes to as many as {cells} cells: at most {MOST_CELLS}");
            Err(("seeds".to_owned(), rule))
        }
        false => Ok(()),
    }
}

/// More cells than it has: as if every summarizer and fault were drawn in every mode.
fn most_cells(suite: &Suite) -> usize {
    let named = suite.pipelines.len() + suite.windowless.len() + suite.truncate_sweep.len();
    let ordered = suite.orderings.as_ref().map_or(0, Orderings::most);
    let points = suite.grid.iter().map(Grid::points).fold(0, usize::saturating_add);
    let configurations = named.saturating_add(ordered).saturating_add(points);
    let summarizers = 1 + suite.brackets.len() + suite.faults.len();
    let seeds = suite.seeds.len() + suite.second_bank.len();
    let axes =
        [suite.scenarios.len(), seeds, suite.replicates as usize, suite.modes.len(), summarizers];
    axes.into_iter().fold(configurations, usize::saturating_mul)
}
