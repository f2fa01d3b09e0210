//! When a stage may act. Pressure is an inequality as data, and a list means any-of: `sum(used) ≥
//! clamp(share × (base − less) − reserve)`.

use crate::prelude::*;
use crate::words;

words! {
    /// A moment at which stages may act.
    #[derive(Default)]
    pub enum Occasion {
        /// Before the first human message of a step is appended.
        #[default]
        TurnStart = "turn-start",
        BeforeCall = "before-call",
        /// After tool results were appended.
        AfterTools = "after-tools",
        /// After the model answered.
        AfterAnswer = "after-answer",
        TurnEnd = "turn-end",
        /// The model refused the prompt as too long.
        Overflow = "overflow",
        /// The answer was cut off at the output limit.
        OutputLimit = "output-limit",
        /// At a recorded or forced boundary.
        Boundary = "boundary",
        /// The forced run that finds the floor.
        FloorProbe = "floor-probe",
    }
}

impl Occasion {
    /// Whether something has already gone wrong when it comes.
    pub fn is_reactive(self) -> bool {
        matches!(self, Occasion::Overflow | Occasion::OutputLimit)
    }
}

/// Whether a stage needs pressure on an occasion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// It is asked every time.
    Always,
    /// It is asked when one of its pressures is met.
    Pressure,
}

/// What there is room for, by the pipeline's counter; window and output limit are the provider's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Context window.
    pub window: Tokens,
    /// Most tokens of an answer.
    pub max_output: Tokens,
    /// System prompt, with whatever every prompt carries unseen.
    pub system: Tokens,
    /// Tool schemas.
    pub schemas: Tokens,
}

words! {
    /// Something that takes room.
    pub enum Used {
        /// All entries of the view.
        Messages = "messages",
        System = "system",
        Schemas = "schemas",
        /// The output limit, reserved whole.
        MaxOutput = "max-output",
    }
}

/// Where the used tokens come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Counted now.
    #[default]
    Estimate,
    /// Prompt and completion that the provider reported for the last call.
    LastUsage(AfterCompaction),
}

/// What `last-usage` says between a compaction and the next call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AfterCompaction {
    /// The old value.
    Stale,
    /// Zero.
    Zero,
    /// The profile's own estimate.
    Estimate,
    /// An exact recount.
    Recount,
}

/// How used and limit are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Comparison {
    /// Met when used ≥ limit.
    #[default]
    AtLeast,
    /// Met when used > limit.
    Above,
}

/// A number of tokens derived from the budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Limit {
    /// Factor on the base.
    pub share: f64,
    /// The base; the window where absent.
    pub tokens: Option<Tokens>,
    /// Taken off the base first.
    pub less: Vec<Used>,
    /// Taken off the product.
    pub reserve: Tokens,
    /// Least and most of the result.
    pub clamp: Option<(Tokens, Tokens)>,
}

impl Default for Limit {
    fn default() -> Limit {
        Limit { share: 1.0, tokens: None, less: Vec::new(), reserve: Tokens::ZERO, clamp: None }
    }
}

impl Limit {
    /// In tokens.
    pub fn value(&self, budget: &Budget, messages: Tokens) -> Tokens {
        let base = self.tokens.unwrap_or(budget.window);
        let value = (base - sum(&self.less, budget, messages)).share(self.share) - self.reserve;
        match self.clamp {
            Some((least, most)) => value.max(least).min(most),
            None => value,
        }
    }
}

/// One inequality.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pressure {
    /// What is added up.
    pub used: Vec<Used>,
    /// What it is compared with.
    pub limit: Limit,
    /// How.
    #[serde(default)]
    pub compare: Comparison,
    /// Where the used tokens come from.
    #[serde(default)]
    pub basis: Basis,
    /// Where a repeating stage stops.
    pub target: Option<Limit>,
}

/// What pressure is taken to be, whatever the numbers say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forced {
    /// As the numbers say.
    #[default]
    No,
    /// Met; limits and targets as they are (a reactive pass).
    Met,
    /// Met, and every limit and target at nothing (the floor probe).
    ToTheFloor,
}

/// Measured quantities that pressure is read from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gauge {
    /// The view by the pipeline's counter, per-list part included.
    pub messages: Tokens,
    /// The view in reference tokens.
    pub reference: Tokens,
    /// Prompt and completion of the last call, as the provider would report them.
    pub last_usage: Option<Tokens>,
    /// Whether the view was compacted since that call.
    pub compacted_since: bool,
}

/// One pressure, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Tokens used.
    pub used: Tokens,
    /// Tokens at which it is met.
    pub limit: Tokens,
    /// Tokens at which a repeating stage stops.
    pub target: Tokens,
    /// Whether it is met.
    pub met: bool,
}

impl Pressure {
    pub(crate) fn check(&self) -> Result<(), String> {
        let (limit, target) = (&self.limit, self.target.as_ref());
        let above = |target: &Limit| target.tokens == limit.tokens && target.share > limit.share;
        if target.is_some_and(above) {
            return Err("its target is above its limit, so it would never act".to_owned());
        }
        let mut shares = [Some(limit), target].into_iter().flatten().map(|limit| limit.share);
        let wrong = shares.find(|share| !(0.0..=10.0).contains(share));
        wrong.map_or(Ok(()), |share| {
            Err(format!("share {share} is not between 0 and 10: 0.7 is 70 % of the window"))
        })
    }

    /// Reads the pressure.
    pub fn read(&self, budget: &Budget, gauge: &Gauge, forced: Forced) -> Reading {
        let used = self.used(budget, gauge);
        if forced == Forced::ToTheFloor {
            return Reading { used, limit: Tokens::ZERO, target: Tokens::ZERO, met: true };
        }
        let limit = self.limit.value(budget, gauge.messages);
        let target = self.target.as_ref().map_or(limit, |t| t.value(budget, gauge.messages));
        let over = match self.compare {
            Comparison::AtLeast => used >= limit,
            Comparison::Above => used > limit,
        };
        Reading { used, limit, target, met: over || forced == Forced::Met }
    }

    fn used(&self, budget: &Budget, gauge: &Gauge) -> Tokens {
        let estimate = sum(&self.used, budget, gauge.messages);
        let Basis::LastUsage(after) = self.basis else { return estimate };
        let Some(last) = gauge.last_usage else { return Tokens::ZERO };
        match after {
            _ if !gauge.compacted_since => last,
            AfterCompaction::Stale => last,
            AfterCompaction::Zero => Tokens::ZERO,
            AfterCompaction::Estimate => estimate,
            AfterCompaction::Recount => sum(&self.used, budget, gauge.reference),
        }
    }
}

/// The first met reading of several, or the first of all: a list means any-of.
pub fn read_any(
    pressures: &[Pressure],
    budget: &Budget,
    gauge: &Gauge,
    forced: Forced,
) -> Option<Reading> {
    let mut readings = pressures.iter().map(|pressure| pressure.read(budget, gauge, forced));
    let first = readings.next()?;
    if first.met { Some(first) } else { Some(readings.find(|r| r.met).unwrap_or(first)) }
}

fn sum(used: &[Used], budget: &Budget, messages: Tokens) -> Tokens {
    used.iter()
        .map(|used| match used {
            Used::Messages => messages,
            Used::System => budget.system,
            Used::Schemas => budget.schemas,
            Used::MaxOutput => budget.max_output,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressure(text: &str) -> Pressure {
        toml::from_str(text).expect("a valid pressure")
    }

    const BUDGET: Budget = Budget {
        window: Tokens(100_000),
        max_output: Tokens(10_000),
        system: Tokens(5_000),
        schemas: Tokens(5_000),
    };

    #[test]
    fn limits_follow_the_formula() {
        for (text, messages, limit, met) in crate::cases::<(String, u64, u64, bool)>("limits") {
            let gauge = Gauge { messages: Tokens(messages), ..Gauge::default() };
            let reading = pressure(&text).read(&BUDGET, &gauge, Forced::No);
            assert_eq!((reading.limit, reading.met), (Tokens(limit), met), "{text}");
        }
    }

    #[test]
    fn last_usage_says_after_a_compaction_what_the_profile_says() {
        for (after, used) in [("stale", 90), ("zero", 0), ("estimate", 40), ("recount", 50)] {
            let basis = format!("basis.last-usage = '{after}'");
            let text = format!("used = ['messages']\nlimit = {{}}\n{basis}");
            let gauge = Gauge {
                messages: Tokens(40),
                reference: Tokens(50),
                last_usage: Some(Tokens(90)),
                compacted_since: true,
            };
            let reading = pressure(&text).read(&BUDGET, &gauge, Forced::No);
            assert_eq!(reading.used, Tokens(used), "{after}");
        }
    }

    #[test]
    fn the_floor_probe_takes_every_limit_away() {
        let gauge = Gauge { messages: Tokens(1), ..Gauge::default() };
        let reading = pressure("used = [\"messages\"]\nlimit.share = 0.8\ntarget.share = 0.5")
            .read(&BUDGET, &gauge, Forced::ToTheFloor);
        assert_eq!((reading.met, reading.target), (true, Tokens::ZERO));
    }
}
