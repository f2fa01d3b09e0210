//! Cells by hand, for tests.

use std::collections::BTreeMap;

use crate::derive::{Record, derive};
use crate::frame::{Derived, Frame, MeasuredCell};
use crate::measure::sample::{compaction_row, step};
use crate::measure::{Measurement, MetricId, Value};
use crate::row::{CellKey, CompactionRow, FloorRow, StepRow, TriggerRow};
use crate::trace::{CompactionOutcome, StepRecord};
use crate::unit::{Tokens, Usd};

#[derive(Clone)]
pub(super) struct SampleCell {
    pub(super) key: CellKey,
    figures: Measurement,
    steps: Vec<u64>,
    compactions: Vec<CompactionRow>,
    /// Turn, then tokens and facts present (of 10): untouched, after one round, after two.
    floor: Vec<(u32, [u64; 3], [u32; 3])>,
}

/// Seed 1 of `scenario`, deployed, under `extractive`, completed.
pub(super) fn cell(pipeline: &str, variant: &str) -> SampleCell {
    let key = CellKey {
        cell: String::new(),
        scenario: "scenario".to_owned(),
        family: "family".to_owned(),
        turns: 24,
        window: 1_000,
        pipeline: pipeline.to_owned(),
        variant: variant.to_owned(),
        mode: "deployed".to_owned(),
        seed: 1,
        summarizer: "extractive".to_owned(),
        replicate: 0,
    };
    let cell = SampleCell {
        key,
        figures: Measurement::default(),
        steps: Vec::new(),
        compactions: Vec::new(),
        floor: Vec::new(),
    };
    cell.with(MetricId::Completion, "1")
}

impl SampleCell {
    pub(super) fn with(mut self, metric: MetricId, value: &str) -> SampleCell {
        self.figures.set(metric, Value::parse(metric, value));
        self
    }

    pub(super) fn on(mut self, scenario: &str) -> SampleCell {
        scenario.clone_into(&mut self.key.scenario);
        scenario.clone_into(&mut self.key.family);
        self
    }

    pub(super) fn seed(mut self, seed: u64) -> SampleCell {
        self.key.seed = seed;
        self
    }

    pub(super) fn replicate(mut self, replicate: u32) -> SampleCell {
        self.key.replicate = replicate;
        self
    }

    pub(super) fn summarizer(mut self, summarizer: &str) -> SampleCell {
        summarizer.clone_into(&mut self.key.summarizer);
        self
    }

    pub(super) fn turns(mut self, turns: u32) -> SampleCell {
        self.key.turns = turns;
        self.key.scenario = format!("scenario@{turns}");
        self
    }

    /// Prompts of the steps, a dollar a token.
    pub(super) fn prompts(mut self, prompts: &[u64]) -> SampleCell {
        self.steps = prompts.to_vec();
        let total: u64 = prompts.iter().sum();
        let mean = total as f64 / prompts.len() as f64;
        self.with(MetricId::StepsReached, &prompts.len().to_string())
            .with(MetricId::TokensPromptTotal, &total.to_string())
            .with(MetricId::TokensMeanPrompt, &crate::unit::float(mean))
            .with(MetricId::CostUsd, &total.to_string())
    }

    /// A compaction before a step, at the turn of the same number.
    pub(super) fn compaction(mut self, step: u32, after: u64, usd: &str) -> SampleCell {
        self.compactions.push(CompactionRow {
            step,
            turn: step,
            outcome: CompactionOutcome::Accepted,
            removed: 1,
            after: Tokens(after),
            usd: Usd(usd.parse().expect("dollars")),
            ..compaction_row()
        });
        self
    }

    pub(super) fn floor(mut self, turn: u32, tokens: [u64; 3], present: [u32; 3]) -> SampleCell {
        self.floor.push((turn, tokens, present));
        self
    }

    fn id(&self) -> String {
        let key = &self.key;
        let configuration = key.configuration();
        let CellKey { scenario, seed, summarizer, replicate, .. } = key;
        format!("{scenario}/{configuration}/{seed}/{summarizer}/{replicate}")
    }
}

/// The value of a row as files write it; empty where it is undefined.
pub(super) fn text(row: &Derived) -> String {
    row.value.map(|value| value.to_string()).unwrap_or_default()
}

#[track_caller]
pub(super) fn row(rows: &[Derived], subject: &str, metric: MetricId) -> Derived {
    let mut own =
        rows.iter().filter(|row| row.subject.to_string() == subject && row.metric == metric);
    own.next().expect("a row").clone()
}

#[derive(Default)]
pub(super) struct Sample {
    pub(super) cells: Vec<MeasuredCell>,
    pub(super) floor: Vec<FloorRow>,
    pub(super) compactions: Vec<CompactionRow>,
    pub(super) references: BTreeMap<String, String>,
    pub(super) triggers: Vec<TriggerRow>,
    steps: BTreeMap<String, Vec<StepRow>>,
}

impl Sample {
    pub(super) fn of(samples: Vec<SampleCell>) -> Sample {
        let mut steps: BTreeMap<String, Vec<StepRow>> = BTreeMap::new();
        let (mut cells, mut floor, mut compactions) = (Vec::new(), Vec::new(), Vec::new());
        for sample in samples {
            let cell = sample.id();
            let own = sample.steps.iter().zip(1..).map(|(prompt, number)| StepRow {
                cell: cell.clone(),
                call: StepRecord { usd: Usd(*prompt as f64), ..step(number, *prompt) },
            });
            steps.insert(cell.clone(), own.collect());
            floor.extend(floor_rows(&cell, &sample));
            let own = sample.compactions.iter().cloned();
            compactions.extend(own.map(|row| CompactionRow { cell: cell.clone(), ..row }));
            let key = CellKey { cell, ..sample.key };
            cells.push(MeasuredCell::done(key, sample.figures));
        }
        Sample { cells, floor, compactions, steps, ..Sample::default() }
    }

    pub(super) fn reference(mut self, pipeline: &str, reference: &str) -> Sample {
        self.references.insert(pipeline.to_owned(), reference.to_owned());
        self
    }

    pub(super) fn derive(&self) -> Vec<Derived> {
        let rows = derive(&Record {
            frame: &Frame::new(&self.cells, &self.floor, &self.compactions, &[]),
            references: &self.references,
            triggers: &self.triggers,
            steps_of: &|cell| Ok(self.steps.get(cell).cloned().unwrap_or_default()),
        });
        rows.expect("the steps are there")
    }
}

fn floor_rows(cell: &str, sample: &SampleCell) -> Vec<FloorRow> {
    let checkpoints = sample.floor.iter().zip(1..);
    checkpoints
        .flat_map(|((turn, tokens, known), checkpoint)| {
            (0..3).map(move |round| FloorRow {
                cell: cell.to_owned(),
                checkpoint,
                step: *turn,
                turn: *turn,
                round,
                tokens: Tokens(tokens[round as usize]),
                live: 10,
                present: known[round as usize],
            })
        })
        .collect()
}
