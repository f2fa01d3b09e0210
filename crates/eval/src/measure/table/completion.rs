//! Completion comes first.

use super::Direction::{Higher, Lower, Neither};
use super::{Metric, figure};

pub(super) const METRICS: &[Metric] = &[
    figure("completion", "share", Higher, "1 where the session reached its last step, else 0."),
    Metric {
        version: 2,
        ..figure(
            "ended_by",
            "word",
            Neither,
            "How it ended: completed, overflow, max-tokens, invalid-request, raised, or \
             compaction-limit (it compacted without end and was stopped).",
        )
    },
    figure("steps_reached", "steps", Higher, "Model calls that were made and answered."),
    figure("steps_total", "steps", Neither, "Model calls of the session."),
    figure("sends.overflows", "sends", Lower, "Sends that the model refused as too long."),
    figure("sends.cut_offs", "sends", Lower, "Answers cut off at the output limit."),
];
