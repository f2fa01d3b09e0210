//! Pieces to text with provenance: the same for entries and for prompts.

use std::fmt;
use std::sync::Arc;

use crate::answer::{Answered, Answers};
use crate::ident::{EntryId, RequestId};
use crate::log::{Past, Text};
use crate::plan::{Clean, Piece, Source};
use crate::unit::Tokens;
use crate::view::{Entry, Part, PartSource, Spans, View};

/// A plan that names what is not there: a defect of the strategy, the cell ends with `raised`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(pub String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed plan: {}", self.0)
    }
}

/// One stretch of resolved content.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Resolved {
    pub part: Part,
    /// Whether it comes from the conversation (a quote, an earlier answer), not from the strategy.
    pub material: bool,
    /// Whether it is an entry's whole content.
    pub whole: bool,
    /// Reference tokens where known without counting.
    pub tokens: Option<Tokens>,
    /// A text that `tokens` counts too: the name of a call whose arguments are quoted.
    pub beside: Option<Text>,
}

/// What pieces are made of.
#[derive(Clone, Copy)]
pub(crate) struct Sources<'a> {
    pub view: &'a View,
    pub past: Past<'a>,
    pub answers: &'a Answers,
}

impl<'a> Sources<'a> {
    /// Pieces as text with provenance, in order.
    pub(super) fn resolve(self, pieces: &[Piece]) -> Result<Vec<Resolved>, Malformed> {
        let mut resolved = Vec::with_capacity(pieces.len());
        for piece in pieces {
            match piece {
                Piece::Literal(text) | Piece::Extract { text, .. } => {
                    resolved.push(Resolved::words(text.clone()));
                }
                Piece::Quote { of, bytes } => self.quote(of, *bytes, &mut resolved)?,
                Piece::Answer { first_of, clean } => {
                    let answered = preferred(first_of, self.answers)?;
                    resolved.push(Resolved::answer(answered, clean));
                }
            }
        }
        Ok(resolved)
    }

    pub(crate) fn parts(self, pieces: &[Piece]) -> Result<Vec<Part>, Malformed> {
        Ok(self.resolve(pieces)?.into_iter().map(|resolved| resolved.part).collect())
    }

    pub(crate) fn entry(self, id: EntryId) -> Result<&'a Arc<Entry>, Malformed> {
        let entry = self.view.entry(id);
        entry.ok_or_else(|| Malformed(format!("entry {} is not in the view", id.0)))
    }

    fn quote(
        self,
        of: &Source,
        bytes: Option<(usize, usize)>,
        resolved: &mut Vec<Resolved>,
    ) -> Result<(), Malformed> {
        let quoted =
            |part, whole, tokens| Resolved { part, material: true, whole, tokens, beside: None };
        let range = bytes.unwrap_or((0, usize::MAX));
        match of {
            Source::Entry(id) => {
                let entry = self.entry(*id)?;
                let whole = bytes.is_none();
                let single = entry.parts.len() == 1;
                for part in clip_parts(&entry.parts, bytes) {
                    let tokens = (whole && single).then_some(entry.counts.content);
                    let part = Part { source: PartSource::Entry(*id), ..part };
                    resolved.push(quoted(part, whole, tokens));
                }
            }
            Source::Call(id, call_id) => {
                let entry = self.entry(*id)?;
                let place = entry.calls.iter().position(|call| call.id == *call_id);
                let unknown = || Malformed(format!("entry {} makes no call `{call_id}`", id.0));
                let place = place.ok_or_else(unknown)?;
                let call = &entry.calls[place];
                let source = PartSource::Entry(*id);
                let part = Part::raw(call.args.clone(), entry.covers.clone(), source);
                let tokens = entry.counts.calls.get(place).copied().filter(|_| bytes.is_none());
                let beside = tokens.map(|_| call.name.clone());
                resolved.push(Resolved { beside, ..quoted(clip(&part, range), false, tokens) });
            }
            Source::Log(id) => {
                let message = self.past.messages.get(id.index());
                let unknown = || Malformed(format!("message {} has not happened yet", id.0));
                let text = message.ok_or_else(unknown)?.content.clone();
                let part = Part::raw(text, Spans::one(*id), PartSource::Log);
                resolved.push(quoted(clip(&part, range), false, None));
            }
        }
        Ok(())
    }
}

/// The first answer, passing over requests that came to nothing where there is another.
fn preferred<'a>(first_of: &[RequestId], answers: &'a Answers) -> Result<&'a Answered, Malformed> {
    let mut known = first_of.iter().filter_map(|id| answers.get(id)).peekable();
    let first = known.peek().copied();
    known
        .find(|answered| !answered.is_nothing())
        .or(first)
        .ok_or_else(|| Malformed(format!("no answer to any of the requests {first_of:?}")))
}

impl Resolved {
    fn words(text: Text) -> Resolved {
        let part = Part::raw(text, Spans::new(), PartSource::Words);
        Resolved { part, material: false, whole: false, tokens: None, beside: None }
    }

    fn answer(answered: &Answered, clean: &Clean) -> Resolved {
        let cleaned = clean.apply(&answered.text);
        let text = match cleaned.len() == answered.text.len() {
            true => answered.text.clone(),
            false => Text::from(cleaned),
        };
        let words = Resolved { material: true, ..Resolved::words(text) };
        if answered.stand_in {
            // The profile's own words: nothing went through a summarizer.
            return words;
        }
        let (spans, generation) = (answered.spans(), answered.generation());
        let part = Part { spans, generation, source: PartSource::Answer, ..words.part };
        Resolved { part, ..words }
    }
}

fn clip_parts(parts: &[Part], bytes: Option<(usize, usize)>) -> Vec<Part> {
    let Some((from, to)) = bytes else { return parts.to_vec() };
    let mut start = 0;
    let mut clipped = Vec::new();
    for part in parts {
        let end = start + part.text.len();
        if from < end && to > start {
            clipped.push(clip(part, (from.saturating_sub(start), to - start)));
        }
        start = end;
    }
    clipped
}

/// A byte range of a part, moved inward to character boundaries.
fn clip(part: &Part, (from, to): (usize, usize)) -> Part {
    let text = &part.text;
    if from == 0 && to >= text.len() {
        return part.clone();
    }
    let from = text.ceil_char_boundary(from);
    let to = text.floor_char_boundary(to).max(from);
    Part { text: Text::from(&text[from..to]), ..part.clone() }
}
