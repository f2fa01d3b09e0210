//! What is counted in a log, and the figures it comes to.

use proctor_core::log::{Author, Log, Message, Role};
use proctor_core::token::TokenTable;
use proctor_eval::stats::{mean, quantile};

/// A gap between two model calls beyond which a prefix cache with the usual lifetime of five
/// minutes has forgotten the prompt, in seconds.
const CACHE_LIFETIME: f64 = 300.0;

/// A figure of a shape: tokens by role, amounts per turn, gaps in seconds, shares from 0 to 1.
pub struct Figure {
    /// `what.figure`.
    pub name: String,
    pub value: f64,
}

/// The single measurements of one session or of several.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    sessions: usize,
    steps: usize,
    tokens: f64,
    user: RoleSample,
    assistant: RoleSample,
    tool: RoleSample,
    /// Results of every turn.
    pairs: Vec<f64>,
    turn_steps: Vec<f64>,
    turn_tokens: Vec<f64>,
    failed: usize,
    /// Messages with calls; with several; that say something besides.
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

    fn density(&self) -> f64 {
        share(self.chars, self.tokens.iter().sum())
    }
}

impl Sample {
    /// Counts a log. `table` must be the log's own counts.
    pub fn of(log: &Log, table: &TokenTable) -> Sample {
        let mut sample = Sample { sessions: 1, ..Sample::default() };
        for (message, counted) in log.messages.iter().zip(&table.messages) {
            sample.message(message, counted.total().as_f64());
        }
        for turn in log.turns() {
            let messages = &log.messages[turn.messages.clone()];
            let of_role = |role: Role| messages.iter().filter(|m| m.role == role).count() as f64;
            sample.pairs.push(of_role(Role::Tool));
            sample.turn_steps.push(of_role(Role::Assistant));
            let counted = table.messages.get(turn.messages).unwrap_or_default();
            sample.turn_tokens.push(counted.iter().map(|counts| counts.total().as_f64()).sum());
        }
        let calls = log.messages.iter().filter(|message| message.role == Role::Assistant);
        let calls: Vec<u64> = calls.map(|message| message.at.0).collect();
        let gap = |two: &[u64]| two[1].saturating_sub(two[0]) as f64 / 1_000.0;
        sample.gaps = calls.windows(2).map(gap).collect();
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
                if !message.calls.is_empty() {
                    self.calling += 1;
                    self.several += usize::from(message.calls.len() > 1);
                    self.narrated += usize::from(!message.content.trim().is_empty());
                }
            }
            (Role::Tool, _) => {
                self.failed += usize::from(message.failed);
                self.tool.add(tokens, message);
            }
            // What a harness put into the user's role is in none of the roles.
            (Role::User | Role::System, _) => {}
        }
    }

    /// All figures, 0 where there is nothing to count.
    pub fn figures(&self) -> Vec<Figure> {
        let long = self.gaps.iter().filter(|gap| **gap > CACHE_LIFETIME).count();
        let answer_only = self.pairs.iter().filter(|pairs| **pairs < 0.5).count();
        let mut figures = Vec::new();
        let mut add =
            |name: &str, value: f64| figures.push(Figure { name: name.to_owned(), value });
        add("sessions", self.sessions as f64);
        add("turns", self.pairs.len() as f64);
        add("steps", self.steps as f64);
        add("tokens", self.tokens);
        for (name, values) in [
            ("user_tokens", &self.user.tokens),
            ("assistant_tokens", &self.assistant.tokens),
            ("tool_tokens", &self.tool.tokens),
            ("pairs", &self.pairs),
            ("turn_steps", &self.turn_steps),
            ("turn_tokens", &self.turn_tokens),
            ("gap_seconds", &self.gaps),
        ] {
            add(&format!("{name}.mean"), mean(values).unwrap_or(0.0));
            for (at, share) in [("p10", 0.1), ("median", 0.5), ("p90", 0.9), ("max", 1.0)] {
                add(&format!("{name}.{at}"), quantile(values, share).unwrap_or(0.0));
            }
        }
        add("user.chars_per_token", self.user.density());
        add("assistant.chars_per_token", self.assistant.density());
        add("tool.chars_per_token", self.tool.density());
        add("answer_only", part(answer_only, self.pairs.len()));
        add("failed", part(self.failed, self.tool.tokens.len()));
        add("several_calls", part(self.several, self.calling));
        add("narrated", part(self.narrated, self.calling));
        add("long_gaps", part(long, self.gaps.len()));
        add("longest_run", self.longest_run as f64);
        add("largest_message", self.largest);
        figures
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
            (Role::User | Role::System, Author::Agent | Author::Harness) => {}
        }
        longest = longest.max(run);
    }
    longest
}
