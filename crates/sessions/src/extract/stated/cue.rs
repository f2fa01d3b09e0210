//! What kind of fact a sentence is, by cue words and by its place. A person's sentence that asks,
//! supposes or reports is none. Of the agent's only plain cues count; what came of a goal and what
//! is left are looked for in its last words before the person speaks again.

use regex::Regex;

use crate::extract::data::PROSE;
use crate::truth::FactKind;
use crate::truth::needle::fold;

/// Sentences outside these lengths, in words, say too little or are a paste.
const WORDS: std::ops::RangeInclusive<usize> = 3..=50;
/// Longest sentence, in bytes: all needles must lie within reach of one another.
const LONGEST: usize = 320;

/// What the sentence is, and where in its folded text the cue stands. `opens` where it is among the
/// first of a message that answers the agent.
pub(super) fn of_person(sentence: &str, opens: bool) -> Option<(FactKind, usize)> {
    let words = sentence.split_whitespace().count();
    if !WORDS.contains(&words) || sentence.len() > LONGEST {
        return None;
    }
    let (text, cues) = (folded(sentence), &PROSE.person);
    if cues.turns_asked.is_match(&text) {
        return Some((FactKind::Direction, 0));
    }
    if cues.asks.is_match(&text) || cues.supposes.is_match(&text) {
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
    at(&cues.chooses).map(|place| (FactKind::Decision, place))
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
const AGENT_WORDS: std::ops::RangeInclusive<usize> = 3..=45;
const AGENT_LONGEST: usize = 300;

/// What the sentence is, and where in its folded text the cue ends; `last` before the person
/// speaks.
pub(super) fn of_agent(sentence: &str, last: bool) -> Option<(FactKind, usize)> {
    let words = sentence.split_whitespace().count();
    let written = sentence.starts_with(['|', '#', '{', '"', '/', '<']) || sentence.ends_with(':');
    if !AGENT_WORDS.contains(&words) || sentence.len() > AGENT_LONGEST || written {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cue_makes_a_sentence_a_fact_of_its_kind() {
        for (sentence, opens, kind) in crate::cases::<(String, bool, Vec<FactKind>)>("sentences") {
            let found = of_person(&sentence, opens).map(|(kind, _)| kind);
            assert_eq!(found.as_slice(), kind, "{sentence}");
        }
    }
}
