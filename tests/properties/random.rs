//! Random sessions, and what holds of every pipeline on each of them.

use std::collections::BTreeSet;

use proctor::drive::{Mode, Session};
use proctor::log::format;
use proctor::pipeline::Pipeline;
use proctor::strategy::shipped;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use rayon::prelude::*;

use crate::properties::asked::Brief;
use crate::properties::driven::{Driven, MODES, driven, limits};
use crate::properties::invariants::{self, Case};
use crate::properties::session::{Act, session};
use crate::properties::table::behaviour;

/// A session, and the window it is replayed in.
#[derive(Clone, Debug)]
pub struct Scene {
    acts: Vec<Act>,
    wide: bool,
    pub window: u64,
    pub cut_off_every: u32,
}

impl Scene {
    pub fn session(&self) -> Session {
        session(&self.acts, self.wide)
    }
}

/// Words of a message: none, few, some, many, and more than a window may hold.
fn words() -> impl Strategy<Value = usize> {
    prop_oneof![
        1 => Just(0),
        8 => 1..40usize,
        6 => 40..250usize,
        2 => 250..900usize,
        1 => 2_000..6_000usize,
    ]
}

/// One message of calls, now and then one whose result never came.
fn calls() -> impl Strategy<Value = Act> {
    let result = || proptest::option::weighted(0.94, words());
    let results = prop_oneof![
        5 => proptest::collection::vec(result(), 1),
        2 => proptest::collection::vec(result(), 2..4),
    ];
    (prop_oneof![Just(0), 1..30usize], results)
        .prop_map(|(words, results)| Act::Calls(words, results))
}

fn within_a_turn() -> impl Strategy<Value = Act> {
    prop_oneof![
        16 => calls(),
        1 => words().prop_map(Act::Notice),
        1 => (1..40usize).prop_map(Act::System),
        1 => words().prop_map(Act::Answer),
    ]
}

fn turn() -> impl Strategy<Value = Vec<Act>> {
    let answer = proptest::option::weighted(0.9, words());
    let work = proptest::collection::vec(within_a_turn(), 1..12);
    (words(), work, answer).prop_map(|(user, work, answer)| {
        let first = std::iter::once(Act::User(user));
        first.chain(work).chain(answer.map(Act::Answer)).collect()
    })
}

/// Sessions of two to ten turns, always with a last answer.
pub fn scenes() -> impl Strategy<Value = Scene> {
    let turns = proptest::collection::vec(turn(), 2..10);
    let window = prop_oneof![4_000..12_000u64, 12_000..60_000u64];
    let cuts = prop_oneof![3 => Just(0u32), 1 => 4..9u32];
    (turns, any::<bool>(), window, cuts).prop_map(|(turns, wide, window, cut_off_every)| {
        let acts = turns.into_iter().flatten().chain([Act::User(4), Act::Answer(4)]).collect();
        Scene { acts, wide, window, cut_off_every }
    })
}

/// The same cases in every run.
pub fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config {
        cases,
        rng_seed: RngSeed::Fixed(7),
        failure_persistence: None,
        max_shrink_iters: 40,
        ..Config::default()
    })
}

/// Every embedded pipeline in every mode.
pub fn cells() -> Vec<(Pipeline, Mode)> {
    let pipelines =
        shipped().pipeline_names().map(|name| shipped().pipeline(name).expect("it ships"));
    pipelines.flat_map(|pipeline| MODES.map(|mode| (pipeline.clone(), mode))).collect()
}

/// Drives a scene twice and checks what must hold of it.
fn holds(scene: &Scene, session: &Session, pipeline: &Pipeline, mode: Mode) -> Result<(), String> {
    let limits = limits(scene.window, scene.cut_off_every);
    let ask = Brief::default();
    let once = driven(session, pipeline, limits, mode, &ask);
    let again = driven(session, pipeline, limits, mode, &Brief::default());
    if once.trace != again.trace {
        return Err("a second drive gives another trace".to_owned());
    }
    let prompts = ask.prompts();
    let case = Case { session, pipeline, driven: &once, prompts: Some(&prompts) };
    invariants::hold(&case)?;
    let allowed = behaviour(&pipeline.name).breaks;
    let new: Vec<&str> = broken(&once).into_iter().filter(|rule| !allowed.contains(rule)).collect();
    match new.is_empty() {
        true => Ok(()),
        false => Err(format!("breaks {new:?}, which no line in the table names")),
    }
}

/// Names of the rules that were broken.
pub fn broken(driven: &Driven) -> BTreeSet<&'static str> {
    driven.trace.violations().map(|violation| violation.rule.name()).collect()
}

/// For all sessions s, pipelines p, modes m: drive(s, p, m) is one function; the log is
/// the same before and after; every message is in the view, covered by an entry of it,
/// or in what some compaction dropped; sums are sums; and only the rules that the table
/// names for p are broken.
#[test]
fn every_pipeline_holds_on_every_random_session() {
    let cells = cells();
    let tested = runner(14).run(&scenes(), |scene| {
        let session = scene.session();
        let before = format::to_text(&session.log).expect("it serializes");
        let wrong: Vec<String> = cells
            .par_iter()
            .filter_map(|(pipeline, mode)| {
                let error = holds(&scene, &session, pipeline, *mode).err()?;
                Some(format!("{} {}: {error}", pipeline.name, mode.name()))
            })
            .collect();
        prop_assert_eq!(before, format::to_text(&session.log).expect("it serializes"));
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(TestCaseError::fail(wrong.join("\n"))),
        }
    });
    if let Err(error) = tested {
        panic!("{error}");
    }
}
