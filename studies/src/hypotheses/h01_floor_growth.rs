//! How the floor grows with the turns: H1, H2, H7.

use proctor_core::error::Result;
use proctor_core::ident::Seed;
use proctor_eval::measure::floor::{self, LinearGrowth, Series};
use proctor_eval::stats::fit::{Model, fit};

use super::reading::{cell, each, paired, turn_ends};
use super::turn_shapes::{FEWER_PAIRS, FORGE, PAIRS, pairs_a_turn, scenario, slope, structure};
use super::{Driven, Finding, Laboratory, Measured, Rows};

const PER_TURN: &str = "tokens/turn";

pub(super) fn grows(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::default();
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
    Ok(Finding::of(&parts, least.into_iter().chain([lines]).collect()).with(rows))
}

/// The model of growth with the least AICc.
fn best_model(driven: &Driven) -> Option<Model> {
    let points = structure(driven);
    let fits = Model::ALL.iter().filter_map(|model| fit(*model, &points));
    let known = fits.filter_map(|fit| Some((fit.aicc?, fit.model)));
    known.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, model)| model)
}

pub(super) fn slower(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::default();
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
    Ok(Finding::of(&parts, worst.into_iter().collect()).with(rows))
}

/// A session long enough for batches of batches.
fn long(pairs: u32) -> String {
    if pairs == 0 { "floor-p0-t200".to_owned() } else { scenario(pairs, 120) }
}

pub(super) fn rebatched(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::default();
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
                && saved.is_below(0.0)
                && !own.is_above(0.0),
        );
        if worst.as_ref().is_none_or(|worst| own.value > worst.value) {
            worst = Some(own);
        }
    }
    Ok(Finding::of(&parts, worst.into_iter().collect()).with(rows))
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
    proctor_eval::stats::theil_sen(&late(driven))
}

fn at_end(driven: &Driven) -> Option<f64> {
    turn_ends(&driven.trace)
        .last()
        .map(|step| super::reading::tokens(step, &super::turn_shapes::STRUCTURE))
}

fn growth(cells: &[std::sync::Arc<Driven>], pairs: u32) -> Option<(Model, LinearGrowth)> {
    let series: Vec<Series> = cells
        .iter()
        .map(|cell| Series { session: cell.seed.to_string(), points: late(cell) })
        .collect();
    let seed = Seed(0).derive(&["hypothesis", "H7", &pairs.to_string()]);
    floor::growth(&series, seed).map(|growth| (growth.model, growth.linear))
}
