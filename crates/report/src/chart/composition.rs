//! Composition over steps: what the context of each configuration is made of.

use super::context::{ENDED_EARLY, End, frames};
use super::prelude::*;

/// From the bottom, as [`CompositionStep::tokens`]: name in the key, in panels, colour.
const PARTS: [(&str, &str, RGBColor); 8] = [
    ("system and schemas", "system", SLATE),
    ("[GOAL BATCH]", "goal batch", VERMILLION),
    ("[SUMMARIZED]", "summarized", ORANGE),
    ("summary", "summary", PURPLE),
    ("other", "other", BROWN),
    ("user", "user", BLUE),
    ("assistant", "assistant", SKY),
    ("tool results", "tool", SILVER),
];

/// One configuration in a chart of one session; left out where it has no step.
#[derive(Clone, Debug, Default)]
pub struct CompositionPanel {
    pub configuration: String,
    pub steps: Vec<CompositionStep>,
    pub end: Option<End>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompositionStep {
    pub step: u64,
    /// Tokens by part, in the order of the parts of the chart.
    pub tokens: [u64; 8],
}

impl CompositionStep {
    fn total(&self) -> u64 {
        self.tokens.iter().sum()
    }

    fn edges(&self, part: usize) -> (f64, f64) {
        let under: u64 = self.tokens[..part].iter().sum();
        (under as f64, (under + self.tokens[part]) as f64)
    }
}

impl Chart for Vec<CompositionPanel> {
    fn layout(&self, title: &str, width: f64) -> Option<Picture> {
        let panels = self.iter().filter(|panel| !panel.steps.is_empty());
        let panels: Vec<&CompositionPanel> = panels.collect();
        let steps = || panels.iter().flat_map(|panel| &panel.steps);
        let last = steps().map(|step| step.step).max()?;
        let most = steps().map(CompositionStep::total).max()?;
        let (x, y) = (Scale::whole(last as f64, 4), Scale::rounded(most as f64, 4));
        let used = |part: usize| steps().any(|step| step.tokens[part] > 0);
        let parts = PARTS.into_iter().enumerate();
        let parts = parts.map(|(part, (name, _, colour))| (used(part), Sign::Swatch(colour), name));
        let is_cut = panels.iter().any(|panel| panel.end.is_some());
        let key = parts.chain([(is_cut, Sign::Cross(VERMILLION), ENDED_EARLY)]);
        let mut picture = figure::start(title, width, key);
        let columns = match panels.len() {
            0..=1 => 1,
            2..=4 => 2,
            _ => 3,
        };
        let heading = panels
            .iter()
            .map(|panel| (panel.configuration.as_str(), panel.end.as_ref(), String::new()));
        let headings: Vec<_> = heading.collect();
        let names = text::widest(PARTS.map(|(_, name, _)| name), TICK);
        let right = names + labels::LEADER + 6.0;
        let frames = frames(&mut picture, &headings, columns, (&x, &y), right);
        for (panel, frame) in panels.iter().zip(&frames) {
            draw(&mut picture, panel, frame);
        }
        Some(picture)
    }
}

fn draw(picture: &mut Picture, panel: &CompositionPanel, frame: &Frame) {
    let steps = thinned(&panel.steps, frame);
    draw_areas(picture, &steps, frame);
    let Some(last) = steps.last() else { return };
    let ends = PARTS.into_iter().enumerate().filter_map(|(part, (_, name, colour))| {
        let (low, high) = last.edges(part);
        let (low, high) = (frame.y_of(low), frame.y_of(high));
        let at = (frame.x_of(last.step as f64), (low + high) / 2.0);
        // Only what can be seen is named.
        (low - high >= 1.5).then(|| EndName { at, name: name.to_owned(), colour })
    });
    labels::name_ends(picture, &frame.area, ends.collect(), TICK);
    if panel.end.is_some() {
        let at = frame.point(last.step as f64, last.total() as f64);
        figure::sign(picture, Sign::Cross(VERMILLION), at);
    }
}

/// The largest prompt of the steps that share a pixel of width, and the last step of all.
fn thinned(steps: &[CompositionStep], frame: &Frame) -> Vec<CompositionStep> {
    let column = |step: &CompositionStep| frame.x_of(step.step as f64).floor() as i64;
    let runs = steps.chunk_by(|one, other| column(one) == column(other));
    let mut kept: Vec<CompositionStep> =
        runs.filter_map(|run| run.iter().max_by_key(|step| step.total()).copied()).collect();
    if let Some(last) = steps.last().filter(|last| kept.last() != Some(last)) {
        kept.push(*last);
    }
    kept
}

fn draw_areas(picture: &mut Picture, steps: &[CompositionStep], frame: &Frame) {
    let used = |part: &usize| steps.iter().any(|step| step.tokens[*part] > 0);
    for (place, part) in (0..PARTS.len()).filter(used).enumerate() {
        let colour = PARTS[part].2;
        let at = |step: &CompositionStep, tokens: f64| frame.point(step.step as f64, tokens);
        if let [only] = steps {
            // A session of one step: a bar of its parts.
            let (low, high) = only.edges(part);
            let ((x, low), (_, high)) = (at(only, low), at(only, high));
            picture.fill(Bounds::new(x - 6.0, high, 12.0, low - high), colour);
            continue;
        }
        let under: Vec<Point> = steps.iter().map(|step| at(step, step.edges(part).0)).collect();
        let over = steps.iter().map(|step| at(step, step.edges(part).1));
        picture.area(over.chain(under.iter().rev().copied()).collect(), colour);
        if place > 0 {
            // A white seam keeps neighbours apart without relying on colour.
            picture.line(under, WHITE, 0.5);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_the_largest_prompt_of_each_pixel_and_the_last_step() {
        let tokens = |step: u64| if step == 777 { 900 } else { 100 };
        let step = |step| CompositionStep { step, tokens: [tokens(step), 0, 0, 0, 0, 0, 0, 0] };
        let steps: Vec<CompositionStep> = (1..=10_000).map(step).collect();
        let area = Bounds::new(0.0, 0.0, 300.0, 100.0);
        let frame = Frame { area, x: Scale::whole(10_000.0, 4), y: Scale::share() };
        let kept = thinned(&steps, &frame);
        assert!(kept.len() <= 302, "{}", kept.len());
        assert!(kept.iter().any(|step| step.step == 777));
        assert_eq!(kept.last(), steps.last());
    }
}
