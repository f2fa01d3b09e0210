//! Recall at need against what it costs, in tokens or dollars, with the Pareto front.

use super::prelude::*;

mod names;

/// Configurations by what they cost and what they still knew.
#[derive(Clone, Debug, Default)]
pub struct ScatterChart {
    /// What lies across, and the unit of [`ScatterPoint::cost`].
    pub across: &'static str,
    pub unit: &'static str,
    pub points: Vec<ScatterPoint>,
    /// Cost and recall of what was tried before, drawn pale and without a name.
    pub trials: Vec<(f64, f64)>,
    /// The control without a window: its recall is drawn as a line, its cost is written.
    pub control: Option<ScatterPoint>,
}

#[derive(Clone, Debug, Default)]
pub struct ScatterPoint {
    pub configuration: String,
    /// The number of its colour, one in all charts of a report.
    pub colour: usize,
    /// In the chart's unit.
    pub cost: f64,
    /// Recall at need, 0 to 1.
    pub recall: f64,
    /// The interval of its recall.
    pub interval: Option<(f64, f64)>,
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
    fn layout(&self, title: &str, width: f64) -> Option<Picture> {
        let is_whole = |point: &&ScatterPoint| point.cost.is_finite() && point.recall.is_finite();
        let points: Vec<&ScatterPoint> = self.points.iter().filter(is_whole).collect();
        let (x, x_title) = scale(&points, self)?;
        let front = front(&points);
        let has_trials = !self.trials.is_empty();
        let mut picture = figure::start(title, width, key(&points, front.len() > 1, has_trials));
        let left = figure::MARGIN + 36.0;
        let width = picture.width - left - figure::MARGIN - 30.0;
        let height = if figure::is_narrow(picture.width) { 340.0 } else { 480.0 };
        let area = Bounds::new(left, picture.height + 34.0, width, height);
        let frame = Frame { area, x, y: Scale::share() };
        frame.draw(&mut picture, &x_title, "recall at need (share of needs)");
        let mut drawn = Drawn::default();
        let dots = points.into_iter().map(|point| Dot {
            at: frame.point(point.cost, point.recall),
            colour: palette::series(point.colour),
            point,
        });
        let mut dots: Vec<Dot> = dots.collect();
        dots.sort_by(|one, other| {
            one.at.0.total_cmp(&other.at.0).then(one.at.1.total_cmp(&other.at.1))
        });
        let is_whole = |trial: &&(f64, f64)| trial.0.is_finite() && trial.1.is_finite();
        for trial in self.trials.iter().filter(is_whole) {
            picture.disc(frame.point(trial.0, trial.1), 2.5, SILVER);
        }
        // Bands lie under everything else.
        for dot in &dots {
            draw_band(&mut picture, dot, &frame, &mut drawn);
        }
        self.draw_control(&mut picture, &frame, &mut drawn);
        let steps = steps(&front, &frame);
        drawn.lines.extend(steps.windows(2).map(|ends| hull(ends[0], ends[1])));
        picture.line(steps, FAINT, 1.5);
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
        let Some(ScatterPoint { configuration, cost, recall, .. }) = &self.control else {
            return;
        };
        if !(recall.is_finite() && cost.is_finite()) {
            return;
        }
        let (y, right) = (frame.y_of(*recall), frame.area.right());
        picture.dashes((frame.area.left, y), (right, y), DASHES, SLATE);
        let says = format!(
            "{configuration}: {} at {} {}",
            number::decimal(*recall, 2),
            number::short(*cost),
            self.unit
        );
        let says = text::fit(&says, LABEL, frame.area.width * 0.9);
        let above = if figure::is_narrow(picture.width) { -9.0 } else { 14.0 };
        let label = Label::new(says, (right, frame.area.top - above), Side::End, LABEL, SOFT);
        drawn.marks.push(label.bounds());
        picture.text_on_paper(label);
    }
}

fn scale(points: &[&ScatterPoint], chart: &ScatterChart) -> Option<(Scale, String)> {
    let ScatterChart { across, unit, .. } = chart;
    let trials = || chart.trials.iter().map(|trial| trial.0).filter(|cost| cost.is_finite());
    let costs = || points.iter().map(|point| point.cost).chain(trials());
    let (least, most) = (costs().reduce(f64::min)?, costs().reduce(f64::max)?);
    if least > 0.0 && most / least >= 6.0 {
        let title = format!("{across} ({unit}, logarithmic)");
        return Some((Scale::logarithmic(least, most), title));
    }
    // A little room on both sides: points stand inside the frame, not on it.
    let room = (most - least) * 0.04;
    let x = Scale::around(least - room, most + room, 8);
    Some((x, format!("{across} ({unit})")))
}

fn key(points: &[&ScatterPoint], front: bool, trials: bool) -> impl Iterator<Item = Entry> {
    let any = |is: fn(&ScatterPoint) -> bool| points.iter().any(|point| is(point));
    let brackets = any(|point| point.brackets.is_some());
    let bounds = any(|point| point.bounds.is_some());
    let signs = [
        (trials, Sign::Disc(SILVER), "tried in the search, on other sessions"),
        (any(|point| point.sweep.is_some()), Sign::Dots(VERMILLION), "swept limits"),
        (any(|point| !point.completed), Sign::Ring(INK), "did not complete"),
        (any(|point| point.interval.is_some()), Sign::Upright(INK), "95 % interval"),
        (brackets, Sign::Swatch(palette::pale(INK)), "from empty to perfect summaries"),
        (
            bounds,
            Sign::Triangle(FAINT),
            "oracle: bound on keeping whole messages in the same tokens",
        ),
        (bounds, Sign::Cross(FAINT), "dropping at random"),
        (front, Sign::Line(FAINT), "Pareto front: nothing knows more for less"),
    ];
    signs.into_iter()
}

/// Completed points that no other beats in both directions, by rising prompt.
fn front<'a>(points: &[&'a ScatterPoint]) -> Vec<&'a ScatterPoint> {
    let mut sorted: Vec<&ScatterPoint> =
        points.iter().copied().filter(|point| point.completed && !point.unranked).collect();
    sorted.sort_by(|one, other| {
        let by_prompt = one.cost.total_cmp(&other.cost);
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
        let at = frame.point(point.cost, point.recall);
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

/// A range of recall as heights; `None` where it is none.
fn heights((low, high): (f64, f64), frame: &Frame) -> Option<(f64, f64)> {
    let is_range = low.is_finite() && high.is_finite() && low < high;
    is_range.then(|| (frame.y_of(low), frame.y_of(high)))
}

/// The brackets as a light band.
fn draw_band(picture: &mut Picture, dot: &Dot, frame: &Frame, drawn: &mut Drawn) {
    let Dot { at: (x, _), colour, point } = dot;
    if let Some((low, high)) = point.brackets.and_then(|range| heights(range, frame)) {
        let band = Bounds::new(x - 5.0, high, 10.0, low - high);
        picture.fill(band, palette::pale(*colour));
        drawn.lines.push(band);
    }
}

/// The bounds as marks over and under the point, and the interval.
fn draw_ranges(picture: &mut Picture, dot: &Dot, frame: &Frame, drawn: &mut Drawn) {
    let Dot { at: (x, _), colour, point } = dot;
    let on_paper = |range| heights(range, frame);
    if let Some((random, oracle)) = point.bounds.and_then(on_paper) {
        figure::triangle(picture, (*x, oracle + 4.0), FAINT);
        figure::cross(picture, (*x, random), (3.0, 1.25), FAINT);
        drawn.marks.extend([oracle, random].map(|y| Bounds::around((*x, y), 5.0)));
    }
    if let Some((low, high)) = point.interval.and_then(on_paper) {
        picture.line(vec![(*x, low), (*x, high)], *colour, 1.5);
        drawn.lines.push(hull((*x, low), (*x, high)));
        for end in [low, high] {
            picture.line(vec![(x - 4.0, end), (x + 4.0, end)], *colour, 1.5);
        }
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

    fn point(cost: f64, recall: f64, completed: bool) -> ScatterPoint {
        ScatterPoint { cost, recall, completed, ..ScatterPoint::default() }
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
            front(&points).iter().map(|point| (point.cost, point.recall)).collect();
        assert_eq!(front, [(10.0, 0.2), (40.0, 0.6)]);
    }
}
