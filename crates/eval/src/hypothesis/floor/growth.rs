//! How the floor grows with the turns: H1, H2, H7.

use super::super::reading::{cell, each, paired, turn_ends};
use super::super::{Driven, Finding, Hypothesis, Laboratory, Measured, Rows, Verdict};
use super::{FEWER_PAIRS, FORGE, PAIRS, pairs_a_turn, scenario, slope, structure};
use crate::error::Result;
use crate::ident::Seed;
use crate::measure::floor::{self, LinearGrowth, Series};
use crate::stats::fit::{Model, fit};

const PER_TURN: &str = "tokens/turn";

pub(super) const GROWS: Hypothesis = Hypothesis {
    id: "H1",
    title: "Goal batches without a threshold leave a floor that grows",
    expects: "With the tool-call tier and goal batches but no threshold, the tokens of user messages, [SUMMARIZED] blocks and [GOAL BATCH] blocks together grow linearly with the turns, whatever the number of tool pairs a turn.",
    source: "STRATEGIES 20, H1; ADR-0041 against Forge at 0bff338",
    method: "`forge-head-no-threshold` without a window, turns of one shape with 0 to 20 tool pairs, 120 turns. Of each session: the Theil-Sen slope of those tokens over the turns after the 20th, and whether a line fits them better than a constant and than a logarithm (AICc).",
    judge: grows,
    remarks: &[],
};

fn grows(lab: &Laboratory) -> Result<Finding> {
    let caption = "Growth by tool pairs a turn, 5 sessions each";
    let mut rows = Rows::new(caption, &["pairs", "slope, tokens/turn", "a line fits best"]);
    let (mut parts, mut least, mut lines): (_, Option<Measured>, _) =
        (Vec::new(), None, Vec::new());
    for pairs in PAIRS {
        let cells = lab.cells(&scenario(pairs, 120), FORGE)?;
        let slope = Measured::mean(
            format!("slope with {}, the least of all shapes", pairs_a_turn(pairs)),
            PER_TURN,
            &each(&cells, slope),
        );
        let linear = each(&cells, |cell| best_model(cell).map(|m| f64::from(m == Model::Linear)));
        let best = linear.iter().filter(|one| **one > 0.0).count();
        rows.push([pairs.to_string(), cell(&slope), format!("{best} of {}", linear.len())]);
        parts.push(slope.is_above(0.0) && best == linear.len());
        lines.extend(linear.iter().map(|one| 100.0 * one));
        if least.as_ref().is_none_or(|least| slope.value < least.value) {
            least = Some(slope);
        }
    }
    let lines = Measured::mean("sessions that a line fits best", "%", &lines);
    Ok(Finding::new(Verdict::of_parts(&parts), least.into_iter().chain([lines]).collect())
        .with(rows))
}

/// The model of growth with the least AICc.
fn best_model(driven: &Driven) -> Option<Model> {
    let points = structure(driven);
    let fits = Model::ALL.iter().filter_map(|model| fit(*model, &points));
    let known = fits.filter_map(|fit| Some((fit.aicc?, fit.model)));
    known.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, model)| model)
}

pub(super) const BATCHES_SLOW_IT: Hypothesis = Hypothesis {
    id: "H2",
    title: "Goal batches slow the growth",
    expects: "The slope of H1 is smaller with goal batches than without them.",
    source: "STRATEGIES 20, H2; ADR-0041",
    method: "As H1, session by session against `forge-head-tool-call`, which is the same without goal batches.",
    judge: slower,
    remarks: &[],
};

fn slower(lab: &Laboratory) -> Result<Finding> {
    let caption = "Slope in tokens/turn by tool pairs a turn, 5 sessions each";
    let mut rows = Rows::new(caption, &["pairs", "with goal batches", "without", "difference"]);
    let (mut parts, mut worst): (_, Option<Measured>) = (Vec::new(), None);
    for pairs in FEWER_PAIRS {
        let with = lab.cells(&scenario(pairs, 120), FORGE)?;
        let without = lab.cells(&scenario(pairs, 120), "forge-head-tool-call@windowless")?;
        let mean = |cells| Measured::mean("slope", PER_TURN, &each(cells, slope));
        let difference = Measured::mean(
            format!(
                "slope with goal batches minus slope without, {}, where they save least",
                pairs_a_turn(pairs)
            ),
            PER_TURN,
            &paired(&with, &without, |ours, theirs| Some(slope(ours)? - slope(theirs)?)),
        );
        rows.push([
            pairs.to_string(),
            cell(&mean(&with)),
            cell(&mean(&without)),
            cell(&difference),
        ]);
        parts.push(difference.is_below(0.0));
        if worst.as_ref().is_none_or(|worst| difference.value > worst.value) {
            worst = Some(difference);
        }
    }
    Ok(Finding::new(Verdict::of_parts(&parts), worst.into_iter().collect()).with(rows))
}

pub(super) const REBATCHED: Hypothesis = Hypothesis {
    id: "H7",
    title: "Turn-atomic summaries and batches of batches bound the floor",
    expects: "A variant whose summaries keep to their turn and whose goal batches are batched again has a floor that grows logarithmically or not at all.",
    source: "STRATEGIES 20, H7; `forge-rebatch` is this project's own variant, no one's code",
    method: "`forge-rebatch` against `forge-adr` without its threshold tier and against `forge-head-no-threshold`, none with a window, so that nothing but the tiers bounds the view. Tokens of user messages and summaries at the last call of every turn of the second half, when batches are being batched again: slopes session by session, and the growth that the floor's own verdict would find (linear growth excluded or not). 120 turns; without tool pairs, where a goal batch comes only every ten turns, 200 (`floor-p0-t200`).",
    judge: rebatched,
    remarks: &[(
        Verdict::Confirmed,
        "The view grows until as many goal batches stand as the variant allows, and from then on rises and falls with each batch of batches; hence the second half. What the oldest batch says is summarized anew each time. What that costs in memory is no part of this hypothesis.",
    )],
};

/// A session long enough for batches of batches.
fn long(pairs: u32) -> String {
    if pairs == 0 { "floor-p0-t200".to_owned() } else { scenario(pairs, 120) }
}

fn rebatched(lab: &Laboratory) -> Result<Finding> {
    let caption = "Tokens/turn in the second half by tool pairs a turn, 5 sessions each, and the tokens at the last call";
    let mut rows = Rows::new(
        caption,
        &[
            "pairs",
            "`forge-rebatch`",
            "growth",
            "`forge-adr` without threshold",
            "Forge's code without threshold",
            "tokens at the end: variant, records, code",
        ],
    );
    let (mut parts, mut worst): (_, Option<Measured>) = (Vec::new(), None);
    for pairs in FEWER_PAIRS {
        let of = |configuration| lab.cells(&long(pairs), configuration);
        let ours = of("forge-rebatch@windowless")?;
        let records = of("forge-tool-call-goal-batch@windowless")?;
        let code = of(FORGE)?;
        let slope =
            |cells: &[_], what: String| Measured::mean(what, PER_TURN, &each(cells, late_slope));
        let own = slope(
            &ours,
            format!(
                "slope of `forge-rebatch` with {}, the largest of all shapes",
                pairs_a_turn(pairs)
            ),
        );
        let saved = Measured::mean(
            "difference",
            PER_TURN,
            &paired(&ours, &code, |one, other| Some(late_slope(one)? - late_slope(other)?)),
        );
        let excluded = growth(&ours, pairs);
        let ends: Vec<String> = [&ours, &records, &code]
            .map(|cells| cell(&Measured::mean("end", "tokens", &each(cells, at_end))))
            .into();
        rows.push([
            pairs.to_string(),
            cell(&own),
            excluded.map_or_else(
                || "–".to_owned(),
                |(model, linear)| format!("{}, linear {}", model.name(), told(linear)),
            ),
            cell(&slope(&records, "records".to_owned())),
            cell(&slope(&code, "code".to_owned())),
            ends.join(", "),
        ]);
        parts.push(
            excluded.is_some_and(|(_, linear)| linear == LinearGrowth::Excluded)
                && saved.is_below(0.0),
        );
        if worst.as_ref().is_none_or(|worst| own.value > worst.value) {
            worst = Some(own);
        }
    }
    Ok(Finding::new(Verdict::of_parts(&parts), worst.into_iter().collect()).with(rows))
}

fn told(linear: LinearGrowth) -> &'static str {
    match linear {
        LinearGrowth::Excluded => "excluded",
        LinearGrowth::Open => "open",
        LinearGrowth::Established => "established",
    }
}

fn late(driven: &Driven) -> Vec<(f64, f64)> {
    let half = f64::from(driven.session.turns) / 2.0;
    structure(driven).into_iter().filter(|(turn, _)| *turn > half).collect()
}

fn late_slope(driven: &Driven) -> Option<f64> {
    crate::stats::theil_sen(&late(driven))
}

fn at_end(driven: &Driven) -> Option<f64> {
    turn_ends(&driven.trace)
        .last()
        .map(|step| super::super::reading::tokens(step, &super::STRUCTURE))
}

fn growth(cells: &[std::sync::Arc<Driven>], pairs: u32) -> Option<(Model, LinearGrowth)> {
    let series: Vec<Series> = cells
        .iter()
        .map(|cell| Series { session: cell.seed.to_string(), points: late(cell) })
        .collect();
    let seed = Seed(0).derive(&["hypothesis", "H7", &pairs.to_string()]);
    floor::growth(&series, seed).map(|growth| (growth.model, growth.linear))
}
