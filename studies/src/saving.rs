//! ADR-0014's claim on savings: one bar and the same sizes of sessions on every page.
//!
//! Its success metrics say: "Context summarization reduces token usage by 40-60% for sessions >
//! 50K tokens". A measure of success is met by who saves more, so the bar is the lower end; a
//! saving beyond the upper one is no contradiction. Token usage is the tokens of all prompts
//! against the same session sent whole. The claim is about every session over 50,000 tokens, so
//! sizes are judged apart: where one was not driven, the verdict holds for the other alone.

use std::ops::Range;

use crate::claims::{Judged, Pooled, at_least};

/// The least share that is to be saved.
pub const LEAST: f64 = 0.40;

/// Sizes of sessions, in tokens of the largest prompt when sent whole: those that the record
/// calls long, and those beyond.
pub const SIZES: [(&str, Range<f64>); 2] =
    [("50k to 100k tokens", 50_000.0..100_000.0), ("from 100k tokens", 100_000.0..f64::INFINITY)];

/// The verdict on the savings of one configuration, pooled for each of [`SIZES`].
pub fn judged(savings: [Pooled; 2]) -> Judged {
    at_least(LEAST, SIZES.map(|(name, _)| name).into_iter().zip(savings).collect())
}

#[cfg(test)]
mod tests {
    use proctor_eval::stats::resample::Interval;

    use super::*;

    fn saved(low: f64, high: f64) -> Pooled {
        let value = Some(f64::midpoint(low, high));
        Pooled { value, interval: Some(Interval { low, high }), n: 9 }
    }

    #[test]
    fn a_saving_beyond_the_band_is_no_contradiction() {
        for (short, long, word) in [
            (saved(0.5, 0.55), saved(0.7, 0.8), "holds"),
            (saved(0.2, 0.3), saved(0.7, 0.8), "holds where sessions are from 100k tokens"),
            (Pooled::default(), saved(0.7, 0.8), "holds where sessions are from 100k tokens"),
            (saved(0.7, 0.8), Pooled::default(), "holds where sessions are 50k to 100k tokens"),
            (saved(0.2, 0.3), saved(0.1, 0.3), "does not hold"),
            (Pooled::default(), saved(0.1, 0.3), "does not hold"),
            (saved(0.3, 0.5), saved(0.3, 0.5), "not decided"),
        ] {
            assert_eq!(judged([short, long]).verdict.words(), word);
        }
    }
}
