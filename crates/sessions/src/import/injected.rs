//! Who wrote a text on the user's side, told from its beginning and its elements.

use std::sync::LazyLock;

use regex::Regex;

use crate::log::Injected;
use crate::prelude::*;

#[derive(Deserialize)]
struct Data {
    starts: BTreeMap<String, Injected>,
    elements: BTreeMap<String, Injected>,
    approved: Approved,
}

#[derive(Deserialize)]
struct Approved {
    starts: Vec<String>,
}

static DATA: LazyLock<Data> =
    LazyLock::new(|| crate::parsed("injected.toml", include_str!("injected.toml")));

/// Whole elements, without their nesting.
static ELEMENTS: LazyLock<Vec<(Regex, Injected)>> = LazyLock::new(|| {
    let of = |(name, what): (&String, &Injected)| (element(name), *what);
    DATA.elements.iter().map(of).collect()
});

fn element(name: &str) -> Regex {
    // OK because the names are ours, and a test reads them all.
    Regex::new(&format!("(?s)<{name}(?:\\s[^>]*)?>(.*?)</{name}>")).expect("an element")
}

/// What the text of a message on the user's side shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) author: Author,
    pub(super) injected: Option<Injected>,
    /// The bytes that were typed, where that is not all.
    pub(super) said: Vec<Range<usize>>,
}

/// Reads a text.
pub(super) fn read(text: &str) -> Read {
    let (rest, put) = outside(text);
    let trimmed = text.trim_start();
    let start = text.len() - trimmed.len();
    if let Some(words) = typed(text, &["command-args"]) {
        return Read { author: Author::Human, injected: None, said: vec![words] };
    }
    let first = rest.first().map_or("", |part| text[part.clone()].trim_start());
    if let Some((_, what)) = DATA.starts.iter().find(|(start, _)| first.starts_with(*start)) {
        return Read { author: Author::Harness, injected: Some(*what), said: Vec::new() };
    }
    if rest.is_empty() {
        return Read { author: Author::Harness, injected: put, said: Vec::new() };
    }
    if DATA.approved.starts.iter().any(|start| first.starts_with(start)) {
        return Read { author: Author::Approved, injected: None, said: Vec::new() };
    }
    let is_all = rest.len() == 1 && rest[0] == trim(text, start..text.len());
    Read { author: Author::Human, injected: None, said: if is_all { Vec::new() } else { rest } }
}

/// What stands in the first element of one of these names that is not empty.
pub(super) fn typed(text: &str, names: &[&str]) -> Option<Range<usize>> {
    let inner = |name: &&str| {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        let from = text.find(&open)? + open.len();
        let to = from + text[from..].find(&close)?;
        Some(trim(text, from..to)).filter(|words| !words.is_empty())
    };
    names.iter().find_map(inner)
}

/// What stands outside the elements of a harness, without white space, and what the first element is.
fn outside(text: &str) -> (Vec<Range<usize>>, Option<Injected>) {
    let mut put: Vec<(Range<usize>, Injected)> = Vec::new();
    // An element cannot begin without this.
    if text.contains('<') {
        for (element, what) in ELEMENTS.iter() {
            put.extend(element.find_iter(text).map(|found| (found.range(), *what)));
        }
    }
    put.sort_by_key(|(range, _)| range.start);
    let (mut rest, mut from) = (Vec::new(), 0);
    for (range, _) in &put {
        rest.push(from..range.start.max(from));
        from = from.max(range.end);
    }
    rest.push(from..text.len());
    let rest = rest.into_iter().map(|part| trim(text, part)).filter(|part| !part.is_empty());
    (rest.collect(), put.first().map(|(_, what)| *what))
}

fn trim(text: &str, part: Range<usize>) -> Range<usize> {
    let inner = &text[part.clone()];
    let start = part.start + (inner.len() - inner.trim_start().len());
    start..(start + inner.trim().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_typed_is_told_from_what_a_harness_put_beside_it() {
        type Row = (String, Author, Vec<Injected>, Vec<String>);
        for (text, author, injected, said) in crate::cases::<Row>("authors") {
            let read = read(&text);
            let words: Vec<&str> = read.said.iter().map(|part| &text[part.clone()]).collect();
            assert_eq!((read.author, read.injected.as_slice()), (author, &*injected), "{text}");
            assert_eq!(words, said, "{text}");
        }
    }
}
