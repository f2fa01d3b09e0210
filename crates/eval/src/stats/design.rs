//! How sessions stand together, and how a resample respects it: a weight for every session.

use std::collections::BTreeMap;

use rand::{Rng, RngExt};

/// Sessions in groups, ready to be resampled. Of a group of n, n − 1 are drawn and each weighs n /
/// (n − 1), so that a resample shows the whole variance (McCarthy and Snowden, "The Bootstrap and
/// Finite Population Sampling", 1985).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Design {
    count: usize,
    /// Sessions that are drawn among themselves.
    strata: Vec<Vec<usize>>,
}

impl Design {
    /// Sessions drawn from one pool. `None` with fewer than two.
    pub fn simple(count: usize) -> Option<Design> {
        Design::of(count, vec![(0..count).collect()])
    }

    /// Sessions drawn within their scenario, whose label stands for each. Scenarios with one
    /// session are one stratum, and a single one joins the smallest other (collapsed strata:
    /// Cochran, "Sampling Techniques", 1977, 5A.12). `None` with fewer than two sessions.
    pub fn stratified<Label: Ord>(labels: &[Label]) -> Option<Design> {
        let mut groups: BTreeMap<&Label, Vec<usize>> = BTreeMap::new();
        for (index, label) in labels.iter().enumerate() {
            groups.entry(label).or_default().push(index);
        }
        let (single, mut strata): (Vec<Vec<usize>>, Vec<Vec<usize>>) =
            groups.into_values().partition(|group| group.len() == 1);
        let mut single: Vec<usize> = single.into_iter().flatten().collect();
        if single.len() == 1
            && let Some(smallest) = strata.iter_mut().min_by_key(|stratum| stratum.len())
        {
            smallest.append(&mut single);
        }
        if !single.is_empty() {
            strata.push(single);
        }
        Design::of(labels.len(), strata)
    }

    fn of(count: usize, strata: Vec<Vec<usize>>) -> Option<Design> {
        let drawable = !strata.is_empty() && strata.iter().all(|stratum| stratum.len() > 1);
        drawable.then_some(Design { count, strata })
    }

    /// Number of sessions.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Number of strata.
    pub fn strata(&self) -> usize {
        self.strata.len()
    }

    /// Draws a resample: overwrites a weight for every session.
    pub fn draw(&self, rng: &mut impl Rng, weights: &mut Vec<f64>) {
        weights.clear();
        weights.resize(self.count, 0.0);
        for stratum in &self.strata {
            let drawn = stratum.len() - 1;
            let weight = stratum.len() as f64 / drawn as f64;
            for _ in 0..drawn {
                weights[stratum[rng.random_range(0..stratum.len())]] += weight;
            }
        }
    }

    /// The statistic without each session in turn, by stratum; the rest weighs as much as the whole.
    pub fn without_each(
        &self,
        mut statistic: impl FnMut(&[f64]) -> Option<f64>,
    ) -> Option<Vec<Vec<f64>>> {
        let mut weights = vec![1.0; self.count];
        let mut all = Vec::with_capacity(self.strata.len());
        for stratum in &self.strata {
            let rest = stratum.len() as f64 / (stratum.len() - 1) as f64;
            stratum.iter().for_each(|&session| weights[session] = rest);
            let mut values = Vec::with_capacity(stratum.len());
            for &session in stratum {
                weights[session] = 0.0;
                values.push(statistic(&weights)?);
                weights[session] = rest;
            }
            stratum.iter().for_each(|&session| weights[session] = 1.0);
            all.push(values);
        }
        Some(all)
    }
}

/// Mean of values with these weights; `None` where nothing weighs.
pub fn weighted_mean(values: &[f64], weights: &[f64]) -> Option<f64> {
    let total: f64 = weights.iter().sum();
    let sum: f64 = values.iter().zip(weights).map(|(value, weight)| value * weight).sum();
    super::finite(sum / total)
}
