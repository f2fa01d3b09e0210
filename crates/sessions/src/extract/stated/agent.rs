//! What the agent says that is worth keeping: decisions, dead ends, outcomes, and
//! what is left to do.
//!
//! An agent talks all the time, and most of it is about the next moment. Only
//! plain cues count; what came of a goal and what is left are looked for in the
//! last words before the person speaks again.

use regex::Regex;

use super::cue::folded;
use crate::truth::FactKind;

/// Sentences outside these lengths, in words, are headings or no sentences.
const WORDS: std::ops::RangeInclusive<usize> = 3..=45;
/// Longest sentence, in bytes.
const LONGEST: usize = 300;

patterns! {
    FAILED = r"\b(?:ruled out|dead end|abandon(?:ed|ing)|gave up|given up on|not viable|no way out|is pointless|of no use|off the table|is not the cause|made no difference|won't do|cannot work|(?:tried|attempted|attempt|approach|trying|option|buffering|using|adding|moving|editing|switching|changing|reloading|restarting)\b.{0,120}\b(?:did not|didn't|does not|doesn't|won't|cannot|can't|failed|fails|broke|made it worse|no effect|is too late|was too slow))\b";
    /// Not yet given up: an attempt that is still to come or merely asked about.
    OPEN = r"\b(?:if|whether|might|may|could|would|let me|let's|i'll try|should i)\b|\?$";
    CHOSE = r"^decision:|\b(?:(?:i|we)(?:'ve| have)? (?:decided|chose|opted|settled)|decided (?:to|on|against)|(?:i'm|we're|i am) going (?:with|for)|going with|(?:i|we)(?:'ll| will) (?:go with|go for|stick with)|(?:i|we)(?:'ll| will) [^.]{3,80} instead of|it is(?: used)?(?:, [^.]*)?\.$)|^(?:so|then) .{4,120}\binstead\b";
    /// "It is." also ends what is no choice.
    NO_CHOICE = r"\b(?:what|where|how|as|than|whatever|which|that) it is\b";
    CAME_OF_IT = r"^(?:done|fixed|finished|resolved|implemented|completed?)\b[^?]*$|\ball (?:\w+ ){0,3}(?:tests?|checks?) (?:now )?pass|\b(?:is|are|has been|have been) (?:now )?(?:fixed|done|finished|resolved|implemented|complete)\b|^(?:the |an? |`)?[^.?]{3,80}\bnow (?:keeps?|works?|returns?|shows?|counts?|survives?|passes|handles?|includes?|supports?|matches|accepts?|stores?)\b|\b(?:works?|delivers?|runs?|passes) again\b|^(?:tests|everything|all tests) pass";
    LEFT = r"\b(?:still to do|not done yet|left open|(?:is|are) left (?:to|for|out)|(?:is|are|remains?) (?:still )?open\b|remains? to be|has to be run again|(?:still|yet) (?:needs?|has|have) to|still to be|follow[- ]ups?\b|can be (?:removed|done|added) (?:after|later|once)|once .{3,60} (?:is|are) back)";
}

/// What the agent's sentence is, and where in its folded text the cue ends.
/// `last` where the person speaks next.
pub(super) fn of_agent(sentence: &str, last: bool) -> Option<(FactKind, usize)> {
    let words = sentence.split_whitespace().count();
    let written = sentence.starts_with(['|', '#', '{', '"', '/', '<']) || sentence.ends_with(':');
    if !WORDS.contains(&words) || sentence.len() > LONGEST || written {
        return None;
    }
    let text = folded(sentence);
    let at = |pattern: &Regex| pattern.find(&text).map(|found| found.end());
    if let Some(place) = at(&FAILED).filter(|_| !OPEN.is_match(&text)) {
        return Some((FactKind::DeadEnd, place));
    }
    if text.ends_with('?') {
        return None;
    }
    if let Some(place) = at(&LEFT).filter(|_| last) {
        return Some((FactKind::Pending, place));
    }
    if let Some(place) = at(&CHOSE).filter(|_| !NO_CHOICE.is_match(&text)) {
        return Some((FactKind::Decision, place));
    }
    let place = at(&CAME_OF_IT).filter(|_| last)?;
    Some((FactKind::Outcome, place))
}
