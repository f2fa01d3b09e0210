//! Bars that lie, each made of parts, with its total and a remark at its end.

use super::prelude::*;

/// What bars measure, and the parts that they are made of.
#[derive(Debug)]
pub struct Amount {
    x_title: &'static str,
    write: fn(f64) -> String,
    /// In the order of [`Bar::parts`], with their colours.
    pub(crate) parts: [(&'static str, RGBColor); 5],
}

/// Mean dollars of a session, by what they were paid for.
pub const DOLLARS: Amount = Amount {
    x_title: "dollars a session (mean)",
    write: number::axis_dollars,
    parts: [
        ("input read from the cache", PALE_BLUE),
        ("input written to the cache", SKY),
        ("other input", BLUE),
        ("the agent\u{2019}s answers", PURPLE),
        ("summarizer", ORANGE),
    ],
};

/// Facts lost, by cause (METRICS, retention).
pub const LOST_FACTS: Amount = Amount {
    x_title: "facts lost (count)",
    write: number::axis,
    parts: [
        ("dropped", BLUE),
        ("covered but unseen", SKY),
        ("shown but omitted", ORANGE),
        ("lost in re-summary", VERMILLION),
        ("inverted", PURPLE),
    ],
};

/// Bars over one scale; left out where none has a length.
#[derive(Clone, Debug)]
pub struct BarChart {
    pub of: &'static Amount,
    pub bars: Vec<Bar>,
}

#[derive(Clone, Debug, Default)]
pub struct Bar {
    pub configuration: String,
    /// Its parts; what is not finite counts as none.
    pub parts: [f64; 5],
    pub remark: String,
    /// What went wrong, behind that.
    pub failed: Option<String>,
}

impl Bar {
    fn parts(&self) -> [f64; 5] {
        self.parts.map(|part| if part.is_finite() { part } else { 0.0 })
    }

    fn total(&self) -> f64 {
        self.parts().iter().sum()
    }

    fn failed(&self) -> Option<String> {
        self.failed.as_deref().map(|failed| text::fit(failed, TICK, 150.0))
    }

    fn end_width(&self, of: &Amount) -> f64 {
        let remark = match self.remark.as_str() {
            "" => 0.0,
            remark => 8.0 + text::width(remark, TICK),
        };
        let failed = self.failed().map_or(0.0, |failed| 26.0 + text::width(&failed, TICK));
        10.0 + text::width(&(of.write)(self.total()), FIGURE) + remark + failed
    }
}

impl Chart for BarChart {
    fn layout(&self, title: &str, width: f64) -> Option<Picture> {
        let most = self.bars.iter().map(Bar::total).fold(0.0, f64::max);
        if most <= 0.0 {
            return None;
        }
        let used = |part: usize| self.bars.iter().any(|bar| bar.parts()[part] > 0.0);
        let parts = self.of.parts.iter().enumerate();
        let key = parts.map(|(part, (name, colour))| (used(part), Sign::Swatch(*colour), *name));
        let mut picture = figure::start(title, width, key);
        let right = self.bars.iter().map(|bar| bar.end_width(self.of)).fold(30.0, f64::max);
        let names = self.bars.iter().map(|bar| bar.configuration.as_str());
        let shown = self.shown(most);
        let x = Scale::rounded(shown, 6).written(self.of.write);
        let (frame, rows) = figure::rows(&mut picture, names, (10.0, right), (x, self.of.x_title));
        for (bar, y) in self.bars.iter().zip(rows) {
            let end = draw_parts(&mut picture, self.of, bar, &frame, y);
            if bar.total() > shown {
                draw_break(&mut picture, (end - 12.0, y));
            }
            draw_remarks(&mut picture, self.of, bar, (end + 6.0, y));
        }
        Some(picture)
    }
}

impl BarChart {
    /// How far the scale goes: bars far longer than most are broken off.
    fn shown(&self, most: f64) -> f64 {
        const FAR: f64 = 4.0;
        let mut totals: Vec<f64> = self.bars.iter().map(Bar::total).collect();
        totals.sort_by(f64::total_cmp);
        let usual = totals.get(totals.len() / 2).copied().unwrap_or(0.0);
        let near = totals.into_iter().filter(|total| *total <= FAR * usual).fold(0.0, f64::max);
        if near > 0.0 && most > near { near * 1.2 } else { most }
    }
}

/// Two strokes over a bar that goes on.
fn draw_break(picture: &mut Picture, (x, y): (f64, f64)) {
    for x in [x, x + 5.0] {
        picture.line(vec![(x - 3.0, y + 9.0), (x + 3.0, y - 9.0)], WHITE, 2.5);
    }
}

/// Draws the parts; returns where the bar ends.
fn draw_parts(picture: &mut Picture, of: &Amount, bar: &Bar, frame: &Frame, y: f64) -> f64 {
    let mut before = 0.0;
    let parts = bar.parts().into_iter().zip(of.parts);
    for (amount, (_, colour)) in parts.filter(|(amount, _)| *amount > 0.0) {
        let (from, to) = (frame.x_of(before), frame.x_of(before + amount));
        // A white seam keeps neighbours apart without relying on colour.
        let segment = Bounds::new(from, y - 8.5, (to - from - 1.0).max(0.5), 17.0);
        picture.fill(segment, colour);
        let says = (of.write)(amount);
        if text::width(&says, TICK) + 6.0 < segment.width {
            let middle = (segment.left + segment.width / 2.0, y);
            let ink = palette::legible_on(colour);
            picture.text(Label::new(says, middle, Side::Middle, TICK, ink));
        }
        before += amount;
    }
    frame.x_of(before)
}

fn draw_remarks(picture: &mut Picture, of: &Amount, bar: &Bar, at: (f64, f64)) {
    let total = Label::new((of.write)(bar.total()), at, Side::Start, FIGURE, INK);
    let (mut end, y) = (total.bounds().right(), at.1);
    picture.text_on_paper(total);
    if !bar.remark.is_empty() {
        let remark = Label::new(&bar.remark, (end + 8.0, y), Side::Start, TICK, SOFT);
        end = remark.bounds().right();
        picture.text_on_paper(remark);
    }
    if let Some(failed) = bar.failed() {
        figure::sign(picture, Sign::Cross(VERMILLION), (end + 14.0, y));
        let colour = palette::text_of(VERMILLION);
        picture.text_on_paper(Label::new(failed, (end + 24.0, y), Side::Start, TICK, colour));
    }
}
