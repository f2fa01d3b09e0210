//! What each parameter does: how it goes together with recall and the costs over the first rung.

use super::range::Range;
use super::score::Cost;
use super::search::{Found, Trial};
use crate::stats::rank::{Rank, spearman};

/// Chance of a correlation so far out where there is none, below which one counts as shown.
const LEVEL: f64 = 0.01;

/// A correlation of ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// From −1 to 1.
    pub correlation: f64,
    /// Whether it is more than chance gives.
    pub is_shown: bool,
}

/// What a parameter goes together with.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// Its key.
    pub key: String,
    /// With recall; none where one of the two never changes.
    pub recall: Option<Strength>,
    /// With each [`Cost`].
    pub costs: [Option<Strength>; 3],
}

impl Effect {
    /// Whether it goes together with anything.
    pub fn is_any(&self) -> bool {
        let all = [&self.recall].into_iter().chain(&self.costs);
        all.flatten().any(|strength| strength.is_shown)
    }
}

/// Over all points of the first rung.
pub(super) fn of(ranges: &[Range], found: &Found) -> Vec<Effect> {
    let trials: Vec<&Trial> = found.rung(1).collect();
    let effect = |(place, range): (usize, &Range)| {
        let with = |figure: &dyn Fn(&Trial) -> Option<f64>| {
            let pair =
                |trial: &&Trial| Some((found.points[trial.point].values[place]?, figure(trial)?));
            let pairs: Vec<(f64, f64)> = trials.iter().filter_map(pair).collect();
            let Rank { correlation, p } = spearman(&pairs)?;
            Some(Strength { correlation, is_shown: p <= LEVEL })
        };
        Effect {
            key: range.key.clone(),
            recall: with(&|trial| trial.score.recall),
            costs: Cost::ALL.map(|cost| with(&|trial| trial.score.cost(cost))),
        }
    };
    ranges.iter().enumerate().map(effect).collect()
}
