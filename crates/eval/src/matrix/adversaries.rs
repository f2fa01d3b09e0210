//! The adversaries of a suite: what is driven beside the brackets and must lose.

use crate::matrix::{CellKey, CellSpec, Configuration, Suite, Summarizer, SummarizerName};
use crate::prelude::*;
use crate::scenario::Scenario;
use crate::strategy::Registry;
use crate::summarize::adversary::Adversary;

/// The variant of configurations that are driven as adversaries. None of them is a contestant.
pub const ADVERSARY: &str = "adversary";

/// The summarizer that no adversary may beat: sentences by lot.
pub const CHANCE: SummarizerName = SummarizerName::RandomSentence;

/// The pipeline under which adversarial summarizers answer, with chance beside them.
pub const UNDER: &str = "forge-adr";

/// Adversarial strategies; each is judged beside chance too.
const STRATEGIES: [&str; 3] = ["blind", "hoarder", "amnesiac"];

/// None where the suite drives no adversary.
pub(super) fn configurations(
    registry: &Registry,
    suite: &Suite,
) -> impl Iterator<Item = Result<Configuration>> {
    let names = [UNDER].into_iter().chain(STRATEGIES).filter(|_| !suite.adversaries.is_empty());
    names.map(|name| Ok(Configuration::new(registry.pipeline(name)?, false, ADVERSARY)))
}

/// The cells of a session: a pipeline that asks is asked under chance and every adversarial
/// summarizer, one that does not is driven once.
pub(super) fn cells(
    suite: &Suite,
    (number, configuration): (usize, &Configuration),
    (scenario, turns, seed): (&Scenario, u32, u64),
) -> Vec<CellSpec> {
    let is_first = suite.seeds.first() == Some(&seed);
    if !is_first || !suite.adversaries.contains(&scenario.name) {
        return Vec::new();
    }
    let (main, mode) = (suite.summarizer, suite.modes[0]);
    let cell = |summarizer: Summarizer| CellSpec {
        key: CellKey::new((scenario, turns, seed), configuration, mode, (summarizer, main), 0),
        configuration: number,
        mode,
        summarizer,
    };
    if !configuration.pipeline.asks() {
        return vec![cell(main)];
    }
    let names = Adversary::ALL.map(SummarizerName::Adversary);
    [CHANCE].into_iter().chain(names).map(|name| cell(Summarizer::sound(name))).collect()
}
