//! Compactions that hardly free anything: H19.

use std::sync::Arc;

use proctor_core::error::Result;
use proctor_core::trace::EndedBy;

use super::reading::{each, freed_shares, paired};
use super::{Driven, Finding, Laboratory, Measured, Rows};
use crate::table::row;

const SCENARIO: &str = "ord-long-p10-t28";
const STRATEGIES: [&str; 8] = [
    "truncate",
    "forge-head",
    "forge-adr",
    "forge-g2",
    "full-replace",
    "goat-code",
    "codex",
    "roadmap-code",
];
/// A compaction that frees less hardly paid.
const LITTLE: f64 = 0.05;

pub(super) fn distinguishes(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::default();
    let driven: Vec<_> =
        STRATEGIES.iter().map(|name| lab.cells(SCENARIO, name)).collect::<Result<_>>()?;
    let completed = |cells: &[Arc<Driven>]| {
        cells.iter().filter(|cell| cell.trace.ended_by == EndedBy::Completed).count()
    };
    let compared: Vec<_> = STRATEGIES
        .iter()
        .zip(&driven)
        .filter(|(_, cells)| completed(cells) == cells.len())
        .collect();
    let (mut pairs, mut apart) = (0_u32, 0);
    for (name, ours) in STRATEGIES.iter().zip(&driven) {
        let is_compared = compared.iter().any(|(known, _)| *known == name);
        let others = compared.iter().filter(|(other, _)| is_compared && *other != name);
        let (mut from, mut of) = (0, 0);
        for (other, theirs) in others {
            let differences = paired(ours, theirs, |one, two| Some(index(one)? - index(two)?));
            let difference = Measured::mean(format!("{name} less {other}"), "%", &differences);
            from += u32::from(difference.is_above(0.0) || difference.is_below(0.0));
            of += 1;
        }
        (pairs, apart) = (pairs + of, apart + from);
        let count = each(ours, |cell| Some(freed_shares(&cell.trace).len() as f64));
        let freed = each(ours, |cell| {
            proctor_eval::stats::median(&freed_shares(&cell.trace)).map(|share| 100.0 * share)
        });
        rows.push(row![
            format!("`{name}`"),
            format!("{} of {}", completed(ours), ours.len()),
            Measured::mean("count", "", &count),
            Measured::mean("index", "%", &each(ours, index)),
            Measured::mean("freed", "%", &freed),
            if is_compared { format!("{from} of {of}") } else { "–".to_owned() },
        ]);
    }
    // Every pair was seen from both sides.
    let share = 100.0 * f64::from(apart) / f64::from(pairs.max(1));
    let sessions = driven.first().map_or(0, Vec::len);
    let what = format!("of {} pairs of strategies, told apart", pairs / 2);
    let measured = vec![Measured::exact(what, "%", share).over(sessions)];
    let parts = [apart > 0, apart == pairs];
    Ok(Finding::of(&parts, measured).with(rows))
}

/// Compactions that freed little, in %; `None` where there was none.
fn index(driven: &Driven) -> Option<f64> {
    let freed = freed_shares(&driven.trace);
    let little = freed.iter().filter(|share| **share < LITTLE).count();
    (!freed.is_empty()).then(|| 100.0 * little as f64 / freed.len() as f64)
}
