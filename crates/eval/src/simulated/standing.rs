//! Who named a fact, and in which calls.

use std::collections::BTreeSet;

use crate::ident::{FactId, MsgId};
use crate::log::calls::{is_edit, is_read};
use crate::log::{CallId, Log, Message, Role};
use crate::truth::Searched;

/// How a fact stands at some message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) user: bool,
    pub(super) text: bool,
    pub(super) call: bool,
    pub(super) edited: bool,
    pub(super) read: bool,
}

/// How a fact came to be named, message by message.
#[derive(Clone, Debug, Default)]
pub(super) struct Standing(Vec<(MsgId, Named)>);

impl Standing {
    /// All that was so by a message.
    pub(super) fn until(&self, now: MsgId) -> Named {
        let known = self.0.iter().take_while(|(at, _)| *at <= now);
        known.fold(Named::default(), |all, (_, one)| Named {
            user: all.user || one.user,
            text: all.text || one.text,
            call: all.call || one.call,
            edited: all.edited || one.edited,
            read: all.read || one.read,
        })
    }
}

/// The standing of each of so many facts.
pub(super) fn of_facts(log: &Log, index: &Searched, facts: usize) -> Vec<Standing> {
    let mut standings = vec![Standing::default(); facts];
    let mut reading: BTreeSet<&CallId> = BTreeSet::new();
    for message in &log.messages {
        let mut add = |fact: FactId, named: Named| {
            standings[fact.index()].0.push((message.id, named));
        };
        let typed = message.words().join("\n");
        for (text, named) in
            [(typed.as_str(), USER), (&message.content, shown_by(message, &reading))]
        {
            if !text.is_empty() && named != Named::default() {
                let held = index.search(text);
                held.iter().filter(|held| held.present()).for_each(|held| add(held.fact, named));
            }
        }
        for call in &message.calls {
            let (edited, read) = (is_edit(call), is_read(call));
            let named = Named { call: true, edited, read, ..Named::default() };
            let held = index.search(&call.args);
            held.iter().filter(|held| held.present()).for_each(|held| add(held.fact, named));
            if read {
                reading.insert(&call.id);
            }
        }
    }
    standings
}

/// What a person typed. What stands beside it is nobody's.
const USER: Named = Named { user: true, text: false, call: false, edited: false, read: false };

/// What the content of a message makes of a fact in it, whoever typed some of it.
fn shown_by(message: &Message, reading: &BTreeSet<&CallId>) -> Named {
    let answers = message.answers.as_ref();
    Named {
        text: message.role == Role::Assistant,
        read: answers.is_some_and(|call| reading.contains(call)),
        ..Named::default()
    }
}
