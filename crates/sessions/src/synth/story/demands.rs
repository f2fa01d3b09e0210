//! Which steps need which facts, and which values are replaced.

use std::collections::BTreeMap;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{Arrival, Duty, FactPlan, Move, StepPlan, Story, TurnPlan};
use crate::ident::Seed;
use crate::synth::bank::Bank;
use crate::synth::draw::pick;
use crate::synth::names::Names;
use crate::synth::plan::{Closing, SynthPlan};
use crate::truth::FactKind;

/// How many steps beyond the wanted place a free one is looked for.
const SEARCH: usize = 120;
/// How often a distance is drawn anew that reaches beyond the session. Few times:
/// what is born late would else be needed soon, and near demands outnumber those
/// that the plan draws.
const TRIES: usize = 3;
/// Most duties of one step.
const MOST_DUTIES: usize = 12;
/// A replacement is said within so many turns of the wanted one.
const TURNS: usize = 6;
/// Most facts in a message that replaces one.
const MOST_SAID: usize = 6;

/// Plans the demands of every fact, and the replacements.
pub(super) fn place(
    story: &mut Story,
    plan: &SynthPlan,
    bank: &'static Bank,
    names: &mut Names,
    seed: Seed,
) {
    let mut rng = seed.derive(&["demands"]).rng();
    revoke(story);
    let mut fact = 0;
    // Replacements are appended and get demands of their own.
    while fact < story.facts.len() {
        let changes = story.facts[fact].form.changes.is_some();
        let until = if changes && plan.work.restated.happens(&mut rng) {
            replace(story, fact, plan, bank, names, &mut rng)
        } else {
            story.facts[fact].replaced_by.and_then(|later| said_at(story, later))
        };
        let until = until.unwrap_or(story.steps.len());
        for _ in 0..plan.work.demands.sample(&mut rng) {
            demand(story, fact, until, plan, &mut rng);
        }
        fact += 1;
    }
}

/// A direction holds until the user gives the same part of the project another.
fn revoke(story: &mut Story) {
    let mut latest: BTreeMap<usize, usize> = BTreeMap::new();
    for turn in 0..story.turns.len() {
        let said = story.turns[turn].says.iter().copied();
        let directions: Vec<usize> =
            said.filter(|fact| story.facts[*fact].form.kind == FactKind::Direction).collect();
        for fact in directions {
            let component = story.goals[story.facts[fact].goal].component;
            if let Some(earlier) = latest.insert(component, fact)
                && said_at(story, earlier) < said_at(story, fact)
            {
                story.facts[earlier].replaced_by = Some(fact);
            }
        }
    }
}

/// The step before which the user says a fact.
fn said_at(story: &Story, fact: usize) -> Option<usize> {
    let turn = story.turns.iter().find(|turn| turn.says.contains(&fact));
    turn.map(|turn| turn.steps.start)
}

fn demand(story: &mut Story, fact: usize, until: usize, plan: &SynthPlan, rng: &mut ChaCha8Rng) {
    let Some(from) = later_step(story, fact, until, plan, rng) else { return };
    let unpaired = plan.work.closing == Closing::UnpairedCall;
    let calls = |_: usize, step: &StepPlan| unpaired || !step.results.is_empty();
    let end = until.min(from + SEARCH);
    let tempted = story.facts[fact].form.needs_tempting().then(|| {
        let occasion =
            |number: usize, step: &StepPlan| calls(number, step) && tempts(story, number);
        story.free_step(from..end, MOST_DUTIES, occasion)
    });
    // Where the user has no occasion left, the agent comes upon the need itself.
    let any = || story.free_step(from..end, MOST_DUTIES, calls);
    let Some(step) = tempted.flatten().or_else(any) else { return };
    story.steps[step].duties.push(Duty::Demand(fact));
    story.facts[fact].last = step;
    let turn = &mut story.turns[story.steps[step].turn];
    let opens = turn.steps.start == step;
    let asked = story.facts[fact].form.needs_tempting() || rng.random_bool(0.5);
    if opens && asked && may_tempt(turn) {
        turn.tempt = Some(fact);
    }
}

/// Whether the user may bring a need about right before this step.
fn tempts(story: &Story, step: usize) -> bool {
    let turn = &story.turns[story.steps[step].turn];
    turn.steps.start == step && may_tempt(turn)
}

/// A goal's opening, a change of direction and a refusal have their own business.
fn may_tempt(turn: &TurnPlan) -> bool {
    let busy = [Move::Open, Move::Redirect, Move::Reject, Move::Stop];
    turn.tempt.is_none() && !busy.contains(&turn.turn_move)
}

/// A step a drawn distance after the last mention, before `until`.
fn later_step(
    story: &Story,
    fact: usize,
    until: usize,
    plan: &SynthPlan,
    rng: &mut ChaCha8Rng,
) -> Option<usize> {
    let last = story.facts[fact].last;
    let position = story.steps[last].at;
    (0..TRIES).find_map(|_| {
        let distance = u64::from(plan.work.distance.sample(rng));
        // Two steps at least: what was appended since the call before must not hold it.
        let step = story.step_at(position + distance).max(last + 2);
        (step < until).then_some(step)
    })
}

/// Has the user replace a fact: the subject stays, its changing part is drawn anew.
/// Gives the step from which on the old one is void.
fn replace(
    story: &mut Story,
    old: usize,
    plan: &SynthPlan,
    bank: &'static Bank,
    names: &mut Names,
    rng: &mut ChaCha8Rng,
) -> Option<usize> {
    let step = later_step(story, old, story.steps.len(), plan, rng)?;
    let turn = turn_after(story, story.steps[step].turn)?;
    let before = &story.facts[old];
    let mut forms = bank.forms(before.form.kind);
    forms.retain(|form| form.succeeds(before.form));
    let form = if forms.is_empty() { return None } else { pick(rng, &forms) };
    let mut cast = before.cast.clone();
    names.renew(&mut cast, form.changes?, story.world.language, rng);
    let arrival =
        if plan.work.paraphrased.happens(rng) { Arrival::Paraphrased } else { Arrival::Announced };
    let number = story.facts.len();
    let first = story.turns[turn].steps.start;
    let goal = story.turns[turn].goal;
    story.turns[turn].says.push(number);
    story.facts[old].replaced_by = Some(number);
    story.facts.push(FactPlan { form, cast, goal, replaced_by: None, arrival, last: first });
    Some(first)
}

/// The turn soon after this one in which the user has least to say.
fn turn_after(story: &Story, turn: usize) -> Option<usize> {
    let end = story.turns.len().min(turn + 1 + TURNS);
    let open = (turn + 1..end).filter(|&turn| {
        let turn = &story.turns[turn];
        let busy = matches!(turn.turn_move, Move::Redirect | Move::Reject | Move::Stop);
        !busy && turn.says.len() < MOST_SAID
    });
    open.min_by_key(|&turn| story.turns[turn].says.len())
}
