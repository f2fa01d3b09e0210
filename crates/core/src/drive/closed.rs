//! The closed loop: before its scripted call an agent does what recorded ones did where their prompt
//! no longer held what the call needs ([`Consequences`]). The log is its world: a file reads as it
//! read last, with later edits of one line; a search finds what a search found. What it does only
//! with an assumed chance (breaking a rule) is counted from the demands and changes nothing.
//!
//! Each draw goes by session, step and subject, so that configurations differ by what they lost.

use crate::drive::consequences::{Consequences, Rate, Sweep};
use crate::drive::{Drive, End};
use crate::ident::key_of;
use crate::log::calls::is_listing;
use crate::log::files::{Edit, Known};
use crate::log::{Author, Call, CallId, Message, Role, Text};
use crate::overlay::Overlay;
use crate::prelude::*;
use crate::pressure::Occasion;
use crate::trace::{Act, DemandRecord, ExtraCall};
use crate::truth::{FactKind, Needle};
use crate::view::{Entry, Kind, Part, PartSource, Spans, View};

/// A call to be made, with its result.
pub(super) struct Planned {
    act: Act,
    about: String,
    call: Call,
    result: Text,
    /// The message that the result is, or is a part of.
    of: Option<MsgId>,
    /// What an agent that has lost nothing reads of the result, where it makes the call.
    anyway: Option<Text>,
}

/// Chances of one session at one step.
struct Chance<'a> {
    session: &'a str,
    step: u32,
    sweep: Sweep,
}

impl Chance<'_> {
    /// A number from 0 to 1 that every configuration of the session draws alike.
    fn draw(&self, what: &str, about: &str) -> f64 {
        let key = key_of([
            self.session.as_bytes(),
            &self.step.to_le_bytes(),
            what.as_bytes(),
            about.as_bytes(),
        ]);
        (key as u64 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

impl Drive<'_> {
    /// What the agent does before the call of a step, given which of its demands are met.
    pub(super) fn detours(&self, number: usize, demands: &[DemandRecord]) -> Vec<Planned> {
        let Some(sweep) = self.cell.mode.sweep() else { return Vec::new() };
        let log = &self.cell.session.log;
        let chance = Chance { session: &log.id, step: self.step, sweep };
        let edits = self.cell.session.edits();
        let first = edits.partition_point(|edit| edit.step < number);
        let edits: Vec<&Edit> =
            edits[first..].iter().take_while(|edit| edit.step == number).collect();
        let mut planned: Vec<Planned> =
            edits.iter().flat_map(|edit| self.before_edit(edit, &chance)).collect();
        for demand in demands {
            let fact = &self.cell.session.book.truth.facts[demand.fact.index()];
            let needle = fact.needles.first().map(Needle::text);
            let is_edited = edits.iter().any(|edit| Some(edit.file.as_str()) == needle);
            let is_sought = planned
                .iter()
                .any(|one| one.act == Act::Search && Some(one.about.as_str()) == needle);
            match (demand.kind, needle) {
                (FactKind::Path, Some(path)) if !is_edited && !is_sought => {
                    let found = !demand.found.is_missing();
                    planned.extend(self.searches(path, (found, found), true, &chance));
                }
                (FactKind::DeadEnd, _) if demand.found.is_missing() => {
                    planned.extend(self.retries(number, &fact.statement, &chance));
                }
                _ => {}
            }
        }
        planned
    }

    /// A file is about to be edited: it is read again, in part where its content is still there.
    fn before_edit(&self, edit: &Edit, chance: &Chance) -> Vec<Planned> {
        let rates = Consequences::recorded();
        let Edit { file, known, .. } = edit;
        let (has_content, has_path) = self.sent(|view, _, overlay| {
            let has_content = shows(view, overlay, known);
            (has_content, has_content || names(view, overlay, file))
        });
        let draw = chance.draw("reread", file);
        let reads = |rate: &Rate| draw < rate.at(chance.sweep);
        let part = cut(&known.content, rates.size_kept.at(chance.sweep));
        let anyway = reads(&rates.reread_kept).then_some(part);
        let mut planned = Vec::new();
        let made = |act, call: &Call, result: Text, anyway| Planned {
            act,
            about: file.clone(),
            call: call.clone(),
            result,
            of: Some(known.message),
            anyway,
        };
        if has_content {
            let again = |part: &Text| made(Act::Reread, &known.read, part.clone(), anyway.clone());
            planned.extend(anyway.as_ref().map(again));
        } else {
            let content = cut(&known.content, rates.size_lost.at(chance.sweep));
            if reads(&rates.reread_lost) {
                planned.push(made(Act::Reread, &known.read, content, anyway.clone()));
            } else if chance.draw("refused", file) < rates.refused.at(chance.sweep) {
                let refused = Text::from(format!("{file} has not been read yet. Read it first."));
                planned.push(Planned { of: None, ..made(Act::Refused, &edit.call, refused, None) });
                planned.push(made(Act::Reread, &known.read, content, None));
            }
        }
        if let Some(at) = planned.iter().position(|one| one.act == Act::Reread) {
            let is_read_anyway = anyway.is_some();
            let searches = self.searches(file, (has_content, has_path), is_read_anyway, chance);
            planned.splice(at..at, searches);
        }
        planned
    }

    /// Searches for a path before it is used, given whether what is needed and its name are there,
    /// and whether it is used anyway.
    fn searches(
        &self,
        path: &str,
        there: (bool, bool),
        used_anyway: bool,
        chance: &Chance,
    ) -> Vec<Planned> {
        let rates = Consequences::recorded();
        let rate = match there {
            (true, _) => &rates.search_kept,
            (false, true) => &rates.search_named,
            (false, false) => &rates.search_lost,
        };
        let draw = chance.draw("search", path);
        if draw >= rate.at(chance.sweep) {
            return Vec::new();
        }
        let Some((call, message)) = self.search_for(path) else { return Vec::new() };
        let again = chance.draw("second search", path) < rates.second_search.at(chance.sweep);
        let anyway = used_anyway && draw < rates.search_kept.at(chance.sweep);
        let one = || Planned {
            act: Act::Search,
            about: path.to_owned(),
            call: call.clone(),
            result: message.content.clone(),
            of: Some(message.id),
            anyway: anyway.then(|| message.content.clone()),
        };
        (0..1 + usize::from(again)).map(|_| one()).collect()
    }

    /// The last search of the log that found a path, with its result.
    fn search_for(&self, path: &str) -> Option<(&Call, &Message)> {
        let past = &self.cell.session.log.messages[..self.state.happened];
        let of = |result: &Message| {
            let id = result.answers.as_ref()?;
            let before = past[..result.id.index()].iter().rev().take(64);
            before.flat_map(|message| &message.calls).find(|call| call.id == *id)
        };
        let found =
            past.iter().rev().filter(|one| one.role == Role::Tool && one.content.contains(path));
        found.filter_map(|one| Some((of(one)?, one))).find(|(call, _)| is_listing(call))
    }

    /// Tries what has failed before, and fails as it did.
    fn retries(&self, number: usize, statement: &str, chance: &Chance) -> Vec<Planned> {
        let rates = Consequences::recorded();
        if chance.draw("retry", statement) >= rates.retry.at(chance.sweep) {
            return Vec::new();
        }
        let answer = self.cell.session.steps[number].answer.index();
        let before = self.cell.session.log.messages[..=answer].iter().rev();
        let Some(call) = before.flat_map(|message| &message.calls).next() else {
            return Vec::new();
        };
        let third = chance.draw("third failure", statement) < rates.third_failure.at(chance.sweep);
        let one = || Planned {
            act: Act::Retry,
            about: statement.to_owned(),
            call: call.clone(),
            result: format!("error: {statement}").into(),
            of: None,
            anyway: None,
        };
        (0..2 + usize::from(third)).map(|_| one()).collect()
    }

    /// Makes a call in place of the scripted one: the prompt that was just sent is answered with it.
    pub(super) fn make(&mut self, planned: &Planned, prompt: Tokens) -> Result<(), End> {
        let (cost, _) = self.charge();
        let state = &mut self.state;
        state.fresh = state.view.next_id();
        let id = CallId::new(&format!("again-{}", self.trace.extra.len() + 1));
        let call = Call { id: id.clone(), ..planned.call.clone() };
        let asked = self.entry(Role::Assistant, "".into(), None);
        let asked = Entry { calls: vec![call], ..asked }.recounted(&self.state.tally);
        let output = asked.tokens();
        let result = self.entry(Role::Tool, planned.result.clone(), planned.of);
        let result = Entry { answers: Some(id), ..result }.recounted(&self.state.tally);
        let tally = &self.state.tally;
        let anyway = planned.anyway.as_ref().map(|text| output + tally.reference(text));
        self.trace.extra.push(ExtraCall {
            step: self.step,
            act: planned.act,
            about: planned.about.clone(),
            anyway: anyway.is_some(),
            added: output + result.tokens(),
            added_anyway: anyway.unwrap_or_default(),
            prompt,
            cached: cost.cached,
            written: cost.written,
            invalidated: cost.invalidated,
            expired: cost.expired,
            output,
            compactions: self.trace.compactions.len() as u32,
        });
        self.state.last_usage = Some(prompt + output);
        self.state.compacted_since = false;
        self.enter(asked);
        self.pass(Occasion::AfterAnswer)?;
        self.enter(result);
        self.pass(Occasion::AfterTools)?;
        self.pass(Occasion::BeforeCall)?;
        Ok(())
    }

    /// A message that the log does not have.
    fn entry(&self, role: Role, content: Text, of: Option<MsgId>) -> Entry {
        let spans = of.map(Spans::one).unwrap_or_default();
        let parts = vec![Part::raw(content, spans.clone(), PartSource::Log)];
        let state = &self.state;
        let made =
            Entry::made(state.view.next_id(), role, Kind::Message, parts, Vec::new(), &state.tally);
        let author = if role == Role::Assistant { Author::Agent } else { Author::Harness };
        let (at, turn) = (self.now(), state.user_turn);
        Entry { author, covers: spans, origin: of, again: true, at, turn, ..made }
    }

    fn enter(&mut self, entry: Entry) {
        let entry = Entry { id: self.state.view.next_id(), ..entry };
        self.state.watch.appended(&entry);
        self.count_taken(&entry);
        self.state.view.append(entry);
    }
}

/// Whether a prompt still has the message in which a file was last read, with half of it at least. A
/// file that a strategy put back beside its summary counts as gone: recorded agents read those again
/// at a rate of 0.91, and others that a compaction took at 0.98.
fn shows(view: &View, overlay: &Overlay, known: &Known) -> bool {
    let left = |entry: &Arc<Entry>| {
        let written: usize = entry.calls.iter().map(|call| call.args.len()).sum();
        entry.content_len() + written
    };
    let is_it = |entry: &&Arc<Entry>| entry.origin == Some(known.message);
    as_sent(view, overlay).filter(is_it).any(|entry| 2 * left(entry) >= known.shown)
}

/// Whether a prompt names a path in full.
fn names(view: &View, overlay: &Overlay, path: &str) -> bool {
    as_sent(view, overlay).any(|entry| {
        let said = entry.parts.iter().any(|part| part.text.contains(path));
        said || entry.calls.iter().any(|call| call.args.contains(path))
    })
}

fn as_sent<'a>(view: &'a View, overlay: &'a Overlay) -> impl Iterator<Item = &'a Arc<Entry>> {
    let kept = view.entries().iter().map(|entry| overlay.of(entry.id).unwrap_or(entry));
    kept.chain(overlay.behind())
}

/// The first lines of a text that come to this share of it; a part of the first where that is longer.
fn cut(text: &Text, share: f64) -> Text {
    let most = (text.len() as f64 * share) as usize;
    if most >= text.len() {
        return text.clone();
    }
    let lines = text.split_inclusive('\n');
    let ends = lines.scan(0, |end, line| {
        *end += line.len();
        Some(*end)
    });
    let ends: Vec<usize> = ends.collect();
    let whole = ends.iter().rev().find(|end| **end <= most);
    Text::from(&text[..whole.copied().unwrap_or_else(|| text.floor_char_boundary(most))])
}
