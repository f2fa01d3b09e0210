//! What a line or a section of a summary is about.
//!
//! The cues are ordinary English words, chosen without regard to how any scenario
//! is phrased: a summarizer that knew the wording of the synthesizer would be
//! marked on its own crib.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

/// What something is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Goal,
    Direction,
    Constraint,
    Decision,
    Outcome,
    Finding,
    DeadEnd,
    Error,
    Artifact,
    State,
    Pending,
}

impl Topic {
    pub(super) const COUNT: usize = 11;

    /// In the order in which plain answers tell them.
    pub(super) const ALL: [Topic; Topic::COUNT] = [
        Topic::Goal,
        Topic::Direction,
        Topic::Constraint,
        Topic::Decision,
        Topic::Outcome,
        Topic::Finding,
        Topic::DeadEnd,
        Topic::Error,
        Topic::Artifact,
        Topic::State,
        Topic::Pending,
    ];

    /// How a section about it opens. Neutral as to "must" and "not": the sense of
    /// a line is to come from the line, never from us.
    pub(super) fn lead_in(self) -> &'static str {
        match self {
            Topic::Goal => "What I am after:",
            Topic::Direction => "What the user asked of me:",
            Topic::Constraint => "What I hold to:",
            Topic::Decision => "What I settled:",
            Topic::Outcome => "What I did:",
            Topic::Finding => "What I know:",
            Topic::DeadEnd => "What I learned from attempts:",
            Topic::Error => "What I ran into:",
            Topic::Artifact => "What I worked with:",
            Topic::State => "Where I am:",
            Topic::Pending => "What is ahead of me:",
        }
    }

    /// How much room a section about it gets beside others: what only the user
    /// could say again weighs most, what a look at the files brings back least.
    pub(super) fn weight(self) -> u64 {
        match self {
            Topic::Goal | Topic::Direction | Topic::Constraint | Topic::DeadEnd => 4,
            Topic::Decision | Topic::Outcome | Topic::Finding => 3,
            Topic::Error | Topic::Artifact | Topic::State | Topic::Pending => 2,
        }
    }

    /// Where a line about this goes if no section asks for it, best first.
    pub(super) fn neighbours(self) -> &'static [Topic] {
        match self {
            Topic::Goal => &[Topic::Direction, Topic::State, Topic::Pending],
            Topic::Direction => &[Topic::Goal, Topic::Constraint, Topic::Pending],
            Topic::Constraint => &[Topic::Direction, Topic::Goal, Topic::Finding],
            Topic::Decision => &[Topic::Finding, Topic::Outcome, Topic::Constraint],
            Topic::Outcome => &[Topic::State, Topic::Finding, Topic::Decision],
            Topic::Finding => &[Topic::Decision, Topic::Outcome, Topic::Artifact],
            Topic::DeadEnd => &[Topic::Error, Topic::Finding, Topic::Decision],
            Topic::Error => &[Topic::Finding, Topic::Artifact, Topic::DeadEnd],
            Topic::Artifact => &[Topic::Finding, Topic::Outcome, Topic::State],
            Topic::State => &[Topic::Pending, Topic::Outcome, Topic::Finding],
            Topic::Pending => &[Topic::State, Topic::Outcome, Topic::Goal],
        }
    }
}

/// A set of topics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Topics(u16);

impl Topics {
    pub(super) const NONE: Topics = Topics(0);

    pub(super) fn contains(self, topic: Topic) -> bool {
        self.0 & (1 << topic as u16) != 0
    }

    pub(super) fn with(self, topic: Topic) -> Topics {
        Topics(self.0 | 1 << topic as u16)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Topic> {
        Topic::ALL.into_iter().filter(move |&topic| self.contains(topic))
    }

    /// What a section with this title holds; none if the title says nothing we know.
    pub(super) fn of_title(title: &str) -> Topics {
        let folded = title.to_lowercase().replace(['_', '-'], " ");
        let matching = TITLES.iter().filter(|(word, _)| folded.contains(word));
        Topics(matching.fold(0, |set, (_, topic)| set | (1 << *topic as u16)))
    }
}

/// Words in titles of sections.
const TITLES: [(&str, Topic); 59] = [
    ("goal", Topic::Goal),
    ("intent", Topic::Goal),
    ("direction", Topic::Direction),
    ("request", Topic::Goal),
    ("objective", Topic::Goal),
    ("user", Topic::Direction),
    ("instruction", Topic::Direction),
    ("constraint", Topic::Constraint),
    ("preference", Topic::Constraint),
    ("requirement", Topic::Constraint),
    ("instructions", Topic::Constraint),
    ("important detail", Topic::Constraint),
    ("rules", Topic::Constraint),
    ("decision", Topic::Decision),
    ("strategy", Topic::Decision),
    ("rationale", Topic::Decision),
    ("approach", Topic::Decision),
    ("plan", Topic::Decision),
    ("achieved", Topic::Outcome),
    ("accomplished", Topic::Outcome),
    ("completed", Topic::Outcome),
    ("milestone", Topic::Outcome),
    ("timeline", Topic::Outcome),
    ("progress", Topic::Outcome),
    ("operation", Topic::Outcome),
    ("what worked", Topic::Outcome),
    ("actions", Topic::Outcome),
    ("changes", Topic::Outcome),
    ("tests", Topic::Outcome),
    ("testing", Topic::Outcome),
    ("solving", Topic::Outcome),
    ("finding", Topic::Finding),
    ("discover", Topic::Finding),
    ("knowledge", Topic::Finding),
    ("technical", Topic::Finding),
    ("concept", Topic::Finding),
    ("context", Topic::Finding),
    ("learned", Topic::Finding),
    ("dead end", Topic::DeadEnd),
    ("failed", Topic::DeadEnd),
    ("abandoned", Topic::DeadEnd),
    ("did not work", Topic::DeadEnd),
    ("error", Topic::Error),
    ("problem", Topic::Error),
    ("issue", Topic::Error),
    ("artifact", Topic::Artifact),
    ("file", Topic::Artifact),
    ("code", Topic::Artifact),
    ("commands", Topic::Artifact),
    ("current", Topic::State),
    ("state", Topic::State),
    ("status", Topic::State),
    ("active work", Topic::State),
    ("pending", Topic::Pending),
    ("open item", Topic::Pending),
    ("next", Topic::Pending),
    ("remaining", Topic::Pending),
    ("unresolved", Topic::Pending),
    ("task", Topic::Pending),
];

/// How strongly a line speaks for each topic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fit([u8; Topic::COUNT]);

impl Fit {
    pub(super) fn add(&mut self, topic: Topic, weight: u8) {
        let slot = &mut self.0[topic as usize];
        *slot = slot.saturating_add(weight);
    }

    pub(super) fn of(self, topic: Topic) -> u8 {
        self.0[topic as usize]
    }

    /// What the line is about most; the first of equals.
    pub(super) fn main(self) -> Option<Topic> {
        let strongest = Topic::ALL.into_iter().rev().max_by_key(|&topic| self.of(topic))?;
        (self.of(strongest) > 0).then_some(strongest)
    }

    /// Adds what the cues in the text say, and returns their summed weight.
    pub(super) fn read(&mut self, text: &str) -> u32 {
        let Some(matcher) = &*MATCHER else { return 0 };
        let bytes = text.as_bytes();
        let word = |place: usize| bytes.get(place).is_some_and(u8::is_ascii_alphanumeric);
        let mut sum = 0;
        for found in matcher.find_iter(text) {
            if found.start() > 0 && word(found.start() - 1) || word(found.end()) {
                continue;
            }
            let (_, topic, weight) = CUES[found.pattern().as_usize()];
            self.add(topic, weight);
            sum += u32::from(weight);
        }
        sum
    }
}

static MATCHER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .match_kind(MatchKind::LeftmostLongest)
        .ascii_case_insensitive(true)
        .build(CUES.iter().map(|(cue, ..)| cue))
        .ok()
});

/// The words by which lines are told apart, for whoever must prove that no
/// scenario was written with them in mind.
pub fn cues() -> impl Iterator<Item = &'static str> {
    CUES.iter().map(|(cue, ..)| *cue)
}

const CUES: [(&str, Topic, u8); 116] = [
    ("please", Topic::Direction, 2),
    ("actually", Topic::Direction, 3),
    ("i want", Topic::Direction, 4),
    ("i'd like", Topic::Direction, 4),
    ("let's", Topic::Direction, 2),
    ("can you", Topic::Direction, 3),
    ("switch to", Topic::Direction, 3),
    ("should", Topic::Direction, 1),
    ("change of plan", Topic::Direction, 4),
    ("the user", Topic::Direction, 3),
    ("must", Topic::Constraint, 5),
    ("must not", Topic::Constraint, 6),
    ("never", Topic::Constraint, 5),
    ("always", Topic::Constraint, 4),
    ("do not", Topic::Constraint, 4),
    ("don't", Topic::Constraint, 3),
    ("don’t", Topic::Constraint, 3),
    ("only", Topic::Constraint, 1),
    ("required", Topic::Constraint, 2),
    ("requirement", Topic::Constraint, 3),
    ("forbidden", Topic::Constraint, 5),
    ("off limits", Topic::Constraint, 5),
    ("not allowed", Topic::Constraint, 5),
    ("make sure", Topic::Constraint, 4),
    ("at most", Topic::Constraint, 3),
    ("at least", Topic::Constraint, 3),
    ("no more than", Topic::Constraint, 4),
    ("avoid", Topic::Constraint, 3),
    ("has to", Topic::Constraint, 3),
    ("have to", Topic::Constraint, 2),
    ("prefer", Topic::Constraint, 4),
    ("prefers", Topic::Constraint, 4),
    ("decided", Topic::Decision, 5),
    ("decision", Topic::Decision, 4),
    ("chose", Topic::Decision, 5),
    ("chosen", Topic::Decision, 4),
    ("because", Topic::Decision, 2),
    ("went with", Topic::Decision, 5),
    ("opted", Topic::Decision, 4),
    ("settled on", Topic::Decision, 5),
    ("rather than", Topic::Decision, 3),
    ("in favour of", Topic::Decision, 4),
    ("in favor of", Topic::Decision, 4),
    ("agreed", Topic::Decision, 3),
    ("picked", Topic::Decision, 3),
    ("passes", Topic::Outcome, 3),
    ("passing", Topic::Outcome, 3),
    ("passed", Topic::Outcome, 3),
    ("fixed", Topic::Outcome, 4),
    ("implemented", Topic::Outcome, 4),
    ("added", Topic::Outcome, 3),
    ("completed", Topic::Outcome, 4),
    ("complete", Topic::Outcome, 2),
    ("done", Topic::Outcome, 3),
    ("works", Topic::Outcome, 2),
    ("created", Topic::Outcome, 3),
    ("updated", Topic::Outcome, 3),
    ("merged", Topic::Outcome, 3),
    ("renamed", Topic::Outcome, 3),
    ("removed", Topic::Outcome, 3),
    ("finished", Topic::Outcome, 3),
    ("resolved", Topic::Outcome, 3),
    ("found", Topic::Finding, 2),
    ("root cause", Topic::Finding, 6),
    ("caused by", Topic::Finding, 4),
    ("turns out", Topic::Finding, 4),
    ("turned out", Topic::Finding, 3),
    ("the reason", Topic::Finding, 3),
    ("discovered", Topic::Finding, 3),
    ("confirmed", Topic::Finding, 3),
    ("is set to", Topic::Finding, 3),
    ("defined in", Topic::Finding, 3),
    ("lives in", Topic::Finding, 3),
    ("abandoned", Topic::DeadEnd, 7),
    ("gave up", Topic::DeadEnd, 7),
    ("gave it up", Topic::DeadEnd, 7),
    ("given up", Topic::DeadEnd, 6),
    ("did not work", Topic::DeadEnd, 7),
    ("didn't work", Topic::DeadEnd, 7),
    ("does not work", Topic::DeadEnd, 5),
    ("doesn't work", Topic::DeadEnd, 5),
    ("reverted", Topic::DeadEnd, 6),
    ("rolled back", Topic::DeadEnd, 6),
    ("backed out", Topic::DeadEnd, 6),
    ("dead end", Topic::DeadEnd, 7),
    ("ruled out", Topic::DeadEnd, 5),
    ("discarded", Topic::DeadEnd, 5),
    ("rejected", Topic::DeadEnd, 4),
    ("dropped", Topic::DeadEnd, 3),
    ("tried", Topic::DeadEnd, 4),
    ("instead", Topic::DeadEnd, 2),
    ("error", Topic::Error, 3),
    ("errors", Topic::Error, 2),
    ("failed", Topic::Error, 4),
    ("fails", Topic::Error, 4),
    ("failure", Topic::Error, 3),
    ("exception", Topic::Error, 3),
    ("panicked", Topic::Error, 5),
    ("traceback", Topic::Error, 4),
    ("cannot", Topic::Error, 2),
    ("could not", Topic::Error, 3),
    ("undefined", Topic::Error, 2),
    ("unexpected", Topic::Error, 3),
    ("mismatch", Topic::Error, 3),
    ("timed out", Topic::Error, 4),
    ("denied", Topic::Error, 3),
    ("crash", Topic::Error, 3),
    ("todo", Topic::Pending, 4),
    ("remaining", Topic::Pending, 4),
    ("remains", Topic::Pending, 4),
    ("next", Topic::Pending, 2),
    ("pending", Topic::Pending, 4),
    ("not yet", Topic::Pending, 4),
    ("still need", Topic::Pending, 5),
    ("still needs", Topic::Pending, 5),
    ("left to do", Topic::Pending, 5),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn of_line(line: &str) -> Option<Topic> {
        let mut fit = Fit::default();
        fit.read(line);
        fit.main()
    }

    #[test]
    fn lines_are_told_apart_by_ordinary_words() {
        for (line, topic) in [
            ("You MUST NOT edit vendor/", Some(Topic::Constraint)),
            ("I tried a global lock and gave up", Some(Topic::DeadEnd)),
            ("We decided on SQLite because it is embedded", Some(Topic::Decision)),
            ("test_login failed with E401", Some(Topic::Error)),
            ("Remaining: the docs", Some(Topic::Pending)),
            ("Fixed and merged", Some(Topic::Outcome)),
            ("a mustard doorway", None),
            ("", None),
        ] {
            assert_eq!(of_line(line), topic, "{line}");
        }
    }

    #[test]
    fn titles_of_real_prompts_say_what_belongs_under_them() {
        for (title, topics) in [
            ("Dead Ends", vec![Topic::DeadEnd]),
            ("Lasting Constraints", vec![Topic::Constraint]),
            ("Human Direction", vec![Topic::Direction]),
            ("Key Artifacts", vec![Topic::Artifact]),
            ("artifact_trail", vec![Topic::Artifact]),
            ("task_state", vec![Topic::State, Topic::Pending]),
            ("Unresolved Issues and Pending Tasks", vec![Topic::Error, Topic::Pending]),
            ("Miscellany", vec![]),
        ] {
            assert_eq!(Topics::of_title(title).iter().collect::<Vec<_>>(), topics, "{title}");
        }
    }

    #[test]
    fn lead_ins_carry_no_cue_of_sense() {
        for topic in Topic::ALL {
            let mut fit = Fit::default();
            fit.read(topic.lead_in());
            assert_eq!(fit.of(Topic::Constraint) + fit.of(Topic::DeadEnd), 0, "{topic:?}");
        }
    }
}
