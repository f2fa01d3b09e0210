//! Floor figures of a group: growth, slope, horizon and verdict over one family's sessions.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::derive::{Pool, Record, groups, seed};
use crate::frame::{Basis, Derived, Frame, MeasuredCell};
use crate::measure::floor::verdict::{Evidence, Judgement, Trend, verdict};
use crate::measure::floor::{
    FloorSeries, Growth, Horizon, REACH, Series, growth, horizon, low_water, slope,
    slope_difference,
};
use crate::measure::{MetricId, Word};
use crate::row::FloorRow;
use crate::stats;
use crate::stats::resample::Difference;
use crate::unit::{Tokens, nine};

/// Fewer sessions than this allow no claim.
const ENOUGH: usize = 8;

fn series_of(which: FloorSeries, frame: &Frame, cells: &[&MeasuredCell]) -> Vec<Series> {
    let mut series: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    for cell in cells {
        let session = format!("{}/{}", cell.key.scenario, cell.key.seed);
        series.entry(session).or_default().extend(points_of(which, frame, cell));
    }
    series.into_iter().map(|(session, points)| Series { session, points }).collect()
}

fn points_of(which: FloorSeries, frame: &Frame, cell: &MeasuredCell) -> Vec<(f64, f64)> {
    match which {
        FloorSeries::OnePass => frame.settled_floor(cell),
        FloorSeries::LowWater => {
            low_water(cell.key.turns, frame.compactions_of(cell).iter().copied())
        }
    }
}

/// The floor figures of all groups. Fits are slow, so groups run at once.
pub(super) fn rows(record: &Record) -> Vec<Derived> {
    let groups = groups(record.frame);
    let work: Vec<(&Pool, &Vec<&MeasuredCell>)> = groups.iter().collect();
    work.into_par_iter()
        .map(|(pool, cells)| {
            let named = record.references.get(pool.pipeline).map(String::as_str);
            let reference = named.and_then(|pipeline| groups.get(&Pool { pipeline, ..*pool }));
            let reference = reference.map(Vec::as_slice);
            Group { frame: record.frame, pool, cells, named, reference }.rows()
        })
        .collect::<Vec<_>>()
        .concat()
}

struct Group<'a> {
    frame: &'a Frame<'a>,
    pool: &'a Pool<'a>,
    cells: &'a [&'a MeasuredCell],
    /// The reference that the pipeline's file names.
    named: Option<&'a str>,
    /// Its cells, where it was driven.
    reference: Option<&'a [&'a MeasuredCell]>,
}

impl Group<'_> {
    fn rows(&self) -> Vec<Derived> {
        let mut rows = Vec::new();
        let one_pass = self.trend(FloorSeries::OnePass, &mut rows);
        let low_water = self.trend(FloorSeries::LowWater, &mut rows);
        let evidence = Evidence {
            reached: self.cells.iter().all(|cell| self.frame.reached_last_checkpoint(cell)),
            one_pass,
            low_water,
            recall_before: self.recall(|rounds| rounds.iter().find(|row| row.round == 0).copied()),
            forced_recall: self
                .recall(|rounds| rounds.iter().copied().min_by_key(|row| (row.tokens, row.round))),
        };
        rows.push(self.verdict(&evidence));
        rows
    }

    /// Slope, growth and horizon of a figure, as rows and as evidence.
    fn trend(&self, which: FloorSeries, rows: &mut Vec<Derived>) -> Option<Trend> {
        let series = series_of(which, self.frame, self.cells);
        let seed = |purpose| seed(&self.pool.subject(), which.name(), purpose);
        let has_points = series.iter().any(|one| !one.points.is_empty());
        let is_probed = self.cells.iter().any(|cell| !self.frame.floor_of(cell).is_empty());
        let missing = match (has_points, which) {
            (true, _) => Basis::TooFewPoints,
            (false, FloorSeries::OnePass) if is_probed => Basis::WarmingUp,
            (false, FloorSeries::OnePass) => Basis::NotProbed,
            (false, FloorSeries::LowWater) => Basis::NothingTaken,
        };
        let slope = slope(&series, seed("slope"));
        rows.push(self.number(which.slope(), slope, Basis::Direct, &missing));
        let reference = self.reference.map(|cells| series_of(which, self.frame, cells));
        let against = reference
            .and_then(|reference| slope_difference(&series, &reference, seed("difference")));
        let beside = self.beside(against.is_some());
        rows.push(self.number(which.slope_difference(), against, beside.clone(), &beside));
        let growth = growth(&series, seed("growth"));
        rows.push(self.growth(which.growth(), growth.as_ref(), &missing));
        let of =
            |growth: Growth, mean, interval| Difference { mean, interval, pairs: growth.sessions };
        let lead = growth.map(|growth| of(growth, growth.lead, growth.interval));
        rows.push(self.number(which.growth_lead(), lead, Basis::Direct, &missing));
        let none = if growth.is_some() { Basis::NoOtherLaw } else { missing.clone() };
        let missed = growth.and_then(|growth| Some(of(growth, growth.missed()?, None)));
        rows.push(self.number(which.growth_missed(), missed, Basis::Direct, &none));
        let (turn, none) = match growth.zip(self.usable()) {
            None if growth.is_some() => (None, Basis::NeverFull),
            None => (None, missing),
            Some((growth, usable)) => match horizon(&series, &growth, usable, seed("horizon")) {
                Horizon::At(turn) => (Some(turn), Basis::Direct),
                Horizon::Never => (None, Basis::NeverFull),
                Horizon::NotSettled => (None, Basis::LawNotSettled),
                Horizon::OutOfReach => (None, Basis::OutOfReach { times: REACH }),
            },
        };
        rows.push(self.number(which.horizon(), turn, Basis::Direct, &none));
        growth.map(|growth| Trend { growth, against_reference: against })
    }

    fn beside(&self, compared: bool) -> Basis {
        let Some(reference) = self.named.map(str::to_owned) else { return Basis::NoReference };
        match self.reference {
            None => Basis::ReferenceNotDriven { reference },
            Some(_) if compared => Basis::Beside { reference },
            Some(_) => Basis::NoPair { reference },
        }
    }

    fn usable(&self) -> Option<Tokens> {
        let windows =
            self.cells.iter().filter_map(|cell| cell.number(MetricId::TokensUsableWindow));
        windows.reduce(f64::min).map(|tokens| Tokens(tokens as u64))
    }

    /// Mean over all checkpoints of the share of live facts in the round picked.
    fn recall<'b>(&'b self, pick: impl Fn(&[&'b FloorRow]) -> Option<&'b FloorRow>) -> Option<f64> {
        let rows = self.cells.iter().map(|cell| self.frame.floor_of(cell));
        let checkpoints =
            rows.flat_map(|rows| rows.chunk_by(|one, next| one.checkpoint == next.checkpoint));
        let shares: Vec<f64> = checkpoints
            .filter_map(pick)
            .filter(|row| row.live > 0)
            .map(|row| f64::from(row.present) / f64::from(row.live))
            .collect();
        stats::mean(&shares)
    }

    fn verdict(&self, evidence: &Evidence) -> Derived {
        let Judgement { verdict, support, sessions } = verdict(evidence);
        let lengths: BTreeSet<u32> = self.cells.iter().map(|cell| cell.key.turns).collect();
        let basis = Basis::FloorVerdict {
            sessions,
            enough: ENOUGH,
            lengths: lengths.len(),
            support: evidence.one_pass.map(|_| support),
        };
        let word = Word::Floor(verdict);
        Derived::word(self.pool.subject(), MetricId::FloorVerdict, word, sessions, basis)
    }

    fn growth(&self, metric: MetricId, growth: Option<&Growth>, missing: &Basis) -> Derived {
        let subject = self.pool.subject();
        let Some(growth) = growth else {
            return Derived::undefined(subject, metric, missing.clone());
        };
        let (level, rate) = (nine(growth.fit.level), nine(growth.fit.rate));
        let basis = Basis::Growth { linear: growth.linear, level, rate };
        Derived::word(subject, metric, Word::Growth(growth.model), growth.sessions, basis)
    }

    fn number(
        &self,
        metric: MetricId,
        found: Option<Difference>,
        basis: Basis,
        missing: &Basis,
    ) -> Derived {
        let subject = self.pool.subject();
        let Some(Difference { mean, interval, pairs }) = found else {
            return Derived::undefined(subject, metric, missing.clone());
        };
        Derived::number(subject, metric, Some(mean), pairs, basis).within(interval)
    }
}

#[cfg(test)]
mod tests;
