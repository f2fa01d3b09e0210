//! What is to be known of a session before the figures of its audit are believed.

use super::{Compacted, LEAST_NEEDS};
use crate::log::{Log, Message};
use crate::scenario::Scenario;

/// Where the fixed part of the prompts fills the window: that nothing can be driven in it.
pub fn no_room(log: &Log, scenario: &Scenario) -> Option<String> {
    (log.overhead.0 * 10 > scenario.window.0 * 9).then(|| {
        format!(
            "The fixed part of its prompts, {} tokens, leaves no room in a window of {}: nothing \
             can be driven in it.",
            log.overhead, scenario.window
        )
    })
}

/// All of them.
pub(super) fn all(log: &Log, scenario: &Scenario, compactions: &[Compacted]) -> Vec<String> {
    let mut notes = Vec::new();
    if compactions.is_empty() {
        notes.push(
            "No compaction is recorded: what follows is what strategies would do by themselves."
                .to_owned(),
        );
    }
    notes.extend(no_room(log, scenario));
    if log.ratio.is_none() {
        notes.push(
            "Too little usage is recorded to calibrate tokens: counts are of `o200k_base`."
                .to_owned(),
        );
    }
    if compactions.iter().any(|one| one.hidden) {
        notes.push(
            "The file does not hold the text of its summaries: what they lost cannot be told."
                .to_owned(),
        );
    }
    let unseen = compactions.iter().filter_map(|one| one.tokens_unseen);
    let unseen: Vec<String> = unseen.map(|tokens| crate::number::tokens(tokens as f64)).collect();
    if !unseen.is_empty() {
        notes.push(format!(
            "The first prompts after its compactions held {} tokens that the file does not hold: files and instructions that were attached again. What counts as lost may have stood there.",
            unseen.join(", ")
        ));
    }
    let needs: usize = compactions.iter().map(|one| one.needs.of).sum();
    if !compactions.is_empty() && needs < LEAST_NEEDS {
        notes.push(format!("Only {needs} needs lie behind a compaction: too few for a share."));
    }
    if !compactions.is_empty() {
        notes.push(
            "What came after was written by an agent that had the recorded summary: it re-opens what the summary names, so needs favour the recording."
                .to_owned(),
        );
    }
    let foreign = log.messages.iter().flat_map(Message::words).collect::<String>();
    let letters = foreign.chars().filter(|c| c.is_alphabetic()).count();
    let ascii = foreign.chars().filter(char::is_ascii_alphabetic).count();
    if letters > 0 && ascii * 10 < letters * 9 {
        notes.push("The person does not write English: what was said is not found, only what was worked on.".to_owned());
    }
    notes
}
