//! Savings with their intervals: gross, net and effective side by side.

use super::axis::{Frame, Scale};
use super::figure::{self, Sign};
use super::palette::{self, BLUE, FAINT, INK, SOFT, VERMILLION};
use super::picture::{Bounds, Label, Picture, Side};
use super::text::{LABEL, TICK, Weight};
use super::{Rendered, render};
use crate::error::Result;
use crate::number;

/// What the panels show, in the order of [`SavingRow::savings`].
pub const SAVING_PANELS: [&str; 3] =
    ["Gross (prompts alone)", "Net (+ summarizer)", "Effective (+ re-calls)"];

const ROW: f64 = 20.0;

/// Savings of several configurations.
#[derive(Clone, Debug, Default)]
pub struct SavingsChart {
    /// What the chart is called.
    pub title: String,
    /// The configurations, in reading order.
    pub rows: Vec<SavingRow>,
}

/// One configuration.
#[derive(Clone, Debug, Default)]
pub struct SavingRow {
    /// Its name.
    pub configuration: String,
    /// A share of the control's tokens for each of [`SAVING_PANELS`].
    pub savings: [Option<Estimate>; 3],
    /// Sessions behind it, of all driven: `9 of 9`.
    pub sessions: String,
    /// Whether sessions are missing from it because they ended early.
    pub partial: bool,
}

/// A mean with its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub value: f64,
    /// 95 % interval, where there is one.
    pub interval: Option<(f64, f64)>,
}

/// Draws the chart; `None` where no saving is known.
pub fn savings_with_intervals(data: &SavingsChart) -> Result<Option<Rendered>> {
    render(layout(data))
}

pub(super) fn layout(data: &SavingsChart) -> Option<Picture> {
    let rows: Vec<&SavingRow> =
        data.rows.iter().filter(|row| known(row).next().is_some()).collect();
    let ends = || rows.iter().flat_map(|row| known(row)).flat_map(ends_of);
    let most = ends().reduce(f64::max)?;
    let least = ends().fold(0.0_f64, f64::min).max(-1.0);
    let x = Scale::around(least, most.max(least + 0.05), 4);
    let x = if least < 0.0 { x } else { Scale::rounded(most.max(0.05), 4) };
    let x = x.written(number::axis_percent);
    let mut key = vec![
        (Sign::Disc(BLUE), "mean over sessions that completed".to_owned()),
        (Sign::Line(BLUE), "95 % interval over sessions".to_owned()),
    ];
    if rows.iter().any(|row| row.partial) {
        key.push((Sign::Ring(VERMILLION), "others ended early and are not in it".to_owned()));
    }
    let mut picture = figure::start(&data.title, figure::WIDTH, &key);
    let names: Vec<String> =
        rows.iter().map(|row| format!("{}  (n {})", row.configuration, row.sessions)).collect();
    let (names, beside) = figure::names_beside(names.iter().map(String::as_str));
    let top = picture.height + 30.0;
    let height = rows.len() as f64 * ROW;
    let room = picture.width - 2.0 * figure::MARGIN - beside;
    for (panel, title) in SAVING_PANELS.iter().enumerate() {
        let left = figure::MARGIN + beside + room / 3.0 * panel as f64;
        let column = Bounds::new(left, top - 22.0, room / 3.0 - 16.0, 16.0);
        figure::panel_title(&mut picture, &column, title);
        let values: Vec<(Option<Estimate>, bool)> =
            rows.iter().map(|row| (row.savings[panel], row.partial)).collect();
        let area = Bounds::new(left, top, column.width - 52.0, height);
        let frame = Frame { area, x: x.clone(), y: Scale::share() };
        draw_panel(&mut picture, &values, &frame);
    }
    for (index, name) in names.iter().enumerate() {
        let y = top + (index as f64 + 0.5) * ROW;
        let at = (figure::MARGIN + beside - 10.0, y);
        picture.text(Label::new(name, at, Side::End, LABEL, INK));
    }
    picture.height = top + height + 31.0 + LABEL + figure::MARGIN;
    Some(picture)
}

fn known(row: &SavingRow) -> impl Iterator<Item = Estimate> {
    row.savings.into_iter().flatten().filter(|one| one.value.is_finite())
}

fn ends_of(estimate: Estimate) -> [f64; 2] {
    let (low, high) = estimate.interval.unwrap_or((estimate.value, estimate.value));
    [low.min(estimate.value), high.max(estimate.value)]
}

fn draw_panel(picture: &mut Picture, rows: &[(Option<Estimate>, bool)], frame: &Frame) {
    frame.draw_across(picture, "saved of the control\u{2019}s tokens");
    let zero = frame.x_of(0.0);
    picture.line(vec![(zero, frame.area.top), (zero, frame.area.bottom())], FAINT, 1.0);
    for (index, (estimate, partial)) in rows.iter().enumerate() {
        let y = frame.area.top + (index as f64 + 0.5) * ROW;
        let Some(estimate) = estimate.filter(|one| one.value.is_finite()) else {
            let at = (frame.area.left + 4.0, y);
            picture.text_on_paper(Label::new("not known", at, Side::Start, TICK, SOFT));
            continue;
        };
        let colour = if *partial { VERMILLION } else { BLUE };
        if let Some((low, high)) = estimate.interval {
            let (low, high) = (frame.x_of(low), frame.x_of(high));
            picture.line(vec![(low, y), (high, y)], colour, 2.0);
            for end in [low, high] {
                picture.line(vec![(end, y - 4.0), (end, y + 4.0)], colour, 1.25);
            }
        }
        let at = (frame.x_of(estimate.value), y);
        match partial {
            true => figure::ring(picture, at, 4.0, colour),
            false => picture.disc(at, 4.0, colour),
        }
        let says = number::axis_percent(estimate.value);
        let label = Label::new(
            says,
            (frame.area.right() + 46.0, y),
            Side::End,
            TICK,
            palette::text_of(colour),
        );
        picture.text(Label { weight: Weight::Bold, ..label });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_without_savings_is_left_out() {
        let broken = Some(Estimate { value: f64::NAN, interval: None });
        let rows = vec![SavingRow { savings: [None, broken, None], ..SavingRow::default() }];
        assert!(layout(&SavingsChart { title: String::new(), rows }).is_none());
    }
}
