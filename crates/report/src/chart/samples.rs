//! Charts to look at and to hold rules against: ordinary ones and hard ones.

use super::picture::Picture;
use super::*;
use crate::unit::Tokens;

mod more;

const LONG: &str = "forge-threshold+goal-batch";

/// Every sample by name, laid out.
pub fn all() -> Vec<(&'static str, Picture)> {
    let drawn = [
        ("context-one", context::layout(&context_one())),
        ("context-single-point", context::layout(&context_single_point())),
        ("context-four", context::layout(&context_many(4, 412, 90_000))),
        ("context-ten", context::layout(&context_many(10, 412, 128_000))),
        ("context-twelve-long", context::layout(&context_many(12, 10_000, 2_000_000))),
        ("context-far-window", context::layout(&context_many(2, 60, 9_000))),
        ("floor-four", floor::layout(&floor_families(4, 3, Some(Tokens(128_000))))),
        ("floor-one", floor::layout(&floor_families(1, 7, Some(Tokens(60_000))))),
        ("floor-window", floor::layout(&floor_families(3, 5, Some(Tokens(28_000))))),
        ("floor-crowd", floor::layout(&floor_families(2, 14, None))),
        ("floor-single-point", floor::layout(&floor_single_point())),
        ("curve-four", curve::layout(&curves(4))),
        ("curve-crowd", curve::layout(&curves(11))),
        ("heat-full", tones::layout(&heat_of(16))),
        ("heat-small", tones::layout(&heat_small())),
        ("tones-many", tones::layout(&tones())),
        ("tones-one", tones::layout(&one_tone())),
        ("scatter-some", scatter::layout(&scatter_of(12, 30_000.0))),
        ("scatter-crowd", scatter::layout(&scatter_of(48, 9_000.0))),
        ("scatter-wide", scatter::layout(&scatter_of(14, 1_950_000.0))),
        ("scatter-single-point", scatter::layout(&scatter_of(1, 0.0))),
        ("scatter-bounds", scatter::layout(&scatter_with_bounds(14))),
        ("scatter-pairs", scatter::layout(&scatter_in_pairs())),
        ("survival-three", survival::layout(&survivals(3))),
        ("survival-twelve", survival::layout(&survivals(12))),
        ("survival-single", survival::layout(&survivals(1))),
        ("loss-some", loss::layout(&losses(9))),
        ("loss-single", loss::layout(&losses(1))),
        ("composition-four", composition::layout(&more::compositions(4, 412))),
        ("composition-twelve-long", composition::layout(&more::compositions(12, 10_000))),
        ("composition-single-step", composition::layout(&more::compositions(1, 1))),
        ("savings-some", savings::layout(&more::savings_of(14))),
        ("savings-single", savings::layout(&more::savings_of(1))),
        ("dollars-some", dollars::layout(&more::dollars_of(16))),
        ("dollars-single", dollars::layout(&more::dollars_of(1))),
        ("pressure-some", strip::pressure(&more::pressures(16))),
        ("pressure-single", strip::pressure(&more::pressures(1))),
        ("latency-some", strip::latency(&more::latencies(16))),
        ("latency-single", strip::latency(&more::latencies(1))),
        ("critical-three", critical::layout(&ranked(3))),
        ("critical-crowd", critical::layout(&ranked(28))),
    ];
    let laid_out = |(name, picture): (&'static str, Option<Picture>)| {
        (name, picture.unwrap_or_else(|| panic!("{name} has nothing to show")))
    };
    drawn.into_iter().map(laid_out).collect()
}

/// Names as reports have them, the longest among them.
fn name(index: usize) -> String {
    const NAMES: [&str; 12] = [
        "none",
        "truncate-32k",
        "forge-head",
        "forge-adr",
        LONG,
        "claude-code-auto",
        "codex-summary",
        "gemini-compress",
        "adk-sliding-window",
        "openhands-condenser",
        "roo-condense",
        "langgraph-trim",
    ];
    match index / NAMES.len() {
        0 => NAMES[index].to_owned(),
        more => format!("{}-v{}", NAMES[index % NAMES.len()], more + 1),
    }
}

/// A number from 0 to 1 that looks random and is the same everywhere.
fn noise(index: usize) -> f64 {
    let mixed = (index as u64).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) as u32;
    f64::from(mixed) / f64::from(u32::MAX)
}

/// A saw: grows until the trigger, falls to the floor, which rises a little each time.
fn panel(index: usize, steps: u64, window: u64) -> ContextPanel {
    let per_step = window as f64 / (8.0 + index as f64 * 9.0);
    let trigger = window as f64 * (0.55 + 0.05 * (index % 8) as f64);
    let (mut tokens, mut prompt, mut compactions, mut end) = (3_000.0, Vec::new(), vec![], None);
    for step in 1..=steps {
        tokens += per_step * (0.3 + 1.4 * noise(step as usize * 31 + index));
        if tokens > trigger && index > 0 {
            compactions.push(step);
            tokens = window as f64 * (0.12 + 0.01 * (compactions.len() % 40) as f64);
        }
        prompt.push((step, Tokens(tokens as u64)));
        if tokens > window as f64 || (index == 5 && step > steps / 2) {
            end = Some(End { step, reason: "overflow".to_owned() });
            break;
        }
    }
    ContextPanel {
        configuration: name(index),
        prompt,
        window: Some(Tokens(window)),
        compactions,
        end,
    }
}

pub fn context_many(panels: usize, steps: u64, window: u64) -> ContextChart {
    let mut panels: Vec<ContextPanel> =
        (0..panels).map(|index| panel(index, steps, window)).collect();
    if window == 9_000 {
        panels.iter_mut().for_each(|panel| panel.window = Some(Tokens(200_000)));
    }
    let title = "Context over steps: feature-work, 412 steps, seed 1".to_owned();
    ContextChart { title, panels }
}

fn context_one() -> ContextChart {
    let mut only = panel(4, 300, 100_000);
    only.end = Some(End { step: 300, reason: "budget_exceeded".to_owned() });
    ContextChart { title: "One configuration".to_owned(), panels: vec![only] }
}

fn context_single_point() -> ContextChart {
    let single = ContextPanel {
        configuration: format!("{LONG}+{LONG}+{LONG}"),
        prompt: vec![(1, Tokens(0))],
        end: Some(End { step: 1, reason: "invalid_request".to_owned() }),
        ..ContextPanel::default()
    };
    let other = ContextPanel { configuration: "empty".to_owned(), ..ContextPanel::default() };
    let unbounded = ContextPanel {
        configuration: "none".to_owned(),
        prompt: vec![(1, Tokens(0)), (2, Tokens(2_000_000))],
        window: Some(Tokens::UNBOUNDED),
        ..ContextPanel::default()
    };
    let title = "A title that goes on and on ".repeat(8);
    ContextChart { title, panels: vec![single, other, unbounded] }
}

fn floor_families(families: usize, series: usize, window: Option<Tokens>) -> FloorChart {
    let turns = |family: usize| 100.0 * (family + 1) as f64;
    let family = |family: usize| FloorFamily {
        name: format!("p = {}", [0, 1, 3, 8][family % 4]),
        series: (0..series).map(|index| floor_series(index, family, turns(family))).collect(),
    };
    FloorChart {
        title: "Floor over turns: what one forced pass leaves".to_owned(),
        families: (0..families).map(family).collect(),
        usable_window: window,
    }
}

fn floor_series(index: usize, family: usize, turns: f64) -> FloorSeries {
    let slope = 30.0 * (index % 4) as f64 * (family + 1) as f64;
    let value = |turn: f64| 4_000.0 + 600.0 * index as f64 + slope * turn;
    let last = if index == 1 { 0.6 } else { 1.0 };
    let turn = |point: usize| turns * last * (point + 1) as f64 / 12.0;
    FloorSeries {
        configuration: name(index),
        points: (0..12)
            .map(|point| (turn(point), value(turn(point)) * (0.9 + 0.2 * noise(point + index))))
            .collect(),
        fit: [0, 11].map(|point| (turn(point), value(turn(point)))).to_vec(),
    }
}

fn floor_single_point() -> FloorChart {
    let series = vec![FloorSeries {
        configuration: LONG.to_owned(),
        points: vec![(1.0, 0.0)],
        fit: Vec::new(),
    }];
    let families = vec![FloorFamily { name: "p = 0".to_owned(), series }, FloorFamily::default()];
    FloorChart { title: "One point".to_owned(), families, usable_window: Some(Tokens(2_000_000)) }
}

fn curves(count: usize) -> CurveChart {
    let series = (0..count).map(|index| CurveSeries {
        configuration: name(index),
        rounds: (0..=8)
            .map(|round| CurveRound {
                round,
                tokens: Tokens((60_000.0 * (0.4 + 0.05 * index as f64).powf(round as f64)) as u64),
                recall: Some(1.0 - 0.1 * round as f64 * (1.0 - index as f64 / 12.0)),
            })
            .take(if index == 2 { 3 } else { 9 })
            .collect(),
    });
    CurveChart { title: "Floor curve".to_owned(), series: series.collect() }
}

fn heat_of(rows: usize) -> ToneChart {
    const KINDS: [&str; 14] = [
        "path",
        "symbol",
        "error",
        "test",
        "command",
        "value",
        "decision",
        "constraint",
        "preference",
        "safety-rule",
        "dead-end",
        "direction",
        "outcome",
        "pending",
    ];
    let row = |row: usize| {
        let share = |kind: usize| match (row * 14 + kind) % 11 {
            3 => None,
            _ if row == 0 => Some(1.0),
            _ => Some(noise(row * 14 + kind)),
        };
        (name(row), (0..14).map(share).collect())
    };
    let value = "recall (share of live facts present, 0 to 1)";
    let kinds = KINDS.map(str::to_owned).to_vec();
    ToneChart::of_shares("Retention by kind", value, kinds, (0..rows).map(row).collect())
}

fn tones() -> ToneChart {
    let stages = "forge-tool-call, forge-threshold, forge-goal-batch, mask-tool-results";
    let row = |row: usize| ToneRow {
        name: stages.to_owned(),
        cells: (0..4)
            .map(|column| {
                let share = noise(row * 4 + column);
                let text = format!("−$0.{:03}", (share * 999.0) as u32);
                (row + column != 5).then_some(ToneCell { share, text })
            })
            .collect(),
    };
    let columns = ["completion", "recall at need", "net savings", "dollars"];
    ToneChart {
        title: "Beside the best".to_owned(),
        value: "difference to the best of each figure".to_owned(),
        ends: ("none".to_owned(), "that of the worst".to_owned()),
        empty: "no figure".to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: (0..24).map(row).collect(),
    }
}

fn one_tone() -> ToneChart {
    let cell = ToneCell { share: 0.0, text: "0".to_owned() };
    let rows = vec![ToneRow { name: "forge-adr".to_owned(), cells: vec![Some(cell)] }];
    ToneChart { columns: vec!["2".to_owned()], rows, ..tones() }
}

fn heat_small() -> ToneChart {
    let kinds = vec!["path".to_owned(), "error".to_owned()];
    let value = "recall (share of live facts present, 0 to 1)";
    ToneChart::of_shares("Small", value, kinds, vec![("none".to_owned(), vec![Some(0.0)])])
}

fn scatter_of(count: usize, spread: f64) -> ScatterChart {
    let families = [
        Family::Other,
        Family::Truncation,
        Family::Forge,
        Family::FullReplace,
        Family::Goat,
        Family::CodexStyle,
    ];
    let point = |index: usize| ScatterPoint {
        configuration: name(index),
        family: families[index % families.len()],
        mean_prompt: 5_000.0 + spread * noise(index * 3).powi(3),
        recall: (0.2 + 0.85 * noise(index * 7 + 1)).min(1.0),
        completed: index % 6 != 4,
        sweep: (index % 6 == 1).then(|| "truncate".to_owned()),
        ..ScatterPoint::default()
    };
    let points = (0..count).map(point).collect();
    let title = "The Proctor curve".to_owned();
    ScatterChart { title, unit: "tokens", points, control: None }
}

/// Every other point in the place of the one before it, and a control far beyond them.
fn scatter_in_pairs() -> ScatterChart {
    let mut chart = scatter_with_bounds(28);
    for pair in chart.points.chunks_exact_mut(2) {
        (pair[1].mean_prompt, pair[1].recall) = (pair[0].mean_prompt, pair[0].recall);
    }
    let name = "none@windowless".to_owned();
    chart.control = Some(ScatterControl { name, mean_prompt: 312.4, recall: 1.0 });
    chart
}

fn scatter_with_bounds(count: usize) -> ScatterChart {
    let mut chart = scatter_of(count, 60.0);
    chart.unit = "% of the window";
    for (index, point) in chart.points.iter_mut().enumerate() {
        point.mean_prompt = point.mean_prompt - 5_000.0 + 4.0;
        let near = |by: f64| (point.recall + by).clamp(0.0, 1.0);
        point.brackets = (index % 3 != 0).then(|| (near(-0.3), near(0.15)));
        point.bounds = Some((near(-0.4), near(0.3)));
    }
    chart
}

fn survivals(count: usize) -> SurvivalChart {
    let panel = |index: usize| SurvivalPanel {
        configuration: name(index),
        series: ["all", "artifacts", "rules and direction", "course of the work"]
            .iter()
            .enumerate()
            .map(|(series, name)| SurvivalSeries {
                name: (*name).to_owned(),
                points: (0..if series == 2 { 3 } else { 6 })
                    .map(|at| (at, 0.95_f64.powf((at * (index + series)) as f64)))
                    .collect(),
            })
            .collect(),
    };
    SurvivalChart {
        title: "Facts still present, by their age".to_owned(),
        x_title: "age (windows of tokens since birth)",
        buckets: ["0.25", "0.5", "1", "2", "4", "4+"].map(str::to_owned).to_vec(),
        panels: (0..count).map(panel).collect(),
    }
}

fn losses(bars: usize) -> LossChart {
    let bar = |index: usize| LossBar {
        configuration: name(index),
        facts: [0, 1, 2, 3, 4].map(|cause| match index {
            0 => 0,
            2 => 1,
            _ => (noise(index * 5 + cause) * 60.0 / (cause + 1) as f64) as u64,
        }),
        steps: 400 * (index as u64 % 3),
        early: (index % 4 == 1).then(|| format!("{index} of 9 ended early")),
    };
    let bars = if bars == 1 {
        let facts = [0, 0, 2_000_000, 1, 0];
        vec![LossBar { configuration: LONG.to_owned(), facts, ..LossBar::default() }]
    } else {
        (0..bars).map(bar).collect()
    };
    LossChart { title: "Where facts were lost".to_owned(), bars }
}

fn ranked(count: usize) -> CriticalChart {
    let mut ranks: Vec<(String, f64)> = (0..count)
        .map(|index| (name(index), 1.0 + noise(index * 11) * (count - 1) as f64))
        .collect();
    ranks.sort_by(|one, other| one.1.total_cmp(&other.1));
    let undecided = vec![vec![0, 1], (1..count).collect()];
    CriticalChart { title: "Mean ranks".to_owned(), ranks, critical: 0.9, undecided }
}
