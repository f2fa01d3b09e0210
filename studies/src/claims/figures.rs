//! The figures behind the claims, pooled over the sessions that each claim is about. A mean has
//! the interval of Student's t over sessions within their scenarios. What must never happen is counted in sessions without it, with Wilson's
//! interval: ten sessions without a fault do not show that there is none.

use proctor_core::apply::Rule;
use proctor_core::trace::Ending;
use proctor_eval::frame::{Derived, Frame};
use proctor_eval::measure::{MetricId, firings};
use proctor_eval::row::CompactionRow;
use proctor_eval::stats::binary::wilson;
use proctor_eval::stats::estimate::{Estimate, Unit};
use proctor_eval::stats::resample::Interval;
use proctor_eval::stats::{mean, share};
use serde::Deserialize;

use crate::run::{Cell, by_session};
use crate::saving::SIZES;

/// The time that a summarization may take, in milliseconds.
const TARGET: f64 = 5_000.0;

#[derive(Clone, Copy)]
enum Pooling {
    Mean,
    /// The share of sessions in which the figure is 1.
    Share,
    Worst,
}

type OfCell = fn(&Frame, &Cell) -> Option<f64>;

/// A figure by the name that `data/claims.toml` uses.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Figure(usize);

impl TryFrom<String> for Figure {
    type Error = String;

    fn try_from(name: String) -> Result<Figure, String> {
        let place = FIGURES.iter().position(|(known, ..)| *known == name);
        place.map(Figure).ok_or_else(|| format!("`{name}` is not a figure of claims"))
    }
}

/// A figure over sessions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pooled {
    pub value: Option<f64>,
    pub interval: Option<Interval>,
    pub n: usize,
}

const FIGURES: [(&str, Pooling, OfCell); 20] = [
    ("completed", Pooling::Share, |_, cell| cell.number(MetricId::Completion)),
    ("freed", Pooling::Mean, |_, cell| {
        Some(1.0 - cell.number(MetricId::CompactionsAfterOverBefore)?)
    }),
    ("completed.from_50_turns", Pooling::Share, |_, cell| completed_of(cell, 50)),
    ("completed.from_100_turns", Pooling::Share, |_, cell| completed_of(cell, 100)),
    ("within_5s", Pooling::Mean, within_target),
    ("rate_for_5s", Pooling::Worst, |_, cell| cell.number(MetricId::LatencyRateFor5s)),
    ("counter", Pooling::Mean, |_, cell| Some(cell.number(MetricId::CounterError)?.abs())),
    ("counter_billing", Pooling::Mean, |_, cell| {
        let own = 1.0 + cell.number(MetricId::CounterError)?;
        Some((own * (1.0 + cell.number(MetricId::CounterReferenceError)?) - 1.0).abs())
    }),
    ("breach", Pooling::Mean, |run, cell| derived(run, cell, MetricId::FloorBreach)),
    ("arcs_whole", Pooling::Mean, |_, cell| cell.number(MetricId::ArcIntegrity)),
    ("direction", Pooling::Mean, |_, cell| cell.number(MetricId::DirectionRetained)),
    ("dead_end", Pooling::Mean, |_, cell| cell.number(MetricId::DeadEndRetained)),
    ("constraint", Pooling::Mean, |_, cell| cell.number(MetricId::ConstraintRetained)),
    ("sound.pairs", Pooling::Share, |_, cell| {
        let rules = [Rule::OrphanResult, Rule::OrphanCall, Rule::SplitPair];
        let broken = rules.map(|rule| cell.number(MetricId::violations(rule)));
        Some(f64::from(broken.into_iter().sum::<Option<f64>>()? == 0.0))
    }),
    ("sound.turns", Pooling::Share, |_, cell| never(cell, MetricId::ViolationsTurnSplit)),
    ("sound.system", Pooling::Share, |_, cell| never(cell, MetricId::ViolationsSystemChanged)),
    ("sound.live_goal", Pooling::Share, |_, cell| never(cell, MetricId::LiveGoalLost)),
    ("sound.raised", Pooling::Share, |_, cell| {
        Some(f64::from(cell.figures.ended_by()? != Ending::Raised))
    }),
    ("sound.early", Pooling::Share, |_, cell| never(cell, MetricId::UtilizationAtCompactionHigh)),
    ("sound.drift", Pooling::Share, |_, cell| {
        let fired = cell.number(MetricId::CompactionsCount)? > 0.0;
        let generation = cell.number(MetricId::CompactionsMaxGeneration)?;
        fired.then_some(f64::from(generation <= 1.0))
    }),
];

fn completed_of(cell: &Cell, turns: u32) -> Option<f64> {
    (cell.key.turns >= turns).then(|| f64::from(cell.completed()))
}

fn never(cell: &Cell, metric: MetricId) -> Option<f64> {
    cell.number(metric).map(|count| f64::from(count == 0.0))
}

/// Whether some summary request of these cells failed.
pub fn any_failure(run: &Frame, cells: &[&Cell]) -> bool {
    cells.iter().flat_map(|cell| run.compactions_of(cell)).any(|plan| plan.failed_attempts > 0)
}

fn derived(run: &Frame, cell: &Cell, metric: MetricId) -> Option<f64> {
    run.of_cell(&cell.key.cell, metric).and_then(Derived::as_number)
}

/// What a configuration saves, for each of the sizes of sessions; of those that completed.
pub fn savings(run: &Frame, metric: MetricId, cells: &[&Cell]) -> [Pooled; 2] {
    SIZES.map(|(_, range)| {
        let saved = |cell: &Cell| {
            let tokens = run.control(cell.session())?.number(MetricId::TokensPeak)?;
            let saved = derived(run, cell, metric);
            saved.filter(|_| cell.completed() && range.contains(&tokens))
        };
        Pooled::mean(&by_session(cells, saved))
    })
}

impl Pooled {
    /// The mean of one value a session. Where all are 0, or all are 1, the interval is that of the
    /// share of sessions in which it is so; of others that are all the same there is none.
    fn mean(sessions: &[(&str, f64)]) -> Pooled {
        let (scenarios, values): (Vec<&str>, Vec<f64>) = sessions.iter().copied().unzip();
        let (value, n) = (mean(&values), values.len());
        let spread = Estimate::of(&values, &scenarios, Unit::WithinScenarios);
        let interval = match spread.filter(|one| one.error > 0.0) {
            Some(estimate) => estimate.interval(0.95),
            None if value == Some(0.0) => wilson(0, n),
            None if value == Some(1.0) => wilson(n, n),
            None => None,
        };
        Pooled { value, interval, n }
    }
}

/// The share of the firings with billed requests that took no longer than the target.
fn within_target(run: &Frame, cell: &Cell) -> Option<f64> {
    let plans = run.compactions_of(cell).iter().map(|plan| (*plan).clone());
    let plans: Vec<CompactionRow> = plans.collect();
    let firings = firings(&plans);
    let waited = firings.iter().filter(|one| one.was_waited_for());
    let billed: Vec<f64> = waited.map(|one| one.blocking().0 as f64).collect();
    share(billed.iter().filter(|wait| **wait <= TARGET).count(), billed.len())
}

/// A figure over the cells of one configuration.
pub fn pooled(run: &Frame, Figure(place): Figure, cells: &[&Cell]) -> Pooled {
    let (_, pooling, of) = FIGURES[place];
    let sessions = by_session(cells, |cell| of(run, cell));
    let (value, interval) = match pooling {
        Pooling::Mean => return Pooled::mean(&sessions),
        Pooling::Share => {
            let sound = sessions.iter().filter(|(_, value)| *value >= 1.0).count();
            (share(sound, sessions.len()), wilson(sound, sessions.len()))
        }
        Pooling::Worst => (sessions.iter().map(|(_, value)| *value).reduce(f64::max), None),
    };
    Pooled { value, interval, n: sessions.len() }
}
