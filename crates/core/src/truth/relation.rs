//! Whether a text says that a fact is so: its topic and its value stand in one clause or line, no
//! other value stands as near, and nothing takes it back. What is asked, doubted, or said of every
//! value at once is `Ambiguous`.

mod clause;
mod cue;
mod frame;

use std::ops::Range;

pub(super) use self::clause::Clauses;
use self::clause::{Clause, Mood};
use self::cue::CUES;
pub(super) use self::frame::Given;
pub use self::frame::Said;
use crate::prelude::*;
use crate::truth::FactKind;

/// How far a topic may lie from its value, in bytes, each mark between parts counted as more.
const REACH: usize = 400;
/// How far the sense of a rule may lie from its subject, in bytes.
const SENSE_REACH: usize = 160;
/// Places in a text, each with the fact that they are of, ascending.
pub(super) type Hits = Vec<(Range<usize>, FactId)>;

/// Where the parts of one fact stand in a text, each list ascending.
#[derive(Debug)]
pub(super) struct Places<'a> {
    pub fact: FactId,
    pub kind: FactKind,
    /// By needle.
    pub values: &'a [Vec<Range<usize>>],
    pub topics: &'a [Range<usize>],
    pub senses: &'a [Range<usize>],
    pub needs_sense: bool,
    /// Where words stand of which the fact needs one beside it; `None` where it needs none.
    pub context: Option<&'a Vec<Range<usize>>>,
    /// Digits of the needle that is a number.
    pub digits: Option<usize>,
    /// Topics of all facts of its kind, and their values.
    pub all_topics: &'a Hits,
    pub all_values: &'a Hits,
}

impl Places<'_> {
    /// Whether a topic of the fact, or a part of one, stands there.
    fn is_topic(&self, at: &Range<usize>) -> bool {
        self.topics.iter().any(|topic| overlap(topic, at))
    }
}

/// What a text says of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reading {
    /// It is so.
    Present,
    /// Its subject without its sense, or it is denied or taken back.
    Inverted,
    /// It is open, asked, or one of several values.
    Ambiguous,
    /// Its topic has the value of another fact.
    Wrong,
}

impl Clauses {
    /// What the text says of a fact whose parts stand at these places; `None` where it says nothing.
    pub(super) fn judge(&self, text: &str, places: &Places) -> Option<Reading> {
        let (mut said, mut rivals) = ([false; 4], false);
        for place in self.about(places.topics) {
            if let Some((reading, rival)) = self.judge_clause(text, place, places) {
                said[reading as usize] = true;
                rivals |= rival;
            }
        }
        match said {
            [true, ..] if rivals => Some(Reading::Ambiguous),
            [true, ..] => Some(Reading::Present),
            [_, true, ..] => Some(Reading::Inverted),
            [_, _, true, _] => Some(Reading::Ambiguous),
            [.., wrong] => wrong.then_some(Reading::Wrong),
        }
    }

    /// The reading, and whether it speaks against another clause that states the fact.
    fn judge_clause(&self, text: &str, place: usize, places: &Places) -> Option<(Reading, bool)> {
        let clause = &self.clauses[place];
        let topic = self.topic_of(text, place, places)?;
        let nearest = |of: &'_ Vec<Range<usize>>| {
            inside(of, &clause.at).min_by_key(|at| near(text, at, &topic)).cloned()
        };
        let values: Option<Vec<Range<usize>>> = places.values.iter().map(nearest).collect();
        let Some(mut values) = values else {
            return self.is_wrong(text, clause, places, &topic).then_some((Reading::Wrong, true));
        };
        // A needle that is the topic itself is no value of it.
        values.retain(|at| !places.is_topic(at));
        if !values.iter().all(|at| belongs(text, clause, places, at, &topic)) {
            return None;
        }
        if values.is_empty() && is_bare(text, clause, &topic, places.needs_sense) {
            return None;
        }
        let empties = |at: &Range<usize>| is_old(text, clause, at) || is_excluded(text, clause, at);
        if clause.mood(self) == Mood::Denied
            || values.iter().any(empties)
            || (inside_one(&topic, &clause.at) && is_excluded(text, clause, &topic))
        {
            return Some((Reading::Inverted, true));
        }
        let said = &self.masked[clause.at.clone()];
        if places.needs_sense && clause.lifts(&self.masked)
            || is_passed_over(text, clause, places, &topic)
            || speaks_against(said, places)
            || self.stands_under(clause, |heading| speaks_against(heading, places))
        {
            return Some((Reading::Inverted, true));
        }
        if values.iter().any(|at| has_rival(text, clause, at) || is_changed(text, clause, at)) {
            return Some((Reading::Ambiguous, true));
        }
        if clause.mood(self) == Mood::Open {
            return Some((Reading::Ambiguous, false));
        }
        if places.needs_sense && !self.has_sense(text, clause, places, &topic) {
            return Some((Reading::Inverted, false));
        }
        if places.context.is_some_and(|context| !self.has_context(clause, context)) {
            return Some((Reading::Ambiguous, false));
        }
        Some((Reading::Present, false))
    }

    /// The topic in the clause; where it names none, in the sentence before it or a heading above.
    fn topic_of(&self, text: &str, place: usize, places: &Places) -> Option<Range<usize>> {
        let clause = &self.clauses[place];
        if let Some(at) = inside(places.topics, &clause.at).next() {
            return Some(at.clone());
        }
        if hits(places.all_topics, &clause.at).next().is_some() {
            return None;
        }
        let before = place.checked_sub(1).map(|before| &self.clauses[before]);
        let before = before.filter(|before| before.block == clause.block && speaks(text, clause));
        if let Some(at) = before.and_then(|before| inside(places.topics, &before.at).last()) {
            return Some(at.clone());
        }
        let mut above = clause.under.iter().rev().map(|place| &self.headings[*place]);
        above.find_map(|heading| inside(places.topics, heading).next()).cloned()
    }

    /// Whether a clause that names the topic gives it the value of another fact, or another number.
    fn is_wrong(&self, text: &str, clause: &Clause, places: &Places, topic: &Range<usize>) -> bool {
        if !inside_one(topic, &clause.at) || clause.mood(self) != Mood::Stated {
            return false;
        }
        let own = |place: &Range<usize>| places.values.iter().flatten().any(|at| at == place);
        let is_its = |at: &Range<usize>| {
            !own(at)
                && !overlap(at, topic)
                && belongs(text, clause, places, at, topic)
                && !is_old(text, clause, at)
        };
        let foreign = hits(places.all_values, &clause.at).any(|(at, fact)| {
            let at_home = hits(places.all_topics, &clause.at).any(|(_, of)| of == fact);
            *fact != places.fact && !at_home && is_its(at)
        });
        let number = |digits: usize| {
            let other = Shape::Number(digits);
            tokens(text, clause.at.clone()).any(|at| {
                shape(&text[at.clone()]).is_some_and(|shape| competes(&shape, &other))
                    && is_its(&at)
            })
        };
        foreign || places.digits.is_some_and(number)
    }

    fn stands_under(&self, clause: &Clause, is: impl Fn(&str) -> bool) -> bool {
        let mut above = clause.under.iter().map(|place| &self.headings[*place]);
        above.any(|heading| is(&self.masked[heading.clone()]))
    }

    fn has_context(&self, clause: &Clause, context: &[Range<usize>]) -> bool {
        let mut above = clause.under.iter().map(|place| &self.headings[*place]);
        inside(context, &clause.block).next().is_some()
            || above.any(|heading| inside(context, heading).next().is_some())
    }

    fn has_sense(
        &self,
        text: &str,
        clause: &Clause,
        places: &Places,
        topic: &Range<usize>,
    ) -> bool {
        let near = |at: &Range<usize>| {
            let between = at.start.min(topic.start)..at.end.max(topic.end);
            near(text, at, topic) <= SENSE_REACH
                && (inside_one(at, &clause.at)
                    || hits(places.all_topics, &between).all(|(other, _)| places.is_topic(other)))
        };
        let mut above = clause.under.iter().map(|place| &self.headings[*place]);
        inside(places.senses, &clause.block).any(near)
            || above.any(|heading| inside(places.senses, heading).next().is_some())
    }
}

fn inside<'a>(
    places: &'a [Range<usize>],
    within: &Range<usize>,
) -> impl Iterator<Item = &'a Range<usize>> {
    let from = places.partition_point(|at| at.start < within.start);
    let end = within.end;
    places[from..].iter().take_while(move |at| at.start < end).filter(move |at| at.end <= end)
}

fn hits<'a>(
    all: &'a Hits,
    within: &Range<usize>,
) -> impl Iterator<Item = &'a (Range<usize>, FactId)> {
    let from = all.partition_point(|(at, _)| at.start < within.start);
    let end = within.end;
    let begun = all[from..].iter().take_while(move |(at, _)| at.start < end);
    begun.filter(move |(at, _)| at.end <= end)
}

fn inside_one(at: &Range<usize>, within: &Range<usize>) -> bool {
    at.start >= within.start && at.end <= within.end
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Whether a value lies within reach of its topic, and no topic of another fact of its kind nearer.
fn belongs(
    text: &str,
    clause: &Clause,
    places: &Places,
    at: &Range<usize>,
    topic: &Range<usize>,
) -> bool {
    let own = places.topics.iter().filter(|topic| inside_one(topic, &clause.at));
    let own = own.map(|topic| near(text, at, topic)).min();
    let own = own.unwrap_or_else(|| near(text, at, topic).min(REACH));
    let mut others =
        hits(places.all_topics, &clause.at).filter(|(other, _)| !places.is_topic(other));
    let apart = |topic: &Range<usize>| {
        let (from, to) = (topic.start.min(at.start), topic.end.max(at.end));
        text[from..to].contains(';')
    };
    if inside_one(topic, &clause.at) && apart(topic) {
        return false;
    }
    own <= REACH && !others.any(|(other, _)| near(text, at, other) < own)
}

/// Whether a clause is more than a list: some words of it tie others together.
fn speaks(text: &str, clause: &Clause) -> bool {
    let words = text[clause.at.clone()].split_whitespace();
    words.filter(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '\'')).count() >= 2
}

/// Whether a choice is named as the one that was not made.
fn is_passed_over(text: &str, clause: &Clause, places: &Places, topic: &Range<usize>) -> bool {
    use FactKind::{Decision, Direction, Preference};
    matches!(places.kind, Decision | Direction | Preference)
        && inside_one(topic, &clause.at)
        && is_old(text, clause, topic)
}

/// Whether a clause says of a fact of this kind what ends it.
fn speaks_against(said: &str, places: &Places) -> bool {
    use FactKind::{Decision, Direction, Outcome, Pending, Preference};
    match places.kind {
        Decision | Direction | Preference => CUES.against.is_match(said),
        Pending => CUES.done.is_match(said) && !CUES.open.is_match(said),
        Outcome => CUES.open.is_match(said) || CUES.against.is_match(said),
        _ => false,
    }
}

/// Whether a topic stands alone between the commas of a list that has no heading: it is named, and
/// nothing is said of it. A rule's sense may stand elsewhere in a short list.
fn is_bare(text: &str, clause: &Clause, topic: &Range<usize>, needs_sense: bool) -> bool {
    const MARKS: [char; 4] = [',', ';', '|', '\n'];
    if !clause.under.is_empty() || !inside_one(topic, &clause.at) {
        return false;
    }
    let from = text[clause.at.start..topic.start].rfind(MARKS).map_or(0, |at| at + 1);
    let before = &text[clause.at.start + from..topic.start];
    let after = text[topic.end..clause.at.end].split(MARKS).next().unwrap_or_default();
    let says = |part: &str| {
        part.split(|c: char| !c.is_alphanumeric()).any(|word| {
            !matches!(word.to_lowercase().as_str(), "" | "the" | "a" | "an" | "and" | "or")
        })
    };
    let items = text[clause.at.clone()].split(MARKS).count();
    !says(before) && !says(after) && (!needs_sense || items > 3)
}

/// Bytes between two places, with more for every mark that separates parts.
fn near(text: &str, at: &Range<usize>, topic: &Range<usize>) -> usize {
    let gap = match at.start >= topic.end {
        true => topic.end..at.start,
        false => at.end.min(topic.start)..topic.start,
    };
    let between = text.get(gap).unwrap_or_default();
    let mark = |byte| match byte {
        b',' => 25,
        b';' | b'\n' => 60,
        _ => 0,
    };
    between.len() + between.bytes().map(mark).sum::<usize>()
}

/// Whether the words right before a value say that it was.
fn is_old(text: &str, clause: &Clause, at: &Range<usize>) -> bool {
    CUES.old.is_match(&text[clause.at.start..at.start])
}

/// Whether a clause speaks of all but what stands there.
fn is_excluded(text: &str, clause: &Clause, at: &Range<usize>) -> bool {
    CUES.excluded.is_match(&text[clause.at.start..at.start])
}

/// Whether a number goes on in a sum or a product.
fn is_changed(text: &str, clause: &Clause, at: &Range<usize>) -> bool {
    matches!(shape(&text[at.clone()]), Some(Shape::Number(_)))
        && CUES.changed.is_match(&text[at.end..clause.at.end])
}

/// Shapes of values, of which two may compete.
#[derive(PartialEq, Eq)]
enum Shape {
    Number(usize),
    Code,
    Path,
    Name,
}

fn shape(token: &str) -> Option<Shape> {
    let all = |of: fn(&char) -> bool| token.chars().all(|c| of(&c));
    if token.len() >= 2 && all(char::is_ascii_digit) {
        return Some(Shape::Number(token.len()));
    }
    let upper = token.bytes().take_while(u8::is_ascii_uppercase).count();
    if upper >= 2
        && token[upper..].starts_with('-')
        && token[upper + 1..].bytes().all(|b| b.is_ascii_digit())
    {
        return Some(Shape::Code);
    }
    if token.contains('/') && token.contains('.') {
        return Some(Shape::Path);
    }
    let has_lower = token.bytes().any(|byte| byte.is_ascii_lowercase());
    let humps = token.chars().skip(1).filter(char::is_ascii_uppercase).count();
    let plain = all(|c| c.is_ascii_alphanumeric() || *c == '_' || *c == '.');
    (plain && has_lower && (token.contains('_') || humps >= 2)).then_some(Shape::Name)
}

fn competes(one: &Shape, other: &Shape) -> bool {
    match (one, other) {
        (Shape::Number(one), Shape::Number(other)) => one.abs_diff(*other) <= 1,
        (one, other) => one == other,
    }
}

/// Words with what ties them together, as places in a text.
fn tokens(text: &str, within: Range<usize>) -> impl DoubleEndedIterator<Item = Range<usize>> {
    let parts = text[within.clone()].split(|c: char| !(c.is_alphanumeric() || "_-/.".contains(c)));
    let start = text.as_ptr() as usize;
    parts.map(|part| part.trim_matches(['.', '-'])).filter(|part| !part.is_empty()).map(
        move |part| {
            let at = part.as_ptr() as usize - start;
            at..at + part.len()
        },
    )
}

/// Whether another value of its shape stands beside it as in a list.
fn has_rival(text: &str, clause: &Clause, at: &Range<usize>) -> bool {
    let own = &text[at.clone()];
    let Some(own_shape) = shape(own) else { return false };
    // Neighbours in a row of a table are of different columns.
    let is_row = text[clause.at.clone()].trim_start().starts_with('|');
    let shaped = |at: &Range<usize>| shape(&text[at.clone()]).is_some();
    let rival = |other: &Range<usize>, between: Range<usize>| {
        let token = &text[other.clone()];
        token != own
            && shape(token).is_some_and(|shape| competes(&own_shape, &shape))
            && CUES.list.is_match(&text[between.clone()])
            && !(is_row && text[between].contains('|'))
    };
    let next = tokens(text, at.end..clause.at.end).find(shaped);
    let last = tokens(text, clause.at.start..at.start).rev().find(shaped);
    next.is_some_and(|other| rival(&other, at.end..other.start))
        || last.is_some_and(|other| rival(&other, other.end..at.start))
}
