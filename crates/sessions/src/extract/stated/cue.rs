//! What kind of fact a sentence is, by cue words and by its place. A person's sentence that asks,
//! supposes or reports is none. Of the agent's only plain cues count; what came of a goal and what
//! is left are looked for in its last words before the person speaks again.

use regex::Regex;

use crate::extract::data::PROSE;
use crate::truth::FactKind;
use crate::truth::fold::fold;

/// Sentences outside these lengths, in words, say too little or are a paste.
const WORDS: std::ops::RangeInclusive<usize> = 3..=50;
/// Longest sentence, in bytes: all needles must lie within reach of one another.
const LONGEST: usize = 320;

/// What the sentence is, and where in its folded text the cue stands. `opens` where it is among the
/// first of a message that answers the agent.
pub(super) fn of_person(sentence: &str, opens: bool, brief: bool) -> Option<(FactKind, usize)> {
    let words = sentence.split_whitespace().count();
    let heading = sentence.starts_with('#') || sentence.ends_with(':');
    if !WORDS.contains(&words) || sentence.len() > LONGEST || heading {
        return None;
    }
    let (text, cues) = (folded(sentence), &PROSE.person);
    if cues.turns_asked.is_match(&text) || cues.asks_for.is_match(&text) {
        return Some((FactKind::Direction, 0));
    }
    if cues.asks.is_match(&text) || cues.supposes.is_match(&text) || cues.chats.is_match(&text) {
        return None;
    }
    let at = |pattern: &Regex| pattern.find(&text).map(|found| found.start());
    let reports = cues.reports.is_match(&text);
    let danger = cues.dangers.is_match(&text) || cues.utterly.is_match(&text);
    let rule = if danger { FactKind::SafetyRule } else { FactKind::Constraint };
    let no_such = (cues.no_such.is_match(&text) && !cues.no_rule.is_match(&text)).then_some(0);
    let turned = || opens && cues.turns_before.is_match(&text);
    if no_such.is_none() && turned() {
        return Some((FactKind::Direction, 0));
    }
    if let Some(place) = at(&cues.forbids).filter(|_| !reports).or(no_such) {
        let later = cues.later.is_match(&text) && text.contains("forget");
        return Some(if later { (FactKind::Pending, 0) } else { (rule, place) });
    }
    if let Some(place) = at(&cues.turns) {
        return Some((FactKind::Direction, place));
    }
    if let Some(place) = at(&cues.prefers).filter(|_| !cues.wants.is_match(&text)) {
        return Some((FactKind::Preference, place));
    }
    if let Some(place) = at(&cues.later) {
        return Some((FactKind::Pending, place));
    }
    if cues.universal.is_match(&text) && !cues.no_rule.is_match(&text) {
        return Some((FactKind::Constraint, 0));
    }
    if let Some(place) = at(&cues.requires).filter(|_| !reports) {
        return Some((FactKind::Constraint, place));
    }
    if let Some(place) = at(&cues.chooses) {
        return Some((FactKind::Decision, place));
    }
    if brief && at(&cues.works).is_some() {
        return Some((FactKind::Outcome, 0));
    }
    // What is no question and no chat is what the person wants done, or says that happened.
    if reports {
        return None;
    }
    if cues.orders.is_match(&text) {
        return Some((FactKind::Direction, 0));
    }
    let kind = if cues.tells.is_match(&text) { FactKind::Outcome } else { FactKind::Direction };
    (brief && !cues.thinks.is_match(&text)).then_some((kind, 0))
}

/// Whether a line was pasted: output of a program, or code.
pub(super) fn is_pasted(line: &str) -> bool {
    let line = line.trim();
    let marks = line.chars().filter(|c| !(c.is_alphanumeric() || c.is_whitespace())).count();
    let begins = ["at ", "{", "$ ", "> ", "✓", "error:", "Error:", "//", "<"];
    begins.iter().any(|begin| line.starts_with(begin))
        || line.ends_with([';', '{', '}'])
        || (line.len() > 30 && marks * 4 > line.len())
}

/// Whether a sentence agrees, thanks or greets, and says no more.
pub(super) fn is_chat(sentence: &str) -> bool {
    PROSE.person.chats.is_match(&folded(sentence))
}

/// Whether the sentence forbids, rather than demands.
pub(super) fn forbids(sentence: &str) -> bool {
    let (text, cues) = (folded(sentence), &PROSE.person);
    cues.forbids.is_match(&text) || cues.no_such.is_match(&text)
}

/// Folded, with a typewriter's apostrophes.
pub(super) fn folded(sentence: &str) -> String {
    fold(sentence).replace('\u{2019}', "'")
}

/// The same of the agent; shorter ones are headings.
const AGENT_WORDS: std::ops::RangeInclusive<usize> = 4..=45;
const AGENT_LONGEST: usize = 300;

/// Where a sentence of the agent stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// In what it says before the person speaks.
    pub last: bool,
    /// Whether nothing of weight stands before it in its message.
    pub first: bool,
    /// In an item of a list.
    pub item: bool,
    /// Below a heading of what is left.
    pub below: bool,
}

/// Whether a line is a heading, or stands for one.
pub(super) fn is_heading(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('#') || line.ends_with(':') || line.ends_with(":**")
}

pub(super) fn is_of_what_is_left(heading: &str) -> bool {
    PROSE.agent.left_below.is_match(&folded(heading))
}

/// What a sentence of the agent is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    pub kind: FactKind,
    /// Where in the folded text its cue ends.
    pub cue: usize,
    /// How plainly it says so.
    pub weight: u8,
}

/// The weight of one of many lines, which count where nothing plainer is said.
pub(super) const LISTED: u8 = 0;

pub(super) fn of_agent(sentence: &str, place: Place) -> Option<Told> {
    use FactKind::{DeadEnd, Decision, Outcome, Pending};
    let words = sentence.split_whitespace().count();
    let opens = place.first && place.last;
    let written = sentence.starts_with(['|', '#', '{', '"', '/', '<'])
        || (sentence.trim_end_matches('*').ends_with(':') && !opens);
    if !AGENT_WORDS.contains(&words) || sentence.len() > AGENT_LONGEST || written {
        return None;
    }
    let (text, cues) = (folded(sentence), &PROSE.agent);
    let at = |pattern: &Regex| pattern.find(&text).map(|found| found.end());
    let told = |kind, weight, cue| Told { kind, cue, weight };
    if let Some(cue) = at(&cues.failed).filter(|_| !cues.open.is_match(&text)) {
        return Some(told(DeadEnd, 1, cue));
    }
    if text.ends_with('?') || is_chat(sentence) {
        return None;
    }
    if place.last && place.item && place.below {
        return Some(told(Pending, 1, 0));
    }
    if let Some(cue) = at(&cues.left).filter(|_| place.last) {
        return Some(told(Pending, 1, cue));
    }
    if at(&cues.found).is_some() {
        return Some(told(Outcome, 4, 0));
    }
    if let Some(cue) = at(&cues.chose).filter(|_| !cues.no_choice.is_match(&text)) {
        return Some(told(Decision, 2, cue));
    }
    if let Some(cue) = at(&cues.came_of_it).filter(|_| place.last) {
        return Some(told(Outcome, 3, cue));
    }
    if at(&cues.will).is_some() {
        return Some(told(Decision, 1, 0));
    }
    let begins = cues.begins.is_match(&text);
    if opens && !begins {
        return Some(told(Outcome, 2, 0));
    }
    let names = sentence.contains('`') && PROSE.person.tells.is_match(&text);
    if names && !begins && !place.last {
        return Some(told(Outcome, 1, 0));
    }
    let listed = place.last && (at(&cues.did).is_some() || at(&cues.entry).is_some());
    (listed && !begins).then(|| told(Outcome, LISTED, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cue_makes_a_sentence_a_fact_of_its_kind() {
        for (sentence, opens, kind) in crate::cases::<(String, bool, Vec<FactKind>)>("sentences") {
            let found = of_person(&sentence, opens, true).map(|(kind, _)| kind);
            assert_eq!(found.as_slice(), kind, "{sentence}");
        }
    }
}
