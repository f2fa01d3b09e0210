//! Excerpts, and places of a session in words.

use crate::summarize::Prompt;
use crate::truth::Needle;
use crate::view::{Entry, Kind, Spans};

/// How much of a compaction's texts is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Entries that left, and answers.
    pub items: usize,
    /// Characters of an entry that left.
    pub covered: usize,
    /// Characters of the instruction.
    pub instruction: usize,
    /// Characters of an answer.
    pub answer: usize,
}

impl Cut {
    /// As stories are written.
    pub const RECORDED: Cut = Cut { items: 40, covered: 130, instruction: 1_200, answer: 4_000 };
    /// Everything.
    pub const WHOLE: Cut =
        Cut { items: usize::MAX, covered: usize::MAX, instruction: usize::MAX, answer: usize::MAX };
}

/// What a strategy wrote into a request: its own system prompt and the instruction.
pub(super) fn written(prompt: &Prompt, agent: &str) -> String {
    let own = prompt.system.as_deref().filter(|system| !system.is_empty() && *system != agent);
    let asked = prompt.instruction();
    match own {
        Some(system) if asked.is_empty() => system.to_owned(),
        Some(system) => format!("{system}\n\n{asked}"),
        None => asked,
    }
}

/// Content and calls of an entry, as a summarizer would read them.
pub(super) fn of_entry(entry: &Entry) -> String {
    let mut text = entry.content().to_string();
    for call in &entry.calls {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("[{} {}]", call.name, call.args));
    }
    text
}

pub(super) fn name_of(entry: &Entry) -> String {
    let noun = match (entry.kind, entry.origin) {
        (Kind::Message, Some(id)) if entry.rewritten => {
            return format!("message {} as rewritten before", id.0);
        }
        (Kind::Message, Some(id)) => return format!("message {}", id.0),
        (Kind::Message, None) => "message of the strategy",
        (Kind::Summarized, _) => "summarized calls",
        (Kind::GoalBatch, _) => "goal batch",
        (Kind::Summary, _) => "summary",
        (Kind::Notice, _) => "notice",
        (Kind::Recalled, _) => "recalled passage",
    };
    if entry.covers.is_empty() {
        return noun.to_owned();
    }
    format!("{noun} of {}", messages(&entry.covers))
}

/// Stretches of a set of messages that are named one by one.
const STRETCHES: usize = 4;

/// A set of messages in words: `messages 4 to 9 and 12`.
pub fn messages(spans: &Spans) -> String {
    let ranges = spans.ranges();
    let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else {
        return "no message".to_owned();
    };
    if ranges.len() > STRETCHES {
        return format!("{} messages between {} and {}", spans.len(), first.0, last.1 - 1);
    }
    let stretch = |range: &(u32, u32)| match range.1 - range.0 {
        1 => range.0.to_string(),
        2 => format!("{} and {}", range.0, range.0 + 1),
        _ => format!("{} to {}", range.0, range.1 - 1),
    };
    let all: Vec<String> = ranges.iter().map(stretch).collect();
    let noun = if spans.len() == 1 { "message" } else { "messages" };
    match all.as_slice() {
        [one] => format!("{noun} {one}"),
        [rest @ .., end] => format!("{noun} {}, {end}", rest.join(", ")),
        [] => String::new(),
    }
}

/// Where the first of a fact's needles stands in a text.
pub(super) fn find(text: &str, needles: &[Needle]) -> Option<usize> {
    let folded = text.to_ascii_lowercase();
    let places = needles.iter().filter_map(|needle| match needle {
        Needle::Code(code) => text.find(code.as_str()),
        Needle::Prose(prose) => folded.find(&prose.to_ascii_lowercase()),
    });
    places.min()
}

/// At most so many characters of a text, with the place `at` (in bytes) among them.
pub(super) fn excerpt(text: &str, at: usize, characters: usize) -> String {
    let text_before = text.get(..at).unwrap_or("");
    let before = text_before.chars().count();
    // A third of the room stands before the place, so that it can be read.
    let skipped = if before < characters / 2 { 0 } else { before - characters / 3 };
    let mut shown = String::new();
    if skipped > 0 {
        shown.push('…');
    }
    let mut rest = text.chars().skip(skipped);
    shown.extend(rest.by_ref().take(characters));
    if rest.next().is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ident::MsgId;

    #[test]
    fn sets_of_messages_are_told_in_words() {
        for (ids, expected) in [
            (vec![], "no message"),
            (vec![4], "message 4"),
            (vec![4, 5], "messages 4 and 5"),
            (vec![4, 5, 6], "messages 4 to 6"),
            (vec![1, 4, 5, 6, 9], "messages 1, 4 to 6, 9"),
            (vec![1, 3, 5, 7, 9], "5 messages between 1 and 9"),
        ] {
            let spans: Spans = ids.into_iter().map(MsgId).collect();
            assert_eq!(messages(&spans), expected);
        }
    }

    #[test]
    fn excerpts_are_cut_on_characters_and_hold_the_place() {
        assert_eq!(excerpt("short", 0, 10), "short");
        assert_eq!(excerpt("größer als", 0, 5), "größe…");
        let text = format!("{}needle{}", "ä".repeat(100), "b".repeat(100));
        let at = text.find("needle");
        let cut = excerpt(&text, at.unwrap_or(0), 30);
        assert!(cut.contains("needle") && cut.starts_with('…') && cut.ends_with('…'), "{cut}");
        assert_eq!(cut.chars().count(), 32);
        assert_eq!(excerpt("any", 2, usize::MAX), "any");
    }

    #[test]
    fn the_first_needle_is_found_whatever_its_case() {
        let needles = [Needle::Prose("Never Touch".to_owned()), Needle::Code("vendor/".to_owned())];
        assert_eq!(find("in vendor/, never touch", &needles), Some(3));
        assert_eq!(find("you NEVER touch it", &needles), Some(4));
        assert_eq!(find("nothing", &needles), None);
    }
}
