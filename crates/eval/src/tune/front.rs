//! Points that no other beats: ranks, and how much of a front each holds alone.

use super::score::{Cost, Score};
use crate::prelude::*;

/// A point on the plane of one front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    /// Sessions that it ends early: completion comes first.
    pub(super) lost: usize,
    /// Recall, higher is better.
    pub(super) recall: f64,
    /// Cost, lower is better.
    pub(super) cost: f64,
}

impl Place {
    /// Of a score.
    pub(super) fn of(score: &Score, cost: Cost) -> Place {
        Place {
            lost: score.unfinished(),
            recall: score.recall.unwrap_or(0.0),
            cost: score.cost(cost).unwrap_or(f64::INFINITY),
        }
    }

    fn beats(&self, other: &Place) -> bool {
        if self.lost != other.lost {
            return self.lost < other.lost;
        }
        let no_worse = self.recall >= other.recall && self.cost <= other.cost;
        no_worse && (self.recall > other.recall || self.cost < other.cost)
    }
}

/// The rank of each: 0 where no other beats it, 1 where only those of rank 0 do, and so on.
pub(super) fn ranks(places: &[Place]) -> Vec<usize> {
    let mut ranks: Vec<Option<usize>> = vec![None; places.len()];
    for rank in 0..places.len() {
        let open: Vec<usize> = (0..places.len()).filter(|one| ranks[*one].is_none()).collect();
        let is_beaten = |one: usize| open.iter().any(|other| places[*other].beats(&places[one]));
        for one in open.iter().copied().filter(|one| !is_beaten(*one)) {
            ranks[one] = Some(rank);
        }
        if ranks.iter().all(Option::is_some) {
            break;
        }
    }
    ranks.into_iter().map(|rank| rank.unwrap_or(places.len())).collect()
}

/// How far the neighbours of each are apart within its rank (Deb and others, "A Fast and Elitist
/// Multiobjective Genetic Algorithm: NSGA-II", 2002, III.B); without end at the ends.
pub(super) fn crowding(places: &[Place], ranks: &[usize]) -> Vec<f64> {
    let mut apart = vec![0.0; places.len()];
    let all: BTreeSet<usize> = ranks.iter().copied().collect();
    for rank in all {
        let members: Vec<usize> = (0..places.len()).filter(|one| ranks[*one] == rank).collect();
        for axis in [|place: &Place| place.recall, |place: &Place| place.cost] {
            let mut sorted = members.clone();
            let of = |one: usize| axis(&places[one]);
            sorted.sort_by(|one, other| of(*one).total_cmp(&of(*other)).then(one.cmp(other)));
            let (first, last) = (sorted[0], sorted[sorted.len() - 1]);
            let width = of(last) - of(first);
            for (before, behind) in [(first, first), (last, last)] {
                apart[before] = f64::INFINITY;
                apart[behind] = f64::INFINITY;
            }
            for three in sorted.windows(3).filter(|_| width.is_finite() && width > 0.0) {
                apart[three[1]] += (of(three[2]) - of(three[0])) / width;
            }
        }
    }
    apart
}

/// These points, the ones that should survive first: by the best rank over all costs, then by the
/// room that they have there, then by their place.
pub(super) fn order(scores: &[Score]) -> Vec<usize> {
    let mut best: Vec<(usize, f64)> = vec![(usize::MAX, 0.0); scores.len()];
    for cost in Cost::ALL {
        let places: Vec<Place> = scores.iter().map(|score| Place::of(score, cost)).collect();
        let ranks = ranks(&places);
        for (one, (rank, apart)) in ranks.iter().zip(crowding(&places, &ranks)).enumerate() {
            let known = best[one];
            if *rank < known.0 || (*rank == known.0 && apart > known.1) {
                best[one] = (*rank, apart);
            }
        }
    }
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|one, other| {
        let (a, b) = (best[*one], best[*other]);
        a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(one.cmp(other))
    });
    order
}

/// Which of these are on the front of a cost.
pub(super) fn front(scores: &[&Score], cost: Cost) -> Vec<bool> {
    let places: Vec<Place> = scores.iter().map(|score| Place::of(score, cost)).collect();
    ranks(&places).into_iter().map(|rank| rank == 0).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn place((lost, recall, cost): (usize, f64, f64)) -> Place {
        Place { lost, recall, cost }
    }

    #[test]
    fn ranks_are_layers_and_completion_comes_first() {
        for (points, expected) in [
            (vec![], vec![]),
            (vec![(0, 0.5, 1.0)], vec![0]),
            (vec![(0, 0.5, 1.0), (0, 0.6, 2.0), (0, 0.4, 2.0)], vec![0, 0, 1]),
            (vec![(0, 0.5, 1.0), (0, 0.5, 1.0)], vec![0, 0]),
            (vec![(0, 0.5, 1.0), (0, 0.5, 2.0), (0, 0.4, 3.0)], vec![0, 1, 2]),
            (vec![(1, 0.9, 0.1), (0, 0.1, 9.0), (2, 1.0, 0.0)], vec![1, 0, 2]),
        ] {
            let places: Vec<Place> = points.iter().copied().map(place).collect();
            assert_eq!(ranks(&places), expected, "{points:?}");
        }
    }

    #[test]
    fn the_ends_of_a_front_have_all_the_room() {
        let places = [(0, 0.1, 1.0), (0, 0.2, 2.0), (0, 0.9, 3.0), (0, 1.0, 9.0)].map(place);
        let apart = crowding(&places, &ranks(&places));
        assert!(apart[0].is_infinite() && apart[3].is_infinite());
        assert!(apart[2] > apart[1], "{apart:?}");
    }

    proptest! {
        /// forall points: none of rank 0 is beaten by any, and each of rank r + 1 by one of rank r.
        #[test]
        fn every_rank_is_beaten_by_the_one_before_and_none_by_its_own(
            points in prop::collection::vec((0_usize..2, 0_u8..6, 0_u8..6), 1..24),
        ) {
            let places: Vec<Place> = points
                .iter()
                .map(|(lost, recall, cost)| place((*lost, f64::from(*recall), f64::from(*cost))))
                .collect();
            let ranks = ranks(&places);
            for (one, rank) in ranks.iter().enumerate() {
                let beaten_by = |wanted: usize| {
                    (0..places.len())
                        .any(|other| ranks[other] == wanted && places[other].beats(&places[one]))
                };
                prop_assert!(!beaten_by(*rank));
                prop_assert!(*rank == 0 || beaten_by(rank - 1));
            }
        }
    }
}
