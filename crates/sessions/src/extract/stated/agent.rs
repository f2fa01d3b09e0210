//! What the agent says that is worth keeping. Only plain cues count; what came of a goal and what is
//! left are looked for in the last words before the person speaks again.

use regex::Regex;

use super::cue::folded;
use crate::extract::data::PROSE;
use crate::truth::FactKind;

/// Sentences outside these lengths, in words, are headings or no sentences.
const WORDS: std::ops::RangeInclusive<usize> = 3..=45;
/// Longest sentence, in bytes.
const LONGEST: usize = 300;

/// What the sentence is, and where in its folded text the cue ends; `last` before the person speaks.
pub(super) fn of_agent(sentence: &str, last: bool) -> Option<(FactKind, usize)> {
    let words = sentence.split_whitespace().count();
    let written = sentence.starts_with(['|', '#', '{', '"', '/', '<']) || sentence.ends_with(':');
    if !WORDS.contains(&words) || sentence.len() > LONGEST || written {
        return None;
    }
    let (text, cues) = (folded(sentence), &PROSE.agent);
    let at = |pattern: &Regex| pattern.find(&text).map(|found| found.end());
    if let Some(place) = at(&cues.failed).filter(|_| !cues.open.is_match(&text)) {
        return Some((FactKind::DeadEnd, place));
    }
    if text.ends_with('?') {
        return None;
    }
    if let Some(place) = at(&cues.left).filter(|_| last) {
        return Some((FactKind::Pending, place));
    }
    if let Some(place) = at(&cues.chose).filter(|_| !cues.no_choice.is_match(&text)) {
        return Some((FactKind::Decision, place));
    }
    let place = at(&cues.came_of_it).filter(|_| last)?;
    Some((FactKind::Outcome, place))
}
