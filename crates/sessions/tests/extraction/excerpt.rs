//! Reads a labelled excerpt (its README says how it is written) into a log and
//! the facts that a person marked in it.

use std::path::Path;

use proctor_core::ident::MsgId;
use proctor_core::log::{Author, Call, CallId, Log, Message, Role, Text};
use proctor_core::truth::FactKind;
use proctor_core::unit::Millis;

use super::labels::Label;

/// The log of an excerpt's file, and its labels.
pub fn load(path: &Path) -> (Log, Vec<Label>) {
    let text = std::fs::read_to_string(path).expect("a readable excerpt");
    let name = path.file_stem().expect("a name").to_string_lossy();
    parse(&name, &text)
}

/// Parses one excerpt.
///
/// # Panics
///
/// On an unknown role or kind and on marks that do not close: the excerpt is wrong.
pub fn parse(name: &str, text: &str) -> (Log, Vec<Label>) {
    let mut labels = Vec::new();
    let mut messages: Vec<Message> = Vec::new();
    let marked = text.split("\n== ").skip(usize::from(!text.starts_with("== ")));
    for part in marked {
        let (head, body) = part.split_once('\n').unwrap_or((part, ""));
        let body = unmark(name, body.trim_end_matches('\n'), &mut labels);
        messages.push(message(name, head.trim_start_matches("== "), &body, &messages));
    }
    labels.sort();
    labels.dedup();
    (log(name, messages), labels)
}

fn log(name: &str, messages: Vec<Message>) -> Log {
    Log { messages, ..Log::new(name, "excerpt") }
}

fn message(name: &str, head: &str, body: &str, before: &[Message]) -> Message {
    let id = MsgId(before.len() as u32);
    let (role, author) = match head.split(' ').next() {
        Some("user") => (Role::User, Author::Human),
        Some("harness") => (Role::User, Author::Harness),
        Some("agent" | "call") => (Role::Assistant, Author::Agent),
        Some("result") => (Role::Tool, Author::Harness),
        _ => panic!("{name}: unknown role in `== {head}`"),
    };
    let tool = head.strip_prefix("call ");
    let calls = tool.map(|tool| Call {
        id: CallId::new(&format!("call{id:?}")),
        name: Text::from(tool),
        args: arguments(name, body).into(),
    });
    let answers = (role == Role::Tool).then(|| {
        let call = before.last().and_then(|message| message.calls.first());
        call.unwrap_or_else(|| panic!("{name}: a result without a call")).id.clone()
    });
    let at = Millis(u64::from(id.0) * 1000);
    let content = if tool.is_some() { "" } else { body };
    let calls = calls.into_iter().collect();
    Message { calls, answers, ..Message::new(id, role, author, at, content) }
}

/// `name = text` lines, continued by lines that begin with `| `.
fn arguments(name: &str, body: &str) -> String {
    let mut arguments: Vec<(String, String)> = Vec::new();
    for line in body.lines() {
        if let Some(rest) = line.strip_prefix('|') {
            let last = arguments.last_mut().unwrap_or_else(|| panic!("{name}: `{line}`"));
            last.1.push('\n');
            last.1.push_str(rest.strip_prefix(' ').unwrap_or(rest));
        } else {
            let pair = line.split_once(" = ");
            let (key, value) = pair.unwrap_or_else(|| panic!("{name}: no argument in `{line}`"));
            arguments.push((key.to_owned(), value.to_owned()));
        }
    }
    let map: serde_json::Map<String, serde_json::Value> =
        arguments.into_iter().map(|(key, value)| (key, value.into())).collect();
    serde_json::Value::Object(map).to_string()
}

/// The text without its marks; what they hold goes to the labels.
fn unmark(name: &str, text: &str, labels: &mut Vec<Label>) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut open: Vec<(FactKind, usize)> = Vec::new();
    let mut rest = text;
    while let Some(place) = rest.find(['⟦', '⟧']) {
        plain.push_str(&rest[..place]);
        let mark = &rest[place..];
        if let Some(mark) = mark.strip_prefix('⟦') {
            let (kind, behind) = mark.split_once('|').expect("a kind before `|`");
            open.push((kind_named(name, kind), plain.len()));
            rest = behind;
        } else {
            let (kind, start) = open.pop().unwrap_or_else(|| panic!("{name}: stray ⟧ in {text}"));
            labels.push(Label { kind, text: plain[start..].to_owned(), by_user: false });
            rest = &mark['⟧'.len_utf8()..];
        }
    }
    assert!(open.is_empty(), "{name}: a mark is not closed in {text}");
    plain.push_str(rest);
    plain
}

fn kind_named(name: &str, kind: &str) -> FactKind {
    let named = FactKind::ALL.into_iter().find(|known| known.name() == kind);
    named.unwrap_or_else(|| panic!("{name}: no kind `{kind}`"))
}
