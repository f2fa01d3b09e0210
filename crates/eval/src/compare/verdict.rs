//! What a difference is worth, in words.

use std::fmt;

use serde::{Serialize, Serializer};

use super::evidence::{Evidence, Shown};
use crate::number::short;

/// What is shown of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Verdict {
    shown: Shown,
    /// The whole interval lies within the margin.
    within: bool,
    margin: f64,
    /// Sessions or scenarios that would decide; told where it is open.
    needed: Option<usize>,
    /// Sessions that one side ended earlier. Figures of the rest are no ranking of all.
    left_out: usize,
}

/// Which side a figure speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Favour {
    /// The candidate's is better.
    Candidate,
    /// The baseline's is better.
    Baseline,
    /// A difference beyond the margin is excluded, in both directions.
    Neither,
    /// Neither shown nor excluded.
    Open,
}

impl Verdict {
    pub(super) fn favour(&self) -> Favour {
        match self.shown {
            Shown::Identical => Favour::Neither,
            _ if self.within => Favour::Neither,
            Shown::Better => Favour::Candidate,
            Shown::WorseBeyond | Shown::WorseWithin | Shown::Worse => Favour::Baseline,
            Shown::NotWorse | Shown::TooFew | Shown::Nothing => Favour::Open,
        }
    }

    pub(super) fn excludes_loss(&self) -> bool {
        let not_worse = [Shown::Identical, Shown::NotWorse, Shown::WorseWithin, Shown::Better];
        self.within || not_worse.contains(&self.shown)
    }

    pub(super) fn of(evidence: &Evidence, left_out: usize) -> Verdict {
        let margin = evidence.margin;
        let inside = |low: f64, high: f64| low > -margin && high < margin;
        let interval = evidence.interval().filter(|_| evidence.alone.is_some());
        Verdict {
            shown: evidence.shown(true),
            within: interval.is_some_and(|one| inside(one.low, one.high)),
            margin,
            needed: evidence.needed(),
            left_out,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let margin = short(self.margin);
        match (self.shown, self.needed) {
            (Shown::Identical, _) => f.write_str("no difference in any session")?,
            _ if self.within => write!(f, "no difference beyond {margin}")?,
            (Shown::Better, _) => f.write_str("better")?,
            (Shown::WorseBeyond, _) => write!(f, "worse by more than {margin}")?,
            (Shown::WorseWithin, _) => write!(f, "worse by less than {margin}")?,
            (Shown::Worse, _) => f.write_str("worse")?,
            (Shown::NotWorse, _) => write!(f, "not worse by more than {margin}")?,
            (Shown::TooFew | Shown::Nothing, Some(needed)) => {
                write!(f, "undecided (about {needed} would decide)")?;
            }
            (Shown::TooFew | Shown::Nothing, None) => f.write_str("undecided")?,
        }
        match self.left_out {
            0 => Ok(()),
            left_out => write!(f, ", without {left_out} that one side ended earlier"),
        }
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_has_its_words() {
        for (gain, noise, expected) in [
            (0.0, 0.0, "no difference in any session"),
            (0.0, 0.01, "no difference beyond 0.05"),
            (-0.02, 0.01, "no difference beyond 0.05"),
            (0.2, 0.01, "better"),
            (0.02, 0.06, "not worse by more than 0.05"),
            (-0.2, 0.01, "worse by more than 0.05"),
            (-0.05, 0.01, "worse"),
            (0.0, 0.2, "undecided (about 189 would decide)"),
        ] {
            assert_eq!(Verdict::of(&Evidence::seen(gain, noise), 0).to_string(), expected);
        }
    }

    #[test]
    fn who_ends_earlier_is_never_simply_better() {
        let better = Verdict::of(&Evidence::seen(0.2, 0.01), 3).to_string();
        assert_eq!(better, "better, without 3 that one side ended earlier");
    }
}
