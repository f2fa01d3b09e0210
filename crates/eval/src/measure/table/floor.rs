//! Can the context keep shrinking?

macro_rules! floor {
    ($next:ident $($rest:ident)* => $($done:tt)*) => {
        $next! { $($rest)* => $($done)*
            "Floor" {
                FloorOnePass "floor.one_pass" "tokens" Lower 1 Nothing
                    "Tokens of the view after one round of the floor probe, at the last \
                     checkpoint reached.";
                FloorOnePassRecall "floor.one_pass_recall" "share" Higher 1 Nothing
                    "Share of live facts present after that round; empty where no fact is live.";
                FloorOnePassWithoutTail "floor.one_pass_without_tail" "tokens" Lower 1 Nothing
                    "floor.one_pass less the recent raw tail, which is all that follows the last \
                     summary.";
                FloorForced "floor.forced" "tokens" Lower 1 Nothing
                    "The least tokens of the view over the probe's rounds, at the last checkpoint \
                     reached. Never to be read without floor.forced_recall.";
                FloorForcedRecall "floor.forced_recall" "share" Higher 1 Nothing
                    "Share of live facts present after the first round that reached floor.forced.";
                FloorLowWater "floor.low_water" "tokens" Lower 1 Nothing
                    "The low water of a twelfth of the session's turns is the least view that a \
                     deployed compaction left in it. This is the last one; empty where no \
                     compaction changed the view.";
                FloorLowWaterMedian "floor.low_water.median" "tokens" Lower 1 Nothing
                    "The median over the twelfths that have one.";
                FloorSlope "floor.slope" "tokens per turn" Lower 1 Nothing
                    "Theil-Sen slope of floor.one_pass over the turns of the session's \
                     checkpoints.";
                FloorSlopeLowWater "floor.slope.low_water" "tokens per turn" Lower 1 Nothing
                    "Theil-Sen slope of the low waters over the turns at which they were reached.";
                FloorHeadroom "floor.headroom" "tokens" Higher 1 Nothing
                    "Usable window less floor.one_pass; negative where the floor does not fit. \
                     Empty without a window.";
                FloorEntriesPerTurnSystem "floor.entries_per_turn.system" "entries per turn" Lower 1 Nothing
                    "System messages left after one round at the last checkpoint, per human turn \
                     so far. Free of any summary's length, as are all figures of this name.";
                FloorEntriesPerTurnUser "floor.entries_per_turn.user" "entries per turn" Lower 1 Nothing
                    "User-role messages of the log, likewise.";
                FloorEntriesPerTurnAssistant "floor.entries_per_turn.assistant" "entries per turn" Lower 1 Nothing
                    "Raw assistant messages, likewise.";
                FloorEntriesPerTurnTool "floor.entries_per_turn.tool" "entries per turn" Lower 1 Nothing
                    "Raw tool results, likewise.";
                FloorEntriesPerTurnSummarized "floor.entries_per_turn.summarized" "entries per turn" Lower 1 Nothing
                    "[SUMMARIZED] blocks, likewise.";
                FloorEntriesPerTurnGoalBatch "floor.entries_per_turn.goal-batch" "entries per turn" Lower 1 Nothing
                    "[GOAL BATCH] blocks, likewise.";
                FloorEntriesPerTurnSummary "floor.entries_per_turn.summary" "entries per turn" Lower 1 Nothing
                    "Summaries of the history at large, likewise.";
                FloorEntriesPerTurnOther "floor.entries_per_turn.other" "entries per turn" Lower 1 Nothing
                    "Notices and recalled text, likewise.";
                FloorUsersLeft "floor.users_left" "entries" Neither 1 Nothing
                    "User-role messages left after that round.";
                FloorOwnerless "floor.ownerless" "entries" Lower 1 Nothing
                    "[SUMMARIZED] blocks after that round that follow, other such blocks aside, \
                     no user message.";
                FloorGoalBatches "floor.goal_batches" "compactions" Neither 1 Nothing
                    "Deployed compactions that brought a [GOAL BATCH] block.";
                FloorGoalsAbsorbed "floor.goals_absorbed" "compactions" Lower 1 Nothing
                    "Deployed compactions that took the latest user request out of the view; \
                     compactions.parquet tells the stage of each.";
                ThrashFreedMedian "thrash.freed_median" "share" Higher 1 Nothing
                    "Median share of the view that a firing freed. A firing is all rounds of one \
                     stage on one occasion, whatever came of them; a failed one frees nothing.";
                ThrashHardlyFreed "thrash.hardly_freed" "firings" Lower 1 Nothing
                    "Firings that freed under 5 % of the view.";
                ThrashStuckAt "thrash.stuck_at" "step" Higher 1 Nothing
                    "First of at least two steps from which the pipeline fires at every step to \
                     the end and stays at or above its own trigger (its reading scaled as the \
                     view shrank). Empty where it is not stuck.";
                FloorProbeSummarizer "floor.probe_summarizer" "tokens" Neither 1 Nothing
                    "Prompt and completion of the probe's own summary requests; billed to no one \
                     else.";
            }
        }
    };
}
