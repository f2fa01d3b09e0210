//! The words that the alternatives send, ours.

use std::sync::LazyLock;

use crate::log::Text;

/// Before a user message and its summaries, to be folded into one.
pub(super) fn pair() -> Text {
    static PROMPT: LazyLock<Text> = LazyLock::new(|| {
        "Below is one message of the user and my summaries of what I did about it. Condense both \
         into one summary at a higher level: what the user wanted, what came of it, what still \
         holds. Keep exact paths, names, values and error texts that later work may need.\n"
            .into()
    });
    PROMPT.clone()
}

/// Before a goal and its summaries, to become a record of the finished goal.
pub(super) fn complete() -> Text {
    static PROMPT: LazyLock<Text> = LazyLock::new(|| {
        "Below is a goal that the user set and my summaries of the work on it. It is finished. \
         Record it in a few sentences: the goal, the outcome, constraints that last, dead ends, \
         and the exact artifacts.\n"
            .into()
    });
    PROMPT.clone()
}

/// Before the record of a finished goal, to become one sentence.
pub(super) fn archived() -> Text {
    static PROMPT: LazyLock<Text> = LazyLock::new(|| {
        "Below is my record of a goal finished long ago. Say in one sentence what it was and what \
         came of it.\n"
            .into()
    });
    PROMPT.clone()
}

/// Before a single message or call of any kind.
pub(super) fn any() -> Text {
    static PROMPT: LazyLock<Text> = LazyLock::new(|| {
        "Below is a part of an earlier conversation. Summarize it briefly and keep what later work \
         may need.\n"
            .into()
    });
    PROMPT.clone()
}
