//! Cells by hand, for tests.

use std::fmt::Debug;
use std::str::FromStr;

use crate::derive::{Record, derive};
use crate::frame::{Derived, Frame, MeasuredCell};
use crate::measure::sample::{compaction_row, step};
use crate::measure::{Measurement, MetricId, Value};
use crate::prelude::*;
use crate::row::{CellKey, CompactionRow, FloorRow, StepRow, TriggerRow};
use crate::trace::{CompactionOutcome, StepRecord};
use crate::unit::{Usd, float};

#[derive(Default)]
pub(super) struct Sample {
    pub(super) cells: Vec<MeasuredCell>,
    pub(super) floor: Vec<FloorRow>,
    pub(super) compactions: Vec<CompactionRow>,
    pub(super) references: BTreeMap<String, String>,
    pub(super) triggers: Vec<TriggerRow>,
    pub(super) steps: BTreeMap<String, Vec<StepRow>>,
}

fn numbers<T: FromStr<Err: Debug>>(text: &str) -> Vec<T> {
    text.split(',').map(|number| number.parse().expect("a number")).collect()
}

impl Sample {
    /// Cells, a line each: `PIPELINE[@VARIANT]`, and behind it `KEY=VALUE` with the axes (`on` a
    /// scenario, `under` a summarizer, `seed`, `replicate`, `turns`), metrics by name, `prompts` of
    /// the steps, a dollar a token, `compaction` (step, tokens after it, dollars) and `floor` (turn,
    /// then tokens and facts present of 10: untouched, after one round, after two). What is not
    /// named is seed 1 of `scenario`, deployed, under `extractive`, completed.
    pub(super) fn of<'a>(lines: impl IntoIterator<Item = &'a str>) -> Sample {
        let mut sample = Sample::default();
        lines.into_iter().for_each(|line| sample.add(line));
        sample
    }

    fn add(&mut self, line: &str) {
        let mut words = line.split(' ');
        let configuration = words.next().unwrap_or_default();
        let (pipeline, variant) =
            configuration.split_once('@').unwrap_or((configuration, "windowed"));
        let mut key = key(pipeline, variant);
        let mut figures = Measurement::default();
        let mut set = |metric, value: &str| figures.set(metric, Value::parse(metric, value));
        set(MetricId::Completion, "1");
        let (mut prompts, mut compactions, mut floor) = (Vec::new(), Vec::new(), Vec::new());
        for word in words {
            let (name, value) = word.split_once('=').expect("a key and its value");
            match name {
                "on" => {
                    key.scenario = value.to_owned();
                    key.family = value.to_owned();
                }
                "under" => key.summarizer = value.to_owned(),
                "seed" => key.seed = numbers(value)[0],
                "replicate" => key.replicate = numbers(value)[0],
                "turns" => {
                    key.turns = numbers(value)[0];
                    key.scenario = format!("scenario@{value}");
                }
                "prompts" => {
                    prompts = numbers(value);
                    let total: u64 = prompts.iter().sum();
                    set(MetricId::StepsReached, &prompts.len().to_string());
                    set(MetricId::TokensPromptTotal, &total.to_string());
                    let mean = total as f64 / prompts.len() as f64;
                    set(MetricId::TokensMeanPrompt, &float(mean));
                    set(MetricId::CostUsd, &total.to_string());
                }
                "compaction" => compactions.push(numbers::<u32>(value)),
                "floor" => floor.push(numbers::<u32>(value)),
                metric => set(metric.parse().expect("a metric"), value),
            }
        }
        let CellKey { scenario, seed, summarizer, replicate, .. } = &key;
        key.cell = format!("{scenario}/{}/{seed}/{summarizer}/{replicate}", key.configuration());
        self.steps.insert(key.cell.clone(), steps(&key.cell, prompts));
        self.compactions.extend(compactions.iter().map(|of| compaction(&key.cell, of)));
        for (of, checkpoint) in floor.iter().zip(1..) {
            self.floor.extend(rounds(&key.cell, checkpoint, of));
        }
        self.cells.push(MeasuredCell::done(key, figures));
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

fn key(pipeline: &str, variant: &str) -> CellKey {
    CellKey {
        scenario: "scenario".to_owned(),
        family: "family".to_owned(),
        turns: 24,
        window: 1_000,
        pipeline: pipeline.to_owned(),
        variant: variant.to_owned(),
        mode: "deployed".to_owned(),
        seed: 1,
        summarizer: "extractive".to_owned(),
        ..CellKey::default()
    }
}

fn steps(cell: &str, prompts: Vec<u64>) -> Vec<StepRow> {
    let call = |(prompt, number): (u64, u32)| StepRow {
        cell: cell.to_owned(),
        call: StepRecord { usd: Usd(prompt as f64), ..step(number, prompt) },
    };
    prompts.into_iter().zip(1..).map(call).collect()
}

fn compaction(cell: &str, of: &[u32]) -> CompactionRow {
    CompactionRow {
        cell: cell.to_owned(),
        step: of[0],
        turn: of[0],
        outcome: CompactionOutcome::Accepted,
        removed: 1,
        after: Tokens(of[1].into()),
        usd: Usd(of[2].into()),
        ..compaction_row()
    }
}

fn rounds(cell: &str, checkpoint: u32, of: &[u32]) -> impl Iterator<Item = FloorRow> {
    (0..3).map(move |round| FloorRow {
        cell: cell.to_owned(),
        checkpoint,
        step: of[0],
        turn: of[0],
        round,
        tokens: Tokens(of[round as usize + 1].into()),
        live: 10,
        present: of.get(round as usize + 4).copied().unwrap_or(10),
    })
}

pub(super) fn find<'a>(
    rows: &'a [Derived],
    subject: &str,
    metric: MetricId,
) -> Option<&'a Derived> {
    rows.iter().find(|row| row.subject.to_string() == subject && row.metric == metric)
}

/// Holds rows of a scene to `SUBJECT: METRIC WORD ..., METRIC WORD ...`. A word is what a row tells: its value
/// (`-` where it is undefined), `n=SESSIONS`, the interval as `LOW..HIGH`, the code of its basis,
/// the parameters of that; `absent` where there is no such row.
#[track_caller]
pub(super) fn holds(scene: &str, rows: &[Derived], expected: &str) {
    let (subject, figures) = expected.split_once(": ").expect("a subject and its figures");
    for figure in figures.split(", ") {
        let (metric, words) = figure.split_once(' ').expect("a metric and what is told of it");
        let Some(row) = find(rows, subject, metric.parse().expect("a metric")) else {
            assert_eq!(words, "absent", "{scene}: {expected}");
            continue;
        };
        let value = row.value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        let interval = row.interval.map(|ends| format!("{}..{}", ends.low, ends.high));
        let (code, parameters) = row.basis.code();
        let told = [value, format!("n={}", row.n), interval.unwrap_or_default(), code, parameters];
        let is_told = |word: &str| told.iter().any(|one| one == word);
        assert!(words.split(' ').all(is_told), "{scene}: {expected}: {told:?}");
    }
}
