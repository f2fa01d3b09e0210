//! A recorded cell once more: its tables from its trace, or the cell driven again.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::answer::Memo;
use crate::drive::Cell;
use crate::error::Result;
use crate::ident::Seed;
use crate::import;
use crate::log::Log;
use crate::matrix::{CellSpec, Summarizer, SummarizerName};
use crate::price::PriceSheet;
use crate::run::{Of, Options, Plan, Prepared, land, limits, live, tables};
use crate::run_dir::write::Landed;
use crate::scenario::{Scenario, SessionSource};
use crate::summarize::Ask;
use crate::token::{MessageTokens, Tokenizer};
use crate::trace::Trace;
use crate::unit::Tokens;

/// A session of a recorded run with all that its cells need.
pub struct Again<'a> {
    of: Of<'a>,
    sheet: PriceSheet,
    desks: BTreeMap<Summarizer, (Box<dyn Ask + Send>, Memo)>,
}

impl<'a> Again<'a> {
    /// For these cells of a session. `options` say which stories are written, and who
    /// answers for a model.
    pub fn new(
        plan: &'a Plan,
        (scenario, seed): (&'a Scenario, u64),
        prepared: &'a Prepared,
        options: &'a Options,
        cells: &[&CellSpec],
    ) -> Again<'a> {
        let truth = &prepared.session.book.truth;
        let desk = |cell: &&CellSpec| {
            let (summarizer, seed) = (cell.summarizer, Seed(seed));
            let ask = match (&options.live, summarizer.name) {
                (Some(live), SummarizerName::Http) => {
                    summarizer.around(live::summarizer(live), seed)
                }
                _ => summarizer.build(truth, seed),
            };
            (summarizer, (ask, Memo::default()))
        };
        Again {
            of: Of { plan, scenario, seed, prepared, options },
            sheet: PriceSheet::embedded(),
            desks: cells.iter().map(desk).collect(),
        }
    }

    /// The tables of a cell that did this, by name; `None` where the trace is none of
    /// this session, so that measuring it fails.
    pub fn tables(&self, spec: &CellSpec, trace: &Trace) -> Option<BTreeMap<String, String>> {
        let cell = self.cell(spec)?;
        let measured = || tables(spec, &cell, self.of.scenario, &self.sheet, trace);
        // A recorded trace may name facts and steps that the session does not have.
        catch_unwind(AssertUnwindSafe(measured)).ok()
    }

    /// Drives the cell; `None` where its summarizer is not at hand: a model without a
    /// recording, or a recording that lacks an answer.
    pub fn drive(&self, spec: &CellSpec) -> Option<Landed> {
        let asks_a_model = spec.summarizer.name == SummarizerName::Http
            && self.of.plan.configurations.get(spec.configuration)?.pipeline.asks();
        let is_cut_off = || {
            let live = self.of.options.live.as_ref();
            asks_a_model && live.is_none_or(|live| live.stopped().is_some())
        };
        if is_cut_off() {
            return None;
        }
        let landed = land(spec, self.cell(spec)?, self.of);
        (!is_cut_off()).then_some(landed)
    }

    fn cell<'b>(&'b self, spec: &CellSpec) -> Option<Cell<'b>> {
        let (ask, memo) = self.desks.get(&spec.summarizer)?;
        let configuration = self.of.plan.configurations.get(spec.configuration)?;
        Some(Cell {
            session: &self.of.prepared.session,
            pipeline: &configuration.pipeline,
            limits: limits(self.of.scenario, configuration),
            mode: spec.mode,
            ask: &**ask,
            memo,
            sheet: &self.sheet,
            replicate: spec.key.replicate,
            probes: self.of.plan.suite.probes && spec.is_probed(&self.of.plan.suite),
        })
    }
}

/// The header of every table of a run directory, by name.
pub fn headers() -> BTreeMap<&'static str, String> {
    let tables = crate::run_dir::write::TABLES.into_iter();
    tables.map(|name| (name, super::finalise::header_of(name))).collect()
}

/// What a failed cell writes in a table.
pub fn failed_line(table: &str, landed: &Landed) -> String {
    super::finalise::failed_line(table, landed).unwrap_or_default()
}

/// The output limit of a bare transcript: the scenario's own, or the longest recorded
/// answer where its model wrote a longer one.
///
/// # Errors
///
/// Whatever the transcript's importer reports.
pub fn longest_answer(scenario: &Scenario) -> Result<Tokens> {
    let SessionSource::Transcript(path) = &scenario.source else {
        return Ok(scenario.max_output);
    };
    Ok(longest_in(&import::load(path)?.log).max(scenario.max_output))
}

/// The longest recorded answer of a log.
pub fn longest_in(log: &Log) -> Tokens {
    let steps = log.steps();
    let answers = steps.iter().filter_map(|step| log.message(step.answer));
    let tokens = answers.map(|answer| MessageTokens::of(answer, Tokenizer::O200k).total());
    tokens.max().unwrap_or(Tokens::ZERO)
}
