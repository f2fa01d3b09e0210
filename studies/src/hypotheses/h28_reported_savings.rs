//! What compaction costs, and what it is said to save.

use proctor_core::error::Result;
use proctor_core::trace::{Compaction, EndedBy};
use proctor_core::unit::Tokens;
use proctor_eval::measure::MetricId;
use proctor_eval::stats::mean;

use super::reading::{each, is_applied, paired};
use super::{Driven, Finding, Laboratory, Measured, Rows};
use crate::table::row;

pub(super) fn reported(lab: &Laboratory) -> Result<Finding> {
    let cells = lab.cells("ord-long-p10-t28", "forge-head")?;
    let over = |one: &Compaction| {
        let notes = one.added.iter().filter_map(|entry| entry.note.as_deref());
        notes.filter_map(overstated).sum::<f64>()
    };
    let real = |one: &Compaction| one.before.as_f64() - one.after.as_f64();
    let per_act = each(&cells, |cell| {
        let tokens: Vec<f64> = applied(cell).map(over).filter(|tokens| *tokens > 0.0).collect();
        mean(&tokens)
    });
    let ratio = each(&cells, |cell| {
        let saved: f64 = applied(cell).map(real).sum();
        let said = applied(cell).map(|one| real(one) + over(one)).sum::<f64>();
        (saved > 0.0).then(|| said / saved)
    });
    let first_of_pass = each(&cells, |cell| {
        let acts: Vec<&Compaction> = applied(cell).collect();
        let passes = acts.chunk_by(|one, next| one.step == next.step);
        let (first, rest): (Vec<_>, Vec<_>) = passes
            .map(|pass| (over(pass[0]) > 0.0, pass[1..].iter().any(|one| over(one) > 0.0)))
            .unzip();
        let right = first.iter().filter(|over| **over).count();
        (!first.is_empty() && !rest.contains(&true)).then(|| right as f64 / first.len() as f64)
    });
    let ratio = Measured::mean("reported over real savings", "", &ratio);
    let share = Measured::mean(
        "passes whose first act, and no later one, is overstated",
        "",
        &first_of_pass,
    );
    let parts = [ratio.is_above(1.0), share.value == 1.0 && share.sessions == cells.len()];
    let measured = vec![ratio, share, Measured::mean("overstated by", "tokens", &per_act)];
    Ok(Finding::of(&parts, measured))
}

fn applied(cell: &Driven) -> impl Iterator<Item = &Compaction> {
    cell.trace.compactions.iter().filter(|one| is_applied(one))
}

/// What a note of Forge's tiers says is reported beyond the real saving.
fn overstated(note: &str) -> Option<f64> {
    let said = note.split_whitespace().find_map(|word| word.strip_prefix("overstated_by="))?;
    said.parse().ok()
}

/// From one window to four.
const SCENARIOS: [&str; 5] = [
    "ord-short-p1-t80",
    "ord-long-p6-t16",
    "ord-short-p2-t120",
    "ord-long-p10-t28",
    "multi-goal-arcs",
];
/// The band that the record names.
const BAND: std::ops::RangeInclusive<f64> = 40.0..=60.0;

pub(super) fn halved(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::default();
    let (mut all, mut net_all, mut inside) = (Vec::new(), Vec::new(), 0);
    for scenario in SCENARIOS {
        let control = lab.controls(scenario)?;
        let size = each(&control, |cell| Some(cell.session.reference.total().as_f64()));
        if size.iter().any(|tokens| *tokens <= 50_000.0) {
            continue;
        }
        for pipeline in ["forge-adr", "adr-0014-default", "forge-head"] {
            let cells = lab.cells(scenario, pipeline)?;
            let prompts = MetricId::TokensPromptTotal;
            let saved = |spent: &dyn Fn(&Driven) -> Option<f64>| {
                paired(&cells, &control, |own, whole| {
                    // What was never sent is not saved.
                    let completed = own.trace.ended_by == EndedBy::Completed;
                    let share = spent(own)? / whole.figure(prompts)?;
                    completed.then_some(100.0 * (1.0 - share))
                })
            };
            let gross = saved(&|own| own.figure(prompts));
            let net =
                saved(&|own| Some(own.figure(prompts)? + own.figure(MetricId::TokensSummarizer)?));
            let window = cells.first().map_or(Tokens::ZERO, |cell| cell.limits.window);
            rows.push(row![
                format!("`{scenario}`"),
                mean(&size).unwrap_or(f64::NAN),
                window.as_f64(),
                format!("`{pipeline}`"),
                Measured::mean(format!("{scenario} {pipeline} gross"), "%", &gross),
                Measured::mean(format!("{scenario} {pipeline} net"), "%", &net),
            ]);
            inside += gross.iter().filter(|share| BAND.contains(share)).count();
            all.extend(gross);
            net_all.extend(net);
        }
    }
    let gross = Measured::mean("gross savings over all cells that completed", "%", &all);
    let within = 100.0 * inside as f64 / all.len().max(1) as f64;
    let within = Measured::exact("share of these inside 40 to 60 %", "%", within);
    let parts = [BAND.contains(&gross.value), inside * 2 > all.len(), inside == all.len()];
    let net = Measured::mean("net savings over the same", "%", &net_all);
    Ok(Finding::of(&parts, vec![gross, within, net]).with(rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overstatement_is_read_from_the_note() {
        assert_eq!(overstated("turn_count=3 overstated_by=3500"), Some(3500.0));
        assert_eq!(overstated("turn_count=3"), None);
    }
}
