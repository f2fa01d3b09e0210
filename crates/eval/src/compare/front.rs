//! Pareto fronts: what costs least for what it knows, and how surely.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Question;
use super::sessions::{Cell, Contestant, Named};
use crate::ident::Seed;
use crate::measure::MetricId;
use crate::stats::design::weighted_mean;

/// What is worth having.
const WORTH: MetricId = MetricId::RecallAtNeed;
/// What it is paid in.
const COSTS: [MetricId; 2] = [MetricId::TokensMeanPrompt, MetricId::CostUsd];

/// A front over the sessions that all its configurations have.
#[derive(Clone, Debug, Serialize)]
pub struct Front {
    /// Metric on the one axis; `recall_at_need` is on the other.
    pub cost: MetricId,
    /// Mode.
    pub mode: String,
    /// Sessions.
    pub n: usize,
    /// Configurations, the cheapest first.
    pub points: Vec<FrontPoint>,
}

/// A configuration on or behind a front.
#[derive(Clone, Debug, Serialize)]
pub struct FrontPoint {
    /// Configuration.
    pub name: String,
    /// Mean cost.
    pub cost: f64,
    /// Mean recall at need.
    pub recall: f64,
    /// Whether every session completed; only then can it be on the front.
    pub completed: bool,
    /// On the front of the means.
    pub on_front: bool,
    /// Share of resamples of the sessions in which it is on the front; `None` with
    /// fewer than two sessions.
    pub membership: Option<f64>,
}

/// Cost and recall by scenario and seed.
type Figures<'a> = BTreeMap<(&'a str, u64), (f64, f64)>;

/// A configuration's figures over the common sessions.
struct Course {
    costs: Vec<f64>,
    recalls: Vec<f64>,
    completed: bool,
}

/// Fronts of every mode, by tokens and by dollars.
pub(super) fn fronts(all: &[Named], question: &Question) -> Vec<Front> {
    let mut modes: BTreeMap<&str, Vec<&Named>> = BTreeMap::new();
    for named in all {
        modes.entry(named.1.mode).or_default().push(named);
    }
    let modes = modes.into_iter();
    let each = modes.flat_map(|(mode, own)| COSTS.map(|cost| front(&own, mode, cost, question)));
    each.flatten().collect()
}

fn front(own: &[&Named], mode: &str, cost: MetricId, question: &Question) -> Option<Front> {
    let figures: Vec<Figures> = own.iter().map(|(_, one)| by_session(one, cost)).collect();
    let mut common: BTreeSet<(&str, u64)> = figures.first()?.keys().copied().collect();
    common.retain(|place| figures.iter().all(|one| one.contains_key(place)));
    if common.is_empty() || own.len() < 2 {
        return None;
    }
    let courses: Vec<Course> = own
        .iter()
        .zip(&figures)
        .map(|((_, one), figures)| Course {
            costs: common.iter().map(|place| figures[place].0).collect(),
            recalls: common.iter().map(|place| figures[place].1).collect(),
            completed: one.cells.values().all(Cell::completed),
        })
        .collect();
    let whole = vec![1.0; common.len()];
    let on_front = members(&courses, &whole);
    let labels: Vec<&str> = common.iter().map(|place| place.0).collect();
    let shares = memberships(&courses, &labels, question, (mode, cost));
    let mut points: Vec<FrontPoint> = Vec::new();
    for (index, course) in courses.iter().enumerate() {
        points.push(FrontPoint {
            name: own[index].0.clone(),
            cost: weighted_mean(&course.costs, &whole)?,
            recall: weighted_mean(&course.recalls, &whole)?,
            completed: course.completed,
            on_front: on_front[index],
            membership: shares.as_ref().map(|shares| shares[index]),
        });
    }
    points.sort_by(|one, other| one.cost.total_cmp(&other.cost).then(one.name.cmp(&other.name)));
    Some(Front { cost, mode: mode.to_owned(), n: common.len(), points })
}

/// Cost and recall by session, replicates averaged.
fn by_session<'a>(one: &'a Contestant, cost: MetricId) -> Figures<'a> {
    let mut sums: BTreeMap<(&str, u64), (f64, f64, f64)> = BTreeMap::new();
    for ((scenario, seed, _), cell) in &one.cells {
        if let (Some(cost), Some(recall)) = (cell.number(cost), cell.number(WORTH)) {
            let sum = sums.entry((scenario, *seed)).or_default();
            *sum = (sum.0 + cost, sum.1 + recall, sum.2 + 1.0);
        }
    }
    sums.into_iter().map(|(place, (cost, recall, n))| (place, (cost / n, recall / n))).collect()
}

/// Whether each is on the front: completed, and nothing that completed knows as much
/// for less, or more for as much.
fn members(courses: &[Course], weights: &[f64]) -> Vec<bool> {
    let points: Vec<Option<(f64, f64)>> = courses
        .iter()
        .map(|course| {
            let mean = |values| weighted_mean(values, weights);
            mean(&course.costs).zip(mean(&course.recalls)).filter(|_| course.completed)
        })
        .collect();
    let beaten = |(cost, recall): (f64, f64)| {
        points.iter().flatten().any(|(other, knows)| {
            *other <= cost && *knows >= recall && (*other < cost || *knows > recall)
        })
    };
    points.iter().map(|point| point.is_some_and(|point| !beaten(point))).collect()
}

/// Share of resamples in which each is on the front; all see the same draws.
fn memberships(
    courses: &[Course],
    labels: &[&str],
    question: &Question,
    (mode, cost): (&str, MetricId),
) -> Option<Vec<f64>> {
    let design = question.pooling.design(labels)?;
    let mut rng = Seed(0).derive(&["compare", "front", mode, cost.name()]).rng();
    let (mut weights, mut counts) = (Vec::new(), vec![0_u32; courses.len()]);
    for _ in 0..question.resamples {
        design.draw(&mut rng, &mut weights);
        for (count, member) in counts.iter_mut().zip(members(courses, &weights)) {
            *count += u32::from(member);
        }
    }
    let all = f64::from(question.resamples.max(1));
    Some(counts.into_iter().map(|count| f64::from(count) / all).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(costs: [f64; 3], recalls: [f64; 3], completed: bool) -> Course {
        Course { costs: costs.to_vec(), recalls: recalls.to_vec(), completed }
    }

    #[test]
    fn only_what_completed_is_on_the_front_and_nothing_beaten() {
        let courses = [
            (1.0, 0.2, true),
            (2.0, 0.2, true),
            (2.0, 0.5, true),
            (0.5, 0.9, false),
            (2.0, 0.5, true),
        ];
        let courses =
            courses.map(|(cost, recall, completed)| course([cost; 3], [recall; 3], completed));
        assert_eq!(members(&courses, &[1.0; 3]), [true, false, true, false, true]);
    }

    #[test]
    fn a_front_that_rests_on_one_session_is_not_sure() {
        let courses = [course([1.0; 3], [0.5; 3], true), course([1.0; 3], [0.4, 0.4, 0.9], true)];
        let question = Question { resamples: 2_000, ..Question::default() };
        let shares =
            memberships(&courses, &["a", "b", "c"], &question, ("deployed", MetricId::CostUsd));
        let shares = shares.expect("three sessions");
        // Two of three are drawn: without the third session in (2/3)² of the draws.
        assert!((shares[0] - 4.0 / 9.0).abs() < 0.05, "{shares:?}");
        assert!((shares[1] - 5.0 / 9.0).abs() < 0.05, "{shares:?}");
    }
}
