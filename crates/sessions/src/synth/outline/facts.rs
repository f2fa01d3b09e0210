//! Which facts there are, and who states them where.

use super::{Arrival, Duty, Errand, FactPlan, Move, Outline, StepPlan, TurnPlan};
use crate::synth::names::slots_of;
use crate::synth::prelude::*;

/// Facts that the user states in one message before another has as many.
const FEW_SAID: usize = 2;
const MOST_SAID: usize = 12;
/// Most duties of one step while facts are born.
const MOST_BORN: usize = 10;
/// Most duties of a step that mentions a fact again.
const MOST_ECHOED: usize = 3;
/// Tokens of a result for each fact planted in it beyond the first.
const PER_PLANT: u32 = 100;
/// The same where facts have shadows.
const PER_SHADOWED: u32 = 30;
/// Share of planted lines that then go where others of their sort stand already: so most results
/// have none.
const TOGETHER: f64 = 0.8;
/// An echo comes within so many steps of the mention before it.
const ECHO_REACH: usize = 14;

/// Places facts in an outline, with one stream of draws.
pub(super) struct Planner<'a> {
    pub outline: &'a mut Outline,
    pub plan: &'a SynthPlan,
    pub bank: &'static Bank,
    pub names: &'a mut Names,
    pub rng: ChaCha8Rng,
    /// The turns in which the user says a lot, where facts have shadows.
    pub briefs: Vec<usize>,
}

impl Planner<'_> {
    /// Decides which facts each goal has and where each is first stated.
    pub(super) fn place_births(&mut self) {
        for goal in 0..self.outline.goals.len() {
            for (kind, rejected) in self.kinds_of(goal) {
                let mut forms = self.bank.forms(kind);
                // The user states a dead end only when turning something down.
                if kind == FactKind::DeadEnd && !self.plan.work.world {
                    forms.retain(|form| (form.birth == Birth::User) == rejected);
                }
                let form = pick(&mut self.rng, &forms);
                let shadows = self.plan.work.shadows;
                // Any of them may be the fact: nothing but this draw tells it from the others.
                let real = if shadows > 0 { self.rng.random_range(0..=shadows) } else { 0 };
                for number in 0..=shadows {
                    // Where needs are uses, what is told in the same way is spread over the session.
                    let goal = if self.plan.work.world { self.any_goal() } else { goal };
                    self.bear(goal, form, number != real);
                }
            }
        }
    }

    fn any_goal(&mut self) -> usize {
        self.rng.random_range(0..self.outline.goals.len() as u32) as usize
    }

    fn bear(&mut self, goal: usize, form: &'static FactForm, shadow: bool) {
        let Some(last) = self.settle(goal, form) else { return };
        let shadow = shadow || self.is_directed(goal, form, last);
        let fact = self.draw(goal, form, last, shadow);
        self.outline.facts.push(fact);
        let doubles = !slots_of(form.kind).is_empty();
        if doubles && self.plan.work.near_duplicates.happens(&mut self.rng) {
            self.double();
        }
    }

    pub(super) fn place_echoes(&mut self) {
        for fact in 0..self.outline.facts.len() {
            echo(self.outline, fact, &self.plan.work, &mut self.rng);
        }
    }

    pub(super) fn decoys(&mut self) -> Vec<FactPlan> {
        let goals = self.outline.goals.len();
        let numbers = 0..self.plan.work.decoys as usize;
        let decoy = |number: usize| {
            let kind = FactKind::ALL[number % FactKind::ALL.len()];
            let form = pick(&mut self.rng, &self.bank.forms(kind));
            self.draw(number % goals, form, 0, false)
        };
        numbers.map(decoy).collect()
    }

    /// The kinds of a goal's facts, with whether each comes from a rejection: a dead end for each
    /// of those, a direction for each redirect, an outcome, and as many others as are drawn. Where
    /// needs are uses all are drawn.
    fn kinds_of(&mut self, goal: usize) -> Vec<(FactKind, bool)> {
        let work = &self.plan.work;
        let weight = |kind: FactKind| work.kinds.get(&kind).copied().unwrap_or(0);
        let turns = &self.outline.turns[self.outline.goals[goal].turns.clone()];
        let count = |of: Move| turns.iter().filter(|turn| turn.turn_move == of).count();
        let mut kinds = Vec::new();
        let played = work.world;
        if weight(FactKind::DeadEnd) > 0 && !played {
            kinds.extend(vec![(FactKind::DeadEnd, true); count(Move::Reject)]);
        }
        if weight(FactKind::Direction) > 0 && !played {
            // Where dead ends are not drawn, a rejection says where to go instead.
            let rejected = if weight(FactKind::DeadEnd) == 0 { count(Move::Reject) } else { 0 };
            kinds.extend(vec![(FactKind::Direction, false); count(Move::Redirect) + rejected]);
        }
        if weight(FactKind::Outcome) > 0 && !played {
            kinds.push((FactKind::Outcome, false));
        }
        let mut drawn = FactKind::ALL.to_vec();
        drawn.retain(|kind| played || !matches!(kind, FactKind::Direction | FactKind::Outcome));
        let drawn = drawn.into_iter().flat_map(|kind| vec![(kind, false); weight(kind) as usize]);
        let drawn: Vec<(FactKind, bool)> = drawn.collect();
        if !drawn.is_empty() {
            let count = work.facts.sample(&mut self.rng);
            kinds.extend((0..count).map(|_| pick(&mut self.rng, &drawn)));
        }
        kinds
    }

    fn draw(
        &mut self,
        goal: usize,
        form: &'static FactForm,
        last: usize,
        shadow: bool,
    ) -> FactPlan {
        let world = &self.outline.world;
        let home = self.outline.goals[goal].component;
        let elsewhere = form.kind != FactKind::Direction && self.rng.random_bool(0.25);
        // A file or a run of one part says nothing about another.
        let elsewhere =
            elsewhere && !(self.plan.work.world && matches!(form.birth, Birth::Result(_)));
        let component = if shadow && form.kind == FactKind::Direction {
            // Two directions of one part would revoke each other.
            &world.stranger(&mut self.rng)
        } else if elsewhere {
            pick_ref(&mut self.rng, &world.components)
        } else {
            &world.components[home]
        };
        let cast = self.names.cast(world, component, &mut self.rng);
        let goal = self.told_in(form, goal, last);
        FactPlan { shadow, ..planned(form, cast, goal, last) }
    }

    /// Whether this would be the second direction for a goal's part in one brief: neither would
    /// then revoke the other.
    fn is_directed(&self, goal: usize, form: &FactForm, last: usize) -> bool {
        let part = &self.outline.world.components[self.outline.goals[goal].component].name;
        let directs = |plan: &FactPlan| {
            plan.form.kind == FactKind::Direction
                && plan.last == last
                && plan.cast.get("component") == part
        };
        let asked = self.outline.shadowed && form.kind == FactKind::Direction;
        asked && self.outline.facts.iter().any(directs)
    }

    /// The goal that a fact belongs to: with shadows, that of the message in which it is said.
    fn told_in(&self, form: &FactForm, goal: usize, last: usize) -> usize {
        let by_user = self.outline.shadowed && form.birth == Birth::User;
        let said = by_user.then(|| self.outline.steps.get(last)).flatten();
        said.map_or(goal, |step| self.outline.turns[step.turn].goal)
    }

    /// Adds a near duplicate of the newest fact to its goal, where there is room.
    fn double(&mut self) {
        let Some(original) = self.outline.facts.last() else { return };
        let (kind, goal, shadow) = (original.form.kind, original.goal, original.shadow);
        let (world, rng) = (&self.outline.world, &mut self.rng);
        let component = pick_ref(rng, &world.components);
        let mut cast = self.names.cast(world, component, rng);
        if !self.names.twin(kind, &original.cast, &mut cast, world.conventions, rng) {
            return;
        }
        let form = pick(rng, &self.bank.forms(kind));
        if let Some(last) = self.settle(goal, form) {
            let goal = self.told_in(form, goal, last);
            self.outline.facts.push(FactPlan { shadow, ..planned(form, cast, goal, last) });
        }
    }

    /// Finds a place for the birth of the next fact; gives the step from which it may be needed.
    fn settle(&mut self, goal: usize, form: &FactForm) -> Option<usize> {
        let number = self.outline.facts.len();
        let turns = self.outline.goals[goal].turns.clone();
        if form.birth == Birth::User {
            return self.say(number, form.kind, &turns);
        }
        let (outline, rng) = (&*self.outline, &mut self.rng);
        let steps = outline.steps_of(&turns);
        let step = match form.birth {
            Birth::User | Birth::Agent => {
                state(outline, steps, rng, |number| outline.steps[number].recounts)
            }
            Birth::Result(look) => {
                let has_room = |number: usize| room(outline, number, look) == Some(true);
                let has_call = |number: usize| room(outline, number, look).is_some();
                let joins = |number: usize| outline.is_joined(number, look) && has_room(number);
                let together = outline.shadowed && rng.random_bool(TOGETHER);
                let joined = together.then(|| state(outline, steps.clone(), &mut *rng, joins));
                joined
                    .flatten()
                    .or_else(|| state(outline, steps.clone(), &mut *rng, has_room))
                    .or_else(|| state(outline, steps, rng, has_call))
            }
            Birth::Closing => {
                let closes = |_: usize, step: &StepPlan| step.results.is_empty();
                outline.free_step(steps.rev(), outline.most(MOST_BORN), closes)
            }
        }?;
        self.outline.steps[step].duties.push(Duty::Birth(number));
        Some(step)
    }

    fn say(&mut self, number: usize, kind: FactKind, turns: &Range<usize>) -> Option<usize> {
        if self.outline.is_crowded() {
            return self.brief(number, kind, turns);
        }
        let plan = self.plan;
        let range = super::said_within(plan, kind, turns);
        let most = if kind == FactKind::Direction { 1 } else { MOST_SAID };
        let said = |turn: usize| self.outline.turns[turn].says.len();
        let open: Vec<usize> =
            range.filter(|&turn| self.suits(kind, turn) && said(turn) < most).collect();
        let free: Vec<usize> = open.iter().copied().filter(|&turn| said(turn) < FEW_SAID).collect();
        let turn = match kind {
            // Two redirects of one goal give one direction each.
            FactKind::Direction | FactKind::DeadEnd => {
                open.into_iter().min_by_key(|&turn| said(turn))?
            }
            _ if free.is_empty() => open.into_iter().min_by_key(|&turn| said(turn))?,
            _ => pick(&mut self.rng, &free),
        };
        let turn = &mut self.outline.turns[turn];
        turn.says.push(number);
        Some(turn.steps.start)
    }

    /// Whether the user states facts of this kind in a turn.
    fn suits(&self, kind: FactKind, turn: usize) -> bool {
        let turning = matches!(kind, FactKind::Direction | FactKind::DeadEnd);
        match self.outline.turns[turn].turn_move {
            Move::Stop => false,
            _ if self.plan.work.world => true,
            Move::Redirect => kind == FactKind::Direction,
            Move::Reject => turning,
            Move::Open | Move::Clarify | Move::Extend | Move::Correct | Move::FollowUp => !turning,
        }
    }

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
            for nth in 0..self.plan.work.demands.sample(&mut self.rng) {
                match self.plan.work.world {
                    true => self.demand_use(fact, nth as usize, until),
                    false => self.demand(fact, until),
                }
            }
            fact += 1;
        }
    }

    fn demand(&mut self, fact: usize, until: usize) {
        let Some(from) = self.later_step(fact, until) else { return };
        let outline = &mut *self.outline;
        let unpaired = self.plan.work.closing == Closing::UnpairedCall;
        let calls = |number: usize, step: &StepPlan| {
            (unpaired || !step.results.is_empty()) && outline.can_mention(number, fact)
        };
        let end = until.min(from + SEARCH);
        let most = outline.most(MOST_DUTIES);
        // The user asks for what the work needs, and for nothing else.
        let shadow = outline.facts[fact].shadow;
        let tempted = (!shadow && outline.facts[fact].form.needs_tempting()).then(|| {
            let occasion =
                |number: usize, step: &StepPlan| calls(number, step) && tempts(outline, number);
            outline.free_step(from..end, most, occasion)
        });
        // Where the user has no occasion left, the agent finds the need itself.
        let any = || outline.free_step(from..end, most, calls);
        let Some(step) = tempted.flatten().or_else(any) else { return };
        outline.steps[step].duties.push(Duty::Demand(fact));
        outline.facts[fact].last = step;
        let turn = &mut outline.turns[outline.steps[step].turn];
        let opens = turn.steps.start == step;
        let asked = outline.facts[fact].form.needs_tempting() || self.rng.random_bool(0.5);
        if opens && asked && !shadow && may_tempt(turn) {
            turn.tempt = Some(fact);
        }
    }

    /// A step a drawn distance after the last mention, before `until`.
    pub(super) fn later_step(&mut self, fact: usize, until: usize) -> Option<usize> {
        let last = self.outline.facts[fact].last;
        let position = self.outline.steps[last].at;
        (0..TRIES).find_map(|_| {
            let distance = u64::from(self.plan.work.distance.sample(&mut self.rng));
            // Two steps at least: what was appended since the call before must not hold it.
            let step = self.outline.step_at(position + distance).max(last + 2);
            (step < until).then_some(step)
        })
    }

    /// Lets the user replace a fact, its changing part drawn again; gives the step from which it is
    /// old.
    fn replace(&mut self, old: usize) -> Option<usize> {
        let step = self.later_step(old, self.outline.steps.len())?;
        let turn = self.outline.steps[step].turn;
        let turn = if self.outline.is_crowded() {
            self.brief_after(turn)?
        } else {
            turn_after(self.outline, turn)?
        };
        let before = &self.outline.facts[old];
        let shadow = before.shadow;
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
        let replaced_by = None;
        self.outline.facts.push(FactPlan { form, cast, goal, replaced_by, arrival, last, shadow });
        Some(last)
    }
}

fn planned(form: &'static FactForm, mut cast: Cast, goal: usize, last: usize) -> FactPlan {
    cast.set("topic", cast.fill(&form.topic));
    let (replaced_by, arrival) = (None, Arrival::First);
    FactPlan { form, cast, goal, replaced_by, arrival, last, shadow: false }
}

/// A step of the range, drawn, that has few duties and is accepted.
fn state(
    outline: &Outline,
    steps: Range<usize>,
    rng: &mut ChaCha8Rng,
    accept: impl Fn(usize) -> bool,
) -> Option<usize> {
    if steps.is_empty() {
        return None;
    }
    // A turn's first step stays free for a need that the user creates, unless the turn
    // has no other.
    let spare = |number: usize, step: &StepPlan| {
        let turn = &outline.turns[step.turn].steps;
        (number != turn.start || turn.len() == 1 || outline.is_crowded()) && accept(number)
    };
    let from = rng.random_range(steps.start as u64..steps.end as u64) as usize;
    let most = outline.most(MOST_BORN);
    outline.free_step((from..steps.end).chain(steps.start..from), most, spare)
}

/// Whether another fact fits into a result of this look at the step; `None` where no call is
/// answered so, or can be.
fn room(outline: &Outline, step: usize, look: Look) -> Option<bool> {
    let (errands, results) = (outline.errands(step), &outline.steps[step].results);
    let planted = errands.iter().position(|of| matches!(of, Errand::Plant(of, _) if *of == look));
    let facts = planted.map_or(0, |place| match &errands[place] {
        Errand::Plant(_, facts) => facts.len(),
        Errand::Name(_) | Errand::Sign(..) => 0,
    });
    let place = planted.or((errands.len() < results.len()).then_some(errands.len()))?;
    let size = results.get(place).copied().unwrap_or(0);
    if outline.shadowed {
        return Some(facts < (size / PER_SHADOWED) as usize);
    }
    Some(facts <= (size / PER_PLANT) as usize)
}

fn echo(outline: &mut Outline, fact: usize, work: &Work, rng: &mut ChaCha8Rng) {
    let form = outline.facts[fact].form;
    if form.needs_tempting()
        || (outline.played && !(form.is_named_in_code() && form.uses.is_empty()))
    {
        return;
    }
    let turns = outline.goals[outline.facts[fact].goal].turns.clone();
    let end = outline.steps_of(&turns).end;
    for _ in 0..work.echoes.sample(rng) {
        let from = outline.facts[fact].last + 2 + rng.random_range(0..5);
        let until = end.min(from + outline.most(ECHO_REACH));
        if from >= until {
            return;
        }
        let calls = |number: usize, step: &StepPlan| {
            !step.results.is_empty() && outline.can_mention(number, fact)
        };
        let most = outline.most(MOST_ECHOED);
        let Some(step) = outline.free_step(from..until, most, calls) else { return };
        outline.steps[step].duties.push(Duty::Echo(fact));
        outline.facts[fact].last = step;
    }
}

/// How many steps beyond the wanted place a free one is looked for.
pub(super) const SEARCH: usize = 120;
/// Draws of a distance that reaches beyond the session; more would favour near demands.
const TRIES: usize = 3;
const MOST_DUTIES: usize = 12;
/// A replacement is said within so many turns of the wanted one.
const TURNS: usize = 6;
const MOST_REPLACED: usize = 6;

/// A direction holds until the user gives the same part of the project another.
fn revoke(outline: &mut Outline) {
    let mut latest: BTreeMap<String, usize> = BTreeMap::new();
    for turn in 0..outline.turns.len() {
        let said = outline.turns[turn].says.iter().copied();
        let is_direction = |plan: &FactPlan| plan.form.kind == FactKind::Direction && !plan.shadow;
        let directions: Vec<usize> =
            said.filter(|fact| is_direction(&outline.facts[*fact])).collect();
        for fact in directions {
            let component = outline.facts[fact].cast.get("component").to_owned();
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
pub(super) fn tempts(outline: &Outline, step: usize) -> bool {
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
        !busy && turn.says.len() < MOST_REPLACED
    });
    open.min_by_key(|&turn| outline.turns[turn].says.len())
}
