//! Whether views are well formed, and what summaries are like (METRICS 4).

use crate::apply::Rule;
use crate::measure::{Measurement, Subject, share};
use crate::trace::{AddedEntry, Share};
use crate::unit::Tokens;

pub(super) fn measure(subject: &Subject, into: &mut Measurement) {
    let compactions = &subject.trace.compactions;
    let violations = || compactions.iter().flat_map(|compaction| &compaction.violations);
    let broken = |rule: Rule| violations().filter(|violation| violation.rule == rule).count();
    into.count("violations", violations().count());
    for rule in Rule::ALL {
        into.count(&format!("violations.{}", rule.name()), broken(rule));
    }
    let summaries: Vec<&AddedEntry> = compactions
        .iter()
        .flat_map(|compaction| &compaction.added)
        .filter(|entry| {
            matches!(entry.share, Share::Summarized | Share::GoalBatch | Share::Summary)
        })
        .collect();
    let tokens: Tokens = summaries.iter().map(|entry| entry.tokens).sum();
    let covered: Tokens = summaries.iter().map(|entry| entry.covered_tokens).sum();
    into.put("summary.ratio", (covered > Tokens::ZERO).then(|| tokens.over(covered)));
    // The rule judges each new summary once, by its answer: the frame around an
    // empty answer has words of its own.
    into.put("summary.empty", share(broken(Rule::EmptySummary), summaries.len()));
}
