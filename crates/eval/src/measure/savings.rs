//! What a cell cost: tokens, cache, money, time.

use crate::log::BoundaryAction;
use crate::measure::retention::{is_missed, is_ranked};
use crate::measure::{Firing, Measurement, MetricId, Round, Subject};
use crate::prelude::*;
use crate::price::CostParts;
use crate::stats::{self, share};
use crate::trace::{Compaction, StepRecord, Trace};

/// From this share of the usable window on, a firing came late.
const HIGH_UTILIZATION: f64 = 0.95;
/// The target of the source design, in milliseconds.
const TARGET: f64 = 5_000.0;

pub(super) fn measure(subject: &Subject, firings: &[Firing<Compaction>], into: &mut Measurement) {
    prompts(subject, into);
    reacquisition(subject, into);
    cache(subject, into);
    compactions(subject, into);
    moments(subject, firings, into);
    latency(subject, firings, into);
    into.put(MetricId::CounterError, counter_error(subject));
    into.put(MetricId::CounterReferenceError, reference_error(subject));
}

/// Prompt tokens, cached and written ones, and output of every call: of the script, and of what the
/// closed loop adds.
fn calls(trace: &Trace) -> impl Iterator<Item = [Tokens; 4]> {
    let steps = trace.steps.iter().map(|one| [one.prompt, one.cached, one.written, one.output]);
    let extra = trace.extra.iter().map(|one| [one.prompt, one.cached, one.written, one.output]);
    steps.chain(extra)
}

fn prompts(subject: &Subject, into: &mut Measurement) {
    let steps = &subject.trace.steps;
    let total: Tokens = calls(subject.trace).map(|[prompt, ..]| prompt).sum();
    let made = steps.len() + subject.trace.extra.len();
    let mean = (made > 0).then(|| total.as_f64() / made as f64);
    let usable = subject.usable_window();
    into.put(MetricId::TokensUsableWindow, usable.map(Tokens::as_f64));
    let peak = calls(subject.trace).map(|[prompt, ..]| prompt.as_f64()).reduce(f64::max);
    into.put(MetricId::TokensPeak, peak);
    into.put(MetricId::TokensMeanPrompt, mean);
    into.put(MetricId::TokensPromptTotal, total.as_f64());
    into.put(MetricId::TokensLastKept, steps.last().map(|step| step.kept.as_f64()));
    let attempts = subject.trace.compactions.iter().flat_map(|one| &one.attempts);
    let (mut prompt, mut completion) = (Tokens::ZERO, Tokens::ZERO);
    for attempt in attempts.filter(|attempt| attempt.billed) {
        prompt += attempt.prompt;
        completion += attempt.completion;
    }
    into.put(MetricId::TokensSummarizer, (prompt + completion).as_f64());
    into.put(MetricId::TokensSummarizerPrompt, prompt.as_f64());
    into.put(MetricId::TokensSummarizerCompletion, completion.as_f64());
}

/// What forgetting would have cost: once per loss, however often it is missed.
fn reacquisition(subject: &Subject, into: &mut Measurement) {
    let demands = subject.trace.demands.iter();
    let missed = demands.filter(|demand| is_ranked(demand) && is_missed(demand));
    let losses: BTreeSet<_> = missed.map(|demand| (demand.fact, demand.lost_by)).collect();
    let (mut tokens, mut unrecoverable) = (Tokens::ZERO, 0);
    for (fact, _) in losses {
        match subject.session.book.reacquire(fact) {
            Some(price) => tokens += price,
            None => unrecoverable += 1,
        }
    }
    into.put(MetricId::CostReacquire, tokens.as_f64());
    into.count(MetricId::CostUnrecoverable, unrecoverable);
}

type PartOf = fn(&CostParts) -> f64;

fn cache(subject: &Subject, into: &mut Measurement) {
    let steps = &subject.trace.steps;
    let all = || calls(subject.trace);
    let sends: f64 = all()
        .map(|[prompt, cached, written, output]| {
            subject.sheet.cost(prompt, cached, written, output).0
        })
        .sum();
    let summaries: f64 = subject.trace.compactions.iter().map(|one| one.usd.0).sum();
    into.put(MetricId::CostUsd, sends + summaries);
    into.put(MetricId::CostUsdSummarizer, summaries);
    let parts: [(MetricId, PartOf); 4] = [
        (MetricId::CostUsdCached, |parts| parts.cached.0),
        (MetricId::CostUsdWritten, |parts| parts.written.0),
        (MetricId::CostUsdUncached, |parts| parts.uncached.0),
        (MetricId::CostUsdOutput, |parts| parts.output.0),
    ];
    for (metric, part) in parts {
        let sends = all().map(|[prompt, cached, written, output]| {
            part(&subject.sheet.parts(prompt, cached, written, output))
        });
        into.put(metric, sends.sum::<f64>());
    }
    let sum = |of: fn(&StepRecord) -> Tokens| -> Tokens { steps.iter().map(of).sum() };
    let total: Tokens = all().map(|[prompt, ..]| prompt).sum();
    let cached: Tokens = all().map(|[_, cached, ..]| cached).sum();
    into.put(MetricId::CacheHitRate, (total > Tokens::ZERO).then(|| cached.over(total)));
    let extra = &subject.trace.extra;
    let invalidated = sum(|step| step.invalidated) + extra.iter().map(|one| one.invalidated).sum();
    let expired = sum(|step| step.expired) + extra.iter().map(|one| one.expired).sum();
    into.put(MetricId::CacheInvalidatedTokens, invalidated.as_f64());
    into.put(MetricId::CacheExpiredTokens, expired.as_f64());
}

fn compactions(subject: &Subject, into: &mut Measurement) {
    let trace = subject.trace;
    let all = &trace.compactions;
    let effective = || all.iter().filter(|one| one.changed());
    let with = |outcome: &str| all.iter().filter(|one| one.outcome.name() == outcome).count();
    into.count(MetricId::CompactionsCount, effective().count());
    into.count(MetricId::CompactionsFallback, with("fallback"));
    into.count(MetricId::CompactionsFailed, with("failed") + with("rejected"));
    let reactive = effective().filter(|one| one.occasion.is_reactive());
    into.count(MetricId::CompactionsReactive, reactive.count());
    let declined = trace.triggers.iter().filter(|trigger| trigger.moment.declined);
    let declined: u32 = declined.map(|trigger| trigger.n).sum();
    into.count(MetricId::CompactionsDeclined, declined as usize);
    let generations = all.iter().flat_map(|one| &one.added).map(|entry| entry.generation);
    into.count(MetricId::CompactionsMaxGeneration, generations.max().unwrap_or(0) as usize);
}

fn moments(subject: &Subject, firings: &[Firing<Compaction>], into: &mut Measurement) {
    let changed: Vec<_> = firings.iter().filter(|firing| firing.changed()).collect();
    let ratios: Vec<f64> = changed
        .iter()
        .map(|firing| (firing.first.before, firing.last.after))
        .filter(|(before, _)| *before > Tokens::ZERO)
        .map(|(before, after)| after.over(before))
        .collect();
    into.put(MetricId::CompactionsAfterOverBefore, stats::median(&ratios));
    let windowed = subject.usable_window().is_some();
    let uses: Vec<f64> =
        changed.iter().filter(|_| windowed).map(|firing| firing.first.utilization).collect();
    let high = uses.iter().filter(|utilization| **utilization >= HIGH_UTILIZATION).count();
    into.put(MetricId::UtilizationAtCompaction, stats::median(&uses));
    into.put(MetricId::UtilizationAtCompactionHigh, share(high, uses.len()));
}

fn latency(subject: &Subject, firings: &[Firing<Compaction>], into: &mut Measurement) {
    let billed: Vec<_> = firings.iter().filter(|firing| firing.was_waited_for()).collect();
    let waits: Vec<f64> = billed.iter().map(|firing| firing.blocking().0 as f64).collect();
    into.put(MetricId::LatencyTotal, waits.iter().sum::<f64>());
    into.put(MetricId::LatencyP50, stats::quantile(&waits, 0.50));
    into.put(MetricId::LatencyP95, stats::quantile(&waits, 0.95));
    into.put(MetricId::LatencyMax, stats::quantile(&waits, 1.0));
    let mut rates: Vec<f64> =
        billed.iter().map(|firing| rate_for(TARGET, firing, subject)).collect();
    rates.sort_by(f64::total_cmp);
    let rank = (0.95 * rates.len() as f64).ceil() as usize;
    into.put(MetricId::LatencyRateFor5s, rates.get(rank.saturating_sub(1)).copied());
}

/// The rate at which a firing would take the target; infinite where none does.
fn rate_for(target: f64, firing: &Firing<Compaction>, subject: &Subject) -> f64 {
    let generated = firing.rounds.iter().map(generated).sum::<Tokens>().as_f64();
    let generating = 1e3 * generated / subject.sheet.generation_rate();
    let left = target - (firing.blocking().0 as f64 - generating).max(0.0);
    if left > 0.0 { 1e3 * generated / left } else { f64::INFINITY }
}

/// Tokens that were generated one after the other: over batches, the longest answer of each.
fn generated(round: &Compaction) -> Tokens {
    let mut longest: BTreeMap<u32, Tokens> = BTreeMap::new();
    for attempt in round.attempts.iter().filter(|attempt| attempt.billed) {
        let most = longest.entry(attempt.batch).or_default();
        *most = (*most).max(attempt.completion);
    }
    longest.into_values().sum()
}

/// The strategy's own count of the log over the reference count, less 1.
fn counter_error(subject: &Subject) -> Option<f64> {
    let (session, counter) = (subject.session, subject.pipeline.counter);
    let reference = session.reference.total();
    let overhead = counter.overhead().0 * session.log.messages.len() as u64 + counter.per_list;
    let own = session.table(counter.tokenizer).total() + Tokens(overhead);
    (reference > Tokens::ZERO).then(|| own.over(reference) - 1.0)
}

/// Reference tokens over the growth of recorded prompts, less 1.
fn reference_error(subject: &Subject) -> Option<f64> {
    let log = &subject.session.log;
    let (mut counted, mut recorded) = (Tokens::ZERO, Tokens::ZERO);
    for pair in log.usage.windows(2) {
        let (from, to) = (pair[0].message.index(), pair[1].message.index());
        let cut = log.boundaries.iter().any(|one| {
            one.action != BoundaryAction::Nothing && (from + 1..=to).contains(&one.before.index())
        });
        let Some(between) = subject.session.reference.messages.get(from..to) else { continue };
        if cut || pair[1].prompt <= pair[0].prompt {
            continue;
        }
        counted += between.iter().map(crate::token::MessageTokens::total).sum();
        recorded += pair[1].prompt - pair[0].prompt;
    }
    (recorded > Tokens::ZERO).then(|| counted.over(recorded) - 1.0)
}
