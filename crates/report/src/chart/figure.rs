//! What all charts share: paper of one width, a title, a key, and a grid of panels.

use plotters::style::RGBColor;

use super::palette::{INK, SOFT, VERMILLION};
use super::picture::{Bounds, Label, Mark, Picture, Point, Side};
use super::text::{self, LABEL, TITLE, Weight};

/// Width of most charts in pixels: a page's column.
pub const WIDTH: f64 = 1000.0;
/// White space around everything.
pub const MARGIN: f64 = 14.0;

/// A mark that the key explains.
#[derive(Clone, Copy, Debug)]
pub enum Sign {
    /// A line.
    Line(RGBColor),
    /// A dashed line.
    Dashes(RGBColor),
    /// A dotted line.
    Dots(RGBColor),
    /// A disc.
    Disc(RGBColor),
    /// A ring.
    Ring(RGBColor),
    /// A triangle that stands on its base.
    Triangle(RGBColor),
    /// A cross.
    Cross(RGBColor),
    /// A square of one colour.
    Swatch(RGBColor),
}

/// Dashes so short that they read as dots.
pub const DOTS: (f64, f64) = (1.5, 2.5);

const SIGN_WIDTH: f64 = 20.0;

/// Draws the sign with its middle at the point.
pub fn sign(picture: &mut Picture, sign: Sign, (x, y): Point) {
    match sign {
        Sign::Line(colour) => picture.line(vec![(x - 9.0, y), (x + 9.0, y)], colour, 1.75),
        Sign::Dashes(colour) => picture.dashes((x - 9.0, y), (x + 9.0, y), (5.0, 3.0), colour),
        Sign::Dots(colour) => picture.dashes((x - 9.0, y), (x + 9.0, y), DOTS, colour),
        Sign::Disc(colour) => picture.disc((x, y), 4.0, colour),
        Sign::Ring(colour) => ring(picture, (x, y), 4.0, colour),
        Sign::Triangle(colour) => triangle(picture, (x, y + 4.0), colour),
        Sign::Cross(colour) => cross(picture, (x, y), colour),
        Sign::Swatch(colour) => picture.fill(Bounds::new(x - 6.0, y - 5.0, 12.0, 10.0), colour),
    }
}

/// A circle with white inside.
pub fn ring(picture: &mut Picture, centre: Point, radius: f64, colour: RGBColor) {
    picture.disc(centre, radius, colour);
    picture.disc(centre, radius - 1.5, super::palette::WHITE);
}

/// A triangle whose base has its middle at the point.
pub fn triangle(picture: &mut Picture, (x, y): Point, colour: RGBColor) {
    let corners = vec![(x - 4.0, y), (x + 4.0, y), (x, y - 8.0)];
    picture.marks.push(Mark::Area(corners, colour));
}

/// A diagonal cross.
pub fn cross(picture: &mut Picture, (x, y): Point, colour: RGBColor) {
    for slope in [1.0, -1.0] {
        picture.line(vec![(x - 4.5, y - 4.5 * slope), (x + 4.5, y + 4.5 * slope)], colour, 2.25);
    }
}

/// A picture with its title and key drawn; the height is that used so far.
pub fn start(title: &str, width: f64, key: &[(Sign, String)]) -> Picture {
    let room = width - 2.0 * MARGIN;
    let mut picture = Picture { title: title.to_owned(), width, height: MARGIN, marks: Vec::new() };
    for line in text::wrap(title, TITLE, Weight::Bold, room) {
        let at = (MARGIN, picture.height + TITLE / 2.0);
        let label = Label::new(line, at, Side::Start, TITLE, INK);
        picture.text(Label { weight: Weight::Bold, ..label });
        picture.height += 20.0;
    }
    draw_key(&mut picture, key, room);
    picture
}

fn draw_key(picture: &mut Picture, key: &[(Sign, String)], room: f64) {
    if key.is_empty() {
        return;
    }
    let mut x = MARGIN;
    picture.height += 4.0;
    for (mark, says) in key {
        let says = text::fit(says, LABEL, Weight::Regular, room - SIGN_WIDTH - 6.0);
        let wide = SIGN_WIDTH + 6.0 + text::width(&says, LABEL, Weight::Regular);
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

/// Names that stand to the left of rows, and the width that they take.
pub fn names_beside<'a>(names: impl Iterator<Item = &'a str>) -> (Vec<String>, f64) {
    const ROOM: f64 = 280.0;
    let names: Vec<String> =
        names.map(|name| text::fit(name, LABEL, Weight::Regular, ROOM)).collect();
    let widths = names.iter().map(|name| text::width(name, LABEL, Weight::Regular));
    let widest = widths.fold(0.0, f64::max);
    (names, widest + 10.0)
}

/// Boxes of `count` panels in rows of `columns`, under what is drawn already. The
/// picture grows by their height.
pub fn panels(picture: &mut Picture, count: usize, columns: usize, height: f64) -> Vec<Bounds> {
    const GAP: f64 = 14.0;
    let columns = columns.clamp(1, count.max(1));
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

/// Writes a panel's title at the top of its box.
pub fn panel_title(picture: &mut Picture, bounds: &Bounds, title: &str) {
    let says = text::fit(title, text::PANEL, Weight::Bold, bounds.width);
    let label = Label::new(says, (bounds.left, bounds.top + 7.0), Side::Start, text::PANEL, INK);
    picture.text(Label { weight: Weight::Bold, ..label });
}

/// Writes that a session ended early, or what happened in it, under a panel's title.
pub fn panel_remark(picture: &mut Picture, bounds: &Bounds, failed: Option<&str>, says: &str) {
    let mut left = bounds.left;
    let y = bounds.top + 23.0;
    if let Some(failed) = failed {
        sign(picture, Sign::Cross(VERMILLION), (left + 5.0, y));
        let says = text::fit(failed, LABEL, Weight::Regular, bounds.width * 0.6);
        let colour = super::palette::text_of(VERMILLION);
        let label = Label::new(says, (left + 15.0, y), Side::Start, LABEL, colour);
        left = label.bounds().right() + 12.0;
        picture.text(label);
    }
    if says.is_empty() {
        return;
    }
    let says = text::fit(says, LABEL, Weight::Regular, bounds.right() - left);
    picture.text(Label::new(says, (left, y), Side::Start, LABEL, SOFT));
}
