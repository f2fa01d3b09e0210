use super::*;
use crate::derive::sample::{Sample, find, holds};
use crate::measure::floor::verdict::Support;

const KNOWN: [u32; 3] = [8, 6, 5];

/// Three seeds of sessions of 24, 48 and 96 turns whose floor follows a law.
fn family(pipeline: &str, law: impl Fn(f64) -> f64, [before, one, two]: [u32; 3]) -> Vec<String> {
    let lengths = [24, 48, 96].into_iter();
    let sessions = lengths.flat_map(|turns| [1, 2, 3].map(|seed| (turns, seed)));
    let cell = |(turns, seed): (u32, u32)| {
        let head = format!("{pipeline} turns={turns} seed={seed} tokens.usable_window=100000");
        let checkpoint = |number: u32| {
            let turn = turns * number / 12;
            // Seeds differ a little, so that resampling has something to tell.
            let tokens = law(f64::from(turn)) * (1.0 + 0.001 * (f64::from(seed) - 2.0));
            let tokens = tokens as u64;
            let floor = format!("{turn},50000,{tokens},{tokens},{before},{one},{two}");
            format!(" floor={floor} compaction={turn},{tokens},0")
        };
        head + &(1..=12).map(checkpoint).collect::<String>()
    };
    sessions.map(cell).collect()
}

fn derived(cells: &[String], references: &[(&str, &str)]) -> Vec<Derived> {
    let named = references.iter().map(|(own, other)| ((*own).to_owned(), (*other).to_owned()));
    let references = named.collect();
    Sample { references, ..Sample::of(cells.iter().map(String::as_str)) }.derive()
}

fn row(rows: &[Derived], metric: MetricId) -> Derived {
    find(rows, "family/forge/deployed/extractive", metric).expect("a row").clone()
}

#[track_caller]
fn forge_holds(rows: &[Derived], figures: &str) {
    holds("growth", rows, &format!("family/forge/deployed/extractive: {figures}"));
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
        let rows = derived(&cells, &[]);
        forge_holds(&rows, &format!("floor.growth {model}, floor.growth.low_water {model}"));
        let found = row(&rows, MetricId::FloorVerdict);
        let word = found.as_word().map(Word::name);
        assert_eq!((word, found.n), (Some(verdict), 9), "{name}: {}", found.basis);
        let support = Some(Support::OnePassAndLowWater);
        let basis = Basis::FloorVerdict { sessions: 9, enough: 8, lengths: 3, support };
        assert_eq!(found.basis, basis, "{name}");
    }
}

#[test]
fn a_slower_line_is_lowered_against_its_reference() {
    let mut cells = family("forge", |turn| 2_000.0 + 50.0 * turn, KNOWN);
    cells.extend(family("plain", |turn| 2_000.0 + 100.0 * turn, KNOWN));
    let beside = [("forge", "plain")];
    let alone = derived(&cells[..9], &beside);
    let plain = "{\"reference\":\"plain\"}";
    forge_holds(&alone, &format!("floor.slope_difference - reference-not-driven {plain}"));
    let rows = derived(&cells, &beside);
    forge_holds(
        &rows,
        &format!("floor.verdict lowered, floor.slope_difference n=9 beside {plain}"),
    );
    let difference = row(&rows, MetricId::FloorSlopeDifference);
    let mean = difference.as_number().expect("a number");
    assert!((mean + 50.0).abs() < 0.1, "{mean}");
    assert!(difference.interval.expect("an interval").high < 0.0);
    holds(
        "no reference",
        &rows,
        "family/plain/deployed/extractive: floor.slope_difference - no-reference",
    );
}

#[test]
fn a_line_reaches_the_window() {
    let rows = derived(&family("forge", |turn| 2_000.0 + 200.0 * turn, KNOWN), &[]);
    let found = row(&rows, MetricId::FloorHorizon);
    let (turn, ends) = (found.as_number().expect("a turn"), found.interval.expect("its ends"));
    assert!((turn - 490.0).abs() < 1.0, "2,000 + 200 t = 100,000 at 490, not {turn}");
    assert!(ends.low <= turn && turn <= ends.high, "{ends:?}");
    for (tokens_a_turn, why) in [(0.0, "never-full"), (50.0, "out-of-reach")] {
        let rows = derived(&family("forge", |turn| 9_000.0 + tokens_a_turn * turn, KNOWN), &[]);
        forge_holds(&rows, &format!("floor.horizon - {why}"));
    }
}

#[test]
fn nothing_is_said_of_a_floor_before_its_first_compaction() {
    // Neither compacted nor a window of 1,000 tokens long.
    let young = "forge turns=24 floor=2,400,300,300 floor=4,800,700,700 floor=6,900,800,800";
    let rows = derived(&[young.to_owned()], &[]);
    forge_holds(&rows, "floor.slope - warming-up, floor.growth - warming-up");
    let grown = format!("{young} floor=8,1200,900,900 floor=10,1500,1100,1100");
    forge_holds(&derived(&[grown], &[]), "floor.slope 100");
    // Behind a compaction at step 5.
    let compacted = format!("{young} compaction=5,300,0 floor=9,800,860,860");
    forge_holds(&derived(&[compacted], &[]), "floor.slope 0");
}

#[test]
fn a_verdict_says_what_weakens_it() {
    let mut cells = family("forge", |_| 9_000.0, KNOWN);
    cells.truncate(2);
    let found = row(&derived(&cells, &[]), MetricId::FloorVerdict);
    assert_eq!(found.n, 2);
    assert!(matches!(found.basis, Basis::FloorVerdict { sessions: 2, enough: 8, lengths: 1, .. }));
    cells[0].push_str(" completion=0");
    let verdict = |cells: &[String]| row(&derived(cells, &[]), MetricId::FloorVerdict).as_word();
    assert_eq!(verdict(&cells).map(Word::name), Some("not reached"));
    // Its last checkpoint was behind it: another cell of the session had no more.
    cells.extend(family("other", |_| 9_000.0, KNOWN).into_iter().take(1));
    assert_ne!(verdict(&cells).map(Word::name), Some("not reached"));
}
