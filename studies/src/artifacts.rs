//! Survival of names: which facts of a stretch of a session its summary still holds, by kind
//! and by where they were said. Facts are those that extraction finds, never what was planted.

use std::collections::BTreeSet;
use std::ops::Range;

use proctor_core::drive::Session;
use proctor_core::error::Result;
use proctor_core::ident::{FactId, Seed};
use proctor_core::log::{Author, Log, Message, Role, Text};
use proctor_core::summarize::{Ask, Prompt, PromptMessage, Segment};
use proctor_core::token::{Counter, TokenTable};
use proctor_core::truth::{Fact, FactKind, NeedleIndex};
use proctor_core::unit::Tokens;
use proctor_eval::matrix::SummarizerName;
use proctor_eval::scenario::Scenario;
use proctor_eval::simulated::{Fitted, Skill};
use proctor_sessions::extract::extract;
use rayon::prelude::*;

use crate::shape;
use crate::table::{Table, line};

/// Reference tokens of a stretch. In recorded compactions the median stretch is 57 % of a
/// prompt of 157,000 tokens; the rest is system prompt, schemas and what the logs leave out.
const STRETCH: Tokens = Tokens(90_000);
/// Shorter stretches at the end of a session are left out: nobody would compact them.
const SHORTEST: Tokens = Tokens(45_000);
/// Room for the summary: the median of the recorded ones, 11,700 characters.
const ROOM: Tokens = Tokens(3_900);
/// Fewer facts than this give no rate.
const LEAST: usize = 10;
const SUMMARIZERS: [SummarizerName; 6] = [
    SummarizerName::Null,
    SummarizerName::Lead,
    SummarizerName::RandomSentence,
    SummarizerName::Extractive,
    SummarizerName::Simulated(Skill::Recorded),
    SummarizerName::Perfect,
];
/// Asks for the sections that the recorded summaries have.
const INSTRUCTION: &str = include_str!("../data/summary-instruction.txt");

/// The rows of a kind, by the strongest role that a fact had in its stretch.
const PLACES: [&str; 4] =
    ["all", "said by the user", "said or called by the agent", "in tool results only"];

/// How many facts survived, of how many.
type Count = (usize, usize);

type Counts = [[Count; PLACES.len()]; FactKind::ALL.len()];

/// Has the stretches of every session summarized, and counts which facts are left.
pub fn page(sources: &[Scenario], seed: Seed, progress: fn(&str)) -> Result<String> {
    let mut counts = [Counts::default(); SUMMARIZERS.len()];
    let mut number = 0;
    for source in sources {
        let (name, log) = shape::log(source, seed)?;
        progress(&format!("{name} ..."));
        let truth = extract(&log);
        let session = Session::new(log.clone(), truth.clone(), []);
        let ranges = stretches(&log);
        number += ranges.len();
        counts.par_iter_mut().zip(&SUMMARIZERS).for_each(|(counts, name)| {
            survey(
                &log,
                &ranges,
                &truth.facts,
                &*name.build(&session, seed, &Fitted::default()),
                counts,
            );
        });
    }
    let names = SUMMARIZERS.map(|name| format!("#{}", name.name()));
    let head: Vec<String> = ["kind", "which"].map(str::to_owned).into_iter().chain(names).collect();
    let mut table = Table::new("Facts that summaries keep", &head);
    let rate = |(survived, all): Count| match all {
        LEAST.. => format!("{:.0} % ({all})", 100.0 * survived as f64 / all as f64),
        _ => "–".to_owned(),
    };
    for (kind, fact_kind) in FactKind::ALL.into_iter().enumerate() {
        for (place, named) in PLACES.into_iter().enumerate() {
            let counts = counts.iter().map(|counts| counts[kind][place]);
            if counts.clone().any(|(_, all)| all >= LEAST) {
                let name = [fact_kind.name(), named].map(str::to_owned);
                table.push(name.into_iter().chain(counts.map(rate)));
            }
        }
    }
    let mut page = table.markdown();
    let sessions = sources.len();
    line(&mut page, &format!("({number} stretches of {sessions} sessions, seed {}.)", seed.0));
    Ok(page)
}

/// What a compaction would replace: as many whole messages as fill [`STRETCH`].
fn stretches(log: &Log) -> Vec<Range<usize>> {
    let table = TokenTable::new(log, Counter::REFERENCE.tokenizer);
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
    facts: &[Fact],
    ask: &dyn Ask,
    counts: &mut Counts,
) {
    let index = NeedleIndex::new(facts);
    let mut summary = String::new();
    for stretch in stretches {
        let replies = ask.ask(&[prompt(&summary, &log.messages[stretch.clone()])]);
        // A summarizer that refuses leaves nothing; the offline ones never do.
        let answer = replies.ok().and_then(|replies| replies.into_iter().next());
        summary = answer.and_then(Result::ok).map(|answer| answer.text).unwrap_or_default();
        let held = index.search(&summary);
        let held: BTreeSet<FactId> =
            held.iter().filter(|held| held.present()).map(|held| held.fact).collect();
        for fact in facts {
            let Some(place) = place(log, stretch, fact) else { continue };
            let kind = FactKind::ALL.iter().position(|kind| *kind == fact.kind).unwrap_or(0);
            for place in [0, place] {
                let (survived, all) = &mut counts[kind][place];
                *survived += usize::from(held.contains(&fact.id));
                *all += 1;
            }
        }
    }
}

/// The place of a fact in [`PLACES`]; `None` where the stretch does not hold it.
fn place(log: &Log, stretch: &Range<usize>, fact: &Fact) -> Option<usize> {
    let own = fact.mentions.iter().filter(|id| stretch.contains(&id.index()));
    let places = own.filter_map(|id| log.message(*id)).map(|message| match message.role {
        Role::User if message.author == Author::Human => 1,
        Role::Assistant => 2,
        Role::User | Role::System | Role::Tool => 3,
    });
    places.min()
}

/// What asks for a summary of messages, and of the summary before them.
pub fn prompt(before: &str, messages: &[Message]) -> Prompt {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perfect_summaries_keep_what_empty_ones_lose() {
        let sources = shape::sources("mixed").expect("it ships");
        let page = page(&sources, Seed(1), |_| ()).expect("a page");
        let all = page.lines().find(|line| line.starts_with("| symbol | all |")).expect("symbols");
        let rates: Vec<&str> = all.split('|').map(str::trim).collect();
        let percent = |rate: &str| rate.split(' ').next().and_then(|text| text.parse::<u32>().ok());
        let of = |column: usize| percent(rates[column]).expect("a rate");
        assert_eq!(of(3), 0, "empty");
        assert!(of(7) > of(4), "perfect keeps more than the first words: {all}");
    }
}
