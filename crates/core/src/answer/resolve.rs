//! Pieces to text with provenance: the same for entries and for prompts.

use thiserror::Error;

use crate::answer::{Answered, Answers};
use crate::ident::{EntryId, RequestId};
use crate::log::{Past, Text};
use crate::plan::{Piece, Source};
use crate::unit::Tokens;
use crate::view::{Part, PartSource, Spans, View};

/// A plan that names what is not there. Not a broken rule of the view but a
/// defect of the strategy: the cell ends with `raised`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("malformed plan: {0}")]
pub struct Malformed(pub String);

/// One stretch of resolved content.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// Text and provenance.
    pub part: Part,
    /// Whether it comes from the conversation (a quote, an earlier answer), not
    /// from the strategy.
    pub material: bool,
    /// Whether it is an entry's whole content.
    pub whole: bool,
    /// Reference tokens where known without counting.
    pub tokens: Option<Tokens>,
    /// A text that `tokens` counts too and that is not part of this: the name of a
    /// call whose arguments are quoted.
    pub beside: Option<Text>,
}

/// Resolves pieces in order.
pub fn resolve(
    pieces: &[Piece],
    view: &View,
    past: Past,
    answers: &Answers,
) -> Result<Vec<Resolved>, Malformed> {
    let mut resolved = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match piece {
            Piece::Literal(text) | Piece::Extract { text, .. } => {
                resolved.push(Resolved::words(text.clone()));
            }
            Piece::Quote { of, bytes } => quote(of, *bytes, view, past, &mut resolved)?,
            Piece::Answer { first_of, clean } => {
                let answered = preferred(first_of, answers)?;
                let cleaned = clean.apply(&answered.text);
                let text = if cleaned.len() == answered.text.len() {
                    answered.text.clone()
                } else {
                    Text::from(cleaned)
                };
                // A stand-in is the profile's own words: nothing went through a summarizer.
                let words = Resolved { material: true, ..Resolved::words(text) };
                resolved.push(match answered.stand_in {
                    true => words,
                    false => {
                        words.from(answered.spans(), answered.generation(), PartSource::Answer)
                    }
                });
            }
        }
    }
    Ok(resolved)
}

/// The first answer, passing over requests that came to nothing where there is
/// another.
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
        let part = Part { text, spans: Spans::new(), generation: 0, source: PartSource::Words };
        Resolved { part, material: false, whole: false, tokens: None, beside: None }
    }

    fn from(self, spans: Spans, generation: u32, source: PartSource) -> Resolved {
        Resolved { part: Part { spans, generation, source, ..self.part }, ..self }
    }
}

fn quote(
    of: &Source,
    bytes: Option<(usize, usize)>,
    view: &View,
    past: Past,
    resolved: &mut Vec<Resolved>,
) -> Result<(), Malformed> {
    let quoted =
        |part, whole, tokens| Resolved { part, material: true, whole, tokens, beside: None };
    match of {
        Source::Entry(id) => {
            let entry = view.entry(*id).ok_or_else(|| unknown_entry(*id))?;
            let whole = bytes.is_none();
            let single = entry.parts.len() == 1;
            for part in clip_parts(&entry.parts, bytes) {
                let tokens = (whole && single).then_some(entry.counts.content);
                let part = Part { source: PartSource::Entry(*id), ..part };
                resolved.push(quoted(part, whole, tokens));
            }
        }
        Source::Call(id, call_id) => {
            let entry = view.entry(*id).ok_or_else(|| unknown_entry(*id))?;
            let place = entry.calls.iter().position(|call| call.id == *call_id);
            let place = place
                .ok_or_else(|| Malformed(format!("entry {} makes no call `{call_id}`", id.0)))?;
            let call = &entry.calls[place];
            let part = Part {
                text: call.args.clone(),
                spans: entry.covers.clone(),
                generation: 0,
                source: PartSource::Entry(*id),
            };
            let part = clip(&part, bytes.unwrap_or((0, usize::MAX)));
            let tokens = entry.counts.calls.get(place).copied().filter(|_| bytes.is_none());
            let beside = tokens.map(|_| call.name.clone());
            resolved.push(Resolved { beside, ..quoted(part, false, tokens) });
        }
        Source::Log(id) => {
            let message = past
                .messages
                .get(id.index())
                .ok_or_else(|| Malformed(format!("message {} has not happened yet", id.0)))?;
            let part = Part {
                text: message.content.clone(),
                spans: Spans::one(message.id),
                generation: 0,
                source: PartSource::Log,
            };
            resolved.push(quoted(clip(&part, bytes.unwrap_or((0, usize::MAX))), false, None));
        }
    }
    Ok(())
}

fn unknown_entry(id: EntryId) -> Malformed {
    Malformed(format!("entry {} is not in the view", id.0))
}

/// The byte range of a run of parts, cut inside each part.
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
    let mut from = from.min(text.len());
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let mut to = to.min(text.len()).max(from);
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    Part { text: Text::from(&text[from..to.max(from)]), ..part.clone() }
}
