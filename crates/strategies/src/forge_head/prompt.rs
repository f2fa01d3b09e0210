//! The words that the tiers of Forge's code send, ours, with the sections of their
//! source. The goal tier's are those of `forge-adr`.

use std::sync::LazyLock;

use crate::log::Text;

/// Before a batch of tool calls.
pub(super) fn operations() -> Text {
    static PROMPT: LazyLock<Text> = LazyLock::new(|| {
        "Below are tool calls that I made a while ago, numbered, with their results. Condense all \
         of them into one record of what I did, in the first person, under these headings; leave \
         out a heading with nothing to say under it.\n\n\
         ## Strategy\nHow I went about the goal, in a sentence.\n\
         ## Operations\nA line for each call: the tool, the inputs that matter with their exact \
         values, the outcome.\n\
         ## Discoveries\nWhat I found or confirmed, with exact values.\n\
         ## Dead Ends\nWhat I tried and abandoned, and why, so that I do not try it again.\n\
         ## What Worked\nWhat succeeded, in enough detail to build on.\n\
         ## Critical Artifacts\nExact paths, function names, error texts, commands, line numbers \
         and test names, one a line.\n\
         ## Status\nCOMPLETE, PARTIAL or BLOCKED, and where things stand.\n\n\
         Of long outputs keep the essential: the errors, the values, the names.\n"
            .into()
    });
    PROMPT.clone()
}

/// Before the older half of a conversation.
pub(super) fn older_half() -> Text {
    static PROMPT: LazyLock<Text> = LazyLock::new(|| {
        "Below is the earlier part of my present conversation: what the user said, what I said and \
         did, and what I remember of the time before it. Condense it in the first person under \
         these six headings.\n\n\
         ## Milestones\nWhat I completed: files, tests, commands, features.\n\
         ## Key Decisions\nWhat I chose, and why.\n\
         ## Findings\nWhat I discovered: faults, constraints, behaviour.\n\
         ## Dead Ends\nWhat I tried and abandoned, and why, so that I do not try it again.\n\
         ## Current State\nWhat is in progress, half done or broken.\n\
         ## Open Items\nOpen questions, what blocks me, my next steps.\n\n\
         Keep every path, name, error text and test name, and what the user told me to do. Of \
         long outputs keep the essential.\n"
            .into()
    });
    PROMPT.clone()
}
