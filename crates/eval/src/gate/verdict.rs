//! Verdicts, and which of them is worse.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::ExitCode;

/// What is said of a finding, and of a run: the worst of its findings that count.
///
/// The order is the order of badness. A broken invariant is a fact about the candidate,
/// whatever it is compared with; what makes a comparison void comes next, then what
/// became worse, then what is not known.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No session differs at all.
    PassIdentical,
    /// Whatever difference there is lies within the margin, and one beyond it would
    /// have been found.
    Pass,
    /// Better, by Holm's procedure.
    Improvement,
    /// Neither a difference nor its absence is shown.
    #[default]
    Inconclusive,
    /// There is nothing to compare with.
    NoBaseline,
    /// Worse, by Holm's procedure and by more than the margin.
    Regression,
    /// A session ends earlier than it did: no other figure can be judged.
    CompletionFell,
    /// Cells failed, or are not there.
    IncompleteRun,
    /// Baseline and run do not measure the same thing.
    Incompatible,
    /// A hard rule does not hold.
    InvariantViolated,
}

impl Verdict {
    /// All, the best first.
    pub const ALL: [Verdict; 10] = [
        Verdict::PassIdentical,
        Verdict::Pass,
        Verdict::Improvement,
        Verdict::Inconclusive,
        Verdict::NoBaseline,
        Verdict::Regression,
        Verdict::CompletionFell,
        Verdict::IncompleteRun,
        Verdict::Incompatible,
        Verdict::InvariantViolated,
    ];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::PassIdentical => "pass (identical)",
            Verdict::Pass => "pass",
            Verdict::Improvement => "improvement",
            Verdict::Inconclusive => "inconclusive",
            Verdict::NoBaseline => "no baseline",
            Verdict::Regression => "regression",
            Verdict::CompletionFell => "completion fell",
            Verdict::IncompleteRun => "incomplete run",
            Verdict::Incompatible => "incompatible",
            Verdict::InvariantViolated => "invariant violated",
        }
    }

    /// As JSON writes it, and rule ids: its words, joined by hyphens.
    pub fn key(self) -> String {
        self.name().replace(' ', "-").replace(['(', ')'], "")
    }

    /// Whether it lets a change through.
    pub fn passes(self) -> bool {
        self <= Verdict::Improvement
    }

    /// The exit code that tells it from every other.
    pub fn code(self) -> u8 {
        match self {
            Verdict::PassIdentical => ExitCode::PASS_IDENTICAL,
            Verdict::Pass => ExitCode::OK,
            Verdict::Improvement => ExitCode::IMPROVEMENT,
            Verdict::Inconclusive => ExitCode::INCONCLUSIVE,
            Verdict::NoBaseline => ExitCode::NO_BASELINE,
            Verdict::Regression => ExitCode::REGRESSION,
            Verdict::CompletionFell => ExitCode::COMPLETION_FELL,
            Verdict::IncompleteRun => ExitCode::INCOMPLETE_RUN,
            Verdict::Incompatible => ExitCode::INCOMPATIBLE,
            Verdict::InvariantViolated => ExitCode::INVARIANT_VIOLATED,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn verdicts_stand_in_the_order_of_badness_with_a_code_and_a_key_each() {
        assert!(Verdict::ALL.is_sorted());
        assert_eq!(Verdict::ALL.iter().filter(|verdict| verdict.passes()).count(), 3);
        let codes: BTreeSet<u8> = Verdict::ALL.map(Verdict::code).into();
        assert_eq!(codes.len(), Verdict::ALL.len());
        for verdict in Verdict::ALL {
            let json = serde_json::to_string(&verdict).expect("it serializes");
            assert_eq!(json, format!("\"{}\"", verdict.key()));
        }
    }
}
