use super::*;
use crate::derive::derive;
use crate::derive::sample::{Sample, SampleCell, cell};
use crate::measure::MetricId;

const KNOWN: [u32; 3] = [8, 6, 5];

/// Three seeds of sessions of 24, 48 and 96 turns whose floor follows a law, with
/// a compaction at each checkpoint that leaves as much.
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

fn row(rows: &[DerivedRow], pipeline: &str, metric: MetricId) -> DerivedRow {
    let subject = format!("family/{pipeline}/deployed/extractive");
    let mut own = rows.iter().filter(|row| row.subject == subject && row.metric == metric);
    own.next().expect("a row").clone()
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
        let rows = derive(Sample::of(cells).record());
        assert_eq!(row(&rows, "forge", MetricId::FloorGrowth).value, model, "{name}");
        assert_eq!(row(&rows, "forge", MetricId::FloorGrowthLowWater).value, model, "{name}");
        let found = row(&rows, "forge", MetricId::FloorVerdict);
        assert_eq!((found.value.as_str(), found.n), (verdict, 9), "{name}: {}", found.reason);
        assert_eq!(found.reason, "rests on one_pass and low_water", "{name}");
    }
}

#[test]
fn a_slower_line_is_lowered_against_its_reference() {
    let mut cells = family("forge", |turn| 2_000.0 + 50.0 * turn, KNOWN);
    cells.extend(family("plain", |turn| 2_000.0 + 100.0 * turn, KNOWN));
    let rows = derive(Sample::of(cells).reference("forge", "plain").record());
    assert_eq!(row(&rows, "forge", MetricId::FloorVerdict).value, "lowered");
    let difference = row(&rows, "forge", MetricId::FloorSlopeDifference);
    let mean: f64 = difference.value.parse().expect("a number");
    assert!((mean + 50.0).abs() < 0.1, "{mean}");
    assert!(difference.high.parse::<f64>().expect("an interval") < 0.0);
    assert_eq!(difference.n, 9);
    assert_eq!(difference.reason, "beside `plain`");
    let plain = row(&rows, "plain", MetricId::FloorSlopeDifference);
    assert_eq!((plain.value.as_str(), plain.reason.as_str()), ("", NO_REFERENCE));
}

#[test]
fn a_reference_that_was_not_driven_is_named() {
    let cells = family("forge", |turn| 2_000.0 + 50.0 * turn, KNOWN);
    let rows = derive(Sample::of(cells).reference("forge", "plain").record());
    let difference = row(&rows, "forge", MetricId::FloorSlopeDifference);
    assert_eq!(difference.value, "");
    assert_eq!(difference.reason, "its reference `plain` was not driven");
}

#[test]
fn a_line_reaches_the_window() {
    let rows = derive(Sample::of(family("forge", |turn| 2_000.0 + 100.0 * turn, KNOWN)).record());
    let turn: f64 = row(&rows, "forge", MetricId::FloorHorizon).value.parse().expect("a turn");
    assert!((turn - 980.0).abs() < 2.0, "2,000 + 100 t = 100,000 at 980, not {turn}");
    let rows = derive(Sample::of(family("forge", |_| 9_000.0, KNOWN)).record());
    assert_eq!(row(&rows, "forge", MetricId::FloorHorizon).value, "");
}

#[test]
fn a_verdict_says_what_weakens_it() {
    let mut cells = family("forge", |_| 9_000.0, KNOWN);
    cells.truncate(2);
    let rows = derive(Sample::of(cells.clone()).record());
    let found = row(&rows, "forge", MetricId::FloorVerdict);
    assert_eq!(found.n, 2);
    assert!(found.reason.starts_with("n too small: 2 of 8 sessions; one session length only"));
    cells[0] = cells[0].clone().with(MetricId::Completion, "0");
    let rows = derive(Sample::of(cells.clone()).record());
    assert_eq!(row(&rows, "forge", MetricId::FloorVerdict).value, "not reached");
    // Its last checkpoint was behind it: another cell of the session had no more.
    cells.extend(family("other", |_| 9_000.0, KNOWN).into_iter().take(1));
    let rows = derive(Sample::of(cells).record());
    assert_ne!(row(&rows, "forge", MetricId::FloorVerdict).value, "not reached");
}

#[test]
fn a_group_without_probes_has_no_floor_but_a_reason() {
    let rows = derive(Sample::of(vec![cell("forge", "windowed")]).record());
    let found = row(&rows, "forge", MetricId::FloorVerdict);
    assert_eq!((found.value.as_str(), found.n), ("inconclusive", 0));
    let slope = row(&rows, "forge", MetricId::FloorSlope);
    assert_eq!((slope.value.as_str(), slope.reason.as_str()), ("", "the floor was not probed"));
    let slope = row(&rows, "forge", MetricId::FloorSlopeLowWater);
    assert_eq!(slope.reason, "no compaction changed the view");
}

#[test]
fn the_order_of_cells_does_not_matter() {
    let mut cells = family("forge", |turn| 2_000.0 + 50.0 * turn, KNOWN);
    let rows = derive(Sample::of(cells.clone()).record());
    cells.reverse();
    assert_eq!(derive(Sample::of(cells).record()), rows);
}
