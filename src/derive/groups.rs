//! Floor figures of a group: growth, slope, horizon and verdict over the sessions of
//! one family.

use crate::measure::MetricId;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::derive::{Index, MeasuredCell, Setting};
use crate::ident::Seed;
use crate::measure::floor::verdict::{Evidence, Judgement, Support, Trend, verdict};
use crate::measure::floor::{
    FloorSeries, Growth, Series, growth, horizon, low_water, slope, slope_difference,
};
use crate::row::{DerivedRow, FloorRow, optional};
use crate::stats;
use crate::stats::resample::Interval;
use crate::unit::Tokens;

/// Fewer sessions than this allow no claim (METRICS 5).
const ENOUGH: usize = 8;

/// What the difference of a slope says where the pipeline's file names no reference.
pub const NO_REFERENCE: &str = "the pipeline names no reference";

/// The series of a group's cells; replicates of a session share one.
fn series_of(which: FloorSeries, index: &Index, cells: &[&MeasuredCell]) -> Vec<Series> {
    let mut series: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    for cell in cells {
        let session = format!("{}/{}", cell.key.scenario, cell.key.seed);
        series.entry(session).or_default().extend(points_of(which, index, cell));
    }
    series.into_iter().map(|(session, points)| Series { session, points }).collect()
}

fn points_of(which: FloorSeries, index: &Index, cell: &MeasuredCell) -> Vec<(f64, f64)> {
    match which {
        FloorSeries::OnePass => {
            let rows = index.floor_of(cell).iter().filter(|row| row.is_one_pass());
            rows.map(|row| (f64::from(row.turn), row.tokens as f64)).collect()
        }
        FloorSeries::LowWater => {
            let changed = index.compactions_of(cell).iter().filter(|row| row.changed_view());
            low_water(cell.key.turns, changed.map(|row| (row.turn, Tokens(row.after))))
        }
    }
}

/// The floor figures of all groups. Fits are slow, so groups run at once.
pub(super) fn rows(index: &Index) -> Vec<DerivedRow> {
    let groups = index.groups();
    let work: Vec<(&Setting, &Vec<&MeasuredCell>)> = groups.iter().collect();
    work.into_par_iter()
        .map(|(setting, cells)| {
            let named = index.record.references.get(&setting.pipeline).map(String::as_str);
            let reference = named.and_then(|name| {
                groups.get(&Setting { pipeline: name.to_owned(), ..setting.clone() })
            });
            Group { index, setting, cells, named, reference: reference.map(Vec::as_slice) }.rows()
        })
        .collect::<Vec<_>>()
        .concat()
}

struct Group<'a> {
    index: &'a Index<'a>,
    setting: &'a Setting,
    cells: &'a [&'a MeasuredCell],
    /// The reference that the pipeline's file names.
    named: Option<&'a str>,
    /// Its cells, where it was driven.
    reference: Option<&'a [&'a MeasuredCell]>,
}

impl Group<'_> {
    fn rows(&self) -> Vec<DerivedRow> {
        let mut rows = Vec::new();
        let one_pass = self.trend(FloorSeries::OnePass, &mut rows);
        let low_water = self.trend(FloorSeries::LowWater, &mut rows);
        let evidence = Evidence {
            reached: self.cells.iter().all(|cell| self.index.reached(cell)),
            one_pass,
            low_water,
            recall_before: self.recall(|rounds| rounds.iter().find(|row| row.round == 0).copied()),
            forced_recall: self.recall(|rounds| {
                let forced = rounds.iter().filter(|row| row.round > 0);
                forced.copied().min_by_key(|row| (row.tokens, row.round))
            }),
        };
        rows.push(self.verdict(&evidence));
        rows
    }

    /// Slope, growth and horizon of a figure, as rows and as evidence.
    fn trend(&self, which: FloorSeries, rows: &mut Vec<DerivedRow>) -> Option<Trend> {
        let series = series_of(which, self.index, self.cells);
        let seed = |purpose| seed(&self.setting.subject(), which.name(), purpose);
        let sessions = series.iter().filter(|one| !one.points.is_empty()).count();
        let nothing = match which {
            FloorSeries::OnePass => "the floor was not probed",
            FloorSeries::LowWater => "no compaction changed the view",
        };
        let missing = if sessions == 0 { nothing } else { "too few points" };
        let slope = slope(&series, seed("slope"));
        let found = slope.map(|slope| (slope.tokens_per_turn, slope.interval, slope.sessions));
        rows.push(self.number(which.slope(), found, missing));
        let reference = self.reference.map(|cells| series_of(which, self.index, cells));
        let against = reference
            .and_then(|reference| slope_difference(&series, &reference, seed("difference")));
        let found = against.map(|one| (one.mean, one.interval, one.pairs));
        let beside = self.beside(found.is_some());
        let difference = self.number(which.slope_difference(), found, &beside);
        rows.push(DerivedRow { reason: beside, ..difference });
        let growth = growth(&series, seed("growth"));
        rows.push(self.growth(which.growth(), growth.as_ref(), missing));
        let found = growth.map(|growth| (growth.lead, growth.interval, growth.sessions));
        rows.push(self.number(which.growth_lead(), found, missing));
        let turn = growth
            .zip(self.usable())
            .and_then(|(growth, usable)| Some((horizon(&growth, usable)?, None, growth.sessions)));
        let never = if growth.is_some() { "never, or no window" } else { missing };
        rows.push(self.number(which.horizon(), turn, never));
        growth.map(|growth| Trend { growth, against_reference: against })
    }

    /// What a slope was compared with, or why with nothing.
    fn beside(&self, compared: bool) -> String {
        match (self.named, self.reference) {
            (None, _) => NO_REFERENCE.to_owned(),
            (Some(name), None) => format!("its reference `{name}` was not driven"),
            (Some(name), Some(_)) if compared => format!("beside `{name}`"),
            (Some(name), Some(_)) => format!("no session has a slope beside `{name}`"),
        }
    }

    /// The least usable window of the group's cells.
    fn usable(&self) -> Option<Tokens> {
        let windows =
            self.cells.iter().filter_map(|cell| cell.number(MetricId::TokensUsableWindow));
        windows.reduce(f64::min).map(|tokens| Tokens(tokens as u64))
    }

    /// Mean over all checkpoints of the share of live facts in the round picked.
    fn recall<'b>(&'b self, pick: impl Fn(&[&'b FloorRow]) -> Option<&'b FloorRow>) -> Option<f64> {
        let rows = self.cells.iter().map(|cell| self.index.floor_of(cell));
        let checkpoints =
            rows.flat_map(|rows| rows.chunk_by(|one, next| one.checkpoint == next.checkpoint));
        let shares: Vec<f64> = checkpoints
            .filter_map(pick)
            .filter(|row| row.live > 0)
            .map(|row| f64::from(row.present) / f64::from(row.live))
            .collect();
        stats::mean(&shares)
    }

    fn verdict(&self, evidence: &Evidence) -> DerivedRow {
        let Judgement { verdict, support, sessions } = verdict(evidence);
        let mut reasons = Vec::new();
        if sessions < ENOUGH {
            reasons.push(format!("n too small: {sessions} of {ENOUGH} sessions"));
        }
        let lengths: BTreeSet<u32> = self.cells.iter().map(|cell| cell.key.turns).collect();
        if lengths.len() < 2 {
            reasons.push("one session length only".to_owned());
        }
        reasons.push(match (evidence.one_pass, support) {
            (None, _) => "no fit of one_pass".to_owned(),
            (_, Support::OnePassAndLowWater) => "rests on one_pass and low_water".to_owned(),
            (_, Support::OnePassAlone) => "rests on one_pass alone".to_owned(),
        });
        DerivedRow {
            value: verdict.name().to_owned(),
            n: sessions as u32,
            reason: reasons.join("; "),
            ..self.blank(MetricId::FloorVerdict)
        }
    }

    fn growth(&self, metric: MetricId, growth: Option<&Growth>, missing: &str) -> DerivedRow {
        let Some(growth) = growth else {
            return DerivedRow { reason: missing.to_owned(), ..self.blank(metric) };
        };
        let linear = match growth.linear {
            crate::measure::floor::LinearGrowth::Excluded => "linear growth excluded",
            crate::measure::floor::LinearGrowth::Open => "linear growth neither excluded nor shown",
            crate::measure::floor::LinearGrowth::Established => "linear growth shown",
        };
        let (level, rate) = (growth.fit.level, growth.fit.rate);
        let (level, rate) = (optional(Some(level)), optional(Some(rate)));
        DerivedRow {
            value: growth.model.name().to_owned(),
            n: growth.sessions as u32,
            reason: format!("{linear}; level {level}, rate {rate}"),
            ..self.blank(metric)
        }
    }

    fn number(
        &self,
        metric: MetricId,
        found: Option<(f64, Option<Interval>, usize)>,
        missing: &str,
    ) -> DerivedRow {
        let Some((value, interval, sessions)) = found else {
            return DerivedRow { reason: missing.to_owned(), ..self.blank(metric) };
        };
        DerivedRow {
            value: optional(Some(value)),
            low: optional(interval.map(|interval| interval.low)),
            high: optional(interval.map(|interval| interval.high)),
            n: sessions as u32,
            ..self.blank(metric)
        }
    }

    fn blank(&self, metric: MetricId) -> DerivedRow {
        DerivedRow {
            scope: "group".to_owned(),
            subject: self.setting.subject(),
            metric,
            value: String::new(),
            low: String::new(),
            high: String::new(),
            n: 0,
            reason: String::new(),
        }
    }
}

/// Of names alone, so that another group's figures never shift these.
pub(super) fn seed(subject: &str, figure: &str, purpose: &str) -> Seed {
    Seed(0).derive(&["derive", subject, figure, purpose])
}

#[cfg(test)]
mod tests;
