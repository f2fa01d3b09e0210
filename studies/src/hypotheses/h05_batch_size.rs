//! Goal batches: how many turns they take, and what bounds the view: H5, H6.

use proctor_core::drive::Session;
use proctor_core::error::Result;
use proctor_core::log::Author;
use proctor_core::trace::{Compaction, Share, Trace};
use proctor_core::unit::Tokens;

use super::constructed::{Construction, windowless};
use super::reading::{added, each, is_applied, tokens, users};
use super::summarizers::fails_first;
use super::turn_shapes::{FEWER_PAIRS, FORGE, PAIRS, by_shape, scenario};
use super::{Driven, Finding, Laboratory, Measured, Rows};
use crate::table::row;

/// Requests for a goal batch that fail in the constructed session: about 12 turns of calls.
const FAILURES: usize = 72;

pub(super) fn three_turns(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::default();
    let mut shares = Vec::new();
    for (pairs, cells) in by_shape(lab, &PAIRS, FORGE)? {
        let sizes = |driven: &Driven| batch_sizes(&driven.session, &driven.trace);
        let all: Vec<usize> = cells.iter().flat_map(|driven| sizes(driven)).collect();
        let count = each(&cells, |driven| Some(sizes(driven).len() as f64));
        let of_three = |driven: &Driven| {
            let sizes = sizes(driven);
            let three = sizes.iter().filter(|size| **size == 3).count();
            (!sizes.is_empty()).then(|| 100.0 * three as f64 / sizes.len() as f64)
        };
        shares.extend(each(&cells, of_three));
        rows.push(row![pairs, Measured::mean("batches", "", &count), range(&all)]);
    }
    let session = backlog();
    let pipeline = proctor_strategies::pipeline("forge-head-no-threshold")?;
    let ask = fails_first(FAILURES, "--- Turn ");
    let sizes = batch_sizes(&session, &lab.drive(&session, &pipeline, windowless(), &ask));
    let listed = sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let first = sizes.first().copied().unwrap_or(0);
    let what = format!("turns in the first batch after a backlog (then, in order: {listed})");
    let measured = vec![
        Measured::mean("batches of exactly 3 turns in steady state, all shapes", "%", &shares),
        Measured::exact(what, "turns", first as f64),
    ];
    let all_three = shares.iter().all(|share| *share == 100.0);
    let back_to_three = sizes.last() == Some(&3);
    Ok(Finding::of(&[all_three, first == 6, back_to_three], measured).with(rows))
}

/// The user messages of each goal batch, in order.
fn batch_sizes(session: &Session, trace: &Trace) -> Vec<usize> {
    added(trace, Share::GoalBatch).map(|batch| users(session, batch, Author::Human)).collect()
}

/// `3`, or `3 to 6`; `–` of nothing.
fn range(sizes: &[usize]) -> String {
    match (sizes.iter().min(), sizes.iter().max()) {
        (Some(least), Some(most)) if least == most => least.to_string(),
        (Some(least), Some(most)) => format!("{least} to {most}"),
        _ => "–".to_owned(),
    }
}

fn backlog() -> Session {
    let mut made = Construction::new();
    for _ in 0..40 {
        made.user(50).pairs(5, 40).closing();
    }
    made.session()
}

/// The threshold tier's place in `forge-head`.
const HALVING: u32 = 1;

pub(super) fn bounded(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::default();
    let (mut peaks, mut halvings, mut shrinkages) = (Vec::new(), Vec::new(), [0, 0]);
    for (pairs, cells) in by_shape(lab, &FEWER_PAIRS, "forge-head")? {
        let without = lab.cells(&scenario(pairs, 120), FORGE)?;
        let window = cells.first().map_or(Tokens::ZERO, |cell| cell.limits.window);
        let own = each(&cells, |driven| peak(driven, window));
        let free = each(&without, |driven| peak(driven, window));
        let halved = each(&cells, |driven| Some(halvings_of(&driven.trace) as f64));
        let found: Vec<[usize; 2]> = cells.iter().map(|driven| shrinkage(&driven.trace)).collect();
        let [all, explained] =
            [0, 1].map(|place| found.iter().map(|one| one[place]).sum::<usize>());
        rows.push(row![
            pairs,
            Measured::mean("peak", "%", &own),
            Measured::mean("peak", "%", &free),
            Measured::mean("halvings", "", &halved),
            all,
            explained,
        ]);
        peaks.extend(own);
        halvings.extend(halved);
        shrinkages = [shrinkages[0] + all, shrinkages[1] + explained];
    }
    let highest = peaks.iter().copied().fold(0.0, f64::max);
    let [all, explained] = shrinkages;
    let what = format!("of {all} times that goal batches shrank, by half-compaction");
    let measured = vec![
        Measured::exact("the largest prompt of any session", "% of the window", highest)
            .over(peaks.len()),
        Measured::mean("half-compactions a session", "", &halvings),
        Measured::exact(what, "", explained as f64).over(peaks.len()),
    ];
    let parts = [highest <= 80.0, all > 0 && all == explained];
    Ok(Finding::of(&parts, measured).with(rows))
}

/// The largest prompt, in % of a window.
fn peak(driven: &Driven, window: Tokens) -> Option<f64> {
    driven.trace.steps.iter().map(|step| step.prompt).max().map(|most| 100.0 * most.over(window))
}

fn is_halving(compaction: &Compaction) -> bool {
    compaction.stage == HALVING && is_applied(compaction)
}

fn halvings_of(trace: &Trace) -> usize {
    trace.compactions.iter().filter(|one| is_halving(one)).count()
}

/// How often goal batches had fewer tokens than at the call before, and how often
/// half-compaction had acted in between.
fn shrinkage(trace: &Trace) -> [usize; 2] {
    let batches = |step| tokens(step, &[Share::GoalBatch]);
    let shrank = trace.steps.windows(2).filter(|pair| batches(&pair[1]) < batches(&pair[0]));
    let at: Vec<u32> = shrank.map(|pair| pair[1].step).collect();
    let halved =
        |step: &&u32| trace.compactions.iter().any(|one| one.step == **step && is_halving(one));
    [at.len(), at.iter().filter(halved).count()]
}
