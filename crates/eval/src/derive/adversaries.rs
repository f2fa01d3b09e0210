//! The adversaries of a run, judged: each must lose to chance, or die of what it does.

use crate::apply::Rule;
use crate::frame::{Basis, Defeat, Derived, Frame, MeasuredCell, Scope, Setting, Subject};
use crate::matrix::{CHANCE, UNDER};
use crate::measure::{Check, MetricId, Word};
use crate::prelude::*;
use crate::stats;
use crate::truth::FactKind;
use crate::unit::nine;

/// What must last, whatever else is forgotten.
const LASTING: [FactKind; 4] =
    [FactKind::Constraint, FactKind::SafetyRule, FactKind::DeadEnd, FactKind::Direction];

/// Shares of true claims that differ by less tell nothing.
const CLEARLY: f64 = 0.1;

/// What an adversary, or chance, came to over the sessions that both were driven on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Standing {
    /// Mean recall at need.
    recall: Option<f64>,
    /// Mean share of what must last that the last view holds, each kind counting alike.
    lasting: Option<f64>,
    /// Mean share of what its summaries claim that is so.
    precision: Option<f64>,
    /// Whether no session came to its end.
    died: bool,
    /// Whether a request was sent that a provider refuses.
    refused: bool,
}

pub(super) fn rows(frame: &Frame) -> Vec<Derived> {
    let mut settings: BTreeMap<Setting, Vec<&MeasuredCell>> = BTreeMap::new();
    let all = frame.adversaries().iter().copied();
    let (chance, adversaries): (Vec<&MeasuredCell>, Vec<&MeasuredCell>) =
        all.partition(|cell| cell.key.pipeline == UNDER && cell.key.summarizer == CHANCE.name());
    for cell in adversaries {
        settings.entry(Setting::of(&cell.key)).or_default().push(cell);
    }
    settings.into_iter().map(|(setting, cells)| judged(setting, &cells, &chance)).collect()
}

fn judged(setting: Setting, own: &[&MeasuredCell], chance: &[&MeasuredCell]) -> Derived {
    let (own, chance) = (on_sessions_of(own, chance), on_sessions_of(chance, own));
    let subject = Subject::new(Scope::Configuration, setting);
    if own.is_empty() {
        return Derived::undefined(subject, MetricId::ControlAdversary, Basis::WithoutChance);
    }
    let sessions = own.len();
    let (own, chance) = (Standing::of(&own), Standing::of(&chance));
    let lost = own.loses_to(&chance);
    let basis = Basis::BesideChance {
        lost,
        recall: own.recall.map(nine),
        chance: chance.recall.map(nine),
        lasting: own.lasting.map(nine),
        chance_lasting: chance.lasting.map(nine),
    };
    let check = if lost.is_some() { Check::Holds } else { Check::Fails };
    Derived::word(subject, MetricId::ControlAdversary, Word::Check(check), sessions, basis)
}

fn on_sessions_of<'a>(
    cells: &[&'a MeasuredCell],
    others: &[&MeasuredCell],
) -> Vec<&'a MeasuredCell> {
    let is_shared =
        |cell: &&&MeasuredCell| others.iter().any(|other| other.session() == cell.session());
    cells.iter().filter(is_shared).copied().collect()
}

impl Standing {
    fn of(cells: &[&MeasuredCell]) -> Standing {
        let mean = |figure: &dyn Fn(&MeasuredCell) -> Option<f64>| {
            let values: Vec<f64> = cells.iter().filter_map(|cell| figure(cell)).collect();
            stats::mean(&values)
        };
        let lasting = |cell: &MeasuredCell| {
            let kinds = LASTING.into_iter();
            let kept = kinds.filter_map(|kind| cell.number(MetricId::retention(kind)));
            stats::mean(&kept.collect::<Vec<f64>>())
        };
        let breaks = |cell: &&MeasuredCell| {
            let rules = Rule::ALL.into_iter().filter(|rule| rule.is_fatal());
            let mut times = rules.filter_map(|rule| cell.number(MetricId::violations(rule)));
            times.any(|times| times > 0.0)
        };
        Standing {
            recall: mean(&|cell| cell.number(MetricId::RecallAtNeed)),
            lasting: mean(&lasting),
            precision: mean(&|cell| cell.number(MetricId::SummaryPrecision)),
            died: !cells.iter().any(|cell| cell.completed()),
            refused: cells.iter().any(breaks),
        }
    }

    /// In what it loses; `None` where a figure could be won by doing as it does. What chance does
    /// too is no defeat.
    fn loses_to(&self, chance: &Standing) -> Option<Defeat> {
        let recall = self.recall.zip(chance.recall);
        let lasting = self.lasting.zip(chance.lasting);
        let precision = self.precision.zip(chance.precision);
        if self.died && !chance.died {
            Some(Defeat::Died)
        } else if self.refused && !chance.refused {
            Some(Defeat::Refused)
        } else if recall.is_some_and(|(own, chance)| own <= chance) {
            Some(Defeat::Chance)
        } else if lasting.is_some_and(|(own, chance)| own < chance) {
            Some(Defeat::Lasting)
        } else if precision.is_some_and(|(own, chance)| own < chance - CLEARLY) {
            Some(Defeat::Precision)
        } else {
            None
        }
    }
}
