//! Scenes with words of their own, for tests of profiles that classify by text.

use std::collections::VecDeque;

use crate::answer::Outcome;
use crate::apply::{Applied, apply, commit};
use crate::log::CallId;
use crate::plan::{Decision, Plan};
use crate::pressure::{Budget, Occasion, Reading};
use crate::strategy::{PlanContext, Strategy};
use crate::summarize::FailureClass;
use crate::token::{Counter, MessageTokens, Tally, Tokenizer};
use crate::unit::Tokens;
use crate::view::Entry;
use crate::view::fixture::{Scene, Script, message, scene};

/// A session that goes on, counted by characters.
pub struct Told {
    pub scene: Scene,
    open: VecDeque<CallId>,
}

/// The pressure that made a stage act.
pub const PRESSED: Option<Reading> =
    Some(Reading { used: Tokens(9), limit: Tokens(1), target: Tokens(1), met: true });

/// A session of messages, each a letter of `fixture::scene` and its text.
pub fn told(lines: &[(char, &str)]) -> Told {
    let mut told = Told { scene: scene(""), open: VecDeque::new() };
    let counter = Counter { tokenizer: Tokenizer::Chars4, ..Counter::REFERENCE };
    told.scene.tally = Tally::new(counter);
    told.more(lines);
    told
}

impl Told {
    pub fn more(&mut self, lines: &[(char, &str)]) {
        for (letter, text) in lines {
            let Scene { log, view, tally } = &mut self.scene;
            let mut message = message(*letter, log.messages.len(), &mut self.open);
            message.content = (*text).into();
            let counts = MessageTokens::of(&message, Counter::REFERENCE.tokenizer);
            let (_, counted) = tally.message(&message.content, &message.calls);
            let turn = view.entries().iter().filter(|entry| entry.is_user()).count() as u32;
            view.append(Entry::of_message(view.next_id(), &message, turn, counts, counted));
            log.messages.push(message);
        }
    }

    pub fn decide(
        &self,
        strategy: &dyn Strategy,
        window: u64,
        reading: Option<Reading>,
    ) -> Decision {
        let budget = Budget { window: Tokens(window), ..Budget::default() };
        let past = self.scene.log.past(self.scene.log.messages.len());
        let occasion = Occasion::BeforeCall;
        let context = PlanContext { occasion, budget: &budget, reading, past, turn: 0 };
        strategy.plan(&self.scene.view, &context)
    }

    /// The plan of a strategy under pressure in a window of 100,000 tokens.
    pub fn plan(&self, strategy: &dyn Strategy) -> Plan {
        match self.decide(strategy, 100_000, PRESSED) {
            Decision::Plan(plan) => plan,
            other => panic!("{other:?}"),
        }
    }

    pub fn answer(&self, plan: &Plan, script: &Script) -> Outcome {
        self.scene.answer(&plan.requests, script)
    }

    /// Has the plan of a strategy answered and carried out; the class of the failure
    /// where it fails.
    pub fn compact(
        &mut self,
        strategy: &dyn Strategy,
        script: &Script,
    ) -> Result<Applied, FailureClass> {
        let plan = self.plan(strategy);
        let outcome = self.answer(&plan, script);
        if let Some(failure) = outcome.failure {
            return Err(failure.class);
        }
        let Scene { log, view, tally } = &mut self.scene;
        let past = log.past(log.messages.len());
        let claims = strategy.claims();
        let applied = apply(view, &plan.layout, &outcome.answers, past, tally, claims)
            .expect("a well-formed plan");
        commit(view, &applied);
        Ok(applied)
    }

    /// The view, an entry a line: role (`~` where rewritten, `*` where a summary), text,
    /// number of calls.
    pub fn rows(&self) -> Vec<String> {
        let row = |entry: &Entry| {
            let mark = match (entry.rewritten, entry.kind.is_summary()) {
                (true, _) => "~",
                (_, true) => "*",
                _ => "",
            };
            let calls = match entry.calls.len() {
                0 => String::new(),
                calls => format!(" [{calls}]"),
            };
            format!("{}{mark}: {}{calls}", entry.role.name(), entry.content())
        };
        self.scene.view.entries().iter().map(|entry| row(entry)).collect()
    }
}

/// Everything that was asked in the first prompt, a message a line, instructions apart.
pub fn shown(script: &Script, number: usize) -> Vec<String> {
    let prompts = script.prompts();
    let material = prompts[number].messages.iter().map(|message| {
        let material = message.segments.iter().filter(|segment| segment.material);
        material.map(|segment| &*segment.text).collect::<String>()
    });
    material.filter(|text| !text.is_empty()).collect()
}
