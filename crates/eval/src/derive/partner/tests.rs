use super::*;
use crate::derive::sample::{Sample, SampleCell, cell, row, text};

fn control(prompts: &[u64]) -> SampleCell {
    cell("none", "windowless").prompts(prompts)
}

fn forge() -> SampleCell {
    cell("forge", "windowed")
        .with(MetricId::TokensSummarizer, "60")
        .with(MetricId::CostReacquire, "40")
}

fn found(sample: &Sample, metric: MetricId) -> Derived {
    row(&sample.derive(), "scenario/forge/1/extractive/0", metric)
}

#[test]
fn savings_compare_with_the_control_over_the_steps_reached() {
    for (prompts, completion, gross, net, effective, reason) in [
        // 300 of 1000; with 60 summarized, 360; with 40 to bring back, 400.
        (&[100, 100, 50, 50][..], "1", "0.7", "0.64", "0.6", Basis::Direct),
        // Two steps reached: 200 of 300.
        (&[100, 100][..], "0", "0.333333333", "0.133333333", "0", Basis::EndedEarly),
    ] {
        let cells = vec![control(&[100, 200, 300, 400]), {
            forge().prompts(prompts).with(MetricId::Completion, completion)
        }];
        let sample = Sample::of(cells);
        for (metric, expected) in [
            (MetricId::SavingsGross, gross),
            (MetricId::SavingsNet, net),
            (MetricId::SavingsEffective, effective),
        ] {
            let row = found(&sample, metric);
            assert_eq!((text(&row).as_str(), &row.basis), (expected, &reason), "{metric}");
        }
    }
}

#[test]
fn without_a_partner_the_field_is_empty_and_says_why() {
    let alone = Sample::of(vec![forge().prompts(&[100])]);
    let other_session = Sample::of(vec![forge().prompts(&[100]), control(&[100]).seed(2)]);
    let no_steps = Sample::of(vec![forge().with(MetricId::StepsReached, "0"), control(&[100])]);
    for (sample, reason) in
        [(alone, Basis::NoControl), (other_session, Basis::NoControl), (no_steps, Basis::NoStep)]
    {
        for metric in [
            MetricId::SavingsGross,
            MetricId::SavingsNet,
            MetricId::CostSaved,
            MetricId::CostBreakEvenStep,
        ] {
            let row = found(&sample, metric);
            assert_eq!((row.value, row.n, &row.basis), (None, 0, &reason), "{metric}");
        }
    }
}

#[test]
fn the_break_even_step_counts_summaries_and_lasts_to_the_end() {
    let theirs = [10, 20, 30, 40];
    for (name, own, compaction, expected) in [
        // Running costs 10, 35, 40, 45 against 10, 30, 60, 100.
        ("a summary before step 2", &[10, 5, 5, 5][..], Some((2, "20")), "3"),
        ("free from the start", &[5, 5, 5, 5], None, "1"),
        ("the same as the control", &[10, 20, 30, 40], None, ""),
        // 5, 25, 100, 140: cheaper for two steps only.
        ("cheaper for a while", &[5, 20, 75, 40], None, ""),
        // 5, 25, 55, 95 with 90 more at the last step.
        ("lost at the last step", &[5, 20, 30, 40], Some((4, "90")), ""),
    ] {
        let mut forge = forge().prompts(own);
        if let Some((step, usd)) = compaction {
            forge = forge.compaction(step, 1, usd);
        }
        let sample = Sample::of(vec![control(&theirs), forge]);
        assert_eq!(text(&found(&sample, MetricId::CostBreakEvenStep)), expected, "{name}");
    }
}

fn truncate(limit: &str, mean: u64, recall: &str) -> SampleCell {
    cell("truncate", limit).prompts(&[mean]).with(MetricId::RecallAtNeed, recall)
}

#[test]
fn truncation_is_compared_at_the_same_mean_prompt() {
    let sweep = || {
        vec![
            truncate("limit=0.30", 300, "0.3"),
            truncate("limit=0.15", 100, "0.1"),
            truncate("limit=0.60", 500, "0.4"),
            truncate("limit=0.90", 500, "0.5"),
            truncate("limit=0.01", 1, "0.9").with(MetricId::Completion, "0"),
            truncate("limit=0.20", 200, "1").seed(2),
        ]
    };
    for (mean, recall, difference, reason) in [
        (200, "0.2", "0.5", Basis::Direct),
        (300, "0.3", "0.4", Basis::Direct),
        (400, "0.4", "0.3", Basis::Direct),
        (500, "0.5", "0.2", Basis::Direct),
        (501, "", "", Basis::OutsideSweep),
        (50, "", "", Basis::OutsideSweep),
    ] {
        let mut cells = sweep();
        cells.push(forge().prompts(&[mean]).with(MetricId::RecallAtNeed, "0.7"));
        let sample = Sample::of(cells);
        let (truncate, equal) = (
            found(&sample, MetricId::SavingsTruncateRecall),
            found(&sample, MetricId::SavingsTruncateEqual),
        );
        let found = (text(&truncate), text(&equal), equal.basis);
        assert_eq!(found, (recall.to_owned(), difference.to_owned(), reason), "{mean}");
    }
}

#[test]
fn a_breach_is_measured_at_common_checkpoints() {
    let all = [10, 10, 10];
    let ours = forge().floor(2, [900, 50, 40], all).floor(4, [900, 90, 40], all);
    let ours = ours.floor(6, [900, 80, 1], all);
    let reference =
        cell("plain", "windowed").floor(2, [900, 100, 90], all).floor(4, [900, 100, 90], all);
    let sample = Sample::of(vec![ours.clone(), reference]).reference("forge", "plain");
    // 1 - 50/100 and 1 - 90/100; the reference never reached the third checkpoint.
    assert_eq!(text(&found(&sample, MetricId::FloorBreach)), "0.1");
    assert_eq!(text(&found(&sample, MetricId::FloorBreachMedian)), "0.3");
    let alone = Sample::of(vec![ours.clone()]).reference("forge", "plain");
    let row = found(&alone, MetricId::FloorBreach);
    let reference = "plain".to_owned();
    assert_eq!((row.value, row.basis), (None, Basis::NoReferenceCell { reference }));
    let unnamed = Sample::of(vec![ours]).derive();
    assert!(unnamed.iter().all(|row| row.metric != MetricId::FloorBreach));
}
