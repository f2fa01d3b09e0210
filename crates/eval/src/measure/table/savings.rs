//! What does it cost?

use super::Direction::{Higher, Lower, Neither};
use super::{Metric, figure};

pub(super) const METRICS: &[Metric] = &[
    figure(
        "tokens.usable_window",
        "tokens",
        Neither,
        "The model's window less system prompt, tool schemas and unseen overhead. Empty without \
         a window.",
    ),
    figure("tokens.peak", "tokens", Lower, "The largest prompt that was answered."),
    figure("tokens.mean_prompt", "tokens", Lower, "Mean prompt over the steps reached."),
    figure("tokens.prompt_total", "tokens", Lower, "All prompts of the steps reached together."),
    figure(
        "tokens.last_kept",
        "tokens",
        Lower,
        "Messages kept in the view at the last call, without what every prompt carries besides.",
    ),
    figure(
        "tokens.summarizer",
        "tokens",
        Lower,
        "Prompt and completion of all billed summary requests; compactions.csv splits them by \
         stage.",
    ),
    figure("tokens.summarizer_prompt", "tokens", Lower, "Their prompts alone."),
    figure("tokens.summarizer_completion", "tokens", Lower, "Their completions alone."),
    figure(
        "cost.reacquire",
        "tokens",
        Lower,
        "Modelled: for each ranked demand that was sent and missed, whose fact was born in a \
         tool result, the tokens of the cheapest recorded call and result that hold it; once per \
         loss of a fact.",
    ),
    figure(
        "cost.unrecoverable",
        "losses",
        Lower,
        "Losses behind ranked demands that were sent and missed, whose fact no tool result \
         brought: only the user or the agent's own words gave it.",
    ),
    figure(
        "cost.usd",
        "dollars",
        Lower,
        "Answered sends through the prefix-cache simulator and billed summary requests, at the \
         run's price sheet.",
    ),
    figure("cost.usd_summarizer", "dollars", Lower, "The summary requests' part of it."),
    figure(
        "cost.usd_cached",
        "dollars",
        Lower,
        "The part of prompt tokens that answered sends read from the cache.",
    ),
    figure(
        "cost.usd_written",
        "dollars",
        Lower,
        "The part of prompt tokens that answered sends wrote to the cache.",
    ),
    figure(
        "cost.usd_uncached",
        "dollars",
        Lower,
        "The part of all other prompt tokens of answered sends.",
    ),
    figure(
        "cost.usd_output",
        "dollars",
        Neither,
        "The part of the agent's answers. With the four parts above it makes up cost.usd.",
    ),
    figure(
        "cache.hit_rate",
        "share",
        Higher,
        "Share of prompt tokens that were read from the cache.",
    ),
    figure(
        "cache.invalidated_tokens",
        "tokens",
        Lower,
        "Cached tokens that a change of the view made useless, over all steps.",
    ),
    figure(
        "cache.expired_tokens",
        "tokens",
        Neither,
        "Unchanged tokens whose time in the cache had run out, over all steps.",
    ),
    figure(
        "compactions.count",
        "compactions",
        Neither,
        "Plans that changed the view, fallbacks among them.",
    ),
    figure("compactions.fallback", "compactions", Lower, "Plans whose fallback was applied."),
    figure("compactions.failed", "compactions", Lower, "Plans that failed or were rejected."),
    figure(
        "compactions.reactive",
        "compactions",
        Lower,
        "Plans that changed the view after a refused or cut-off send.",
    ),
    figure(
        "compactions.declined",
        "declines",
        Neither,
        "Times that a stage was asked and had nothing to propose.",
    ),
    figure(
        "compactions.max_generation",
        "generation",
        Neither,
        "The most summarizers that any entry's content went through.",
    ),
    figure(
        "compactions.after_over_before",
        "share",
        Lower,
        "Median of the view after over the view before, over firings that changed it.",
    ),
    figure(
        "utilization_at_compaction",
        "share",
        Lower,
        "Median over firings that changed the view: its tokens when the firing began over the \
         usable window. Empty without a window.",
    ),
    figure(
        "utilization_at_compaction.high",
        "share",
        Lower,
        "Share of these firings at 0.95 of the usable window or above.",
    ),
    figure(
        "latency.p50",
        "milliseconds",
        Lower,
        "Median modelled time that the agent waits for a firing with billed requests: tries of a \
         batch at once, batches one after the other, at the sheet's rates.",
    ),
    figure("latency.p95", "milliseconds", Lower, "Its 95th percentile."),
    figure("latency.max", "milliseconds", Lower, "Its maximum."),
    figure("latency.total", "milliseconds", Lower, "The sum over all such firings of the session."),
    figure(
        "latency.rate_for_5s",
        "tokens per second",
        Lower,
        "Generation rate at which, by nearest rank, 95 % of these firings take at most 5 s: the \
         sum over batches of the longest answer over what prefill leaves of 5 s. Empty where no \
         rate is fast enough.",
    ),
    figure(
        "counter.error",
        "share",
        Neither,
        "The strategy's own count of all the log's messages over the reference count, less 1.",
    ),
    figure(
        "counter.reference_error",
        "share",
        Neither,
        "Reference tokens between recorded usages over the growth of recorded prompts, less 1, \
         over neighbouring usages without a recorded compaction between them whose prompt grew. \
         Empty without recorded usage.",
    ),
];
