//! Bars that lie, each made of parts, with its total and a remark at its end.

use plotters::style::RGBColor;

use super::axis::{Frame, Scale};
use super::figure::{self, Sign};
use super::palette::{self, INK, SOFT, VERMILLION};
use super::picture::{Bounds, Label, Picture, Side};
use super::text::{self, LABEL, TICK, Weight};

const ROW: f64 = 24.0;

/// Bars over one scale.
pub struct Bars<'a> {
    /// What the chart is called.
    pub title: &'a str,
    /// What the scale is, with its unit.
    pub x_title: &'a str,
    /// What the parts are, in order, with their colours.
    pub parts: Vec<(&'a str, RGBColor)>,
    /// How amounts are written.
    pub write: fn(f64) -> String,
    /// The bars, in reading order.
    pub rows: Vec<Bar<'a>>,
}

/// One bar.
pub struct Bar<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its parts.
    pub parts: Vec<f64>,
    /// What is said behind its total.
    pub says: String,
    /// What went wrong, behind that.
    pub failed: Option<&'a str>,
}

impl Bar<'_> {
    fn total(&self) -> f64 {
        self.parts.iter().sum()
    }
}

/// Lays the bars out; `None` where none has a length.
pub fn layout(bars: &Bars) -> Option<Picture> {
    let most = bars.rows.iter().map(Bar::total).filter(|total| total.is_finite());
    let most = most.fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let used = |index: usize| bars.rows.iter().any(|row| row.parts.get(index) > Some(&0.0));
    let key: Vec<(Sign, String)> = bars
        .parts
        .iter()
        .enumerate()
        .filter(|(index, _)| used(*index))
        .map(|(_, (name, colour))| (Sign::Swatch(*colour), (*name).to_owned()))
        .collect();
    let mut picture = figure::start(bars.title, figure::WIDTH, &key);
    let (names, beside) = figure::names_beside(bars.rows.iter().map(|row| row.name));
    let ends: Vec<f64> = bars.rows.iter().map(|row| end_width(bars, row)).collect();
    let left = figure::MARGIN + beside;
    let right = figure::MARGIN + ends.into_iter().fold(30.0, f64::max);
    let height = bars.rows.len() as f64 * ROW;
    let area = Bounds::new(left, picture.height + 10.0, picture.width - left - right, height);
    let x = Scale::rounded(most, 6).written(bars.write);
    let frame = Frame { area, x, y: Scale::share() };
    frame.draw_across(&mut picture, bars.x_title);
    for (index, (row, name)) in bars.rows.iter().zip(&names).enumerate() {
        let y = area.top + (index as f64 + 0.5) * ROW;
        picture.text(Label::new(name, (left - 8.0, y), Side::End, LABEL, INK));
        draw_bar(&mut picture, bars, row, &frame, y);
    }
    picture.height = area.bottom() + 31.0 + LABEL + figure::MARGIN;
    Some(picture)
}

/// Room that the total and the remarks take behind the longest bar.
fn end_width(bars: &Bars, row: &Bar) -> f64 {
    let wide = |says: &str, weight| text::width(says, TICK, weight);
    let says = if row.says.is_empty() { 0.0 } else { 8.0 + wide(&row.says, Weight::Regular) };
    let failed = row.failed.map_or(0.0, |failed| 26.0 + wide(&fit(failed), Weight::Regular));
    10.0 + wide(&(bars.write)(row.total()), Weight::Bold) + says + failed
}

fn fit(says: &str) -> String {
    text::fit(says, TICK, Weight::Regular, 150.0)
}

fn draw_bar(picture: &mut Picture, bars: &Bars, row: &Bar, frame: &Frame, y: f64) {
    let mut before = 0.0;
    let parts = row.parts.iter().zip(&bars.parts);
    for (amount, (_, colour)) in parts.filter(|(amount, _)| **amount > 0.0) {
        let (from, to) = (frame.x_of(before), frame.x_of(before + amount));
        // A white seam keeps neighbours apart without relying on colour.
        let segment = Bounds::new(from, y - 8.5, (to - from - 1.0).max(0.5), 17.0);
        picture.fill(segment, *colour);
        let says = (bars.write)(*amount);
        if text::width(&says, TICK, Weight::Regular) + 6.0 < segment.width {
            let middle = (segment.left + segment.width / 2.0, y);
            let ink = palette::legible_on(*colour);
            picture.text(Label::new(says, middle, Side::Middle, TICK, ink));
        }
        before += amount;
    }
    let at = (frame.x_of(before) + 6.0, y);
    let total = Label::new((bars.write)(before), at, Side::Start, TICK, INK);
    let total = Label { weight: Weight::Bold, ..total };
    let mut end = total.bounds().right();
    picture.text_on_paper(total);
    if !row.says.is_empty() {
        let says = Label::new(&row.says, (end + 8.0, y), Side::Start, TICK, SOFT);
        end = says.bounds().right();
        picture.text_on_paper(says);
    }
    if let Some(failed) = row.failed {
        figure::sign(picture, Sign::Cross(VERMILLION), (end + 14.0, y));
        let colour = palette::text_of(VERMILLION);
        let says = Label::new(fit(failed), (end + 24.0, y), Side::Start, TICK, colour);
        picture.text_on_paper(says);
    }
}
