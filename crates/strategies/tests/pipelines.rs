//! Pipelines that ship, as files and driven.

use std::collections::BTreeSet;

use proctor_core::drive::{Cell, Limits, Session, drive};
use proctor_core::error::Error;
use proctor_core::ident::RequestId;
use proctor_core::pipeline::{Pipeline, Stage};
use proctor_core::plan::{Piece, Source, SummaryRequest};
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
    let view = &scene("yu").view;
    assert_eq!(*stages[0].addressed(&requests, view), requests);
    let model = Some("small".to_owned());
    let stage = Stage { model: model.clone(), ..stages[0].clone() };
    assert!(stage.addressed(&requests, view).iter().all(|request| request.model == model));
}

/// What a request asks in the words of a prompt, of a scene in which `M2` is a summary.
fn asked(prompt: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("mine.md"), prompt).expect("it is written");
    let file = folder.path().join("mine.toml").display().to_string();
    let text = "name = \"x\"\nabout = \"\"\nsource = \"\"\nfidelity = \"baseline\"\n[[stage]]\n\
                strategy.full-replace = {}\non.before-call = \"always\"\nprompt = \"mine.md\"\n";
    assert_eq!(Pipeline::files(text), ["mine.md"]);
    let parsed = Pipeline::parse(shipped(), &file, text).expect("it parses");
    // A pipeline that is written holds the prompt itself.
    let again = toml::to_string(&parsed).expect("it serializes");
    assert_eq!(Pipeline::files(&again), [""; 0]);
    assert_eq!(Pipeline::parse(shipped(), "elsewhere.toml", &again).expect("it parses"), parsed);
    let scene = scene("yuM");
    let quote = |place: usize| Piece::quote(scene.view.at(place).expect("it is there").id);
    let instruction = vec![
        Piece::literal("Old words.\n## Files\n## Next\n"),
        quote(0),
        Piece::literal(" then "),
        quote(2),
        Piece::literal(" and "),
        quote(1),
        Piece::literal("\nMore old words."),
    ];
    let request = SummaryRequest::new(RequestId(0), "".into(), instruction, Tokens(70));
    let filled = parsed.stages[0].addressed(&[request], &scene.view)[0].instruction.clone();
    let says = |piece: &Piece| match piece {
        Piece::Literal(text) => text.to_string(),
        Piece::Quote { of: Source::Entry(id), .. } => {
            scene.view.entry(*id).expect("it is there").content().to_string()
        }
        other => panic!("{other:?}"),
    };
    filled.iter().map(says).collect()
}

#[test]
fn a_prompt_of_ones_own_takes_the_place_of_the_strategy_s_words() {
    for (prompt, expected) in [
        ("Sum up:", "Sum up:\ny0 then M2 and u1"),
        ("In {{budget}} tokens, {{ material }}.", "In 70 tokens, y0 then M2 and u1.\n"),
        ("{{material}} after {{previous}}", "y0 then  and u1 after M2\n"),
        (
            "{{sections}}\nof {{focus}}: {{material}}",
            "## Files\n## Next\nof u1: y0 then M2 and u1\n",
        ),
    ] {
        assert_eq!(asked(prompt), expected, "{prompt}");
    }
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
        // What has no value where a file says nothing is a text, a list, a table or one of some words.
        for name in described.difference(&written) {
            let mut given = json.clone();
            given[&known.name][*name] = "any".into();
            let refused = shipped().read(&given, None).err().map(|error| format!("{error:?}"));
            let other = ["unknown variant", "expected a sequence", "expected a map"];
            let known =
                refused.is_none() || other.iter().any(|rule| format!("{refused:?}").contains(rule));
            assert!(known, "{name}: {refused:?}");
        }
        // Which program it is has no default.
        let is_sound = spec.strategy().check().is_ok();
        assert_eq!(is_sound, known.name != "external", "{}", known.name);
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
