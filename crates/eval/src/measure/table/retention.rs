//! What does it still know?

macro_rules! retention {
    ($next:ident $($rest:ident)* => $($done:tt)*) => {
        $next! { $($rest)* => $($done)*
            "Retention" {
                RecallAtNeed "recall_at_need" "share" Higher 1 Nothing
                    "Share present among ranked demands whose fact was last mentioned at least \
                     one base window of tokens before. Ranked are planned, user, call and \
                     reacquired demands, never incidental ones. What was appended since the \
                     previous call does not count as remembered; a demand that the session did \
                     not reach is missed.";
                RecallAtNeedReached "recall_at_need.reached" "share" Higher 1 Nothing
                    "The same over the demands that the session reached.";
                RecallAtNeedFrom05 "recall_at_need.from_0.5" "share" Higher 1 Nothing
                    "The same as recall_at_need, from 0.5 to under 1 base window.";
                RecallAtNeedFrom1 "recall_at_need.from_1" "share" Higher 1 Nothing
                    "From 1 to under 2 base windows.";
                RecallAtNeedFrom2 "recall_at_need.from_2" "share" Higher 1 Nothing
                    "From 2 to under 4 base windows.";
                RecallAtNeedFrom4 "recall_at_need.from_4" "share" Higher 1 Nothing
                    "From 4 base windows on.";
                RecallAll "recall.all" "share" Higher 1 Nothing
                    "The same over all ranked demands, whatever their distance.";
                RecallMean "recall.mean" "share" Higher 1 Nothing
                    "Share of live facts present in the view, mean over the steps that have live \
                     facts.";
                RecallAtNeedVerbatim "recall_at_need.verbatim" "share" Neither 1 Nothing
                    "Of the demands that recall_at_need counts as present: those present in the \
                     words of the log, through no summarizer.";
                RecallAtNeedSummarized "recall_at_need.summarized" "share" Neither 1 Nothing
                    "Of the same: those present in summaries only.";
                Partial "partial" "share" Higher 1 Nothing
                    "Mean over ranked demands that were sent and absent, not inverted: the most \
                     needles of the fact that any one entry of the prompt held, wherever in it, \
                     over all its needles. What was appended since the previous call does not \
                     count.";
                DemandsInverted "demands.inverted" "demands" Lower 1 Nothing
                    "Ranked demands that were sent with the subject of their fact and without its \
                     sense.";
                Demands "demands" "demands" Neither 1 Nothing
                    "Ranked demands of the session.";
                DemandsAtNeed "demands.at_need" "demands" Neither 1 Nothing
                    "Those that recall_at_need is over.";
                RetentionAll "retention.all" "share" Higher 1 Nothing
                    "Share present in the last view, verbatim or summarized, of all facts of the \
                     session that nothing supersedes; a session that ended early never held the \
                     later ones.";
                RetentionPath "retention.path" "share" Higher 1 Nothing
                    "The same, for file paths.";
                RetentionSymbol "retention.symbol" "share" Higher 1 Nothing
                    "For names of functions, types and variables.";
                RetentionError "retention.error" "share" Higher 1 Nothing
                    "For error messages and codes.";
                RetentionTest "retention.test" "share" Higher 1 Nothing
                    "For test names.";
                RetentionCommand "retention.command" "share" Higher 1 Nothing
                    "For shell commands.";
                RetentionValue "retention.value" "share" Higher 1 Nothing
                    "For settings, limits, ports and versions.";
                RetentionDecision "retention.decision" "share" Higher 1 Nothing
                    "For choices made and why.";
                RetentionConstraint "retention.constraint" "share" Higher 1 Nothing
                    "For what the user said must hold.";
                RetentionPreference "retention.preference" "share" Higher 1 Nothing
                    "For what the user likes.";
                RetentionSafetyRule "retention.safety-rule" "share" Higher 1 Nothing
                    "For what must never be done.";
                RetentionDeadEnd "retention.dead-end" "share" Higher 1 Nothing
                    "For approaches tried and abandoned.";
                RetentionDirection "retention.direction" "share" Higher 1 Nothing
                    "For changes of direction by the user.";
                RetentionOutcome "retention.outcome" "share" Higher 1 Nothing
                    "For what came of a goal.";
                RetentionPending "retention.pending" "share" Higher 1 Nothing
                    "For what is left to do.";
                DirectionRetained "direction.retained" "share" Higher 1 Nothing
                    "Share present among all ranked demands for changes of direction.";
                ConstraintRetained "constraint.retained" "share" Higher 1 Nothing
                    "Share present among all ranked demands for constraints.";
                DeadEndRetained "dead_end.retained" "share" Higher 1 Nothing
                    "Share present among all ranked demands for dead ends.";
                DeadEndExposed "dead_end.exposed" "demands" Lower 1 Nothing
                    "Ranked demands for dead ends that were sent without them: nothing warned.";
                LiveGoalLost "live_goal.lost" "steps" Lower 1 Nothing
                    "Steps sent without the latest user request word for word.";
                Oracle "oracle" "share" Neither 1 Nothing
                    "A bound from above on recall_at_need of any policy that keeps whole messages \
                     or lets them go for good, knows all needs beforehand, and keeps at each step \
                     no more tokens than the cell carried over there (as sent, less what was \
                     appended since the previous call). By linear programming duality, rounded \
                     down to whole demands. Policies that rewrite can lie above it. Demands that \
                     the cell did not reach are missed.";
                OracleAtLeast "oracle.at_least" "share" Neither 1 Nothing
                    "Recall of one such policy, built greedily: the best lies between the two.";
                RandomDrop "random_drop" "share" Neither 1 Nothing
                    "The same where messages get lots at random and the least lots go first, just \
                     as far as the tokens demand: the mean of 16 draws. Cells of a session share \
                     the draws.";
                Regret "regret" "share" Lower 1 Nothing
                    "oracle less recall_at_need.";
                StaleNeeds "stale.needs" "demands" Neither 1 Nothing
                    "Ranked demands that were sent for facts that replace another.";
                StaleCarried "stale.carried" "share" Lower 1 Nothing
                    "Of these: the prompt held a fact that was replaced, directly or through \
                     others.";
                StaleAlone "stale.alone" "demands" Lower 1 Nothing
                    "Of these: the old fact without the new one.";
                StaleAloneShare "stale.alone_share" "share" Lower 1 Nothing
                    "The same over stale.needs.";
                StaleBeside "stale.beside" "demands" Lower 1 Nothing
                    "The old fact beside the new one.";
                StaleBesideShare "stale.beside_share" "share" Lower 1 Nothing
                    "The same over stale.needs.";
                StalePairs "stale.pairs" "pairs" Neither 1 Nothing
                    "Facts of the session that another replaces.";
                StaleEndAlone "stale.end_alone" "pairs" Lower 1 Nothing
                    "Of the pairs whose new fact was told before the session ended: the last view \
                     holds the old fact without the new one.";
                StaleEndAloneShare "stale.end_alone_share" "share" Lower 1 Nothing
                    "The same over these pairs.";
                StaleEndBeside "stale.end_beside" "pairs" Lower 1 Nothing
                    "Likewise: the old fact beside the new one.";
                StaleEndBesideShare "stale.end_beside_share" "share" Lower 1 Nothing
                    "The same over these pairs.";
                UpdateResolved "update.resolved" "share" Higher 1 Nothing
                    "Share of stale.pairs of which the last view holds the new fact and not the \
                     old one; a session that ended early never held the later ones.";
                CliffAll "cliff.all" "generation" Higher 1 Nothing
                    "First generation at which under half of the facts survive that summarizers \
                     were shown: the product of the shares of each generation so far. A fact is \
                     put to the test where a summary takes the place of its last holders and its \
                     request showed it; facts replaced by then are left out. Empty where it does \
                     not come to that before a generation with under 5 facts.";
                CliffPath "cliff.path" "generation" Higher 1 Nothing
                    "The same, for file paths.";
                CliffSymbol "cliff.symbol" "generation" Higher 1 Nothing
                    "For names of functions, types and variables.";
                CliffError "cliff.error" "generation" Higher 1 Nothing
                    "For error messages and codes.";
                CliffTest "cliff.test" "generation" Higher 1 Nothing
                    "For test names.";
                CliffCommand "cliff.command" "generation" Higher 1 Nothing
                    "For shell commands.";
                CliffValue "cliff.value" "generation" Higher 1 Nothing
                    "For settings, limits, ports and versions.";
                CliffDecision "cliff.decision" "generation" Higher 1 Nothing
                    "For choices made and why.";
                CliffConstraint "cliff.constraint" "generation" Higher 1 Nothing
                    "For what the user said must hold.";
                CliffPreference "cliff.preference" "generation" Higher 1 Nothing
                    "For what the user likes.";
                CliffSafetyRule "cliff.safety-rule" "generation" Higher 1 Nothing
                    "For what must never be done.";
                CliffDeadEnd "cliff.dead-end" "generation" Higher 1 Nothing
                    "For approaches tried and abandoned.";
                CliffDirection "cliff.direction" "generation" Higher 1 Nothing
                    "For changes of direction by the user.";
                CliffOutcome "cliff.outcome" "generation" Higher 1 Nothing
                    "For what came of a goal.";
                CliffPending "cliff.pending" "generation" Higher 1 Nothing
                    "For what is left to do.";
                Losses "losses" "facts" Lower 1 Nothing
                    "Facts that compactions took out of the view, each time counted.";
                LossesDropped "losses.dropped" "facts" Lower 1 Nothing
                    "Of these: the entry left and nothing stands for it.";
                LossesCoveredButUnseen "losses.covered-but-unseen" "facts" Lower 1 Nothing
                    "Covered by a summary that was never shown them.";
                LossesShownButOmitted "losses.shown-but-omitted" "facts" Lower 1 Nothing
                    "Shown to the summarizer and left out.";
                LossesLostInReSummary "losses.lost-in-re-summary" "facts" Lower 1 Nothing
                    "Held by a summary, not by the summary of it.";
                LossesInverted "losses.inverted" "facts" Lower 1 Nothing
                    "The subject stayed without its sense.";
                MissedDropped "missed.dropped" "demands" Lower 1 Nothing
                    "Ranked demands that were sent and missed, whose fact's last loss was of this \
                     class.";
                MissedCoveredButUnseen "missed.covered-but-unseen" "demands" Lower 1 Nothing
                    "Likewise.";
                MissedShownButOmitted "missed.shown-but-omitted" "demands" Lower 1 Nothing
                    "Likewise.";
                MissedLostInReSummary "missed.lost-in-re-summary" "demands" Lower 1 Nothing
                    "Likewise.";
                MissedInverted "missed.inverted" "demands" Lower 1 Nothing
                    "Likewise.";
                MissedUnexplained "missed.unexplained" "demands" Lower 1 Nothing
                    "Ranked demands that were sent and missed without a loss on record: what was \
                     sent held less than the view.";
                MissedNotReached "missed.not-reached" "demands" Lower 1 Nothing
                    "Ranked demands after the session's end.";
                FoldUnseenShare "fold.unseen_share" "share" Lower 1 Nothing
                    "Of the tokens that new entries cover: the share that their requests never \
                     showed whole. A cover without a request shows nothing.";
                Fabricated "fabricated" "artifacts" Lower 1 Nothing
                    "Artifacts in answers that came to stand in views (paths, symbols, error \
                     codes, figures with units, commands, by patterns of the measurement's own) \
                     that occur nowhere in the prompt as it was sent, counted once an answer. As \
                     written: another spelling is another artifact.";
                FabricatedShare "fabricated.share" "share" Lower 1 Nothing
                    "The same over summary.artifacts.";
                DecoysSeen "decoys.seen" "decoys" Lower 1 Nothing
                    "Decoys, which never occur in the session, that a new entry held.";
                ArcGoals "arc.goals" "goals" Neither 1 Nothing
                    "Goals of which at least two turns were folded: a summary stands for the \
                     user's messages that open them.";
                ArcIntegrity "arc.integrity" "share" Higher 1 Nothing
                    "Share of these whose folded turns lie in one fold, each turn in the last \
                     that took it.";
                ArcSplits "arc.splits" "goals" Lower 1 Nothing
                    "Goals of these that lie in several folds.";
                Misclassified "misclassified" "entries" Lower 1 Nothing
                    "Entries that a stage which goes by text takes for what they are not: a \
                     person's words, a summary, anything else. Empty where no stage goes by text.";
            }
        }
    };
}
