//! Context over steps: what each configuration sent, when it compacted, how it ended.

use std::collections::BTreeMap;

use super::axis::{Frame, Scale};
use super::figure::{self, Sign};
use super::palette::{BLUE, FAINT, GREEN, PALE_BLUE, SOFT, VERMILLION};
use super::picture::{Bounds, Label, Picture, Point, Side};
use super::text::LABEL;
use super::{Rendered, render};
use crate::error::Result;
use crate::number;
use crate::unit::Tokens;

/// One session through several configurations: a panel each, on the same axes.
#[derive(Clone, Debug, Default)]
pub struct ContextChart {
    /// What the chart is called.
    pub title: String,
    /// The configurations, in reading order.
    pub panels: Vec<ContextPanel>,
}

/// One configuration.
#[derive(Clone, Debug, Default)]
pub struct ContextPanel {
    /// Its name.
    pub configuration: String,
    /// The prompt that each step sent, steps ascending.
    pub prompt: Vec<(u64, Tokens)>,
    /// What the model admits; none for a control without a window.
    pub window: Option<Tokens>,
    /// The step of every compaction, repeated where a step compacted more than once.
    pub compactions: Vec<u64>,
    /// How the session ended, where it did not complete.
    pub end: Option<End>,
}

/// The end of a session before its last step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The step it ended at.
    pub step: u64,
    /// `ended_by`: `overflow`, `max_tokens`, ...
    pub reason: String,
}

/// More compactions than this are drawn as a rug and not one by one.
const MOST_TRIANGLES: usize = 60;
/// A window farther above the data than this factor is named at the upper edge and not drawn.
const FAR_WINDOW: f64 = 2.5;

/// Draws the chart; `None` where no panel holds a step.
pub fn context_over_steps(data: &ContextChart) -> Result<Option<Rendered>> {
    render(layout(data))
}

pub(super) fn layout(data: &ContextChart) -> Option<Picture> {
    let panels: Vec<&ContextPanel> =
        data.panels.iter().filter(|panel| !panel.prompt.is_empty()).collect();
    let (x, y) = scales(&panels)?;
    let mut picture = figure::start(&data.title, figure::WIDTH, &key(&panels));
    let columns = columns(panels.len());
    let height = if columns == 1 { 340.0 } else { 232.0 };
    let boxes = figure::panels(&mut picture, panels.len(), columns, height);
    for (panel, bounds) in panels.iter().zip(&boxes) {
        let frame = Frame { area: plot_area(bounds, &y), x: x.clone(), y: y.clone() };
        frame.draw(&mut picture, "step", "prompt sent (tokens)");
        draw_panel(&mut picture, panel, bounds, &frame, is_dense(panel, columns));
    }
    Some(picture)
}

fn columns(panels: usize) -> usize {
    match panels {
        few @ 0..=3 => few.max(1),
        4 => 2,
        _ => 3,
    }
}

fn plot_area(bounds: &Bounds, y: &Scale) -> Bounds {
    let left = y.label_width() + 6.0;
    // The last figure on x may stand half beyond the plot.
    let right = 18.0;
    Bounds::new(
        bounds.left + left,
        bounds.top + 58.0,
        bounds.width - left - right,
        bounds.height - 98.0,
    )
}

fn scales(panels: &[&ContextPanel]) -> Option<(Scale, Scale)> {
    let steps = panels.iter().flat_map(|panel| panel.prompt.iter().map(|(step, _)| *step));
    let ends = panels.iter().filter_map(|panel| panel.end.as_ref().map(|end| end.step));
    let last = steps.chain(ends).max()?;
    let most = greatest(panels);
    let windows = panels.iter().filter_map(|panel| window_of(panel));
    let near = windows.filter(|window| *window <= most * FAR_WINDOW);
    // Room above the window for its name.
    let top = near.map(|window| window * 1.12).fold(most, f64::max);
    Some((Scale::whole(last as f64, 5), Scale::rounded(top, 4)))
}

fn greatest(panels: &[&ContextPanel]) -> f64 {
    let prompts = panels.iter().flat_map(|panel| &panel.prompt);
    prompts.map(|(_, tokens)| tokens.as_f64()).fold(0.0, f64::max)
}

fn window_of(panel: &ContextPanel) -> Option<f64> {
    panel.window.filter(|window| *window < Tokens::UNBOUNDED).map(Tokens::as_f64)
}

fn key(panels: &[&ContextPanel]) -> Vec<(Sign, String)> {
    let mut key = vec![(Sign::Line(BLUE), "prompt sent".to_owned())];
    let columns = columns(panels.len());
    if panels.iter().any(|panel| is_dense(panel, columns)) {
        key = vec![
            (Sign::Line(BLUE), "prompt sent, where dense: mean".to_owned()),
            (Sign::Swatch(PALE_BLUE), "least to greatest".to_owned()),
        ];
    }
    if panels.iter().any(|panel| window_of(panel).is_some()) {
        key.push((Sign::Dashes(FAINT), "window of the model".to_owned()));
    }
    if panels.iter().any(|panel| !panel.compactions.is_empty()) {
        key.push((Sign::Triangle(GREEN), "compaction (where many: a stroke)".to_owned()));
    }
    if panels.iter().any(|panel| panel.end.is_some()) {
        key.push((Sign::Cross(VERMILLION), "session ended early".to_owned()));
    }
    key
}

fn draw_panel(
    picture: &mut Picture,
    panel: &ContextPanel,
    bounds: &Bounds,
    frame: &Frame,
    dense: bool,
) {
    figure::panel_title(picture, bounds, &panel.configuration);
    let failed = panel.end.as_ref().map(|end| format!("{} at step {}", end.reason, end.step));
    figure::panel_remark(picture, bounds, failed.as_deref(), &compactions(panel.compactions.len()));
    draw_compactions(picture, &panel.compactions, frame);
    draw_prompt(picture, &panel.prompt, frame, dense);
    draw_window(picture, panel, frame);
    if let (Some(end), Some((_, tokens))) = (&panel.end, panel.prompt.last()) {
        figure::cross(picture, frame.point(end.step as f64, tokens.as_f64()), VERMILLION);
    }
}

fn compactions(count: usize) -> String {
    match count {
        0 => "no compaction".to_owned(),
        1 => "1 compaction".to_owned(),
        many => format!("{many} compactions"),
    }
}

fn draw_prompt(picture: &mut Picture, prompt: &[(u64, Tokens)], frame: &Frame, dense: bool) {
    let points: Vec<Point> =
        prompt.iter().map(|(step, tokens)| frame.point(*step as f64, tokens.as_f64())).collect();
    if let [only] = points[..] {
        picture.disc(only, 3.0, BLUE);
    }
    if dense {
        picture.line(thinned(&points), PALE_BLUE, 1.0);
        picture.line(means(&points), BLUE, 1.5);
    } else {
        picture.line(thinned(&points), BLUE, 1.5);
    }
}

/// Whether steps stand so close that a line through them would fill its area.
fn is_dense(panel: &ContextPanel, columns: usize) -> bool {
    const MOST_A_PIXEL: f64 = 4.0;
    panel.prompt.len() as f64 > figure::WIDTH / columns as f64 * MOST_A_PIXEL
}

/// The mean height of every eight pixels of width; an end too short for a mean is left to
/// the range behind it.
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

/// At most four points in each half pixel of width: the first, the least, the greatest
/// and the last, so that every spike of a long series survives.
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
        kept.into_iter().map(|index| run[index]).collect::<Vec<_>>()
    })
    .collect()
}

fn draw_compactions(picture: &mut Picture, steps: &[u64], frame: &Frame) {
    let bottom = frame.area.bottom();
    // One mark per half pixel is all that can be seen.
    let places: BTreeMap<i64, f64> = steps
        .iter()
        .map(|step| frame.x_of(*step as f64))
        .map(|x| ((x * 2.0).round() as i64, x))
        .collect();
    for x in places.into_values() {
        if steps.len() > MOST_TRIANGLES {
            picture.line(vec![(x, bottom), (x, bottom - 8.0)], GREEN, 0.75);
        } else {
            figure::triangle(picture, (x, bottom), GREEN);
        }
    }
}

fn draw_window(picture: &mut Picture, panel: &ContextPanel, frame: &Frame) {
    let Some(window) = window_of(panel) else { return };
    let says = format!("window {}", number::axis(window));
    let (left, right) = (frame.area.left, frame.area.right());
    if window > frame.y.high() {
        let says = format!("{says} (above this plot)");
        let at = (right, frame.area.top - 14.0);
        picture.text(Label::new(says, at, Side::End, LABEL, SOFT));
        return;
    }
    let y = frame.y_of(window);
    picture.dashes((left, y), (right, y), (5.0, 3.0), FAINT);
    let prompt: Vec<(f64, f64)> =
        panel.prompt.iter().map(|(step, tokens)| (*step as f64, tokens.as_f64())).collect();
    picture.text_on_paper(frame.name_of_limit(&says, window, &prompt));
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

    #[test]
    fn a_panel_without_steps_is_left_out_and_a_chart_of_none_too() {
        let empty = ContextPanel { configuration: "none".to_owned(), ..Default::default() };
        let chart = ContextChart { title: "t".to_owned(), panels: vec![empty] };
        assert!(layout(&chart).is_none());
        assert!(context_over_steps(&ContextChart::default()).unwrap().is_none());
    }
}
