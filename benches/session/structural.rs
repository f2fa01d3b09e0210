//! Sessions of a regular shape with their token counts given, so that what is
//! measured is the driver and not the tokenizer.

use std::sync::Arc;

use proctor::drive::{Limits, Session, drive};
use proctor::ident::{FactId, MsgId};
use proctor::log::{Log, Message, Role};
use proctor::pipeline::Pipeline;
use proctor::summarize::simple::Null;
use proctor::testkit::{self, Line, fact, message, needed, with_cell};
use proctor::token::{MessageTokens, TokenTable, Tokenizer};
use proctor::trace::{EndedBy, Trace};
use proctor::truth::{Demand, Fact, FactKind, Needle, Truth};
use proctor::unit::Tokens;
use proctor::watch::FactBook;

/// Call and result pairs of a turn; one more call stays without a result.
const PAIRS: u32 = 5;
/// Messages of a turn.
const TURN: u32 = 2 * PAIRS + 2;

/// What is driven: pipeline and window.
pub const CELLS: [(&str, Tokens); 3] = [
    ("none", Tokens::UNBOUNDED),
    ("forge-adr", Tokens(100_000)),
    ("forge-tool-call-goal-batch", Tokens::UNBOUNDED),
];

/// What a session knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// Nothing: no facts, no demands.
    Nothing,
    /// Each turn states a fact in the user's words, repeats half of it in its first
    /// result, names the path that every turn names, and needs four facts at its end: that
    /// path, and the facts of the turn before, of ten turns before and of half as many
    /// turns. The next turn replaces one fact in five.
    Facts,
}

impl Knowledge {
    pub const ALL: [Knowledge; 2] = [Knowledge::Nothing, Knowledge::Facts];

    pub fn name(self) -> &'static str {
        match self {
            Knowledge::Nothing => "without facts",
            Knowledge::Facts => "with facts",
        }
    }
}

/// The path that every turn names.
const PATH: &str = "src/everywhere.rs";

fn messages(turns: u32) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut push = |line: Line| messages.push(message(messages.len(), line));
    for turn in 0..turns {
        push(Line::User(&format!("Please open port-{turn}-q in zone-{turn}-q.")));
        for pair in 0..=PAIRS {
            let id = format!("call_{turn}_{pair}");
            push(Line::Calls("", &[(&id, "run", "{\"command\":\"make\"}")]));
            match pair {
                0 => push(Line::Output(&id, &format!("ok: zone-{turn}-q, see {PATH}"))),
                PAIRS => {}
                _ => push(Line::Output(&id, "ok: 12 lines")),
            }
        }
    }
    messages
}

/// Fact 0 is the path, fact `turn + 1` is that of the turn.
fn truth(turns: u32) -> Truth {
    let mut path = fact(0, FactKind::Path, PATH, 2);
    path.mentions = (0..turns).map(|turn| MsgId(turn * TURN + 2)).collect();
    let stated = (0..turns).map(|turn| {
        let needles = ["port", "zone"].map(|word| Needle::Code(format!("{word}-{turn}-q")));
        let replaced = turn % 5 == 0 && turn + 1 < turns;
        Fact {
            needles: needles.to_vec(),
            superseded_by: replaced.then_some(FactId(turn + 2)),
            ..fact(turn + 1, FactKind::Value, "", turn * TURN)
        }
    });
    let facts = [path].into_iter().chain(stated).collect();
    let needs = (1..turns).flat_map(|turn| {
        let ago = [turn - 1, turn.saturating_sub(10), turn / 2].map(|turn| turn + 1);
        let at = (turn + 1) * TURN - 1;
        [0].into_iter().chain(ago).map(move |fact| needed(fact, at))
    });
    let demands: Vec<Demand> = needs.collect();
    Truth { facts, demands, ..Truth::default() }
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
pub fn session(turns: u32, knowledge: Knowledge) -> Session {
    for tokenizer in Tokenizer::ALL {
        std::hint::black_box(tokenizer.count("load"));
    }
    let log = testkit::log(messages(turns));
    let truth = match knowledge {
        Knowledge::Nothing => Truth::default(),
        Knowledge::Facts => truth(turns),
    };
    let steps = log.steps();
    let reference = table(&log, Tokenizer::O200k);
    let book = Arc::new(FactBook::new(&log, &steps, truth, &reference));
    let tables = vec![reference.clone(), table(&log, Tokenizer::Cl100k)];
    Session { log, steps, turns, reference, tables, book, edits: Default::default() }
}

/// Drives the session through a pipeline that ships, to its end.
pub fn run(session: &Session, pipeline: &Pipeline, window: Tokens) -> Trace {
    let limits = Limits::new(window, Tokens(8_000));
    let trace = with_cell(session, pipeline, limits, &Null::default(), drive);
    assert_eq!(trace.ended_by, EndedBy::Completed);
    trace
}

/// A pipeline that ships.
pub fn pipeline(name: &str) -> Pipeline {
    // OK because a test parses every pipeline that ships.
    proctor::strategy::pipeline(name).expect("it ships")
}
