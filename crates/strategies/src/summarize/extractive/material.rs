//! The material of a request as sentences, each with who said it and under what.

use memchr::memchr;

use crate::log::Role;
use crate::summarize::extractive::sentence;
use crate::summarize::extractive::topic::{Topic, Topics};
use crate::summarize::{Prompt, PromptMessage};

/// Who said a line, as far as the prompt shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A sentence of the material.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Its words.
    pub(super) text: &'a str,
    /// Who said it.
    pub(super) speaker: Speaker,
    /// Topics of the heading above it.
    pub(super) under: Topics,
    /// The stretch by one speaker that it belongs to, and its number within.
    pub(super) block: u32,
    pub(super) number: u32,
    /// Inside a fence.
    pub(super) code: bool,
}

/// The lines of the prompt's material, in order.
pub(super) fn read(prompt: &Prompt) -> Vec<Line<'_>> {
    let mut reader = Reader::default();
    for message in &prompt.messages {
        reader.open(speaker_of(message));
        for segment in &message.segments {
            if segment.material {
                reader.quote(&segment.text);
            } else {
                reader.label(&segment.text);
            }
        }
    }
    reader.lines
}

/// A message quoted whole is by whom its role says; one in which the strategy
/// speaks too tells by labels.
fn speaker_of(message: &PromptMessage) -> Speaker {
    if !message.segments.iter().all(|segment| segment.material) {
        return Speaker::Agent;
    }
    match message.role {
        Role::User => Speaker::User,
        Role::Assistant => Speaker::Agent,
        Role::Tool | Role::System => Speaker::Tool,
    }
}

#[derive(Default)]
struct Reader<'a> {
    lines: Vec<Line<'a>>,
    speaker: Option<Speaker>,
    under: Topics,
    block: u32,
    number: u32,
    code: bool,
}

impl<'a> Reader<'a> {
    /// A new stretch begins.
    fn open(&mut self, speaker: Speaker) {
        self.speaker = Some(speaker);
        self.under = Topics::NONE;
        self.block += 1;
        self.number = 0;
        self.code = false;
    }

    /// What the strategy wrote before a quote may say who is quoted.
    fn label(&mut self, text: &str) {
        let last = text.trim_end().rsplit('\n').next().unwrap_or_default();
        if let Some((speaker, _)) = speaker_label(last) {
            self.open(speaker);
        }
    }

    fn quote(&mut self, text: &'a str) {
        self.code = false;
        sentence::lines(text).for_each(|line| self.line(line));
    }

    fn line(&mut self, mut line: &'a str) {
        if line.starts_with("```") {
            self.code = !self.code;
            return;
        }
        if let Some((speaker, length)) = said_by(line) {
            self.open(speaker);
            line = line[length..].trim_start();
        }
        if self.speaker != Some(Speaker::Tool)
            && !self.code
            && let Some(title) = heading(line)
        {
            self.under = Topics::of_title(title);
            return;
        }
        let line = without_bullet(line);
        if Topic::ALL.iter().any(|topic| topic.lead_in() == line) {
            return;
        }
        for text in sentence::of_line(line) {
            self.push(text);
        }
    }

    fn push(&mut self, text: &'a str) {
        // A longer one is a single word: a blob that nobody would quote.
        if text.len() > sentence::LONGEST {
            return;
        }
        self.lines.push(Line {
            text,
            speaker: self.speaker.unwrap_or(Speaker::Agent),
            under: self.under,
            block: self.block,
            number: self.number,
            code: self.code,
        });
        self.number += 1;
    }
}

/// The speaker that a line of material names, and where its words begin. Plain
/// labels count only when capitalized: `user: root` is configuration.
fn said_by(line: &str) -> Option<(Speaker, usize)> {
    let opens = *line.as_bytes().first()?;
    if !(opens == b'[' || opens.is_ascii_digit() || opens.is_ascii_uppercase()) {
        return None;
    }
    speaker_label(line).filter(|_| !opens.is_ascii_digit() || line.contains('['))
}

/// The speaker that a label names, and its length: `[user]:`, `3. [assistant]: `,
/// `[SUMMARIZED]`, `[summary 2]:`, `User:`, `Tool 'x' result:`.
pub(super) fn speaker_label(line: &str) -> Option<(Speaker, usize)> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let start = if digits == 0 { 0 } else { digits + 2 };
    if digits > 0 && line.get(digits..start) != Some(". ") {
        return None;
    }
    let rest = &line[start..];
    let bracketed = rest.starts_with('[');
    let name = &rest[usize::from(bracketed)..];
    let (word, speaker) = NAMES.into_iter().find(|(word, _)| {
        name.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
    })?;
    let tail = &name[word.len()..];
    let close = if bracketed {
        memchr(b']', &tail.as_bytes()[..tail.len().min(40)])? + 1
    } else if speaker == Speaker::Tool && tail.starts_with(" '") {
        tail.find("result").filter(|&place| place < 80)? + "result".len()
    } else {
        0
    };
    let colon = tail[close..].starts_with(':');
    if !colon && !bracketed {
        return None;
    }
    Some((speaker, line.len() - tail.len() + close + usize::from(colon)))
}

const NAMES: [(&str, Speaker); 11] = [
    ("user", Speaker::User),
    ("human", Speaker::User),
    ("assistant", Speaker::Agent),
    ("agent", Speaker::Agent),
    ("model", Speaker::Agent),
    ("ai", Speaker::Agent),
    ("tool", Speaker::Tool),
    ("summarized", Speaker::Summary),
    ("summary", Speaker::Summary),
    ("goal batch", Speaker::Summary),
    ("previous summary", Speaker::Summary),
];

/// The title of a heading: `## Dead Ends`, or an element alone on its line.
fn heading(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix('#') {
        let title = rest.trim_start_matches('#');
        return title.starts_with(' ').then(|| title.trim());
    }
    let name = line.strip_prefix('<')?.strip_suffix('>')?;
    let named = name.trim_start_matches('/');
    named.bytes().all(|b| b.is_ascii_lowercase() || b == b'_').then_some(named)
}

/// Without what marks it as an item of a list or a quotation.
fn without_bullet(line: &str) -> &str {
    let mut rest = line;
    for mark in ["> ", "- ", "* ", "• "] {
        rest = rest.strip_prefix(mark).unwrap_or(rest).trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Text;
    use crate::summarize::Segment;
    use crate::unit::Tokens;

    fn prompt(segments: &[(&str, bool)]) -> Prompt {
        let segments = segments
            .iter()
            .map(|(text, material)| Segment { text: Text::from(*text), material: *material });
        Prompt {
            system: None,
            messages: vec![PromptMessage { role: Role::User, segments: segments.collect() }],
            max_tokens: Tokens(1_000),
            model: None,
            replicate: 0,
        }
    }

    fn told(segments: &[(&str, bool)]) -> Vec<(Speaker, String)> {
        let prompt = prompt(segments);
        read(&prompt).iter().map(|line| (line.speaker, line.text.to_owned())).collect()
    }

    #[test]
    fn labels_say_who_speaks() {
        for (label, speaker) in [
            ("[user]: x", Some(Speaker::User)),
            ("12. [assistant]: x", Some(Speaker::Agent)),
            ("[SUMMARIZED] x", Some(Speaker::Summary)),
            ("[GOAL BATCH]", Some(Speaker::Summary)),
            ("[summary 2]: x", Some(Speaker::Summary)),
            ("User: x", Some(Speaker::User)),
            ("Tool 'read_file' result:", Some(Speaker::Tool)),
            ("user: root", None),
            ("Users: many", None),
            ("1. aim high", None),
            ("[unclosed", None),
        ] {
            assert_eq!(said_by(label).map(|found| found.0), speaker, "{label}");
        }
    }

    #[test]
    fn a_label_of_the_strategy_covers_the_quote_after_it() {
        let found = told(&[
            ("Sum up:\n--- Turn 1 ---\n[user]: ", false),
            ("fix it", true),
            ("\n[summary 1]: ", false),
            ("[SUMMARIZED] I fixed it.", true),
        ]);
        let expected = [(Speaker::User, "fix it"), (Speaker::Summary, "I fixed it.")];
        assert_eq!(found, expected.map(|(speaker, text)| (speaker, text.to_owned())));
    }

    #[test]
    fn a_message_quoted_whole_is_by_its_role() {
        assert_eq!(told(&[("hello there", true)])[0].0, Speaker::User);
    }

    #[test]
    fn headings_of_a_summary_are_remembered_and_not_repeated() {
        let text = "[SUMMARIZED]\n## Dead Ends\n- tried X\n## Odd\nrest\n<overall_goal>\naim";
        let prompt = prompt(&[("Sum up:", false), (text, true)]);
        let found: Vec<(&str, Topics)> = read(&prompt).iter().map(|l| (l.text, l.under)).collect();
        let of = Topics::of_title;
        let expected =
            [("tried X", of("Dead Ends")), ("rest", Topics::NONE), ("aim", of("overall_goal"))];
        assert_eq!(found, expected);
    }
}
