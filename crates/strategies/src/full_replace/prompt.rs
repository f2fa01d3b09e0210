//! The words that ask for a summary: ours, under the source's seven headings, written
//! as heading lines so that `summary.sections` can tell which of them an answer kept.

use std::sync::LazyLock;

use crate::log::Text;

/// The last user message of the request.
pub(super) fn summary() -> Text {
    static PROMPT: LazyLock<Text> = LazyLock::new(|| {
        "Write a full but compact summary of our conversation under these headings:\n\n\
         ## User's Primary Goals and Intent\n\
         Every request and aim that was stated, with its priority and its limits.\n\n\
         ## Conversation Timeline and Progress\n\
         The phases in order: what was asked first and how it was met, what was decided and \
         why, which problems came up and how they were solved, where things stand.\n\n\
         ## Technical Context and Decisions\n\
         Languages, frameworks and tools; patterns and design choices; what constrains them.\n\n\
         ## Files and Code Changes\n\
         Full paths, what each file is for, what changed in it, with the code that matters.\n\n\
         ## Active Work and Last Actions\n\
         The most important part: the task in hand, the last thing that was finished, anything \
         half done, with its code.\n\n\
         ## Unresolved Issues and Pending Tasks\n\
         Errors that still need attention, requests not begun, decisions that wait for the \
         user.\n\n\
         ## Immediate Next Step\n\
         The one next action, from the latest request and the state of the work.\n\n\
         Give technical details, file names and code exactly. Whoever reads this must be able to \
         go on from here without asking."
            .into()
    });
    PROMPT.clone()
}
