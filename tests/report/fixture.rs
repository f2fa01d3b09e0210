//! A small run directory made by hand: plausible figures, every kind of row.

use std::path::Path;

use proctor::frame::Derived;
use proctor::ident::FactId;
use proctor::pressure::Occasion;
use proctor::row::*;
use proctor::run_dir::*;
use proctor::trace::{
    CompactionOutcome, DemandRecord, Found, LossClass, OldValue, Share, StepRecord,
};
use proctor::truth::{FactKind, Origin};
use proctor::unit::{Millis, Tokens, Usd};

mod derived;
mod known;
mod store;

use derived::derived;
use known::{costs, curve, knowledge, step_row, survival};
use store::store;

/// What the run calls things.
pub struct Names {
    pub suite: &'static str,
    pub scenario: &'static str,
    pub pipeline: &'static str,
    pub error: &'static str,
    pub reference: &'static str,
}

pub const ORDINARY: Names = Names {
    suite: "default",
    scenario: "multi-goal-arcs@100k",
    pipeline: "forge-adr",
    error: "internal error: index out of bounds",
    reference: "plain",
};

struct Configuration {
    pipeline: &'static str,
    variant: &'static str,
    /// Tokens of the context that it settles at, and growth per turn.
    level: f64,
    slope: f64,
    /// Recall at need under empty, extractive and perfect.
    recall: [f64; 3],
    verdict: &'static str,
}

fn configurations(names: &Names) -> Vec<Configuration> {
    let one = |pipeline, variant, level, slope, recall, verdict| Configuration {
        pipeline,
        variant,
        level,
        slope,
        recall,
        verdict,
    };
    vec![
        one("none", "windowless", 0.0, 900.0, [1.0; 3], ""),
        one("none", "windowed", 0.0, 900.0, [0.12; 3], "not reached"),
        one("truncate", "windowed", 52_000.0, 0.0, [0.08; 3], "not shown to grow"),
        one("truncate", "limit=0.40", 30_000.0, 0.0, [0.03; 3], ""),
        one("truncate", "limit=0.20", 16_000.0, 0.0, [0.01; 3], ""),
        one("forge-tool-call-threshold", "windowed", 41_000.0, 98.4, [0.21, 0.38, 0.66], "grown"),
        one(names.pipeline, "windowed", 33_000.0, 35.6, [0.18, 0.41, 0.61], "lowered"),
    ]
}

struct Length {
    scenario: String,
    family: String,
    turns: u32,
}

fn lengths(names: &Names) -> Vec<Length> {
    let length = |scenario: &str, family: &str, turns| Length {
        scenario: scenario.to_owned(),
        family: family.to_owned(),
        turns,
    };
    vec![
        length(names.scenario, names.scenario, 60),
        length("floor-p3-t120", "floor-p3", 120),
        length("floor-p3-t240", "floor-p3", 240),
    ]
}

const SEEDS: [u64; 2] = [7, 8];
const SUMMARIZERS: [&str; 3] = ["extractive", "empty", "perfect"];
const KINDS: [&str; 6] = ["path", "symbol", "value", "decision", "constraint", "dead-end"];

#[derive(Default)]
struct Files {
    cells: Vec<ManifestCell>,
    measurements: Vec<Vec<String>>,
    derived: Vec<Derived>,
    floor: Vec<FloorRow>,
    compositions: Vec<CompositionRow>,
    compactions: Vec<CompactionRow>,
    triggers: Vec<TriggerRow>,
    facts: Vec<FactRow>,
    survival: Vec<SurvivalRow>,
    curve: Vec<CurveRow>,
    steps: Vec<StepRow>,
}

/// Writes the run directory.
pub fn write(dir: &Path, names: &Names) {
    let mut files = Files::default();
    for configuration in configurations(names) {
        for length in lengths(names) {
            for seed in SEEDS {
                for (index, summarizer) in SUMMARIZERS.iter().enumerate() {
                    if index == 0 || configuration.recall[0] != configuration.recall[1] {
                        let key = key(&configuration, &length, seed, summarizer);
                        cell(&mut files, names, &configuration, &key);
                    }
                }
            }
        }
        derived(&mut files, names, &configuration);
        curve(&mut files, &configuration);
    }
    let excluded = configurations(names).pop().unwrap();
    let mut key = key(&excluded, &lengths(names)[0], 9, "extractive");
    key.mode = "reactive".to_owned();
    key.cell.push_str("/reactive");
    let reason = "no stage is due at overflow".to_owned();
    files.cells.push(ManifestCell { key, state: CellState::Excluded(reason), digest: None });
    store(dir, names, &files);
    crate::harness::sealed(dir);
}

fn key(of: &Configuration, length: &Length, seed: u64, summarizer: &str) -> CellKey {
    let mut cell = format!("{}/{}/{seed}", length.scenario, of.pipeline);
    for part in [of.variant, summarizer] {
        if !["windowed", "extractive"].contains(&part) {
            cell.push_str(&format!("/{part}"));
        }
    }
    CellKey {
        cell,
        scenario: length.scenario.clone(),
        family: length.family.clone(),
        turns: length.turns,
        window: 100_000,
        pipeline: of.pipeline.to_owned(),
        variant: of.variant.to_owned(),
        mode: "deployed".to_owned(),
        seed,
        summarizer: summarizer.to_owned(),
        replicate: 0,
    }
}

fn cell(files: &mut Files, names: &Names, of: &Configuration, key: &CellKey) {
    let failed = of.pipeline == names.pipeline && key.seed == 8 && key.summarizer == "perfect";
    let alone = of.slope > 800.0 && of.variant == "windowed" && key.turns > 100;
    // Without words of its own a summary keeps this pipeline from the longest end.
    let unhelped = of.slope == 98.4 && key.summarizer == "empty" && key.turns > 200;
    let overflow = alone || unhelped;
    let state = match failed {
        true => CellState::Failed(names.error.to_owned()),
        false => CellState::Done,
    };
    files.cells.push(ManifestCell { key: key.clone(), state, digest: None });
    let figures = if failed {
        vec![String::new(); METRICS.len() + KINDS.len()]
    } else {
        figures(of, key, overflow)
    };
    let mut row: Vec<String> = [&key.cell, &key.scenario, &key.family].map(Clone::clone).to_vec();
    row.extend([key.turns.to_string(), key.window.to_string()]);
    row.extend([&key.pipeline, &key.variant, &key.mode].map(Clone::clone));
    row.extend([key.seed.to_string(), key.summarizer.clone(), key.replicate.to_string()]);
    let (state, error) = if failed { ("failed", names.error) } else { ("done", "") };
    row.extend([state.to_owned(), error.to_owned()]);
    row.extend(figures);
    files.measurements.push(row);
    if !failed && key.summarizer == "extractive" {
        details(files, of, key, overflow);
    }
}

const METRICS: [&str; 35] = [
    "completion",
    "ended_by",
    "tokens.mean_prompt",
    "cost.usd",
    "cost.reacquire",
    "cost.unrecoverable",
    "recall_at_need",
    "floor.goals_absorbed",
    "floor.one_pass",
    "floor.ownerless",
    "violations.orphan-result",
    "violations.grew",
    "oracle",
    "oracle.at_least",
    "random_drop",
    "regret",
    "stale.needs",
    "stale.alone_share",
    "update.resolved",
    "summary.ratio",
    "summary.copy_share",
    "fabricated.share",
    "steps_reached",
    "tokens.peak",
    "cost.usd_cached",
    "cost.usd_written",
    "cost.usd_uncached",
    "cost.usd_output",
    "cost.usd_summarizer",
    "cache.hit_rate",
    "demands.at_need",
    "violations.fresh-result-hidden",
    "recall_at_need.under_0.25",
    "recall_at_need.under_1",
    "recall.irreplaceable",
];

fn figures(of: &Configuration, key: &CellKey, overflow: bool) -> Vec<String> {
    let which = SUMMARIZERS.iter().position(|name| *name == key.summarizer).unwrap();
    let recall = of.recall[[1, 0, 2][which]];
    let mean_prompt = 6_000.0 + of.level + of.slope * f64::from(key.turns) / 2.0;
    let is_floor = key.family == "floor-p3";
    let probed = of.variant == "windowed" && !overflow;
    let orphans = if of.pipeline == "truncate" { 3 } else { 0 };
    let mut figures = vec![
        if overflow { "0" } else { "1" }.to_owned(),
        if overflow { "overflow" } else { "completed" }.to_owned(),
        mean_prompt.to_string(),
        (mean_prompt
            * if of.pipeline == "truncate" { 6.2e-7 } else { 3.1e-7 }
            * f64::from(key.turns))
        .to_string(),
        (of.level / 10.0).to_string(),
        if of.pipeline == "truncate" { "4" } else { "1" }.to_owned(),
        if is_floor { String::new() } else { recall.to_string() },
        if of.slope == 35.6 { "2" } else { "0" }.to_owned(),
        if probed { (of.level / 3.0).to_string() } else { String::new() },
        if of.slope > 50.0 { "21" } else { "0" }.to_owned(),
        orphans.to_string(),
        "0".to_owned(),
    ];
    figures.extend(knowledge(of, recall, is_floor));
    figures.extend(costs(of, key, mean_prompt));
    figures.push(if is_floor { "0" } else { "7" }.to_owned());
    figures.push(if of.pipeline == "truncate" { "2" } else { "0" }.to_owned());
    figures.extend([0.5, 0.3, 0.1].map(|more| (recall + more).min(1.0).to_string()));
    let kinds = KINDS.iter().enumerate();
    figures.extend(kinds.map(|(index, _)| match index {
        3 if is_floor => String::new(),
        _ => (recall * (1.0 - 0.13 * index as f64) + 0.01 * index as f64).min(1.0).to_string(),
    }));
    if of.variant == "windowless" {
        figures[METRICS.len()..].fill("1".to_owned());
    }
    figures
}

fn details(files: &mut Files, of: &Configuration, key: &CellKey, overflow: bool) {
    let cell = &key.cell;
    steps(files, of, key, overflow);
    if of.variant != "windowed" || of.pipeline == "none" {
        return;
    }
    survival(files, of, cell);
    for checkpoint in 1..=12 {
        let turn = key.turns * checkpoint / 12;
        let floor = 4_000.0 + of.level / 5.0 + of.slope * f64::from(turn);
        for round in 0..=3_u32 {
            let tokens = if round == 0 { floor * 2.1 } else { floor / f64::from(round).sqrt() };
            let present = 24_u32.saturating_sub(6 * round);
            let (step, tokens) = (turn * 5, Tokens(tokens as u64));
            let cell = cell.clone();
            files.floor.push(FloorRow {
                cell,
                checkpoint,
                step,
                turn,
                round,
                tokens,
                live: 30,
                present,
            });
        }
    }
    for (share, entries) in
        [(Share::User, 21), (Share::GoalBatch, 19), (Share::Summarized, 12), (Share::Tool, 30)]
    {
        files.compositions.push(CompositionRow {
            cell: cell.clone(),
            checkpoint: 0,
            state: ViewState::Deployed,
            share,
            entries,
            tokens: Tokens(u64::from(entries) * 210),
            tail_entries: 4,
            tail_tokens: Tokens(900),
        });
    }
    files.facts.push(FactRow {
        cell: cell.clone(),
        demand: DemandRecord {
            demand: 0,
            fact: FactId(3),
            kind: FactKind::Path,
            origin: Origin::Planned,
            step: 120,
            distance: Tokens(130_000),
            compacted: false,
            found: Found::Absent,
            needles: Some(1),
            of_needles: 2,
            stale: Some(OldValue::Gone),
            loss: Some(LossClass::Omitted),
            lost_by: Some(2),
        },
        windows: 1.3,
    });
}

/// A saw whose lower edge rises as the configuration's floor does.
fn steps(files: &mut Files, of: &Configuration, key: &CellKey, overflow: bool) {
    let mut tokens = 3_000.0;
    let trigger = if of.variant == "windowless" { f64::MAX } else { of.level.max(1.0) * 1.6 };
    for step in 1..=key.turns * 5 {
        tokens += 180.0 + f64::from(step * 37 % 11) * 22.0;
        let turn = step.div_ceil(5);
        if of.pipeline != "none" && tokens > trigger {
            let before = tokens;
            tokens = of.level * 0.35 + of.slope * f64::from(turn);
            compaction(files, of, key, (step, turn), (before, tokens));
        }
        files.steps.push(step_row(&key.cell, step, turn, tokens as u64));
        if overflow && tokens > 100_000.0 {
            return;
        }
    }
}

fn compaction(
    files: &mut Files,
    of: &Configuration,
    key: &CellKey,
    (step, turn): (u32, u32),
    (before, after): (f64, f64),
) {
    let number = files.compactions.iter().filter(|row| row.cell == key.cell).count() as u32 + 1;
    let asks = of.slope > 0.0;
    files.compactions.push(CompactionRow {
        cell: key.cell.clone(),
        number,
        step,
        turn,
        stage: of.pipeline.to_owned(),
        occasion: Occasion::BeforeCall,
        round: 0,
        outcome: CompactionOutcome::Accepted,
        before: Tokens(before as u64),
        after: Tokens(after as u64),
        entries_before: 120,
        entries_after: 40,
        removed: 81,
        added: 1,
        generation: 1,
        utilization: Some(0.81),
        trigger: asks.then_some(0.8),
        attempts: u32::from(asks),
        failed_attempts: 0,
        summarizer_prompt: Tokens(20_000),
        summarizer_completion: Tokens(600),
        usd: Usd(0.046),
        blocking_ms: Millis(14_500),
        covered_tokens: Tokens(30_000),
        unseen_tokens: Tokens::ZERO,
        words: 400,
        copied_words: 250,
        artifacts: 30,
        fabricated: 1,
        took_live_goal: of.slope == 35.6 && number == 2,
        lost_dropped: if asks { 0 } else { 7 },
        lost_unseen: u32::from(asks),
        lost_omitted: if asks { 3 } else { 0 },
        lost_resummarized: u32::from(asks && number > 1),
        lost_inverted: 0,
        violations: String::new(),
    });
}
