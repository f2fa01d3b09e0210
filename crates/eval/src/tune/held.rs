//! The held-back part: what the fronts of the search are worth on sessions that it never saw.

use super::budget::Size;
use super::front;
use super::score::{Cost, Score};
use super::search::{Drive, Found, Trial};
use super::verdict::{Aim, Pick, Verdict};
use crate::compare::{Question, Row, compare};
use crate::frame::MeasuredCell;
use crate::measure::MetricId;
use crate::prelude::*;
use crate::run_dir::read::RunData;
use crate::stats::estimate::{Estimate, Unit};

/// A point on the held-back part.
#[derive(Clone, Debug)]
pub struct HeldPoint {
    /// Its number; 0 are the defaults.
    pub point: usize,
    /// The fronts that it was on after the search, by [`Cost`].
    pub searched: [bool; 3],
    /// The fronts that it is on here.
    pub stays: [bool; 3],
    /// What it is worth here.
    pub score: Score,
    /// The 95 % interval of its recall.
    pub interval: Option<(f64, f64)>,
    /// Beside the defaults: completion, recall and the costs.
    pub rows: Vec<Row>,
}

impl HeldPoint {
    /// A figure beside that of the defaults.
    pub fn row(&self, metric: MetricId) -> Option<&Row> {
        self.rows.iter().find(|row| row.metric == metric)
    }
}

/// What the held-back part says.
#[derive(Clone, Debug)]
pub struct Held {
    /// Its sessions.
    pub sessions: usize,
    /// The points that were driven over it, the defaults first.
    pub points: Vec<HeldPoint>,
    /// The points that were chosen on the searched part.
    pub picks: Vec<Pick>,
    /// Points of the fronts that were not driven, for want of cells.
    pub left_out: usize,
    /// Cells that were driven.
    pub cells: usize,
}

const FIGURES: [MetricId; 5] = [
    MetricId::Completion,
    MetricId::RecallAtNeed,
    MetricId::CostUsd,
    MetricId::TokensPromptTotal,
    MetricId::LatencyTotal,
];

impl Held {
    /// Drives the fronts of a search and the defaults over the held-back part.
    pub(super) fn of(found: &Found, size: &Size, drive: &mut dyn Drive) -> Result<Held> {
        let last = Last::of(found);
        let chosen = last.chosen();
        let (numbers, left_out) = last.held(&chosen, size.most_held);
        let pipeline = |number: &usize| found.points[*number].pipeline.clone();
        let pipelines: Vec<_> = numbers.iter().map(pipeline).collect();
        let run = drive.held_back(&pipelines)?;
        let name = |number: usize| found.points[number].pipeline.name.as_str();
        let mut points = Vec::new();
        for number in &numbers {
            let rows = match number {
                0 => Vec::new(),
                _ => compared(&run, name(0), &[name(*number)], &FIGURES)?,
            };
            let cells = cells(&run, name(*number));
            points.push(HeldPoint {
                point: *number,
                searched: last.fronts_of(*number),
                stays: [false; 3],
                score: Score::of(cells.iter().copied()),
                interval: interval(&cells),
                rows,
            });
        }
        stay(&mut points);
        let mut picks = Vec::new();
        for cost in Cost::ALL {
            let own: Vec<_> = chosen.iter().filter(|one| one.0 == cost).copied().collect();
            // Each front is a question of its own, and its picks are one family.
            let names: BTreeSet<&str> = own.iter().map(|one| name(one.2)).collect();
            let names: Vec<&str> = names.into_iter().collect();
            let metrics = [MetricId::Completion, MetricId::RecallAtNeed, cost.metric()];
            let rows = match names.as_slice() {
                [] => Vec::new(),
                _ => compared(&run, name(0), &names, &metrics)?,
            };
            picks.extend(own.into_iter().map(|pick| {
                let of_it = rows.iter().filter(|row| row.candidate == name(pick.2));
                Pick::of(pick, &of_it.collect::<Vec<_>>())
            }));
        }
        let (sessions, cells) = (points[0].score.sessions, run.measurements.len());
        Ok(Held { sessions, points, picks, left_out, cells })
    }

    /// What it says of a front.
    pub fn verdict(&self, cost: Cost) -> Verdict {
        Verdict::of(self.picks.iter().filter(|pick| pick.cost == cost))
    }

    /// Cells without figures, by an internal error.
    pub fn failed(&self) -> usize {
        self.points.iter().map(|point| point.score.failed).sum()
    }
}

/// The last rung of a search.
struct Last<'a> {
    trials: Vec<&'a Trial>,
    defaults: &'a Score,
    /// By [`Cost`], which of the trials are on its front.
    fronts: [Vec<bool>; 3],
}

impl<'a> Last<'a> {
    fn of(found: &'a Found) -> Last<'a> {
        let trials = found.last();
        let scores: Vec<&Score> = trials.iter().map(|trial| &trial.score).collect();
        // OK because the defaults are never dropped.
        let defaults = trials.iter().find(|trial| trial.point == 0).unwrap_or(&trials[0]);
        let defaults = &defaults.score;
        let fronts = Cost::ALL.map(|cost| front::front(&scores, cost));
        Last { trials, defaults, fronts }
    }

    fn fronts_of(&self, point: usize) -> [bool; 3] {
        let place = self.trials.iter().position(|trial| trial.point == point);
        Cost::ALL.map(|cost| place.is_some_and(|place| self.fronts[cost as usize][place]))
    }

    /// The picks of every front.
    fn chosen(&self) -> Vec<(Cost, Aim, usize)> {
        let all = Cost::ALL.into_iter().flat_map(|cost| Aim::ALL.map(|aim| (cost, aim)));
        all.filter_map(|(cost, aim)| Some((cost, aim, self.pick(cost, aim)?))).collect()
    }

    fn pick(&self, cost: Cost, aim: Aim) -> Option<usize> {
        let figures = |score: &Score| Some((score.unfinished(), score.recall?, score.cost(cost)?));
        let (lost, recall, price) = figures(self.defaults)?;
        let fits = self.trials.iter().filter_map(|trial| {
            let own = figures(&trial.score)?;
            let gains = match aim {
                Aim::MoreFinished => own.0 < lost,
                Aim::MoreRecall => own.0 <= lost && own.1 > recall && own.2 <= price,
                Aim::LessCost => own.0 <= lost && own.1 >= recall && own.2 < price,
            };
            (trial.point != 0 && gains).then_some((own, trial.point))
        });
        let best = fits.min_by(|(one, number), (other, other_number)| {
            let by_recall = other.1.total_cmp(&one.1);
            let by_price = one.2.total_cmp(&other.2);
            let first = match aim {
                Aim::MoreFinished => one.0.cmp(&other.0).then(by_price),
                Aim::MoreRecall => by_recall.then(by_price),
                Aim::LessCost => by_price.then(by_recall),
            };
            first.then(number.cmp(other_number))
        });
        best.map(|(_, point)| point)
    }

    /// The defaults, the picks, and of the other points of fronts those with the most room, in the
    /// order of their numbers; and how many there was no room for.
    fn held(&self, chosen: &[(Cost, Aim, usize)], most: usize) -> (Vec<usize>, usize) {
        let scores: Vec<Score> = self.trials.iter().map(|trial| trial.score.clone()).collect();
        let order = front::order(&scores).into_iter();
        let on_front = |place: &usize| self.fronts.iter().any(|front| front[*place]);
        let rest = order.filter(on_front).map(|place| self.trials[place].point);
        let first = [0].into_iter().chain(chosen.iter().map(|one| one.2));
        let mut all: Vec<usize> = Vec::new();
        for point in first.chain(rest) {
            if !all.contains(&point) {
                all.push(point);
            }
        }
        let left_out = all.len().saturating_sub(most);
        all.truncate(most);
        all.sort_unstable();
        (all, left_out)
    }
}

fn cells<'a>(run: &'a RunData, pipeline: &str) -> Vec<&'a MeasuredCell> {
    run.measurements.iter().filter(|cell| cell.key.pipeline == pipeline).collect()
}

fn stay(points: &mut [HeldPoint]) {
    let scores: Vec<Score> = points.iter().map(|point| point.score.clone()).collect();
    let scores: Vec<&Score> = scores.iter().collect();
    for cost in Cost::ALL {
        let front = front::front(&scores, cost);
        for (point, on) in points.iter_mut().zip(front) {
            point.stays[cost as usize] = on;
        }
    }
}

fn compared(
    run: &RunData,
    baseline: &str,
    candidates: &[&str],
    metrics: &[MetricId],
) -> Result<Vec<Row>> {
    let question = Question {
        metrics: metrics.to_vec(),
        margins: BTreeMap::new(),
        baseline: Some(baseline.to_owned()),
        candidates: candidates.iter().map(|name| (*name).to_owned()).collect(),
        unit: Unit::WithinScenarios,
        allow: false,
        spends: 1.0,
    };
    Ok(compare(run, None, &question)?.rows)
}

fn interval(cells: &[&MeasuredCell]) -> Option<(f64, f64)> {
    let known = cells.iter().filter_map(|cell| {
        Some((cell.number(MetricId::RecallAtNeed)?, cell.key.scenario.as_str()))
    });
    let (values, scenarios): (Vec<f64>, Vec<&str>) = known.unzip();
    let found = Estimate::of(&values, &scenarios, Unit::WithinScenarios)?.interval(0.95)?;
    Some((found.low.max(0.0), found.high.min(1.0)))
}
