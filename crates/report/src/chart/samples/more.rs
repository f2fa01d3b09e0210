//! Samples of what compaction costs and of what contexts are made of.

use super::{LONG, name, noise};
use crate::chart::*;

pub fn compositions(panels: usize, steps: u64) -> CompositionChart {
    let panels = (0..panels).map(|index| {
        let end = End { step: steps / 2, reason: "overflow".to_owned() };
        let early = index == 3 && steps > 1;
        let last = if early { steps / 2 } else { steps };
        CompositionPanel {
            configuration: name(index),
            steps: (1..=last).map(|step| composition(index, step, steps)).collect(),
            end: early.then_some(end),
        }
    });
    CompositionChart {
        title: "What the context is made of: feature-work, seed 1".to_owned(),
        panels: panels.collect(),
    }
}

/// Raw work that grows and is folded, and summaries that stay.
fn composition(index: usize, step: u64, steps: u64) -> CompositionStep {
    let since = step % (steps / 8).max(1) + 1;
    let folds = step * 8 / steps;
    let lot = |part: usize| (noise(step as usize * 8 + part) * 40.0) as u64;
    let raw = |each: u64| since * each * 400 / steps + lot(index);
    let summarized = if index == 0 { 0 } else { folds * 900 };
    let goals = if index == 2 { folds * 400 } else { 0 };
    let summary = if index > 3 { folds.min(1) * 2_000 } else { 0 };
    let tokens = [2_500, goals, summarized, summary, folds * 20, 300 * folds, raw(60), raw(150)];
    CompositionStep { step, tokens }
}

pub fn savings_of(rows: usize) -> SavingsChart {
    let estimate = |row: usize, panel: usize| {
        let value = 0.85 - 0.12 * panel as f64 - 0.5 * noise(row * 3 + panel);
        let half = 0.12 * noise(row * 5 + panel);
        let interval = (row % 5 != 4).then_some((value - half, value + half));
        (row % 7 != 6 || panel == 0).then_some(Estimate { value, interval })
    };
    let row = |row: usize| SavingRow {
        configuration: if rows == 1 { format!("{LONG}+{LONG}+{LONG}") } else { name(row) },
        savings: [0, 1, 2].map(|panel| estimate(row, panel)),
        sessions: format!("{} of 54", 54 - row),
        partial: row % 3 == 2,
    };
    let title = "Tokens saved against sending everything".to_owned();
    SavingsChart { title, rows: (0..rows).map(row).collect() }
}

pub fn dollars_of(bars: usize) -> DollarChart {
    let bar = |bar: usize| DollarBar {
        configuration: name(bar),
        parts: [0, 1, 2, 3, 4].map(|part| match (bar, part) {
            (1, _) | (_, 2) => 0.0,
            _ => noise(bar * 5 + part) * [2.0, 1.0, 0.0, 0.3, 0.2][part],
        }),
        hit_rate: (bar % 4 != 3).then(|| noise(bar)),
        early: (bar % 5 == 2).then(|| format!("{bar} of 54 ended early")),
    };
    DollarChart { title: "Dollars a session".to_owned(), bars: (0..bars).map(bar).collect() }
}

pub fn pressures(rows: usize) -> PressureChart {
    let row = |row: usize| PressureRow {
        configuration: name(row),
        utilization: (0..[900, 1, 3, 40][row % 4])
            .map(|firing| 0.4 + 0.05 * row as f64 + 0.2 * noise(row * 997 + firing))
            .collect(),
        trigger: (row % 3 != 1).then_some(0.8),
    };
    let title = "How full the window is when compaction fires".to_owned();
    PressureChart { title, rows: (0..rows).map(row).collect() }
}

pub fn latencies(rows: usize) -> LatencyChart {
    let row = |row: usize| LatencyRow {
        configuration: name(row),
        seconds: (0..[700, 2, 30][row % 3])
            .map(|firing| 0.6 + (1.0 + row as f64) * 4.0 * noise(row * 997 + firing).powi(2))
            .collect(),
    };
    let title = "How long the agent waits for a compaction".to_owned();
    LatencyChart { title, target: 5.0, rows: (0..rows).map(row).collect() }
}
