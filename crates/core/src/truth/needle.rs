//! Needles: the words that decide whether a text holds a fact.

use std::cell::OnceCell;
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use rustc_hash::FxHashMap;

use crate::prelude::*;
use crate::truth::fold::{fold, folded};
use crate::truth::relation::{Clauses, Given, Hits, Places, Said};
use crate::truth::{Fact, FactKind, Reading};

/// How far apart the needles of a fact may lie in an entry, in bytes of folded text.
const REACH: usize = 400;

/// Letters of needles from which on they are not all put into one table.
const LARGE: usize = 32_000;

/// A word or phrase that must occur.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Needle {
    /// Code: byte for byte, on word boundaries (`retry_budget` is not in `max_retry_budget_ms`).
    Code(String),
    /// Prose: after folding case and runs of white space.
    Prose(String),
}

impl Needle {
    /// The text as written.
    pub fn text(&self) -> &str {
        match self {
            Needle::Code(text) | Needle::Prose(text) => text,
        }
    }
}

/// What a text holds of one fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Holding {
    /// The fact.
    pub fact: FactId,
    /// Distinct needles found anywhere in the text.
    pub found: u32,
    /// What the text says of the fact; `None` where it holds some needles and no statement.
    pub reading: Option<Reading>,
}

impl Holding {
    /// The fact is present: subject and sense.
    pub fn present(self) -> bool {
        self.reading == Some(Reading::Present)
    }
    /// The subject is there: present, inverted or ambiguous.
    pub fn subject(self) -> bool {
        self.reading.is_some_and(|reading| reading != Reading::Wrong)
    }
}

/// Finds all facts in a text in one pass. A fact with a topic is read in relation
/// ([`crate::truth::relation`]); one without is there where its needles lie within reach.
#[derive(Debug, Default)]
pub struct NeedleIndex {
    code: Automaton,
    prose: Automaton,
    facts: Vec<Measures>,
}

/// What judging a fact takes.
#[derive(Debug)]
struct Measures {
    kind: FactKind,
    needles: u32,
    has_polarity: bool,
    has_topic: bool,
    has_context: bool,
    superseded_by: Option<FactId>,
    digits: Option<usize>,
}

/// An automaton with, per pattern, the parts of facts that it stands for.
#[derive(Debug, Default)]
struct Automaton {
    matcher: Option<AhoCorasick>,
    serves: Vec<Vec<(FactId, Part)>>,
}

/// What a pattern is to a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Needle(u32),
    Sense,
    Topic,
    Context,
}

/// By text: the facts that have it, and what it is to them.
type Patterns = BTreeMap<String, Vec<(FactId, Part)>>;

/// A place in the text, the place in what was searched, and what stands there.
type Hit = (Range<usize>, usize, Part);

impl NeedleIndex {
    /// For these facts; `facts[i].id` must be `FactId(i)`.
    pub fn new(facts: &[Fact]) -> NeedleIndex {
        let (mut code, mut prose) = (Patterns::new(), Patterns::new());
        for fact in facts {
            let subject = fact.needles.iter().zip(0..).map(|(n, i)| (Part::Needle(i), n));
            let sense = fact.polarity.iter().map(|n| (Part::Sense, n));
            let topic = fact.topic.iter().map(|n| (Part::Topic, n));
            let context = fact.context.iter().map(|n| (Part::Context, n));
            for (part, needle) in subject.chain(sense).chain(topic).chain(context) {
                let (table, key) = match needle {
                    Needle::Code(text) => (&mut code, text.clone()),
                    Needle::Prose(text) => (&mut prose, fold(text)),
                };
                table.entry(key).or_default().push((fact.id, part));
            }
        }
        let digits = |needle: &Needle| {
            let text = needle.text();
            text.bytes().all(|byte| byte.is_ascii_digit()).then_some(text.len())
        };
        let measures = |fact: &Fact| Measures {
            kind: fact.kind,
            needles: fact.needles.len() as u32,
            has_polarity: !fact.polarity.is_empty(),
            has_topic: !fact.topic.is_empty(),
            has_context: !fact.context.is_empty(),
            superseded_by: fact.superseded_by,
            digits: fact.needles.iter().find_map(digits),
        };
        NeedleIndex {
            code: Automaton::new(code),
            prose: Automaton::new(prose),
            facts: facts.iter().map(measures).collect(),
        }
    }

    /// What a text of the log holds, by fact ascending. Polarity or topic alone says nothing.
    pub fn search(&self, text: &str) -> Vec<Holding> {
        self.searched(text, None)
    }

    /// The same of a text that a summarizer or a strategy wrote: what it says of its own lines
    /// counts, where no message `said` it and no request `asked` for it.
    pub fn search_written(&self, text: &str, said: &Said, asked: &Said) -> Vec<Holding> {
        self.searched(text, Some(Given { said, asked }))
    }

    fn searched(&self, text: &str, given: Option<Given>) -> Vec<Holding> {
        let mut found: FxHashMap<FactId, Vec<Hit>> = FxHashMap::default();
        self.code.collect(text, |at| at, &mut found);
        if !self.prose.serves.is_empty() {
            let (folded, places) = folded(text);
            self.prose.collect(&folded, |at| places.of(at), &mut found);
        }
        found
            .values_mut()
            .for_each(|hits| hits.sort_unstable_by_key(|(at, _, part)| (at.start, *part)));
        let mut holdings = self.read(text, &found, given);
        holdings.sort_by_key(|holding| holding.fact);
        self.contradict(&mut holdings);
        holdings
    }

    fn read(
        &self,
        text: &str,
        found: &FxHashMap<FactId, Vec<Hit>>,
        given: Option<Given>,
    ) -> Vec<Holding> {
        // What one of them needs to know of all others of its kind, and made for the first.
        let clauses = OnceCell::new();
        let of_kind: OnceCell<BTreeMap<FactKind, Crowd>> = OnceCell::new();
        let names = || {
            let hits = found.values().flatten();
            let names = |part| matches!(part, Part::Needle(_) | Part::Topic);
            hits.filter(move |(_, _, part)| names(*part)).map(|(at, ..)| at)
        };
        let read = |(fact, hits): (&FactId, &Vec<Hit>)| {
            let measures = &self.facts[fact.index()];
            let mut values = vec![Vec::new(); measures.needles as usize];
            let (mut topics, mut senses, mut context) = (Vec::new(), Vec::new(), Vec::new());
            for (at, _, part) in hits {
                match part {
                    Part::Needle(number) => values[*number as usize].push(at.clone()),
                    Part::Sense => senses.push(at.clone()),
                    Part::Topic => topics.push(at.clone()),
                    Part::Context => context.push(at.clone()),
                }
            }
            let found_needles = values.iter().filter(|places| !places.is_empty()).count() as u32;
            let reading = if !measures.has_topic {
                let whole = found_needles == measures.needles;
                let subject = whole && within_reach(hits, measures.needles, false);
                let sense = || !measures.has_polarity || within_reach(hits, measures.needles, true);
                subject.then(|| if sense() { Reading::Present } else { Reading::Inverted })
            } else if topics.is_empty() {
                None
            } else {
                let crowd = &of_kind.get_or_init(|| self.crowds(found))[&measures.kind];
                let places = Places {
                    fact: *fact,
                    kind: measures.kind,
                    values: &values,
                    topics: &topics,
                    senses: &senses,
                    needs_sense: measures.has_polarity,
                    context: measures.has_context.then_some(&context),
                    digits: measures.digits,
                    all_topics: &crowd.topics,
                    all_values: &crowd.values,
                };
                let clauses = clauses.get_or_init(|| {
                    let mut clauses = Clauses::of(text, names(), given.is_some());
                    if let Some(given) = given {
                        clauses.leave_framed_open(text, given);
                    }
                    clauses
                });
                clauses.judge(text, &places)
            };
            let holding = Holding { fact: *fact, found: found_needles, reading };
            (found_needles > 0 || reading.is_some()).then_some(holding)
        };
        found.iter().filter_map(read).collect()
    }

    fn crowds(&self, found: &FxHashMap<FactId, Vec<Hit>>) -> BTreeMap<FactKind, Crowd> {
        let mut crowds: BTreeMap<FactKind, Crowd> = BTreeMap::new();
        for (fact, hits) in found {
            let crowd = crowds.entry(self.facts[fact.index()].kind).or_default();
            for (at, _, part) in hits {
                match part {
                    Part::Topic => crowd.topics.push((at.clone(), *fact)),
                    Part::Needle(_) => crowd.values.push((at.clone(), *fact)),
                    Part::Sense | Part::Context => {}
                }
            }
        }
        for crowd in crowds.values_mut() {
            crowd.topics.sort_unstable_by_key(|(at, fact)| (at.start, at.end, *fact));
            crowd.values.sort_unstable_by_key(|(at, fact)| (at.start, at.end, *fact));
        }
        crowds
    }

    /// A text that states a fact and the one that replaced it leaves open which holds.
    fn contradict(&self, holdings: &mut [Holding]) {
        let present: Vec<FactId> = holdings
            .iter()
            .filter(|holding| holding.present())
            .map(|holding| holding.fact)
            .collect();
        for fact in &present {
            let measures = &self.facts[fact.index()];
            if !measures.has_topic {
                continue;
            }
            let next = |by: &FactId| self.facts[by.index()].superseded_by;
            let later: Vec<FactId> = std::iter::successors(measures.superseded_by, next)
                .take(self.facts.len())
                .filter(|by| present.binary_search(by).is_ok())
                .collect();
            if !later.is_empty() {
                let both = holdings
                    .iter_mut()
                    .filter(|holding| holding.fact == *fact || later.contains(&holding.fact));
                both.for_each(|holding| holding.reading = Some(Reading::Ambiguous));
            }
        }
    }
}

/// Topics and values of all facts of a kind.
#[derive(Default)]
struct Crowd {
    topics: Hits,
    values: Hits,
}

fn within_reach(hits: &[Hit], needles: u32, with_polarity: bool) -> bool {
    // Hits are few and sorted by place: try each as the start of the stretch.
    let mut hits: Vec<(usize, Part)> =
        hits.iter().map(|(_, place, part)| (*place, *part)).collect();
    hits.sort_unstable();
    let wanted = needles + u32::from(with_polarity);
    (0..hits.len()).any(|start| {
        let mut seen = Vec::with_capacity(wanted as usize);
        for &(place, part) in &hits[start..] {
            if place - hits[start].0 > REACH {
                break;
            }
            let counts = part != Part::Context && (part != Part::Sense || with_polarity);
            if counts && !seen.contains(&part) {
                seen.push(part);
            }
        }
        seen.len() as u32 == wanted
    })
}

impl Automaton {
    fn new(patterns: Patterns) -> Automaton {
        let size: usize = patterns.keys().map(String::len).sum();
        // The fastest kind takes a kilobyte for each letter of the patterns.
        let kind = (size < LARGE).then_some(AhoCorasickKind::DFA);
        let matcher = AhoCorasick::builder().kind(kind).build(patterns.keys()).ok();
        Automaton { matcher, serves: patterns.into_values().collect() }
    }

    /// Adds the hits in a text, each at its place in the text as it was before folding.
    fn collect(
        &self,
        text: &str,
        place: impl Fn(usize) -> usize,
        hits: &mut FxHashMap<FactId, Vec<Hit>>,
    ) {
        let Some(matcher) = &self.matcher else { return };
        for found in matcher.find_overlapping_iter(text) {
            if !on_boundaries(text.as_bytes(), found.start(), found.end()) {
                continue;
            }
            let at = place(found.start())..place(found.end());
            for &(fact, part) in &self.serves[found.pattern().as_usize()] {
                hits.entry(fact).or_default().push((at.clone(), found.start(), part));
            }
        }
    }
}

/// A needle that begins or ends in a word character must not run on into one. The letter of an
/// escaped line end is none: call arguments are searched as JSON, with `\nopen_valve` in it.
fn on_boundaries(text: &[u8], start: usize, end: usize) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let open =
        start == 0 || !word(text[start]) || !word(text[start - 1]) || is_escape(&text[..start]);
    let close = end == text.len() || !word(text[end - 1]) || !word(text[end]);
    open && close
}

/// Whether the text ends in `\n`, `\t` or `\r` behind an odd number of backslashes.
fn is_escape(text: &[u8]) -> bool {
    let Some((b'n' | b't' | b'r', before)) = text.split_last() else { return false };
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::FactKind;

    fn fact(needles: &[Needle], polarity: &[Needle]) -> Fact {
        let fact = Fact::new(FactId(0), FactKind::Constraint, "", needles.to_vec());
        Fact { polarity: polarity.to_vec(), ..fact }
    }

    fn code(text: &str) -> Needle {
        Needle::Code(text.to_owned())
    }

    fn prose(text: &str) -> Needle {
        Needle::Prose(text.to_owned())
    }

    fn search(fact: &Fact, text: &str) -> Option<Holding> {
        NeedleIndex::new(std::slice::from_ref(fact)).search(text).first().copied()
    }

    #[test]
    fn a_fact_is_found_where_its_needles_stand_as_words_and_near_each_other() {
        for (needle, text, present) in crate::cases::<(Needle, String, bool)>("needles") {
            let found = search(&fact(&[needle], &[]), &text);
            assert_eq!(found.is_some_and(Holding::present), present, "{text}");
        }
        // Needles further apart than the reach are no fact.
        let both = fact(&[code("alpha"), code("beta")], &[]);
        for (apart, present) in [(380, true), (420, false)] {
            let text = format!("alpha {} beta", "x".repeat(apart));
            let holding = search(&both, &text).expect("both stand there");
            assert_eq!((holding.found, holding.present()), (2, present));
        }
    }

    #[test]
    fn a_subject_without_its_sense_is_inverted() {
        let subject = fact(&[code("vendor/")], &[prose("must not"), prose("never")]);
        for (text, found) in [
            ("you must not edit vendor/ here", Some((true, false))),
            ("edit vendor/ here", Some((false, true))),
            ("you must not", None),
        ] {
            let holding = search(&subject, text);
            let inverted = |holding: Holding| holding.reading == Some(Reading::Inverted);
            assert_eq!(holding.map(|holding| (holding.present(), inverted(holding))), found);
        }
    }

    #[test]
    fn a_fact_with_a_topic_is_read_in_relation() {
        let topical = |kind, topic: Needle, needles: Vec<Needle>, polarity: Vec<Needle>| Fact {
            topic: vec![topic],
            polarity,
            ..Fact::new(FactId(0), kind, "", needles)
        };
        let rule = prose("braided export header");
        let done = prose("slanted invoice merge");
        let facts = [
            (
                "value",
                topical(FactKind::Value, code("gate.lease_kib"), vec![code("80173")], vec![]),
            ),
            (
                "rule",
                topical(
                    FactKind::Constraint,
                    rule.clone(),
                    vec![rule],
                    vec![prose("must not"), prose("never")],
                ),
            ),
            ("outcome", topical(FactKind::Outcome, done.clone(), vec![done], vec![])),
        ];
        for (of, text, expected) in crate::cases::<(String, String, String)>("relations") {
            let (_, fact) = facts.iter().find(|(name, _)| *name == of).expect("a known fact");
            let reading = search(fact, &text).and_then(|holding| holding.reading);
            let read =
                reading.map_or(String::new(), |reading| format!("{reading:?}").to_lowercase());
            assert_eq!(read, expected, "{text}");
        }
    }
}
