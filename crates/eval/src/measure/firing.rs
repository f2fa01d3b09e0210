//! Firings: what the agent waits for. All rounds of one stage on one occasion.

use crate::row::CompactionRow;
use crate::trace::Compaction;
use crate::unit::{Millis, Tokens};

/// One plan of a stage, as the trace or a row tells it.
pub trait Round {
    /// Whether it is a later round of the same stage on the same occasion.
    fn follows(&self, earlier: &Self) -> bool;

    /// Whether it changed the view.
    fn changed(&self) -> bool;

    /// Its step, its turn and the tokens that it left, where it left fewer entries: what only cuts
    /// entries short leaves as many.
    fn taking(&self) -> Option<(u32, u32, Tokens)>;

    /// Modelled time that the agent waited for it.
    fn blocking(&self) -> Millis;

    /// Whether a request of it was billed, or waited for in vain.
    fn was_waited_for(&self) -> bool;
}

impl Round for Compaction {
    fn follows(&self, earlier: &Compaction) -> bool {
        self.round > earlier.round
            && (self.step, self.stage, self.occasion)
                == (earlier.step, earlier.stage, earlier.occasion)
    }

    fn changed(&self) -> bool {
        self.outcome.changed(self.removed, self.added.len())
    }

    fn taking(&self) -> Option<(u32, u32, Tokens)> {
        let took = self.changed() && self.entries_after < self.entries_before;
        took.then_some((self.step, self.turn, self.after))
    }

    fn blocking(&self) -> Millis {
        self.blocking
    }

    fn was_waited_for(&self) -> bool {
        self.blocking > Millis(0) || self.attempts.iter().any(|attempt| attempt.billed)
    }
}

impl Round for CompactionRow {
    fn follows(&self, earlier: &CompactionRow) -> bool {
        self.round > earlier.round
            && (&self.cell, self.step, &self.stage, self.occasion)
                == (&earlier.cell, earlier.step, &earlier.stage, earlier.occasion)
    }

    fn changed(&self) -> bool {
        self.outcome.changed(self.removed, self.added as usize)
    }

    fn taking(&self) -> Option<(u32, u32, Tokens)> {
        let took = self.changed() && self.entries_after < self.entries_before;
        took.then_some((self.step, self.turn, self.after))
    }

    fn blocking(&self) -> Millis {
        self.blocking_ms
    }

    fn was_waited_for(&self) -> bool {
        let tokens = self.summarizer_prompt + self.summarizer_completion;
        self.blocking_ms > Millis(0) || tokens > Tokens::ZERO
    }
}

/// All rounds of one stage on one occasion.
#[derive(Clone, Copy, Debug)]
pub struct Firing<'a, R> {
    /// Its first round.
    pub first: &'a R,
    /// Its last round.
    pub last: &'a R,
    /// All of them.
    pub rounds: &'a [R],
}

/// The firings of rounds that stand in the order in which they ran.
pub fn firings<R: Round>(rounds: &[R]) -> Vec<Firing<'_, R>> {
    let together = rounds.chunk_by(|one, next| next.follows(one));
    together
        .filter_map(|rounds| Some(Firing { first: rounds.first()?, last: rounds.last()?, rounds }))
        .collect()
}

impl<R: Round> Firing<'_, R> {
    /// Whether any round changed the view.
    pub fn changed(&self) -> bool {
        self.rounds.iter().any(R::changed)
    }

    /// Modelled time that the agent waited.
    pub fn blocking(&self) -> Millis {
        Millis(self.rounds.iter().map(|round| round.blocking().0).sum())
    }

    /// Whether any request of it was billed, or waited for in vain.
    pub fn was_waited_for(&self) -> bool {
        self.rounds.iter().any(R::was_waited_for)
    }
}
