//! What the floor is made of.

use std::collections::BTreeMap;

use super::document::{Cell, Table, figure, text};
use super::figures::Config;
use crate::frame::MeasuredCell;
use crate::number;
use crate::row::{CompositionRow, ViewState};
use crate::run_dir::read::RunData;
use crate::trace::Share;

/// The columns of raw and summarized content: a title and the shares that it sums.
const COLUMNS: [(&str, &[Share]); 5] = [
    ("User messages", &[Share::User]),
    ("[SUMMARIZED]", &[Share::Summarized]),
    ("[GOAL BATCH]", &[Share::GoalBatch]),
    ("Other summaries and notices", &[Share::Summary, Share::Other, Share::System]),
    ("Older raw work", &[Share::Assistant, Share::Tool]),
];

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

/// What the views hold after one forced pass at the last checkpoint, by share, the recent raw
/// tail apart; means over these cells. `None` where no cell was probed.
pub fn row(by_cell: &ByCell, config: &Config, cells: &[&MeasuredCell]) -> Option<Vec<Cell>> {
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
        let tokens = part.tokens as f64 / f64::from(probed);
        let entries = number::count(f64::from(part.entries) / f64::from(probed));
        let cell = Cell::number(tokens, number::tokens);
        Cell { text: format!("{} ({entries})", cell.text), ..cell }
    };
    let sum = |shares: &[Share]| {
        let found = shares.iter().filter_map(|share| parts.get(share));
        found.fold(Part::default(), |sum, part| Part {
            tokens: sum.tokens + part.tokens,
            entries: sum.entries + part.entries,
        })
    };
    let mut row = vec![Cell::code(config.name())];
    row.extend(COLUMNS.iter().map(|(_, shares)| written(sum(shares))));
    row.push(written(tail));
    Some(row)
}

/// The table that the rows go into.
pub fn table(family: &str) -> Table {
    let caption = format!("What the floor is made of in the longest sessions of family {family}");
    let figures = COLUMNS.iter().map(|(title, _)| figure(*title));
    let columns = std::iter::once(text("Configuration")).chain(figures);
    Table::new(caption, columns.chain([figure("Recent raw tail")]))
}
