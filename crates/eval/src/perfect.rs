//! The summarizer that is told the facts in the material it is shown: the ceiling of every quality
//! table. What is lost under it was never shown, or did not fit.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::ident::{FactId, MsgId};
use crate::summarize::simple::{Limits, in_order_within};
use crate::summarize::{Offline, Prompt, PromptMessage};
use crate::truth::{Searched, Truth};

/// Writes the statement of every fact that is present in the material.
#[derive(Debug)]
pub struct Perfect {
    /// What it declares.
    pub limits: Limits,
    index: Arc<Searched>,
    facts: Vec<Known>,
}

#[derive(Debug)]
struct Known {
    statement: String,
    born: MsgId,
    superseded_by: Option<FactId>,
}

impl Perfect {
    /// Told these facts, and where they stand.
    pub fn new(truth: &Truth, index: Arc<Searched>) -> Perfect {
        let known = truth.facts.iter().map(|fact| Known {
            // One fact, one line, however the statement is laid out.
            statement: fact.statement.split_whitespace().collect::<Vec<_>>().join(" "),
            born: fact.born,
            superseded_by: fact.superseded_by,
        });
        Perfect { limits: Limits::default(), index, facts: known.collect() }
    }

    /// The facts present in any one message's material.
    fn shown(&self, prompt: &Prompt) -> FxHashSet<FactId> {
        let mut shown = FxHashSet::default();
        for message in &prompt.messages {
            let held = self.index.search(&material(message));
            shown.extend(held.iter().filter(|held| held.present()).map(|held| held.fact));
        }
        shown
    }

    /// Whether a successor, near or far, is among the facts shown.
    fn replaced(&self, fact: FactId, shown: &FxHashSet<FactId>) -> bool {
        let next = |fact: &FactId| self.facts.get(fact.index()).and_then(|f| f.superseded_by);
        // Bounded by the number of facts, so that a ring in a broken answer key ends.
        std::iter::successors(next(&fact), next)
            .take(self.facts.len())
            .any(|successor| successor != fact && shown.contains(&successor))
    }
}

impl Offline for Perfect {
    fn limits(&self) -> Limits {
        self.limits
    }

    fn answer(&self, prompt: &Prompt) -> String {
        let shown = self.shown(prompt);
        let mut worth: Vec<FactId> =
            shown.iter().copied().filter(|&fact| !self.replaced(fact, &shown)).collect();
        // A fact that still holds comes before one that no longer does, and a
        // younger before an older, where not all can be written.
        worth.sort_unstable_by_key(|&fact| {
            let known = &self.facts[fact.index()];
            (known.superseded_by.is_some(), std::cmp::Reverse((known.born, fact)))
        });
        let statements =
            worth.iter().map(|fact| (fact.index(), &*self.facts[fact.index()].statement));
        in_order_within(statements, self.limits.allowed(prompt))
    }
}

/// What a message quotes from the conversation, one segment per line.
fn material(message: &PromptMessage) -> String {
    let quoted = message.segments.iter().filter(|segment| segment.material);
    quoted.map(|segment| &*segment.text).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{Role, Text};
    use crate::summarize::Segment;
    use crate::testkit;
    use crate::truth::{Fact, FactKind, Needle};
    use crate::unit::Tokens;

    fn fact(id: u32, name: &str, superseded_by: Option<u32>) -> Fact {
        Fact {
            statement: format!("the file {name} must\nnot change"),
            polarity: vec![Needle::Prose("must not".to_owned())],
            superseded_by: superseded_by.map(FactId),
            ..testkit::fact(id, FactKind::Constraint, name, id)
        }
    }

    fn perfect(truth: &Truth) -> Perfect {
        Perfect::new(truth, Arc::new(Searched::new(&truth.facts)))
    }

    fn truth() -> Truth {
        let facts = vec![
            fact(0, "alpha.rs", None),
            fact(1, "beta.rs", Some(2)),
            fact(2, "gamma.rs", None),
            fact(3, "delta.rs", None),
        ];
        Truth { facts, ..Truth::default() }
    }

    fn shown(material: &[&str], max_tokens: u64) -> String {
        let message = |text: &&str| PromptMessage {
            role: Role::User,
            segments: vec![
                Segment { text: Text::from("delta.rs must not be named here"), material: false },
                Segment { text: Text::from(*text), material: true },
            ],
        };
        let prompt = Prompt {
            system: None,
            messages: material.iter().map(message).collect(),
            max_tokens: Tokens(max_tokens),
            model: None,
            replicate: 0,
        };
        perfect(&truth()).answer(&prompt)
    }

    const ALPHA: &str = "You must not touch alpha.rs today.";
    const BETA: &str = "beta.rs must not be read";
    const GAMMA: &str = "gamma.rs must not be read";

    #[test]
    fn it_states_what_is_shown_and_nothing_else() {
        for (material, expected) in [
            (vec![], vec![]),
            (vec![ALPHA], vec!["alpha"]),
            (vec![GAMMA, ALPHA], vec!["alpha", "gamma"]),
            (vec!["alpha.rs", "one must not"], vec![]),
            (vec![BETA], vec!["beta"]),
            (vec![BETA, GAMMA], vec!["gamma"]),
        ] {
            let lines: Vec<String> =
                expected.iter().map(|n| format!("the file {n}.rs must not change")).collect();
            assert_eq!(shown(&material, 1_000), lines.join("\n"), "{material:?}");
        }
    }

    #[test]
    fn its_own_answer_holds_every_fact_it_was_shown() {
        let first = shown(&[ALPHA, GAMMA, "delta.rs must not go"], 1_000);
        let present = Searched::new(&truth().facts).search(&first);
        assert_eq!(present.iter().filter(|holding| holding.present()).count(), 3);
        assert_eq!(shown(&[&first], 1_000), first);
    }

    #[test]
    fn the_youngest_facts_that_hold_are_kept_when_not_all_fit() {
        assert_eq!(shown(&[ALPHA, GAMMA], 9), "the file gamma.rs must not change");
        assert_eq!(shown(&[ALPHA, BETA], 9), "the file alpha.rs must not change");
        assert_eq!(shown(&[ALPHA, BETA], 0), "");
    }

    #[test]
    fn a_ring_of_successors_ends() {
        let mut ring = truth();
        ring.facts[2].superseded_by = Some(FactId(1));
        let perfect = perfect(&ring);
        assert!(perfect.replaced(FactId(1), &FxHashSet::from_iter([FactId(2)])));
        assert!(!perfect.replaced(FactId(1), &FxHashSet::from_iter([FactId(1)])));
    }
}
