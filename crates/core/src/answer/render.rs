//! A request as the prompt that a model would be sent, with what it shows.

use crate::answer::recover::Remedies;
use crate::answer::{AnswerContext, Malformed, Resolved, Shown, Sources};
use crate::ident::RequestId;
use crate::log::{Role, Text};
use crate::plan::{Frame, Item, Piece, SummaryRequest};
use crate::summarize::{Prompt, PromptMessage, Segment};
use crate::unit::Tokens;
use crate::view::{Entry, Part, PartSource, View};

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
        let segments = prompt.messages.iter().flat_map(|message| &message.segments);
        let own = segments.filter(|segment| !segment.material).map(|segment| &segment.text);
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
    let max_tokens = request.max_tokens.min(context.ask.max_output());
    let fits = |tokens: Tokens| tokens + max_tokens <= context.ask.window();
    let prefix_entries = prefix(remedies, sources.view);
    if let Some(tokens) = remedies.measured().filter(|tokens| !fits(*tokens)) {
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
        let content = entry.parts.iter().map(|part| Resolved {
            part: Part { source, ..part.clone() },
            material: true,
            whole: true,
            tokens: (entry.parts.len() == 1).then_some(entry.counts.content),
            beside: None,
        });
        let calls = entry.calls.iter().zip(&entry.counts.calls).map(|(call, tokens)| Resolved {
            part: Part::raw(
                format!("\n[{} {}]", call.name, call.args),
                entry.covers.clone(),
                source,
            ),
            material: true,
            whole: false,
            tokens: Some(*tokens),
            beside: None,
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
