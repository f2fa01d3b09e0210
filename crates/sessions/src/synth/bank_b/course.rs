//! Facts about the course of the work: decisions, dead ends, directions,
//! outcomes, what is left to do.

use crate::synth::bank::{Birth, FactForm, Form, Shape, Tool};
use crate::truth::FactKind;

/// Words that say an approach came to nothing.
const BLIND_ALLEY: &[&str] = &[
    "blind alley",
    "led nowhere",
    "leads nowhere",
    "went nowhere",
    "came to nothing",
    "down that road",
    "turned back",
    "threw it out",
    "thrown out",
    "shelved",
    "buried",
    "pulled it again",
    "no good",
];

const CHOICE: FactForm = FactForm {
    kind: FactKind::Decision,
    topic: "how the {component} gets its {aspect}",
    statement: "The {component}'s {aspect} sits on a {thing}.",
    needles: &[Form::Prose("{thing}")],
    polarity: &[],
    changes: Some("thing"),
    birth: Birth::Agent,
    said: &[
        "Two candidates for the {aspect}; a restart kills the other one, so a {thing} it is.",
        "Weighing locks against memory, the {aspect} of the {component} ends up on a {thing}.",
        "A {thing} takes the {aspect}: half the state, and one can draw it on a napkin.",
        "Drew both on paper. The {component} gets a {thing} for its {aspect}.",
    ],
    revised: &[],
    tempt: &[],
    recall: &[
        "The {component} has its {aspect} on a {thing}, and this hooks in there.",
        "In keeping with the {thing} under the {aspect}, one more call on top.",
        "A {thing} carries the {aspect} of the {component}, so the new case rides along.",
    ],
    call: None,
};

const BURIED: FactForm = FactForm {
    kind: FactKind::DeadEnd,
    topic: "the graveyard of the {component}'s {aspect}",
    statement: "A {thing} led nowhere.",
    needles: &[Form::Prose("{thing}")],
    polarity: BLIND_ALLEY,
    changes: None,
    birth: Birth::Agent,
    said: &[
        "An hour on a {thing} for the {aspect}, and it led nowhere: both sides wait for each other.",
        "The numbers got worse with a {thing}, so I turned back.",
        "Blind alley: with a {thing} the {component} eats twice the memory.",
        "Built a {thing}, watched two writers overtake each other, threw it out.",
    ],
    revised: &[],
    tempt: &[
        "The {component} is slow at {aspect}, still. There is an obvious shelf to put things on, isn't there?",
        "Couldn't something sit in front of the {aspect} and hold it in memory?",
        "Shower thought: push the {aspect} of the {component} into the background. Have a go.",
    ],
    recall: &[
        "That smells like the {thing} which led nowhere. Measuring first.",
        "A {thing} again? We stopped going down that road; looking elsewhere.",
        "The {thing} is buried, so I come at it from the other end.",
    ],
    call: None,
};

const COURSE: FactForm = FactForm {
    kind: FactKind::Direction,
    topic: "where the {component} is headed",
    statement: "The {component} is headed for a {thing}.",
    needles: &[Form::Prose("{thing}")],
    polarity: &[],
    changes: None,
    birth: Birth::User,
    said: &[
        "Leave the {noun} bit where it lies; the {component} gets a {thing}.",
        "Sales promised somebody a {thing}. So that's what the {component} becomes.",
        "As it happens, a {thing} is what the {component} lacked all along. Build that.",
        "The {component} is headed somewhere else: a {thing}, nothing fancier.",
    ],
    revised: &[],
    tempt: &[
        "Resume the {component}, same heading as when we last spoke about it.",
        "The {component} is half built. Finish it the way I last put it.",
    ],
    recall: &[
        "Heading for a {thing} in the {component}, as you had it.",
        "The {component} was to become a {thing}; picking that up.",
        "A {thing} was the heading for the {component}, so onwards.",
    ],
    call: None,
};

const RESULT: FactForm = FactForm {
    kind: FactKind::Outcome,
    topic: "the upshot on the {component}'s {aspect}",
    statement: "The {component} came out with a {thing}.",
    needles: &[Form::Prose("{thing}")],
    polarity: &[],
    changes: None,
    birth: Birth::Closing,
    said: &[
        "And that's a wrap: the {component} came out with a {thing}, {aspect} included.",
        "Where we landed: a {thing} under the {component}, everything green.",
        "The {component} walks on a {thing} these days; the {aspect} came along for free.",
        "Two files shorter than before, the {component} leaves with a {thing}.",
    ],
    revised: &[],
    tempt: &[
        "I owe the release mail a line on the {component}'s {aspect}. Write it.",
        "What do I tell people about the {aspect} of the {component}? One line.",
    ],
    recall: &[
        "For the mail: the {component} came out with a {thing}.",
        "A {thing} is what the {component} got, so the line is about that.",
    ],
    call: Some((Tool::Edit, "* {component}: {thing}")),
};

const LEFTOVER: FactForm = FactForm {
    kind: FactKind::Pending,
    topic: "the loose end in the {component}",
    statement: "Loose end: the {component}'s {thing}.",
    needles: &[Form::Prose("{thing}")],
    polarity: &[],
    changes: None,
    birth: Birth::Closing,
    said: &[
        "One loose end: the {thing} in the {component} can go after a quiet week.",
        "The {thing} of the {component} is a cardboard cut-out so far.",
        "For another day: moving the {thing} over, before the {component} ships.",
        "I parked the {thing}; the {component} lives without it for the moment.",
    ],
    revised: &[],
    tempt: &[
        "Any loose ends in the {component}? Tie them up.",
        "You parked something in the {component} a while ago. Its time has come.",
    ],
    recall: &[
        "The loose end in the {component} was its {thing}; starting there.",
        "Unparking the {thing} of the {component}.",
    ],
    call: None,
};

pub(super) const FORMS: &[FactForm] = &[
    CHOICE,
    FactForm {
        birth: Birth::User,
        said: &[
            "Architects and I had coffee: the {component} does its {aspect} on a {thing}.",
            "It is a {thing} for the {aspect} of the {component}. Signed, sealed, delivered.",
            "The {aspect} question is closed, and the {component} gets a {thing}.",
            "Three votes to one for a {thing} under the {component}'s {aspect}.",
        ],
        revised: &[
            "Second coffee with the architects. The {aspect} of the {component} lands on a {thing} after all.",
            "I sleep better with a {thing} under the {component}'s {aspect}, so have it that way.",
            "Scratch what we had for the {aspect} of the {component}; a {thing} takes its place.",
            "New vote on the {component}'s {aspect}, and a {thing} came out on top.",
        ],
        tempt: &[
            "Time to build the {aspect} of the {component}, the way it was signed off.",
            "The {aspect} of the {component} is up, you know the outcome of the vote.",
        ],
        ..CHOICE
    },
    FactForm {
        birth: Birth::Closing,
        said: &[
            "The {aspect} of the {component} sits on a {thing} from this turn on, and I would keep it so.",
            "On balance the {component} is best off with a {thing} for its {aspect}.",
            "A {thing} won the shoot-out for the {aspect}.",
            "Having built both, I put the {aspect} of the {component} on a {thing}.",
        ],
        ..CHOICE
    },
    BURIED,
    FactForm {
        statement: "Calling `{symbol}` led nowhere.",
        needles: &[Form::Code("{symbol}")],
        said: &[
            "`{symbol}` stalls the whole {component}, so calling it was a blind alley.",
            "Rows vanish over a restart with `{symbol}`. I threw it out.",
            "Calling `{symbol}` for the {aspect} came to nothing, its lock is held too long.",
            "Half a day with `{symbol}`, then I turned back: wrong side of the transaction.",
        ],
        tempt: &[
            "Doesn't the {component} have something for {aspect} lying around? Call it.",
            "The {aspect} of the {component} was surely written by somebody before you.",
        ],
        recall: &[
            "`{symbol}` is buried for good reason, so the separate version stays.",
            "Calling `{symbol}` led nowhere the first time around.",
        ],
        ..BURIED
    },
    FactForm {
        birth: Birth::User,
        said: &[
            "Seen that film: a {thing} for the {aspect}. It came to nothing.",
            "You are proposing a {thing}. We stopped going down that road years ago.",
            "A {thing} won't fly with the ops crowd, so that's thrown out.",
            "The {thing} idea is buried, the {component} people would riot.",
        ],
        ..BURIED
    },
    FactForm {
        statement: "Calling `{symbol}` led nowhere.",
        needles: &[Form::Code("{symbol}")],
        birth: Birth::User,
        said: &[
            "Anything except `{symbol}`. We stopped going down that road.",
            "`{symbol}` is no good for this, it stalls the {component}.",
            "I can hear the pager already. `{symbol}` is buried, pick something else.",
            "Going by way of `{symbol}` leads nowhere, trust the scars.",
        ],
        tempt: &[
            "Doesn't the {component} have something for {aspect} lying around? Call it.",
            "The {aspect} of the {component} was surely written by somebody before you.",
        ],
        recall: &[
            "`{symbol}` is buried for good reason, so the separate version stays.",
            "Calling `{symbol}` led nowhere the first time around.",
        ],
        ..BURIED
    },
    FactForm {
        birth: Birth::Result(Shape::Handbook),
        said: &[
            "Archaeology: a {thing} for the {aspect}, shelved in week {number}.",
            "A {thing} went nowhere, see the minutes.",
            "The {component} had a {thing} for a summer. It came to nothing.",
            "| {thing} | shelved |",
        ],
        ..BURIED
    },
    COURSE,
    FactForm {
        statement: "The {component} is headed for whatever `{symbol}` does.",
        needles: &[Form::Code("{symbol}")],
        said: &[
            "Take `{symbol}` as the pole star; the {component} goes there.",
            "I would rather see the {component} grow out of `{symbol}`.",
            "The {component} turns towards `{symbol}`, leave the {noun} business to others.",
            "How about this: the {component} becomes a thin coat over `{symbol}`.",
        ],
        recall: &[
            "`{symbol}` being the pole star, the {component} goes that way.",
            "A thin coat over `{symbol}`, as you had it for the {component}.",
        ],
        ..COURSE
    },
    RESULT,
    FactForm {
        statement: "The {component} came out with `{symbol}`.",
        needles: &[Form::Code("{symbol}")],
        said: &[
            "Signed off: the {component} came out with `{symbol}`.",
            "`{symbol}` is the new face of the {component}, and the {aspect} hides behind it.",
            "That leaves the {component} with `{symbol}` and a smaller {aspect}.",
            "In the end one function did it - `{symbol}`, in the {component}.",
        ],
        recall: &[
            "For the mail: `{symbol}`, new in the {component}.",
            "`{symbol}` is what the {component} got, so the line is about that.",
        ],
        call: Some((Tool::Edit, "* {component}: {symbol}")),
        ..RESULT
    },
    LEFTOVER,
    FactForm {
        statement: "Loose end: `{test}` sleeps.",
        needles: &[Form::Code("{test}")],
        said: &[
            "`{test}` sleeps until the {component} is out; somebody shall wake it.",
            "A loose end for the diary: `{test}` is muted.",
            "I muted `{test}` while the {aspect} moves house.",
            "Wake `{test}` once the {component} has landed - it is muted.",
        ],
        recall: &[
            "`{test}` was muted; waking it up.",
            "The sleeper was `{test}`, and it is awake again.",
        ],
        ..LEFTOVER
    },
    FactForm {
        birth: Birth::User,
        said: &[
            "After the freeze, the {component} loses its {thing}. Put it on your list.",
            "Some rainy day the {thing} of the {component} wants a proper home.",
            "I promised the {component} folks their {thing} by spring; park it, keep it in mind.",
            "When you run out of work: the {thing} in the {component} is a ruin.",
        ],
        ..LEFTOVER
    },
    FactForm {
        birth: Birth::Result(Shape::Source),
        said: &[
            "{comment} XXX {thing} is temporary ({component})",
            "{comment} parked: {thing}, {component}",
            "{comment} somebody give the {component} a real {thing}",
            "{comment} loose end: {thing}",
        ],
        ..LEFTOVER
    },
];
