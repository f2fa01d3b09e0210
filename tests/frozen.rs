//! The frozen suite is what it was.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proctor::matrix::Suite;
use proctor::pipeline::Fidelity;
use proctor::run::{Plan, frozen, prepare};
use proctor::run_dir::ManifestSession;
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

/// Where lines of a suite are not the recorded ones, all of them are written beside the build, for
/// the suite that comes next.
#[test]
fn every_session_of_a_frozen_suite_is_what_it_was() {
    for (name, text) in frozen::FROZEN {
        let plan = plan(name);
        let recorded: BTreeSet<&str> = text.lines().collect();
        let sessions: Vec<ManifestSession> = plan
            .sessions()
            .into_par_iter()
            .map(|(scenario, seed)| prepare(&plan, scenario, seed).expect("it is sound").manifest)
            .collect();
        let lines = frozen::lines(&plan, &sessions);
        let changed: Vec<&String> =
            lines.iter().filter(|line| !recorded.contains(line.as_str())).collect();
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.digests"));
        if !changed.is_empty() {
            fs::write(&path, lines.join("\n") + "\n").expect("it is written");
        }
        assert!(
            changed.is_empty(),
            "{name} is frozen: make proctor-2. {} of {} digests changed (all of them are in {}): \
             {changed:#?}",
            changed.len(),
            lines.len(),
            path.display()
        );
        let recorded = text.lines().filter(|line| line.starts_with("session ")).count();
        assert_eq!(recorded, sessions.len(), "{name}");
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
        |plan: &mut Plan| plan.scenarios[0].window.0 += 1,
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
