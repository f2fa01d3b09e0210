//! The Proctor curve: recall at need against mean prompt, with the Pareto front.

use plotters::style::RGBColor;

use super::axis::{Frame, Scale};
use super::figure::{self, Sign};
use super::labels;
use super::palette::{self, FAINT, INK};
use super::picture::{Bounds, Label, Picture, Point, Side};
use super::text::{self, LABEL, Weight};
use super::{Rendered, render};
use crate::error::Result;

/// Configurations by what they cost and what they still knew.
#[derive(Clone, Debug, Default)]
pub struct ScatterChart {
    /// What the chart is called.
    pub title: String,
    /// Unit of the mean prompt.
    pub unit: &'static str,
    /// The configurations.
    pub points: Vec<ScatterPoint>,
}

/// One configuration.
#[derive(Clone, Debug, Default)]
pub struct ScatterPoint {
    /// Its name.
    pub configuration: String,
    /// What it shares its colour with: a strategy's family.
    pub family: String,
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
    /// Whether it is kept off the front whatever it reaches.
    pub unranked: bool,
}

/// Prompts that differ by this factor or more are shown on a logarithmic axis.
const WIDE: f64 = 25.0;

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
    let prompts = || points.iter().map(|point| point.mean_prompt);
    let most = prompts().reduce(f64::max)?;
    let least = prompts().fold(most, f64::min);
    let log = least >= 1.0 && most / least >= WIDE;
    let x = if log { Scale::logarithmic(least, most) } else { Scale::rounded(most, 6) };
    let scale = if log { ", logarithmic" } else { "" };
    let x_title = format!("mean prompt ({}{scale})", data.unit);

    let families = families(&points);
    let front = front(&points);
    let mut picture =
        figure::start(&data.title, figure::WIDTH, &key(&families, &points, front.len() > 1));
    let left = 36.0;
    let area = Bounds::new(
        figure::MARGIN + left,
        picture.height + 34.0,
        picture.width - 2.0 * figure::MARGIN - left - 30.0,
        420.0,
    );
    let frame = Frame { area, x, y: Scale::share() };
    frame.draw(&mut picture, &x_title, "recall at need (share of demands, 0 to 1)");
    let steps = steps(&front, &frame);
    picture.line(steps.clone(), FAINT, 1.5);
    let colour_of = |point: &ScatterPoint| {
        let index = families.iter().position(|family| *family == point.family);
        palette::series(index.unwrap_or(0))
    };
    let mut dots: Vec<(Point, RGBColor, &ScatterPoint)> = points
        .iter()
        .map(|point| (frame.point(point.mean_prompt, point.recall), colour_of(point), *point))
        .collect();
    let (marks, whiskers) = draw_bounds(&mut picture, &dots, &frame);
    for (at, colour, point) in &dots {
        match point.completed {
            true => picture.disc(*at, 4.5, *colour),
            false => figure::ring(&mut picture, *at, 4.5, *colour),
        }
    }
    dots.sort_by(|(one, ..), (other, ..)| {
        one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1))
    });
    let unnamed = draw_names(&mut picture, &dots, (&steps, marks, whiskers), &area);
    picture.height = area.bottom() + 31.0 + LABEL + figure::MARGIN;
    if unnamed > 0 {
        figure::remark(&mut picture, &format!("Names left out for want of room: {unnamed}."));
    }
    Some(picture)
}

fn families<'a>(points: &[&'a ScatterPoint]) -> Vec<&'a str> {
    let mut families: Vec<&str> = Vec::new();
    for point in points {
        if !families.contains(&point.family.as_str()) {
            families.push(&point.family);
        }
    }
    families
}

fn key(families: &[&str], points: &[&ScatterPoint], front: bool) -> Vec<(Sign, String)> {
    let mut key: Vec<(Sign, String)> = Vec::new();
    if families.len() > 1 {
        let named = families.iter().enumerate();
        key.extend(
            named.map(|(index, family)| (Sign::Disc(palette::series(index)), (*family).to_owned())),
        );
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

/// Names every point where a place is free; returns how many have none.
fn draw_names(
    picture: &mut Picture,
    dots: &[(Point, RGBColor, &ScatterPoint)],
    (steps, marks, whiskers): (&[Point], Vec<Bounds>, Vec<Bounds>),
    area: &Bounds,
) -> usize {
    let around =
        |(x, y): Point, reach: f64| Bounds::new(x - reach, y - reach, 2.0 * reach, 2.0 * reach);
    let mut taken: Vec<Bounds> = dots.iter().map(|(at, ..)| around(*at, 5.5)).collect();
    taken.extend(marks);
    let mut lines: Vec<Bounds> = steps.windows(2).map(|ends| hull(ends[0], ends[1])).collect();
    lines.extend(whiskers);
    let paper = Bounds::new(area.left, area.top - 6.0, area.width + 30.0, area.height + 2.0);
    let mut unnamed = 0;
    for (at, colour, point) in dots {
        let name = text::fit(&point.configuration, LABEL, Weight::Regular, 320.0);
        let label = Label::new(name, *at, Side::Start, LABEL, palette::text_of(*colour));
        let Some(label) = labels::place_near(&label, *at, &taken, &lines, &paper) else {
            unnamed += 1;
            continue;
        };
        let leader = labels::leader(*at, label.at);
        if let (Some(first), Some(last)) = (leader.first(), leader.last()) {
            let ends = vec![(first.left, first.top), (last.left, last.top)];
            picture.line(ends, *colour, 0.75);
        }
        taken.extend(leader);
        taken.push(label.bounds());
        picture.text(label);
    }
    unnamed
}

/// Draws the brackets as whiskers and the bounds as marks over and under each point;
/// returns the places of the marks and of the whiskers.
fn draw_bounds(
    picture: &mut Picture,
    dots: &[(Point, RGBColor, &ScatterPoint)],
    frame: &Frame,
) -> (Vec<Bounds>, Vec<Bounds>) {
    let share = |value: f64| value.is_finite().then(|| frame.y_of(value));
    let (mut marks, mut whiskers) = (Vec::new(), Vec::new());
    for ((x, _), colour, point) in dots {
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
