//! Places in a space of ranges, spread evenly: Halton's sequence (Halton, "On the Efficiency of
//! Certain Quasi-Random Sequences of Points", 1960), its digits permuted and all moved by lot.

use crate::prelude::*;
use rand::RngExt;

/// An even spread over some dimensions, each place from 0 to 1.
#[derive(Clone, Debug)]
pub(super) struct Spread {
    dimensions: Vec<Dimension>,
}

#[derive(Clone, Debug)]
struct Dimension {
    /// What each digit becomes; 0 stays, so that a number still ends.
    digits: Vec<u64>,
    /// By how much all are moved, around the end.
    shift: f64,
}

impl Spread {
    /// Over so many dimensions, by a seed.
    pub(super) fn new(dimensions: usize, seed: Seed) -> Spread {
        let mut rng = seed.derive(&["tune", "draw"]).rng();
        let dimension = |base: u64| {
            let mut digits: Vec<u64> = (0..base).collect();
            for place in (2..digits.len()).rev() {
                digits.swap(place, rng.random_range(1..=place));
            }
            Dimension { digits, shift: rng.random::<f64>() }
        };
        Spread { dimensions: primes().take(dimensions).map(dimension).collect() }
    }

    /// The place of this number.
    pub(super) fn at(&self, number: u64) -> Vec<f64> {
        let one = |dimension: &Dimension| {
            (inverse(number + 1, &dimension.digits) + dimension.shift).fract()
        };
        self.dimensions.iter().map(one).collect()
    }
}

/// The digits of a number behind the point, the last first.
fn inverse(mut number: u64, digits: &[u64]) -> f64 {
    let base = digits.len() as u64;
    let (mut sum, mut unit) = (0.0, 1.0);
    while number > 0 {
        unit /= base as f64;
        sum += digits[(number % base) as usize] as f64 * unit;
        number /= base;
    }
    sum
}

fn primes() -> impl Iterator<Item = u64> {
    (2..).filter(|number: &u64| (2..*number).all(|part| !number.is_multiple_of(part)))
}

/// A place near another, by one that is spread evenly: at most an eighth of the range away on
/// either side, and back from the ends.
pub(super) fn near(place: f64, by: f64) -> f64 {
    const REACH: f64 = 0.25;
    let moved = place + REACH * (by - 0.5);
    let back = if moved < 0.0 { -moved } else { moved };
    if back > 1.0 { 2.0 - back } else { back }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// forall seed, dimension of base b: any b numbers in a row that begin at a multiple of b
        /// fall into b different parts of the range.
        #[test]
        fn every_part_of_each_range_is_drawn_once_in_a_round(seed in 0_u64..500, round in 0_u64..40) {
            let spread = Spread::new(5, Seed(seed));
            for (place, base) in [2_u64, 3, 5, 7, 11].into_iter().enumerate() {
                let dimension = &spread.dimensions[place];
                let part = |number: u64| {
                    let moved = spread.at(number - 1)[place];
                    let own = (moved - dimension.shift).rem_euclid(1.0);
                    ((own + 1e-9) * base as f64) as u64
                };
                let first = base * (round + 1);
                let parts: BTreeSet<u64> = (first..first + base).map(part).collect();
                prop_assert_eq!(parts.len() as u64, base);
            }
        }

        #[test]
        fn a_place_near_another_stays_in_the_range_and_within_reach(
            place in 0.0..=1.0_f64, by in 0.0..1.0_f64,
        ) {
            let found = near(place, by);
            prop_assert!((0.0..=1.0).contains(&found));
            prop_assert!((found - place).abs() <= 0.125 + 1e-12);
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_and_another_one_others() {
        let drawn = |seed| (0..20).map(|number| Spread::new(3, Seed(seed)).at(number)).collect();
        let (one, again, other): (Vec<_>, Vec<_>, Vec<_>) = (drawn(1), drawn(1), drawn(2));
        assert_eq!(one, again);
        assert_ne!(one, other);
    }
}
