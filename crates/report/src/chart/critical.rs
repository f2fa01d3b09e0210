//! The critical-difference diagram: configurations on an axis of mean ranks, with
//! bars over those that the sessions cannot tell apart.

use super::figure::{self, MARGIN, WIDTH};
use super::palette::{self, FAINT, INK, SOFT};
use super::picture::{Bounds, Label, Picture, Side};
use super::text::{self, LABEL, TICK, Weight};
use super::{Rendered, render};
use crate::error::Result;

/// Configurations by mean rank.
#[derive(Clone, Debug, Default)]
pub struct CriticalChart {
    /// What the chart is called.
    pub title: String,
    /// Name and mean rank, 1 the best, in the order of ranks.
    pub ranks: Vec<(String, f64)>,
    /// Difference of mean ranks from which two differ.
    pub critical: f64,
    /// Places in `ranks` that are not told apart.
    pub undecided: Vec<Vec<usize>>,
}

/// Height of a line of names.
const LINE: f64 = 18.0;
/// Distance between bars.
const BAR: f64 = 8.0;
/// Room for names on the left.
const NAMES: f64 = 260.0;
/// Room for figures on the right.
const FIGURES: f64 = 44.0;

/// Draws the diagram (after Demšar, "Statistical Comparisons of Classifiers over
/// Multiple Data Sets", 2006, with the names in one column); `None` with fewer than
/// two configurations or a rank that is not finite.
pub fn critical_difference(data: &CriticalChart) -> Result<Option<Rendered>> {
    render(layout(data))
}

pub(super) fn layout(data: &CriticalChart) -> Option<Picture> {
    let count = data.ranks.len();
    let finite = data.ranks.iter().all(|(_, rank)| rank.is_finite());
    if count < 2 || !finite || !data.critical.is_finite() {
        return None;
    }
    let mut picture = figure::start(&data.title, WIDTH, &[]);
    let left = MARGIN + NAMES;
    let width = WIDTH - left - MARGIN - FIGURES;
    let most = count as f64;
    let x = |rank: f64| left + (rank.clamp(1.0, most) - 1.0) / (most - 1.0) * width;

    let ruler = picture.height + 14.0;
    let reach = (data.critical / (most - 1.0) * width).min(width);
    picture.line(vec![(left, ruler), (left + reach, ruler)], INK, 2.0);
    for end in [left, left + reach] {
        picture.line(vec![(end, ruler - 4.0), (end, ruler + 4.0)], INK, 1.5);
    }
    let says = format!("critical difference {:.2}", data.critical);
    let label = Label::new(says, (left - 8.0, ruler), Side::End, LABEL, SOFT);
    picture.text(label);

    let axis = ruler + 34.0;
    let top = axis + 8.0 + BAR * data.undecided.len() as f64 + 10.0;
    let bottom = top + LINE * count as f64;
    draw_axis(&mut picture, count, axis, &x);
    for (index, group) in data.undecided.iter().enumerate() {
        let ranks: Vec<f64> =
            group.iter().filter_map(|place| data.ranks.get(*place)).map(|one| one.1).collect();
        let (Some(first), Some(last)) = (ranks.first(), ranks.last()) else { continue };
        let y = axis + 10.0 + BAR * index as f64;
        let from = x(*first) - 3.0;
        picture.fill(Bounds::new(from, y - 1.75, x(*last) + 3.0 - from, 3.5), INK);
    }
    for (index, (name, rank)) in data.ranks.iter().enumerate() {
        let y = top + LINE * (index as f64 + 0.5);
        let colour = palette::series(index);
        picture.line(vec![(x(*rank), axis), (x(*rank), y)], FAINT, 1.0);
        picture.line(vec![(left, y), (x(*rank), y)], palette::GRID, 1.0);
        picture.disc((x(*rank), y), 4.0, colour);
        let name = text::fit(name, LABEL, Weight::Regular, NAMES - 12.0);
        picture.text(Label::new(name, (left - 8.0, y), Side::End, LABEL, INK));
        let figure = format!("{rank:.2}");
        picture.text(Label::new(figure, (WIDTH - MARGIN, y), Side::End, LABEL, SOFT));
    }
    picture.height = bottom + MARGIN;
    Some(picture)
}

fn draw_axis(picture: &mut Picture, count: usize, axis: f64, x: &impl Fn(f64) -> f64) {
    picture.line(vec![(x(1.0), axis), (x(count as f64), axis)], INK, 1.25);
    let step = count.div_ceil(16).max(1);
    for rank in (1..=count).step_by(step) {
        let at = x(rank as f64);
        picture.line(vec![(at, axis - 4.0), (at, axis)], INK, 1.25);
        let label = Label::new(rank.to_string(), (at, axis - 11.0), Side::Middle, TICK, SOFT);
        picture.text(label);
    }
}
