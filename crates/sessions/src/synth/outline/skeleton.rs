//! Turns, steps and goals: the sizes of a session.

use super::{GoalPlan, Move, Outline, StepPlan, TurnPlan};
use crate::synth::prelude::*;

/// Estimated tokens of a call with its arguments.
const CALL: u64 = 28;
/// Of the text beside a call.
const NARRATION: f64 = 14.0;
const CLOSE: u64 = 60;

/// Share of calls that edit, roughly: what an edit's texts add to the estimate.
const EDITS: f64 = 0.2;
/// Of the word with which a user stops the agent.
const STOP: u32 = 5;
const AT_ONCE: u32 = 4;
const ROUNDS: std::ops::RangeInclusive<u32> = 3..=8;

/// What a step is part of, besides its duty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::synth) enum Act {
    #[default]
    Ordinary,
    Failing,
    Mending,
    Passing,
    Repeated,
    /// The end of a turn, with an account of this many tokens.
    Closing(u32),
}

/// Of all turns, as far as their sizes are drawn before a word is written.
pub(in crate::synth) fn estimated_tokens(plan: &SynthPlan, seed: Seed) -> u64 {
    let outline = outline(plan, seed);
    outline.steps.last().map_or(0, |step| step.at + CLOSE)
}

pub(super) fn outline(plan: &SynthPlan, seed: Seed) -> Outline {
    let world =
        World::draw(&Bank::named(plan.work.bank).domain, &mut seed.derive(&["world"]).rng());
    let (goals, turns, steps, facts, decoys) = Default::default();
    let shadowed = plan.work.shadows > 0;
    let played = plan.work.world;
    let mut outline = Outline { world, goals, turns, steps, facts, decoys, shadowed, played };
    draw_goals(&mut outline, plan, &mut seed.derive(&["goals"]).rng());
    let mut builder = Builder {
        plan,
        rng: seed.derive(&["steps"]).rng(),
        habits: seed.derive(&["habits"]).rng(),
        call: CALL + (2.0 * EDITS * plan.work.habits.edit_tokens.mean()) as u64,
        owed: 0,
        steps: Vec::new(),
        at: 0,
    };
    let stops: Vec<bool> =
        outline.turns.iter().skip(1).map(|turn| turn.turn_move == Move::Stop).collect();
    for (number, turn) in outline.turns.iter_mut().enumerate() {
        builder.turn(number, turn, stops.get(number).is_some_and(|&stop| stop));
    }
    outline.steps = builder.steps;
    outline
}

fn draw_goals(outline: &mut Outline, plan: &SynthPlan, rng: &mut ChaCha8Rng) {
    let turns = plan.turns as usize;
    let mut component = 0;
    while outline.turns.len() < turns {
        let start = outline.turns.len();
        let length = plan.work.goal_turns.sample(rng).max(1) as usize;
        let end = (start + length).min(turns);
        // Another part of the project than the goal before.
        let others = outline.world.components.len() as u32 - 1;
        component =
            (component + 1 + rng.random_range(0..others) as usize) % outline.world.components.len();
        let goal = outline.goals.len();
        for turn in start..end {
            let before = outline.turns.last().map(|turn| turn.turn_move);
            let turn_move =
                if turn == start { Move::Open } else { later_move(&plan.work, before, rng) };
            outline.turns.push(TurnPlan {
                goal,
                turn_move,
                user_tokens: plan.work.user_tokens.sample(rng),
                pasted: 0,
                steps: 0..0,
                says: Vec::new(),
                tempt: None,
            });
        }
        outline.goals.push(GoalPlan { component, turns: start..end });
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

struct Builder<'a> {
    plan: &'a SynthPlan,
    /// Draws the steady run of calls.
    rng: ChaCha8Rng,
    /// Draws what happens besides, so that a plan without habits is not changed by them.
    habits: ChaCha8Rng,
    /// Estimated tokens of a call with its arguments.
    call: u64,
    owed: u64,
    steps: Vec<StepPlan>,
    at: u64,
}

impl Builder<'_> {
    /// `stopped` says that the user interrupts it.
    fn turn(&mut self, number: usize, turn: &mut TurnPlan, stopped: bool) {
        let habits = &self.plan.work.habits;
        let (first, began) = (self.steps.len(), self.at);
        let halt = turn.turn_move == Move::Stop;
        if !halt && habits.pastes.happens(&mut self.habits) {
            turn.pasted = habits.paste_tokens.sample(&mut self.habits);
        }
        let said = if halt { STOP } else { turn.user_tokens };
        self.at += u64::from(said + turn.pasted);
        if !halt {
            self.work(number, began);
        }
        // A stop comes before the agent gets to its closing words.
        if self.steps.len() == first || !stopped {
            let account = if halt { 0 } else { habits.closing_tokens.sample(&mut self.habits) };
            self.push(number, Vec::new(), Act::Closing(account));
            self.at += CLOSE + u64::from(account);
        }
        turn.steps = first..self.steps.len();
    }

    /// All calls of a turn that began at this estimate.
    fn work(&mut self, number: usize, began: u64) {
        let habits = &self.plan.work.habits;
        let mut left = self.plan.pairs.sample(&mut self.rng);
        while left > 0 {
            left -= self.ordinary(number, left);
        }
        for _ in 0..self.due(number, habits.surges) {
            let each = habits.surge_tokens / AT_ONCE;
            self.step(number, vec![each; AT_ONCE as usize], Act::Ordinary);
        }
        if let Some(oversized) = habits.oversized
            && number == self.place(oversized.at.get())
        {
            self.step(number, vec![oversized.tokens], Act::Ordinary);
        }
        if self.due(number, habits.bursts) > 0 {
            while self.at - began < u64::from(habits.burst_tokens) {
                self.ordinary(number, 1);
            }
        }
        if habits.loops.happens(&mut self.habits) {
            self.failing_loop(number);
        }
        self.owed += self.due(number, habits.repeats);
        // A turn without calls stays one: the call is made up for in the next.
        if self.steps.last().is_some_and(|step| step.turn == number) {
            for _ in 0..std::mem::take(&mut self.owed) {
                self.step(number, vec![120], Act::Repeated);
            }
        }
    }

    /// A step of one or several calls out of `left`; gives how many.
    fn ordinary(&mut self, turn: usize, left: u32) -> u32 {
        let work = &self.plan.work;
        let calls = calls_at_once(work, left, &mut self.rng);
        let results = (0..calls).map(|_| work.result_tokens.sample(&mut self.rng)).collect();
        self.step(turn, results, Act::Ordinary);
        calls
    }

    fn failing_loop(&mut self, turn: usize) {
        let size = self.habits.random_range(120..900);
        for _ in 0..self.habits.random_range(ROUNDS) {
            self.step(turn, vec![size], Act::Failing);
            self.step(turn, vec![30], Act::Mending);
        }
        self.step(turn, vec![size], Act::Passing);
    }

    /// How many of `count` events, spread evenly over the session, fall into a turn.
    fn due(&self, turn: usize, count: u32) -> u64 {
        let turns = u64::from(self.plan.turns.max(1));
        // In the middle of each of `count` equal stretches.
        let before = |turn: usize| (2 * turn as u64 * u64::from(count) + turns) / (2 * turns);
        before(turn + 1) - before(turn)
    }

    fn place(&self, share: f64) -> usize {
        let last = self.plan.turns.saturating_sub(1);
        (f64::from(last) * share).round() as usize
    }

    fn step(&mut self, turn: usize, results: Vec<u32>, act: Act) {
        let narration = (self.plan.work.narration.get() * NARRATION) as u64;
        let tokens = results.iter().map(|&size| u64::from(size) + self.call).sum::<u64>();
        self.push(turn, results, act);
        self.at += tokens + narration;
    }

    fn push(&mut self, turn: usize, results: Vec<u32>, act: Act) {
        let work = &self.plan.work;
        let (at, duties, recounts) = (self.at, Vec::new(), work.shadows == 0 || work.world);
        self.steps.push(StepPlan { turn, at, results, duties, act, recounts });
    }
}

fn calls_at_once(work: &Work, left: u32, rng: &mut ChaCha8Rng) -> u32 {
    if left > 1 && work.parallel_calls.happens(rng) { rng.random_range(2..=left.min(4)) } else { 1 }
}
