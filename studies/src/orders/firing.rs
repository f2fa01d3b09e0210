//! How often the stages of an order acted: nothing is said of a stage that never did.

use std::collections::{BTreeMap, BTreeSet};

use proctor_eval::frame::{Derived, Frame, Scope, Stage};
use proctor_eval::measure::MetricId;

use super::{Order, Set, Verdict};
use crate::run::Session;
use crate::table::number;

/// A stage over all orders of a set, each driven configuration counted once.
#[derive(Clone, Debug, PartialEq)]
pub struct Firing<'a> {
    /// As the names of orders call it.
    pub stage: &'a str,
    /// Occasions on which it was due, and on which it proposed a plan.
    due: f64,
    fired: f64,
    /// Sessions in which some order had it act, of all.
    sessions: usize,
    of: usize,
}

impl Firing<'_> {
    pub fn is_idle(&self) -> bool {
        self.fired <= 0.0
    }

    /// `threshold 73 of 8,120 occasions, in 10 of 50 sessions`.
    fn words(&self) -> String {
        let Firing { stage, due, fired, sessions, of } = self;
        let (fired, due) = (number(*fired), number(*due));
        format!("`{stage}` fired on {fired} of {due} occasions, in {sessions} of {of} sessions")
    }
}

/// Whether a stage was due and never acted.
pub fn is_idle(stage: &str, firings: &[Firing]) -> bool {
    firings.iter().any(|one| one.stage == stage && one.is_idle())
}

/// A difference between orders is shown whatever else was idle; that there is none is not.
pub fn earned(verdict: Verdict, firings: &[Firing]) -> Verdict {
    match verdict {
        Verdict::Matters => verdict,
        _ if firings.iter().any(Firing::is_idle) => Verdict::NotTested,
        _ => verdict,
    }
}

/// What was not tested, in words; `None` where every stage fired.
pub fn untested(firings: &[Firing]) -> Option<String> {
    let idle = firings.iter().filter(|one| one.is_idle());
    let words =
        idle.map(|one| format!("`{}` never fired (0 of {} occasions)", one.stage, number(one.due)));
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| format!("not tested: {}", words.join(", ")))
}

/// The stages that fired, in words; empty where none was counted.
pub fn told(firings: &[Firing]) -> String {
    let acted = firings.iter().filter(|one| !one.is_idle());
    acted.map(Firing::words).collect::<Vec<String>>().join("; ")
}

impl<'a> Set<'a> {
    /// The stages in the order of the suite; none where the run counted no triggers. Two of one
    /// strategy are counted together.
    pub(super) fn firings(&self, derived: &[Derived], frame: &Frame) -> Vec<Firing<'a>> {
        let driven: BTreeSet<&str> = self.orders.iter().map(|order| order.driven).collect();
        let of_set = |row: &&Derived| {
            let setting = &row.subject.setting;
            row.subject.scope == Scope::Stage
                && (setting.mode.as_str(), setting.summarizer.as_str())
                    == (self.mode, self.summarizer)
                && driven.contains(setting.configuration.as_str())
        };
        let rows: Vec<&Derived> = derived.iter().filter(of_set).collect();
        let sum = |strategy: &str, metric: MetricId| -> f64 {
            let is_it = |stage: &Stage| stage.strategy == strategy;
            let own = rows.iter().filter(|row| row.metric == metric);
            let own = own.filter(|row| row.subject.stage.as_ref().is_some_and(is_it));
            own.filter_map(|row| row.as_number()).sum()
        };
        let sessions: BTreeSet<&Session> =
            self.orders.iter().flat_map(|order| order.cells.keys()).collect();
        let firing = |(stage, strategy): (&'a str, &str)| Firing {
            stage,
            due: sum(strategy, MetricId::TriggerDue),
            fired: sum(strategy, MetricId::TriggerFired),
            sessions: sessions.iter().filter(|one| self.acts(one, strategy, frame)).count(),
            of: sessions.len(),
        };
        let strategies = self.strategies(&rows);
        let stages = self.orders.first().map_or(&[][..], |order| &order.named.stages);
        let named = |stage: &'a String| Some((stage.as_str(), *strategies.get(stage.as_str())?));
        stages.iter().filter_map(named).map(firing).collect()
    }

    /// The strategy of each stage, from an order that was driven under its own name: another's
    /// stages may stand in other places.
    fn strategies<'r>(&self, rows: &[&'r Derived]) -> BTreeMap<&'a str, &'r str> {
        let is_own = |order: &&Order| order.driven == order.named.name;
        let Some(order) = self.orders.iter().find(is_own) else { return BTreeMap::new() };
        let own = rows.iter().filter(|row| row.subject.setting.configuration == order.driven);
        let stage = |row: &&'r Derived| {
            let Stage { number, strategy } = row.subject.stage.as_ref()?;
            let label = order.named.stages.get((*number as usize).checked_sub(1)?)?;
            Some((label.as_str(), strategy.as_str()))
        };
        own.filter_map(stage).collect()
    }

    fn acts(&self, session: &Session, strategy: &str, frame: &Frame) -> bool {
        let cells = self.orders.iter().filter_map(|order| order.cells.get(session)).flatten();
        let mut plans = cells.flat_map(|cell| frame.compactions_of(cell));
        plans.any(|plan| plan.stage == strategy)
    }
}
