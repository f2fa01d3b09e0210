//! How the floor grows with the turns: H1, H2, H7.

use std::sync::Arc;

use proctor_core::error::Result;
use proctor_core::ident::Seed;
use proctor_eval::measure::floor::{self, LinearGrowth, Series};
use proctor_eval::stats::fit::{Model, fit};

use super::finding::{greatest, least};
use super::reading::{each, paired, tokens, turn_ends};
use super::turn_shapes::{
    FEWER_PAIRS, FORGE, PAIRS, STRUCTURE, by_shape, pairs_a_turn, scenario, slope, structure,
};
use super::{Driven, Finding, Laboratory, Measured, Rows};
use crate::table::{Shown, row};

const PER_TURN: &str = "tokens/turn";

pub(super) fn grows(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::default();
    let (mut parts, mut slopes, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    for (pairs, cells) in by_shape(lab, &PAIRS, FORGE)? {
        let what = format!("slope with {}, the least of all shapes", pairs_a_turn(pairs));
        let slope = Measured::mean(what, PER_TURN, &each(&cells, slope));
        let linear = each(&cells, |cell| best_model(cell).map(|m| f64::from(m == Model::Linear)));
        let best = linear.iter().filter(|one| **one > 0.0).count();
        rows.push(row![pairs, slope, format!("{best} of {}", linear.len())]);
        parts.push(slope.is_above(0.0) && best == linear.len());
        lines.extend(linear.iter().map(|one| 100.0 * one));
        slopes.push(slope);
    }
    let lines = Measured::mean("sessions that a line fits best", "%", &lines);
    Ok(Finding::of(&parts, least(slopes).into_iter().chain([lines]).collect()).with(rows))
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
    let (mut parts, mut differences) = (Vec::new(), Vec::new());
    for (pairs, with) in by_shape(lab, &FEWER_PAIRS, FORGE)? {
        let without = lab.cells(&scenario(pairs, 120), "forge-head-tool-call@windowless")?;
        let mean = |cells| Measured::mean("slope", PER_TURN, &each(cells, slope));
        let shape = pairs_a_turn(pairs);
        let difference = Measured::mean(
            format!("slope with goal batches minus slope without, {shape}, where they save least"),
            PER_TURN,
            &paired(&with, &without, |ours, theirs| Some(slope(ours)? - slope(theirs)?)),
        );
        rows.push(row![pairs, mean(&with), mean(&without), difference]);
        parts.push(difference.is_below(0.0));
        differences.push(difference);
    }
    Ok(Finding::of(&parts, greatest(differences).into_iter().collect()).with(rows))
}

pub(super) fn rebatched(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::default();
    let (mut parts, mut slopes) = (Vec::new(), Vec::new());
    for pairs in FEWER_PAIRS {
        // A session long enough for batches of batches.
        let long = if pairs == 0 { "floor-p0-t200".to_owned() } else { scenario(pairs, 120) };
        let ours = lab.cells(&long, "forge-rebatch@windowless")?;
        let records = lab.cells(&long, "forge-tool-call-goal-batch@windowless")?;
        let code = lab.cells(&long, FORGE)?;
        let slope = |cells, what: &str| Measured::mean(what, PER_TURN, &each(cells, late_slope));
        let shape = pairs_a_turn(pairs);
        let what = format!("slope of `forge-rebatch` with {shape}, the largest of all shapes");
        let own = slope(&ours, &what);
        let saved = Measured::mean(
            "difference",
            PER_TURN,
            &paired(&ours, &code, |one, other| Some(late_slope(one)? - late_slope(other)?)),
        );
        let (model, linear) = growth(&ours, pairs).unzip();
        let told = model
            .zip(linear)
            .map(|(model, linear)| format!("{}, linear {}", model.name(), told(linear)));
        let ends = [&ours, &records, &code]
            .map(|cells| Measured::mean("end", "tokens", &each(cells, at_end)).shown());
        rows.push(row![
            pairs,
            own,
            told.as_deref().unwrap_or("–"),
            slope(&records, "records"),
            slope(&code, "code"),
            ends.join(", "),
        ]);
        let excluded = linear == Some(LinearGrowth::Excluded);
        parts.push(excluded && saved.is_below(0.0) && !own.is_above(0.0));
        slopes.push(own);
    }
    Ok(Finding::of(&parts, greatest(slopes).into_iter().collect()).with(rows))
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
    turn_ends(&driven.trace).last().map(|step| tokens(step, &STRUCTURE))
}

fn growth(cells: &[Arc<Driven>], pairs: u32) -> Option<(Model, LinearGrowth)> {
    let of = |cell: &Arc<Driven>| Series { session: cell.seed.to_string(), points: late(cell) };
    let series: Vec<Series> = cells.iter().map(of).collect();
    let seed = Seed(0).derive(&["hypothesis", "H7", &pairs.to_string()]);
    floor::growth(&series, seed).map(|growth| (growth.model, growth.linear))
}
