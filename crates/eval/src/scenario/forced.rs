//! Boundaries that a scenario sets beforehand: where mode `forced` compacts.

use crate::log::{Boundary, BoundaryAction, Log, Role, Trigger};
use crate::prelude::*;
use crate::token::{MessageTokens, Tokenizer};

/// Points of a session that depend on its own tokens alone, whatever any strategy does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForcedAt {
    /// Whenever so many more tokens of messages have been written.
    EveryTokens(Tokens),
    /// Where the session's tokens are cut into so many equal parts.
    Parts(u32),
}

impl ForcedAt {
    pub(super) fn check(self) -> Result<(), String> {
        let (key, given, least, most) = match self {
            ForcedAt::EveryTokens(every) => ("every-tokens", every.0, 1_000, 100_000_000),
            ForcedAt::Parts(parts) => ("parts", u64::from(parts), 2, 1_000),
        };
        if (least..=most).contains(&given) {
            return Ok(());
        }
        Err(format!("{key} {given} is out of range: expected {least} to {most}"))
    }

    /// Gives the log an empty boundary before the first model call behind each point; points behind
    /// the last call, or before the same call as another, give none.
    pub(super) fn mark(self, log: &mut Log) {
        let size = |message| MessageTokens::of(message, Tokenizer::O200k).total();
        let sizes: Vec<Tokens> = log.messages.iter().map(size).collect();
        let all: Tokens = sizes.iter().copied().sum();
        let mut number = 1;
        let mut written = Tokens::ZERO;
        for (message, size) in log.messages.iter().zip(sizes) {
            if message.role == Role::Assistant && self.point(number, all) <= written {
                log.boundaries.push(Boundary {
                    before: message.id,
                    trigger: Trigger::Auto,
                    action: BoundaryAction::Nothing,
                    kept: Vec::new(),
                    pre_tokens: None,
                    post_tokens: None,
                });
                while self.point(number, all) <= written {
                    number += 1;
                }
            }
            written += size;
        }
    }

    fn point(self, number: u64, all: Tokens) -> Tokens {
        match self {
            ForcedAt::EveryTokens(every) => Tokens(every.0.saturating_mul(number)),
            ForcedAt::Parts(parts) if number < u64::from(parts) => {
                Tokens(all.0 * number / u64::from(parts))
            }
            ForcedAt::Parts(_) => Tokens::UNBOUNDED,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ident::Seed;
    use crate::scenario::Scenario;

    fn log(forced_at: Option<ForcedAt>) -> Log {
        let scenario = Scenario::embedded("smoke").expect("it ships");
        let scenario = Scenario { forced_at, ..scenario };
        scenario.session(Seed(1)).expect("a sound session").log
    }

    fn tokens_before(log: &Log, boundary: &Boundary) -> u64 {
        let past = &log.messages[..boundary.before.index()];
        past.iter().map(|message| MessageTokens::of(message, Tokenizer::O200k).total().0).sum()
    }

    #[test]
    fn points_stand_before_the_first_call_behind_their_tokens() {
        let log = log(Some(ForcedAt::EveryTokens(Tokens(5_000))));
        assert!(log.boundaries.len() > 2, "{}", log.boundaries.len());
        for (boundary, number) in log.boundaries.iter().zip(1..) {
            let message = log.message(boundary.before).expect("it is in the log");
            assert_eq!(message.role, Role::Assistant);
            assert_eq!(boundary.action, BoundaryAction::Nothing);
            assert!(tokens_before(&log, boundary) >= number * 5_000);
            // The call before it came too early.
            let earlier = log.messages[..boundary.before.index()].iter();
            let earlier = earlier.rev().find(|message| message.role == Role::Assistant);
            let earlier = Boundary { before: earlier.expect("a call").id, ..boundary.clone() };
            assert!(tokens_before(&log, &earlier) < number * 5_000);
        }
    }

    #[test]
    fn parts_are_one_fewer_boundaries_and_change_no_message() {
        let plain = log(None);
        assert!(plain.boundaries.is_empty());
        for parts in [2, 4, 7] {
            let marked = log(Some(ForcedAt::Parts(parts)));
            assert_eq!(marked.boundaries.len() as u32, parts - 1);
            assert_eq!(plain.messages, marked.messages);
        }
    }
}
