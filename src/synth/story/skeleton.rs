//! Turns, steps and goals: the sizes of a session.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{Duty, GoalPlan, Move, StepPlan, Story, TurnPlan};
use crate::ident::Seed;
use crate::synth::names::World;
use crate::synth::plan::{SynthPlan, Work};

/// Estimated tokens of a call with its arguments.
const CALL: u64 = 28;
/// Of the text beside a call.
const NARRATION: f64 = 14.0;
/// Of the step that closes a turn.
const CLOSE: u64 = 60;

/// A session without facts.
pub(super) fn story(plan: &SynthPlan, seed: Seed) -> Story {
    let world = World::draw(&mut seed.derive(&["world"]).rng());
    let mut story = Story {
        world,
        goals: Vec::new(),
        turns: Vec::new(),
        steps: Vec::new(),
        facts: Vec::new(),
        decoys: Vec::new(),
    };
    goals(&mut story, plan, &mut seed.derive(&["goals"]).rng());
    steps(&mut story, plan, &mut seed.derive(&["steps"]).rng());
    story
}

fn goals(story: &mut Story, plan: &SynthPlan, rng: &mut ChaCha8Rng) {
    let turns = plan.turns as usize;
    let mut component = 0;
    while story.turns.len() < turns {
        let start = story.turns.len();
        let length = plan.work.goal_turns.sample(rng).max(1) as usize;
        let end = (start + length).min(turns);
        // Another part of the project than the goal before.
        let others = story.world.components.len() as u32 - 1;
        component =
            (component + 1 + rng.random_range(0..others) as usize) % story.world.components.len();
        let goal = story.goals.len();
        for turn in start..end {
            let turn_move = if turn == start { Move::Open } else { later_move(&plan.work, rng) };
            story.turns.push(TurnPlan {
                goal,
                turn_move,
                user_tokens: plan.work.user_tokens.sample(rng),
                steps: 0..0,
                says: Vec::new(),
                tempt: None,
            });
        }
        story.goals.push(GoalPlan { component, turns: start..end });
    }
}

fn later_move(work: &Work, rng: &mut ChaCha8Rng) -> Move {
    let mut at: f64 = rng.random();
    for (share, turn_move) in [
        (work.redirects, Move::Redirect),
        (work.clarifications, Move::Clarify),
        (work.extensions, Move::Extend),
    ] {
        if at < share.get() {
            return turn_move;
        }
        at -= share.get();
    }
    Move::FollowUp
}

fn steps(story: &mut Story, plan: &SynthPlan, rng: &mut ChaCha8Rng) {
    let narration = (plan.work.narration.get() * NARRATION) as u64;
    let mut at = 0;
    for (number, turn) in story.turns.iter_mut().enumerate() {
        let first = story.steps.len();
        at += u64::from(turn.user_tokens);
        let mut left = plan.pairs.sample(rng);
        while left > 0 {
            let calls = calls_at_once(&plan.work, left, rng);
            left -= calls;
            let results: Vec<u32> =
                (0..calls).map(|_| plan.work.result_tokens.sample(rng)).collect();
            let tokens = results.iter().map(|&size| u64::from(size) + CALL).sum::<u64>();
            story.steps.push(StepPlan { turn: number, at, results, duty: Duty::Free });
            at += tokens + narration;
        }
        story.steps.push(StepPlan { turn: number, at, results: Vec::new(), duty: Duty::Free });
        at += CLOSE;
        turn.steps = first..story.steps.len();
    }
}

fn calls_at_once(work: &Work, left: u32, rng: &mut ChaCha8Rng) -> u32 {
    if left > 1 && work.parallel_calls.happens(rng) { rng.random_range(2..=left.min(4)) } else { 1 }
}
