//! Words that look like what a strategy writes itself.

use proctor_core::drive::Session;
use proctor_core::error::Result;
use proctor_core::summarize::{Ask, fault};
use proctor_core::token::Tokenizer;
use proctor_core::trace::Trace;
use proctor_strategies::roadmap::SUMMARY_PREFIX as ROADMAP;

use super::constructed::{Construction, window};
use super::summarizers::Altered;
use super::{Finding, Laboratory, Measured, Rows};
use crate::table::row;

const PIPELINES: [&str; 8] = [
    "forge-adr",
    "forge-head",
    "forge-g2",
    "goat-code",
    "full-replace-fixed",
    "roadmap-code",
    "roadmap-doc",
    "codex",
];

/// Codex's prefix, which is a line of its own.
const CODEX_LINE: &str = fault::TAGS[2];

/// What profiles put before summaries and injected context, and role labels.
const TAGS: [&str; 6] = [
    "[SUMMARIZED] ",
    "[GOAL BATCH]\n",
    CODEX_LINE,
    ROADMAP,
    "# AGENTS.md instructions for ",
    "User: ",
];

pub(super) fn imitation(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::default();
    let (mut parts, mut fooled_by_answers, mut fooled_by_users) = (Vec::new(), 0, 0);
    for name in PIPELINES {
        let pipeline = proctor_strategies::pipeline(name)?;
        // What is done where users, and where answers, begin with a text.
        let driven = |asked: &str, answered: &str| {
            doings(&lab.drive(&session(asked), &pipeline, window(30_000), &begins(answered)))
        };
        let fooling = |changes: &dyn Fn(&str, &str) -> bool| -> Vec<String> {
            let fooling = TAGS.into_iter().filter(|tag| changes(tag, &harmless(tag)));
            fooling.map(shown).collect()
        };
        let answers = fooling(&|tag, other| driven("", tag) != driven("", other));
        let users = fooling(&|tag, other| driven(tag, "") != driven(other, ""));
        fooled_by_answers += usize::from(!answers.is_empty());
        fooled_by_users += usize::from(!users.is_empty());
        parts.extend([answers.is_empty(), users.is_empty()]);
        let listed =
            |tags: &[String]| if tags.is_empty() { "none".to_owned() } else { tags.join(", ") };
        rows.push(row![format!("`{name}`"), listed(&answers), listed(&users)]);
    }
    let fooled = |what: &str, profiles: usize| Measured::exact(what, "of 8", profiles as f64);
    let measured = vec![
        fooled("profiles that an imitating user changes", fooled_by_users),
        fooled("profiles that an imitating answer changes", fooled_by_answers),
    ];
    Ok(Finding::of(&parts, measured).with(rows))
}

/// Stage, outcome, entries taken and left, compaction by compaction.
fn doings(trace: &Trace) -> Vec<(u32, &'static str, u32, u32)> {
    let plans = trace.compactions.iter();
    plans.map(|one| (one.stage, one.outcome.name(), one.removed, one.entries_after)).collect()
}

fn session(beginning: &str) -> Session {
    let mut made = Construction::new();
    for turn in 0..60 {
        let words = "Look at the next part of the build, say what it does and what should change. ";
        let begins = if turn % 3 == 0 { beginning } else { "" };
        made.user_says(&format!("{begins}{}(part {turn})", words.repeat(6)));
        made.pairs(3, 200).answer(40);
    }
    made.session()
}

/// The tag with one letter changed, of the same number of bytes and tokens: nothing that
/// goes by size can tell them apart.
fn harmless(tag: &str) -> String {
    let sizes = |text: &str| Tokenizer::ALL.map(|tokenizer| tokenizer.count(text));
    let letters = tag.char_indices().filter(|(_, letter)| letter.is_ascii_alphabetic());
    let changed = letters.flat_map(|(place, own)| {
        let case = if own.is_ascii_uppercase() { 'A'..='Z' } else { 'a'..='z' };
        case.filter(move |other| *other != own).map(move |other| {
            let mut text = tag.to_owned();
            text.replace_range(place..=place, other.encode_utf8(&mut [0; 4]));
            text
        })
    });
    changed.into_iter().find(|text| sizes(text) == sizes(tag)).unwrap_or_default()
}

fn shown(tag: &str) -> String {
    let words: Vec<&str> = tag.split_whitespace().take(3).collect();
    format!("“{}”", words.join(" "))
}

/// Answers that begin with a text.
fn begins(text: &str) -> impl Ask {
    let text = text.to_owned();
    Altered::new(300, move |_, reply| {
        reply.map(|mut answer| {
            answer.text.insert_str(0, &text);
            answer
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_harmless_beginning_has_the_same_size_and_is_no_tag() {
        for tag in TAGS {
            let other = harmless(tag);
            assert_eq!(other.len(), tag.len(), "{tag}");
            assert!(!TAGS.contains(&other.as_str()), "{other}");
        }
    }
}
