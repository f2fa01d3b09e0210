//! What a difference is worth to a gate.

use super::verdict::Verdict;
use crate::compare::{Evidence, LEAST_SESSIONS};
use crate::number::short;
use crate::stats::power::sessions_needed;

/// A verdict with how it came about.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Decision {
    pub(super) verdict: Verdict,
    pub(super) reason: String,
    /// Sessions that would decide.
    pub(super) needed: Option<u64>,
}

/// What the evidence is worth; `missing` cells lack a figure that the baseline has.
pub(super) fn decision(evidence: &Evidence, missing: usize) -> Decision {
    let decided = |verdict, reason: String| Decision { verdict, reason, needed: None };
    let open = |reason: String| decided(Verdict::Inconclusive, reason);
    let few = |reason: String| Decision { needed: needed(evidence), ..open(reason) };
    let sessions = evidence.sessions;
    if sessions == 0 {
        return open("no session has the figure on both sides".to_owned());
    }
    if evidence.identical && missing == 0 {
        let reason = format!("no difference in any of {sessions} sessions");
        return decided(Verdict::PassIdentical, reason);
    }
    if sessions < LEAST_SESSIONS {
        return few(format!("n too small: {sessions} of {LEAST_SESSIONS} sessions"));
    }
    // Where nothing varies there is no interval, and none is needed.
    let is_significant =
        evidence.is_shown() && (evidence.interval.is_none() || evidence.is_apart());
    let is_beyond = evidence.gain < -evidence.margin;
    let (gain, margin) = (short(evidence.gain.abs()), short(evidence.margin));
    if is_significant && is_beyond {
        let reason = format!("worse by {gain}, beyond the margin of {margin}");
        return decided(Verdict::Regression, reason);
    }
    if missing > 0 {
        return open(format!("{missing} cells lack a figure that the baseline has"));
    }
    if is_significant && evidence.gain > 0.0 {
        return decided(Verdict::Improvement, format!("better by {gain}"));
    }
    if is_beyond {
        return few(format!("worse by {gain}, which may be chance"));
    }
    if f64::powi(2.0, 1 - sessions as i32) > evidence.strictest() {
        let tests = evidence.tests;
        return few(format!("{sessions} sessions that agree would not do for {tests} tests"));
    }
    let detectable = evidence.detectable();
    let least = detectable.map_or_else(|| "nothing".to_owned(), short);
    match detectable.is_some_and(|detectable| detectable <= evidence.margin) {
        true => {
            let reason = format!("within the margin of {margin}; {least} would be found");
            decided(Verdict::Pass, reason)
        }
        false => few(format!("only a difference of {least} would be found, not {margin}")),
    }
}

/// Sessions that would decide: enough to find the margin, or the loss that is seen
/// where it is beyond, and for the exact test to reach Holm's strictest step.
fn needed(evidence: &Evidence) -> Option<u64> {
    let least = evidence.least();
    if evidence.sessions < 2 {
        // Nothing is known of how sessions differ.
        return Some(least);
    }
    let wanted = if evidence.gain < -evidence.margin { evidence.gain } else { evidence.margin };
    Some(sessions_needed(evidence.deviation, wanted, evidence.strictest())?.max(least))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn even() -> Evidence {
        Evidence::seen(0.0, 0.8)
    }

    #[test]
    fn every_verdict_has_its_evidence() {
        use Verdict::{Improvement, Inconclusive, Pass, PassIdentical, Regression};
        let (worse, better) = (Evidence::seen(-0.2, 0.01), Evidence::seen(0.2, 0.01));
        let noisy = |evidence| Evidence { deviation: 0.2, ..evidence };
        let identical = Evidence { identical: true, ..even() };
        for (evidence, missing, verdict, says) in [
            (even(), 0, Pass, "within the margin"),
            (identical, 0, PassIdentical, "any of 12 sessions"),
            (Evidence { sessions: 1, ..identical }, 0, PassIdentical, "of 1"),
            (worse, 0, Regression, "worse by 0.2, beyond the margin of 0.05"),
            (better, 0, Improvement, "better by 0.2"),
            // A loss of the same size everywhere has no interval.
            (Evidence { interval: None, deviation: 0.0, ..worse }, 0, Regression, "worse"),
            // A loss within the margin is none, a gain needs no margin.
            (Evidence::seen(-0.04, 0.01), 0, Pass, "within the margin"),
            (Evidence::seen(0.04, 0.01), 0, Improvement, "better by 0.04"),
            // What may be chance is neither a regression nor a pass.
            (Evidence::seen(-0.2, 0.06), 0, Inconclusive, "may be chance"),
            // Sessions that could not have found the margin do not pass.
            (noisy(even()), 0, Inconclusive, "only a difference of"),
            (noisy(Evidence::seen(0.04, 0.3)), 0, Inconclusive, "only a difference of"),
            (noisy(Evidence::seen(-0.3, 0.01)), 0, Regression, "worse by 0.3"),
            (Evidence { sessions: 7, ..worse }, 0, Inconclusive, "n too small: 7 of 8"),
            (Evidence { sessions: 0, ..even() }, 0, Inconclusive, "on both sides"),
            (Evidence { sessions: 8, tests: 40, ..even() }, 0, Inconclusive, "that agree"),
            // A figure that is gone cannot be said to be as good.
            (better, 1, Inconclusive, "lack a figure"),
            (identical, 1, Inconclusive, "lack"),
            (worse, 1, Regression, "worse"),
        ] {
            let decision = decision(&evidence, missing);
            assert_eq!(decision.verdict, verdict, "{evidence:?}: {}", decision.reason);
            assert!(decision.reason.contains(says), "{} has no `{says}`", decision.reason);
        }
    }

    #[test]
    fn what_is_open_says_how_many_sessions_would_decide() {
        let noisy = Evidence { deviation: 0.2, ..even() };
        let needed = decision(&noisy, 0).needed.expect("some number would do");
        assert!(needed > 12);
        let enough = Evidence { sessions: needed as usize, ..noisy };
        assert_eq!(decision(&enough, 0).verdict, Verdict::Pass);
        // 2^(1 − n) ≤ 0.05 / 4 from eight sessions on, ≤ 0.05 / 40 from eleven.
        let one = Evidence { sessions: 1, deviation: f64::NAN, ..even() };
        for (tests, needed) in [(4, 8), (40, 11)] {
            assert_eq!(decision(&Evidence { tests, ..one }, 0).needed, Some(needed));
        }
    }
}
