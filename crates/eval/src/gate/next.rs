//! What to do about a judgement.

use std::collections::BTreeSet;

use super::finding::{Finding, Judgement};
use super::verdict::Verdict;

/// One sentence for every verdict that does not pass, the worst first.
pub(super) fn steps(judgement: &Judgement) -> Vec<String> {
    let failing = || judgement.findings.iter().filter(|finding| finding.fails());
    let verdicts: BTreeSet<Verdict> = failing().map(|finding| finding.verdict).collect();
    let of = |verdict| failing().filter(move |finding: &&Finding| finding.verdict == verdict);
    verdicts.into_iter().rev().filter_map(|verdict| step(verdict, of(verdict))).collect()
}

fn step<'a>(verdict: Verdict, findings: impl Iterator<Item = &'a Finding>) -> Option<String> {
    Some(match verdict {
        Verdict::PassIdentical | Verdict::Pass | Verdict::Improvement => return None,
        Verdict::InvariantViolated => "a hard rule is broken: `proctor inspect RUN CELL` shows \
             where, cell by cell"
            .to_owned(),
        Verdict::Incompatible => "the baseline was measured otherwise: gate against a run of the \
             same inputs (`--baseline-config` and `--candidate-config` drive both sides now), or \
             bless a new baseline with `proctor bless RUN --to FILE --why REASON`"
            .to_owned(),
        Verdict::IncompleteRun => "finish the run (`proctor run ... --resume`), look at the cells \
             that failed, and gate the whole"
            .to_owned(),
        Verdict::CompletionFell => "sessions end earlier: `proctor inspect RUN CELL` shows at \
             which step and why; other figures say nothing until they reach their end again"
            .to_owned(),
        Verdict::Regression => "look at `proctor inspect RUN CELL` (driven sides are kept with \
             `--out DIR`); if the loss is wanted, say so: `proctor bless RUN --to FILE --why \
             REASON`"
            .to_owned(),
        Verdict::NoBaseline => "make the run a baseline, in the open: `proctor bless RUN --to \
             FILE --why REASON`"
            .to_owned(),
        Verdict::Inconclusive => {
            let needed = findings.filter_map(|finding| finding.sessions_needed).max();
            let more = "drive more sessions (`--seeds 1,2,...`)";
            match needed {
                Some(needed) => format!(
                    "{more}: about {needed} of each configuration would decide, on both sides; \
                     or widen the margin, if so much does not matter"
                ),
                None => format!("{more}, or widen the margin, if so much does not matter"),
            }
        }
    })
}
