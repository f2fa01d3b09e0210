//! Verdicts, and which of them is worse.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::ExitCode;

/// What is said of a finding, and of a run: the worst of its findings that count. Worst is a broken
/// invariant, then what voids a comparison, then what became worse, then what is not known.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No session differs at all.
    PassIdentical,
    /// A loss beyond the margin is excluded.
    Pass,
    /// Better, by Holm's procedure, and nothing that is gated worse.
    Improvement,
    /// A loss beyond the margin is neither shown nor excluded.
    #[default]
    Undecided,
    /// There is nothing to compare with.
    NoBaseline,
    /// Worse by more than the margin, by Holm's procedure.
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

/// All, the best first: in words, and with the exit code that tells each from every other.
pub(super) const ALL: [(Verdict, &str, u8); 10] = [
    (Verdict::PassIdentical, "pass (identical)", ExitCode::PASS_IDENTICAL),
    (Verdict::Pass, "pass", ExitCode::OK),
    (Verdict::Improvement, "improvement", ExitCode::IMPROVEMENT),
    (Verdict::Undecided, "undecided", ExitCode::UNDECIDED),
    (Verdict::NoBaseline, "no baseline", ExitCode::NO_BASELINE),
    (Verdict::Regression, "regression", ExitCode::REGRESSION),
    (Verdict::CompletionFell, "completion fell", ExitCode::COMPLETION_FELL),
    (Verdict::IncompleteRun, "incomplete run", ExitCode::INCOMPLETE_RUN),
    (Verdict::Incompatible, "incompatible", ExitCode::INCOMPATIBLE),
    (Verdict::InvariantViolated, "invariant violated", ExitCode::INVARIANT_VIOLATED),
];

impl Verdict {
    /// In words.
    pub fn name(self) -> &'static str {
        ALL[self as usize].1
    }

    /// As JSON writes it, and rule ids: its words, joined by hyphens.
    pub(super) fn key(self) -> String {
        self.name().replace(' ', "-").replace(['(', ')'], "")
    }

    pub(super) fn passes(self) -> bool {
        self <= Verdict::Improvement
    }

    pub(super) fn code(self) -> u8 {
        ALL[self as usize].2
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
        assert_eq!(ALL.iter().map(|(_, _, code)| code).collect::<BTreeSet<_>>().len(), ALL.len());
        for (place, (verdict, _, _)) in ALL.into_iter().enumerate() {
            assert_eq!((verdict as usize, verdict.passes()), (place, place < 3));
            let json = serde_json::to_string(&verdict).expect("it serializes");
            assert_eq!(json, format!("\"{}\"", verdict.key()));
        }
    }
}
