//! The figures behind the claims, pooled over the sessions that each claim is about. A mean has a
//! bootstrapped interval. What must never happen is counted in sessions without it, with Wilson's
//! interval: ten sessions without a fault do not show that there is none.

use std::collections::BTreeMap;
use std::ops::Range;

use proctor_core::apply::Rule;
use proctor_core::trace::Ending;
use proctor_eval::measure::{MetricId, firings};
use proctor_eval::row::CompactionRow;
use proctor_eval::stats::binary::wilson;
use proctor_eval::stats::mean;
use proctor_eval::stats::resample::{Interval, Resampling, bootstrap_mean};
use serde::Deserialize;

use crate::run::{Cell, Run, Session, by_session, seed};

/// Sessions that ADR-0014 calls long, in tokens, and those beyond its band of ordinary ones.
const LONG: Range<f64> = 50_000.0..100_000.0;
const LONGER: Range<f64> = 100_000.0..f64::INFINITY;
/// The time that a summarization may take, in milliseconds.
const TARGET: f64 = 5_000.0;

/// How a figure is pooled over sessions.
#[derive(Clone, Copy)]
enum Pooling {
    Mean,
    /// The share of sessions in which the figure is 1.
    Share,
    Worst,
}

type OfCell = fn(&Facts, &Cell) -> Option<f64>;

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

#[derive(Clone, Copy, Debug, Default)]
pub struct Pooled {
    pub value: Option<f64>,
    pub interval: Option<Interval>,
    pub n: usize,
}

pub struct Facts<'a> {
    controls: BTreeMap<Session<'a>, &'a Cell>,
    compactions: BTreeMap<&'a str, Vec<CompactionRow>>,
    gross: BTreeMap<&'a str, f64>,
    net: BTreeMap<&'a str, f64>,
    breach: BTreeMap<&'a str, f64>,
}

const FIGURES: [(&str, Pooling, OfCell); 24] = [
    ("completed", Pooling::Share, |_, cell| cell.number(MetricId::Completion)),
    ("saved.from_50k", Pooling::Mean, |facts, cell| facts.saving(cell, &facts.gross, LONG)),
    ("saved.from_100k", Pooling::Mean, |facts, cell| facts.saving(cell, &facts.gross, LONGER)),
    ("saved_net.from_50k", Pooling::Mean, |facts, cell| facts.saving(cell, &facts.net, LONG)),
    ("saved_net.from_100k", Pooling::Mean, |facts, cell| facts.saving(cell, &facts.net, LONGER)),
    ("freed", Pooling::Mean, |_, cell| {
        Some(1.0 - cell.number(MetricId::CompactionsAfterOverBefore)?)
    }),
    ("completed.from_50_turns", Pooling::Share, |_, cell| completed_of(cell, 50)),
    ("completed.from_100_turns", Pooling::Share, |_, cell| completed_of(cell, 100)),
    ("within_5s", Pooling::Mean, |facts, cell| facts.within_target(cell)),
    ("rate_for_5s", Pooling::Worst, |_, cell| cell.number(MetricId::LatencyRateFor5s)),
    ("counter", Pooling::Mean, |_, cell| Some(cell.number(MetricId::CounterError)?.abs())),
    ("counter_billing", Pooling::Mean, |_, cell| {
        let own = 1.0 + cell.number(MetricId::CounterError)?;
        Some((own * (1.0 + cell.number(MetricId::CounterReferenceError)?) - 1.0).abs())
    }),
    ("breach", Pooling::Mean, |facts, cell| facts.breach.get(cell.key.cell.as_str()).copied()),
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
    ("sound.raised", Pooling::Share, |_, cell| Some(f64::from(cell.ended_by()? != Ending::Raised))),
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

impl<'a> Facts<'a> {
    pub fn of(run: &'a Run) -> Facts<'a> {
        Facts {
            controls: run.controls(),
            compactions: run.compactions(),
            gross: run.by_cell(MetricId::SavingsGross),
            net: run.by_cell(MetricId::SavingsNet),
            breach: run.by_cell(MetricId::FloorBreach),
        }
    }

    /// Whether some summary request of these cells failed.
    pub fn any_failure(&self, cells: &[&Cell]) -> bool {
        let plans = cells.iter().flat_map(|cell| self.plans(cell));
        plans.into_iter().any(|plan| plan.failed_attempts > 0)
    }

    fn plans(&self, cell: &Cell) -> &[CompactionRow] {
        self.compactions.get(cell.key.cell.as_str()).map_or(&[], Vec::as_slice)
    }

    /// A saving of a completed session whose whole conversation, the control's largest
    /// prompt, has so many tokens.
    fn saving(&self, cell: &Cell, of: &BTreeMap<&str, f64>, size: Range<f64>) -> Option<f64> {
        let tokens = self.controls.get(&cell.session())?.number(MetricId::TokensPeak)?;
        let saved = of.get(cell.key.cell.as_str()).copied();
        saved.filter(|_| cell.completed() && size.contains(&tokens))
    }

    /// The share of the firings with billed requests that took no longer than the target.
    fn within_target(&self, cell: &Cell) -> Option<f64> {
        let firings = firings(self.plans(cell));
        let waited = firings.iter().filter(|one| one.was_waited_for());
        let billed: Vec<f64> = waited.map(|one| one.blocking().0 as f64).collect();
        let soon = billed.iter().filter(|wait| **wait <= TARGET).count();
        (!billed.is_empty()).then(|| soon as f64 / billed.len() as f64)
    }

    /// A figure over the cells of one configuration; `subject` names them.
    pub fn pooled(&self, Figure(place): Figure, subject: &str, cells: &[&Cell]) -> Pooled {
        let (name, pooling, of) = FIGURES[place];
        let values = by_session(cells, |cell| of(self, cell));
        let (value, interval) = match pooling {
            Pooling::Mean => {
                let standard =
                    Resampling::standard(seed(subject, &format!("claim.{name}"), "claim"));
                (mean(&values), bootstrap_mean(&values, standard))
            }
            Pooling::Share => {
                let sound = values.iter().filter(|value| **value >= 1.0).count();
                let share = (!values.is_empty()).then(|| sound as f64 / values.len() as f64);
                (share, wilson(sound, values.len()))
            }
            Pooling::Worst => (values.iter().copied().reduce(f64::max), None),
        };
        Pooled { value, interval, n: values.len() }
    }
}
