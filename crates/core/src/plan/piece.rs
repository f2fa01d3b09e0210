//! Pieces: the one notion of content, in rewrites, new entries and prompts alike.

use crate::log::{CallId, Text};
use crate::prelude::*;
use crate::record::JsonSchema;

/// A stretch of text with its provenance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Piece {
    /// The strategy's own words.
    Literal(Text),
    /// Mechanical text taken from sources (a list of files): generation 0, stands for nothing.
    Extract {
        /// The words.
        text: Text,
        /// What they were taken from.
        of: Vec<Source>,
    },
    /// Words of a source, whole or a byte range of them (cut on character boundaries inward).
    Quote {
        /// The source.
        of: Source,
        /// From, to, in bytes of the source's text.
        bytes: Option<(usize, usize)>,
    },
    /// The first of these requests that did not come to nothing.
    Answer {
        /// In order of preference.
        #[serde(rename = "first-of")]
        first_of: Vec<RequestId>,
        /// How the answer is cleaned.
        #[serde(default)]
        clean: Clean,
    },
}

impl Piece {
    /// The strategy's own words.
    pub fn literal(text: impl Into<Text>) -> Piece {
        Piece::Literal(text.into())
    }

    /// An entry's content, whole.
    pub fn quote(entry: EntryId) -> Piece {
        Piece::Quote { of: Source::Entry(entry), bytes: None }
    }

    /// The arguments of a call, whole.
    pub fn arguments(entry: EntryId, call: &CallId) -> Piece {
        Piece::Quote { of: Source::Call(entry, call.clone()), bytes: None }
    }

    /// The answer to a request, as it is.
    pub fn answer(request: RequestId) -> Piece {
        Piece::Answer { first_of: vec![request], clean: Clean::AsIs }
    }

    /// The requests of which it holds an answer, for an answer.
    pub fn requests(&self) -> Option<&[RequestId]> {
        match self {
            Piece::Answer { first_of, .. } => Some(first_of),
            Piece::Literal(_) | Piece::Extract { .. } | Piece::Quote { .. } => None,
        }
    }

    /// A source's text of `length` bytes, cut in the middle to about `keep`: head, notice, tail.
    pub fn middle_cut(of: &Source, length: usize, keep: usize, notice: &str) -> Vec<Piece> {
        if length <= keep {
            return vec![Piece::Quote { of: of.clone(), bytes: None }];
        }
        let (head, tail) = (keep - keep / 2, keep / 2);
        vec![
            Piece::Quote { of: of.clone(), bytes: Some((0, head)) },
            Piece::literal(notice),
            Piece::Quote { of: of.clone(), bytes: Some((length - tail, length)) },
        ]
    }
}

/// What a piece quotes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The content of an entry of the view.
    Entry(EntryId),
    /// The content of a past message of the log, in the view or not.
    Log(MsgId),
    /// The arguments of a call of an entry.
    Call(EntryId, CallId),
}

/// How an answer is cleaned before it is used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Clean {
    /// As it came.
    #[default]
    AsIs,
    /// Without white space at the ends.
    Trim,
    /// The text inside the first element of this name; the whole answer where there is none.
    Element(String),
    /// These bytes of it, cut on character boundaries inward; the whole answer where it is shorter.
    Part(usize, usize),
}

impl Clean {
    /// The cleaned text.
    pub fn apply<'a>(&self, text: &'a str) -> &'a str {
        match self {
            Clean::AsIs => text,
            Clean::Trim => text.trim(),
            Clean::Element(name) => element(text, name).unwrap_or(text),
            Clean::Part(from, to) if *to <= text.len() && from <= to => {
                let (from, to) = (text.ceil_char_boundary(*from), text.floor_char_boundary(*to));
                text.get(from..to).unwrap_or_default()
            }
            Clean::Part(..) => text,
        }
    }
}

fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let start = text.find(&open)? + open.len();
    let end = start + text[start..].find(&close)?;
    Some(&text[start..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_cleaned_as_the_profile_says() {
        for (clean, text, expected) in [
            (Clean::AsIs, " a ", " a "),
            (Clean::Trim, " a ", "a"),
            (Clean::Element("s".into()), "x<s>a</s>y", "a"),
            (Clean::Element("s".into()), "no element", "no element"),
            (Clean::Element("s".into()), "<s>unclosed", "<s>unclosed"),
            (Clean::Part(1, 3), "aébc", "é"),
            (Clean::Part(2, 3), "aé", ""),
            (Clean::Part(1, 9), "short", "short"),
        ] {
            assert_eq!(clean.apply(text), expected);
        }
    }

    #[test]
    fn a_middle_cut_keeps_head_and_tail() {
        let source = Source::Log(MsgId(0));
        let cut = Piece::middle_cut(&source, 100, 11, "[…]");
        let ranges: Vec<_> = cut
            .iter()
            .map(|piece| match piece {
                Piece::Quote { bytes, .. } => *bytes,
                _ => None,
            })
            .collect();
        assert_eq!(ranges, [Some((0, 6)), None, Some((95, 100))]);
        assert_eq!(Piece::middle_cut(&source, 10, 11, "[…]").len(), 1);
    }
}
