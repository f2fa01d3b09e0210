//! The formats, on one judgement of every kind of finding, and on hostile names.

use crate::measure::MetricId;
use std::collections::BTreeMap;

use super::*;
use crate::gate::fixture::{Made, ended_well};
use crate::gate::{Baseline, Judgement, Place, Policy, judge};

const POLICY: &str = r#"
name = "test"
[[rule]]
name = "recall"
kind = "soft"
metric = "recall_at_need"
margin = 0.05
[[rule]]
name = "size"
kind = "soft"
metric = "tokens.mean_prompt"
margin-relative = 0.05
[[rule]]
name = "structure"
kind = "hard"
metric = "violations"
at-most = 0
"#;

/// What a name would have to hold to break a format.
const HOSTILE: &str = "a|b<i>,%\n::error::x\u{202E}\u{0}&\"]]>`[x](http://y)`@all";

fn made(names: [&str; 4]) -> Judgement {
    let policy = Policy::parse("gates/policy, 1.toml", POLICY).expect("it parses");
    let made = Made {
        scenarios: vec!["long".to_owned(), "short".to_owned()],
        seeds: 8,
        configurations: names.map(str::to_owned).to_vec(),
    };
    let [worse, noisy, fell, broken] = names;
    let run = |moved: bool| {
        made.run(move |scenario, name, seed| {
            let spread = (seed % 3) as f64 / 50.0;
            let by = match (moved, name) {
                (true, name) if name == worse => -0.2 - spread / 10.0,
                (true, name) if name == noisy => spread * if seed < 5 { 12.0 } else { -9.0 },
                _ => 0.0,
            };
            let mut figures = ended_well(0.6 + spread + by);
            if moved && name == fell && seed == 3 && scenario == "long" {
                figures
                    .retain(|(id, _)| ![MetricId::Completion, MetricId::StepsReached].contains(id));
                figures.extend([(MetricId::Completion, 0.0), (MetricId::StepsReached, 7.0)]);
            }
            if moved && name == broken && seed < 3 {
                figures.retain(|(id, _)| *id != MetricId::Violations);
                figures.push((MetricId::Violations, seed as f64));
            }
            figures
        })
    };
    let baseline = Baseline::of(&run(false), &policy);
    let mut judgement = judge(Some(&baseline), &run(true), &policy).expect("it judges");
    let place = Place { file: "strategies/worse.toml".to_owned(), line: 11 };
    judgement.locate(&BTreeMap::from([(worse.to_owned(), place)]));
    judgement
}

fn ordinary() -> Judgement {
    made(["worse", "noisy", "fell", "broken"])
}

#[test]
fn every_format_is_as_it_was_read() {
    let judgement = ordinary();
    let table = text(&judgement, crate::compare::render::markdown_table);
    insta::assert_snapshot!("text", table);
    insta::assert_snapshot!("json", json(&judgement).expect("it writes"));
    insta::assert_snapshot!("junit", junit(&judgement).expect("it writes"));
    insta::assert_snapshot!("sarif", sarif(&judgement).expect("it writes"));
    insta::assert_snapshot!("annotations", annotations(&judgement).join("\n"));
    insta::assert_snapshot!("summary", summary(&judgement, MOST_BYTES));
}

#[test]
fn the_same_judgement_is_the_same_bytes_in_every_format() {
    let all = || {
        let judgement = ordinary();
        [
            json(&judgement).expect("it writes"),
            junit(&judgement).expect("it writes"),
            sarif(&judgement).expect("it writes"),
            annotations(&judgement).join("\n"),
            summary(&judgement, MOST_BYTES),
        ]
    };
    assert_eq!(all(), all());
}

#[test]
fn hostile_names_stay_names_in_every_format() {
    let names = [HOSTILE, "noisy\r\n::warning::y", "fell", "broken"];
    let judgement = made(names);
    for line in annotations(&judgement) {
        assert!(line.starts_with("::error ") || line.starts_with("::notice "), "{line}");
        assert!(!line.contains(['\n', '\r', '\0', '\u{202E}']), "{line:?}");
        // A property ends at a comma or at two colons: only its own may stand there.
        let properties = line.trim_start_matches("::").split("::").next().unwrap_or_default();
        let keys = ["error", "notice", "file", "line", "title"];
        for property in properties.split([' ', ',']).filter(|part| part.contains('=')) {
            let key = property.split('=').next().unwrap_or_default();
            assert!(keys.contains(&key), "{line}");
        }
    }
    let text = text(&judgement, crate::compare::render::markdown_table);
    assert!(!text.contains(['\0', '\u{202E}', '\r']));
    let summary = summary(&judgement, MOST_BYTES);
    assert!(!summary.contains("<i>") && !summary.contains("http://"), "{summary}");
    assert!(
        summary
            .lines()
            .filter(|line| line.starts_with("| "))
            .all(|line| { line.matches('|').count() == table::HEAD.len() + 1 })
    );
    let junit = junit(&judgement).expect("it writes");
    assert!(!junit.contains("<i>") && !junit.contains(['\0', '\u{202E}']), "{junit}");
    let sarif = sarif(&judgement).expect("it writes");
    let value: serde_json::Value = serde_json::from_str(&sarif).expect("it is JSON");
    let results = value["runs"][0]["results"].as_array().expect("results");
    assert!(results.iter().all(|result| {
        result["message"]["text"].as_str().is_some_and(|text| !text.contains(char::is_control))
    }));
    let json = json(&judgement).expect("it writes");
    assert_eq!(serde_json::from_str::<Judgement>(&json).expect("it reads back"), judgement);
}

#[test]
fn annotations_are_ten_at_most_and_say_how_many_more() {
    let policy = Policy::parse("p.toml", POLICY).expect("it parses");
    let many = Made {
        configurations: (0..15).map(|number| format!("c{number}")).collect(),
        ..Made::small()
    };
    let run = many.run(|_, _, seed| {
        let mut figures = ended_well(seed as f64 / 20.0);
        figures.retain(|(id, _)| *id != MetricId::Violations);
        figures.push((MetricId::Violations, 2.0));
        figures
    });
    let judgement = judge(Some(&Baseline::of(&run, &policy)), &run, &policy).expect("it judges");
    let lines = annotations(&judgement);
    assert_eq!(lines.len(), 11);
    assert!(lines[..10].iter().all(|line| line.starts_with("::error file=p.toml,line=14,")));
    assert!(lines[10].ends_with("::5 more findings do not pass"), "{}", lines[10]);
}

/// Five thousand cells whose names alone are more than a summary may hold.
#[test]
fn a_summary_never_exceeds_its_limit() {
    let policy = Policy::parse("p.toml", POLICY).expect("it parses");
    let many = Made {
        scenarios: vec!["plain".to_owned()],
        seeds: 10,
        configurations: (0..500).map(|number| format!("ü{number}-{}", "x".repeat(800))).collect(),
    };
    let run = many.run(|_, _, _| {
        let mut figures = ended_well(0.5);
        figures.retain(|(id, _)| *id != MetricId::Violations);
        figures.push((MetricId::Violations, 2.0));
        figures
    });
    assert_eq!(run.measurements.len(), 5_000);
    let judgement = judge(Some(&Baseline::of(&run, &policy)), &run, &policy).expect("it judges");
    for most in [MOST_BYTES, 10_000, 400, 10, 0] {
        let summary = summary(&judgement, most);
        assert!(summary.len() <= most, "{} > {most}", summary.len());
        assert!(most < 400 || summary.contains("*Cut: "), "{most}");
        assert!(most < 400 || summary.starts_with("## Proctor gate: invariant violated"));
    }
    assert!(summary(&judgement, usize::MAX).len() > MOST_BYTES);
}
