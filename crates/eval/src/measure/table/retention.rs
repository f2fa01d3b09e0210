//! What does it still know?

use super::Direction::{Higher, Lower, Neither};
use super::{Metric, figure};

const fn kind(id: &'static str, definition: &'static str) -> Metric {
    figure(id, "share", Higher, definition)
}

const fn cliff(id: &'static str, definition: &'static str) -> Metric {
    figure(id, "generation", Higher, definition)
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
    figure(
        "recall_at_need.verbatim",
        "share",
        Neither,
        "Of the demands that recall_at_need counts as present: those present in the words of \
         the log, through no summarizer.",
    ),
    figure(
        "recall_at_need.summarized",
        "share",
        Neither,
        "Of the same: those present in summaries only.",
    ),
    kind(
        "partial",
        "Mean over ranked demands that were sent and absent, not inverted: the most needles of \
         the fact that any one entry of the prompt held, wherever in it, over all its needles. \
         What was appended since the previous call does not count.",
    ),
    figure(
        "demands.inverted",
        "demands",
        Lower,
        "Ranked demands that were sent with the subject of their fact and without its sense.",
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
    kind("dead_end.retained", "Share present among all ranked demands for dead ends."),
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
        "oracle",
        "share",
        Neither,
        "A bound from above on recall_at_need of any policy that keeps whole messages or lets \
         them go for good, knows all needs beforehand, and keeps at each step no more tokens \
         than the cell carried over there (as sent, less what was appended since the previous \
         call). By linear programming duality, rounded down to whole demands. Policies that \
         rewrite can lie above it. Demands that the cell did not reach are missed.",
    ),
    figure(
        "oracle.at_least",
        "share",
        Neither,
        "Recall of one such policy, built greedily: the best lies between the two.",
    ),
    figure(
        "random_drop",
        "share",
        Neither,
        "The same where messages get lots at random and the least lots go first, just as far as \
         the tokens demand: the mean of 16 draws. Cells of a session share the draws.",
    ),
    figure("regret", "share", Lower, "oracle less recall_at_need."),
    figure(
        "stale.needs",
        "demands",
        Neither,
        "Ranked demands that were sent for facts that replace another.",
    ),
    figure(
        "stale.carried",
        "share",
        Lower,
        "Of these: the prompt held a fact that was replaced, directly or through others.",
    ),
    figure("stale.alone", "demands", Lower, "Of these: the old fact without the new one."),
    figure("stale.alone_share", "share", Lower, "The same over stale.needs."),
    figure("stale.beside", "demands", Lower, "The old fact beside the new one."),
    figure("stale.beside_share", "share", Lower, "The same over stale.needs."),
    figure("stale.pairs", "pairs", Neither, "Facts of the session that another replaces."),
    figure(
        "stale.end_alone",
        "pairs",
        Lower,
        "Of the pairs whose new fact was told before the session ended: the last view holds the \
         old fact without the new one.",
    ),
    figure("stale.end_alone_share", "share", Lower, "The same over these pairs."),
    figure("stale.end_beside", "pairs", Lower, "Likewise: the old fact beside the new one."),
    figure("stale.end_beside_share", "share", Lower, "The same over these pairs."),
    kind(
        "update.resolved",
        "Share of stale.pairs of which the last view holds the new fact and not the old one; a \
         session that ended early never held the later ones.",
    ),
    cliff(
        "cliff.all",
        "First generation at which under half of the facts survive that summarizers \
         were shown: the product of the shares of each generation so far. A fact is put to the \
         test where a summary takes the place of its last holders and its request showed it; \
         facts replaced by then are left out. Empty where it does not come to that before a \
         generation with under 5 facts.",
    ),
    cliff("cliff.path", "The same, for file paths."),
    cliff("cliff.symbol", "For names of functions, types and variables."),
    cliff("cliff.error", "For error messages and codes."),
    cliff("cliff.test", "For test names."),
    cliff("cliff.command", "For shell commands."),
    cliff("cliff.value", "For settings, limits, ports and versions."),
    cliff("cliff.decision", "For choices made and why."),
    cliff("cliff.constraint", "For what the user said must hold."),
    cliff("cliff.preference", "For what the user likes."),
    cliff("cliff.safety-rule", "For what must never be done."),
    cliff("cliff.dead-end", "For approaches tried and abandoned."),
    cliff("cliff.direction", "For changes of direction by the user."),
    cliff("cliff.outcome", "For what came of a goal."),
    cliff("cliff.pending", "For what is left to do."),
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
        "fabricated",
        "artifacts",
        Lower,
        "Artifacts in answers that came to stand in views (paths, symbols, error codes, figures \
         with units, commands, by patterns of the measurement's own) that occur nowhere in the \
         prompt as it was sent, counted once an answer. As written: another spelling is another \
         artifact.",
    ),
    figure("fabricated.share", "share", Lower, "The same over summary.artifacts."),
    figure(
        "decoys.seen",
        "decoys",
        Lower,
        "Decoys, which never occur in the session, that a new entry held.",
    ),
    figure(
        "arc.goals",
        "goals",
        Neither,
        "Goals of which at least two turns were folded: a summary stands for the user's messages \
         that open them.",
    ),
    kind(
        "arc.integrity",
        "Share of these whose folded turns lie in one fold, each turn in the last that took it.",
    ),
    figure("arc.splits", "goals", Lower, "Goals of these that lie in several folds."),
    figure(
        "misclassified",
        "entries",
        Lower,
        "Entries that a stage which goes by text takes for what they are not: a person's words, \
         a summary, anything else. Empty where no stage goes by text.",
    ),
];
