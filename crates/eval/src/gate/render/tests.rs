//! The formats, on one judgement of every kind of finding, and on hostile names.

use super::*;
use crate::gate::fixture::{Figures, Made, POLICY, ended_at, ended_well};
use crate::gate::{
    Acceptance, Baseline, Blame, Change, Detail, Finding, Judgement, LostFact, LostIn, Moved,
    Outcome, Place, Policy, Undone, Verdict, Ways, judge,
};
use crate::measure::MetricId;
use crate::trace::LossClass;

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
    judgement.changed = [changed("limit.share 0.8", 11), changed("older-than-turns 10", 7)].into();
    let lost = |one: &&mut Finding| one.verdict == Verdict::Regression && one.scenario.is_none();
    if let Some(finding) = judgement.findings.iter_mut().find(lost) {
        finding.detail = Some(detail(worse));
    }
    judgement.accepts = vec![accepted(worse)];
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
    judgement.direct(&Ways {
        run: Some("both/candidate".to_owned()),
        again: Some(words("proctor gate --candidate-config strategies/worse.toml")),
        accept: Some(("strategies/worse.toml".to_owned(), "2027-01-31".to_owned())),
        ..Ways::default()
    });
    judgement
}

fn changed(told: &str, line: usize) -> Change {
    let (key, from) = told.split_once(' ').expect("a key and its value");
    let (from, to) = (Some(from.to_owned()), Some("1".to_owned()));
    Change { key: key.to_owned(), line: Some(line), from, to, ..Change::default() }
}

/// What stands behind a loss, with a name of whoever made the session in every text.
fn detail(name: &str) -> Detail {
    let moved = |name: &str, [baseline, candidate]: [f64; 2]| Moved {
        name: name.to_owned(),
        baseline,
        candidate,
        n: 43,
    };
    Detail {
        scenario: Some(moved("long", [0.623, 0.39])),
        kind: Some(moved("safety-rule", [0.8, 0.31])),
        fact: Some(LostFact {
            cell: format!("long@20k/{name}/3"),
            scenario: "long".to_owned(),
            seed: 3,
            kind: "safety-rule".to_owned(),
            statement: "Never edit vendor/ by hand.".to_owned(),
            step: 31,
            baseline_generation: 1,
            found: "absent".to_owned(),
            lost_in: Some(LostIn {
                compaction: 4,
                step: 22,
                stage: "forge-threshold".to_owned(),
                class: LossClass::Omitted.name().to_owned(),
                how: LossClass::Omitted.told().to_owned(),
                left: vec![format!("message 12 ({name})")],
                shown: Some(format!("{name} says: never edit vendor/ by hand.")),
                answered: Some(format!("The user ({name}) wants the tests to pass.")),
            }),
        }),
        ..Detail::default()
    }
}

fn accepted(because: &str) -> Acceptance {
    Acceptance {
        metric: MetricId::TokensMeanPrompt,
        scenario: None,
        up_to: None,
        up_to_relative: Some(0.1),
        until: "2027-01-31".to_owned(),
        because: because.to_owned(),
        place: Place { file: "strategies/worse.toml".to_owned(), line: 4 },
        outcome: Outcome::Unneeded,
    }
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

fn formats(judgement: &Judgement) -> [(&'static str, String); 8] {
    [
        ("text", drawn(judgement)),
        ("json", json(judgement).expect("it writes")),
        ("junit", junit(judgement).expect("it writes")),
        ("sarif", sarif(judgement).expect("it writes")),
        ("annotations", said(judgement).join("\n")),
        ("summary", summary(judgement, MOST_BYTES).expect("it writes")),
        ("comment", comment(judgement, "strategies/worse.toml").expect("it writes")),
        ("badge", badge(judgement).expect("it writes")),
    ]
}

#[test]
fn every_format_is_as_it_was_read_and_the_same_bytes_twice() {
    for (name, text) in formats(&ordinary()) {
        insta::assert_snapshot!(name, text);
    }
    assert_eq!(formats(&ordinary()), formats(&ordinary()));
}

/// The annotations as they are printed.
fn said(judgement: &Judgement) -> Vec<String> {
    annotations(judgement).iter().map(ToString::to_string).collect()
}

#[test]
fn hostile_names_stay_names_in_every_format() {
    let names = [HOSTILE, "noisy\r\n::warning::y", "fell", "broken"];
    let judgement = made(names);
    for line in said(&judgement) {
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
    let [(_, text), (_, json), (_, junit), (_, sarif), _, (_, summary), ..] = formats(&judgement);
    assert!(!text.contains(['\0', '\u{202E}', '\r']));
    assert!(!summary.contains("<i>") && !summary.contains("http://"), "{summary}");
    // Two tables: the plain figures, and all findings.
    let mut rows = summary.lines().filter(|line| line.starts_with("| "));
    assert!(rows.all(|line| [5, people::COLUMNS.len()].contains(&(line.matches('|').count() - 1))));
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
    let lines = said(&all_broken(&Made { configurations, ..Made::small() }));
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

/// What broke, why and what to do stand before anything else.
#[test]
fn the_first_ten_lines_of_a_regression_say_what_broke_why_and_what_to_do() {
    let mut judgement = ordinary();
    judgement.findings.retain(|one| one.configuration.as_deref() == Some("worse"));
    judgement.settle();
    judgement.direct(&Ways { run: Some("both/candidate".to_owned()), ..Ways::default() });
    let text = drawn(&judgement);
    let first: Vec<&str> = text.lines().take(10).collect();
    let says = |place: usize, words: &str| assert!(first[place].contains(words), "{text}");
    says(0, "verdict: regression");
    says(1, "recall at need of worse: 62.3% → 42% (−20.2 points; the margin is 5 points)");
    says(3, "one of these changed keys: limit.share 0.8 → 1; older-than-turns 10 → 1");
    says(5, "for example, step 31 of long@20k/worse/3 needs this safety-rule");
    says(6, "compaction 4 (forge-threshold, before step 22) lost it");
    says(7, "shown: “worse says: never edit vendor/ by hand.”");
    says(8, "answered: “The user (worse) wants");
    says(
        9,
        "next: see what was lost: `proctor inspect both/candidate long@20k/worse/3 --compaction 4`",
    );
}

#[test]
fn blame_names_the_key_that_undoes_the_loss_or_says_that_none_does() {
    let mut judgement = ordinary();
    let tried = |undoes: [bool; 2]| {
        let one = |change, undoes| Undone { change, undoes, figure: Some(0.61), error: None };
        vec![one(0, undoes[0]), one(1, undoes[1])]
    };
    for (undoes, left_out, says) in [
        (
            [true, false],
            0,
            "because of limit.share 0.8 → 1 (strategies/worse.toml:11): undone alone, it is 61%",
        ),
        ([true, true], 0, "because of these together: limit.share"),
        ([false, false], 0, "no changed key alone: 2 were undone one by one\n"),
        ([false, false], 3, "no changed key alone: 2 were undone one by one; 3 were not tried"),
    ] {
        judgement.blame = Some(Blame { tried: tried(undoes), left_out });
        let worse = |one: &&Finding| one.detail.is_some();
        let own = judgement.findings.iter().find(worse).expect("a finding");
        let told = told::Told::of(own, &judgement).lines().join("\n");
        assert!(told.contains(says), "{told}");
    }
}

/// Four figures of a configuration whose sessions end earlier are one failure.
#[test]
fn sessions_that_end_earlier_are_said_once() {
    let judgement = ordinary();
    let about = |text: &str| text.matches(" of fell").count();
    let annotations = said(&judgement).join("\n");
    assert_eq!(about(&annotations), 1, "{annotations}");
    assert!(annotations.contains("4 figures are not judged because of it"), "{annotations}");
    let junit = junit(&judgement).expect("it writes");
    assert_eq!(junit.matches("<failure message=\"completion fell").count(), 1, "{junit}");
}
