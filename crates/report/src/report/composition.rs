//! What the floor is made of.

use super::floors::family::{Probed, named};
use super::prelude::*;
use crate::row::{CompositionRow, ViewState};
use crate::trace::Share;

/// The columns of raw and summarized content: a title and the shares that it sums.
const COLUMNS: [(&str, &[Share]); 5] = [
    ("User messages", &[Share::User]),
    ("[SUMMARIZED]", &[Share::Summarized]),
    ("[GOAL BATCH]", &[Share::GoalBatch]),
    ("Other summaries and notices", &[Share::Summary, Share::Other, Share::System]),
    ("Older raw work", &[Share::Assistant, Share::Tool]),
];

/// What the floor of each configuration is made of, in the longest sessions of each family.
pub fn table(figures: &Figures, probed: &[Probed]) -> Table {
    let mut views: BTreeMap<&str, Vec<&CompositionRow>> = BTreeMap::new();
    for row in figures.run.compositions.iter().filter(|row| row.state == ViewState::OnePass) {
        views.entry(&row.cell).or_default().push(row);
    }
    let rows = probed.iter().filter_map(|one| {
        let cells = one.0.longest(one.1);
        let probed: Vec<&Vec<&CompositionRow>> =
            cells.iter().filter_map(|cell| views.get(cell.key.cell.as_str())).collect();
        if probed.is_empty() {
            return None;
        }
        // After one forced pass at the last checkpoint of each cell.
        let last = probed.iter().flat_map(|rows| {
            let last = rows.iter().map(|row| row.checkpoint).max();
            rows.iter().copied().filter(move |row| Some(row.checkpoint) == last)
        });
        let last: Vec<&CompositionRow> = last.collect();
        // A mean over the cells: tokens (entries).
        let cell = |part: &dyn Fn(&CompositionRow) -> (Tokens, u32)| {
            let parts = || last.iter().map(|row| part(row));
            let tokens = parts().map(|(tokens, _)| tokens).sum::<Tokens>().as_f64();
            let entries = f64::from(parts().map(|(_, entries)| entries).sum::<u32>());
            let [tokens, entries] = [tokens, entries].map(|sum| sum / probed.len() as f64);
            Cell::number(Some(tokens), number::tokens, "")
                .followed_by(&format!("({})", number::count(entries)))
        };
        // Of these shares, without the recent raw tail.
        let shares = COLUMNS.map(|(_, shares)| {
            cell(&|row| match shares.contains(&row.share) {
                true => (row.tokens - row.tail_tokens, row.entries - row.tail_entries),
                false => (Tokens::ZERO, 0),
            })
        });
        let tail = cell(&|row| (row.tail_tokens, row.tail_entries));
        Some(named(one).into_iter().chain(shares).chain([tail]).collect())
    });
    let shares = COLUMNS.map(|(title, _)| title).join("|#");
    let titles = format!("Configuration|Family|#{shares}|#Recent raw tail");
    Table::of("What the floor is made of, tokens (entries)", titles.split('|'), rows)
}
