//! What a summary is like beside what its request showed: words, artifacts, sentences, headings. No
//! judge, no truth. Read once per distinct prompt and answer of a session.

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use rustc_hash::FxHashSet;

use crate::answer::Answered;
use crate::memo::{Memo, key_of};
use crate::prelude::*;
use crate::trace::SummaryReading;
use crate::watch::artifact::artifacts;

/// Words in a row that count as copied where they occur in the material.
const SHINGLE: usize = 8;
/// Size of the table of those that an answer has, in units of 64 bits.
const BITS: usize = 1024;

/// Words of the first person.
const FIRST_PERSON: &str = "i i'm i've i'd i'll me my mine we we're we've our ours us";
/// Words that leave open whether something is so.
const HEDGES: &str = "maybe perhaps possibly probably presumably apparently likely unlikely might \
                      seems seem seemed appears appeared unclear unsure";

/// What answers are like, and what of the texts that their requests showed they are held against.
#[derive(Debug, Default)]
pub(super) struct Readings {
    read: Memo<u128, SummaryReading>,
    material: Memo<u128, Arc<Material>>,
}

/// What may be found again in an answer.
#[derive(Debug)]
struct Material {
    words: Vec<u64>,
    artifacts: Vec<Box<str>>,
}

impl Material {
    fn of(text: &str) -> Material {
        let artifacts = artifacts(text).into_iter().map(Box::from).collect();
        Material { words: words(text), artifacts }
    }
}

impl Readings {
    pub(super) fn of(&self, answered: &Answered) -> SummaryReading {
        let shown: Vec<u128> = answered.shown.iter().map(|shown| key_of([&*shown.text])).collect();
        let own = [&answered.text].into_iter().chain(&answered.words);
        let keys = own.map(|text| key_of([&**text])).chain(shown.iter().copied());
        let key = key_of(keys.map(u128::to_le_bytes));
        self.read.of(key, || self.read(answered, &shown))
    }

    /// `shown` are the keys of the texts that its request showed.
    fn read(&self, answered: &Answered, shown: &[u128]) -> SummaryReading {
        let text: &str = &answered.text;
        let words = words(text);
        let artifacts = artifacts(text);
        let texts = || answered.shown.iter().map(|shown| &*shown.text);
        let of_text =
            |(key, text): (&u128, &str)| self.material.of(*key, || Material::of(text).into());
        let material: Vec<Arc<Material>> = shown.iter().zip(texts()).map(of_text).collect();
        let prompt = texts().chain(answered.words.iter().map(|words| &**words));
        let asked =
            answered.words.iter().flat_map(|words| headings(words)).collect::<FxHashSet<_>>();
        let given: FxHashSet<String> = text.lines().map(title).collect();
        let sentences = sentences(text);
        let with = |list: &str| {
            let list: FxHashSet<&str> = list.split(' ').collect();
            let says = |sentence: &&&str| {
                sentence.split_whitespace().any(|word| list.contains(&*bare(word)))
            };
            sentences.iter().filter(says).count() as u32
        };
        SummaryReading {
            words: words.len() as u32,
            copied: copied(&words, &material),
            artifacts: artifacts.len() as u32,
            fabricated: missing(&artifacts, &material, prompt),
            sentences: sentences.len() as u32,
            first_person: with(FIRST_PERSON),
            hedges: with(HEDGES),
            sections_asked: asked.len() as u32,
            sections: asked.iter().filter(|heading| given.contains(*heading)).count() as u32,
        }
    }
}

/// A word in lower case without the marks around it; straight apostrophes.
fn bare(word: &str) -> Cow<'_, str> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    match word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        true => word.into(),
        false => word.to_lowercase().replace('\u{2019}', "'").into(),
    }
}

fn words(text: &str) -> Vec<u64> {
    let words =
        text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words.filter(|word| !word.is_empty()).map(hashed).collect()
}

/// FNV-1a over the bytes, ASCII folded.
fn hashed(word: &str) -> u64 {
    let fold = |hash: u64, byte: u8| {
        (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0000_0100_0000_01B3)
    };
    word.bytes().fold(0xCBF2_9CE4_8422_2325, fold)
}

/// Words of the answer that lie in a shingle of the material. A shorter answer is one shingle.
fn copied(words: &[u64], material: &[Arc<Material>]) -> u32 {
    let length = SHINGLE.min(words.len());
    if length == 0 {
        return 0;
    }
    let wanted: FxHashSet<&[u64]> = words.windows(length).collect();
    // A table of bits by first and last word tells of nearly all others that they are not wanted.
    let bit = |shingle: &[u64]| {
        let ends = shingle[0] ^ shingle[length - 1].rotate_left(32);
        ((ends / 64) as usize % BITS, 1 << (ends % 64))
    };
    let mut bits = [0_u64; BITS];
    for (place, mask) in wanted.iter().map(|shingle| bit(shingle)) {
        bits[place] |= mask;
    }
    let may_be_wanted = |shingle: &&[u64]| {
        let (place, mask) = bit(shingle);
        bits[place] & mask != 0
    };
    let mut found: FxHashSet<&[u64]> = FxHashSet::default();
    for theirs in material {
        let likely = theirs.words.windows(length).filter(may_be_wanted);
        found.extend(likely.filter_map(|shingle| wanted.get(shingle)));
    }
    let (mut covered_to, mut copied) = (0, 0);
    for (start, _) in words.windows(length).enumerate().filter(|(_, own)| found.contains(own)) {
        copied += start + length - covered_to.max(start);
        covered_to = start + length;
    }
    copied as u32
}

/// Artifacts that no text of the prompt holds. Most are artifacts there too; the rest is looked for.
fn missing<'a>(
    artifacts: &[&str],
    material: &[Arc<Material>],
    texts: impl Iterator<Item = &'a str>,
) -> u32 {
    let mut unknown: FxHashSet<&str> = artifacts.iter().copied().collect();
    for artifact in material.iter().flat_map(|text| &text.artifacts) {
        unknown.remove(&**artifact);
    }
    if unknown.is_empty() {
        return 0;
    }
    // It serves for one answer: the kind that is made fast.
    let kind = Some(AhoCorasickKind::ContiguousNFA);
    let Ok(matcher) = AhoCorasick::builder().kind(kind).build(&unknown) else { return 0 };
    let mut seen = vec![false; unknown.len()];
    let mut left = unknown.len();
    for text in texts {
        for found in matcher.find_overlapping_iter(text) {
            let place = found.pattern().as_usize();
            left -= usize::from(!seen[place]);
            seen[place] = true;
        }
        if left == 0 {
            break;
        }
    }
    left as u32
}

/// Sentences: lines without headings, cut behind `.`, `?` and `!` that white space follows.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
        let mut from = 0;
        for (at, mark) in line.match_indices(['.', '!', '?']) {
            let to = at + mark.len();
            if line[to..].chars().next().is_none_or(char::is_whitespace) {
                sentences.push(&line[from..to]);
                from = to;
            }
        }
        sentences.push(&line[from..]);
    }
    sentences.retain(|sentence| sentence.chars().any(char::is_alphanumeric));
    sentences
}

/// The headings of a prompt: its lines that begin with `#`.
fn headings(prompt: &str) -> impl Iterator<Item = String> {
    let lines = prompt.lines().filter(|line| line.starts_with('#'));
    lines.map(title).filter(|title| !title.is_empty())
}

/// A line as a heading reads: marks around it and case aside.
fn title(line: &str) -> String {
    let line = line.trim_matches(|c: char| c.is_whitespace() || "#*_:".contains(c));
    line.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Shown;
    use crate::summarize::Finish;
    use crate::unit::Tokens;
    use crate::view::Spans;

    fn answered(text: &str, material: &[&str], prompt: &str) -> Answered {
        let shown = material.iter().map(|text| Shown {
            entry: None,
            text: (*text).into(),
            whole: true,
            tokens: Tokens::ZERO,
            spans: Spans::new(),
            generation: 0,
        });
        let words = vec![prompt.into()];
        Answered {
            text: text.into(),
            shown: shown.collect(),
            words,
            stand_in: false,
            finish: Finish::Stop,
        }
    }

    fn read(answered: &Answered) -> SummaryReading {
        Readings::default().of(answered)
    }

    #[test]
    fn an_artifact_that_no_part_of_the_prompt_holds_is_fabricated() {
        let found = read(&answered(
            "I changed src/a.rs and src/b.rs with read_file.",
            &["edit src/a.rs please"],
            "Tool: read_file",
        ));
        assert_eq!((found.artifacts, found.fabricated), (3, 1));
    }

    #[test]
    fn words_in_shared_runs_of_eight_are_copied() {
        let material = "one two three four five six seven eight nine ten";
        // Words 2 to 10 stand there in a row; the last three do not.
        let text = "Two three FOUR five, six seven eight nine ten. And three more";
        let found = read(&answered(text, &[material], ""));
        assert_eq!((found.words, found.copied), (12, 9));
        let apart = read(&answered(text, &["two three four five", "six seven eight nine"], ""));
        assert_eq!(apart.copied, 0);
        let short = read(&answered("four five", &[material], ""));
        assert_eq!((short.words, short.copied), (2, 2));
        assert_eq!(read(&answered("", &[material], "")), SummaryReading::default());
    }

    #[test]
    fn sentences_headings_persons_and_hedges_are_counted() {
        let prompt = "Write:\n## Goal Arc\nWhat.\n## Dead Ends\nWhat not.\n## Key Files\n";
        let text =
            "## Goal arc\nI fixed it. It might hold.\n**Dead Ends:**\nNone? We\u{2019}ve left";
        let found = read(&answered(text, &[], prompt));
        assert_eq!((found.sections_asked, found.sections), (3, 2));
        // "I fixed it.", "It might hold.", "Dead Ends:", "None?", "We've left".
        assert_eq!((found.sentences, found.first_person, found.hedges), (5, 2, 1));
    }

    #[test]
    fn a_reading_is_remembered_by_prompt_and_answer() {
        let readings = Readings::default();
        let one = answered("src/a.rs", &["src/a.rs"], "");
        let other = answered("src/a.rs", &["src/b.rs"], "");
        assert_eq!(readings.of(&one), readings.of(&one));
        assert_eq!(readings.of(&other).fabricated, 1);
        assert_eq!(readings.read.len(), 2);
    }
}
