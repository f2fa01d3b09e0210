//! Sessions on which what the table says is seen to happen.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use proctor::drive::{Mode, Session};
use proctor::pipeline::Pipeline;
use proctor::summarize::{Ask, FailureClass};
use rayon::prelude::*;

use crate::properties::asked::{Brief, Failing};
use crate::properties::driven::{driven, limits};
use crate::properties::invariants::{self, Case};
use crate::properties::random::broken;
use crate::properties::session::shaped;
use crate::properties::table::behaviours;

/// A session by its shape (see [`shaped`]) and its window.
pub struct Shape {
    pub about: &'static str,
    pub turns: &'static [(&'static str, usize)],
    pub words: usize,
    pub window: u64,
}

impl Shape {
    fn session(&self) -> Session {
        let shape: String = self.turns.iter().map(|(turn, times)| turn.repeat(*times)).collect();
        shaped(&shape, self.words)
    }
}

/// The shapes with their sessions, counted once.
pub fn sessions() -> impl Iterator<Item = (&'static Shape, &'static Session)> {
    static SESSIONS: LazyLock<Vec<Session>> = LazyLock::new(made);
    SHAPES.iter().zip(SESSIONS.iter())
}

/// Sessions are counted in parallel. Were that done by the threads that wait for them, one
/// that waits inside could take up work which needs them: so it has threads of its own.
fn made() -> Vec<Session> {
    let apart = || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        pool.install(|| SHAPES.iter().map(Shape::session).collect())
    };
    std::thread::spawn(apart).join().expect("they are made")
}

pub const SHAPES: &[Shape] = &[
    Shape {
        about: "short turns of tool rounds, then one that goes on for long",
        turns: &[("ucca", 14), ("uccccccccccccccccccccca", 1), ("ua", 2)],
        words: 60,
        window: 4_000,
    },
    Shape {
        about: "tool rounds one after the other, a large result among them",
        turns: &[("uccccccccccccCccccccccccca", 2), ("ucca", 3), ("ua", 1)],
        words: 70,
        window: 5_000,
    },
    Shape {
        about: "parallel calls, a call without a result, notices in the user's role",
        turns: &[("u22cxhcc2a", 6), ("uxhca", 4), ("ua", 1)],
        words: 60,
        window: 4_500,
    },
    Shape {
        about: "words alone, a long one among them",
        turns: &[("ua", 12), ("Ua", 1), ("ua", 12)],
        words: 60,
        window: 4_000,
    },
    Shape {
        about: "system messages inside, and turns without a closing answer",
        turns: &[("uycc", 10), ("yuccca", 4), ("ua", 1)],
        words: 60,
        window: 4_000,
    },
    Shape {
        about: "messages shorter than what is said of them",
        turns: &[("uca", 40), ("ua", 1)],
        words: 2,
        window: 2_000,
    },
    Shape {
        about: "a few words only, compacted early in forced runs",
        turns: &[("ua", 6), ("uca", 2), ("ua", 2)],
        words: 1,
        window: 700,
    },
    Shape {
        about: "messages without words, compacted early in forced runs",
        turns: &[("ua", 2), ("uca", 10), ("ua", 2)],
        words: 0,
        window: 700,
    },
    Shape {
        about: "nothing but an empty answer before a long request",
        turns: &[("eU", 1), ("au", 2), ("a", 1)],
        words: 40,
        window: 700,
    },
    Shape {
        about: "short requests, long work",
        turns: &[("uCCA", 9), ("ua", 2)],
        words: 12,
        window: 4_000,
    },
    Shape {
        about: "results that fill most of the window when they come",
        turns: &[("uccC", 2), ("uCca", 2), ("ua", 1)],
        words: 250,
        window: 4_500,
    },
    Shape {
        about: "results with long notices behind them, before any answer",
        turns: &[("ucHHHa", 3), ("ucCHa", 1), ("ua", 1)],
        words: 100,
        window: 4_000,
    },
    Shape {
        about: "calls without results and without words",
        turns: &[("uxx", 4), ("ua", 1)],
        words: 0,
        window: 700,
    },
    Shape {
        about: "several hundred events, system messages among them",
        turns: &[("uyccca", 50), ("ua", 1)],
        words: 8,
        window: 8_000,
    },
    Shape {
        about: "turns without tools between turns with many",
        turns: &[("ucccccccca", 2), ("ua", 12), ("uccccccca", 2), ("ua", 6)],
        words: 90,
        window: 8_000,
    },
];

/// Summarizers that answer, that fail, and that fail every other time.
fn asks() -> [Box<dyn Ask>; 5] {
    [
        Box::new(Brief::default()),
        Box::new(Failing::always(FailureClass::Empty)),
        Box::new(Failing::always(FailureClass::Error)),
        Box::new(Failing::every_other(FailureClass::Empty)),
        Box::new(Failing::every_other(FailureClass::Overflow)),
    ]
}

/// The rules that a pipeline is seen to break on a shape. Whatever the summarizer does,
/// nothing vanishes and all sums hold.
fn seen(pipeline: &Pipeline, shape: &Shape, session: &Session) -> BTreeSet<&'static str> {
    let modes = [Mode::Deployed, Mode::Forced];
    let mut rules = BTreeSet::new();
    for (ask, mode) in asks().iter().flat_map(|ask| modes.map(|mode| (ask, mode))) {
        let driven = driven(session, pipeline, limits(shape.window, 0), mode, &**ask);
        let case = Case { session, pipeline, driven: &driven, prompts: None };
        invariants::hold(&case).unwrap_or_else(|error| {
            panic!("{} {} {}: {error}", pipeline.name, mode.name(), shape.about)
        });
        rules.extend(broken(&driven));
    }
    rules
}

/// breaks(p) = the rules that p breaks on some of the shapes: each is seen to happen, and
/// none happens that the table does not name, with failing summarizers neither.
#[test]
fn every_rule_that_the_table_names_is_seen_to_be_broken() {
    let wrong: Vec<String> = behaviours()
        .par_iter()
        .filter_map(|behaviour| {
            let pipeline = proctor::strategy::pipeline(behaviour.pipeline).expect("it ships");
            let found: BTreeSet<&str> =
                sessions().flat_map(|(shape, session)| seen(&pipeline, shape, session)).collect();
            let said: BTreeSet<&str> = behaviour.breaks.iter().copied().collect();
            (found != said).then(|| format!("{}: {found:?}", behaviour.pipeline))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A rule with what its source does on it, on the shape that shows it.
const NOTED: [(&str, &str, usize); 6] = [
    // Goat's adjustment ends on a result where tool rounds follow one another.
    ("goat-code", "orphan-result", 1),
    // Forge's cut is a raw message index: a call without a result shifts it into a pair.
    ("forge-head-tool-call", "orphan-result", 2),
    // Half of the messages, wherever that falls.
    ("split-half-unsafe", "orphan-result", 1),
    ("prune-oldest", "orphan-result", 1),
    // Forge's half-compaction leaves an assistant message at the head.
    ("forge-head", "first-message-role", 3),
    // Codex's initial context goes before the requests, wherever it stood.
    ("codex", "order-changed", 4),
];

#[test]
fn what_the_sources_are_known_for_is_seen_where_they_say() {
    for (name, rule, number) in NOTED {
        let pipeline = proctor::strategy::pipeline(name).expect("it ships");
        let (shape, session) = sessions().nth(number).expect("a shape");
        let seen = seen(&pipeline, shape, session);
        assert!(seen.contains(rule), "{name} on {}: {seen:?}", shape.about);
    }
}

#[test]
fn shapes_say_what_they_are() {
    assert!(SHAPES.iter().all(|shape| !shape.about.is_empty()));
}
