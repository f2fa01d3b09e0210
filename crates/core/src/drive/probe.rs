//! The floor probe: how far the pipeline can shrink this view. At fixed checkpoints a copy of the
//! state is run with every pressure held true and every target at nothing; keep-rules stay.

use crate::drive::pass::Due;
use crate::drive::{Drive, End, Session};
use crate::pressure::{Forced, Occasion, When};
use crate::strategy::Scope;
use crate::trace::{Checkpoint, Composition, ProbeRound};

/// Checkpoints of a session, whatever its length.
pub const CHECKPOINTS: u32 = 12;
const ROUNDS: usize = 8;
/// A round that frees less than this share ends the probe.
const SETTLED: f64 = 0.01;

/// A checkpoint to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planned {
    /// Number from 1.
    pub number: u32,
    /// Index of the step whose call it precedes.
    pub step: usize,
    /// Human turns begun.
    pub turn: u32,
}

/// The turn of a checkpoint, by its number, in a session of so many turns.
pub fn turn_of(turns: u32, number: u32) -> u32 {
    (turns * number).div_ceil(CHECKPOINTS + 1)
}

/// They cut a session's turns into thirteen equal parts, so that something is yet to come at each.
pub fn checkpoints(session: &Session) -> Vec<Planned> {
    let mut planned: Vec<Planned> = Vec::new();
    for number in 1..=CHECKPOINTS {
        let turn = turn_of(session.turns, number);
        let last = session.steps.iter().rposition(|step| step.turn == turn as usize);
        if let Some(step) = last
            && planned.last().is_none_or(|previous| previous.step < step)
        {
            planned.push(Planned { number, step, turn });
        }
    }
    planned
}

impl Drive<'_> {
    pub(super) fn probe(&self, planned: Planned) -> Result<Checkpoint, End> {
        // The state as it is, with a trace of its own.
        let mut copy = Drive::new(self.cell);
        (copy.state, copy.step, copy.turn) = (self.state.clone(), self.step, self.turn);
        let before = Composition::of(&copy.state.view);
        let mut rounds = vec![copy.round()];
        let mut one_pass = before.clone();
        while rounds.len() <= ROUNDS {
            let tokens = copy.state.view.tokens();
            copy.force()?;
            rounds.push(copy.round());
            if rounds.len() == 2 {
                one_pass = Composition::of(&copy.state.view);
            }
            let freed = tokens - copy.state.view.tokens();
            if freed.as_f64() < SETTLED * tokens.as_f64() || copy.state.view.is_empty() {
                break;
            }
        }
        let attempts = copy.trace.compactions.iter().flat_map(|compaction| &compaction.attempts);
        let billed = attempts.filter(|attempt| attempt.billed);
        Ok(Checkpoint {
            number: planned.number,
            step: planned.step as u32 + 1,
            turn: planned.turn,
            rounds,
            before,
            one_pass,
            summarizer: billed.map(|attempt| attempt.prompt + attempt.completion).sum(),
        })
    }

    fn round(&self) -> ProbeRound {
        let (live, present) = self.state.watch.recall();
        ProbeRound { tokens: self.state.view.tokens(), live, present }
    }

    /// Every history stage once, in order. What a stage does to end the session ends the round.
    fn force(&mut self) -> Result<(), End> {
        let due = Due { when: When::Always, forced: Forced::ToTheFloor };
        for (number, stage) in self.cell.pipeline.stages.iter().enumerate() {
            if stage.strategy.strategy().scope() != Scope::History {
                continue;
            }
            match self.run_stage(number, due, Occasion::FloorProbe) {
                Ok(_) => {}
                Err(End::By(_)) => break,
                Err(stopped @ End::Stopped(_)) => return Err(stopped),
            }
        }
        Ok(())
    }
}
