//! What the floor is made of.

use std::collections::BTreeMap;

use super::figures::{Config, Figures};
use super::table::{Cell, Table, figure, text};
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

impl Part {
    fn add(&mut self, tokens: u64, entries: u32) {
        self.tokens += tokens;
        self.entries += entries;
    }
}

/// Views after one forced pass, by cell.
pub type ByCell<'a> = BTreeMap<&'a str, Vec<&'a CompositionRow>>;

pub fn by_cell(run: &RunData) -> ByCell<'_> {
    let mut by_cell: ByCell = BTreeMap::new();
    for row in run.compositions.iter().filter(|row| row.state == ViewState::OnePass) {
        by_cell.entry(&row.cell).or_default().push(row);
    }
    by_cell
}

/// What the views of a configuration hold after one forced pass at the last checkpoint.
struct Content<'b> {
    config: &'b Config,
    /// By share, without the recent raw tail.
    parts: BTreeMap<Share, Part>,
    tail: Part,
    /// Cells that were probed.
    probed: u32,
}

impl<'b> Content<'b> {
    /// `None` where no cell was probed.
    fn of(by_cell: &ByCell, config: &'b Config, cells: &[&MeasuredCell]) -> Option<Content<'b>> {
        let (parts, tail) = (BTreeMap::new(), Part::default());
        let mut content = Content { config, parts, tail, probed: 0 };
        for cell in cells {
            let rows = || by_cell.get(cell.key.cell.as_str()).into_iter().flatten();
            let Some(last) = rows().map(|row| row.checkpoint).max() else { continue };
            content.probed += 1;
            for row in rows().filter(|row| row.checkpoint == last) {
                let part = content.parts.entry(row.share).or_default();
                let tokens = (row.tokens - row.tail_tokens).0;
                part.add(tokens, row.entries - row.tail_entries);
                content.tail.add(row.tail_tokens.0, row.tail_entries);
            }
        }
        (content.probed > 0).then_some(content)
    }

    fn sum(&self, shares: &[Share]) -> Part {
        let mut sum = Part::default();
        for part in shares.iter().filter_map(|share| self.parts.get(share)) {
            sum.add(part.tokens, part.entries);
        }
        sum
    }

    /// Means over the cells: tokens (entries).
    fn cell(&self, part: Part) -> Cell {
        let tokens = part.tokens as f64 / f64::from(self.probed);
        let entries = number::count(f64::from(part.entries) / f64::from(self.probed));
        Cell::number(Some(tokens), number::tokens, "").followed_by(&format!("({entries})"))
    }
}

/// What the floor of each configuration is made of, over these cells of it.
pub fn table<'a>(
    figures: &Figures<'a>,
    views: &ByCell,
    family: &str,
    cells: impl Fn(&Config) -> Vec<&'a MeasuredCell>,
) -> Table {
    let configs = figures.shown_but_control();
    let rows = configs.filter_map(|config| Content::of(views, config, &cells(config)));
    let rows: Vec<Content> = rows.collect();
    let configuration = text("Configuration", |row: &Content| Cell::code(row.config.name()));
    let shares = COLUMNS
        .map(|(title, shares)| figure(title, move |row: &Content| row.cell(row.sum(shares))));
    let tail = figure("Recent raw tail", |row: &Content| row.cell(row.tail));
    let caption = format!("What the floor is made of in the longest sessions of family {family}");
    Table::of(caption, &rows, [configuration].into_iter().chain(shares).chain([tail]))
}
