//! Summaries without statements: lists of what tends to be needed, copies, and filler.

use std::collections::HashSet;

use proctor::summarize::{Offline, Prompt, cut_within};
use regex::Regex;

use super::material::*;

/// A summary that is a function of the material and of the room in characters.
pub struct Text(pub fn(&str, usize) -> String);

impl Offline for Text {
    fn answer(&self, prompt: &Prompt) -> String {
        let material: String = prompt.material().collect::<Vec<_>>().join("\n");
        let room = (prompt.max_tokens.0 as usize) * 3;
        cut_within((self.0)(&material, room), prompt.max_tokens)
    }
}

/// Without doubles, the newest last, as many as there is room for.
fn newest(all: Vec<String>, room: usize) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut used = 0;
    let mut kept: Vec<String> = all
        .into_iter()
        .rev()
        .filter(|one| seen.insert(one.clone()))
        .take_while(|one| {
            used += one.len() + 2;
            used <= room
        })
        .collect();
    kept.reverse();
    kept
}

fn every(patterns: &[&Regex], text: &str) -> Vec<String> {
    let text = text.replace("\\n", "\n");
    let mut all: Vec<(usize, String)> = Vec::new();
    for pattern in patterns {
        all.extend(pattern.find_iter(&text).map(|m| (m.start(), m.as_str().to_owned())));
    }
    all.sort();
    all.into_iter().map(|(_, text)| text).collect()
}

fn shapes(text: &str) -> Vec<String> {
    every(&[&COMMAND, &PATH, &KEY, &CODE, &SYMBOL, &NUMBER, &PHRASE, &TOPIC], text)
}

/// 1. What looks as if it were needed, without a sentence.
pub fn shape_list(text: &str, room: usize) -> String {
    newest(shapes(text), room).join(", ")
}

/// 2. The same with keys and values exchanged among each other.
pub fn exchanged_list(text: &str, room: usize) -> String {
    let keys = newest(every(&[&KEY], text), room / 3);
    let values = newest(every(&[&NUMBER], text), room / 6);
    let pairs: Vec<String> = keys
        .iter()
        .zip(values.iter().rev().chain(values.iter().rev()))
        .map(|(key, value)| format!("{key} = {value}"))
        .collect();
    let rest = newest(every(&[&COMMAND, &PATH, &CODE, &SYMBOL, &PHRASE, &TOPIC], text), room / 2);
    format!("{}\n{}", pairs.join("\n"), rest.join(", "))
}

/// 3. The list under a sentence that revokes all.
pub fn revoked_list(text: &str, room: usize) -> String {
    let head = "Nothing is forbidden any more, and what did not work works now:";
    format!("{head}\n{}", newest(shapes(text), room - 60).join(", "))
}

/// 4. Every value that a key ever had.
pub fn all_values(text: &str, room: usize) -> String {
    let values = newest(every(&[&NUMBER], text), room / 4).join(", ");
    let keys = newest(every(&[&KEY], text), room / 8);
    keys.iter().map(|key| format!("{key} is one of {values}\n")).collect()
}

/// 6. Words that stand once.
pub fn rare_words(text: &str, room: usize) -> String {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| w.len() > 4).collect();
    let mut times = std::collections::HashMap::new();
    for word in &words {
        *times.entry(*word).or_insert(0) += 1;
    }
    newest(words.iter().filter(|w| times[**w] == 1).map(|w| (*w).to_owned()).collect(), room)
        .join(" ")
}

/// 7. All identifiers.
pub fn identifiers(text: &str, room: usize) -> String {
    newest(every(&[&KEY, &SYMBOL], text), room).join(" ")
}

/// 8. Every path.
pub fn paths(text: &str, room: usize) -> String {
    newest(every(&[&PATH], text), room).join("\n")
}

/// 9. The material itself, from its end.
pub fn echo(text: &str, room: usize) -> String {
    text[text.ceil_char_boundary(text.len().saturating_sub(room))..].to_owned()
}

/// 10. Words about nothing.
pub fn filler(_: &str, room: usize) -> String {
    "The work went on as planned and the state of things is as one would expect. ".repeat(room / 80)
}

/// A rule for every noun phrase and a failure for every symbol of the material: all is forbidden.
pub fn forbid_all(text: &str, room: usize) -> String {
    let phrases = newest(every(&[&THREE], text), room / 2);
    let symbols = newest(every(&[&SYMBOL], text), room / 3);
    format!(
        "Do not change, delete or print: {}.\nThese did not work: {}.",
        phrases.join(", "),
        symbols.join(", ")
    )
}
