//! Facts about the course of the work: decisions, dead ends, directions,
//! outcomes, what is left to do.

use crate::synth::bank::{Birth, FactForm, Form, Shape, Tool};
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
    changes: Some("thing"),
    birth: Birth::Agent,
    said: &[
        "Decision: the {aspect} of the {component} uses a {thing}, because it survives a restart.",
        "I decided to use a {thing} for the {aspect} of the {component}; the alternative needs a second lock.",
        "Going with a {thing} for the {aspect} of the {component}: fewer moving parts.",
        "I chose a {thing} for the {aspect} because the {component} can rebuild it.",
    ],
    revised: &[],
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
    changes: None,
    birth: Birth::Agent,
    said: &[
        "I tried a {thing} for the {aspect} and abandoned it: it deadlocks under load.",
        "A {thing} does not work here: two writers overtake each other. Reverted.",
        "The {thing} turned out to be a dead end, it doubles the memory of the {component}.",
        "My attempt with a {thing} failed, the {component} loses its order. I go back.",
    ],
    revised: &[],
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
    changes: None,
    birth: Birth::User,
    said: &[
        "Forget the {noun} part. Build a {thing} for the {component} instead.",
        "Instead of that, give the {component} a {thing} and leave the rest as it is.",
        "What I want for the {component} now is a {thing}.",
        "The new direction is a {thing} in the {component}, please start on that.",
    ],
    revised: &[],
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
    changes: None,
    birth: Birth::Closing,
    said: &[
        "Done: the {component} now has a {thing}, and the {aspect} is covered by tests.",
        "That completes it. The {component} got a {thing}, and nothing else had to change.",
        "Finished: the {aspect} of the {component} rests on a {thing} now.",
        "The {component} is complete with a {thing}, all tests pass.",
    ],
    revised: &[],
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
    changes: None,
    birth: Birth::Closing,
    said: &[
        "Still to do: remove the {thing} from the {component} once the new code has run for a week.",
        "Not done yet: the {thing} of the {component} is only a stub.",
        "Left open: the {component} has to migrate its {thing} before the release.",
        "What remains is the {thing} of the {component}, I did not get to it.",
    ],
    revised: &[],
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
            "For the {aspect} of the {component} we went with a {thing}.",
            "The decision about the {aspect} is made, the {component} gets a {thing}.",
        ],
        revised: &[
            "A {thing} is the better choice for the {aspect} of the {component}, we saw that in the review.",
            "The team would like to see a {thing} under the {aspect} of the {component} after all.",
            "Let's do the {aspect} of the {component} with a {thing}.",
            "In the end the {aspect} of the {component} gets a {thing}, the other one is too fragile.",
        ],
        tempt: &[
            "Implement the {aspect} of the {component} as we settled it.",
            "Now do the {aspect} of the {component}, along the lines we agreed on.",
        ],
        ..DECISION
    },
    FactForm {
        birth: Birth::Closing,
        said: &[
            "Decision: the {aspect} of the {component} uses a {thing} from here on.",
            "I decided on a {thing} for the {aspect} of the {component} and kept to it.",
            "After comparing both I settled on a {thing} for the {aspect} of the {component}.",
            "The {aspect} of the {component} now uses a {thing}, because it is easier to test.",
        ],
        ..DECISION
    },
    DEAD_END,
    FactForm {
        statement: "Ruled out: calling `{symbol}` for the {aspect} of the {component}.",
        needles: &[Form::Code("{symbol}")],
        said: &[
            "I gave up on calling `{symbol}` there: it blocks the whole {component}. Ruled out.",
            "`{symbol}` is not viable for the {aspect}: it loses rows on restart. Reverted.",
            "Calling `{symbol}` did not work, it holds its lock for too long.",
            "I tried `{symbol}` and dropped it again, it commits too early.",
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
    FactForm {
        birth: Birth::User,
        said: &[
            "A {thing} is ruled out, we tried that two years ago.",
            "Your {thing} is rejected: operations cannot run it.",
            "We abandoned the {thing} for good reasons, do not bring it back.",
            "With a {thing} we had an outage, so that is a dead end.",
        ],
        ..DEAD_END
    },
    FactForm {
        statement: "Ruled out: calling `{symbol}` for the {aspect} of the {component}.",
        needles: &[Form::Code("{symbol}")],
        birth: Birth::User,
        said: &[
            "Calling `{symbol}` is ruled out, it blocks the {component}.",
            "`{symbol}` is not viable here, please find another way.",
            "I rejected `{symbol}` in the last review already, for the same reason.",
            "Using `{symbol}` there failed before and it will fail again.",
        ],
        tempt: &[
            "Isn't there already a function for the {aspect} of the {component}? Call that instead of writing your own.",
            "For the {aspect} of the {component}, reuse what exists.",
        ],
        recall: &[
            "Calling `{symbol}` was ruled out earlier, so I keep the separate version.",
            "`{symbol}` was rejected, I do not go back to it.",
        ],
        ..DEAD_END
    },
    FactForm {
        birth: Birth::Result(Shape::Handbook),
        said: &[
            "Abandoned: a {thing} for the {aspect} of the {component} (week {number}).",
            "A {thing} was tried and reverted, see the minutes.",
            "The {component} once had a {thing}. It did not work with two writers.",
            "Rejected designs: a {thing}.",
        ],
        ..DEAD_END
    },
    DIRECTION,
    FactForm {
        statement: "New direction for the {component}: build on `{symbol}`.",
        needles: &[Form::Code("{symbol}")],
        said: &[
            "Build on `{symbol}` instead, the {component} should become a thin layer over it.",
            "I want the {component} to be built around `{symbol}`.",
            "Leave the {noun} part and extend `{symbol}` for the {component}.",
            "The {component} takes another direction: everything goes into `{symbol}`.",
        ],
        recall: &[
            "The {component} builds on `{symbol}` as you directed; I continue there.",
            "Everything goes into `{symbol}`, that was the new direction for the {component}.",
        ],
        ..DIRECTION
    },
    OUTCOME,
    FactForm {
        statement: "Done: the {component} now has `{symbol}`.",
        needles: &[Form::Code("{symbol}")],
        said: &[
            "Done: the {component} now has `{symbol}`, and its callers use it.",
            "I added `{symbol}` to the {component}, that finishes the {aspect}.",
            "The work is complete: `{symbol}` replaces the old code of the {component}.",
            "The {component} got `{symbol}`; tests pass.",
        ],
        recall: &[
            "The {component} got `{symbol}`; that goes into the notes.",
            "What came of it is `{symbol}` in the {component}, so the line says that.",
        ],
        call: Some((Tool::Edit, "- {component}: {symbol}")),
        ..OUTCOME
    },
    PENDING,
    FactForm {
        statement: "Still to do: enable `{test}`.",
        needles: &[Form::Code("{test}")],
        said: &[
            "Still to do: `{test}` is switched off until the {aspect} of the {component} is merged.",
            "One thing remains: enable `{test}` again when the {component} is deployed.",
            "I had to disable `{test}` for the moment, it needs to come back.",
            "Open: `{test}` is skipped until the {component} is released.",
        ],
        recall: &[
            "`{test}` was still switched off; I enable it now.",
            "What remained was to enable `{test}`.",
        ],
        ..PENDING
    },
    FactForm {
        birth: Birth::User,
        said: &[
            "Later, when there is time, remove the {thing} from the {component}.",
            "Put it on the list: the {thing} of the {component} has to go.",
            "We still need to replace the {thing} in the {component}, but not today.",
            "Remind me that the {component} has a {thing} to be migrated.",
        ],
        ..PENDING
    },
    FactForm {
        birth: Birth::Result(Shape::Source),
        said: &[
            "{comment} TODO remove the {thing} from the {component}",
            "{comment} FIXME: the {thing} is only a stub",
            "{comment} TODO({component}): migrate the {thing}",
            "{comment} the {thing} can go after the next release",
        ],
        ..PENDING
    },
];
