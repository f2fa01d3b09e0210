//! Sessions message by message.

use std::sync::Arc;

use proctor::drive::Session;
use proctor::ident::{FactId, MsgId};
use proctor::log::{
    Author, Boundary, BoundaryAction, Call, CallId, Log, Message, Role, Text, Trigger,
};
use proctor::token::{TokenTable, Tokenizer};
use proctor::truth::{Demand, Fact, FactKind, Needle, Origin, Truth};
use proctor::unit::{Millis, Tokens};
use proctor::watch::FactBook;

/// What a session consists of, lengths in words.
#[derive(Clone, Debug)]
pub enum Act {
    /// A system message inside the conversation.
    System(usize),
    /// The person's words.
    User(usize),
    /// The harness in the user's role.
    Notice(usize),
    /// An answer without calls.
    Answer(usize),
    /// A message with calls: its words, and by call the words of its result, if one came.
    Calls(usize, Vec<Option<usize>>),
}

/// A session from its acts; `wide` writes words of several bytes a character.
pub fn session(acts: &[Act], wide: bool) -> Session {
    let mut writer = Writer { messages: Vec::new(), wide };
    for act in acts {
        match act {
            Act::System(words) => writer.says(Role::System, Author::Harness, *words),
            Act::User(words) => writer.says(Role::User, Author::Human, *words),
            Act::Notice(words) => writer.says(Role::User, Author::Harness, *words),
            Act::Answer(words) => writer.says(Role::Assistant, Author::Agent, *words),
            Act::Calls(words, results) => writer.calls(*words, results),
        }
    }
    ready(writer.messages)
}

/// A session from a shape: `y` system, `u` user, `h` harness as user, `a` answer, `c` a
/// call with its result, `2` two calls with results, `x` a call without a result, all of
/// so many words; capital letters are ten times as long, `e` is an empty answer.
pub fn shaped(shape: &str, words: usize) -> Session {
    let act = |letter: char| {
        let words = if letter.is_ascii_uppercase() { 10 * words } else { words };
        match letter.to_ascii_lowercase() {
            'y' => Act::System(words),
            'u' => Act::User(words),
            'h' => Act::Notice(words),
            'c' => Act::Calls(3, vec![Some(words)]),
            '2' => Act::Calls(3, vec![Some(words), Some(words)]),
            'x' => Act::Calls(3, vec![None]),
            'e' => Act::Answer(0),
            _ => Act::Answer(words),
        }
    };
    session(&shape.chars().filter(|c| *c != ' ').map(act).collect::<Vec<_>>(), false)
}

struct Writer {
    messages: Vec<Message>,
    wide: bool,
}

impl Writer {
    fn says(&mut self, role: Role, author: Author, words: usize) {
        self.push(role, author, words, Vec::new(), None);
    }

    fn calls(&mut self, words: usize, results: &[Option<usize>]) {
        let index = self.messages.len();
        let id = |number: usize| CallId::new(&format!("k{index}.{number}"));
        let call = |number: usize| Call {
            id: id(number),
            name: Text::from("run"),
            args: Text::from(format!("{{\"path\":\"src/part{index}_{number}.rs\"}}")),
        };
        let calls = (0..results.len()).map(call).collect();
        self.push(Role::Assistant, Author::Agent, words, calls, None);
        for (number, words) in results.iter().enumerate() {
            if let Some(words) = words {
                self.push(Role::Tool, Author::Harness, *words, Vec::new(), Some(id(number)));
            }
        }
    }

    fn push(
        &mut self,
        role: Role,
        author: Author,
        words: usize,
        calls: Vec<Call>,
        answers: Option<CallId>,
    ) {
        let index = self.messages.len();
        let message = Message {
            calls,
            answers,
            ..Message::new(
                MsgId(index as u32),
                role,
                author,
                Millis(1_000 * index as u64),
                text(index, words, self.wide),
            )
        };
        self.messages.push(message);
    }
}

/// Unique words: nothing where none are asked for.
fn text(index: usize, words: usize, wide: bool) -> String {
    const PLAIN: [&str; 8] = ["build", "the", "parser", "and", "run", "every", "test", "again.\n"];
    const WIDE: [&str; 8] = ["größe", "naïve", "データ", "тест", "🙂", "żółw", "末尾", "é\n"];
    if words == 0 {
        return String::new();
    }
    let list = if wide { WIDE } else { PLAIN };
    let filler = (0..words).map(|word| list[(word + index) % list.len()]);
    std::iter::once(format!("m{index}:")).chain(filler.map(str::to_owned)).fold(
        needle(index) + " ",
        |mut text, word| {
            text.push_str(&word);
            text.push(' ');
            text
        },
    )
}

/// What a message with words tells, and no other does.
fn needle(index: usize) -> String {
    format!("port-{index}-q")
}

/// Counted, with a fact in every third message that says something, all of them needed
/// at the end, and boundaries at a third, at half and before the end for forced runs.
fn ready(messages: Vec<Message>) -> Session {
    let last = messages.iter().rposition(|message| message.role == Role::Assistant);
    let truth = truth(&messages, last.unwrap_or(0));
    let places = [messages.len() / 3, messages.len() / 2, messages.len().saturating_sub(1)];
    let boundary = |place: usize| Boundary {
        before: MsgId(place as u32),
        trigger: Trigger::Auto,
        action: BoundaryAction::Summary(Text::from("")),
        pre_tokens: None,
        post_tokens: None,
    };
    let log = Log {
        id: "random".to_owned(),
        source: "by hand".to_owned(),
        system: Text::from("You are an agent that works on code."),
        tools: Text::from("run(path)"),
        overhead: Tokens::ZERO,
        messages,
        boundaries: places.map(boundary).to_vec(),
        usage: Vec::new(),
    };
    let (steps, turns) = (log.steps(), log.turns().len() as u32);
    let reference = TokenTable::new(&log, Tokenizer::O200k);
    let own = [Tokenizer::Cl100k, Tokenizer::Chars4];
    let tables = own.map(|tokenizer| TokenTable::new(&log, tokenizer)).to_vec();
    let book = Arc::new(FactBook::new(&log, &steps, truth, &reference));
    Session { log, steps, turns, reference, tables, book }
}

fn truth(messages: &[Message], last: usize) -> Truth {
    let told = messages.iter().filter(|m| !m.content.is_empty() && m.id.index() < last);
    let facts: Vec<Fact> = told
        .step_by(3)
        .enumerate()
        .map(|(number, message)| Fact {
            born: message.id,
            mentions: vec![message.id],
            ..Fact::new(
                FactId(number as u32),
                FactKind::Value,
                needle(message.id.index()),
                vec![Needle::Code(needle(message.id.index()))],
            )
        })
        .collect();
    let at = MsgId(last as u32);
    let demand = |fact: &Fact| Demand { fact: fact.id, at, origin: Origin::Planned };
    let demands = facts.iter().map(demand).collect();
    Truth { facts, demands, ..Truth::default() }
}
