//! The floor: how it grows with the turns, what stays in the view, and what bounds it.

use proctor_core::ident::Seed;
use proctor_eval::measure::floor::{self, Growth, LinearGrowth, Series};
use proctor_eval::stats::fit::{Model, fit};

use super::prelude::*;

const PER_TURN: &str = "tokens/turn";

pub fn grows(lab: &Laboratory) -> Result<Finding> {
    let mut found = Finding::default();
    let (mut slopes, mut lines) = (Vec::new(), Vec::new());
    for (pairs, cells) in by_shape(lab, &PAIRS, FORGE)? {
        let what = format!("slope with {}, the least of all shapes", pairs_a_turn(pairs));
        let slope = mean(what, PER_TURN, &each(&cells, slope));
        let linear = each(&cells, |cell| best_model(cell).map(|m| f64::from(m == Model::Linear)));
        let best = linear.iter().filter(|one| **one > 0.0).count();
        found.row(row![pairs, slope, format!("{best} of {}", linear.len())]);
        found.parts.push(Part::all([slope.above(0.0), Part::Counted(best == linear.len())]));
        lines.push(linear.iter().map(|one| 100.0 * one).collect());
        slopes.push(slope);
    }
    let lines = within("sessions that a line fits best", "%", &lines).share_of(100.0);
    found.measured = least(slopes, 1.0).into_iter().chain([lines]).collect();
    Ok(found)
}

/// The figure with the least value times a sign; the first of equals.
fn least(figures: Vec<Measured>, sign: f64) -> Option<Measured> {
    let less = |least: &Measured, next: &Measured| sign * next.value < sign * least.value;
    figures.into_iter().reduce(|least, next| if less(&least, &next) { next } else { least })
}

fn best_model(driven: &Driven) -> Option<Model> {
    let points = structure(driven);
    let fits = Model::ALL.iter().filter_map(|model| fit(*model, &points));
    let known = fits.filter_map(|fit| Some((fit.aicc?, fit.model)));
    known.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, model)| model)
}

pub fn slower(lab: &Laboratory) -> Result<Finding> {
    let mut found = Finding::default();
    let mut differences = Vec::new();
    for (pairs, with) in by_shape(lab, &FEWER_PAIRS, FORGE)? {
        let without = lab.cells(&scenario(pairs, 120), TOOL_CALL)?;
        let slopes = |cells| mean("slope", PER_TURN, &each(cells, slope));
        let shape = pairs_a_turn(pairs);
        let difference = mean(
            format!("slope with goal batches minus slope without, {shape}, where they save least"),
            PER_TURN,
            &paired(&with, &without, |ours, theirs| Some(slope(ours)? - slope(theirs)?)),
        );
        found.row(row![pairs, slopes(&with), slopes(&without), difference]);
        found.parts.push(difference.below(0.0));
        differences.push(difference);
    }
    found.measured.extend(least(differences, -1.0));
    Ok(found)
}

/// Turns of sessions long enough for batches of batches.
const LONG: u32 = 800;

pub fn rebatched(lab: &Laboratory) -> Result<Finding> {
    let mut found = Finding::default();
    let mut slopes = Vec::new();
    for pairs in LONG_PAIRS {
        let long = format!("floor-p{pairs}-t{LONG}");
        let ours = lab.cells(&long, "forge-rebatch@windowless")?;
        let code = lab.cells(&long, FORGE)?;
        let slope = |cells, what: &str| mean(what, PER_TURN, &each(cells, late_slope));
        let shape = pairs_a_turn(pairs);
        let own = format!("slope of `forge-rebatch` with {shape}, the largest of all shapes");
        let own = slope(&ours, &own);
        let saved = |one: &Driven, other: &Driven| Some(late_slope(one)? - late_slope(other)?);
        let saved = mean("difference", PER_TURN, &paired(&ours, &code, saved));
        let growth = growth(&ours, pairs);
        let law =
            growth.map(|growth| format!("{}, linear {}", growth.model.name(), told(growth.linear)));
        let missed = growth.and_then(|growth| growth.missed());
        let ends = [&ours, &code].map(|cells| mean("end", "tokens", &each(cells, at_end)).shown());
        found.row(row![
            pairs,
            own,
            law.as_deref().unwrap_or("–"),
            missed.map_or("–".to_owned(), |missed| missed.shown()),
            slope(&code, "code"),
            ends.join(", "),
        ]);
        let excluded = growth.is_some_and(|growth| growth.linear == LinearGrowth::Excluded);
        found.parts.push(Part::all([Part::Counted(excluded), saved.below(0.0)]));
        slopes.push(own);
    }
    found.measured.extend(least(slopes, -1.0));
    Ok(found)
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
    stats::theil_sen(&late(driven))
}

fn at_end(driven: &Driven) -> Option<f64> {
    turn_ends(&driven.trace).last().map(|step| tokens(step, &STRUCTURE))
}

fn growth(cells: &[Arc<Driven>], pairs: u32) -> Option<Growth> {
    let of = |cell: &Arc<Driven>| Series { session: cell.seed.to_string(), points: late(cell) };
    let series: Vec<Series> = cells.iter().map(of).collect();
    let seed = Seed(0).derive(&["hypothesis", "H7", &pairs.to_string()]);
    floor::growth(&series, seed)
}

pub fn stranded(lab: &Laboratory) -> Result<Finding> {
    let mut found = Finding::default();
    let mut shares = Vec::new();
    for (pairs, cells) in by_shape(lab, &PAIRS, FORGE)? {
        let share = |driven: &Driven| {
            let turns = f64::from(driven.session.turns);
            Some(100.0 * entries_at_end(&driven.trace, Share::User) / turns)
        };
        let what = format!("user messages that stay with {}", pairs_a_turn(pairs));
        let measured = mean(what, "%", &each(&cells, share)).share_of(100.0);
        found.row(row![pairs, measured]);
        shares.push((pairs, measured));
    }
    let all = |of: fn(u32) -> bool, part: fn(&Measured) -> Part| {
        let of = shares.iter().filter(|(pairs, _)| of(*pairs));
        Part::all(of.map(|(_, share)| part(share)))
    };
    found.parts = vec![
        all(|pairs| pairs <= 1, |share| share.above(70.0)),
        all(|pairs| pairs >= 5, |share| share.below(5.0)),
        Part::Counted(shares.is_sorted_by(|one, next| one.1.value >= next.1.value)),
    ];
    shares.retain(|(pairs, _)| [0, 1, 5, 16].contains(pairs));
    found.measured = shares.into_iter().map(|(_, share)| share).collect();
    Ok(found)
}

/// Blocks by which 60 more turns add to those after the first 60, a turn.
fn rates(half: &[f64], whole: &[f64]) -> Vec<f64> {
    half.iter().zip(whole).map(|(half, whole)| (whole - half) / 60.0).collect()
}

pub fn ownerless(lab: &Laboratory) -> Result<Finding> {
    let mut found = Finding::default();
    for (pairs, cells) in by_shape(lab, &PAIRS, FORGE)? {
        let blocks = |driven: &Driven| Some(f64::from(driven.trace.last.ownerless));
        let half = each(&lab.cells(&scenario(pairs, 60), FORGE)?, blocks);
        let whole = each(&cells, blocks);
        let what = format!("blocks without an owner with {}", pairs_a_turn(pairs));
        let rate = mean(what, "blocks/turn", &rates(&half, &whole));
        found.row(row![pairs, mean("after 60", "", &half), mean("after 120", "", &whole), rate]);
        let none = Part::Counted(rate.value == 0.0);
        found.parts.push(if pairs >= 6 { rate.above(0.0) } else { none });
        found.show_of(rate, pairs, 6, &[5, 16]);
    }
    Ok(found)
}

pub fn generations(lab: &Laboratory) -> Result<Finding> {
    let second = "forge-g2@windowless";
    let mut found = Finding::default();
    let (mut single, mut all_rates, mut grows) = (Vec::new(), Vec::new(), Vec::new());
    for pairs in FEWER_PAIRS {
        // After 60 and after 120 turns, and what was dropped by then.
        let blocks = |configuration: &str| -> Result<([Vec<f64>; 2], String, Measured)> {
            let at = |turns| lab.cells(&scenario(pairs, turns), configuration);
            let at_end = |cell: &Driven| Some(entries_at_end(&cell.trace, Share::Summarized));
            let (half, whole) = (at(60)?, at(120)?);
            let dropped = mean("dropped", "%", &each(&whole, dropped_share)).share_of(100.0);
            let counts = [each(&half, at_end), each(&whole, at_end)];
            let shown = counts.each_ref().map(|own| mean("blocks", "", own).shown()).join(", ");
            Ok((counts, shown, dropped))
        };
        let [second, third, batched] = [blocks(second)?, blocks(TOOL_CALL)?, blocks(FORGE)?];
        single.extend(second.0.iter().cloned());
        let rate = rates(&third.0[0], &third.0[1]);
        grows.push(mean("growth", "", &rate).above(0.0));
        all_rates.push(rate);
        found.row(row![pairs, second.1, second.2, third.1, third.2, batched.1]);
    }
    found.measured = vec![
        within("blocks that G2 ends with, all shapes and both lengths", "blocks", &single),
        within("growth of G3, all shapes", "blocks/turn", &all_rates),
    ];
    let is_single = single.iter().flatten().all(|blocks| *blocks == 1.0);
    found.parts = vec![Part::Counted(is_single), Part::all(grows)];
    Ok(found)
}

/// Messages that left the view with nothing standing for them, in %.
fn dropped_share(driven: &Driven) -> Option<f64> {
    let dropped = driven.trace.compactions.iter().map(|one| one.dropped.len()).sum();
    percent(dropped, driven.session.log.messages.len())
}

/// Requests for a goal batch that fail in the constructed session: about 12 turns of calls.
const FAILURES: usize = 72;

pub fn three_turns(lab: &Laboratory) -> Result<Finding> {
    let mut found = Finding::default();
    let mut shares = Vec::new();
    for (pairs, cells) in by_shape(lab, &PAIRS, FORGE)? {
        let sizes = |driven: &Driven| batch_sizes(&driven.session, &driven.trace);
        let all: Vec<usize> = cells.iter().flat_map(|driven| sizes(driven)).collect();
        shares.push(each(&cells, |driven| {
            let sizes = sizes(driven);
            percent(sizes.iter().filter(|size| **size == 3).count(), sizes.len())
        }));
        let count = mean("batches", "", &counts(&cells, |driven| sizes(driven).len()));
        found.row(row![pairs, count, range(&all)]);
    }
    let mut backlog = Construction::new();
    for _ in 0..40 {
        backlog.user(50).pairs(5, 40).closing();
    }
    let session = backlog.session();
    let pipeline = pipeline("forge-head-no-threshold")?;
    let ask = fails_first(FAILURES, "--- Turn ");
    let sizes = batch_sizes(&session, &trace_of(&session, &pipeline, windowless(), &ask));
    let listed = sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let first = sizes.first().copied().unwrap_or(0);
    let what = format!("turns in the first batch after a backlog (then, in order: {listed})");
    found.measured = vec![
        within("batches of exactly 3 turns in steady state, all shapes", "%", &shares)
            .share_of(100.0),
        exact(what, "turns", first as f64),
    ];
    let all_three = shares.iter().flatten().all(|share| *share == 100.0);
    found.found([all_three, first == 6, sizes.last() == Some(&3)]);
    Ok(found)
}

fn batch_sizes(session: &Session, trace: &Trace) -> Vec<usize> {
    added(trace, Share::GoalBatch).map(|batch| users(session, batch, Author::Human)).collect()
}

fn range(sizes: &[usize]) -> String {
    match (sizes.iter().min(), sizes.iter().max()) {
        (Some(least), Some(most)) if least == most => least.to_string(),
        (Some(least), Some(most)) => format!("{least} to {most}"),
        _ => "–".to_owned(),
    }
}

pub fn bounded(lab: &Laboratory) -> Result<Finding> {
    let mut found = Finding::default();
    let (mut peaks, mut halvings, mut shrank, mut explained) = (Vec::new(), Vec::new(), 0, 0);
    for (pairs, cells) in by_shape(lab, &FEWER_PAIRS, "forge-head")? {
        let without = lab.cells(&scenario(pairs, 120), FORGE)?;
        let window = cells.first().map_or(Tokens::ZERO, |cell| cell.limits.window);
        let own = each(&cells, |driven| peak(driven, window));
        let free = each(&without, |driven| peak(driven, window));
        let halved = counts(&cells, |driven| runs_of(&driven.trace, HALVING).count());
        let all = cells.iter().map(|driven| shrinkages(&driven.trace).len()).sum::<usize>();
        let by_it = |driven: &Arc<Driven>| {
            shrinkages(&driven.trace).into_iter().filter(|halved| *halved).count()
        };
        let by_it = cells.iter().map(by_it).sum::<usize>();
        let (of_own, of_free) = (mean("peak", "%", &own), mean("peak", "%", &free));
        found.row(row![pairs, of_own, of_free, mean("halvings", "", &halved), all, by_it]);
        peaks.extend(own);
        halvings.push(halved);
        (shrank, explained) = (shrank + all, explained + by_it);
    }
    let highest = peaks.iter().copied().fold(0.0, f64::max);
    let what = format!("of {shrank} times that goal batches shrank, by half-compaction");
    found.measured = vec![
        exact("the largest prompt of any session", "% of the window", highest).over(peaks.len()),
        within("half-compactions a session", "", &halvings),
        exact(what, "", explained as f64).over(peaks.len()),
    ];
    found.found([highest <= 80.0, shrank > 0 && shrank == explained]);
    Ok(found)
}

/// The threshold tier's place in `forge-head`.
const HALVING: u32 = 1;

fn peak(driven: &Driven, window: Tokens) -> Option<f64> {
    driven.trace.steps.iter().map(|step| step.prompt).max().map(|most| 100.0 * most.over(window))
}

/// By time that goal batches shrank: whether half-compaction had acted since the call before.
fn shrinkages(trace: &Trace) -> Vec<bool> {
    let batches = |step| tokens(step, &[Share::GoalBatch]);
    let shrank = trace.steps.windows(2).filter(|pair| batches(&pair[1]) < batches(&pair[0]));
    shrank.map(|pair| runs_of(trace, HALVING).any(|one| one.step == pair[1].step)).collect()
}
