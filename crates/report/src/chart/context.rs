//! Context over steps: what each configuration sent, when it compacted, how it ended.

use super::prelude::*;

/// One configuration in a chart of one session; left out where it has no step.
#[derive(Clone, Debug, Default)]
pub struct ContextPanel {
    pub configuration: String,
    pub prompt: Vec<(u64, Tokens)>,
    /// What the model admits; none for a control without a window.
    pub window: Option<Tokens>,
    /// The step of every compaction, repeated where a step compacted more than once.
    pub compactions: Vec<u64>,
    pub end: Option<End>,
}

impl ContextPanel {
    fn prompt(&self) -> impl Iterator<Item = Point> {
        self.prompt.iter().map(|(step, tokens)| (*step as f64, tokens.as_f64()))
    }

    fn window(&self) -> Option<f64> {
        self.window.filter(|window| *window < Tokens::UNBOUNDED).map(Tokens::as_f64)
    }

    /// Whether steps stand so close that a line through them would fill its area.
    fn is_dense(&self, room: f64) -> bool {
        const MOST_A_PIXEL: f64 = 4.0;
        self.prompt.len() as f64 > room * MOST_A_PIXEL
    }

    fn heading(&self) -> Heading<'_> {
        let remark = match self.compactions.len() {
            0 => "no compaction".to_owned(),
            1 => "1 compaction".to_owned(),
            many => format!("{many} compactions"),
        };
        (&self.configuration, self.end.as_ref(), remark)
    }
}

impl Chart for Vec<ContextPanel> {
    fn layout(&self, title: &str, width: f64) -> Option<Picture> {
        let panels = self.iter().filter(|panel| !panel.prompt.is_empty());
        let panels: Vec<&ContextPanel> = panels.collect();
        let prompts = || panels.iter().flat_map(|panel| panel.prompt());
        let ends = panels.iter().filter_map(|panel| panel.end.as_ref());
        let last = prompts().map(|(step, _)| step).reduce(f64::max)?;
        let last = ends.map(|end| end.step as f64).fold(last, f64::max);
        let most = prompts().map(|(_, tokens)| tokens).fold(0.0, f64::max);
        let windows = panels.iter().filter_map(|panel| panel.window());
        let (x, y) = (Scale::whole(last, 5), Scale::with_limits(most, windows));
        let columns = match panels.len() {
            _ if figure::is_narrow(width) => 1,
            few @ 0..=3 => few,
            4 => 2,
            _ => 3,
        };
        let room = width / columns as f64;
        let mut picture = figure::start(title, width, key(&panels, room));
        let headings: Vec<Heading> = panels.iter().map(|panel| panel.heading()).collect();
        // The last figure on x may stand half beyond the plot.
        let frames = frames(&mut picture, &headings, columns, (&x, &y), 18.0);
        for (panel, frame) in panels.iter().zip(&frames) {
            draw(&mut picture, panel, frame, panel.is_dense(room));
        }
        Some(picture)
    }
}

fn key(panels: &[&ContextPanel], room: f64) -> [Entry; 5] {
    let any = |is: &dyn Fn(&ContextPanel) -> bool| panels.iter().any(|panel| is(panel));
    let dense = any(&|panel| panel.is_dense(room));
    let compacts = any(&|panel| !panel.compactions.is_empty());
    let sent = if dense { "prompt sent, where dense: mean" } else { "prompt sent" };
    [
        (true, Sign::Line(BLUE), sent),
        (dense, Sign::Swatch(PALE_BLUE), "least to greatest"),
        (any(&|panel| panel.window().is_some()), Sign::Dashes(FAINT), "window of the model"),
        (compacts, Sign::Triangle(GREEN), "compaction (where many: a stroke)"),
        (any(&|panel| panel.end.is_some()), Sign::Cross(VERMILLION), ENDED_EARLY),
    ]
}

fn draw(picture: &mut Picture, panel: &ContextPanel, frame: &Frame, dense: bool) {
    draw_compactions(picture, &panel.compactions, frame);
    let points: Vec<Point> =
        panel.prompt().map(|(step, tokens)| frame.point(step, tokens)).collect();
    if let [only] = points[..] {
        picture.disc(only, 3.0, BLUE);
    }
    if dense {
        picture.line(thinned(&points), PALE_BLUE, 1.0);
        picture.line(means(&points), BLUE, 1.5);
    } else {
        picture.line(thinned(&points), BLUE, 1.5);
    }
    if let Some(window) = panel.window() {
        frame.draw_limit(picture, "window", window, &panel.prompt().collect::<Vec<_>>());
    }
    if let (Some(end), Some((_, tokens))) = (&panel.end, panel.prompt().last()) {
        let at = frame.point(end.step as f64, tokens);
        figure::sign(picture, Sign::Cross(VERMILLION), at);
    }
}

/// The mean height of every eight pixels of width, but of an end too short for a mean.
fn means(points: &[Point]) -> Vec<Point> {
    let column = |point: &Point| (point.0 / 8.0).floor() as i64;
    let runs = points.chunk_by(|one, other| column(one) == column(other));
    let longest = runs.clone().map(<[Point]>::len).max().unwrap_or(0);
    runs.filter(|run| run.len() * 3 >= longest)
        .map(|run| {
            let sum = run.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
            (sum.0 / run.len() as f64, sum.1 / run.len() as f64)
        })
        .collect()
}

/// The first, least, greatest and last in each half pixel of width: every spike survives.
fn thinned(points: &[Point]) -> Vec<Point> {
    let column = |point: &Point| (point.0 * 2.0).floor() as i64;
    let runs = points.chunk_by(|one, other| column(one) == column(other));
    runs.flat_map(|run| {
        let by_height = |&one: &usize, &other: &usize| run[one].1.total_cmp(&run[other].1);
        let least = (0..run.len()).min_by(by_height).unwrap_or(0);
        let greatest = (0..run.len()).max_by(by_height).unwrap_or(0);
        let mut kept = vec![0, least, greatest, run.len() - 1];
        kept.sort_unstable();
        kept.dedup();
        kept.into_iter().map(|index| run[index])
    })
    .collect()
}

fn draw_compactions(picture: &mut Picture, steps: &[u64], frame: &Frame) {
    /// More compactions than this are drawn as a rug and not one by one.
    const MOST_TRIANGLES: usize = 60;
    let bottom = frame.area.bottom();
    // One mark per half pixel is all that can be seen.
    let places = steps.iter().map(|step| frame.x_of(*step as f64));
    let places: BTreeMap<i64, f64> = places.map(|x| ((x * 2.0).round() as i64, x)).collect();
    for x in places.into_values() {
        if steps.len() > MOST_TRIANGLES {
            picture.line(vec![(x, bottom), (x, bottom - 8.0)], GREEN, 0.75);
        } else {
            figure::triangle(picture, (x, bottom), GREEN);
        }
    }
}

/// The end of a session before its last step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    pub step: u64,
    /// `ended_by`: `overflow`, `max_tokens`, ...
    pub reason: String,
}

pub const ENDED_EARLY: &str = "session ended early";

/// The configuration, how its session ended early, and what happened in it.
pub type Heading<'a> = (&'a str, Option<&'a End>, String);

/// Draws the axes of a panel for each heading, with room at the right of each plot.
pub fn frames(
    picture: &mut Picture,
    headings: &[Heading],
    columns: usize,
    (x, y): (&Scale, &Scale),
    right: f64,
) -> Vec<Frame> {
    let wide_alone = columns == 1 && !figure::is_narrow(picture.width);
    let height = if wide_alone { 340.0 } else { 236.0 };
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

fn draw_heading(picture: &mut Picture, bounds: &Bounds, (configuration, end, remark): &Heading) {
    figure::panel_title(picture, bounds, configuration);
    let (mut left, y) = (bounds.left, bounds.top + 23.0);
    if let Some(End { step, reason }) = end {
        figure::sign(picture, Sign::Cross(VERMILLION), (left + 5.0, y));
        let says = format!("{reason} at step {step}");
        let says = text::fit(&says, LABEL, bounds.width * 0.6);
        let colour = palette::text_of(VERMILLION);
        let label = Label::new(says, (left + 15.0, y), Side::Start, LABEL, colour);
        left = label.bounds().right() + 12.0;
        picture.text(label);
    }
    if !remark.is_empty() {
        let remark = text::fit(remark, LABEL, bounds.right() - left);
        picture.text(Label::new(remark, (left, y), Side::Start, LABEL, SOFT));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_every_spike_and_bounds_the_points() {
        let spike = 7_777;
        let height = |step: usize| if step == spike { 3.0 } else { 100.0 + (step % 7) as f64 };
        let points: Vec<Point> =
            (0..10_000).map(|step| (step as f64 * 0.03, height(step))).collect();
        let kept = thinned(&points);
        assert!(kept.len() <= 4 * 601, "{}", kept.len());
        assert!(kept.contains(&points[spike]));
        assert_eq!((kept[0], kept[kept.len() - 1]), (points[0], points[9_999]));
    }
}
