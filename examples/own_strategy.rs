//! A strategy of one's own enters suites, reports and gates: this is the whole `proctor`
//! command line with one strategy more.
//!
//! `cargo run --example own_strategy -- run examples/own_suite.toml` drives it beside two
//! that ship; `inspect --strategy half-of-the-turns` describes it; `gate` judges it.

use proctor::plan::{Decision, Layout, Plan, Slot};
use proctor::strategy::{Parameter, PlanContext, Strategy, shipped};
use proctor::view::View;
use serde::{Deserialize, Serialize};

/// Drops the oldest half of the turns once there are `turns` of them.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct HalfOfTheTurns {
    turns: usize,
}

impl Default for HalfOfTheTurns {
    fn default() -> HalfOfTheTurns {
        HalfOfTheTurns { turns: 12 }
    }
}

const PARAMETERS: &[Parameter] =
    &[Parameter::eligibility("turns", "turns from which the older half is dropped")];

impl Strategy for HalfOfTheTurns {
    fn asks(&self) -> bool {
        false
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let entries = view.entries();
        let starts: Vec<usize> = (0..entries.len()).filter(|at| entries[*at].is_user()).collect();
        if starts.len() < self.turns {
            return Decision::decline("there are too few turns");
        }
        let kept = &entries[starts[starts.len() / 2]..];
        let slots = kept.iter().map(|entry| Slot::Keep(entry.id)).collect();
        Decision::Plan(Plan::mechanical(Layout::Whole(slots)))
    }
}

fn main() -> std::process::ExitCode {
    let mut registry = shipped().clone();
    let about = "Drops the oldest half of the turns.";
    registry.add::<HalfOfTheTurns>("half-of-the-turns", about, PARAMETERS);
    registry.add_pipeline("half-of-the-turns", include_str!("own_strategy.toml"));
    proctor::cli::main_with(registry)
}
