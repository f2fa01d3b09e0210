//! What a search is good for, as the held-back part has it.

use super::score::Cost;
use crate::compare::{Favour, Row};
use crate::measure::MetricId;
use crate::prelude::*;
use crate::words;

words! {
    /// What a pick is chosen for, on the part that was searched.
    pub enum Aim {
        /// The least cost of the points that finish most sessions, where the defaults end some early.
        MoreFinished = "more-finished",
        /// The most recall for no more than the defaults cost.
        MoreRecall = "more-recall",
        /// The least cost for no less recall than the defaults have.
        LessCost = "less-cost",
    }
}

words! {
    /// What became of a pick on the held-back part.
    pub enum Outcome {
        /// Better in what it was chosen for, and a loss beyond the margin in the other is excluded.
        Better = "better",
        /// Better in what it was chosen for, and shown to be worse in the other.
        AtAPrice = "at a price",
        /// Better in what it was chosen for; whether it loses in the other is open.
        OtherOpen = "the other open",
        /// No difference beyond the margin in what it was chosen for.
        Alike = "alike",
        /// Worse in what it was chosen for, or sessions end earlier.
        Worse = "worse",
        /// Neither shown nor excluded.
        Open = "open",
    }
}

words! {
    /// What the held-back part says of a front.
    pub enum Verdict {
        /// Some pick is better than the defaults.
        Tuned = "tuned",
        /// No pick is shown to be better: the defaults stand.
        DefaultsStand = "the defaults stand",
    }
}

/// A point that was chosen on the searched part, held against the defaults on the other.
#[derive(Clone, Debug)]
pub struct Pick {
    /// On which front.
    pub cost: Cost,
    /// What for.
    pub aim: Aim,
    /// Its number.
    pub point: usize,
    /// What became of it.
    pub outcome: Outcome,
    /// How many sessions it finishes beside the defaults.
    pub finished: Option<Row>,
    /// Its recall beside that of the defaults.
    pub recall: Option<Row>,
    /// Its cost beside that of the defaults.
    pub price: Option<Row>,
}

impl Pick {
    /// Held against the defaults, by the comparisons of it.
    pub(super) fn of((cost, aim, point): (Cost, Aim, usize), rows: &[&Row]) -> Pick {
        let row = |metric| rows.iter().find(|row| row.metric == metric).map(|row| (*row).clone());
        let (recall, price) = (row(MetricId::RecallAtNeed), row(cost.metric()));
        let finished = row(MetricId::Completion);
        let ends_earlier = finished.as_ref().is_some_and(|row| row.favour() == Favour::Baseline);
        let mut pick = Pick { cost, aim, point, outcome: Outcome::Open, finished, recall, price };
        pick.outcome = match (pick.aimed(), pick.other()) {
            _ if ends_earlier => Outcome::Worse,
            (Some(aimed), Some(other)) => {
                outcome((aimed.favour(), other.favour()), other.excludes_loss())
            }
            _ => Outcome::Open,
        };
        pick
    }
}

impl Pick {
    /// What it was chosen for, beside the defaults.
    pub(super) fn aimed(&self) -> Option<&Row> {
        match self.aim {
            Aim::MoreFinished => self.finished.as_ref(),
            Aim::MoreRecall => self.recall.as_ref(),
            Aim::LessCost => self.price.as_ref(),
        }
    }

    /// What must not be lost for it. What it cost to end early is no price to keep: a pick that
    /// finishes more is asked for recall.
    pub(super) fn other(&self) -> Option<&Row> {
        match self.aim {
            Aim::MoreFinished | Aim::LessCost => self.recall.as_ref(),
            Aim::MoreRecall => self.price.as_ref(),
        }
    }
}

fn outcome((aimed, other): (Favour, Favour), is_no_loss: bool) -> Outcome {
    match (aimed, other) {
        (Favour::Candidate, _) if is_no_loss => Outcome::Better,
        (Favour::Candidate, Favour::Baseline) => Outcome::AtAPrice,
        (Favour::Candidate, _) => Outcome::OtherOpen,
        (Favour::Neither, _) => Outcome::Alike,
        (Favour::Baseline, _) => Outcome::Worse,
        (Favour::Open, _) => Outcome::Open,
    }
}

impl Verdict {
    /// Of the picks of a front.
    pub(super) fn of<'a>(picks: impl IntoIterator<Item = &'a Pick>) -> Verdict {
        let any = picks.into_iter().any(|pick| pick.outcome == Outcome::Better);
        if any { Verdict::Tuned } else { Verdict::DefaultsStand }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pick_is_better_only_where_a_loss_in_the_other_is_excluded() {
        for (aimed, other, is_no_loss, expected) in [
            (Favour::Candidate, Favour::Neither, true, Outcome::Better),
            (Favour::Candidate, Favour::Candidate, true, Outcome::Better),
            (Favour::Candidate, Favour::Open, true, Outcome::Better),
            (Favour::Candidate, Favour::Open, false, Outcome::OtherOpen),
            (Favour::Candidate, Favour::Baseline, false, Outcome::AtAPrice),
            (Favour::Neither, Favour::Candidate, true, Outcome::Alike),
            (Favour::Open, Favour::Candidate, true, Outcome::Open),
            (Favour::Baseline, Favour::Candidate, true, Outcome::Worse),
        ] {
            assert_eq!(outcome((aimed, other), is_no_loss), expected, "{aimed:?} {other:?}");
        }
    }
}
