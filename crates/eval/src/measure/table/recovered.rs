//! What did an archive give back, and at what price?

use super::Direction::{Higher, Lower, Neither};
use super::{Metric, figure};

pub(super) const METRICS: &[Metric] = &[
    figure(
        "archive.calls",
        "calls",
        Neither,
        "Calls in whose prompt something recalled was sent. Empty, with all of this section, \
         where nothing was.",
    ),
    figure(
        "archive.tokens",
        "tokens",
        Lower,
        "Tokens that what was recalled added to prompts; tokens.prompt_total holds them.",
    ),
    figure("archive.waste", "tokens", Lower, "Of these, tokens at calls without any demand."),
    figure("archive.waste_share", "share", Lower, "The same as a share of archive.tokens."),
    figure(
        "archive.met",
        "demands",
        Higher,
        "Ranked demands whose fact the view did not hold and what was recalled did. \
         recall_at_need and everything else that is said of the view leaves them out. A passage \
         of a message appended since the previous call does not count.",
    ),
    figure(
        "archive.recoverable",
        "share",
        Higher,
        "Share present in the view or in what was recalled, over the demands of recall_at_need.",
    ),
];
