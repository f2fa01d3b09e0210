//! What the source designs promise, as figures over the sessions that a promise is about.

use super::Direction::{Higher, Lower};
use super::Needs::{Control, Reference, Sessions};
use super::{Metric, derived};

const fn share(id: &'static str, definition: &'static str) -> Metric {
    derived(id, "share", Higher, Sessions, definition)
}

pub(super) const METRICS: &[Metric] = &[
    derived(
        "claim.saved.from_50k",
        "share",
        Higher,
        Control,
        "Mean savings.gross over completed sessions whose whole conversation, the control's \
         largest prompt, has 50,000 to under 100,000 tokens.",
    ),
    derived("claim.saved.from_100k", "share", Higher, Control, "The same from 100,000 tokens on."),
    derived(
        "claim.saved_net.from_50k",
        "share",
        Higher,
        Control,
        "Mean savings.net over the sessions of claim.saved.from_50k.",
    ),
    derived(
        "claim.saved_net.from_100k",
        "share",
        Higher,
        Control,
        "Mean savings.net over the sessions of claim.saved.from_100k.",
    ),
    share("claim.freed", "1 less compactions.after_over_before, mean over sessions."),
    share(
        "claim.completed.from_50_turns",
        "Share of sessions of at least 50 turns that completed; interval after Wilson, as \
         for all shares of sessions below.",
    ),
    share("claim.completed.from_100_turns", "The same of at least 100 turns."),
    share(
        "claim.within_5s",
        "Share of a session's firings with billed requests whose modelled time is at most 5 s, \
         mean over sessions.",
    ),
    derived(
        "claim.rate_for_5s",
        "tokens per second",
        Lower,
        Sessions,
        "The largest latency.rate_for_5s of any session. Sessions that no rate makes fast enough \
         are not among its n.",
    ),
    derived(
        "claim.counter",
        "share",
        Lower,
        Sessions,
        "Size of counter.error, whatever its sign, mean over sessions.",
    ),
    derived(
        "claim.counter_billing",
        "share",
        Lower,
        Sessions,
        "Size of what counter.error and counter.reference_error come to together: the strategy's \
         count beside recorded usage. Of recorded sessions alone.",
    ),
    derived("claim.breach", "share", Higher, Reference, "Mean floor.breach over sessions."),
    share("claim.arcs_whole", "Mean arc.integrity over sessions."),
    share("claim.direction", "Mean direction.retained over sessions."),
    share("claim.dead_end", "Mean dead_end.retained over sessions."),
    share("claim.constraint", "Mean constraint.retained over sessions."),
    share(
        "claim.sound.pairs",
        "Share of sessions in which no compaction left an orphaned result or call or parted a \
         pair.",
    ),
    share("claim.sound.turns", "In which none took a closed turn apart."),
    share("claim.sound.system", "In which none changed a system message."),
    share(
        "claim.sound.live_goal",
        "In which every step was sent with the latest user request word for word.",
    ),
    share("claim.sound.raised", "That no error of a compaction ended."),
    share(
        "claim.sound.early",
        "In which no firing came at 0.95 of the usable window or above, of those with firings.",
    ),
    share(
        "claim.sound.drift",
        "In which no content went through more than one summarizer, of those with compactions.",
    ),
];
