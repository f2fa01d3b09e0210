//! A reader that is no language model: it quotes the newest of the sentences that share most of the
//! question's rare words, or declines; yes or no it tells by a negation. It sees its prompt and
//! nothing else.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::question::ask::QUESTION;
use crate::summarize::sentence::sentences;
use crate::summarize::{Answer, Ask, Limits, Prompt, Reply, Stopped};
use crate::unit::Tokens;

/// Least share of the question's rare words, by weight, that a sentence must hold.
const ENOUGH: f64 = 0.6;
const DECLINES: &str = "not stated";
/// The negations of English, beside what ends in `n't`. A longer list would hold the words in which
/// the synthesized sessions forbid things: its own answer key.
const NEGATIONS: [&str; 9] =
    ["not", "no", "never", "none", "nothing", "nor", "neither", "without", "cannot"];
/// Words of the blank's sentence that say little.
const COMMON: [&str; 16] = [
    "the", "a", "an", "of", "for", "to", "is", "in", "it", "and", "with", "now", "are", "be", "on",
    "that",
];

/// What a question that asks for a name or a number says of itself, a line each.
const CODE: &str = include_str!("../../data/asks-for-code.txt");

/// Answers questions by quoting.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quoting;

impl Ask for Quoting {
    fn limits(&self) -> Limits {
        Limits { window: Some(Tokens::UNBOUNDED), max_output: Tokens(400) }
    }
    fn ask(&self, batch: &[Prompt]) -> Result<Vec<Reply>, Stopped> {
        Ok(batch.par_iter().map(|prompt| Ok(Answer::complete(quote(prompt)))).collect())
    }
    fn memoizes(&self) -> bool {
        false
    }
}

fn quote(prompt: &Prompt) -> String {
    let last = prompt.segments().filter(|segment| !segment.material).last();
    let question = last.and_then(|segment| segment.text.split_once(QUESTION)).map(|both| both.1);
    let question = question.unwrap_or_default();
    let found = best(prompt, &wanted(question), CODE.lines().any(|code| question.contains(code)));
    let Some(sentence) = found else { return DECLINES.to_owned() };
    if !question.contains("yes or no") {
        return sentence.to_owned();
    }
    let negates = |word: String| NEGATIONS.contains(&word.as_str()) || word.ends_with("n't");
    let denies = words(sentence).any(negates);
    // Asked whether something was said against it, or whether one is free.
    let yes = denies == question.contains(" against ");
    format!("{}. {sentence}", if yes { "Yes" } else { "No" })
}

fn wanted(question: &str) -> FxHashSet<String> {
    let quoted = question.split_once('“').and_then(|(_, rest)| rest.rsplit_once('”'));
    let turns_on = quoted.map_or(question, |(quoted, _)| quoted);
    words(turns_on).filter(|word| !COMMON.contains(&word.as_str())).collect()
}

fn best<'a>(prompt: &'a Prompt, wanted: &FxHashSet<String>, code: bool) -> Option<&'a str> {
    let material = prompt.segments().filter(|segment| segment.material);
    let all = material.flat_map(|segment| sentences(&segment.text)).flat_map(parts);
    // What each sentence holds, and how many hold each word.
    let mut holding: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut sentences_with: FxHashMap<&str, u32> = FxHashMap::default();
    let mut count = 0_u32;
    for sentence in all {
        count += 1;
        let own: FxHashSet<String> = words(sentence).collect();
        let shared: Vec<&str> =
            wanted.iter().map(String::as_str).filter(|word| own.contains(*word)).collect();
        for word in &shared {
            *sentences_with.entry(word).or_default() += 1;
        }
        if !shared.is_empty() && (!code || names(sentence, wanted)) {
            holding.push((sentence, shared));
        }
    }
    let weight = |word: &str| {
        let with = sentences_with.get(word).copied().unwrap_or(0).max(1);
        (f64::from(count + 1) / f64::from(with)).ln()
    };
    // In the order of the words: sums of floats depend on it.
    let sum = |words: &mut Vec<&str>| {
        words.sort_unstable();
        words.iter().map(|word| weight(word)).sum::<f64>()
    };
    let all = sum(&mut wanted.iter().map(String::as_str).collect());
    let scored = holding.into_iter().map(|(sentence, mut shared)| (sum(&mut shared), sentence));
    let (score, sentence) =
        scored.reduce(|best, next| if next.0 >= best.0 { next } else { best })?;
    (score >= ENOUGH * all).then_some(sentence)
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(". ").map(str::trim).filter(|part| !part.is_empty())
}

/// Whether the sentence holds a name or a number that the question does not.
fn names(sentence: &str, wanted: &FxHashSet<String>) -> bool {
    let is_code = |token: &&str| {
        token.contains(['_', '/', '`']) || token.contains(|letter: char| letter.is_ascii_digit())
    };
    let mut tokens = sentence.split_whitespace().filter(is_code);
    tokens.any(|token| words(token).any(|word| !wanted.contains(&word)))
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
    parts.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(material: &[&str], question: &str) -> String {
        let asked = format!("{QUESTION}{question}");
        let shown = material.iter().map(|text| (*text, true));
        let prompt = Prompt::of_user(shown.chain([(asked.as_str(), false)]), 100);
        quote(&prompt)
    }

    const TALK: [&str; 4] = [
        "The orchard pump listens on `9100`. Leave the gate open.",
        "Do not come back to a salted hedge queue.",
        "The garden shed uses a glass roof.",
        "The orchard pump listens on `9200` now.",
    ];

    #[test]
    fn it_quotes_the_newest_sentence_that_shares_most_and_declines_where_too_little_is_shared() {
        let said = answer(&TALK, "This is about a setting.\n“The orchard pump listens on ____.”");
        assert_eq!(said, "The orchard pump listens on `9200` now.");
        for question in ["“The cellar door listens on ____.”", "“The rain gauge uses ____.”"]
        {
            assert_eq!(answer(&TALK, question), DECLINES, "{question}");
        }
        assert_eq!(answer(&[], "“The orchard pump listens on ____.”"), DECLINES);
    }

    #[test]
    fn it_says_yes_or_no_by_what_it_quotes() {
        for (subject, against, free) in
            [("salted hedge queue", "Yes", "No"), ("glass roof", "No", "Yes")]
        {
            let asked = format!("Does what was said speak against “{subject}”? yes or no");
            assert!(answer(&TALK, &asked).starts_with(against), "{subject}");
            let asked = format!("Is “{subject}” still a way to go? yes or no");
            assert!(answer(&TALK, &asked).starts_with(free), "{subject}");
        }
    }
}
