//! The words that Forge's tiers send, ours, with the sections of their sources.

use std::sync::LazyLock;

use crate::log::Text;
use crate::view::Kind;

/// What every summary of a kind begins with.
pub(crate) fn tag(kind: Kind) -> Text {
    static SUMMARIZED: LazyLock<Text> = LazyLock::new(|| "[SUMMARIZED] ".into());
    static GOAL_BATCH: LazyLock<Text> = LazyLock::new(|| "[GOAL BATCH]\n".into());
    match kind {
        Kind::GoalBatch => GOAL_BATCH.clone(),
        Kind::Message | Kind::Summarized | Kind::Summary | Kind::Notice | Kind::Recalled => {
            SUMMARIZED.clone()
        }
    }
}

/// The system prompt of all three tiers: first-person episodic memory.
pub(crate) fn system() -> Text {
    static SYSTEM: LazyLock<Text> = LazyLock::new(|| {
        "You record what a coding agent remembers of its own work. What you write goes back into \
         its context as its own memory, so write as the agent, in the first person and in plain \
         operational terms. Be exact and brief. State what happened without hedging. Keep every \
         concrete artifact: paths, names, commands, values, error texts. No markup tags, no role \
         labels, no pleasantries."
            .into()
    });
    SYSTEM.clone()
}

/// Before a single tool call.
pub(crate) fn tool_call() -> Text {
    static PROMPT: LazyLock<Text> = LazyLock::new(|| {
        "Below is one tool call that I made a while ago, with its result. Condense it to what I \
         still need, in two or three sentences in all, under these headings; leave out a heading \
         with nothing to say under it.\n\n\
         ## Strategy\nWhy I made the call.\n\
         ## Operations\nThe tool and the inputs that matter, not their full content.\n\
         ## Discoveries\nWhat the result showed.\n\
         ## Dead Ends\nWhat did not work, and why I left it.\n\
         ## What Worked\nWhat did.\n\
         ## Critical Artifacts\nExact paths, names, commands, values and error texts.\n\
         ## Status\nCOMPLETE, PARTIAL or BLOCKED.\n\n"
            .into()
    });
    PROMPT.clone()
}

/// Before a block of assistant and tool messages.
pub(crate) fn block() -> Text {
    static PROMPT: LazyLock<Text> = LazyLock::new(|| {
        "Below is a stretch of my own earlier work between two messages of the user. Condense it \
         under these headings; leave out a heading with nothing to say under it.\n\n\
         ## Milestones\nWhat I got done.\n\
         ## Key Decisions\nWhat I chose, and why.\n\
         ## Findings\nWhat I learned, with exact paths, names, values and error texts.\n\
         ## Dead Ends\nWhat I tried and gave up, and why.\n\
         ## Current State\nHow things stood at the end of the stretch.\n\
         ## Open Items\nWhat was left to do.\n\n"
            .into()
    });
    PROMPT.clone()
}

/// Before the turns of a batch.
pub(crate) fn goal_batch() -> Text {
    static PROMPT: LazyLock<Text> = LazyLock::new(|| {
        "Below are finished turns from my past, oldest first: what the user asked, then my own \
         summaries of what I did. Together they are one arc of work; the user may have changed \
         its direction on the way. Condense the arc under these six headings; leave out a heading \
         with nothing to say under it.\n\n\
         ## Goal Arc\nWhat was being worked on and how the goal moved.\n\
         ## Human Direction\nWhat the user asked for, corrected and forbade along the way. This \
         matters as much as the work itself.\n\
         ## What Was Achieved\nWhat is now in place or passing.\n\
         ## Dead Ends\nWhat I tried and abandoned in any of the turns, and why.\n\
         ## Lasting Constraints\nWhat still holds for later work.\n\
         ## Key Artifacts\nExact paths, function names, error texts, test names.\n\n\
         Keep the user's intent and every change of it, the dead ends, the constraints and the \
         artifacts. Leave out detail that a later turn of the arc overtook, the mechanics of tool \
         calls and intermediate states. Write 'I tried', 'I found', 'I abandoned'.\n\n"
            .into()
    });
    PROMPT.clone()
}
