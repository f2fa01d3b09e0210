//! Verdicts of made runs.

use super::fixture::{Made, ended_well};
use super::*;
use crate::error::{Error, ExitCode};
use crate::ident::Digest;
use crate::measure::MetricId;
use crate::run_dir::CellState;

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

fn policy(text: &str) -> Policy {
    Policy::parse("policy.toml", text).expect("it parses")
}

fn with(more: &str) -> Policy {
    policy(&POLICY.replacen("name = \"test\"", &format!("name = \"test\"\n{more}"), 1))
}

/// Recall that differs from seed to seed, moved by as much everywhere.
fn recall(seed: u64, by: f64) -> f64 {
    0.5 + (seed % 5) as f64 / 50.0 + by
}

/// Twelve sessions, moved by as much and by a little noise.
fn moved(by: f64, noise: f64) -> RunData {
    Made::small().run(|_, _, seed| {
        let noise = noise * ((seed * 7 % 5) as f64 - 2.0);
        ended_well(recall(seed, by + noise))
    })
}

fn base(policy: &Policy) -> Baseline {
    Baseline::of(&moved(0.0, 0.0), policy)
}

fn judged_by(policy: &Policy, run: &RunData) -> Judgement {
    judge(Some(&base(policy)), run, policy).expect("it judges")
}

/// A run with one figure of one seed changed.
fn altered(seed: u64, metric: MetricId, value: Option<f64>) -> RunData {
    let mut run = moved(0.0, 0.0);
    let row = run.measurements.iter_mut().find(|row| row.key.seed == seed).expect("a row");
    row.figures.put(metric, value);
    run
}

#[test]
fn every_verdict_comes_of_its_run_with_its_code() {
    let failed = || {
        let mut run = moved(0.0, 0.0);
        run.manifest.cells[3].state = CellState::Failed("internal error: x".to_owned());
        run.measurements[3].state = CellState::Failed("internal error: x".to_owned());
        run
    };
    let fell = altered(2, MetricId::Completion, Some(0.0));
    for (run, verdict, code, strict) in [
        (moved(0.0, 0.0), Verdict::PassIdentical, 0, 30),
        (moved(0.0, 0.002), Verdict::Pass, 0, 0),
        (moved(0.1, 0.002), Verdict::Improvement, 0, 31),
        (moved(0.0, 0.1), Verdict::Inconclusive, 21, 21),
        (moved(-0.1, 0.002), Verdict::Regression, 20, 20),
        (fell, Verdict::CompletionFell, 25, 25),
        (failed(), Verdict::IncompleteRun, 24, 24),
        (altered(5, MetricId::Violations, Some(3.0)), Verdict::InvariantViolated, 26, 26),
    ] {
        let judgement = judged_by(&policy(POLICY), &run);
        let all = &judgement.findings;
        assert_eq!(judgement.verdict, verdict, "{all:#?}");
        assert_eq!((judgement.exit_code, judgement.strict_exit_code()), (code, strict));
        assert_eq!(judgement.next.is_empty(), verdict.passes(), "{:?}", judgement.next);
    }
    let alone = judge(None, &moved(0.0, 0.0), &policy(POLICY)).expect("it judges");
    assert_eq!((alone.verdict, alone.exit_code), (Verdict::NoBaseline, ExitCode::NO_BASELINE));
    let begun = incomplete(&policy(POLICY), "not finished".to_owned());
    assert_eq!((begun.verdict, begun.exit_code), (Verdict::IncompleteRun, 24));
}

#[test]
fn the_direction_is_the_metric_s() {
    let of = |tokens: f64| {
        Made::small().run(|_, _, seed| {
            let mut figures = ended_well(recall(seed, 0.0));
            figures.retain(|(id, _)| *id != MetricId::TokensMeanPrompt);
            figures.push((MetricId::TokensMeanPrompt, tokens));
            figures
        })
    };
    for (tokens, verdict) in [
        (9_000.0, Verdict::Improvement),
        (11_000.0, Verdict::Regression),
        (10_100.0, Verdict::Pass),
    ] {
        assert_eq!(judged_by(&policy(POLICY), &of(tokens)).verdict, verdict, "{tokens}");
    }
}

#[test]
fn what_differs_in_the_inputs_is_named_and_not_judged() {
    type Change = (&'static str, fn(&mut RunData));
    let change: [Change; 8] = [
        ("metric version of `recall_at_need`: 9", |run| {
            for (id, version) in &mut run.manifest.metrics {
                *version = if id == MetricId::RecallAtNeed.name() { 99 } else { *version };
            }
        }),
        ("schema of the run directory", |run| run.manifest.schema += 1),
        ("tokenizer: `o200k` against `other`", |run| run.manifest.tokenizer = "other".to_owned()),
        ("summarizer: `extractive` against `null`", |run| {
            run.manifest.summarizers[0] = "null".to_owned();
            for row in &mut run.measurements {
                row.key.summarizer = "null".to_owned();
            }
        }),
        ("price sheet: `example`", |run| run.manifest.prices.digest = Digest::of(b"other")),
        ("scenario digest of `plain`", |run| {
            run.manifest.scenarios[0].digest = Digest::of(b"other");
        }),
        ("session digest of `plain` seed 3: the log differs", |run| {
            run.manifest.sessions[2].log = Digest::of(b"other");
        }),
        ("session digest of `plain` seed 3: the truth differs", |run| {
            run.manifest.sessions[2].truth = Digest::of(b"other");
        }),
    ];
    let priced = "[[rule]]\nname = \"price\"\nkind = \"soft\"\nmetric = \"cost.usd\"\n\
                  margin = 1\nmay-match-nothing = true\n";
    let policy = policy(&format!("{POLICY}{priced}"));
    for (says, change) in change {
        // So far off that any comparison would find it.
        let mut run = moved(-0.3, 0.002);
        change(&mut run);
        let judgement = judged_by(&policy, &run);
        let named = says.split(": 9").next().unwrap_or(says);
        assert!(
            judgement.findings.iter().any(|one| one.reason.contains(named)),
            "{says}: {:#?}",
            judgement.findings
        );
        assert_eq!((judgement.verdict, judgement.exit_code), (Verdict::Incompatible, 23));
        let priced_only = says.starts_with("price");
        let judged = judgement.findings.iter().any(|one| one.verdict == Verdict::Regression);
        assert_eq!(judged, priced_only, "{says}");
    }
    // Prices that no rule rests on may differ.
    let mut run = moved(0.0, 0.0);
    run.manifest.prices.digest = Digest::of(b"other");
    assert_eq!(judged_by(&self::policy(POLICY), &run).verdict, Verdict::PassIdentical);
}

#[test]
fn no_other_figure_is_judged_where_completion_fell() {
    // Better in everything but that one session ends earlier.
    let mut run = moved(0.2, 0.002);
    let row = run.measurements.iter_mut().find(|row| row.key.seed == 4).expect("a row");
    row.figures.put(MetricId::StepsReached, 12.0);
    row.figures.put(MetricId::Completion, 0.0);
    let judgement = judged_by(&policy(POLICY), &run);
    assert_eq!(judgement.verdict, Verdict::CompletionFell);
    let soft = judgement.findings.iter().filter(|one| one.kind == Kind::Soft);
    for finding in soft {
        assert_eq!(finding.verdict, Verdict::CompletionFell, "{finding:#?}");
        assert!(finding.p.is_none() || finding.p_holm.is_none());
    }
    let first = &judgement.findings[0];
    assert_eq!((first.rule.as_str(), first.cell_count), ("completion-first", 1));
    assert!(first.cells[0].contains("plain/forge-adr/4 (12 of 40 steps)"), "{:?}", first.cells);
}

#[test]
fn sessions_that_come_farther_than_they_did_are_not_held_against_the_candidate() {
    // The baseline died early in two sessions, with small prompts.
    let policy = policy(POLICY);
    let before = Made::small().run(|_, _, seed| {
        let mut figures = ended_well(recall(seed, 0.0));
        if seed <= 2 {
            figures = vec![
                (MetricId::Completion, 0.0),
                (MetricId::StepsReached, 5.0),
                (MetricId::RecallAtNeed, 0.1),
                (MetricId::TokensMeanPrompt, 100.0),
                (MetricId::Violations, 0.0),
            ];
        }
        figures
    });
    let baseline = Baseline::of(&before, &policy);
    let judgement = judge(Some(&baseline), &moved(0.0, 0.0), &policy).expect("it judges");
    // Two may come farther by chance, but not all of them are as they were.
    assert_eq!(judgement.verdict, Verdict::Pass, "{:#?}", judgement.findings);
    assert!(judgement.findings.iter().filter(|one| one.kind == Kind::Soft).all(|one| one.n == 10));
    assert!(judgement.notes[0].contains("2 of 12 sessions come farther"), "{:?}", judgement.notes);
}

#[test]
fn a_repair_is_an_improvement_unless_more_is_forgotten() {
    // The baseline died early in ten of twelve sessions: two are left to compare.
    let policy = policy(POLICY);
    let died = |known: f64| {
        let run = Made::small().run(move |_, _, seed| {
            let mut figures = ended_well(recall(seed, 0.0));
            if seed <= 10 {
                figures.retain(|(id, _)| *id == MetricId::Violations);
                figures.extend([(MetricId::Completion, 0.0), (MetricId::StepsReached, 5.0)]);
                figures
                    .extend([(MetricId::RecallAtNeed, known), (MetricId::TokensMeanPrompt, 100.0)]);
            }
            figures
        });
        Baseline::of(&run, &policy)
    };
    let of = |known| judge(Some(&died(known)), &moved(0.0, 0.0), &policy).expect("it judges");
    let named = |judgement: &Judgement, rule: &str| {
        let mut findings = judgement.findings.iter();
        findings.find(|one| one.rule == rule).cloned().expect("a finding")
    };
    let repaired = of(0.0);
    assert_eq!(repaired.verdict, Verdict::Improvement, "{:#?}", repaired.findings);
    assert_eq!(named(&repaired, "completion-first").verdict, Verdict::Improvement);
    let size = named(&repaired, "size");
    assert!(!size.counts && size.reason.contains("10 of 12 sessions come farther"), "{size:#?}");
    // What was not reached counted as forgotten, and still more was known.
    assert_eq!(of(1.0).verdict, Verdict::Regression);
}

#[test]
fn cells_that_are_not_there_are_named() {
    let mut run = moved(0.0, 0.0);
    run.measurements.retain(|row| row.key.seed != 7);
    let judgement = judged_by(&policy(POLICY), &run);
    assert_eq!(judgement.verdict, Verdict::IncompleteRun);
    assert_eq!(judgement.findings[0].cells, ["plain/forge-adr/7"]);
    // A figure that is gone is no pass.
    let gone = judged_by(&policy(POLICY), &altered(7, MetricId::RecallAtNeed, None));
    assert_eq!(gone.verdict, Verdict::Inconclusive);
    assert!(gone.findings[0].reason.contains("1 cells lack a figure"), "{:#?}", gone.findings[0]);
}

#[test]
fn what_is_only_warned_of_passes_and_says_so() {
    let noisy = moved(0.0, 0.1);
    let judgement = judged_by(&with("inconclusive = \"warn\""), &noisy);
    assert_eq!((judgement.verdict, judgement.exit_code), (Verdict::Inconclusive, 0));
    assert!(judgement.warned && !judgement.next.is_empty());
    // A regression beside it still fails.
    let mut worse = noisy;
    for row in &mut worse.measurements {
        row.figures.put(MetricId::TokensMeanPrompt, 20_000.0);
    }
    let judgement = judged_by(&with("inconclusive = \"warn\""), &worse);
    assert_eq!((judgement.verdict, judgement.exit_code), (Verdict::Regression, 20));
    assert!(!judgement.warned);
}

#[test]
fn a_new_configuration_has_no_baseline() {
    let two =
        Made { configurations: vec!["forge-adr".to_owned(), "codex".to_owned()], ..Made::small() };
    let run = two.run(|_, _, seed| ended_well(recall(seed, 0.0)));
    let judgement = judged_by(&policy(POLICY), &run);
    assert_eq!((judgement.verdict, judgement.exit_code), (Verdict::NoBaseline, 22));
    let warned = judged_by(&with("no-baseline = \"warn\""), &run);
    assert_eq!((warned.exit_code, warned.warned), (0, true));
}

#[test]
fn scenarios_are_shown_and_count_as_the_policy_says() {
    let two = Made { scenarios: vec!["a".to_owned(), "b".to_owned()], ..Made::small() };
    let run = |worse: f64| {
        two.run(move |scenario, _, seed| {
            let by = if scenario == "b" { worse } else { -worse };
            ended_well(recall(seed, by + 0.002 * (seed % 3) as f64))
        })
    };
    let judged = |more: &str, seeds: u64| {
        let policy = with(more);
        let part = Made { seeds, scenarios: two.scenarios.clone(), ..Made::small() };
        let whole = |by: f64| match seeds {
            12 => run(by),
            _ => part.run(move |_, _, seed| ended_well(recall(seed, by * (seed % 3) as f64))),
        };
        let baseline = Baseline::of(&whole(0.0), &policy);
        judge(Some(&baseline), &whole(-0.2), &policy).expect("it judges")
    };
    // Worse in one scenario, better in the other: nothing on the whole.
    for (more, verdict) in
        [("", Verdict::Regression), ("per-scenario = \"show\"", Verdict::Inconclusive)]
    {
        let judgement = judged(more, 12);
        assert_eq!(judgement.verdict, verdict, "{more}");
        let b = judgement
            .findings
            .iter()
            .find(|one| one.scenario.as_deref() == Some("b") && one.rule == "recall");
        assert_eq!(b.map(|one| one.verdict), Some(Verdict::Regression));
    }
    // Too few sessions of each scenario are shown, and do not count.
    let few = judged("", 5);
    let small = few.findings.iter().find(|one| one.reason.contains("n too small"));
    assert!(small.is_some_and(|one| !one.counts && one.scenario.is_some()), "{few:#?}");
}

#[test]
fn a_rule_that_finds_nothing_is_an_error_at_its_place() {
    for (from, to, hint) in [
        (
            "[[rule]]\nname = \"size\"",
            "[[rule]]\nname = \"size\"\nconfigurations = [\"forge-ard\"]",
            "did you mean `forge-adr`?",
        ),
        ("tokens.mean_prompt", "floor.one_pass", "may-match-nothing"),
    ] {
        let policy = policy(&POLICY.replacen(from, to, 1));
        let error = judge(None, &moved(0.0, 0.0), &policy).expect_err(to);
        let Error::Toml { span, rule, hint: given, file, text, .. } = error else { panic!("{to}") };
        assert_eq!((file.as_str(), &text[span]), ("policy.toml", "\"size\""));
        assert!(rule.contains("`size` finds nothing"), "{rule}");
        assert!(given.unwrap_or_default().contains(hint));
    }
    let allowed = POLICY
        .replacen("margin-relative", "may-match-nothing = true\nmargin-relative", 1)
        .replacen("tokens.mean_prompt", "floor.one_pass", 1);
    let judgement = judged_by(&policy(&allowed), &moved(0.0, 0.0));
    assert_eq!(judgement.verdict, Verdict::PassIdentical);
    assert!(judgement.notes.iter().any(|note| note.contains("`size` finds nothing")));
}

#[test]
fn a_mean_is_bounded_where_the_rule_says_so() {
    let text = "name = \"test\"\n[[rule]]\nname = \"recall\"\nkind = \"hard\"\n\
                metric = \"recall_at_need\"\nat-least = 0.52\n";
    let run = moved(0.0, 0.0);
    for (of, verdict) in [("cell", Verdict::InvariantViolated), ("mean", Verdict::NoBaseline)] {
        let policy = policy(&format!("{text}of = \"{of}\"\n"));
        let judgement = judge(None, &run, &policy).expect("it judges");
        assert_eq!(judgement.verdict, verdict, "{:#?}", judgement.findings);
    }
}

#[test]
fn a_baseline_is_one_line_a_cell_and_reads_back() {
    let policy = policy(POLICY);
    let blessing = |why: &str| Blessing {
        date: "2026-01-02".to_owned(),
        who: "A \"B\" C".to_owned(),
        why: why.to_owned(),
        even_though: None,
        run: Digest::of(b"run"),
        suite: "made".to_owned(),
        tool: "proctor 0.0.0".to_owned(),
        policy: crate::run_dir::ManifestInput {
            name: "test".to_owned(),
            digest: policy.digest.clone(),
        },
    };
    let first = base(&policy).bless(blessing("first"), None);
    let second = base(&policy).bless(blessing("second"), Some(&first));
    let text = second.text().expect("it writes");
    assert_eq!(Baseline::parse("b.json", &text).expect("it reads"), second);
    assert_eq!(second.history.len(), 1);
    assert_eq!(second.history[0].why, "first");
    let lines = text.lines().filter(|line| line.contains("\"configuration\":\"forge-adr\""));
    assert_eq!(lines.count(), 12);
    insta::assert_snapshot!(text);
    let later = text.replacen("\"format\": 1", "\"format\": 2", 1);
    assert!(matches!(Baseline::parse("b.json", &later), Err(Error::Invalid { .. })));
    assert!(matches!(Baseline::parse("b.json", "{"), Err(Error::Line { line: 1, .. })));
    let changed = Baseline::of(&altered(3, MetricId::Violations, Some(1.0)), &policy);
    assert_eq!(second.changed_rows(&changed), 1);
}

#[test]
fn the_same_inputs_are_the_same_judgement() {
    let (policy, run) = (policy(POLICY), moved(-0.02, 0.02));
    let json = || render::json(&judged_by(&policy, &run)).expect("it writes");
    assert_eq!(json(), json());
}
