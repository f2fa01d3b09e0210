//! Are views well formed, and what are summaries like?

use super::Direction::{Lower, Neither};
use super::{Metric, figure};

const fn rule(id: &'static str, definition: &'static str) -> Metric {
    figure(id, "violations", Lower, definition)
}

pub(super) const METRICS: &[Metric] = &[
    rule("violations", "Rules that deployed compactions broke, all together."),
    rule("violations.orphan-result", "A tool result whose call left the view."),
    rule("violations.orphan-call", "A call whose results left the view."),
    rule("violations.split-pair", "Something new stands between a call and its result."),
    rule("violations.duplicate-result", "A call answered twice."),
    rule("violations.system-changed", "A system message was removed or rewritten."),
    rule("violations.order-changed", "Kept entries changed places."),
    rule("violations.grew", "The view grew, by the pipeline's own counter."),
    rule("violations.empty-summary", "A summary without a word in it."),
    rule(
        "violations.first-message-role",
        "The first message after the system's is not the user's.",
    ),
    rule(
        "violations.turn-split",
        "A closed turn was taken apart by a strategy that claims not to.",
    ),
    figure(
        "summary.ratio",
        "share",
        Neither,
        "Tokens of new summaries over the tokens that they cover.",
    ),
    figure("summary.empty", "share", Lower, "Share of new summaries without a word in them."),
];
