//! Sessions on which what the table says is seen to happen.

use std::collections::BTreeSet;

use proctor::drive::Session;
use proctor::pipeline::Pipeline;
use proctor::summarize::{Ask, FailureClass};
use rayon::prelude::*;

use crate::asked::{Brief, Failing};
use crate::driven::{MODES, driven, limits};
use crate::random::broken;
use crate::session::shaped;
use crate::table::TABLE;

/// A session by its shape (see [`shaped`]) and its window.
pub struct Shape {
    pub about: &'static str,
    pub turns: &'static [(&'static str, usize)],
    pub words: usize,
    pub window: u64,
}

impl Shape {
    pub fn session(&self) -> Session {
        let shape: String = self.turns.iter().map(|(turn, times)| turn.repeat(*times)).collect();
        shaped(&shape, self.words)
    }
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
        about: "turns without tools between turns with many",
        turns: &[("ucccccccca", 2), ("ua", 12), ("uccccccca", 2), ("ua", 6)],
        words: 90,
        window: 8_000,
    },
];

/// The rules that a pipeline is seen to break on a shape, answered or not.
fn seen(pipeline: &Pipeline, shape: &Shape) -> BTreeSet<&'static str> {
    let session = shape.session();
    let asks: [&dyn Ask; 2] = [&Brief::default(), &Failing::always(FailureClass::Empty)];
    let cells = asks.into_iter().flat_map(|ask| MODES.map(|mode| (ask, mode)));
    let limits = limits(shape.window, 0);
    cells.flat_map(|(ask, mode)| broken(&driven(&session, pipeline, limits, mode, ask))).collect()
}

/// breaks(p) = the rules that p breaks on some of the shapes: each is seen to happen, and
/// none happens that the table does not name.
#[test]
fn every_rule_that_the_table_names_is_seen_to_be_broken() {
    let wrong: Vec<String> = TABLE
        .par_iter()
        .filter_map(|behaviour| {
            let pipeline = Pipeline::embedded(behaviour.pipeline).expect("it ships");
            let found: BTreeSet<&str> =
                SHAPES.iter().flat_map(|shape| seen(&pipeline, shape)).collect();
            let said: BTreeSet<&str> = behaviour.breaks.iter().copied().collect();
            (found != said).then(|| format!("{}: {found:?}", behaviour.pipeline))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn shapes_say_what_they_are() {
    assert!(SHAPES.iter().all(|shape| !shape.about.is_empty()));
}
