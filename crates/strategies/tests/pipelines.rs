//! Pipelines that ship, as files and driven.

use std::collections::BTreeSet;

use proctor_core::drive::{Cell, Limits, Session, drive};
use proctor_core::error::Error;
use proctor_core::ident::RequestId;
use proctor_core::pipeline::{Pipeline, Stage};
use proctor_core::plan::SummaryRequest;
use proctor_core::testkit::{self, Script, says, scene, with_cell};
use proctor_core::trace::EndedBy;
use proctor_core::truth::Truth;
use proctor_core::unit::Tokens;
use proctor_strategies::{pipeline, shipped};

#[test]
fn a_stage_with_a_model_sends_its_requests_there() {
    let stages = pipeline("goat-code").expect("it ships").stages;
    let request = |model: Option<&str>| SummaryRequest {
        model: model.map(str::to_owned),
        ..SummaryRequest::new(RequestId(0), "".into(), Vec::new(), Tokens(1))
    };
    let requests = [request(None), request(Some("its-own"))];
    assert_eq!(*stages[0].addressed(&requests), requests);
    let model = Some("small".to_owned());
    let stage = Stage { model: model.clone(), ..stages[0].clone() };
    assert!(stage.addressed(&requests).iter().all(|request| request.model == model));
}

#[test]
fn bad_pipelines_say_what_is_wrong() {
    let head = "name = \"x\"\nabout = \"\"\nsource = \"\"\nfidelity = \"document\"\n[[stage]]\n";
    let cases = include_str!("../src/cases.toml");
    for [rest, expected] in testkit::cases::<[String; 2]>(cases, "bad-stages") {
        let error = Pipeline::parse(shipped(), "p.toml", &format!("{head}{rest}")).unwrap_err();
        let text = match &error {
            Error::Toml { rule, .. } => rule.clone(),
            other => other.to_string(),
        };
        assert!(text.contains(&expected), "{text}");
    }
}

#[test]
fn every_parameter_that_a_file_can_set_is_described() {
    for known in shipped().strategies() {
        let spec = &known.standard;
        let json = serde_json::to_value(spec).expect("it serializes");
        let fields = json[&known.name].as_object().expect("a table of parameters");
        let written: BTreeSet<&str> = fields.keys().map(String::as_str).collect();
        let described: BTreeSet<&str> =
            known.parameters.iter().map(|parameter| parameter.name).collect();
        assert!(written.is_subset(&described), "{}: {written:?}", known.name);
        // What has no value where a file says nothing is a text, or one of some words, and is known.
        for name in described.difference(&written) {
            let mut given = json.clone();
            given[&known.name][*name] = "any".into();
            let refused = shipped().read(&given).err().map(|error| format!("{error:?}"));
            let known = refused.as_ref().is_none_or(|rule| rule.contains("unknown variant"));
            assert!(known, "{name}: {refused:?}");
        }
        assert!(spec.strategy().check().is_ok(), "{}", known.name);
        assert!(!known.about.trim().is_empty(), "{}", known.name);
    }
}

#[test]
fn every_shipped_pipeline_parses_under_its_own_name_and_survives_json_and_toml() {
    for name in shipped().pipeline_names() {
        let own = pipeline(name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(own.name, name);
        assert!(own.reference.iter().all(|reference| shipped().pipeline(reference).is_ok()));
        let json = serde_json::to_value(&own).expect("it serializes");
        assert_eq!(Pipeline::from_json(shipped(), json).expect("it parses"), own);
        let toml = toml::to_string(&own).expect("it serializes");
        assert_eq!(Pipeline::parse(shipped(), name, &toml).expect("it parses"), own);
    }
    let error = pipeline("forge-ard").unwrap_err();
    assert_eq!(error.hint(), Some("did you mean `forge-adr`?"));
}

/// At a tenth of the window nothing presses, and the probe still finds how far each
/// strategy can go; its keep-rules hold.
#[test]
fn the_floor_probe_finds_the_floor_of_an_idle_pipeline() {
    let shape = "uctuctuctuctuctuctuctuctuctuctuctuctuctu".to_owned() + "a";
    let session = Session::new(scene(&shape).log, Truth::default(), []);
    let used = session.reference.total();
    let limits = Limits::new(Tokens(10 * used.0) + session.fixed(), Tokens(1_000));
    for (name, entries_left, acts) in [
        ("none", 37, false),
        ("truncate", 3, false),
        ("forge-threshold", 25, false),
        ("forge-tool-call", 34, true),
        ("forge-goal-batch", 37, false),
    ] {
        let pipeline = pipeline(name).unwrap();
        let trace = with_cell(&session, &pipeline, limits, &Script::new([says("s")]), |cell| {
            drive(Cell { probes: true, ..cell })
        });
        assert_eq!(trace.ended_by, EndedBy::Completed);
        assert_eq!(!trace.compactions.is_empty(), acts, "{name}");
        let probe = trace.checkpoints.last().unwrap();
        let left: u32 = probe.one_pass.entries.iter().sum();
        assert_eq!(left, entries_left, "{name}");
    }
}
