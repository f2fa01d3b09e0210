//! What a line or a section of a summary is about, by the words of `vocabulary.toml`.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use serde::Deserialize;

/// What something is about, in the order in which plain answers give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
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

/// Who said a line, as far as the prompt shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Speaker {
    /// The user.
    User,
    /// The model; also where nothing is said.
    Agent,
    /// A tool's result.
    Tool,
    /// An earlier summary.
    Summary,
}

/// The file of words. Its head says what each list is for.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Vocabulary {
    pub(super) idle: Vec<String>,
    pub(super) speakers: Vec<(String, Speaker)>,
    pub(super) private_elements: Vec<String>,
    pub(super) prompt_titles: Vec<String>,
    pub(super) imperatives: Vec<String>,
    topic: Vec<TopicWords>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct TopicWords {
    name: Topic,
    pub(super) lead_in: String,
    pub(super) weight: u64,
    pub(super) neighbours: Vec<Topic>,
    titles: Vec<String>,
    #[serde(default)]
    cues: Vec<Cues>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cues {
    weight: u8,
    words: Vec<String>,
}

pub(super) static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    toml::from_str(include_str!("vocabulary.toml")).expect("the file that ships is valid")
});

impl Vocabulary {
    fn cues(&self) -> impl Iterator<Item = (&str, Topic, u8)> {
        let lists =
            self.topic.iter().flat_map(|topic| topic.cues.iter().map(|cues| (topic.name, cues)));
        lists.flat_map(|(topic, cues)| {
            cues.words.iter().map(move |word| (word.as_str(), topic, cues.weight))
        })
    }
}

/// The words by which lines are told apart, so that a test can prove that no scenario was
/// written with them in mind.
pub fn cues() -> impl Iterator<Item = &'static str> {
    VOCABULARY.cues().map(|(cue, ..)| cue)
}

impl Topic {
    pub(super) const COUNT: usize = Topic::Pending as usize + 1;

    pub(super) fn all() -> impl DoubleEndedIterator<Item = Topic> {
        VOCABULARY.topic.iter().map(|topic| topic.name)
    }

    pub(super) fn words(self) -> &'static TopicWords {
        &VOCABULARY.topic[self as usize]
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
        Topic::all().filter(move |&topic| self.contains(topic))
    }

    /// What a section with this title holds; none if the title says nothing we know.
    pub(super) fn of_title(title: &str) -> Topics {
        let folded = title.to_lowercase().replace(['_', '-'], " ");
        let named = |topic: &Topic| topic.words().titles.iter().any(|word| folded.contains(word));
        Topic::all().filter(named).fold(Topics::NONE, Topics::with)
    }
}

/// How strongly a line speaks for each topic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fit([u8; Topic::COUNT]);

/// Finds cues, longest first; with the topic and weight of each.
static CUE_FINDER: LazyLock<(AhoCorasick, Vec<(Topic, u8)>)> = LazyLock::new(|| {
    let matcher = AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .match_kind(MatchKind::LeftmostLongest)
        .ascii_case_insensitive(true)
        .build(cues())
        .expect("a hundred short words are a small automaton");
    let weights = VOCABULARY.cues().map(|(_, topic, weight)| (topic, weight)).collect();
    (matcher, weights)
});

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
        let strongest = Topic::all().rev().max_by_key(|&topic| self.of(topic))?;
        (self.of(strongest) > 0).then_some(strongest)
    }

    /// Adds what the cues in the text say, and returns their summed weight.
    pub(super) fn read(&mut self, text: &str) -> u32 {
        let bytes = text.as_bytes();
        let word = |place: usize| bytes.get(place).is_some_and(u8::is_ascii_alphanumeric);
        let mut sum = 0;
        let (matcher, weights) = &*CUE_FINDER;
        for found in matcher.find_iter(text) {
            if found.start() > 0 && word(found.start() - 1) || word(found.end()) {
                continue;
            }
            let (topic, weight) = weights[found.pattern().as_usize()];
            self.add(topic, weight);
            sum += u32::from(weight);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vocabulary_has_each_topic_in_its_place_and_lead_ins_carry_no_cue_of_sense() {
        let names: Vec<usize> = Topic::all().map(|topic| topic as usize).collect();
        assert_eq!(names, (0..Topic::COUNT).collect::<Vec<_>>());
        for topic in Topic::all() {
            let mut fit = Fit::default();
            fit.read(&topic.words().lead_in);
            assert_eq!(fit.of(Topic::Constraint) + fit.of(Topic::DeadEnd), 0, "{topic:?}");
        }
    }

    #[test]
    fn lines_are_told_apart_by_ordinary_words() {
        for (line, topic) in crate::cases::<(String, Vec<Topic>)>("lines") {
            let mut fit = Fit::default();
            fit.read(&line);
            assert_eq!(fit.main().as_slice(), topic, "{line}");
        }
    }

    #[test]
    fn titles_of_real_prompts_say_what_belongs_under_them() {
        for (title, topics) in crate::cases::<(String, Vec<Topic>)>("titles") {
            assert_eq!(Topics::of_title(&title).iter().collect::<Vec<_>>(), topics, "{title}");
        }
    }
}
