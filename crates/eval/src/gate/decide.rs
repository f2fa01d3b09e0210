//! What a difference is worth to a gate.

use super::verdict::Verdict;
use crate::compare::LEAST_SESSIONS;
use crate::number::short;
use crate::stats::power::{detectable_difference, sessions_needed};
use crate::stats::resample::Interval;

/// What a verdict rests on, turned so that above 0 is better.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    /// Sessions with the figure on both sides.
    pub(super) sessions: usize,
    /// Cells that lack a figure which the baseline has.
    pub(super) missing: usize,
    /// Every difference is exactly 0.
    pub(super) identical: bool,
    /// Mean gain.
    pub(super) gain: f64,
    /// Its interval.
    pub(super) interval: Option<Interval>,
    /// Standard deviation of the differences.
    pub(super) deviation: f64,
    /// p after Holm's procedure.
    pub(super) p_holm: Option<f64>,
    /// Chance of a false finding in the family.
    pub(super) level: f64,
    /// Tests in the family.
    pub(super) tests: usize,
    /// Loss that does not matter.
    pub(super) margin: f64,
}

/// A verdict with how it came about.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Decision {
    pub(super) verdict: Verdict,
    pub(super) reason: String,
    /// Sessions that would decide.
    pub(super) needed: Option<u64>,
}

impl Evidence {
    /// Holm's strictest step: what every test of the family passes if need be.
    fn strictest(&self) -> f64 {
        self.level / self.tests.max(1) as f64
    }

    /// Least difference that these sessions would find.
    pub(super) fn detectable(&self) -> Option<f64> {
        if self.sessions >= 2 && self.deviation == 0.0 {
            return Some(0.0);
        }
        detectable_difference(self.sessions as u64, self.deviation, self.strictest())
    }

    pub(super) fn decision(&self) -> Decision {
        let decided = |verdict, reason: String| Decision { verdict, reason, needed: None };
        let open =
            |reason: String, needed| Decision { verdict: Verdict::Inconclusive, reason, needed };
        if self.sessions == 0 {
            return open("no session has the figure on both sides".to_owned(), None);
        }
        if self.identical && self.missing == 0 {
            let reason = format!("no difference in any of {} sessions", self.sessions);
            return decided(Verdict::PassIdentical, reason);
        }
        if self.sessions < LEAST_SESSIONS {
            let few = format!("n too small: {} of {LEAST_SESSIONS} sessions", self.sessions);
            return open(few, self.needed());
        }
        let (gain, margin) = (short(self.gain.abs()), short(self.margin));
        if self.is_significant() && self.gain < -self.margin {
            let reason = format!("worse by {gain}, beyond the margin of {margin}");
            return decided(Verdict::Regression, reason);
        }
        if self.missing > 0 {
            let reason = format!("{} cells lack a figure that the baseline has", self.missing);
            return open(reason, None);
        }
        if self.is_significant() && self.gain > 0.0 {
            return decided(Verdict::Improvement, format!("better by {gain}"));
        }
        if self.gain < -self.margin {
            let reason = format!("worse by {gain}, which may be chance");
            return open(reason, self.needed());
        }
        if f64::powi(2.0, 1 - self.sessions as i32) > self.strictest() {
            let reason = format!(
                "{} sessions of one mind would not be enough for {} tests",
                self.sessions, self.tests
            );
            return open(reason, self.needed());
        }
        match self.detectable() {
            Some(detectable) if detectable <= self.margin => decided(
                Verdict::Pass,
                format!("within the margin of {margin}; {} would be found", short(detectable)),
            ),
            detectable => {
                let least = detectable.map_or_else(|| "nothing".to_owned(), short);
                let reason = format!("only a difference of {least} would be found, not {margin}");
                open(reason, self.needed())
            }
        }
    }

    fn is_significant(&self) -> bool {
        let shown = self.p_holm.is_some_and(|p| p <= self.level);
        // Where nothing varies there is no interval, and none is needed.
        let apart = self.interval.is_none_or(|one| one.is_above(0.0) || one.is_below(0.0));
        shown && apart
    }

    /// Sessions that would decide: enough to find the margin, or the loss that is seen
    /// where it is beyond, and for the exact test to reach Holm's strictest step.
    fn needed(&self) -> Option<u64> {
        let level = self.strictest();
        let resolution = (1.0 + (1.0 / level).log2()).ceil() as u64;
        let least = resolution.max(LEAST_SESSIONS as u64).max(self.sessions as u64 + 1);
        if self.sessions < 2 {
            // Nothing is known of how sessions differ.
            return Some(least);
        }
        let wanted = if self.gain < -self.margin { self.gain } else { self.margin };
        Some(sessions_needed(self.deviation, wanted, level)?.max(least))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence() -> Evidence {
        Evidence {
            sessions: 12,
            missing: 0,
            identical: false,
            gain: 0.0,
            interval: Some(Interval { low: -0.01, high: 0.01 }),
            deviation: 0.01,
            p_holm: Some(0.8),
            level: 0.05,
            tests: 4,
            margin: 0.05,
        }
    }

    fn seen(gain: f64, p: f64) -> Evidence {
        let interval = Some(Interval { low: gain - 0.02, high: gain + 0.02 });
        Evidence { gain, interval, p_holm: Some(p), ..evidence() }
    }

    #[test]
    fn every_verdict_has_its_evidence() {
        use Verdict::{Improvement, Inconclusive, Pass, PassIdentical, Regression};
        let noisy = |evidence| Evidence { deviation: 0.2, ..evidence };
        for (evidence, verdict, says) in [
            (evidence(), Pass, "within the margin"),
            (Evidence { identical: true, ..evidence() }, PassIdentical, "any of 12 sessions"),
            (Evidence { identical: true, sessions: 1, ..evidence() }, PassIdentical, "of 1"),
            (seen(-0.2, 0.01), Regression, "worse by 0.2, beyond the margin of 0.05"),
            (seen(0.2, 0.01), Improvement, "better by 0.2"),
            // A loss within the margin is none, a gain needs no margin.
            (seen(-0.04, 0.01), Pass, "within the margin"),
            (seen(0.04, 0.01), Improvement, "better by 0.04"),
            // What may be chance is neither a regression nor a pass.
            (seen(-0.2, 0.06), Inconclusive, "may be chance"),
            // Sessions that could not have found the margin do not pass.
            (noisy(evidence()), Inconclusive, "only a difference of"),
            (noisy(seen(0.04, 0.3)), Inconclusive, "only a difference of"),
            (noisy(seen(-0.3, 0.01)), Regression, "worse by 0.3"),
            (Evidence { sessions: 7, ..seen(-0.2, 0.01) }, Inconclusive, "n too small: 7 of 8"),
            (Evidence { sessions: 0, ..evidence() }, Inconclusive, "on both sides"),
            (Evidence { sessions: 8, tests: 40, ..evidence() }, Inconclusive, "of one mind"),
            // A figure that is gone cannot be said to be as good.
            (Evidence { missing: 1, ..seen(0.2, 0.01) }, Inconclusive, "lack a figure"),
            (Evidence { missing: 1, identical: true, ..evidence() }, Inconclusive, "lack"),
            (Evidence { missing: 1, ..seen(-0.2, 0.01) }, Regression, "worse"),
        ] {
            let decision = evidence.decision();
            assert_eq!(decision.verdict, verdict, "{evidence:?}: {}", decision.reason);
            assert!(decision.reason.contains(says), "{} has no `{says}`", decision.reason);
        }
    }

    #[test]
    fn what_is_open_says_how_many_sessions_would_decide() {
        let noisy = Evidence { deviation: 0.2, ..evidence() };
        let needed = noisy.decision().needed.expect("some number would do");
        assert!(needed > 12);
        let enough = Evidence { sessions: needed as usize, ..noisy };
        assert_eq!(enough.decision().verdict, Verdict::Pass);
        // 2^(1 − n) ≤ 0.05 / 4 from eight sessions on, ≤ 0.05 / 40 from eleven.
        let one = Evidence { sessions: 1, deviation: f64::NAN, ..evidence() };
        assert_eq!(one.decision().needed, Some(8));
        let strict = Evidence { tests: 40, ..one };
        assert_eq!(strict.decision().needed, Some(11));
    }

    #[test]
    fn a_loss_of_the_same_size_everywhere_is_found() {
        let constant = Evidence { interval: None, deviation: 0.0, ..seen(-0.2, 0.01) };
        assert_eq!(constant.decision().verdict, Verdict::Regression);
    }
}
