//! What comes of answers that fail?

use super::Direction::{Lower, Neither};
use super::{Metric, figure};

pub(super) const METRICS: &[Metric] = &[
    figure(
        "attempts",
        "calls",
        Lower,
        "Tries of summary requests, those refused before they were asked and those answered from \
         memory among them.",
    ),
    figure(
        "attempts.failed",
        "calls",
        Lower,
        "Of these, tries without an answer that the profile takes.",
    ),
    figure(
        "faults.struck",
        "calls",
        Neither,
        "Calls at which the summarizer was made to fail. 0 under a summarizer without a fault.",
    ),
    figure(
        "faults.silent_facts",
        "facts",
        Lower,
        "Facts lost in compactions that changed the view (accepted or fallback) although the last \
         answer to each of their requests had failed, was empty, or was made to tell nothing (error, \
         time-out, refusal, overflow, empty, tool-call, garbage), where neither a notice in the \
         view nor the end of the session says so. A plan with one sound answer counts for nothing: \
         a lower bound. Noise that no fault put there is not recognized.",
    ),
    figure(
        "faults.silent_tokens",
        "tokens",
        Lower,
        "Reference tokens that the view lost in the same compactions.",
    ),
    figure(
        "faults.told_facts",
        "facts",
        Lower,
        "Facts lost in compactions without a telling answer, as above, of which a notice in the \
         view or the end of the session says so.",
    ),
    figure(
        "sends.stale",
        "sends",
        Lower,
        "Calls that were sent the view from before a failed pass, as a pipeline has it that \
         aborts so (Forge's code).",
    ),
];
