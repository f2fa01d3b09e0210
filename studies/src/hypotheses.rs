//! Hypotheses about compaction: what is expected, what was measured, what follows. The words are
//! in `data/hypotheses.toml`, verdicts are computed by the functions listed here. A remark is
//! written by hand for one verdict: when the verdict moves, the page drops the remark.

mod atomicity;
mod constructed;
mod economics;
mod finding;
mod floor;
mod laboratory;
mod page;
mod reading;
mod robustness;
mod triggers;

use std::collections::BTreeMap;

use proctor_core::config;
use proctor_core::error::{Error, Result};
use proctor_core::ident::did_you_mean;
use serde::Deserialize;

use finding::{Finding, Verdict};
pub use laboratory::Laboratory;
pub use page::render;

mod prelude {
    pub use std::sync::Arc;

    pub use proctor_core::apply::Rule;
    pub use proctor_core::drive::Session;
    pub use proctor_core::error::Result;
    pub use proctor_core::ident::MsgId;
    pub use proctor_core::log::{Author, Role};
    pub use proctor_core::pipeline::Pipeline;
    pub use proctor_core::trace::{Compaction, EndedBy, Share, Trace};
    pub use proctor_core::unit::Tokens;
    pub use proctor_eval::measure::{MetricId, firings};
    pub use proctor_eval::stats;
    pub use proctor_strategies::pipeline;

    pub use super::constructed::{Construction, provider, window, windowless};
    pub use super::finding::{Finding, Measured, Part, correct, exact, mean, within};
    pub use super::laboratory::{Driven, Laboratory, trace_of};
    pub use super::reading::*;
    pub(crate) use crate::table::{Shown, row};
}

const WORDS: &str = include_str!("../data/hypotheses.toml");

type Judge = fn(&Laboratory) -> Result<Finding>;

/// What drives and judges each hypothesis, by its id.
const JUDGES: [(&str, Judge); 28] = [
    ("H1", floor::grows),
    ("H2", floor::slower),
    ("H3", floor::stranded),
    ("H4", floor::ownerless),
    ("H5", floor::three_turns),
    ("H6", floor::bounded),
    ("H7", floor::rebatched),
    ("H8", floor::generations),
    ("H9", atomicity::units),
    ("H10", atomicity::live_goal),
    ("H11", atomicity::window_edge),
    ("H12", atomicity::displaced),
    ("H13", atomicity::orphans),
    ("H14", atomicity::repaired),
    ("H15", triggers::gives_up),
    ("H16", triggers::stuck),
    ("H17", triggers::five_pairs),
    ("H18", triggers::nested),
    ("H19", triggers::distinguishes),
    ("H20", triggers::one_horizon),
    ("H26", economics::dearer),
    ("H27", economics::invalidates),
    ("H28", economics::reported),
    ("H29", economics::halved),
    ("H31", robustness::survives),
    ("H32", robustness::imitation),
    ("H33", robustness::stale),
    ("H34", robustness::converges),
];

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hypothesis {
    id: String,
    chapter: String,
    title: String,
    expects: String,
    source: String,
    method: String,
    /// What a reader should know who sees this verdict; all that do not hold have to have it.
    #[serde(default)]
    remark: BTreeMap<Verdict, String>,
    table: Option<Head>,
}

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

pub struct Judged {
    pub hypothesis: Hypothesis,
    pub finding: Finding,
}

/// All that a page tells.
pub struct Judgement {
    pub judged: Vec<Judged>,
    /// The tests that verdicts rest on.
    pub tests: usize,
}

/// Drives what these hypotheses need and judges them, all where none is named. All their tests are
/// one family, so that fewer hypotheses are judged more leniently.
pub fn judged(ids: &[String], lab: &Laboratory, progress: fn(&str)) -> Result<Judgement> {
    let wanted = named(ids)?;
    let judge = |hypothesis: Hypothesis| {
        progress(&format!("{} {}", hypothesis.id, hypothesis.title));
        Ok(Judged { finding: hypothesis.judge(lab)?, hypothesis })
    };
    let mut judged = wanted.into_iter().map(judge).collect::<Result<Vec<Judged>>>()?;
    let tests = finding::correct(judged.iter_mut().flat_map(|one| &mut one.finding.parts));
    Ok(Judgement { judged, tests })
}

fn all() -> Result<Vec<Hypothesis>> {
    read(WORDS)
}

fn read(words: &str) -> Result<Vec<Hypothesis>> {
    let file: BTreeMap<String, Vec<Hypothesis>> =
        config::parse("list", "data/hypotheses.toml", words)?;
    let mut all: Vec<Hypothesis> = file.into_values().flatten().collect();
    all.sort_by_key(Hypothesis::number);
    Ok(all)
}

fn named(ids: &[String]) -> Result<Vec<Hypothesis>> {
    let mut all = all()?;
    let is = |one: &Hypothesis, id: &String| one.id.eq_ignore_ascii_case(id);
    if let Some(id) = ids.iter().find(|id| !all.iter().any(|one| is(one, id))) {
        let hint = did_you_mean(id, all.iter().map(|one| one.id.as_str()));
        return Err(Error::unknown("hypothesis", id, hint));
    }
    all.retain(|one| ids.is_empty() || ids.iter().any(|id| is(one, id)));
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
            let Hypothesis { id, chapter, title, expects, source, method, .. } = hypothesis;
            assert_eq!(*id, format!("H{}", hypothesis.number()));
            for text in [chapter, title, expects, source, method] {
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
            let verdict = Verdict::named(verdict).expect("a known verdict");
            let remark = one.remark.get(&verdict);
            assert!(remark.is_some() || verdict == Verdict::Holds, "{}: no remark", one.id);
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
