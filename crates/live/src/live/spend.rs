//! The budget of a run: dollars and calls.

use crate::cassette::Usage;
use crate::live::endpoint::{Budget, Price};

/// What was spent and what is reserved for calls in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpendLimiter {
    price: Option<Price>,
    budget: Budget,
    calls: u64,
    spent: f64,
    reserved: f64,
}

/// Whether a call may be made.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Admission {
    Yes,
    /// Not before the cost of the calls in flight is known.
    Later,
    /// No more: the reason.
    No(String),
}

impl SpendLimiter {
    pub(super) fn new(price: Option<Price>, budget: Budget) -> SpendLimiter {
        SpendLimiter { price, budget, calls: 0, spent: 0.0, reserved: 0.0 }
    }

    /// The most that a call can cost, by our count of its prompt.
    pub(super) fn most_cost(&self, prompt: u64, max_tokens: u64) -> f64 {
        self.price.map_or(0.0, |price| price.of(prompt, 0, max_tokens))
    }

    /// Whether a call that costs at most so much may start.
    pub(super) fn admit(&self, most: f64, in_flight: bool) -> Admission {
        if let Some(limit) = self.budget.max_calls.filter(|limit| self.calls >= *limit) {
            return Admission::No(format!("the budget of {limit} calls is used up"));
        }
        let Some(limit) = self.budget.max_usd else { return Admission::Yes };
        if self.spent + self.reserved + most <= limit.0 {
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
    pub(super) fn reserve(&mut self, most: f64) {
        self.calls += 1;
        self.reserved += most;
    }

    /// What a call that has ended cost, by what it used; nothing where it is not billed.
    pub(super) fn settle(&mut self, most: f64, used: Option<Usage>) -> f64 {
        self.reserved = (self.reserved - most).max(0.0);
        let cost = self.price.zip(used).map_or(0.0, |(price, used)| {
            price.of(used.prompt, used.cached.unwrap_or(0), used.completion)
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
    fn the_cost_of_calls_in_flight_is_reserved() {
        let price = Price { input: Dollars(1.0), cached: None, out: Dollars(10.0) };
        let budget = Budget { max_usd: Some(Dollars(0.05)), max_calls: Some(3) };
        let mut limiter = SpendLimiter::new(Some(price), budget);
        let most = limiter.most_cost(10_000, 2_000);
        assert!((most - 0.03).abs() < 1e-12);
        assert_eq!(limiter.admit(most, false), Admission::Yes);
        limiter.reserve(most);
        assert_eq!(limiter.admit(most, true), Admission::Later);
        let usage = Usage { prompt: 10_000, completion: 100, cached: None };
        limiter.settle(most, Some(usage));
        assert_eq!(limiter.admit(most, false), Admission::Yes);
        limiter.reserve(most);
        limiter.settle(most, Some(Usage { completion: 0, ..usage }));
        limiter.settle(0.0, None);
        let Admission::No(reason) = limiter.admit(most, false) else { panic!("it is admitted") };
        assert!(reason.contains("$0.05") && reason.contains("$0.0210"), "{reason}");
        limiter.reserve(0.0);
        let Admission::No(reason) = limiter.admit(0.0, false) else { panic!("it is admitted") };
        assert!(reason.contains("3 calls"), "{reason}");
    }
}
