//! Retention by kind: a table of shares, shaded.

use super::figure;
use super::palette::{self, FAINT, GRID, INK, SOFT};
use super::picture::{Bounds, Label, Picture, Side};
use super::text::{self, LABEL, TICK, Weight};
use super::{Rendered, render};
use crate::error::Result;

/// Shares by configuration and kind of fact.
#[derive(Clone, Debug, Default)]
pub struct HeatChart {
    /// What the chart is called.
    pub title: String,
    /// What the shares are, with their unit: `recall (share of live facts, 0 to 1)`.
    pub value: String,
    /// The kinds, in reading order: one column each.
    pub kinds: Vec<String>,
    /// The configurations, in reading order: one row each.
    pub rows: Vec<HeatRow>,
}

/// One configuration.
#[derive(Clone, Debug, Default)]
pub struct HeatRow {
    /// Its name.
    pub configuration: String,
    /// A share from 0 to 1 per kind; none where the session has no such fact.
    pub values: Vec<Option<f64>>,
}

const ROW: f64 = 22.0;
const CHIP: f64 = 18.0;

/// Draws the chart; `None` where no cell holds a share.
pub fn retention_by_kind(data: &HeatChart) -> Result<Option<Rendered>> {
    render(layout(data))
}

pub(super) fn layout(data: &HeatChart) -> Option<Picture> {
    let cells = data.rows.iter().flat_map(|row| row.values.iter().take(data.kinds.len()));
    cells.flatten().find(|value| value.is_finite())?;
    let names: Vec<String> = data
        .rows
        .iter()
        .map(|row| text::fit(&row.configuration, LABEL, Weight::Regular, 280.0))
        .collect();
    let widest = names.iter().map(|name| text::width(name, LABEL, Weight::Regular));
    let left = figure::MARGIN + widest.fold(0.0, f64::max) + 10.0;
    let heads: Vec<Vec<String>> = data.kinds.iter().map(|kind| head(kind)).collect();
    let words = heads.iter().flatten().map(|line| text::width(line, TICK, Weight::Regular));
    let column = words.fold(38.0, f64::max) + 8.0;

    let natural = left + column * data.kinds.len() as f64 + figure::MARGIN;
    let mut picture = figure::start(&data.title, natural.max(520.0).ceil(), &[]);
    draw_ramp(&mut picture, &data.value);
    let lines = heads.iter().map(Vec::len).max().unwrap_or(0) as f64;
    let top = picture.height + 8.0 + lines * 13.0;
    for (index, head) in heads.iter().enumerate() {
        let middle = left + (index as f64 + 0.5) * column;
        for (line, words) in head.iter().rev().enumerate() {
            let at = (middle, top - 8.0 - line as f64 * 13.0);
            picture.text(Label::new(words, at, Side::Middle, TICK, INK));
        }
    }
    for (index, (row, name)) in data.rows.iter().zip(&names).enumerate() {
        let y = top + index as f64 * ROW;
        let at = (left - 8.0, y + ROW / 2.0);
        picture.text(Label::new(name, at, Side::End, LABEL, INK));
        for kind in 0..data.kinds.len() {
            let cell = Bounds::new(left + kind as f64 * column, y, column, ROW);
            draw_cell(&mut picture, row.values.get(kind).copied().flatten(), &cell);
        }
    }
    picture.height = top + data.rows.len() as f64 * ROW + figure::MARGIN;
    Some(picture)
}

/// A kind over as many lines as it has words: `safety-`, `rule`.
fn head(kind: &str) -> Vec<String> {
    let kind = text::clean(kind);
    let parts = kind.split_inclusive('-').filter(|part| !part.is_empty());
    parts.map(|part| text::fit(part, TICK, Weight::Regular, 110.0)).collect()
}

fn draw_cell(picture: &mut Picture, value: Option<f64>, cell: &Bounds) {
    let inner = Bounds::new(cell.left + 0.5, cell.top + 0.5, cell.width - 1.0, cell.height - 1.0);
    let middle = (cell.left + cell.width / 2.0, cell.top + cell.height / 2.0);
    match value.filter(|value| value.is_finite()) {
        None => {
            let corners = [
                (inner.left, inner.top),
                (inner.right(), inner.top),
                (inner.right(), inner.bottom()),
                (inner.left, inner.bottom()),
                (inner.left, inner.top),
            ];
            picture.line(corners.to_vec(), GRID, 1.0);
        }
        Some(value) => {
            let colour = palette::tone(value);
            picture.fill(inner, colour);
            let ink = palette::legible_on(colour);
            picture.text(Label::new(format!("{value:.2}"), middle, Side::Middle, TICK, ink));
        }
    }
}

/// The key: what the tones mean and what an empty cell means.
fn draw_ramp(picture: &mut Picture, value: &str) {
    const PARTS: usize = 40;
    let y = picture.height + 12.0;
    let mut x = figure::MARGIN;
    let word = |picture: &mut Picture, x: f64, says: &str| {
        let label = Label::new(says, (x, y), Side::Start, LABEL, SOFT);
        let right = label.bounds().right();
        picture.text(label);
        right
    };
    let room = picture.width - 2.0 * figure::MARGIN - 250.0;
    let value = text::fit(value, LABEL, Weight::Regular, room);
    x = word(picture, x, &value) + 14.0;
    x = word(picture, x, "0") + 5.0;
    for part in 0..PARTS {
        let share = part as f64 / (PARTS - 1) as f64;
        picture.fill(Bounds::new(x, y - 6.0, 2.5, 12.0), palette::tone(share));
        x += 2.5;
    }
    x = word(picture, x + 5.0, "1") + 18.0;
    let chip = Bounds::new(x, y - 6.0, CHIP, 12.0);
    picture.line(outline(&chip), FAINT, 0.75);
    word(picture, x + CHIP + 6.0, "no fact");
    picture.height += 26.0;
}

fn outline(bounds: &Bounds) -> Vec<(f64, f64)> {
    let (left, top, right, bottom) = (bounds.left, bounds.top, bounds.right(), bounds.bottom());
    vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_without_shares_is_left_out() {
        let rows =
            vec![HeatRow { configuration: "a".to_owned(), values: vec![None, Some(f64::NAN)] }];
        let kinds = vec!["path".to_owned(), "error".to_owned()];
        assert!(layout(&HeatChart { kinds, rows, ..HeatChart::default() }).is_none());
    }

    #[test]
    fn a_kind_of_two_words_takes_two_lines() {
        assert_eq!(head("safety-rule"), ["safety-", "rule"]);
        assert_eq!(head("path"), ["path"]);
    }
}
