//! A log, its view and a scripted summarizer.

use std::collections::VecDeque;
use std::sync::Mutex;

use proctor::answer::{AnswerContext, Memo, Outcome, answer};
use proctor::apply::{Applied, Claims, Rule, apply, commit};
use proctor::ident::MsgId;
use proctor::log::{Author, Call, CallId, Log, Message, Role, Text};
use proctor::overlay::Overlay;
use proctor::plan::{Layout, Plan, Then};
use proctor::summarize::{Answer, Ask, AskError, FailureClass, Prompt, Reply, Stopped};
use proctor::token::{Counter, MessageTokens, Tally};
use proctor::unit::{Millis, Tokens};
use proctor::view::{Entry, Kind, View};

/// One message of a session.
#[derive(Clone, Copy)]
pub enum Line<'a> {
    System(&'a str),
    User(&'a str),
    Injected(&'a str),
    Says(&'a str),
    /// Text and calls (id, tool, arguments).
    Calls(&'a str, &'a [(&'a str, &'a str, &'a str)]),
    /// Call id and output.
    Result(&'a str, &'a str),
}

pub use Line::{Calls, Injected, Result as Output, Says, System, User};

/// A session so far.
pub struct Scene {
    pub log: Log,
    pub view: View,
    pub tally: Tally,
}

/// What became of a plan.
#[derive(Debug)]
pub enum Fate {
    Accepted(Applied),
    Fallback(Applied),
    Failed(Then),
}

impl Scene {
    pub fn new(lines: &[Line]) -> Scene {
        let log = Log {
            id: "scene".to_owned(),
            source: String::new(),
            system: Text::from("You are a coding agent."),
            tools: Text::from("read, write, run"),
            overhead: Tokens::ZERO,
            messages: Vec::new(),
            boundaries: Vec::new(),
            usage: Vec::new(),
        };
        let counter = Counter { per_message: 4, ..Counter::REFERENCE };
        let mut scene = Scene { log, view: View::default(), tally: Tally::new(counter) };
        scene.more(lines);
        scene
    }

    /// The session goes on.
    pub fn more(&mut self, lines: &[Line]) {
        for line in lines {
            let message = message(self.log.messages.len(), *line);
            let counts = MessageTokens::of(&message, Counter::REFERENCE.tokenizer);
            let turns = self.log.messages.iter().filter(|m| m.role == Role::User).count() as u32;
            let turn = turns + u32::from(message.role == Role::User);
            let counted = counts.total() + self.tally.counter().overhead();
            let id = self.view.next_id();
            self.view.append(Entry::of_message(id, &message, turn, counts, counted));
            self.log.messages.push(message);
        }
    }

    pub fn answer(&self, plan: &Plan, ask: &Script) -> Outcome {
        let memo = Memo::default();
        let desk = AnswerContext {
            ask,
            memo: &memo,
            tally: &self.tally,
            system: &self.log.system,
            tools: &self.log.tools,
            past: self.log.past(self.log.messages.len()),
            replicate: 0,
            moment: Default::default(),
        };
        answer(&plan.requests, &self.view, &desk).expect("a well-formed plan")
    }

    /// Has the plan answered, applied, accepted and committed, as the driver does.
    pub fn carry_out(&mut self, plan: &Plan, ask: &Script) -> Fate {
        survives_json(plan);
        if let Some(applied) = self.candidate(plan, ask) {
            commit(&mut self.view, &applied);
            return Fate::Accepted(applied);
        }
        let fallback = plan.otherwise.as_ref().and_then(|otherwise| self.candidate(otherwise, ask));
        let Some(applied) = fallback else { return Fate::Failed(plan.then) };
        commit(&mut self.view, &applied);
        if plan.then == Then::Raise { Fate::Failed(Then::Raise) } else { Fate::Fallback(applied) }
    }

    fn candidate(&self, plan: &Plan, ask: &Script) -> Option<Applied> {
        let outcome = self.answer(plan, ask);
        if outcome.failure.is_some() {
            return None;
        }
        let past = self.log.past(self.log.messages.len());
        let answers = &outcome.answers;
        let applied =
            apply(&self.view, &plan.layout, answers, past, &self.tally, Claims::default())
                .expect("a well-formed plan");
        let before = self.view.counted();
        let holds = plan.accept.iter().all(|rule| rule.holds(before, applied.counted, None));
        holds.then_some(applied)
    }

    /// What would be sent under request-scope edits.
    pub fn sent(&self, plan: &Plan, last: &Overlay) -> (Overlay, Vec<String>) {
        survives_json(plan);
        let Layout::Edits { base, edits } = &plan.layout else { panic!("a request-scope plan") };
        let past = self.log.past(self.log.messages.len());
        let overlay = last
            .next(&self.view, *base, edits, &Default::default(), past, &self.tally)
            .expect("a well-formed plan");
        let entries = self.view.entries().iter();
        let shown = entries.map(|entry| row(overlay.of(entry.id).unwrap_or(entry))).collect();
        (overlay, shown)
    }

    /// The view, an entry a line.
    pub fn rows(&self) -> Vec<String> {
        self.view.entries().iter().map(|entry| row(entry)).collect()
    }
}

/// Role, kind, generation, covered messages, answered call, content, calls.
pub fn row(entry: &Entry) -> String {
    let kind = match entry.kind {
        Kind::Message if entry.rewritten => "~",
        Kind::Message => "",
        Kind::Notice => "notice ",
        _ => "summary ",
    };
    let covers: Vec<String> =
        entry.covers.ranges().iter().map(|(a, b)| format!("{a}..{b}")).collect();
    let calls: String = entry.calls.iter().map(|c| format!(" [{} {}]", c.id, c.args)).collect();
    let answers = entry.answers.as_ref().map_or(String::new(), |id| format!(" ({id})"));
    format!(
        "{} {kind}g{} {}{answers}: {}{calls}",
        entry.role.name(),
        entry.generation(),
        covers.join(","),
        entry.content()
    )
}

pub fn rules(applied: &Applied) -> Vec<Rule> {
    applied.violations.iter().map(|violation| violation.rule).collect()
}

pub fn survives_json(plan: &Plan) {
    let json = serde_json::to_string(plan).expect("it serializes");
    assert_eq!(&serde_json::from_str::<Plan>(&json).expect("it parses"), plan);
}

fn message(index: usize, line: Line) -> Message {
    let (role, author, content, calls, answers) = match line {
        System(text) => (Role::System, Author::Harness, text, &[][..], None),
        User(text) => (Role::User, Author::Human, text, &[][..], None),
        Injected(text) => (Role::User, Author::Harness, text, &[][..], None),
        Says(text) => (Role::Assistant, Author::Agent, text, &[][..], None),
        Calls(text, calls) => (Role::Assistant, Author::Agent, text, calls, None),
        Output(id, text) => (Role::Tool, Author::Harness, text, &[][..], Some(CallId::new(id))),
    };
    let call = |(id, name, args): &(&str, &str, &str)| Call {
        id: CallId::new(id),
        name: Text::from(*name),
        args: Text::from(*args),
    };
    Message {
        id: MsgId(index as u32),
        role,
        author,
        at: Millis(1000 * index as u64),
        content: Text::from(content),
        calls: calls.iter().map(call).collect(),
        answers,
        failed: false,
    }
}

/// A summarizer that gives these replies in turn.
pub struct Script {
    replies: Mutex<VecDeque<Reply>>,
    pub asked: Mutex<Vec<Prompt>>,
    pub window: Tokens,
}

pub fn says(text: &str) -> Reply {
    Ok(Answer::complete(text))
}

pub fn fails(class: FailureClass) -> Reply {
    Err(AskError { class, message: "the provider said no".into() })
}

impl Script {
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Script {
        Script {
            replies: Mutex::new(replies.into_iter().collect()),
            asked: Mutex::new(Vec::new()),
            window: Tokens(200_000),
        }
    }

    /// The prompts so far, as text.
    pub fn prompts(&self) -> Vec<String> {
        let asked = self.asked.lock().expect("no test panicked with it");
        let text = |prompt: &Prompt| {
            prompt.messages.iter().map(|m| format!("{}: {}\n", m.role.name(), m.text())).collect()
        };
        asked.iter().map(text).collect()
    }
}

impl Ask for Script {
    fn name(&self) -> &'static str {
        "script"
    }
    fn window(&self) -> Tokens {
        self.window
    }
    fn max_output(&self) -> Tokens {
        Tokens(8_000)
    }
    fn ask(&self, batch: &[Prompt]) -> Result<Vec<Reply>, Stopped> {
        let mut replies = self.replies.lock().expect("no test panicked with it");
        self.asked.lock().expect("no test panicked with it").extend(batch.iter().cloned());
        Ok(batch.iter().map(|_| replies.pop_front().expect("the script is long enough")).collect())
    }
    fn memoizes(&self) -> bool {
        false
    }
}
