//! What the agent says between facts.

use crate::synth::bank::AgentPhrases;

pub(super) const PHRASES: AgentPhrases = AgentPhrases {
    read: &[
        "Opening `{file}`.",
        "`{file}` ought to tell.",
        "Over to `{file}`, then.",
        "A look into `{file}` before anything else.",
        "Who calls whom? `{file}` knows.",
        "Scrolling through `{file}`.",
    ],
    search: &[
        "Who else leans on `{symbol}`?",
        "Combing the {component} for `{symbol}`.",
        "`{symbol}`: grep time.",
        "Counting the places with `{symbol}`.",
    ],
    edit: &[
        "Pencil out, `{file}`.",
        "Touching up `{file}`.",
        "`{file}` gets a few strokes.",
        "Here goes the patch.",
        "Swapping the branch in `{file}`.",
    ],
    test: &[
        "Suite time.",
        "Is the {component} green?",
        "Putting the {component} through its checks.",
        "Round two of the suite.",
    ],
    shell: &[
        "A peek at the terminal.",
        "What is the {component} muttering?",
        "Asking the machine.",
        "Off to the shell.",
    ],
    after_failure: &[
        "Hm. Another angle, then.",
        "Well, that bounced.",
        "Odd. Closer look.",
        "Bounced, and it tells me something.",
    ],
    refer: &[
        "Time for {topic}.",
        "Which brings us to {topic}.",
        "All roads lead to {topic}, so there I go.",
        "Dusting off {topic}.",
    ],
    closing: &[
        "The {component} is green with the change in.",
        "That's the {component} sorted, {aspect} as it was.",
        "Wrapped up on the {component} side.",
        "The {component} takes a {noun} without blinking.",
        "Combed through the {component} and straightened what was crooked.",
        "The {aspect} is where it belongs, outward faces unchanged.",
        "Sunny and rainy day in the {component}, both covered.",
    ],
    halted: &[
        "Pens down.",
        "Standing still. The tree is clean, half a thought is in a stash.",
        "Halted mid-way, nothing written.",
        "Frozen right here.",
    ],
    detail: &[
        "`{file}` has the meat of it.",
        "Log lines are the same as this morning.",
        "A pair of callers came along, both inside the {component}.",
        "The suite got a little slower, blame the extra cases.",
        "Not a byte moved in the {other-component}.",
        "The rest of the {noun} code has the same smell, in case you care.",
        "A question mark sits in `{file}`, in a comment.",
        "Small diff, mostly checks.",
    ],
};
