//! What a question is asked from: a view as it was sent, or the log, as text.

use std::collections::BTreeMap;

use crate::drive::{Observer, Sent, Session};
use crate::ident::EntryId;
use crate::log::{Call, Role, Text};
use crate::question::Sheet;
use crate::summarize::Segment;
use crate::unit::Tokens;

/// Reference tokens of the line that names a message's role.
const HEADING: Tokens = Tokens(6);

#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    pub(super) segments: Vec<Segment>,
    /// Their reference tokens, as counted message by message.
    pub(super) tokens: Tokens,
}

impl Context {
    pub(super) fn push(&mut self, role: &str, content: Text, calls: &[Call], tokens: Tokens) {
        self.own(&format!("[{role}]\n"));
        self.segments.push(Segment { text: content, material: true });
        for call in calls {
            self.own(&format!("\n[calls {}]\n", call.name));
            self.segments.push(Segment { text: call.args.clone(), material: true });
        }
        self.own("\n\n");
        self.tokens += tokens + HEADING;
    }

    fn own(&mut self, words: &str) {
        self.segments.push(Segment { text: words.into(), material: false });
    }

    pub(super) fn of_log(session: &Session, step: usize) -> Context {
        let mut context = Context::default();
        let end = session.steps.get(step).map_or(0, |step| step.appended.start);
        for message in &session.log.messages[..end] {
            let tokens = session.reference.messages[message.id.index()].total();
            let role = name_of(message.role);
            context.push(role, message.content.clone(), &message.calls, tokens);
        }
        context
    }

    /// A prompt as it was sent, less what came with the need: what was appended since
    /// the call before does not count as remembered, here as in every other figure.
    fn of_sent(sent: &Sent) -> Context {
        let mut context = Context::default();
        let entries = sent.view.entries();
        let recent = entries.iter().rev().take_while(|entry| entry.id >= sent.fresh);
        let fresh: Vec<EntryId> =
            recent.filter(|entry| entry.origin.is_some()).map(|entry| entry.id).collect();
        let kept = entries.iter().filter(|entry| !fresh.contains(&entry.id));
        let kept = kept.map(|entry| sent.overlay.of(entry.id).unwrap_or(entry));
        for entry in kept.chain(sent.overlay.behind()) {
            context.push(name_of(entry.role), entry.content(), &entry.calls, entry.tokens());
        }
        context
    }
}

fn name_of(role: Role) -> &'static str {
    match role {
        Role::Tool => "tool result",
        Role::System | Role::User | Role::Assistant => role.name(),
    }
}

/// Takes the view at the steps of a sheet while a cell is driven.
#[derive(Debug, Default)]
pub struct Collector {
    /// By step, from 1.
    wanted: BTreeMap<u32, Option<Context>>,
}

impl Collector {
    /// For the steps of these questions.
    pub fn new(sheet: &Sheet) -> Collector {
        Collector { wanted: sheet.items.iter().map(|item| (item.step, None)).collect() }
    }

    /// The view at a step; `None` where the session did not come to it.
    pub(super) fn at(&self, step: u32) -> Option<&Context> {
        self.wanted.get(&step).and_then(Option::as_ref)
    }
}

impl Observer for Collector {
    fn sending(&mut self, sent: &Sent) {
        if let Some(wanted) = self.wanted.get_mut(&sent.step) {
            *wanted = Some(Context::of_sent(sent));
        }
    }
}
