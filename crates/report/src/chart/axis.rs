//! Scales, their ticks, and the frame of a plot.

use super::palette::{FAINT, GRID, INK, SOFT};
use super::picture::{self as paper, Bounds, DASHES, Label, Picture, Point, Side};
use super::text::{self, LABEL, TICK};
use crate::number;

/// How values fall on an axis, and where its ticks are.
#[derive(Clone, Debug)]
pub struct Scale {
    low: f64,
    high: f64,
    log: bool,
    ticks: Vec<(f64, String)>,
}

impl Scale {
    /// From 0 to the half tick at or above the greatest value, with about `wanted` ticks.
    pub fn rounded(greatest: f64, wanted: usize) -> Scale {
        let greatest = if greatest.is_finite() && greatest > 0.0 { greatest } else { 1.0 };
        let step = round_step(greatest / wanted.max(1) as f64);
        let halves = (greatest / step * 2.0 - 1e-9).ceil().max(2.0) as usize;
        Scale::stepped(0.0, halves / 2, step, halves as f64 * step / 2.0)
    }

    /// From 0 to the greatest value, with room for those limits that do not lie far above it.
    pub fn with_limits(greatest: f64, limits: impl IntoIterator<Item = f64>) -> Scale {
        /// A limit farther above the values than this factor would flatten them.
        const FAR: f64 = 2.5;
        let near = limits.into_iter().filter(|limit| *limit <= greatest * FAR);
        Scale::rounded(near.map(|limit| limit * 1.12).fold(greatest, f64::max), 4)
    }

    /// From the tick below the least value to that above the greatest; from 0 where it is near.
    pub fn around(least: f64, greatest: f64, wanted: usize) -> Scale {
        let broken = !(least.is_finite() && greatest.is_finite() && greatest > least);
        if broken || (0.0..=greatest * 0.5).contains(&least) {
            return Scale::rounded(greatest, wanted);
        }
        let step = round_step((greatest - least) / wanted.max(1) as f64);
        let first = (least / step + 1e-9).floor();
        let last = (greatest / step - 1e-9).ceil().max(first + 1.0);
        Scale::stepped(first, (last - first) as usize, step, last * step)
    }

    /// From 0 to exactly the greatest value, in whole numbers: steps, turns, rounds.
    pub fn whole(greatest: f64, wanted: usize) -> Scale {
        let greatest = if greatest.is_finite() && greatest >= 1.0 { greatest } else { 1.0 };
        let step = round_step(greatest / wanted.max(1) as f64).max(1.0);
        Scale::stepped(0.0, (greatest / step + 1e-9).floor() as usize, step, greatest)
    }

    /// With ticks from so many steps on, up to a value.
    fn stepped(first: f64, count: usize, step: f64, high: f64) -> Scale {
        let ticks = (0..=count).map(|index| labelled((first + index as f64) * step));
        Scale { low: first * step, high, log: false, ticks: ticks.collect() }
    }

    /// Powers of ten (and their 2 and 5) around positive values.
    pub fn logarithmic(least: f64, greatest: f64) -> Scale {
        let least = if least > 0.0 { least } else { 1.0 };
        let (low, high) = (least.log10(), greatest.max(least * 2.0).log10());
        let decades = (low.floor() as i32)..=(high.ceil() as i32);
        let marks: Vec<f64> = decades
            .flat_map(|decade| [1.0, 2.0, 5.0].map(|factor| factor * 10_f64.powi(decade)))
            .collect();
        let below = marks.iter().rposition(|mark| mark.log10() <= low + 1e-9).unwrap_or(0);
        let above = marks.iter().position(|mark| mark.log10() >= high - 1e-9);
        let kept = &marks[below..=above.unwrap_or(marks.len() - 1).max(below)];
        // OK because `below` is at most the end of the range: at least one mark is kept.
        let (first, last) = (kept[0].log10(), kept[kept.len() - 1].log10());
        Scale {
            low: first,
            high: last.max(first + 0.1),
            log: true,
            ticks: kept.iter().map(|mark| labelled(*mark)).collect(),
        }
    }

    pub fn share() -> Scale {
        let ticks = (0..=5).map(|fifth| f64::from(fifth) / 5.0);
        let ticks = ticks.map(|value| (value, number::decimal(value, 2))).collect();
        Scale { low: 0.0, high: 1.0, log: false, ticks }
    }

    /// Named places, the first at 0, with half a place of room at both ends.
    pub fn named(names: &[String]) -> Scale {
        let ticks =
            names.iter().zip(0..).map(|(name, at)| (f64::from(at), text::fit(name, TICK, 60.0)));
        let high = names.len().max(1) as f64 - 0.5;
        Scale { low: -0.5, high, log: false, ticks: ticks.collect() }
    }

    pub fn written(mut self, write: impl Fn(f64) -> String) -> Scale {
        for (value, label) in &mut self.ticks {
            *label = write(*value);
        }
        self
    }

    /// Where a value falls: 0 at the low end, 1 at the high end, never beyond.
    pub fn place(&self, value: f64) -> f64 {
        let value = if self.log { value.max(f64::MIN_POSITIVE).log10() } else { value };
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    pub fn high(&self) -> f64 {
        if self.log { 10_f64.powf(self.high) } else { self.high }
    }

    pub fn label_width(&self) -> f64 {
        text::widest(self.ticks.iter().map(|(_, label)| label), TICK)
    }
}

/// Whether values differ so much that they are shown by their powers of ten.
pub fn is_wide(least: f64, greatest: f64) -> bool {
    greatest / least.max(1.0) >= 25.0
}

fn labelled(value: f64) -> (f64, String) {
    (value, number::axis(value))
}

/// The least of 1, 2, 5, 10, 20, ... at or above the rough step.
fn round_step(rough: f64) -> f64 {
    let power = 10_f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= rough * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

#[derive(Clone, Debug)]
pub struct Frame {
    pub area: Bounds,
    pub x: Scale,
    pub y: Scale,
}

impl Frame {
    pub fn point(&self, x: f64, y: f64) -> Point {
        (self.x_of(x), self.y_of(y))
    }

    pub fn x_of(&self, x: f64) -> f64 {
        self.area.left + self.x.place(x) * self.area.width
    }

    pub fn y_of(&self, y: f64) -> f64 {
        self.area.bottom() - self.y.place(y) * self.area.height
    }

    /// Draws a limit on y with its name; one above the plot is named and not drawn.
    pub fn draw_limit(&self, picture: &mut Picture, name: &str, limit: f64, data: &[Point]) {
        let says = format!("{name} {}", number::axis(limit));
        let Bounds { left, top, .. } = self.area;
        let right = self.area.right();
        if limit > self.y.high() {
            // Beside the title of the axis, where there is room for both.
            let (says, y) = match paper::is_narrow(picture.width) {
                true => (format!("{says}, above"), top + 8.0),
                false => (format!("{says} (above this plot)"), top - 14.0),
            };
            picture.text_on_paper(Label::new(says, (right, y), Side::End, LABEL, SOFT));
            return;
        }
        let y = self.y_of(limit);
        picture.dashes((left, y), (right, y), DASHES, FAINT);
        picture.text_on_paper(self.name_of_limit(&says, y - 8.0, data));
    }

    /// Where the data stay below the name, or at the left where they reach it everywhere.
    fn name_of_limit(&self, says: &str, y: f64, data: &[Point]) -> Label {
        let (left, right) = (self.area.left + 4.0, self.area.right() - 4.0);
        let places = [
            ((left, y), Side::Start),
            ((right, y), Side::End),
            (((left + right) / 2.0, y), Side::Middle),
        ];
        let labels = places.map(|(at, side)| Label::new(says, at, side, TICK, SOFT));
        let is_free = |label: &&Label| {
            let bounds = label.bounds();
            let near = (bounds.left - 8.0)..=(bounds.right() + 8.0);
            let reaches = |&(x, y): &Point| {
                near.contains(&self.x_of(x)) && self.y_of(y) < bounds.bottom() + 4.0
            };
            !data.iter().any(reaches)
        };
        labels.iter().find(is_free).unwrap_or(&labels[0]).clone()
    }

    /// Draws both axes with grid lines, figures and titles, that of y above its axis.
    pub fn draw(&self, picture: &mut Picture, x_title: &str, y_title: &str) {
        let Bounds { left, top, .. } = self.area;
        let (right, bottom) = (self.area.right(), self.area.bottom());
        for (value, label) in &self.y.ticks {
            let y = self.y_of(*value);
            picture.line(vec![(left, y), (right, y)], GRID, 1.0);
            picture.text(Label::new(label, (left - 6.0, y), Side::End, TICK, INK));
        }
        picture.line(vec![(left, bottom), (right, bottom)], FAINT, 1.0);
        self.draw_x_figures(picture);
        let at = (left - 6.0 - self.y.label_width(), top - 14.0);
        picture.text(Label::new(y_title, at, Side::Start, LABEL, SOFT));
        let at = ((left + right) / 2.0, bottom + 31.0);
        picture.text(Label::new(x_title, at, Side::Middle, LABEL, SOFT));
    }

    /// Draws the axis to the right with upright grid lines, for bars that lie.
    pub fn draw_across(&self, picture: &mut Picture, x_title: &str) {
        let (top, bottom) = (self.area.top, self.area.bottom());
        for (value, _) in &self.x.ticks {
            let x = self.x_of(*value);
            picture.line(vec![(x, top), (x, bottom)], GRID, 1.0);
        }
        self.draw_x_figures(picture);
        let middle = (self.area.left + self.area.right()) / 2.0;
        let half = text::width(x_title, LABEL) / 2.0 + paper::MARGIN;
        let middle = middle.min(picture.width - half).max(half);
        picture.text(Label::new(x_title, (middle, bottom + 31.0), Side::Middle, LABEL, SOFT));
    }

    /// Figures that would touch their left neighbour are left out.
    fn draw_x_figures(&self, picture: &mut Picture) {
        let bottom = self.area.bottom();
        let mut free_from = f64::NEG_INFINITY;
        for (value, label) in &self.x.ticks {
            let x = self.x_of(*value);
            picture.line(vec![(x, bottom), (x, bottom + 4.0)], FAINT, 1.0);
            let label = Label::new(label, (x, bottom + 13.0), Side::Middle, TICK, INK);
            let bounds = label.bounds();
            if bounds.left >= free_from {
                free_from = bounds.right() + 8.0;
                picture.text(label);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels(scale: &Scale) -> Vec<&str> {
        scale.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_figures() {
        assert_eq!(labels(&Scale::rounded(113_000.0, 4)), ["0", "50k", "100k"]);
        assert_eq!(Scale::rounded(113_000.0, 4).high(), 125_000.0);
        assert_eq!(labels(&Scale::rounded(2_000_000.0, 4)), ["0", "500k", "1M", "1.5M", "2M"]);
        assert_eq!(labels(&Scale::whole(412.0, 5)), ["0", "100", "200", "300", "400"]);
        assert_eq!(labels(&Scale::whole(8.0, 8)), ["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
        assert_eq!(
            labels(&Scale::logarithmic(3_000.0, 90_000.0)),
            ["2k", "5k", "10k", "20k", "50k", "100k"]
        );
        // Empty and broken ranges have two ends, too.
        for greatest in [0.0, -3.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Scale::rounded(greatest, 4).high(), 1.0, "{greatest}");
            assert_eq!(Scale::whole(greatest, 4).high(), 1.0, "{greatest}");
        }
    }

    proptest! {
        /// forall v <= max: 0 <= place(v) <= 1, and a rounded scale reaches max with few ticks.
        #[test]
        fn every_value_falls_on_its_scale(greatest in 1e-3..1e12_f64, part in 0.0..1.0_f64) {
            let scale = Scale::rounded(greatest, 4);
            prop_assert!(scale.high() >= greatest * (1.0 - 1e-6));
            prop_assert!((2..=8).contains(&scale.ticks.len()));
            prop_assert!((0.0..=1.0).contains(&scale.place(greatest * part)));
            let log = Scale::logarithmic(greatest * part, greatest);
            prop_assert!((0.0..=1.0).contains(&log.place(greatest * part)));
        }
    }
}
