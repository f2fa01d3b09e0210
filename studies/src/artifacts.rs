//! Artifact survival: which names of a stretch of a session its summary still holds, by
//! kind and by where they stood. No truth is involved: an artifact is what it looks like.

mod find;
mod pattern;
#[cfg(test)]
mod tests;

use std::ops::Range;

use proctor::error::Result;
use proctor::ident::Seed;
use proctor::log::{Log, Message, Role, Text};
use proctor::matrix::SummarizerName;
use proctor::scenario::Scenario;
use proctor::summarize::{Ask, Prompt, PromptMessage, Segment};
use proctor::token::{Counter, TokenTable};
use proctor::unit::Tokens;
use rayon::prelude::*;

use crate::table::{Table, line};
use find::Artifact;

/// Reference tokens of a stretch. In recorded compactions the median stretch is 57 % of a
/// prompt of 157,000 tokens; the rest is system prompt, schemas and what the logs leave out.
const STRETCH: Tokens = Tokens(90_000);
/// Shorter stretches at the end of a session are left out: nobody would compact them.
const SHORTEST: Tokens = Tokens(45_000);
/// Room for the summary: the median of the recorded ones (11,700 characters at three to a
/// token).
const ROOM: Tokens = Tokens(3_900);
/// Fewer artifacts than this give no rate.
const LEAST: usize = 10;
/// In the order of the table.
const SUMMARIZERS: [SummarizerName; 5] = [
    SummarizerName::Null,
    SummarizerName::Lead,
    SummarizerName::RandomSentence,
    SummarizerName::Extractive,
    SummarizerName::Perfect,
];
/// Asks for the sections that the recorded summaries have.
const INSTRUCTION: &str = include_str!("../data/summary-instruction.txt");

/// Kind of an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Path,
    /// An identifier of several words, or a called name.
    Symbol,
    /// A line that reports an error.
    Error,
    /// A test by name.
    Test,
    /// A shell command.
    Command,
    /// A version, hash, address, port, percentage or number of an issue.
    Value,
    /// A sentence of the user.
    UserSentence,
}

/// The strongest role that an artifact had in its stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Seen in tool results alone.
    Result,
    /// In a tool call.
    Call,
    /// In the agent's words.
    Text,
    /// In the user's words.
    User,
}

/// A row of the table: which artifacts it counts.
struct Line {
    kind: Kind,
    name: &'static str,
    which: &'static str,
    holds: fn(&Artifact) -> bool,
}

/// How many artifacts of a line survived, of how many.
#[derive(Clone, Copy, Default)]
struct Count {
    survived: usize,
    all: usize,
}

/// Has the stretches of every scenario's session summarized, and counts what is left of
/// their artifacts.
///
/// # Errors
///
/// Where a session cannot be made.
pub fn page(scenarios: &[Scenario], seed: Seed, progress: fn(&str)) -> Result<String> {
    let lines = lines();
    let mut counts = vec![vec![Count::default(); lines.len()]; SUMMARIZERS.len()];
    let mut stretches = 0;
    for scenario in scenarios {
        progress(&format!("{} ...", scenario.name));
        let session = scenario.session(seed)?;
        let table = TokenTable::new(&session.log, Counter::REFERENCE.tokenizer);
        let ranges = self::stretches(&session.log, &table);
        stretches += ranges.len();
        counts.par_iter_mut().zip(&SUMMARIZERS).for_each(|(counts, name)| {
            survey(&session.log, &ranges, &*name.build(&session.truth, seed), &lines, counts);
        });
    }
    let names = SUMMARIZERS.map(|name| format!("#{}", name.name()));
    let head: Vec<String> = ["kind", "which"].map(str::to_owned).into_iter().chain(names).collect();
    let mut table = Table::new("", &head);
    for (place, row) in lines.iter().enumerate() {
        let rates: Vec<Count> = counts.iter().map(|counts| counts[place]).collect();
        if rates.iter().any(|count| count.all >= LEAST) {
            let name = [row.name.to_owned(), row.which.to_owned()];
            table.push(name.into_iter().chain(rates.iter().map(Count::rate)));
        }
    }
    let mut page = table.markdown();
    let sessions = scenarios.len();
    line(&mut page, &format!("({stretches} stretches of {sessions} sessions, seed {}.)", seed.0));
    Ok(page)
}

impl Count {
    fn rate(&self) -> String {
        if self.all < LEAST {
            return "–".to_owned();
        }
        format!("{:.0} % ({})", 100.0 * self.survived as f64 / self.all as f64, self.all)
    }
}

/// The stretches of a log that a compaction would replace: as many whole messages as fill
/// 90,000 reference tokens.
fn stretches(log: &Log, table: &TokenTable) -> Vec<Range<usize>> {
    let (mut stretches, mut start, mut filled) = (Vec::new(), 0, Tokens::ZERO);
    for message in &log.messages {
        filled += table.messages[message.id.index()].total();
        if filled >= STRETCH {
            let end = message.id.index() + 1;
            stretches.push(start..end);
            (start, filled) = (end, Tokens::ZERO);
        }
    }
    if filled >= SHORTEST {
        stretches.push(start..log.messages.len());
    }
    stretches
}

/// The summary of the stretch before stands first, as in recorded sessions.
fn survey(
    log: &Log,
    stretches: &[Range<usize>],
    ask: &dyn Ask,
    lines: &[Line],
    into: &mut [Count],
) {
    let mut summary = String::new();
    for stretch in stretches {
        let messages = &log.messages[stretch.clone()];
        let answer = ask.ask(&[prompt(&summary, messages)]).into_iter().next();
        // A summarizer that refuses leaves nothing; the offline ones never do.
        summary = answer.and_then(Result::ok).map(|answer| answer.text).unwrap_or_default();
        let kept = find::Summary::new(&summary);
        for artifact in find::artifacts(messages) {
            let survived = artifact.survives(&kept);
            for (line, count) in lines.iter().zip(into.iter_mut()) {
                if line.kind == artifact.kind && (line.holds)(&artifact) {
                    count.survived += usize::from(survived);
                    count.all += 1;
                }
            }
        }
    }
}

fn prompt(before: &str, messages: &[Message]) -> Prompt {
    let before = (!before.is_empty()).then(|| spoken(Role::User, Text::from(before), true));
    let conversation = messages.iter().map(|message| {
        let mut said = spoken(message.role, message.content.clone(), true);
        said.segments.extend(message.calls.iter().map(|call| Segment {
            text: format!("\n[{} {}]", call.name, call.args).into(),
            material: true,
        }));
        said
    });
    let instruction = spoken(Role::User, Text::from(INSTRUCTION.trim_end()), false);
    Prompt {
        system: None,
        messages: before.into_iter().chain(conversation).chain([instruction]).collect(),
        max_tokens: ROOM,
        model: None,
        replicate: 0,
    }
}

fn spoken(role: Role, text: Text, material: bool) -> PromptMessage {
    PromptMessage { role, segments: vec![Segment { text, material }] }
}

/// The lines of the table, by kind.
fn lines() -> Vec<Line> {
    type Test = fn(&Artifact) -> bool;
    let places: [(&str, Test); 5] = [
        ("all", |_| true),
        ("named by the user", |one| one.place == Some(Place::User)),
        ("in the agent's words", |one| one.place == Some(Place::Text)),
        ("in a tool call", |one| one.place == Some(Place::Call)),
        ("in tool results only", |one| one.place == Some(Place::Result)),
    ];
    let mut lines = Vec::new();
    let mut add = |kind, name, which, holds| lines.push(Line { kind, name, which, holds });
    let named = [
        (Kind::Path, "path"),
        (Kind::Symbol, "symbol"),
        (Kind::Test, "test"),
        (Kind::Value, "value"),
    ];
    for (kind, name) in named {
        for (which, holds) in places {
            add(kind, name, which, holds);
        }
        if kind == Kind::Path {
            add(kind, name, "neither read nor edited", |one| !one.read && !one.edited);
            add(kind, name, "read", |one| one.read && !one.edited);
            add(kind, name, "edited and read", |one| one.read && one.edited);
        }
    }
    add(Kind::Error, "error", "all", |_| true);
    add(Kind::Command, "command", "all", |_| true);
    add(Kind::UserSentence, "user_sentence", "typed", |one| !one.pasted);
    add(Kind::UserSentence, "user_sentence", "pasted", |one| one.pasted);
    lines
}
