//! Figures that need several cells: rows of `derived.csv`.

macro_rules! derived {
    ($next:ident $($rest:ident)* => $($done:tt)*) => {
        $next! { $($rest)* => $($done)*
            "Figures that need several cells" {
                SavingsGross "savings.gross" "share" Higher 1 Control
                    "1 less tokens.prompt_total over the control's prompts of the same steps. \
                     Ranked only where the session completed.";
                SavingsNet "savings.net" "share" Higher 1 Control
                    "The same with tokens.summarizer added to what was spent.";
                SavingsEffective "savings.effective" "share" Higher 1 Control
                    "The same with cost.reacquire added besides.";
                SavingsMeanOverControl "savings.mean_over_control" "share" Lower 1 Control
                    "Mean prompt over the control's mean prompt of the same steps.";
                SavingsTruncateRecall "savings.truncate_recall" "share" Neither 1 Sweep
                    "recall_at_need of truncate at the same mean prompt: interpolated linearly \
                     between its completed cells at fixed limits, never beyond them.";
                SavingsTruncateEqual "savings.truncate_equal" "share" Higher 1 Sweep
                    "recall_at_need less savings.truncate_recall.";
                CostSaved "cost.saved" "dollars" Higher 1 Control
                    "The control's cost over the steps reached less cost.usd.";
                CostBreakEvenStep "cost.break_even_step" "step" Lower 1 Control
                    "First step from which the run, summaries included, has cost less than its \
                     control and does so to the end. Empty where there is none.";
                FloorBreach "floor.breach" "share" Higher 1 Reference
                    "1 less floor.one_pass over the reference's at the last checkpoint that both \
                     reached.";
                FloorBreachMedian "floor.breach.median" "share" Higher 1 Reference
                    "The median over common checkpoints.";
                FloorGrowth "floor.growth" "word" Neither 1 Sessions
                    "constant, logarithmic or linear: the model of least AICc over the \
                     checkpoints of all sessions; a fall counts as constant, and so does a rise \
                     of under 1 % of the mean.";
                FloorGrowthLowWater "floor.growth.low_water" "word" Neither 1 Sessions
                    "The same of the low waters.";
                FloorGrowthLead "floor.growth_lead" "AICc" Higher 1 Sessions
                    "AICc of the line less the lesser of the other two models; above 0 speaks \
                     against linear growth.";
                FloorGrowthLeadLowWater "floor.growth_lead.low_water" "AICc" Higher 1 Sessions
                    "The same of the low waters.";
                FloorSlopeDifference "floor.slope_difference" "tokens per turn" Lower 1 Reference
                    "Slope less the reference's, session by session.";
                FloorSlopeDifferenceLowWater "floor.slope_difference.low_water" "tokens per turn" Lower 1 Reference
                    "The same of the low waters.";
                FloorHorizon "floor.horizon" "turn" Higher 1 Sessions
                    "Turn at which the fit reaches the least usable window of the sessions. Empty \
                     where it never does.";
                FloorHorizonLowWater "floor.horizon.low_water" "turn" Higher 1 Sessions
                    "The same of the low waters.";
                FloorVerdict "floor.verdict" "word" Neither 1 Sessions
                    "eliminated, eliminated by forgetting, lowered, unchanged, grown, not reached \
                     or inconclusive, as METHODOLOGY.md says.";
                BracketEmpty "bracket.empty" "share" Neither 1 Summarizers
                    "Mean recall_at_need over the scenario's sessions under empty summaries.";
                BracketLead "bracket.lead" "share" Neither 1 Summarizers
                    "Under the first words of what is shown.";
                BracketRandomSentence "bracket.random-sentence" "share" Neither 1 Summarizers
                    "Under sentences drawn at random.";
                BracketExtractive "bracket.extractive" "share" Neither 1 Summarizers
                    "Under the offline extractive summarizer.";
                BracketPerfect "bracket.perfect" "share" Neither 1 Summarizers
                    "Under the summarizer that is told the facts in what it is shown.";
                BracketSign "bracket.sign" "word" Neither 1 Summarizers
                    "higher, lower or equal: how the first configuration's recall_at_need differs \
                     from the second's under empty, extractive and perfect alike, over common \
                     sessions; else summarizer-dependent.";
                BankA "bank.a" "share" Neither 1 Twin
                    "Mean recall_at_need over the sessions that were told in both phrase banks, \
                     as told in bank A, on which summarizers and strategies may be developed.";
                BankB "bank.b" "share" Neither 1 Twin
                    "The same sessions in bank B, which by construction holds none of the cues \
                     that the offline summarizer looks for.";
                BankGap "bank.gap" "share" Neither 1 Twin
                    "bank.a - bank.b with its interval over pairs of sessions: an upper bound of \
                     what the figure owes to a wording that the summarizer was developed on, \
                     since bank B avoids every cue. Under perfect, which no wording affects, it \
                     shows what else differs between the two.";
                FaultsCostRatio "faults.cost_ratio" "ratio" Lower 1 Summarizers
                    "cost.usd of a cell under a fault over that of the same cell without it. \
                     Empty where one of the two ended early.";
                FaultsRecallChange "faults.recall_change" "share" Higher 1 Summarizers
                    "recall_at_need of a cell under a fault less that of the same cell without \
                     it; needs after an early end count as misses in both.";
                TriggerDue "trigger.due" "moments" Neither 1 Sessions
                    "How often an occasion of the stage came under the mode, its pressure met or \
                     not, over all sessions. Stages that an aborted pass never came to were not \
                     due.";
                TriggerFired "trigger.fired" "moments" Neither 1 Sessions
                    "Of these, it proposed a plan.";
                TriggerChanged "trigger.changed" "moments" Neither 1 Sessions
                    "Of these, some plan of it was carried out.";
                TriggerDeclined "trigger.declined" "moments" Neither 1 Sessions
                    "It was asked and proposed none; the main reasons stand beside it.";
                TriggerUtilization "trigger.utilization" "share" Neither 1 Sessions
                    "Prompt over usable window at the first round of its firings, median over \
                     those of all sessions.";
                ControlBrackets "control.brackets" "word" Neither 1 Summarizers
                    "holds where the scenario's mean recall_at_need.reached, over sessions and \
                     all configurations that ask for summaries, is at least as high under perfect \
                     as under extractive, and there at least as high as under empty; else fails.";
                ControlRecall "control.recall" "share" Higher 1 Control
                    "recall.all of the session's control; anything but 1 is a fault of the \
                     harness.";
                ControlDecoys "control.decoys" "decoys" Lower 1 Control
                    "decoys.seen of the session's control; anything but 0 is a fault of the \
                     harness.";
            }
        }
    };
}
