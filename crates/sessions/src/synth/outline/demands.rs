//! Which steps need which facts, and which values are replaced.

use std::collections::BTreeMap;

use rand::RngExt;

use super::births::Planner;
use super::{Arrival, Duty, FactPlan, Move, Outline, StepPlan, TurnPlan};
use crate::synth::draw::pick;
use crate::synth::plan::Closing;
use crate::truth::FactKind;

/// How many steps beyond the wanted place a free one is looked for.
const SEARCH: usize = 120;
/// Draws of a distance that reaches beyond the session; more would favour near demands.
const TRIES: usize = 3;
/// Most duties of one step.
const MOST_DUTIES: usize = 12;
/// A replacement is said within so many turns of the wanted one.
const TURNS: usize = 6;
/// Most facts in a message that replaces one.
const MOST_SAID: usize = 6;

impl Planner<'_> {
    pub(super) fn place_demands(&mut self) {
        revoke(self.outline);
        let mut fact = 0;
        // Replacements are appended and get demands of their own.
        while fact < self.outline.facts.len() {
            let changes = self.outline.facts[fact].form.changes.is_some();
            let until = if changes && self.plan.work.restated.happens(&mut self.rng) {
                self.replace(fact)
            } else {
                let later = self.outline.facts[fact].replaced_by;
                later.and_then(|later| said_at(self.outline, later))
            };
            let until = until.unwrap_or(self.outline.steps.len());
            for _ in 0..self.plan.work.demands.sample(&mut self.rng) {
                self.demand(fact, until);
            }
            fact += 1;
        }
    }

    fn demand(&mut self, fact: usize, until: usize) {
        let Some(from) = self.later_step(fact, until) else { return };
        let outline = &mut *self.outline;
        let unpaired = self.plan.work.closing == Closing::UnpairedCall;
        let calls = |_: usize, step: &StepPlan| unpaired || !step.results.is_empty();
        let end = until.min(from + SEARCH);
        let tempted = outline.facts[fact].form.needs_tempting().then(|| {
            let occasion =
                |number: usize, step: &StepPlan| calls(number, step) && tempts(outline, number);
            outline.free_step(from..end, MOST_DUTIES, occasion)
        });
        // Where the user has no occasion left, the agent finds the need itself.
        let any = || outline.free_step(from..end, MOST_DUTIES, calls);
        let Some(step) = tempted.flatten().or_else(any) else { return };
        outline.steps[step].duties.push(Duty::Demand(fact));
        outline.facts[fact].last = step;
        let turn = &mut outline.turns[outline.steps[step].turn];
        let opens = turn.steps.start == step;
        let asked = outline.facts[fact].form.needs_tempting() || self.rng.random_bool(0.5);
        if opens && asked && may_tempt(turn) {
            turn.tempt = Some(fact);
        }
    }

    /// A step a drawn distance after the last mention, before `until`.
    fn later_step(&mut self, fact: usize, until: usize) -> Option<usize> {
        let last = self.outline.facts[fact].last;
        let position = self.outline.steps[last].at;
        (0..TRIES).find_map(|_| {
            let distance = u64::from(self.plan.work.distance.sample(&mut self.rng));
            // Two steps at least: what was appended since the call before must not hold it.
            let step = self.outline.step_at(position + distance).max(last + 2);
            (step < until).then_some(step)
        })
    }

    /// Lets the user replace a fact, its changing part drawn again; gives the step from which it is old.
    fn replace(&mut self, old: usize) -> Option<usize> {
        let step = self.later_step(old, self.outline.steps.len())?;
        let turn = turn_after(self.outline, self.outline.steps[step].turn)?;
        let before = &self.outline.facts[old];
        let mut forms = self.bank.forms(before.form.kind);
        forms.retain(|form| form.succeeds(before.form));
        let form = if forms.is_empty() { return None } else { pick(&mut self.rng, &forms) };
        let mut cast = before.cast.clone();
        let conventions = self.outline.world.conventions;
        self.names.renew(&mut cast, form.changes.as_deref()?, conventions, &mut self.rng);
        let paraphrased = self.plan.work.paraphrased.happens(&mut self.rng);
        let arrival = if paraphrased { Arrival::Paraphrased } else { Arrival::Announced };
        let number = self.outline.facts.len();
        let turn = &mut self.outline.turns[turn];
        turn.says.push(number);
        let (goal, last) = (turn.goal, turn.steps.start);
        self.outline.facts[old].replaced_by = Some(number);
        self.outline.facts.push(FactPlan { form, cast, goal, replaced_by: None, arrival, last });
        Some(last)
    }
}

/// A direction holds until the user gives the same part of the project another.
fn revoke(outline: &mut Outline) {
    let mut latest: BTreeMap<usize, usize> = BTreeMap::new();
    for turn in 0..outline.turns.len() {
        let said = outline.turns[turn].says.iter().copied();
        let directions: Vec<usize> =
            said.filter(|fact| outline.facts[*fact].form.kind == FactKind::Direction).collect();
        for fact in directions {
            let component = outline.goals[outline.facts[fact].goal].component;
            if let Some(earlier) = latest.insert(component, fact)
                && said_at(outline, earlier) < said_at(outline, fact)
            {
                outline.facts[earlier].replaced_by = Some(fact);
            }
        }
    }
}

/// The step before which the user says a fact.
fn said_at(outline: &Outline, fact: usize) -> Option<usize> {
    let turn = outline.turns.iter().find(|turn| turn.says.contains(&fact));
    turn.map(|turn| turn.steps.start)
}

/// Whether the user may create a need right before this step.
fn tempts(outline: &Outline, step: usize) -> bool {
    let turn = &outline.turns[outline.steps[step].turn];
    turn.steps.start == step && may_tempt(turn)
}

/// Not at an opening, a change of direction, a refusal or a stop: they have their own purpose.
fn may_tempt(turn: &TurnPlan) -> bool {
    let busy = [Move::Open, Move::Redirect, Move::Reject, Move::Stop];
    turn.tempt.is_none() && !busy.contains(&turn.turn_move)
}

/// The turn soon after this one in which the user has least to say.
fn turn_after(outline: &Outline, turn: usize) -> Option<usize> {
    let end = outline.turns.len().min(turn + 1 + TURNS);
    let open = (turn + 1..end).filter(|&turn| {
        let turn = &outline.turns[turn];
        let busy = matches!(turn.turn_move, Move::Redirect | Move::Reject | Move::Stop);
        !busy && turn.says.len() < MOST_SAID
    });
    open.min_by_key(|&turn| outline.turns[turn].says.len())
}
