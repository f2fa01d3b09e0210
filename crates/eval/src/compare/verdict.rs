//! What a difference is worth, in words.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::number::short;
use crate::stats::power::sessions_needed;
use crate::stats::resample::Interval;

/// Fewer sessions than this decide nothing (METRICS 5).
pub const LEAST_SESSIONS: usize = 8;

/// Chance of a false finding in the whole family.
pub(super) const LEVEL: f64 = 0.05;

/// What is said of a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// It differs the right way, by Holm's procedure and its interval.
    Better,
    /// It differs the wrong way.
    Worse,
    /// The whole interval lies within the margin.
    Within(f64),
    /// No session differs at all.
    Identical,
    /// Neither a difference nor its absence is shown; with the sessions that would be
    /// needed to find a difference of the margin, where some number would do.
    TooFew(Option<u64>),
    /// One side ended earlier than the other in this many sessions: on the steps that
    /// both reached it may look better, and that is not said.
    EndedEarlier {
        /// Whether it was the candidate.
        candidate: bool,
        /// In how many sessions.
        sessions: usize,
    },
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Better => f.write_str("better"),
            Verdict::Worse => f.write_str("worse"),
            Verdict::Within(margin) => write!(f, "no difference within {}", short(*margin)),
            Verdict::Identical => f.write_str("no difference in any session"),
            Verdict::TooFew(Some(needed)) => {
                write!(f, "not enough data (would need about {needed} sessions)")
            }
            Verdict::TooFew(None) => f.write_str("not enough data"),
            Verdict::EndedEarlier { candidate, sessions } => {
                let who = if *candidate { "the candidate" } else { "the baseline" };
                write!(f, "not ranked ({who} ended earlier in {sessions})")
            }
        }
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What a verdict rests on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    /// Sessions.
    pub(super) sessions: usize,
    /// Every difference is exactly 0.
    pub(super) identical: bool,
    /// Mean difference, turned so that above 0 is better.
    pub(super) gain: f64,
    /// Its interval, turned likewise.
    pub(super) interval: Option<Interval>,
    /// p after Holm's procedure.
    pub(super) p_holm: Option<f64>,
    /// Standard deviation of the differences.
    pub(super) deviation: f64,
    /// Difference that does not matter, above 0.
    pub(super) margin: f64,
    /// Tests in the family.
    pub(super) family: usize,
    /// Sessions that the candidate, or the baseline, ended earlier.
    pub(super) candidate_earlier: usize,
    /// See `candidate_earlier`.
    pub(super) baseline_earlier: usize,
    /// The metric is about how far sessions came.
    pub(super) about_completion: bool,
}

impl Evidence {
    pub(super) fn verdict(&self) -> Verdict {
        let found = self.on_its_face();
        if self.about_completion {
            return found;
        }
        let ended = |candidate, sessions| Verdict::EndedEarlier { candidate, sessions };
        match found {
            Verdict::Worse if self.baseline_earlier > 0 => ended(false, self.baseline_earlier),
            Verdict::Worse => Verdict::Worse,
            _ if self.candidate_earlier > 0 => ended(true, self.candidate_earlier),
            Verdict::Within(_) | Verdict::Identical if self.baseline_earlier > 0 => {
                ended(false, self.baseline_earlier)
            }
            found => found,
        }
    }

    fn on_its_face(&self) -> Verdict {
        if self.sessions > 0 && self.identical {
            return Verdict::Identical;
        }
        let Some(interval) = self.interval.filter(|_| self.sessions >= LEAST_SESSIONS) else {
            return Verdict::TooFew(self.needed());
        };
        // The margin says what matters: a difference wholly within it is none, however
        // surely it is there.
        if interval.low > -self.margin && interval.high < self.margin {
            return Verdict::Within(self.margin);
        }
        let shown = self.p_holm.is_some_and(|p| p <= LEVEL);
        if shown && interval.is_above(0.0) {
            return Verdict::Better;
        }
        if shown && interval.is_below(0.0) {
            return Verdict::Worse;
        }
        Verdict::TooFew(self.needed())
    }

    /// Sessions that would decide: enough for the exact tests to reach Holm's strictest
    /// step at all, and to find the difference that is seen, where the interval excludes
    /// 0, or else one of the margin.
    fn needed(&self) -> Option<u64> {
        let level = LEVEL / self.family.max(1) as f64;
        // Of n sessions that all agree, p is 2^(1 − n).
        let resolution = 1.0 + (1.0 / level).log2();
        let least = LEAST_SESSIONS.max(self.sessions + 1).max(resolution.ceil() as usize) as u64;
        let seen = self.interval.is_some_and(|one| one.is_above(0.0) || one.is_below(0.0));
        if seen {
            return Some(sessions_needed(self.deviation, self.gain, level)?.max(least));
        }
        let needed = sessions_needed(self.deviation, self.margin, level)?;
        if needed >= least {
            return Some(needed);
        }
        // The margin would have been found: the interval straddles it, and must shrink
        // to the distance that is left.
        let distance = (self.margin - self.gain.abs()).abs().max(self.margin / 10.0);
        let half = self.interval.map_or(0.0, |interval| (interval.high - interval.low) / 2.0);
        let more = self.sessions as f64 * (half / distance).powi(2);
        Some(least.max(more.ceil() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence() -> Evidence {
        Evidence {
            sessions: 12,
            identical: false,
            gain: 0.2,
            interval: Some(Interval { low: 0.1, high: 0.3 }),
            p_holm: Some(0.01),
            deviation: 0.2,
            margin: 0.05,
            family: 4,
            candidate_earlier: 0,
            baseline_earlier: 0,
            about_completion: false,
        }
    }

    #[test]
    fn every_verdict_has_its_evidence() {
        let of = |low, high, p| Evidence {
            gain: (low + high) / 2.0,
            interval: Some(Interval { low, high }),
            p_holm: Some(p),
            ..evidence()
        };
        for (evidence, expected) in [
            (evidence(), "better"),
            (of(-0.3, -0.1, 0.01), "worse"),
            (of(0.01, 0.04, 0.001), "no difference within 0.05"),
            (of(-0.04, 0.04, 1.0), "no difference within 0.05"),
            (Evidence { identical: true, ..of(0.0, 0.0, 1.0) }, "no difference in any session"),
        ] {
            assert_eq!(evidence.verdict().to_string(), expected);
        }
        for evidence in [
            of(-0.1, 0.3, 0.4),
            of(0.1, 0.3, 0.06),
            Evidence { sessions: 7, ..evidence() },
            Evidence { interval: None, ..evidence() },
        ] {
            let Verdict::TooFew(Some(needed)) = evidence.verdict() else {
                panic!("{evidence:?} is {:?}", evidence.verdict());
            };
            assert!(needed > evidence.sessions as u64, "{needed}");
        }
    }

    #[test]
    fn who_ends_earlier_is_never_better_and_its_partner_never_worse() {
        let worse = Evidence { interval: Some(Interval { low: -0.3, high: -0.1 }), ..evidence() };
        let earlier = |evidence| Evidence { candidate_earlier: 1, ..evidence };
        let later = |evidence| Evidence { baseline_earlier: 2, ..evidence };
        assert!(matches!(
            earlier(evidence()).verdict(),
            Verdict::EndedEarlier { candidate: true, .. }
        ));
        assert_eq!(earlier(worse).verdict(), Verdict::Worse);
        assert!(matches!(later(worse).verdict(), Verdict::EndedEarlier { candidate: false, .. }));
        assert_eq!(later(evidence()).verdict(), Verdict::Better);
        let completion = Evidence { about_completion: true, ..worse };
        assert_eq!(earlier(completion).verdict(), Verdict::Worse);
    }

    #[test]
    fn sessions_that_all_agree_need_only_the_resolution_of_the_test() {
        // 2^(1 − n) ≤ 0.05 / 18 from ten sessions on.
        let evidence = Evidence { sessions: 8, p_holm: Some(0.14), family: 18, ..evidence() };
        let agreeing = Evidence { gain: 0.5, deviation: 0.1, ..evidence };
        assert_eq!(agreeing.verdict(), Verdict::TooFew(Some(10)));
    }

    #[test]
    fn figures_are_short() {
        for (value, text) in [(0.0, "0"), (0.05, "0.05"), (-1234.5, "-1234"), (0.333_33, "0.333")] {
            assert_eq!(short(value), text);
        }
        assert_eq!(short(123_456.0), "123.5k");
    }
}
