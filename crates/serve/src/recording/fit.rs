//! How a request goes on with what is known of a conversation.

use crate::ident::key_of;
use crate::prelude::*;

/// How a request goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// It begins with all that was sent and answered.
    Extends,
    /// It begins with so many messages of the view, and takes the rest back.
    Rewinds(usize),
    /// It has another history: each message with the place of the view that it repeats.
    Compacts { repeats: Vec<Option<usize>>, summary: Option<usize> },
}

/// Least bytes in common that are no coincidence, and least bytes of an answer that is recognized
/// where it is quoted.
const TELLING: usize = 40;

/// Weight of a call or a result beside its words: its id is hardly in two conversations.
const IDENTIFIED: usize = 64;

/// Weight of a conversation that a request goes on with, and of one whose last exchange it repeats:
/// more than any bytes in common.
const CERTAIN: usize = usize::MAX / 2;
const LIKELY: usize = usize::MAX / 4;

pub(super) fn can_be_quoted(text: &str) -> bool {
    text.trim().len() >= TELLING
}

/// What two messages have in common where they are the same one. Clients trim texts, and write
/// arguments of calls in their own way.
pub(super) fn key(message: &ChatMessage) -> u128 {
    let calls = message.calls.iter().map(|call| &*call.id.0);
    let answers = message.answers.iter().map(|id| &*id.0);
    key_of([message.role.name(), message.text.trim()].into_iter().chain(calls).chain(answers))
}

/// A request with the keys of its messages.
pub(super) struct Keyed<'a> {
    pub request: &'a ModelRequest,
    keys: Vec<u128>,
}

impl Keyed<'_> {
    pub(super) fn new(request: &ModelRequest) -> Keyed<'_> {
        Keyed { request, keys: request.messages.iter().map(key).collect() }
    }
}

/// The one answer that a request brings back inside a message of the user's or the system's. A
/// request that quotes several is a transcript of a conversation, not the conversation.
pub(super) struct Quoted {
    /// The message.
    pub place: usize,
    pub answer: Arc<str>,
}

impl Quoted {
    pub(super) fn find(request: &ModelRequest, answers: &[Arc<str>]) -> Option<Quoted> {
        let mut found: Option<Quoted> = None;
        for (place, message) in request.messages.iter().enumerate() {
            if !matches!(message.role, Role::User | Role::System) {
                continue;
            }
            for answer in answers.iter().filter(|answer| message.text.contains(&***answer)) {
                if found.as_ref().is_some_and(|found| found.answer != *answer) {
                    return None;
                }
                found = Some(Quoted { place, answer: Arc::clone(answer) });
            }
        }
        found
    }
}

/// What is known of a conversation, as keys of messages.
pub(super) struct Known<'a> {
    /// What was last sent and answered.
    pub view: &'a [u128],
    /// Where in it begins what the last request added.
    pub last: usize,
    /// Answers so far.
    pub exchanges: usize,
    /// Whether the request has the same system prompt.
    pub same_system: bool,
    /// Its last answer.
    pub answer: &'a str,
}

impl Known<'_> {
    /// How a request goes on, and how much it has in common; nothing where it does not go on.
    pub(super) fn fit(&self, asked: &Keyed, quoted: Option<&Quoted>) -> Option<(Fit, usize)> {
        let Keyed { request, keys } = asked;
        let common = keys.iter().zip(self.view).take_while(|(one, other)| one == other).count();
        if common == self.view.len() {
            return Some((Fit::Extends, CERTAIN + common));
        }
        let repeats = self.repeats(keys, common);
        let summary = quoted.filter(|quoted| repeats[quoted.place].is_none());
        let own = summary.is_some_and(|quoted| *quoted.answer == *self.answer.trim());
        let behind = repeats[common..].iter().any(Option::is_some);
        // One message may be an instruction that many requests begin with.
        let is_own = self.same_system || common > 1;
        let took_back = common >= self.last.max(1) && !behind && is_own;
        if took_back && summary.is_none() {
            return Some((Fit::Rewinds(common), LIKELY + common));
        }
        let weight = in_common(request, &repeats);
        let weight = match own {
            true if self.exchanges > 1 => weight + 2 * TELLING,
            _ if summary.is_some() && self.same_system && self.exchanges > 1 => weight + TELLING,
            _ => weight,
        };
        let summary = summary.map(|quoted| quoted.place);
        (weight >= TELLING).then_some((Fit::Compacts { repeats, summary }, weight))
    }

    /// The place in the view of each message of the request, in order.
    fn repeats(&self, keys: &[u128], common: usize) -> Vec<Option<usize>> {
        let mut next = common;
        let later = keys[common..].iter().map(|key| {
            let place = next + self.view[next..].iter().position(|known| known == key)?;
            next = place + 1;
            Some(place)
        });
        let later: Vec<Option<usize>> = later.collect();
        (0..common).map(Some).chain(later).collect()
    }
}

/// Bytes of the messages that are repeated.
fn in_common(request: &ModelRequest, repeats: &[Option<usize>]) -> usize {
    let repeated = request.messages.iter().zip(repeats).filter(|(_, place)| place.is_some());
    let weights = repeated.map(|(message, _)| {
        let is_identified = !message.calls.is_empty() || message.answers.is_some();
        message.text.trim().len() + if is_identified { IDENTIFIED } else { 0 }
    });
    weights.sum()
}
