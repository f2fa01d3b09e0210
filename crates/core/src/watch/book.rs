//! The fact book: what each message holds and when each fact is needed, once per session.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::log::{Call, Log, Message, Role, Step};
use crate::memo::{Memo, key_of};
use crate::parallel::each;
use crate::prelude::*;
use crate::token::TokenTable;
use crate::truth::{Fact, Holding, Needle, NeedleIndex, Reading, Said, Searched, Truth};
use crate::watch::summary::Readings;

/// What an entry holds of one fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    pub fact: FactId,
    /// What it says of it.
    pub reading: Reading,
    /// How many summarizers it went through to get here.
    pub generation: u32,
}

impl Held {
    /// Whether the fact is there, and its sense.
    pub fn is_present(&self) -> bool {
        self.reading == Reading::Present
    }

    /// Whether it is the fact that is spoken of, be it denied or doubted, and not another value.
    pub(super) fn is_subject(&self) -> bool {
        self.reading != Reading::Wrong
    }
}

/// Facts held by an entry, shared between the entries that are the same message.
pub type Holdings = Arc<[Held]>;

/// Facts of which an entry holds some needles but not the fact, with how many, ascending by fact.
pub type Partial = Arc<[(FactId, u32)]>;

/// A fact's need at a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    /// Index in `Truth::demands`.
    pub demand: u32,
    pub fact: FactId,
    /// Reference tokens since the fact's last mention before the step's answer.
    pub distance: Tokens,
    /// Whether a recorded compaction lies between.
    pub compacted: bool,
}

#[derive(Debug)]
struct Course {
    /// The first step whose prompt can hold it.
    born: usize,
    /// The step at which it is superseded.
    superseded: Option<usize>,
    live: Range<usize>,
    /// What it costs to bring it back (`cost.reacquire`).
    reacquire: Option<Tokens>,
    /// The facts that it replaces, and those that they replaced.
    replaces: Vec<FactId>,
}

/// The headings that the requests of a cell asked for: no author's own idea.
#[derive(Debug, Default)]
pub(super) struct Asked {
    lines: BTreeSet<String>,
    said: Said,
    key: u128,
}

impl Asked {
    /// With the headings of more requests; `None` where they ask for no others.
    pub(super) fn with<'a>(&self, words: impl Iterator<Item = &'a str>) -> Option<Asked> {
        let is_heading = |line: &&str| line.starts_with(['#', '*', '<']);
        let asked = words.flat_map(str::lines).filter(is_heading);
        let new: BTreeSet<&str> = asked.filter(|line| !self.lines.contains(*line)).collect();
        if new.is_empty() {
            return None;
        }
        let mut lines = self.lines.clone();
        lines.extend(new.into_iter().map(str::to_owned));
        let said = Said::of(lines.iter().map(String::as_str), [].into_iter());
        let key = key_of(lines.iter().map(String::as_bytes));
        Some(Asked { lines, said, key })
    }
}

/// Everything about a session's truth that its cells look up.
#[derive(Debug, Default)]
pub struct FactBook {
    /// The answer key.
    pub truth: Truth,
    index: Arc<Searched>,
    decoys: NeedleIndex,
    /// What the messages of the log say, line by line.
    said: Said,
    /// How many decoys they hold.
    decoys_in: Memo<u128, usize>,
    by_message: Vec<(Holdings, Partial)>,
    /// By message: see [`FactBook::step_of`].
    step_of: Vec<usize>,
    courses: Vec<Course>,
    /// What answers are like, by digest of prompt and answer.
    pub(super) readings: Readings,
    pub(super) needs: Vec<Vec<Need>>,
    pub(super) begins: Vec<Vec<FactId>>,
    /// By step index: facts whose life ended before it.
    pub(super) ends: Vec<Vec<FactId>>,
}

impl FactBook {
    /// Searches every message once, in parallel.
    pub fn new(log: &Log, steps: &[Step], truth: Truth, table: &TokenTable) -> FactBook {
        let index = Arc::new(Searched::new(&truth.facts));
        let texts =
            each(&log.messages, |message: &Message| searchable(&message.content, &message.calls));
        let by_message = each(&texts, |text: &String| holdings(&index.search(text), |_| 0));
        let step_of = step_by_message(log, steps);
        let needs = needs(&truth, &step_of, steps, table, log);
        let courses = courses(&truth, &needs, &step_of, log, table);
        let mut begins = vec![Vec::new(); steps.len() + 1];
        let mut ends = vec![Vec::new(); steps.len() + 1];
        for (course, fact) in courses.iter().zip((0..).map(FactId)) {
            if !course.live.is_empty() {
                begins[course.live.start].push(fact);
                ends[course.live.end].push(fact);
            }
        }
        let said = said(&texts, log, &truth);
        let book =
            FactBook { truth, index, said, by_message, step_of, courses, ..FactBook::default() };
        FactBook { decoys: NeedleIndex::new(&book.truth.decoys), needs, begins, ends, ..book }
    }

    /// Finds the facts of the session in texts.
    pub fn index(&self) -> &Arc<Searched> {
        &self.index
    }

    /// What a message of the log holds, whole and in part.
    pub fn of_message(&self, message: MsgId) -> (Holdings, Partial) {
        self.by_message.get(message.index()).cloned().unwrap_or_default()
    }

    /// What a message holds that the log does not have.
    pub(super) fn of_said(&self, content: &str, calls: &[Call]) -> (Holdings, Partial) {
        let text = searchable(content, calls);
        holdings(&self.index.search(&text), |_| 0)
    }

    /// What a text that was written in answer to such requests holds, whole and in part, each fact of
    /// its generation.
    pub(super) fn of_text(
        &self,
        text: &str,
        asked: &Asked,
        generation: impl Fn(FactId) -> u32,
    ) -> (Holdings, Partial) {
        let asked = (&asked.said, asked.key);
        holdings(&self.index.search_written(text, &self.said, asked), generation)
    }

    pub(super) fn decoys_in(&self, text: &str) -> usize {
        if self.truth.decoys.is_empty() {
            return 0;
        }
        self.decoys_in.of(key_of([text]), || {
            self.decoys.search(text).iter().filter(|holding| holding.present()).count()
        })
    }

    fn course(&self, fact: FactId) -> Option<&Course> {
        self.courses.get(fact.index())
    }

    /// Whether a fact was told in the first so many steps.
    pub fn is_born(&self, fact: FactId, steps: usize) -> bool {
        self.course(fact).is_some_and(|course| course.born < steps)
    }

    /// Whether a fact was replaced by another within the first so many steps.
    pub fn is_superseded(&self, fact: FactId, steps: usize) -> bool {
        self.course(fact).and_then(|course| course.superseded).is_some_and(|step| step < steps)
    }

    /// The facts that a fact replaces, directly or through others.
    pub fn replaced_by(&self, fact: FactId) -> &[FactId] {
        self.course(fact).map_or(&[], |course| &course.replaces)
    }

    /// Whether a fact is live at a step (by index): told, not replaced, and needed then or later.
    pub fn is_live(&self, fact: FactId, step: usize) -> bool {
        self.course(fact).is_some_and(|course| course.live.contains(&step))
    }

    /// Index of the first step whose prompt can hold a message.
    pub fn step_of(&self, message: MsgId) -> usize {
        self.step_of.get(message.index()).copied().unwrap_or(usize::MAX)
    }

    /// Tokens of the cheapest recorded call and result that bring a fact back, if any do.
    pub fn reacquire(&self, fact: FactId) -> Option<Tokens> {
        self.course(fact)?.reacquire
    }

    /// Tokens of live facts' statements at each step: what `fact_load` is made of.
    pub fn live_statement_tokens(&self, count: impl Fn(&str) -> Tokens) -> Vec<Tokens> {
        let tokens: Vec<Tokens> = self.truth.facts.iter().map(|f| count(&f.statement)).collect();
        let mut live = Tokens::ZERO;
        (0..self.needs.len())
            .map(|step| {
                live += self.begins[step].iter().map(|fact| tokens[fact.index()]).sum();
                live -= self.ends[step].iter().map(|fact| tokens[fact.index()]).sum();
                live
            })
            .collect()
    }
}

/// What the messages say, and the words of facts and tools.
fn said(texts: &[String], log: &Log, truth: &Truth) -> Said {
    let tools = log.messages.iter().flat_map(|message| &message.calls).map(|call| &*call.name);
    let parts = |fact: &'_ Fact| {
        let needles = fact.needles.iter().chain(&fact.topic).map(Needle::text);
        needles.chain([&*fact.statement]).map(str::to_owned).collect::<Vec<_>>()
    };
    let names = truth.facts.iter().flat_map(parts).chain(tools.map(str::to_owned));
    Said::of(texts.iter().map(String::as_str), names)
}

fn needs(
    truth: &Truth,
    step_of: &[usize],
    steps: &[Step],
    table: &TokenTable,
    log: &Log,
) -> Vec<Vec<Need>> {
    let cumulative = cumulative(table);
    let mut needs: Vec<Vec<Need>> = vec![Vec::new(); steps.len()];
    for (demand, number) in truth.demands.iter().zip(0..) {
        let index = step_of.get(demand.at.index()).copied().unwrap_or(usize::MAX);
        let fact = truth.facts.get(demand.fact.index());
        let (Some(fact), Some(step)) = (fact, steps.get(index)) else { continue };
        let start = step.appended.start;
        let mention = fact.mentions.iter().rev().find(|m| m.index() < start);
        let since = mention.map_or(fact.born.index(), |m| m.index());
        let distance = cumulative[start] - cumulative[(since + 1).min(start)];
        let compacted = log.was_compacted_between(MsgId(since as u32), MsgId(start as u32));
        needs[index].push(Need { demand: number, fact: fact.id, distance, compacted });
    }
    needs
}

fn courses(
    truth: &Truth,
    needs: &[Vec<Need>],
    step_of: &[usize],
    log: &Log,
    table: &TokenTable,
) -> Vec<Course> {
    // The step after the last that needs it.
    let mut needed_to = vec![0; truth.facts.len()];
    for (step, needs) in needs.iter().enumerate() {
        needs.iter().for_each(|need| needed_to[need.fact.index()] = step + 1);
    }
    let course = |(fact, replaces): (&Fact, Vec<FactId>)| {
        // A fact told by an assistant message is there from the next step on.
        let told_by_answer = log.messages[fact.born.index()].role == Role::Assistant;
        let born = step_of[fact.born.index()] + usize::from(told_by_answer);
        let successor = fact.superseded_by.and_then(|by| truth.facts.get(by.index()));
        let superseded = successor.map(|by| step_of[by.born.index()]);
        let end = needed_to[fact.id.index()].min(superseded.unwrap_or(usize::MAX));
        let live = if born < end { born..end } else { 0..0 };
        Course { born, superseded, live, reacquire: cheapest(log, table, fact), replaces }
    };
    truth.facts.iter().zip(predecessors(truth)).map(course).collect()
}

/// All text in which facts are looked for: content and arguments of calls.
pub(super) fn searchable(content: &str, calls: &[Call]) -> String {
    let mut text = content.to_owned();
    for call in calls {
        text.push('\n');
        text.push_str(&call.args);
    }
    text
}

fn holdings(found: &[Holding], generation: impl Fn(FactId) -> u32) -> (Holdings, Partial) {
    let partial = found.iter().filter(|holding| !holding.subject() && holding.found > 0);
    let partial = partial.map(|holding| (holding.fact, holding.found)).collect();
    let held = found.iter().filter_map(|holding| {
        let (fact, reading) = (holding.fact, holding.reading?);
        Some(Held { fact, reading, generation: generation(fact) })
    });
    (held.collect(), partial)
}

/// By fact: all that it replaces, nearest first. A ring ends where it closes.
fn predecessors(truth: &Truth) -> Vec<Vec<FactId>> {
    let mut before: Vec<Vec<FactId>> = vec![Vec::new(); truth.facts.len()];
    for fact in &truth.facts {
        let (mut next, mut steps) = (fact.superseded_by, 0);
        while let Some(by) = next.filter(|by| *by != fact.id && steps < truth.facts.len()) {
            let Some(successor) = truth.facts.get(by.index()) else { break };
            before[by.index()].push(fact.id);
            (next, steps) = (successor.superseded_by, steps + 1);
        }
    }
    before
}

/// By message: the step whose prompt first holds it, or that it answers, or that never came.
fn step_by_message(log: &Log, steps: &[Step]) -> Vec<usize> {
    let mut step_of = vec![steps.len(); log.messages.len()];
    for (number, step) in steps.iter().enumerate() {
        step_of[step.appended.start..=step.answer.index()].fill(number);
    }
    step_of
}

/// Reference tokens of the first n messages, for n = 0, 1, ...
fn cumulative(table: &TokenTable) -> Vec<Tokens> {
    let mut sum = Tokens::ZERO;
    let mut sums = vec![sum];
    for message in &table.messages {
        sum += message.total();
        sums.push(sum);
    }
    sums
}

fn cheapest(log: &Log, table: &TokenTable, fact: &Fact) -> Option<Tokens> {
    if log.message(fact.born)?.role != Role::Tool {
        return None;
    }
    let results = fact.mentions.iter().filter_map(|id| log.message(*id));
    results
        .filter(|message| message.role == Role::Tool)
        .map(|result| {
            let own = table.messages[result.id.index()].total();
            own + call_tokens(log, table, result)
        })
        .min()
}

/// Tokens of the call that a result answers: looked for just before the result.
fn call_tokens(log: &Log, table: &TokenTable, result: &Message) -> Tokens {
    let Some(id) = &result.answers else { return Tokens::ZERO };
    let before = log.messages[..result.id.index()].iter().rev().take(64);
    before
        .flat_map(|message| message.calls.iter().zip(&table.messages[message.id.index()].calls))
        .find(|(call, _)| call.id == *id)
        .map_or(Tokens::ZERO, |(_, tokens)| *tokens)
}
