//! Filling `{slots}` in templates.

use std::borrow::Cow;

use super::draw::pick;
use super::words::{NOUNS, THINGS, VERBS};
use crate::prelude::*;

/// Bindings of one fact, goal or block of code.
#[derive(Clone, Debug, Default)]
pub(super) struct Cast {
    slots: Vec<(&'static str, String)>,
}

impl Cast {
    /// Binds a slot; a later binding of the same name wins.
    pub fn set(&mut self, slot: &'static str, value: impl Into<String>) {
        let value = value.into();
        match self.slots.iter_mut().find(|(name, _)| *name == slot) {
            Some((_, old)) => *old = value,
            None => self.slots.push((slot, value)),
        }
    }

    /// Binds a word to each of these slots, drawn in this order.
    pub fn draw(&mut self, slots: &[&'static str], rng: &mut ChaCha8Rng) {
        for slot in slots {
            self.set(slot, draw(slot, rng).unwrap_or_default());
        }
    }

    pub fn get(&self, slot: &str) -> &str {
        self.find(slot).unwrap_or_default()
    }

    /// With the slots of another, which win.
    pub fn with(mut self, other: &Cast) -> Cast {
        other.slots.iter().for_each(|(slot, value)| self.set(slot, value.as_str()));
        self
    }

    fn find(&self, slot: &str) -> Option<&str> {
        self.slots.iter().find(|(name, _)| *name == slot).map(|(_, value)| value.as_str())
    }

    /// The template with its slots filled. Braces that name no bound slot are code and stay.
    pub fn fill(&self, template: &str) -> String {
        filled(template, |slot| self.find(slot).map(Cow::Borrowed))
    }

    /// The same; an unbound slot may be a list of words or a range such as `{2..40}`, then drawn.
    pub fn drawn(&self, template: &str, rng: &mut ChaCha8Rng) -> String {
        filled(template, |slot| match self.find(slot) {
            Some(bound) => Some(Cow::Borrowed(bound)),
            None => draw(slot, rng).map(Cow::Owned),
        })
    }
}

impl<'a, const N: usize> From<[(&'static str, &'a str); N]> for Cast {
    fn from(slots: [(&'static str, &'a str); N]) -> Cast {
        let mut cast = Cast::default();
        slots.into_iter().for_each(|(slot, value)| cast.set(slot, value));
        cast
    }
}

fn filled<'a>(template: &str, mut value: impl FnMut(&str) -> Option<Cow<'a, str>>) -> String {
    let mut text = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        text.push_str(&rest[..open]);
        rest = &rest[open..];
        match rest.find('}').and_then(|close| Some((close, value(&rest[1..close])?))) {
            Some((close, value)) => {
                text.push_str(&value);
                rest = &rest[close + 1..];
            }
            None => {
                text.push('{');
                rest = &rest[1..];
            }
        }
    }
    text + rest
}

fn draw(slot: &str, rng: &mut ChaCha8Rng) -> Option<String> {
    if let Some((from, to)) = slot.split_once("..") {
        let range: Range<u32> = from.parse().ok()?..to.parse().ok()?;
        return Some(rng.random_range(range).to_string());
    }
    let words = match slot {
        "noun" | "other" => &NOUNS,
        "verb" | "act" => &VERBS,
        "thing" | "part" => &THINGS,
        _ => return None,
    };
    Some(pick(rng, words).to_owned())
}

/// With a capital first letter, and with "an" before a vowel: templates always write "a".
pub(super) fn sentence(text: &str) -> String {
    let mut fixed = String::with_capacity(text.len() + 8);
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        fixed.push_str(word);
        // "usage" begins with a consonant to the ear, and no other name with a "u".
        let vowel = words.peek().is_some_and(|next| next.starts_with(['a', 'e', 'i', 'o']));
        if vowel && (word == "a" || word == "A") {
            fixed.push('n');
        }
        if words.peek().is_some() {
            fixed.push(' ');
        }
    }
    capitalized(&fixed)
}

pub(super) fn third_person(verb: &str) -> String {
    match verb.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if ["ch", "sh", "s", "x"].iter().any(|end| verb.ends_with(end)) => format!("{verb}es"),
        _ => format!("{verb}s"),
    }
}

/// `stale_ledger` as `StaleLedger`.
pub(super) fn camel(snake: &str) -> String {
    snake.split('_').map(capitalized).collect()
}

pub(super) fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bound_slots_are_filled_and_code_stays() {
        let cast = Cast::from([("noun", "ledger")]);
        let text = cast.fill("struct X { a: {noun} } // {} {other} {noun}");
        assert_eq!(text, "struct X { a: ledger } // {} {other} ledger");
    }

    #[test]
    fn articles_and_verbs_agree() {
        assert_eq!(sentence("build a edge queue for a usage"), "Build an edge queue for a usage");
        assert_eq!(sentence(""), "");
        assert_eq!(camel("stale_ledger"), "StaleLedger");
        for (verb, third) in [("retry", "retries"), ("fetch", "fetches"), ("seal", "seals")] {
            assert_eq!(third_person(verb), third);
        }
    }
}
