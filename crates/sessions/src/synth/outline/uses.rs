//! Needs that are uses: the user asks for what takes a fact, or a result calls for it, and the call
//! that comes next holds it.

use super::facts::{Planner, SEARCH, tempts};
use super::{Act, Duty, Errand, Move, Outline};
use crate::synth::prelude::*;

/// How often a request is looked for before a result, where either can call for a fact.
const ASKED: f64 = 0.5;
/// Facts that a message may state in which the user asks for another.
const FEW_SAID: usize = 2;

#[derive(Clone, Copy)]
enum Occasion {
    Request,
    Result,
}

impl Planner<'_> {
    /// Needs a fact for the nth time, where there is an occasion before `until`.
    pub(super) fn demand_use(&mut self, fact: usize, nth: usize, until: usize) {
        let plan = &self.outline.facts[fact];
        let form = plan.form;
        if plan.shadow || form.using(nth).is_none() {
            return;
        }
        let Some(from) = self.later_step(fact, until) else { return };
        let occasions: &[Occasion] = match (form.signs.is_empty(), self.rng.random_bool(ASKED)) {
            (true, _) => &[Occasion::Request],
            (_, true) => &[Occasion::Request, Occasion::Result],
            (_, false) => &[Occasion::Result, Occasion::Request],
        };
        let end = until.min(from + SEARCH);
        let place = |occasion: &Occasion| {
            (from..end).find(|step| self.outline.gives(*occasion, *step)).map(|at| (at, *occasion))
        };
        let Some((step, occasion)) = occasions.iter().find_map(place) else { return };
        let outline = &mut *self.outline;
        outline.steps[step].duties.push(Duty::Demand(fact));
        outline.facts[fact].last = step;
        match occasion {
            Occasion::Request => outline.turns[outline.steps[step].turn].tempt = Some(fact),
            Occasion::Result => outline.steps[step - 1].duties.push(Duty::Sign(fact)),
        }
    }
}

impl Outline {
    /// Whether a step can use a fact that such an occasion right before it calls for.
    fn gives(&self, occasion: Occasion, step: usize) -> bool {
        let turn = &self.turns[self.steps[step].turn];
        let free = |step: usize| self.has_call(step) && self.steps[step].act == Act::Ordinary;
        let needs = |duty: &Duty| matches!(duty, Duty::Demand(_) | Duty::Sign(_));
        let idle = |step: usize| free(step) && !self.steps[step].duties.iter().any(needs);
        let asked = match occasion {
            Occasion::Request => tempts(self, step) && turn.says.len() <= FEW_SAID,
            Occasion::Result => step > turn.steps.start && idle(step - 1),
        };
        asked && idle(step) && turn.turn_move != Move::Stop
    }

    /// Whether a step makes a call that nothing is planned for yet.
    pub(super) fn has_call(&self, step: usize) -> bool {
        self.errands(step).len() < self.steps[step].results.len()
    }

    /// What calls for a fact: a line that says what it is about.
    pub(super) fn sign(&self, fact: usize) -> Option<Errand> {
        let plan = &self.facts[fact];
        let at = fact % plan.form.signs.len().max(1);
        plan.form.signs.get(at).map(|(look, line)| Errand::Sign(*look, plan.cast.fill(line)))
    }
}

#[cfg(test)]
mod tests;
