//! Headline figures, pooled over the sessions of a group and of a configuration.

use std::collections::BTreeMap;

use crate::derive::{Pool, everywhere, groups, seed};
use crate::frame::{Basis, Derived, Frame, MeasuredCell, Session, Subject};
use crate::measure::{MetricId, Needs};
use crate::stats;
use crate::stats::resample::{Resampling, bootstrap, bootstrap_mean};

/// The figures that are pooled. Savings are over completed sessions alone.
pub const HEADLINES: [MetricId; 18] = [
    MetricId::Completion,
    MetricId::RecallAtNeed,
    MetricId::RecallMean,
    MetricId::TokensMeanPrompt,
    MetricId::SavingsGross,
    MetricId::SavingsNet,
    MetricId::SavingsEffective,
    MetricId::CostUsd,
    MetricId::CostReacquire,
    MetricId::Violations,
    MetricId::Oracle,
    MetricId::RandomDrop,
    MetricId::Regret,
    MetricId::UpdateResolved,
    MetricId::FabricatedShare,
    MetricId::SummaryCopyShare,
    MetricId::SummaryPrecision,
    MetricId::DemandsAmbiguous,
];

pub(super) type Savings<'a> = BTreeMap<(&'a str, MetricId), f64>;

pub(super) fn savings(rows: &[Derived]) -> Savings<'_> {
    let of_cells = rows
        .iter()
        .filter_map(|row| Some(((row.subject.cell_id()?, row.metric), row.as_number()?)));
    of_cells.collect()
}

pub(super) fn rows(frame: &Frame, savings: &Savings<'_>) -> Vec<Derived> {
    let groups = groups(frame);
    let everywhere = everywhere(&groups);
    let pools = groups.iter().chain(&everywhere);
    let pooled = |(pool, cells): (&Pool, &Vec<&MeasuredCell>)| {
        let headlines = HEADLINES.map(|metric| pooled(*pool, cells, metric, savings));
        headlines.into_iter().chain([per_goal(*pool, cells)]).collect::<Vec<_>>()
    };
    pools.flat_map(pooled).collect()
}

/// Dollars over goals finished: a ratio of sums, so that a session counts by its goals.
fn per_goal(pool: Pool, cells: &[&MeasuredCell]) -> Derived {
    let paid = by_session(cells, |cell| cell.number(MetricId::CostUsd));
    let finished = by_session(cells, |cell| cell.number(MetricId::GoalsFinished));
    let (subject, metric) = (pool.subject(), MetricId::CostPerGoal);
    if paid.len() != finished.len() {
        return Derived::undefined(subject, metric, Basis::FigureMissing);
    }
    let ratio = |drawn: &[usize]| {
        let sum = |of: &[f64]| drawn.iter().map(|&index| of[index]).sum::<f64>();
        let goals = sum(&finished);
        (goals > 0.0).then(|| sum(&paid) / goals)
    };
    let every: Vec<usize> = (0..paid.len()).collect();
    let resampling = Resampling::standard(seed(&subject, metric.name(), subject.scope.name()));
    let interval = bootstrap(paid.len(), resampling, ratio);
    let value = ratio(&every);
    let basis = match (paid.len(), value) {
        (0, _) => Basis::NoSession,
        (_, None) => Basis::NoGoalFinished,
        (1, _) => Basis::OneSession,
        _ => Basis::RatioOverSessions,
    };
    Derived::number(subject, metric, value, paid.len(), basis).within(interval)
}

fn pooled(pool: Pool, cells: &[&MeasuredCell], metric: MetricId, savings: &Savings<'_>) -> Derived {
    let figure = |cell: &MeasuredCell| match metric.metric().needs == Needs::Control {
        true if cell.completed() => savings.get(&(cell.key.cell.as_str(), metric)).copied(),
        true => None,
        false => cell.number(metric),
    };
    over_sessions(pool.subject(), metric, &by_session(cells, figure))
}

/// The mean of one figure per session, with its interval.
pub(super) fn over_sessions(subject: Subject, metric: MetricId, values: &[f64]) -> Derived {
    let purpose = subject.scope.name();
    let resampling = Resampling::standard(seed(&subject, metric.name(), purpose));
    let interval = bootstrap_mean(values, resampling);
    let basis = match (values.is_empty(), interval.is_some()) {
        (true, _) => Basis::NoSession,
        (false, true) => Basis::MeanOverSessions,
        (false, false) => Basis::OneSession,
    };
    Derived::number(subject, metric, stats::mean(values), values.len(), basis).within(interval)
}

/// A value for each session: replicates of one are no sessions of their own.
pub(super) fn by_session(
    cells: &[&MeasuredCell],
    figure: impl Fn(&MeasuredCell) -> Option<f64>,
) -> Vec<f64> {
    let mut sessions: BTreeMap<Session, Vec<f64>> = BTreeMap::new();
    for cell in cells {
        sessions.entry(cell.session()).or_default().extend(figure(cell));
    }
    sessions.values().filter_map(|replicates| stats::mean(replicates)).collect()
}
