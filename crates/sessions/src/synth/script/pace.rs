//! How long things take, in milliseconds, after two recorded sessions of 454 model calls. Quantiles
//! (10, 50, 90, 99 %) of an answer: 2.6, 3.5, 11, 60 s; of a tool: 0.5, 1.6, 7, 50 s; of a person who
//! stays with it: 16, 90, 420, 1,300 s. Longer absences are the plan's `pauses`.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::synth::draw::weighted;

/// A weight and a range.
type Range = (u32, u64, u64);

/// Until the model has answered.
pub(super) fn thinking(rng: &mut ChaCha8Rng) -> u64 {
    draw(&[(60, 2_000, 4_500), (30, 4_500, 11_000), (9, 11_000, 30_000), (1, 30_000, 90_000)], rng)
}

/// Until a tool has.
pub(super) fn running(rng: &mut ChaCha8Rng) -> u64 {
    draw(&[(50, 80, 2_000), (38, 2_000, 5_000), (11, 5_000, 20_000), (1, 20_000, 100_000)], rng)
}

/// Until a person has read and typed.
pub(super) fn waiting(rng: &mut ChaCha8Rng) -> u64 {
    draw(&[(22, 8_000, 35_000), (50, 35_000, 130_000), (24, 130_000, 290_000)], rng)
}

fn draw(ranges: &[Range], rng: &mut ChaCha8Rng) -> u64 {
    let range = weighted(rng, ranges, |range| range.0);
    range.map_or(0, |(_, from, to)| rng.random_range(*from..*to))
}
