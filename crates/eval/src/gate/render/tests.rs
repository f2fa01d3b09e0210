//! The formats, on one judgement of every kind of finding, and on hostile names.

use super::*;
use crate::gate::fixture::{Figures, Made, POLICY, ended_at, ended_well};
use crate::gate::{Baseline, Judgement, Place, Policy, judge};
use crate::measure::MetricId;

const HOSTILE: &str = "a|b<i>,%\n::error::x\u{202E}\u{0}&\"]]>`[x](http://y)`@all";

fn made(names: [&str; 4]) -> Judgement {
    let policy = Policy::parse("gates/policy, 1.toml", POLICY).expect("it parses");
    let made = Made {
        scenarios: vec!["long".to_owned(), "short".to_owned()],
        seeds: 8,
        configurations: names.map(str::to_owned).to_vec(),
    };
    let [worse, noisy, fell, broken] = names;
    let before = |seed: u64| 0.6 + (seed % 3) as f64 / 50.0;
    let moved = |scenario: &str, name: &str, seed: u64| {
        let spread = (seed % 3) as f64 / 50.0;
        let recall = before(seed);
        match name {
            name if name == worse => ended_well(recall - 0.2 - spread / 10.0),
            name if name == noisy => {
                ended_well(recall + spread * if seed < 5 { 12.0 } else { -9.0 })
            }
            name if name == fell && seed == 3 && scenario == "long" => ended_at(7.0, recall),
            name if name == broken && seed < 3 => with_violations(seed as f64, recall),
            _ => ended_well(recall),
        }
    };
    let baseline = Baseline::of(&made.run(|_, _, seed| ended_well(before(seed))), &policy);
    let mut judgement = judge(Some(&baseline), &made.run(moved), &policy).expect("it judges");
    let place = Place { file: "strategies/worse.toml".to_owned(), line: 11 };
    judgement.locate(worse, &place);
    judgement
}

fn with_violations(count: f64, recall: f64) -> Figures {
    Figures::from_iter(ended_well(recall).into_iter().chain([(MetricId::Violations, count)]))
}

fn all_broken(made: &Made) -> Judgement {
    let policy = Policy::parse("p.toml", POLICY).expect("it parses");
    let run = made.run(|_, _, seed| with_violations(2.0, seed as f64 / 20.0));
    judge(Some(&Baseline::of(&run, &policy)), &run, &policy).expect("it judges")
}

fn ordinary() -> Judgement {
    made(["worse", "noisy", "fell", "broken"])
}

fn drawn(judgement: &Judgement) -> String {
    text(judgement, crate::compare::render::markdown_table).expect("it writes")
}

fn formats(judgement: &Judgement) -> [(&'static str, String); 6] {
    [
        ("text", drawn(judgement)),
        ("json", json(judgement).expect("it writes")),
        ("junit", junit(judgement).expect("it writes")),
        ("sarif", sarif(judgement).expect("it writes")),
        ("annotations", annotations(judgement).join("\n")),
        ("summary", summary(judgement, MOST_BYTES).expect("it writes")),
    ]
}

#[test]
fn every_format_is_as_it_was_read_and_the_same_bytes_twice() {
    for (name, text) in formats(&ordinary()) {
        insta::assert_snapshot!(name, text);
    }
    assert_eq!(formats(&ordinary()), formats(&ordinary()));
}

#[test]
fn hostile_names_stay_names_in_every_format() {
    let names = [HOSTILE, "noisy\r\n::warning::y", "fell", "broken"];
    let judgement = made(names);
    for line in annotations(&judgement) {
        let levels = ["::error ", "::warning ", "::notice "];
        assert!(levels.iter().any(|level| line.starts_with(level)), "{line}");
        assert!(!line.contains(['\n', '\r', '\0', '\u{202E}']), "{line:?}");
        // A property ends at a comma or at two colons: only its own may stand there.
        let properties = line.trim_start_matches("::").split("::").next().unwrap_or_default();
        let keys = ["error", "warning", "notice", "file", "line", "title"];
        for property in properties.split([' ', ',']).filter(|part| part.contains('=')) {
            let key = property.split('=').next().unwrap_or_default();
            assert!(keys.contains(&key), "{line}");
        }
    }
    let [(_, text), (_, json), (_, junit), (_, sarif), _, (_, summary)] = formats(&judgement);
    assert!(!text.contains(['\0', '\u{202E}', '\r']));
    assert!(!summary.contains("<i>") && !summary.contains("http://"), "{summary}");
    let mut rows = summary.lines().filter(|line| line.starts_with("| "));
    assert!(rows.all(|line| line.matches('|').count() == people::COLUMNS.len() + 1));
    assert!(!junit.contains("<i>") && !junit.contains(['\0', '\u{202E}']), "{junit}");
    let value: serde_json::Value = serde_json::from_str(&sarif).expect("it is JSON");
    let results = value["runs"][0]["results"].as_array().expect("results");
    assert!(results.iter().all(|result| {
        result["message"]["text"].as_str().is_some_and(|text| !text.contains(char::is_control))
    }));
    assert_eq!(serde_json::from_str::<Judgement>(&json).expect("it reads back"), judgement);
}

#[test]
fn annotations_are_ten_at_most_and_say_how_many_more() {
    let configurations = (0..15).map(|number| format!("c{number}")).collect();
    let lines = annotations(&all_broken(&Made { configurations, ..Made::small() }));
    assert_eq!(lines.len(), 11);
    assert!(lines[..10].iter().all(|line| line.starts_with("::error file=p.toml,line=14,")));
    assert!(lines[10].ends_with("::5 more findings do not pass"), "{}", lines[10]);
}

/// Five thousand cells whose names alone are more than a summary may hold.
#[test]
fn a_summary_never_exceeds_its_limit() {
    let name = |number: usize| format!("ü{number}-{}", "x".repeat(800));
    let configurations = (0..500).map(name).collect();
    let judgement = all_broken(&Made { seeds: 10, configurations, ..Made::small() });
    let summary = |most| summary(&judgement, most).expect("it writes");
    let all = summary(usize::MAX).lines().count();
    for most in [MOST_BYTES, 10_000, 400, 10, 0] {
        let summary = summary(most);
        assert!(summary.len() <= most, "{} > {most}", summary.len());
        // Below what is kept stand an empty line and how many lines are not.
        let left = (all + 2).saturating_sub(summary.lines().count());
        assert!(most < 400 || summary.contains(&format!("*Cut: {left} lines")), "{most}");
        assert!(most < 400 || summary.starts_with("## Proctor gate: invariant violated"));
    }
    assert!(summary(usize::MAX).len() > MOST_BYTES);
}
