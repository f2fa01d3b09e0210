//! Figures of several series side by side in rows, each with its interval.

use super::prelude::*;
use super::savings::Estimate;

/// Rows over one scale of shares.
#[derive(Clone, Debug, Default)]
pub struct DotChart {
    pub across: &'static str,
    /// The names of the first and the second series, and what the lines are.
    pub series: [&'static str; 3],
    pub rows: Vec<DotRow>,
}

/// One row; left out where it has no figure.
#[derive(Clone, Debug, Default)]
pub struct DotRow {
    pub name: String,
    pub dots: [Option<Estimate>; 2],
}

/// How far the two series lie from the middle of their row.
const APART: f64 = 5.0;
const COLOURS: [RGBColor; 2] = [BLUE, VERMILLION];

impl DotRow {
    fn dot(&self, series: usize) -> Option<Estimate> {
        self.dots[series].filter(|(value, _)| value.is_finite())
    }

    fn known(&self) -> impl Iterator<Item = Estimate> {
        (0..self.dots.len()).filter_map(|series| self.dot(series))
    }
}

impl Chart for DotChart {
    fn layout(&self, title: &str, width: f64) -> Option<Picture> {
        let rows: Vec<&DotRow> =
            self.rows.iter().filter(|row| row.known().next().is_some()).collect();
        let ends =
            |(value, interval): Estimate| interval.map_or(value, |(_, high)| high.max(value));
        let most = rows.iter().flat_map(|row| row.known()).map(ends).reduce(f64::max)?;
        let [first, second, lines] = self.series;
        let has_interval =
            rows.iter().flat_map(|row| row.known()).any(|(_, interval)| interval.is_some());
        let key = [
            (true, Sign::Disc(COLOURS[0]), first),
            (true, Sign::Ring(COLOURS[1]), second),
            (has_interval, Sign::Line(FAINT), lines),
        ];
        let mut picture = figure::start(title, width, key);
        let names = rows.iter().map(|row| row.name.as_str());
        let x = Scale::rounded(most.max(0.05), 6).written(number::axis_percent);
        let (frame, middles) = figure::rows(&mut picture, names, (10.0, 92.0), (x, self.across));
        for (row, middle) in rows.iter().zip(middles) {
            for (series, y) in [middle - APART, middle + APART].into_iter().enumerate() {
                if let Some(dot) = row.dot(series) {
                    draw(&mut picture, series, dot, &frame, y);
                }
            }
            write(&mut picture, row, (frame.area.right() + 10.0, middle));
        }
        Some(picture)
    }
}

fn draw(picture: &mut Picture, series: usize, (value, interval): Estimate, frame: &Frame, y: f64) {
    let colour = COLOURS[series];
    if let Some((low, high)) = interval {
        let (low, high) = (frame.x_of(low), frame.x_of(high));
        picture.line(vec![(low, y), (high, y)], colour, 1.5);
        for end in [low, high] {
            figure::tick(picture, (end, y), (3.0, 1.25), colour);
        }
    }
    let at = (frame.x_of(value), y);
    match series {
        0 => picture.disc(at, 3.5, colour),
        _ => figure::ring(picture, at, 3.5, colour),
    }
}

/// The figures at the end of a row, beside each other.
fn write(picture: &mut Picture, row: &DotRow, (x, y): Point) {
    for (series, at) in [(0, x + 34.0), (1, x + 80.0)] {
        if let Some((value, _)) = row.dot(series) {
            let says = number::axis_percent(value);
            let colour = palette::text_of(COLOURS[series]);
            picture.text(Label::new(says, (at, y), Side::End, FIGURE, colour));
        }
    }
}
