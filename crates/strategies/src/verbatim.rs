//! Words that are kept without a model: what the user said, and digests of work. No word is cut in
//! them: half a name is another name.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::log::{Call, Message, Past};
use crate::prelude::*;

/// The heading of the user's words.
pub(crate) const WORDS: &str = "What the user said then:\n";
/// The heading of a digest behind a summary.
pub(crate) const WORK: &str = "What was done then:\n\n";
/// Stands where something was left out.
pub(crate) const CUT: &str = " […]";

/// How much of each thing a digest holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Most tokens of each text of the agent.
    pub(crate) text: Tokens,
    /// Most tokens of each argument of a call; without any, calls are not told.
    pub(crate) argument: Tokens,
    /// Results of up to so many tokens are told.
    pub(crate) short: Tokens,
}

/// A digest in the making: beginnings of texts, calls and short results, each on its line.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) pieces: Vec<Piece>,
    /// Its length.
    pub(crate) bytes: usize,
    /// Calls that were told.
    calls: BTreeSet<String>,
}

impl Told {
    pub(crate) fn add_entry(&mut self, entry: &Entry, limits: Limits) {
        let source = |call: Option<&Call>| match call {
            Some(call) => Source::Call(entry.id, call.id.clone()),
            None => Source::Entry(entry.id),
        };
        self.add((entry.role, &entry.content(), &entry.calls), source, limits);
    }

    pub(crate) fn add_message(&mut self, message: &Message, limits: Limits) {
        let what = (message.role, &*message.content, &*message.calls);
        self.add(what, |_| Source::Log(message.id), limits);
    }

    fn add(
        &mut self,
        (role, text, calls): (Role, &str, &[Call]),
        source: impl Fn(Option<&Call>) -> Source,
        limits: Limits,
    ) {
        let length = match role {
            Role::Tool if text.len() > bytes(limits.short) => 0,
            Role::Tool => text.len(),
            _ => beginning(text, bytes(limits.text)),
        };
        self.quote(source(None), length);
        for call in calls.iter().filter(|_| limits.argument > Tokens::ZERO) {
            let line = format!("({}{})\n", call.name, told(&call.args, bytes(limits.argument)));
            if self.calls.insert(line.clone()) {
                self.bytes += line.len();
                self.pieces
                    .push(Piece::Extract { text: line.into(), of: vec![source(Some(call))] });
            }
        }
    }

    /// A line of so many bytes of a source.
    pub(crate) fn quote(&mut self, of: Source, length: usize) {
        if length > 0 {
            self.bytes += length + 1;
            self.pieces.push(Piece::Quote { of, bytes: Some((0, length)) });
            self.pieces.push(Piece::literal("\n"));
        }
    }
}

/// The texts among the arguments of a call, each from its beginning.
fn told(args: &str, most: usize) -> String {
    let Ok(Value::Object(args)) = serde_json::from_str(args) else { return String::new() };
    let texts = args.values().filter_map(Value::as_str);
    let short = |text: &str| match &text[..beginning(text, most)] {
        "" => String::new(),
        text => format!(" {}", text.replace('\n', " ")),
    };
    texts.map(short).collect()
}

/// What the user said in these messages, the newest within the budget, `each` at most of one; in
/// order.
pub(crate) fn said(covered: &Spans, past: Past, each: Tokens, budget: Tokens) -> Vec<Piece> {
    let messages = covered.iter().filter_map(|id| past.messages.get(id.index()));
    let typed: Vec<&Message> = messages.filter(|one| !one.words().is_empty()).collect();
    let (most, mut left) = (bytes(each), bytes(budget));
    let fits = |message: &&&Message| {
        let length = message.content.len().min(most);
        let fits = length <= left;
        left = left.saturating_sub(length);
        fits
    };
    let newest = typed.iter().rev().take_while(fits).count();
    let quote = |message: &&Message| {
        let mut pieces = vec![Piece::literal("\n- ")];
        pieces.extend(ends(&Source::Log(message.id), &message.content, most, CUT));
        pieces
    };
    typed[typed.len() - newest..].iter().flat_map(quote).collect()
}

/// A digest of what the agent wrote and did in these messages, the newest within the budget; in
/// order.
pub(crate) fn done(covered: &Spans, past: Past, limits: Limits, budget: Tokens) -> Vec<Piece> {
    let messages: Vec<&Message> =
        covered.iter().filter_map(|id| past.messages.get(id.index())).collect();
    let (mut told, mut left) = (Vec::new(), bytes(budget));
    for message in messages.into_iter().rev() {
        if matches!(message.role, Role::User | Role::System) {
            continue;
        }
        let mut one = Told::default();
        one.add_message(message, limits);
        let Some(rest) = left.checked_sub(one.bytes) else { break };
        left = rest;
        told.push(one.pieces);
    }
    told.into_iter().rev().flatten().collect()
}

/// A text whole, or its beginning and end in whole words.
pub(crate) fn ends(of: &Source, text: &str, most: usize, notice: &str) -> Vec<Piece> {
    let quote = |from, to| Piece::Quote { of: of.clone(), bytes: Some((from, to)) };
    if text.len() <= most {
        return vec![quote(0, text.len())];
    }
    let rest = text.ceil_char_boundary(text.len() - most / 2);
    let space = text[rest..].find(char::is_whitespace);
    let tail = space.map_or(text.len(), |place| rest + place);
    vec![quote(0, beginning(text, most / 2)), Piece::literal(notice), quote(tail, text.len())]
}

/// How much of a text so many bytes hold, to the end of a word.
fn beginning(text: &str, most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    let end = text.floor_char_boundary(most);
    text[..end].rfind(char::is_whitespace).unwrap_or(0)
}

/// About so many bytes.
pub(crate) fn bytes(tokens: Tokens) -> usize {
    tokens.0 as usize * 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::Line::{self, Calls, Output};
    use crate::testkit::Scene;

    #[test]
    fn a_text_that_is_too_long_is_its_ends_in_whole_words() {
        let text = "one two three four five six seven";
        let ends = |most| -> String {
            let pieces = ends(&Source::Entry(EntryId(0)), text, most, "|");
            let told = pieces.into_iter().map(|piece| match piece {
                Piece::Quote { bytes: Some((from, to)), .. } => text[from..to].to_owned(),
                Piece::Literal(text) => text.to_string(),
                other => panic!("{other:?}"),
            });
            told.collect()
        };
        assert_eq!((ends(14), ends(text.len())), ("one| seven".to_owned(), text.to_owned()));
    }

    /// The length of a digest of the last entry.
    fn told_of(line: Line, argument: u64) -> usize {
        let mut scene = Scene::lines(&[Calls("", &[("c1", "read", "{}")])]);
        scene.more_lines(&[line]);
        let limits = Limits { text: Tokens(2), argument: Tokens(argument), short: Tokens(5) };
        let mut told = Told::default();
        told.add_entry(&scene.view.entries()[1], limits);
        told.bytes
    }

    #[test]
    fn short_results_are_told_whole_and_arguments_from_their_beginning() {
        let whole = "twenty bytes exactly";
        assert_eq!(told_of(Output("c1", whole), 2), whole.len() + 1);
        assert_eq!(told_of(Output("c1", &format!("{whole}.")), 2), 0);
        let args = r#"{"path":"src/a b.rs","lines":3,"text":"one\ntwo three"}"#;
        let call = Calls("", &[("c2", "read", args)]);
        assert_eq!(told_of(call, 2), "(read src/a one two)\n".len());
        assert_eq!(told_of(call, 0), 0);
        assert_eq!(told(args, 8), " src/a one two");
    }
}
