//! Panels over the steps of one session: a configuration each, on the same axes.

use super::axis::{Frame, Scale};
use super::figure::{self, Sign};
use super::palette::{self, SOFT, VERMILLION};
use super::picture::{Bounds, Label, Picture, Side};
use super::text::{self, LABEL};

/// The end of a session before its last step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    pub step: u64,
    /// `ended_by`: `overflow`, `max_tokens`, ...
    pub reason: String,
}

pub const ENDED_EARLY: &str = "session ended early";

pub struct Heading<'a> {
    pub configuration: &'a str,
    pub end: Option<&'a End>,
    pub remark: String,
}

/// Draws the axes of a panel for each heading, with room at the right of each plot.
pub fn frames(
    picture: &mut Picture,
    headings: &[Heading],
    columns: usize,
    (x, y): (&Scale, &Scale),
    right: f64,
) -> Vec<Frame> {
    let height = if columns == 1 { 340.0 } else { 236.0 };
    let boxes = figure::panels(picture, headings.len(), columns, height);
    let left = y.label_width() + 6.0;
    let frames = headings.iter().zip(&boxes).map(|(heading, bounds)| {
        let (width, height) = (bounds.width - left - right, bounds.height - 98.0);
        let area = Bounds::new(bounds.left + left, bounds.top + 58.0, width, height);
        let frame = Frame { area, x: x.clone(), y: y.clone() };
        frame.draw(picture, "step", "prompt sent (tokens)");
        draw_heading(picture, bounds, heading);
        frame
    });
    frames.collect()
}

fn draw_heading(picture: &mut Picture, bounds: &Bounds, heading: &Heading) {
    figure::panel_title(picture, bounds, heading.configuration);
    let (mut left, y) = (bounds.left, bounds.top + 23.0);
    if let Some(End { step, reason }) = heading.end {
        figure::sign(picture, Sign::Cross(VERMILLION), (left + 5.0, y));
        let says = format!("{reason} at step {step}");
        let says = text::fit(&says, LABEL, bounds.width * 0.6);
        let colour = palette::text_of(VERMILLION);
        let label = Label::new(says, (left + 15.0, y), Side::Start, LABEL, colour);
        left = label.bounds().right() + 12.0;
        picture.text(label);
    }
    if !heading.remark.is_empty() {
        let remark = text::fit(&heading.remark, LABEL, bounds.right() - left);
        picture.text(Label::new(remark, (left, y), Side::Start, LABEL, SOFT));
    }
}
