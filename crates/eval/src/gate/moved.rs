//! The facts that a change won and lost, in numbers and by name.

use std::fmt;

use schemars::JsonSchema;

use crate::prelude::*;

/// What became of the needs that both sides came to, as deployed, under the main summarizer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MovedFacts {
    /// Needs of facts that both sides came to.
    pub needs: usize,
    /// Of them, known before.
    pub before: usize,
    /// Known after.
    pub after: usize,
    /// Known after and not before; some of them are named.
    pub won: Vec<MovedFact>,
    /// How many were won.
    pub won_count: usize,
    /// Known before and not after; some of them are named.
    pub lost: Vec<MovedFact>,
    /// How many were lost.
    pub lost_count: usize,
}

/// A fact where it was needed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MovedFact {
    /// The fact, in a sentence.
    pub statement: String,
    /// Its kind.
    pub kind: String,
    /// The scenario.
    pub scenario: String,
    /// The seed of its session.
    pub seed: u64,
    /// The step that needed it.
    pub step: u32,
}

impl MovedFacts {
    /// In sentences, for people.
    pub fn told(&self) -> Vec<String> {
        let MovedFacts { needs, before, after, won_count, lost_count, .. } = self;
        if *needs == 0 {
            return Vec::new();
        }
        let mut lines = vec![format!(
            "facts needed: {needs}; known {before} before and {after} after: {won_count} won, \
             {lost_count} lost"
        )];
        for (word, list) in [("won", &self.won), ("lost", &self.lost)] {
            lines.extend(list.iter().map(|one| format!("{word}: {one}")));
        }
        lines
    }
}

impl fmt::Display for MovedFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MovedFact { statement, kind, scenario, seed, step } = self;
        write!(f, "“{statement}” ({kind}; {scenario}, seed {seed}, step {step})")
    }
}
