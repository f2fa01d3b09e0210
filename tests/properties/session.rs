//! Sessions message by message.

use proctor::drive::Session;
use proctor::ident::MsgId;
use proctor::log::{Boundary, BoundaryAction, Log, Message, Role, Text, Trigger};
use proctor::testkit::{self, Line, message, needed};
use proctor::token::Tokenizer;
use proctor::truth::{Fact, FactKind, Truth};

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
            Act::System(words) => writer.says(|text| Line::System(text), *words),
            Act::User(words) => writer.says(|text| Line::User(text), *words),
            Act::Notice(words) => writer.says(|text| Line::Injected(text), *words),
            Act::Answer(words) => writer.says(|text| Line::Says(text), *words),
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
    fn says(&mut self, line: fn(&str) -> Line, words: usize) {
        let index = self.messages.len();
        self.messages.push(message(index, line(&text(index, words, self.wide))));
    }

    fn calls(&mut self, words: usize, results: &[Option<usize>]) {
        let index = self.messages.len();
        let ids: Vec<String> = (0..results.len()).map(|n| format!("k{index}.{n}")).collect();
        let path = |n: usize| format!("{{\"path\":\"src/part{index}_{n}.rs\"}}");
        let args: Vec<String> = (0..results.len()).map(path).collect();
        let calls: Vec<(&str, &str, &str)> =
            ids.iter().zip(&args).map(|(id, args)| (id.as_str(), "run", args.as_str())).collect();
        let said = text(index, words, self.wide);
        self.messages.push(message(index, Line::Calls(&said, &calls)));
        for (id, words) in ids.iter().zip(results) {
            let index = self.messages.len();
            if let Some(words) = words {
                let output = text(index, *words, self.wide);
                self.messages.push(message(index, Line::Output(id, &output)));
            }
        }
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
        kept: Vec::new(),
        pre_tokens: None,
        post_tokens: None,
    };
    let log = Log {
        system: "You are an agent that works on code.".into(),
        tools: "run(path)".into(),
        boundaries: places.map(boundary).to_vec(),
        ..testkit::log(messages)
    };
    Session::new(log, truth, [Tokenizer::Cl100k, Tokenizer::Chars4])
}

fn truth(messages: &[Message], last: usize) -> Truth {
    let told = messages.iter().filter(|m| !m.content.is_empty() && m.id.index() < last);
    let facts: Vec<Fact> = told
        .step_by(3)
        .zip(0..)
        .map(|(message, id)| {
            let born = message.id;
            testkit::fact(id, FactKind::Value, &needle(born.index()), born.0)
        })
        .collect();
    let demands = facts.iter().map(|fact| needed(fact.id.0, last as u32)).collect();
    Truth { facts, demands, ..Truth::default() }
}
