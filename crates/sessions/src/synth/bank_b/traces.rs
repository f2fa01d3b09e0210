//! Facts that runs leave behind: errors and tests.

use crate::synth::bank::{Birth, FactForm, Form, Shape, Tool};
use crate::truth::FactKind;

const ERROR: FactForm = FactForm {
    kind: FactKind::Error,
    topic: "the code that the {component}'s {aspect} throws",
    statement: "The {component}'s {aspect} throws `{code}`.",
    needles: &[Form::Code("{code}")],
    polarity: &[],
    changes: None,
    birth: Birth::User,
    said: &[
        "My inbox is full of `{code}`, courtesy of the {component}'s {aspect}.",
        "`{code}` again last night. The {component}, mid-{aspect}, as per usual.",
        "A customer sent a screenshot with {code} on it; smells like {aspect} in the {component}.",
        "{number} pages since Monday, all of them {code}, all of them from {aspect} in the {component}.",
    ],
    revised: &[],
    tempt: &[],
    recall: &[],
    call: Some((Tool::Search, "{code}")),
};

const TEST: FactForm = FactForm {
    kind: FactKind::Test,
    topic: "the guard on the {component}'s {aspect}",
    statement: "`{test}` guards the {component}'s {aspect}.",
    needles: &[Form::Code("{test}")],
    polarity: &[],
    changes: None,
    birth: Birth::Agent,
    said: &[
        "One guard stands over the {aspect} of the {component}: `{test}`.",
        "Wrote `{test}`, which turns red the moment the {aspect} of the {component} slips.",
        "`{test}` happens to walk through the {aspect}, the rest of the suite walks around it.",
        "Keeping an eye on `{test}`: it is as close to the {component}'s {aspect} as tests get here.",
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
            "Caught it in the act: `{code}`, thrown from the {aspect} of the {component}.",
            "So that's what `{code}` is - the {component} losing its footing in {aspect}.",
            "Fed it a crooked {noun} and out came `{code}`, straight from the {aspect}.",
            "`{code}` on the second go, in the {aspect} of the {component}.",
        ],
        ..ERROR
    },
    FactForm {
        birth: Birth::Result(Shape::Log),
        said: &[
            "FATAL {module}: {code} in {aspect} after {number} ms",
            "ALERT {module}: {aspect} -> {code} (row {number})",
            "WARN  {module}: {code} x{number}, {aspect}",
            "INFO  {module}: {aspect} came back with {code}",
        ],
        ..ERROR
    },
    FactForm {
        birth: Birth::Result(Shape::Tests),
        said: &[
            "      thrown: {code} ({aspect}, row {number})",
            "  left:  Ok(())\n  right: {code}  [{aspect}]",
            "    got {code} out of {aspect} of the {component}",
            "  fell over in {aspect}: {code}",
        ],
        ..ERROR
    },
    FactForm {
        birth: Birth::Result(Shape::Compiler),
        said: &[
            "{code}: types of the {aspect} disagree\n  --> {dir}/{noun}:{line}:5",
            "{dir}/{noun}:{line}: [{code}] {aspect}",
            "lint {code}: {aspect} of the {component} at line {line}",
            "{dir}/{noun}:{line}:9 - {code} - {aspect} does too much",
        ],
        ..ERROR
    },
    TEST,
    FactForm {
        birth: Birth::User,
        said: &[
            "Keep `{test}` green, it is the canary for the {component}'s {aspect}.",
            "I trust `{test}` with the {aspect} of the {component}; the others I merely tolerate.",
            "`{test}` took me a weekend, and it is all that stands over the {aspect}.",
            "For {aspect} in the {component} there is `{test}`, written by yours truly.",
        ],
        ..TEST
    },
    FactForm {
        birth: Birth::Result(Shape::Tests),
        said: &[
            "{test} ... red ({aspect})",
            "~ {test}: {aspect} of the {component}, {number} ms",
            "  x {test}  [{aspect}]",
            "slowest: {test} ({aspect}) {number} ms",
        ],
        ..TEST
    },
    FactForm {
        birth: Birth::Result(Shape::Hits),
        said: &[
            "{dir}/checks:{line}: {test}  {comment} {aspect}",
            "./{dir}/suite:{line}:  {test}",
            "{dir}/spec:{line}:{comment} {test}: {aspect} ({component})",
            "{dir}/all:{line}:    {test},  {comment} {component}",
        ],
        ..TEST
    },
];
