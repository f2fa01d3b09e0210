//! What does it still know?

use super::Direction::{Higher, Lower, Neither};
use super::{Metric, figure};

const fn kind(id: &'static str, definition: &'static str) -> Metric {
    figure(id, "share", Higher, definition)
}

pub(super) const METRICS: &[Metric] = &[
    figure(
        "recall_at_need",
        "share",
        Higher,
        "Share present among ranked demands whose fact was last mentioned at least one base \
         window of tokens before. Ranked are planned, user, call and reacquired demands, never \
         incidental ones. What was appended since the previous call does not count as \
         remembered; a demand that the session did not reach is missed.",
    ),
    figure(
        "recall_at_need.reached",
        "share",
        Higher,
        "The same over the demands that the session reached.",
    ),
    kind("recall_at_need.from_0.5", "The same as recall_at_need, from 0.5 to under 1 base window."),
    kind("recall_at_need.from_1", "From 1 to under 2 base windows."),
    kind("recall_at_need.from_2", "From 2 to under 4 base windows."),
    kind("recall_at_need.from_4", "From 4 base windows on."),
    kind("recall.all", "The same over all ranked demands, whatever their distance."),
    kind(
        "recall.mean",
        "Share of live facts present in the view, mean over the steps that have live facts.",
    ),
    figure("demands", "demands", Neither, "Ranked demands of the session."),
    figure("demands.at_need", "demands", Neither, "Those that recall_at_need is over."),
    kind(
        "retention.all",
        "Share present in the last view, verbatim or summarized, of all facts of the session \
         that nothing supersedes; a session that ended early never held the later ones.",
    ),
    kind("retention.path", "The same, for file paths."),
    kind("retention.symbol", "For names of functions, types and variables."),
    kind("retention.error", "For error messages and codes."),
    kind("retention.test", "For test names."),
    kind("retention.command", "For shell commands."),
    kind("retention.value", "For settings, limits, ports and versions."),
    kind("retention.decision", "For choices made and why."),
    kind("retention.constraint", "For what the user said must hold."),
    kind("retention.preference", "For what the user likes."),
    kind("retention.safety-rule", "For what must never be done."),
    kind("retention.dead-end", "For approaches tried and abandoned."),
    kind("retention.direction", "For changes of direction by the user."),
    kind("retention.outcome", "For what came of a goal."),
    kind("retention.pending", "For what is left to do."),
    kind("direction.retained", "Share present among all ranked demands for changes of direction."),
    kind("constraint.retained", "Share present among all ranked demands for constraints."),
    figure(
        "dead_end.exposed",
        "demands",
        Lower,
        "Ranked demands for dead ends that were sent without them: nothing warned.",
    ),
    figure(
        "live_goal.lost",
        "steps",
        Lower,
        "Steps sent without the latest user request word for word.",
    ),
    figure(
        "losses",
        "facts",
        Lower,
        "Facts that compactions took out of the view, each time counted.",
    ),
    figure("losses.dropped", "facts", Lower, "Of these: the entry left and nothing stands for it."),
    figure(
        "losses.covered-but-unseen",
        "facts",
        Lower,
        "Covered by a summary that was never shown them.",
    ),
    figure("losses.shown-but-omitted", "facts", Lower, "Shown to the summarizer and left out."),
    figure(
        "losses.lost-in-re-summary",
        "facts",
        Lower,
        "Held by a summary, not by the summary of it.",
    ),
    figure("losses.inverted", "facts", Lower, "The subject stayed without its sense."),
    figure(
        "missed.dropped",
        "demands",
        Lower,
        "Ranked demands that were sent and missed, whose fact's last loss was of this class.",
    ),
    figure("missed.covered-but-unseen", "demands", Lower, "Likewise."),
    figure("missed.shown-but-omitted", "demands", Lower, "Likewise."),
    figure("missed.lost-in-re-summary", "demands", Lower, "Likewise."),
    figure("missed.inverted", "demands", Lower, "Likewise."),
    figure(
        "missed.unexplained",
        "demands",
        Lower,
        "Ranked demands that were sent and missed without a loss on record: what was sent held \
         less than the view.",
    ),
    figure("missed.not-reached", "demands", Lower, "Ranked demands after the session's end."),
    figure(
        "fold.unseen_share",
        "share",
        Lower,
        "Of the tokens that new entries cover: the share that their requests never showed whole. \
         A cover without a request shows nothing.",
    ),
    figure(
        "decoys.seen",
        "decoys",
        Lower,
        "Decoys, which never occur in the session, that a new entry held.",
    ),
];
