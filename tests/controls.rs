//! Controls on the shipped scenarios, checked against the truth message by message:
//! the history kept whole knows everything, and truncation knows exactly what it kept.

use std::collections::BTreeMap;
use std::mem;
use std::sync::LazyLock;

use crate::harness;
use proctor::answer::Memo;
use proctor::derive::controls_hold;
use proctor::drive::{Cell, Mode, Session, drive};
use proctor::frame::MeasuredCell;
use proctor::ident::{MsgId, Seed};
use proctor::import;
use proctor::matrix::{Configuration, Suite};
use proctor::measure::MetricId;
use proctor::price::PriceSheet;
use proctor::run::{self, Plan, Prepared, Silent, limits, prepare};
use proctor::run_dir::read::RunData;
use proctor::scenario::{Scenario, twin_of};
use proctor::strategy::shipped;
use proctor::summarize::simple::Null;
use proctor::token::MessageTokens;
use proctor::trace::{DemandRecord, EndedBy, Found, LossClass, Trace};
use proctor::unit::Tokens;
use rayon::prelude::*;

/// The default suite with these configurations alone.
fn plan(pipelines: &[&str], windowless: &[&str]) -> Plan {
    let suite = Suite::embedded("default").expect("it ships").expect("it parses");
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
    let suite = Suite {
        pipelines: names(pipelines),
        windowless: names(windowless),
        truncate_sweep: Vec::new(),
        adversaries: Vec::new(),
        ..suite
    };
    let scenarios = suite.scenarios.iter().map(|name| Scenario::embedded(name).expect("it ships"));
    let scenarios = scenarios.collect();
    Plan::new(shipped(), suite, scenarios, String::new()).expect("they ship")
}

fn driven(session: &Session, scenario: &Scenario, configuration: &Configuration) -> Trace {
    let sheet = PriceSheet::embedded();
    drive(Cell {
        session,
        pipeline: &configuration.pipeline,
        limits: limits(scenario, configuration),
        mode: Mode::Deployed,
        ask: &Null::default(),
        memo: &Memo::default(),
        sheet: &sheet,
        replicate: 0,
        probes: false,
        exchanges: None,
    })
    .expect("its summarizer never stops")
}

/// The default suite's scenarios with their sessions of the first seed, made once for all tests.
static PREPARED: LazyLock<Vec<(Scenario, Prepared)>> = LazyLock::new(|| {
    let mut plan = plan(&["truncate"], &[]);
    let scenarios = mem::take(&mut plan.scenarios);
    let made = scenarios.into_par_iter().map(|scenario| {
        let prepared = prepare(&plan, &scenario, 1).expect("it can be made");
        (scenario, prepared)
    });
    made.collect()
});

/// Every one of these sessions under each configuration of the plan.
fn check(plan: &Plan, check: impl Fn(&str, &Session, &Trace) + Sync) {
    let all: &[(Scenario, Prepared)] = &PREPARED;
    all.par_iter().for_each(|(scenario, prepared)| {
        for configuration in &plan.configurations {
            let trace = driven(&prepared.session, scenario, configuration);
            check(&scenario.name, &prepared.session, &trace);
        }
    });
}

/// By step, from 1: the first message that truncation had left when it was sent.
fn cuts(trace: &Trace) -> BTreeMap<u32, u32> {
    let mut cuts = BTreeMap::new();
    for compaction in trace.compactions.iter().filter(|one| one.removed > 0) {
        let end = compaction.dropped.ranges().last().map_or(0, |(_, end)| *end);
        cuts.insert(compaction.step, end);
    }
    cuts
}

fn cut_at(cuts: &BTreeMap<u32, u32>, step: u32) -> u32 {
    cuts.range(..=step).next_back().map_or(0, |(_, cut)| *cut)
}

#[test]
fn truncation_knows_what_it_kept_and_nothing_else() {
    let plan = plan(&["truncate"], &[]);
    check(&plan, |name, session, trace| {
        let cuts = cuts(trace);
        // One step can carry a session past its window before truncation was due.
        let is_over = trace.ended_by == EndedBy::Overflow;
        assert!(!cuts.is_empty() || is_over, "{name}: it never cut");
        for demand in trace.demands.iter().filter(|one| one.found != Found::NotReached) {
            let expected = kept_mention(session, demand, cut_at(&cuts, demand.step));
            let found = demand.found == Found::Present(0);
            assert_eq!(found, expected, "{name}: {demand:?}");
        }
    });
}

/// Whether the prompt of a demand's step held a mention: behind the cut, and before
/// what was appended since the last call.
fn kept_mention(session: &Session, demand: &DemandRecord, cut: u32) -> bool {
    let fresh = session.steps[demand.step as usize - 1].appended.start;
    let fact = &session.book.truth.facts[demand.fact.index()];
    fact.mentions.iter().any(|mention| mention.0 >= cut && mention.index() < fresh)
}

#[test]
fn truncation_drops_the_oldest_and_keeps_all_the_rest() {
    let plan = plan(&["truncate"], &[]);
    check(&plan, |name, session, trace| {
        for compaction in trace.compactions.iter().filter(|one| one.removed > 0) {
            let ranges = compaction.dropped.ranges();
            assert_eq!(ranges.len(), 1, "{name}: one stretch at a time: {ranges:?}");
        }
        let cuts = cuts(trace);
        for step in &trace.steps {
            let until = session.steps[step.step as usize - 1].answer.index();
            let from = cut_at(&cuts, step.step) as usize;
            let kept: Tokens =
                session.reference.messages[from..until].iter().map(MessageTokens::total).sum();
            assert_eq!(step.kept, kept, "{name}: step {}", step.step);
        }
    });
}

#[test]
fn the_whole_history_knows_everything_and_no_decoy() {
    let plan = plan(&[], &["none"]);
    check(&plan, |name, _, trace| {
        assert!(!trace.demands.is_empty(), "{name}: nothing is needed");
        let missed = trace.demands.iter().find(|one| one.found != Found::Present(0));
        assert_eq!(missed, None, "{name}");
        assert_eq!(trace.decoys_seen, 0, "{name}");
    });
}

/// The smoke suite with its adversaries and nothing that they are not judged by.
fn adversarial() -> Plan {
    let suite = Suite::embedded("smoke").expect("it ships").expect("it parses");
    let suite = Suite {
        pipelines: Vec::new(),
        truncate_sweep: Vec::new(),
        brackets: Vec::new(),
        adversaries: suite.scenarios.clone(),
        seeds: vec![1],
        probes: false,
        ..suite
    };
    let scenario = Scenario::embedded("smoke").expect("it ships");
    Plan::new(shipped(), suite, vec![scenario], String::new()).expect("they ship")
}

/// Whoever lists shapes, revokes rules, hides results or forgets all must not be able to win.
#[test]
fn adversaries_lose_on_smoke() {
    let work = harness::work();
    let out = work.path().join("run");
    run::run(&adversarial(), &run::Options::new(&out), &Silent).expect("it runs");
    let data = RunData::load(&out).expect("it is there");
    let judged = data.derived.iter().filter(|row| row.metric == MetricId::ControlAdversary);
    let judged: Vec<String> = judged.map(|row| row.subject.to_string()).collect();
    assert_eq!(judged.len(), 8, "five summarizers and three strategies: {judged:?}");
    let broken = controls_hold(&data.derived).err().unwrap_or_default();
    assert_eq!(broken, Vec::<String>::new());
}

/// What a strategy writes around a summary is ours, and must take back nothing that it holds: the
/// search for a fact reads it.
#[test]
fn under_a_perfect_summarizer_no_pipeline_leaves_a_fact_without_its_sense() {
    let suite = Suite {
        summarizer: "perfect".parse().expect("a summarizer"),
        adversaries: Vec::new(),
        seeds: vec![1],
        ..plan(&[], &[]).suite
    };
    let names = shipped().pipeline_names().filter(|name| *name != "recorded");
    let suite = Suite { pipelines: names.map(str::to_owned).collect(), probes: false, ..suite };
    let suite = Suite { brackets: Vec::new(), scenarios: vec!["worked-32k".to_owned()], ..suite };
    let scenario = Scenario::embedded("worked-32k").expect("it ships");
    let plan = Plan::new(shipped(), suite, vec![scenario], String::new()).expect("they ship");
    let work = harness::work();
    let out = work.path().join("run");
    run::run(&plan, &run::Options::new(&out), &Silent).expect("it runs");
    let cells = RunData::load(&out).expect("it is there").measurements;
    let is_left = |cell: &&MeasuredCell| {
        cell.figures.number(MetricId::losses(LossClass::Inverted)) != Some(0.0)
    };
    let without: Vec<String> =
        cells.iter().filter(is_left).map(|cell| cell.key.pipeline.to_string()).collect();
    assert!(cells.len() > 60, "{}", cells.len());
    assert_eq!(without, Vec::<String>::new());
}

#[test]
fn adversaries_are_driven_once_a_scenario_under_the_first_seed_and_are_no_contestants() {
    let suite = Suite::embedded("tiers").expect("it ships").expect("it parses");
    let names = suite.scenarios.iter();
    let scenarios = names.map(|name| Scenario::embedded(name).expect("it ships")).collect();
    let plan = Plan::new(shipped(), suite, scenarios, String::new()).expect("they ship");
    let cells = plan.sessions().into_iter().map(|(scenario, seed)| plan.cells(scenario, 0, seed));
    let (mut all, mut adversaries) = (0, Vec::new());
    for cell in cells.flatten() {
        all += 1;
        if cell.key.is_adversary() {
            assert!(!cell.key.is_contestant() && !cell.key.is_swept() && cell.key.seed == 1);
            assert!(!cell.is_probed(&plan.suite));
            adversaries.push(cell.key.cell);
        }
    }
    assert_eq!(adversaries.len(), 18, "chance, five summarizers and three strategies, twice");
    assert!(adversaries.len() * 100 < all, "they cost less than a hundredth of {all} cells");
}

/// A fact that is born in the step that needs it was never there to be forgotten.
#[test]
fn the_control_of_a_recorded_session_recalls_everything() {
    let name = "claude-code/entireio-cli_6113e919_42turns_3compactions.jsonl";
    let Some(path) = harness::shared(name) else { return };
    let log = import::load(&path).expect("it is a transcript").log;
    let scenario = Scenario::of_session(&path, "recorded", &log);
    let plan = plan(&[], &["none"]);
    let prepared = prepare(&plan, &scenario, 0).expect("it can be made");
    let trace = driven(&prepared.session, &scenario, &plan.configurations[0]);
    assert!(!trace.demands.is_empty(), "nothing is needed");
    let missed = trace.demands.iter().find(|one| one.found != Found::Present(0));
    assert_eq!(missed, None);
}

#[test]
fn a_twin_differs_from_its_scenario_in_words_and_not_in_shape() {
    let scenario = Scenario::embedded("multi-goal-arcs").expect("it ships");
    let twin = scenario.twin().expect("it is synthesized");
    assert_eq!(Scenario::embedded(&twin.name).expect("by name"), twin);
    let [one, other] = [&scenario, &twin].map(|one| one.session(Seed(1)).expect("it can be made"));
    assert_eq!(one.log.turns().len(), other.log.turns().len());
    let arcs = |session: &proctor::scenario::Session| -> Vec<usize> {
        session.truth.goals.iter().map(|goal| goal.arc.len()).collect()
    };
    assert_eq!(arcs(&one), arcs(&other));
    let first = |session: &proctor::scenario::Session| {
        session.log.message(MsgId(0)).map(|message| message.content.to_string())
    };
    assert_ne!(first(&one), first(&other));
    // Told in bank C it is a scenario of its own, on the same turns.
    let retold = Scenario::embedded("multi-goal-arcs-bank-c").expect("by name");
    assert_eq!(twin_of(&retold.name), None);
    let third = retold.session(Seed(1)).expect("it can be made");
    assert_eq!(one.log.turns().len(), third.log.turns().len());
    assert_eq!(arcs(&one), arcs(&third));
    assert_ne!(first(&one), first(&third));
    assert!(Scenario::embedded("multi-goal-arcs-bank-b-bank-c").is_err());
}
