//! What happens in a session before it is put into words: goals and their turns,
//! which step states which fact, which step needs it.
//!
//! Everything has a place and an estimated token position first, so that a demand
//! can be put a chosen distance after the last mention of its fact.

mod births;
mod demands;
mod skeleton;

pub(super) use skeleton::Act;

use std::ops::Range;

use super::bank::{Bank, FactForm};
use super::fill::Cast;
use super::names::{Names, World};
use super::plan::SynthPlan;
use crate::ident::Seed;

/// The course of a session.
#[derive(Debug)]
pub(super) struct Story {
    pub world: World,
    pub goals: Vec<GoalPlan>,
    pub turns: Vec<TurnPlan>,
    /// The model calls of all turns in order; the last of each turn closes it.
    pub steps: Vec<StepPlan>,
    pub facts: Vec<FactPlan>,
    pub decoys: Vec<FactPlan>,
}

/// A goal and its turns.
#[derive(Debug)]
pub(super) struct GoalPlan {
    /// Index into the components of the world.
    pub component: usize,
    pub turns: Range<usize>,
}

/// What the user wants of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    Open,
    Clarify,
    Redirect,
    Extend,
    FollowUp,
}

/// One turn.
#[derive(Debug)]
pub(super) struct TurnPlan {
    pub goal: usize,
    pub turn_move: Move,
    pub user_tokens: u32,
    /// Tokens of what the user pasted.
    pub pasted: u32,
    pub steps: Range<usize>,
    /// Facts that the user states.
    pub says: Vec<usize>,
    /// The fact whose need the user brings about.
    pub tempt: Option<usize>,
}

/// One model call.
#[derive(Debug)]
pub(super) struct StepPlan {
    pub turn: usize,
    /// Estimated tokens of the session before it.
    pub at: u64,
    /// Tokens of the results of its calls; empty for the step that closes the turn.
    pub results: Vec<u32>,
    pub duty: Duty,
    /// What it is part of, as far as it has no duty.
    pub act: Act,
}

/// What a step does for the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Duty {
    Free,
    Birth(usize),
    Echo(usize),
    Demand(usize),
}

/// A fact before it is put into words.
#[derive(Debug)]
pub(super) struct FactPlan {
    pub form: &'static FactForm,
    pub cast: Cast,
    pub goal: usize,
    pub replaced_by: Option<usize>,
    /// It replaces an earlier value.
    pub replaces: bool,
    /// The step at or before which it is last mentioned so far.
    pub last: usize,
}

impl Story {
    /// Plans a session.
    pub fn tell(plan: &SynthPlan, bank: &'static Bank, seed: Seed) -> Story {
        let mut story = skeleton::story(plan, seed);
        let mut names = Names::default();
        births::place(&mut story, plan, bank, &mut names, seed);
        demands::place(&mut story, plan, bank, &mut names, seed);
        let mut rng = seed.derive(&["decoys"]).rng();
        story.decoys = births::decoys(&story, plan, bank, &mut names, &mut rng);
        story
    }

    /// The first free step in the range that is accepted.
    fn free_step(
        &self,
        mut range: Range<usize>,
        accept: impl Fn(usize, &StepPlan) -> bool,
    ) -> Option<usize> {
        range.find(|&number| {
            let step = &self.steps[number];
            step.duty == Duty::Free && accept(number, step)
        })
    }

    /// All steps of the goal's turns.
    fn steps_of(&self, turns: &Range<usize>) -> Range<usize> {
        let first = self.turns.get(turns.start).map_or(0, |turn| turn.steps.start);
        let end = self.turns[..turns.end].last().map_or(first, |turn| turn.steps.end);
        first..end
    }

    /// The first step at this token position or later.
    fn step_at(&self, position: u64) -> usize {
        self.steps.partition_point(|step| step.at < position)
    }
}
