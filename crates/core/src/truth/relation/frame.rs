//! What a written text says of its own lines. No list of words foresees all ways to take back what
//! stands above, below or beside. So it is the other way round: a heading, a label, a remark about
//! the text or a mark at most lines must be made of plain words (`plain` in `cues.toml`), of words
//! of the facts, or of what a message said. What any other governs is left open.

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::LazyLock;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::clause::{CUES, Clause, Clauses, Mood, lines, sentences};
use crate::prelude::*;

/// Lines that bear a mark, at least, and the tenth parts of all lines that name a fact.
const MARKED: usize = 4;
const MARKED_TENTHS: usize = 6;
/// Words of a remark in another language, at least.
const FOREIGN: usize = 4;

/// Words of facts that turn what they stand beside.
static TURNING: LazyLock<FxHashSet<&str>> = LazyLock::new(|| split(&CUES.turning));
static PLAIN: LazyLock<FxHashSet<&str>> = LazyLock::new(|| split(&CUES.plain));

fn split(lists: &'static [String]) -> FxHashSet<&'static str> {
    lists.iter().flat_map(|words| words.split_whitespace()).collect()
}

/// What the messages of a log say, line by line and sentence by sentence, and the words of its
/// facts.
#[derive(Debug, Default)]
pub struct Said {
    lines: FxHashSet<u64>,
    words: FxHashSet<String>,
}

/// What a written text may say without being its author's own idea: what messages said, and the
/// lines of the request that it answers.
#[derive(Clone, Copy, Debug)]
pub(in crate::truth) struct Given<'a> {
    pub said: &'a Said,
    pub asked: &'a Said,
}

impl Said {
    /// By these texts of messages, and these names and statements.
    pub fn of(texts: impl Iterator<Item = String>, names: impl Iterator<Item = String>) -> Said {
        let mut said = Said::default();
        texts.for_each(|text| said.add(&text));
        for name in names {
            let words = words(&name).map(str::to_lowercase);
            said.words.extend(words.filter(|word| !TURNING.contains(&**word)));
        }
        said
    }

    /// Adds what a text says.
    pub fn add(&mut self, text: &str) {
        for line in lines(text) {
            self.lines.insert(key(&text[line.clone()]));
            self.lines.extend(sentences(text, line).into_iter().map(|at| key(&text[at])));
        }
    }
}

impl Given<'_> {
    fn holds(&self, line: &str) -> bool {
        let key = key(line);
        self.said.lines.contains(&key) || self.asked.lines.contains(&key)
    }

    fn knows(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        PLAIN.contains(&*word) || self.said.words.contains(&word)
    }

    /// Whether all words of a line are plain, or names of facts.
    fn is_plain(&self, line: &str) -> bool {
        let rest = CUES.plainly.replace_all(line, " ");
        words(&rest).all(|word| is_name(word) || is_ordinal(word) || self.knows(word))
            && !has_picture(line)
    }
}

/// A line without the marks around it, case and runs of white space.
fn key(line: &str) -> u64 {
    let line = line.trim_matches(|c: char| c.is_whitespace() || "-*+>#|`\"'.:".contains(c));
    let folded = line.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    FxBuildHasher.hash_one(&*folded)
}

fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Whether a word stands for one of a fact, as the masked text has it.
fn is_name(word: &str) -> bool {
    word.bytes().all(|byte| byte == b'x')
}

fn is_ordinal(word: &str) -> bool {
    word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a token is no word of a language: a path, a key, a number, a name in camel case.
fn is_code(token: &str) -> bool {
    let inner = token.trim_matches(|c: char| !c.is_alphanumeric());
    let humps = || inner.chars().zip(inner.chars().skip(1));
    inner.contains(['_', '/', '=', '.'])
        || token.contains('`')
        || inner.bytes().filter(u8::is_ascii_digit).count() > 2
        || humps().any(|(one, next)| one.is_ascii_lowercase() && next.is_ascii_uppercase())
}

fn names_a_fact(masked: &str) -> bool {
    words(masked).any(|word| word.len() > 2 && is_name(word))
}

/// A sign that is neither a letter nor punctuation: a thumb, a cross, a stop sign.
fn has_picture(text: &str) -> bool {
    const PUNCTUATION: &str = "–—…‘’“”«»•·→⇒←×≥≤≠±°§№✓✔✅☑│─├└┌┐┘█";
    let picture = |c: char| {
        !c.is_ascii() && !c.is_alphanumeric() && !c.is_whitespace() && !PUNCTUATION.contains(c)
    };
    text.chars().any(picture)
}

impl Clauses {
    /// Leaves open what stands in a frame of words that nobody said and that are not plain.
    pub(super) fn leave_framed_open(&mut self, text: &str, said: Given) {
        let odd = |at: &Range<usize>, masked: &str| {
            !said.holds(&text[at.clone()]) && !said.is_plain(&masked[at.clone()])
        };
        let masked = std::mem::take(&mut self.masked);
        let headings: Vec<bool> = self.headings.iter().map(|at| odd(at, &masked)).collect();
        let mut open = vec![false; self.clauses.len()];
        for (place, clause) in self.clauses.iter().enumerate() {
            open[place] = clause.under.iter().any(|heading| headings[*heading])
                || (has_picture(&masked[clause.at.clone()])
                    && !said.holds(&text[clause.at.clone()]));
        }
        for (place, clause) in self.clauses.iter().enumerate() {
            let words = &masked[clause.at.clone()];
            let is_heading = self.headings.contains(&clause.at);
            if is_heading
                || names_a_fact(words)
                || !remarks(words, said)
                || !odd(&clause.at, &masked)
            {
                continue;
            }
            let section = clause.under.first();
            for (other, open) in self.clauses.iter().zip(&mut open) {
                *open |= section.is_none() || other.under.first() == section;
            }
            open[place] = true;
        }
        for place in self.marked(text, &masked, said) {
            open[place] = true;
        }
        self.masked = masked;
        for (clause, open) in self.clauses.iter_mut().zip(open) {
            if open && clause.mood == Mood::Stated {
                clause.mood = Mood::Open;
            }
        }
    }

    /// The clauses of lines that begin or end in a word or sign which most lines have there.
    fn marked(&self, text: &str, masked: &str, said: Given) -> Vec<usize> {
        let mut blocks: BTreeMap<usize, (Range<usize>, Vec<usize>)> = BTreeMap::new();
        for (place, Clause { block, .. }) in self.clauses.iter().enumerate() {
            let entry = blocks.entry(block.start).or_insert_with(|| (block.clone(), Vec::new()));
            entry.1.push(place);
        }
        let telling = |(at, _): &(Range<usize>, Vec<usize>)| {
            names_a_fact(&masked[at.clone()]) && !said.holds(&text[at.clone()])
        };
        let blocks: Vec<(Range<usize>, Vec<usize>)> =
            blocks.into_values().filter(telling).collect();
        let mut marks: FxHashMap<(bool, String), Vec<usize>> = FxHashMap::default();
        for (number, (at, _)) in blocks.iter().enumerate() {
            let line = &masked[at.clone()];
            let mut bear = |is_last: bool, token: Option<&'_ str>| {
                let mut words = token.into_iter().filter(|token| !is_code(token)).flat_map(words);
                let odd = words.find(|word| !is_name(word) && !said.knows(word));
                odd.into_iter().for_each(|word| {
                    marks.entry((is_last, word.to_owned())).or_default().push(number)
                });
            };
            let tokens = || {
                let parts = line.split(|c: char| c.is_whitespace() || "\"'{}[]():,|<>".contains(c));
                parts.filter(|token| token.contains(char::is_alphanumeric))
            };
            bear(false, tokens().next());
            bear(true, tokens().next_back());
        }
        let noted = self.footnotes(text, masked, said);
        let notes = |line: &str| noted.iter().any(|note| line.contains(&**note));
        let by_note = blocks.iter().filter(|(at, _)| notes(&text[at.clone()]));
        let common = marks.into_values().filter(|bearing| {
            bearing.len() >= MARKED && bearing.len() * 10 >= blocks.len() * MARKED_TENTHS
        });
        let by_mark = common.flatten().map(|number| &blocks[number]);
        by_mark.chain(by_note).flat_map(|(_, places)| places.iter().copied()).collect()
    }

    /// Marks of footnotes that are not plain: `[1]` where a line reads `[1] retracted`.
    fn footnotes(&self, text: &str, masked: &str, said: Given) -> Vec<String> {
        let note = |clause: &Clause| {
            let line = &masked[clause.at.clone()];
            let mark = line.split_whitespace().next()?.trim_end_matches(':');
            let is_mark = mark.len() <= 6
                && !mark.bytes().all(|byte| b"-*+>#.|".contains(&byte))
                && !mark.bytes().any(|byte| byte.is_ascii_alphabetic());
            (is_mark
                && !names_a_fact(line)
                && !said.is_plain(line)
                && !said.holds(&text[clause.at.clone()]))
            .then(|| mark.to_owned())
        };
        self.clauses.iter().filter_map(note).filter(|mark| !mark.ends_with('.')).collect()
    }
}

/// Whether a clause speaks of the text that it stands in, or in another language.
fn remarks(words: &str, said: Given) -> bool {
    if words.split_whitespace().any(is_code) {
        return false;
    }
    let all = || self::words(words);
    words.trim_end().ends_with(':')
        || CUES.refers.is_match(words)
        || (all().count() >= FOREIGN && !all().any(|word| said.knows(word)))
}
