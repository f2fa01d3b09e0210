//! Whether a difference is there at all: tests that assume only that sessions are drawn
//! independently.

use proctor_core::ident::Seed;
use rand::RngExt;

/// Up to so many values, all ways to flip their signs are gone through.
const EXACT: usize = 14;
/// Beyond, so many are drawn; the least p is 1 over one more.
const DRAWS: u32 = 9_999;
/// Sums that differ by less than this share are the same up to rounding.
const ROUNDING: f64 = 1e-9;

/// Two-sided p of the mean of one difference per session: how often it is at least as
/// far from 0 when every session may as well have had the other sign (Fisher, "The
/// Design of Experiments", 1935, section 21). Exact for few sessions, drawn for many.
/// `None` of nothing and of what is not finite.
pub fn sign_flip(differences: &[f64], seed: Seed) -> Option<f64> {
    if differences.is_empty() || differences.iter().any(|value| !value.is_finite()) {
        return None;
    }
    // A difference of 0 stays 0 whatever its sign.
    let values: Vec<f64> = differences.iter().copied().filter(|value| *value != 0.0).collect();
    let scale: f64 = values.iter().map(|value| value.abs()).sum();
    let found = values.iter().sum::<f64>().abs() - scale * ROUNDING;
    if values.len() <= EXACT {
        let all = 1_u32 << values.len();
        let as_far = (0..all).filter(|signs| {
            let flipped = values.iter().enumerate();
            let sum: f64 =
                flipped.map(|(bit, v)| if signs >> bit & 1 == 1 { -v } else { *v }).sum();
            sum.abs() >= found
        });
        return Some(as_far.count() as f64 / f64::from(all));
    }
    let mut rng = seed.rng();
    let as_far = (0..DRAWS).filter(|_| {
        let flipped = values.iter().map(|v| if rng.random::<bool>() { -v } else { *v });
        flipped.sum::<f64>().abs() >= found
    });
    Some((1.0 + as_far.count() as f64) / (1.0 + f64::from(DRAWS)))
}

/// p of the difference between the greatest and the least column mean: how often it is
/// at least as large when the columns of every row may as well have stood in any other
/// order. Holds although the two columns were picked after looking. Rows are sessions;
/// `None` without rows of two columns or more, all of one length.
pub fn spread(rows: &[Vec<f64>], seed: Seed, draws: u32) -> Option<f64> {
    let columns = rows.first()?.len();
    let sound = |row: &Vec<f64>| row.len() == columns && row.iter().all(|value| value.is_finite());
    if columns < 2 || draws == 0 || !rows.iter().all(sound) {
        return None;
    }
    let scale: f64 = rows.iter().flatten().map(|value| value.abs()).sum();
    let found = range(rows, columns) - scale * ROUNDING;
    let mut rows = rows.to_vec();
    let mut rng = seed.rng();
    let mut as_far = 0_u32;
    for _ in 0..draws {
        for row in &mut rows {
            for last in (1..columns).rev() {
                row.swap(last, rng.random_range(0..=last));
            }
        }
        as_far += u32::from(range(&rows, columns) >= found);
    }
    Some(f64::from(1 + as_far) / f64::from(1 + draws))
}

/// Greatest less least column sum.
fn range(rows: &[Vec<f64>], columns: usize) -> f64 {
    let mut sums = vec![0.0; columns];
    for row in rows {
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += value;
        }
    }
    let most = sums.iter().copied().fold(f64::MIN, f64::max);
    most - sums.iter().copied().fold(f64::MAX, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_signs_of_few_sessions_are_gone_through() {
        // Of 8 ways to sign 1, 2, 3 only all plus and all minus reach 6; -1 + 2 + 3 = 4
        // is reached by 4 of them: +-(1, 2, 3) and +-(-1, 2, 3).
        for (values, expected) in [
            (vec![1.0, 2.0, 3.0], 0.25),
            (vec![-1.0, 2.0, 3.0], 0.5),
            (vec![0.0, 0.0], 1.0),
            (vec![0.0, 5.0], 1.0),
        ] {
            let p = sign_flip(&values, Seed(1)).expect("a value");
            assert!((p - expected).abs() < 1e-12, "{values:?}: {p}");
        }
        assert_eq!(sign_flip(&[], Seed(1)), None);
        assert_eq!(sign_flip(&[f64::NAN], Seed(1)), None);
    }

    #[test]
    fn drawn_signs_come_near_the_binomial() {
        // 20 differences of one size, 16 up and 4 down: P(|20 - 2 X| >= 12) for
        // X ~ B(20, 1/2) is 2 * (1 + 20 + 190 + 1140 + 4845) / 2^20 = 0.011818.
        let values: Vec<f64> = (0..20).map(|place| if place < 4 { -1.0 } else { 1.0 }).collect();
        let p = sign_flip(&values, Seed(1)).expect("a value");
        assert!((p - 0.011_818).abs() < 0.004, "{p}");
    }

    #[test]
    fn a_spread_that_any_order_gives_is_none() {
        // Two columns, two rows: of 4 orders two put both ones in a column.
        let rows = vec![vec![1.0, 0.0], vec![1.0, 0.0]];
        let p = spread(&rows, Seed(1), 4_000).expect("a value");
        assert!((p - 0.5).abs() < 0.03, "{p}");
        let same = spread(&[vec![2.0, 2.0, 2.0]], Seed(1), 100);
        assert_eq!(same, Some(1.0));
        // Twelve sessions of one mind: 1 in 2^11 by chance.
        let firm: Vec<Vec<f64>> =
            (0..12).map(|row| vec![f64::from(row), f64::from(row) + 1.0]).collect();
        assert!(spread(&firm, Seed(1), 999).expect("a value") < 0.01);
        assert_eq!(spread(&[], Seed(1), 100), None);
        assert_eq!(spread(&[vec![1.0]], Seed(1), 100), None);
        assert_eq!(spread(&[vec![1.0, 2.0], vec![1.0]], Seed(1), 100), None);
    }
}
