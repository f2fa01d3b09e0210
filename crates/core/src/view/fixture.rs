//! Small logs and views for tests, written as shapes.

use std::collections::VecDeque;
use std::sync::Mutex;

use crate::answer::{Answered, Answers, Desk, Memo, Outcome, answer};
use crate::apply::{Applied, Claims, Rule, apply};
use crate::ident::{EntryId, MsgId, RequestId};
use crate::log::{Author, Call, CallId, Log, Message, Role, Text};
use crate::plan::{Covers, Layout, NewEntry, Piece, Slot, SummaryRequest};
use crate::summarize::{Answer, Ask, AskError, FailureClass, Prompt, Reply};
use crate::token::{Counter, MessageTokens, Tally};
use crate::unit::{Millis, Tokens};
use crate::view::{Entry, Kind, Spans, View};

/// A log and a view of it.
pub struct Scene {
    pub log: Log,
    pub view: View,
    pub tally: Tally,
}

/// A scene from a shape: `y` system, `u` user, `h` harness as user, `a` assistant,
/// `c` a call, `2` two calls, `t` the result of the oldest open call, `S`
/// `[SUMMARIZED]`, `G` `[GOAL BATCH]`, `M` another summary. The summaries stand for no
/// message.
pub fn scene(shape: &str) -> Scene {
    let mut scene = Scene {
        log: log(),
        view: View::default(),
        tally: Tally::new(Counter { per_message: 4, ..Counter::REFERENCE }),
    };
    let (mut open, mut turn) = (VecDeque::new(), 0);
    for letter in shape.chars().filter(|letter| *letter != ' ') {
        let kind = match letter {
            'S' => Some(Kind::Summarized),
            'G' => Some(Kind::GoalBatch),
            'M' => Some(Kind::Summary),
            _ => None,
        };
        turn += u32::from(matches!(letter, 'u' | 'h'));
        let message = message(letter, scene.log.messages.len(), &mut open);
        let counts = MessageTokens::of(&message, Counter::REFERENCE.tokenizer);
        let counted = counts.total() + scene.tally.counter().overhead();
        let id = scene.view.next_id();
        let entry = Entry::of_message(id, &message, turn, counts, counted);
        match kind {
            Some(kind) => {
                let parts = vec![super::Part {
                    spans: Spans::new(),
                    generation: 1,
                    ..entry.parts[0].clone()
                }];
                let covers = Spans::new();
                scene.view.append(Entry { kind, parts, covers, origin: None, ..entry });
            }
            None => {
                scene.log.messages.push(message);
                scene.view.append(entry);
            }
        }
    }
    scene
}

fn log() -> Log {
    Log {
        id: "shape".to_owned(),
        source: String::new(),
        system: Text::from("You are an agent."),
        tools: Text::from("run"),
        overhead: Tokens::ZERO,
        messages: Vec::new(),
        boundaries: Vec::new(),
        usage: Vec::new(),
    }
}

/// The message that a letter of a shape stands for; its content is letter and index.
pub fn message(letter: char, index: usize, open: &mut VecDeque<CallId>) -> Message {
    let calls: usize = match letter {
        'c' => 1,
        '2' => 2,
        _ => 0,
    };
    let (role, author) = match letter {
        'y' => (Role::System, Author::Harness),
        'u' => (Role::User, Author::Human),
        'h' => (Role::User, Author::Harness),
        't' => (Role::Tool, Author::Harness),
        _ => (Role::Assistant, Author::Agent),
    };
    let answers = if letter == 't' { open.pop_front() } else { None };
    let calls: Vec<Call> = (0..calls)
        .map(|number| Call {
            id: CallId::new(&format!("k{index}.{number}")),
            name: Text::from("run"),
            args: Text::from(format!("{{\"n\":{index}}}")),
        })
        .collect();
    open.extend(calls.iter().map(|call| call.id.clone()));
    Message {
        id: MsgId(index as u32),
        role,
        author,
        at: Millis(index as u64),
        content: Text::from(format!("{letter}{index}")),
        calls,
        answers,
        failed: false,
    }
}

impl Scene {
    pub fn apply(&self, slots: Vec<Slot>, answers: &Answers) -> Applied {
        self.claim(slots, answers, Claims::default())
    }

    pub fn claim(&self, slots: Vec<Slot>, answers: &Answers, claims: Claims) -> Applied {
        let past = self.log.past(self.log.messages.len());
        apply(&self.view, &Layout::Whole(slots), answers, past, &self.tally, claims)
            .expect("a well-formed plan")
    }

    pub fn answer(&self, requests: &[SummaryRequest], ask: &Script) -> Outcome {
        self.remembering(requests, ask, &Memo::default())
    }

    pub fn remembering(&self, requests: &[SummaryRequest], ask: &Script, memo: &Memo) -> Outcome {
        answer(requests, &self.view, &self.desk(ask, memo)).expect("well-formed requests")
    }

    pub fn desk<'a>(&'a self, ask: &'a Script, memo: &'a Memo) -> Desk<'a> {
        Desk {
            ask,
            memo,
            tally: &self.tally,
            system: &self.log.system,
            tools: &self.log.tools,
            past: self.log.past(self.log.messages.len()),
            replicate: 0,
            moment: Default::default(),
        }
    }
}

/// The rules that a change breaks, in order of finding.
pub fn rules(applied: &Applied) -> Vec<Rule> {
    applied.violations.iter().map(|violation| violation.rule).collect()
}

/// All of these entries as they are.
pub fn keep(places: impl IntoIterator<Item = u32>) -> Vec<Slot> {
    places.into_iter().map(|id| Slot::Keep(EntryId(id))).collect()
}

/// A summary made of the answer to request 0.
pub fn summary(role: Role, covers: Covers) -> Slot {
    new(role, Kind::Summary, vec![Piece::answer(RequestId(0))], covers)
}

pub fn new(role: Role, kind: Kind, pieces: Vec<Piece>, covers: Covers) -> Slot {
    Slot::New(NewEntry { role, kind, pieces, covers, answers: None, note: None })
}

/// Request 0 is answered with this text, shown nothing.
pub fn answered(text: &str) -> Answers {
    let answered =
        Answered { text: Text::from(text), shown: Vec::new(), words: Vec::new(), stand_in: false };
    Answers::from([(RequestId(0), answered)])
}

/// A summarizer that gives these replies in turn, and the last one for ever.
#[derive(Debug)]
pub struct Script {
    replies: Mutex<VecDeque<Reply>>,
    pub asked: Mutex<Vec<Prompt>>,
    pub window: Tokens,
    pub memoizes: bool,
}

pub fn says(text: &str) -> Reply {
    Ok(Answer::complete(text))
}

pub fn fails(class: FailureClass) -> Reply {
    Err(AskError { class, message: "no luck".into() })
}

impl Script {
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Script {
        Script {
            replies: Mutex::new(replies.into_iter().collect()),
            asked: Mutex::new(Vec::new()),
            window: Tokens(100_000),
            memoizes: false,
        }
    }

    pub fn prompts(&self) -> Vec<Prompt> {
        self.asked.lock().unwrap().clone()
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
        Tokens(10_000)
    }
    fn ask(&self, batch: &[Prompt]) -> Vec<Reply> {
        let mut replies = self.replies.lock().unwrap();
        self.asked.lock().unwrap().extend(batch.iter().cloned());
        let next = |_| match replies.len() {
            1 => replies[0].clone(),
            _ => replies.pop_front().expect("the script is long enough"),
        };
        batch.iter().map(next).collect()
    }
    fn memoizes(&self) -> bool {
        self.memoizes
    }
}
