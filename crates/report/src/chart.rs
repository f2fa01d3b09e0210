//! Charts: plain figures in, an SVG and a PNG out.
//!
//! Every chart is a pure function of its data. It first lays out a `picture`
//! (shapes and texts with known boxes, so that tests can hold that no text is
//! clipped or covers another), then draws that one picture with plotters twice:
//! as SVG for pages, as PNG at twice the size for places that show no SVG. The
//! fonts are bundled (`assets/`), so no system font is needed and the bytes do not
//! depend on the machine. A chart with nothing to say is left out: its function
//! returns `None`.

use crate::error::Result;

mod axis;
mod bars;
mod composition;
mod context;
mod critical;
mod curve;
mod dollars;
mod figure;
mod floor;
mod labels;
mod loss;
mod palette;
mod panel;
mod picture;
#[cfg(test)]
mod samples;
mod savings;
mod scatter;
mod strip;
mod survival;
mod text;
mod tones;

pub use composition::{
    COMPOSITION_PARTS, CompositionChart, CompositionPanel, CompositionStep, composition_over_steps,
};
pub use context::{ContextChart, ContextPanel, End, context_over_steps};
pub use critical::{CriticalChart, critical_difference};
pub use curve::{CurveChart, CurveRound, CurveSeries, floor_curve};
pub use dollars::{DOLLAR_PARTS, DollarBar, DollarChart, dollars_by_part};
pub use floor::{FloorChart, FloorFamily, FloorSeries, floor_over_turns};
pub use loss::{LOSS_CAUSES, LossBar, LossChart, loss_attribution};
pub use savings::{Estimate, SAVING_PANELS, SavingRow, SavingsChart, savings_with_intervals};
pub use scatter::{Family, ScatterChart, ScatterControl, ScatterPoint, recall_against_tokens};
pub use strip::{
    LatencyChart, LatencyRow, PressureChart, PressureRow, blocking_by_firing,
    pressure_when_compacting,
};
pub use survival::{SurvivalChart, SurvivalPanel, SurvivalSeries, survival};
pub use tones::{ToneCell, ToneChart, ToneRow, table_of_tones};

/// A chart, drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// A whole SVG document with `role="img"`, a label and a `<title>`; its text is escaped.
    pub svg: String,
    /// The same picture as PNG, at twice the size of the SVG.
    pub png: Vec<u8>,
    /// Width of the SVG in CSS pixels.
    pub width: u32,
    /// Height of the SVG in CSS pixels.
    pub height: u32,
}

/// Lays out nothing, or draws what was laid out.
fn render(picture: Option<picture::Picture>) -> Result<Option<Rendered>> {
    picture.map(|picture| picture.render()).transpose()
}

#[cfg(test)]
mod tests {
    use super::picture::{Bounds, Label, Mark};
    use super::*;

    fn labels(picture: &picture::Picture) -> Vec<&Label> {
        let texts = picture.marks.iter().filter_map(|mark| match mark {
            Mark::Text(label) => Some(label),
            _ => None,
        });
        texts.collect()
    }

    #[test]
    fn no_text_leaves_the_paper() {
        for (name, picture) in samples::all() {
            let paper = Bounds::new(0.0, 0.0, picture.width, picture.height);
            for label in labels(&picture) {
                assert!(paper.holds(&label.bounds()), "{name}: `{}`", label.text);
            }
        }
    }

    #[test]
    fn no_text_covers_another() {
        for (name, picture) in samples::all() {
            let labels = labels(&picture);
            for (index, one) in labels.iter().enumerate() {
                for other in &labels[index + 1..] {
                    let meet = one.bounds().meets(&other.bounds());
                    assert!(!meet, "{name}: `{}` and `{}`", one.text, other.text);
                }
            }
        }
    }

    #[test]
    fn no_text_is_smaller_than_ten_pixels() {
        for (name, picture) in samples::all() {
            for label in labels(&picture) {
                assert!(label.size >= 10.0, "{name}: `{}`", label.text);
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
        for (name, picture) in samples::all() {
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

    /// A page may forbid styles in markup: everything is a presentation attribute.
    #[test]
    fn no_svg_holds_a_style_or_a_script() {
        for (name, picture) in samples::all() {
            let svg = picture.render().unwrap().svg;
            for word in [" style=\"", "<style", "<script", "href=", "onload="] {
                let markup = svg.lines().filter(|line| line.starts_with('<'));
                assert!(!markup.clone().any(|line| line.contains(word)), "{name}: {word}");
            }
        }
    }

    /// The pictures land where they can be looked at: `target/charts`.
    #[test]
    fn every_sample_draws_in_both_formats() {
        let target = concat!(env!("CARGO_MANIFEST_DIR"), "/target/charts");
        std::fs::create_dir_all(target).unwrap();
        for (name, picture) in samples::all() {
            let drawn = picture.render().unwrap();
            assert!(drawn.svg.trim_end().ends_with("</svg>"), "{name}");
            assert!(drawn.png.ends_with(b"IEND\xAE\x42\x60\x82"), "{name}");
            std::fs::write(format!("{target}/{name}.svg"), drawn.svg).unwrap();
            std::fs::write(format!("{target}/{name}.png"), drawn.png).unwrap();
        }
    }
}
