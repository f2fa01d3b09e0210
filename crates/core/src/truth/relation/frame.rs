//! What a written text says of its own lines. No list of words foresees all ways to take back what
//! stands above, below or beside. So it is the other way round: a heading, a label, a remark about
//! the text or a mark at most lines must be made of plain words (`plain` in `cues.toml`), of words
//! of the facts, or of what a message said. What any other governs is left open.

use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::LazyLock;

use rustc_hash::{FxBuildHasher, FxHashSet};

use super::clause::{Clause, Clauses, lines, sentences};
use super::cue::CUES;
use crate::prelude::*;

/// Lines that bear a mark, of so many tenths of the lines that name a fact; where they are fewer than
/// this, all of them bear it.
const MARKED: usize = 4;
const MARKED_TENTHS: usize = 6;
/// Lines at either end of a text that may speak of all of it.
const EDGE: usize = 4;
/// Words of such a line, at most: who goes on at length tells something else.
const BRIEF: usize = 18;
/// Words of a remark in another language, at least.
const FOREIGN: usize = 4;

/// Words of facts that turn what they stand beside.
static TURNING: LazyLock<FxHashSet<&str>> = LazyLock::new(|| split(&CUES.turning));
static FALSE: LazyLock<FxHashSet<&str>> = LazyLock::new(|| split(&CUES.untrue));
static PLAIN: LazyLock<FxHashSet<&str>> = LazyLock::new(|| split(&CUES.plain));

fn split(lists: &'static [String]) -> FxHashSet<&'static str> {
    lists.iter().flat_map(|words| words.split_whitespace()).collect()
}

/// What the messages of a log say, line by line and sentence by sentence, and the words of its
/// facts.
#[derive(Debug, Default)]
pub struct Said {
    lines: FxHashSet<u64>,
    /// All words of the messages.
    heard: BTreeSet<String>,
    /// Words of names.
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
    pub fn of<'a>(
        texts: impl Iterator<Item = &'a str>,
        names: impl Iterator<Item = String>,
    ) -> Said {
        let mut said = Said::default();
        texts.for_each(|text| said.add(text));
        for name in names {
            let words = words(&name).filter(|word| !is_turning(word));
            said.words.extend(words.map(str::to_lowercase));
        }
        said
    }

    /// Adds what a text says.
    pub fn add(&mut self, text: &str) {
        let heard = words(text).filter(|word| !is_false(word));
        self.heard.extend(heard.map(str::to_lowercase));
        for line in lines(text) {
            self.lines.insert(key(&text[line.clone()]));
            self.lines.extend(sentences(text, line).into_iter().map(|at| key(&text[at])));
        }
    }
}

impl Given<'_> {
    /// Whether a message or the request has the line, or what stands behind its plain tag or label.
    fn holds(&self, line: &str) -> bool {
        let tag = line.trim_start().strip_prefix('[').and_then(|rest| rest.split_once("] "));
        let behind = tag.or_else(|| line.split_once(": "));
        let has = |line: &str| {
            let key = key(line);
            self.said.lines.contains(&key) || self.asked.lines.contains(&key)
        };
        has(line) || behind.is_some_and(|(label, rest)| has(rest) && self.is_plain(label))
    }

    fn knows(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        PLAIN.contains(&*word) || self.said.words.contains(&word)
    }

    /// Whether a message or the request has a word, or one that begins so.
    fn hears(&self, word: &str, is_cut: bool) -> bool {
        let word = word.to_lowercase();
        [self.said, self.asked].into_iter().any(|of| {
            let next = of.heard.range(word.clone()..).next();
            next.is_some_and(|next| *next == word || (is_cut && next.starts_with(&word)))
        })
    }

    /// Whether all words of a line are plain, of facts or of messages, and its signs those of a layout.
    fn is_heard(&self, line: &str) -> bool {
        let layout = |c: char| c.is_whitespace() || "-=*_`#|~:+{}[]()\"'.,".contains(c);
        let mut words = words(line).peekable();
        if words.peek().is_none() {
            return line.chars().all(layout);
        }
        if CUES.foreign.is_match(line) {
            return false;
        }
        let is_cut = line.trim_end().ends_with(char::is_alphanumeric);
        let last = self::words(line).next_back();
        let heard = |word: &str| self.hears(word, is_cut && last == Some(word));
        words.all(|word| is_name(word) || is_number(word) || self.knows(word) || heard(word))
    }

    /// Whether all words of a line are plain, or names of facts.
    fn is_plain(&self, line: &str) -> bool {
        let rest = CUES.plainly.replace_all(line, " ");
        words(&rest).all(|word| is_name(word) || is_ordinal(word) || self.knows(word))
            && !has_picture(line)
    }
}

/// Whether a word says that something is not so, or is a mere capital ("F").
fn is_false(word: &str) -> bool {
    FALSE.contains(&*word.to_lowercase())
        || matches!(word.as_bytes(), [one] if one.is_ascii_uppercase() && !b"AI".contains(one))
}

/// The same, or it turns what it stands beside.
fn is_turning(word: &str) -> bool {
    TURNING.contains(&*word.to_lowercase()) || is_false(word)
}

/// A line without the marks around it, case and runs of white space.
fn key(line: &str) -> u64 {
    let line = line.trim_matches(|c: char| c.is_whitespace() || "-*+>#|`\"'.:".contains(c));
    let folded = line.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    FxBuildHasher.hash_one(&*folded)
}

/// Words, without the ending of a genitive.
fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    let apostrophe = ['\'', '\u{2019}'];
    let words = text.split(move |c: char| !c.is_alphanumeric() && !apostrophe.contains(&c));
    let words = words.map(move |word| word.trim_matches(apostrophe));
    let ends = ["'s", "\u{2019}s"];
    let whole = move |word| ends.iter().find_map(|end| str::strip_suffix(word, *end));
    words.map(move |word| whole(word).unwrap_or(word)).filter(|word| !word.is_empty())
}

/// Whether a word stands for one of a fact, as the masked text has it.
fn is_name(word: &str) -> bool {
    word.bytes().all(|byte| byte == b'x')
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_ordinal(word: &str) -> bool {
    word.len() <= 2 && is_number(word)
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
    // Most lines name none, and need not be split into words.
    masked.contains("xxx") && words(masked).any(|word| word.len() > 2 && is_name(word))
}

/// A sign that is neither a letter nor punctuation: a thumb, a cross, a stop sign.
fn has_picture(text: &str) -> bool {
    const PUNCTUATION: &str = "–—…‘’“”«»•·→⇒←×≥≤≠±°§№✓✔✅☑│─├└┌┐┘█";
    let picture = |c: char| {
        !c.is_ascii() && !c.is_alphanumeric() && !c.is_whitespace() && !PUNCTUATION.contains(c)
    };
    text.chars().any(picture)
}

/// A line that names a fact, and the places of its clauses.
type Telling = (Range<usize>, Vec<usize>);

impl Clauses {
    /// Leaves open what stands in a frame of words that nobody said and that are not plain.
    pub(in crate::truth) fn leave_framed_open(&mut self, text: &str, given: Given) {
        let mut open = vec![false; self.clauses.len()];
        self.under_headings(text, given, &mut open);
        self.under_remarks(text, given, &mut open);
        self.under_edges(text, given, &mut open);
        let lines = self.telling(text, given);
        let marked = self.marked(&lines, given).into_iter().map(|number| &lines[number]);
        let notes = self.footnotes(text, given);
        let has_note = |(at, _): &&Telling| {
            let line = &text[at.clone()];
            notes.iter().any(|note| line.contains(&**note)) || has_picture(line)
        };
        let marked = marked.chain(lines.iter().filter(has_note));
        marked.flat_map(|(_, places)| places).for_each(|place| open[*place] = true);
        for (clause, _) in self.clauses.iter_mut().zip(open).filter(|(_, open)| *open) {
            clause.framed = true;
        }
    }

    /// Whether words are the author's own idea, and not plain.
    fn is_odd(&self, text: &str, at: &Range<usize>, given: Given) -> bool {
        !given.holds(&text[at.clone()]) && !given.is_plain(&self.masked[at.clone()])
    }

    fn under_headings(&self, text: &str, given: Given, open: &mut [bool]) {
        let odd: Vec<bool> = self.headings.iter().map(|at| self.is_odd(text, at, given)).collect();
        for (clause, open) in self.clauses.iter().zip(open) {
            *open |= clause.under.iter().any(|heading| odd[*heading]);
        }
    }

    /// A remark speaks of its section, or of all.
    fn under_remarks(&self, text: &str, given: Given, open: &mut [bool]) {
        let is_frame = |clause: &&Clause| {
            let words = &self.masked[clause.at.clone()];
            !self.is_heading(clause)
                && !names_a_fact(words)
                && remarks(words, given)
                && self.is_odd(text, &clause.at, given)
        };
        let sections: Vec<Option<&usize>> =
            self.clauses.iter().filter(is_frame).map(|clause| clause.under.first()).collect();
        for (clause, open) in self.clauses.iter().zip(open) {
            let section = clause.under.first();
            *open |= sections.iter().any(|of| of.is_none() || *of == section);
        }
    }

    /// What the first and the last lines say, if no fact stands in them, they say of their section:
    /// it may be in any words that were heard in the session.
    fn under_edges(&self, text: &str, given: Given, open: &mut [bool]) {
        let edge = |clauses: &mut dyn Iterator<Item = &Clause>| -> Vec<Option<usize>> {
            let mut lines = BTreeSet::new();
            let at_edge = clauses.take_while(|clause| {
                lines.insert(clause.block.start);
                lines.len() <= EDGE && !names_a_fact(&self.masked[clause.block.clone()])
            });
            let odd = at_edge.filter(|clause| {
                words(&self.masked[clause.block.clone()]).count() <= BRIEF
                    && !given.holds(&text[clause.at.clone()])
                    && !given.is_heard(&self.masked[clause.at.clone()])
            });
            odd.map(|clause| clause.under.first().copied()).collect()
        };
        let mut sections = edge(&mut self.clauses.iter());
        sections.extend(edge(&mut self.clauses.iter().rev()));
        for (clause, open) in self.clauses.iter().zip(open) {
            let section = clause.under.first().copied();
            *open |= sections.iter().any(|of| of.is_none() || *of == section);
        }
    }

    /// The lines that name facts and that no message said.
    fn telling(&self, text: &str, given: Given) -> Vec<Telling> {
        let mut lines: BTreeMap<usize, Telling> = BTreeMap::new();
        for (place, Clause { block, .. }) in self.clauses.iter().enumerate() {
            let line = lines.entry(block.start).or_insert_with(|| (block.clone(), Vec::new()));
            line.1.push(place);
        }
        let tells = |(at, _): &Telling| {
            names_a_fact(&self.masked[at.clone()]) && !given.holds(&text[at.clone()])
        };
        lines.into_values().filter(tells).collect()
    }

    /// The lines that begin or end in an odd word which most lines have there.
    fn marked(&self, lines: &[Telling], given: Given) -> BTreeSet<usize> {
        let mut marks: BTreeMap<(bool, &str), Vec<usize>> = BTreeMap::new();
        for (number, (at, _)) in lines.iter().enumerate() {
            let line = &self.masked[at.clone()];
            let parts = line.split(|c: char| c.is_whitespace() || "\"'{}[]():,|<>".contains(c));
            let mut tokens = parts.filter(|token| token.contains(char::is_alphanumeric));
            let first = tokens.next();
            for (is_last, token) in [(false, first), (true, tokens.next_back().or(first))] {
                let Some(token) = token else { continue };
                let odd = |word: &&str| !is_name(word) && !given.knows(word);
                let mark = if is_code(token) { Some(token) } else { words(token).find(odd) };
                if let Some(mark) = mark.filter(|mark| !names_a_fact(mark)) {
                    marks.entry((is_last, mark)).or_default().push(number);
                }
            }
        }
        let common = |of: &Vec<usize>| match of.len() {
            0 | 1 => false,
            few @ 2..MARKED => few == lines.len(),
            many => many * 10 >= lines.len() * MARKED_TENTHS,
        };
        marks.into_values().filter(common).flatten().collect()
    }

    /// Marks of footnotes that are not plain: `[1]` where a line reads `[1] retracted`.
    fn footnotes(&self, text: &str, given: Given) -> Vec<&str> {
        let note = |clause: &Clause| {
            let line = &self.masked[clause.at.clone()];
            let mark = line.split_whitespace().next()?.trim_end_matches(':');
            let is_mark = mark.len() <= 6
                && !mark.ends_with('.')
                && !mark.bytes().all(|byte| b"-*+>#|".contains(&byte))
                && !mark.bytes().any(|byte| byte.is_ascii_alphabetic());
            let odd = || !names_a_fact(line) && self.is_odd(text, &clause.at, given);
            (is_mark && odd()).then_some(mark)
        };
        self.clauses.iter().filter_map(note).collect()
    }
}

/// Whether a clause speaks of the text that it stands in, or in another language.
fn remarks(words: &str, given: Given) -> bool {
    let all = || self::words(words);
    let is_remark = words.trim_end().ends_with(':')
        || CUES.refers.is_match(words)
        || (all().count() >= FOREIGN && !all().any(|word| given.knows(word)));
    is_remark && !words.split_whitespace().any(is_code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::{Fact, FactKind, Needle, NeedleIndex, Reading};

    #[test]
    fn what_a_written_text_says_of_its_own_lines_counts() {
        let prose = |text: &str| vec![Needle::Prose(text.to_owned())];
        let fact = Fact::new(FactId(0), FactKind::Decision, "", prose("copper lease"));
        let index = NeedleIndex::new(&[Fact { topic: prose("retry queue"), ..fact }]);
        let said = Said::of(["Mind the gap:"].into_iter(), [].into_iter());
        let asked = Said::of(["# Curiosities"].into_iter(), [].into_iter());
        for (before, after, reading) in [
            ("## Decisions\n", "", Reading::Present),
            ("Mind the gap:\n", "", Reading::Present),
            ("# Curiosities\n", "", Reading::Present),
            ("[Memory] # Curiosities\n", "", Reading::Present),
            ("Last request: Mind the gap:\n", "", Reading::Present),
            ("## User's Goals\n", "", Reading::Present),
            ("# Oddities\n", "", Reading::Ambiguous),
            ("Nichts hiervon stimmt:\n", "", Reading::Ambiguous),
            ("", "\n\nEach line above is for show.", Reading::Ambiguous),
            ("", "\n\nRien n'est exact.", Reading::Ambiguous),
            ("", "\n\nWe mind the g", Reading::Present),
            ("", "\n\nWe mind the g.", Reading::Ambiguous),
            ("Notes by another agent.\n\n", "", Reading::Ambiguous),
            ("<hearsay>\n", "\n</hearsay>", Reading::Ambiguous),
            ("Oddities\n========\n", "", Reading::Ambiguous),
            ("<!--\n", "\n-->", Reading::Ambiguous),
            ("", " \u{1F44E}", Reading::Ambiguous),
            ("", " [1]\n\n[1] retracted", Reading::Ambiguous),
        ] {
            let text = format!("{before}The retry queue uses a copper lease.{after}");
            let read =
                |found: Vec<crate::truth::Holding>| found.first().and_then(|held| held.reading);
            assert_eq!(read(index.search_written(&text, &said, &asked)), Some(reading), "{text}");
            // A message of the log is not judged so.
            assert_eq!(read(index.search(&text)), Some(Reading::Present), "{text}");
        }
    }

    #[test]
    fn a_word_that_most_lines_bear_is_a_mark() {
        let given = Given { said: &Said::default(), asked: &Said::default() };
        let marked = |lines: [&str; 4]| {
            let clauses = Clauses { masked: lines.join("\n"), ..Clauses::default() };
            let mut at = 0;
            let telling = lines.map(|line| {
                at += line.len() + 1;
                (at - line.len() - 1..at - 1, Vec::new())
            });
            clauses.marked(&telling, given).len()
        };
        assert_eq!(marked(["xxx is here", "see xxx", "use xxx for it", "xxx was set"]), 0);
        assert_eq!(marked(["xxx, hearsay", "xxx hearsay", "a xxx (hearsay)", "xxx"]), 0);
        assert_eq!(marked(["xxx, hearsay", "xxx hearsay", "a xxx (hearsay)", "hm xxx hearsay"]), 4);
        assert_eq!(marked(["xxx 0/10", "xxx b 0/10", "xxx c 0/10", "xxx d 0/10"]), 4);
    }
}
