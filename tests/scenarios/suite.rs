//! The suites default and tiers: long enough, shaped as ordinary work is, and asking for what
//! its scenarios say.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::OnceLock;

use proctor::ident::Seed;
use proctor::log::{Log, Role, Step};
use proctor::matrix::Suite;
use proctor::scenario::{Scenario, Session, SessionSource};
use proctor::stats;
use proctor::token::{TokenTable, Tokenizer};
use proctor::truth::{Demand, Fact, FactKind, Needle};
use proctor::unit::Tokens;
use proctor::watch::FactBook;
use rayon::prelude::*;

use super::session;

/// Least load of the scenario that no summary can list, in rooms of summaries.
const LIGHTEST_DENSE: f64 = 0.8;

/// The scenarios of the suites that ask which strategy to use.
fn main_suites() -> BTreeSet<String> {
    let suite = |name| Suite::embedded(name).expect("it ships").expect("it parses").scenarios;
    ["default", "tiers"].into_iter().flat_map(suite).collect()
}

/// A session with its counts.
pub struct Ready {
    pub scenario: Scenario,
    pub session: Session,
    table: TokenTable,
}

/// The first session of each of their scenarios, made once for all tests.
pub fn ready() -> &'static BTreeMap<String, Ready> {
    static READY: OnceLock<BTreeMap<String, Ready>> = OnceLock::new();
    READY.get_or_init(|| {
        let make = |name: String| {
            let scenario = Scenario::embedded(&name).expect("an embedded scenario");
            let session = scenario.session(Seed(1)).expect("a sound session");
            let table = TokenTable::new(&session.log, Tokenizer::O200k);
            (name, Ready { scenario, session, table })
        };
        main_suites().into_par_iter().map(make).collect()
    })
}

/// What names something made: the needles of rules may be ordinary words.
fn artifacts(facts: &[Fact]) -> BTreeSet<&str> {
    use FactKind::{Command, Error, Path, Symbol, Test, Value};
    let made = |fact: &&Fact| matches!(fact.kind, Path | Symbol | Error | Test | Command | Value);
    facts.iter().filter(made).flat_map(|fact| &fact.needles).map(Needle::text).collect()
}

#[test]
fn two_seeds_share_few_artifacts_and_one_seed_is_stable() {
    for name in ["multi-goal-arcs", "standing-constraints", "oversized-message"] {
        let (again, other) = (session(name, 1), session(name, 2));
        let first = &ready()[name].session;
        assert_eq!(first, &again, "{name}");
        let (one, two) = (artifacts(&first.truth.facts), artifacts(&other.truth.facts));
        let shared = one.intersection(&two).count();
        assert!(shared * 100 < one.len(), "{name}: {shared} of {} needles shared", one.len());
    }
}

/// The shares of demands whose fact was last mentioned at least one window back, and
/// at most four.
fn far_shares(ready: &Ready) -> (f64, f64) {
    let window = ready.scenario.window.0;
    let before: Vec<u64> = ready
        .table
        .messages
        .iter()
        .scan(0, |sum, message| {
            let before = *sum;
            *sum += message.total().0;
            Some(before)
        })
        .collect();
    let truth = &ready.session.truth;
    let windows_back = |demand: &Demand| {
        let mentions = &truth.facts[demand.fact.index()].mentions;
        let last = mentions.iter().rfind(|id| **id < demand.at).expect("a mention before");
        (before[demand.at.index()] - before[last.index()]) / window
    };
    let all = truth.demands.len() as f64;
    let share = |wanted: &dyn Fn(u64) -> bool| {
        truth.demands.iter().filter(|demand| wanted(windows_back(demand))).count() as f64 / all
    };
    (share(&|windows| windows >= 1), share(&|windows| windows < 4))
}

#[test]
fn the_main_suites_are_long_and_ask_for_what_is_far_back() {
    assert!(ready().len() >= 14);
    let (mut lengths, mut far) = (Vec::new(), Vec::new());
    for (name, ready) in ready() {
        let total = ready.table.total();
        assert!(total.0 >= 3 * ready.scenario.window.0, "{name}: {total} tokens");
        let demands = ready.session.truth.demands.len();
        assert!(demands >= 36, "{name}: {demands} demands");
        let (back, near) = far_shares(ready);
        // A value that is replaced cannot be asked for later: of those least are far.
        if name == "worked-far" {
            assert!(back >= 0.95 && near >= 0.4, "{name}: {back}, {near}");
        } else {
            assert!((0.25..=0.9).contains(&back), "{name}: {back} of the demands are far");
            // In a played session a need waits for its occasion.
            let SessionSource::Synth(plan) = &ready.scenario.source else { panic!("{name}") };
            let least = if plan.work.world { 0.8 } else { 0.95 };
            assert!(near >= least, "{name}: {near} of the demands are within four windows");
        }
        lengths.push(total.as_f64());
        far.push(back);
    }
    assert!(stats::median(&lengths).unwrap() >= 300_000.0, "{lengths:?}");
    assert!(stats::median(&far).unwrap() >= 0.45, "{far:?}");
}

/// As the manifest has it: the median over the steps, over the room that summaries have
/// (see `src/run/prepare.rs`).
fn load(ready: &Ready) -> f64 {
    let (log, truth) = (&ready.session.log, ready.session.truth.clone());
    let book = FactBook::new(log, &log.steps(), truth, &ready.table);
    let loads = book.live_statement_tokens(|text| Tokenizer::O200k.count(text));
    let loads: Vec<f64> = loads.into_iter().map(Tokens::as_f64).collect();
    stats::median(&loads).expect("a session has steps") / (0.025 * ready.scenario.window.as_f64())
}

/// So that listing everything does not win, and neither does forgetting.
#[test]
fn scenarios_differ_in_how_much_must_be_remembered() {
    let loads: BTreeMap<&str, f64> =
        ready().iter().map(|(name, ready)| (name.as_str(), load(ready))).collect();
    assert!((0.05..=0.15).contains(&loads["long-turns"]), "{loads:?}");
    assert!((LIGHTEST_DENSE..=2.6).contains(&loads["dense"]), "{loads:?}");
    let middling = loads.values().filter(|load| (0.25..=1.0).contains(*load)).count();
    assert!(middling >= 8, "{loads:?}");
}

#[test]
fn lengths_are_those_that_the_source_designs_name() {
    let turns = |name: &str| ready()[name].session.log.turns().len();
    assert!(turns("long-coding") >= 100);
    assert!(turns("multi-goal-arcs") >= 50);
    assert_eq!(turns("thousand-turns"), 1_000);
    let windows: BTreeSet<u64> = ready().values().map(|ready| ready.scenario.window.0).collect();
    assert_eq!(windows, BTreeSet::from([100_000, 200_000]));
}

/// How often each call, by name and arguments, was made, and how often each result
/// came.
fn repetitions(log: &Log) -> (usize, usize) {
    let (mut calls, mut results) = (BTreeMap::new(), BTreeMap::new());
    for message in &log.messages {
        for call in &message.calls {
            *calls.entry((&call.name, &call.args)).or_insert(0) += 1;
        }
        if message.role == Role::Tool {
            *results.entry(&message.content).or_insert(0) += 1;
        }
    }
    let most = |counts: Vec<usize>| counts.into_iter().max().unwrap_or(0);
    (most(calls.into_values().collect()), most(results.into_values().collect()))
}

#[test]
fn no_result_comes_twice_unless_a_call_is_repeated_or_the_session_is_played() {
    for (name, ready) in ready() {
        let SessionSource::Synth(plan) = &ready.scenario.source else { panic!("{name}") };
        // What is asked again of a project gives the same again.
        if plan.work.world {
            continue;
        }
        let (calls, results) = repetitions(&ready.session.log);
        if plan.work.habits.repeats == 0 {
            assert_eq!(results, 1, "{name}");
        } else {
            assert!(calls >= 20 && results >= 5, "{name}: {calls} calls, {results} results");
        }
    }
}

#[test]
fn a_failing_loop_runs_one_test_several_times_with_edits_between() {
    let log = &ready()["repeated-calls"].session.log;
    let calls: Vec<_> = log.messages.iter().flat_map(|message| &message.calls).collect();
    let mut loops = 0;
    let mut at = 0;
    while at < calls.len() {
        let same = |offset: usize| {
            let (test, edit) = (calls.get(at + offset), calls.get(at + offset + 1));
            let tests = test.is_some_and(|call| call.args == calls[at].args);
            tests && edit.is_some_and(|call| &*call.name == "edit_file")
        };
        let rounds = (0..).take_while(|round| same(2 * round)).count();
        if &*calls[at].name == "run_tests" && rounds >= 3 {
            assert!(rounds <= 8);
            loops += 1;
        }
        at += if rounds > 1 { 2 * rounds } else { 1 };
    }
    assert!(loops >= 8, "{loops} loops");
}

#[test]
fn what_is_larger_than_usual_is_there_and_in_its_place() {
    let largest = |name: &str| {
        let Ready { session, table, .. } = &ready()[name];
        let sizes = table.messages.iter().map(|counts| counts.total().0);
        let (at, size) = sizes.enumerate().max_by_key(|(_, size)| *size).expect("a message");
        (at as f64 / session.log.messages.len() as f64, size)
    };
    let (at, size) = largest("oversized-message");
    assert!((55_000..=85_000).contains(&size), "{size} tokens");
    assert!((0.45..=0.75).contains(&at), "at {at}");
    assert!(largest("large-files").1 >= 15_000);

    let Ready { session, table, .. } = &ready()["overflow-without-warning"];
    let appended = |step: &Step| -> u64 {
        step.appended.clone().map(|index| table.messages[index].total().0).sum()
    };
    let jumps = session.log.steps().iter().filter(|step| appended(step) > 30_000).count();
    // What shadows add to messages is taken off long results: one of five may fall below.
    assert!((4..=5).contains(&jumps), "{jumps}");

    let Ready { session, table, .. } = &ready()["long-turns"];
    let tokens =
        |turn: Range<usize>| -> u64 { turn.map(|index| table.messages[index].total().0).sum() };
    let longest = session.log.turns().into_iter().map(tokens).max().expect("a turn");
    assert!(longest >= 45_000, "{longest} tokens");
    let cut_off = Scenario::embedded("output-limit").expect("an embedded scenario");
    assert_eq!(cut_off.cut_off_every, 150);
}

#[test]
fn every_kind_of_fact_occurs() {
    let session = &ready()["multi-goal-arcs"].session;
    for kind in FactKind::ALL {
        assert!(session.truth.facts.iter().any(|fact| fact.kind == kind), "{}", kind.name());
    }
}

/// Of one part of the project, only the last direction holds: an earlier one has a
/// successor and is not needed from then on.
#[test]
fn a_direction_holds_until_the_next_of_the_same_part() {
    for name in ["multi-goal-arcs", "short-turns", "stale-values"] {
        let truth = &ready()[name].session.truth;
        let directions = || truth.facts.iter().filter(|fact| fact.kind == FactKind::Direction);
        assert!(directions().any(|fact| fact.superseded_by.is_some()), "{name}");
        for fact in directions() {
            let Some(later) = fact.superseded_by.map(|id| &truth.facts[id.index()]) else {
                continue;
            };
            let mut needed = truth.demands.iter().filter(|demand| demand.fact == fact.id);
            assert!(later.kind == FactKind::Direction && later.born > fact.born, "{name}");
            assert!(needed.all(|demand| demand.at <= later.born), "{name}: {}", fact.statement);
        }
    }
}
