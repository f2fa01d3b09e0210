//! What the floor is made of.

use super::prelude::*;
use crate::row::{CompositionRow, ViewState};
use crate::run_dir::read::RunData;
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

/// Views after one forced pass, by cell.
pub type ByCell<'a> = BTreeMap<&'a str, Vec<&'a CompositionRow>>;

pub fn by_cell(run: &RunData) -> ByCell<'_> {
    let mut by_cell: ByCell = BTreeMap::new();
    for row in run.compositions.iter().filter(|row| row.state == ViewState::OnePass) {
        by_cell.entry(&row.cell).or_default().push(row);
    }
    by_cell
}

/// The views of a configuration after one forced pass at the last checkpoint.
struct Content<'b> {
    config: &'b Config,
    rows: Vec<&'b CompositionRow>,
    /// Cells that were probed.
    probed: usize,
}

impl<'b> Content<'b> {
    /// `None` where no cell was probed.
    fn of(
        by_cell: &ByCell<'b>,
        config: &'b Config,
        cells: &[&MeasuredCell],
    ) -> Option<Content<'b>> {
        let mut content = Content { config, rows: Vec::new(), probed: 0 };
        for rows in cells.iter().filter_map(|cell| by_cell.get(cell.key.cell.as_str())) {
            let last = rows.iter().map(|row| row.checkpoint).max();
            content.rows.extend(rows.iter().filter(|row| Some(row.checkpoint) == last));
            content.probed += 1;
        }
        (content.probed > 0).then_some(content)
    }

    /// A mean over the cells: tokens (entries).
    fn cell(&self, part: impl Fn(&CompositionRow) -> (Tokens, u32)) -> Cell {
        let parts = || self.rows.iter().map(|row| part(row));
        let tokens = parts().map(|(tokens, _)| tokens).sum::<Tokens>().as_f64();
        let entries = f64::from(parts().map(|(_, entries)| entries).sum::<u32>());
        let [tokens, entries] = [tokens, entries].map(|sum| sum / self.probed as f64);
        Cell::number(Some(tokens), number::tokens, "")
            .followed_by(&format!("({})", number::count(entries)))
    }

    /// Of these shares, without the recent raw tail.
    fn of_shares(&self, shares: &[Share]) -> Cell {
        self.cell(|row| match shares.contains(&row.share) {
            true => (row.tokens - row.tail_tokens, row.entries - row.tail_entries),
            false => (Tokens::ZERO, 0),
        })
    }
}

/// What the floor of each configuration is made of, over these cells of it.
pub fn table<'a>(
    figures: &'a Figures<'a>,
    views: &ByCell<'a>,
    family: &str,
    cells: impl Fn(&Config) -> Vec<&'a MeasuredCell>,
) -> Table {
    let configs = figures.shown_but_control();
    let rows = configs.filter_map(|config| Content::of(views, config, &cells(config)));
    let rows: Vec<Content> = rows.collect();
    let configuration = text("Configuration", |row: &Content| Cell::code(row.config.name()));
    let shares = COLUMNS
        .map(|(title, shares)| figure(title, move |content: &Content| content.of_shares(shares)));
    let tail = figure("Recent raw tail", |content: &Content| {
        content.cell(|row| (row.tail_tokens, row.tail_entries))
    });
    let caption = format!("What the floor is made of in the longest sessions of family {family}");
    Table::of(caption, &rows, [configuration].into_iter().chain(shares).chain([tail]))
}
