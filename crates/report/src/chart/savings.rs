//! Savings with their intervals: gross, net and effective side by side.

use super::prelude::*;

const PANELS: [&str; 3] = ["Gross (prompts alone)", "Net (+ summarizer)", "Effective (+ re-calls)"];

const ROW: f64 = 20.0;

/// One configuration; left out where none of its savings is known.
#[derive(Clone, Debug, Default)]
pub struct SavingRow {
    pub configuration: String,
    /// A share of the control's tokens: gross, net and effective.
    pub savings: [Option<Estimate>; 3],
    /// Sessions behind it, of all driven: `9 of 9`.
    pub sessions: String,
    /// Whether sessions are missing from it because they ended early.
    pub partial: bool,
}

/// A mean with its 95 % interval, where there is one.
pub type Estimate = (f64, Option<(f64, f64)>);

/// The least and the greatest that is drawn of it.
fn ends((value, interval): Estimate) -> [f64; 2] {
    let (low, high) = interval.unwrap_or((value, value));
    [low.min(value), high.max(value)]
}

impl SavingRow {
    fn saving(&self, panel: usize) -> Option<Estimate> {
        self.savings[panel].filter(|(value, _)| value.is_finite())
    }

    fn known(&self) -> impl Iterator<Item = Estimate> {
        (0..PANELS.len()).filter_map(|panel| self.saving(panel))
    }
}

impl Chart for Vec<SavingRow> {
    fn layout(&self, title: &str, width: f64) -> Option<Picture> {
        let rows: Vec<&SavingRow> =
            self.iter().filter(|row| row.known().next().is_some()).collect();
        let ends = || rows.iter().flat_map(|row| row.known()).flat_map(ends);
        let x = scale(ends().fold(0.0, f64::min), ends().reduce(f64::max)?);
        let is_partial = rows.iter().any(|row| row.partial);
        let key = [
            (true, Sign::Disc(BLUE), "mean over sessions that completed"),
            (true, Sign::Line(BLUE), "95 % interval over sessions"),
            (is_partial, Sign::Ring(VERMILLION), "others ended early and are not in it"),
        ];
        let mut picture = figure::start(title, width, key);
        let narrow = figure::is_narrow(width);
        let name = |row: &&SavingRow| match narrow {
            true => row.configuration.clone(),
            false => format!("{}  (n {})", row.configuration, row.sessions),
        };
        let names: Vec<String> = rows.iter().map(name).collect();
        let height = rows.len() as f64 * ROW;
        let mut top = picture.height + 30.0;
        for (panel, title) in PANELS.into_iter().enumerate() {
            let names = names.iter().map(String::as_str);
            let (left, middles) = match panel {
                0 => figure::row_names(&mut picture, names, top, ROW),
                _ if narrow => {
                    top += height + figure::UNDER_PLOT + 24.0;
                    figure::row_names(&mut picture, names, top, ROW)
                }
                // The names at the left are those of every panel.
                _ => {
                    let longest =
                        text::widest(names.map(|name| text::fit(name, LABEL, 280.0)), LABEL);
                    let middles = (0..rows.len()).map(|at| top + (at as f64 + 0.5) * ROW);
                    (figure::MARGIN + longest + 10.0, middles.collect())
                }
            };
            let beside = if narrow { 1.0 } else { PANELS.len() as f64 };
            let room = (picture.width - left - figure::MARGIN) / beside;
            let left = if narrow { left } else { left + room * panel as f64 };
            let column = Bounds::new(left, top - 22.0, room - 16.0, 16.0);
            figure::panel_title(&mut picture, &column, title);
            let area = Bounds::new(left, top, column.width - 52.0, height);
            let frame = Frame { area, x: x.clone(), y: Scale::share() };
            frame.draw_across(&mut picture, "saved of the control\u{2019}s tokens");
            let zero = frame.x_of(0.0);
            picture.line(vec![(zero, top), (zero, top + height)], FAINT, 1.0);
            for (row, y) in rows.iter().zip(&middles) {
                draw(&mut picture, row.saving(panel), row.partial, &frame, *y);
            }
        }
        picture.height = top + height + figure::UNDER_PLOT;
        Some(picture)
    }
}

/// Losses of more than everything are cut at the edge.
fn scale(least: f64, most: f64) -> Scale {
    let x = match least.max(-1.0) {
        least if least < 0.0 => Scale::around(least, most.max(least + 0.05), 4),
        _ => Scale::rounded(most.max(0.05), 4),
    };
    x.written(number::axis_percent)
}

fn draw(picture: &mut Picture, saving: Option<Estimate>, partial: bool, frame: &Frame, y: f64) {
    let Some((value, interval)) = saving else {
        let at = (frame.area.left + 4.0, y);
        picture.text_on_paper(Label::new("not known", at, Side::Start, TICK, SOFT));
        return;
    };
    let colour = if partial { VERMILLION } else { BLUE };
    if let Some((low, high)) = interval {
        let (low, high) = (frame.x_of(low), frame.x_of(high));
        picture.line(vec![(low, y), (high, y)], colour, 2.0);
        for end in [low, high] {
            figure::tick(picture, (end, y), (4.0, 1.25), colour);
        }
    }
    let at = (frame.x_of(value), y);
    match partial {
        true => figure::ring(picture, at, 4.0, colour),
        false => picture.disc(at, 4.0, colour),
    }
    let says = number::axis_percent(value);
    let at = (frame.area.right() + 46.0, y);
    picture.text(Label::new(says, at, Side::End, FIGURE, palette::text_of(colour)));
}
