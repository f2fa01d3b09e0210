//! Turns, steps and goals: the sizes of a session.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{GoalPlan, Move, StepPlan, Story, TurnPlan};
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
            let before = story.turns.last().map(|turn| turn.turn_move);
            let turn_move =
                if turn == start { Move::Open } else { later_move(&plan.work, before, rng) };
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

/// What a goal's later turn is for. After a stop the work goes on differently.
fn later_move(work: &Work, before: Option<Move>, rng: &mut ChaCha8Rng) -> Move {
    let mut at: f64 = rng.random();
    if before == Some(Move::Stop) {
        return if at < 0.5 { Move::Redirect } else { Move::Correct };
    }
    for (share, turn_move) in [
        (work.redirects, Move::Redirect),
        (work.clarifications, Move::Clarify),
        (work.extensions, Move::Extend),
        (work.corrections, Move::Correct),
        (work.rejections, Move::Reject),
        (work.stops, Move::Stop),
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
    let stopped: Vec<bool> =
        story.turns.iter().skip(1).map(|turn| turn.turn_move == Move::Stop).collect();
    for (number, turn) in story.turns.iter_mut().enumerate() {
        let first = story.steps.len();
        let halt = turn.turn_move == Move::Stop;
        at += u64::from(if halt { 5 } else { turn.user_tokens });
        let mut left = if halt { 0 } else { plan.pairs.sample(rng) };
        while left > 0 {
            let calls = calls_at_once(&plan.work, left, rng);
            left -= calls;
            let results: Vec<u32> =
                (0..calls).map(|_| plan.work.result_tokens.sample(rng)).collect();
            let tokens = results.iter().map(|&size| u64::from(size) + CALL).sum::<u64>();
            story.steps.push(StepPlan { turn: number, at, results, duties: Vec::new() });
            at += tokens + narration;
        }
        // A stop comes before the agent gets to its closing words.
        if story.steps.len() == first || !stopped.get(number).is_some_and(|&stopped| stopped) {
            let results = Vec::new();
            story.steps.push(StepPlan { turn: number, at, results, duties: Vec::new() });
            at += CLOSE;
        }
        turn.steps = first..story.steps.len();
    }
}

fn calls_at_once(work: &Work, left: u32, rng: &mut ChaCha8Rng) -> u32 {
    if left > 1 && work.parallel_calls.happens(rng) { rng.random_range(2..=left.min(4)) } else { 1 }
}
