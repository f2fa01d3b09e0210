//! The Proctor curve: recall at need against mean prompt, with the Pareto front.

use super::prelude::*;

mod names;

/// Configurations by what they cost and what they still knew.
#[derive(Clone, Debug, Default)]
pub struct ScatterChart {
    pub unit: &'static str,
    pub points: Vec<ScatterPoint>,
    /// The control without a window: its recall is drawn as a line, its prompt is written.
    pub control: Option<ScatterPoint>,
}

/// How a configuration makes room, which its colour shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Means {
    Summaries,
    Dropping,
    #[default]
    Nothing,
}

impl Means {
    /// In the order of the key, which is that of the enum.
    const ALL: [(Means, &'static str, RGBColor); 3] = [
        (Means::Summaries, "asks a summarizer", BLUE),
        (Means::Dropping, "compacts without one", VERMILLION),
        (Means::Nothing, "never compacts", BROWN),
    ];
}

#[derive(Clone, Debug, Default)]
pub struct ScatterPoint {
    pub configuration: String,
    pub means: Means,
    /// Mean prompt in the chart's unit.
    pub mean_prompt: f64,
    /// Recall at need, 0 to 1.
    pub recall: f64,
    /// Recall at need under the least and the most helpful summarizer.
    pub brackets: Option<(f64, f64)>,
    /// Recall of dropping at random in the same tokens, and the bound on keeping whole messages.
    pub bounds: Option<(f64, f64)>,
    /// Whether its sessions completed: else it is drawn hollow and never on the front.
    pub completed: bool,
    /// The sweep that it is a point of: points of one sweep are joined.
    pub sweep: Option<String>,
    /// Whether it is kept off the front whatever it reaches.
    pub unranked: bool,
}

struct Dot<'a> {
    at: Point,
    colour: RGBColor,
    point: &'a ScatterPoint,
}

/// What is drawn already: places that no name may cover, and lines that none should.
#[derive(Default)]
struct Drawn {
    marks: Vec<Bounds>,
    lines: Vec<Bounds>,
}

impl Chart for ScatterChart {
    fn layout(&self, title: &str) -> Option<Picture> {
        let is_whole =
            |point: &&ScatterPoint| point.mean_prompt.is_finite() && point.recall.is_finite();
        let points: Vec<&ScatterPoint> = self.points.iter().filter(is_whole).collect();
        let (x, x_title) = scale(&points, self.unit)?;
        let front = front(&points);
        let mut picture = figure::start(title, figure::WIDTH, key(&points, front.len() > 1));
        let left = figure::MARGIN + 36.0;
        let width = picture.width - left - figure::MARGIN - 30.0;
        let area = Bounds::new(left, picture.height + 34.0, width, 480.0);
        let frame = Frame { area, x, y: Scale::share() };
        frame.draw(&mut picture, &x_title, "recall at need (share of demands, 0 to 1)");
        let mut drawn = Drawn::default();
        self.draw_control(&mut picture, &frame, &mut drawn);
        let steps = steps(&front, &frame);
        drawn.lines.extend(steps.windows(2).map(|ends| hull(ends[0], ends[1])));
        picture.line(steps, FAINT, 1.5);
        let dots = points.into_iter().map(|point| Dot {
            at: frame.point(point.mean_prompt, point.recall),
            colour: Means::ALL[point.means as usize].2,
            point,
        });
        let mut dots: Vec<Dot> = dots.collect();
        dots.sort_by(|one, other| {
            one.at.0.total_cmp(&other.at.0).then(one.at.1.total_cmp(&other.at.1))
        });
        draw_sweeps(&mut picture, &dots, &mut drawn);
        for dot in &dots {
            draw_ranges(&mut picture, dot, &frame, &mut drawn);
        }
        for dot in &dots {
            draw_dot(&mut picture, dot);
        }
        let numbered = names::draw(&mut picture, &dots, drawn, &area);
        picture.height = area.bottom() + figure::UNDER_PLOT;
        names::draw_key(&mut picture, &numbered);
        Some(picture)
    }
}

impl ScatterChart {
    /// The control's recall as a line with its prompt, which would stretch the scale.
    fn draw_control(&self, picture: &mut Picture, frame: &Frame, drawn: &mut Drawn) {
        let Some(ScatterPoint { configuration, mean_prompt, recall, .. }) = &self.control else {
            return;
        };
        if !(recall.is_finite() && mean_prompt.is_finite()) {
            return;
        }
        let (y, right) = (frame.y_of(*recall), frame.area.right());
        picture.dashes((frame.area.left, y), (right, y), DASHES, SLATE);
        let says = format!(
            "{configuration}: recalls {} at {} {}",
            number::decimal(*recall, 2),
            number::axis(mean_prompt.round()),
            self.unit
        );
        let says = text::fit(&says, LABEL, frame.area.width * 0.6);
        let label = Label::new(says, (right, frame.area.top - 14.0), Side::End, LABEL, SOFT);
        drawn.marks.push(label.bounds());
        picture.text(label);
    }
}

fn scale(points: &[&ScatterPoint], unit: &str) -> Option<(Scale, String)> {
    let prompts = || points.iter().map(|point| point.mean_prompt);
    let (least, most) = (prompts().reduce(f64::min)?, prompts().reduce(f64::max)?);
    if least >= 1.0 && is_wide(least, most) {
        let title = format!("mean prompt ({unit}, logarithmic)");
        return Some((Scale::logarithmic(least, most), title));
    }
    // A little room on both sides: points stand inside the frame, not on it.
    let room = (most - least) * 0.04;
    let x = Scale::around(least - room, most + room, 8);
    Some((x, format!("mean prompt ({unit})")))
}

fn key(points: &[&ScatterPoint], front: bool) -> impl Iterator<Item = Entry> {
    let any = |is: fn(&ScatterPoint) -> bool| points.iter().any(|point| is(point));
    let means = Means::ALL.map(|(means, name, colour)| {
        (points.iter().any(|point| point.means == means), Sign::Disc(colour), name)
    });
    let brackets = any(|point| point.brackets.is_some());
    let bounds = any(|point| point.bounds.is_some());
    let signs = [
        (any(|point| point.sweep.is_some()), Sign::Dots(VERMILLION), "swept limits"),
        (any(|point| !point.completed), Sign::Ring(INK), "did not complete"),
        (brackets, Sign::Line(INK), "upright: from empty to perfect summaries"),
        (
            bounds,
            Sign::Triangle(FAINT),
            "oracle: bound on keeping whole messages in the same tokens",
        ),
        (bounds, Sign::Cross(FAINT), "dropping at random"),
        (front, Sign::Line(FAINT), "Pareto front: nothing knows more for fewer tokens"),
    ];
    means.into_iter().chain(signs)
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
        steps.extend(steps.last().map(|last| (at.0, last.1)));
        steps.push(at);
    }
    steps
}

fn draw_sweeps(picture: &mut Picture, dots: &[Dot], drawn: &mut Drawn) {
    let mut sweeps: BTreeMap<&str, Vec<&Dot>> = BTreeMap::new();
    for dot in dots {
        if let Some(sweep) = &dot.point.sweep {
            sweeps.entry(sweep).or_default().push(dot);
        }
    }
    for ends in sweeps.values().flat_map(|dots| dots.windows(2)) {
        let (from, to) = (ends[0].at, ends[1].at);
        picture.dashes(from, to, DOTS, ends[0].colour);
        drawn.lines.extend(labels::leader(from, to));
    }
}

/// The brackets as whiskers, and the bounds as marks over and under the point.
fn draw_ranges(picture: &mut Picture, dot: &Dot, frame: &Frame, drawn: &mut Drawn) {
    let Dot { at: (x, _), colour, point } = dot;
    let on_paper = |(low, high): (f64, f64)| {
        (low.is_finite() && high.is_finite()).then(|| (frame.y_of(low), frame.y_of(high)))
    };
    let whisker = point.brackets.and_then(on_paper).filter(|(low, high)| low != high);
    if let Some((low, high)) = whisker {
        picture.line(vec![(*x, low), (*x, high)], *colour, 1.0);
        drawn.lines.push(hull((*x, low), (*x, high)));
        for end in [low, high] {
            picture.line(vec![(x - 4.0, end), (x + 4.0, end)], *colour, 1.0);
        }
    }
    if let Some((random, oracle)) = point.bounds.and_then(on_paper) {
        figure::triangle(picture, (*x, oracle + 4.0), FAINT);
        figure::cross(picture, (*x, random), (3.0, 1.25), FAINT);
        drawn.marks.extend([oracle, random].map(|y| Bounds::around((*x, y), 5.0)));
    }
}

fn draw_dot(picture: &mut Picture, Dot { at, colour, point }: &Dot) {
    let radius = if point.sweep.is_some() { 3.0 } else { 4.5 };
    match point.completed {
        true => picture.disc(*at, radius, *colour),
        false => figure::ring(picture, *at, radius + 0.5, *colour),
    }
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
}
