//! Turns and steps: how a log is cut for replay.

use std::ops::Range;

use crate::ident::MsgId;
use crate::log::{Author, Log, Message, Role};

/// One model call: everything appended since the last call, then one assistant message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Messages appended since the previous call (no assistant message among them).
    pub appended: Range<usize>,
    /// The assistant message that the call produced.
    pub answer: MsgId,
    /// Human turns begun by then; 0 before the first.
    pub turn: usize,
}

/// Whether a message opens a turn: a person typed or approved it.
pub fn opens_turn(message: &Message) -> bool {
    opens_turn_as(message.role, message.author)
}

/// Whether a message of this role and author opens a turn.
pub fn opens_turn_as(role: Role, author: Author) -> bool {
    role == Role::User && matches!(author, Author::Human | Author::Approved)
}

impl Log {
    /// The messages of its turns, each one of a person and all that follow until the next.
    pub fn turns(&self) -> Vec<Range<usize>> {
        let opening = self.messages.iter().enumerate().filter(|(_, message)| opens_turn(message));
        let starts: Vec<usize> = opening.map(|(index, _)| index).collect();
        let ends = starts.iter().skip(1).copied().chain([self.messages.len()]);
        starts.iter().zip(ends).map(|(&start, end)| start..end).collect()
    }

    /// Steps: one per assistant message.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        let (mut start, mut turn) = (0, 0);
        for (index, message) in self.messages.iter().enumerate() {
            turn += usize::from(opens_turn(message));
            if message.role == Role::Assistant {
                steps.push(Step { appended: start..index, answer: message.id, turn });
                start = index + 1;
            }
        }
        steps
    }

    /// The first of the messages that the call for this answer adds to what the call before it
    /// was sent and answered. Nothing that begins there could have been kept or lost.
    pub fn fresh_from(&self, answer: MsgId) -> MsgId {
        let before = &self.messages[..answer.index().min(self.messages.len())];
        let last = before.iter().rposition(|message| message.role == Role::Assistant);
        MsgId(last.map_or(0, |last| last as u32 + 1))
    }
}

#[cfg(test)]
mod tests {
    use crate::ident::MsgId;
    use crate::testkit::scene;

    #[test]
    fn a_harness_message_opens_no_turn() {
        assert_eq!(scene("huatahua").log.turns(), [1..6, 6..8]);
    }

    #[test]
    fn what_a_call_adds_begins_behind_the_last_answer() {
        let log = scene("uatauuah").log;
        for (answer, first) in [(1, 0), (3, 2), (6, 4), (900, 7)] {
            assert_eq!(log.fresh_from(MsgId(answer)), MsgId(first), "{answer}");
        }
    }

    #[test]
    fn every_assistant_message_is_a_step() {
        let steps = scene("uatauuah").log.steps();
        let seen: Vec<_> =
            steps.into_iter().map(|s| (s.appended, s.answer.index(), s.turn)).collect();
        assert_eq!(seen, [(0..1, 1, 1), (2..3, 3, 1), (4..6, 6, 3)]);
    }
}
