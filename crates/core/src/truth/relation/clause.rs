//! A text as clauses: which sentences there are, what they stand under, and whether they state, ask
//! or take back what they say. The words for this are `cues.toml`.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;

use super::cue::CUES;

/// A line from this length on, without a mark at its end, runs on in the next.
const WRAPPED: usize = 60;
/// A sentence that takes back the one before it is shorter, in bytes.
const BRIEF: usize = 160;

/// How a clause says what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mood {
    Stated,
    /// Asked or doubted.
    Open,
    /// Taken back, or never claimed.
    Denied,
}

/// A clause or a structured line. How it says what it says is read when that is asked: of most
/// clauses nothing is.
#[derive(Debug, Default)]
pub(super) struct Clause {
    pub(super) at: Range<usize>,
    /// Another clause takes it back.
    taken_back: bool,
    /// Another clause lifts it.
    lifted: bool,
    /// It stands in a frame that leaves it open.
    pub(super) framed: bool,
    own_mood: OnceCell<Mood>,
    own_lifts: OnceCell<bool>,
    /// The headings that it stands under, outermost first, as places in `Clauses::headings`.
    pub(super) under: Vec<usize>,
    /// The line or paragraph that it is part of.
    pub(super) block: Range<usize>,
}

/// A text as clauses.
#[derive(Debug, Default)]
pub(in crate::truth) struct Clauses {
    /// The text without the words of facts: a name may well hold a word that takes back.
    pub(super) masked: String,
    pub(super) clauses: Vec<Clause>,
    pub(super) headings: Vec<Range<usize>>,
}

impl Clauses {
    /// Of a text in which facts and topics stand at these places. A tag is a heading where the text
    /// was `written`, and is no message.
    pub(in crate::truth) fn of<'a>(
        text: &str,
        names: impl Iterator<Item = &'a Range<usize>>,
        written: bool,
    ) -> Clauses {
        let mut masked = text.as_bytes().to_vec();
        for at in names {
            masked[at.clone()]
                .iter_mut()
                .filter(|byte| byte.is_ascii_alphanumeric())
                .for_each(|byte| *byte = b'x');
        }
        // OK because only ASCII was put in place of ASCII.
        let masked = String::from_utf8(masked).unwrap_or_else(|_| text.to_owned());
        let mut clauses = Clauses::default();
        clauses.split(&masked, written);
        clauses.take_back(&masked);
        Clauses { masked, ..clauses }
    }

    fn split(&mut self, text: &str, written: bool) {
        let mut stack: Vec<(usize, usize)> = Vec::new();
        let mut lines = lines(text).peekable();
        while let Some(mut line) = lines.next() {
            let words = &text[line.clone()];
            if words.trim().is_empty() {
                stack.retain(|(level, _)| *level < LABEL);
                continue;
            }
            let tag = (written && is_tag(words)).then_some(LABEL);
            if let Some(level) = tag.or_else(|| heading(words)) {
                stack.retain(|(other, _)| *other < level);
                stack.push((level, self.headings.len()));
                self.clauses.push(Clause::new(line.clone(), line.clone(), Vec::new()));
                self.headings.push(line);
                continue;
            }
            while let Some(next) =
                lines.next_if(|next| runs_on(&text[line.clone()], &text[next.clone()]))
            {
                line.end = next.end;
            }
            let under: Vec<usize> = stack.iter().map(|(_, heading)| *heading).collect();
            for at in sentences(text, line.clone()) {
                self.clauses.push(Clause::new(at, line.clone(), under.clone()));
            }
            // A comment speaks of the line below it and of no other.
            stack.retain(|(level, _)| *level < COMMENT);
        }
    }

    /// The clauses that can speak of a topic: those that name it, the next ones, and those that stand
    /// under a heading which does.
    pub(super) fn about(&self, topics: &[Range<usize>]) -> BTreeSet<usize> {
        let mut about = BTreeSet::new();
        for topic in topics {
            let behind = self.clauses.partition_point(|clause| clause.at.start <= topic.start);
            let Some(place) = behind.checked_sub(1) else { continue };
            if topic.end > self.clauses[place].at.end {
                continue;
            }
            about.extend(place..self.clauses.len().min(place + 2));
            let start = self.clauses[place].at.start;
            let Ok(heading) = self.headings.binary_search_by_key(&start, |of| of.start) else {
                continue;
            };
            // A heading that another has ended stands above no later clause.
            let below = self.clauses[behind..].iter().zip(behind..);
            let below = below.filter(|(clause, _)| !self.is_heading(clause));
            let under = below.take_while(|(clause, _)| clause.under.contains(&heading));
            about.extend(under.map(|(_, place)| place));
        }
        about
    }

    pub(super) fn is_heading(&self, clause: &Clause) -> bool {
        self.headings.binary_search_by_key(&clause.at.start, |of| of.start).is_ok()
    }

    /// What a sentence says of the one before it, or of all around it.
    fn take_back(&mut self, text: &str) {
        for place in 0..self.clauses.len() {
            let clause = &self.clauses[place];
            let said = &text[clause.at.clone()];
            let of = if CUES.whole.is_match(said) {
                0..self.clauses.len()
            } else if place > 0 && said.len() < BRIEF && CUES.back.is_match(said) {
                place - 1..place
            } else {
                continue;
            };
            let (denies, lifts) =
                (CUES.revoked.is_match(said) || denies_itself(said), clause.lifts(text));
            if !denies && !lifts {
                continue;
            }
            let section = clause.under.first().copied();
            let around = |clause: &&mut Clause| {
                section.is_none() || clause.under.first().copied() == section
            };
            for clause in self.clauses[of].iter_mut().filter(around) {
                clause.lifted |= lifts;
                clause.taken_back |= denies;
            }
        }
    }
}

pub(super) fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let from = start;
        start += line.len();
        from..from + line.trim_end_matches(['\n', '\r']).len()
    })
}

/// Levels of headings: `#` to `######` are 1 to 6.
const BOLD: usize = 7;
const LABEL: usize = 8;
const COMMENT: usize = 9;

/// The level of a heading, a label or a comment; `None` for any other line.
fn heading(line: &str) -> Option<usize> {
    let line = line.trim();
    let marks = line.bytes().take_while(|byte| *byte == b'#').count();
    if (1..=6).contains(&marks) && line[marks..].starts_with(' ') {
        return Some(if marks == 1 && line.len() > 2 && line.contains('=') {
            COMMENT
        } else {
            marks
        });
    }
    if line.starts_with("**") && (line.ends_with("**") || line.ends_with("**:")) && line.len() > 4 {
        return Some(BOLD);
    }
    if line.starts_with("//") || line.starts_with("-- ") || line.starts_with("/*") {
        return Some(COMMENT);
    }
    (line.ends_with(':') && line.split_whitespace().count() <= 12).then_some(LABEL)
}

/// Whether a line is an opening tag.
fn is_tag(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('<')
        && line.ends_with('>')
        && line.rfind('<') == Some(0)
        && !line.starts_with("</")
}

/// Whether a line goes on in the next: prose that was wrapped, or one more deeply indented.
fn runs_on(line: &str, next: &str) -> bool {
    let (body, more) = (line.trim_end(), next.trim_start());
    let depth = |line: &str| line.len() - line.trim_start().len();
    let item = more.starts_with(['-', '*', '+', '#', '|', '>', '`', '/'])
        || more.split_once(['.', ')']).is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    if more.is_empty() || item || heading(next).is_some() {
        return false;
    }
    let last = body.rsplit('\n').next().unwrap_or(body);
    let wrapped =
        last.len() >= WRAPPED && body.ends_with(|c: char| c.is_alphanumeric() || c == ',');
    let word = more.split_whitespace().next().unwrap_or_default();
    let prose = word.chars().all(|c| c.is_ascii_lowercase() || c == ',');
    let first = !body.contains('\n');
    (wrapped && prose) || (first && depth(next) >= depth(line) + 2 && depth(next) > 0)
}

/// The sentences of a block, cut behind marks that white space follows.
pub(super) fn sentences(text: &str, block: Range<usize>) -> Vec<Range<usize>> {
    let body = &text[block.clone()];
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, mark) in body.match_indices(['.', '!', '?']) {
        let to = at + mark.len();
        let closes = !body[..at].ends_with(|c: char| c == '.' || c.is_whitespace());
        if closes && body[to..].starts_with(char::is_whitespace) {
            parts.push(block.start + from..block.start + to);
            from = to;
        }
    }
    parts.push(block.start + from..block.end);
    parts.retain(|part| !text[part.clone()].trim().is_empty());
    parts
}

impl Clause {
    fn new(at: Range<usize>, block: Range<usize>, under: Vec<usize>) -> Clause {
        Clause { at, block, under, ..Clause::default() }
    }

    /// Whether it lifts a rule, or has an approach work after all; `text` is masked.
    pub(super) fn lifts(&self, text: &str) -> bool {
        let own = || CUES.lifted.is_match(&text[self.at.clone()]);
        self.lifted || *self.own_lifts.get_or_init(own)
    }

    /// How it says what it says, with what others say of it.
    pub(super) fn mood(&self, of: &Clauses) -> Mood {
        if self.taken_back {
            return Mood::Denied;
        }
        match self.own_mood.get_or_init(|| self.read(&of.masked, &of.headings)) {
            Mood::Stated if self.framed => Mood::Open,
            mood => *mood,
        }
    }

    fn read(&self, text: &str, headings: &[Range<usize>]) -> Mood {
        let said = &text[self.at.clone()];
        let disowned = |place: &usize| {
            let heading = &text[headings[*place].clone()];
            (heading.starts_with('#') || is_brief(heading)) && CUES.disowned.is_match(heading)
        };
        let struck = said.trim().trim_matches(['-', '*', ' ']).starts_with("~~");
        let is_false = said.trim_end_matches([',', ' ', '}']).ends_with(": false");
        let denied = struck || is_false || CUES.revoked.is_match(said) || denies_itself(said);
        let open = || said.trim_end().ends_with('?') || CUES.doubt.is_match(said);
        match denied || self.under.iter().any(disowned) {
            true => Mood::Denied,
            false if open() => Mood::Open,
            false => Mood::Stated,
        }
    }
}

/// A label before the first colon, or a few words alone, that disown what they speak of.
fn denies_itself(said: &str) -> bool {
    let label = said.split_once(": ").map(|(label, _)| label);
    let plain = |label: &&str| !label.contains(['(', ')', '=', '{', '_', '/']);
    label
        .filter(|label| is_brief(label))
        .filter(plain)
        .is_some_and(|label| CUES.disowned.is_match(label))
        || (is_brief(said) && CUES.back.is_match(said) && CUES.disowned.is_match(said))
}

fn is_brief(words: &str) -> bool {
    words.split_whitespace().count() <= 6
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// No clause is passed over that names a topic, follows one that does, or stands under a
        /// heading that does.
        #[test]
        fn every_clause_that_can_speak_of_a_topic_is_judged(
            text in "((## |# |\\*\\*|- |// |  )?(kelp|drift|The kelp holds|It was set)(\\. |, |:|\\*\\*)?(kelp|berth one)?\n{1,2}){1,12}",
        ) {
            let topics: Vec<Range<usize>> =
                text.match_indices("kelp").map(|(at, word)| at..at + word.len()).collect();
            let clauses = Clauses::of(&text, topics.iter(), false);
            let about = clauses.about(&topics);
            let names = |at: &Range<usize>| {
                topics.iter().any(|topic| at.start <= topic.start && topic.end <= at.end)
            };
            for (place, clause) in clauses.clauses.iter().enumerate() {
                let before = place.checked_sub(1).map(|before| &clauses.clauses[before]);
                let can = names(&clause.at)
                    || before.is_some_and(|before| names(&before.at))
                    || clause.under.iter().any(|heading| names(&clauses.headings[*heading]));
                prop_assert!(!can || about.contains(&place), "{place} of {text:?}");
            }
        }
    }
}
