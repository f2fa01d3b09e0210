//! Hypotheses about compaction: what is expected, what was measured, what follows.
//!
//! Each is stated in words beside the code that judges it. The suite `hypotheses` says
//! which cells may be driven for that ([`Laboratory`]); sessions written message by
//! message ([`constructed`]) stand beside them where an exact case says more than a draw.
//!
//! A verdict is computed and never written down. A remark is written by hand, for one
//! verdict: should the figures move and the verdict with them, the page drops the remark
//! instead of repeating what no longer holds.

pub mod answering;
mod atomicity;
pub mod constructed;
mod economics;
mod finding;
mod floor;
mod halving;
mod laboratory;
mod page;
mod reading;
mod retention;
mod robustness;
mod split;
mod trial;
mod trigger;

pub use finding::{Finding, Measured, Rows, Verdict, number};
pub use laboratory::{Driven, Laboratory};
pub use page::{Provenance, render};

use crate::error::{Error, Result};
use crate::ident::nearest;

/// A claim that measurements can contradict.
#[derive(Clone, Copy)]
pub struct Hypothesis {
    /// `H` and its number.
    pub id: &'static str,
    /// In a few words.
    pub title: &'static str,
    /// What is expected, as its source says it, in our words.
    pub expects: &'static str,
    /// Where the expectation comes from.
    pub source: &'static str,
    /// How it is tested: what is driven and what is read off.
    pub method: &'static str,
    /// Drives what it needs and judges.
    pub judge: fn(&Laboratory) -> Result<Finding>,
    /// By verdict, what a reader should know who sees it. A verdict other than
    /// [`Verdict::Confirmed`] has to have one.
    pub remarks: &'static [(Verdict, &'static str)],
}

/// The hypotheses, file by file.
const FILES: &[&[Hypothesis]] = &[
    floor::HYPOTHESES,
    atomicity::HYPOTHESES,
    split::HYPOTHESES,
    halving::HYPOTHESES,
    trigger::HYPOTHESES,
    retention::HYPOTHESES,
    economics::HYPOTHESES,
    robustness::HYPOTHESES,
];

/// All hypotheses by number.
pub fn all() -> Vec<&'static Hypothesis> {
    let mut all: Vec<&Hypothesis> = FILES.iter().flat_map(|file| file.iter()).collect();
    all.sort_by_key(|hypothesis| hypothesis.number());
    all
}

/// These hypotheses by number; all of them where none is named.
///
/// # Errors
///
/// [`Error::Unknown`] with the nearest id.
pub fn named(ids: &[String]) -> Result<Vec<&'static Hypothesis>> {
    let all = all();
    for id in ids {
        if !all.iter().any(|hypothesis| hypothesis.id.eq_ignore_ascii_case(id)) {
            let near = nearest(id, all.iter().map(|hypothesis| hypothesis.id));
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            return Err(Error::Unknown { what: "hypothesis", name: id.clone(), hint });
        }
    }
    let wanted = |hypothesis: &&Hypothesis| {
        ids.is_empty() || ids.iter().any(|id| hypothesis.id.eq_ignore_ascii_case(id))
    };
    Ok(all.into_iter().filter(wanted).collect())
}

impl Hypothesis {
    /// Its number.
    pub fn number(&self) -> u32 {
        // OK because a test holds every id to this form.
        self.id.trim_start_matches('H').parse().unwrap_or(u32::MAX)
    }

    /// The remark for a verdict.
    pub fn remark(&self, verdict: Verdict) -> Option<&'static str> {
        self.remarks.iter().find(|(of, _)| *of == verdict).map(|(_, text)| *text)
    }
}

/// A hypothesis and what became of it.
pub struct Judged {
    /// The hypothesis.
    pub hypothesis: &'static Hypothesis,
    /// What was found.
    pub finding: Finding,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_id_is_a_number_and_stands_once() {
        let ids: Vec<&str> = all().iter().map(|hypothesis| hypothesis.id).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
        for hypothesis in all() {
            assert_eq!(hypothesis.id, format!("H{}", hypothesis.number()));
        }
    }

    #[test]
    fn every_hypothesis_says_what_it_expects_and_where_that_comes_from() {
        for hypothesis in all() {
            let Hypothesis { id, title, expects, source, method, remarks, .. } = hypothesis;
            for text in [title, expects, source, method] {
                assert!(!text.trim().is_empty(), "{id}");
            }
            let of: BTreeSet<Verdict> = remarks.iter().map(|(verdict, _)| *verdict).collect();
            assert_eq!(of.len(), remarks.len(), "{id}: two remarks for one verdict");
        }
    }

    #[test]
    fn an_unknown_id_names_its_neighbour() {
        let error = named(&["H01".to_owned()]).map(|_| ()).expect_err("there is none");
        assert_eq!(error.hint(), Some("did you mean `H1`?"));
        assert_eq!(named(&["h1".to_owned()]).expect("case does not matter").len(), 1);
    }
}
