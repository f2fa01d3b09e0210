//! Where Goat cuts, and what the cut does to tool pairs.

use proctor_core::apply::Rule;
use proctor_core::error::Result;
use proctor_core::log::{Log, Role};
use proctor_core::trace::Compaction;
use proctor_eval::measure::MetricId;

use super::reading::{each, paired, runs_of};
use super::{Driven, Finding, Laboratory, Measured, Rows};
use crate::table::row;

/// Sessions with runs of tool rounds, long and short ones.
const SCENARIOS: [&str; 3] = ["ord-long-p10-t28", "ord-short-p2-t120", "turn-shape-p12-t120"];

pub(super) fn orphans(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::default();
    let (mut shares, mut all) = (Vec::new(), Vec::new());
    let mut document = 0.0;
    for scenario in SCENARIOS {
        let cells = lab.cells(scenario, "goat-code")?;
        let cuts: Vec<Cut> = cells.iter().flat_map(|cell| cuts(cell)).collect();
        let count = |wanted: &dyn Fn(&Cut) -> bool| cuts.iter().filter(|cut| wanted(cut)).count();
        rows.push(row![
            format!("`{scenario}`"),
            cuts.len(),
            count(&|cut| cut.inside),
            count(&|cut| cut.inside && cut.orphan),
            count(&|cut| !cut.inside && cut.orphan),
        ]);
        shares.extend(each(&cells, orphan_share));
        let documented = lab.cells(scenario, "goat-doc")?;
        document += documented.iter().map(|cell| orphans_of(cell)).sum::<f64>();
        all.extend(cuts);
    }
    let (inside, outside): (Vec<Cut>, Vec<Cut>) = all.into_iter().partition(|cut| cut.inside);
    let with = inside.iter().filter(|cut| cut.orphan).count();
    let share = Measured::mean("share of cuts that leave an orphan result", "", &shares);
    let parts = [
        share.is_above(0.0),
        !inside.is_empty() && with == inside.len(),
        outside.iter().all(|cut| !cut.orphan),
    ];
    let measured = vec![
        share,
        Measured::exact("cuts inside a run of rounds", "", inside.len() as f64),
        Measured::exact("of these with an orphan", "", with as f64),
        Measured::exact("orphans of `goat-doc`, which does as the document says", "", document),
    ];
    Ok(Finding::of(&parts, measured).with(rows))
}

/// Where a compaction cut the log, and what it left.
struct Cut {
    inside: bool,
    orphan: bool,
}

fn cuts(driven: &Driven) -> Vec<Cut> {
    let log = &driven.session.log;
    let cut = |one: &Compaction| {
        let last = one.added.iter().flat_map(|entry| entry.covers.iter()).max()?;
        let first = last.0 as usize + 1;
        Some(Cut { inside: is_inside(log, first), orphan: has_orphan(one) })
    };
    runs_of(&driven.trace, 0).filter_map(cut).collect()
}

fn has_orphan(compaction: &Compaction) -> bool {
    compaction.violations.iter().any(|violation| violation.rule == Rule::OrphanResult)
}

/// Whether the message belongs to a run of two or more tool rounds that began before it.
fn is_inside(log: &Log, first: usize) -> bool {
    let is_round = |place: usize| {
        let message = log.messages.get(place);
        message.is_some_and(|message| message.role == Role::Tool || !message.calls.is_empty())
    };
    let calls = |place: usize| log.messages.get(place).is_some_and(|m| !m.calls.is_empty());
    if first == 0 || !is_round(first) || !is_round(first - 1) {
        return false;
    }
    let begins = (0..first).rev().take_while(|place| is_round(*place)).last().unwrap_or(first);
    (begins..).take_while(|place| is_round(*place)).filter(|place| calls(*place)).count() >= 2
}

fn orphan_share(driven: &Driven) -> Option<f64> {
    let cuts = cuts(driven);
    let with = cuts.iter().filter(|cut| cut.orphan).count();
    proctor_eval::stats::share(with, cuts.len())
}

fn orphans_of(driven: &Driven) -> f64 {
    runs_of(&driven.trace, 0).filter(|one| has_orphan(one)).count() as f64
}

pub(super) fn repaired(lab: &Laboratory) -> Result<Finding> {
    let (mut per_session, mut compactions, mut kept) = (Vec::new(), 0, Vec::new());
    for scenario in SCENARIOS {
        let fixed = lab.cells(scenario, "goat-fixed")?;
        let source = lab.cells(scenario, "goat-code")?;
        per_session.extend(each(&fixed, |cell| Some(orphans_of(cell))));
        compactions += fixed.iter().map(|cell| runs_of(&cell.trace, 0).count()).sum::<usize>();
        kept.extend(paired(&fixed, &source, |fixed, source| {
            let prompts = MetricId::TokensPromptTotal;
            Some(100.0 * (fixed.figure(prompts)? / source.figure(prompts)? - 1.0))
        }));
    }
    let orphans = Measured::mean("orphan results a session", "", &per_session);
    let parts = [compactions > 0 && per_session.iter().all(|count| *count == 0.0)];
    let measured = vec![
        orphans,
        Measured::exact("compactions", "", compactions as f64),
        Measured::mean("prompt tokens against `goat-code`", "%", &kept),
    ];
    Ok(Finding::of(&parts, measured))
}

#[cfg(test)]
mod tests {
    use super::super::constructed::Construction;
    use super::*;

    #[test]
    fn a_cut_is_inside_a_run_only_between_its_rounds() {
        let mut made = Construction::new();
        // u, A T, A T, a, u, A T, a
        made.user(9).pairs(2, 9).answer(9).user(9).pairs(1, 9).answer(9);
        let log = made.log();
        let inside: Vec<usize> =
            (0..log.messages.len()).filter(|first| is_inside(log, *first)).collect();
        assert_eq!(inside, [2, 3, 4], "a single round is no run, and its ends are outside");
    }
}
