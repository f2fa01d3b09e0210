//! Summarizers that must lose. Each answers so as to please a check of presence without telling
//! what happened: a list of all that is shaped as a fact, the same with keys and values shuffled
//! apart, true sentences under words that revoke them, every value that a key ever had, the
//! material itself. A figure that one of them wins measures shapes and not knowledge.
//!
//! They read the [`Prompt`] and nothing else, as every summarizer does. What they know of shapes
//! and words is `adversary.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use rustc_hash::FxHashSet;
use serde::Deserialize;

use crate::ident::Seed;
use crate::summarize::sentence::sentences;
use crate::summarize::simple::in_order_within;
use crate::summarize::{Offline, Prompt, cut_within};
use crate::token::Tokenizer;
use crate::unit::Tokens;

proctor_core::words! {
    /// An adversary among summarizers.
    pub enum Adversary {
        /// Lists everything that is shaped as a fact, with words of polarity strewn in.
        ShapeList = "adversary-shape-list",
        /// The same list with the keys and the values shuffled apart.
        Shuffled = "adversary-shuffled",
        /// Sentences that hold such shapes, word for word, under a heading that revokes them all.
        Revoked = "adversary-revoked",
        /// Every value that each key ever had, as alternatives.
        AllValues = "adversary-all-values",
        /// The material itself, cut where a provider's output limit cuts it.
        Echo = "adversary-echo",
    }
}

impl Offline for Adversary {
    fn answer(&self, prompt: &Prompt) -> String {
        let limits = self.limits();
        let material: Vec<&str> = prompt.material().collect();
        let text = match self {
            Adversary::ShapeList => strewn(shaped(&material)),
            Adversary::Shuffled => strewn(shuffled(shaped(&material))),
            Adversary::AllValues => all_values(&material),
            Adversary::Revoked => {
                let left = limits.allowed(prompt) - Tokenizer::O200k.count(&DATA.opening);
                format!("{}\n{}", DATA.opening, telling(&material, left))
            }
            // Not the request's limit, which it ignores, but the one that a model has.
            Adversary::Echo => return cut_within(material.concat(), limits.max_output),
        };
        cut_within(text, limits.allowed(prompt))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    opening: String,
    between: String,
    adjectives: Vec<String>,
    shape: Vec<Shape>,
    polarity: Polarity,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    name: String,
    pattern: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Polarity {
    every: usize,
    words: String,
}

static DATA: LazyLock<Data> = LazyLock::new(|| {
    // OK because the file is part of the binary, and a test reads it.
    toml::from_str(include_str!("adversary.toml")).expect("the file that ships is valid")
});

/// The shapes in the order of the file, compiled.
static SHAPES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let adjective = format!("(?:{})", DATA.adjectives.join("|"));
    let compiled = |shape: &Shape| {
        let pattern = shape.pattern.replace("{ADJECTIVE}", &adjective);
        Regex::new(&pattern).unwrap_or_else(|error| panic!("{}: {error}", shape.name))
    };
    DATA.shape.iter().map(compiled).collect()
});

/// What is shaped as a fact, each once, also where it is part of another: in the order of shapes.
fn shaped(material: &[&str]) -> Vec<String> {
    let mut known = String::new();
    let mut found = Vec::new();
    for shape in SHAPES.iter() {
        for hit in material.iter().flat_map(|text| shape.captures_iter(text)) {
            let text = told(&hit);
            if !known.contains(&text) {
                known.push_str(&text);
                known.push('\n');
                found.push(text);
            }
        }
    }
    found
}

fn told(hit: &Captures) -> String {
    match (hit.name("key"), hit.name("value")) {
        (Some(key), Some(value)) => format!("{} {}", key.as_str(), value.as_str()),
        _ => hit[0].to_owned(),
    }
}

/// The words of the list, each key and each value by itself, in an order drawn from the word.
fn shuffled(list: Vec<String>) -> Vec<String> {
    let lot = |word: &str| Seed(0).derive(&["adversary-shuffled", word]).0;
    let mut words: Vec<String> = list
        .into_iter()
        .flat_map(|one| match one.split_once(' ') {
            Some((key, value)) if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                vec![key.to_owned(), value.to_owned()]
            }
            _ => vec![one],
        })
        .collect();
    let mut known = FxHashSet::default();
    words.retain(|word| known.insert(word.clone()));
    // Room goes to the same words as in the list, so only neighbours change places.
    for group in words.chunks_mut(GROUP) {
        group.sort_by_key(|word| lot(word));
    }
    words
}

/// Words that are shuffled among each other.
const GROUP: usize = 6;

/// The list in a line, with the words of polarity every so many bytes.
fn strewn(list: Vec<String>) -> String {
    let Polarity { every, words } = &DATA.polarity;
    let mut text = String::new();
    let mut next = 0;
    for one in list {
        if text.len() >= next {
            text.push_str(words);
            text.push('\n');
            next = text.len() + every;
        }
        text.push_str(&one);
        text.push_str(", ");
    }
    text
}

/// Sentences that hold a shape, as many as fit, in their order.
fn telling(material: &[&str], most: Tokens) -> String {
    let all = material.iter().flat_map(|text| sentences(text));
    let holds = |sentence: &&str| SHAPES.iter().filter(|shape| shape.is_match(sentence)).count();
    let mut held: Vec<(usize, &str, usize)> = all
        .enumerate()
        .map(|(order, sentence)| (order, sentence, holds(&sentence)))
        .filter(|(.., shapes)| *shapes > 0)
        .collect();
    held.sort_by_key(|(order, sentence, shapes)| {
        (std::cmp::Reverse(*shapes), sentence.len(), *order)
    });
    in_order_within(held.into_iter().map(|(order, sentence, _)| (order, sentence)), most)
}

/// Each key with every value that it ever had, keys in the order of their first mention.
fn all_values(material: &[&str]) -> String {
    let mut values: BTreeMap<&str, (usize, Vec<&str>)> = BTreeMap::new();
    let hits = SHAPES
        .iter()
        .flat_map(|shape| material.iter().flat_map(move |text| shape.captures_iter(text)));
    let pairs =
        hits.filter_map(|hit| Some((hit.name("key")?.as_str(), hit.name("value")?.as_str())));
    for (order, (key, value)) in pairs.enumerate() {
        let (_, own) = values.entry(key).or_insert((order, Vec::new()));
        if !own.contains(&value) {
            own.push(value);
        }
    }
    let mut lines: Vec<(usize, String)> = values
        .into_iter()
        .map(|(key, (order, own))| (order, format!("{key}{}{}", DATA.between, own.join(", "))))
        .collect();
    lines.sort_unstable();
    let lines: Vec<String> = lines.into_iter().map(|(_, line)| line).collect();
    // Where there is room left, the rest of what is shaped as a fact.
    format!("{}\n{}", lines.join("\n"), strewn(shaped(material)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::summarize::Ask;

    const MATERIAL: &str = "We keep relay.drain_limit_ms at 48213 for now. The weather is fine.\n\
        Set relay.drain_limit_ms = 51777 in src/active_relay_drain.rs, see ERR-4821.\n\
        Never touch the frozen relay buffer; `tools check --drain 12` did not work.";

    fn prompt(material: &str, max_tokens: u64) -> Prompt {
        Prompt::of_user([("Summarize:\n", false), (material, true)], max_tokens)
    }

    fn answer(adversary: Adversary, prompt: &Prompt) -> String {
        let reply = adversary.ask(std::slice::from_ref(prompt)).expect("no stop").remove(0);
        reply.expect("an adversary always answers").text
    }

    #[test]
    fn the_list_has_every_shape_and_the_words_of_polarity_and_no_sentence() {
        let list = answer(Adversary::ShapeList, &prompt(MATERIAL, 500));
        for shape in [
            "relay.drain_limit_ms 48213",
            "relay.drain_limit_ms 51777",
            "ERR-4821",
            "tools check --drain 12",
            "src/active_relay_drain.rs",
            "frozen relay buffer",
            "never, must not",
        ] {
            assert!(list.contains(shape), "{shape}: {list}");
        }
        assert!(!list.contains("weather"), "{list}");
    }

    #[test]
    fn keys_and_values_are_shuffled_apart_and_none_is_lost() {
        let list = answer(Adversary::Shuffled, &prompt(MATERIAL, 500));
        // As the list of shapes has them.
        let words = ["relay.drain_limit_ms", "48213", "51777", "frozen relay buffer", "ERR-4821"];
        let places = words.map(|word| list.find(word).expect(word));
        assert!(!places.is_sorted(), "{list}");
    }

    #[test]
    fn the_revoked_sentences_are_true_ones_under_a_heading() {
        let list = answer(Adversary::Revoked, &prompt(MATERIAL, 500));
        assert!(list.starts_with("None of the following holds any more."), "{list}");
        assert!(list.contains("Never touch the frozen relay buffer"), "{list}");
    }

    #[test]
    fn a_key_has_all_the_values_that_it_ever_had() {
        let list = answer(Adversary::AllValues, &prompt(MATERIAL, 500));
        assert!(list.contains("relay.drain_limit_ms: one of 48213, 51777"), "{list}");
    }

    #[test]
    fn the_echo_is_the_material_up_to_the_limit_of_a_model_whatever_the_request_says() {
        assert_eq!(answer(Adversary::Echo, &prompt(MATERIAL, 5)), MATERIAL);
        let long = answer(Adversary::Echo, &prompt(&"one more line\n".repeat(9_000), 5));
        let most = Offline::limits(&Adversary::Echo).max_output;
        let tokens = Tokenizer::O200k.count(&long);
        assert!(tokens <= most && tokens > Tokens(most.0 / 2), "{tokens}");
    }

    proptest! {
        /// forall text, limit: tokens(answer) <= limit but for the echo, and the same again.
        #[test]
        fn answers_stay_within_the_limit(text in "(\\PC{0,40}[\n .]|a_b.c \\d{5} ){0,20}", most in 0_u64..60) {
            let request = prompt(&text, most);
            for adversary in Adversary::ALL {
                let given = answer(adversary, &request);
                if adversary != Adversary::Echo {
                    prop_assert!(Tokenizer::O200k.count(&given) <= Tokens(most), "{given}");
                }
                prop_assert_eq!(&given, &answer(adversary, &request));
            }
        }
    }
}
