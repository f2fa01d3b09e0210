//! Whether two runs measured the same thing.

use super::inputs::{Difference, Differing, Inputs};
use crate::error::{Error, Result};
use crate::measure::MetricId;
use crate::run_dir::read::RunData;

/// What two runs do not have in common.
#[derive(Clone, Debug, Default)]
pub(super) struct Agreed {
    differing: Vec<Differing>,
    /// What that leaves out.
    pub(super) notes: Vec<String>,
}

impl Agreed {
    /// Whether the metric means the same in both.
    pub(super) fn keeps(&self, metric: MetricId) -> bool {
        !self.differing.iter().any(|what| what.touches(metric))
    }

    /// Whether the session is the same in both.
    pub(super) fn holds(&self, scenario: &str, seed: u64) -> bool {
        !self.differing.iter().any(|what| what.is_about(scenario, seed))
    }
}

/// What differs is refused, or named and left out where that is allowed. The summarizer
/// may differ: it can be what is compared.
pub(super) fn agreed(base: &RunData, other: Option<&RunData>, allow: bool) -> Result<Agreed> {
    let Some(other) = other else { return Ok(Agreed::default()) };
    let (ours, theirs) = (Inputs::of(&base.manifest), Inputs::of(&other.manifest));
    let mut agreed = Agreed::default();
    for Difference { what, says } in ours.differences(&theirs) {
        let is_known = match &what {
            Differing::Summarizer => true,
            Differing::Session(scenario, seed) => !agreed.holds(scenario, *seed),
            Differing::Schema
            | Differing::Tokenizer
            | Differing::Scenario(_)
            | Differing::Prices
            | Differing::Metric(_) => false,
        };
        if !is_known {
            agreed.differing.push(what);
            agreed.notes.push(says);
        }
    }
    let Some(first) = agreed.notes.first().filter(|_| !allow) else { return Ok(agreed) };
    let more = match agreed.notes.len() {
        1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    Err(Error::Invalid {
        place: "compare".to_owned(),
        rule: format!("the runs are not of the same inputs: {first}{more}"),
        hint: Some("`--allow` compares what they have in common".to_owned()),
    })
}
