//! Sessions of a regular shape with their token counts given, so that what is
//! measured is the driver and not the tokenizer.

use std::sync::Arc;

use proctor::answer::Memo;
use proctor::drive::{Cell, Limits, Mode, Session, drive};
use proctor::ident::MsgId;
use proctor::log::{Author, Call, CallId, Log, Message, Role, Text};
use proctor::pipeline::Pipeline;
use proctor::price::PriceSheet;
use proctor::scenario::{Admits, Wire};
use proctor::summarize::simple::Null;
use proctor::token::{MessageTokens, TokenTable, Tokenizer};
use proctor::trace::{EndedBy, Trace};
use proctor::truth::Truth;
use proctor::unit::{Millis, Tokens};
use proctor::watch::FactBook;

/// Call and result pairs of a turn; one more call stays without a result.
const PAIRS: usize = 5;

/// What is driven: pipeline and window.
pub const CELLS: [(&str, Tokens); 3] = [
    ("none", Tokens::UNBOUNDED),
    ("forge-adr", Tokens(100_000)),
    ("forge-tool-call-goal-batch", Tokens::UNBOUNDED),
];

struct Words {
    user: Text,
    result: Text,
    tool: Text,
    args: Text,
    none: Text,
}

fn messages(turns: usize) -> Vec<Message> {
    let words = Words {
        user: "Please go on with the next part.".into(),
        result: "ok: 12 lines".into(),
        tool: "run".into(),
        args: "{\"command\":\"make\"}".into(),
        none: "".into(),
    };
    let mut messages = Vec::with_capacity(turns * (2 * PAIRS + 2));
    for _ in 0..turns {
        push(&mut messages, Role::User, &words.user);
        for pair in 0..=PAIRS {
            let id = CallId::new(&format!("call_{}", messages.len()));
            push(&mut messages, Role::Assistant, &words.none);
            let call = Call { id: id.clone(), name: words.tool.clone(), args: words.args.clone() };
            last(&mut messages).calls.push(call);
            if pair < PAIRS {
                push(&mut messages, Role::Tool, &words.result);
                last(&mut messages).answers = Some(id);
            }
        }
    }
    messages
}

fn push(messages: &mut Vec<Message>, role: Role, content: &Text) {
    let author = match role {
        Role::User => Author::Human,
        Role::Assistant => Author::Agent,
        Role::System | Role::Tool => Author::Harness,
    };
    messages.push(Message {
        id: MsgId(messages.len() as u32),
        role,
        author,
        at: Millis(1_000 * messages.len() as u64),
        content: content.clone(),
        calls: Vec::new(),
        answers: None,
        failed: false,
    });
}

fn last(messages: &mut [Message]) -> &mut Message {
    // OK because each caller has just pushed one.
    messages.last_mut().expect("a message was pushed")
}

fn table(log: &Log, tokenizer: Tokenizer) -> TokenTable {
    let tokens = |message: &Message| MessageTokens {
        content: match message.role {
            Role::User => Tokens(150),
            Role::Tool => Tokens(300),
            Role::System | Role::Assistant => Tokens(0),
        },
        calls: message.calls.iter().map(|_| Tokens(50)).collect(),
    };
    TokenTable {
        tokenizer,
        messages: log.messages.iter().map(tokens).collect(),
        system: Tokens(2_000),
        tools: Tokens(3_000),
    }
}

/// A session of so many turns. Loads the vocabularies too: they are read once a
/// process.
pub fn session(turns: usize) -> Session {
    for tokenizer in Tokenizer::ALL {
        std::hint::black_box(tokenizer.count("load"));
    }
    let log = Log {
        id: format!("structural-{turns}"),
        source: "bench".to_owned(),
        system: "You are a coding agent.".into(),
        tools: "run".into(),
        overhead: Tokens::ZERO,
        messages: messages(turns),
        boundaries: Vec::new(),
        usage: Vec::new(),
    };
    let steps = log.steps();
    let reference = table(&log, Tokenizer::O200k);
    let book = Arc::new(FactBook::new(&log, &steps, Truth::default(), &reference));
    let tables = vec![reference.clone(), table(&log, Tokenizer::Cl100k)];
    Session { log, steps, turns: turns as u32, reference, tables, book }
}

/// Drives the session through a pipeline that ships, to its end.
pub fn run(session: &Session, pipeline: &Pipeline, sheet: &PriceSheet, window: Tokens) -> Trace {
    let limits = Limits {
        window,
        max_output: Tokens(8_000),
        admits: Admits::Prompt,
        wire: Wire::Text,
        cut_off_every: 0,
    };
    let trace = drive(Cell {
        session,
        pipeline,
        limits,
        mode: Mode::Deployed,
        ask: &Null::default(),
        memo: &Memo::default(),
        sheet,
        replicate: 0,
        probes: false,
    });
    assert_eq!(trace.ended_by, EndedBy::Completed);
    trace
}

/// A pipeline that ships.
pub fn pipeline(name: &str) -> Pipeline {
    // OK because a test parses every pipeline that ships.
    proctor::strategy::pipeline(name).expect("it ships")
}
