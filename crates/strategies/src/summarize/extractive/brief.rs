//! What the instruction asks for: which sections, laid out how, how long.

use crate::summarize::Prompt;
use crate::summarize::extractive::lines::speaker_label;
use crate::summarize::extractive::topic::{Topics, VOCABULARY};

/// What the instruction asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Brief {
    pub(super) layout: Layout,
    /// The sections in the order asked for; empty for plain paragraphs.
    pub(super) sections: Vec<Section>,
    /// An element around the whole answer (`<summary>`, `<state_snapshot>`).
    pub(super) wrapper: Option<String>,
    /// At most this many sentences and no sections.
    pub(super) sentences: Option<usize>,
}

/// How sections are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Layout {
    /// `## Title`, also for numbered titles.
    #[default]
    Headings,
    /// `<title>...</title>`.
    Elements,
}

/// One section asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) title: String,
    /// What belongs under it.
    pub(super) topics: Topics,
}

/// Most sections that are honoured.
const MOST_SECTIONS: usize = 24;

impl Brief {
    /// Reads the instruction of the prompt; material is never taken for it.
    pub(super) fn read(prompt: &Prompt) -> Brief {
        let instruction = instruction(prompt);
        let (elements, wrapper) = elements(&instruction);
        let headings = markdown_headings(&instruction);
        let sentences = sentence_limit(&instruction);
        let (layout, titles) = if !elements.is_empty() {
            (Layout::Elements, elements)
        } else if headings.len() > 1 || sentences.is_none() && !headings.is_empty() {
            (Layout::Headings, headings)
        } else {
            let listed = if sentences.is_none() { listed_titles(&instruction) } else { vec![] };
            (Layout::Headings, listed)
        };
        let sentences = sentences.filter(|_| titles.is_empty());
        Brief { layout, sections: sections(titles), wrapper, sentences }
    }

    /// Whether the text would end an element of the answer before its time.
    pub(super) fn closes_element(&self, text: &str) -> bool {
        let closes = |name: &str| text.contains(&format!("</{name}>"));
        text.contains("</")
            && (self.wrapper.as_deref().is_some_and(closes)
                || self.sections.iter().any(|section| closes(&section.title)))
    }
}

/// What the strategy wrote, without the labels that it puts before material.
fn instruction(prompt: &Prompt) -> String {
    let mut text = prompt.system.as_deref().unwrap_or_default().to_owned();
    for message in &prompt.messages {
        text.push('\n');
        for (place, segment) in message.segments.iter().enumerate() {
            if segment.material {
                text.push('\n');
                continue;
            }
            let labels = message.segments.get(place + 1).is_some_and(|next| next.material);
            text.push_str(if labels { without_last_line(&segment.text) } else { &segment.text });
        }
    }
    text
}

/// The last line before material is its label ("[user]:", "## Transcript").
fn without_last_line(text: &str) -> &str {
    let text = text.trim_end();
    text.rfind('\n').map_or("", |end| &text[..=end])
}

fn sections(titles: Vec<String>) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for title in titles {
        if sections.len() < MOST_SECTIONS && sections.iter().all(|known| known.title != title) {
            let topics = Topics::of_title(&title);
            sections.push(Section { title, topics });
        }
    }
    sections
}

/// Titles of `## Title` lines, those of the prompt's own parts left out.
fn markdown_headings(instruction: &str) -> Vec<String> {
    let title = |line: &str| {
        let title = line.trim_start_matches('#');
        (title.len() < line.len() && title.starts_with(' ')).then(|| bare_title(title))?
    };
    let of_the_prompt = |title: &String| {
        let folded = title.to_lowercase();
        VOCABULARY.prompt_titles.iter().any(|word| folded.contains(word))
    };
    let titles = instruction.lines().filter_map(|line| title(line.trim()));
    titles.filter(|title| !of_the_prompt(title)).collect()
}

/// Titles of a numbered list ("1. Primary Request and Intent: ...") or, failing
/// that, of labels in capitals ("USER_CONTEXT: ...").
fn listed_titles(instruction: &str) -> Vec<String> {
    let numbered: Vec<String> = instruction.lines().filter_map(numbered_title).collect();
    if numbered.len() > 1 {
        return numbered;
    }
    let labelled: Vec<String> = instruction.lines().filter_map(capital_label).collect();
    if labelled.len() > 2 { labelled } else { vec![] }
}

fn numbered_title(line: &str) -> Option<String> {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line[digits..].strip_prefix(['.', ')'])?;
    if !(1..=2).contains(&digits) {
        return None;
    }
    let title = bare_title(rest)?;
    let words: Vec<&str> = title.split_whitespace().collect();
    let first = words.first()?.to_lowercase();
    if words.len() > 9 || VOCABULARY.imperatives.contains(&first) || title.ends_with('.') {
        return None;
    }
    let telling: Vec<&&str> = words.iter().filter(|word| word.len() > 3).collect();
    let capitals = telling.iter().filter(|word| word.starts_with(char::is_uppercase)).count();
    (capitals * 2 > telling.len() || !Topics::of_title(&title).is_empty()).then_some(title)
}

fn capital_label(line: &str) -> Option<String> {
    let line = line.trim().trim_start_matches(['-', '*', ' ']);
    let (name, _) = line.split_once(':')?;
    let capitals = name.len() > 3 && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    (capitals && !Topics::of_title(name).is_empty()).then(|| name.to_owned())
}

/// A title without emphasis, and without what explains it after a colon, a dash
/// or in brackets.
fn bare_title(text: &str) -> Option<String> {
    let end = [": ", " - ", " — ", " – ", " ("].iter().filter_map(|gap| text.find(gap)).min();
    let title = text[..end.unwrap_or(text.len())].trim();
    let title = title.trim_matches(|c: char| matches!(c, '*' | ':' | '#' | '`' | ' '));
    (!title.is_empty() && title.len() <= 80 && speaker_label(title).is_none())
        .then(|| title.to_owned())
}

/// Elements that open a line, in order, and the one that encloses the answer: it
/// holds others, or is the only one and is named for the whole.
fn elements(instruction: &str) -> (Vec<String>, Option<String>) {
    let mut names: Vec<String> = Vec::new();
    let mut wrapper = None;
    for (place, _) in instruction.match_indices('<') {
        let Some(name) = element_name(&instruction[place + 1..]) else { continue };
        if VOCABULARY.private_elements.iter().any(|private| private == name) {
            continue;
        }
        if name.ends_with("summary") || name.ends_with("snapshot") {
            wrapper.get_or_insert_with(|| name.to_owned());
            continue;
        }
        let line = &instruction[..place];
        let line = &line[line.rfind('\n').map_or(0, |end| end + 1)..];
        let opens = line.trim_matches(|c: char| c == '-' || c == '*' || c == '`' || c == ' ');
        if opens.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    (names, wrapper)
}

/// The name, if the text after a `<` is one and closes (`overall_goal>`).
fn element_name(text: &str) -> Option<&str> {
    let length = text.bytes().take_while(|b| b.is_ascii_lowercase() || *b == b'_').count();
    (length > 2 && text[length..].starts_with('>')).then(|| &text[..length])
}

/// "2-3 sentences" is 3; "one sentence" is 1.
fn sentence_limit(instruction: &str) -> Option<usize> {
    let folded = instruction.to_lowercase();
    let place = folded.find("sentence")?;
    let before = folded[..place].trim_end_matches(|c: char| !c.is_alphanumeric());
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next()?;
    let number = match word {
        "a" | "one" | "single" => 1,
        "two" => 2,
        "three" | "few" => 3,
        "four" => 4,
        "five" => 5,
        digits => digits.parse().ok()?,
    };
    (1..=8).contains(&number).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brief(segments: &[(&str, bool)]) -> Brief {
        Brief::read(&Prompt::of_user(segments.iter().copied(), 1_000))
    }

    fn titles(instruction: &str) -> Vec<String> {
        brief(&[(instruction, false)]).sections.into_iter().map(|s| s.title).collect()
    }

    #[test]
    fn sections_are_found_in_every_style() {
        for (instruction, expected) in crate::cases::<(String, Vec<String>)>("sections") {
            assert_eq!(titles(&instruction), expected, "{instruction}");
        }
    }

    #[test]
    fn a_wrapper_is_no_section_and_a_limit_on_sentences_replaces_numbered_ones_alone() {
        type Case = (String, Vec<String>, Vec<usize>, usize);
        for (instruction, wrapper, sentences, sections) in crate::cases::<Case>("answers") {
            let found = brief(&[(&instruction, false)]);
            assert_eq!(found.wrapper.as_slice(), wrapper, "{instruction}");
            assert_eq!(found.sentences.as_slice(), sentences, "{instruction}");
            assert_eq!(found.sections.len(), sections, "{instruction}");
        }
    }

    #[test]
    fn headings_in_the_material_and_labels_before_it_ask_for_nothing() {
        let found = brief(&[
            ("## Findings\nwhat\n\n## User Goal\n", false),
            ("## Trap\n1. Fake Section\n2. Other Section", true),
            ("\n--- Turn 2 ---\n[user]: ", false),
            ("<sneaky_tag>", true),
        ]);
        assert_eq!(found.sections.len(), 1);
        assert_eq!(found.sections[0].title, "Findings");
    }
}
