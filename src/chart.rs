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
mod context;
mod critical;
mod curve;
mod figure;
mod floor;
mod heat;
mod labels;
mod loss;
mod palette;
mod panel;
mod picture;
#[cfg(test)]
mod samples;
mod scatter;
mod shape;
mod survival;
mod text;

pub use context::{ContextChart, ContextPanel, End, context_over_steps};
pub use critical::{CriticalChart, critical_difference};
pub use curve::{CurveChart, CurveRound, CurveSeries, floor_curve};
pub use floor::{FloorChart, FloorFamily, FloorSeries, floor_over_turns};
pub use heat::{HeatChart, HeatRow, retention_by_kind};
pub use loss::{LOSS_CAUSES, LossBar, LossChart, loss_attribution};
pub use scatter::{ScatterChart, ScatterPoint, recall_against_tokens};
pub use shape::{SHAPE_PANELS, ShapeChart, ShapeRow, Spread, shapes_side_by_side};
pub use survival::{SurvivalChart, SurvivalPanel, SurvivalSeries, survival};

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
    fn every_sample_is_laid_out() {
        assert_eq!(samples::all().len(), 29);
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
