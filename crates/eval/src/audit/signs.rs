//! Signs in the log that something was forgotten: what was done again after a compaction.

use std::ops::Range;

use serde::Serialize;
use serde_json::Value;

use super::Seen;
use crate::extract::calls::{command, file, is_listing};
use crate::ident::MsgId;
use crate::log::{Author, Call, Message, Role};
use crate::prelude::*;
use crate::token::MessageTokens;

crate::words! {
    /// What was done again.
    pub enum SignKind {
        /// A file that had been read was read again.
        ReadAgain = "read-again",
        /// A command was run again, word for word.
        RunAgain = "run-again",
        /// A call that had failed failed again.
        FailedAgain = "failed-again",
        /// A path that is not there was tried, and then searched for.
        WrongPath = "wrong-path",
        /// The person repeated an instruction.
        ToldAgain = "told-again",
    }
}

/// One sign.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sign {
    /// What was done again.
    pub kind: SignKind,
    /// The file, the command or the words.
    pub what: String,
    /// The message, and its line in the file.
    pub message: u32,
    /// See `message`.
    pub line: Option<usize>,
    /// The message before the compaction that had it already, and its line.
    pub earlier: Option<u32>,
    /// See `earlier`.
    pub earlier_line: Option<usize>,
    /// Tokens that it put into the context.
    pub tokens: u64,
    /// Seconds until its result came.
    pub seconds: f64,
}

/// Calls after a compaction in which signs are looked for: most of what a compaction costs falls in
/// the first 20.
const CALLS: usize = 40;
/// Calls after a wrong path in which a search for it counts.
const SOON: usize = 3;
/// The share of an instruction's words that a repetition has.
const REPEATS: f64 = 0.6;
/// Words of an instruction that is too short to be told from others.
const FEW: usize = 5;

struct Made<'a> {
    message: &'a Message,
    call: &'a Call,
    result: Option<&'a Message>,
}

/// Signs between a compaction and the next one.
pub(super) fn find(view: &Seen, from: MsgId, until: u32) -> Vec<Sign> {
    let log = view.log;
    let answers: BTreeMap<&str, &Message> =
        log.messages.iter().filter_map(|one| Some((&*one.answers.as_ref()?.0, one))).collect();
    let made = |messages: &'_ [Message]| -> Vec<(u32, usize)> {
        let of =
            |one: &Message| (0..one.calls.len()).map(|place| (one.id.0, place)).collect::<Vec<_>>();
        messages.iter().flat_map(of).collect()
    };
    let take = |(message, place): (u32, usize)| {
        let message = &log.messages[message as usize];
        let call = &message.calls[place];
        Made { message, call, result: answers.get(&*call.id.0).copied() }
    };
    let before: Vec<Made> = made(&log.messages[..from.index()]).into_iter().map(take).collect();
    let after = made(&log.messages[from.index()..until as usize]);
    let after: Vec<Made> = after.into_iter().take(CALLS).map(take).collect();
    let mut signs = Vec::new();
    let mut seen: BTreeSet<(SignKind, String)> = BTreeSet::new();
    for (place, one) in after.iter().enumerate() {
        let failed = one.result.is_some_and(|result| result.failed);
        let same = before
            .iter()
            .rev()
            .find(|other| other.call.name == one.call.name && other.call.args == one.call.args);
        let found = if let Some(file) = read_file(one.call) {
            if failed && searched_soon(&after[place + 1..], &file) {
                Some((SignKind::WrongPath, file, None))
            } else {
                let other = before.iter().rev().find(|other| {
                    read_file(other.call).as_ref() == Some(&file)
                        && overlap(lines_read(one.call), lines_read(other.call))
                });
                other
                    .filter(|_| !failed)
                    .map(|other| (SignKind::ReadAgain, file, Some(other.message.id.0)))
            }
        } else if failed && same.is_some_and(|same| same.result.is_some_and(|result| result.failed))
        {
            same.map(|same| (SignKind::FailedAgain, said(one.call), Some(same.message.id.0)))
        } else {
            command(one.call)
                .zip(same)
                .map(|(command, same)| (SignKind::RunAgain, command, Some(same.message.id.0)))
        };
        let Some((kind, what, earlier)) = found else { continue };
        if !seen.insert((kind, what.clone())) {
            continue;
        }
        let tokens = one.result.map_or(Tokens::ZERO, |result| {
            view.table.messages.get(result.id.index()).map_or(Tokens::ZERO, MessageTokens::total)
        });
        let seconds =
            one.result.map_or(0.0, |result| (result.at - one.message.at).0 as f64 / 1_000.0);
        signs.push(sign(view, kind, &what, (one.message.id.0, earlier), (tokens, seconds)));
    }
    signs.extend(told_again(view, from, until));
    signs
}

fn sign(
    view: &Seen,
    kind: SignKind,
    what: &str,
    (message, earlier): (u32, Option<u32>),
    (tokens, seconds): (Tokens, f64),
) -> Sign {
    Sign {
        kind,
        what: what.chars().take(160).collect(),
        message,
        line: view.line(message),
        earlier,
        earlier_line: earlier.and_then(|earlier| view.line(earlier)),
        tokens: tokens.0,
        seconds,
    }
}

/// An instruction of a person that has most words of one from before the compaction.
fn told_again(view: &Seen, from: MsgId, until: u32) -> Vec<Sign> {
    let words = |message: &Message| -> BTreeSet<String> {
        let text = message.words().join(" ").to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3);
        words.map(str::to_owned).collect()
    };
    let typed = |messages: &'_ [Message]| -> Vec<(u32, BTreeSet<String>)> {
        let own =
            messages.iter().filter(|one| one.role == Role::User && one.author == Author::Human);
        own.map(|one| (one.id.0, words(one))).filter(|(_, words)| words.len() >= FEW).collect()
    };
    let before = typed(&view.log.messages[..from.index()]);
    let after = typed(&view.log.messages[from.index()..until as usize]);
    let mut signs = Vec::new();
    for (message, own) in after {
        let near = before.iter().rev().find(|(_, other)| {
            let common = own.intersection(other).count() as f64;
            common >= REPEATS * own.len() as f64 && common >= REPEATS * other.len() as f64
        });
        if let Some((earlier, _)) = near {
            let text = view.log.messages[message as usize].words().join(" ");
            let at = (message, Some(*earlier));
            signs.push(sign(view, SignKind::ToldAgain, &text, at, (Tokens::ZERO, 0.0)));
        }
    }
    signs
}

/// The file that a call reads.
fn read_file(call: &Call) -> Option<String> {
    let name = call.name.to_lowercase();
    let reads = ["read", "view", "open"].iter().any(|word| name.contains(word));
    file(call).filter(|_| reads)
}

/// The lines of a file that a call reads; all of them where it names none.
fn lines_read(call: &Call) -> Range<u64> {
    let Ok(args) = serde_json::from_str::<Value>(&call.args) else { return 0..u64::MAX };
    let from = args.get("offset").and_then(Value::as_u64).unwrap_or(0);
    let length = args.get("limit").and_then(Value::as_u64).unwrap_or(u64::MAX);
    from..from.saturating_add(length)
}

fn overlap(one: Range<u64>, other: Range<u64>) -> bool {
    one.start < other.end && other.start < one.end
}

fn said(call: &Call) -> String {
    command(call).unwrap_or_else(|| format!("{} {}", call.name, call.args))
}

/// Whether one of the next calls looks for the file's name.
fn searched_soon(next: &[Made], file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.split('.').next().unwrap_or(name);
    next.iter().take(SOON).any(|one| is_listing(one.call) && one.call.args.contains(stem))
}
