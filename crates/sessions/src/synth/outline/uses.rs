//! Needs that are uses: the user asks for what takes a fact, or a result calls for it, and the call
//! that comes next holds it.

use super::facts::{Planner, SEARCH, tempts};
use super::{Act, Duty, Move, Outline};
use crate::synth::prelude::*;

/// How often a request is looked for before a result, where either can call for a fact.
const ASKED: f64 = 0.5;
/// A stride through names and numbers that none of their counts divides.
const HOSTS: usize = 1_009;
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
        let outline = &*self.outline;
        let part = outline.facts[fact].cast.get("component");
        // Work on a part brings up what is about it.
        let place = |occasion: &Occasion| {
            let mut steps = (from..end).filter(|step| outline.gives(*occasion, *step));
            let first = steps.clone().next();
            let own = steps.find(|step| outline.part(*step) == part);
            Some((own.or(first)?, *occasion))
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
        // What is said beside a call would read as its reason.
        let says = |duty: &Duty| matches!(duty, Duty::Birth(fact) if self.facts[*fact].form.birth == Birth::Agent);
        let is_silent = !self.steps[step].duties.iter().any(says);
        let asked = match occasion {
            Occasion::Request => tempts(self, step) && turn.says.len() <= FEW_SAID,
            Occasion::Result => step > turn.steps.start && idle(step - 1),
        };
        asked && idle(step) && is_silent && turn.turn_move != Move::Stop
    }

    /// Whether a step makes a call that nothing is planned for yet.
    pub(super) fn has_call(&self, step: usize) -> bool {
        self.errands(step).len() < self.steps[step].results.len()
    }

    /// The part of the project that a step works on.
    fn part(&self, step: usize) -> &str {
        let goal = &self.goals[self.turns[self.steps[step].turn].goal];
        &self.world.components[goal.component].name
    }

    /// What calls for a fact: the look of a result, and a line that says what the fact is about.
    pub(in crate::synth) fn sign(&self, fact: usize) -> Option<&(Look, String)> {
        let signs = &self.facts[fact].form.signs;
        signs.get(fact % signs.len().max(1))
    }

    /// The slots of a fact as it is used at a step.
    pub(in crate::synth) fn used(&self, fact: usize, step: usize) -> Cast {
        let mut cast = self.facts[fact].cast.clone();
        // Other machines and other counts each time.
        let host = NOUNS[step * HOSTS % NOUNS.len()];
        cast.set("host", format!("{host}-{}", 10 + step * HOSTS % 89));
        cast.set("number", (12 + step * HOSTS % 880).to_string());
        cast
    }
}

#[cfg(test)]
mod tests;
