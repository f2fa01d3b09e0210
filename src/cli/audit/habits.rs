//! What a directory of sessions has in common.

use serde::Serialize;

use crate::audit::{Audit, Compacted, Count, SignKind};

/// Over all sessions.
#[derive(Debug, Default, Serialize)]
pub(super) struct Habits {
    sessions: usize,
    compacted: usize,
    compactions: usize,
    /// Medians over compactions: the shares that were surely kept and lost, where the file holds the
    /// summary.
    pub(super) said_median: Option<f64>,
    said_lost_median: Option<f64>,
    worked_on_median: Option<f64>,
    worked_on_lost_median: Option<f64>,
    tokens_before: Option<f64>,
    tokens_after: Option<f64>,
    /// Needs behind compactions, and those that the recording met.
    needs: Count,
    /// What was done again within 40 calls of a compaction, over all of them.
    read_again: usize,
    run_again: usize,
    failed_again: usize,
    wrong_paths: usize,
    told_again: usize,
    again_tokens: u64,
    again_minutes: f64,
}

impl Habits {
    pub(super) fn of(audits: &[Audit]) -> Habits {
        let all: Vec<&Compacted> = audits.iter().flat_map(|audit| &audit.compactions).collect();
        let median = |of: &dyn Fn(&Compacted) -> Option<f64>| {
            let mut values: Vec<f64> = all.iter().filter_map(|one| of(one)).collect();
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied()
        };
        let told = |one: &Compacted| (!one.hidden).then_some(());
        let signs = || all.iter().flat_map(|one| &one.signs);
        let count = |kind: SignKind| signs().filter(|sign| sign.kind == kind).count();
        let needs = all.iter().map(|one| one.needs);
        let needs = needs.fold(Count::default(), Count::plus);
        Habits {
            sessions: audits.len(),
            compacted: audits.iter().filter(|audit| !audit.compactions.is_empty()).count(),
            compactions: all.len(),
            said_median: median(&|one| told(one).and(one.said.share())),
            said_lost_median: median(&|one| told(one).and(one.said.lost_share())),
            worked_on_median: median(&|one| told(one).and(one.worked_on.share())),
            worked_on_lost_median: median(&|one| told(one).and(one.worked_on.lost_share())),
            tokens_before: median(&|one| one.tokens_before.map(|tokens| tokens as f64)),
            tokens_after: median(&|one| one.tokens_after.map(|tokens| tokens as f64)),
            needs,
            read_again: count(SignKind::ReadAgain),
            run_again: count(SignKind::RunAgain),
            failed_again: count(SignKind::FailedAgain),
            wrong_paths: count(SignKind::WrongPath),
            told_again: count(SignKind::ToldAgain),
            again_tokens: signs().map(|sign| sign.tokens).sum(),
            again_minutes: signs().map(|sign| sign.seconds).sum::<f64>() / 60.0,
        }
    }
}
