//! Signs in the log that something was forgotten: what was done again after a compaction.

use super::reads::Read;
use super::seen::Seen;
use crate::ident::MsgId;
use crate::log::calls::{command, file, is_listing, is_whole_write};
use crate::log::{Author, Call, Message, Role};
use crate::prelude::*;
use crate::token::MessageTokens;
use serde::Serialize;

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
    /// Calls that did it; a file is read again in parts.
    pub times: usize,
    /// Tokens that they put into the context.
    pub tokens: u64,
    /// Seconds until their results came.
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
    read: Option<Read>,
}

/// A read is one again where this share of its lines had been read.
const COVERED: f64 = 0.8;

/// Signs between a compaction and the next one. What was done before `since`, the compaction before
/// this one, was not this one's to lose; an instruction of the person may be from any time.
pub(super) fn find(view: &Seen, since: MsgId, from: MsgId, until: u32) -> Vec<Sign> {
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
        let result = answers.get(&*call.id.0).copied();
        Made { message, call, result, read: Read::of(call, result) }
    };
    let before = made(&log.messages[since.index()..from.index()]);
    let before: Vec<Made> = before.into_iter().map(take).collect();
    let after = made(&log.messages[from.index()..until as usize]);
    let after: Vec<Made> = after.into_iter().take(CALLS).map(take).collect();
    let mut signs: Vec<Sign> = Vec::new();
    for (place, one) in after.iter().enumerate() {
        let Some((kind, what, earlier)) =
            done_again(one, &before, &after[..place], &after[place + 1..])
        else {
            continue;
        };
        let tokens = one.result.map_or(Tokens::ZERO, |result| {
            view.table.messages.get(result.id.index()).map_or(Tokens::ZERO, MessageTokens::total)
        });
        let seconds =
            one.result.map_or(0.0, |result| (result.at - one.message.at).0 as f64 / 1_000.0);
        let sign = sign(view, kind, &what, (one.message.id.0, earlier), (tokens, seconds));
        match signs.iter_mut().find(|known| known.kind == kind && known.what == sign.what) {
            Some(known) => {
                known.times += 1;
                known.tokens += sign.tokens;
                known.seconds += sign.seconds;
            }
            None => signs.push(sign),
        }
    }
    signs.extend(told_again(view, from, until));
    signs
}

/// What a call does again, with the message that did it before.
fn done_again(
    one: &Made,
    before: &[Made],
    since: &[Made],
    next: &[Made],
) -> Option<(SignKind, String, Option<u32>)> {
    let failed = one.result.is_some_and(|result| result.failed);
    if let Some(read) = &one.read {
        if failed {
            let sought = searched_soon(next, &read.file);
            return sought.then(|| (SignKind::WrongPath, read.file.clone(), None));
        }
        // A file that was written anew since is another file.
        let written = |made: &&Made| writes(made.call).is_some_and(|file| read.is_of(&file));
        let from = before.iter().rposition(|made| written(&made)).map_or(0, |place| place + 1);
        let reads = |of: &'_ [Made]| of.iter().filter_map(|made| made.read.clone()).collect();
        let (had, has): (Vec<Read>, Vec<Read>) = (reads(&before[from..]), reads(since));
        let again = read.covered(had.iter()) >= COVERED
            && read.covered(has.iter()) < COVERED
            && !since.iter().any(|made| written(&made));
        let earlier = before[from..].iter().rev().find(|made| {
            made.read.as_ref().is_some_and(|other| read.covered([other].into_iter()) > 0.0)
        });
        let earlier = earlier.filter(|_| again)?;
        return Some((SignKind::ReadAgain, read.file.clone(), Some(earlier.message.id.0)));
    }
    let same = before
        .iter()
        .rev()
        .find(|other| other.call.name == one.call.name && other.call.args == one.call.args)?;
    let earlier = Some(same.message.id.0);
    if failed && same.result.is_some_and(|result| result.failed) {
        return Some((SignKind::FailedAgain, said(one.call), earlier));
    }
    command(one.call).map(|command| (SignKind::RunAgain, command, earlier))
}

/// The file that a call writes whole.
fn writes(call: &Call) -> Option<String> {
    file(call).filter(|_| is_whole_write(call))
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
        times: 1,
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

fn said(call: &Call) -> String {
    command(call).unwrap_or_else(|| format!("{} {}", call.name, call.args))
}

/// Whether one of the next calls looks for the file's name.
fn searched_soon(next: &[Made], file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.split('.').next().unwrap_or(name);
    next.iter().take(SOON).any(|one| is_listing(one.call) && one.call.args.contains(stem))
}
