//! Summarizers that know nothing of summaries: the brackets around every quality figure. What
//! a strategy gains over all three under a better one is owed to the summarizer.

use std::collections::BTreeMap;

use crate::ident::Seed;
pub use crate::summarize::Limits;
use crate::summarize::sentence::sentences;
use crate::summarize::{Offline, Prompt, cut_within};
use crate::token::Tokenizer;
use crate::unit::Tokens;

/// Answers with nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Null {}

impl Offline for Null {
    const MEMOIZES: bool = false;

    fn answer(&self, _: &Prompt) -> String {
        String::new()
    }
}

/// Answers with the beginning of the material, to the end of the last line or
/// sentence that fits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lead {
    /// What it declares.
    pub limits: Limits,
}

impl Offline for Lead {
    fn limits(&self) -> Limits {
        self.limits
    }

    fn answer(&self, prompt: &Prompt) -> String {
        beginning(prompt.material(), self.limits.allowed(prompt))
    }
}

/// Answers with sentences of the material drawn by lot, in their original order. A lot depends
/// on the seed, the replicate and the sentence, not on the prompt around it, so that no
/// difference between strategies is one of luck.
#[derive(Clone, Copy, Debug)]
pub struct RandomSentence(Seed);

impl RandomSentence {
    /// With lots drawn from this seed.
    pub fn new(seed: Seed) -> RandomSentence {
        RandomSentence(seed.derive(&["random-sentence"]))
    }
}

impl Offline for RandomSentence {
    fn answer(&self, prompt: &Prompt) -> String {
        let replicate = prompt.replicate.to_string();
        let lot = |(order, sentence)| {
            let lot = self.0.derive(&[sentence, &replicate]);
            ((lot.0, sentence), order)
        };
        let sentences = prompt.material().flat_map(sentences).enumerate();
        let drawn: BTreeMap<(u64, &str), usize> = sentences.map(lot).collect();
        let by_lot = drawn.into_iter().map(|((_, sentence), order)| (order, sentence));
        in_order_within(by_lot, self.limits().allowed(prompt))
    }
}

/// The first sentences that fit, one per line.
fn beginning<'a>(material: impl Iterator<Item = &'a str>, most: Tokens) -> String {
    let mut kept = String::new();
    let mut used = Tokens::ZERO;
    for sentence in material.flat_map(sentences) {
        let cost = cost_of(sentence);
        if used + cost > most {
            if kept.is_empty() {
                kept.push_str(sentence);
            }
            break;
        }
        used += cost;
        kept.push_str(sentence);
        kept.push('\n');
    }
    cut_within(kept, most)
}

/// Takes lines from the front until one does not fit, and joins those taken in
/// the order that their numbers say. The result never exceeds `most`.
pub fn in_order_within<'a>(
    by_preference: impl Iterator<Item = (usize, &'a str)>,
    most: Tokens,
) -> String {
    let mut used = Tokens::ZERO;
    let mut taken: Vec<(usize, &str)> = by_preference
        .take_while(|(_, line)| {
            used += cost_of(line);
            used <= most
        })
        .collect();
    taken.sort_unstable();
    let lines: Vec<&str> = taken.into_iter().map(|(_, line)| line).collect();
    cut_within(lines.join("\n"), most)
}

/// Tokens of a line and the break after it.
fn cost_of(line: &str) -> Tokens {
    // Counting megabytes to learn that they do not fit would be the whole cost:
    // no token of the vocabulary is longer than 128 bytes.
    let least = Tokens(line.len() as u64 / 128);
    if least > Limits::MAX_OUTPUT { least } else { Tokenizer::O200k.count(line) + Tokens(1) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::summarize::Ask;

    fn prompt(material: &str, max_tokens: u64) -> Prompt {
        Prompt::of_user([("Summarize:\n", false), (material, true)], max_tokens)
    }

    fn answer(ask: &dyn Ask, prompt: &Prompt) -> String {
        let reply = ask.ask(std::slice::from_ref(prompt)).expect("no stop").remove(0);
        reply.expect("offline summarizers always answer").text
    }

    const LOTS: RandomSentence = RandomSentence(Seed(7));

    #[test]
    fn null_is_empty_and_not_worth_remembering() {
        assert_eq!(answer(&Null::default(), &prompt("anything", 100)), "");
        assert!(!Null::default().memoizes());
    }

    #[test]
    fn lead_ends_where_a_line_ends() {
        let text = "first line of five words\nsecond line here\nthird";
        for (most, expected) in [
            (100, text),
            (11, "first line of five words\nsecond line here"),
            (7, "first line of five words"),
            (3, "first line of"),
            (0, ""),
        ] {
            assert_eq!(answer(&Lead::default(), &prompt(text, most)), expected, "{most}");
        }
    }

    #[test]
    fn a_sentence_has_the_same_lot_whatever_surrounds_it_and_another_in_another_replicate() {
        let all: Vec<String> = (10..70).map(|i| format!("{i} is a sentence of many")).collect();
        let kept = |lines: &[String]| -> Vec<String> {
            answer(&LOTS, &prompt(&lines.join("\n"), 150)).lines().map(str::to_owned).collect()
        };
        let of_all = kept(&all);
        assert!(of_all.len() > 10 && of_all.len() < 60 && of_all.is_sorted());
        let of_half = kept(&all[30..]);
        // With fewer rivals a sentence can only fare better.
        assert!(of_all.iter().filter(|s| all[30..].contains(s)).all(|s| of_half.contains(s)));
        let again = Prompt { replicate: 1, ..prompt(&all.join("\n"), 150) };
        assert_ne!(of_all, answer(&LOTS, &again).lines().collect::<Vec<_>>());
    }

    #[test]
    fn a_single_huge_word_is_cut_and_not_counted_whole() {
        let word = "x".repeat(3_000_000);
        for ask in [&Lead::default() as &dyn Ask, &LOTS] {
            let text = answer(ask, &prompt(&word, 50));
            assert!(Tokenizer::O200k.count(&text) <= Tokens(50), "{text}");
        }
    }

    proptest! {
        /// forall text, limit: tokens(answer) <= limit, and the same again.
        #[test]
        fn answers_stay_within_the_limit(text in "(\\PC{0,40}[\n .]){0,20}", most in 0_u64..60) {
            let request = prompt(&text, most);
            for ask in [&Lead::default() as &dyn Ask, &LOTS] {
                let given = answer(ask, &request);
                prop_assert!(Tokenizer::O200k.count(&given) <= Tokens(most), "{given}");
                prop_assert_eq!(&given, &answer(ask, &request));
            }
        }
    }
}
