//! Words that look like what a strategy writes itself.

use crate::error::Result;
use crate::hypothesis::constructed::{Construction, window};
use crate::hypothesis::{Finding, Hypothesis, Laboratory, Measured, Rows, Verdict};
use crate::strategy::roadmap::SUMMARY_PREFIX as ROADMAP;
use crate::summarize::fault;
use crate::summarize::simple::{Lead, Limits};
use crate::summarize::{Ask, Prompt, Reply};
use crate::token::Tokenizer;
use crate::trace::Trace;
use crate::unit::Tokens;

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

pub(super) const IMITATION: Hypothesis = Hypothesis {
    id: "H32",
    title: "Imitated tags change nothing",
    expects: "A summary, or a user, whose text begins as a strategy's own summaries do ([SUMMARIZED], \
              [GOAL BATCH], Codex's prefix, role labels) is not taken for one. Profiles that \
              classify by metadata hold this; those that go by a prefix do not.",
    source: "STRATEGIES 20, H32; 1.6 (metadata), 4 and 5 (prefix)",
    method: "One constructed session of 60 turns with 3 pairs each, window 30,000, under each of \
             six beginnings: put before every answer of the summarizer, and before every third \
             request of the user. Compared with the same session where one letter of the beginning is \
             another, so that bytes and tokens are the same: the stages that acted, in order, and \
             how many entries each took and left.",
    judge: imitation,
    remarks: &[(
        Verdict::Mixed,
        "As expected by how each profile classifies. Forge, Goat and full replace go by metadata or \
         by place, and nothing moves them. Codex tells summaries by its prefix: a request that quotes \
         the prefix is not kept as the user's. The roadmap's profiles drop a request that begins as a \
         summary of theirs does, and keep for good one that begins as project instructions do. No \
         answer of a summarizer fools any of them, since each puts its own beginning first.",
    )],
};

fn imitation(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::new(
        "Beginnings that change what is compacted",
        &["pipeline", "in answers", "in requests"],
    );
    let (mut parts, mut fooled_by_answers, mut fooled_by_users) = (Vec::new(), 0, 0);
    for name in PIPELINES {
        let pipeline = crate::strategy::pipeline(name)?;
        let (mut answers, mut users) = (Vec::new(), Vec::new());
        for tag in TAGS {
            let harmless = harmless(tag);
            let answered = |text: &str| {
                let session = session("");
                lab.drive(&session, &pipeline, window(30_000), &Begins::with(text))
            };
            if doings(&answered(tag)) != doings(&answered(&harmless)) {
                answers.push(shown(tag));
            }
            let asked = |text: &str| {
                let session = session(text);
                lab.drive(&session, &pipeline, window(30_000), &Begins::with(""))
            };
            if doings(&asked(tag)) != doings(&asked(&harmless)) {
                users.push(shown(tag));
            }
        }
        fooled_by_answers += usize::from(!answers.is_empty());
        fooled_by_users += usize::from(!users.is_empty());
        parts.extend([answers.is_empty(), users.is_empty()]);
        let listed =
            |tags: &[String]| if tags.is_empty() { "none".to_owned() } else { tags.join(", ") };
        rows.push([format!("`{name}`"), listed(&answers), listed(&users)]);
    }
    let measured = vec![
        Measured::exact("profiles that an imitating user changes", "of 8", fooled_by_users as f64),
        Measured::exact(
            "profiles that an imitating answer changes",
            "of 8",
            fooled_by_answers as f64,
        ),
    ];
    Ok(Finding::new(Verdict::of_parts(&parts), measured).with(rows))
}

/// Stage, outcome, entries taken and left, compaction by compaction.
fn doings(trace: &Trace) -> Vec<(u32, &'static str, u32, u32)> {
    let plans = trace.compactions.iter();
    plans.map(|one| (one.stage, one.outcome.name(), one.removed, one.entries_after)).collect()
}

fn session(beginning: &str) -> crate::drive::Session {
    let mut made = Construction::new("imitation");
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

/// The first words of what is shown, after a beginning.
struct Begins {
    lead: Lead,
    text: String,
}

impl Begins {
    fn with(text: &str) -> Begins {
        let limits = Limits { max_output: Tokens(300), ..Limits::default() };
        Begins { lead: Lead { limits }, text: text.to_owned() }
    }
}

impl Ask for Begins {
    fn name(&self) -> &'static str {
        "begins"
    }
    fn window(&self) -> Tokens {
        self.lead.window()
    }
    fn max_output(&self) -> Tokens {
        self.lead.max_output()
    }
    fn ask(&self, batch: &[Prompt]) -> Vec<Reply> {
        let begun = |reply: Reply| {
            reply.map(|mut answer| {
                answer.text.insert_str(0, &self.text);
                answer
            })
        };
        self.lead.ask(batch).into_iter().map(begun).collect()
    }
    fn memoizes(&self) -> bool {
        false
    }
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
