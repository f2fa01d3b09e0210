//! Orders of the same stages: does it matter which comes first, for what, by how much? Every
//! comparison is within a session, and whole sessions are resampled.

mod figure;
mod firing;
mod page;

use std::collections::{BTreeMap, BTreeSet};

use proctor_core::ident::Seed;
use proctor_core::unit::Tokens;
use proctor_eval::frame::Frame;
use proctor_eval::matrix::OrderedStages;
use proctor_eval::stats::multiplicity::holm;
use proctor_eval::stats::resample::{Difference, Resampling, clustered, paired_difference};
use proctor_eval::stats::{mean, paired};
use rand::RngExt;

use crate::run::{Cell, Run, Session, seed};
use figure::Figure;
use firing::Firing;
pub use page::page;

const DRAWS: u32 = 1_999;
/// A chance that is small enough to call a spread real.
const LEVEL: f64 = 0.05;

struct Set<'a> {
    window: Option<Tokens>,
    mode: &'a str,
    summarizer: &'a str,
    orders: Vec<Order<'a>>,
}

struct Order<'a> {
    named: &'a OrderedStages,
    /// The configuration under which it was driven: another's where equal plans run once.
    driven: &'a str,
    cells: BTreeMap<Session<'a>, Vec<&'a Cell>>,
}

struct Columns {
    figure: Figure,
    sessions: usize,
    /// By order, then session.
    values: Vec<Vec<f64>>,
}

/// Two stages, and every pair of orders in which they stand side by side, `first` before
/// `second` and swapped, with all else alike.
struct Swap<'a> {
    first: &'a str,
    second: &'a str,
    pairs: Vec<(usize, usize)>,
}

struct Comparison {
    columns: Columns,
    /// By order: its mean, its difference to the best order, and how it stands beside that.
    orders: Vec<(Option<Difference>, Option<Difference>, Standing)>,
    /// The best order less the worst.
    spread: Option<Difference>,
    /// The chance of so large a spread where no order matters, corrected over the figures.
    p: Option<f64>,
    verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Best,
    /// The same in every session.
    Identical,
    WithinMargin,
    Worse,
    Open,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Matters,
    WithinMargin,
    Alike,
    Open,
    /// A stage never fired: nothing is shown of orders that have it in another place.
    NotTested,
}

fn sets<'a>(run: &'a Run, summarizer: &'a str) -> Vec<Set<'a>> {
    let manifest = &run.data.manifest;
    let driven = |order: &'a OrderedStages| {
        manifest.aliases.get(&order.name).map_or(order.name.as_str(), String::as_str)
    };
    let wanted: BTreeSet<&str> = manifest.orders.iter().map(driven).collect();
    let mut modes: BTreeMap<&str, BTreeMap<String, Vec<&Cell>>> = BTreeMap::new();
    let own = run
        .data
        .measurements
        .iter()
        .filter(|cell| !cell.is_twin() && cell.key.summarizer == summarizer);
    for cell in own {
        let configuration = cell.key.configuration();
        if wanted.contains(configuration.as_str()) {
            modes.entry(&cell.key.mode).or_default().entry(configuration).or_default().push(cell);
        }
    }
    let windows: BTreeSet<Option<Tokens>> =
        manifest.orders.iter().map(|order| order.window).collect();
    let places =
        windows.into_iter().flat_map(|window| modes.iter().map(move |mode| (window, mode)));
    let set = |(window, (mode, cells)): (_, (&&'a str, &BTreeMap<String, Vec<&'a Cell>>))| {
        let own = manifest.orders.iter().filter(|order| order.window == window);
        let orders = own.filter_map(|named| {
            let driven = driven(named);
            let mut sessions: BTreeMap<Session, Vec<&Cell>> = BTreeMap::new();
            for cell in cells.get(driven)? {
                sessions.entry(cell.session()).or_default().push(cell);
            }
            Some(Order { named, driven, cells: sessions })
        });
        Set { window, mode, summarizer, orders: orders.collect() }
    };
    places.map(set).filter(|set| set.orders.len() > 1).collect()
}

impl Set<'_> {
    /// What a resampling is about; seeds are made from it.
    fn subject(&self, what: &str) -> String {
        let window = self.window.map(|size| format!("_window-{size}")).unwrap_or_default();
        format!("{what}{window}/{}/{}", self.mode, self.summarizer)
    }

    /// Every figure that some session has under every order. Best and worst are picked after
    /// looking: beside their interval stands a test that allows for that.
    fn comparisons(&self, run: &Frame, firings: &[Firing]) -> Vec<Comparison> {
        let cells = self.orders.iter().flat_map(|order| order.cells.values().flatten());
        let columns: Vec<Columns> = figure::compared(cells.copied())
            .into_iter()
            .map(|figure| self.columns(figure, run))
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
                    let alone = columns.values[place].iter().map(|one| vec![*one]);
                    let alone: Vec<Vec<f64>> = alone.collect();
                    let beside = columns.difference(place, best, &own);
                    let standing = columns.standing(place, best, beside.as_ref());
                    (clustered(&alone, columns.resampling(&own, "order")), beside, standing)
                };
                Comparison {
                    orders: self.orders.iter().enumerate().map(result).collect(),
                    spread: columns.difference(best, worst, &subject),
                    p: p.map(|_| corrected),
                    verdict: firing::earned(columns.verdict(corrected), firings),
                    columns,
                }
            })
            .collect()
    }

    fn columns(&self, figure: Figure, run: &Frame) -> Columns {
        let value = |order: &Order, session: &Session| -> Option<f64> {
            let cells = order.cells.get(session)?;
            let values: Vec<f64> = cells.iter().filter_map(|cell| figure.of(cell, run)).collect();
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
        let named = self.orders.iter().zip(&columns.values);
        let distinct = named.filter(|(order, _)| known.insert(order.driven));
        let distinct: Vec<&Vec<f64>> = distinct.map(|(_, values)| values).collect();
        let session = |session: usize| distinct.iter().map(|values| values[session]).collect();
        let draw = seed(subject, columns.figure.metric.name(), "order-spread-p");
        spread((0..columns.sessions).map(session).collect(), draw, DRAWS)
    }

    /// The effect of every swap on one figure: the first stage first less the second first,
    /// and p of that, signs flipped by session, corrected over the swaps.
    fn effects(&self, swaps: &[Swap], columns: &Columns) -> Vec<(Option<Difference>, f64)> {
        let effect = |swap: &Swap| {
            let subject = self.subject(&format!("{},{}", swap.first, swap.second));
            let pair = |session: usize, (one, other): &(usize, usize)| {
                columns.values[*one][session] - columns.values[*other][session]
            };
            let session = |session| swap.pairs.iter().map(|own| pair(session, own)).collect();
            let sessions: Vec<Vec<f64>> = (0..columns.sessions).map(session).collect();
            let means: Vec<f64> = sessions.iter().filter_map(|pairs| mean(pairs)).collect();
            let draw = seed(&subject, columns.figure.metric.name(), "order-swap-p");
            let p = sign_flip(&means, draw);
            (clustered(&sessions, columns.resampling(&subject, "order-swap")), p)
        };
        let found: Vec<(Option<Difference>, f64)> = swaps.iter().map(effect).collect();
        let chances: Vec<f64> = found.iter().map(|(_, p)| *p).collect();
        let corrected = holm(&chances).unwrap_or_default();
        found.into_iter().zip(corrected).map(|((found, _), p)| (found, p)).collect()
    }

    /// In how many sessions, of how many, no figure tells the orders of a swap's pairs apart.
    fn alike(&self, swap: &Swap) -> (usize, usize) {
        let figures = |session: &Session, order: usize| {
            let cells = self.orders[order].cells.get(session)?;
            Some(cells.iter().map(|cell| &cell.figures).collect::<Vec<_>>())
        };
        let sessions = self.orders[0].cells.keys().filter_map(|session| {
            let same = |(one, other): &(usize, usize)| {
                Some(figures(session, *one)? == figures(session, *other)?)
            };
            swap.pairs.iter().filter_map(same).reduce(|all, same| all && same)
        });
        let sessions: Vec<bool> = sessions.collect();
        (sessions.iter().filter(|same| **same).count(), sessions.len())
    }

    /// Neighbours that some order has the other way round, and that both fired.
    fn swaps(&self, firings: &[Firing]) -> Vec<Swap<'_>> {
        let orders = || self.orders.iter().map(|order| &order.named.stages);
        let places: BTreeMap<&[String], usize> = orders().map(Vec::as_slice).zip(0..).collect();
        let base = &self.orders[0].named.stages;
        let pair = |first: &'_ String, second: &'_ String| -> Vec<(usize, usize)> {
            let swapped = |stages: &Vec<String>| {
                let mut stages = stages.clone();
                let found = stages.windows(2).position(|two| (&two[0], &two[1]) == (first, second));
                found.map(|place| stages.swap(place, place + 1))?;
                places.get(stages.as_slice()).copied()
            };
            (0..).zip(orders()).filter_map(|(own, stages)| Some((own, swapped(stages)?))).collect()
        };
        let after =
            |first: usize| base[first + 1..].iter().map(move |second| (&base[first], second));
        let all = (0..base.len()).flat_map(after);
        let acted = |stage: &str| !firing::is_idle(stage, firings);
        let all = all.filter(|(first, second)| acted(first) && acted(second));
        let swap = all.map(|(first, second)| Swap { first, second, pairs: pair(first, second) });
        swap.filter(|swap| !swap.pairs.is_empty()).collect()
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
        let first = |beats: &dyn Fn(f64, f64) -> bool| {
            let better = |one, next| if beats(loss(next), loss(one)) { next } else { one };
            (0..self.values.len()).reduce(better).unwrap_or(0)
        };
        (first(&|next, one| next < one), first(&|next, one| next > one))
    }

    fn difference(&self, ours: usize, theirs: usize, subject: &str) -> Option<Difference> {
        let pairs = self.values[ours].iter().copied().zip(self.values[theirs].iter().copied());
        let pairs: Vec<(f64, f64)> = pairs.collect();
        paired_difference(&pairs, self.resampling(subject, "order-best"))
    }

    /// Whether every order gives every session the same.
    fn are_alike(&self) -> bool {
        self.values.iter().all(|values| *values == self.values[0])
    }

    fn verdict(&self, p: f64) -> Verdict {
        let (best, worst) = self.ends();
        if self.are_alike() {
            return Verdict::Alike;
        }
        let difference = self.difference(worst, best, "verdict");
        match self.standing(worst, best, difference.as_ref()) {
            Standing::Worse if p <= LEVEL => Verdict::Matters,
            Standing::WithinMargin => Verdict::WithinMargin,
            _ => Verdict::Open,
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

/// Two-sided p of the mean of one difference per session, signs flipped: exact up to 14 that are
/// not 0, drawn beyond; 1 of none. The committed page rests on these draws, which
/// `stats::paired::sign_flip` does not make.
fn sign_flip(differences: &[f64], seed: Seed) -> f64 {
    const DRAWS: u32 = 9_999;
    let values: Vec<f64> = differences.iter().copied().filter(|value| *value != 0.0).collect();
    if values.len() <= 14 {
        return paired::sign_flip(&values, seed).map_or(1.0, |test| test.p);
    }
    let rounding = values.iter().map(|value| value.abs()).sum::<f64>() * 1e-9;
    let found = values.iter().sum::<f64>().abs() - rounding;
    let mut rng = seed.rng();
    let as_far = (0..DRAWS).filter(|_| {
        let flipped = values.iter().map(|v| if rng.random::<bool>() { -v } else { *v });
        flipped.sum::<f64>().abs() >= found
    });
    (1.0 + as_far.count() as f64) / (1.0 + f64::from(DRAWS))
}

/// p of the difference between the greatest and the least column mean: how often it is at least
/// as large when the columns of every row, a session, may stand in any other order. Holds although
/// the two were picked after looking; `None` without rows of two columns or more, all alike.
fn spread(mut rows: Vec<Vec<f64>>, seed: Seed, draws: u32) -> Option<f64> {
    let columns = rows.first()?.len();
    let sound = |row: &Vec<f64>| row.len() == columns && row.iter().all(|value| value.is_finite());
    if columns < 2 || draws == 0 || !rows.iter().all(sound) {
        return None;
    }
    // Greatest less least column sum.
    let range = |rows: &[Vec<f64>]| {
        let sums = (0..columns).map(|column| rows.iter().map(|row| row[column]).sum::<f64>());
        let most = sums.clone().fold(f64::MIN, f64::max);
        most - sums.fold(f64::MAX, f64::min)
    };
    // Sums that differ by less than this share are the same up to rounding.
    let rounding = rows.iter().flatten().map(|value| value.abs()).sum::<f64>() * 1e-9;
    let found = range(&rows) - rounding;
    let (mut rng, mut as_far) = (seed.rng(), 0_u32);
    for _ in 0..draws {
        for row in &mut rows {
            for last in (1..columns).rev() {
                row.swap(last, rng.random_range(0..=last));
            }
        }
        as_far += u32::from(range(&rows) >= found);
    }
    Some(f64::from(1 + as_far) / f64::from(1 + draws))
}

#[cfg(test)]
mod tests;
