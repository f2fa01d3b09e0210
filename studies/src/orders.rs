//! Orders of the same stages: does it matter which comes first, for what, by how much?
//!
//! Sessions are the unit: every comparison is within a session, over the sessions that
//! have the figure under every order, and whole sessions are resampled.

mod exchange;
mod figure;
mod page;
mod swap;

use std::collections::{BTreeMap, BTreeSet};

use proctor_core::unit::Tokens;
use proctor_eval::matrix::OrderedStages;
use proctor_eval::stats::mean;
use proctor_eval::stats::multiplicity::holm;
use proctor_eval::stats::resample::{Difference, Resampling, clustered, paired_difference};

use crate::run::{Cell, Run, Session, seed};
use figure::Figure;
pub use page::page;

/// Draws of the test over all orders.
const DRAWS: u32 = 1_999;
/// A chance that is small enough to call a spread real.
const LEVEL: f64 = 0.05;

/// The orders of one window and mode under one summarizer.
struct Set<'a> {
    window: Option<Tokens>,
    mode: &'a str,
    summarizer: &'a str,
    orders: Vec<Order<'a>>,
}

/// One order with the cells that were driven for it.
struct Order<'a> {
    named: &'a OrderedStages,
    /// The configuration under which it was driven: another's where equal plans run once.
    driven: &'a str,
    cells: BTreeMap<Session<'a>, Vec<&'a Cell>>,
}

/// A figure of every order in every session that has it under all of them.
struct Columns {
    figure: Figure,
    sessions: usize,
    /// By order, then session.
    values: Vec<Vec<f64>>,
}

/// What the orders of a set come to in one figure.
struct Comparison {
    columns: Columns,
    orders: Vec<OrderResult>,
    /// The best order less the worst.
    spread: Option<Difference>,
    /// The chance of so large a spread where no order matters, corrected over the figures.
    p: Option<f64>,
    verdict: Verdict,
}

struct OrderResult {
    mean: Option<Difference>,
    beside_best: Option<Difference>,
    standing: Standing,
}

/// How an order stands beside the best one, where a difference within the margin is not
/// worth having.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Best,
    /// The same in every session.
    Identical,
    WithinMargin,
    Worse,
    Open,
}

/// Whether the order matters for a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Matters,
    WithinMargin,
    Alike,
    Open,
}

/// The sets that were driven under a summarizer, by window and mode.
fn sets<'a>(run: &'a Run, summarizer: &'a str) -> Vec<Set<'a>> {
    let manifest = run.manifest();
    let driven = |order: &'a OrderedStages| {
        manifest.aliases.get(&order.name).map_or(order.name.as_str(), String::as_str)
    };
    let wanted: BTreeSet<&str> = manifest.orders.iter().map(driven).collect();
    let mut modes: BTreeMap<&str, BTreeMap<String, Vec<&Cell>>> = BTreeMap::new();
    let own =
        run.cells().iter().filter(|cell| !cell.is_twin() && cell.key.summarizer == summarizer);
    for cell in own {
        let configuration = cell.key.configuration();
        if wanted.contains(configuration.as_str()) {
            modes.entry(&cell.key.mode).or_default().entry(configuration).or_default().push(cell);
        }
    }
    let windows: BTreeSet<Option<Tokens>> =
        manifest.orders.iter().map(|order| order.window).collect();
    let mut sets = Vec::new();
    for window in windows {
        for (mode, cells) in &modes {
            let own = manifest.orders.iter().filter(|order| order.window == window);
            let orders = own.filter_map(|named| {
                let driven = driven(named);
                let mut sessions: BTreeMap<Session, Vec<&Cell>> = BTreeMap::new();
                for cell in cells.get(driven)? {
                    sessions.entry(cell.session()).or_default().push(cell);
                }
                Some(Order { named, driven, cells: sessions })
            });
            let orders: Vec<Order> = orders.collect();
            if orders.len() > 1 {
                sets.push(Set { window, mode, summarizer, orders });
            }
        }
    }
    sets
}

impl Set<'_> {
    /// What a resampling is about; seeds are made from it.
    fn subject(&self, what: &str) -> String {
        let window = self.window.map(|size| format!("_window-{size}")).unwrap_or_default();
        format!("{what}{window}/{}/{}", self.mode, self.summarizer)
    }

    /// Every figure that some session has under every order, with its verdict. The best and
    /// the worst order are picked after looking, so beside their interval stands a test that
    /// allows for that.
    fn comparisons(&self, net: &BTreeMap<&str, f64>) -> Vec<Comparison> {
        let cells = self.orders.iter().flat_map(|order| order.cells.values().flatten());
        let columns: Vec<Columns> = figure::compared(cells.copied())
            .into_iter()
            .map(|figure| self.columns(figure, net))
            .filter(|columns| columns.sessions > 0)
            .collect();
        let subject = self.subject("orders");
        let chances: Vec<Option<f64>> =
            columns.iter().map(|columns| self.chance(columns, &subject)).collect();
        let known: Vec<f64> = chances.iter().map(|p| p.unwrap_or(1.0)).collect();
        let corrected = holm(&known).unwrap_or_default();
        let with_chance = columns.into_iter().zip(chances).zip(corrected);
        with_chance
            .map(|((columns, p), corrected)| {
                let (best, worst) = columns.ends();
                let result = |(place, order): (usize, &Order)| {
                    let own = format!("{}/{}/{}", order.named.name, self.mode, self.summarizer);
                    let alone: Vec<Vec<f64>> =
                        columns.values[place].iter().map(|one| vec![*one]).collect();
                    let beside = columns.difference(place, best, &own);
                    OrderResult {
                        mean: clustered(&alone, columns.resampling(&own, "order")),
                        standing: columns.standing(place, best, beside.as_ref()),
                        beside_best: beside,
                    }
                };
                Comparison {
                    orders: self.orders.iter().enumerate().map(result).collect(),
                    spread: columns.difference(best, worst, &subject),
                    p: p.map(|_| corrected),
                    verdict: columns.verdict(corrected),
                    columns,
                }
            })
            .collect()
    }

    fn columns(&self, figure: Figure, net: &BTreeMap<&str, f64>) -> Columns {
        let value = |order: &Order, session: &Session| -> Option<f64> {
            let cells = order.cells.get(session)?;
            let values: Vec<f64> = cells.iter().filter_map(|cell| figure.of(cell, net)).collect();
            mean(&values).filter(|_| values.len() == cells.len())
        };
        let first = self.orders.iter().take(1).flat_map(|order| order.cells.keys());
        let shared: Vec<&Session> = first
            .filter(|session| self.orders.iter().all(|order| value(order, session).is_some()))
            .collect();
        let of = |order| shared.iter().filter_map(|session| value(order, session)).collect();
        let values = self.orders.iter().map(of).collect();
        Columns { figure, sessions: shared.len(), values }
    }

    /// How likely so large a spread is where no order matters.
    fn chance(&self, columns: &Columns, subject: &str) -> Option<f64> {
        // An order under two names is one.
        let mut known: BTreeSet<&str> = BTreeSet::new();
        let distinct: Vec<&Vec<f64>> = self
            .orders
            .iter()
            .zip(&columns.values)
            .filter(|(order, _)| known.insert(order.driven))
            .map(|(_, values)| values)
            .collect();
        let sessions: Vec<Vec<f64>> = (0..columns.sessions)
            .map(|session| distinct.iter().map(|values| values[session]).collect())
            .collect();
        let draw = seed(subject, columns.figure.metric.name(), "order-spread-p");
        exchange::spread(&sessions, draw, DRAWS)
    }

    /// What a stage's place is worth: the mean over the orders that have it there, less the
    /// mean over all; `None` where no order has it there.
    fn place(&self, columns: &Columns, stage: &str, place: usize) -> Option<Difference> {
        let there = |order: &usize| {
            self.orders[*order].named.stages.get(place).is_some_and(|own| own == stage)
        };
        let all: Vec<usize> = (0..self.orders.len()).collect();
        let own: Vec<usize> = all.iter().copied().filter(there).collect();
        let mean_of = |orders: &[usize], session: usize| {
            mean(&orders.iter().map(|order| columns.values[*order][session]).collect::<Vec<_>>())
        };
        let effect = |session: usize| Some(mean_of(&own, session)? - mean_of(&all, session)?);
        let effects: Vec<Vec<f64>> =
            (0..columns.sessions).map(|session| effect(session).into_iter().collect()).collect();
        let subject = self.subject(&format!("{stage}@{}", place + 1));
        clustered(&effects, columns.resampling(&subject, "order-place"))
    }
}

impl Columns {
    fn resampling(&self, subject: &str, purpose: &str) -> Resampling {
        Resampling::standard(seed(subject, self.figure.metric.name(), purpose))
    }

    /// The best and the worst order; of equals the first.
    fn ends(&self) -> (usize, usize) {
        let loss = |order: usize| self.figure.loss() * mean(&self.values[order]).unwrap_or(0.0);
        let (mut best, mut worst) = (0, 0);
        for order in 1..self.values.len() {
            if loss(order) < loss(best) {
                best = order;
            }
            if loss(order) > loss(worst) {
                worst = order;
            }
        }
        (best, worst)
    }

    /// One order less another, session by session.
    fn difference(&self, ours: usize, theirs: usize, subject: &str) -> Option<Difference> {
        let pairs = self.values[ours].iter().copied().zip(self.values[theirs].iter().copied());
        let pairs: Vec<(f64, f64)> = pairs.collect();
        paired_difference(&pairs, self.resampling(subject, "order-best"))
    }

    fn verdict(&self, p: f64) -> Verdict {
        let (best, worst) = self.ends();
        if self.values.iter().all(|values| *values == self.values[best]) {
            return Verdict::Alike;
        }
        let difference = self.difference(worst, best, "verdict");
        match self.standing(worst, best, difference.as_ref()) {
            Standing::Worse if p <= LEVEL => Verdict::Matters,
            Standing::WithinMargin => Verdict::WithinMargin,
            Standing::Best | Standing::Identical | Standing::Worse | Standing::Open => {
                Verdict::Open
            }
        }
    }

    fn standing(&self, ours: usize, best: usize, found: Option<&Difference>) -> Standing {
        if ours == best {
            return Standing::Best;
        }
        if self.values[ours] == self.values[best] {
            return Standing::Identical;
        }
        // One session has no interval, and decides nothing.
        let ends = found.and_then(|found| found.interval).zip(mean(&self.values[best]));
        let Some((interval, at_best)) = ends else { return Standing::Open };
        let allowed = self.figure.allowed(at_best);
        let ends = [interval.low, interval.high].map(|end| end * self.figure.loss());
        let (least, most) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        match (most <= allowed, least > allowed) {
            (true, _) => Standing::WithinMargin,
            (false, true) => Standing::Worse,
            (false, false) => Standing::Open,
        }
    }
}

#[cfg(test)]
mod tests;
