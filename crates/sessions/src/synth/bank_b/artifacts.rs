//! Facts that are named in code: paths, symbols, commands, values.

use crate::synth::bank::{Birth, FactForm, Form, Shape, Tool};
use crate::truth::FactKind;

const PATH: FactForm = FactForm {
    kind: FactKind::Path,
    topic: "the home of the {component}'s {aspect}",
    statement: "`{path}` holds the {component}'s {aspect}.",
    needles: &[Form::Code("{path}")],
    polarity: &[],
    changes: None,
    birth: Birth::Agent,
    said: &[
        "Traced it down: everything about the {component}'s {aspect} sits inside `{path}`.",
        "`{path}` - there we go, the {component}'s {aspect} from top to bottom.",
        "Surprise: the entry point of the {component} has nothing on {aspect}. `{path}` has all of it.",
        "Three imports deep, and there it is. `{path}` carries the {aspect} for the {component}.",
    ],
    revised: &[],
    tempt: &[],
    recall: &[],
    call: Some((Tool::Read, "{path}")),
};

const SYMBOL: FactForm = FactForm {
    kind: FactKind::Symbol,
    topic: "the routine for the {component}'s {aspect}",
    statement: "`{symbol}` is the {component}'s {aspect}.",
    needles: &[Form::Code("{symbol}")],
    polarity: &[],
    changes: None,
    birth: Birth::Agent,
    said: &[
        "Every path through the {component}'s {aspect} meets in `{symbol}`.",
        "Peeled the layers off: `{symbol}` does the {aspect} and its neighbours just pass arguments along.",
        "So `{symbol}` it is - the {component} has one piece of {aspect} code and that's the one.",
        "Whoever named `{symbol}` hid it well; half the {aspect} of the {component} sits in there.",
    ],
    revised: &[],
    tempt: &[],
    recall: &[],
    call: Some((Tool::Search, "{symbol}")),
};

const COMMAND: FactForm = FactForm {
    kind: FactKind::Command,
    topic: "the shell line for the {component}'s {aspect}",
    statement: "`{command}` puts the {component}'s {aspect} through its paces.",
    needles: &[Form::Code("{command}")],
    polarity: &[],
    changes: None,
    birth: Birth::User,
    said: &[
        "Want to watch the {aspect}? `{command}`, give it a minute.",
        "My shell history has `{command}` for poking at the {component}'s {aspect}; help yourself.",
        "Easiest way into the {component}'s {aspect} from a terminal: `{command}`.",
        "The night shift types `{command}` whenever the {aspect} of the {component} smells funny.",
    ],
    revised: &[],
    tempt: &[],
    recall: &[],
    call: Some((Tool::Shell, "{command}")),
};

const VALUE: FactForm = FactForm {
    kind: FactKind::Value,
    topic: "the knob for the {component}'s {aspect}",
    statement: "`{key}` stands at {value}.",
    needles: &[Form::Code("{key}"), Form::Code("{value}")],
    polarity: &[],
    changes: Some("value"),
    birth: Birth::User,
    said: &[
        "Three load tests later: `{key}` goes to {value}, the {aspect} likes it there.",
        "Turn `{key}` to {value} and the {component}'s {aspect} calms down.",
        "{value} is where `{key}` belongs, says the capacity sheet.",
        "Half the pages at night trace back to one knob. {value} for `{key}`, thank you.",
    ],
    revised: &[
        "About `{key}`: the graph went flat at {value}, so that's where it sits from here on.",
        "Capacity came back with {value} for `{key}`; forget whatever I told you before.",
        "With the bigger boxes `{key}` has room - {value}, thank you.",
        "Been staring at `{key}` all morning. It ends up at {value}, my earlier guess was off.",
    ],
    tempt: &[],
    recall: &[],
    call: Some((Tool::Edit, "{key} = {value}")),
};

pub(super) const FORMS: &[FactForm] = &[
    PATH,
    FactForm {
        birth: Birth::User,
        said: &[
            "Saves you a hunt: the {component}'s {aspect} moved to `{path}` last quarter.",
            "`{path}`, in case you wonder where the {aspect} of the {component} ended up.",
            "Somebody tucked the {aspect} of the {component} away in `{path}`, sorry about that.",
            "The bit about {aspect}? `{path}`, at the far end of the {component}.",
        ],
        ..PATH
    },
    FactForm {
        birth: Birth::Result(Shape::Hits),
        said: &[
            "{path}:{line}:    {comment} {component}: {aspect} begins",
            "{path}:{line}:  {comment} {aspect}, {component} side",
            "{path}:{line}: {comment} --- {aspect} ({component}) ---",
            "./{path}:{line}:{comment} {component} / {aspect}",
        ],
        ..PATH
    },
    FactForm {
        birth: Birth::Result(Shape::Handbook),
        said: &[
            "Readers of the {component} start with `{path}`, which is its {aspect}.",
            "- `{path}`: {aspect} of the {component}",
            "| {component} | {aspect} | `{path}` |",
            "(Source of this chapter on {aspect}: `{path}`)",
        ],
        ..PATH
    },
    SYMBOL,
    FactForm {
        birth: Birth::User,
        said: &[
            "Ask `{symbol}` about the {aspect} of the {component}, it knows everything.",
            "`{symbol}` was my first commit here, so I can tell you: that's the {component}'s {aspect}.",
            "A hint on the {component}: its {aspect} hangs off `{symbol}`.",
            "The profiler points at `{symbol}`, the {aspect} of the {component}.",
        ],
        ..SYMBOL
    },
    FactForm {
        birth: Birth::Result(Shape::Source),
        said: &[
            "{decl}  {comment} {component}: {aspect}",
            "{comment} {aspect} ({component})\n{decl}",
            "{comment} --- {component} / {aspect} ---\n{decl}",
            "{decl}  {comment} {aspect} in here",
        ],
        ..SYMBOL
    },
    FactForm {
        birth: Birth::Result(Shape::Hits),
        said: &[
            "{dir}/base:{line}:{decl}  {comment} {aspect}",
            "{dir}/api:{line}: {symbol}({noun})  {comment} {component} {aspect}",
            "./{dir}/main:{line}:  {comment} {aspect}: see {symbol}",
            "{dir}/glue:{line}:    {symbol}(rows)  {comment} {aspect}",
        ],
        ..SYMBOL
    },
    COMMAND,
    FactForm {
        birth: Birth::Agent,
        said: &[
            "Reproduced at last: `{command}`, and the {component}'s {aspect} goes sideways each time.",
            "`{command}` shows it in ten seconds flat, {aspect} and all.",
            "For later: the {aspect} of the {component} wakes up with `{command}`.",
            "There is a handle on the {aspect}. It is `{command}`.",
        ],
        ..COMMAND
    },
    FactForm {
        birth: Birth::Result(Shape::Handbook),
        said: &[
            "    $ {command}    # {aspect}",
            "The {aspect} drill of the {component} is `{command}`.",
            "| {aspect} | `{command}` |",
            "Friday ritual for the {component}: `{command}` and a look at the {aspect}.",
        ],
        ..COMMAND
    },
    VALUE,
    FactForm {
        birth: Birth::Result(Shape::Settings),
        said: &[
            "{key} = {value}",
            "{key} = {value}  # {aspect}",
            "{key} = {value}  # {component}: {aspect}",
            "{key} = {value}  # by hand, {component}",
        ],
        ..VALUE
    },
    FactForm {
        birth: Birth::Agent,
        said: &[
            "Measured a few points on the curve; `{key}` at {value} is the knee.",
            "{value} for `{key}`, going by the arithmetic on the {aspect}.",
            "With `{key}` at {value} the {aspect} of the {component} holds up.",
            "The {component} came alive at `{key}` = {value}.",
        ],
        ..VALUE
    },
    FactForm {
        birth: Birth::Result(Shape::Log),
        said: &[
            "INFO  {module}: starting with {key}={value}",
            "INFO  {module}: {key} now {value} (was unset)",
            "DEBUG {module}: config {key} {value} {aspect}",
            "INFO  {module}: {aspect} reads {key} = {value}",
        ],
        ..VALUE
    },
];
