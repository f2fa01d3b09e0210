//! Facts that are named in code: paths, symbols, commands, values.

use crate::synth::bank::{Birth, FactForm, Form, Shape, Tool};
use crate::truth::FactKind;

const PATH: FactForm = FactForm {
    kind: FactKind::Path,
    topic: "the file with the {aspect} of the {component}",
    statement: "The {aspect} of the {component} is in `{path}`.",
    needles: &[Form::Code("{path}")],
    polarity: &[],
    changes: None,
    birth: Birth::Agent,
    said: &[
        "The {aspect} of the {component} turned out to live in `{path}`, not where its name suggests.",
        "Found it: `{path}` is where the {aspect} of the {component} is decided.",
        "So the {aspect} of the {component} is all in `{path}`. Everything else only forwards to it.",
        "I traced the {aspect} back to `{path}`; the rest of the {component} does not know about it.",
    ],
    revised: &[],
    tempt: &[],
    recall: &[],
    call: Some((Tool::Read, "{path}")),
};

const SYMBOL: FactForm = FactForm {
    kind: FactKind::Symbol,
    topic: "the function behind the {aspect} of the {component}",
    statement: "`{symbol}` does the {aspect} of the {component}.",
    needles: &[Form::Code("{symbol}")],
    polarity: &[],
    changes: None,
    birth: Birth::Agent,
    said: &[
        "The {aspect} of the {component} goes through `{symbol}`; the other callers are thin wrappers.",
        "`{symbol}` is the one place where the {aspect} of the {component} happens.",
        "I see now that `{symbol}` is responsible for the {aspect} of the {component}.",
        "All callers end up in `{symbol}`, which does the {aspect} for the whole {component}.",
    ],
    revised: &[],
    tempt: &[],
    recall: &[],
    call: Some((Tool::Search, "{symbol}")),
};

const COMMAND: FactForm = FactForm {
    kind: FactKind::Command,
    topic: "the command that exercises the {aspect} of the {component}",
    statement: "To exercise the {aspect} of the {component}, run `{command}`.",
    needles: &[Form::Code("{command}")],
    polarity: &[],
    changes: None,
    birth: Birth::User,
    said: &[
        "If you want to see the {aspect} of the {component} at work, `{command}` does it in under a minute.",
        "The quickest check for the {aspect} of the {component} is `{command}`, nothing else covers it.",
        "You can exercise the {aspect} with `{command}`, that is what we do before a release.",
        "Run `{command}` to see what the {component} does in its {aspect}.",
    ],
    revised: &[],
    tempt: &[],
    recall: &[],
    call: Some((Tool::Shell, "{command}")),
};

const VALUE: FactForm = FactForm {
    kind: FactKind::Value,
    topic: "the setting for the {aspect} of the {component}",
    statement: "For the {aspect} of the {component}, `{key}` is {value}.",
    needles: &[Form::Code("{key}"), Form::Code("{value}")],
    polarity: &[],
    changes: Some("value"),
    birth: Birth::User,
    said: &[
        "For the {aspect} of the {component}, set `{key}` to {value}; we measured it.",
        "Operations wants `{key}` at {value} for the {aspect} of the {component}.",
        "Use {value} for `{key}`, the {aspect} of the {component} depends on it.",
        "Set `{key}` to {value}, otherwise the {aspect} of the {component} falls behind.",
    ],
    revised: &[
        "The load test was repeated over the weekend, and with {value} the {component} kept up, so `{key}` gets that.",
        "With the new hardware, {value} is what `{key}` has to be.",
        "I looked at `{key}` again with operations. They are at {value} now, please follow.",
        "`{key}` is too small as it is. Make that {value}.",
    ],
    tempt: &[],
    recall: &[],
    call: Some((Tool::Edit, "{key} = {value}")),
};

pub(super) const FORMS: &[FactForm] = &[
    PATH,
    FactForm {
        birth: Birth::Result(Shape::Hits),
        said: &[
            "{path}:{line}: {comment} {aspect} of the {component} starts here",
            "{path}:{line}:{comment} This file does the {aspect} of the {component}.",
            "{path}:{line}:    {comment} see above for the {aspect} of the {component}",
            "{path}:{line}: {comment} {component}, {aspect}: entry point",
        ],
        ..PATH
    },
    FactForm {
        birth: Birth::Result(Shape::Handbook),
        said: &[
            "The {aspect} of the {component} is implemented in `{path}`.",
            "See `{path}` for the {aspect} of the {component}.",
            "If the {aspect} of the {component} has to change, `{path}` is the file to edit.",
            "Code of the {aspect}: `{path}` (owned by the {component} team).",
        ],
        ..PATH
    },
    FactForm {
        birth: Birth::User,
        said: &[
            "By the way, the {aspect} of the {component} sits in `{path}` since the last move.",
            "You will need `{path}`, that is the {aspect} of the {component}.",
            "The {aspect} of the {component} is in `{path}`, in case you look for it.",
            "Have a look at `{path}`: it does the {aspect} of the {component}.",
        ],
        ..PATH
    },
    SYMBOL,
    FactForm {
        birth: Birth::User,
        said: &[
            "The function you are looking for is `{symbol}`, it does the {aspect} of the {component}.",
            "As far as I remember, `{symbol}` handles the {aspect} of the {component}.",
            "Start at `{symbol}`, that is where the {component} does its {aspect}.",
            "The {aspect} is done by `{symbol}`, I wrote it when we set the {component} up.",
        ],
        ..SYMBOL
    },
    FactForm {
        birth: Birth::Result(Shape::Source),
        said: &[
            "{decl}  {comment} {aspect} of the {component}",
            "{comment} Does the {aspect} of the {component}.\n{decl}",
            "{comment} The {aspect}. Called once per {noun}.\n{decl}",
            "{decl}  {comment} all of the {aspect} happens here",
        ],
        ..SYMBOL
    },
    FactForm {
        birth: Birth::Result(Shape::Hits),
        said: &[
            "{dir}/lib:{line}: {decl}  {comment} {aspect} of the {component}",
            "{dir}/main:{line}:    {symbol}({noun})  {comment} {aspect} of the {component}",
            "{dir}/job:{line}:  {comment} the {aspect} is done by {symbol}",
            "{dir}/api:{line}: {decl}",
        ],
        ..SYMBOL
    },
    COMMAND,
    FactForm {
        birth: Birth::Result(Shape::Handbook),
        said: &[
            "To exercise the {aspect} of the {component}: `{command}`",
            "The {aspect} of the {component} can be tried out with `{command}`.",
            "    {command}    # {aspect} of the {component}",
            "Before a release, run `{command}` and watch the {aspect} of the {component}.",
        ],
        ..COMMAND
    },
    FactForm {
        birth: Birth::Agent,
        said: &[
            "`{command}` reproduces the trouble with the {aspect} of the {component} every time.",
            "I can reproduce it: `{command}` makes the {aspect} of the {component} fail.",
            "The command that shows the {aspect} of the {component} is `{command}`.",
            "With `{command}` I get the {aspect} of the {component} to run on its own.",
        ],
        ..COMMAND
    },
    VALUE,
    FactForm {
        birth: Birth::Agent,
        said: &[
            "I set `{key}` to {value}, which is enough for the {aspect} of the {component}.",
            "The {aspect} of the {component} needs `{key}` to be {value}, by my calculation.",
            "`{key}` is {value} at the moment, that explains the {aspect}.",
            "From the measurements, {value} is the right size for `{key}`.",
        ],
        ..VALUE
    },
    FactForm {
        birth: Birth::Result(Shape::Settings),
        said: &[
            "{key} = {value}  # {aspect} of the {component}",
            "{key} = {value}",
            "# {aspect} of the {component}, do not guess\n{key} = {value}",
            "{key} = {value}  # measured",
        ],
        ..VALUE
    },
    FactForm {
        birth: Birth::Result(Shape::Log),
        said: &[
            "INFO  {module}: {key} is {value} ({aspect})",
            "INFO  {module}: loaded settings: {key}={value}",
            "DEBUG {module}: {aspect} uses {key}={value}",
            "INFO  {module}: {aspect} of the {component} runs with {key} = {value}",
        ],
        ..VALUE
    },
];
