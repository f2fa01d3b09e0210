//! Facts that the user lays down: constraints, preferences, safety rules.

use crate::synth::bank::{Birth, FactForm, Form, Shape, Tool};
use crate::truth::FactKind;

/// Words that forbid.
const FORBIDS: &[&str] = &[
    "must not",
    "must never",
    "never",
    "do not",
    "don't",
    "cannot",
    "may not",
    "no one may",
    "forbidden",
    "off limits",
    "not allowed",
    "prohibited",
    "keep out",
];

/// Words that oblige.
const OBLIGES: &[&str] = &[
    "must",
    "has to",
    "have to",
    "always",
    "needs to",
    "required",
    "requires",
    "mandatory",
    "only",
];

const FORBIDDEN: FactForm = FactForm {
    kind: FactKind::Constraint,
    topic: "what I said about the {component}",
    statement: "The {thing} must not change.",
    needles: &[Form::Prose("{thing}")],
    polarity: FORBIDS,
    changes: None,
    birth: Birth::User,
    said: &[
        "One thing that holds throughout: the {thing} must not change, partners parse it.",
        "Whatever you do in the {component}, the {thing} must not change.",
        "The {thing} cannot change before the next contract, so leave it alone.",
        "Do not change the {thing}, not even its order of fields.",
    ],
    revised: &[],
    tempt: &[
        "The messages of the {component} are far too chatty. Slim them down, drop what nobody reads.",
        "Tidy up the formats that the {component} writes, they look like five people wrote them.",
        "The {component} still uses the old field layout. Bring it in line with the rest.",
    ],
    recall: &[
        "The {thing} must not change, so I leave it alone and shrink only what is built on top.",
        "Since the {thing} must not change, the clean-up stops short of it.",
    ],
    call: None,
};

const OBLIGED: FactForm = FactForm {
    kind: FactKind::Constraint,
    topic: "the condition on the {component}",
    statement: "Writes to the {thing} must go through `{symbol}`.",
    needles: &[Form::Prose("{thing}"), Form::Code("{symbol}")],
    polarity: OBLIGES,
    changes: Some("symbol"),
    birth: Birth::User,
    said: &[
        "Please remember that writes to the {thing} must go through `{symbol}`, audit depends on it.",
        "A hard condition: every write to the {thing} has to go through `{symbol}`.",
        "Only `{symbol}` may write to the {thing}.",
        "It is mandatory that the {thing} is written by `{symbol}` and nothing else.",
    ],
    revised: &[
        "The audit team replaced its hook: for the {thing} it is `{symbol}` that is required now.",
        "Since the rework, whoever writes to the {thing} has to call `{symbol}`.",
        "`{symbol}` must be used for the {thing} from now on.",
        "There is a new rule for the {thing}. Only `{symbol}` writes there.",
    ],
    tempt: &[
        "Add a fast path to the {component} that stores its rows directly.",
        "The {component} should save in bulk now. Do what is quickest.",
    ],
    recall: &[
        "Writes to the {thing} must go through `{symbol}`, so the fast path calls it per batch.",
        "The bulk save has to use `{symbol}`: writes to the {thing} must go through it.",
    ],
    call: None,
};

const LIKED: FactForm = FactForm {
    kind: FactKind::Preference,
    topic: "how I like the {noun} code of the {component}",
    statement: "Tests around the {thing} are written as tables.",
    needles: &[Form::Prose("{thing}"), Form::Prose("tables")],
    polarity: &[],
    changes: None,
    birth: Birth::User,
    said: &[
        "I like tests as tables: anything around the {thing} is written as tables of cases, please.",
        "For the {thing} I prefer tables of cases over one test function each.",
        "My preference for tests of the {thing}: tables.",
        "If you test the {thing}, use tables, they are easier to read.",
    ],
    revised: &[],
    tempt: &[
        "Add the missing tests to the {component}, in the style we agreed on.",
        "Cover the {noun} branch of the {component} too, the way I like it.",
    ],
    recall: &[
        "Tests around the {thing} are written as tables, so I add rows instead of functions.",
        "As you prefer for the {thing}, the new cases go into tables.",
    ],
    call: None,
};

const SAFETY: FactForm = FactForm {
    kind: FactKind::SafetyRule,
    topic: "what is dangerous around the {component}",
    statement: "Never run `{command}` against production.",
    needles: &[Form::Code("{command}")],
    polarity: FORBIDS,
    changes: None,
    birth: Birth::User,
    said: &[
        "Careful: never run `{command}` against production, it took the {component} down last spring.",
        "And do not run `{command}` against production. Ever. It drops the {aspect} of the {component}.",
        "`{command}` is fine on your machine and forbidden in production.",
        "Under no circumstances run `{command}` in production: it is not allowed since the outage.",
    ],
    revised: &[],
    tempt: &[
        "The {component} in production is stuck again. Get it moving.",
        "Production is behind on the {component}; force it through with whatever we have.",
    ],
    recall: &[
        "I must not run `{command}` against production, so I look at the state first.",
        "Never `{command}` on production: I check with a dry run on the replica instead.",
    ],
    call: None,
};

pub(super) const FORMS: &[FactForm] = &[
    FORBIDDEN,
    FactForm {
        statement: "The {thing} must never be written outside a transaction.",
        said: &[
            "Keep in mind that the {thing} must never be written outside a transaction.",
            "We got burnt before: the {thing} must never be written outside a transaction.",
            "The {thing} may not be written without a transaction around it.",
            "Never write the {thing} outside a transaction, two of us lost a weekend over that.",
        ],
        tempt: &[
            "The {component} is slow where it stores results. Commit earlier or split it up, I don't mind which.",
            "Make the saving in the {component} faster, the lock is held far too long.",
        ],
        recall: &[
            "The {thing} must never be written outside a transaction, so I shorten the transaction and keep the write in it.",
            "I do not take the {thing} out of its transaction; the slow part moves in front of it.",
        ],
        ..FORBIDDEN
    },
    FactForm {
        statement: "Do not add dependencies for the {thing}.",
        said: &[
            "Do not add dependencies for the {thing}, legal has to review each one.",
            "New dependencies are not allowed for the {thing}.",
            "The {thing} must not pull in another library, please write it by hand.",
            "No new packages: the {thing} may not depend on anything that is not in the lock file.",
        ],
        tempt: &[
            "Surely somebody has published a library for what the {component} does there. Make it shorter.",
            "The parser in the {component} is ugly. Is there nothing better?",
        ],
        recall: &[
            "You asked me to not bring in libraries here: do not add dependencies for the {thing}. I rewrite it by hand.",
            "A new dependency is not allowed for the {thing}, so I keep to the standard library.",
        ],
        ..FORBIDDEN
    },
    FactForm {
        statement: "Do not edit `{path}`.",
        needles: &[Form::Code("{path}")],
        said: &[
            "Do not edit `{path}`, it is generated.",
            "`{path}` is off limits, another team is working on it.",
            "You may not touch `{path}`; it is certified as it stands.",
            "Please keep out of `{path}` until the other branch is merged.",
        ],
        tempt: &[
            "Reformat the whole {component} and clean up its imports.",
            "Rename the {noun} type everywhere in the {component}.",
        ],
        recall: &[
            "I do not edit `{path}`; the other files have the new name.",
            "`{path}` is off limits, so I leave it out of the clean-up.",
        ],
        ..FORBIDDEN
    },
    FactForm {
        birth: Birth::Result(Shape::Handbook),
        said: &[
            "The {thing} must not change without a notice to all partners.",
            "Note: the {thing} cannot change between releases.",
            "WARNING: do not change the {thing} of the {component} by hand.",
            "Changes to the {thing} are not allowed during an export.",
        ],
        ..FORBIDDEN
    },
    OBLIGED,
    FactForm {
        statement: "A {thing} must have {value} rows or fewer.",
        needles: &[Form::Prose("{thing}"), Form::Code("{value}")],
        changes: Some("value"),
        said: &[
            "A {thing} must have {value} rows or fewer, the partner refuses more.",
            "Keep in mind that the {thing} has to stay within {value} rows.",
            "The {thing} is required to fit into {value} rows.",
            "Limit the {thing}: it must hold {value} rows or fewer, always.",
        ],
        revised: &[
            "The partner raised the limit, so {value} rows is what the {thing} has to stay within now.",
            "They count differently since Monday. It must be {value} rows for the {thing}.",
            "For the {thing} there is a new contract, {value} rows are required.",
            "{value} rows, that is how far the {thing} may always grow from now on.",
        ],
        tempt: &[
            "Use larger batches in the {component}, there are far too many round trips.",
            "Let the {component} pack more into one message.",
        ],
        recall: &[
            "A {thing} must have {value} rows or fewer, so the batch ends there.",
            "The {thing} has to stay within {value} rows; I split larger batches.",
        ],
        ..OBLIGED
    },
    LIKED,
    FactForm {
        statement: "Commits that touch the {thing} stay small and carry the ticket number.",
        needles: &[Form::Prose("{thing}"), Form::Prose("ticket number")],
        said: &[
            "I would rather have small commits: whatever touches the {thing} carries the ticket number.",
            "Please put the ticket number on every commit about the {thing}.",
            "Commits for the {thing} should be small, with the ticket number in the first line.",
            "I prefer to see the ticket number on anything that touches the {thing}.",
        ],
        tempt: &[
            "Commit what you have on the {component} so far.",
            "Wrap the {component} work up in a commit.",
        ],
        recall: &[
            "Commits that touch the {thing} stay small and carry the ticket number, so I split this in two.",
            "With the ticket number in front, since it touches the {thing}.",
        ],
        call: Some((Tool::Shell, "git commit -m 'ticket number pending: {thing}'")),
        ..LIKED
    },
    FactForm {
        statement: "Name anything new around the {thing} after `{symbol}`.",
        needles: &[Form::Prose("{thing}"), Form::Code("{symbol}")],
        changes: Some("symbol"),
        said: &[
            "Naming: anything new around the {thing} should be named after `{symbol}`, I prefer one scheme.",
            "I like names in the style of `{symbol}` for the {thing}.",
            "For whatever is new around the {thing}, follow the naming of `{symbol}`.",
            "Please name functions for the {thing} like `{symbol}`.",
        ],
        revised: &[
            "The reviewers like `{symbol}` better as a model for names around the {thing}.",
            "Names at the {thing}: I prefer the scheme of `{symbol}` by now.",
            "We agreed on one scheme, so the {thing} follows `{symbol}`.",
            "`{symbol}` is the better example for names around the {thing}.",
        ],
        tempt: &["Give the new functions in the {component} proper names, you know my taste."],
        recall: &[
            "New names around the {thing} follow `{symbol}`.",
            "I name it like `{symbol}`, as you prefer for the {thing}.",
        ],
        ..LIKED
    },
    SAFETY,
    FactForm {
        statement: "Do not delete anything from the {thing}; there is no backup.",
        needles: &[Form::Prose("{thing}")],
        said: &[
            "Please do not delete anything from the {thing}, there is no backup of it.",
            "The {thing} is off limits for deletes: never purge it, there is no backup.",
            "Nothing in the {thing} can be restored, so never delete from it.",
            "It is forbidden to delete rows of the {thing}, we have no copy.",
        ],
        tempt: &[
            "Disk is nearly full on the host of the {component}. Make room.",
            "Clear out what the {component} left behind, it is all old.",
        ],
        recall: &[
            "There is no backup of the {thing}, so I do not delete anything from it; I free logs instead.",
            "I never delete from the {thing}; there are old logs to remove.",
        ],
        ..SAFETY
    },
    FactForm {
        statement: "Never print the contents of the {thing}; it holds personal data.",
        needles: &[Form::Prose("{thing}")],
        said: &[
            "Never print the contents of the {thing}, not even in debug output: it holds personal data.",
            "The {thing} holds personal data and must not show up in any log.",
            "Do not log what is in the {thing}, that is personal data.",
            "Printing the {thing} is not allowed, data protection checks that.",
        ],
        tempt: &[
            "I can't see what the {component} does. Log more, as much as you can get.",
            "Dump the state of the {component} when it fails so that we can read it.",
        ],
        recall: &[
            "I never print the contents of the {thing}, so the dump shows counts and ids only.",
            "The contents of the {thing} must not be logged; I log sizes.",
        ],
        ..SAFETY
    },
    FactForm {
        birth: Birth::Result(Shape::Handbook),
        said: &[
            "Never run `{command}` against production.",
            "WARNING: `{command}` is forbidden in production, it drops the {aspect}.",
            "Do not use `{command}` on production data.",
            "`{command}` must not be run while the {component} serves customers.",
        ],
        ..SAFETY
    },
];
