//! Charts: plain figures in, an SVG, a PNG and a PDF out.
//!
//! A chart lays out a picture from its data alone; plotters draws it twice, with bundled fonts, and
//! the PDF is made of the SVG.

use crate::error::Result;

mod axis;
mod bars;
mod composition;
mod context;
mod dots;
mod figure;
mod labels;
mod line;
mod palette;
mod picture;
mod prelude;
#[cfg(test)]
mod samples;
mod savings;
mod scatter;
mod strip;
mod text;
mod tones;

pub use bars::{Amount, Bar, BarChart, DOLLARS, LOST_FACTS};
pub use composition::{CompositionPanel, CompositionStep};
pub use context::{ContextPanel, End};
pub use dots::{DotChart, DotRow};
pub use line::{Across, LineChart, LinePanel, LineSeries, Upwards};
pub use picture::{Picture, Rendered};
pub use savings::{Estimate, SavingRow};
pub use scatter::{ScatterChart, ScatterPoint};
pub use strip::{Firings, StripChart, StripRow};
pub use tones::{ToneCell, ToneChart, ToneRow};

pub trait Chart {
    /// Lays the chart out on paper of a width; `None` where there is nothing to show.
    fn layout(&self, title: &str, width: f64) -> Option<Picture>;

    /// Draws the chart under its title; `None` where there is nothing to show.
    ///
    /// [`Error::Invalid`](crate::error::Error::Invalid) where it cannot be drawn.
    fn draw(&self, title: &str) -> Result<Option<Rendered>> {
        let layouts = self.layout(title, figure::WIDE).zip(self.layout(title, figure::NARROW));
        layouts.map(|(wide, narrow)| wide.render(&narrow)).transpose()
    }
}

/// These in their order, each once.
pub(crate) fn each_once<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut known = Vec::new();
    for one in all {
        if !known.contains(&one) {
            known.push(one);
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::picture::{Bounds, Label, Mark};
    use super::*;

    #[test]
    fn texts_stay_on_the_paper_and_off_each_other() {
        let mut wrong = Vec::new();
        for (name, picture) in samples::ALL.iter() {
            let paper = Bounds::new(0.0, 0.0, picture.width, picture.height);
            let labels = picture.marks.iter().filter_map(|mark| match mark {
                Mark::Text(label) => Some(label),
                Mark::Line(..) | Mark::Area(..) | Mark::Box(..) | Mark::Disc(..) => None,
            });
            let labels: Vec<&Label> = labels.collect();
            for (index, one) in labels.iter().enumerate() {
                if !paper.holds(&one.bounds()) {
                    wrong.push(format!("{name}: `{}` is cut", one.text));
                }
                let met =
                    labels[index + 1..].iter().filter(|other| one.bounds().meets(&other.bounds()));
                wrong
                    .extend(met.map(|other| format!("{name}: `{}` on `{}`", one.text, other.text)));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// What is painted last under a place, of the marks before the text; thin lines aside.
    fn ground(marks: &[Mark], (x, y): (f64, f64)) -> plotters::style::RGBColor {
        let spot = Bounds::new(x, y, 0.01, 0.01);
        let painted = marks.iter().rev().find_map(|mark| match mark {
            Mark::Box(bounds, colour) => bounds.meets(&spot).then_some(*colour),
            Mark::Disc(at, radius, colour) => {
                ((at.0 - x).hypot(at.1 - y) <= *radius).then_some(*colour)
            }
            Mark::Area(outline, colour) => is_inside(outline, (x, y)).then_some(*colour),
            Mark::Line(..) | Mark::Text(_) => None,
        });
        painted.unwrap_or(palette::WHITE)
    }

    /// Whether a ray to the right crosses the outline an odd number of times.
    fn is_inside(outline: &[(f64, f64)], (x, y): (f64, f64)) -> bool {
        let ends = outline.iter().zip(outline.iter().cycle().skip(1));
        let crossed = ends.filter(|(one, other)| {
            (one.1 > y) != (other.1 > y)
                && x < (other.0 - one.0) * (y - one.1) / (other.1 - one.1) + one.0
        });
        crossed.count() % 2 == 1
    }

    /// WCAG 2.2, 1.4.3: 4.5 for text of this size, everywhere that the text stands.
    #[test]
    fn every_text_stands_out_from_what_is_under_it() {
        for (name, picture) in samples::ALL.iter() {
            for (index, mark) in picture.marks.iter().enumerate() {
                let Mark::Text(label) = mark else { continue };
                let bounds = label.bounds();
                for part in 0..=8 {
                    let at = bounds.left + bounds.width * f64::from(part) / 8.0;
                    let under = ground(&picture.marks[..index], (at, label.at.1));
                    let contrast = palette::contrast(label.colour, under);
                    assert!(contrast >= 4.5, "{name}: `{}` has {contrast:.2}", label.text);
                }
            }
        }
    }

    /// A page may forbid styles in markup: everything is a presentation attribute. The
    /// pictures land where they can be looked at: `target/charts`.
    #[test]
    fn every_sample_draws_in_each_format_without_a_style_or_a_script() {
        let target = concat!(env!("CARGO_MANIFEST_DIR"), "/target/charts");
        std::fs::create_dir_all(target).unwrap();
        for (name, picture) in samples::ALL.iter() {
            let Rendered { svg, png, pdf, .. } = picture.render(picture).unwrap();
            assert!(svg.trim_end().ends_with("</svg>"), "{name}");
            assert!(png.ends_with(b"IEND\xAE\x42\x60\x82"), "{name}");
            assert!(pdf.starts_with(b"%PDF-") && pdf.ends_with(b"%%EOF"), "{name}");
            for word in [" style=\"", "<style", "<script", "href=", "onload="] {
                let mut markup = svg.lines().filter(|line| line.starts_with('<'));
                assert!(!markup.any(|line| line.contains(word)), "{name}: {word}");
            }
            std::fs::write(format!("{target}/{name}.svg"), svg).unwrap();
            std::fs::write(format!("{target}/{name}.png"), png).unwrap();
            std::fs::write(format!("{target}/{name}.pdf"), pdf).unwrap();
        }
    }

    #[test]
    fn a_chart_without_a_finite_figure_is_left_out() {
        let broken = f64::NAN;
        let series = LineSeries { points: vec![(1.0, broken)], ..LineSeries::default() };
        let mut lines = samples::floors(2, 0, None);
        lines.panels[0].series.push(series);
        let strip = |of| {
            let row = StripRow { values: vec![broken], trigger: Some(0.8), ..Default::default() };
            StripChart { of, rows: vec![row, StripRow::default()] }
        };
        let unknown = Some((broken, None));
        let mut scatter = samples::scatter(2, 0.0);
        scatter.points[0].cost = broken;
        scatter.points[1].recall = f64::INFINITY;
        let parts = [0.0, broken, 0.0, 0.0, f64::INFINITY];
        let tones = vec![("a".to_owned(), vec![None, Some(broken)])];
        let dots = DotRow { dots: [unknown, None], ..DotRow::default() };
        let charts: [(&str, &dyn Chart); 9] = [
            ("bars", &BarChart { of: &DOLLARS, bars: vec![Bar { parts, ..Bar::default() }] }),
            ("composition", &vec![CompositionPanel::default()]),
            ("context", &vec![ContextPanel::default()]),
            ("dots", &DotChart { rows: vec![dots], ..DotChart::default() }),
            ("lines", &lines),
            ("savings", &vec![SavingRow { savings: [None, unknown, None], ..Default::default() }]),
            ("scatter", &scatter),
            ("waits", &strip(Firings::Waits)),
            ("tones", &ToneChart::of_shares("", vec!["path".to_owned(), String::new()], tones)),
        ];
        for (name, chart) in charts {
            assert!(chart.layout("", figure::WIDE).is_none(), "{name}");
        }
        assert!(strip(Firings::Pressure).layout("", figure::WIDE).is_none());
    }
}
