//! Charts: plain figures in, an SVG and a PNG out.
//!
//! Every chart is a pure function of its data. It first lays out a `picture`
//! (shapes and texts with known boxes, so that tests can hold that no text is
//! clipped or covers another), then draws that one picture with plotters twice:
//! as SVG for pages, as PNG at twice the size for places that show no SVG. The
//! fonts are bundled (`assets/`), so no system font is needed and the bytes do not
//! depend on the machine. A chart with nothing to show is left out.
//!
//! A further chart of a form that is here needs its data only. A further form is a file
//! that implements [`Chart`], named in this one, with a sample in `samples`.

use crate::error::Result;

mod axis;
mod bars;
mod composition;
mod context;
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
mod steps;
mod strip;
mod text;
mod tones;

pub use bars::{Amount, Bar, BarChart, DOLLARS, LOSS_CAUSES, LOST_FACTS};
pub use composition::{CompositionChart, CompositionPanel, CompositionStep};
pub use context::{ContextChart, ContextPanel};
pub use line::{Across, LineChart, LinePanel, LineSeries, Upwards};
pub use picture::{Picture, Rendered};
pub use savings::{Estimate, SavingRow, SavingsChart};
pub use scatter::{Means, ScatterChart, ScatterControl, ScatterPoint};
pub use steps::End;
pub use strip::{Firings, StripChart, StripRow};
pub use tones::{ToneCell, ToneChart, ToneRow};

/// The data of a chart.
pub trait Chart {
    /// Lays the chart out; `None` where there is nothing to show.
    fn layout(&self) -> Option<Picture>;

    /// The chart as SVG and PNG; `None` where there is nothing to show.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`](crate::error::Error::Invalid) where it cannot be drawn.
    fn draw(&self) -> Result<Option<Rendered>> {
        self.layout().map(|picture| picture.render()).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::picture::{Bounds, Label, Mark};
    use super::*;

    fn labels(picture: &Picture) -> Vec<&Label> {
        let texts = picture.marks.iter().filter_map(|mark| match mark {
            Mark::Text(label) => Some(label),
            Mark::Line(..) | Mark::Area(..) | Mark::Box(..) | Mark::Disc(..) => None,
        });
        texts.collect()
    }

    #[test]
    fn no_text_leaves_the_paper() {
        for (name, picture) in samples::ALL.iter() {
            let paper = Bounds::new(0.0, 0.0, picture.width, picture.height);
            for label in labels(picture) {
                assert!(paper.holds(&label.bounds()), "{name}: `{}`", label.text);
            }
        }
    }

    #[test]
    fn no_text_covers_another() {
        for (name, picture) in samples::ALL.iter() {
            let labels = labels(picture);
            for (index, one) in labels.iter().enumerate() {
                for other in &labels[index + 1..] {
                    let meet = one.bounds().meets(&other.bounds());
                    assert!(!meet, "{name}: `{}` and `{}`", one.text, other.text);
                }
            }
        }
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
    fn every_sample_draws_in_both_formats_without_a_style_or_a_script() {
        let target = concat!(env!("CARGO_MANIFEST_DIR"), "/target/charts");
        std::fs::create_dir_all(target).unwrap();
        for (name, picture) in samples::ALL.iter() {
            let Rendered { svg, png, .. } = picture.render().unwrap();
            assert!(svg.trim_end().ends_with("</svg>"), "{name}");
            assert!(png.ends_with(b"IEND\xAE\x42\x60\x82"), "{name}");
            for word in [" style=\"", "<style", "<script", "href=", "onload="] {
                let mut markup = svg.lines().filter(|line| line.starts_with('<'));
                assert!(!markup.any(|line| line.contains(word)), "{name}: {word}");
            }
            std::fs::write(format!("{target}/{name}.svg"), svg).unwrap();
            std::fs::write(format!("{target}/{name}.png"), png).unwrap();
        }
    }
}
