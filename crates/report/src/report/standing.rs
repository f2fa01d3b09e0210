//! How configurations stand in what a reader chooses by, safe ones first.

use std::cmp::Ordering;

use super::floors::verdict::{FloorSign, Tally};
use super::prelude::*;
use super::rules::{self, Requests};
use crate::matrix::Asks;
use crate::stats::estimate::{Estimate, Unit};

/// What the first table says of a configuration.
pub struct Standing<'b> {
    pub config: &'b Config,
    /// Sessions that it brought to their end, and all.
    pub completed: (usize, usize),
    pub requests: Requests,
    pub recall: Figure,
    /// What recall is over.
    pub needs: f64,
    /// Dollars of a finished goal.
    pub price: Figure,
    /// The longest wait of any session, in milliseconds.
    pub wait: Option<f64>,
    pub floor: Option<FloorSign>,
}

impl<'b> Standing<'b> {
    fn of(figures: &'b Figures, config: &'b Config) -> Standing<'b> {
        let cells = figures.cells(config).iter();
        let waits = cells.filter_map(|row| row.number(MetricId::LatencyMax));
        Standing {
            config,
            completed: completion::counts(figures, config, figures.main),
            requests: rules::requests(figures, config),
            recall: figures.figure(config, MetricId::RecallAtNeed),
            needs: super::figures::needs(figures.cells(config)),
            price: figures.figure(config, MetricId::CostPerGoal),
            wait: waits.reduce(f64::max),
            floor: Tally::of(figures, config).sign(),
        }
    }

    pub fn finishes(&self) -> bool {
        self.completed.1 > 0 && self.completed.0 == self.completed.1
    }

    /// Whether it finishes every session, with requests that providers take and results read.
    pub fn is_safe(&self) -> bool {
        self.finishes() && !self.requests.is_fatal()
    }

    pub fn is_contestant(&self) -> bool {
        !self.config.is_windowless() && !self.config.is_idle()
    }
}

/// All that are shown: safe contestants, then those that come nearest to it (requests that providers
/// take, most sessions finished), then yardsticks. Among equals those that remember most, then those
/// whose requests every provider takes, then those that cost least.
pub fn all<'b>(figures: &'b Figures) -> Vec<Standing<'b>> {
    let mut all: Vec<Standing> =
        figures.shown().map(|config| Standing::of(figures, config)).collect();
    let rank = |one: &Standing| {
        let figure = |of: &Figure, none: f64| of.value.unwrap_or(none);
        let unfinished = one.completed.1 as f64 - one.completed.0 as f64;
        let trouble = [!one.is_contestant(), !one.is_safe(), one.requests.is_fatal()];
        let refused_by_some = f64::from(u8::from(matches!(one.requests, Requests::SomeRefuse(_))));
        let (recall, price) = (figure(&one.recall, 0.0), figure(&one.price, f64::MAX));
        (trouble, [unfinished, -recall, refused_by_some, price])
    };
    all.sort_by(|one, other| rank(one).partial_cmp(&rank(other)).unwrap_or(Ordering::Equal));
    all
}

/// The safe contestants that may be ranked, the best first.
pub fn safe<'s, 'b>(figures: &Figures, all: &'s [Standing<'b>]) -> Vec<&'s Standing<'b>> {
    let ranked = |one: &&Standing| one.is_contestant() && figures.ranks(one.config);
    all.iter().filter(ranked).filter(|one| one.is_safe()).collect()
}

/// The first contestant: safe, or what comes nearest to it.
pub fn nearest<'s, 'b>(all: &'s [Standing<'b>]) -> Option<&'s Standing<'b>> {
    all.first().filter(|one| one.is_contestant())
}

/// The contestants that are not safe, the most tempting first.
pub fn unsafe_ones<'s, 'b>(all: &'s [Standing<'b>]) -> Vec<&'s Standing<'b>> {
    let contestants = all.iter().filter(|one| one.is_contestant() && !one.is_safe());
    let mut unsafe_ones: Vec<&Standing> = contestants.collect();
    let recall = |one: &Standing| one.recall.value.unwrap_or(0.0);
    unsafe_ones.sort_by(|one, other| recall(other).total_cmp(&recall(one)));
    unsafe_ones
}

/// The difference in recall at need of two configurations on the sessions of both.
pub fn difference(figures: &Figures, one: &Config, other: &Config) -> Option<Estimate> {
    let (ours, theirs) = (recalls(figures, one), recalls(figures, other));
    let pairs =
        ours.iter().filter_map(|(session, own)| Some((session, own - theirs.get(session)?)));
    let (sessions, differences): (Vec<_>, Vec<f64>) = pairs.unzip();
    let scenarios: Vec<&str> = sessions.iter().map(|(scenario, _)| *scenario).collect();
    Estimate::of(&differences, &scenarios, Unit::WithinScenarios)
}

/// Recall at need by session, the mean over its replicates.
fn recalls<'a>(figures: &Figures<'a>, config: &Config) -> BTreeMap<(&'a str, u64), f64> {
    let mut found: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    for row in figures.cells(config) {
        let session = (row.key.scenario.as_str(), row.key.seed);
        found.entry(session).or_default().extend(row.number(MetricId::RecallAtNeed));
    }
    let means = found.into_iter();
    means.filter_map(|(session, values)| Some((session, stats::mean(&values)?))).collect()
}

fn whole_seconds(milliseconds: f64) -> String {
    number::count((milliseconds / 1e3).round())
}

pub fn table(figures: &Figures, all: &[Standing]) -> Table {
    let rows = all.iter().map(|one| row(figures, one));
    let titles =
        "Configuration|Finishes|Requests|#Remembers [95 %]|#Needs|#$ a goal|#Longest wait, s|Floor";
    let table = Table::of("Configurations, the safe ones first", titles.split('|'), rows);
    // A run that settles no floor says nothing of it.
    let settled = [Some(FloorSign::Rises), Some(FloorSign::Stays)];
    let judges = all.iter().any(|one| settled.contains(&one.floor));
    let own = figures.run.manifest.asks == Asks::Session;
    let told = |title: &str| (judges || title != "Floor") && (own || title != "Needs");
    table.part(table.caption.clone(), |_, column| told(&column.title))
}

fn row(figures: &Figures, one: &Standing) -> Vec<Cell> {
    let (complete, all) = one.completed;
    let finishes = match all {
        0 => Cell::undefined("not driven under the main summarizer"),
        _ => Cell {
            value: Some(complete as f64 / all as f64),
            ..Cell::text(format!("{complete}/{all}"))
        },
    };
    let cut = !one.finishes() && one.recall.value.is_some();
    let recall = Cell::share(&one.recall);
    let recall =
        if cut { recall.noted("needs after the early end count as not met") } else { recall };
    let price = Cell::figure(&one.price, number::dollars);
    let wait = Cell::number(one.wait, whole_seconds, "it asks no summarizer");
    let floor = match one.floor {
        Some(sign) => Cell::text(sign.sign()),
        None => Cell::undefined("not judged"),
    };
    let name = super::configurations::linked(figures, one.config);
    vec![
        if one.is_contestant() { name } else { name.noted("a yardstick, no choice") },
        finishes.toned(if complete == all { Tone::Plain } else { Tone::Bad }),
        one.requests.cell(),
        recall,
        Cell::number(Some(one.needs), number::count, ""),
        price,
        wait,
        floor,
    ]
}
