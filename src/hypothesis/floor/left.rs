//! What stays in the view at the end: H3, H4, H8.

use super::super::reading::{cell, each, entries_at_end};
use super::super::{Driven, Finding, Hypothesis, Laboratory, Measured, Rows, Verdict};
use super::{FEWER_PAIRS, FORGE, PAIRS, scenario};
use crate::error::Result;
use crate::trace::Share;

pub(super) const STRANDED: Hypothesis = Hypothesis {
    id: "H3",
    title: "Short turns strand user messages",
    expects: "The share of user messages that stay in the view falls as turns have more tool pairs: at least 70 % with 0 or 1 pair, about none with 5 or more.",
    source: "STRATEGIES 20, H3 and the structural model of 1.7",
    method: "`forge-head-no-threshold` without a window, 120 turns. User messages in the last view over the turns of the session; \"about none\" is under 5 %. The newest turns, which no tier touches, are counted in, as the model counts them.",
    judge: stranded,
    remarks: &[],
};

fn stranded(lab: &Laboratory) -> Result<Finding> {
    let caption = "User messages in the last view, % of all turns, 5 sessions each";
    let mut rows = Rows::new(caption, &["pairs", "stay"]);
    let mut shares = Vec::new();
    for pairs in PAIRS {
        let cells = lab.cells(&scenario(pairs, 120), FORGE)?;
        let share = |driven: &Driven| {
            Some(
                100.0 * entries_at_end(&driven.trace, Share::User)
                    / f64::from(driven.session.turns),
            )
        };
        let what = format!("user messages that stay at {pairs} pairs");
        let measured = Measured::mean(what, "%", &each(&cells, share));
        rows.push([pairs.to_string(), cell(&measured)]);
        shares.push((pairs, measured));
    }
    let of = |pairs: u32| shares.iter().find(|(known, _)| *known == pairs).map(|(_, share)| share);
    let many =
        shares.iter().filter(|(pairs, _)| *pairs <= 1).all(|(_, share)| share.is_above(70.0));
    let few = shares.iter().filter(|(pairs, _)| *pairs >= 5).all(|(_, share)| share.is_below(5.0));
    let falls = shares.is_sorted_by(|one, next| one.1.value >= next.1.value);
    let measured = [0, 1, 3, 5, 20].into_iter().filter_map(|pairs| of(pairs).cloned()).collect();
    Ok(Finding::new(Verdict::of_parts(&[many, few, falls]), measured).with(rows))
}

pub(super) const OWNERLESS: Hypothesis = Hypothesis {
    id: "H4",
    title: "Long turns leave summaries without an owner",
    expects: "[SUMMARIZED] blocks that follow no user message grow in number with the turns from 6 tool pairs a turn on, and not below.",
    source: "STRATEGIES 20, H4 and the structural model of 1.7",
    method: "`forge-head-no-threshold` without a window: such blocks in the last view of sessions of 60 and of 120 turns, their difference over the 60 turns between.",
    judge: ownerless,
    remarks: &[],
};

fn ownerless(lab: &Laboratory) -> Result<Finding> {
    let caption = "[SUMMARIZED] blocks without an owner, 5 sessions each";
    let mut rows =
        Rows::new(caption, &["pairs", "after 60 turns", "after 120 turns", "blocks/turn"]);
    let (mut parts, mut measured) = (Vec::new(), Vec::new());
    for pairs in PAIRS {
        let blocks = |driven: &Driven| Some(f64::from(driven.trace.last.ownerless));
        let half = each(&lab.cells(&scenario(pairs, 60), FORGE)?, blocks);
        let whole = each(&lab.cells(&scenario(pairs, 120), FORGE)?, blocks);
        let rates: Vec<f64> =
            half.iter().zip(&whole).map(|(half, whole)| (whole - half) / 60.0).collect();
        let rate = Measured::mean(
            format!("ownerless blocks per turn at {pairs} pairs"),
            "blocks/turn",
            &rates,
        );
        rows.push([
            pairs.to_string(),
            cell(&Measured::mean("after 60", "", &half)),
            cell(&Measured::mean("after 120", "", &whole)),
            cell(&rate),
        ]);
        parts.push(if pairs >= 6 { rate.is_above(0.0) } else { rate.value == 0.0 });
        if [5, 6, 20].contains(&pairs) {
            measured.push(rate);
        }
    }
    measured.sort_by(|one, other| other.what.contains(" 6 ").cmp(&one.what.contains(" 6 ")));
    Ok(Finding::new(Verdict::of_parts(&parts), measured).with(rows))
}

pub(super) const GENERATIONS: Hypothesis = Hypothesis {
    id: "H8",
    title: "The second generation of Forge keeps one summary, the third keeps all",
    expects: "After each batch of tool calls the code of February 2026 (G2) keeps exactly one [SUMMARIZED] block; in the present code (G3) they accumulate.",
    source: "STRATEGIES 20, H8; Forge at 56b6863 and at 0bff338",
    method: "The tool-call tiers with goal batches of both generations, `forge-g2` and `forge-head-no-threshold`, without a window, so that no threshold acts: [SUMMARIZED] blocks in the last view after 60 and 120 turns, and what became of the blocks that are gone: covered by a goal batch, or dropped with nothing standing for them.",
    judge: generations,
    remarks: &[],
};

fn generations(lab: &Laboratory) -> Result<Finding> {
    let caption = "[SUMMARIZED] blocks in the last view after 60 and 120 turns, and the share of the log's messages that left with nothing standing for them (%), 5 sessions each";
    let mut rows = Rows::new(
        caption,
        &[
            "pairs",
            "G2 at 60",
            "G2 at 120",
            "G2 dropped",
            "G3 at 60",
            "G3 at 120",
            "G3 dropped",
            "G3 without goal batches at 120",
        ],
    );
    let (mut single, mut accumulate, mut largest) = (Vec::new(), Vec::new(), Vec::new());
    for pairs in FEWER_PAIRS {
        let blocks = |turns: u32, configuration: &str| -> Result<Vec<f64>> {
            let cells = lab.cells(&scenario(pairs, turns), configuration)?;
            Ok(each(&cells, |driven| Some(entries_at_end(&driven.trace, Share::Summarized))))
        };
        let dropped = |configuration: &str| -> Result<Measured> {
            let cells = lab.cells(&scenario(pairs, 120), configuration)?;
            Ok(Measured::mean("dropped", "%", &each(&cells, dropped_share)))
        };
        let second = [blocks(60, "forge-g2@windowless")?, blocks(120, "forge-g2@windowless")?];
        let third = [blocks(60, FORGE)?, blocks(120, FORGE)?];
        let alone = blocks(120, "forge-head-tool-call@windowless")?;
        let growth: Vec<f64> =
            third[0].iter().zip(&third[1]).map(|(half, whole)| whole - half).collect();
        single.extend(second.iter().flatten().map(|blocks| *blocks == 1.0));
        let growth = Measured::mean("growth", "", &growth);
        accumulate.push((pairs, growth.is_above(0.0)));
        largest.extend(second[1].iter().copied());
        let mean = |values: &[f64]| cell(&Measured::mean("blocks", "", values));
        rows.push([
            pairs.to_string(),
            mean(&second[0]),
            mean(&second[1]),
            cell(&dropped("forge-g2@windowless")?),
            mean(&third[0]),
            mean(&third[1]),
            cell(&dropped(FORGE)?),
            mean(&alone),
        ]);
    }
    let one = single.iter().filter(|one| **one).count();
    let share = 100.0 * one as f64 / single.len().max(1) as f64;
    let measured = vec![
        Measured::mean("[SUMMARIZED] blocks of G2 at the end, all shapes", "blocks", &largest),
        Measured {
            sessions: single.len(),
            ..Measured::exact("sessions in which G2 ends with exactly one", "%", share)
        },
    ];
    let parts = [one == single.len(), accumulate.iter().all(|(_, grows)| *grows)];
    let verdict = match (Verdict::of_parts(&parts), one, accumulate.iter().any(|(_, grows)| *grows))
    {
        // Of each half, something was found: neither is plainly false.
        (Verdict::Contradicted, 1.., _) | (Verdict::Contradicted, _, true) => Verdict::Mixed,
        (verdict, _, _) => verdict,
    };
    Ok(Finding::new(verdict, measured).with(rows))
}

/// Messages that left the view with nothing standing for them, in %.
fn dropped_share(driven: &Driven) -> Option<f64> {
    let messages = driven.session.log.messages.len();
    let dropped: usize = driven.trace.compactions.iter().map(|one| one.dropped.len()).sum();
    (messages > 0).then(|| 100.0 * dropped as f64 / messages as f64)
}
