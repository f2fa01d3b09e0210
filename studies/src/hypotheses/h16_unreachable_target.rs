//! Where Goat compacts and nothing comes of it.

use proctor_core::error::Result;
use proctor_core::trace::{CompactionOutcome, EndedBy, Trace};

use super::constructed::{Construction, provider};
use super::summarizers::brief;
use super::{Finding, Laboratory, Measured, Rows};
use crate::table::row;

pub(super) fn stuck(lab: &Laboratory) -> Result<Finding> {
    let [small, proactive, cut_off] = driven(lab)?;
    let mut rows = Rows::default();
    let cases =
        [("small window", &small), ("large system prompt", &proactive), ("cut off", &cut_off)];
    for (name, trace) in cases {
        let Calls { all, compacted, unchanged } = calls(trace);
        rows.push(row![name, all, compacted, unchanged, trace.ended_by.name()]);
    }
    let (tight, idle) = (calls(&small), calls(&proactive));
    let last = cut_off.steps.len() as u32 + 1;
    let idle_at_the_end = cut_off
        .compactions
        .iter()
        .filter(|plan| plan.step == last && plan.outcome == CompactionOutcome::Unchanged)
        .count();
    let ended = matches!(cut_off.ended_by, EndedBy::MaxTokens);
    let parts = [
        tight.all > 0 && tight.compacted == tight.all,
        idle.all > 0 && idle.unchanged == idle.all,
        ended && idle_at_the_end > 1,
    ];
    let share = |what: &str, part: usize, all: usize| {
        Measured::exact(what, "%", 100.0 * part as f64 / all.max(1) as f64)
    };
    let count = |what: &str, count: f64| Measured::exact(what, "", count);
    let idle_calls = "large system prompt: calls with a compaction that changes nothing";
    let measured = vec![
        share("small window: calls with a compaction before them", tight.compacted, tight.all),
        share(idle_calls, idle.unchanged, idle.all),
        count("cut off: times that the last call was cut off", f64::from(cut_off.cut_offs)),
        count("cut off: compactions at that call, all without effect", idle_at_the_end as f64),
    ];
    Ok(Finding::of(&parts, measured).with(rows))
}

/// The small window, the large system prompt, and the answer that is cut off.
fn driven(lab: &Laboratory) -> Result<[Trace; 3]> {
    let pipeline = proctor_strategies::pipeline("goat-code")?;
    let mut small = Construction::new();
    small.user(50).pairs(200, 200).answer(20);
    let small = lab.drive(&small.session(), &pipeline, provider(32_000, 16_384), &brief(1_000));
    let mut large = Construction::new();
    large.system(30_000).user(50).pairs(60, 60).answer(20);
    let large = large.session();
    let limits = provider(50_000, 4_096);
    let proactive = lab.drive(&large, &pipeline, limits, &brief(1_000));
    let mut long = Construction::new();
    long.system(30_000).user(50).pairs(20, 60).answer(5_000).user(50).answer(20);
    let cut_off = lab.drive(&long.session(), &pipeline, limits, &brief(1_000));
    Ok([small, proactive, cut_off])
}

/// Calls from the first plan on, those with a plan before them, and those whose plans
/// changed nothing.
struct Calls {
    all: usize,
    compacted: usize,
    unchanged: usize,
}

fn calls(trace: &Trace) -> Calls {
    let plans: Vec<_> = trace.compactions.iter().filter(|one| one.stage == 0).collect();
    let first = plans.first().map_or(u32::MAX, |plan| plan.step);
    let mut calls = Calls { all: 0, compacted: 0, unchanged: 0 };
    for step in trace.steps.iter().filter(|step| step.step >= first) {
        let mut own = plans.iter().filter(|plan| plan.step == step.step).peekable();
        let planned = own.peek().is_some();
        calls.all += 1;
        calls.compacted += usize::from(planned);
        let idle = planned && own.all(|plan| plan.outcome == CompactionOutcome::Unchanged);
        calls.unchanged += usize::from(idle);
    }
    calls
}
