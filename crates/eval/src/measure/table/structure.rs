//! Are views well formed, and what are summaries like?

macro_rules! structure {
    ($next:ident $($rest:ident)* => $($done:tt)*) => {
        $next! { $($rest)* => $($done)*
            "Structure" {
                Violations "violations" "violations" Lower 1 Nothing
                    "Rules that deployed compactions broke, all together.";
                ViolationsOrphanResult "violations.orphan-result" "violations" Lower 1 Nothing
                    "A tool result whose call left the view.";
                ViolationsOrphanCall "violations.orphan-call" "violations" Lower 1 Nothing
                    "A call whose results left the view.";
                ViolationsSplitPair "violations.split-pair" "violations" Lower 1 Nothing
                    "Something new stands between a call and its result.";
                ViolationsDuplicateResult "violations.duplicate-result" "violations" Lower 1 Nothing
                    "A call answered twice.";
                ViolationsSystemChanged "violations.system-changed" "violations" Lower 1 Nothing
                    "A system message was removed or rewritten.";
                ViolationsOrderChanged "violations.order-changed" "violations" Lower 1 Nothing
                    "Kept entries changed places.";
                ViolationsGrew "violations.grew" "violations" Lower 1 Nothing
                    "The view grew, by the pipeline's own counter.";
                ViolationsEmptySummary "violations.empty-summary" "violations" Lower 1 Nothing
                    "A summary without a word in it.";
                ViolationsFirstMessageRole "violations.first-message-role" "violations" Lower 1 Nothing
                    "The first message after the system's is not the user's.";
                ViolationsTurnSplit "violations.turn-split" "violations" Lower 2 Nothing
                    "A closed turn was taken apart by a strategy that claims not to. Empty where \
                     no stage claims so.";
                SummaryRatio "summary.ratio" "share" Neither 1 Nothing
                    "Tokens of new summaries over the tokens that they cover.";
                SummaryEmpty "summary.empty" "share" Lower 1 Nothing
                    "Share of new summaries without a word in them.";
                SummaryArtifacts "summary.artifacts" "artifacts" Neither 1 Nothing
                    "Distinct artifacts in answers that came to stand in views, counted once an \
                     answer. An answer is read whole, as it came, before a profile cuts or frames \
                     it.";
                SummaryCopyShare "summary.copy_share" "share" Neither 1 Nothing
                    "Share of the words of these answers that lie in 8 words in a row which occur \
                     in what the request showed, case and punctuation aside. A shorter answer is \
                     one such run.";
                SummarySections "summary.sections" "share" Higher 1 Nothing
                    "Share of the headings that prompts ask for (lines that begin with a number \
                     sign) which the answers have, as lines of their own. Empty where no prompt \
                     asks for any.";
                SummaryFirstPerson "summary.first_person" "share" Neither 1 Nothing
                    "Share of the sentences of these answers, headings aside, with I, me, my, \
                     mine, we, us, our or ours, or a contraction of these.";
                SummaryHedges "summary.hedges" "share" Lower 1 Nothing
                    "Share of the same sentences with maybe, perhaps, possibly, probably, \
                     presumably, apparently, likely, unlikely, might, unclear, unsure, or a form \
                     of to seem or to appear.";
            }
        }
    };
}
