//! The search: successive halving over sessions (Jamieson and Talwalkar, "Non-stochastic Best Arm
//! Identification and Hyperparameter Optimization", 2016), with new points near those that survive.

use std::ops::Range as Rungs;

use super::budget::{Size, halved, refilled};
use super::draw::{Spread, near};
use super::front;
use super::point::{Origin, Point};
use super::range::Range;
use super::score::Score;
use crate::frame::MeasuredCell;
use crate::pipeline::Pipeline;
use crate::prelude::*;
use crate::run_dir::read::RunData;
use crate::strategy::Registry;

/// What is searched.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// Reads the pipelines of points.
    pub registry: &'a Registry,
    /// The pipeline as it was given.
    pub base: &'a Pipeline,
    /// What is varied.
    pub ranges: &'a [Range],
    /// Decides what is drawn.
    pub seed: u64,
}

/// Drives pipelines over parts of the sessions, and is told how the search gets on.
pub trait Drive {
    /// Over what these rungs add, the first being 0.
    fn rungs(&mut self, pipelines: &[Pipeline], rungs: Rungs<usize>) -> Result<RunData>;
    /// Over the held-back part.
    fn held_back(&mut self, pipelines: &[Pipeline]) -> Result<RunData>;
    /// A rung is through.
    fn landed(&mut self, so_far: &Found) -> Result<()> {
        let _ = so_far;
        Ok(())
    }
}

/// A point in a rung, by all sessions up to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The rung, from 1.
    pub rung: usize,
    /// The number of the point.
    pub point: usize,
    /// What it was worth.
    pub score: Score,
    /// Whether it goes on; of the last rung, whether it is on a front.
    pub survives: bool,
}

/// What the search came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// All points by their numbers.
    pub points: Vec<Point>,
    /// Every point in every rung.
    pub trials: Vec<Trial>,
    /// How often a point was refused by the pipeline's own check, and drawn again.
    pub refused: usize,
    /// How often a point was there already, and drawn again.
    pub repeated: usize,
    /// Cells that were driven.
    pub cells: usize,
}

impl Found {
    /// The trials of a rung, from 1.
    pub fn rung(&self, rung: usize) -> impl Iterator<Item = &Trial> {
        self.trials.iter().filter(move |trial| trial.rung == rung)
    }

    /// The trials of the last rung.
    pub fn last(&self) -> Vec<&Trial> {
        let last = self.trials.iter().map(|trial| trial.rung).max().unwrap_or(0);
        self.rung(last).collect()
    }
}

/// Draws in a row that may come to nothing before a space counts as drawn out.
const TRIES: usize = 2_000;

/// What is drawn, and what was.
struct Draw<'a> {
    search: Search<'a>,
    spread: Spread,
    next: u64,
    known: BTreeSet<Vec<String>>,
    found: Found,
}

impl Draw<'_> {
    /// Draws one more point from the whole space, or near another; none where it is drawn out.
    fn point(&mut self, parent: Option<(usize, usize)>) -> Result<Option<usize>> {
        let Search { registry, base, ranges, .. } = self.search;
        for _ in 0..TRIES {
            let drawn = self.spread.at(self.next);
            self.next += 1;
            let place = |(index, by): (usize, f64)| {
                let own = parent.and_then(|(point, _)| self.found.points[point].values[index]);
                own.map_or(by, |value| near(ranges[index].place(value), by))
            };
            let places = drawn.into_iter().enumerate().map(place);
            let values: Vec<f64> =
                ranges.iter().zip(places).map(|(range, place)| range.value(place)).collect();
            if !self.known.insert(written(ranges, values.iter().copied().map(Some))) {
                self.found.repeated += 1;
                continue;
            }
            let origin = parent.map_or(Origin::Drawn, |(point, rung)| Origin::Near { point, rung });
            let number = self.found.points.len();
            match Point::of(registry, base, ranges, &values, (number, origin))? {
                Some(point) => {
                    self.found.points.push(point);
                    return Ok(Some(number));
                }
                None => self.found.refused += 1,
            }
        }
        Ok(None)
    }
}

fn written(ranges: &[Range], values: impl Iterator<Item = Option<f64>>) -> Vec<String> {
    let all = ranges.iter().zip(values);
    all.map(|(range, value)| value.map_or_else(String::new, |one| range.written(one))).collect()
}

impl<'a> Search<'a> {
    /// Searches. [`Error::Invalid`] where nothing can be told from the sessions.
    pub fn found(&self, size: &Size, drive: &mut dyn Drive) -> Result<Found> {
        let mut draw = self.begun(size)?;
        let mut cells: BTreeMap<usize, Vec<MeasuredCell>> = BTreeMap::new();
        let mut members: Vec<usize> = (0..draw.found.points.len()).collect();
        let mut fresh = members.clone();
        for rung in 0..size.rungs.count() {
            let old = members.iter().copied().filter(|one| !fresh.contains(one)).collect();
            for (points, rungs) in [(old, rung..rung + 1), (fresh.clone(), 0..rung + 1)] {
                self.drive((points, rungs), &mut draw.found, &mut cells, drive)?;
            }
            let scores: Vec<Score> = members.iter().map(|one| Score::of(&cells[one])).collect();
            let is_last = rung + 1 == size.rungs.count();
            let order = self.judged(&members, &scores, (rung, is_last), &mut draw.found)?;
            drive.landed(&draw.found)?;
            if is_last {
                break;
            }
            let full = members.len();
            let survivors = order[..halved(full)].to_vec();
            fresh = Vec::new();
            for parent in survivors.iter().cycle().take(refilled(full)) {
                fresh.extend(draw.point(Some((*parent, rung + 2)))?);
            }
            let kept: BTreeSet<usize> = survivors.into_iter().chain([0]).collect();
            members = kept.into_iter().chain(fresh.iter().copied()).collect();
        }
        Ok(draw.found)
    }

    /// With the defaults and the points of the first rung.
    fn begun(&self, size: &Size) -> Result<Draw<'a>> {
        let defaults = Point::defaults(self.base, self.ranges);
        let known = BTreeSet::from([written(self.ranges, defaults.values.iter().copied())]);
        let spread = Spread::new(self.ranges.len(), Seed(self.seed));
        let found = Found { points: vec![defaults], ..Found::default() };
        let mut draw = Draw { search: *self, spread, next: 0, known, found };
        while draw.found.points.len() < size.points {
            if draw.point(None)?.is_none() {
                break;
            }
        }
        if draw.found.points.len() < 2 {
            let rule = "no point beside the defaults passes the pipeline's own check";
            let hint = "`--list` shows the ranges, `--vary KEY=MIN..MAX` sets others";
            return Err(Error::refused(format!("pipeline `{}`", self.base.name), rule, hint));
        }
        Ok(draw)
    }

    fn drive(
        &self,
        (points, rungs): (Vec<usize>, Rungs<usize>),
        found: &mut Found,
        cells: &mut BTreeMap<usize, Vec<MeasuredCell>>,
        drive: &mut dyn Drive,
    ) -> Result<()> {
        if points.is_empty() {
            return Ok(());
        }
        let pipelines = points.iter().map(|one| found.points[*one].pipeline.clone());
        let run = drive.rungs(&pipelines.collect::<Vec<_>>(), rungs)?;
        found.cells += run.measurements.len();
        let by_name: BTreeMap<String, usize> =
            points.iter().map(|one| (found.points[*one].pipeline.name.clone(), *one)).collect();
        for cell in run.measurements {
            if let Some(point) = by_name.get(&cell.key.pipeline) {
                cells.entry(*point).or_default().push(cell);
            }
        }
        Ok(())
    }

    /// Notes the trials of a rung; the points in the order in which they should survive.
    fn judged(
        &self,
        members: &[usize],
        scores: &[Score],
        (rung, is_last): (usize, bool),
        found: &mut Found,
    ) -> Result<Vec<usize>> {
        let place = members.iter().position(|one| *one == 0).unwrap_or(0);
        if scores[place].recall.is_none() {
            let rule = "nothing is needed in these sessions that lies a window back, so recall at \
                        need is not known";
            let hint = "name longer ones: `--scenarios worked-32k`";
            return Err(Error::refused("--scenarios", rule, hint));
        }
        let order = front::order(scores);
        let kept = halved(members.len());
        let mut survives = vec![false; members.len()];
        if is_last {
            let all: Vec<&Score> = scores.iter().collect();
            for cost in super::Cost::ALL {
                let on = front::front(&all, cost);
                survives.iter_mut().zip(on).for_each(|(one, on)| *one |= on);
            }
        } else {
            order[..kept].iter().for_each(|one| survives[*one] = true);
            survives[place] = true;
        }
        for ((point, score), survives) in members.iter().zip(scores).zip(survives) {
            let (point, score) = (*point, score.clone());
            found.trials.push(Trial { rung: rung + 1, point, score, survives });
        }
        Ok(order.into_iter().map(|one| members[one]).collect())
    }
}
