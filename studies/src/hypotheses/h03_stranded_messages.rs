//! What stays in the view at the end: H3, H4, H8.

use proctor_core::error::Result;
use proctor_core::trace::Share;

use super::reading::{each, entries_at_end};
use super::turn_shapes::{
    FEWER_PAIRS, FORGE, PAIRS, by_shape, named_first, pairs_a_turn, scenario,
};
use super::{Driven, Finding, Laboratory, Measured, Rows};
use crate::table::{Shown, row};

pub(super) fn stranded(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::default();
    let mut shares = Vec::new();
    for (pairs, cells) in by_shape(lab, &PAIRS, FORGE)? {
        let share = |driven: &Driven| {
            let turns = f64::from(driven.session.turns);
            Some(100.0 * entries_at_end(&driven.trace, Share::User) / turns)
        };
        let what = format!("user messages that stay with {}", pairs_a_turn(pairs));
        let measured = Measured::mean(what, "%", &each(&cells, share));
        rows.push(row![pairs, measured]);
        shares.push((pairs, measured));
    }
    let many =
        shares.iter().filter(|(pairs, _)| *pairs <= 1).all(|(_, share)| share.is_above(70.0));
    let few = shares.iter().filter(|(pairs, _)| *pairs >= 5).all(|(_, share)| share.is_below(5.0));
    let falls = shares.is_sorted_by(|one, next| one.1.value >= next.1.value);
    shares.retain(|(pairs, _)| [0, 1, 3, 5, 20].contains(pairs));
    let measured = shares.into_iter().map(|(_, share)| share).collect();
    Ok(Finding::of(&[many, few, falls], measured).with(rows))
}

/// Blocks by which 60 more turns add to those after the first 60, a turn.
fn rates(half: &[f64], whole: &[f64]) -> Vec<f64> {
    half.iter().zip(whole).map(|(half, whole)| (whole - half) / 60.0).collect()
}

pub(super) fn ownerless(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::default();
    let (mut parts, mut measured) = (Vec::new(), Vec::new());
    for (pairs, cells) in by_shape(lab, &PAIRS, FORGE)? {
        let blocks = |driven: &Driven| Some(f64::from(driven.trace.last.ownerless));
        let half = each(&lab.cells(&scenario(pairs, 60), FORGE)?, blocks);
        let whole = each(&cells, blocks);
        let what = format!("blocks without an owner with {}", pairs_a_turn(pairs));
        let rate = Measured::mean(what, "blocks/turn", &rates(&half, &whole));
        let after =
            |turns: &str, blocks: &[f64]| Measured::mean(format!("after {turns}"), "", blocks);
        rows.push(row![pairs, after("60", &half), after("120", &whole), rate]);
        parts.push(if pairs >= 6 { rate.is_above(0.0) } else { rate.value == 0.0 });
        if [5, 6, 20].contains(&pairs) {
            measured.push((pairs, rate));
        }
    }
    Ok(Finding::of(&parts, named_first(measured, 6)).with(rows))
}

const SECOND: &str = "forge-g2@windowless";
const THIRD: &str = "forge-head-tool-call@windowless";

pub(super) fn generations(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::default();
    let (mut single, mut all_rates, mut grows) = (Vec::new(), Vec::new(), Vec::new());
    for pairs in FEWER_PAIRS {
        let blocks = |configuration: &str| -> Result<[Vec<f64>; 2]> {
            let at = |turns| -> Result<Vec<f64>> {
                let cells = lab.cells(&scenario(pairs, turns), configuration)?;
                Ok(each(&cells, |driven| Some(entries_at_end(&driven.trace, Share::Summarized))))
            };
            Ok([at(60)?, at(120)?])
        };
        let dropped = |configuration: &str| -> Result<Measured> {
            let cells = lab.cells(&scenario(pairs, 120), configuration)?;
            Ok(Measured::mean("dropped", "%", &each(&cells, dropped_share)))
        };
        let [second, third, batched] = [blocks(SECOND)?, blocks(THIRD)?, blocks(FORGE)?];
        single.extend(second.iter().flatten().copied());
        let rate = rates(&third[0], &third[1]);
        grows.push(Measured::mean("growth", "", &rate).is_above(0.0));
        all_rates.extend(rate);
        let both = |blocks: &[Vec<f64>; 2]| {
            let means = blocks.each_ref().map(|own| Measured::mean("blocks", "", own).shown());
            means.join(", ")
        };
        rows.push(row![
            pairs,
            both(&second),
            dropped(SECOND)?,
            both(&third),
            dropped(THIRD)?,
            both(&batched),
        ]);
    }
    let measured = vec![
        Measured::mean("blocks that G2 ends with, all shapes and both lengths", "blocks", &single),
        Measured::mean("growth of G3, all shapes", "blocks/turn", &all_rates),
    ];
    let parts = [single.iter().all(|blocks| *blocks == 1.0), grows.iter().all(|grows| *grows)];
    Ok(Finding::of(&parts, measured).with(rows))
}

/// Messages that left the view with nothing standing for them, in %.
fn dropped_share(driven: &Driven) -> Option<f64> {
    let messages = driven.session.log.messages.len();
    let dropped: usize = driven.trace.compactions.iter().map(|one| one.dropped.len()).sum();
    (messages > 0).then(|| 100.0 * dropped as f64 / messages as f64)
}
