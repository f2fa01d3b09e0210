//! Are views well formed, and what are summaries like?

use super::Direction::{Higher, Lower, Neither};
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
    Metric {
        version: 2,
        ..rule(
            "violations.turn-split",
            "A closed turn was taken apart by a strategy that claims not to. Empty where no \
             stage claims so.",
        )
    },
    figure(
        "summary.ratio",
        "share",
        Neither,
        "Tokens of new summaries over the tokens that they cover.",
    ),
    figure("summary.empty", "share", Lower, "Share of new summaries without a word in them."),
    figure(
        "summary.artifacts",
        "artifacts",
        Neither,
        "Distinct artifacts in answers that came to stand in views, counted once an answer. An \
         answer is read whole, as it came, before a profile cuts or frames it.",
    ),
    figure(
        "summary.copy_share",
        "share",
        Neither,
        "Share of the words of these answers that lie in 8 words in a row which occur in what \
         the request showed, case and punctuation aside. A shorter answer is one such run.",
    ),
    figure(
        "summary.sections",
        "share",
        Higher,
        "Share of the headings that prompts ask for (lines that begin with a number sign) which \
         the answers have, as lines of their own. Empty where no prompt asks for any.",
    ),
    figure(
        "summary.first_person",
        "share",
        Neither,
        "Share of the sentences of these answers, headings aside, with I, me, my, mine, we, us, \
         our or ours, or a contraction of these.",
    ),
    figure(
        "summary.hedges",
        "share",
        Lower,
        "Share of the same sentences with maybe, perhaps, possibly, probably, presumably, \
         apparently, likely, unlikely, might, unclear, unsure, or a form of to seem or to appear.",
    ),
];
