//! Calls and tokens, and how many there may be.

use crate::prelude::*;
use crate::unit::Tokens;

/// Most calls and tokens; no limit where none is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caps {
    /// Calls, failed ones among them.
    pub calls: Option<u64>,
    /// Tokens of prompts and answers together. The last answer may go beyond.
    pub tokens: Option<Tokens>,
}

/// What was asked and answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Calls, failed ones among them.
    pub calls: u32,
    /// Calls that were answered.
    pub answered: u32,
    /// Tokens of the prompts of all calls.
    pub prompt: Tokens,
    /// Tokens of the answers.
    pub completion: Tokens,
}

#[derive(Debug)]
pub(super) struct Meter {
    caps: Caps,
    totals: Mutex<Totals>,
}

impl Meter {
    pub(super) fn new(caps: Caps) -> Meter {
        Meter { caps, totals: Mutex::default() }
    }

    pub(super) fn totals(&self) -> Totals {
        *held(&self.totals)
    }

    /// Counts a call, and says how many were before it. Fails where a cap does not allow it.
    pub(super) fn begin(&self, prompt: Tokens) -> Result<u32, Refusal> {
        let mut totals = held(&self.totals);
        let Totals { calls, .. } = *totals;
        let spent = |rule: String| Err(Refusal::new(RefusalClass::Spent, rule));
        if let Some(most) = self.caps.calls.filter(|most| u64::from(calls) >= *most) {
            return spent(format!("{calls} calls were made, and {most} are allowed"));
        }
        let tokens = totals.prompt + totals.completion;
        if let Some(most) = self.caps.tokens.filter(|most| tokens + prompt > *most) {
            let rule = format!("{tokens} tokens were used, and this prompt has {prompt} more");
            return spent(format!("{rule}: {most} are allowed"));
        }
        totals.calls = calls.saturating_add(1);
        totals.prompt += prompt;
        Ok(calls)
    }

    /// Counts an answer.
    pub(super) fn end(&self, completion: Tokens) {
        let mut totals = held(&self.totals);
        totals.answered = totals.answered.saturating_add(1);
        totals.completion += completion;
    }
}
