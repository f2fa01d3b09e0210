//! A request as the prompt that a model would be sent, with what it shows.

use crate::answer::recover::Remedies;
use crate::answer::{Answers, Desk, Malformed, Resolved, Shown, resolve};
use crate::ident::RequestId;
use crate::log::{Role, Text};
use crate::plan::{Frame, Item, Piece, SummaryRequest};
use crate::summarize::{Prompt, PromptMessage, Segment};
use crate::unit::Tokens;
use crate::view::{Entry, Part, View};

/// A prompt ready to be asked.
pub(super) struct Rendered {
    pub(super) prompt: Prompt,
    pub(super) shown: Vec<Shown>,
    /// Reference tokens of the whole prompt.
    pub(super) tokens: Tokens,
    /// Reference tokens of what it quotes.
    pub(super) material: Tokens,
    /// See [`Attempt::prefix_entries`](crate::answer::Attempt::prefix_entries).
    pub(super) prefix_entries: usize,
}

impl Rendered {
    /// All of the prompt that is the strategy's and not the conversation's.
    pub(super) fn words(&self) -> Vec<Text> {
        let segments = self.prompt.messages.iter().flat_map(|message| &message.segments);
        let own = segments.filter(|segment| !segment.material).map(|segment| &segment.text);
        self.prompt.system.iter().chain(own).cloned().collect()
    }
}

/// The answers that a request needs first: one of each list.
pub(super) fn dependencies(request: &SummaryRequest) -> impl Iterator<Item = &[RequestId]> {
    let in_items = request.items.iter().flat_map(|item| match item {
        Item::Entry(_) => [].as_slice(),
        Item::Message { pieces, .. } => pieces,
    });
    in_items.chain(&request.instruction).filter_map(|piece| match piece {
        Piece::Answer { first_of, .. } => Some(first_of.as_slice()),
        Piece::Literal(_) | Piece::Extract { .. } | Piece::Quote { .. } => None,
    })
}

/// Renders a request as its remedies have left it.
pub(super) fn render(
    request: &SummaryRequest,
    remedies: &Remedies,
    view: &View,
    answers: &Answers,
    desk: &Desk,
) -> Result<Rendered, Malformed> {
    let (system, system_tokens) = frame(&request.frame, desk);
    let mut page = Page {
        desk,
        messages: Vec::new(),
        shown: Vec::new(),
        tokens: system_tokens,
        material: Tokens::ZERO,
    };
    let mut prefix = Prefix { possible: matches!(request.frame, Frame::Agent { .. }), entries: 0 };
    for item in remedies.items() {
        match item {
            Item::Entry(id) => {
                let entry = view
                    .entry(*id)
                    .ok_or_else(|| Malformed(format!("entry {} is not in the view", id.0)))?;
                prefix.follow(view.position(*id), remedies.cap());
                page.entry(entry, remedies.cap());
            }
            Item::Message { role, pieces, .. } => {
                prefix.possible = false;
                page.message(*role, &resolve(pieces, view, desk.past, answers)?, remedies.cap());
            }
        }
    }
    page.message(Role::User, &resolve(&request.instruction, view, desk.past, answers)?, None);
    Ok(Rendered {
        prompt: Prompt {
            system: Some(system),
            messages: page.messages,
            max_tokens: request.max_tokens.min(desk.ask.max_output()),
            model: request.model.clone(),
            replicate: desk.replicate,
        },
        shown: page.shown,
        tokens: page.tokens,
        material: page.material,
        prefix_entries: prefix.entries,
    })
}

fn frame(frame: &Frame, desk: &Desk) -> (Text, Tokens) {
    match frame {
        Frame::Own(system) => (system.clone(), desk.tally.recurring(system)),
        Frame::Agent { tools } => {
            let schemas = if *tools { desk.tally.recurring(desk.tools) } else { Tokens::ZERO };
            (desk.system.clone(), desk.tally.recurring(desk.system) + schemas)
        }
    }
}

/// How far the prompt repeats the agent's conversation word for word.
struct Prefix {
    possible: bool,
    entries: usize,
}

impl Prefix {
    fn follow(&mut self, position: Option<usize>, cap: Option<usize>) {
        self.possible &= cap.is_none() && position == Some(self.entries);
        self.entries += usize::from(self.possible);
    }
}

/// The prompt being written.
struct Page<'a, 'b> {
    desk: &'a Desk<'b>,
    messages: Vec<PromptMessage>,
    shown: Vec<Shown>,
    tokens: Tokens,
    material: Tokens,
}

impl Page<'_, '_> {
    /// An entry as the conversation has it: content, then calls.
    fn entry(&mut self, entry: &Entry, cap: Option<usize>) {
        let whole = cap.is_none();
        let content = entry.parts.iter().map(|part| Resolved {
            part: part.clone(),
            entry: Some(entry.id),
            material: true,
            whole,
            tokens: (whole && entry.parts.len() == 1).then_some(entry.counts.content),
            beside: None,
        });
        let calls = entry.calls.iter().zip(&entry.counts.calls).map(|(call, tokens)| Resolved {
            part: Part {
                text: format!("\n[{} {}]", call.name, call.args).into(),
                spans: entry.covers.clone(),
                generation: 0,
            },
            entry: Some(entry.id),
            material: true,
            whole: false,
            tokens: whole.then_some(*tokens),
            beside: None,
        });
        let resolved: Vec<Resolved> = content.chain(calls).collect();
        self.message(entry.role, &resolved, cap);
    }

    fn message(&mut self, role: Role, resolved: &[Resolved], cap: Option<usize>) {
        let mut room = cap.unwrap_or(usize::MAX);
        let mut segments = Vec::with_capacity(resolved.len());
        for piece in resolved {
            let text = head(&piece.part.text, room);
            room -= text.len();
            if text.is_empty() {
                continue;
            }
            let whole = piece.whole && text.len() == piece.part.text.len();
            self.count(piece, &text, whole);
            segments.push(Segment { text, material: piece.material });
        }
        self.messages.push(PromptMessage { role, segments });
    }

    fn count(&mut self, piece: &Resolved, text: &Text, whole: bool) {
        let tokens = match piece.tokens {
            Some(tokens) if whole || text.len() == piece.part.text.len() => {
                let beside = piece.beside.as_ref();
                tokens - beside.map_or(Tokens::ZERO, |name| self.desk.tally.recurring(name))
            }
            _ if piece.material => self.desk.tally.reference(text),
            _ => self.desk.tally.recurring(text),
        };
        self.tokens += tokens;
        if piece.material {
            self.material += tokens;
            self.show(piece, text, whole, tokens);
        }
    }

    fn show(&mut self, piece: &Resolved, text: &Text, whole: bool, tokens: Tokens) {
        self.shown.push(Shown {
            entry: piece.entry,
            text: text.clone(),
            whole,
            tokens,
            spans: piece.part.spans.clone(),
            generation: piece.part.generation,
        });
    }
}

/// At most so many bytes of a text, cut on a character boundary.
fn head(text: &Text, room: usize) -> Text {
    if text.len() <= room {
        return text.clone();
    }
    let mut end = room;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Text::from(&text[..end])
}
