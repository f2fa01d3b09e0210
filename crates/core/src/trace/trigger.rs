//! Moments at which stages were due, and what came of them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::Trace;
use crate::pressure::Occasion;

/// What came of one moment at which a stage was due, all its rounds together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageOutcome {
    /// It proposed a plan.
    pub fired: bool,
    /// Some plan of it was carried out.
    pub changed: bool,
    /// It was asked and proposed none.
    pub declined: bool,
    /// Why it proposed none; empty where it fired.
    pub reason: Cow<'static, str>,
}

impl StageOutcome {
    /// The reason of a stage whose pressure was not met.
    pub const BELOW: &'static str = "below its limit";
    /// The reason of a stage that ended the session.
    pub const RAISED: &'static str = "ended the session";

    /// It was asked and declined. In a later round that is how repeating ends.
    pub fn decline(&mut self, reason: Cow<'static, str>) {
        if !self.fired {
            self.declined = true;
            self.reason = reason;
        }
    }

    /// It was not asked, or gave up.
    pub fn at_rest(&mut self, reason: &'static str) {
        if !self.fired {
            self.reason = Cow::Borrowed(reason);
        }
    }
}

/// Moments of one stage on one occasion that came to the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trigger {
    /// Stage number from 0.
    pub stage: u32,
    /// The occasion.
    pub occasion: Occasion,
    /// What they came to.
    pub moment: StageOutcome,
    /// How many.
    pub n: u32,
}

impl Trace {
    /// Counts a moment. Stages that an aborted pass never came to were not due.
    pub fn count(&mut self, stage: u32, occasion: Occasion, moment: StageOutcome) {
        let same = |known: &&mut Trigger| {
            (known.stage, known.occasion) == (stage, occasion) && known.moment == moment
        };
        match self.triggers.iter_mut().find(same) {
            Some(known) => known.n += 1,
            None => self.triggers.push(Trigger { stage, occasion, moment, n: 1 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declining_in_a_later_round_is_how_repeating_ends() {
        let mut first = StageOutcome::default();
        first.decline("nothing old".into());
        assert_eq!((first.declined, first.reason.as_ref()), (true, "nothing old"));
        let mut later = StageOutcome { fired: true, changed: true, ..StageOutcome::default() };
        later.decline("nothing old".into());
        later.at_rest(StageOutcome::BELOW);
        assert_eq!(later, StageOutcome { fired: true, changed: true, ..StageOutcome::default() });
    }
}
