//! What becomes of a history whose summarizer always fails.

use crate::apply::Rule;
use crate::error::Result;
use crate::hypothesis::answering::brief;
use crate::hypothesis::trial::{Trial, controls, for_each, provider, tried};
use crate::hypothesis::{Finding, Hypothesis, Laboratory, Measured, Rows, Verdict};
use crate::ident::Seed;
use crate::stats::mean;
use crate::summarize::fault::{Fault, FaultKind, Faulty, Schedule};
use crate::trace::EndedBy;

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

pub(super) const SURVIVES: Hypothesis = Hypothesis {
    id: "H31",
    title: "A failing summarizer costs no history without a word",
    expects: "Whatever the summarizer does (an error, an empty answer, one longer than what it was \
              shown, a tool call), the history stays valid for a provider that pairs calls and \
              results, and nothing leaves it without a word.",
    source: "STRATEGIES 20, H31 and 22, H",
    method: "Nine profiles under four faults at every call, five sessions of 28 long turns in a \
             window of 50,000. Invalid: orphans and doubled results beyond those of the same profile \
             under a sound summarizer. Silent: facts lost in compactions that changed the view with \
             nothing to show for it, where neither a notice nor the end of the session says so.",
    judge: survives,
    remarks: &[(
        Verdict::Mixed,
        "Validity holds nearly everywhere: only Goat's cut, which depends on what the view holds, \
         breaks more pairs where the summaries are inflated. Silence does not hold. An empty answer \
         is taken for a summary by every profile but `goat-doc`, which puts a placeholder; so is the \
         empty text beside a tool call, there as well, and the roadmap alone calls that an error. \
         `goat-code` is silent on errors too: it keeps the recent part and says nothing. An error at \
         every call is fatal to all but Goat: Forge's tiers never act and the session overflows, full \
         replace and the roadmap raise. An answer that repeats what it was shown kills all but \
         `forge-g2`, which shows assistant messages alone and drops its older blocks, and \
         `goat-code`, which shows 2,000 bytes of a message: nobody compares the size of an answer \
         with what it replaces. `roadmap-code` dies here under a sound summarizer as well: it keeps \
         every tool output of the live turn, and these turns are long.",
    )],
};

fn survives(lab: &Laboratory) -> Result<Finding> {
    let control = controls(lab, "ord-long-p10-t28")?;
    let mut rows = Rows::new(
        "By profile and fault: sessions completed of five / silently lost facts a session / rules of pairing broken a session beyond a sound summarizer's",
        &["pipeline", "sound", "error", "empty", "inflated", "tool-call"],
    );
    let (mut parts, mut silent_cells, mut broken_cells) = (Vec::new(), 0, 0);
    let mut silent_all = Vec::new();
    for name in PIPELINES {
        let pipeline = crate::strategy::pipeline(name)?;
        let limits = provider(50_000, 4_096);
        let sound =
            for_each(&control, |cell| tried(lab, &cell.session, &pipeline, limits, &brief(1_000)));
        let done = sound.iter().filter(|trial| is_complete(trial)).count();
        let mut cells = vec![format!("`{name}`"), format!("{done} of 5")];
        for kind in FAULTS {
            let fault = Fault { kind, schedule: Schedule::Always };
            let trials = for_each(&control, |cell| {
                let ask = Faulty::new(Box::new(brief(1_000)), fault, Seed(cell.seed));
                tried(lab, &cell.session, &pipeline, limits, &ask)
            });
            let done = trials.iter().filter(|trial| is_complete(trial)).count();
            let silent: Vec<f64> = trials
                .iter()
                .filter_map(|trial| trial.measured.number("faults.silent_facts"))
                .collect();
            let broken: Vec<f64> =
                trials.iter().zip(&sound).map(|(own, sound)| broken(own) - broken(sound)).collect();
            let silent_mean = mean(&silent).unwrap_or(0.0);
            let broken_mean = mean(&broken).unwrap_or(0.0).max(0.0);
            cells.push(format!(
                "{done} / {} / {}",
                crate::hypothesis::number(silent_mean),
                crate::hypothesis::number(broken_mean)
            ));
            silent_cells += usize::from(silent_mean > 0.0);
            broken_cells += usize::from(broken_mean > 0.0);
            parts.push(silent_mean == 0.0 && broken_mean == 0.0);
            silent_all.extend(silent);
        }
        rows.push(cells);
    }
    let measured = vec![
        Measured::exact(
            "pairs of profile and fault with silent loss",
            "of 36",
            silent_cells as f64,
        ),
        Measured::exact(
            "pairs with pairing broken beyond a sound summarizer's",
            "of 36",
            broken_cells as f64,
        ),
        Measured::mean("silently lost facts a session, over all pairs", "", &silent_all),
    ];
    Ok(Finding::new(Verdict::of_parts(&parts), measured).with(rows))
}

fn is_complete(trial: &Trial) -> bool {
    trial.trace.ended_by == EndedBy::Completed
}

/// Rules broken that a provider which pairs ids refuses.
fn broken(trial: &Trial) -> f64 {
    let violations = trial.trace.compactions.iter().flat_map(|one| &one.violations);
    violations.filter(|violation| Rule::breaks_strict_wire(violation.rule)).count() as f64
}
