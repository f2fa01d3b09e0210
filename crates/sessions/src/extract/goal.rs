//! Goals of a recorded session: a person's message opens one unless it begins like a continuation or
//! is a short remark; acknowledgements belong to none.

use super::data::PROSE;
use crate::ident::{GoalId, MsgId};
use crate::log::Log;
use crate::truth::Goal;

/// Messages of at most this many words are acknowledgements.
const ACKNOWLEDGEMENT: usize = 2;
/// Messages of at most this many words continue the goal at hand.
const REMARK: usize = 5;
/// A first line this like the one before is a prompt sent again, mended.
const RESENT: f64 = 0.7;
const TITLE: usize = 100;

pub(super) fn goals(log: &Log) -> Vec<Goal> {
    let mut goals: Vec<Goal> = Vec::new();
    let mut last = String::new();
    for message in &log.messages {
        let Some(text) = super::typed(message) else { continue };
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.len() <= ACKNOWLEDGEMENT {
            continue;
        }
        let first = words[0].trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let continues = words.len() <= REMARK
            || PROSE.words.continues.contains(&first)
            || strsim::normalized_levenshtein(&title(&text), &last) > RESENT;
        last = title(&text);
        match goals.last_mut() {
            Some(goal) if continues => goal.arc.push(message.id),
            _ => goals.push(Goal {
                id: GoalId(goals.len() as u32),
                title: last.clone(),
                arc: vec![message.id],
            }),
        }
    }
    goals
}

/// The goal at hand when this message was written.
pub(super) fn at(goals: &[Goal], message: MsgId) -> Option<GoalId> {
    let begun = goals.partition_point(|goal| goal.arc.first().is_some_and(|id| *id <= message));
    begun.checked_sub(1).map(|last| goals[last].id)
}

fn title(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    line.chars().take(TITLE).collect::<String>().trim_end().to_owned()
}
