//! Facts about the course of the work: decisions, dead ends, directions,
//! outcomes, what is left to do.

use crate::synth::bank::{Birth, FactForm, Form, Tool};
use crate::truth::FactKind;

/// Words that say an approach failed.
const ABANDONED: &[&str] = &[
    "abandoned",
    "does not work",
    "did not work",
    "doesn't work",
    "didn't work",
    "ruled out",
    "dead end",
    "gave up",
    "given up",
    "reverted",
    "rejected",
    "failed",
    "not viable",
    "dropped",
];

const DECISION: FactForm = FactForm {
    kind: FactKind::Decision,
    topic: "our decision on the {aspect} of the {component}",
    statement: "Decision: the {aspect} of the {component} uses a {thing}.",
    needles: &[Form::Prose("{thing}")],
    polarity: &[],
    birth: Birth::Agent,
    said: &[
        "Decision: the {aspect} of the {component} uses a {thing}, because it survives a restart.",
        "I decided to use a {thing} for the {aspect} of the {component}; the alternative needs a second lock.",
        "Going with a {thing} for the {aspect} of the {component}: fewer moving parts.",
    ],
    tempt: &[],
    recall: &[
        "We decided on a {thing} for the {aspect} of the {component}, so this follows it.",
        "As decided, the {aspect} of the {component} uses a {thing}.",
    ],
    call: None,
};

const DEAD_END: FactForm = FactForm {
    kind: FactKind::DeadEnd,
    topic: "what was tried for the {aspect} of the {component}",
    statement: "Abandoned: a {thing} for the {aspect} of the {component}.",
    needles: &[Form::Prose("{thing}")],
    polarity: ABANDONED,
    birth: Birth::Agent,
    said: &[
        "I tried a {thing} for the {aspect} and abandoned it: it deadlocks under load.",
        "A {thing} does not work here: two writers overtake each other. Reverted.",
        "The {thing} turned out to be a dead end, it doubles the memory of the {component}.",
    ],
    tempt: &[
        "The {aspect} of the {component} is still slow. Why not do the obvious thing and cache in front of it?",
        "Can't we simply put something in memory before the {aspect} of the {component}?",
        "I have an idea for the {aspect} of the {component}: let it run in the background. Try it.",
    ],
    recall: &[
        "That is the {thing} again, which I abandoned earlier; I measure first where the time goes.",
        "We have been there: a {thing} did not work for the {aspect} of the {component}. I look for another way.",
    ],
    call: None,
};

const DIRECTION: FactForm = FactForm {
    kind: FactKind::Direction,
    topic: "the new direction for the {component}",
    statement: "New direction for the {component}: build a {thing}.",
    needles: &[Form::Prose("{thing}")],
    polarity: &[],
    birth: Birth::User,
    said: &[
        "Forget the {noun} part. Build a {thing} for the {component} instead.",
        "Instead of that, give the {component} a {thing} and leave the rest as it is.",
        "What I want for the {component} now is a {thing}.",
    ],
    tempt: &[
        "Carry on with the {component} as I last told you.",
        "Back to the {component}: finish it in the direction I gave you.",
    ],
    recall: &[
        "You had redirected the {component} towards a {thing}; I continue with that.",
        "The direction for the {component} is a {thing}, so that is what I finish.",
    ],
    call: None,
};

const OUTCOME: FactForm = FactForm {
    kind: FactKind::Outcome,
    topic: "what came of the {aspect} of the {component}",
    statement: "Done: the {component} now has a {thing}.",
    needles: &[Form::Prose("{thing}")],
    polarity: &[],
    birth: Birth::Closing,
    said: &[
        "Done: the {component} now has a {thing}, and the {aspect} is covered by tests.",
        "That completes it. The {component} got a {thing}, and nothing else had to change.",
        "Finished: the {aspect} of the {component} rests on a {thing} now.",
    ],
    tempt: &[
        "Write the changelog line for what we did to the {aspect} of the {component}.",
        "Summarize for the release notes what came out of the work on the {aspect} of the {component}.",
    ],
    recall: &[
        "The {component} got a {thing}; that goes into the notes.",
        "What came of it is a {thing} in the {component}, so the line says that.",
    ],
    call: Some((Tool::Edit, "- {component}: {thing}")),
};

const PENDING: FactForm = FactForm {
    kind: FactKind::Pending,
    topic: "what was left open in the {component}",
    statement: "Still to do: remove the {thing} from the {component}.",
    needles: &[Form::Prose("{thing}")],
    polarity: &[],
    birth: Birth::Closing,
    said: &[
        "Still to do: remove the {thing} from the {component} once the new code has run for a week.",
        "Not done yet: the {thing} of the {component} is only a stub.",
        "Left open: the {component} has to migrate its {thing} before the release.",
    ],
    tempt: &[
        "Now take care of what you left open in the {component}.",
        "Was there not something unfinished in the {component}? Do it now.",
    ],
    recall: &[
        "What I left open in the {component} is the {thing}; I start there.",
        "The {thing} of the {component} was still to do.",
    ],
    call: None,
};

pub(super) const FORMS: &[FactForm] = &[
    DECISION,
    FactForm {
        birth: Birth::User,
        said: &[
            "We settled it in the meeting: the {aspect} of the {component} uses a {thing}.",
            "Decided: a {thing} for the {aspect} of the {component}. No more discussion on that.",
        ],
        tempt: &[
            "Implement the {aspect} of the {component} as we settled it.",
            "Now do the {aspect} of the {component}, along the lines we agreed on.",
        ],
        ..DECISION
    },
    FactForm { birth: Birth::Closing, ..DECISION },
    DEAD_END,
    FactForm {
        statement: "Ruled out: calling `{symbol}` for the {aspect} of the {component}.",
        needles: &[Form::Code("{symbol}")],
        said: &[
            "I gave up on calling `{symbol}` there: it blocks the whole {component}. Ruled out.",
            "`{symbol}` is not viable for the {aspect}: it loses rows on restart. Reverted.",
        ],
        tempt: &[
            "Isn't there already a function for the {aspect} of the {component}? Call that instead of writing your own.",
            "For the {aspect} of the {component}, reuse what exists.",
        ],
        recall: &[
            "Calling `{symbol}` was ruled out earlier, so I keep the separate version.",
            "`{symbol}` did not work when I tried it, I do not go back to it.",
        ],
        ..DEAD_END
    },
    DIRECTION,
    OUTCOME,
    PENDING,
    FactForm {
        statement: "Still to do: enable `{test}`.",
        needles: &[Form::Code("{test}")],
        said: &[
            "Still to do: `{test}` is switched off until the {aspect} of the {component} is merged.",
            "One thing remains: enable `{test}` again when the {component} is deployed.",
        ],
        recall: &[
            "`{test}` was still switched off; I enable it now.",
            "What remained was to enable `{test}`.",
        ],
        ..PENDING
    },
];
