//! Entries: what a view is made of.

use crate::log::{Author, Call, CallId, Message, Role, Text};
use crate::prelude::*;
use crate::token::{MessageTokens, Tally};
use crate::view::Spans;
use crate::words;

words! {
    /// What an entry is to the harness. A profile that classifies by text does not read it.
    pub enum Kind {
        Message = "message",
        /// Forge's `[SUMMARIZED]` block: a folded call or block of a turn.
        Summarized = "summarized",
        /// Forge's `[GOAL BATCH]` block: folded turns.
        GoalBatch = "goal-batch",
        /// A summary of the history at large (Codex, Goat, full replace, ...).
        Summary = "summary",
        /// Mechanical text of the strategy: acknowledgements, notices, placeholders.
        Notice = "notice",
        /// Something brought back from an archive.
        Recalled = "recalled",
    }
}

impl Kind {
    /// Whether a summarizer wrote it.
    pub fn is_summary(self) -> bool {
        matches!(self, Kind::Summarized | Kind::GoalBatch | Kind::Summary)
    }
}

/// Where a part of an entry comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartSource {
    /// The strategy's own words, a stand-in for an answer among them.
    Words,
    /// A quote of an entry of the view that the entry was made from.
    Entry(EntryId),
    /// A message of the log, or a quote of one.
    Log,
    /// The answer to a request.
    Answer,
}

/// A stretch of an entry's content with its provenance.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The words.
    pub text: Text,
    /// The log messages it stands for (none for a strategy's own words).
    pub spans: Spans,
    /// How many times its content went through a summarizer.
    pub generation: u32,
    /// Where it comes from.
    pub source: PartSource,
}

impl Part {
    /// A part that went through no summarizer.
    pub(crate) fn raw(text: impl Into<Text>, spans: Spans, source: PartSource) -> Part {
        Part { text: text.into(), spans, generation: 0, source }
    }
}

/// One immutable entry of a view. A rewrite makes a new one.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Identity; never reused.
    pub id: EntryId,
    /// Role on the wire.
    pub role: Role,
    /// Who wrote it (see [`Author`] on who may look).
    pub author: Author,
    /// What it is to the harness.
    pub kind: Kind,
    /// Its content.
    pub parts: Vec<Part>,
    /// Tool calls, arguments as they are now.
    pub calls: Vec<Call>,
    /// The call that it answers.
    pub answers: Option<CallId>,
    /// The log message it is (rewritten or not); `None` for new entries.
    pub origin: Option<MsgId>,
    /// Whether a rewrite changed it.
    pub rewritten: bool,
    /// Whether it is a message that came again, whole or in part: a file that was read again.
    pub again: bool,
    /// The log messages it stands for, shown to its summarizer or not.
    pub covers: Spans,
    /// Time of the newest thing in it.
    pub at: Millis,
    /// Ordinal of the user-role message that opened its turn (Forge's `TurnCount`); 0 before any.
    pub turn: u32,
    /// Content and each call in reference tokens.
    pub counts: MessageTokens,
    /// Content, calls and per-message overhead by the pipeline's own counter.
    pub counted: Tokens,
    /// Free metadata of the profile ("turn_count=3"), shown in traces.
    pub note: Option<String>,
}

impl Entry {
    /// An entry for a message of the log, counted already.
    pub fn of_message(
        id: EntryId,
        message: &Message,
        turn: u32,
        counts: MessageTokens,
        counted: Tokens,
    ) -> Entry {
        let spans = Spans::one(message.id);
        Entry {
            author: message.author,
            parts: vec![Part::raw(message.content.clone(), spans.clone(), PartSource::Log)],
            calls: message.calls.clone(),
            answers: message.answers.clone(),
            origin: Some(message.id),
            covers: spans,
            at: message.at,
            turn,
            counts,
            counted,
            ..Entry::empty(id, message.role, Kind::Message)
        }
    }

    /// An entry that the harness made: of no message and no turn, standing for nothing yet.
    pub fn made(
        id: EntryId,
        role: Role,
        kind: Kind,
        parts: Vec<Part>,
        calls: Vec<Call>,
        tally: &Tally,
    ) -> Entry {
        Entry { parts, calls, ..Entry::empty(id, role, kind) }.recounted(tally)
    }

    fn empty(id: EntryId, role: Role, kind: Kind) -> Entry {
        Entry {
            id,
            role,
            author: Author::Harness,
            kind,
            parts: Vec::new(),
            calls: Vec::new(),
            answers: None,
            origin: None,
            rewritten: false,
            again: false,
            covers: Spans::new(),
            at: Millis(0),
            turn: 0,
            counts: MessageTokens::default(),
            counted: Tokens::ZERO,
            note: None,
        }
    }

    /// The same with the tokens of what it says now.
    pub fn recounted(self, tally: &Tally) -> Entry {
        let (counts, counted) = tally.message(&self.content(), &self.calls);
        Entry { counts, counted, ..self }
    }

    /// Content and calls in reference tokens.
    pub fn tokens(&self) -> Tokens {
        self.counts.total()
    }

    /// The content in one piece.
    pub fn content(&self) -> Text {
        match self.parts.as_slice() {
            [part] => part.text.clone(),
            parts => parts.iter().map(|part| &*part.text).collect::<String>().into(),
        }
    }

    /// Length of the content in bytes.
    pub fn content_len(&self) -> usize {
        self.parts.iter().map(|part| part.text.len()).sum()
    }

    /// Generation of the entry: the most that any part has gone through.
    pub fn generation(&self) -> u32 {
        self.parts.iter().map(|part| part.generation).max().unwrap_or(0)
    }

    /// The call with this id, if the entry makes it.
    pub fn call(&self, id: &CallId) -> Option<&Call> {
        self.calls.iter().find(|call| call.id == *id)
    }

    /// A user-role message of the log.
    pub fn is_user(&self) -> bool {
        self.role == Role::User && self.kind == Kind::Message
    }

    /// An assistant or tool message of the log that no summary has replaced yet.
    pub fn is_raw_work(&self) -> bool {
        matches!(self.role, Role::Assistant | Role::Tool) && self.kind == Kind::Message
    }
}
