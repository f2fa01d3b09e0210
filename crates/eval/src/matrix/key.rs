//! Cell ids: the axes of a cell, written down.

use crate::drive::Mode;
use crate::matrix::{Configuration, Summarizer};
use crate::prelude::*;
use crate::record;
use crate::scenario::Scenario;

/// What stands between a summarizer and the fault around it: `extractive+error`.
pub(super) const FAULT: char = '+';

record! {
    /// A cell's id and its axes, as every row and the manifest carry them.
    #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub struct CellKey {
        /// The id, e.g. `multi-goal-arcs@100k/forge-adr/7`.
        pub cell: String,
        /// Scenario (or transcript) name.
        pub scenario: String,
        /// Scenarios that differ only in length share a family; else the scenario.
        pub family: String,
        /// Human turns of the session.
        pub turns: u32,
        /// The window in tokens: the scenario's (also for windowless cells), or the suite's.
        pub window: u64,
        /// Pipeline name; `none@windowless` style suffixes are in `variant`.
        pub pipeline: String,
        /// `windowed`, `windowless`, `limit=0.40` for a swept limit, or `adversary`.
        pub variant: String,
        /// Which occasions act: `deployed`, or an intervention.
        pub mode: String,
        /// Seed; 0 for transcripts.
        pub seed: u64,
        /// Summarizer, with what is put around it: `perfect~0.05`, `extractive+error-0.3`.
        pub summarizer: String,
        /// Draw of a stochastic summarizer.
        pub replicate: u32,
    }
}

/// Pipeline and variant as tables name a configuration.
pub fn configuration(pipeline: &str, variant: &str) -> String {
    match variant {
        "windowed" => pipeline.to_owned(),
        variant => format!("{pipeline}@{variant}"),
    }
}

/// What an id has behind the seed: the axes that are not at their default, of which the
/// summarizer's is empty for the main one.
pub(crate) fn unusual(mode: Mode, summarizer: &str, replicate: u32) -> String {
    let mode = if mode == Mode::Deployed { "" } else { mode.name() };
    let draw = if replicate > 0 { format!("r{replicate}") } else { String::new() };
    let parts = [mode, summarizer, &draw].into_iter().filter(|part| !part.is_empty());
    parts.map(|part| format!("/{part}")).collect()
}

pub(super) fn in_thousands(window: Tokens) -> String {
    match window.0 {
        whole if whole.is_multiple_of(1_000) => format!("{}k", whole / 1_000),
        other => other.to_string(),
    }
}

impl CellKey {
    /// Pipeline and variant as tables name a configuration.
    pub fn configuration(&self) -> String {
        configuration(&self.pipeline, &self.variant)
    }

    /// The fault that was put around the summarizer, where there is one.
    pub fn fault(&self) -> Option<&str> {
        self.summarizer.split_once(FAULT).map(|(_, fault)| fault)
    }

    /// The summarizer without its fault.
    pub fn sound_summarizer(&self) -> &str {
        self.summarizer.split_once(FAULT).map_or(&self.summarizer, |(name, _)| name)
    }

    /// The key of a cell of a session (scenario, turns, seed), under a summarizer beside the main
    /// one; its id prints the axes that are not at their default.
    pub(super) fn new(
        (scenario, turns, seed): (&Scenario, u32, u64),
        configuration: &Configuration,
        mode: Mode,
        (summarizer, main): (Summarizer, Summarizer),
        replicate: u32,
    ) -> CellKey {
        let window = configuration.window.unwrap_or(scenario.window);
        let (size, name) = (in_thousands(window), configuration.name());
        let other = if summarizer == main { String::new() } else { summarizer.to_string() };
        let unusual = unusual(mode, &other, replicate);
        CellKey {
            cell: format!("{}@{size}/{name}/{seed}{unusual}", scenario.name),
            scenario: scenario.name.clone(),
            family: scenario.family.clone().unwrap_or_else(|| scenario.name.clone()),
            turns,
            window: window.0,
            pipeline: configuration.pipeline.name.clone(),
            variant: configuration.variant.clone(),
            mode: mode.name().to_owned(),
            seed,
            summarizer: summarizer.to_string(),
            replicate,
        }
    }
}
