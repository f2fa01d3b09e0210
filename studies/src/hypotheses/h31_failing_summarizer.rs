//! What becomes of a history whose summarizer always fails.

use proctor_core::apply::Rule;
use proctor_core::error::Result;
use proctor_core::ident::Seed;
use proctor_core::summarize::fault::{Fault, FaultKind, Faulty, Schedule};
use proctor_core::trace::EndedBy;
use proctor_eval::measure::MetricId;
use proctor_eval::stats::mean;

use super::constructed::provider;
use super::reading::for_each;
use super::summarizers::brief;
use super::{Driven, Finding, Laboratory, Measured, Rows};
use crate::table::number;

/// One of each family of strategies.
const PIPELINES: [&str; 9] = [
    "forge-adr",
    "forge-head",
    "forge-g2",
    "goat-doc",
    "goat-code",
    "full-replace",
    "full-replace-fixed",
    "roadmap-code",
    "codex",
];
/// How the summarizer fails, every time.
const FAULTS: [FaultKind; 4] =
    [FaultKind::Error, FaultKind::Empty, FaultKind::Inflated, FaultKind::ToolCall];

pub(super) fn survives(lab: &Laboratory) -> Result<Finding> {
    let control = lab.controls("ord-long-p10-t28")?;
    let mut rows = Rows::default();
    let (mut parts, mut silent_cells, mut broken_cells) = (Vec::new(), 0, 0);
    let mut silent_all = Vec::new();
    for name in PIPELINES {
        let pipeline = proctor_strategies::pipeline(name)?;
        let limits = provider(50_000, 4_096);
        let sound = for_each(&control, |cell| lab.tried(cell, &pipeline, limits, &brief(1_000)));
        let done = sound.iter().filter(|trial| is_complete(trial)).count();
        let mut cells = vec![format!("`{name}`"), format!("{done} of 5")];
        for kind in FAULTS {
            let fault = Fault { kind, schedule: Schedule::Always };
            let trials = for_each(&control, |cell| {
                let ask = Faulty::new(Box::new(brief(1_000)), fault, Seed(cell.seed));
                lab.tried(cell, &pipeline, limits, &ask)
            });
            let done = trials.iter().filter(|trial| is_complete(trial)).count();
            let silent =
                trials.iter().filter_map(|trial| trial.figure(MetricId::FaultsSilentFacts));
            let silent: Vec<f64> = silent.collect();
            let broken: Vec<f64> =
                trials.iter().zip(&sound).map(|(own, sound)| broken(own) - broken(sound)).collect();
            let silent_mean = mean(&silent).unwrap_or(0.0);
            let broken_mean = mean(&broken).unwrap_or(0.0).max(0.0);
            cells.push(format!("{done} / {} / {}", number(silent_mean), number(broken_mean)));
            silent_cells += usize::from(silent_mean > 0.0);
            broken_cells += usize::from(broken_mean > 0.0);
            parts.push(silent_mean == 0.0 && broken_mean == 0.0);
            silent_all.extend(silent);
        }
        rows.push(cells);
    }
    let pairs = |what: &str, pairs: usize| Measured::exact(what, "of 36", pairs as f64);
    let measured = vec![
        pairs("pairs of profile and fault with silent loss", silent_cells),
        pairs("pairs with pairing broken beyond a sound summarizer's", broken_cells),
        Measured::mean("silently lost facts a session, over all pairs", "", &silent_all),
    ];
    Ok(Finding::of(&parts, measured).with(rows))
}

fn is_complete(trial: &Driven) -> bool {
    trial.trace.ended_by == EndedBy::Completed
}

/// Rules broken that a provider which pairs ids refuses.
fn broken(trial: &Driven) -> f64 {
    let violations = trial.trace.compactions.iter().flat_map(|one| &one.violations);
    violations.filter(|violation| Rule::breaks_strict_wire(violation.rule)).count() as f64
}
