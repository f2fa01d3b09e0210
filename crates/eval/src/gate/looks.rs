//! Looking several times: sessions are added until a gate is decided, and its error is spent over the
//! looks ("Discrete Sequential Boundaries for Clinical Trials", Lan and DeMets, 1983).

use super::policy::Policy;

/// A look at the sessions so far, the first being 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    look: u32,
    of: u32,
}

impl Look {
    /// All looks that batches of so many seeds make of at most so many.
    pub fn all(batch: usize, most: usize) -> impl Iterator<Item = Look> {
        let of = u32::try_from(most.div_ceil(batch.max(1)).max(1)).unwrap_or(u32::MAX);
        (1..=of).map(move |look| Look { look, of })
    }

    /// The seeds that it adds to those of a suite: as many again, behind them.
    pub fn seeds(self, first: &[u64]) -> Vec<u64> {
        let last = first.iter().max().copied().unwrap_or(0);
        let before = u64::from(self.look - 1) * first.len() as u64;
        match self.look {
            1 => first.to_vec(),
            _ => (0..first.len() as u64)
                .map(|one| last + before - first.len() as u64 + one + 1)
                .collect(),
        }
    }

    /// The part of each level that it may spend: by the square of the sessions so far ("Design and
    /// Analysis of Group Sequential Tests Based on the Type I Error Spending Rate Function", Kim and
    /// DeMets, 1987). Looks are added up, so that no error is larger whatever they have in common.
    pub fn share(self) -> f64 {
        let spent = |looks: u32| (f64::from(looks) / f64::from(self.of)).powi(2);
        spent(self.look) - spent(self.look - 1)
    }

    /// The policy with what this look may spend; as it is where there is one look only.
    pub fn policy(self, policy: &Policy) -> Policy {
        policy.spending(self.share())
    }

    /// The last of them.
    pub fn is_last(self) -> bool {
        self.look == self.of
    }

    /// What is said of it, where there are several.
    pub fn note(self) -> Option<String> {
        let share = crate::number::short(self.share());
        (self.of > 1).then(|| {
            format!(
                "look {} of at most {}: tests are at {share} of their level",
                self.look, self.of
            )
        })
    }
}

impl std::fmt::Display for Look {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.look {
            1 => Ok(()),
            look => write!(f, "-{look}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::gate::fixture::{Made, POLICY, ended_well};
    use crate::gate::{Baseline, Verdict, between};
    use crate::measure::MetricId;
    use crate::prelude::*;

    #[test]
    fn looks_add_seeds_behind_the_first_and_spend_the_level_once() {
        let looks: Vec<Look> = Look::all(3, 8).collect();
        assert_eq!(looks.len(), 3);
        assert_eq!(looks[0].seeds(&[1, 2, 5]), [1, 2, 5]);
        assert_eq!(looks[1].seeds(&[1, 2, 5]), [6, 7, 8]);
        assert_eq!(looks[2].seeds(&[1, 2, 5]), [9, 10, 11]);
        let spent: f64 = looks.iter().map(|look| look.share()).sum();
        assert!((spent - 1.0).abs() < 1e-12 && looks[0].share() < looks[2].share());
        assert_eq!(
            (Look::all(8, 3).count(), Look::all(8, 3).next().map(Look::share)),
            (1, Some(1.0))
        );
        assert!(looks[2].is_last() && looks[0].note().is_some());
    }

    /// Shares of simulated gates of at most five looks that pass, and that call a regression.
    fn decided(loss: f64) -> (f64, f64) {
        const GATES: u64 = 300;
        let policy = Policy::parse("policy.toml", POLICY).expect("it parses");
        let most = Made { seeds: 40, ..Made::small() };
        let before = Baseline::of(
            &most.run(|_, _, seed| ended_well(0.4 + (seed % 5) as f64 / 50.0)),
            &policy,
        );
        let mut counts = (0_u32, 0_u32);
        for gate in 0..GATES {
            let mut rng = Seed(gate).derive(&["looks", &loss.to_string()]).rng();
            let mut after = before.clone();
            for row in &mut after.rows {
                // Four throws: a standard deviation of 0.092.
                let noise: f64 = (0..4).map(|_| rng.random::<f64>() - 0.5).sum::<f64>() * 0.16;
                row.figures
                    .entry(MetricId::RecallAtNeed)
                    .and_modify(|value| *value += noise - loss);
            }
            let until = |side: &Baseline, last: u64| {
                let rows = side.rows.iter().filter(|row| row.seed <= last).cloned().collect();
                Baseline { rows, ..side.clone() }
            };
            for (look, last) in Look::all(8, 40).zip([8, 16, 24, 32, 40]) {
                let judgement =
                    between(&until(&before, last), &until(&after, last), &look.policy(&policy));
                match judgement.verdict {
                    Verdict::Undecided => continue,
                    Verdict::Regression => counts.1 += 1,
                    _ => counts.0 += 1,
                }
                break;
            }
        }
        let share = |count: u32| f64::from(count) / GATES as f64;
        (share(counts.0), share(counts.1))
    }

    #[test]
    fn whoever_looks_five_times_errs_no_more_often_than_who_looks_once() {
        let (passes, fails) = decided(0.05);
        assert!(passes <= 0.07 && fails <= 0.07, "a loss of the margin: {passes}, {fails}");
        let (passes, fails) = decided(0.0);
        assert!(passes >= 0.85 && fails <= 0.01, "no loss: {passes}, {fails}");
        let (passes, fails) = decided(0.12);
        assert!(passes <= 0.01 && fails >= 0.85, "a loss beyond it: {passes}, {fails}");
    }
}
