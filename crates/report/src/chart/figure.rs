//! What all charts share: paper of one width, a title, a key, a grid of panels, and rows.

use plotters::style::RGBColor;

use super::axis::{Frame, Scale};
use super::palette::{INK, SOFT, WHITE};
use super::picture::{Bounds, DASHES, DOTS, Label, Picture, Point, Side};
use super::text::{self, LABEL, PANEL, TITLE};

pub use super::picture::{MARGIN, NARROW, WIDE, is_narrow};
/// What the figures and the title of an axis take under a plot.
pub const UNDER_PLOT: f64 = 31.0 + LABEL.size + MARGIN;

#[derive(Clone, Copy, Debug)]
pub enum Sign {
    Line(RGBColor),
    Upright(RGBColor),
    Dashes(RGBColor),
    Dots(RGBColor),
    Disc(RGBColor),
    Ring(RGBColor),
    Triangle(RGBColor),
    Cross(RGBColor),
    Swatch(RGBColor),
}

/// A sign of a key, whether it is shown, and what it says.
pub type Entry = (bool, Sign, &'static str);

const SIGN_WIDTH: f64 = 20.0;

pub fn sign(picture: &mut Picture, sign: Sign, (x, y): Point) {
    match sign {
        Sign::Line(colour) => picture.line(vec![(x - 9.0, y), (x + 9.0, y)], colour, 1.75),
        Sign::Upright(colour) => {
            picture.line(vec![(x, y - 6.0), (x, y + 6.0)], colour, 1.5);
            for end in [y - 6.0, y + 6.0] {
                picture.line(vec![(x - 4.0, end), (x + 4.0, end)], colour, 1.5);
            }
        }
        Sign::Dashes(colour) => picture.dashes((x - 9.0, y), (x + 9.0, y), DASHES, colour),
        Sign::Dots(colour) => picture.dashes((x - 9.0, y), (x + 9.0, y), DOTS, colour),
        Sign::Disc(colour) => picture.disc((x, y), 4.0, colour),
        Sign::Ring(colour) => ring(picture, (x, y), 4.0, colour),
        Sign::Triangle(colour) => triangle(picture, (x, y + 4.0), colour),
        Sign::Cross(colour) => cross(picture, (x, y), (4.5, 2.25), colour),
        Sign::Swatch(colour) => picture.fill(Bounds::new(x - 6.0, y - 5.0, 12.0, 10.0), colour),
    }
}

pub fn ring(picture: &mut Picture, centre: Point, radius: f64, colour: RGBColor) {
    picture.disc(centre, radius, colour);
    picture.disc(centre, radius - 1.5, WHITE);
}

/// A triangle whose base has its middle at the point.
pub fn triangle(picture: &mut Picture, (x, y): Point, colour: RGBColor) {
    picture.area(vec![(x - 4.0, y), (x + 4.0, y), (x, y - 8.0)], colour);
}

pub fn cross(picture: &mut Picture, (x, y): Point, (reach, width): (f64, f64), colour: RGBColor) {
    for rise in [reach, -reach] {
        picture.line(vec![(x - reach, y - rise), (x + reach, y + rise)], colour, width);
    }
}

pub fn tick(picture: &mut Picture, (x, y): Point, (reach, width): (f64, f64), colour: RGBColor) {
    picture.line(vec![(x, y - reach), (x, y + reach)], colour, width);
}

/// A picture with its title and key drawn; the height is that used so far.
pub fn start(title: &str, width: f64, key: impl IntoIterator<Item = Entry>) -> Picture {
    let room = width - 2.0 * MARGIN;
    let mut picture = Picture { title: title.to_owned(), width, height: MARGIN, marks: Vec::new() };
    for line in text::wrap(title, TITLE, room) {
        let at = (MARGIN, picture.height + TITLE.size / 2.0);
        picture.text(Label::new(line, at, Side::Start, TITLE, INK));
        picture.height += 20.0;
    }
    let shown: Vec<Entry> = key.into_iter().filter(|(is_shown, ..)| *is_shown).collect();
    draw_key(&mut picture, &shown, room);
    picture
}

fn draw_key(picture: &mut Picture, key: &[Entry], room: f64) {
    if key.is_empty() {
        return;
    }
    let mut x = MARGIN;
    picture.height += 4.0;
    for (_, mark, says) in key {
        let says = text::fit(says, LABEL, room - SIGN_WIDTH - 6.0);
        let wide = SIGN_WIDTH + 6.0 + text::width(&says, LABEL);
        if x > MARGIN && x + wide > MARGIN + room {
            x = MARGIN;
            picture.height += 18.0;
        }
        let y = picture.height + 8.0;
        sign(picture, *mark, (x + SIGN_WIDTH / 2.0, y));
        picture.text(Label::new(says, (x + SIGN_WIDTH + 6.0, y), Side::Start, LABEL, SOFT));
        x += wide + 20.0;
    }
    picture.height += 18.0;
}

/// Boxes of panels in rows under what is drawn already; the picture grows by their height.
pub fn panels(picture: &mut Picture, count: usize, columns: usize, height: f64) -> Vec<Bounds> {
    const GAP: f64 = 14.0;
    let most = if is_narrow(picture.width) { 1 } else { count.max(1) };
    let columns = columns.clamp(1, most);
    let room = picture.width - 2.0 * MARGIN - GAP * (columns - 1) as f64;
    let width = room / columns as f64;
    let top = picture.height + 8.0;
    let boxes = (0..count).map(|index| {
        let (row, column) = ((index / columns) as f64, (index % columns) as f64);
        Bounds::new(MARGIN + column * (width + GAP), top + row * (height + GAP), width, height)
    });
    let boxes: Vec<Bounds> = boxes.collect();
    picture.height = boxes.last().map_or(top, |last| last.bottom() + MARGIN);
    boxes
}

pub fn panel_title(picture: &mut Picture, bounds: &Bounds, title: &str) {
    let says = text::fit(title, PANEL, bounds.width);
    picture.text(Label::new(says, (bounds.left, bounds.top + 7.0), Side::Start, PANEL, INK));
}

/// Writes the names of rows at the left; returns where they end and the middles of the rows.
pub fn row_names<'a>(
    picture: &mut Picture,
    names: impl Iterator<Item = &'a str>,
    top: f64,
    row: f64,
) -> (f64, Vec<f64>) {
    let room = if is_narrow(picture.width) { 170.0 } else { 280.0 };
    let names: Vec<String> = names.map(|name| text::fit(name, LABEL, room)).collect();
    let left = MARGIN + text::widest(&names, LABEL) + 10.0;
    let middles: Vec<f64> = (0..names.len()).map(|at| top + (at as f64 + 0.5) * row).collect();
    for (name, y) in names.into_iter().zip(&middles) {
        picture.text(Label::new(name, (left - 8.0, *y), Side::End, LABEL, INK));
    }
    (left, middles)
}

/// Names over their rows, where there is no room beside them.
fn names_above<'a>(
    picture: &mut Picture,
    names: impl Iterator<Item = &'a str>,
    top: f64,
    row: f64,
) -> (f64, Vec<f64>) {
    let room = picture.width - 2.0 * MARGIN;
    let names: Vec<String> = names.map(|name| text::fit(name, LABEL, room)).collect();
    let middles = (0..names.len()).map(|at| top + at as f64 * row + 26.0).collect();
    for (at, name) in names.into_iter().enumerate() {
        let at = (MARGIN, top + at as f64 * row + 9.0);
        picture.text_on_paper(Label::new(name, at, Side::Start, LABEL, INK));
    }
    (MARGIN, middles)
}

/// Rows over one scale, `above` under what is drawn and with room for remarks at the right.
pub fn rows<'a>(
    picture: &mut Picture,
    names: impl Iterator<Item = &'a str>,
    (above, right): (f64, f64),
    (x, x_title): (Scale, &str),
) -> (Frame, Vec<f64>) {
    let narrow = is_narrow(picture.width);
    let row = if narrow { 52.0 } else { 24.0 };
    let top = picture.height + above;
    let (left, middles) = match narrow {
        true => names_above(picture, names, top, row),
        false => row_names(picture, names, top, row),
    };
    let width = picture.width - left - MARGIN - right;
    let area = Bounds::new(left, top, width, middles.len() as f64 * row);
    let frame = Frame { area, x, y: Scale::share() };
    frame.draw_across(picture, x_title);
    picture.height = area.bottom() + UNDER_PLOT;
    (frame, middles)
}
