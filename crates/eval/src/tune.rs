//! A search over the numbers of a pipeline: more recall at need, for less cost.
//!
//! Everything here is a function of its arguments. Who searches brings a way to drive pipelines
//! over parts of the sessions ([`Drive`]); `src/cli/tune.rs` drives them in memory.

mod budget;
mod chosen;
mod draw;
mod effects;
mod front;
mod held;
mod json;
mod kind;
mod point;
mod range;
mod render;
mod score;
mod search;
mod settings;
mod split;
#[cfg(test)]
mod tests;
mod trials;
mod verdict;

pub use budget::{Rungs, Size};
pub use chosen::chosen;
pub use effects::{Effect, Strength};
pub use held::{Held, HeldPoint};
pub use kind::Kind;
pub use point::{Origin, Point};
pub use range::Range;
pub use render::{Part, Section, sections};
pub use score::{Cost, Score};
pub use search::{Drive, Found, Search, Trial};
pub use settings::{Setting, settings};
pub use split::Split;
pub use trials::csv;
pub use verdict::{Aim, Outcome, Pick, Verdict};

use crate::error::Result;

/// All that a search found out.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// What was varied.
    pub ranges: Vec<Range>,
    /// The part that was searched.
    pub found: Found,
    /// The held-back part, of which alone results are told.
    pub held: Held,
    /// What each parameter does, over the points of the first rung.
    pub effects: Vec<Effect>,
}

impl Search<'_> {
    /// Searches, then drives what came of it over the held-back part, once.
    pub fn tune(&self, size: &Size, drive: &mut dyn Drive) -> Result<Tuning> {
        let found = self.found(size, drive)?;
        let held = Held::of(&found, size, drive)?;
        let effects = effects::of(self.ranges, &found);
        Ok(Tuning { ranges: self.ranges.to_vec(), found, held, effects })
    }
}
