use std::collections::BTreeSet;

use super::brackets::DECISIVE;
use super::sample::{Sample, SampleCell, cell, row};
use super::*;
use crate::frame::Basis;
use crate::measure::{Check, MetricId, Sign, Word};
use crate::pressure::Occasion;
use crate::row::CompactionRow;
use crate::stats::resample::Interval;

fn derived(cells: Vec<SampleCell>) -> Vec<Derived> {
    Sample::of(cells).derive()
}

/// Metric, value and sessions of the rows of a subject.
fn figures(rows: &[Derived], scope: Scope, subject: &str) -> Vec<(MetricId, Option<f64>, u32)> {
    let own = rows.iter().filter(|row| row.subject.scope == scope);
    let own = own.filter(|row| row.subject.to_string() == subject);
    own.map(|row| (row.metric, row.as_number(), row.n)).collect()
}

fn told(scenario: &str, seed: u64, recall: &str) -> SampleCell {
    cell("forge", "windowed").on(scenario).seed(seed).with(MetricId::RecallAtNeed, recall)
}

#[test]
fn only_sessions_told_in_both_banks_are_compared() {
    let rows = derived(vec![
        told("orchard", 1, "0.9"),
        told("orchard", 2, "0.5"),
        told("orchard-bank-b", 1, "0.6"),
        told("valve", 1, "0.7"),
        told("valve-bank-b", 1, "0.8"),
    ]);
    let expected = [(MetricId::BankA, 0.8), (MetricId::BankB, 0.7), (MetricId::BankGap, 0.1)];
    let expected = expected.map(|(metric, value)| (metric, Some(value), 2));
    assert_eq!(figures(&rows, Scope::Bank, "forge/deployed/extractive"), expected);
    assert_eq!(rows.iter().filter(|row| row.subject.scope == Scope::Bank).count(), 3);
}

#[test]
fn twins_are_left_out_of_what_is_pooled_over_scenarios() {
    let rows = derived(vec![told("orchard", 1, "0.9"), told("orchard-bank-b", 1, "0.1")]);
    let pooled = row(&rows, "forge/deployed/extractive", MetricId::RecallAtNeed);
    assert_eq!((pooled.as_number(), pooled.n), (Some(0.9), 1));
}

fn sign_of(ours: [&str; 3], theirs: [&str; 3]) -> Derived {
    let under = |pipeline: &'static str, recalls: [&str; 3]| -> Vec<SampleCell> {
        let told = DECISIVE.into_iter().zip(recalls).filter(|(_, recall)| !recall.is_empty());
        told.map(|(summarizer, recall)| {
            cell(pipeline, "windowed")
                .summarizer(summarizer.name())
                .with(MetricId::RecallAtNeed, recall)
                .with(MetricId::TokensSummarizer, "9")
        })
        .collect()
    };
    let rows = derived([under("a", ours), under("b", theirs)].concat());
    row(&rows, "scenario/a - b/deployed", MetricId::BracketSign)
}

#[test]
fn a_difference_counts_only_where_its_sign_holds() {
    for (ours, theirs, expected) in [
        (["0.3", "0.5", "0.9"], ["0.2", "0.4", "0.8"], Some(Sign::Higher)),
        (["0.1", "0.3", "0.7"], ["0.2", "0.4", "0.8"], Some(Sign::Lower)),
        (["0.2", "0.4", "0.8"], ["0.2", "0.4", "0.8"], Some(Sign::Equal)),
        (["0.3", "0.5", "0.8"], ["0.2", "0.4", "0.8"], Some(Sign::SummarizerDependent)),
        (["0.1", "0.5", "0.9"], ["0.2", "0.4", "0.8"], Some(Sign::SummarizerDependent)),
        (["0.3", "0.5", ""], ["0.2", "0.4", "0.8"], None),
    ] {
        let found = sign_of(ours, theirs).as_word();
        assert_eq!(found, expected.map(Word::Sign), "{ours:?} against {theirs:?}");
    }
}

#[test]
fn what_asks_for_no_summary_is_the_same_under_all() {
    let truncate = |summarized: &str| {
        cell("truncate", "windowed")
            .with(MetricId::RecallAtNeed, "0.1")
            .with(MetricId::TokensSummarizer, summarized)
    };
    let other = cell("a", "windowed").summarizer("empty").with(MetricId::RecallAtNeed, "0.1");
    let another = cell("a", "windowed").with(MetricId::RecallAtNeed, "0.2");
    for (summarized, expected) in [("0", Some(0.1)), ("5", None)] {
        let rows = derived(vec![truncate(summarized), other.clone(), another.clone()]);
        let row = row(&rows, "scenario/truncate/deployed", MetricId::BracketEmpty);
        assert_eq!(row.as_number(), expected);
    }
}

#[test]
fn a_control_must_know_everything_and_invent_nothing() {
    for (recall, decoys, faults) in
        [("1", "0", 0), ("0.99", "0", 1), ("1", "2", 1), ("0", "1", 2), ("", "0", 0)]
    {
        let control = cell("none", "windowless")
            .with(MetricId::RecallAll, recall)
            .with(MetricId::DecoysSeen, decoys);
        let found = controls_hold(&derived(vec![control])).err().map_or(0, |faults| faults.len());
        assert_eq!(found, faults, "{recall} and {decoys}");
    }
}

#[test]
fn knowing_more_must_help_on_every_scenario() {
    for (recalls, expected) in [
        (["0.1", "0.4", "0.4"], Check::Holds),
        (["0.5", "0.4", "0.9"], Check::Fails),
        (["0.1", "0.9", "0.8"], Check::Fails),
    ] {
        let under = DECISIVE.into_iter().zip(recalls).map(|(summarizer, recall)| {
            let cell = cell("forge", "windowed").with(MetricId::TokensSummarizer, "7");
            cell.summarizer(summarizer.name()).with(MetricId::RecallAtNeedReached, recall)
        });
        let rows = derived(under.collect());
        let row = row(&rows, "scenario", MetricId::ControlBrackets);
        assert_eq!(row.as_word(), Some(Word::Check(expected)), "{recalls:?}");
    }
}

#[test]
fn a_session_without_a_control_does_not_hold() {
    let rows = derived(vec![cell("truncate", "windowed")]);
    let faults = controls_hold(&rows).expect_err("no control");
    assert!(faults[0].contains("no windowless control"), "{faults:?}");
}

/// The pipelines on the front of a pool.
fn front(sample: &Sample, inferred: &[&str], pool: &str) -> Vec<String> {
    let inferred = inferred.iter().map(ToString::to_string).collect();
    let rows = curve(&sample.cells, &inferred).into_iter();
    rows.filter(|row| row.pool == pool && row.on_front == 1).map(|row| row.pipeline).collect()
}

fn at(pipeline: &str, variant: &str, mean: &str, recall: &str) -> SampleCell {
    let cell = cell(pipeline, variant).with(MetricId::TokensMeanPrompt, mean);
    cell.with(MetricId::RecallAtNeed, recall)
        .with(MetricId::Oracle, "0.9")
        .with(MetricId::RandomDrop, "0.1")
}

#[test]
fn an_inferred_pipeline_has_a_point_and_no_place_on_the_front() {
    let sample = Sample::of(vec![
        at("known", "windowed", "600", "0.5"),
        at("guessed", "windowed", "300", "0.9"),
    ]);
    assert_eq!(front(&sample, &["guessed"], "all"), ["known"]);
    assert_eq!(front(&sample, &[], "all"), ["guessed"]);
}

#[test]
fn the_front_is_what_no_completed_point_beats() {
    let sample = Sample::of(vec![
        at("a", "windowed", "100", "0.2"),
        at("b", "windowed", "200", "0.2"),
        at("c", "windowed", "300", "0.5"),
        at("d", "windowed", "250", "0.8").with(MetricId::Completion, "0"),
        at("none", "windowless", "900", "1"),
        at("e", "windowed", "50", ""),
    ]);
    for pool in ["family", "all"] {
        assert_eq!(front(&sample, &[], pool), ["a", "c", "none"]);
    }
    let rows = curve(&sample.cells, &BTreeSet::new());
    let bound = rows.iter().find(|row| row.pipeline == "c" && row.point == "oracle").unwrap();
    assert_eq!((bound.mean_share.as_str(), bound.recall.as_str()), ("0.3", "0.9"));
    assert!(rows.iter().all(|row| row.pipeline != "e" || row.point != "achieved"));
}

#[test]
fn a_faulty_cell_stands_beside_the_same_one_without_the_fault() {
    let driven = |summarizer: &str, completion: &str, usd: &str, recall: &str| {
        let own =
            cell("a", "windowed").summarizer(summarizer).with(MetricId::Completion, completion);
        own.with(MetricId::CostUsd, usd).with(MetricId::RecallAtNeed, recall)
    };
    let rows = derived(vec![
        driven("extractive", "1", "2", "0.5"),
        driven("extractive+error", "1", "3", "0.25"),
        driven("extractive+empty", "0", "1", "0"),
        driven("empty+empty", "1", "1", "0"),
    ]);
    let found = |summarizer: &str, metric: MetricId| {
        let row = row(&rows, &format!("scenario/a/1/{summarizer}/0"), metric);
        (row.as_number(), row.basis)
    };
    assert_eq!(found("extractive+error", MetricId::FaultsCostRatio).0, Some(1.5));
    assert_eq!(found("extractive+error", MetricId::FaultsRecallChange).0, Some(-0.25));
    assert_eq!(found("extractive+empty", MetricId::FaultsCostRatio), (None, Basis::CutShort));
    assert_eq!(found("extractive+empty", MetricId::FaultsRecallChange).0, Some(-0.5));
    assert_eq!(found("empty+empty", MetricId::FaultsCostRatio).1, Basis::NoSoundPartner);
    // A fault is no bracket and no configuration of its own.
    let mut others = rows.iter().filter(|row| row.subject.scope != Scope::Cell);
    assert!(others.all(|row| !row.subject.to_string().contains('+')));
}

#[test]
fn replicates_count_as_one_session() {
    let of = |seed, replicate, recall: &str| told("scenario", seed, recall).replicate(replicate);
    let rows = derived(vec![of(1, 0, "0.2"), of(1, 1, "0.4"), of(2, 0, "0.9")]);
    for pool in ["scenario/forge/deployed/extractive", "forge/deployed/extractive"] {
        let row = row(&rows, pool, MetricId::RecallAtNeed);
        assert_eq!((row.as_number(), row.n), (Some(0.6), 2), "{pool}");
        assert_eq!(row.interval, Some(Interval { low: 0.3, high: 0.9 }), "{pool}");
    }
}

#[test]
fn savings_of_sessions_that_ended_early_are_not_pooled() {
    let control = |seed| cell("none", "windowless").seed(seed).prompts(&[100, 100]);
    let saved = |seed, completion: &str| {
        cell("forge", "windowed")
            .seed(seed)
            .with(MetricId::Completion, completion)
            .with(MetricId::TokensSummarizer, "0")
            .prompts(&[50, 100])
    };
    let rows = derived(vec![control(1), control(2), saved(1, "1"), saved(2, "0")]);
    let row = row(&rows, "family/forge/deployed/extractive", MetricId::SavingsNet);
    assert_eq!((row.as_number(), row.n), (Some(0.25), 1));
}

fn moments(cell: &str, flags: [bool; 3], reason: &str, n: u32) -> TriggerRow {
    TriggerRow {
        cell: cell.to_owned(),
        stage: 2,
        strategy: "truncate".to_owned(),
        occasion: Occasion::BeforeCall,
        fired: flags[0],
        changed: flags[1],
        declined: flags[2],
        reason: reason.to_owned(),
        n,
    }
}

#[test]
fn moments_are_summed_over_sessions_and_firings_have_a_median() {
    let cells = vec![cell("p", "windowed"), cell("p", "windowed").seed(2)];
    let mut sample = Sample::of(cells);
    let ids = ["scenario/p/1/extractive/0", "scenario/p/2/extractive/0"];
    sample.triggers = vec![
        moments(ids[0], [true, true, false], "", 3),
        moments(ids[0], [false, false, false], "below its limit", 40),
        moments(ids[0], [false, false, true], "no batch", 5),
        moments(ids[1], [true, false, false], "", 1),
        moments(ids[1], [false, false, true], "nothing old", 2),
    ];
    let plan = |utilization: f64, round| CompactionRow {
        cell: ids[0].to_owned(),
        stage: "truncate".to_owned(),
        occasion: Occasion::BeforeCall,
        utilization: Some(utilization),
        round,
        ..crate::measure::sample::compaction_row()
    };
    sample.compactions = vec![plan(0.8, 0), plan(0.7, 1), plan(0.9, 0), plan(0.6, 0)];
    let rows = sample.derive();
    for (scope, subject) in [
        (Scope::Stage, "p/deployed/extractive/2 truncate"),
        (Scope::Trigger, "p/deployed/extractive/2 truncate/before-call"),
    ] {
        let expected = [
            (MetricId::TriggerDue, Some(51.0), 2),
            (MetricId::TriggerFired, Some(4.0), 2),
            (MetricId::TriggerChanged, Some(3.0), 2),
            (MetricId::TriggerDeclined, Some(7.0), 2),
            (MetricId::TriggerUtilization, Some(0.8), 2),
        ];
        assert_eq!(figures(&rows, scope, subject), expected, "{scope:?}");
    }
    let declined = rows.iter().find(|row| row.metric == MetricId::TriggerDeclined);
    let declined = declined.expect("a row").basis.to_string();
    assert_eq!(declined, "no batch (5); nothing old (2)");
}
