//! What is measured in a log.

use std::collections::BTreeMap;

use proctor_core::log::{Author, Log, Message, Role};
use proctor_core::token::{TokenTable, Tokenizer};
use proctor_core::unit::Tokens;
use proctor_eval::stats::{mean, quantile, share};

/// Seconds between two model calls beyond which a prefix cache has forgotten the prompt.
const CACHE_LIFETIME: f64 = 300.0;

/// What is measured, once a message, turn, call or session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Amount {
    /// Of every message, whoever wrote it.
    Tokens,
    UserTokens,
    UserChars,
    AssistantTokens,
    AssistantChars,
    ToolTokens,
    ToolChars,
    /// 1 for a result that reports a failure.
    Failed,
    /// Of messages with calls: 1 for several, 1 for text beside them.
    Several,
    Narrated,
    Pairs,
    TurnTokens,
    /// Of system prompt, schemas and what else every prompt carries.
    Fixed,
    /// The same over the window.
    FixedShare,
    /// The share of all tokens that stands in the [`LARGE`] largest turns.
    InLarge,
    Gap,
    Run,
}

/// How many turns are looked at for how far the tokens of a session stand in few.
pub const LARGE: usize = 3;

#[derive(Clone, Debug, Default)]
pub struct Sample(BTreeMap<Amount, Vec<f64>>);

impl Sample {
    /// Of a session that is driven in this window.
    pub fn of(log: &Log, window: Tokens) -> Sample {
        let (table, mut sample) = (TokenTable::new(log, Tokenizer::O200k), Sample::default());
        let fixed = table.system + table.tools + log.overhead;
        sample.add(Amount::Fixed, fixed.as_f64());
        sample.add(Amount::FixedShare, fixed.over(window));
        for (message, counted) in log.messages.iter().zip(&table.messages) {
            sample.message(message, counted.total().as_f64());
        }
        for turn in log.turns() {
            let messages = &log.messages[turn.clone()];
            let results = messages.iter().filter(|message| message.role == Role::Tool).count();
            sample.add(Amount::Pairs, results as f64);
            let counted = table.messages.get(turn).unwrap_or_default();
            let tokens = counted.iter().map(|counts| counts.total().as_f64()).sum();
            sample.add(Amount::TurnTokens, tokens);
        }
        sample.in_large();
        let calls = log.messages.iter().filter(|message| message.role == Role::Assistant);
        let calls: Vec<u64> = calls.map(|message| message.at.0).collect();
        for two in calls.windows(2) {
            sample.add(Amount::Gap, two[1].saturating_sub(two[0]) as f64 / 1_000.0);
        }
        sample.add(Amount::Run, longest_run(&log.messages) as f64);
        sample
    }

    /// Several sessions as one: every message, turn and gap counts alike.
    pub fn pool<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> Sample {
        let mut all = Sample::default();
        for (what, values) in samples.into_iter().flat_map(|sample| &sample.0) {
            all.0.entry(*what).or_default().extend(values);
        }
        all
    }

    fn add(&mut self, what: Amount, value: f64) {
        self.0.entry(what).or_default().push(value);
    }

    /// Of a session with more turns than are looked at; of others it says nothing.
    fn in_large(&mut self) {
        let mut turns = self.values(Amount::TurnTokens).to_vec();
        turns.sort_by(|one, other| other.total_cmp(one));
        let (large, all) = (turns.iter().take(LARGE).sum::<f64>(), turns.iter().sum::<f64>());
        if turns.len() > LARGE && all > 0.0 {
            self.add(Amount::InLarge, large / all);
        }
    }

    fn message(&mut self, message: &Message, tokens: f64) {
        self.add(Amount::Tokens, tokens);
        let (own_tokens, own_chars) = match (message.role, message.author) {
            (Role::User, Author::Human) => (Amount::UserTokens, Amount::UserChars),
            (Role::Assistant, _) => (Amount::AssistantTokens, Amount::AssistantChars),
            (Role::Tool, _) => (Amount::ToolTokens, Amount::ToolChars),
            // What a harness put into the user's role is in none of the roles.
            (Role::User | Role::System, _) => return,
        };
        let chars = |text: &str| text.chars().count() as f64;
        let calls = message.calls.iter().map(|call| chars(&call.name) + chars(&call.args));
        self.add(own_tokens, tokens);
        self.add(own_chars, chars(&message.content) + calls.sum::<f64>());
        let is = |so: bool| f64::from(u8::from(so));
        if message.role == Role::Tool {
            self.add(Amount::Failed, is(message.failed));
        }
        if !message.calls.is_empty() {
            self.add(Amount::Several, is(message.calls.len() > 1));
            self.add(Amount::Narrated, is(!message.content.trim().is_empty()));
        }
    }

    pub fn values(&self, of: Amount) -> &[f64] {
        self.0.get(&of).map_or(&[], Vec::as_slice)
    }

    pub fn count(&self, of: Amount) -> f64 {
        self.values(of).len() as f64
    }

    pub fn sum(&self, of: Amount) -> f64 {
        self.values(of).iter().sum()
    }

    /// 0 where there is none, as all figures are.
    pub fn mean(&self, of: Amount) -> f64 {
        mean(self.values(of)).unwrap_or(0.0)
    }

    /// The value that this share lies at or below; the greatest at 1.
    pub fn at(&self, of: Amount, share: f64) -> f64 {
        quantile(self.values(of), share).unwrap_or(0.0)
    }

    pub fn density(&self, chars: Amount, tokens: Amount) -> f64 {
        let tokens = self.sum(tokens);
        if tokens > 0.0 { self.sum(chars) / tokens } else { 0.0 }
    }

    /// The share of the gaps that outlive a cache.
    pub fn long_gaps(&self) -> f64 {
        let gaps = self.values(Amount::Gap);
        let long = gaps.iter().filter(|gap| **gap > CACHE_LIFETIME).count();
        share(long, gaps.len()).unwrap_or(0.0)
    }
}

/// Most results in a row without text of the model, or of a person, between them.
fn longest_run(messages: &[Message]) -> usize {
    let (mut longest, mut run) = (0, 0);
    for message in messages {
        match (message.role, message.author) {
            (Role::Tool, _) => run += 1,
            (Role::Assistant, _) if message.content.trim().is_empty() => {}
            (Role::Assistant, _) | (_, Author::Human | Author::Approved) => run = 0,
            (Role::User | Role::System, Author::Agent | Author::Harness) => {}
        }
        longest = longest.max(run);
    }
    longest
}
