//! Filling `{slots}` in templates.

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

    /// The bound text; empty where nothing is bound.
    pub fn get(&self, slot: &str) -> &str {
        self.find(slot).unwrap_or_default()
    }

    fn find(&self, slot: &str) -> Option<&str> {
        self.slots.iter().find(|(name, _)| *name == slot).map(|(_, value)| value.as_str())
    }

    /// The template with its slots filled. Braces that name no bound slot are
    /// code and stay.
    pub fn fill(&self, template: &str) -> String {
        let mut text = String::with_capacity(template.len() + 32);
        self.fill_into(template, &mut text);
        text
    }

    /// As [`Cast::fill`], appended.
    pub fn fill_into(&self, template: &str, text: &mut String) {
        let mut rest = template;
        while let Some(open) = rest.find('{') {
            text.push_str(&rest[..open]);
            rest = &rest[open..];
            let bound = rest.find('}').and_then(|close| Some((close, self.find(&rest[1..close])?)));
            match bound {
                Some((close, value)) => {
                    text.push_str(value);
                    rest = &rest[close + 1..];
                }
                None => {
                    text.push('{');
                    rest = &rest[1..];
                }
            }
        }
        text.push_str(rest);
    }
}

/// The sentence with a capital first letter, and with "an" before a vowel: templates
/// always write "a".
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

/// The third person of a verb.
pub(super) fn third_person(verb: &str) -> String {
    match verb.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if ["ch", "sh", "s", "x"].iter().any(|end| verb.ends_with(end)) => format!("{verb}es"),
        _ => format!("{verb}s"),
    }
}

/// The text with its first letter in upper case.
pub(super) fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bound_slots_are_filled_and_code_stays() {
        let mut cast = Cast::default();
        cast.set("noun", "ledger");
        let text = cast.fill("struct X { a: {noun} } // {} {other} {noun}");
        assert_eq!(text, "struct X { a: ledger } // {} {other} ledger");
    }

    #[test]
    fn articles_and_verbs_agree() {
        assert_eq!(sentence("build a edge queue for a usage"), "Build an edge queue for a usage");
        for (verb, third) in [("retry", "retries"), ("fetch", "fetches"), ("seal", "seals")] {
            assert_eq!(third_person(verb), third);
        }
    }

    #[test]
    fn a_sentence_begins_with_a_capital() {
        assert_eq!(capitalized("the queue"), "The queue");
        assert_eq!(capitalized(""), "");
    }
}
