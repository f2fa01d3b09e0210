//! Texts without regard to case and white space, and where they stand in the text as it was.

/// Lower case, runs of white space as one space.
pub fn fold(text: &str) -> String {
    folded(text).0
}

/// The same, with where it stands in the text.
pub(super) fn folded(text: &str) -> (String, Origins) {
    let mut folded = String::with_capacity(text.len());
    let mut origins = Origins::default();
    let mut space = None;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            space = space.or((!folded.is_empty()).then_some(at));
            continue;
        }
        if let Some(at) = space.take() {
            origins.add(folded.len(), at);
            folded.push(' ');
        }
        if c.is_ascii() {
            origins.add(folded.len(), at);
            folded.push(c.to_ascii_lowercase());
            continue;
        }
        for lower in c.to_lowercase() {
            origins.add(folded.len(), at);
            folded.push(lower);
        }
    }
    origins.add(folded.len(), text.trim_end().len());
    (folded, origins)
}

/// Where a folded text stands in the text.
#[derive(Debug, Default)]
pub(super) struct Origins {
    /// The folded places, with those in the text, from which on both advance alike.
    turns: Vec<(usize, usize)>,
    /// By how much the text is ahead since the last of them.
    ahead: isize,
}

impl Origins {
    fn add(&mut self, folded: usize, origin: usize) {
        let ahead = origin.cast_signed() - folded.cast_signed();
        if ahead != self.ahead {
            self.turns.push((folded, origin));
            self.ahead = ahead;
        }
    }

    /// The place in the text of a character of the folded one, or of its end.
    pub(super) fn of(&self, place: usize) -> usize {
        let behind = self.turns.partition_point(|(at, _)| *at <= place);
        // Before the first of them both are the same.
        behind.checked_sub(1).map_or(place, |last| {
            let (at, origin) = self.turns[last];
            origin + place - at
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_folded_character_stands_where_the_text_has_it(text in "[a-zAÉİß \n\u{2003}]{0,12}") {
            let (folded, origins) = folded(&text);
            for (at, c) in folded.char_indices() {
                let original = text[origins.of(at)..].chars().next().unwrap_or_default();
                prop_assert!(original.to_lowercase().any(|lower| lower == c)
                    || (c == ' ' && original.is_whitespace()), "{c:?} of {text:?}");
            }
            prop_assert_eq!(origins.of(folded.len()), text.trim_end().len());
        }
    }
}
