//! The words that Forge's tiers send, in all versions: ours, with the sections of their
//! sources.

use crate::view::Kind;

/// What every summary of a kind begins with.
pub(crate) fn tag(kind: Kind) -> &'static str {
    match kind {
        Kind::GoalBatch => "[GOAL BATCH]\n",
        Kind::Message | Kind::Summarized | Kind::Summary | Kind::Notice | Kind::Recalled => {
            "[SUMMARIZED] "
        }
    }
}

/// The system prompt of all three tiers: first-person episodic memory.
pub(crate) const SYSTEM: &str = "You record what a coding agent remembers of its own work. What you write goes back into \
     its context as its own memory, so write as the agent, in the first person and in plain \
     operational terms. Be exact and brief. State what happened without hedging. Keep every \
     concrete artifact: paths, names, commands, values, error texts. No markup tags, no role \
     labels, no pleasantries.";

/// Before a single tool call.
pub(crate) const TOOL_CALL: &str = "Below is one tool call that I made a while ago, with its result. Condense it to what I \
     still need, in two or three sentences in all, under these headings; leave out a heading \
     with nothing to say under it.\n\n\
     ## Strategy\nWhy I made the call.\n\
     ## Operations\nThe tool and the inputs that matter, not their full content.\n\
     ## Discoveries\nWhat the result showed.\n\
     ## Dead Ends\nWhat did not work, and why I left it.\n\
     ## What Worked\nWhat did.\n\
     ## Critical Artifacts\nExact paths, names, commands, values and error texts.\n\
     ## Status\nCOMPLETE, PARTIAL or BLOCKED.\n\n";

/// Before a block of assistant and tool messages.
pub(crate) const BLOCK: &str = "Below is a stretch of my own earlier work between two messages of the user. Condense it \
     under these headings; leave out a heading with nothing to say under it.\n\n\
     ## Milestones\nWhat I got done.\n\
     ## Key Decisions\nWhat I chose, and why.\n\
     ## Findings\nWhat I learned, with exact paths, names, values and error texts.\n\
     ## Dead Ends\nWhat I tried and gave up, and why.\n\
     ## Current State\nHow things stood at the end of the stretch.\n\
     ## Open Items\nWhat was left to do.\n\n";

/// Before the turns of a batch.
pub(crate) const GOAL_BATCH: &str = "Below are finished turns from my past, oldest first: what the user asked, then my own \
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
     calls and intermediate states. Write 'I tried', 'I found', 'I abandoned'.\n\n";

/// Before a batch of tool calls.
pub(crate) const OPERATIONS: &str = "Below are tool calls that I made a while ago, numbered, with their results. Condense all \
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
     Of long outputs keep the essential: the errors, the values, the names.\n";

/// Before the older half of a conversation.
pub(crate) const OLDER_HALF: &str = "Below is the earlier part of my present conversation: what the user said, what I said and \
     did, and what I remember of the time before it. Condense it in the first person under \
     these six headings.\n\n\
     ## Milestones\nWhat I completed: files, tests, commands, features.\n\
     ## Key Decisions\nWhat I chose, and why.\n\
     ## Findings\nWhat I discovered: faults, constraints, behaviour.\n\
     ## Dead Ends\nWhat I tried and abandoned, and why, so that I do not try it again.\n\
     ## Current State\nWhat is in progress, half done or broken.\n\
     ## Open Items\nOpen questions, what blocks me, my next steps.\n\n\
     Keep every path, name, error text and test name, and what the user told me to do. Of \
     long outputs keep the essential.\n";

/// Before a user message and its summaries, to be folded into one.
pub(crate) const PAIR: &str = "Below is one message of the user and my summaries of what I did about it. Condense both \
     into one summary at a higher level: what the user wanted, what came of it, what still \
     holds. Keep exact paths, names, values and error texts that later work may need.\n";

/// Before a goal and its summaries, to become a record of the finished goal.
pub(crate) const COMPLETE: &str = "Below is a goal that the user set and my summaries of the work on it. It is finished. \
     Record it in a few sentences: the goal, the outcome, constraints that last, dead ends, \
     and the exact artifacts.\n";

/// Before the record of a finished goal, to become one sentence.
pub(crate) const ARCHIVED: &str = "Below is my record of a goal finished long ago. Say in one sentence what it was and what \
     came of it.\n";

/// Before a single message or call of any kind.
pub(crate) const ANY_PART: &str = "Below is a part of an earlier conversation. Summarize it briefly and keep what later work \
     may need.\n";

/// Before the blocks that become one.
pub(crate) const ARCS: &str = "Below are my own records of earlier arcs of work, oldest first. Make one record of them, \
     under the same headings; leave out a heading with nothing to say under it. What the user \
     asked for and forbade, constraints that last, dead ends and exact artifacts come first; what \
     a later arc overtook goes.\n";
