//! From the messages that a program returns to a plan: which entry each is, what is new, and what is
//! gone.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::plan::{
    Covers, Edit, Frame, Item, Layout, NewEntry, Piece, Plan, Slot, Source, SummaryRequest,
};
use crate::prelude::*;
use crate::quotes::{self, Answer};
pub use crate::shape::Returned;

/// The plan that makes the view into these messages, or what no plan can say. `answers` are those
/// that the program got while it was asked.
pub fn plan(view: &View, messages: &[Returned], answers: &[Answer]) -> Result<Plan, String> {
    let found = entries_of(view, messages);
    let mut slots = Vec::new();
    let mut covers = Covers::Rest;
    for (number, (message, entry)) in messages.iter().zip(found).enumerate() {
        let slot = match entry {
            Some(entry) if is_same(entry, message) => {
                keep(view, entry.id, &mut slots);
                continue;
            }
            Some(entry) => rewritten(entry, message, answers),
            None => {
                let covers = std::mem::replace(&mut covers, Covers::Nothing);
                let new = fresh(view, message, answers, covers);
                Slot::New(new.map_err(|rule| format!("message {}: {rule}", number + 1))?)
            }
        };
        slots.push(slot);
    }
    Ok(Plan::mechanical(Layout::Whole(slots)))
}

/// Keeps an entry, in one slot with those that stand right before it in the view.
fn keep(view: &View, id: EntryId, slots: &mut Vec<Slot>) {
    let follows = |last: EntryId| view.position(last).map(|place| place + 1) == view.position(id);
    match slots.last_mut() {
        Some(slot @ Slot::Keep(_)) => {
            let Slot::Keep(first) = *slot else { return };
            match follows(first) {
                true => *slot = Slot::Keeps(first, id),
                false => slots.push(Slot::Keep(id)),
            }
        }
        Some(Slot::Keeps(_, last)) if follows(*last) => *last = id,
        _ => slots.push(Slot::Keep(id)),
    }
}

/// Whether a plan leaves the view as it is.
pub fn is_idle(view: &View, plan: &Plan) -> bool {
    let ends = view.entries().first().zip(view.entries().last());
    let whole = ends.map(|(first, last)| Slot::Keeps(first.id, last.id));
    let one = ends.map(|(first, _)| Slot::Keep(first.id));
    match &plan.layout {
        Layout::Whole(slots) if slots.len() == 1 => {
            Some(&slots[0]) == whole.as_ref() || view.len() == 1 && Some(&slots[0]) == one.as_ref()
        }
        Layout::Whole(slots) => slots.is_empty() && view.is_empty(),
        Layout::Edits { .. } | Layout::Recall(_) => false,
    }
}

/// The entry that each message is.
fn entries_of<'v>(view: &'v View, messages: &[Returned]) -> Vec<Option<&'v Arc<Entry>>> {
    let mut taken: FxHashSet<EntryId> = FxHashSet::default();
    let mut found: Vec<Option<&Arc<Entry>>> = messages
        .iter()
        .map(|message| {
            let entry = view.entry(message.id?)?;
            (may_be(entry, message) && taken.insert(entry.id)).then_some(entry)
        })
        .collect();
    let (mut by_words, mut by_calls) = indices(view, &taken);
    let open = |found: &Option<&Arc<Entry>>, message: &Returned| {
        found.is_none() && message.id.is_none_or(|id| view.entry(id).is_none())
    };
    for (message, found) in messages.iter().zip(&mut found).filter(|(m, f)| open(f, m)) {
        let list = by_words.get_mut(&words_of(message));
        *found = list.and_then(|list| next(list, &mut taken));
    }
    for (message, found) in messages.iter().zip(&mut found).filter(|(m, f)| open(f, m)) {
        let list = ids_of(message).and_then(|ids| by_calls.get_mut(&ids));
        let entry = list.and_then(|list| next(list, &mut taken));
        *found = entry.filter(|entry| may_be(entry, message));
    }
    found
}

type Index<'v, K> = FxHashMap<K, Vec<&'v Arc<Entry>>>;
/// Role, text and ids: what makes two messages one.
type Words = (Option<Role>, String, Vec<CallId>, Option<CallId>);
/// The calls made, and the one answered.
type Ids = (Vec<CallId>, Option<CallId>);

/// Entries that are not taken, last first.
fn indices<'v>(view: &'v View, taken: &FxHashSet<EntryId>) -> (Index<'v, Words>, Index<'v, Ids>) {
    let (mut by_words, mut by_calls) = (Index::default(), Index::default());
    for entry in view.entries().iter().rev().filter(|entry| !taken.contains(&entry.id)) {
        let as_message = Returned {
            id: None,
            role: Some(entry.role),
            text: entry.content().to_string(),
            calls: entry.calls.clone(),
            answers: entry.answers.clone(),
        };
        if let Some(ids) = ids_of(&as_message) {
            by_calls.entry(ids).or_insert_with(Vec::new).push(entry);
        }
        by_words.entry(words_of(&as_message)).or_insert_with(Vec::new).push(entry);
    }
    (by_words, by_calls)
}

fn next<'v>(
    list: &mut Vec<&'v Arc<Entry>>,
    taken: &mut FxHashSet<EntryId>,
) -> Option<&'v Arc<Entry>> {
    while let Some(entry) = list.pop() {
        if taken.insert(entry.id) {
            return Some(entry);
        }
    }
    None
}

fn words_of(message: &Returned) -> Words {
    let ids = message.calls.iter().map(|call| call.id.clone()).collect();
    // Instructions inside a conversation are shown as the user's in the Anthropic shape.
    let role = message.role.map(|role| if role == Role::System { Role::User } else { role });
    (role, message.text.clone(), ids, message.answers.clone())
}

fn ids_of(message: &Returned) -> Option<Ids> {
    let calls: Vec<CallId> = message.calls.iter().map(|call| call.id.clone()).collect();
    (!calls.is_empty() || message.answers.is_some()).then(|| (calls, message.answers.clone()))
}

/// Whether a rewrite can make the entry into the message: it keeps the role and what it answers, and
/// makes no call that it did not make.
fn may_be(entry: &Entry, message: &Returned) -> bool {
    let mut own = entry.calls.iter().map(|call| &call.id);
    message.role.is_none_or(|role| role == entry.role || is_shown_as(entry.role, role))
        && message.calls.iter().all(|call| own.any(|own| *own == call.id))
        && entry.answers == message.answers
}

/// Harness instructions have no role of their own in the Anthropic shape.
fn is_shown_as(role: Role, shown: Role) -> bool {
    role == Role::System && shown == Role::User
}

fn is_same(entry: &Entry, message: &Returned) -> bool {
    *entry.content() == *message.text
        && entry.calls.len() == message.calls.len()
        && entry.calls.iter().zip(&message.calls).all(|(old, new)| same_args(&old.args, &new.args))
}

/// Arguments are the same as text, or as JSON.
fn same_args(old: &str, new: &str) -> bool {
    let parsed = |text| serde_json::from_str::<Value>(text).ok();
    old == new
        || parsed(old).is_some_and(|old| Some(old) == parsed(new))
        || parsed(new).is_some_and(|new| new == serde_json::json!({ "raw": old }))
}

fn rewritten(entry: &Entry, message: &Returned, answers: &[Answer]) -> Slot {
    let is_changed = *entry.content() != *message.text;
    let pieces = is_changed.then(|| quotes::rewriting(&message.text, entry, answers));
    let returned = |old: &&Call| message.calls.iter().find(|new| new.id == old.id);
    let pairs = entry.calls.iter().filter_map(|old| Some((old, returned(&old)?)));
    let changed = pairs.filter(|(old, new)| !same_args(&old.args, &new.args));
    let args = changed.map(|(old, new)| (old.id.clone(), new.args.clone())).collect();
    let gone = entry.calls.iter().filter(|old| returned(old).is_none());
    let drops = gone.map(|old| old.id.clone()).collect();
    Slot::Rewrite(Edit { entry: entry.id, pieces, args, drops })
}

fn fresh(
    view: &View,
    message: &Returned,
    answers: &[Answer],
    covers: Covers,
) -> Result<NewEntry, String> {
    if let Some(call) = message.calls.first() {
        let rule = "makes the call, which no message of the view makes alone";
        return Err(format!("it is new and {rule}: `{}`", call.id));
    }
    let pieces = quotes::pieces(&message.text, view, answers);
    let role = message.role.unwrap_or(Role::User);
    let has_answer = pieces.iter().any(|piece| matches!(piece, Piece::Answer { .. }));
    let kind = if has_answer { Kind::Summary } else { Kind::Notice };
    let answers = message.answers.clone();
    Ok(NewEntry { answers, ..NewEntry::new(role, kind, pieces, covers) })
}

/// A request of a program as data: what it quotes of the view is known for it.
pub fn request(
    view: &View,
    system: Option<String>,
    messages: &[Returned],
    max_tokens: Option<u64>,
    model: Option<String>,
    answers: &[Answer],
) -> SummaryRequest {
    let mut items = Vec::with_capacity(messages.len() + 1);
    let mut frame = Frame::Own(Text::from(""));
    if let Some(system) = system {
        let pieces = quotes::pieces(&system, view, answers);
        match pieces.iter().all(|piece| matches!(piece, Piece::Literal(_))) {
            true => frame = Frame::Own(system.into()),
            false => items.push(Item::Message { role: Role::System, pieces, answers: None }),
        }
    }
    items.extend(messages.iter().map(|message| {
        let named = message.id.and_then(|id| view.entry(id));
        match named.filter(|entry| may_be(entry, message) && is_same(entry, message)) {
            Some(entry) => Item::Entry(entry.id),
            None => shown(view, message, answers),
        }
    }));
    let max_tokens = max_tokens.map_or(Tokens::UNBOUNDED, Tokens);
    let request = SummaryRequest::new(RequestId(0), "".into(), Vec::new(), max_tokens);
    SummaryRequest { frame, items, model, ..request }
}

fn shown(view: &View, message: &Returned, answers: &[Answer]) -> Item {
    let mut pieces = quotes::pieces(&message.text, view, answers);
    for call in &message.calls {
        pieces.push(Piece::literal(format!("\n[{} ", call.name)));
        let owner = view.pair(&call.id).and_then(|pair| view.entry(pair.call?));
        let same = owner.and_then(|entry| {
            let own = entry.call(&call.id).filter(|own| same_args(&own.args, &call.args))?;
            Some(Source::Call(entry.id, own.id.clone()))
        });
        pieces.push(match same {
            Some(of) => Piece::Quote { of, bytes: None },
            None => Piece::Literal(call.args.clone()),
        });
        pieces.push(Piece::literal("]"));
    }
    let role = message.role.unwrap_or(Role::User);
    Item::Message { role, pieces, answers: message.answers.clone() }
}

#[cfg(test)]
mod tests;
