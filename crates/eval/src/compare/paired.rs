//! One figure of two sides, session by session, and what their difference rests on.

use std::collections::BTreeMap;

use super::Pooling;
use crate::ident::Seed;
use crate::stats::bca::bca_mean;
use crate::stats::binary::{mcnemar, paired_shares};
use crate::stats::paired::{Method, sign_flip};
use crate::stats::resample::{Interval, Resampling};

/// Gathers the cells of both sides by session: scenario and seed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairing<'a> {
    places: BTreeMap<(&'a str, u64), Vec<(f64, f64)>>,
    alone: usize,
}

impl<'a> Pairing<'a> {
    /// Adds the figure of one cell and of its partner; several of one session are its
    /// replicates. Where only one side has it, it is counted as unpaired.
    pub(crate) fn put(&mut self, session: (&'a str, u64), values: (Option<f64>, Option<f64>)) {
        match values {
            (Some(one), Some(two)) => self.places.entry(session).or_default().push((one, two)),
            (None, None) => {}
            _ => self.alone += 1,
        }
    }

    /// The sessions with both figures, replicates averaged.
    pub(crate) fn finish(self) -> Paired<'a> {
        let mut paired = Paired { unpaired: self.alone, ..Paired::default() };
        for ((scenario, _), replicates) in self.places {
            let count = replicates.len() as f64;
            let one = replicates.iter().map(|pair| pair.0).sum::<f64>() / count;
            let two = replicates.iter().map(|pair| pair.1).sum::<f64>() / count;
            paired.scenarios.push(scenario);
            paired.baseline.push(one);
            paired.candidate.push(two);
            paired.differences.push(two - one);
        }
        paired
    }
}

/// Sessions with the figure on both sides, in the order of scenario and seed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paired<'a> {
    scenarios: Vec<&'a str>,
    pub(crate) baseline: Vec<f64>,
    pub(crate) candidate: Vec<f64>,
    /// Candidate less baseline.
    pub(crate) differences: Vec<f64>,
    /// Cells whose partner lacks the figure.
    pub(crate) unpaired: usize,
}

impl Paired<'_> {
    /// Wins of either side, where every figure is 0 or 1.
    fn all_or_nothing(&self) -> Option<(u64, u64)> {
        let mut values = self.baseline.iter().chain(&self.candidate);
        if self.differences.is_empty() || !values.all(|value| *value == 0.0 || *value == 1.0) {
            return None;
        }
        let count = |is: fn(&f64) -> bool| self.differences.iter().filter(|x| is(x)).count() as u64;
        Some((count(|value| *value > 0.0), count(|value| *value < 0.0)))
    }

    /// Where the mean difference lies, and how that was found: `bca`, or `adjusted-wald`
    /// for all-or-nothing figures. `None` with too few sessions.
    pub(crate) fn interval(
        &self,
        pooling: Pooling,
        resampling: Resampling,
    ) -> (Option<Interval>, &'static str) {
        if let Some((more, less)) = self.all_or_nothing() {
            let count = self.differences.len() as u64;
            return (paired_shares(more, less, count, resampling.level), "adjusted-wald");
        }
        let design = pooling.design(&self.scenarios);
        let interval = design.and_then(|design| bca_mean(&self.differences, &design, resampling));
        (interval, "bca")
    }

    /// The test by its name, and its two-sided p: `mcnemar` for all-or-nothing figures,
    /// else `sign-flip`, exact or drawn.
    pub(crate) fn test(&self, seed: Seed) -> (&'static str, Option<f64>) {
        if let Some((more, less)) = self.all_or_nothing() {
            return ("mcnemar", Some(mcnemar(more, less)));
        }
        match sign_flip(&self.differences, seed) {
            Some(test) if test.method == Method::Exact => ("sign-flip", Some(test.p)),
            Some(test) => ("sign-flip, drawn", Some(test.p)),
            None => ("", None),
        }
    }
}
