//! What the floor is made of.

use std::collections::BTreeMap;

use super::document::{Cell, Table};
use super::figures::Subject;
use super::number;
use crate::frame::MeasuredCell;
use crate::row::{CompositionRow, ViewState};
use crate::run_dir::read::RunData;
use crate::trace::Share;

/// Tokens and entries of one share, summed over cells.
#[derive(Clone, Copy, Default)]
struct Part {
    tokens: u64,
    entries: u32,
}

/// Views after one forced pass, by cell.
pub type ByCell<'a> = BTreeMap<&'a str, Vec<&'a CompositionRow>>;

/// The views of a run.
pub fn by_cell(run: &RunData) -> ByCell<'_> {
    let mut by_cell: ByCell = BTreeMap::new();
    for row in run.compositions.iter().filter(|row| row.state == ViewState::OnePass) {
        by_cell.entry(&row.cell).or_default().push(row);
    }
    by_cell
}

/// What the views hold after one forced pass at the last checkpoint, by share, the
/// recent raw tail apart; means over these cells. `None` where no cell was probed.
pub fn row(by_cell: &ByCell, subject: &Subject, cells: &[&MeasuredCell]) -> Option<Vec<Cell>> {
    let mut parts: BTreeMap<Share, Part> = BTreeMap::new();
    let mut tail = Part::default();
    let mut probed = 0;
    for cell in cells {
        let rows = || by_cell.get(cell.key.cell.as_str()).into_iter().flatten();
        let Some(last) = rows().map(|row| row.checkpoint).max() else { continue };
        probed += 1;
        for row in rows().filter(|row| row.checkpoint == last) {
            let part = parts.entry(row.share).or_default();
            part.tokens += (row.tokens - row.tail_tokens).0;
            part.entries += row.entries - row.tail_entries;
            tail.tokens += row.tail_tokens.0;
            tail.entries += row.tail_entries;
        }
    }
    if probed == 0 {
        return None;
    }
    let written = |part: Part| {
        let mean = |sum: f64| sum / f64::from(probed);
        Cell::text(format!(
            "{} ({})",
            number::tokens(mean(part.tokens as f64)),
            number::count(mean(f64::from(part.entries)))
        ))
    };
    let sum = |shares: &[Share]| {
        shares.iter().filter_map(|share| parts.get(share)).fold(Part::default(), |sum, part| Part {
            tokens: sum.tokens + part.tokens,
            entries: sum.entries + part.entries,
        })
    };
    Some(vec![
        Cell::code(subject.name()),
        written(sum(&[Share::User])),
        written(sum(&[Share::Summarized])),
        written(sum(&[Share::GoalBatch])),
        written(sum(&[Share::Summary, Share::Other, Share::System])),
        written(sum(&[Share::Assistant, Share::Tool])),
        written(tail),
    ])
}

/// The table that the rows go into.
pub fn table(family: &str) -> Table {
    Table::new(
        format!("What the floor is made of in the longest sessions of family {family}"),
        &[
            "Configuration",
            "#User messages",
            "#[SUMMARIZED]",
            "#[GOAL BATCH]",
            "#Other summaries and notices",
            "#Older raw work",
            "#Recent raw tail",
        ],
    )
}
