//! Neighbours that do not commute: orders that differ only by swapping two of them.

use std::collections::BTreeMap;

use proctor_eval::stats::mean;
use proctor_eval::stats::multiplicity::holm;
use proctor_eval::stats::resample::{Difference, clustered};

use super::{Columns, Comparison, Order, Set, exchange};
use crate::run::{Session, seed};

/// Two stages, and every pair of orders in which they stand side by side, `first` before
/// `second` and swapped, with all else alike.
pub struct Swap<'a> {
    pub first: &'a str,
    pub second: &'a str,
    pairs: Vec<(usize, usize)>,
}

/// What swapping two stages does to one figure.
pub struct Effect {
    /// The first stage first less the second first.
    pub difference: Option<Difference>,
    /// Signs flipped by session, corrected over the swaps.
    pub p: f64,
}

pub fn swaps<'a>(set: &Set<'a>) -> Vec<Swap<'a>> {
    let places: BTreeMap<&[String], usize> = set
        .orders
        .iter()
        .enumerate()
        .map(|(place, order)| (order.named.stages.as_slice(), place))
        .collect();
    let base = &set.orders[0].named.stages;
    let pair = |first: &'a String, second: &'a String| {
        let pairs = set.orders.iter().enumerate().filter_map(|(place, order)| {
            Some((place, *places.get(swapped(order, first, second)?.as_slice())?))
        });
        Swap { first, second, pairs: pairs.collect() }
    };
    let all = base
        .iter()
        .enumerate()
        .flat_map(|(index, first)| base[index + 1..].iter().map(move |second| pair(first, second)));
    all.filter(|swap| !swap.pairs.is_empty()).collect()
}

/// The order with these two swapped, where they stand side by side, the first first.
fn swapped(order: &Order, first: &str, second: &str) -> Option<Vec<String>> {
    let mut stages = order.named.stages.clone();
    let place = stages.windows(2).position(|two| two[0] == first && two[1] == second)?;
    stages.swap(place, place + 1);
    Some(stages)
}

/// The effect of every swap on one figure.
pub fn effects(set: &Set, swaps: &[Swap], comparison: &Comparison) -> Vec<Effect> {
    let columns = &comparison.columns;
    let found: Vec<(Option<Difference>, f64)> =
        swaps.iter().map(|swap| swap.effect(set, columns)).collect();
    let chances: Vec<f64> = found.iter().map(|(_, p)| *p).collect();
    let corrected = holm(&chances).unwrap_or_default();
    let effects = found.into_iter().zip(corrected);
    effects.map(|((difference, _), p)| Effect { difference, p }).collect()
}

impl Swap<'_> {
    fn effect(&self, set: &Set, columns: &Columns) -> (Option<Difference>, f64) {
        let subject = set.subject(&format!("{},{}", self.first, self.second));
        let sessions: Vec<Vec<f64>> = (0..columns.sessions)
            .map(|session| {
                let of = |order: usize| columns.values[order][session];
                self.pairs.iter().map(|(one, other)| of(*one) - of(*other)).collect()
            })
            .collect();
        let means: Vec<f64> = sessions.iter().filter_map(|pairs| mean(pairs)).collect();
        let draw = seed(&subject, columns.figure.metric.name(), "order-swap-p");
        let p = exchange::sign_flip(&means, draw).unwrap_or(1.0);
        (clustered(&sessions, columns.resampling(&subject, "order-swap")), p)
    }

    /// In how many sessions, of how many, no figure of a cell tells the two orders of any
    /// pair apart.
    pub fn alike(&self, set: &Set) -> (usize, usize) {
        let same = |session: &Session, (one, other): &(usize, usize)| {
            let figures = |order: usize| {
                let cells = set.orders[order].cells.get(session)?;
                Some(cells.iter().map(|cell| &cell.figures).collect::<Vec<_>>())
            };
            Some(figures(*one)? == figures(*other)?)
        };
        let sessions = set.orders[0].cells.keys().filter_map(|session| {
            let pairs: Vec<bool> =
                self.pairs.iter().filter_map(|pair| same(session, pair)).collect();
            (!pairs.is_empty()).then(|| pairs.iter().all(|same| *same))
        });
        let sessions: Vec<bool> = sessions.collect();
        (sessions.iter().filter(|same| **same).count(), sessions.len())
    }
}
