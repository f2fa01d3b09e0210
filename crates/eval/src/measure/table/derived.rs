//! Figures that need several cells: rows of `derived.csv`.

use super::Direction::{Higher, Lower, Neither};
use super::Needs::{Control, Reference, Sessions, Summarizers, Sweep, Twin};
use super::{Metric, derived};

pub(super) const METRICS: &[Metric] = &[
    derived(
        "savings.gross",
        "share",
        Higher,
        Control,
        "1 less tokens.prompt_total over the control's prompts of the same steps. Ranked only \
         where the session completed.",
    ),
    derived(
        "savings.net",
        "share",
        Higher,
        Control,
        "The same with tokens.summarizer added to what was spent.",
    ),
    derived(
        "savings.effective",
        "share",
        Higher,
        Control,
        "The same with cost.reacquire added besides.",
    ),
    derived(
        "savings.mean_over_control",
        "share",
        Lower,
        Control,
        "Mean prompt over the control's mean prompt of the same steps.",
    ),
    derived(
        "savings.truncate_recall",
        "share",
        Neither,
        Sweep,
        "recall_at_need of truncate at the same mean prompt: interpolated linearly between its \
         completed cells at fixed limits, never beyond them.",
    ),
    derived(
        "savings.truncate_equal",
        "share",
        Higher,
        Sweep,
        "recall_at_need less savings.truncate_recall.",
    ),
    derived(
        "cost.saved",
        "dollars",
        Higher,
        Control,
        "The control's cost over the steps reached less cost.usd.",
    ),
    derived(
        "cost.break_even_step",
        "step",
        Lower,
        Control,
        "First step from which the run, summaries included, has cost less than its control and \
         does so to the end. Empty where there is none.",
    ),
    derived(
        "floor.breach",
        "share",
        Higher,
        Reference,
        "1 less floor.one_pass over the reference's at the last checkpoint that both reached.",
    ),
    derived(
        "floor.breach.median",
        "share",
        Higher,
        Reference,
        "The median over common checkpoints.",
    ),
    derived(
        "floor.growth",
        "word",
        Neither,
        Sessions,
        "constant, logarithmic or linear: the model of least AICc over the checkpoints of all \
         sessions; a fall counts as constant, and so does a rise of under 1 % of the mean.",
    ),
    derived("floor.growth.low_water", "word", Neither, Sessions, "The same of the low waters."),
    derived(
        "floor.growth_lead",
        "AICc",
        Higher,
        Sessions,
        "AICc of the line less the lesser of the other two models; above 0 speaks against linear \
         growth.",
    ),
    derived("floor.growth_lead.low_water", "AICc", Higher, Sessions, "The same of the low waters."),
    derived(
        "floor.slope_difference",
        "tokens per turn",
        Lower,
        Reference,
        "Slope less the reference's, session by session.",
    ),
    derived(
        "floor.slope_difference.low_water",
        "tokens per turn",
        Lower,
        Reference,
        "The same of the low waters.",
    ),
    derived(
        "floor.horizon",
        "turn",
        Higher,
        Sessions,
        "Turn at which the fit reaches the least usable window of the sessions. Empty where it \
         never does.",
    ),
    derived("floor.horizon.low_water", "turn", Higher, Sessions, "The same of the low waters."),
    derived(
        "floor.verdict",
        "word",
        Neither,
        Sessions,
        "eliminated, eliminated by forgetting, lowered, unchanged, grown, not reached or \
         inconclusive, as METHODOLOGY.md says.",
    ),
    derived(
        "bracket.null",
        "share",
        Neither,
        Summarizers,
        "Mean recall_at_need over the scenario's sessions under empty summaries.",
    ),
    derived(
        "bracket.lead",
        "share",
        Neither,
        Summarizers,
        "Under the first words of what is shown.",
    ),
    derived(
        "bracket.random-sentence",
        "share",
        Neither,
        Summarizers,
        "Under sentences drawn at random.",
    ),
    derived(
        "bracket.extractive",
        "share",
        Neither,
        Summarizers,
        "Under the offline extractive summarizer.",
    ),
    derived(
        "bracket.perfect",
        "share",
        Neither,
        Summarizers,
        "Under the summarizer that is told the facts in what it is shown.",
    ),
    derived(
        "bracket.sign",
        "word",
        Neither,
        Summarizers,
        "higher, lower or equal: how the first configuration's recall_at_need differs from the \
         second's under null, extractive and perfect alike, over common sessions; else \
         summarizer-dependent.",
    ),
    derived(
        "bank.a",
        "share",
        Neither,
        Twin,
        "Mean recall_at_need over the sessions that were told in both phrase banks, as told in \
         bank A, on which summarizers and strategies may be developed.",
    ),
    derived(
        "bank.b",
        "share",
        Neither,
        Twin,
        "The same sessions in bank B, which by construction holds none of the cues that the \
         offline summarizer looks for.",
    ),
    derived(
        "bank.gap",
        "share",
        Neither,
        Twin,
        "bank.a - bank.b with its interval over pairs of sessions: an upper bound of what the \
         figure owes to a wording that the summarizer was developed on, since bank B avoids every \
         cue. Under perfect, which no wording affects, it shows what else differs between the \
         two.",
    ),
    derived(
        "faults.cost_ratio",
        "ratio",
        Lower,
        Summarizers,
        "cost.usd of a cell under a fault over that of the same cell without it. Empty where one \
         of the two ended early.",
    ),
    derived(
        "faults.recall_change",
        "share",
        Higher,
        Summarizers,
        "recall_at_need of a cell under a fault less that of the same cell without it; needs \
         after an early end count as misses in both.",
    ),
    derived(
        "order.same",
        "share",
        Neither,
        Sessions,
        "Sessions in which every figure of measurements.csv is the same for all pairs of orders \
         that differ only by swapping these two neighbours.",
    ),
    derived(
        "trigger.due",
        "moments",
        Neither,
        Sessions,
        "How often an occasion of the stage came under the mode, its pressure met or not, over \
         all sessions. Stages that an aborted pass never came to were not due.",
    ),
    derived("trigger.fired", "moments", Neither, Sessions, "Of these, it proposed a plan."),
    derived(
        "trigger.changed",
        "moments",
        Neither,
        Sessions,
        "Of these, some plan of it was carried out.",
    ),
    derived(
        "trigger.declined",
        "moments",
        Neither,
        Sessions,
        "It was asked and proposed none; the main reasons stand beside it.",
    ),
    derived(
        "trigger.utilization",
        "share",
        Neither,
        Sessions,
        "Prompt over usable window at the first round of its firings, median over those of all \
         sessions.",
    ),
    derived(
        "control.brackets",
        "word",
        Neither,
        Summarizers,
        "holds where the scenario's mean recall_at_need.reached, over sessions and all \
         configurations that ask for summaries, is at least as high under perfect as under \
         extractive, and there at least as high as under null; else fails.",
    ),
    derived(
        "control.recall",
        "share",
        Higher,
        Control,
        "recall.all of the session's control; anything but 1 is a fault of the harness.",
    ),
    derived(
        "control.decoys",
        "decoys",
        Lower,
        Control,
        "decoys.seen of the session's control; anything but 0 is a fault of the harness.",
    ),
];
