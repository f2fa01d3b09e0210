//! Verdicts of made runs.

use super::fixture::{Figures, Made, POLICY, ended_at, ended_well};
use super::*;
use crate::measure::MetricId;
use crate::prelude::*;

fn policy(text: &str) -> Policy {
    Policy::parse("policy.toml", text).expect("it parses")
}

fn with(more: &str) -> Policy {
    policy(&POLICY.replacen("name = \"test\"", &format!("name = \"test\"\n{more}"), 1))
}

fn recall(seed: u64, by: f64) -> f64 {
    0.5 + (seed % 5) as f64 / 50.0 + by
}

fn moved(by: f64, noise: f64) -> RunData {
    Made::small().run(|_, _, seed| {
        let noise = noise * ((seed * 7 % 5) as f64 - 2.0);
        ended_well(recall(seed, by + noise))
    })
}

fn died_early(known: f64) -> Figures {
    let mut figures = ended_at(5.0, known);
    figures.insert(MetricId::TokensMeanPrompt, 100.0);
    figures
}

fn base(policy: &Policy) -> Baseline {
    Baseline::of(&moved(0.0, 0.0), policy)
}

fn judged_by(policy: &Policy, run: &RunData) -> Judgement {
    judge(Some(&base(policy)), run, policy).expect("it judges")
}

fn altered(seed: u64, metric: MetricId, value: Option<f64>) -> RunData {
    let mut run = moved(0.0, 0.0);
    let row = run.measurements.iter_mut().find(|row| row.key.seed == seed).expect("a row");
    row.figures.put(metric, value);
    run
}

#[test]
fn what_differs_in_the_inputs_is_named_and_not_judged() {
    let other = || Digest::of(b"other");
    type Change<'a> = dyn Fn(&mut RunData) + 'a;
    let changes: [(&str, &Change<'_>); 8] = [
        ("metric version of `recall_at_need`", &|run| {
            let mut metrics = run.manifest.metrics.iter_mut();
            metrics.find(|(id, _)| id == MetricId::RecallAtNeed.name()).expect("a metric").1 = 99;
        }),
        ("schema of the run directory", &|run| run.manifest.schema += 1),
        ("tokenizer: `o200k` against `other`", &|run| run.manifest.tokenizer = "other".to_owned()),
        ("summarizer: `extractive` against `empty`", &|run| {
            run.manifest.summarizers[0] = "empty".to_owned();
            run.measurements.iter_mut().for_each(|row| row.key.summarizer = "empty".to_owned());
        }),
        ("price sheet: `example`", &|run| run.manifest.prices.digest = other()),
        ("scenario digest of `plain`", &|run| run.manifest.scenarios[0].digest = other()),
        ("digest of `plain` seed 3: the log", &|run| run.manifest.sessions[2].log = other()),
        ("digest of `plain` seed 3: the truth", &|run| run.manifest.sessions[2].truth = other()),
    ];
    let priced = "[[rule]]\nname = \"price\"\nkind = \"soft\"\nmetric = \"cost.usd\"\n\
                  margin = 1\nmay-match-nothing = true\n";
    let with_prices = policy(&format!("{POLICY}{priced}"));
    for (says, change) in changes {
        // So far off that any comparison would find it.
        let mut run = moved(-0.3, 0.002);
        change(&mut run);
        let judgement = judged_by(&with_prices, &run);
        let mut findings = judgement.findings.iter();
        assert!(findings.any(|one| one.reason.contains(says)), "{says}: {judgement:#?}");
        assert_eq!((judgement.verdict, judgement.exit_code), (Verdict::Incompatible, 23));
        let mut findings = judgement.findings.iter();
        let is_judged = findings.any(|one| one.verdict == Verdict::Regression);
        assert_eq!(is_judged, says.starts_with("price"), "{says}");
    }
    // Prices that no rule rests on may differ.
    let mut run = moved(0.0, 0.0);
    run.manifest.prices.digest = other();
    assert_eq!(judged_by(&policy(POLICY), &run).verdict, Verdict::PassIdentical);
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
    for finding in judgement.findings.iter().filter(|one| one.kind == Kind::Soft) {
        assert_eq!(finding.verdict, Verdict::CompletionFell, "{finding:#?}");
        assert!(finding.p.is_none() || finding.p_holm.is_none());
    }
    let first = &judgement.findings[0];
    assert_eq!((first.rule.as_str(), first.cell_count), ("completion-first", 1));
    assert!(first.cells[0].contains("plain/forge-adr/4 (12 of 40 steps)"), "{:?}", first.cells);
}

#[test]
fn where_the_summarizer_draws_lots_a_few_early_ends_are_chance_and_many_are_not() {
    let policy = policy(POLICY);
    let most = Made { seeds: 64, ..Made::small() };
    let with = |early: u64, late: u64| {
        most.run(move |_, _, seed| match seed {
            _ if seed <= early => ended_at(20.0, 1.0),
            _ if seed <= early + late => ended_at(30.0, 1.0),
            _ => ended_well(recall(seed, 0.0)),
        })
    };
    let noisy = |run: &RunData| Baseline::of(run, &policy).summarized_by("extractive~0.1");
    for (before, after, verdict) in [
        ((0, 1), (1, 0), Verdict::Undecided),
        ((1, 1), (1, 1), Verdict::PassIdentical),
        ((0, 0), (1, 0), Verdict::Undecided),
        ((0, 0), (12, 0), Verdict::CompletionFell),
        ((12, 0), (0, 0), Verdict::Improvement),
    ] {
        let (before, after) = (with(before.0, before.1), with(after.0, after.1));
        let judgement = between(&noisy(&before), &noisy(&after), &policy);
        let first = judgement.findings.iter().find(|one| one.rule == "completion-first");
        assert_eq!(first.map_or(Verdict::PassIdentical, |one| one.verdict), verdict);
        // Without lots each early end is the change's doing.
        let exact =
            between(&Baseline::of(&before, &policy), &Baseline::of(&after, &policy), &policy);
        let fell = matches!(verdict, Verdict::Undecided | Verdict::CompletionFell);
        assert_eq!(exact.verdict == Verdict::CompletionFell, fell, "{verdict}");
    }
}

#[test]
fn who_ends_earlier_is_never_better() {
    // Whatever else it gains: cheaper, smaller, with a lower floor, all known.
    let policy = policy(include_str!("../../scenarios/gates.toml"));
    let whole = |seed: u64| {
        let mut figures = ended_well(recall(seed, 0.0));
        figures.extend([(MetricId::CostUsd, 3.0), (MetricId::FloorOnePassMean, 9_000.0)]);
        figures.extend([(MetricId::CostReacquire, 5_000.0)]);
        figures
    };
    let before = Made::small().run(|_, _, seed| whole(seed));
    for dying in [1, 6, 12] {
        let run = Made::small().run(|_, _, seed| {
            let mut figures = whole(seed);
            if seed <= dying {
                figures.extend(ended_at(20.0, 1.0));
                figures.extend([(MetricId::CostUsd, 0.5), (MetricId::FloorOnePassMean, 100.0)]);
                figures.extend([(MetricId::CostReacquire, 0.0)]);
                figures.insert(MetricId::TokensMeanPrompt, 100.0);
            }
            figures
        });
        let judged = judge(Some(&Baseline::of(&before, &policy)), &run, &policy);
        let judgement = judged.expect("it judges");
        assert_eq!(judgement.verdict, Verdict::CompletionFell, "{dying}");
        for finding in judgement.findings.iter().filter(|one| one.kind == Kind::Soft) {
            assert_eq!(finding.verdict, Verdict::CompletionFell, "{dying}: {finding:#?}");
        }
    }
}

#[test]
fn sessions_that_come_farther_than_they_did_are_not_held_against_the_candidate() {
    // The baseline died early in two sessions, with small prompts.
    let policy = policy(POLICY);
    let before = Made::small()
        .run(|_, _, seed| if seed > 2 { ended_well(recall(seed, 0.0)) } else { died_early(0.1) });
    let baseline = Baseline::of(&before, &policy);
    let judgement = judge(Some(&baseline), &moved(0.0, 0.0), &policy).expect("it judges");
    // Two may come farther by chance, but not all of them are as they were.
    assert_eq!(judgement.verdict, Verdict::Pass, "{:#?}", judgement.findings);
    // Recall at need is charged with what was not reached; other figures are compared in ten.
    for finding in judgement.findings.iter().filter(|one| one.kind == Kind::Soft) {
        let all = finding.metric == Some(MetricId::RecallAtNeed);
        assert_eq!(finding.n, if all { 12 } else { 10 }, "{finding:#?}");
    }
    assert!(judgement.notes[0].contains("2 of 12 sessions come farther"), "{:?}", judgement.notes);
}

#[test]
fn a_repair_is_an_improvement_unless_more_is_forgotten() {
    // The baseline died early in ten of twelve sessions: two are left to compare.
    let policy = policy(POLICY);
    let died = |known: f64| {
        let run = Made::small().run(move |_, _, seed| {
            if seed > 10 { ended_well(recall(seed, 0.0)) } else { died_early(known) }
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
fn cells_and_figures_that_are_gone_are_named() {
    let mut run = moved(0.0, 0.0);
    run.measurements.retain(|row| row.key.seed != 7);
    let judgement = judged_by(&policy(POLICY), &run);
    assert_eq!(judgement.verdict, Verdict::IncompleteRun);
    assert_eq!(judgement.findings[0].cells, ["plain/forge-adr/7"]);
    // A figure that is gone is no pass.
    let gone = judged_by(&policy(POLICY), &altered(7, MetricId::RecallAtNeed, None));
    assert_eq!(gone.verdict, Verdict::Undecided);
    assert!(gone.findings[0].reason.contains("1 cells lack a figure"), "{:#?}", gone.findings[0]);
}

#[test]
fn what_is_only_warned_of_passes_and_says_so() {
    let configurations = vec!["forge-adr".to_owned(), "codex".to_owned()];
    let with_new = Made { configurations, ..Made::small() };
    let with_new = with_new.run(|_, _, seed| ended_well(recall(seed, 0.0)));
    let noisy = moved(0.0, 0.1);
    let mut worse = moved(0.0, 0.1);
    for row in &mut worse.measurements {
        row.figures.put(MetricId::TokensMeanPrompt, 20_000.0);
    }
    for (more, run, verdict, code) in [
        ("undecided = \"fail\"", &noisy, Verdict::Undecided, 21),
        ("", &noisy, Verdict::Undecided, 0),
        // A regression beside it still fails.
        ("", &worse, Verdict::Regression, 20),
        ("", &with_new, Verdict::NoBaseline, 22),
        ("no-baseline = \"warn\"", &with_new, Verdict::NoBaseline, 0),
    ] {
        let judgement = judged_by(&with(more), run);
        assert_eq!((judgement.verdict, judgement.exit_code), (verdict, code), "{more}");
        assert_eq!(judgement.warned, code == 0, "{more}");
        assert!(!judgement.next.is_empty());
    }
}

#[test]
fn scenarios_are_shown_and_count_as_the_policy_says() {
    // Worse in one scenario, better in the other: nothing on the whole.
    let judged = |more: &str, seeds: u64| {
        let made = Made { scenarios: vec!["a".to_owned(), "b".to_owned()], seeds, ..Made::small() };
        let run = |by: f64| {
            made.run(move |scenario, _, seed| {
                let by = if scenario == "b" { by } else { -by };
                ended_well(recall(seed, by + 0.002 * (seed % 3) as f64))
            })
        };
        let policy = with(more);
        judge(Some(&Baseline::of(&run(0.0), &policy)), &run(-0.2), &policy).expect("it judges")
    };
    let of_b = |judgement: &Judgement| {
        let mut findings = judgement.findings.iter();
        let is_b = |one: &&Finding| one.scenario.as_deref() == Some("b") && one.rule == "recall";
        findings.find(is_b).map(|one| (one.verdict, one.counts))
    };
    for (more, seeds, verdict, in_b) in [
        ("", 12, Verdict::Regression, (Verdict::Regression, true)),
        ("per-scenario = \"show\"", 12, Verdict::Pass, (Verdict::Regression, false)),
        // Too few sessions of a scenario are shown, and do not count.
        ("", 5, Verdict::Pass, (Verdict::Undecided, false)),
    ] {
        let judgement = judged(more, seeds);
        assert_eq!(judgement.verdict, verdict, "{more}: {judgement:#?}");
        assert_eq!(of_b(&judgement), Some(in_b), "{more}");
    }
}

#[test]
fn a_rule_that_finds_nothing_is_an_error_at_its_place() {
    for (from, to, hint) in [
        ("\"size\"", "\"size\"\nconfigurations = [\"forge-ard\"]", "did you mean `forge-adr`?"),
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

const HELD: &str = "name = \"test\"\n[[rule]]\nname = \"structure\"\nkind = \"hard\"\n\
                    metric = \"violations\"\nrise = 0.10\n";

fn breaking(configuration: &str, times: impl Fn(u64) -> f64) -> RunData {
    let made = Made { configurations: vec![configuration.to_owned()], ..Made::small() };
    made.run(|_, _, seed| {
        let broken = [(MetricId::Violations, times(seed))];
        ended_well(0.5).into_iter().chain(broken).collect()
    })
}

#[test]
fn no_session_begins_to_break_a_rule_and_where_most_did_the_mean_is_held() {
    let policy = policy(HELD);
    let few = |seed: u64| f64::from(u8::from(seed <= 3));
    let one = |seed: u64| f64::from(u8::from(seed == 5));
    type Times<'a> = &'a dyn Fn(u64) -> f64;
    let cases: [(Times, Times, usize, &str); 7] = [
        (&|_| 0.0, &|_| 0.0, 0, "higher than before in none of 12 cells"),
        (
            &|_| 0.0,
            &one,
            1,
            "higher than before in 1 of 12 cells, up to 1; the mean was 0 and is 0.083",
        ),
        (&few, &few, 0, "none of 12"),
        (&few, &|seed| few(seed) + one(seed), 1, "1 of 12"),
        (&few, &one, 1, "1 of 12"),
        // Chance decides which sessions do it how often.
        (
            &|_| 2.0,
            &|seed| 1.5 + (seed % 2) as f64,
            0,
            "the mean was 2 and is 2, not more than 10% higher",
        ),
        (
            &|_| 2.0,
            &|_| 3.0,
            12,
            "above 0 in 12 of 12 cells before; the mean was 2 and is 3, more than 10% higher",
        ),
    ];
    for (before, after, cells, says) in cases {
        let baseline = Baseline::of(&breaking("forge-adr", before), &policy);
        let judgement = judge(Some(&baseline), &breaking("forge-adr", after), &policy);
        let judgement = judgement.expect("it judges");
        let found = &judgement.findings[0];
        assert!(found.reason.contains(says), "{} has no `{says}`", found.reason);
        assert_eq!(found.cell_count, cells, "{says}");
        let expected = if cells > 0 { Verdict::InvariantViolated } else { Verdict::Pass };
        assert_eq!((judgement.verdict, judgement.exit_code), (expected, expected.code()), "{says}");
    }
}

#[test]
fn a_session_that_comes_farther_may_break_a_rule_as_often_a_step() {
    let policy = policy(HELD);
    let died = Made::small().run(|_, _, _| {
        ended_at(10.0, 0.5).into_iter().chain([(MetricId::Violations, 1.0)]).collect()
    });
    for (times, verdict) in [(4.0, Verdict::Improvement), (5.0, Verdict::InvariantViolated)] {
        let run = breaking("forge-adr", |_| times);
        let judgement = judge(Some(&Baseline::of(&died, &policy)), &run, &policy);
        assert_eq!(judgement.expect("it judges").verdict, verdict, "{times}");
    }
}

#[test]
fn a_configuration_that_the_baseline_does_not_hold_is_held_to_nothing_broken() {
    let policy = policy(HELD);
    let baseline = Baseline::of(&breaking("forge-adr", |_| 0.0), &policy);
    for (times, verdict) in [(0.0, Verdict::Pass), (2.0, Verdict::InvariantViolated)] {
        let mut run = breaking("forge-adr", |_| 0.0);
        run.measurements.extend(breaking("mine", |_| times).measurements);
        let judgement = judge(Some(&baseline), &run, &policy).expect("it judges");
        assert_eq!(judgement.verdict, verdict, "{:#?}", judgement.findings);
        let mut findings = judgement.findings.iter();
        let own = findings.find(|one| one.configuration.as_deref() == Some("mine"));
        let says = "the baseline does not hold this configuration, which is held to 0";
        assert!(own.expect("a finding").reason.contains(says));
    }
    // A baseline from before the metric was there, and none at all.
    let mut old = Baseline::of(&breaking("forge-adr", |_| 0.0), &policy);
    old.inputs.metrics.remove(&MetricId::Violations);
    for baseline in [Some(&old), None] {
        let judgement = judge(baseline, &breaking("forge-adr", |_| 1.0), &policy);
        assert_eq!(judgement.expect("it judges").verdict, Verdict::NoBaseline);
    }
}

#[test]
fn a_guard_fails_on_a_loss_that_is_shown_and_not_on_what_stays_open() {
    let guards = POLICY.replacen("margin = 0.05", "margin = 0.05\nmay-stay-open = true", 1);
    for (by, noise, verdict) in [(0.0, 0.1, Verdict::Pass), (-0.2, 0.002, Verdict::Regression)] {
        let judgement = judged_by(&policy(&guards), &moved(by, noise));
        assert_eq!(judgement.verdict, verdict, "{:#?}", judgement.findings);
        let mut findings = judgement.findings.iter();
        let recall = findings.find(|one| one.rule == "recall").expect("a finding");
        assert_eq!(recall.counts, verdict == Verdict::Regression);
    }
}

#[test]
fn a_baseline_is_one_line_a_cell_and_reads_back() {
    let policy = policy(POLICY);
    let blessing = |why: &str| -> Blessing {
        let blessing = serde_json::json!({
            "date": "2026-01-02", "who": "A \"B\" C", "why": why, "run": Digest::of(b"run"),
            "suite": "made", "tool": "proctor 0.0.0",
            "policy": { "name": "test", "digest": policy.digest },
        });
        serde_json::from_value(blessing).expect("a blessing")
    };
    let first = base(&policy).bless(blessing("first"), None);
    let second = base(&policy).bless(blessing("second"), Some(&first));
    let text = second.text().expect("it writes");
    assert_eq!(Baseline::parse("b.json", &text).expect("it reads"), second);
    assert_eq!(second.history.iter().map(|one| one.why.as_str()).collect::<Vec<_>>(), ["first"]);
    let lines = text.lines().filter(|line| line.contains("\"configuration\":\"forge-adr\""));
    assert_eq!(lines.count(), 12);
    insta::assert_snapshot!(text);
    let later = text.replacen("\"format\": 1", "\"format\": 2", 1);
    assert!(matches!(Baseline::parse("b.json", &later), Err(Error::Invalid { .. })));
    assert!(matches!(Baseline::parse("b.json", "{"), Err(Error::Line { line: 1, .. })));
    let changed = Baseline::of(&altered(3, MetricId::Violations, Some(1.0)), &policy);
    assert_eq!(second.changed_rows(&changed), 1);
}
