//! Which facts there are, and who states them where.

use std::ops::Range;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{Arrival, Duty, Errand, FactPlan, Move, StepPlan, Story};
use crate::ident::Seed;
use crate::synth::bank::{Bank, Birth, FactForm, Shape};
use crate::synth::draw::{pick, pick_ref};
use crate::synth::fill::Cast;
use crate::synth::names::Names;
use crate::synth::plan::{SynthPlan, Work};
use crate::truth::FactKind;

/// Facts that the user states in one message before another has as many.
const FEW_SAID: usize = 2;
/// Most facts that the user states in one message.
const MOST_SAID: usize = 12;
/// Most duties of one step while facts are born.
const MOST_BORN: usize = 10;
/// Most duties of a step that mentions a fact again.
const MOST_ECHOED: usize = 3;
/// Tokens of a result for each fact planted in it beyond the first.
const PER_PLANT: u32 = 100;
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
        for (kind, rejected) in kinds_of(story, goal, plan, &mut rng) {
            let form = pick(&mut rng, &forms(bank, kind, rejected));
            let Some(last) = settle(story, goal, form, plan, &mut rng) else { continue };
            let fact = draw(story, goal, form, names, last, &mut rng);
            story.facts.push(fact);
            if form.is_artifact() && plan.work.near_duplicates.happens(&mut rng) {
                double(story, plan, bank, names, &mut rng);
            }
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

/// A dead end for each rejection, a direction for each redirect, an outcome, and as
/// many others as are drawn; with each, whether a rejection brings it about.
fn kinds_of(
    story: &Story,
    goal: usize,
    plan: &SynthPlan,
    rng: &mut ChaCha8Rng,
) -> Vec<(FactKind, bool)> {
    let weight = |kind: FactKind| plan.work.kinds.get(&kind).copied().unwrap_or(0);
    let turns = &story.turns[story.goals[goal].turns.clone()];
    let count = |of: Move| turns.iter().filter(|turn| turn.turn_move == of).count();
    let mut kinds = Vec::new();
    if weight(FactKind::DeadEnd) > 0 {
        kinds.extend(vec![(FactKind::DeadEnd, true); count(Move::Reject)]);
    }
    if weight(FactKind::Direction) > 0 {
        // Where dead ends are not drawn, a rejection says where to go instead.
        let rejected = if weight(FactKind::DeadEnd) == 0 { count(Move::Reject) } else { 0 };
        kinds.extend(vec![(FactKind::Direction, false); count(Move::Redirect) + rejected]);
    }
    if weight(FactKind::Outcome) > 0 {
        kinds.push((FactKind::Outcome, false));
    }
    let drawn: Vec<(FactKind, bool)> = FactKind::ALL
        .into_iter()
        .filter(|kind| !matches!(kind, FactKind::Direction | FactKind::Outcome))
        .flat_map(|kind| vec![(kind, false); weight(kind) as usize])
        .collect();
    if !drawn.is_empty() {
        let count = plan.work.facts.sample(rng);
        kinds.extend((0..count).map(|_| pick(rng, &drawn)));
    }
    kinds
}

/// The forms to choose from: the user states a dead end only when turning
/// something down.
fn forms(bank: &'static Bank, kind: FactKind, rejected: bool) -> Vec<&'static FactForm> {
    let mut forms = bank.forms(kind);
    if kind == FactKind::DeadEnd {
        forms.retain(|form| (form.birth == Birth::User) == rejected);
    }
    forms
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
    let cast = names.cast(&story.world, component, rng);
    planned(form, cast, goal, last)
}

fn planned(form: &'static FactForm, mut cast: Cast, goal: usize, last: usize) -> FactPlan {
    cast.set("topic", cast.fill(form.topic));
    FactPlan { form, cast, goal, replaced_by: None, arrival: Arrival::First, last }
}

/// Gives the newest fact a double in its goal, where there is room.
fn double(
    story: &mut Story,
    plan: &SynthPlan,
    bank: &'static Bank,
    names: &mut Names,
    rng: &mut ChaCha8Rng,
) {
    let Some(original) = story.facts.last() else { return };
    let (kind, goal) = (original.form.kind, original.goal);
    let component = pick_ref(rng, &story.world.components);
    let mut cast = names.cast(&story.world, component, rng);
    if !names.twin(kind, &original.cast, &mut cast, story.world.language, rng) {
        return;
    }
    let form = pick(rng, &bank.forms(kind));
    if let Some(last) = settle(story, goal, form, plan, rng) {
        story.facts.push(planned(form, cast, goal, last));
    }
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
    let step = match form.birth {
        Birth::User => return say(story, number, form.kind, &turns, plan, rng),
        Birth::Agent => state(story, steps, rng, |_| true),
        Birth::Result(shape) => {
            let has_call = |number: usize| has_call(story, number, shape);
            let has_room = |number: usize| has_call(number) && has_room(story, number, shape);
            state(story, steps.clone(), &mut *rng, has_room)
                .or_else(|| state(story, steps, rng, has_call))
        }
        Birth::Closing => {
            let closes = |_: usize, step: &StepPlan| step.results.is_empty();
            story.free_step(steps.rev(), MOST_BORN, closes)
        }
    }?;
    story.steps[step].duties.push(Duty::Birth(number));
    Some(step)
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
    let most = if kind == FactKind::Direction { 1 } else { MOST_SAID };
    let open: Vec<usize> = range
        .filter(|&turn| {
            let turn = &story.turns[turn];
            suits(kind, turn.turn_move) && turn.says.len() < most
        })
        .collect();
    let said = |turn: usize| story.turns[turn].says.len();
    let free: Vec<usize> = open.iter().copied().filter(|&turn| said(turn) < FEW_SAID).collect();
    let turn = match kind {
        // Two redirects of one goal give one direction each.
        FactKind::Direction | FactKind::DeadEnd => {
            open.into_iter().min_by_key(|&turn| said(turn))?
        }
        _ if free.is_empty() => open.into_iter().min_by_key(|&turn| said(turn))?,
        _ => pick(rng, &free),
    };
    story.turns[turn].says.push(number);
    Some(story.turns[turn].steps.start)
}

/// Whether the user states facts of this kind in a turn of this sort.
fn suits(kind: FactKind, turn_move: Move) -> bool {
    match turn_move {
        Move::Stop => false,
        Move::Redirect => kind == FactKind::Direction,
        Move::Reject => matches!(kind, FactKind::Direction | FactKind::DeadEnd),
        Move::Open | Move::Clarify | Move::Extend | Move::Correct | Move::FollowUp => {
            !matches!(kind, FactKind::Direction | FactKind::DeadEnd)
        }
    }
}

/// A step of the range, drawn, that has few duties and is accepted.
fn state(
    story: &Story,
    steps: Range<usize>,
    rng: &mut ChaCha8Rng,
    accept: impl Fn(usize) -> bool,
) -> Option<usize> {
    if steps.is_empty() {
        return None;
    }
    // A turn's first step stays free for a need that the user brings about, unless
    // the turn has no other.
    let spare = |number: usize, step: &StepPlan| {
        let turn = &story.turns[step.turn].steps;
        (number != turn.start || turn.len() == 1) && accept(number)
    };
    let from = rng.random_range(steps.start as u64..steps.end as u64) as usize;
    story.free_step((from..steps.end).chain(steps.start..from), MOST_BORN, spare)
}

/// Whether a call of the step is answered in this shape, or can be.
fn has_call(story: &Story, step: usize, shape: Shape) -> bool {
    let errands = story.errands(step);
    errands.len() < story.steps[step].results.len() || planted(&errands, shape).is_some()
}

/// Whether another fact fits into a result of this shape at the step.
fn has_room(story: &Story, step: usize, shape: Shape) -> bool {
    let errands = story.errands(step);
    let (place, facts) = planted(&errands, shape).unwrap_or((errands.len(), 0));
    let size = story.steps[step].results.get(place).copied().unwrap_or(0);
    facts <= (size / PER_PLANT) as usize
}

/// Which errand plants in this shape, and how many facts.
fn planted(errands: &[Errand], shape: Shape) -> Option<(usize, usize)> {
    errands.iter().enumerate().find_map(|(place, errand)| match errand {
        Errand::Plant(of, facts) if *of == shape => Some((place, facts.len())),
        Errand::Plant(..) | Errand::Name(_) => None,
    })
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
        let calls = |_: usize, step: &StepPlan| !step.results.is_empty();
        let Some(step) = story.free_step(from..until, MOST_ECHOED, calls) else { return };
        story.steps[step].duties.push(Duty::Echo(fact));
        story.facts[fact].last = step;
    }
}
