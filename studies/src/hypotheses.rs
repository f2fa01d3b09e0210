//! Hypotheses about compaction: what is expected, what was measured, what follows.
//!
//! The words of each are in `data/hypotheses.toml`, the function that judges it is listed
//! here. The suite `hypotheses` says which cells may be driven for that ([`Laboratory`]);
//! sessions written message by message ([`constructed`]) test exact cases.
//!
//! A verdict is computed and never written down. A remark is written by hand for one
//! verdict: when the figures move and the verdict with them, the page drops the remark.

mod constructed;
mod finding;
mod h01_floor_growth;
mod h03_stranded_messages;
mod h05_batch_size;
mod h09_split_turns;
mod h12_harness_notices;
mod h13_orphan_results;
mod h15_oversized_message;
mod h16_unreachable_target;
mod h17_trigger_count;
mod h19_low_yield;
mod h20_dropped_summary;
mod h26_summarizer_calls;
mod h27_cache_cost;
mod h28_reported_savings;
mod h31_failing_summarizer;
mod h32_spoofed_prefix;
mod h33_stale_prompt;
mod h34_idempotence;
mod laboratory;
mod page;
mod reading;
mod summarizers;
mod turn_shapes;

use std::collections::BTreeMap;

use proctor_core::error::{Error, Result};
use proctor_core::ident::nearest;
use serde::Deserialize;

use finding::{Finding, Measured, Rows, Verdict};
use laboratory::Driven;
pub use laboratory::Laboratory;
pub use page::{Provenance, render};

const WORDS: &str = include_str!("../data/hypotheses.toml");

type Judge = fn(&Laboratory) -> Result<Finding>;

/// What drives and judges each hypothesis, by its id.
const JUDGES: [(&str, Judge); 28] = [
    ("H1", h01_floor_growth::grows),
    ("H2", h01_floor_growth::slower),
    ("H3", h03_stranded_messages::stranded),
    ("H4", h03_stranded_messages::ownerless),
    ("H5", h05_batch_size::three_turns),
    ("H6", h05_batch_size::bounded),
    ("H7", h01_floor_growth::rebatched),
    ("H8", h03_stranded_messages::generations),
    ("H9", h09_split_turns::units),
    ("H10", h09_split_turns::live_goal),
    ("H11", h09_split_turns::window_edge),
    ("H12", h12_harness_notices::displaced),
    ("H13", h13_orphan_results::orphans),
    ("H14", h13_orphan_results::repaired),
    ("H15", h15_oversized_message::gives_up),
    ("H16", h16_unreachable_target::stuck),
    ("H17", h17_trigger_count::five_pairs),
    ("H18", h17_trigger_count::nested),
    ("H19", h19_low_yield::distinguishes),
    ("H20", h20_dropped_summary::one_horizon),
    ("H26", h26_summarizer_calls::dearer),
    ("H27", h27_cache_cost::invalidates),
    ("H28", h28_reported_savings::reported),
    ("H29", h28_reported_savings::halved),
    ("H31", h31_failing_summarizer::survives),
    ("H32", h32_spoofed_prefix::imitation),
    ("H33", h33_stale_prompt::stale),
    ("H34", h34_idempotence::converges),
];

/// A claim that measurements can contradict.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hypothesis {
    /// `H` and its number.
    pub id: String,
    pub title: String,
    pub expects: String,
    /// Where the expectation comes from.
    pub source: String,
    /// What is driven and what is read off.
    pub method: String,
    /// What a reader should know who sees this verdict. A verdict other than
    /// [`Verdict::Confirmed`] has to have one.
    #[serde(default)]
    pub remark: BTreeMap<Verdict, String>,
    /// What heads the table of its sweep.
    table: Option<Head>,
}

/// The caption of a table and its headings.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    caption: String,
    head: Vec<String>,
}

impl Hypothesis {
    fn number(&self) -> u32 {
        // A test holds every id to this form.
        self.id.trim_start_matches('H').parse().unwrap_or(u32::MAX)
    }

    fn judge(&self, lab: &Laboratory) -> Result<Finding> {
        let judge = JUDGES.iter().find(|(id, _)| *id == self.id).map(|(_, judge)| judge);
        judge.ok_or_else(|| Error::invalid(&self.id, "no function judges it"))?(lab)
    }
}

/// A hypothesis and what was found about it.
pub struct Judged {
    pub hypothesis: Hypothesis,
    pub finding: Finding,
}

/// Drives what these hypotheses need and judges them, all where none is named.
pub fn judged(ids: &[String], lab: &Laboratory, progress: fn(&str)) -> Result<Vec<Judged>> {
    let wanted = named(ids)?;
    let judge = |hypothesis: Hypothesis| {
        progress(&format!("{} {}", hypothesis.id, hypothesis.title));
        Ok(Judged { finding: hypothesis.judge(lab)?, hypothesis })
    };
    wanted.into_iter().map(judge).collect()
}

/// All hypotheses by number.
fn all() -> Result<Vec<Hypothesis>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        hypothesis: Vec<Hypothesis>,
    }
    let file: File = toml::from_str(WORDS)
        .map_err(|error| Error::invalid("data/hypotheses.toml", error.to_string()))?;
    let mut all = file.hypothesis;
    all.sort_by_key(Hypothesis::number);
    Ok(all)
}

fn named(ids: &[String]) -> Result<Vec<Hypothesis>> {
    let mut all = all()?;
    for id in ids {
        if !all.iter().any(|hypothesis| hypothesis.id.eq_ignore_ascii_case(id)) {
            let near = nearest(id, all.iter().map(|hypothesis| hypothesis.id.as_str()));
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            return Err(Error::Unknown { what: "hypothesis", name: id.clone(), hint });
        }
    }
    all.retain(|hypothesis| {
        ids.is_empty() || ids.iter().any(|id| hypothesis.id.eq_ignore_ascii_case(id))
    });
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hypothesis_has_its_words_and_its_judge() {
        let all = all().expect("the file parses");
        let ids: Vec<&str> = all.iter().map(|hypothesis| hypothesis.id.as_str()).collect();
        assert_eq!(ids, JUDGES.map(|(id, _)| id));
        for hypothesis in &all {
            let Hypothesis { id, title, expects, source, method, .. } = hypothesis;
            assert_eq!(*id, format!("H{}", hypothesis.number()));
            for text in [title, expects, source, method] {
                assert!(!text.trim().is_empty(), "{id}");
            }
        }
    }

    /// The committed page was made with the words as they stand, as far as that can be seen
    /// without driving it all again: the same hypotheses, none without its remark.
    #[test]
    fn the_committed_page_has_every_hypothesis_and_every_remark() {
        let page = include_str!("../pages/hypotheses.md");
        for one in all().expect("the file parses") {
            let heading = format!("### {} {}: ", one.id, one.title);
            let verdict = page.split(&heading).nth(1).and_then(|rest| rest.lines().next());
            let verdict = verdict.unwrap_or_else(|| panic!("{} is not on the page", one.id));
            for text in [&one.expects, &one.source, &one.method] {
                assert!(page.contains(text), "{}: other words", one.id);
            }
            let verdict = Verdict::ALL.into_iter().find(|known| known.name() == verdict);
            let verdict = verdict.expect("a known verdict");
            let remark = one.remark.get(&verdict);
            assert!(remark.is_some() || verdict == Verdict::Confirmed, "{}: no remark", one.id);
            assert!(remark.is_none_or(|remark| page.contains(remark)), "{}: another", one.id);
        }
    }

    #[test]
    fn an_unknown_id_names_its_neighbour() {
        let error = named(&["H01".to_owned()]).map(|_| ()).expect_err("there is none");
        assert_eq!(error.hint(), Some("did you mean `H1`?"));
        assert_eq!(named(&["h1".to_owned()]).expect("case does not matter").len(), 1);
    }
}
