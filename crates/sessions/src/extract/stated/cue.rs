//! What kind of fact a person's sentence is, by cue words and by its place.
//!
//! The cues are plain English of rules, wishes and turns, the extractor's own. A
//! sentence that asks, supposes or reports is none, whatever words it has.

use regex::Regex;

use crate::truth::FactKind;
use crate::truth::needle::fold;

/// Sentences outside these lengths, in words, say too little or are a paste.
const WORDS: std::ops::RangeInclusive<usize> = 3..=50;
/// Longest sentence, in bytes: all needles must lie within reach of one another.
const LONGEST: usize = 320;

/// Words before the point: "ok", "and also please".
const FILLERS: &str = r"(?:(?:ok|okay|so|and|but|also|well|hmm+|ah+|oh|yes|yeah|right|please|thanks|now|then|again|careful|again|honestly|still|generally|by the way|btw|uu+m|fyi|note that|remember that|one more thing|one thing)\b[,:.!]* *)*";

patterns! {
    ASKS = &format!(
        r"\?$|^{FILLERS}(?:(?:what|why|how|who|whose|where|which)\b|(?:do|does|did|can|could|would|will|should|shall|have|has|is|are|was|were|don't|doesn't|isn't|aren't|can't|couldn't) (?:you|we|i|they|he|she|it|there|this|that|these|those|people|anyone|someone|the)\b)"
    );
    SUPPOSES = &format!(
        r"^{FILLERS}(?:what if|if (?:i|we|you|they|someone|it)\b|suppose|imagine|assuming)|\bi'm (?:only|just) asking\b|\b(?:i|we) wonder\b"
    );
    /// A word of doing or being that the person reports, rather than rules.
    REPORTS = r"(?:\b(?:i|you|we|they|he|she|it|still|just|that|this|which|who) (?:never|do not|don't|dont|really don't|avoid)|\b(?:i|we|they|he|she|it|that|this|which|who) (?:always|only)|\bnever (?:had|been|was|were|seen|saw|got|heard|told|knew|thought|mind|[a-z]+ed)|\b(?:i|they) (?:must|have to|has to|had to)|\bmust (?:be|have|say|admit|confess)|\b(?:did|does|do|was|were|are|is|has|have|could|would|am)(?: not|n't) (?:know|think|sure|work|see|agree|understand|matter|remember|seem|mean|have anything|need to know))\b";
    FORBIDS = r"\b(?:never|do not|don't|dont|must not|mustn't|(?:you|one|nobody|we) may not|should not|shouldn't|avoid|not allowed|better not|forbidden|banned|prohibited|off limits|off-limits|hands off|keep out of|stays? out of|under no circumstances|whatever you do|nothing beyond|no exceptions|not to be|(?:is|are) not (?:edited|changed|touched|committed|deleted|renamed|moved|shared|logged|written)|only ever read)\b";
    UTTERLY = r"\b(?:off limits|off-limits|hands off|under no circumstances|whatever you do|only ever read|for good|irreversible|no undo|cannot be undone|no second copy|no backups?)\b";
    DANGERS = r"\b(?:delet\w*|remov\w*|push\w*|forc(?:e|ing)|force-push\w*|commit|publish\w*|deploy\w*|drop\w*|production|prod|live|secrets?|\w+_secret|credentials?|passwords?|api keys?|pii|personal data|overwrit\w*|touch\w*|wip(?:e|es|ed|ing)|prun\w*|purg\w*|destroy\w*|truncat\w*|eras\w*|restart\w*|reset|leak\w*|customer data|migrations?)\b";
    REQUIRES = r"\b(?:always|must|only use|use only|make sure|makes sure|has to|have to|needs to|keep in mind|ensure|required|mandatory|at all times|may only|can only be|at most|at least|no more than|no later than|no exceptions|goes through|go through|belongs? (?:in|to|into)|stays? as (?:it is|they are)|stays? (?:in|on|under|below|within|compatible|unchanged|stable|deleted)|(?:is|are) frozen|from now on|we're on|has got to)\b";
    /// "Every", "nobody", "no new ...": a rule about all of something, with a verb
    /// that rules.
    UNIVERSAL = &format!(
        r"^(?:{FILLERS})(?:[^,:]{{1,40}}[,:] )?(?:every|each|all|any|anything|everything|nobody|no one|nothing|none of|whoever)\b.{{0,60}}?\b(?:may|can|must|should|shall|needs?|has|goes|go|gets?|carr(?:y|ies)|stays?|lives?|belongs?|starts?|begins?|ends?|uses?|comes?|pays?|push(?:es)?|touch(?:es)?|(?:is|are) (?:written|named|kept|stored|checked|reviewed|tested|logged|tagged|prefixed|in|to be))\b"
    );
    NO_SUCH = &format!(
        r"^{FILLERS}(?:[^,:]{{1,30}}[,:] )?no (?:(?:new|more|extra|further|global|additional|other|force|third[- ]party|external|magic|raw|direct|public|hard[- ]?coded)\b|\w+ing\b|\w+s\b)"
    );
    /// What "no ..." and "all ..." also begin.
    NO_RULE = r"\b(?:no (?:idea|problem|worries|need|rush|matter|thanks|wonder|clue|doubt|luck|change|changes|errors?|difference|success|response|results?|output|news|hurry|issues?|longer)|all (?:good|right|clear|set|done|tests|the|this|of)|(?:everything|nothing|anything) (?:works?|worked|is|looks?|looked|failed|fails|else|happens|happened|shows?|came))\b";
    PREFERS = r"\b(?:(?:i|we|i'd|i would|we'd) (?:\w+ )?prefer|my preference|prefers?|i'd (?:rather|sooner|keep|take|be happier|much rather)|i would rather|i like (?:it when|that|to|when|how|my|our)|i'm (?:not )?(?:a )?(?:big )?(?:fan|fond) of|not (?:a fan|fond) of|i'm more of|happier with|better to|its better|it's better|would be (?:nice|nicer|my pick|my choice)|if possible|ideally|for my taste|reads? (?:best|better|nicer)|i find .{1,40} (?:hard|easier|ugly|confusing|annoying|nicer|clearer|noisy)|rather .{2,40} than|as always|you know me|(?:shorter|longer|smaller|fewer|simpler|less|more) .{2,40} please|please (?:keep|be) .{0,20}(?:short|brief|simple|concise)|i don't (?:like|care for))\b";
    WANTS = r"\b(?:i'd prefer you to|i like (?:it|this|that)[.!]?$)";
    /// Opening words that turn the work round, after the agent had its say.
    TURNS_BEFORE = r"^(?:(?:ok|okay|ah+|oh|hmm+|uu+m|sorry|well|right|yes|but|and|then|now|also)[,.!: ]+)*(?:(?:no|nope|nah)(?:[,.!:;] *\w|  *(?:not|that|this|i|you|we|don't|just|the other|remove|undo|revert|use|keep|drop|leave|do|it'?s|let'?s|stop|go|only|please)\b)|(?:wait|stop|hold on|hang on|whoa)\b|not (?:that|this|in|like|quite|there|the|what|so|with)\b|wrong\b|(?:that'?s|this is|thats|it'?s) (?:not|wrong)\b|(?:undo|revert|roll back|go back|back out|scratch|forget|skip|abandon|cancel)\b|then \w+|never mind\b|actually,? (?:use|do|let|make|keep|i|we|don't|drop|leave|remove|put|go|that|no)\b|instead\b|let'?s (?:try|do|use) (?:something|it|the) (?:else|differently|other)|do nothing\b|i (?:meant|said|only asked|changed my mind|don't want|didn't (?:ask|mean|want))\b)|^.{4,60} then[.!]?$";
    /// Anywhere in a sentence these do.
    TURNS = r"(?:\b(?:instead of|not what i|thats not|that's not|that's wrong|let's not (?:do|go|use|add|change)|something else|again, the|changed my mind|i meant|i only asked|i don't want|were a mistake|was a mistake|instead)\b|(?:^|[,;:.] *(?:then |and |so |just |please )?)(?:undo|revert|scratch|forget|abandon|roll back|go back to|take [^,.]{2,40} (?:out|back)|put [^,.]{2,40} back|leave [^,.]{2,40} (?:alone|aside|out)|drop [^,.]{2,40} (?:again|entirely|completely)|remove [^,.]{2,40} again|strip)\b|\b(?:is|are) out,)";
    /// A turn put as a question: "can you remove the tests again".
    TURNS_ASKED = r"^(?:can|could|would|will) you (?:please )?(?:(?:remove|take|put|drop|change|move|delete|switch)\b.*\b(?:again|back)\b|undo\b|revert\b|roll back\b)";
    LATER = r"\b(?:todo|in (?:the )?future|follow[- ]up|afterwards|at some point|later on|(?:comes?|done|do (?:it|that|this)) later|for later|can wait|still owe|still (?:has|have|needs?) to|not done yet|remind me|let's not forget|(?:don't|do not) forget|next (?:week|month|sprint|release|quarter|year)|another day|when this is merged|(?:look at|deal with|come back to|tackle) .{0,20}(?:later|after|once|when)|(?:we|i)'ll (?:do|look|fix|handle|deal|come back to|write|send|tell|check|add|tackle|see) .{0,60}\b(?:after|once|later|tomorrow|tonight|next)\b|improve this)\b";
    CHOOSES = r"\b(?:let's (?:go (?:with|for)|use|store|stick (?:with|to)|settle (?:on|for)|take|keep)|we (?:decided|settled|agreed) (?:on|to|that)?|decided\b|i decided|going with|(?:i think )?we should (?:also )?(?:use|keep|store|go|take|put))\b";
}

/// What a person's sentence is, and where in its folded text the cue stands.
/// `opens` where it is among the first of a message that answers the agent.
pub(super) fn of_person(sentence: &str, opens: bool) -> Option<(FactKind, usize)> {
    let words = sentence.split_whitespace().count();
    if !WORDS.contains(&words) || sentence.len() > LONGEST {
        return None;
    }
    let text = folded(sentence);
    if TURNS_ASKED.is_match(&text) {
        return Some((FactKind::Direction, 0));
    }
    if ASKS.is_match(&text) || SUPPOSES.is_match(&text) {
        return None;
    }
    let at = |pattern: &Regex| pattern.find(&text).map(|found| found.start());
    let reports = REPORTS.is_match(&text);
    let danger = DANGERS.is_match(&text) || UTTERLY.is_match(&text);
    let rule = if danger { FactKind::SafetyRule } else { FactKind::Constraint };
    let no_such = (NO_SUCH.is_match(&text) && !NO_RULE.is_match(&text)).then_some(0);
    let turned = || opens && TURNS_BEFORE.is_match(&text);
    if no_such.is_none() && turned() {
        return Some((FactKind::Direction, 0));
    }
    if let Some(place) = at(&FORBIDS).filter(|_| !reports).or(no_such) {
        let later = LATER.is_match(&text) && text.contains("forget");
        return Some(if later { (FactKind::Pending, 0) } else { (rule, place) });
    }
    if let Some(place) = at(&TURNS) {
        return Some((FactKind::Direction, place));
    }
    if let Some(place) = at(&PREFERS).filter(|_| !WANTS.is_match(&text)) {
        return Some((FactKind::Preference, place));
    }
    if let Some(place) = at(&LATER) {
        return Some((FactKind::Pending, place));
    }
    if UNIVERSAL.is_match(&text) && !NO_RULE.is_match(&text) {
        return Some((FactKind::Constraint, 0));
    }
    if let Some(place) = at(&REQUIRES).filter(|_| !reports) {
        return Some((FactKind::Constraint, place));
    }
    at(&CHOOSES).map(|place| (FactKind::Decision, place))
}

/// Whether the sentence forbids, rather than demands.
pub(super) fn forbids(sentence: &str) -> bool {
    let text = folded(sentence);
    FORBIDS.is_match(&text) || NO_SUCH.is_match(&text)
}

/// Folded, with a typewriter's apostrophes.
pub(super) fn folded(sentence: &str) -> String {
    fold(sentence).replace('\u{2019}', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cue_makes_a_sentence_a_fact_of_its_kind() {
        use FactKind::{Constraint, Direction, Pending, Preference, SafetyRule};
        for (sentence, opens, kind) in [
            ("never push to the orchard branch", false, Some(SafetyRule)),
            ("please don\u{2019}t use global valves", false, Some(Constraint)),
            ("all pumps must stop first", false, Some(Constraint)),
            ("make sure the gate is closed", false, Some(Constraint)),
            ("it's better to water at night", false, Some(Preference)),
            ("no remove this again, the pump leaks", true, Some(Direction)),
            ("there are no pumps", false, None),
            ("use the small pump instead of the big one", false, Some(Direction)),
            ("we can fix the fence in future", false, Some(Pending)),
            // Reports and questions are no rules.
            ("I don't know which pump leaks", false, None),
            ("don't we need the pump here?", false, None),
            ("it must be the old valve", false, None),
            ("open the valve and water the trees", true, None),
            ("yes", true, None),
        ] {
            let found = of_person(sentence, opens).map(|(kind, _)| kind);
            assert_eq!(found, kind, "{sentence}");
        }
    }
}
