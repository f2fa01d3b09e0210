//! Can the context keep shrinking?

use super::Direction::{Higher, Lower, Neither};
use super::{Metric, figure};

pub(super) const METRICS: &[Metric] = &[
    figure(
        "floor.one_pass",
        "tokens",
        Lower,
        "Tokens of the view after one round of the floor probe, at the last checkpoint reached.",
    ),
    figure(
        "floor.one_pass_recall",
        "share",
        Higher,
        "Share of live facts present after that round; empty where no fact is live.",
    ),
    figure(
        "floor.one_pass_without_tail",
        "tokens",
        Lower,
        "floor.one_pass less the recent raw tail, which is all that follows the last summary.",
    ),
    figure(
        "floor.forced",
        "tokens",
        Lower,
        "The least tokens of the view over the probe's rounds, at the last checkpoint reached. \
         Never to be read without floor.forced_recall.",
    ),
    figure(
        "floor.forced_recall",
        "share",
        Higher,
        "Share of live facts present after the first round that reached floor.forced.",
    ),
    figure(
        "floor.low_water",
        "tokens",
        Lower,
        "The low water of a twelfth of the session's turns is the least view that a deployed \
         compaction left in it. This is the last one; empty where no compaction changed the \
         view.",
    ),
    figure(
        "floor.low_water.median",
        "tokens",
        Lower,
        "The median over the twelfths that have one.",
    ),
    figure(
        "floor.slope",
        "tokens per turn",
        Lower,
        "Theil-Sen slope of floor.one_pass over the turns of the session's checkpoints.",
    ),
    figure(
        "floor.slope.low_water",
        "tokens per turn",
        Lower,
        "Theil-Sen slope of the low waters over the turns at which they were reached.",
    ),
    figure(
        "floor.headroom",
        "tokens",
        Higher,
        "Usable window less floor.one_pass; negative where the floor does not fit. Empty \
         without a window.",
    ),
    figure(
        "floor.entries_per_turn.system",
        "entries per turn",
        Lower,
        "System messages left after one round at the last checkpoint, per human turn so far. \
         Free of any summary's length, as are all figures of this name.",
    ),
    figure(
        "floor.entries_per_turn.user",
        "entries per turn",
        Lower,
        "User-role messages of the log, likewise.",
    ),
    figure(
        "floor.entries_per_turn.assistant",
        "entries per turn",
        Lower,
        "Raw assistant messages, likewise.",
    ),
    figure("floor.entries_per_turn.tool", "entries per turn", Lower, "Raw tool results, likewise."),
    figure(
        "floor.entries_per_turn.summarized",
        "entries per turn",
        Lower,
        "[SUMMARIZED] blocks, likewise.",
    ),
    figure(
        "floor.entries_per_turn.goal-batch",
        "entries per turn",
        Lower,
        "[GOAL BATCH] blocks, likewise.",
    ),
    figure(
        "floor.entries_per_turn.summary",
        "entries per turn",
        Lower,
        "Summaries of the history at large, likewise.",
    ),
    figure(
        "floor.entries_per_turn.other",
        "entries per turn",
        Lower,
        "Notices and recalled text, likewise.",
    ),
    figure("floor.users_left", "entries", Neither, "User-role messages left after that round."),
    figure(
        "floor.ownerless",
        "entries",
        Lower,
        "[SUMMARIZED] blocks after that round that follow, other such blocks aside, no user \
         message.",
    ),
    figure(
        "floor.goal_batches",
        "compactions",
        Neither,
        "Deployed compactions that brought a [GOAL BATCH] block.",
    ),
    figure(
        "floor.goals_absorbed",
        "compactions",
        Lower,
        "Deployed compactions that took the latest user request out of the view; \
         compactions.csv tells the stage of each.",
    ),
    figure(
        "thrash.freed_median",
        "share",
        Higher,
        "Median share of the view that a firing freed. A firing is all rounds of one stage on \
         one occasion, whatever came of them; a failed one frees nothing.",
    ),
    figure("thrash.hardly_freed", "firings", Lower, "Firings that freed under 5 % of the view."),
    figure(
        "thrash.stuck_at",
        "step",
        Higher,
        "First of at least two steps from which the pipeline fires at every step to the end and \
         stays at or above its own trigger (its reading scaled as the view shrank). Empty where \
         it is not stuck.",
    ),
    figure(
        "floor.probe_summarizer",
        "tokens",
        Neither,
        "Prompt and completion of the probe's own summary requests; billed to no one else.",
    ),
];
