//! A log, the view of it and what a strategy makes of that view. Malformed plans panic.

use std::iter;

use crate::answer::{AnswerContext, Answers, Memo, Outcome, answer};
use crate::apply::{Applied, apply, commit};
use crate::ident::MsgId;
use crate::log::{Log, Message, Past, Role};
use crate::plan::{Decision, Layout, Plan, Slot, SummaryRequest, Then};
use crate::pressure::{Budget, Occasion, Reading};
use crate::strategy::{PlanContext, Strategy};
use crate::summarize::{Ask, FailureClass};
use crate::testkit::session::{self, Line, OpenCalls, message};
use crate::testkit::{Script, says};
use crate::token::{Counter, Tally, Tokenizer};
use crate::unit::Tokens;
use crate::view::{Entry, Kind, Part, Spans, View};

/// A pressure that is met.
pub const PRESSED: Option<Reading> =
    Some(Reading { used: Tokens(9), limit: Tokens(1), target: Tokens(1), met: true });

/// A session so far: its log, and the view that holds all of it until something acts.
pub struct Scene {
    /// What happened.
    pub log: Log,
    /// What the model would be sent.
    pub view: View,
    /// Counts new texts.
    pub tally: Tally,
    /// What there is room for.
    pub budget: Budget,
    /// Why the strategy is asked; before a call where nothing else is said.
    pub occasion: Occasion,
    /// The first message that no call was made with; beyond all where nothing else is said.
    pub unread: MsgId,
    open: OpenCalls,
    turn: u32,
}

/// What became of a plan.
#[derive(Debug)]
pub enum Fate {
    /// It was applied.
    Accepted(Applied),
    /// Its fallback was applied.
    Fallback(Applied),
    /// Neither was, or the plan fails all the same.
    Failed(Then),
}

impl Fate {
    /// What was applied, if anything.
    pub fn applied(self) -> Option<Applied> {
        match self {
            Fate::Accepted(applied) | Fate::Fallback(applied) => Some(applied),
            Fate::Failed(_) => None,
        }
    }
}

/// A scene of the letters of [`OpenCalls::message`] and three summaries that stand for no message:
/// `S` `[SUMMARIZED]`, `G` `[GOAL BATCH]`, `M` any other.
pub fn scene(shape: &str) -> Scene {
    let mut scene = Scene::new(FOUR_A_MESSAGE);
    for letter in shape.chars().filter(|letter| *letter != ' ') {
        let message = scene.open.message(scene.log.messages.len(), letter, None);
        match letter {
            'S' => scene.append_summary(Kind::Summarized, &message),
            'G' => scene.append_summary(Kind::GoalBatch, &message),
            'M' => scene.append_summary(Kind::Summary, &message),
            _ => scene.append(message),
        }
    }
    scene
}

const FOUR_A_MESSAGE: Counter = Counter { per_message: 4, ..Counter::REFERENCE };

impl Scene {
    fn new(counter: Counter) -> Scene {
        Scene {
            log: session::log(Vec::new()),
            view: View::default(),
            tally: Tally::new(counter),
            budget: Budget { window: Tokens(100_000), ..Budget::default() },
            occasion: Occasion::BeforeCall,
            unread: MsgId(u32::MAX),
            open: OpenCalls::default(),
            turn: 0,
        }
    }

    /// The session goes on with the messages of a shape.
    pub fn more(&mut self, shape: &str) {
        shape.chars().for_each(|letter| self.say(letter, None));
    }

    /// A scene of messages, each a letter of a shape and its text; tokens are four characters.
    pub fn texts(lines: &[(char, &str)]) -> Scene {
        let mut scene = Scene::new(Counter { tokenizer: Tokenizer::Chars4, ..Counter::REFERENCE });
        scene.more_texts(lines);
        scene
    }

    /// The session goes on.
    pub fn more_texts(&mut self, lines: &[(char, &str)]) {
        lines.iter().for_each(|(letter, text)| self.say(*letter, Some(text)));
    }

    /// A scene of messages whose calls have ids of their own.
    pub fn lines(lines: &[Line]) -> Scene {
        let mut scene = Scene::new(FOUR_A_MESSAGE);
        scene.more_lines(lines);
        scene
    }

    /// The session goes on.
    pub fn more_lines(&mut self, lines: &[Line]) {
        lines.iter().for_each(|line| self.append(message(self.log.messages.len(), *line)));
    }

    fn say(&mut self, letter: char, text: Option<&str>) {
        let message = self.open.message(self.log.messages.len(), letter, text);
        self.append(message);
    }

    fn append(&mut self, message: Message) {
        let entry = self.entry(&message);
        self.view.append(entry);
        self.log.messages.push(message);
    }

    fn append_summary(&mut self, kind: Kind, message: &Message) {
        let entry = self.entry(message);
        let parts = vec![Part { spans: Spans::new(), generation: 1, ..entry.parts[0].clone() }];
        self.view.append(Entry { kind, parts, covers: Spans::new(), origin: None, ..entry });
    }

    fn entry(&mut self, message: &Message) -> Entry {
        self.turn += u32::from(message.role == Role::User);
        let (counts, counted) = self.tally.message(&message.content, &message.calls);
        Entry::of_message(self.view.next_id(), message, self.turn, counts, counted)
    }

    /// Everything that has happened.
    pub fn past(&self) -> Past<'_> {
        self.log.past(self.log.messages.len())
    }

    /// What these slots make of the view.
    pub fn apply(&self, slots: Vec<Slot>, answers: &Answers) -> Applied {
        self.applied(&Layout::Whole(slots), answers, false)
    }

    pub(crate) fn applied(&self, layout: &Layout, answers: &Answers, whole: bool) -> Applied {
        apply(&self.view, layout, answers, self.past(), &self.tally, whole, self.unread)
            .expect("a well-formed plan")
    }

    /// Has requests answered.
    pub fn answer(&self, requests: &[SummaryRequest], ask: &dyn Ask) -> Outcome {
        let memo = Memo::default();
        answer(requests, &self.view, &self.desk(ask, &memo)).expect("well-formed requests")
    }

    /// What it takes to answer requests about this scene.
    pub fn desk<'a>(&'a self, ask: &'a dyn Ask, memo: &'a Memo) -> AnswerContext<'a> {
        AnswerContext {
            ask,
            memo,
            tally: &self.tally,
            window: Tokens::UNBOUNDED,
            system: &self.log.system,
            tools: &self.log.tools,
            past: self.past(),
            replicate: 0,
            moment: Default::default(),
        }
    }

    /// What a strategy proposes on the scene's occasion.
    pub fn decide(&self, strategy: &dyn Strategy, reading: Option<Reading>) -> Decision {
        let context = PlanContext {
            occasion: self.occasion,
            budget: &self.budget,
            reading,
            past: self.past(),
            turn: self.turn,
            desk: None,
        };
        strategy.plan(&self.view, &context)
    }

    /// The plan of a strategy; `None` where it declines.
    pub fn plan(&self, strategy: &dyn Strategy, reading: Option<Reading>) -> Option<Plan> {
        match self.decide(strategy, reading) {
            Decision::Plan(plan) => Some(plan),
            Decision::Decline(_) => None,
            Decision::Raise(reason) => panic!("{reason}"),
        }
    }

    /// Has a strategy's plan answered and applied, whatever it accepts; `None` where it declines.
    pub fn attempt(
        &mut self,
        strategy: &dyn Strategy,
        reading: Option<Reading>,
        ask: &dyn Ask,
    ) -> Option<Result<Applied, FailureClass>> {
        let plan = self.plan(strategy, reading)?;
        let outcome = self.answer(&plan.requests, ask);
        if let Some(failure) = outcome.failure {
            return Some(Err(failure.class));
        }
        let applied = self.applied(&plan.layout, &outcome.answers, strategy.claims_whole_turns());
        commit(&mut self.view, &applied);
        Some(Ok(applied))
    }

    /// The same under pressure, for a strategy that acts.
    pub fn compact(
        &mut self,
        strategy: &dyn Strategy,
        ask: &dyn Ask,
    ) -> Result<Applied, FailureClass> {
        self.attempt(strategy, PRESSED, ask).expect("the strategy acts")
    }

    /// The same with `s` for every answer; `None` where the strategy declines.
    pub fn act(&mut self, strategy: &dyn Strategy, reading: Option<Reading>) -> Option<Applied> {
        self.attempt(strategy, reading, &Script::new([says("s")]))?.ok()
    }

    /// Has a plan answered, applied, accepted and committed, as the driver does.
    pub fn carry_out(&mut self, plan: &Plan, ask: &dyn Ask) -> Fate {
        if let Some(applied) = self.candidate(plan, ask) {
            commit(&mut self.view, &applied);
            return Fate::Accepted(applied);
        }
        let others = iter::successors(plan.otherwise.as_deref(), |one| one.otherwise.as_deref());
        let mut fallbacks = others.filter_map(|otherwise| self.candidate(otherwise, ask));
        let Some(applied) = fallbacks.next() else { return Fate::Failed(plan.then) };
        commit(&mut self.view, &applied);
        if plan.then == Then::Raise { Fate::Failed(Then::Raise) } else { Fate::Fallback(applied) }
    }

    fn candidate(&self, plan: &Plan, ask: &dyn Ask) -> Option<Applied> {
        let outcome = self.answer(&plan.requests, ask);
        if outcome.failure.is_some() {
            return None;
        }
        let applied = self.applied(&plan.layout, &outcome.answers, false);
        let before = self.view.counted();
        let holds = plan.accept.iter().all(|rule| rule.holds(before, applied.counted));
        holds.then_some(applied)
    }

    /// What each entry of the view says.
    pub fn contents(&self) -> Vec<String> {
        self.view.entries().iter().map(|entry| entry.content().to_string()).collect()
    }

    /// The view, an entry a line: its letter, `c` with calls (`~` rewritten, `*` a summary), and text.
    pub fn rows(&self) -> Vec<String> {
        let row = |entry: &Entry| {
            let letter = match entry.role {
                Role::System => 'y',
                Role::User => 'u',
                Role::Assistant if entry.calls.is_empty() => 'a',
                Role::Assistant => 'c',
                Role::Tool => 't',
            };
            let mark = match (entry.rewritten, entry.kind.is_summary()) {
                (true, _) => "~",
                (_, true) => "*",
                _ => "",
            };
            format!("{letter}{mark} {}", entry.content()).trim_end().to_owned()
        };
        self.view.entries().iter().map(|entry| row(entry)).collect()
    }
}
