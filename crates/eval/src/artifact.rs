//! Artifact survival: which names of a stretch of a session its summary still
//! holds, by kind and by where they stood.
//!
//! The same question was asked of recorded compactions: for each, the artifacts of
//! the stretch that the summary replaced and which of them it kept. Asked of our own
//! sessions under the offline summarizers, it says how far those keep what a
//! language model kept, and where they choose otherwise. No truth is involved: an
//! artifact is what it looks like, as in the recorded table.

mod find;
mod recorded;
mod table;

pub use recorded::recorded;
pub use table::{Column, Line, lines, rank_correlation};

use std::ops::Range;

use rayon::prelude::*;

use crate::log::{Log, Message, Role, Text};
use crate::summarize::{Ask, Prompt, PromptMessage, Segment};
use crate::token::TokenTable;
use crate::unit::Tokens;

/// Reference tokens of a stretch. The recorded ones hold 57 % of a prompt of 157,000
/// tokens (medians); the rest is system prompt, schemas and what the logs leave out.
const STRETCH: Tokens = Tokens(90_000);
/// Shorter stretches at the end of a session are left out: nobody would compact them.
const SHORTEST: Tokens = Tokens(45_000);
/// Room for the summary: the median of the recorded ones (11,700 characters at three
/// to a token).
const ROOM: Tokens = Tokens(3_900);

/// Kind of an artifact, as the recorded table has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A file.
    Path,
    /// An identifier of several words, or a called name.
    Symbol,
    /// A line that reports an error.
    Error,
    /// A test by name.
    Test,
    /// A shell command.
    Command,
    /// A version, hash, address, port, percentage or number of an issue.
    Value,
    /// A sentence of the user.
    UserSentence,
}

impl Kind {
    /// All kinds in the order of the table.
    pub const ALL: [Kind; 7] = [
        Kind::Path,
        Kind::Symbol,
        Kind::Error,
        Kind::Test,
        Kind::Command,
        Kind::Value,
        Kind::UserSentence,
    ];

    /// Name in tables and in the recorded file.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Path => "path",
            Kind::Symbol => "symbol",
            Kind::Error => "error",
            Kind::Test => "test",
            Kind::Command => "command",
            Kind::Value => "value",
            Kind::UserSentence => "user_sentence",
        }
    }
}

/// The strongest role that an artifact had in its stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Seen in tool results alone.
    Result,
    /// In a tool call.
    Call,
    /// In the agent's words.
    Text,
    /// In the user's words.
    User,
}

/// One artifact of one stretch and whether its summary holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// Its kind.
    pub kind: Kind,
    /// The strongest role it had; `None` where only injected text held it.
    pub place: Option<Place>,
    /// A file that was edited, or a name inside an edit.
    pub edited: bool,
    /// A file that was read, or a name inside what was read.
    pub read: bool,
    /// Of a pasted text, not typed (sentences of the user only).
    pub pasted: bool,
    /// Whether the summary holds it: to the letter for paths, symbols, tests and
    /// values; after folding case, white space and punctuation for the others.
    pub survived: bool,
}

/// The stretches of a log that a compaction would replace: as many whole messages as
/// fill 90,000 reference tokens.
pub fn stretches(log: &Log, table: &TokenTable) -> Vec<Range<usize>> {
    let (mut stretches, mut start, mut filled) = (Vec::new(), 0, Tokens::ZERO);
    for message in &log.messages {
        filled += table.messages[message.id.index()].total();
        if filled >= STRETCH {
            let end = message.id.index() + 1;
            stretches.push(start..end);
            (start, filled) = (end, Tokens::ZERO);
        }
    }
    if filled >= SHORTEST {
        stretches.push(start..log.messages.len());
    }
    stretches
}

/// Has every stretch of a log summarized, and looks what became of its artifacts.
/// As in the recorded sessions, the summary of the stretch before stands first.
pub fn survey(log: &Log, table: &TokenTable, ask: &dyn Ask) -> Vec<Sighting> {
    let stretches = stretches(log, table);
    let found: Vec<Vec<find::Artifact>> = stretches
        .par_iter()
        .map(|stretch| find::artifacts(&log.messages[stretch.clone()]))
        .collect();
    let mut sightings = Vec::new();
    let mut summary = String::new();
    for (stretch, artifacts) in stretches.into_iter().zip(found) {
        let prompt = prompt(&summary, &log.messages[stretch]);
        let answer = ask.ask(&[prompt]).into_iter().next();
        // A summarizer that refuses leaves nothing; the offline ones never do.
        summary = answer.and_then(Result::ok).map(|answer| answer.text).unwrap_or_default();
        let kept = find::Summary::new(&summary);
        sightings.extend(artifacts.iter().map(|artifact| artifact.sighting(&kept)));
    }
    sightings
}

/// Asks for the sections that the recorded summaries have.
const INSTRUCTION: &str = "The conversation above is about to be replaced by your summary of it. \
Write everything that someone needs who takes the work over from here, in these sections:
1. Primary Request and Intent: what the user asked for, in all its parts.
2. Key Technical Concepts: technologies and ideas that matter here.
3. Files and Code Sections: which files were read or changed, why, and what is important in them.
4. Errors and fixes: what went wrong, how it was mended, what the user said about it.
5. Problem Solving: what is solved and what is still being looked into.
6. All user messages: everything the user said that is not a tool result.
7. Pending Tasks: what was asked for and is not done.
8. Current Work: what was going on right before this.
9. Optional Next Step: what comes next, in line with the user's latest request.";

fn prompt(before: &str, messages: &[Message]) -> Prompt {
    let before = (!before.is_empty()).then(|| spoken(Role::User, Text::from(before), true));
    let conversation = messages.iter().map(|message| {
        let mut said = spoken(message.role, message.content.clone(), true);
        said.segments.extend(message.calls.iter().map(|call| Segment {
            text: format!("\n[{} {}]", call.name, call.args).into(),
            material: true,
        }));
        said
    });
    let instruction = spoken(Role::User, Text::from(INSTRUCTION), false);
    Prompt {
        system: None,
        messages: before.into_iter().chain(conversation).chain([instruction]).collect(),
        max_tokens: ROOM,
        model: None,
        replicate: 0,
    }
}

fn spoken(role: Role, text: Text, material: bool) -> PromptMessage {
    PromptMessage { role, segments: vec![Segment { text, material }] }
}

#[cfg(test)]
mod tests;
