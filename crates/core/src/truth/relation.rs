//! Whether a text says that a fact is so: its topic and its value stand in one clause or line, no
//! other value stands as near, and nothing takes it back. What is asked, doubted, or said of every
//! value at once is `Ambiguous`. The words for this are `cues.toml`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::prelude::*;
use crate::truth::FactKind;

/// How far a topic may lie from its value, in bytes, each mark between parts counted as more.
const REACH: usize = 400;
/// How far the sense of a rule may lie from its subject, in bytes.
const SENSE_REACH: usize = 160;
/// A line from this length on, without a mark at its end, runs on in the next.
const WRAPPED: usize = 60;
/// A sentence that takes back the one before it is shorter, in bytes.
const BRIEF: usize = 160;

static CUES: LazyLock<Cues> = LazyLock::new(|| {
    // OK because the text is constant and a test reads it.
    let words: Words = toml::from_str(include_str!("cues.toml")).expect("sound cues");
    let any = |list: &[String]| {
        let escaped: Vec<String> = list.iter().map(|cue| regex::escape(cue)).collect();
        escaped.join("|")
    };
    // OK for the same reason.
    let regex = |pattern: String| Regex::new(&pattern).expect("sound cues");
    let within = |list: &[String]| regex(format!(r"(?i)\b(?:{})\b", any(list)));
    Cues {
        revoked: within(&words.revoked),
        lifted: within(&words.lifted),
        against: within(&words.against),
        done: within(&words.done),
        open: within(&words.open),
        doubt: within(&words.doubt),
        disowned: within(&words.disowned),
        whole: within(&words.whole),
        back: regex(format!(r"(?i)^\W*(?:{})\b", any(&words.back))),
        old: regex(format!(
            r"(?i)\b(?:{})(?: (?:at|to|the|set|value|a|an|of))*[^\w\n]*$",
            any(&words.old)
        )),
        list: regex(format!(r"(?i)^(?:\s|[^\w\n=:;.>]|\b(?:{})\b)+$", any(&words.list))),
    }
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    revoked: Vec<String>,
    lifted: Vec<String>,
    against: Vec<String>,
    done: Vec<String>,
    open: Vec<String>,
    doubt: Vec<String>,
    disowned: Vec<String>,
    whole: Vec<String>,
    back: Vec<String>,
    old: Vec<String>,
    list: Vec<String>,
}

struct Cues {
    revoked: Regex,
    lifted: Regex,
    against: Regex,
    done: Regex,
    open: Regex,
    doubt: Regex,
    disowned: Regex,
    whole: Regex,
    back: Regex,
    old: Regex,
    list: Regex,
}

/// How a clause says what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mood {
    Stated,
    /// Asked or doubted.
    Open,
    /// Taken back, or never claimed.
    Denied,
}

/// A clause or a structured line.
#[derive(Debug)]
struct Clause {
    at: Range<usize>,
    mood: Mood,
    /// It lifts a rule, or has an approach work after all.
    lifts: bool,
    /// The headings that it stands under, outermost first, as places in `Clauses::headings`.
    under: Vec<usize>,
    /// The line or paragraph that it is part of.
    block: Range<usize>,
}

/// A text as clauses.
#[derive(Debug, Default)]
pub(super) struct Clauses {
    /// The text without the words of facts: a name may well hold a word that takes back.
    masked: String,
    clauses: Vec<Clause>,
    headings: Vec<Range<usize>>,
}

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
    /// Digits of the needle that is a number.
    pub digits: Option<usize>,
    /// Topics of all facts of its kind, and their values.
    pub all_topics: &'a Hits,
    pub all_values: &'a Hits,
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
    /// Of a text in which facts and topics stand at these places.
    pub(super) fn of<'a>(text: &str, names: impl Iterator<Item = &'a Range<usize>>) -> Clauses {
        let mut masked = text.as_bytes().to_vec();
        for at in names {
            masked[at.clone()]
                .iter_mut()
                .filter(|byte| byte.is_ascii_alphanumeric())
                .for_each(|byte| *byte = b'x');
        }
        // OK because only ASCII was put in place of ASCII.
        let masked = String::from_utf8(masked).unwrap_or_else(|_| text.to_owned());
        let mut clauses = Clauses::default();
        clauses.split(&masked);
        clauses.take_back(&masked);
        Clauses { masked, ..clauses }
    }

    fn split(&mut self, text: &str) {
        let mut stack: Vec<(usize, usize)> = Vec::new();
        let mut lines = lines(text).peekable();
        while let Some(mut line) = lines.next() {
            let words = &text[line.clone()];
            if words.trim().is_empty() {
                stack.retain(|(level, _)| *level < LABEL);
                continue;
            }
            if let Some(level) = heading(words) {
                stack.retain(|(other, _)| *other < level);
                stack.push((level, self.headings.len()));
                let clause = Clause::new(text, line.clone(), &self.headings, Vec::new());
                self.clauses.push(clause);
                self.headings.push(line);
                continue;
            }
            while let Some(next) =
                lines.next_if(|next| runs_on(&text[line.clone()], &text[next.clone()]))
            {
                line.end = next.end;
            }
            let under: Vec<usize> = stack.iter().map(|(_, heading)| *heading).collect();
            for at in sentences(text, line.clone()) {
                let clause = Clause::new(text, at, &self.headings, under.clone());
                self.clauses.push(Clause { block: line.clone(), ..clause });
            }
            // A comment speaks of the line below it and of no other.
            stack.retain(|(level, _)| *level < COMMENT);
        }
    }

    /// What a sentence says of the one before it, or of all around it.
    fn take_back(&mut self, text: &str) {
        for place in 0..self.clauses.len() {
            let clause = &self.clauses[place];
            let said = &text[clause.at.clone()];
            let (denies, lifts) =
                (CUES.revoked.is_match(said) || denies_itself(said), clause.lifts);
            if !denies && !lifts {
                continue;
            }
            let section = clause.under.first().copied();
            let of = if CUES.whole.is_match(said) {
                0..self.clauses.len()
            } else if place > 0 && CUES.back.is_match(said) && said.len() < BRIEF {
                place - 1..place
            } else {
                continue;
            };
            let around = |clause: &&mut Clause| {
                section.is_none() || clause.under.first().copied() == section
            };
            for clause in self.clauses[of].iter_mut().filter(around) {
                clause.lifts |= lifts;
                if denies {
                    clause.mood = Mood::Denied;
                }
            }
        }
    }

    /// What the text says of a fact whose parts stand at these places; `None` where it says nothing.
    pub(super) fn judge(&self, text: &str, places: &Places) -> Option<Reading> {
        let (mut said, mut rivals) = ([false; 4], false);
        for place in 0..self.clauses.len() {
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
        values.retain(|at| !places.topics.iter().any(|topic| overlap(at, topic)));
        if !values.iter().all(|at| belongs(text, clause, places, at, &topic)) {
            return None;
        }
        if values.is_empty() && is_bare(text, clause, &topic, places.needs_sense) {
            return None;
        }
        if clause.mood == Mood::Denied || values.iter().any(|at| is_old(text, clause, at)) {
            return Some((Reading::Inverted, true));
        }
        let said = &self.masked[clause.at.clone()];
        if places.needs_sense && clause.lifts
            || is_passed_over(text, clause, places, &topic)
            || speaks_against(said, places)
        {
            return Some((Reading::Inverted, true));
        }
        if values.iter().any(|at| has_rival(text, clause, at)) {
            return Some((Reading::Ambiguous, true));
        }
        if clause.mood == Mood::Open {
            return Some((Reading::Ambiguous, false));
        }
        if places.needs_sense && !self.has_sense(text, clause, places, &topic) {
            return Some((Reading::Inverted, false));
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
        let above = clause.under.iter().rev().map(|place| &self.headings[*place]);
        above.filter_map(|heading| inside(places.topics, heading).next()).next().cloned()
    }

    /// Whether a clause that names the topic gives it the value of another fact, or another number.
    fn is_wrong(&self, text: &str, clause: &Clause, places: &Places, topic: &Range<usize>) -> bool {
        if clause.mood != Mood::Stated || !inside_one(topic, &clause.at) {
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

    fn has_sense(
        &self,
        text: &str,
        clause: &Clause,
        places: &Places,
        topic: &Range<usize>,
    ) -> bool {
        let near = |at: &Range<usize>| {
            let between = at.start.min(topic.start)..at.end.max(topic.end);
            let is_own =
                |other: &Range<usize>| places.topics.iter().any(|topic| overlap(topic, other));
            near(text, at, topic) <= SENSE_REACH
                && (inside_one(at, &clause.at)
                    || hits(places.all_topics, &between).all(|(other, _)| is_own(other)))
        };
        let mut above = clause.under.iter().map(|place| &self.headings[*place]);
        inside(places.senses, &clause.block).any(near)
            || above.any(|heading| inside(places.senses, heading).next().is_some())
    }
}

fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let from = start;
        start += line.len();
        from..from + line.trim_end_matches(['\n', '\r']).len()
    })
}

/// Levels of headings: `#` to `######` are 1 to 6.
const BOLD: usize = 7;
const LABEL: usize = 8;
const COMMENT: usize = 9;

/// The level of a heading, a label or a comment; `None` for any other line.
fn heading(line: &str) -> Option<usize> {
    let line = line.trim();
    let marks = line.bytes().take_while(|byte| *byte == b'#').count();
    if (1..=6).contains(&marks) && line[marks..].starts_with(' ') {
        return Some(if marks == 1 && line.len() > 2 && line.contains('=') {
            COMMENT
        } else {
            marks
        });
    }
    if line.starts_with("**") && (line.ends_with("**") || line.ends_with("**:")) && line.len() > 4 {
        return Some(BOLD);
    }
    if line.starts_with("//") || line.starts_with("-- ") || line.starts_with("/*") {
        return Some(COMMENT);
    }
    (line.ends_with(':') && line.split_whitespace().count() <= 12).then_some(LABEL)
}

/// Whether a line goes on in the next: prose that was wrapped, or one more deeply indented.
fn runs_on(line: &str, next: &str) -> bool {
    let (body, more) = (line.trim_end(), next.trim_start());
    let depth = |line: &str| line.len() - line.trim_start().len();
    let item = more.starts_with(['-', '*', '+', '#', '|', '>', '`', '/'])
        || more.split_once(['.', ')']).is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    if more.is_empty() || item || heading(next).is_some() {
        return false;
    }
    let last = body.rsplit('\n').next().unwrap_or(body);
    let wrapped =
        last.len() >= WRAPPED && body.ends_with(|c: char| c.is_alphanumeric() || c == ',');
    let word = more.split_whitespace().next().unwrap_or_default();
    let prose = word.chars().all(|c| c.is_ascii_lowercase() || c == ',');
    let first = !body.contains('\n');
    (wrapped && prose) || (first && depth(next) >= depth(line) + 2 && depth(next) > 0)
}

/// The sentences of a block, cut behind marks that white space follows.
fn sentences(text: &str, block: Range<usize>) -> Vec<Range<usize>> {
    let body = &text[block.clone()];
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, mark) in body.match_indices(['.', '!', '?']) {
        let to = at + mark.len();
        let closes = !body[..at].ends_with(|c: char| c == '.' || c.is_whitespace());
        if closes && body[to..].starts_with(char::is_whitespace) {
            parts.push(block.start + from..block.start + to);
            from = to;
        }
    }
    parts.push(block.start + from..block.end);
    parts.retain(|part| !text[part.clone()].trim().is_empty());
    parts
}

impl Clause {
    fn new(text: &str, at: Range<usize>, headings: &[Range<usize>], under: Vec<usize>) -> Clause {
        let said = &text[at.clone()];
        let disowned = |place: &usize| {
            let heading = &text[headings[*place].clone()];
            (heading.starts_with('#') || is_brief(heading)) && CUES.disowned.is_match(heading)
        };
        let struck = said.trim().trim_matches(['-', '*', ' ']).starts_with("~~");
        let is_false = said.trim_end_matches([',', ' ', '}']).ends_with(": false");
        let denied = struck || is_false || CUES.revoked.is_match(said) || denies_itself(said);
        let open = || said.trim_end().ends_with('?') || CUES.doubt.is_match(said);
        let mood = match denied || under.iter().any(disowned) {
            true => Mood::Denied,
            false if open() => Mood::Open,
            false => Mood::Stated,
        };
        Clause { block: at.clone(), at, mood, lifts: CUES.lifted.is_match(said), under }
    }
}

/// A label before the first colon, or a few words alone, that disown what they speak of.
fn denies_itself(said: &str) -> bool {
    let label = said.split_once(": ").map(|(label, _)| label);
    let plain = |label: &&str| !label.contains(['(', ')', '=', '{', '_', '/']);
    label
        .filter(|label| is_brief(label))
        .filter(plain)
        .is_some_and(|label| CUES.disowned.is_match(label))
        || (is_brief(said) && CUES.back.is_match(said) && CUES.disowned.is_match(said))
}

fn is_brief(words: &str) -> bool {
    words.split_whitespace().count() <= 6
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
    all[from..].iter().take_while(move |(at, _)| at.end <= end)
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
    let is_own = |other: &Range<usize>| places.topics.iter().any(|topic| overlap(topic, other));
    let mut others = hits(places.all_topics, &clause.at).filter(|(other, _)| !is_own(other));
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
        Outcome => CUES.open.is_match(said),
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
