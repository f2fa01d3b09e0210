//! The outline of a session: goals, turns, which step states and needs which fact. Everything has
//! an estimated token position, so that a demand can come a chosen distance after the last mention.

mod facts;
mod shadows;
mod skeleton;
mod uses;

pub(super) use skeleton::{Act, estimated_tokens};

use facts::Planner;

use crate::synth::prelude::*;

#[derive(Debug)]
pub(super) struct Outline {
    pub world: World,
    pub goals: Vec<GoalPlan>,
    pub turns: Vec<TurnPlan>,
    /// The model calls of all turns in order; the last of each turn closes it.
    pub steps: Vec<StepPlan>,
    pub facts: Vec<FactPlan>,
    pub decoys: Vec<FactPlan>,
    /// Whether facts have shadows.
    pub shadowed: bool,
    /// Whether it is played in a project, and every need is a use.
    pub played: bool,
}

#[derive(Debug)]
pub(super) struct GoalPlan {
    pub component: usize,
    pub turns: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    Open,
    Clarify,
    Redirect,
    Extend,
    Correct,
    Reject,
    Stop,
    FollowUp,
}

#[derive(Debug)]
pub(super) struct TurnPlan {
    pub goal: usize,
    pub turn_move: Move,
    pub user_tokens: u32,
    pub pasted: u32,
    pub steps: Range<usize>,
    pub says: Vec<usize>,
    pub tempt: Option<usize>,
}

#[derive(Debug)]
pub(super) struct StepPlan {
    pub turn: usize,
    pub at: u64,
    /// Tokens of the results of its calls; empty for the step that closes the turn.
    pub results: Vec<u32>,
    /// None where the step only carries the work on.
    pub duties: Vec<Duty>,
    /// What it is part of, as far as it has no duty.
    pub act: Act,
    /// Whether the agent says here what it keeps in mind. Where facts have shadows few steps are
    /// such, each of which says much; else any may be.
    pub recounts: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Duty {
    Birth(usize),
    Echo(usize),
    Demand(usize),
    /// A result calls for the fact in the next step.
    Sign(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Errand {
    Plant(Look, Vec<usize>),
    /// The result calls for a fact.
    Sign(Look, usize),
    /// One call names them all: several only where facts have shadows.
    Name(Vec<usize>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    First,
    /// In place of another, which is announced.
    Announced,
    /// In place of another, said in other words and as if in passing.
    Paraphrased,
}

#[derive(Debug)]
pub(super) struct FactPlan {
    pub form: &'static FactForm,
    pub cast: Cast,
    pub goal: usize,
    pub replaced_by: Option<usize>,
    pub arrival: Arrival,
    /// The step at or before which it is last mentioned so far.
    pub last: usize,
    /// Told as a fact is, and not part of the truth.
    pub shadow: bool,
}

impl Outline {
    pub fn plan(plan: &SynthPlan, bank: &'static Bank, seed: Seed) -> Outline {
        let mut outline = skeleton::outline(plan, seed);
        let mut names = Names::new(outline.shadowed);
        let draws = |purpose: &str| seed.derive(&[purpose]).rng();
        if outline.is_crowded() {
            outline.choose_recounting(plan);
        }
        let briefs = outline.briefs();
        let mut planner = Planner {
            outline: &mut outline,
            plan,
            bank,
            names: &mut names,
            rng: draws("facts"),
            briefs,
        };
        planner.place_births();
        planner.rng = draws("echoes");
        planner.place_echoes();
        planner.rng = draws("demands");
        planner.place_demands();
        planner.rng = draws("decoys");
        outline.decoys = planner.decoys();
        if outline.shadowed {
            outline.mix(&mut draws("order"));
        }
        if outline.is_crowded() {
            outline.make_room();
        }
        outline
    }

    /// The accepted step with the fewest duties, the first of equals; never the answer to a stop.
    fn free_step(
        &self,
        steps: impl Iterator<Item = usize>,
        most: usize,
        accept: impl Fn(usize, &StepPlan) -> bool,
    ) -> Option<usize> {
        let mut open: Vec<usize> = steps.filter(|&n| self.steps[n].duties.len() < most).collect();
        // Stable: of equals the first. What `accept` asks can take long.
        open.sort_by_key(|&number| self.steps[number].duties.len());
        open.into_iter().find(|&number| {
            let step = &self.steps[number];
            self.turns[step.turn].turn_move != Move::Stop
                && !self.is_spoken_for(step)
                && accept(number, step)
        })
    }

    /// The calls that the duties of a step need, no more than it makes: births first, each look one
    /// call; then what a call can name. The rest is said in prose.
    pub fn errands(&self, step: usize) -> Vec<Errand> {
        let step = &self.steps[step];
        let mut errands: Vec<Errand> = Vec::new();
        for &duty in &step.duties {
            let Duty::Birth(fact) = duty else { continue };
            let Birth::Result(look) = self.facts[fact].form.birth else { continue };
            let same = errands.iter_mut().find_map(|errand| match errand {
                Errand::Plant(of, facts) if *of == look => Some(facts),
                _ => None,
            });
            match same {
                Some(facts) => facts.push(fact),
                None => errands.push(Errand::Plant(look, vec![fact])),
            }
        }
        let signs = step.duties.iter().filter_map(|duty| match duty {
            Duty::Sign(fact) => Some(Errand::Sign(self.sign(*fact)?.0, *fact)),
            _ => None,
        });
        errands.extend(signs);
        for &duty in &step.duties {
            let (Duty::Demand(fact) | Duty::Echo(fact)) = duty else { continue };
            if self.facts[fact].form.call.is_none() && !self.played {
                continue;
            }
            if let Some(named) = self.joins(&mut errands, fact) {
                named.push(fact);
            } else if errands.len() < step.results.len() {
                errands.push(Errand::Name(vec![fact]));
            }
        }
        errands
    }

    fn steps_of(&self, turns: &Range<usize>) -> Range<usize> {
        let first = self.turns.get(turns.start).map_or(0, |turn| turn.steps.start);
        let end = self.turns[..turns.end].last().map_or(first, |turn| turn.steps.end);
        first..end
    }

    fn step_at(&self, position: u64) -> usize {
        self.steps.partition_point(|step| step.at < position)
    }
}

/// The turns in which the user states a fact of this kind; rules come early.
fn said_within(plan: &SynthPlan, kind: FactKind, turns: &Range<usize>) -> Range<usize> {
    let early = ((f64::from(plan.turns) * plan.work.rules_by.get()).ceil() as usize).max(1);
    let is_rule =
        matches!(kind, FactKind::Constraint | FactKind::Preference | FactKind::SafetyRule);
    if is_rule && turns.end > early { 0..early.min(plan.turns as usize) } else { turns.clone() }
}
