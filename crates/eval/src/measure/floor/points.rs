//! The low waters of a run as it was deployed (METRICS 1, `floor.low_water`).

use crate::drive::probe::CHECKPOINTS;
use crate::unit::Tokens;

const STRETCHES: u32 = CHECKPOINTS;

/// Turn and tokens of the least view that a compaction left in each twelfth of a session of this
/// many turns. Of equally low views the first counts.
pub fn low_water(turns: u32, left: impl Iterator<Item = (u32, Tokens)>) -> Vec<(f64, f64)> {
    let mut lowest: [Option<(u32, Tokens)>; STRETCHES as usize] = [None; STRETCHES as usize];
    for (turn, tokens) in left {
        let turn = turn.max(1);
        let lowest = &mut lowest[stretch(turns, turn)];
        if lowest.is_none_or(|(_, least)| tokens < least) {
            *lowest = Some((turn, tokens));
        }
    }
    lowest.into_iter().flatten().map(|(turn, tokens)| (f64::from(turn), tokens.as_f64())).collect()
}

/// The first stretch whose last turn is this one or later.
fn stretch(turns: u32, turn: u32) -> usize {
    let ends = (1..STRETCHES).map(|number| (turns * number).div_ceil(STRETCHES));
    ends.take_while(|end| *end < turn).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stretch_has_its_lowest_view() {
        let of = |turns, left: &[(u32, u64)]| {
            low_water(turns, left.iter().map(|(turn, tokens)| (*turn, Tokens(*tokens))))
        };
        assert_eq!(of(24, &[]), []);
        // Turns 1-2 are the first stretch, 3-4 the second, 23-24 the last.
        assert_eq!(
            of(24, &[(1, 50), (2, 40), (2, 45), (3, 60), (4, 60), (24, 90)]),
            [(2.0, 40.0), (3.0, 60.0), (24.0, 90.0)]
        );
        // A short session has fewer stretches.
        assert_eq!(of(3, &[(0, 9), (1, 8), (2, 7), (3, 6)]), [(1.0, 8.0), (2.0, 7.0), (3.0, 6.0)]);
        // Turns beyond the session's own count belong to the last stretch.
        assert_eq!(of(12, &[(13, 5), (12, 6)]), [(13.0, 5.0)]);
    }
}
