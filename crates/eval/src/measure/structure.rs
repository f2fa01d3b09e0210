//! Whether views are well formed, and what summaries are like.

use crate::apply::Rule;
use crate::ident::MsgId;
use crate::measure::{Measurement, MetricId, Subject};
use crate::stats::share;
use crate::trace::{AddedEntry, Claimed, Compaction, Share, SummaryReading};
use crate::unit::Tokens;

pub(super) fn measure(subject: &Subject, into: &mut Measurement) {
    let compactions = &subject.trace.compactions;
    let violations = || subject.trace.violations();
    let broken = |rule: Rule| violations().filter(|violation| violation.rule == rule).count();
    into.count(MetricId::Violations, violations().count());
    for rule in Rule::ALL {
        // Nobody can break a promise that nobody made.
        let applies = rule != Rule::TurnSplit || claims_whole_turns(subject);
        let times = applies.then(|| broken(rule) as f64);
        into.put(MetricId::violations(rule), times);
    }
    let summaries: Vec<&AddedEntry> = compactions
        .iter()
        .flat_map(|compaction| &compaction.added)
        .filter(|entry| is_summary(entry))
        .collect();
    let tokens: Tokens = summaries.iter().map(|entry| entry.tokens).sum();
    let covered: Tokens = summaries.iter().map(|entry| entry.covered_tokens).sum();
    into.put(MetricId::SummaryRatio, (covered > Tokens::ZERO).then(|| tokens.over(covered)));
    // The rule judges each new summary once, by its answer: the frame around an
    // empty answer has words of its own.
    into.put(MetricId::SummaryEmpty, share(broken(Rule::EmptySummary), summaries.len()));
    words(compactions, into);
    arcs(subject, into);
    claims(subject, into);
    into.put(MetricId::Misclassified, subject.trace.misclassified.map(f64::from));
}

fn claims_whole_turns(subject: &Subject) -> bool {
    let mut stages = subject.pipeline.stages.iter();
    stages.any(|stage| stage.strategy.strategy().claims_whole_turns())
}

/// What answers that came to stand in views are like, all of them together.
fn words(compactions: &[Compaction], into: &mut Measurement) {
    let mut sum = SummaryReading::default();
    let added = compactions.iter().flat_map(|compaction| &compaction.added);
    for reading in added.filter_map(|entry| entry.reading) {
        sum += reading;
    }
    let share = |part: u32, whole: u32| share(part as usize, whole as usize);
    into.count(MetricId::SummaryArtifacts, sum.artifacts as usize);
    into.count(MetricId::Fabricated, sum.fabricated as usize);
    into.put(MetricId::FabricatedShare, share(sum.fabricated, sum.artifacts));
    into.put(MetricId::SummaryCopyShare, share(sum.copied, sum.words));
    into.put(MetricId::SummarySections, share(sum.sections, sum.sections_asked));
    into.put(MetricId::SummaryFirstPerson, share(sum.first_person, sum.sentences));
    into.put(MetricId::SummaryHedges, share(sum.hedges, sum.sentences));
}

/// What summaries say of facts, and how much of it is so.
fn claims(subject: &Subject, into: &mut Measurement) {
    let claimed = &subject.trace.claimed;
    let sum = |of: fn(&Claimed) -> u32| claimed.iter().map(of).sum::<u32>() as usize;
    let (so, all) = (sum(|kind| kind.so), sum(|kind| kind.all));
    into.count(MetricId::SummaryClaims, all);
    into.put(MetricId::SummaryPrecision, share(so, all));
}

/// Whether the folded turns of a goal lie together: in the last summary of their user messages.
fn arcs(subject: &Subject, into: &mut Measurement) {
    let compactions = subject.trace.compactions.iter().rev();
    let folds: Vec<&AddedEntry> =
        compactions.flat_map(|one| one.added.iter().rev()).filter(|one| is_summary(one)).collect();
    let fold_of = |message: MsgId| folds.iter().position(|fold| fold.covers.contains(message));
    let (mut goals, mut whole) = (0, 0);
    for goal in &subject.session.book.truth.goals {
        let folded: Vec<usize> = goal.arc.iter().filter_map(|one| fold_of(*one)).collect();
        if folded.len() < 2 {
            continue;
        }
        goals += 1;
        whole += usize::from(folded.iter().all(|fold| *fold == folded[0]));
    }
    into.count(MetricId::ArcGoals, goals);
    into.put(MetricId::ArcIntegrity, share(whole, goals));
    into.count(MetricId::ArcSplits, goals - whole);
}

fn is_summary(entry: &AddedEntry) -> bool {
    matches!(entry.share, Share::Summarized | Share::GoalBatch | Share::Summary)
}
