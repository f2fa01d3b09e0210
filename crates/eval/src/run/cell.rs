//! One cell of a plan: driven, measured and landed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use serde_json::value::RawValue;

use crate::answer::{Answers, Attempt, Memo, Outcome};
use crate::apply::Applied;
use crate::drive::{Cell, Limits, Observer, drive, drive_observed};
use crate::frame::{CellState, MeasuredCell};
use crate::ident::RequestId;
use crate::log::Text;
use crate::matrix::{CellSpec, Configuration};
use crate::measure::{self, Measurement, Subject, rows};
use crate::prelude::*;
use crate::run::story::{Length, Recorder};
use crate::run::{Options, Plan, Prepared};
use crate::run::{live, programs};
use crate::run_dir::shard::Landed;
use crate::run_dir::tables::lines_of;
use crate::run_dir::{Stories, redact};
use crate::scenario::{Scenario, SessionSource, twin_of};
use crate::summarize::{Ask, FailureClass};
use crate::trace::{Compaction, Trace};
use crate::view::View;
use crate::watch::FactTracker;

/// A session made ready, and which of its cells are still to be driven.
pub(super) struct Ready<'a> {
    pub(super) plan: &'a Plan,
    pub(super) options: &'a Options,
    pub(super) scenario: &'a Scenario,
    pub(super) seed: u64,
    pub(super) prepared: Arc<Prepared>,
    pub(super) open: Vec<CellSpec>,
}

impl Ready<'_> {
    /// Whether the words of the session must not be written. Synthesized ones are nobody's.
    fn is_hidden(&self) -> bool {
        let is_silent = self.options.redact || self.options.stories == Stories::None;
        is_silent && matches!(self.scenario.source, SessionSource::Transcript(_))
    }
}

fn has_story(spec: &CellSpec, of: &Ready) -> bool {
    let (key, suite) = (&spec.key, &of.plan.suite);
    let is_first = match of.scenario.source {
        SessionSource::Transcript(_) => true,
        SessionSource::Synth(_) => suite.seeds.first() == Some(&of.seed),
    };
    match of.options.stories {
        Stories::All => true,
        Stories::None => false,
        Stories::First => {
            is_first
                && twin_of(&key.scenario).is_none()
                && key.variant == "windowed"
                && suite.modes.first() == Some(&spec.mode)
                && spec.summarizer == suite.summarizer
                && key.replicate == 0
        }
    }
}

/// What the model admits in a configuration of a scenario.
pub fn limits(scenario: &Scenario, configuration: &Configuration) -> Limits {
    Limits {
        window: if configuration.windowless {
            Tokens::UNBOUNDED
        } else {
            configuration.window.unwrap_or(scenario.window)
        },
        max_output: scenario.max_output,
        admits: scenario.admits,
        wire: scenario.wire,
        // Without a window nothing is refused: the control replays what was said.
        cut_off_every: if configuration.windowless { 0 } else { scenario.cut_off_every },
    }
}

/// A cell of a plan, ready to be driven.
pub fn cell_of<'a>(
    plan: &'a Plan,
    scenario: &Scenario,
    prepared: &'a Prepared,
    spec: &CellSpec,
    (ask, memo): (&'a dyn Ask, &'a Memo),
) -> Cell<'a> {
    let configuration = &plan.configurations[spec.configuration];
    Cell {
        session: &prepared.session,
        pipeline: &configuration.pipeline,
        limits: limits(scenario, configuration),
        mode: spec.mode,
        ask,
        memo,
        sheet: &plan.sheet,
        replicate: spec.key.replicate,
        probes: plan.suite.probes && spec.is_probed(&plan.suite),
        exchanges: None,
    }
}

/// Drives one cell; it fails as a row where it panics. An error keeps it from landing.
pub(super) fn land(spec: &CellSpec, cell: Cell, of: &Ready) -> Result<Landed> {
    let started = Instant::now();
    let mut landed = caught(
        of,
        || driven(spec, cell, of),
        |state| {
            let figures = Measurement::default();
            Landed::of(&MeasuredCell { key: spec.key.clone(), state, figures }, Vec::new())
        },
    )?;
    landed.wall_ms = started.elapsed().as_millis() as u64;
    Ok(landed)
}

/// Drives one cell for its figures alone; it fails as a row where it panics.
pub(super) fn figures_of(spec: &CellSpec, cell: Cell, of: &Ready) -> Result<MeasuredCell> {
    let key = || spec.key.clone();
    let measured = || {
        let trace = drive(cell).map_err(|stopped| live::error_of(&stopped))?;
        programs::note(of.options, cell.pipeline, &trace.ended_by);
        let figures = measure::measure(&subject(&trace, &cell, of)).as_written();
        Ok(MeasuredCell::done(key(), figures))
    };
    let failed = |state| MeasuredCell { key: key(), state, figures: Measurement::default() };
    caught(of, measured, failed)
}

/// Does the work of a cell. A panic becomes a failed state.
fn caught<T>(
    of: &Ready,
    work: impl FnOnce() -> Result<T>,
    failed: impl FnOnce(CellState) -> T,
) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        // A panic may quote the text that it stumbled over.
        let message = if of.options.redact { redact::text(message) } else { message.to_owned() };
        Ok(failed(CellState::Failed(format!("internal error: {message}"))))
    })
}

fn subject<'a>(trace: &'a Trace, cell: &Cell<'a>, of: &Ready) -> Subject<'a> {
    Subject {
        trace,
        session: cell.session,
        pipeline: cell.pipeline,
        limits: cell.limits,
        base_window: of.scenario.window,
        sheet: cell.sheet,
    }
}

fn driven(spec: &CellSpec, cell: Cell, of: &Ready) -> Result<Landed> {
    let mut record = CellRecord {
        system: &cell.session.log.system,
        written: BTreeSet::new(),
        story: has_story(spec, of)
            .then(|| Recorder::new(cell.session, cell.pipeline, Length::Excerpts)),
    };
    let trace = drive_observed(cell, &mut record).map_err(|stopped| live::error_of(&stopped))?;
    programs::note(of.options, cell.pipeline, &trace.ended_by);
    if let Some(why) = unanswered(&trace) {
        let state = CellState::Unanswered(why);
        let cell = MeasuredCell { key: spec.key.clone(), state, figures: Measurement::default() };
        return Ok(Landed::of(&cell, Vec::new()));
    }
    let CellRecord { written, story, .. } = record;
    let written = written.into_iter().filter(|_| !of.is_hidden());
    let prompts = written.map(|text| (Digest::of(text.as_bytes()), text.to_string())).collect();
    let story = story.map(|recorder| {
        let story = recorder.finish(&spec.key, cell.limits, &trace).story;
        raw_json("story", &if of.is_hidden() { redact::story(story) } else { story })
    });
    let id = &spec.key.cell;
    let subject = subject(&trace, &cell, of);
    let figures = measure::measure(&subject).as_written();
    let lines = vec![
        lines_of(&rows::floor_rows(id, &subject)),
        lines_of(&rows::composition_rows(id, &subject)),
        lines_of(&rows::step_rows(id, &subject)),
        lines_of(&rows::compaction_rows(id, &subject)),
        lines_of(&rows::trigger_rows(id, &subject)),
        lines_of(&rows::fact_rows(id, &subject)),
        lines_of(&measure::survival::rows(id, &subject)),
    ];
    Ok(Landed {
        trace: Some(raw_json("trace", &trace)?),
        digest: Some(trace.digest()),
        story: story.transpose()?,
        prompts,
        ..Landed::of(&MeasuredCell::done(spec.key.clone(), figures), lines)
    })
}

/// How many requests of a cell came to nothing because their last call failed outside the model:
/// the connection, the provider, a quota. A fault that was put there is what the cell is about.
fn unanswered(trace: &Trace) -> Option<String> {
    let (mut all, mut failed) = (0, BTreeMap::new());
    for compaction in &trace.compactions {
        let last: BTreeMap<RequestId, &Attempt> =
            compaction.attempts.iter().map(|attempt| (attempt.request, attempt)).collect();
        all += last.len();
        let classes = last.into_values().filter(|last| last.fault.is_none());
        for class in classes.filter_map(|last| last.failed) {
            if matches!(class, FailureClass::Error | FailureClass::TimeOut) {
                *failed.entry(class.name()).or_insert(0) += 1;
            }
        }
    }
    let counts: Vec<String> = failed.iter().map(|(class, n)| format!("{class} {n}")).collect();
    let sum: i32 = failed.values().sum();
    (sum > 0).then(|| format!("no answer to {sum} of {all} requests ({})", counts.join(", ")))
}

fn raw_json<T: Serialize>(what: &str, value: &T) -> Result<Box<RawValue>> {
    serde_json::value::to_raw_value(value)
        .map_err(|error| Error::invalid(what, format!("cannot be written as JSON: {error}")))
}

/// What strategies wrote into the cell's requests and, where it is wanted, its story.
struct CellRecord<'a> {
    /// The system prompt of the agent, which is no strategy's.
    system: &'a str,
    written: BTreeSet<Text>,
    story: Option<Recorder<'a>>,
}

impl Observer for CellRecord<'_> {
    fn asked(&mut self, outcome: &Outcome) {
        for prompt in outcome.prompts.values() {
            let own = prompt.system.iter().filter(|system| ***system != *self.system);
            let segments = prompt.segments().filter(|segment| !segment.material);
            let texts = own.chain(segments.map(|segment| &segment.text));
            self.written.extend(texts.filter(|text| !text.trim().is_empty()).cloned());
        }
        self.story.iter_mut().for_each(|story| story.asked(outcome));
    }

    fn changing(&mut self, view: &View, applied: &Applied, answers: &Answers, watch: &FactTracker) {
        self.story.iter_mut().for_each(|story| story.changing(view, applied, answers, watch));
    }

    fn compacted(&mut self, record: &Compaction, view: &View) {
        self.story.iter_mut().for_each(|story| story.compacted(record, view));
    }
}
