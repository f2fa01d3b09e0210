//! The frozen suite is what it was.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proctor::matrix::Suite;
use proctor::pipeline::Fidelity;
use proctor::run::{Options, Plan, Silent, frozen, prepare, run};
use proctor::run_dir::{ManifestSession, Stories};
use proctor::scenario::Scenario;
use proctor::strategy::shipped;
use rayon::prelude::*;

fn plan(name: &str) -> Plan {
    let suite = Suite::embedded(name).expect("it ships").expect("it parses");
    let named = suite.scenarios.iter();
    let named = named.map(|one| Scenario::of_suite(name, one).expect("it ships"));
    let mut scenarios: Vec<Scenario> = named.collect();
    scenarios.extend(suite.twins(&scenarios));
    Plan::new(shipped(), suite, scenarios, String::new()).expect("they ship")
}

/// Two of eight seeds: a run of the suite holds the rest.
const TRIED: [u64; 2] = [1, 5];

#[test]
fn every_session_of_a_frozen_suite_is_what_it_was() {
    for (name, text) in frozen::FROZEN {
        let plan = plan(name);
        let recorded: BTreeSet<&str> = text.lines().collect();
        let sessions: Vec<ManifestSession> = plan
            .sessions()
            .into_par_iter()
            .filter(|(_, seed)| TRIED.contains(seed))
            .map(|(scenario, seed)| prepare(&plan, scenario, seed).expect("it is sound").manifest)
            .collect();
        let lines = frozen::lines(&plan, &sessions);
        let changed: Vec<&String> =
            lines.iter().filter(|line| !recorded.contains(line.as_str())).collect();
        assert!(changed.is_empty(), "{name} is frozen: make its successor. Changed: {changed:#?}");
        let recorded = text.lines().filter(|line| line.starts_with("session ")).count();
        assert_eq!(recorded, plan.sessions().len(), "{name}");
    }
}

#[test]
fn the_frozen_suite_drives_every_pipeline_that_follows_its_source() {
    let suite = plan("proctor-1").suite;
    let driven: BTreeSet<&str> = suite.pipelines.iter().map(String::as_str).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/strategies");
    for entry in fs::read_dir(folder).expect("it is listed") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        let name = name.trim_end_matches(".toml");
        let fidelity = proctor::strategy::pipeline(name).expect("it ships").fidelity;
        // A pipeline that came after the suite was frozen is no part of it.
        let recorded = frozen::digests("proctor-1").expect("it is frozen");
        let known = recorded.contains(&format!("pipeline {name}@windowed "));
        assert_eq!(driven.contains(name), known, "{name}");
        assert!(!known || fidelity != Fidelity::Inferred, "{name}");
    }
}

/// The digests of figures hold what summarizers, strategies and metrics make of the sessions.
#[test]
fn the_figures_of_a_frozen_suite_are_what_they_were() {
    let name = "turn-shape-p3-t120-bank-b";
    let Plan { mut suite, mut scenarios, .. } = plan("proctor-1");
    scenarios.retain(|scenario| scenario.name == name);
    suite.seeds = vec![1];
    let plan = Plan::new(shipped(), suite, scenarios, String::new()).expect("they ship");
    let work = crate::harness::work();
    let options = Options { stories: Stories::None, ..Options::new(work.path()) };
    run(&plan, &options, &Silent).expect("it runs");
    let found = frozen::figures(work.path(), &plan.suite).expect("it reads");
    let recorded = frozen::digests("proctor-1").expect("it is frozen");
    let recorded = recorded.lines().find(|line| line.starts_with(&format!("figures {name} ")));
    assert_eq!(
        found.iter().map(String::as_str).collect::<Vec<_>>(),
        recorded.into_iter().collect::<Vec<_>>(),
        "summarizers, strategies or metrics have changed: drive `proctor run proctor-1` again, \
         write its digests (`proctor-studies frozen RUN`) and say so in CHANGELOG"
    );

    // A run under this name that holds less, or another figure, is found out.
    let wrong = || -> BTreeSet<String> {
        let differing = frozen::differing(work.path(), &plan, &[]).expect("it reads");
        differing.into_iter().map(|[what, ..]| what).collect()
    };
    let [own, other] = [name, "dense"].map(|scenario| format!("figures {scenario}"));
    let before = wrong();
    assert!(before.contains("inputs") && before.contains(&other), "{before:?}");
    assert!(!before.contains(&own), "{before:?}");
    let table = work.path().join("measurements.csv");
    let text = fs::read_to_string(&table).expect("it reads");
    fs::write(&table, text.replacen("completed", "overflowed", 1)).expect("it writes");
    assert!(wrong().contains(&own));
}

#[test]
fn a_pipeline_beside_those_of_a_frozen_suite_leaves_it_its_name() {
    let Plan { mut suite, scenarios, .. } = plan("proctor-1");
    let work = crate::harness::work();
    let mine = work.path().join("mine.toml");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/strategies");
    let text = fs::read_to_string(folder.join("codex.toml")).expect("it ships");
    fs::write(&mine, text.replace("name = \"codex\"", "name = \"mine\"")).expect("it writes");
    suite.pipelines.push(mine.display().to_string());
    let mut plan = Plan::new(shipped(), suite, scenarios, String::new()).expect("they are sound");
    assert_eq!(frozen::hold(&mut plan).expect("it holds"), None);
    assert_eq!(plan.suite.name, "proctor-1");
    assert_eq!(frozen::entries(&plan.suite).expect("it reads"), [mine.display().to_string()]);
}

#[test]
fn a_frozen_name_is_held_to_its_digests() {
    let mut sound = plan("proctor-1");
    assert_eq!(frozen::hold(&mut sound).expect("it holds"), None);
    assert_eq!(sound.suite.name, "proctor-1");

    // What the command line changes is run under another name.
    for alter in [
        |plan: &mut Plan| plan.suite.seeds.truncate(2),
        |plan: &mut Plan| plan.filter = Some("forge-adr/".to_owned()),
        |plan: &mut Plan| plan.suite.brackets.clear(),
        |plan: &mut Plan| plan.suite.pipelines[0].push_str("-2"),
        |plan: &mut Plan| plan.scenarios.iter_mut().for_each(|one| one.window.0 = 64_000),
        |plan: &mut Plan| plan.scenarios.push(Scenario::embedded("smoke").expect("it ships")),
    ] {
        let mut altered = plan("proctor-1");
        alter(&mut altered);
        let warning = frozen::hold(&mut altered).expect("no error").expect("a warning");
        assert!(warning.contains("not the frozen suite `proctor-1`"), "{warning}");
        assert_eq!(altered.suite.name, "proctor-1-altered");
    }

    // What was changed underneath is not run.
    for change in [
        |plan: &mut Plan| plan.scenarios[0].max_output.0 += 1,
        |plan: &mut Plan| plan.configurations[3].pipeline.about.push('.'),
        |plan: &mut Plan| drop(plan.configurations.pop()),
    ] {
        let mut changed = plan("proctor-1");
        change(&mut changed);
        let error = frozen::hold(&mut changed).expect_err("it is refused").to_string();
        assert!(error.contains("proctor-1 is frozen: make proctor-2"), "{error}");
    }
    let plan = plan("proctor-1");
    let (scenario, _) = plan.sessions()[8];
    let session = prepare(&plan, scenario, 1).expect("it is sound").manifest;
    frozen::hold_session(&plan.suite, &session).expect("it is the frozen one");
    let other = ManifestSession { seed: 99, ..session };
    let error = frozen::hold_session(&plan.suite, &other).expect_err("it is refused").to_string();
    assert!(error.contains("proctor-1 is frozen: make proctor-2"), "{error}");
}
