//! Which facts there are, and who states them where.

use std::ops::Range;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{Duty, FactPlan, Move, StepPlan, Story};
use crate::ident::Seed;
use crate::synth::bank::{Bank, Birth, FactForm};
use crate::synth::draw::{pick, pick_ref};
use crate::synth::names::Names;
use crate::synth::plan::{SynthPlan, Work};
use crate::truth::FactKind;

/// Most facts that the user states in one message.
const MOST_SAID: usize = 2;
/// An echo comes within so many steps of the mention before it.
const ECHO_REACH: usize = 14;

/// Gives birth to the facts of every goal.
pub(super) fn place(
    story: &mut Story,
    plan: &SynthPlan,
    bank: &'static Bank,
    names: &mut Names,
    seed: Seed,
) {
    let mut rng = seed.derive(&["facts"]).rng();
    for goal in 0..story.goals.len() {
        for kind in kinds_of(story, goal, plan, &mut rng) {
            let form = pick(&mut rng, &bank.forms(kind));
            let Some(last) = settle(story, goal, form, plan, &mut rng) else { continue };
            let fact = draw(story, goal, form, names, last, &mut rng);
            story.facts.push(fact);
        }
    }
    let mut rng = seed.derive(&["echoes"]).rng();
    for fact in 0..story.facts.len() {
        echo(story, fact, &plan.work, &mut rng);
    }
}

/// Facts that never occur.
pub(super) fn decoys(
    story: &Story,
    plan: &SynthPlan,
    bank: &'static Bank,
    names: &mut Names,
    rng: &mut ChaCha8Rng,
) -> Vec<FactPlan> {
    let mut decoys = Vec::new();
    for number in 0..plan.work.decoys as usize {
        let goal = number % story.goals.len();
        let form = pick(rng, &bank.forms(FactKind::ALL[number % FactKind::ALL.len()]));
        decoys.push(draw(story, goal, form, names, 0, rng));
    }
    decoys
}

/// A direction for each redirect, an outcome, and as many others as are drawn.
fn kinds_of(story: &Story, goal: usize, plan: &SynthPlan, rng: &mut ChaCha8Rng) -> Vec<FactKind> {
    let weight = |kind: FactKind| plan.work.kinds.get(&kind).copied().unwrap_or(0);
    let turns = &story.turns[story.goals[goal].turns.clone()];
    let mut kinds = Vec::new();
    if weight(FactKind::Direction) > 0 {
        let redirects = turns.iter().filter(|turn| turn.turn_move == Move::Redirect).count();
        kinds.extend(vec![FactKind::Direction; redirects]);
    }
    if weight(FactKind::Outcome) > 0 {
        kinds.push(FactKind::Outcome);
    }
    let drawn: Vec<FactKind> = FactKind::ALL
        .into_iter()
        .filter(|kind| !matches!(kind, FactKind::Direction | FactKind::Outcome))
        .flat_map(|kind| vec![kind; weight(kind) as usize])
        .collect();
    if !drawn.is_empty() {
        let count = plan.work.facts.sample(rng);
        kinds.extend((0..count).map(|_| pick(rng, &drawn)));
    }
    kinds
}

fn draw(
    story: &Story,
    goal: usize,
    form: &'static FactForm,
    names: &mut Names,
    last: usize,
    rng: &mut ChaCha8Rng,
) -> FactPlan {
    let home = story.goals[goal].component;
    let elsewhere = form.kind != FactKind::Direction && rng.random_bool(0.25);
    let component = if elsewhere {
        pick_ref(rng, &story.world.components)
    } else {
        &story.world.components[home]
    };
    let mut cast = names.cast(&story.world, component, rng);
    cast.set("topic", cast.fill(form.topic));
    FactPlan { form, cast, goal, replaced_by: None, replaces: false, last }
}

/// Finds a place for the birth of the next fact. Gives the step from which on it
/// may be needed, or nothing where the goal has no room left.
fn settle(
    story: &mut Story,
    goal: usize,
    form: &FactForm,
    plan: &SynthPlan,
    rng: &mut ChaCha8Rng,
) -> Option<usize> {
    let number = story.facts.len();
    let turns = story.goals[goal].turns.clone();
    let steps = story.steps_of(&turns);
    match form.birth {
        Birth::User => say(story, number, form.kind, &turns, plan, rng),
        Birth::Agent => state(story, number, steps, rng, false),
        Birth::Result(_) => state(story, number, steps, rng, true),
        Birth::Closing => {
            let step = steps.rev().find(|&step| {
                let step = &story.steps[step];
                step.results.is_empty() && step.duty == Duty::Free
            })?;
            story.steps[step].duty = Duty::Birth(number);
            Some(step)
        }
    }
}

fn say(
    story: &mut Story,
    number: usize,
    kind: FactKind,
    turns: &Range<usize>,
    plan: &SynthPlan,
    rng: &mut ChaCha8Rng,
) -> Option<usize> {
    let early = ((f64::from(plan.turns) * plan.work.rules_by.get()).ceil() as usize).max(1);
    let is_rule =
        matches!(kind, FactKind::Constraint | FactKind::Preference | FactKind::SafetyRule);
    let range =
        if is_rule && turns.end > early { 0..early.min(story.turns.len()) } else { turns.clone() };
    let open: Vec<usize> = range
        .filter(|&turn| {
            let turn = &story.turns[turn];
            let fits = (kind == FactKind::Direction) == (turn.turn_move == Move::Redirect);
            fits && turn.says.len() < MOST_SAID
        })
        .collect();
    // Two redirects of one goal give one direction each.
    let turn = match kind {
        FactKind::Direction => *open.iter().find(|&&turn| story.turns[turn].says.is_empty())?,
        _ if open.is_empty() => return None,
        _ => pick(rng, &open),
    };
    story.turns[turn].says.push(number);
    Some(story.turns[turn].steps.start)
}

fn state(
    story: &mut Story,
    number: usize,
    steps: Range<usize>,
    rng: &mut ChaCha8Rng,
    needs_result: bool,
) -> Option<usize> {
    if steps.is_empty() {
        return None;
    }
    let turns = &story.turns;
    // A turn's first step stays free for a need that the user brings about, unless
    // the turn has no other.
    let accept = |number: usize, step: &StepPlan| {
        let turn = &turns[step.turn].steps;
        let spare = number != turn.start || turn.len() == 1;
        spare && !(needs_result && step.results.is_empty())
    };
    let from = rng.random_range(steps.start as u64..steps.end as u64) as usize;
    let step = story
        .free_step(from..steps.end, accept)
        .or_else(|| story.free_step(steps.start..from, accept))?;
    story.steps[step].duty = Duty::Birth(number);
    Some(step)
}

/// Mentions a fact again while its goal is worked on.
fn echo(story: &mut Story, fact: usize, work: &Work, rng: &mut ChaCha8Rng) {
    if story.facts[fact].form.needs_tempting() {
        return;
    }
    let turns = story.goals[story.facts[fact].goal].turns.clone();
    let end = story.steps_of(&turns).end;
    for _ in 0..work.echoes.sample(rng) {
        let from = story.facts[fact].last + 2 + rng.random_range(0..5);
        let until = end.min(from + ECHO_REACH);
        if from >= until {
            return;
        }
        let Some(step) = story.free_step(from..until, |_, step| !step.results.is_empty()) else {
            return;
        };
        story.steps[step].duty = Duty::Echo(fact);
        story.facts[fact].last = step;
    }
}
