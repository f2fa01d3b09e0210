use super::*;
use crate::derive::sample::{self, Sample, SampleCell, cell, text};
use crate::measure::floor::verdict::Support;

const KNOWN: [u32; 3] = [8, 6, 5];

/// Three seeds of sessions of 24, 48 and 96 turns whose floor follows a law.
fn family(pipeline: &str, law: impl Fn(f64) -> f64, known: [u32; 3]) -> Vec<SampleCell> {
    let lengths = [24, 48, 96].into_iter();
    let sessions = lengths.flat_map(|turns| [1, 2, 3].map(|seed| (turns, seed)));
    sessions
        .map(|(turns, seed)| {
            let mut cell = cell(pipeline, "windowed")
                .turns(turns)
                .seed(seed)
                .with(MetricId::TokensUsableWindow, "100000");
            for checkpoint in 1..=12 {
                let turn = turns * checkpoint / 12;
                // Seeds differ a little, so that resampling has something to tell.
                let tokens = law(f64::from(turn)) * (1.0 + 0.001 * (seed as f64 - 2.0));
                let tokens = tokens as u64;
                cell =
                    cell.floor(turn, [50_000, tokens, tokens], known).compaction(turn, tokens, "0");
            }
            cell
        })
        .collect()
}

fn row(rows: &[Derived], pipeline: &str, metric: MetricId) -> Derived {
    sample::row(rows, &format!("family/{pipeline}/deployed/extractive"), metric)
}

#[test]
fn the_verdict_follows_the_law_of_the_floor() {
    let linear = |turn: f64| 2_000.0 + 100.0 * turn;
    let logarithmic = |turn: f64| 2_000.0 + 900.0 * turn.ln();
    for (name, cells, model, verdict) in [
        ("linear", family("forge", linear, KNOWN), "linear", "grown"),
        ("logarithmic", family("forge", logarithmic, KNOWN), "logarithmic", "eliminated"),
        ("constant", family("forge", |_| 9_000.0, KNOWN), "constant", "eliminated"),
        (
            "forgetful",
            family("forge", |_| 9_000.0, [8, 6, 3]),
            "constant",
            // Both forced rounds leave the same tokens, so the first, with 6 of 8, counts.
            "eliminated",
        ),
        (
            "very forgetful",
            family("forge", |_| 9_000.0, [8, 3, 3]),
            "constant",
            "eliminated by forgetting",
        ),
    ] {
        let rows = Sample::of(cells).derive();
        assert_eq!(text(&row(&rows, "forge", MetricId::FloorGrowth)), model, "{name}");
        assert_eq!(text(&row(&rows, "forge", MetricId::FloorGrowthLowWater)), model, "{name}");
        let found = row(&rows, "forge", MetricId::FloorVerdict);
        assert_eq!((text(&found).as_str(), found.n), (verdict, 9), "{name}: {}", found.basis);
        let support = Some(Support::OnePassAndLowWater);
        let basis = Basis::FloorVerdict { sessions: 9, enough: 8, lengths: 3, support };
        assert_eq!(found.basis, basis, "{name}");
    }
}

#[test]
fn a_slower_line_is_lowered_against_its_reference() {
    let mut cells = family("forge", |turn| 2_000.0 + 50.0 * turn, KNOWN);
    cells.extend(family("plain", |turn| 2_000.0 + 100.0 * turn, KNOWN));
    let alone = Sample::of(cells[..9].to_vec()).reference("forge", "plain").derive();
    let absent = row(&alone, "forge", MetricId::FloorSlopeDifference);
    let reference = || "plain".to_owned();
    let expected = Basis::ReferenceNotDriven { reference: reference() };
    assert_eq!((absent.value, absent.basis), (None, expected));
    let rows = Sample::of(cells).reference("forge", "plain").derive();
    assert_eq!(text(&row(&rows, "forge", MetricId::FloorVerdict)), "lowered");
    let difference = row(&rows, "forge", MetricId::FloorSlopeDifference);
    let mean = difference.as_number().expect("a number");
    assert!((mean + 50.0).abs() < 0.1, "{mean}");
    assert!(difference.interval.expect("an interval").high < 0.0);
    assert_eq!(difference.n, 9);
    assert_eq!(difference.basis, Basis::Beside { reference: reference() });
    let plain = row(&rows, "plain", MetricId::FloorSlopeDifference);
    assert_eq!((plain.value, plain.basis), (None, Basis::NoReference));
}

#[test]
fn a_line_reaches_the_window() {
    let rows = Sample::of(family("forge", |turn| 2_000.0 + 100.0 * turn, KNOWN)).derive();
    let turn = row(&rows, "forge", MetricId::FloorHorizon).as_number().expect("a turn");
    assert!((turn - 980.0).abs() < 2.0, "2,000 + 100 t = 100,000 at 980, not {turn}");
    let rows = Sample::of(family("forge", |_| 9_000.0, KNOWN)).derive();
    assert_eq!(text(&row(&rows, "forge", MetricId::FloorHorizon)), "");
}

#[test]
fn a_verdict_says_what_weakens_it() {
    let mut cells = family("forge", |_| 9_000.0, KNOWN);
    cells.truncate(2);
    let rows = Sample::of(cells.clone()).derive();
    let found = row(&rows, "forge", MetricId::FloorVerdict);
    assert_eq!(found.n, 2);
    assert!(matches!(found.basis, Basis::FloorVerdict { sessions: 2, enough: 8, lengths: 1, .. }));
    cells[0] = cells[0].clone().with(MetricId::Completion, "0");
    let rows = Sample::of(cells.clone()).derive();
    assert_eq!(text(&row(&rows, "forge", MetricId::FloorVerdict)), "not reached");
    // Its last checkpoint was behind it: another cell of the session had no more.
    cells.extend(family("other", |_| 9_000.0, KNOWN).into_iter().take(1));
    let rows = Sample::of(cells).derive();
    assert_ne!(text(&row(&rows, "forge", MetricId::FloorVerdict)), "not reached");
}

#[test]
fn a_group_without_probes_has_no_floor_but_a_reason() {
    let rows = Sample::of(vec![cell("forge", "windowed")]).derive();
    let found = row(&rows, "forge", MetricId::FloorVerdict);
    assert_eq!((text(&found).as_str(), found.n), ("inconclusive", 0));
    let slope = row(&rows, "forge", MetricId::FloorSlope);
    assert_eq!((slope.value, slope.basis), (None, Basis::NotProbed));
    let slope = row(&rows, "forge", MetricId::FloorSlopeLowWater);
    assert_eq!(slope.basis, Basis::NothingChanged);
}
