//! Demands of a recorded session: the steps that needed a fact.

use std::collections::{BTreeMap, BTreeSet};

use super::mention::Mentions;
use super::{once_each, source, touch};
use crate::ident::MsgId;
use crate::log::{Author, Boundary, BoundaryAction, Call, CallId, Log, Role};
use crate::token::TokenTable;
use crate::truth::{Demand, Fact, Origin};
use crate::unit::Tokens;

/// A mention further back is out of the base window of the long-session scenarios.
const WINDOW: Tokens = Tokens(100_000);

/// All demands in log order, each fact and step once.
pub(super) fn demands(
    log: &Log,
    table: &TokenTable,
    facts: &[Fact],
    mentions: &Mentions,
) -> Vec<Demand> {
    let timeline = Timeline::new(log, table);
    let again = again(log);
    let mut demands = Vec::new();
    for fact in facts {
        let mut add = |at, origin| demands.push(Demand { fact: fact.id, at, origin });
        let seen = mentions.with_calls(fact.id);
        for (earlier, later) in seen.iter().zip(seen.iter().skip(1)) {
            let (id, in_call) = *later;
            let message = &log.messages[id.index()];
            let far = timeline.between(earlier.0, id) >= WINDOW;
            match (message.role, message.author) {
                (Role::User, Author::Human) => {
                    if let Some(at) = timeline.answer(id) {
                        add(at, Origin::User);
                    }
                }
                (Role::Assistant, _) if in_call && again.contains(&id) => {
                    add(id, Origin::Reacquired);
                }
                (Role::Assistant, _) if in_call && far => add(id, Origin::Call),
                (Role::Tool, _) if far => {
                    if let Some(at) = timeline.caller(message.answers.as_ref()) {
                        add(at, Origin::Incidental);
                    }
                }
                _ => {}
            }
        }
    }
    for touch in touch::touches(log, facts, mentions) {
        let at = match touch.origin {
            Origin::User => timeline.answer(touch.by),
            _ => Some(touch.by),
        };
        demands.extend(at.map(|at| Demand { fact: touch.rule, at, origin: touch.origin }));
    }
    once_each(demands)
}

/// Where messages lie in tokens, and which answer each belongs to.
struct Timeline<'a> {
    /// Tokens before each message; one more than messages.
    before: Vec<Tokens>,
    /// Next assistant message at or after each message.
    answers: Vec<Option<MsgId>>,
    callers: BTreeMap<&'a CallId, MsgId>,
}

impl Timeline<'_> {
    fn new<'a>(log: &'a Log, table: &TokenTable) -> Timeline<'a> {
        let mut before = vec![Tokens::ZERO];
        let mut total = Tokens::ZERO;
        for counted in &table.messages {
            total += counted.total();
            before.push(total);
        }
        let mut answers = vec![None; log.messages.len()];
        let mut next = None;
        let mut callers = BTreeMap::new();
        for message in log.messages.iter().rev() {
            if message.role == Role::Assistant {
                next = Some(message.id);
            }
            answers[message.id.index()] = next;
            callers.extend(message.calls.iter().map(|call| (&call.id, message.id)));
        }
        Timeline { before, answers, callers }
    }

    /// Tokens from the end of one message to the beginning of a later one.
    fn between(&self, earlier: MsgId, later: MsgId) -> Tokens {
        self.before[later.index()] - self.before[earlier.index() + 1]
    }

    fn answer(&self, message: MsgId) -> Option<MsgId> {
        self.answers[message.index()]
    }

    fn caller(&self, call: Option<&CallId>) -> Option<MsgId> {
        self.callers.get(call?).copied()
    }
}

/// Assistant messages with a call made before the last boundary, and not again since.
fn again(log: &Log) -> BTreeSet<MsgId> {
    let mut again = BTreeSet::new();
    let (mut before, mut since) = (BTreeSet::new(), BTreeSet::new());
    // Where nothing was taken away, nothing was lost.
    let took = |boundary: &&Boundary| boundary.action != BoundaryAction::Nothing;
    let mut boundaries = log.boundaries.iter().filter(took).peekable();
    for message in &log.messages {
        while boundaries.next_if(|boundary| boundary.before <= message.id).is_some() {
            before.append(&mut since);
        }
        for call in &message.calls {
            let what = sought(call);
            if before.contains(&what) && !since.contains(&what) {
                again.insert(message.id);
            }
            since.insert(what);
        }
    }
    again
}

/// What a call seeks: the file where it reads a part of one, else its tool and arguments.
fn sought(call: &Call) -> (String, String) {
    let name = call.name.to_lowercase();
    let reads = name.contains("read") || name.contains("view");
    match source::file(call) {
        Some(file) if reads => (name, file),
        _ => (name, call.args.to_string()),
    }
}
