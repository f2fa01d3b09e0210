//! Charts to look at and to hold rules against: ordinary ones and hard ones.

use std::sync::LazyLock;

use super::picture::Picture;
use super::*;
use crate::unit::Tokens;

const LONG: &str = "forge-threshold+goal-batch";

pub static ALL: LazyLock<Vec<(String, Picture)>> = LazyLock::new(|| {
    let samples: Vec<(&str, Box<dyn Chart>)> = vec![
        ("context-single-point", Box::new(context_single_point())),
        ("context-four", Box::new(context_many(4, 412, 90_000))),
        ("context-ten", Box::new(context_many(10, 412, 128_000))),
        ("context-twelve-long", Box::new(context_many(12, 10_000, 2_000_000))),
        ("context-far-window", Box::new(context_many(2, 60, 9_000))),
        ("floor-one", Box::new(floors(1, 7, Some(60_000.0)))),
        ("floor-window", Box::new(floors(3, 5, Some(28_000.0)))),
        ("floor-crowd", Box::new(floors(2, 14, None))),
        ("floor-single-point", Box::new(floor_single_point())),
        ("survival-single", Box::new(survivals(1))),
        ("survival-twelve", Box::new(survivals(12))),
        ("heat-full", Box::new(heat(16))),
        ("tones-many", Box::new(tones(24))),
        ("tones-one", Box::new(tones(1))),
        ("scatter-crowd", Box::new(scatter(48, 9_000.0))),
        ("scatter-wide", Box::new(scatter(14, 1_950_000.0))),
        ("scatter-single-point", Box::new(scatter(1, 0.0))),
        ("scatter-pairs", Box::new(scatter_in_pairs())),
        ("scatter-trials", Box::new(scatter_over_trials())),
        ("loss-some", Box::new(bars(9, &LOST_FACTS, 1.0))),
        ("loss-single", Box::new(bars(1, &LOST_FACTS, 1.0))),
        ("dollars-some", Box::new(bars(16, &DOLLARS, 0.013))),
        ("composition-four", Box::new(compositions(4, 412))),
        ("composition-twelve-long", Box::new(compositions(12, 10_000))),
        ("composition-single-step", Box::new(compositions(1, 1))),
        ("savings-some", Box::new(savings(14))),
        ("savings-single", Box::new(savings(1))),
        ("dots-some", Box::new(dots(8))),
        ("dots-single", Box::new(dots(1))),
        ("pressure-some", Box::new(firings(Firings::Pressure, 16))),
        ("pressure-single", Box::new(firings(Firings::Pressure, 1))),
        ("latency-some", Box::new(firings(Firings::Waits, 16))),
        ("latency-single", Box::new(firings(Firings::Waits, 1))),
    ];
    let laid_out = |(name, chart): (&'static str, Box<dyn Chart>)| {
        let title = format!("{name}: a title that goes on and on ").repeat(3);
        let of_width = |width| {
            chart.layout(&title, width).unwrap_or_else(|| panic!("{name} has nothing to show"))
        };
        let narrow = (format!("{name}-narrow"), of_width(figure::NARROW));
        [(name.to_owned(), of_width(figure::WIDE)), narrow]
    };
    samples.into_iter().flat_map(laid_out).collect()
});

/// Names as reports have them, the longest among them.
fn name(index: usize) -> String {
    const NAMES: [&str; 6] =
        ["none", "truncate-32k", "forge-adr", LONG, "claude-code-auto", "openhands-condenser"];
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

fn each<T>(count: usize, of: impl Fn(usize) -> T) -> Vec<T> {
    (0..count).map(of).collect()
}

/// A saw: grows until it is compacted, and falls to a floor that rises a little each time.
fn context_panel(index: usize, steps: u64, window: u64) -> ContextPanel {
    let last = if index == 5 { steps / 2 } else { steps };
    let every = if index == 0 { steps + 1 } else { 5 + 9 * index as u64 };
    let tokens = |step: u64| {
        let floor = 0.12 + 0.01 * (step / every % 40) as f64;
        let grown = 0.3 * (step % every) as f64 / every as f64;
        let noise = 0.1 * noise(step as usize * 31 + index);
        Tokens((window as f64 * (floor + grown + noise)) as u64)
    };
    ContextPanel {
        configuration: name(index),
        prompt: (1..=last).map(|step| (step, tokens(step))).collect(),
        // The window of the smallest is far above what is sent.
        window: Some(Tokens(if window == 9_000 { 200_000 } else { window })),
        compactions: (1..=last).filter(|step| step % every == 0).collect(),
        end: (index == 5).then(|| End { step: last, reason: "overflow".to_owned() }),
    }
}

fn context_many(panels: usize, steps: u64, window: u64) -> Vec<ContextPanel> {
    each(panels, |index| context_panel(index, steps, window))
}

fn context_single_point() -> Vec<ContextPanel> {
    let single = ContextPanel {
        configuration: format!("{LONG}+{LONG}+{LONG}"),
        prompt: vec![(1, Tokens(0))],
        end: Some(End { step: 1, reason: "invalid_request".to_owned() }),
        ..ContextPanel::default()
    };
    let unbounded = ContextPanel {
        configuration: "none".to_owned(),
        prompt: vec![(1, Tokens(0)), (2, Tokens(2_000_000))],
        window: Some(Tokens::UNBOUNDED),
        ..ContextPanel::default()
    };
    vec![single, ContextPanel::default(), unbounded]
}

/// Raw work that grows and is folded, and summaries that stay.
fn composition_step(index: usize, step: u64, steps: u64) -> CompositionStep {
    let since = step % (steps / 8).max(1) + 1;
    let folds = step * 8 / steps;
    let raw = |each: u64| since * each * 400 / steps + (noise(step as usize) * 40.0) as u64;
    let summarized = if index == 0 { 0 } else { folds * 900 };
    let goals = if index == 2 { folds * 400 } else { 0 };
    let summary = if index > 3 { folds.min(1) * 2_000 } else { 0 };
    let tokens = [2_500, goals, summarized, summary, folds * 20, 300 * folds, raw(60), raw(150)];
    CompositionStep { step, tokens }
}

fn compositions(panels: usize, steps: u64) -> Vec<CompositionPanel> {
    each(panels, |index| {
        let is_cut = index == 3 && steps > 1;
        let last = if is_cut { steps / 2 } else { steps };
        CompositionPanel {
            configuration: name(index),
            steps: (1..=last).map(|step| composition_step(index, step, steps)).collect(),
            end: is_cut.then(|| End { step: last, reason: "overflow".to_owned() }),
        }
    })
}

fn floor_series(index: usize, family: usize) -> LineSeries {
    let turns = 100.0 * (family + 1) as f64 * if index == 1 { 0.6 } else { 1.0 };
    let slope = 30.0 * (index % 4) as f64 * (family + 1) as f64;
    let value = |turn: f64| 4_000.0 + 600.0 * index as f64 + slope * turn;
    let turn = |point: usize| turns * (point + 1) as f64 / 12.0;
    LineSeries {
        name: name(index),
        colour: None,
        points: each(12, |at| (turn(at), value(turn(at)) * (0.9 + 0.2 * noise(at + index)))),
        fit: Some([0, 11].map(|point| (turn(point), value(turn(point)))).to_vec()),
    }
}

pub fn floors(families: usize, series: usize, window: Option<f64>) -> LineChart {
    let panel = |family: usize| LinePanel {
        title: format!("p = {family}"),
        y_title: "floor after one pass (tokens)",
        y: Upwards::Tokens,
        series: each(series, |index| floor_series(index, family)),
    };
    LineChart {
        x_title: "turn",
        x: Across::Whole(5),
        point: "after one forced pass",
        limit: window.map(|window| (window, "usable window")),
        columns: 2,
        height: 250.0,
        panels: each(families, panel),
    }
}

fn floor_single_point() -> LineChart {
    let mut chart = floors(2, 1, Some(2_000_000.0));
    chart.panels[1].series.clear();
    chart.panels[0].series = vec![LineSeries {
        name: LONG.to_owned(),
        points: vec![(1.0, 0.0)],
        fit: Some(Vec::new()),
        ..LineSeries::default()
    }];
    chart
}

fn survivals(count: usize) -> LineChart {
    const SERIES: [&str; 4] = ["all", "artifacts", "rules and direction", "course of the work"];
    let point = |at: usize, by: usize| (at as f64, 0.95_f64.powf((at * by) as f64));
    let panel = |index: usize| LinePanel {
        title: name(index),
        y_title: "share present",
        y: Upwards::Share,
        series: each(SERIES.len(), |series| LineSeries {
            name: SERIES[series].to_owned(),
            points: each(if series == 2 { 3 } else { 6 }, |at| point(at, index + series)),
            ..LineSeries::default()
        }),
    };
    LineChart {
        x: Across::Named(["0.25", "0.5", "1", "2", "4", "4+"].map(str::to_owned).to_vec()),
        x_title: "age (windows of tokens since birth)",
        columns: 3,
        height: 210.0,
        panels: each(count, panel),
        ..floors(0, 0, None)
    }
}

fn heat(rows: usize) -> ToneChart {
    let kinds = ["path", "symbol", "safety-rule", "dead-end", "direction", "outcome", "pending"];
    let share = |at: usize| (at % 11 != 3).then(|| if at < 7 { 1.0 } else { noise(at) });
    let row = |row: usize| (name(row), each(kinds.len(), |kind| share(row * 7 + kind)));
    let value = "recall (share of live facts present, 0 to 1)";
    ToneChart::of_shares(value, kinds.map(str::to_owned).to_vec(), each(rows, row))
}

fn tones(rows: usize) -> ToneChart {
    let cell = |at: usize| {
        let share = noise(at);
        let text = format!("−$0.{:03}", (share * 999.0) as u32);
        (at % 7 != 5).then_some(ToneCell { share, text })
    };
    let row = |row: usize| ToneRow {
        name: "forge-tool-call, forge-threshold, forge-goal-batch, mask-tool-results".to_owned(),
        cells: each(4, |column| cell(row * 4 + column)),
    };
    ToneChart {
        value: "difference to the best of each figure".to_owned(),
        ends: ("none".to_owned(), "that of the worst".to_owned()),
        empty: "no figure".to_owned(),
        columns: ["completion", "recall at need", "net savings", "dollars"]
            .map(str::to_owned)
            .to_vec(),
        rows: each(rows, row),
    }
}

pub fn scatter(count: usize, spread: f64) -> ScatterChart {
    let point = |index: usize| ScatterPoint {
        configuration: name(index),
        colour: index,
        cost: 5_000.0 + spread * noise(index * 3).powi(3),
        recall: (0.2 + 0.85 * noise(index * 7 + 1)).min(1.0),
        completed: index % 6 != 4,
        sweep: (index % 6 == 1).then(|| "truncate".to_owned()),
        ..ScatterPoint::default()
    };
    ScatterChart {
        across: "mean prompt",
        unit: "tokens",
        points: each(count, point),
        ..ScatterChart::default()
    }
}

/// A few points over the many that were tried before them.
fn scatter_over_trials() -> ScatterChart {
    let mut chart = scatter(6, 900.0);
    let trial = |index: usize| (4_800.0 + 900.0 * noise(index), noise(index * 5 + 2));
    chart.trials = each(160, trial);
    chart
}

/// Every other point in the place of the one before it, all with brackets and bounds, and a
/// control far beyond them.
fn scatter_in_pairs() -> ScatterChart {
    let mut chart = scatter(28, 60.0);
    chart.unit = "% of the window";
    for (index, point) in chart.points.iter_mut().enumerate() {
        point.cost -= 4_996.0;
        let near = |by: f64| (point.recall + by).clamp(0.0, 1.0);
        point.brackets = (index % 3 != 0).then(|| (near(-0.3), near(0.15)));
        point.bounds = Some((near(-0.4), near(0.3)));
        point.interval = (index % 2 == 0).then(|| (near(-0.1), near(0.1)));
    }
    for pair in chart.points.chunks_exact_mut(2) {
        (pair[1].cost, pair[1].recall) = (pair[0].cost, pair[0].recall);
    }
    let (configuration, cost, recall) = ("none@windowless".to_owned(), 312.4, 1.0);
    chart.control = Some(ScatterPoint { configuration, cost, recall, ..ScatterPoint::default() });
    chart
}

fn bars(bars: usize, of: &'static Amount, unit: f64) -> BarChart {
    let part = |index: usize, cause: usize| match index {
        _ if bars == 1 => [0.0, 0.0, 2_000_000.0, 1.0, 0.0][cause],
        0 => 0.0,
        2 => 1.0,
        _ => (noise(index * 5 + cause) * 60.0 / (cause + 1) as f64).floor(),
    };
    let bar = |index: usize| Bar {
        configuration: if bars == 1 { LONG.repeat(3) } else { name(index) },
        parts: [0, 1, 2, 3, 4].map(|cause| part(index, cause) * unit),
        remark: ["", "3.2 per 100 steps", "3.2 per 100 steps"][index % 3].to_owned(),
        failed: (index % 4 == 1).then(|| format!("{index} of 9 ended early")),
    };
    BarChart { of, bars: each(bars, bar) }
}

fn savings(rows: usize) -> Vec<SavingRow> {
    let estimate = |row: usize, panel: usize| {
        let value = 0.85 - 0.12 * panel as f64 - 0.5 * noise(row * 3 + panel);
        let half = 0.12 * noise(row * 5 + panel);
        let interval = (row % 5 != 4).then_some((value - half, value + half));
        (row % 7 != 6 || panel == 0).then_some((value, interval))
    };
    let row = |row: usize| SavingRow {
        configuration: if rows == 1 { LONG.repeat(3) } else { name(row) },
        savings: [0, 1, 2].map(|panel| estimate(row, panel)),
        sessions: format!("{} of 54", 54 - row),
        partial: row % 3 == 2,
    };
    each(rows, row)
}

fn dots(rows: usize) -> DotChart {
    let estimate = |row: usize, series: usize| {
        let value = noise(row * 3 + series);
        let half = 0.1 * noise(row * 5 + series);
        (row % 5 != 4 || series == 0)
            .then_some((value, (row % 3 != 2).then_some((value - half, value + half))))
    };
    let row = |row: usize| DotRow {
        name: if rows == 1 { LONG.repeat(3) } else { name(row) },
        dots: [0, 1].map(|series| estimate(row, series)),
    };
    DotChart {
        across: "kept (share of facts)",
        series: ["recorded", "simulated", "95 % interval"],
        rows: each(rows, row),
    }
}

fn firings(of: Firings, rows: usize) -> StripChart {
    let value = |row: usize, noise: f64| match of {
        Firings::Pressure => 0.4 + 0.05 * row as f64 + 0.2 * noise,
        Firings::Waits => 0.6 + (1.0 + row as f64) * 4.0 * noise.powi(2),
    };
    let row = |row: usize| StripRow {
        configuration: name(row),
        values: each([900, 1, 3, 40][row % 4], |at| value(row, noise(row * 997 + at))),
        trigger: (of == Firings::Pressure && row % 3 != 1).then_some(0.8),
    };
    StripChart { of, rows: each(rows, row) }
}
