//! What the floor is made of.

use super::prelude::*;
use crate::row::{CompositionRow, ViewState};
use crate::trace::Share;
use crate::unit::Tokens;

/// The columns of raw and summarized content: a title and the shares that it sums.
const COLUMNS: [(&str, &[Share]); 5] = [
    ("User messages", &[Share::User]),
    ("[SUMMARIZED]", &[Share::Summarized]),
    ("[GOAL BATCH]", &[Share::GoalBatch]),
    ("Other summaries and notices", &[Share::Summary, Share::Other, Share::System]),
    ("Older raw work", &[Share::Assistant, Share::Tool]),
];

/// A configuration with its views after one forced pass at the last checkpoint, and how many
/// of its cells were probed.
type Content<'b> = (&'b Config, Vec<&'b CompositionRow>, usize);

/// A mean over the cells: tokens (entries).
fn cell((_, rows, probed): &Content, part: impl Fn(&CompositionRow) -> (Tokens, u32)) -> Cell {
    let parts = || rows.iter().map(|row| part(row));
    let tokens = parts().map(|(tokens, _)| tokens).sum::<Tokens>().as_f64();
    let entries = f64::from(parts().map(|(_, entries)| entries).sum::<u32>());
    let [tokens, entries] = [tokens, entries].map(|sum| sum / *probed as f64);
    Cell::number(Some(tokens), number::tokens, "")
        .followed_by(&format!("({})", number::count(entries)))
}

/// What the floor of each configuration is made of, over these cells of it.
pub fn table<'a>(
    figures: &'a Figures<'a>,
    family: &str,
    cells: impl Fn(&Config) -> Vec<&'a MeasuredCell>,
) -> Table {
    let mut views: BTreeMap<&str, Vec<&CompositionRow>> = BTreeMap::new();
    for row in figures.run.compositions.iter().filter(|row| row.state == ViewState::OnePass) {
        views.entry(&row.cell).or_default().push(row);
    }
    let contents = figures.shown_but_control().map(|config| -> Content {
        let cells = cells(config);
        let probed = cells.iter().filter_map(|cell| views.get(cell.key.cell.as_str()));
        let last = probed.clone().flat_map(|rows| {
            let last = rows.iter().map(|row| row.checkpoint).max();
            rows.iter().copied().filter(move |row| Some(row.checkpoint) == last)
        });
        (config, last.collect(), probed.count())
    });
    let contents: Vec<Content> = contents.filter(|(_, _, probed)| *probed > 0).collect();
    let configuration = text("Configuration", |(config, ..): &Content| Cell::code(config.name()));
    // Of these shares, without the recent raw tail.
    let shares = COLUMNS.map(|(title, shares)| {
        figure(title, move |content: &Content| {
            cell(content, |row| match shares.contains(&row.share) {
                true => (row.tokens - row.tail_tokens, row.entries - row.tail_entries),
                false => (Tokens::ZERO, 0),
            })
        })
    });
    let tail = figure("Recent raw tail", |content: &Content| {
        cell(content, |row| (row.tail_tokens, row.tail_entries))
    });
    let caption = format!("What the floor is made of in the longest sessions of family {family}");
    Table::of(caption, &contents, [configuration].into_iter().chain(shares).chain([tail]))
}
