//! What the calls of a log do with files: where an agent edits one that it has read before.

use std::collections::{BTreeMap, BTreeSet};

use super::calls::{argument, file, is_edit, is_read, is_whole_write};
use crate::ident::MsgId;
use crate::log::{Call, CallId, Log, Step, Text};

/// The first edit, in its turn, of a file that was read before.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// Index of the step whose answer makes it.
    pub step: usize,
    /// The file, as the call names it.
    pub file: String,
    /// The call that makes it.
    pub call: Call,
    /// What the agent was last shown of the file, or wrote into it: the last reading that is half as
    /// long as the one before it, or longer.
    pub known: Known,
}

/// Where the content of a file stands in a log.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// The message that holds it: a result, or an answer that wrote the file whole.
    pub message: MsgId,
    /// Its length there, in bytes.
    pub shown: usize,
    /// The content, as edited since.
    pub content: Text,
    /// The call that read it.
    pub read: Call,
    /// The message that last showed any part of the file, or wrote it.
    pub last: MsgId,
}

/// The edits of a log. What was shown since the call before an edit is no earlier knowledge.
pub fn edits(log: &Log, steps: &[Step]) -> Vec<Edit> {
    let results = log.messages.iter().filter(|message| message.failed);
    let failed: BTreeSet<&CallId> = results.filter_map(|one| one.answers.as_ref()).collect();
    let mut calls: BTreeMap<&CallId, &Call> = BTreeMap::new();
    let mut known: BTreeMap<String, Known> = BTreeMap::new();
    let mut turns: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let before = step.appended.start;
        for message in &log.messages[step.appended.clone()] {
            let call = message.answers.as_ref().and_then(|id| calls.get(id));
            let read = call.filter(|call| is_read(call) && !message.failed);
            if let Some((call, file)) = read.and_then(|call| Some((*call, file(call)?))) {
                let content = message.content.clone();
                let (message, shown) = (message.id, content.len());
                let shown = Known { message, shown, content, read: call.clone(), last: message };
                let at = known.entry(file).or_insert_with(|| shown.clone());
                // A small part that is looked at again is no more than was known.
                if 2 * shown.shown >= at.shown {
                    *at = shown;
                }
                at.last = message;
            }
        }
        for call in &log.messages[step.answer.index()].calls {
            calls.insert(&call.id, call);
            let edits = is_edit(call) && !failed.contains(&call.id);
            let Some(file) = file(call).filter(|_| edits) else { continue };
            let is_first = turns.insert(file.clone(), step.turn) != Some(step.turn);
            let Some(known) = known.get_mut(&file) else { continue };
            if is_whole_write(call) {
                let text = argument(call, &["content", "contents", "file_text", "text"]);
                known.content = text.map_or_else(|| known.content.clone(), Text::from);
                (known.message, known.shown) = (step.answer, known.content.len());
                known.last = step.answer;
            } else {
                if is_first && known.last.index() < before {
                    let (call, known) = (call.clone(), known.clone());
                    found.push(Edit { step: number, file, call, known });
                }
                known.content = edited(&known.content, call);
            }
        }
    }
    found
}

/// What a file reads after an edit: the text that the call replaces, replaced where it stands.
pub fn edited(content: &Text, call: &Call) -> Text {
    let old = argument(call, &["old", "old_string", "old_str", "oldString"]);
    let new = argument(call, &["new", "new_string", "new_str", "newString"]);
    match old.zip(new).filter(|(old, _)| !old.is_empty() && content.contains(old.as_str())) {
        Some((old, new)) => content.replacen(&old, &new, 1).into(),
        None => content.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{Author, Message, Role};
    use crate::unit::Millis;

    /// `u` is a human message, `r` and `e` read and edit the file, `w` writes it whole, `o` does neither.
    fn log(script: &str) -> Log {
        let mut log = Log::new("hand-made", "");
        let mut push = |role, author, content: String| {
            let id = MsgId(log.messages.len() as u32);
            log.messages.push(Message::new(id, role, author, Millis(0), content));
            log.messages.len() - 1
        };
        let mut tied: Vec<(usize, Call)> = Vec::new();
        for (number, one) in script.chars().enumerate() {
            if one == 'u' {
                push(Role::User, Author::Human, format!("u{number}"));
                continue;
            }
            let name = match one {
                'r' => "read_file",
                'e' => "edit_file",
                'o' => "other",
                _ => "write_file",
            };
            let args = format!("{{\"path\": \"a.rs\", \"content\": \"new {number}\"}}");
            let id = CallId::new(&format!("c{number}"));
            let call = Call { id, name: name.into(), args: args.into() };
            tied.push((push(Role::Assistant, Author::Agent, String::new()), call.clone()));
            tied.push((push(Role::Tool, Author::Harness, format!("text {number}")), call));
        }
        for (place, call) in tied {
            let message = &mut log.messages[place];
            match message.role {
                Role::Tool => message.answers = Some(call.id),
                _ => message.calls = vec![call],
            }
        }
        log
    }

    #[test]
    fn an_edit_counts_once_a_turn_and_only_where_the_file_was_read_before_the_last_call() {
        let found = |script: &str| -> Vec<(usize, String)> {
            let log = log(script);
            let edits = edits(&log, &log.steps());
            edits.into_iter().map(|one| (one.step, one.known.content.to_string())).collect()
        };
        assert_eq!(found("uoe"), []);
        // Read just now: nothing could have been kept or lost.
        assert_eq!(found("ure"), []);
        assert_eq!(found("uroe"), [(2, "text 1".to_owned())]);
        assert_eq!(found("uroee"), [(2, "text 1".to_owned())]);
        assert_eq!(found("uroeue").len(), 2);
        assert_eq!(found("uwoe"), [], "there is no call to read it again with");
        assert_eq!(found("urwoue"), [(3, "new 2".to_owned())]);
    }

    #[test]
    fn an_edit_changes_what_is_known() {
        let call = |args: &str| Call {
            id: CallId::new("c"),
            name: "edit".into(),
            args: args.to_owned().into(),
        };
        let text = Text::from("1 a\n2 b\n");
        let edit = call(r#"{"path": "f", "old_string": "a", "new_string": "aa"}"#);
        assert_eq!(&*edited(&text, &edit), "1 aa\n2 b\n");
        for args in
            [r#"{"path": "f"}"#, r#"{"old": "c", "new": "d"}"#, r#"{"old": "", "new": "d"}"#]
        {
            assert_eq!(edited(&text, &call(args)), text, "{args}");
        }
    }
}
