//! Series of points over an axis, in panels: each series is named at its right end.

use super::prelude::*;

#[derive(Clone, Debug)]
pub struct LineChart {
    pub x_title: &'static str,
    pub x: Across,
    pub point: &'static str,
    /// A limit on tokens with its name.
    pub limit: Option<(f64, &'static str)>,
    pub columns: usize,
    pub height: f64,
    pub panels: Vec<LinePanel>,
}

#[derive(Clone, Debug)]
pub enum Across {
    /// Whole numbers from 0 on with about so many figures, as far as a panel's series go.
    Whole(usize),
    /// Places by name, the first at 0.
    Named(Vec<String>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upwards {
    Tokens,
    Share,
}

#[derive(Clone, Debug)]
pub struct LinePanel {
    pub title: String,
    pub y_title: &'static str,
    pub y: Upwards,
    /// Its series; those of one name have one colour in all panels.
    pub series: Vec<LineSeries>,
}

#[derive(Clone, Debug, Default)]
pub struct LineSeries {
    pub name: String,
    /// The number of a configuration's colour; without one its place among all names decides.
    pub colour: Option<usize>,
    /// What was measured, x ascending; what is not finite is left out.
    pub points: Vec<(f64, f64)>,
    /// The line fitted to the points, x ascending; without one the points are joined.
    pub fit: Option<Vec<(f64, f64)>>,
}

struct Drawn<'a> {
    panel: &'a LinePanel,
    series: Vec<Series<'a>>,
}

struct Series<'a> {
    name: &'a str,
    colour: RGBColor,
    /// Its points are rings: the second use of a colour.
    hollow: bool,
    points: Vec<(f64, f64)>,
    line: Vec<(f64, f64)>,
    is_fitted: bool,
}

impl<'a> Series<'a> {
    fn of(series: &'a LineSeries, index: usize) -> Option<Series<'a>> {
        let finite = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
            points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite()).collect()
        };
        let points = finite(&series.points);
        let line = series.fit.as_ref().map_or_else(|| points.clone(), |fit| finite(fit));
        let is_fitted = series.fit.is_some() && line.len() > 1;
        let (colour, hollow) = (palette::series(index), palette::repeats(index));
        let some = !(points.is_empty() && line.is_empty());
        some.then_some(Series { name: &series.name, colour, hollow, points, line, is_fitted })
    }

    fn values(&self) -> impl Iterator<Item = (f64, f64)> {
        self.line.iter().chain(&self.points).copied()
    }

    fn end(&self) -> (f64, f64) {
        let last = self.values().max_by(|one, other| one.0.total_cmp(&other.0));
        last.unwrap_or_default()
    }
}

impl Drawn<'_> {
    fn values(&self) -> impl Iterator<Item = (f64, f64)> {
        self.series.iter().flat_map(Series::values)
    }
}

impl LineChart {
    /// One colour for a name over all panels, where there are colours enough.
    fn drawn(&self) -> Vec<Drawn<'_>> {
        let series = self.panels.iter().flat_map(|panel| &panel.series);
        let names = each_once(series.map(|series| series.name.as_str()));
        let place = |index: usize, series: &LineSeries| match (series.colour, names.len()) {
            (Some(own), _) => Some(own),
            (None, few) if few <= SERIES.len() => {
                names.iter().position(|name| *name == series.name)
            }
            (None, _) => Some(index),
        };
        let panels = self.panels.iter().map(|panel| {
            let series = panel.series.iter().enumerate();
            let series = series.filter_map(|(index, one)| Series::of(one, place(index, one)?));
            Drawn { panel, series: series.collect() }
        });
        panels.filter(|drawn| !drawn.series.is_empty()).collect()
    }

    fn key(&self, panels: &[Drawn]) -> [Entry; 3] {
        let series = || panels.iter().flat_map(|drawn| &drawn.series);
        let last = series().map(|series| series.end().0).fold(f64::NEG_INFINITY, f64::max);
        let is_fitted = series().any(|series| series.is_fitted);
        let ends_early = series().any(|series| series.end().0 < last);
        [
            (true, Sign::Disc(INK), self.point),
            (is_fitted, Sign::Line(INK), "fitted"),
            (ends_early, Sign::Dots(INK), "to the name: no later value"),
        ]
    }

    fn across(&self, drawn: &Drawn) -> Scale {
        match &self.x {
            Across::Whole(wanted) => {
                Scale::whole(drawn.values().map(|(x, _)| x).fold(0.0, f64::max), *wanted)
            }
            Across::Named(names) => Scale::named(names),
        }
    }

    fn draw(&self, picture: &mut Picture, drawn: &Drawn, bounds: &Bounds, tokens: &Scale) {
        let y = match drawn.panel.y {
            Upwards::Tokens => tokens.clone(),
            Upwards::Share => Scale::share(),
        };
        let room = bounds.width * 0.4;
        let names = drawn.series.iter().map(|series| text::fit(series.name, LABEL, room));
        let names: Vec<String> = names.collect();
        let left = y.label_width() + 6.0;
        let right = (text::widest(&names, LABEL) + labels::LEADER + 6.0).max(30.0);
        let (width, height) = (bounds.width - left - right, bounds.height - 84.0);
        let area = Bounds::new(bounds.left + left, bounds.top + 44.0, width, height);
        let frame = Frame { area, x: self.across(drawn), y };
        figure::panel_title(picture, bounds, &drawn.panel.title);
        frame.draw(picture, self.x_title, drawn.panel.y_title);
        let limit = self.limit.filter(|_| drawn.panel.y == Upwards::Tokens);
        if let Some((limit, name)) = limit {
            frame.draw_limit(picture, name, limit, &drawn.values().collect::<Vec<_>>());
        }
        for series in &drawn.series {
            draw_series(picture, series, &frame);
        }
        let ends = drawn.series.iter().zip(names).map(|(series, name)| {
            let (x, y) = series.end();
            EndName { at: frame.point(x, y), name, colour: series.colour }
        });
        labels::name_ends(picture, &frame.area, ends.collect(), LABEL);
    }
}

impl Chart for LineChart {
    fn layout(&self, title: &str, width: f64) -> Option<Picture> {
        let panels = self.drawn();
        let most_series = panels.iter().map(|drawn| drawn.series.len()).max()?;
        let of_tokens = panels.iter().filter(|drawn| drawn.panel.y == Upwards::Tokens);
        let most = of_tokens.flat_map(Drawn::values).map(|(_, y)| y).fold(0.0, f64::max);
        let tokens = Scale::with_limits(most, self.limit.map(|(limit, _)| limit));
        let mut picture = figure::start(title, width, self.key(&panels));
        // A line for the name of each series.
        let height = self.height.max(labels::LINE * most_series as f64 + 96.0);
        let columns = panels.len().min(self.columns);
        let boxes = figure::panels(&mut picture, panels.len(), columns, height);
        for (drawn, bounds) in panels.iter().zip(&boxes) {
            self.draw(&mut picture, drawn, bounds, &tokens);
        }
        Some(picture)
    }
}

fn draw_series(picture: &mut Picture, series: &Series, frame: &Frame) {
    let line: Vec<Point> = series.line.iter().map(|(x, y)| frame.point(*x, *y)).collect();
    picture.line(line, series.colour, 1.5);
    for (x, y) in &series.points {
        let at = frame.point(*x, *y);
        match series.hollow {
            true => figure::ring(picture, at, 3.25, series.colour),
            false => picture.disc(at, 2.75, series.colour),
        }
    }
}
