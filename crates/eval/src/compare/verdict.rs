//! What a difference is worth, in words.

use std::fmt;

use serde::{Serialize, Serializer};

use super::evidence::{Evidence, LEAST_SESSIONS};
use crate::number::short;
use crate::stats::power::sessions_needed;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    /// It differs the right way, by Holm's procedure and its interval.
    Better,
    Worse,
    /// The whole interval lies within the margin.
    Within(f64),
    Identical,
    /// Neither a difference nor its absence is shown; with the sessions that would find the margin.
    TooFew(Option<u64>),
    /// One side ended earlier in so many sessions: what it shows on the others is not said.
    EndedEarlier {
        candidate: bool,
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

impl Verdict {
    /// With the sessions that candidate and baseline ended earlier than the other; none where
    /// that is the figure itself.
    pub(super) fn of(evidence: &Evidence, (candidate, baseline): (usize, usize)) -> Verdict {
        let ended = |candidate, sessions| Verdict::EndedEarlier { candidate, sessions };
        match on_its_face(evidence) {
            found if candidate > 0 && found != Verdict::Worse => ended(true, candidate),
            Verdict::Worse | Verdict::Within(_) | Verdict::Identical if baseline > 0 => {
                ended(false, baseline)
            }
            found => found,
        }
    }
}

fn on_its_face(evidence: &Evidence) -> Verdict {
    if evidence.sessions > 0 && evidence.identical {
        return Verdict::Identical;
    }
    let Some(interval) = evidence.interval.filter(|_| evidence.sessions >= LEAST_SESSIONS) else {
        return Verdict::TooFew(needed(evidence));
    };
    // The margin says what matters: a difference wholly within it is none, however
    // surely it is there.
    if interval.low > -evidence.margin && interval.high < evidence.margin {
        return Verdict::Within(evidence.margin);
    }
    if evidence.is_shown() && interval.is_above(0.0) {
        return Verdict::Better;
    }
    if evidence.is_shown() && interval.is_below(0.0) {
        return Verdict::Worse;
    }
    Verdict::TooFew(needed(evidence))
}

/// Sessions that would decide: for the exact tests to reach Holm's strictest step, and to find the
/// difference that is seen, where the interval excludes 0, or else one of the margin.
fn needed(evidence: &Evidence) -> Option<u64> {
    let (level, least) = (evidence.strictest(), evidence.least());
    if evidence.is_apart() {
        return Some(sessions_needed(evidence.deviation, evidence.gain, level)?.max(least));
    }
    let needed = sessions_needed(evidence.deviation, evidence.margin, level)?;
    if needed >= least {
        return Some(needed);
    }
    // The margin would have been found: the interval straddles it, and must shrink
    // to the distance that is left.
    let margin = evidence.margin;
    let distance = (margin - evidence.gain.abs()).abs().max(margin / 10.0);
    let half = evidence.interval.map_or(0.0, |interval| (interval.high - interval.low) / 2.0);
    let more = evidence.sessions as f64 * (half / distance).powi(2);
    Some(least.max(more.ceil() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::resample::Interval;

    fn evidence(low: f64, high: f64, p: f64) -> Evidence {
        let interval = Some(Interval { low, high });
        Evidence { interval, deviation: 0.2, ..Evidence::seen((low + high) / 2.0, p) }
    }

    fn better() -> Evidence {
        evidence(0.1, 0.3, 0.01)
    }

    #[test]
    fn every_verdict_has_its_evidence() {
        for (evidence, expected) in [
            (better(), "better"),
            (evidence(-0.3, -0.1, 0.01), "worse"),
            (evidence(0.01, 0.04, 0.001), "no difference within 0.05"),
            (evidence(-0.04, 0.04, 1.0), "no difference within 0.05"),
            (Evidence { identical: true, ..better() }, "no difference in any session"),
        ] {
            assert_eq!(Verdict::of(&evidence, (0, 0)).to_string(), expected);
        }
        for evidence in [
            evidence(-0.1, 0.3, 0.4),
            evidence(0.1, 0.3, 0.06),
            Evidence { sessions: 7, ..better() },
            Evidence { interval: None, ..better() },
        ] {
            let Verdict::TooFew(Some(needed)) = Verdict::of(&evidence, (0, 0)) else {
                panic!("{evidence:?}");
            };
            assert!(needed > evidence.sessions as u64, "{needed}");
        }
    }

    #[test]
    fn who_ends_earlier_is_never_better_and_its_partner_never_worse() {
        let worse = evidence(-0.3, -0.1, 0.01);
        let ended = |candidate, sessions| Verdict::EndedEarlier { candidate, sessions };
        for (evidence, candidate, baseline, expected) in [
            (better(), 1, 0, ended(true, 1)),
            (worse, 1, 0, Verdict::Worse),
            (worse, 0, 2, ended(false, 2)),
            (better(), 0, 2, Verdict::Better),
        ] {
            assert_eq!(Verdict::of(&evidence, (candidate, baseline)), expected);
        }
    }

    #[test]
    fn sessions_that_all_agree_need_only_the_resolution_of_the_test() {
        // 2^(1 − n) ≤ 0.05 / 18 from ten sessions on.
        let few = Evidence { sessions: 8, p_holm: Some(0.14), tests: 18, ..better() };
        let agreeing = Evidence { gain: 0.5, deviation: 0.1, ..few };
        assert_eq!(Verdict::of(&agreeing, (0, 0)), Verdict::TooFew(Some(10)));
    }
}
