//! A table of figures, shaded by where each stands between two ends.

use super::prelude::*;

/// Figures by row and column; left out where no field holds a figure.
#[derive(Clone, Debug, Default)]
pub struct ToneChart {
    pub value: String,
    /// What the lightest and the darkest tone are called.
    pub ends: (String, String),
    pub empty: String,
    pub columns: Vec<String>,
    pub rows: Vec<ToneRow>,
}

#[derive(Clone, Debug, Default)]
pub struct ToneRow {
    pub name: String,
    pub cells: Vec<Option<ToneCell>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToneCell {
    /// Where it stands between the ends, 0 to 1.
    pub share: f64,
    pub text: String,
}

impl ToneChart {
    /// A chart of shares from 0 to 1: a name and a share for each column in every row.
    pub fn of_shares(
        value: &str,
        columns: Vec<String>,
        rows: Vec<(String, Vec<Option<f64>>)>,
    ) -> ToneChart {
        let cell = |share: f64| ToneCell { share, text: format!("{share:.2}") };
        let row = |(name, shares): (String, Vec<Option<f64>>)| ToneRow {
            name,
            cells: shares.into_iter().map(|share| share.map(cell)).collect(),
        };
        ToneChart {
            value: value.to_owned(),
            ends: ("0".to_owned(), "1".to_owned()),
            empty: "no fact".to_owned(),
            columns,
            rows: rows.into_iter().map(row).collect(),
        }
    }
}

const ROW: f64 = 22.0;
/// Room for a name: names of orders hold the names of all their stages.
const NAMES: f64 = 620.0;

impl Chart for ToneChart {
    fn layout(&self, title: &str, width: f64) -> Option<Picture> {
        let columns = self.columns.len();
        let cells = || self.rows.iter().flat_map(|row| row.cells.iter().take(columns)).flatten();
        cells().find(|cell| cell.share.is_finite())?;
        let most = if figure::is_narrow(width) { 170.0 } else { NAMES };
        let names: Vec<String> =
            self.rows.iter().map(|row| text::fit(&row.name, LABEL, most)).collect();
        let left = figure::MARGIN + text::widest(&names, LABEL) + 10.0;
        let heads: Vec<Vec<String>> = self.columns.iter().map(|column| head(column)).collect();
        let words = text::widest(heads.iter().flatten(), TICK);
        let figures = text::widest(cells().map(|cell| &cell.text), TICK);
        let column = words.max(figures).max(38.0) + 8.0;

        let at_once = match figure::is_narrow(width) {
            true => (((width - left - figure::MARGIN) / column) as usize).max(1),
            false => columns,
        };
        let natural = left + column * at_once.min(columns) as f64 + figure::MARGIN;
        // Drawn once to know its width.
        let key = self.draw_key(&mut figure::start("", width, [])) + figure::MARGIN;
        let least = if figure::is_narrow(width) { width } else { 520.0 };
        let mut picture = figure::start(title, natural.max(least).max(key).ceil(), []);
        self.draw_key(&mut picture);
        for first in (0..columns).step_by(at_once) {
            let places: Vec<usize> = (first..columns.min(first + at_once)).collect();
            let lines = places.iter().map(|place| heads[*place].len()).max().unwrap_or(0) as f64;
            let top = picture.height + 8.0 + lines * 13.0;
            for (index, place) in places.iter().enumerate() {
                let middle = left + (index as f64 + 0.5) * column;
                for (line, words) in heads[*place].iter().rev().enumerate() {
                    let at = (middle, top - 8.0 - line as f64 * 13.0);
                    picture.text(Label::new(words, at, Side::Middle, TICK, INK));
                }
            }
            for (index, (row, name)) in self.rows.iter().zip(&names).enumerate() {
                let y = top + index as f64 * ROW;
                picture.text(Label::new(name, (left - 8.0, y + ROW / 2.0), Side::End, LABEL, INK));
                for (index, place) in places.iter().enumerate() {
                    let bounds = Bounds::new(left + index as f64 * column, y, column, ROW);
                    draw_cell(
                        &mut picture,
                        row.cells.get(*place).and_then(Option::as_ref),
                        &bounds,
                    );
                }
            }
            picture.height = top + self.rows.len() as f64 * ROW + figure::MARGIN;
        }
        Some(picture)
    }
}

impl ToneChart {
    /// What the tones mean and what an empty field means; returns where it ends.
    fn draw_key(&self, picture: &mut Picture) -> f64 {
        const PARTS: usize = 40;
        const PART: f64 = 2.5;
        const CHIP: f64 = 18.0;
        let word = |picture: &mut Picture, at: (f64, f64), says: &str| {
            let label = Label::new(says, at, Side::Start, LABEL, SOFT);
            let right = label.bounds().right();
            picture.text(label);
            right
        };
        let room = picture.width - 2.0 * figure::MARGIN;
        let value = text::fit(&self.value, LABEL, room.min(420.0));
        let mut y = picture.height + 12.0;
        let mut x = word(picture, (figure::MARGIN, y), &value) + 14.0;
        if figure::is_narrow(picture.width) {
            // The tones stand under what they are of.
            picture.height += 18.0;
            (x, y) = (figure::MARGIN, y + 18.0);
        }
        x = word(picture, (x, y), &text::clean(&self.ends.0)) + 5.0;
        for part in 0..PARTS {
            let share = part as f64 / (PARTS - 1) as f64;
            picture.fill(Bounds::new(x, y - 6.0, PART, 12.0), palette::tone(share));
            x += PART;
        }
        x = word(picture, (x + 5.0, y), &text::clean(&self.ends.1)) + 18.0;
        picture.line(outline(&Bounds::new(x, y - 6.0, CHIP, 12.0)), FAINT, 0.75);
        picture.height += 26.0;
        word(picture, (x + CHIP + 6.0, y), &text::clean(&self.empty))
    }
}

/// A heading over as many lines as it has words: `safety-`, `rule`.
fn head(column: &str) -> Vec<String> {
    let column = text::clean(column);
    let parts = column.split(' ').flat_map(|word| word.split_inclusive('-'));
    let parts = parts.filter(|part| !part.is_empty());
    parts.map(|part| text::fit(part, TICK, 130.0)).collect()
}

fn draw_cell(picture: &mut Picture, value: Option<&ToneCell>, cell: &Bounds) {
    let inner = Bounds::new(cell.left + 0.5, cell.top + 0.5, cell.width - 1.0, cell.height - 1.0);
    let middle = (cell.left + cell.width / 2.0, cell.top + cell.height / 2.0);
    match value.filter(|value| value.share.is_finite()) {
        None => picture.line(outline(&inner), GRID, 1.0),
        Some(value) => {
            let colour = palette::tone(value.share);
            picture.fill(inner, colour);
            let ink = palette::legible_on(colour);
            let says = text::clean(&value.text);
            picture.text(Label::new(says, middle, Side::Middle, TICK, ink));
        }
    }
}

fn outline(bounds: &Bounds) -> Vec<(f64, f64)> {
    let (left, top, right, bottom) = (bounds.left, bounds.top, bounds.right(), bounds.bottom());
    vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_of_two_words_takes_two_lines() {
        assert_eq!(head("safety-rule"), ["safety-", "rule"]);
        assert_eq!(head("recall at need"), ["recall", "at", "need"]);
        assert_eq!(head("path"), ["path"]);
    }
}
