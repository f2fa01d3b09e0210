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

/// The same with its first letter in upper case, as a sentence begins.
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
    fn a_sentence_begins_with_a_capital() {
        assert_eq!(capitalized("the queue"), "The queue");
        assert_eq!(capitalized(""), "");
    }
}
