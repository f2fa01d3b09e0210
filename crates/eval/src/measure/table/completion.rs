//! Completion comes first.

macro_rules! completion {
    ($next:ident $($rest:ident)* => $($done:tt)*) => {
        $next! { $($rest)* => $($done)*
            "Completion" {
                Completion "completion" "share" Higher 1 Nothing
                    "1 where the session reached its last step, else 0.";
                EndedBy "ended_by" "word" Neither 2 Nothing
                    "How it ended: completed, overflow, max-tokens, invalid-request, raised, or \
                     compaction-limit (it compacted without end and was stopped).";
                StepsReached "steps_reached" "steps" Higher 1 Nothing
                    "Model calls that were made and answered.";
                StepsTotal "steps_total" "steps" Neither 1 Nothing
                    "Model calls of the session.";
                SendsOverflows "sends.overflows" "sends" Lower 1 Nothing
                    "Sends that the model refused as too long.";
                SendsCutOffs "sends.cut_offs" "sends" Lower 1 Nothing
                    "Answers cut off at the output limit.";
            }
        }
    };
}
