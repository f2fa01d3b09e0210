//! The logs of services: they go on with the clock, and what was shown stays.

use crate::synth::output::state;
use crate::synth::prelude::*;

/// The line that a log has come to when a session begins.
const FIRST: u64 = 9_000;
/// Milliseconds from one line to the next.
const EVERY: u64 = 3_000;
/// The fewest and the most lines that are asked for.
const LINES: (usize, usize) = (5, 2_000);

pub(super) struct ServiceLog {
    domain: &'static DomainForm,
    module: String,
    seed: Seed,
    /// What was written at these lines; all others are drawn.
    written: BTreeMap<u64, String>,
    /// The line that was last shown.
    shown: u64,
}

impl ServiceLog {
    pub fn new(domain: &'static DomainForm, module: &str, seed: Seed) -> ServiceLog {
        ServiceLog { domain, module: module.to_owned(), seed, written: BTreeMap::new(), shown: 0 }
    }

    /// How many of the last lines fill so much room.
    pub fn fitting(&self, room: usize, now: Millis) -> usize {
        let (mut size, last) = (0, reached(now));
        let fitting = (0..LINES.1 as u64).take_while(|back| {
            size += self.line(last - back).len();
            size < room
        });
        fitting.count().max(LINES.0)
    }

    /// The last lines. What is told and the cause of a failure stand among those that nobody has
    /// seen.
    pub fn tail(
        &mut self,
        lines: usize,
        told: Vec<String>,
        cause: Option<String>,
        now: Millis,
        rng: &mut ChaCha8Rng,
    ) -> String {
        let count = told.len() as u64 + u64::from(cause.is_some());
        let last = reached(now).max(self.shown + count);
        let lines = (lines as u64).max(count);
        let mut free: Vec<u64> = ((self.shown + 1).max(last - lines + 1)..=last).collect();
        let mut at = || free.swap_remove(rng.random_range(0..free.len() as u32) as usize);
        self.written.extend(told.into_iter().map(|line| (at(), line)));
        if let Some(cause) = cause {
            let at = at();
            self.written.insert(at, state::log_error(&self.module, at, &cause, self.seed));
        }
        self.shown = last;
        (last - lines + 1..=last).map(|at| self.line(at)).collect::<Vec<String>>().join("\n")
    }

    fn line(&self, number: u64) -> String {
        let drawn = || state::log_line(self.domain, &self.module, number, self.seed);
        self.written.get(&number).cloned().unwrap_or_else(drawn)
    }
}

fn reached(now: Millis) -> u64 {
    FIRST + now.0 / EVERY
}
