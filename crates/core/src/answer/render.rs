//! A request as the prompt that a model would be sent, with what it shows; and pieces as text
//! with provenance, the same for entries and for prompts.

use std::fmt;

use crate::answer::{AnswerContext, Answered, Answers, Remedies, Shown};
use crate::log::{Past, Role, Text};
use crate::plan::{Clean, Frame, Item, Piece, Source, SummaryRequest};
use crate::prelude::*;
use crate::summarize::{Prompt, PromptMessage, Segment};
use crate::view::{Entry, Part, PartSource, Spans, View};

/// A plan that names what is not there: a defect of the strategy, the cell ends with `raised`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(pub String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed plan: {}", self.0)
    }
}

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
        let range = bytes.unwrap_or((0, usize::MAX));
        match of {
            Source::Entry(id) => {
                let entry = self.entry(*id)?;
                let whole = bytes.is_none();
                let single = entry.parts.len() == 1;
                for part in clip_parts(&entry.parts, bytes) {
                    let tokens = (whole && single).then_some(entry.counts.content);
                    let part = Part { source: PartSource::Entry(*id), ..part };
                    resolved.push(Resolved::quoted(part, whole, tokens));
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
                let quoted = Resolved::quoted(clip(&part, range), false, tokens);
                resolved.push(Resolved { beside, ..quoted });
            }
            Source::Log(id) => {
                let message = self.past.messages.get(id.index());
                let unknown = || Malformed(format!("message {} has not happened yet", id.0));
                let text = message.ok_or_else(unknown)?.content.clone();
                let part = Part::raw(text, Spans::one(*id), PartSource::Log);
                resolved.push(Resolved::quoted(clip(&part, range), false, None));
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

    fn quoted(part: Part, whole: bool, tokens: Option<Tokens>) -> Resolved {
        Resolved { part, material: true, whole, tokens, beside: None }
    }

    fn answer(answered: &Answered, clean: &Clean) -> Resolved {
        let cleaned = clean.apply(&answered.text);
        let as_is = cleaned.len() == answered.text.len();
        let text = if as_is { answered.text.clone() } else { Text::from(cleaned) };
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

pub(super) struct Rendered {
    /// The prompt; `None` where the summarizer does not admit it.
    pub(super) prompt: Option<Prompt>,
    pub(super) max_tokens: Tokens,
    pub(super) shown: Vec<Shown>,
    pub(super) tokens: Tokens,
    /// Reference tokens of what it quotes.
    pub(super) material: Tokens,
    pub(super) prefix_entries: usize,
}

impl Rendered {
    /// All of the prompt that is the strategy's and not the conversation's.
    pub(super) fn words(&self) -> Vec<Text> {
        let Some(prompt) = &self.prompt else { return Vec::new() };
        let own = prompt.segments().filter(|segment| !segment.material);
        let own = own.map(|segment| &segment.text);
        prompt.system.iter().chain(own).cloned().collect()
    }
}

/// The answers that a request needs first: one of each list.
pub(super) fn dependencies(request: &SummaryRequest) -> impl Iterator<Item = &[RequestId]> {
    let in_items = request.items.iter().flat_map(|item| match item {
        Item::Entry(_) => [].as_slice(),
        Item::Message { pieces, .. } => pieces,
    });
    in_items.chain(&request.instruction).filter_map(Piece::requests)
}

/// Renders a request as its remedies have left it. One that was measured and is still too large is
/// not written out again: one that loses its oldest items is written twice, however many go.
pub(super) fn render(
    remedies: &mut Remedies,
    sources: Sources,
    context: &AnswerContext,
) -> Result<Rendered, Malformed> {
    let request = remedies.request;
    let limits = context.ask.limits();
    let max_tokens = request.max_tokens.min(limits.max_output);
    let window = limits.window(context.window);
    let fits = |tokens: Tokens| tokens + max_tokens <= window;
    let prefix_entries = prefix(remedies, sources.view);
    if let Some(&(tokens, _)) = remedies.sizes.as_ref().filter(|(tokens, _)| !fits(*tokens)) {
        let (material, shown) = (Tokens::ZERO, Vec::new());
        return Ok(Rendered { prompt: None, max_tokens, shown, tokens, material, prefix_entries });
    }
    let (system, system_tokens) = frame(&request.frame, context);
    let mut page = Page {
        context,
        messages: Vec::new(),
        shown: Vec::new(),
        tokens: system_tokens,
        material: Tokens::ZERO,
    };
    let mut sizes = Vec::new();
    for item in remedies.items() {
        let before = page.tokens;
        match item {
            Item::Entry(id) => page.entry(sources.entry(*id)?),
            Item::Message { role, pieces, .. } => page.message(*role, sources.resolve(pieces)?),
        }
        sizes.push(page.tokens - before);
    }
    if !request.instruction.is_empty() {
        page.message(Role::User, sources.resolve(&request.instruction)?);
    }
    remedies.measure(page.tokens, sizes);
    let messages = page.messages;
    let (model, replicate) = (request.model.clone(), context.replicate);
    let prompt = Prompt { system: Some(system), messages, max_tokens, model, replicate };
    Ok(Rendered {
        prompt: fits(page.tokens).then_some(prompt),
        max_tokens,
        shown: page.shown,
        tokens: page.tokens,
        material: page.material,
        prefix_entries,
    })
}

/// Entries that the prompt repeats word for word behind the agent's own system prompt.
fn prefix(remedies: &Remedies, view: &View) -> usize {
    if !matches!(remedies.request.frame, Frame::Agent { .. }) {
        return 0;
    }
    let stands_at = |(place, item): &(usize, &Item)| match item {
        Item::Entry(id) => view.position(*id) == Some(*place),
        Item::Message { .. } => false,
    };
    remedies.items().enumerate().take_while(stands_at).count()
}

fn frame(frame: &Frame, context: &AnswerContext) -> (Text, Tokens) {
    match frame {
        Frame::Own(system) => (system.clone(), context.tally.reference(system)),
        Frame::Agent { tools } => {
            let schemas =
                if *tools { context.tally.reference(context.tools) } else { Tokens::ZERO };
            (context.system.clone(), context.tally.reference(context.system) + schemas)
        }
    }
}

struct Page<'a, 'b> {
    context: &'a AnswerContext<'b>,
    messages: Vec<PromptMessage>,
    shown: Vec<Shown>,
    tokens: Tokens,
    material: Tokens,
}

impl Page<'_, '_> {
    fn entry(&mut self, entry: &Entry) {
        let source = PartSource::Entry(entry.id);
        let content_tokens = (entry.parts.len() == 1).then_some(entry.counts.content);
        let content = entry.parts.iter().map(|part| Part { source, ..part.clone() });
        let content = content.map(|part| Resolved::quoted(part, true, content_tokens));
        let calls = entry.calls.iter().zip(&entry.counts.calls).map(|(call, tokens)| {
            let text = format!("\n[{} {}]", call.name, call.args);
            Resolved::quoted(Part::raw(text, entry.covers.clone(), source), false, Some(*tokens))
        });
        self.message(entry.role, content.chain(calls).collect());
    }

    fn message(&mut self, role: Role, resolved: Vec<Resolved>) {
        let mut segments = Vec::with_capacity(resolved.len());
        for piece in resolved {
            if piece.part.text.is_empty() {
                continue;
            }
            let tally = self.context.tally;
            let tokens = match (piece.tokens, &piece.beside) {
                (Some(tokens), Some(name)) => tokens - tally.reference(name),
                (Some(tokens), None) => tokens,
                (None, _) => tally.reference(&piece.part.text),
            };
            self.tokens += tokens;
            segments.push(Segment { text: piece.part.text.clone(), material: piece.material });
            if piece.material {
                self.material += tokens;
                let Part { text, spans, generation, source } = piece.part;
                let entry = match source {
                    PartSource::Entry(id) => Some(id),
                    PartSource::Words | PartSource::Log | PartSource::Answer => None,
                };
                let whole = piece.whole;
                self.shown.push(Shown { entry, text, whole, tokens, spans, generation });
            }
        }
        self.messages.push(PromptMessage { role, segments });
    }
}
