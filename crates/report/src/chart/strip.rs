//! When compactions fire and how long they block: a row of every firing for each
//! configuration.

use super::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Firings {
    /// The view over the usable window when it began.
    Pressure,
    /// Modelled seconds that the agent waited.
    Waits,
}

#[derive(Clone, Debug)]
pub struct StripChart {
    pub of: Firings,
    pub rows: Vec<StripRow>,
}

#[derive(Clone, Debug, Default)]
pub struct StripRow {
    pub configuration: String,
    pub values: Vec<f64>,
    /// The pressure at which its own trigger is just met, where it reads one.
    pub trigger: Option<f64>,
}

struct Row<'a> {
    name: &'a str,
    values: Vec<f64>,
    mark: Option<f64>,
    remark: String,
}

impl<'a> Row<'a> {
    fn of(row: &'a StripRow, of: Firings) -> Option<Row<'a>> {
        let mut values = row.values.clone();
        values.retain(|value| value.is_finite());
        values.sort_by(f64::total_cmp);
        let quantile = |share| stats::quantile(&values, share);
        let (middle, late, most) = (quantile(0.5)?, quantile(0.95)?, quantile(1.0)?);
        let n = number::axis(values.len() as f64);
        let (mark, remark) = match of {
            Firings::Pressure => {
                let high = values.iter().filter(|value| **value >= 0.95).count();
                let high = number::axis_percent(high as f64 / values.len() as f64);
                let middle = number::axis_percent(middle);
                let trigger = row.trigger.filter(|trigger| trigger.is_finite());
                (trigger, format!("median {middle}, {high} at 95 % or above, n {n}"))
            }
            Firings::Waits => {
                let [p50, p95, max] = [middle, late, most].map(seconds);
                (Some(late), format!("p50 {p50}, p95 {p95}, max {max} s, n {n}"))
            }
        };
        Some(Row { name: &row.configuration, values, mark, remark })
    }
}

fn seconds(value: f64) -> String {
    if value < 9.95 { format!("{value:.1}") } else { number::axis(value.round()) }
}

impl Chart for StripChart {
    fn layout(&self, title: &str, width: f64) -> Option<Picture> {
        let rows: Vec<Row> = self.rows.iter().filter_map(|row| Row::of(row, self.of)).collect();
        let values = || rows.iter().flat_map(|row| &row.values).copied();
        let (least, most) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
        let marks = || rows.iter().filter_map(|row| row.mark);
        let (x, x_title, mark) = match self.of {
            Firings::Pressure => {
                let x = Scale::rounded(marks().fold(most.max(1.0), f64::max), 5);
                let x_title = "view over the usable window when the firing began";
                (x.written(number::axis_percent), x_title, "trigger of its own pressure")
            }
            Firings::Waits if is_wide(least, most) => {
                let x_title = "modelled wait of a firing (seconds, logarithmic)";
                (Scale::logarithmic(least, most), x_title, "95th percentile")
            }
            Firings::Waits => {
                let x_title = "modelled wait of a firing (seconds)";
                (Scale::rounded(most, 6), x_title, "95th percentile")
            }
        };
        let key = [
            (true, Sign::Swatch(PALE_BLUE), "middle half"),
            (true, Sign::Line(GREEN), "median (upright)"),
            (true, Sign::Line(FAINT), "least to greatest"),
            (marks().next().is_some(), Sign::Triangle(ORANGE), mark),
        ];
        let mut picture = figure::start(title, width, key);
        let right = match figure::is_narrow(width) {
            true => 20.0,
            false => text::widest(rows.iter().map(|row| &row.remark), TICK) + 14.0,
        };
        let names = rows.iter().map(|row| row.name);
        let (frame, middles) = figure::rows(&mut picture, names, (26.0, right), (x, x_title));
        for (row, y) in rows.iter().zip(middles) {
            draw_row(&mut picture, row, &frame, y);
        }
        if self.of == Firings::Pressure {
            draw_full_window(&mut picture, &frame);
        }
        Some(picture)
    }
}

fn draw_full_window(picture: &mut Picture, frame: &Frame) {
    let (x, area) = (frame.x_of(1.0), &frame.area);
    picture.dashes((x, area.top - 4.0), (x, area.bottom()), DASHES, VERMILLION);
    let colour = palette::text_of(VERMILLION);
    let at = (x, area.top - 11.0);
    picture.text(Label::new("window full", at, Side::Middle, TICK, colour));
}

fn draw_row(picture: &mut Picture, row: &Row, frame: &Frame, y: f64) {
    let at = |share| stats::quantile(&row.values, share).map_or(0.0, |value| frame.x_of(value));
    let [least, low, middle, high, most] = [0.0, 0.25, 0.5, 0.75, 1.0].map(at);
    picture.line(vec![(least, y), (most, y)], FAINT, 1.0);
    for end in [least, most] {
        figure::tick(picture, (end, y), (3.5, 1.0), FAINT);
    }
    picture.fill(Bounds::new(low, y - 6.0, (high - low).max(1.0), 12.0), PALE_BLUE);
    figure::tick(picture, (middle, y), (7.5, 2.5), GREEN);
    if let Some(mark) = row.mark {
        figure::triangle(picture, (frame.x_of(mark), y + 10.0), ORANGE);
    }
    let at = match figure::is_narrow(picture.width) {
        true => (frame.area.left, y + 16.0),
        false => (frame.area.right() + 12.0, y),
    };
    picture.text_on_paper(Label::new(&row.remark, at, Side::Start, TICK, SOFT));
}
