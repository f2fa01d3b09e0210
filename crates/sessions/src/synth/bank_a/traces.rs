//! Facts that runs leave behind: errors and tests.

use crate::synth::bank::{Birth, FactForm, Form, Shape, Tool};
use crate::truth::FactKind;

const ERROR: FactForm = FactForm {
    kind: FactKind::Error,
    topic: "the error from the {aspect} of the {component}",
    statement: "The {aspect} of the {component} fails with `{code}`.",
    needles: &[Form::Code("{code}")],
    polarity: &[],
    changes: None,
    birth: Birth::User,
    said: &[
        "Support keeps seeing `{code}` from the {component} whenever the {aspect} kicks in.",
        "The dashboard shows {code} about {number} times a day, always from the {aspect} of the {component}.",
        "The error we get is {code}, it comes from the {aspect} of the {component}.",
        "With the last release the {aspect} of the {component} fails with `{code}`.",
    ],
    revised: &[],
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
    changes: None,
    birth: Birth::Agent,
    said: &[
        "Only `{test}` exercises the {aspect} of the {component}, so that is the one to watch.",
        "I added `{test}` for the {aspect} of the {component}; it fails without the change.",
        "The {aspect} of the {component} is covered by `{test}` and nothing else.",
        "There is a test for the {aspect} of the {component}: `{test}`.",
    ],
    revised: &[],
    tempt: &[],
    recall: &[],
    call: Some((Tool::Test, "{test}")),
};

pub(super) const FORMS: &[FactForm] = &[
    ERROR,
    FactForm {
        birth: Birth::Agent,
        said: &[
            "The failure is `{code}`, raised in the {aspect} of the {component}.",
            "I can see the error now: {code}, from the {aspect} of the {component}.",
            "The {aspect} of the {component} stops with `{code}` when a {noun} is late.",
            "It fails with `{code}`, so the {aspect} of the {component} is where to look.",
        ],
        ..ERROR
    },
    FactForm {
        birth: Birth::Result(Shape::Log),
        said: &[
            "ERROR {module}: [{code}] {aspect} of the {component} gave up after {number} ms",
            "ERROR {module}: {aspect} failed: {code}",
            "ERROR {module}: {code} while the {aspect} of the {component} was running",
            "WARN  {module}: {aspect} retried {number} times, last error {code}",
        ],
        ..ERROR
    },
    FactForm {
        birth: Birth::Result(Shape::Tests),
        said: &[
            "    {code}: {aspect} of the {component} refused row {number}",
            "    expected Ok, got {code} from the {aspect} of the {component}",
            "    Error: {code} ({aspect})\n        at {module}:{line}",
            "    the {aspect} of the {component} failed with {code}",
        ],
        ..ERROR
    },
    FactForm {
        birth: Birth::Result(Shape::Compiler),
        said: &[
            "error[{code}]: {aspect} of the {component} does not type-check\n  --> {dir}/{noun}:{line}:9",
            "{dir}/{noun}:{line}: error {code}: wrong type in the {aspect}",
            "error {code}: {aspect} of the {component}: missing case",
            "{dir}/{noun}:{line}:5: error: {aspect} ({code})",
        ],
        ..ERROR
    },
    TEST,
    FactForm {
        birth: Birth::User,
        said: &[
            "The test to run is `{test}`, it covers the {aspect} of the {component}.",
            "Make sure that `{test}` still passes, it is our only test of the {aspect}.",
            "`{test}` fails on my side, that is the one for the {aspect} of the {component}.",
            "For the {aspect} of the {component} we have `{test}`.",
        ],
        ..TEST
    },
    FactForm {
        birth: Birth::Result(Shape::Tests),
        said: &[
            "FAILED {test} ({aspect} of the {component})",
            "{test} ... FAILED\n    {aspect} of the {component}: expected {number}, got 0",
            "    failing: {test} [{aspect}]",
            "{test} FAILED after {number} ms, {aspect} of the {component}",
        ],
        ..TEST
    },
    FactForm {
        birth: Birth::Result(Shape::Hits),
        said: &[
            "{dir}/tests:{line}: {test}  {comment} covers the {aspect}",
            "{dir}/tests:{line}:  {comment} {test}: {aspect} of the {component}",
            "{dir}/tests:{line}:    {test}",
            "{dir}/tests:{line}: {comment} the {aspect} is tested by {test}",
        ],
        ..TEST
    },
];
