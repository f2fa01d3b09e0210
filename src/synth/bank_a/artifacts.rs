//! Facts that are named in code: paths, symbols, errors, tests, commands, values.

use crate::synth::bank::{Birth, FactForm, Form, Shape, Tool};
use crate::truth::FactKind;

const PATH: FactForm = FactForm {
    kind: FactKind::Path,
    topic: "the file with the {aspect} of the {component}",
    statement: "The {aspect} of the {component} is in `{path}`.",
    needles: &[Form::Code("{path}")],
    polarity: &[],
    birth: Birth::Agent,
    said: &[
        "The {aspect} of the {component} turned out to live in `{path}`, not where its name suggests.",
        "Found it: `{path}` is where the {aspect} of the {component} is decided.",
        "So the {aspect} of the {component} is all in `{path}`. Everything else only forwards to it.",
    ],
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
    birth: Birth::Agent,
    said: &[
        "The {aspect} of the {component} goes through `{symbol}`; the other callers are thin wrappers.",
        "`{symbol}` is the one place where the {aspect} of the {component} happens.",
    ],
    tempt: &[],
    recall: &[],
    call: Some((Tool::Search, "{symbol}")),
};

const ERROR: FactForm = FactForm {
    kind: FactKind::Error,
    topic: "the error from the {aspect} of the {component}",
    statement: "The {aspect} of the {component} fails with `{code}`.",
    needles: &[Form::Code("{code}")],
    polarity: &[],
    birth: Birth::User,
    said: &[
        "Support keeps seeing `{code}` from the {component} whenever the {aspect} kicks in.",
        "The dashboard shows {code} about {number} times a day, always from the {aspect} of the {component}.",
    ],
    tempt: &[],
    recall: &[],
    call: Some((Tool::Search, "{code}")),
};

const TEST: FactForm = FactForm {
    kind: FactKind::Test,
    topic: "the test that covers the {aspect} of the {component}",
    statement: "The test `{test}` covers the {aspect} of the {component}.",
    needles: &[Form::Code("{test}")],
    polarity: &[],
    birth: Birth::Agent,
    said: &[
        "Only `{test}` exercises the {aspect} of the {component}, so that is the one to watch.",
        "I added `{test}` for the {aspect} of the {component}; it fails without the change.",
    ],
    tempt: &[],
    recall: &[],
    call: Some((Tool::Test, "{test}")),
};

const COMMAND: FactForm = FactForm {
    kind: FactKind::Command,
    topic: "the command that exercises the {aspect} of the {component}",
    statement: "To exercise the {aspect} of the {component}, run `{command}`.",
    needles: &[Form::Code("{command}")],
    polarity: &[],
    birth: Birth::User,
    said: &[
        "If you want to see the {aspect} of the {component} at work, `{command}` does it in under a minute.",
        "The quickest check for the {aspect} of the {component} is `{command}`, nothing else covers it.",
    ],
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
    birth: Birth::User,
    said: &[
        "For the {aspect} of the {component}, set `{key}` to {value}; we measured it.",
        "Operations wants `{key}` at {value} for the {aspect} of the {component}.",
        "Use {value} for `{key}`, the {aspect} of the {component} depends on it.",
    ],
    tempt: &[],
    recall: &[],
    call: Some((Tool::Edit, "{key} = {value}")),
};

pub(super) const FORMS: &[FactForm] = &[
    PATH,
    FactForm {
        birth: Birth::Result(Shape::Hits),
        said: &["{path}:{line}: {comment} {aspect} of the {component} starts here"],
        ..PATH
    },
    FactForm {
        birth: Birth::User,
        said: &[
            "By the way, the {aspect} of the {component} sits in `{path}` since the last move.",
            "You will need `{path}`, that is the {aspect} of the {component}.",
        ],
        ..PATH
    },
    SYMBOL,
    FactForm {
        birth: Birth::Result(Shape::Source),
        said: &["{decl}  {comment} {aspect} of the {component}"],
        ..SYMBOL
    },
    FactForm {
        birth: Birth::Result(Shape::Hits),
        said: &["{dir}/lib:{line}: {decl}  {comment} {aspect} of the {component}"],
        ..SYMBOL
    },
    ERROR,
    FactForm {
        birth: Birth::Result(Shape::Log),
        said: &["ERROR {module}: [{code}] {aspect} of the {component} gave up after {number} ms"],
        ..ERROR
    },
    FactForm {
        birth: Birth::Result(Shape::Tests),
        said: &["    {code}: {aspect} of the {component} refused row {number}"],
        ..ERROR
    },
    TEST,
    FactForm {
        birth: Birth::Result(Shape::Tests),
        said: &["FAILED {test} ({aspect} of the {component})"],
        ..TEST
    },
    COMMAND,
    FactForm {
        birth: Birth::Result(Shape::Handbook),
        said: &["To exercise the {aspect} of the {component}: `{command}`"],
        ..COMMAND
    },
    FactForm {
        birth: Birth::Agent,
        said: &[
            "`{command}` reproduces the trouble with the {aspect} of the {component} every time.",
        ],
        ..COMMAND
    },
    VALUE,
    FactForm {
        birth: Birth::Result(Shape::Settings),
        said: &["{key} = {value}  # {aspect} of the {component}"],
        ..VALUE
    },
];
