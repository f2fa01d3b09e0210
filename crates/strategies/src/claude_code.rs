//! Claude Code's compaction (`claude-code`, `claude-code-microcompact`). Its source is closed, and
//! nothing here is taken from it.
//!
//! [`Microcompact`] clears old tool results in the history. [`ClaudeCode`] has the whole
//! conversation summarized under nine headings near the end of the window: the summary replaces all
//! messages, the instructions kept in files stay, and the files that were read or edited last come
//! back.
//!
//! Known from recorded sessions (91 compactions of 2.0.76 to 2.1.49 and of 2.1.217 and 2.1.219):
//!
//! - in a window of 200,000 tokens it acts at 167,000 from 2.1.25 on (least 167,038), at 155,000
//!   before (least 155,031): 33,000 and 45,000 from the end;
//! - all 60 summaries that were kept have the nine sections of our prompt, 11,700 characters in the
//!   median. Up to 2.1.49 nearly all hold the analysis before them, the two later ones do not: that
//!   is what is done here. It stands in the user's role, behind words that say what it is and
//!   before words that ask to go on without a question;
//! - two microcompactions in a row took 60,364 tokens to 39,070, and 56,973 to 36,839: oldest
//!   first, until at most 40,000 are left, and only where that frees 20,000. They are taken for the
//!   tokens of tool results, which nothing says. Results were cleared before 5 of 32
//!   compactions up to 2.1.20, and before none of 28 later ones;
//! - after a compaction an edit of one of the five files used last worked without a new reading in
//!   12 of 17 tries, of another file in 1 of 5.
//!
//! Known from Anthropic's documentation (code.claude.com/docs/en/context-window and
//! how-claude-code-works): tool outputs are cleared before the conversation is summarized;
//! `CLAUDE.md` is read again; of the files that were read or edited up to five come back, those
//! modified last, and one of more than 5,000 tokens as its path alone. Known from write-ups of
//! others alone, unchecked: that three results stay, 20,000 tokens for the summary, that the oldest
//! messages are left out where the prompt is too long, and two tries after an error.
//!
//! Not known of the source, and ours: all wording; the order of the files; that tools are sent
//! along with the request; that a summary without a word is a failure. A file comes back as the log
//! last showed it with the edits since, where Claude Code reads the disk; one that no call edited
//! counts as modified before all that were. Every tool's results are cleared, there only those of
//! eight tools. The budgets are for windows of 200,000 tokens, here a like share of smaller ones.
//! Plans, skills and lists of tools are not restored, as no log holds them. Versions from 2.1.217
//! on keep some messages word for word, by a rule that the two recordings do not show, and stop
//! after a few attempts that free too little; neither is done here.

use crate::log::calls::{argument, file, is_edit, is_read, is_whole_write};
use crate::log::files::edited;
use crate::log::{Call, Injected, Message, Past};
use crate::prelude::*;
use crate::pressure::Occasion;

const PROMPT: &str = include_str!("../prompts/claude-code.md").trim_ascii_end();
const BEFORE: &str = "\
This conversation continues an earlier one. What happened there is summarized here.\n\nSummary:\n";
const BEHIND: &str = "\n\nContinue with the last task that you were given, on your own.";
const CLEARED: &str = "[Output of an earlier call, cleared]";
const RESTORED: &str = "File used before the summary, as it is now: ";
const TOO_LARGE: &str = "(too large to be shown here)";
/// What stands before the path in the note of a file that came back, by whether it was edited.
const NOTES: [&str; 2] = ["read ", "edited "];

/// Tries after an error.
const RETRIES: u32 = 2;
/// Bytes of a token, in the budget of a file.
const BYTES: u64 = 4;

parameters! {
    /// Clears the oldest tool results until few enough tokens of them are left.
    ///
    /// Keep-rule: `keep`. Pressure: `target-tokens`, `clear-at-least`.
    pub struct Microcompact {
        eligibility "keep" keep: usize = 3, "results at the end that stay";
        pressure "target-tokens" target_tokens: Tokens = Tokens(40_000),
            "tokens of results down to which it clears, by the pipeline's counter";
        pressure "clear-at-least" clear_at_least: Tokens = Tokens(20_000),
            "tokens that it frees, or it does nothing";
        pressure "made-for" made_for: Tokens = Tokens(200_000),
            "the window that the tokens are meant for; of a smaller one they are the same share";
    }
}

impl Strategy for Microcompact {
    fn asks(&self) -> bool {
        false
    }

    fn check(&self) -> Result<(), String> {
        none_is_zero(&[("made-for", self.made_for.0)])
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let room = |tokens| match context.occasion {
            Occasion::FloorProbe => Tokens::ZERO,
            _ => scaled(tokens, self.made_for, context),
        };
        let entries = view.entries();
        let is_whole = |place: &usize| {
            let entry = &entries[*place];
            entry.role == Role::Tool && entry.kind == Kind::Message && !entry.rewritten
        };
        let results: Vec<usize> = (0..entries.len()).filter(is_whole).collect();
        let all: Tokens = results.iter().map(|place| entries[*place].counted).sum();
        let (mut left, mut cleared) = (all, BTreeMap::new());
        for &place in &results[..results.len().saturating_sub(self.keep)] {
            if left <= room(self.target_tokens) {
                break;
            }
            left -= entries[place].counted;
            cleared.insert(place, vec![Piece::literal(CLEARED)]);
        }
        if cleared.is_empty() || all - left < room(self.clear_at_least) {
            return Decision::decline("too little would be cleared");
        }
        mechanical(rewording(view, cleared))
    }
}

parameters! {
    /// The summary that replaces the conversation, and the files behind it.
    ///
    /// Keep-rules: system messages, instructions kept in files, `files`, `file-tokens`. Pressure:
    /// the limit, in the pipeline file.
    pub struct ClaudeCode {
        eligibility "files" files: usize = 5, "files that come back, those modified last";
        eligibility "file-tokens" file_tokens: Tokens = Tokens(5_000),
            "tokens above which one comes back as its path alone, 4 bytes a token";
        eligibility "made-for" made_for: Tokens = Tokens(200_000),
            "the window that this is meant for; of a smaller one it is the same share";
        request "max-tokens" max_tokens: Tokens = Tokens(20_000), "most tokens of the answer";
    }
}

impl Strategy for ClaudeCode {
    fn check(&self) -> Result<(), String> {
        none_is_zero(&[("made-for", self.made_for.0)])
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let stays = |entry: &Entry| entry.role == Role::System || is_memory(entry, context.past);
        let is_new = |entry: &Arc<Entry>| entry.kind == Kind::Message && !stays(entry);
        if !view.entries().iter().any(is_new) {
            return Decision::decline("nothing was said since the last summary");
        }
        let answer = Piece::Answer {
            first_of: vec![RequestId(0)],
            clean: Clean::Element("summary".to_owned()),
        };
        let pieces = vec![Piece::literal(BEFORE), answer, Piece::literal(BEHIND)];
        let mut slots = kept_before(view, view.len(), stays);
        slots.push(Slot::New(NewEntry::new(Role::User, Kind::Summary, pieces, Covers::Rest)));
        let most = scaled(self.file_tokens, self.made_for, context).0.saturating_mul(BYTES);
        let files = files(view, context.past);
        let last = files.len().saturating_sub(self.files);
        slots.extend(files.into_iter().skip(last).map(|one| one.slot(most as usize)));
        summarizing(slots, self.request(view))
    }
}

impl ClaudeCode {
    fn request(&self, view: &View) -> SummaryRequest {
        let trim = Recovery::TrimOldest { pairs: true, leave: 1 };
        let again = [FailureClass::Error, FailureClass::TimeOut];
        let again = again.map(|class| (class, vec![Recovery::Retry(RETRIES)]));
        let none = [FailureClass::Empty, FailureClass::ToolCall].map(|class| (class, Vec::new()));
        SummaryRequest {
            frame: Frame::Agent { tools: true },
            items: view.entries().iter().map(|entry| Item::Entry(entry.id)).collect(),
            recover: [(FailureClass::Overflow, vec![trim])]
                .into_iter()
                .chain(again)
                .chain(none)
                .collect(),
            ..SummaryRequest::new(
                RequestId(0),
                Text::from(""),
                vec![Piece::literal(PROMPT)],
                self.max_tokens,
            )
        }
    }
}

/// The tokens, or in a window smaller than they are meant for the same share of it.
fn scaled(tokens: Tokens, made_for: Tokens, context: &PlanContext) -> Tokens {
    tokens.share(context.budget.window.over(made_for).min(1.0))
}

/// Instructions of `CLAUDE.md` and its like.
fn is_memory(entry: &Entry, past: Past) -> bool {
    let message = entry.origin.and_then(|id| past.messages.get(id.index()));
    message.is_some_and(|message| message.injected == Some(Injected::Memory))
}

/// A file as the log last showed it.
struct File {
    path: String,
    content: Text,
    of: Vec<Source>,
    /// How many calls were made before the one that edited it last, where one did.
    edited: Option<usize>,
}

impl File {
    fn slot(self, most: usize) -> Slot {
        let shown = Piece::Extract { text: self.content.clone(), of: self.of };
        let fits = self.content.len() <= most;
        let pieces = vec![
            Piece::literal(format!("{RESTORED}{}\n", self.path)),
            if fits { shown } else { Piece::literal(TOO_LARGE) },
        ];
        let new = NewEntry::new(Role::User, Kind::Recalled, pieces, Covers::Nothing);
        let note = format!("{}{}", NOTES[usize::from(self.edited.is_some())], self.path);
        Slot::New(NewEntry { note: Some(note), ..new })
    }

    /// One that came back at an earlier compaction, before any call.
    fn restored(entry: &Entry) -> Option<File> {
        let note = entry.note.as_ref().filter(|_| entry.kind == Kind::Recalled)?;
        let [_, content] = entry.parts.as_slice() else { return None };
        let [read, edited] = NOTES.map(|before| note.strip_prefix(before));
        Some(File {
            path: read.or(edited)?.to_owned(),
            content: content.text.clone(),
            of: vec![Source::Entry(entry.id)],
            edited: edited.map(|_| 0),
        })
    }
}

/// The files that the view knows, the one modified last at the end.
fn files(view: &View, past: Past) -> Vec<File> {
    let (mut known, mut calls): (Vec<File>, usize) = (Vec::new(), 0);
    for entry in view.entries() {
        known.extend(File::restored(entry));
        for call in &entry.calls {
            calls += 1;
            let Some(path) = file(call) else { continue };
            let place = known.iter().position(|one| one.path == path);
            let before = place.map(|place| known.remove(place));
            let Some(result) = result(view, past, call) else {
                known.extend(before);
                continue;
            };
            let source = Source::Call(entry.id, call.id.clone());
            known.extend(used(call, (source, result), path, before, calls));
        }
    }
    known.sort_by_key(|file| file.edited);
    known
}

/// What the call came to, where it did not fail; as the log has it, cleared or not.
fn result<'a>(view: &View, past: Past<'a>, call: &Call) -> Option<&'a Message> {
    let result = view.entry(*view.pair(&call.id)?.results.first()?)?;
    past.messages.get(result.origin?.index()).filter(|result| !result.failed)
}

/// The file after a call that names it, the `number`-th.
fn used(
    call: &Call,
    (source, result): (Source, &Message),
    path: String,
    before: Option<File>,
    number: usize,
) -> Option<File> {
    if let Some(content) = argument(call, &["content"]).filter(|_| is_whole_write(call)) {
        let (content, of) = (content.into(), vec![source]);
        return Some(File { path, content, of, edited: Some(number) });
    }
    if is_edit(call) {
        let mut file = before?;
        file.content = edited(&file.content, call);
        file.of.push(source);
        return Some(File { edited: Some(number), ..file });
    }
    // A small part that is looked at again is no more than was known.
    let is_part = |file: &File| 2 * result.content.len() < file.content.len();
    match before {
        Some(file) if !is_read(call) || is_part(&file) => Some(file),
        None if !is_read(call) => None,
        before => {
            let (content, of) = (result.content.clone(), vec![Source::Log(result.id)]);
            Some(File { path, content, of, edited: before.and_then(|file| file.edited) })
        }
    }
}

#[cfg(test)]
mod tests;
