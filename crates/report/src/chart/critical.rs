//! The critical-difference diagram: configurations on an axis of mean ranks, with
//! bars over those that the sessions cannot tell apart.

use super::Chart;
use super::figure::{self, MARGIN, WIDTH};
use super::palette::{self, FAINT, GRID, INK, SOFT};
use super::picture::{Bounds, Label, Picture, Side};
use super::text::{self, LABEL, TICK};

/// Configurations by mean rank (after Demšar, "Statistical Comparisons of Classifiers over
/// Multiple Data Sets", 2006, with the names in one column). Left out with fewer than two
/// configurations or a rank that is not finite.
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
/// Where the axis begins, and how long it is.
const LEFT: f64 = MARGIN + NAMES;
const LENGTH: f64 = WIDTH - LEFT - MARGIN - FIGURES;

impl Chart for CriticalChart {
    fn layout(&self) -> Option<Picture> {
        let finite = self.ranks.iter().all(|(_, rank)| rank.is_finite());
        if self.ranks.len() < 2 || !finite || !self.critical.is_finite() {
            return None;
        }
        let mut picture = figure::start(&self.title, WIDTH, &[]);
        let ruler = picture.height + 14.0;
        let axis = ruler + 34.0;
        let top = axis + 18.0 + BAR * self.undecided.len() as f64;
        self.draw_ruler(&mut picture, ruler);
        self.draw_axis(&mut picture, axis);
        for (index, group) in self.undecided.iter().enumerate() {
            let mut ranks =
                group.iter().filter_map(|place| self.ranks.get(*place)).map(|one| one.1);
            let Some(first) = ranks.next() else { continue };
            let (from, to) =
                (self.x(first) - 3.0, self.x(ranks.next_back().unwrap_or(first)) + 3.0);
            let y = axis + 10.0 + BAR * index as f64;
            picture.fill(Bounds::new(from, y - 1.75, to - from, 3.5), INK);
        }
        for (index, (name, rank)) in self.ranks.iter().enumerate() {
            let (x, y) = (self.x(*rank), top + LINE * (index as f64 + 0.5));
            picture.line(vec![(x, axis), (x, y)], FAINT, 1.0);
            picture.line(vec![(LEFT, y), (x, y)], GRID, 1.0);
            picture.disc((x, y), 4.0, palette::series(index));
            let name = text::fit(name, LABEL, NAMES - 12.0);
            picture.text(Label::new(name, (LEFT - 8.0, y), Side::End, LABEL, INK));
            let figure = format!("{rank:.2}");
            picture.text(Label::new(figure, (WIDTH - MARGIN, y), Side::End, LABEL, SOFT));
        }
        picture.height = top + LINE * self.ranks.len() as f64 + MARGIN;
        Some(picture)
    }
}

impl CriticalChart {
    /// Pixels of a difference of ranks.
    fn width(&self, difference: f64) -> f64 {
        (difference / (self.ranks.len() as f64 - 1.0)).clamp(0.0, 1.0) * LENGTH
    }

    fn x(&self, rank: f64) -> f64 {
        LEFT + self.width(rank - 1.0)
    }

    /// The critical difference at scale.
    fn draw_ruler(&self, picture: &mut Picture, y: f64) {
        let right = LEFT + self.width(self.critical);
        picture.line(vec![(LEFT, y), (right, y)], INK, 2.0);
        for end in [LEFT, right] {
            figure::tick(picture, (end, y), (4.0, 1.5), INK);
        }
        let says = format!("critical difference {:.2}", self.critical);
        picture.text(Label::new(says, (LEFT - 8.0, y), Side::End, LABEL, SOFT));
    }

    fn draw_axis(&self, picture: &mut Picture, y: f64) {
        let count = self.ranks.len();
        picture.line(vec![(LEFT, y), (LEFT + LENGTH, y)], INK, 1.25);
        for rank in (1..=count).step_by(count.div_ceil(16)) {
            let x = self.x(rank as f64);
            picture.line(vec![(x, y - 4.0), (x, y)], INK, 1.25);
            picture.text(Label::new(rank.to_string(), (x, y - 11.0), Side::Middle, TICK, SOFT));
        }
    }
}
