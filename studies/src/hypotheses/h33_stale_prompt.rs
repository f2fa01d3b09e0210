//! What is sent after a failed pass.

use proctor_core::error::Result;
use proctor_core::trace::{Compaction, CompactionOutcome, Trace};

use super::constructed::{Construction, windowless};
use super::summarizers::fails_first;
use super::{Finding, Laboratory, Measured, Rows};
use crate::table::row;

/// What only a request of the goal tier says.
const GOAL: &str = "--- Turn";

pub(super) fn stale(lab: &Laboratory) -> Result<Finding> {
    let mut made = Construction::new();
    for _ in 0..40 {
        made.user(60).pairs(5, 80).closing();
    }
    let session = made.session();
    let drive = |name: &str| -> Result<Trace> {
        let pipeline = proctor_strategies::pipeline(name)?;
        Ok(lab.drive(&session, &pipeline, windowless(), &fails_first(5, GOAL)))
    };
    let code = drive("forge-head-no-threshold")?;
    let records = drive("forge-tool-call-goal-batch")?;
    let mut rows = Rows::default();
    let (mut mixed, mut sent_stale, mut without) = (0, 0, 0);
    for failed in code.compactions.iter().filter(|one| is_failed(one)) {
        let before = |one: &&Compaction| one.step == failed.step && one.number < failed.number;
        let earlier = code.compactions.iter().filter(before).filter(|one| one.removed > 0).count();
        let Some(step) = code.steps.iter().find(|step| step.step == failed.step) else { continue };
        mixed += usize::from(earlier > 0);
        sent_stale += usize::from(earlier > 0 && step.sent > step.kept);
        without += usize::from(earlier == 0 && step.sent != step.kept);
        rows.push(row![failed.step, earlier, step.kept.as_f64(), step.sent.as_f64()]);
    }
    let other = records.steps.iter().filter(|step| step.sent != step.kept).count();
    let after = next_is_fresh(&code);
    let parts = if mixed == 0 {
        Vec::new()
    } else {
        vec![sent_stale == mixed && without == 0, after, other == 0]
    };
    let calls = |what: &str, calls: usize| Measured::exact(what, "", calls as f64);
    let measured = vec![
        calls("stale calls after a pass that had rewritten the memory and failed", sent_stale),
        calls("such passes", mixed),
        calls("stale calls of the records' pipeline", other),
    ];
    Ok(Finding::of(&parts, measured).with(rows))
}

fn is_failed(one: &Compaction) -> bool {
    matches!(one.outcome, CompactionOutcome::Failed(_))
}

/// Whether every call whose pass did not fail sent what the memory held.
fn next_is_fresh(trace: &Trace) -> bool {
    let failed: Vec<u32> =
        trace.compactions.iter().filter(|one| is_failed(one)).map(|one| one.step).collect();
    let others = trace.steps.iter().filter(|step| !failed.contains(&step.step));
    others.into_iter().all(|step| step.sent == step.kept)
}
