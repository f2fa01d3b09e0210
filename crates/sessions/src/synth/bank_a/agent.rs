//! What the agent says between facts.

use crate::synth::bank::AgentPhrases;

pub(super) const PHRASES: AgentPhrases = AgentPhrases {
    read: &[
        "Let me read `{file}` first.",
        "I want to see how `{file}` does it.",
        "Next, `{file}`.",
        "Reading `{file}` to see what calls this.",
        "The caller is in `{file}`, I check that one too.",
        "Let me look at the whole of `{file}` before I change anything.",
    ],
    search: &[
        "Let me see where `{symbol}` is used.",
        "I search for other users of `{symbol}`.",
        "Are there more places like `{symbol}`?",
        "Looking for `{symbol}` across the {component}.",
    ],
    edit: &[
        "Now the change itself.",
        "I adjust `{file}` accordingly.",
        "A small edit in `{file}`.",
        "That belongs into `{file}`.",
        "Now I replace the old branch in `{file}`.",
    ],
    test: &[
        "Running the tests of the {component}.",
        "Let me check that with the tests.",
        "Do the tests still pass?",
        "I run the suite for the {component} again.",
    ],
    shell: &[
        "Let me look at the recent output.",
        "I check the build.",
        "What does the log of the {component} say?",
        "Let me see it run.",
    ],
    after_failure: &[
        "That failed; I try it differently.",
        "Not what I expected. Let me look closer.",
        "An error, but a telling one.",
        "This did not go through. Once more, with the right context.",
    ],
    refer: &[
        "For this I need {topic}.",
        "Back to {topic}.",
        "This touches {topic} again, so I go there.",
        "I come back to {topic}.",
    ],
    halted: &[
        "Stopped. Nothing is half written.",
        "I stop here; the last edit is complete.",
        "Okay, I wait for you.",
        "Stopping. The working tree is as the last call left it.",
    ],
    closing: &[
        "The change to the {component} is in and its tests pass.",
        "I changed the {component} as you asked; the {aspect} behaves as before.",
        "This part of the {component} is finished.",
        "The {noun} case works now in the {component}.",
        "I went through the {component} and corrected what I found.",
        "The {aspect} is in place; I kept the public interface as it was.",
        "Both the normal and the error path of the {component} are covered now.",
    ],
    detail: &[
        "The main edit is in `{file}`, the rest follows from it.",
        "I left the logging untouched.",
        "Two call sites had to be adapted, both in the {component}.",
        "The suite took a little longer than before, which comes from the new cases.",
        "I did not touch the {other-component}.",
        "If you want, I can go through the remaining {noun} code in the same way.",
        "There is one place where I was not sure, marked with a comment in `{file}`.",
        "The diff is small, most of it is tests.",
    ],
};
