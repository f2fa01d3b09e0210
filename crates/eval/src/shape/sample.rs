//! What is counted in a log before it is summed up.

use crate::log::{Author, Log, Message, Role};
use crate::shape::{CACHE_LIFETIME, RoleShape, Shape, Spread};
use crate::token::TokenTable;

/// The single measurements of one session or of several.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    sessions: usize,
    steps: usize,
    tokens: f64,
    user: RoleSample,
    assistant: RoleSample,
    tool: RoleSample,
    pairs: Vec<f64>,
    turn_steps: Vec<f64>,
    turn_tokens: Vec<f64>,
    failed: usize,
    calling: usize,
    several: usize,
    narrated: usize,
    gaps: Vec<f64>,
    longest_run: usize,
    largest: f64,
}

#[derive(Clone, Debug, Default)]
struct RoleSample {
    tokens: Vec<f64>,
    chars: f64,
}

impl RoleSample {
    fn add(&mut self, tokens: f64, message: &Message) {
        let calls = message.calls.iter().map(|call| chars(&call.name) + chars(&call.args));
        self.chars += chars(&message.content) + calls.sum::<f64>();
        self.tokens.push(tokens);
    }

    fn join(&mut self, other: RoleSample) {
        self.tokens.extend(other.tokens);
        self.chars += other.chars;
    }

    fn shape(&self) -> RoleShape {
        RoleShape {
            messages: self.tokens.len(),
            tokens: Spread::of(&self.tokens),
            chars_per_token: share(self.chars, self.tokens.iter().sum()),
        }
    }
}

impl Sample {
    /// Counts a log. `table` must be the log's own counts.
    pub fn of(log: &Log, table: &TokenTable) -> Sample {
        let mut sample = Sample { sessions: 1, ..Sample::default() };
        for (message, counted) in log.messages.iter().zip(&table.messages) {
            sample.message(message, counted.total().as_f64());
        }
        sample.turns(log, table);
        sample.gaps(log);
        sample.longest_run = longest_run(&log.messages);
        sample
    }

    /// Several sessions as one: every message, turn and gap counts alike.
    pub fn pool(samples: impl IntoIterator<Item = Sample>) -> Sample {
        let mut all = Sample::default();
        for sample in samples {
            all.sessions += sample.sessions;
            all.steps += sample.steps;
            all.tokens += sample.tokens;
            all.user.join(sample.user);
            all.assistant.join(sample.assistant);
            all.tool.join(sample.tool);
            all.pairs.extend(sample.pairs);
            all.turn_steps.extend(sample.turn_steps);
            all.turn_tokens.extend(sample.turn_tokens);
            all.failed += sample.failed;
            all.calling += sample.calling;
            all.several += sample.several;
            all.narrated += sample.narrated;
            all.gaps.extend(sample.gaps);
            all.longest_run = all.longest_run.max(sample.longest_run);
            all.largest = all.largest.max(sample.largest);
        }
        all
    }

    fn message(&mut self, message: &Message, tokens: f64) {
        self.tokens += tokens;
        self.largest = self.largest.max(tokens);
        match (message.role, message.author) {
            (Role::User, Author::Human) => self.user.add(tokens, message),
            (Role::Assistant, _) => {
                self.steps += 1;
                self.assistant.add(tokens, message);
                self.calls(message);
            }
            (Role::Tool, _) => {
                self.failed += usize::from(message.failed);
                self.tool.add(tokens, message);
            }
            (Role::User | Role::System, _) => {}
        }
    }

    fn calls(&mut self, message: &Message) {
        if message.calls.is_empty() {
            return;
        }
        self.calling += 1;
        self.several += usize::from(message.calls.len() > 1);
        self.narrated += usize::from(!message.content.trim().is_empty());
    }

    fn turns(&mut self, log: &Log, table: &TokenTable) {
        for turn in log.turns() {
            let messages = &log.messages[turn.messages.clone()];
            let of_role = |role: Role| messages.iter().filter(|m| m.role == role).count() as f64;
            self.pairs.push(of_role(Role::Tool));
            self.turn_steps.push(of_role(Role::Assistant));
            let counted = table.messages.get(turn.messages).unwrap_or_default();
            self.turn_tokens.push(counted.iter().map(|counts| counts.total().as_f64()).sum());
        }
    }

    fn gaps(&mut self, log: &Log) {
        let calls: Vec<u64> =
            log.messages.iter().filter(|m| m.role == Role::Assistant).map(|m| m.at.0).collect();
        let gap = |two: &[u64]| two[1].saturating_sub(two[0]) as f64 / 1_000.0;
        self.gaps = calls.windows(2).map(gap).collect();
    }

    /// Sums the sample up.
    pub fn shape(&self) -> Shape {
        let long = self.gaps.iter().filter(|gap| **gap > CACHE_LIFETIME).count();
        let answer_only = self.pairs.iter().filter(|pairs| **pairs < 0.5).count();
        Shape {
            sessions: self.sessions,
            turns: self.pairs.len(),
            steps: self.steps,
            tokens: self.tokens,
            user: self.user.shape(),
            assistant: self.assistant.shape(),
            tool: self.tool.shape(),
            pairs: Spread::of(&self.pairs),
            answer_only: part(answer_only, self.pairs.len()),
            turn_steps: Spread::of(&self.turn_steps),
            turn_tokens: Spread::of(&self.turn_tokens),
            failed: part(self.failed, self.tool.tokens.len()),
            several: part(self.several, self.calling),
            narrated: part(self.narrated, self.calling),
            gaps: Spread::of(&self.gaps),
            long_gaps: part(long, self.gaps.len()),
            longest_run: self.longest_run as f64,
            largest: self.largest,
        }
    }
}

fn chars(text: &str) -> f64 {
    text.chars().count() as f64
}

fn part(some: usize, all: usize) -> f64 {
    share(some as f64, all as f64)
}

/// 0 where there is nothing to take a share of.
fn share(some: f64, all: f64) -> f64 {
    if all > 0.0 { some / all } else { 0.0 }
}

/// Most results in a row without text of the model, or of a person, between them.
fn longest_run(messages: &[Message]) -> usize {
    let (mut longest, mut run) = (0, 0);
    for message in messages {
        match (message.role, message.author) {
            (Role::Tool, _) => run += 1,
            (Role::Assistant, _) if message.content.trim().is_empty() => {}
            (Role::Assistant, _) | (_, Author::Human) => run = 0,
            _ => {}
        }
        longest = longest.max(run);
    }
    longest
}
