//! What comes of answers that fail?

macro_rules! faults {
    ($next:ident $($rest:ident)* => $($done:tt)*) => {
        $next! { $($rest)* => $($done)*
            "Faults" {
                Attempts "attempts" "calls" Lower 1 Nothing
                    "Tries of summary requests, those refused before they were asked and those \
                     answered from memory among them.";
                AttemptsFailed "attempts.failed" "calls" Lower 1 Nothing
                    "Of these, tries without an answer that the profile takes.";
                FaultsStruck "faults.struck" "calls" Neither 1 Nothing
                    "Calls at which the summarizer was made to fail. 0 under a summarizer without \
                     a fault.";
                FaultsSilentFacts "faults.silent_facts" "facts" Lower 1 Nothing
                    "Facts lost in compactions that changed the view (accepted or fallback) \
                     although the last answer to each of their requests had failed, was empty, or \
                     was made to tell nothing (error, time-out, refusal, overflow, empty, \
                     tool-call, garbage), where neither a notice in the view nor the end of the \
                     session says so. A plan with one sound answer counts for nothing: a lower \
                     bound. Noise that no fault put there is not recognized.";
                FaultsSilentTokens "faults.silent_tokens" "tokens" Lower 1 Nothing
                    "Reference tokens that the view lost in the same compactions.";
                FaultsToldFacts "faults.told_facts" "facts" Lower 1 Nothing
                    "Facts lost in compactions without a telling answer, as above, of which a \
                     notice in the view or the end of the session says so.";
                SendsStale "sends.stale" "sends" Lower 1 Nothing
                    "Calls that were sent the view from before a failed pass, as a pipeline has \
                     it that aborts so (Forge's code).";
            }
        }
    };
}
