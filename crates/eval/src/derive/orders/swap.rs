//! Neighbours that do not commute: orders that differ only by swapping two of them.

use std::collections::BTreeMap;

use super::{Columns, Order, Session, Set};
use crate::derive::groups::seed;
use crate::row::{DerivedRow, optional};
use crate::stats::resample::clustered;
use crate::stats::{family, multiplicity};

/// The share of sessions in which a swap changes no figure at all.
const SAME: &str = "order.same";

/// Two stages, and every pair of orders in which they stand side by side, the first
/// first, and swapped, with all else alike.
struct Swap<'a> {
    first: &'a str,
    second: &'a str,
    pairs: Vec<(usize, usize)>,
}

pub(super) fn rows(set: &Set, columns: &[Columns]) -> Vec<DerivedRow> {
    let swaps = swaps(set);
    let mut rows: Vec<DerivedRow> =
        columns.iter().flat_map(|one| figure(set, &swaps, one)).collect();
    rows.extend(swaps.iter().map(|swap| same(set, swap)));
    rows
}

fn swaps<'a>(set: &'a Set) -> Vec<Swap<'a>> {
    let places: BTreeMap<&[String], usize> = set
        .orders
        .iter()
        .enumerate()
        .map(|(place, order)| (order.told.stages.as_slice(), place))
        .collect();
    let base = &set.orders[0].told.stages;
    let mut swaps = Vec::new();
    for (index, first) in base.iter().enumerate() {
        for second in &base[index + 1..] {
            let pairs: Vec<(usize, usize)> = set
                .orders
                .iter()
                .enumerate()
                .filter_map(|(place, order)| {
                    Some((place, *places.get(swapped(order, first, second)?.as_slice())?))
                })
                .collect();
            if !pairs.is_empty() {
                swaps.push(Swap { first, second, pairs });
            }
        }
    }
    swaps
}

/// The order with these two swapped, where they stand side by side, the first first.
fn swapped(order: &Order, first: &str, second: &str) -> Option<Vec<String>> {
    let mut stages = order.told.stages.clone();
    let place = stages.windows(2).position(|two| two[0] == first && two[1] == second)?;
    stages.swap(place, place + 1);
    Some(stages)
}

impl Swap<'_> {
    fn subject(&self, set: &Set) -> String {
        set.subject(&format!("{},{}", self.first, self.second))
    }
}

/// The difference that the first stage's going first makes, and how sure it is.
fn figure(set: &Set, swaps: &[Swap], columns: &Columns) -> Vec<DerivedRow> {
    let mut rows = Vec::new();
    let mut chances = Vec::new();
    for swap in swaps {
        let subject = swap.subject(set);
        let sessions: Vec<Vec<f64>> = (0..columns.sessions.len())
            .map(|session| {
                let of = |order: usize| columns.values[order][session];
                swap.pairs.iter().map(|(one, other)| of(*one) - of(*other)).collect()
            })
            .collect();
        let found = clustered(&sessions, columns.resampling(&subject, "order-swap"));
        let draw = seed(&subject, columns.metric, "order-swap-p");
        chances.push(family::sign_flip(&family::cluster_means(&sessions), draw).unwrap_or(1.0));
        let reason = format!(
            "{} first less {} first, {} pairs of orders",
            swap.first,
            swap.second,
            swap.pairs.len()
        );
        rows.push(set.row("order-swap", subject, columns.metric, found, reason));
    }
    let corrected = multiplicity::holm(&chances).unwrap_or_default();
    let tests = swaps.iter().zip(corrected).map(|(swap, p)| DerivedRow {
        value: optional(Some(p)),
        n: columns.sessions.len() as u32,
        ..set.row(
            "order-swap-p",
            swap.subject(set),
            columns.metric,
            None,
            format!("signs flipped by session, Holm over {} pairs of stages", swaps.len()),
        )
    });
    rows.extend(tests.collect::<Vec<_>>());
    rows
}

/// How many sessions cannot tell the two apart, in any figure of a cell.
fn same(set: &Set, swap: &Swap) -> DerivedRow {
    let alike = |session: &Session, (one, other): &(usize, usize)| {
        let figures = |order: usize| {
            let cells = set.orders[order].cells.get(session)?;
            Some(cells.iter().map(|cell| &cell.figures).collect::<Vec<_>>())
        };
        Some(figures(*one)? == figures(*other)?)
    };
    let sessions = set.orders[0].cells.keys();
    let told: Vec<bool> = sessions
        .filter_map(|session| {
            let pairs: Vec<bool> =
                swap.pairs.iter().filter_map(|pair| alike(session, pair)).collect();
            (!pairs.is_empty()).then(|| pairs.iter().all(|same| *same))
        })
        .collect();
    let same = told.iter().filter(|same| **same).count();
    let share = (!told.is_empty()).then(|| same as f64 / told.len() as f64);
    DerivedRow {
        value: optional(share),
        n: told.len() as u32,
        ..set.row(
            "order-swap",
            swap.subject(set),
            SAME,
            None,
            format!("{same} of {} sessions", told.len()),
        )
    }
}
