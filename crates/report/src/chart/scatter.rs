//! The Proctor curve: recall at need against mean prompt, with the Pareto front.

use plotters::style::RGBColor;

use super::axis::{Frame, Scale};
use super::figure::{self, Sign};
use super::labels;
use super::palette::{BLUE, BROWN, FAINT, GREEN, INK, ORANGE, PURPLE, SLATE, SOFT, VERMILLION};
use super::picture::{Bounds, Label, Picture, Point, Side};
use super::text::{self, LABEL, Weight};
use super::{Rendered, render};
use crate::error::Result;
use crate::number;

mod names;

/// Configurations by what they cost and what they still knew.
#[derive(Clone, Debug, Default)]
pub struct ScatterChart {
    /// What the chart is called.
    pub title: String,
    /// Unit of the mean prompt.
    pub unit: &'static str,
    /// The configurations.
    pub points: Vec<ScatterPoint>,
    /// The control without a window: its recall is drawn as a line, its prompt told.
    pub control: Option<ScatterControl>,
}

/// What everything is measured against.
#[derive(Clone, Debug, Default)]
pub struct ScatterControl {
    /// Its name.
    pub name: String,
    /// Mean prompt in the chart's unit.
    pub mean_prompt: f64,
    /// Recall at need, 0 to 1.
    pub recall: f64,
}

/// What a point shares its colour with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// The tiers of Forge.
    Forge,
    /// Goat.
    Goat,
    /// A summary in place of everything.
    FullReplace,
    /// Codex and the roadmap after it.
    CodexStyle,
    /// Dropping the oldest.
    Truncation,
    /// All else.
    #[default]
    Other,
}

impl Family {
    const ALL: [Family; 6] = [
        Family::Forge,
        Family::Goat,
        Family::FullReplace,
        Family::CodexStyle,
        Family::Truncation,
        Family::Other,
    ];

    fn told(self) -> (&'static str, RGBColor) {
        match self {
            Family::Forge => ("Forge", BLUE),
            Family::Goat => ("Goat", GREEN),
            Family::FullReplace => ("full replace", PURPLE),
            Family::CodexStyle => ("Codex-style", ORANGE),
            Family::Truncation => ("truncation", VERMILLION),
            Family::Other => ("other", BROWN),
        }
    }

    fn colour(self) -> RGBColor {
        self.told().1
    }
}

/// One configuration.
#[derive(Clone, Debug, Default)]
pub struct ScatterPoint {
    /// Its name.
    pub configuration: String,
    /// What it shares its colour with.
    pub family: Family,
    /// Mean prompt in the chart's unit.
    pub mean_prompt: f64,
    /// Recall at need, 0 to 1.
    pub recall: f64,
    /// Recall at need under the least and the most helpful summarizer.
    pub brackets: Option<(f64, f64)>,
    /// Recall that dropping at random reaches in the same tokens, and the bound on
    /// keeping whole messages.
    pub bounds: Option<(f64, f64)>,
    /// Whether its sessions completed: one that died early is drawn hollow and is
    /// never on the front.
    pub completed: bool,
    /// The sweep that it is a point of: points of one sweep are joined.
    pub sweep: Option<String>,
    /// Whether it is kept off the front whatever it reaches.
    pub unranked: bool,
}

/// Prompts that differ by this factor or more are shown on a logarithmic axis.
const WIDE: f64 = 25.0;

/// A configuration where it is drawn.
struct Dot<'a> {
    at: Point,
    colour: RGBColor,
    point: &'a ScatterPoint,
}

/// Draws the chart; `None` where there is no point.
pub fn recall_against_tokens(data: &ScatterChart) -> Result<Option<Rendered>> {
    render(layout(data))
}

pub(super) fn layout(data: &ScatterChart) -> Option<Picture> {
    let points: Vec<&ScatterPoint> = data
        .points
        .iter()
        .filter(|point| point.mean_prompt.is_finite() && point.recall.is_finite())
        .collect();
    let (x, x_title) = scale(&points, data.unit)?;
    let front = front(&points);
    let mut picture = figure::start(&data.title, figure::WIDTH, &key(&points, front.len() > 1));
    let left = 36.0;
    let area = Bounds::new(
        figure::MARGIN + left,
        picture.height + 34.0,
        picture.width - 2.0 * figure::MARGIN - left - 30.0,
        480.0,
    );
    let frame = Frame { area, x, y: Scale::share() };
    frame.draw(&mut picture, &x_title, "recall at need (share of demands, 0 to 1)");
    let mut taken: Vec<Bounds> = data
        .control
        .iter()
        .filter_map(|one| draw_control(&mut picture, one, data.unit, &frame))
        .collect();
    let steps = steps(&front, &frame);
    picture.line(steps.clone(), FAINT, 1.5);
    let mut dots: Vec<Dot> = points
        .iter()
        .map(|point| Dot {
            at: frame.point(point.mean_prompt, point.recall),
            colour: point.family.colour(),
            point,
        })
        .collect();
    let sweeps = draw_sweeps(&mut picture, &dots);
    let (marks, whiskers) = draw_bounds(&mut picture, &dots, &frame);
    draw_dots(&mut picture, &dots);
    dots.sort_by(|one, other| {
        one.at.0.total_cmp(&other.at.0).then(one.at.1.total_cmp(&other.at.1))
    });
    taken.extend(marks);
    let mut lines: Vec<Bounds> = steps.windows(2).map(|ends| hull(ends[0], ends[1])).collect();
    lines.extend(whiskers);
    lines.extend(sweeps);
    let numbered = names::draw(&mut picture, &dots, (taken, lines), &area);
    picture.height = area.bottom() + 31.0 + LABEL + figure::MARGIN;
    names::draw_key(&mut picture, &numbered);
    Some(picture)
}

/// The scale of prompts and its title; `None` without a point.
fn scale(points: &[&ScatterPoint], unit: &str) -> Option<(Scale, String)> {
    let prompts = || points.iter().map(|point| point.mean_prompt);
    let most = prompts().reduce(f64::max)?;
    let least = prompts().fold(most, f64::min);
    if least >= 1.0 && most / least >= WIDE {
        let title = format!("mean prompt ({unit}, logarithmic)");
        return Some((Scale::logarithmic(least, most), title));
    }
    // A little room on both sides: points stand inside the frame, not on it.
    let room = (most - least) * 0.04;
    let x = Scale::around(least - room, most + room, 8);
    Some((x, format!("mean prompt ({unit})")))
}

fn draw_dots(picture: &mut Picture, dots: &[Dot]) {
    for Dot { at, colour, point } in dots {
        let radius = if point.sweep.is_some() { 3.0 } else { 4.5 };
        match point.completed {
            true => picture.disc(*at, radius, *colour),
            false => figure::ring(picture, *at, radius + 0.5, *colour),
        }
    }
}

/// The control's recall as a line with its prompt, which would stretch the scale.
fn draw_control(
    picture: &mut Picture,
    control: &ScatterControl,
    unit: &str,
    frame: &Frame,
) -> Option<Bounds> {
    if !(control.recall.is_finite() && control.mean_prompt.is_finite()) {
        return None;
    }
    let y = frame.y_of(control.recall);
    let right = frame.area.right();
    picture.dashes((frame.area.left, y), (right, y), (5.0, 3.0), SLATE);
    let says = format!(
        "{}: recalls {} at {} {unit}",
        control.name,
        number::decimal(control.recall, 2),
        number::axis(control.mean_prompt.round())
    );
    let says = text::fit(&says, LABEL, Weight::Regular, frame.area.width * 0.6);
    let label = Label::new(says, (right, frame.area.top - 14.0), Side::End, LABEL, SOFT);
    let bounds = label.bounds();
    picture.text(label);
    Some(bounds)
}

/// The points of a sweep joined, by rising prompt; returns the places of the joints.
fn draw_sweeps(picture: &mut Picture, dots: &[Dot]) -> Vec<Bounds> {
    let mut joints = Vec::new();
    let mut sweeps: Vec<&str> = Vec::new();
    for sweep in dots.iter().filter_map(|dot| dot.point.sweep.as_deref()) {
        if !sweeps.contains(&sweep) {
            sweeps.push(sweep);
        }
    }
    for sweep in sweeps {
        let own = dots.iter().filter(|dot| dot.point.sweep.as_deref() == Some(sweep));
        let mut points: Vec<Point> = own.clone().map(|dot| dot.at).collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        let colour = own.map(|dot| dot.colour).next().unwrap_or(FAINT);
        for ends in points.windows(2) {
            picture.dashes(ends[0], ends[1], figure::DOTS, colour);
            joints.extend(labels::leader(ends[0], ends[1]));
        }
    }
    joints
}

fn key(points: &[&ScatterPoint], front: bool) -> Vec<(Sign, String)> {
    let of = |family: &Family| points.iter().any(|point| point.family == *family);
    let mut key: Vec<(Sign, String)> = Family::ALL
        .into_iter()
        .filter(of)
        .map(|family| (Sign::Disc(family.colour()), family.told().0.to_owned()))
        .collect();
    if points.iter().any(|point| point.sweep.is_some()) {
        key.push((Sign::Dots(VERMILLION), "swept limits".to_owned()));
    }
    if points.iter().any(|point| !point.completed) {
        key.push((Sign::Ring(INK), "did not complete".to_owned()));
    }
    if points.iter().any(|point| point.brackets.is_some()) {
        key.push((Sign::Line(INK), "upright: from empty to perfect summaries".to_owned()));
    }
    if points.iter().any(|point| point.bounds.is_some()) {
        let says = "oracle: bound on keeping whole messages in the same tokens".to_owned();
        key.push((Sign::Triangle(FAINT), says));
        key.push((Sign::Cross(FAINT), "dropping at random".to_owned()));
    }
    if front {
        let says = "Pareto front: nothing knows more for fewer tokens".to_owned();
        key.push((Sign::Line(FAINT), says));
    }
    key
}

/// Completed points that no other beats in both directions, by rising prompt.
fn front<'a>(points: &[&'a ScatterPoint]) -> Vec<&'a ScatterPoint> {
    let mut sorted: Vec<&ScatterPoint> =
        points.iter().copied().filter(|point| point.completed && !point.unranked).collect();
    sorted.sort_by(|one, other| {
        let by_prompt = one.mean_prompt.total_cmp(&other.mean_prompt);
        by_prompt.then(other.recall.total_cmp(&one.recall))
    });
    let mut best = f64::NEG_INFINITY;
    sorted.retain(|point| {
        let better = point.recall > best;
        best = best.max(point.recall);
        better
    });
    sorted
}

/// The front as steps: a recall is to be had from its prompt on.
fn steps(front: &[&ScatterPoint], frame: &Frame) -> Vec<Point> {
    let mut steps: Vec<Point> = Vec::new();
    for point in front {
        let at = frame.point(point.mean_prompt, point.recall);
        if let Some(last) = steps.last().copied() {
            steps.push((at.0, last.1));
        }
        steps.push(at);
    }
    steps
}

/// Draws the brackets as whiskers and the bounds as marks over and under each point;
/// returns the places of the marks and of the whiskers.
fn draw_bounds(picture: &mut Picture, dots: &[Dot], frame: &Frame) -> (Vec<Bounds>, Vec<Bounds>) {
    let share = |value: f64| value.is_finite().then(|| frame.y_of(value));
    let (mut marks, mut whiskers) = (Vec::new(), Vec::new());
    for Dot { at: (x, _), colour, point } in dots {
        let ends = point.brackets.and_then(|(low, high)| Some((share(low)?, share(high)?)));
        if let Some((low, high)) = ends.filter(|(low, high)| low != high) {
            picture.line(vec![(*x, low), (*x, high)], *colour, 1.0);
            whiskers.push(hull((*x, low), (*x, high)));
            for end in [low, high] {
                picture.line(vec![(x - 4.0, end), (x + 4.0, end)], *colour, 1.0);
            }
        }
        let bounds = point.bounds.and_then(|(low, high)| Some((share(low)?, share(high)?)));
        let Some((random, oracle)) = bounds else { continue };
        figure::triangle(picture, (*x, oracle + 4.0), FAINT);
        let random_at = (*x, random);
        picture.line(vec![(x - 3.0, random - 3.0), (x + 3.0, random + 3.0)], FAINT, 1.25);
        picture.line(vec![(x - 3.0, random + 3.0), (x + 3.0, random - 3.0)], FAINT, 1.25);
        marks.extend(
            [(*x, oracle), random_at].map(|(x, y)| Bounds::new(x - 5.0, y - 5.0, 10.0, 10.0)),
        );
    }
    (marks, whiskers)
}

fn hull(one: Point, other: Point) -> Bounds {
    let (left, top) = (one.0.min(other.0), one.1.min(other.1));
    Bounds::new(left - 1.0, top - 1.0, (one.0 - other.0).abs() + 2.0, (one.1 - other.1).abs() + 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(mean_prompt: f64, recall: f64, completed: bool) -> ScatterPoint {
        ScatterPoint { mean_prompt, recall, completed, ..ScatterPoint::default() }
    }

    #[test]
    fn the_front_holds_what_nothing_completed_beats() {
        let points = [
            point(10.0, 0.2, true),
            point(20.0, 0.2, true),
            point(30.0, 0.9, false),
            point(40.0, 0.5, true),
            point(40.0, 0.6, true),
        ];
        let points: Vec<&ScatterPoint> = points.iter().collect();
        let front: Vec<(f64, f64)> =
            front(&points).iter().map(|point| (point.mean_prompt, point.recall)).collect();
        assert_eq!(front, [(10.0, 0.2), (40.0, 0.6)]);
    }

    #[test]
    fn a_chart_of_broken_points_is_left_out() {
        let points = vec![point(f64::NAN, 0.5, true), point(3.0, f64::INFINITY, true)];
        assert!(layout(&ScatterChart { points, ..ScatterChart::default() }).is_none());
    }
}
