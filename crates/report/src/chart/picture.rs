//! A laid-out chart: shapes and texts in pixels, and how plotters draws them.

use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use svg2pdf::{ConversionOptions, PageOptions, to_pdf};

use super::palette::WHITE;
use super::text::{self, FAMILY, Font};
use crate::prelude::*;

/// Units of drawing per pixel: plotters knows whole units only, so a pixel is cut in four.
const FINE: f64 = 4.0;
/// The PNG holds this many pixels per pixel of the SVG.
const PNG_SCALE: u32 = 2;

/// Paper for a page, and for a phone.
pub const WIDE: f64 = 1000.0;
pub const NARROW: f64 = 400.0;
/// Between the edge of the paper and what is on it.
pub const MARGIN: f64 = 14.0;

/// Whether paper of this width has no room for two panels side by side.
pub fn is_narrow(width: f64) -> bool {
    width < WIDE / 2.0
}

pub const DASHES: (f64, f64) = (5.0, 3.0);
/// Dashes so short that they read as dots.
pub const DOTS: (f64, f64) = (1.5, 2.5);

/// A place in pixels from the upper left corner.
pub type Point = (f64, f64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Start,
    Middle,
    End,
}

/// One thing to draw; later ones cover earlier ones.
#[derive(Clone, Debug)]
pub enum Mark {
    /// A line through points, with its width in pixels.
    Line(Vec<Point>, RGBColor, f64),
    Area(Vec<Point>, RGBColor),
    Box(Bounds, RGBColor),
    /// A filled disc with its radius.
    Disc(Point, f64, RGBColor),
    Text(Label),
}

/// A text: the point is at the height of the middle of its capitals.
#[derive(Clone, Debug)]
pub struct Label {
    pub text: String,
    pub at: Point,
    pub side: Side,
    pub font: Font,
    pub colour: RGBColor,
}

impl Label {
    pub fn new(
        text: impl Into<String>,
        at: Point,
        side: Side,
        font: Font,
        colour: RGBColor,
    ) -> Self {
        Label { text: text::clean(&text.into()), at, side, font, colour }
    }

    /// The box that its ink stays in.
    pub fn bounds(&self) -> Bounds {
        let width = text::width(&self.text, self.font);
        let left = match self.side {
            Side::Start => self.at.0,
            Side::Middle => self.at.0 - width / 2.0,
            Side::End => self.at.0 - width,
        };
        Bounds::new(left, self.at.1 - self.font.size * 0.5, width, self.font.size)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

impl Bounds {
    pub fn new(left: f64, top: f64, width: f64, height: f64) -> Self {
        Bounds { left, top, width, height }
    }

    pub fn around((x, y): Point, reach: f64) -> Self {
        Bounds::new(x - reach, y - reach, 2.0 * reach, 2.0 * reach)
    }

    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    pub fn meets(&self, other: &Bounds) -> bool {
        self.left < other.right()
            && other.left < self.right()
            && self.top < other.bottom()
            && other.top < self.bottom()
    }

    pub fn holds(&self, other: &Bounds) -> bool {
        self.left <= other.left
            && self.top <= other.top
            && self.right() >= other.right()
            && self.bottom() >= other.bottom()
    }
}

#[derive(Clone, Debug)]
pub struct Picture {
    /// What the chart is called, for readers who hear it.
    pub title: String,
    pub width: f64,
    pub height: f64,
    pub marks: Vec<Mark>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// A whole SVG document with `role="img"`, a label and a `<title>`; its text is escaped.
    pub svg: String,
    /// The same for a phone.
    pub narrow: String,
    pub png: Vec<u8>,
    /// One page of vectors, text as outlines, as wide as the SVG at 96 pixels an inch.
    pub pdf: Vec<u8>,
    pub width: u32,
    pub height: u32,
}

/// Font size that plotters must be asked for, per pixel of em.
const SIZE_PER_EM: f64 = 1.24;
/// How far below its anchor plotters puts the baseline, in em.
const BASELINE: f64 = 0.27;
/// Half the height of capitals, in em.
const HALF_CAPITAL: f64 = 0.365;

impl Picture {
    /// Draws a line; fewer than two points draw nothing.
    pub fn line(&mut self, points: Vec<Point>, colour: RGBColor, width: f64) {
        if points.len() > 1 {
            self.marks.push(Mark::Line(points, colour, width));
        }
    }

    pub fn dashes(&mut self, from: Point, to: Point, (on, off): (f64, f64), colour: RGBColor) {
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let at = |distance: f64| {
            let part = (distance / length).min(1.0);
            (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
        };
        let mut start = 0.0;
        while start < length {
            self.line(vec![at(start), at(start + on)], colour, 1.25);
            start += on + off;
        }
    }

    pub fn fill(&mut self, bounds: Bounds, colour: RGBColor) {
        self.marks.push(Mark::Box(bounds, colour));
    }

    pub fn area(&mut self, outline: Vec<Point>, colour: RGBColor) {
        self.marks.push(Mark::Area(outline, colour));
    }

    pub fn disc(&mut self, centre: Point, radius: f64, colour: RGBColor) {
        self.marks.push(Mark::Disc(centre, radius, colour));
    }

    pub fn text(&mut self, label: Label) {
        self.marks.push(Mark::Text(label));
    }

    /// Draws a text with white paper behind it, so that lines do not run through.
    pub fn text_on_paper(&mut self, label: Label) {
        let Bounds { left, top, width, height } = label.bounds();
        self.fill(Bounds::new(left - 2.0, top, width + 4.0, height), WHITE);
        self.text(label);
    }

    /// It, and the narrow layout of the same chart.
    pub fn render(&self, narrow: &Picture) -> Result<Rendered> {
        text::register();
        let (width, height) = self.size();
        let svg = self.svg()?;
        let options = Options { fontdb: text::database(), ..Options::default() };
        let tree = Tree::from_str(&svg, &options).map_err(|error| self.failed(&error))?;
        let others = || (self.pdf(&tree), narrow.svg());
        let (png, (pdf, narrow)) = rayon::join(|| self.png(&tree), others);
        Ok(Rendered { svg, narrow: narrow?, png: png?, pdf: pdf?, width, height })
    }

    fn size(&self) -> (u32, u32) {
        (self.width.ceil() as u32, self.height.ceil() as u32)
    }

    fn svg(&self) -> Result<String> {
        let (width, height) = self.size();
        let fine = (width * FINE as u32, height * FINE as u32);
        let mut drawn = String::new();
        self.draw(&SVGBackend::with_string(&mut drawn, fine).into_drawing_area())?;
        // Plotters opens with its own `<svg ...>`: ours carries the size in pixels and a name.
        let body = drawn.split_once('\n').map_or("", |(_, body)| body);
        let title = sanitize::xml(&text::clean(&self.title));
        Ok(format!(
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {} {}\" role=\"img\" \
             aria-label=\"{title}\" xmlns=\"http://www.w3.org/2000/svg\">\n\
             <title>{title}</title>\n{body}",
            fine.0, fine.1
        ))
    }

    fn png(&self, tree: &Tree) -> Result<Vec<u8>> {
        let (width, height) = self.size();
        let pixels = Pixmap::new(width * PNG_SCALE, height * PNG_SCALE);
        let mut pixels = pixels.ok_or_else(|| {
            Error::invalid(self.name(), format!("{width} by {height} pixels are too many"))
        })?;
        let scale = PNG_SCALE as f32;
        resvg::render(tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
        encode(&pixels).map_err(|error| self.failed(&error))
    }

    fn pdf(&self, tree: &Tree) -> Result<Vec<u8>> {
        // Text as outlines: the library writes embedded fonts in an order that differs by run.
        let conversion = ConversionOptions { embed_text: false, ..ConversionOptions::default() };
        to_pdf(tree, conversion, PageOptions { dpi: 96.0 })
            .map_err(|error| self.failed(&Error::invalid("PDF", error.to_string())))
    }

    fn name(&self) -> String {
        format!("chart `{}`", self.title)
    }

    fn failed(&self, error: &dyn std::error::Error) -> Error {
        Error::invalid(self.name(), error.to_string())
    }

    fn draw(&self, area: &Paper) -> Result<()> {
        area.fill(&WHITE).map_err(|error| self.failed(&error))?;
        for mark in &self.marks {
            draw_mark(area, mark).map_err(|error| self.failed(&error))?;
        }
        area.present().map_err(|error| self.failed(&error))
    }
}

type Paper<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

fn draw_mark(area: &Paper, mark: &Mark) -> Drawn {
    let unit = |value: f64| (value * FINE).round() as i32;
    let place = |(x, y): Point| (unit(x), unit(y));
    let path = |points: &[Point]| points.iter().copied().map(place).collect::<Vec<_>>();
    match mark {
        Mark::Line(points, colour, width) => {
            let mut path = path(points);
            path.dedup();
            area.draw(&PathElement::new(path, colour.stroke_width(unit(*width).max(1) as u32)))
        }
        Mark::Area(points, colour) => area.draw(&Polygon::new(path(points), colour.filled())),
        Mark::Box(bounds, colour) => {
            let ends = [(bounds.left, bounds.top), (bounds.right(), bounds.bottom())];
            area.draw(&Rectangle::new(ends.map(place), colour.filled()))
        }
        Mark::Disc(centre, radius, colour) => {
            area.draw(&Circle::new(place(*centre), unit(*radius), colour.filled()))
        }
        Mark::Text(label) => {
            let size = label.font.size;
            let font = FontDesc::new(FAMILY, size * FINE * SIZE_PER_EM, label.font.style());
            let side = match label.side {
                Side::Start => HPos::Left,
                Side::Middle => HPos::Center,
                Side::End => HPos::Right,
            };
            let style = font.color(&label.colour).pos(Pos::new(side, VPos::Center));
            let drop = (HALF_CAPITAL - BASELINE) * size;
            area.draw(&Text::new(label.text.clone(), place((label.at.0, label.at.1 + drop)), style))
        }
    }
}

/// Without the channel that no pixel needs. Charts are mostly flat colour, which packs best without a
/// filter.
fn encode(pixels: &Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_filter(png::FilterType::NoFilter);
    encoder.set_compression(png::Compression::Default);
    let mut colours = Vec::with_capacity(pixels.data().len());
    for pixel in pixels.data().chunks_exact(4) {
        colours.extend_from_slice(&pixel[..3]);
    }
    encoder.write_header()?.write_image_data(&colours)?;
    Ok(file)
}
