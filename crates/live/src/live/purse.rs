//! The money and the calls of a run.

use crate::cassette::Usage;
use crate::live::endpoint::{Budget, Price};

/// What was taken and what is held for calls in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Purse {
    price: Option<Price>,
    budget: Budget,
    calls: u64,
    spent: f64,
    held: f64,
}

/// Whether a call may be made.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Admission {
    Yes,
    /// Not before the calls in flight have shown what they cost.
    Later,
    /// No more: the reason.
    No(String),
}

impl Purse {
    pub(super) fn new(price: Option<Price>, budget: Budget) -> Purse {
        Purse { price, budget, calls: 0, spent: 0.0, held: 0.0 }
    }

    /// The most that a call costs, by our count of its prompt.
    pub(super) fn most(&self, prompt: u64, max_tokens: u64) -> f64 {
        self.price.map_or(0.0, |price| price.of(prompt, 0, max_tokens))
    }

    /// Whether a call that costs at most so much may be made. Calls in flight may turn out
    /// cheaper than what is held for them.
    pub(super) fn admit(&self, most: f64, in_flight: bool) -> Admission {
        if let Some(limit) = self.budget.max_calls.filter(|limit| self.calls >= *limit) {
            return Admission::No(format!("the budget of {limit} calls is used up"));
        }
        let Some(limit) = self.budget.max_usd else { return Admission::Yes };
        if self.spent + self.held + most <= limit.0 {
            return Admission::Yes;
        }
        if in_flight {
            return Admission::Later;
        }
        Admission::No(format!(
            "the budget of ${:.2} does not admit the next call: ${:.4} are spent, and it may cost \
             ${most:.4}",
            limit.0, self.spent
        ))
    }

    /// A call begins.
    pub(super) fn hold(&mut self, most: f64) {
        self.calls += 1;
        self.held += most;
    }

    /// A call has ended: what it cost. One that says nothing, though the model may have
    /// worked, is taken to have cost its prompt.
    pub(super) fn settle(
        &mut self,
        most: f64,
        prompt: u64,
        usage: Option<Usage>,
        worked: bool,
    ) -> f64 {
        self.held = (self.held - most).max(0.0);
        let cost = self.price.map_or(0.0, |price| match usage {
            Some(usage) => price.of(usage.prompt, usage.cached.unwrap_or(0), usage.completion),
            None if worked => price.of(prompt, 0, 0),
            None => 0.0,
        });
        self.spent += cost;
        cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::value::Dollars;

    #[test]
    fn money_in_flight_is_held() {
        let price = Price { input: Dollars(1.0), cached: None, out: Dollars(10.0) };
        let budget = Budget { max_usd: Some(Dollars(0.05)), max_calls: Some(3) };
        let mut purse = Purse::new(Some(price), budget);
        let most = purse.most(10_000, 2_000);
        assert!((most - 0.03).abs() < 1e-12);
        assert_eq!(purse.admit(most, false), Admission::Yes);
        purse.hold(most);
        assert_eq!(purse.admit(most, true), Admission::Later);
        let usage = Usage { prompt: 10_000, completion: 100, cached: None };
        purse.settle(most, 10_000, Some(usage), true);
        assert_eq!(purse.admit(most, false), Admission::Yes);
        purse.hold(most);
        purse.settle(most, 10_000, None, true);
        let Admission::No(reason) = purse.admit(most, false) else { panic!("it is admitted") };
        assert!(reason.contains("$0.05") && reason.contains("$0.0210"), "{reason}");
        purse.hold(0.0);
        let Admission::No(reason) = purse.admit(0.0, false) else { panic!("it is admitted") };
        assert!(reason.contains("3 calls"), "{reason}");
    }
}
