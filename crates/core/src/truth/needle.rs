//! Needles: the words that decide whether a text holds a fact.

use aho_corasick::AhoCorasick;
use rustc_hash::FxHashMap;

use crate::prelude::*;
use crate::truth::Fact;

/// How far apart the needles of a fact may lie in an entry, in bytes of folded text.
const REACH: usize = 400;

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
    /// All needles within reach of one another.
    pub subject: bool,
    /// A polarity needle within reach too (true for kinds without polarity).
    pub polarity: bool,
}

impl Holding {
    /// The fact is present: subject and sense.
    pub fn present(self) -> bool {
        self.subject && self.polarity
    }
    /// The subject without its sense.
    pub fn inverted(self) -> bool {
        self.subject && !self.polarity
    }
}

/// Finds all facts in a text in one pass.
#[derive(Debug, Default)]
pub struct NeedleIndex {
    code: Automaton,
    prose: Automaton,
    /// Per fact (index): number of needles, whether it has polarity needles.
    facts: Vec<(u32, bool)>,
}

/// An automaton with, per pattern, the facts that it serves and the needle's number.
#[derive(Debug, Default)]
struct Automaton {
    matcher: Option<AhoCorasick>,
    serves: Vec<Vec<(FactId, u32)>>,
}

/// By text: the facts that have it, and its number among their needles.
type Patterns = BTreeMap<String, Vec<(FactId, u32)>>;

const POLARITY: u32 = u32::MAX;

impl NeedleIndex {
    /// For these facts; `facts[i].id` must be `FactId(i)`.
    pub fn new(facts: &[Fact]) -> NeedleIndex {
        let (mut code, mut prose) = (Patterns::new(), Patterns::new());
        for fact in facts {
            let subject = fact.needles.iter().enumerate().map(|(i, n)| (i as u32, n));
            let sense = fact.polarity.iter().map(|n| (POLARITY, n));
            for (number, needle) in subject.chain(sense) {
                let (table, key) = match needle {
                    Needle::Code(text) => (&mut code, text.clone()),
                    Needle::Prose(text) => (&mut prose, fold(text)),
                };
                table.entry(key).or_default().push((fact.id, number));
            }
        }
        let measures = |fact: &Fact| (fact.needles.len() as u32, !fact.polarity.is_empty());
        NeedleIndex {
            code: Automaton::new(code),
            prose: Automaton::new(prose),
            facts: facts.iter().map(measures).collect(),
        }
    }

    /// What the text holds, by fact ascending. Polarity alone says nothing.
    pub fn search(&self, text: &str) -> Vec<Holding> {
        let mut hits: FxHashMap<FactId, Vec<(usize, u32)>> = FxHashMap::default();
        self.code.collect(text, &mut hits);
        if !self.prose.serves.is_empty() {
            self.prose.collect(&fold(text), &mut hits);
        }
        let mut holdings: Vec<Holding> =
            hits.into_iter().filter_map(|(fact, hits)| self.judge(fact, hits)).collect();
        holdings.sort_by_key(|holding| holding.fact);
        holdings
    }

    fn judge(&self, fact: FactId, mut hits: Vec<(usize, u32)>) -> Option<Holding> {
        let (needles, has_polarity) = self.facts[fact.index()];
        hits.sort_unstable();
        let mut numbers: Vec<u32> =
            hits.iter().map(|hit| hit.1).filter(|number| *number != POLARITY).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let found = numbers.len() as u32;
        if found == 0 {
            return None;
        }
        let complete = found == needles;
        let subject = complete && within_reach(&hits, needles, false);
        let polarity = !has_polarity || (subject && within_reach(&hits, needles, true));
        Some(Holding { fact, found, subject, polarity })
    }
}

fn within_reach(hits: &[(usize, u32)], needles: u32, with_polarity: bool) -> bool {
    // Hits are few and sorted by place: try each as the start of the stretch.
    let wanted = needles + u32::from(with_polarity);
    (0..hits.len()).any(|start| {
        let mut seen = Vec::with_capacity(wanted as usize);
        for &(place, number) in &hits[start..] {
            if place - hits[start].0 > REACH {
                break;
            }
            if (number != POLARITY || with_polarity) && !seen.contains(&number) {
                seen.push(number);
            }
        }
        seen.len() as u32 == wanted
    })
}

impl Automaton {
    fn new(patterns: Patterns) -> Automaton {
        let matcher = AhoCorasick::new(patterns.keys()).ok();
        Automaton { matcher, serves: patterns.into_values().collect() }
    }

    fn collect(&self, text: &str, hits: &mut FxHashMap<FactId, Vec<(usize, u32)>>) {
        let Some(matcher) = &self.matcher else { return };
        for found in matcher.find_overlapping_iter(text) {
            if !on_boundaries(text.as_bytes(), found.start(), found.end()) {
                continue;
            }
            for &(fact, number) in &self.serves[found.pattern().as_usize()] {
                hits.entry(fact).or_default().push((found.start(), number));
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

/// Lower case, runs of white space as one space.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut space = false;
    for c in text.chars() {
        if c.is_whitespace() {
            space = !folded.is_empty();
            continue;
        }
        if space {
            folded.push(' ');
            space = false;
        }
        if c.is_ascii() {
            folded.push(c.to_ascii_lowercase());
        } else {
            folded.extend(c.to_lowercase());
        }
    }
    folded
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
            assert_eq!(holding.map(|holding| (holding.present(), holding.inverted())), found);
        }
    }
}
