//! What does it cost?

macro_rules! savings {
    ($next:ident $($rest:ident)* => $($done:tt)*) => {
        $next! { $($rest)* => $($done)*
            "Savings" {
                TokensUsableWindow "tokens.usable_window" "tokens" Neither 1 Nothing
                    "The model's window less system prompt, tool schemas and unseen overhead. \
                     Empty without a window.";
                TokensPeak "tokens.peak" "tokens" Lower 1 Nothing
                    "The largest prompt that was answered.";
                TokensMeanPrompt "tokens.mean_prompt" "tokens" Lower 1 Nothing
                    "Mean prompt over the steps reached.";
                TokensPromptTotal "tokens.prompt_total" "tokens" Lower 1 Nothing
                    "All prompts of the steps reached together.";
                TokensLastKept "tokens.last_kept" "tokens" Lower 1 Nothing
                    "Messages kept in the view at the last call, without what every prompt \
                     carries besides.";
                TokensSummarizer "tokens.summarizer" "tokens" Lower 1 Nothing
                    "Prompt and completion of all billed summary requests; compactions.parquet splits \
                     them by stage.";
                TokensSummarizerPrompt "tokens.summarizer_prompt" "tokens" Lower 1 Nothing
                    "Their prompts alone.";
                TokensSummarizerCompletion "tokens.summarizer_completion" "tokens" Lower 1 Nothing
                    "Their completions alone.";
                CostReacquire "cost.reacquire" "tokens" Lower 1 Nothing
                    "Modelled: for each ranked demand that was sent and missed, whose fact was \
                     born in a tool result, the tokens of the cheapest recorded call and result \
                     that hold it; once per loss of a fact.";
                CostUnrecoverable "cost.unrecoverable" "losses" Lower 1 Nothing
                    "Losses behind ranked demands that were sent and missed, whose fact no tool \
                     result brought: only the user or the agent's own words gave it.";
                CostUsd "cost.usd" "dollars" Lower 1 Nothing
                    "Answered sends through the prefix-cache simulator and billed summary \
                     requests, at the run's price sheet.";
                CostUsdSummarizer "cost.usd_summarizer" "dollars" Lower 1 Nothing
                    "The summary requests' part of it.";
                CostUsdCached "cost.usd_cached" "dollars" Lower 1 Nothing
                    "The part of prompt tokens that answered sends read from the cache.";
                CostUsdWritten "cost.usd_written" "dollars" Lower 1 Nothing
                    "The part of prompt tokens that answered sends wrote to the cache.";
                CostUsdUncached "cost.usd_uncached" "dollars" Lower 1 Nothing
                    "The part of all other prompt tokens of answered sends.";
                CostUsdOutput "cost.usd_output" "dollars" Neither 1 Nothing
                    "The part of the agent's answers. With the four parts above it makes up \
                     cost.usd.";
                CacheHitRate "cache.hit_rate" "share" Higher 1 Nothing
                    "Share of prompt tokens that were read from the cache.";
                CacheInvalidatedTokens "cache.invalidated_tokens" "tokens" Lower 1 Nothing
                    "Cached tokens that a change of the view made useless, over all steps.";
                CacheExpiredTokens "cache.expired_tokens" "tokens" Neither 1 Nothing
                    "Unchanged tokens whose time in the cache had run out, over all steps.";
                CompactionsCount "compactions.count" "compactions" Neither 1 Nothing
                    "Plans that changed the view, fallbacks among them.";
                CompactionsFallback "compactions.fallback" "compactions" Lower 1 Nothing
                    "Plans whose fallback was applied.";
                CompactionsFailed "compactions.failed" "compactions" Lower 1 Nothing
                    "Plans that failed or were rejected.";
                CompactionsReactive "compactions.reactive" "compactions" Lower 1 Nothing
                    "Plans that changed the view after a refused or cut-off send.";
                CompactionsDeclined "compactions.declined" "declines" Neither 1 Nothing
                    "Times that a stage was asked and had nothing to propose.";
                CompactionsMaxGeneration "compactions.max_generation" "generation" Neither 1 Nothing
                    "The most summarizers that any entry's content went through.";
                CompactionsAfterOverBefore "compactions.after_over_before" "share" Lower 1 Nothing
                    "Median of the view after over the view before, over firings that changed it.";
                UtilizationAtCompaction "utilization_at_compaction" "share" Lower 1 Nothing
                    "Median over firings that changed the view: its tokens when the firing began \
                     over the usable window. Empty without a window.";
                UtilizationAtCompactionHigh "utilization_at_compaction.high" "share" Lower 1 Nothing
                    "Share of these firings at 0.95 of the usable window or above.";
                LatencyP50 "latency.p50" "milliseconds" Lower 1 Nothing
                    "Median modelled time that the agent waits for a firing with billed requests: \
                     tries of a batch at once, batches one after the other, at the sheet's rates.";
                LatencyP95 "latency.p95" "milliseconds" Lower 1 Nothing
                    "Its 95th percentile.";
                LatencyMax "latency.max" "milliseconds" Lower 1 Nothing
                    "Its maximum.";
                LatencyTotal "latency.total" "milliseconds" Lower 1 Nothing
                    "The sum over all such firings of the session.";
                LatencyRateFor5s "latency.rate_for_5s" "tokens per second" Lower 1 Nothing
                    "Generation rate at which, by nearest rank, 95 % of these firings take at \
                     most 5 s: the sum over batches of the longest answer over what prefill \
                     leaves of 5 s. Empty where no rate is fast enough.";
                CounterError "counter.error" "share" Neither 1 Nothing
                    "The strategy's own count of all the log's messages over the reference count, \
                     less 1.";
                CounterReferenceError "counter.reference_error" "share" Neither 1 Nothing
                    "Reference tokens between recorded usages over the growth of recorded \
                     prompts, less 1, over neighbouring usages without a recorded compaction \
                     between them whose prompt grew. Empty without recorded usage.";
            }
        }
    };
}
