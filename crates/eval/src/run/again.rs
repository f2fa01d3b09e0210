//! A recorded cell once more: its tables from its trace, or the cell driven again.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::answer::Memo;
use crate::drive::Cell;
use crate::error::Result;
use crate::ident::Seed;
use crate::import;
use crate::log::Log;
use crate::matrix::{CellSpec, Summarizer};
use crate::price::PriceSheet;
use crate::run::{Of, Options, Plan, Prepared, cell_of, land, live, tables};
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
    answering: BTreeMap<Summarizer, (Box<dyn Ask + Send>, Memo)>,
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
        let answer = |cell: &&CellSpec| {
            let (summarizer, seed) = (cell.summarizer, Seed(seed));
            let ask = live::summarizer(options, summarizer, truth, seed);
            (summarizer, (ask, Memo::default()))
        };
        Again {
            of: Of { plan, scenario, seed, prepared, options },
            sheet: PriceSheet::embedded(),
            answering: cells.iter().map(answer).collect(),
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
        land(spec, self.cell(spec)?, self.of).ok()
    }

    fn cell<'b>(&'b self, spec: &CellSpec) -> Option<Cell<'b>> {
        let (ask, memo) = self.answering.get(&spec.summarizer)?;
        let Of { plan, scenario, prepared, .. } = self.of;
        plan.configurations.get(spec.configuration)?;
        Some(cell_of(plan, scenario, prepared, spec, (&**ask, memo), &self.sheet))
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
