//! What is said, marked by a model in place of cue words: one request a session, and its answer.

use std::fmt::Write;

pub use super::stated::Mark;
use super::{extracted, stated};
use crate::prelude::*;
use crate::token::Counter;
use proctor_core::summarize::Prompt;

const INSTRUCTION: &str = include_str!("labels.md");

/// Bytes of one message of the agent that are shown.
const SHOWN: usize = 2_500;

/// The request that asks a model for the marks of a session, its answer as long as `most` tokens.
pub fn request(log: &Log, most: Tokens) -> Prompt {
    let mut shown = String::new();
    for message in &log.messages {
        let (who, text) = match message.role {
            Role::Assistant => {
                let end = message.content.floor_char_boundary(SHOWN.min(message.content.len()));
                ("AGENT", message.content[..end].to_owned())
            }
            _ => ("USER", super::typed(message).unwrap_or_default()),
        };
        if !text.trim().is_empty() {
            // OK because a string can be written to.
            let _ = write!(shown, "\n[{}] {who}:\n{}\n", message.id.0, text.trim());
        }
    }
    Prompt::of_user([(INSTRUCTION, false), (shown.as_str(), true)], most.0)
}

/// Reference tokens of a request.
pub fn tokens(request: &Prompt) -> Tokens {
    request.segments().map(|one| Counter::REFERENCE.tokenizer.count(&one.text)).sum()
}

/// The marks of an answer, and how many of its lines are none: no JSON, no kind of what is said, or
/// words that their message does not have.
pub fn marks(answer: &str, log: &Log) -> (Vec<Mark>, usize) {
    let lines = answer.lines().map(str::trim).filter(|line| line.starts_with('{'));
    let (mut marks, mut refused) = (Vec::new(), 0);
    for line in lines {
        let sound = |mark: &Mark| {
            let message = log.messages.get(mark.message as usize);
            let holds = message.is_some_and(|message| message.content.contains(&mark.text));
            holds && mark.kind.is_said() && !mark.text.trim().is_empty()
        };
        match serde_json::from_str::<Mark>(line).ok().filter(sound) {
            Some(mark) => marks.push(mark),
            None => refused += 1,
        }
    }
    (marks, refused)
}

/// The truth of a session: what is said as a model marked it, all else as [`super::extract`] finds it.
pub fn extract(log: &Log, marks: &[Mark]) -> Truth {
    extracted(log, stated::of_marks(log, marks))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> Log {
        let message = |id: u32, role, author, text: &str| {
            Message::new(MsgId(id), role, author, Millis(u64::from(id)), text)
        };
        let messages = vec![
            message(0, Role::User, Author::Human, "Paint the gate. Never paint the hinges."),
            message(1, Role::Assistant, Author::Agent, "I take the green of the fence."),
        ];
        Log { messages, ..Log::new("gate", "test") }
    }

    #[test]
    fn a_request_shows_each_message_with_its_number() {
        let request = request(&log(), Tokens(100));
        let shown: String = request.material().collect();
        assert_eq!(
            shown,
            "\n[0] USER:\nPaint the gate. Never paint the hinges.\n\n\
             [1] AGENT:\nI take the green of the fence.\n"
        );
        assert!(tokens(&request) > Tokens(300));
    }

    #[test]
    fn marks_are_words_of_their_message_and_become_facts() {
        let answer = "Here they are:\n\
            {\"message\": 0, \"kind\": \"safety-rule\", \"text\": \"Never paint the hinges.\"}\n\
            {\"message\": 1, \"kind\": \"decision\", \"text\": \"I take the green of the fence.\"}\n\
            {\"message\": 1, \"kind\": \"decision\", \"text\": \"I take the blue.\"}\n\
            {\"message\": 0, \"kind\": \"path\", \"text\": \"gate\"}\n\
            {\"message\": 9, \"kind\": \"pending\", \"text\": \"gate\"}\n\
            {\"message\": 0}";
        let (marks, refused) = marks(answer, &log());
        assert_eq!((marks.len(), refused), (2, 4));
        let truth = extract(&log(), &marks);
        let facts: Vec<(FactKind, &str)> =
            truth.facts.iter().map(|fact| (fact.kind, fact.statement.as_str())).collect();
        let expected = [
            (FactKind::SafetyRule, "Never paint the hinges."),
            (FactKind::Decision, "I take the green of the fence."),
        ];
        assert_eq!(facts, expected);
    }
}
