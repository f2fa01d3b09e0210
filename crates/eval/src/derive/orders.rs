//! Orders of the same stages: does it matter which comes first, for what, by how much?
//!
//! Sessions are the unit: every comparison is within a session, over the sessions that
//! have the figure under every order, and whole sessions are resampled.

mod figure;
mod swap;

use std::collections::{BTreeMap, BTreeSet};

use figure::Margin;

use crate::derive::groups::seed;
use crate::derive::{Index, MeasuredCell};
use crate::matrix::OrderedStages;
use crate::measure::table::{Direction, metric};
use crate::row::{DerivedRow, optional};
use crate::stats::resample::{Difference, Resampling, clustered, paired_difference};
use crate::stats::{family, multiplicity};
use crate::unit::Tokens;

/// Draws of the test over all orders.
const DRAWS: u32 = 1_999;
/// A chance that is small enough to call a spread real.
const LEVEL: f64 = 0.05;

type Session<'a> = (&'a str, u64);

/// The orders of one window, mode and summarizer.
struct Set<'a> {
    /// Goes behind what rows are about: `_window-50k`, or nothing.
    window: String,
    mode: &'a str,
    summarizer: &'a str,
    orders: Vec<Order<'a>>,
}

/// One order with the cells that were driven for it.
struct Order<'a> {
    told: &'a OrderedStages,
    /// The configuration under which it was driven: another's where it is an alias.
    driven: &'a str,
    cells: BTreeMap<Session<'a>, Vec<&'a MeasuredCell>>,
}

/// A figure of every order in every session that has it under all of them.
struct Columns<'a> {
    metric: &'static str,
    sessions: Vec<Session<'a>>,
    /// By order, then session.
    values: Vec<Vec<f64>>,
}

/// The rows of all orderings.
pub(super) fn rows(index: &Index, net: &BTreeMap<String, f64>) -> Vec<DerivedRow> {
    sets(index).iter().flat_map(|set| set.rows(net)).collect()
}

fn sets<'a>(index: &Index<'a>) -> Vec<Set<'a>> {
    let orders = index.record.orders;
    let driven = |order: &'a OrderedStages| {
        index.record.aliases.get(&order.name).map_or(order.name.as_str(), String::as_str)
    };
    let wanted: BTreeSet<&str> = orders.iter().map(driven).collect();
    let mut cells: BTreeMap<(&str, &str), BTreeMap<String, Vec<&MeasuredCell>>> = BTreeMap::new();
    for cell in index.cells.iter().copied().filter(|cell| !cell.is_twin()) {
        let configuration = cell.key.configuration();
        if wanted.contains(configuration.as_str()) {
            let own = cells.entry((&cell.key.mode, &cell.key.summarizer)).or_default();
            own.entry(configuration).or_default().push(cell);
        }
    }
    let windows: BTreeSet<Option<Tokens>> = orders.iter().map(|order| order.window).collect();
    let mut sets = Vec::new();
    for window in &windows {
        for ((mode, summarizer), driven_as) in &cells {
            let own = orders.iter().filter(|order| order.window == *window);
            let own = own.filter_map(|told| {
                let driven = driven(told);
                let mut sessions: BTreeMap<Session, Vec<&MeasuredCell>> = BTreeMap::new();
                for cell in driven_as.get(driven)? {
                    sessions.entry(cell.session()).or_default().push(cell);
                }
                Some(Order { told, driven, cells: sessions })
            });
            let orders: Vec<Order> = own.collect();
            if orders.len() > 1 {
                let window = window.map(|size| format!("_window-{size}")).unwrap_or_default();
                sets.push(Set { window, mode, summarizer, orders });
            }
        }
    }
    sets
}

impl<'a> Set<'a> {
    fn rows(&self, net: &BTreeMap<String, f64>) -> Vec<DerivedRow> {
        let columns: Vec<Columns> = figure::shown(self)
            .into_iter()
            .filter_map(|metric| self.columns(metric, net))
            .filter(|columns| !columns.sessions.is_empty())
            .collect();
        let mut rows: Vec<DerivedRow> =
            columns.iter().flat_map(|columns| self.against_best(columns)).collect();
        rows.extend(self.verdicts(&columns));
        rows.extend(swap::rows(self, &columns));
        rows.extend(columns.iter().flat_map(|columns| self.places(columns)));
        rows
    }

    /// `None` for what no metric table knows.
    fn columns(&self, name: &'static str, net: &BTreeMap<String, f64>) -> Option<Columns<'a>> {
        metric(name)?;
        let figure = |order: &Order, session: &Session| -> Option<f64> {
            let cells = order.cells.get(session)?;
            let values: Vec<f64> =
                cells.iter().filter_map(|cell| figure::value(cell, name, net)).collect();
            crate::stats::mean(&values).filter(|_| values.len() == cells.len())
        };
        let first = self.orders.first()?;
        let shared = first
            .cells
            .keys()
            .filter(|session| self.orders.iter().all(|order| figure(order, session).is_some()));
        let sessions: Vec<Session> = shared.copied().collect();
        let of = |order| sessions.iter().filter_map(|session| figure(order, session)).collect();
        let values = self.orders.iter().map(of).collect();
        Some(Columns { metric: name, sessions, values })
    }

    /// What a row is about, as `derived.csv` names it.
    fn subject(&self, what: &str) -> String {
        format!("{what}{}/{}/{}", self.window, self.mode, self.summarizer)
    }

    fn row(
        &self,
        scope: &str,
        subject: String,
        metric: &str,
        found: Option<Difference>,
        reason: String,
    ) -> DerivedRow {
        let interval = found.and_then(|found| found.interval);
        DerivedRow {
            scope: scope.to_owned(),
            subject,
            metric: metric.to_owned(),
            value: optional(found.map(|found| found.mean)),
            low: optional(interval.map(|interval| interval.low)),
            high: optional(interval.map(|interval| interval.high)),
            n: found.map_or(0, |found| found.pairs as u32),
            reason,
        }
    }

    /// Every order by itself and beside the best, and the best beside the worst.
    fn against_best(&self, columns: &Columns) -> Vec<DerivedRow> {
        let (best, worst) = columns.ends();
        let (best_name, worst_name) = (&self.orders[best].told.name, &self.orders[worst].told.name);
        let mut rows = Vec::new();
        for (place, order) in self.orders.iter().enumerate() {
            let own = format!("{}/{}/{}", order.told.name, self.mode, self.summarizer);
            let metric = columns.metric;
            let alone: Vec<Vec<f64>> = columns.values[place].iter().map(|one| vec![*one]).collect();
            let mean = clustered(&alone, columns.resampling(&own, "order"));
            let why = "mean over the sessions that have the figure under every order";
            rows.push(self.row("order", own.clone(), metric, mean, why.to_owned()));
            let beside = columns.difference(place, best, &own);
            let standing = match place == best {
                true => "the best".to_owned(),
                false => format!("{}: beside {best_name}", columns.standing(place, best, &beside)),
            };
            rows.push(self.row("order-best", own, metric, beside, standing));
        }
        let all = self.subject("orders");
        let widest = columns.difference(best, worst, &all);
        let reason = format!("{best_name} less {worst_name}");
        rows.push(self.row("order-spread", all, columns.metric, widest, reason));
        rows
    }

    /// Whether the order matters for each figure. The best and the worst are picked after
    /// looking, so beside their interval stands a test that allows for that.
    fn verdicts(&self, columns: &[Columns]) -> Vec<DerivedRow> {
        let subject = self.subject("orders");
        let chances: Vec<(usize, Option<f64>)> =
            columns.iter().map(|columns| self.chance(columns, &subject)).collect();
        let known: Vec<f64> = chances.iter().map(|(_, p)| p.unwrap_or(1.0)).collect();
        let corrected = multiplicity::holm(&known).unwrap_or_default();
        let mut rows = Vec::new();
        for ((columns, (orders, p)), corrected) in columns.iter().zip(chances).zip(corrected) {
            let metric = columns.metric;
            let reason = format!(
                "{orders} orders, exchanged within sessions; Holm over {} figures",
                known.len()
            );
            let told = |scope: &str, value: String| DerivedRow {
                value,
                n: columns.sessions.len() as u32,
                ..self.row(scope, subject.clone(), metric, None, reason.clone())
            };
            rows.push(told("order-spread-p", optional(p.map(|_| corrected))));
            rows.push(told("order-verdict", columns.verdict(corrected).to_owned()));
        }
        rows
    }

    /// How many orders there are, and how likely so large a spread is where none matters.
    fn chance(&self, columns: &Columns, subject: &str) -> (usize, Option<f64>) {
        // An order under two names is one.
        let mut known: BTreeSet<&str> = BTreeSet::new();
        let distinct: Vec<&Vec<f64>> = self
            .orders
            .iter()
            .zip(&columns.values)
            .filter(|(order, _)| known.insert(order.driven))
            .map(|(_, values)| values)
            .collect();
        let sessions: Vec<Vec<f64>> = (0..columns.sessions.len())
            .map(|session| distinct.iter().map(|values| values[session]).collect())
            .collect();
        let draw = seed(subject, columns.metric, "order-spread-p");
        (distinct.len(), family::spread(&sessions, draw, DRAWS))
    }

    /// What a stage's place is worth: the mean over the orders that have it there, less
    /// the mean over all.
    fn places(&self, columns: &Columns) -> Vec<DerivedRow> {
        let base = &self.orders[0].told.stages;
        let mut rows = Vec::new();
        for stage in base {
            for place in 0..base.len() {
                let there: Vec<usize> = (0..self.orders.len())
                    .filter(|order| self.orders[*order].told.stages.get(place) == Some(stage))
                    .collect();
                if there.is_empty() {
                    continue;
                }
                let effect = |session: usize| {
                    let mean = |orders: &mut dyn Iterator<Item = usize>| {
                        let values: Vec<f64> =
                            orders.map(|order| columns.values[order][session]).collect();
                        crate::stats::mean(&values)
                    };
                    let own = mean(&mut there.iter().copied())?;
                    Some(own - mean(&mut (0..self.orders.len()))?)
                };
                let effects: Vec<Vec<f64>> = (0..columns.sessions.len())
                    .map(|session| effect(session).into_iter().collect())
                    .collect();
                let subject = self.subject(&format!("{stage}@{}", place + 1));
                let found = clustered(&effects, columns.resampling(&subject, "order-place"));
                let reason = format!("{} of {} orders", there.len(), self.orders.len());
                rows.push(self.row("order-place", subject, columns.metric, found, reason));
            }
        }
        rows
    }
}

impl Columns<'_> {
    fn resampling(&self, subject: &str, purpose: &str) -> Resampling {
        Resampling::standard(seed(subject, self.metric, purpose))
    }

    /// The best and the worst order; of equals the first.
    fn ends(&self) -> (usize, usize) {
        let mean =
            |place: usize| self.loss() * crate::stats::mean(&self.values[place]).unwrap_or(0.0);
        let (mut best, mut worst) = (0, 0);
        for place in 1..self.values.len() {
            if mean(place) < mean(best) {
                best = place;
            }
            if mean(place) > mean(worst) {
                worst = place;
            }
        }
        (best, worst)
    }

    /// 1 where less is better, −1 where more is.
    fn loss(&self) -> f64 {
        match metric(self.metric).map(|metric| metric.better) {
            Some(Direction::Higher) => -1.0,
            _ => 1.0,
        }
    }

    /// One order less another, session by session.
    fn difference(&self, ours: usize, theirs: usize, subject: &str) -> Option<Difference> {
        let pairs = self.values[ours].iter().copied().zip(self.values[theirs].iter().copied());
        let pairs: Vec<(f64, f64)> = pairs.collect();
        paired_difference(&pairs, self.resampling(subject, "order-best"))
    }

    /// One word on whether the order matters for the figure.
    fn verdict(&self, p: f64) -> &'static str {
        let (best, worst) = self.ends();
        if self.values.iter().all(|values| *values == self.values[best]) {
            return "alike";
        }
        let standing = self.standing(worst, best, &self.difference(worst, best, "verdict"));
        match (standing.split(' ').next(), p <= LEVEL) {
            (Some("worse"), true) => "matters",
            (Some("within"), _) => "within the margin",
            _ => "open",
        }
    }

    /// How an order stands beside the best, where a difference within the margin is none
    /// worth having.
    fn standing(&self, ours: usize, best: usize, found: &Option<Difference>) -> String {
        if self.values[ours] == self.values[best] {
            return "identical".to_owned();
        }
        let Some((interval, at_best)) =
            found.and_then(|found| found.interval).zip(crate::stats::mean(&self.values[best]))
        else {
            return "one session".to_owned();
        };
        let margin = Margin::of(self.metric);
        let allowed = margin.amount(at_best);
        let ends = [interval.low * self.loss(), interval.high * self.loss()];
        let (least, most) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let standing = match (most <= allowed, least > allowed) {
            (true, _) => "within",
            (false, true) => "worse than",
            (false, false) => "open at",
        };
        format!("{standing} {margin}")
    }
}

#[cfg(test)]
mod tests;
