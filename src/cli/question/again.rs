//! Driving the cells of a run again, session by session, and asking at their steps.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use rayon::prelude::*;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::answer::Memo;
use crate::cli::inspect::cell;
use crate::cli::{complain, live, talk};
use crate::drive::{Cell, drive_observed};
use crate::error::{Error, Result};
use crate::ident::{Digest, FactId, Seed};
use crate::price::PriceSheet;
use crate::question::{
    Collector, Draw, Examined, Key, Need, QuestionRow, Reader, Sheet, SheetCounts, draw, examine,
};
use crate::row::{CellKey, FactRow};
use crate::run::{Plan, Prepared, limits, prepare};
use crate::run_dir::read::{RunData, each_row, number};
use crate::sanitize;
use crate::scenario::Scenario;
use crate::summarize::Stopped;
use crate::trace::Trace;
use crate::truth::Fact;

/// The answers.
pub(super) struct Asked {
    pub(super) rows: Vec<QuestionRow>,
    /// By session.
    pub(super) sessions: Vec<(String, SheetCounts)>,
    /// Cells that did not repeat what the run recorded.
    pub(super) differing: Vec<String>,
    /// Cells that could not be driven again.
    pub(super) left_out: usize,
}

/// Which run is asked about, and how.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) run: &'a Path,
    pub(super) data: &'a RunData,
    /// Where the transcript lies, if the user says so.
    pub(super) transcript: Option<&'a Path>,
    pub(super) how: Draw,
}

/// Asks at the steps of these cells. A session that is not at hand is left out with a
/// word; where none is, its error is the outcome. Where the model stops answering nothing
/// is: an answer that was withheld is none.
pub(super) fn ask(request: Request, keys: &[&CellKey], reader: &mut Reader) -> Result<Asked> {
    let mut asked =
        Asked { rows: Vec::new(), sessions: Vec::new(), differing: Vec::new(), left_out: 0 };
    let mut last = None;
    let mut sessions: Vec<Vec<&CellKey>> = Vec::new();
    for key in keys.iter().copied() {
        let same = |one: &&mut Vec<&CellKey>| {
            one.first().is_some_and(|k| (&k.scenario, k.seed) == (&key.scenario, key.seed))
        };
        match sessions.iter_mut().find(same) {
            Some(session) => session.push(key),
            None => sessions.push(vec![key]),
        }
    }
    let records = RunRecords {
        needs: &needs(request.run, &sessions)?,
        recorded: &recorded(request.run, keys)?,
        spare: &spare()?,
    };
    for cells in &sessions {
        talk(&format!("{} seed {} ...", sanitize::terminal(&cells[0].scenario), cells[0].seed));
        let at_hand = Session::ready(request, cells);
        match at_hand.and_then(|session| session.ask(request, records, reader, &mut asked)) {
            Ok(()) => {}
            Err(stopped @ Error::Stopped { .. }) => return Err(stopped),
            Err(error) => {
                asked.left_out += cells.len();
                if let Some(earlier) = last.replace(error) {
                    complain::complain(&earlier);
                }
            }
        }
        reader.clear();
    }
    match last {
        Some(error) if asked.sessions.is_empty() => Err(error),
        Some(error) => {
            complain::complain(&error);
            Ok(asked)
        }
        None => Ok(asked),
    }
}

/// The reader will not answer any more.
fn error_of(stopped: Stopped) -> Error {
    let again = "ask again with the same flags: no recorded call is made twice";
    let hint = match stopped.remedy {
        Some(remedy) => format!("{remedy}; then {again}"),
        None => again.to_owned(),
    };
    Error::Stopped { reason: stopped.reason, hint }
}

/// What the run recorded, for all sessions.
#[derive(Clone, Copy)]
struct RunRecords<'a> {
    /// By the first cell of a session: the session's ranked needs.
    needs: &'a BTreeMap<String, Vec<Need>>,
    /// By cell: the digest of its recorded trace.
    recorded: &'a BTreeMap<&'a str, Digest>,
    /// Decoys for sessions that have none to ask about.
    spare: &'a [Fact],
}

/// A session with the plans of its cells.
struct Session<'a> {
    prepared: Prepared,
    scenario: Scenario,
    cells: Vec<(&'a CellKey, Plan)>,
}

impl<'a> Session<'a> {
    fn ready(request: Request, keys: &[&'a CellKey]) -> Result<Session<'a>> {
        let data = request.data;
        let first = keys[0];
        let of = |own: &&crate::run_dir::ManifestSession| {
            own.scenario == first.scenario && own.seed == first.seed
        };
        let recorded = data.manifest.sessions.iter().find(of);
        let path = match recorded.is_some_and(|own| !own.path.is_empty()) {
            true => Some(cell::transcript(request.run, first, request.transcript)?),
            false => None,
        };
        let plan = |key: &'a CellKey| {
            let plan = cell::plan(data, key, path.as_deref())?;
            let terms = data.manifest.live.as_ref();
            Ok((key, terms.map_or(plan.clone(), |terms| plan.addressed(terms))))
        };
        let cells = keys.iter().map(|key| plan(key)).collect::<Result<Vec<_>>>()?;
        // One session for all cells: with the counts that any of them needs.
        let mut all = cells[0].1.clone();
        all.configurations =
            cells.iter().flat_map(|(_, plan)| plan.configurations.clone()).collect();
        let scenario = all.scenarios[0].clone();
        let prepared = prepare(&all, &scenario, first.seed)?;
        if recorded.is_some_and(|recorded| recorded.log != prepared.manifest.log) {
            talk("warning: the session is not the one that was run: its digest differs");
        }
        Ok(Session { prepared, scenario, cells })
    }

    fn ask(
        &self,
        request: Request,
        records: RunRecords,
        reader: &mut Reader,
        asked: &mut Asked,
    ) -> Result<()> {
        let session = &self.prepared.session;
        let first = self.cells[0].0;
        let named = (first.scenario.as_str(), first.seed);
        let needs = records.needs.get(&first.cell).map_or(&[][..], Vec::as_slice);
        let sheet = draw(session, named, needs, records.spare, request.how);
        asked.sessions.push((format!("{} seed {}", first.scenario, first.seed), sheet.counts));
        let key = Key::new(&session.book.truth.facts);
        let memos: BTreeMap<&str, Memo> =
            self.cells.iter().map(|(key, _)| (key.summarizer.as_str(), Memo::default())).collect();
        let driven: Vec<Result<(Trace, Collector)>> = self
            .cells
            .par_iter()
            .map(|(key, plan)| self.drive(request, (key, plan), &memos, &sheet))
            .collect();
        for ((cell, _), driven) in self.cells.iter().zip(driven) {
            let (trace, views) = driven?;
            let again = serde_json::to_string(&trace.without_tables()).unwrap_or_default();
            if records.recorded.get(cell.cell.as_str()) != Some(&Digest::of(again.as_bytes())) {
                talk(&format!(
                    "warning: `{}` did not repeat what the run recorded: another version of proctor?",
                    sanitize::terminal(&cell.cell)
                ));
                asked.differing.push(cell.cell.clone());
            }
            let examined = Examined {
                cell: &cell.cell,
                session,
                sheet: &sheet,
                views: &views,
                trace: &trace,
                key: &key,
            };
            asked.rows.extend(examine(&examined, reader).map_err(error_of)?);
        }
        Ok(())
    }

    fn drive(
        &self,
        request: Request,
        (key, plan): (&CellKey, &Plan),
        memos: &BTreeMap<&str, Memo>,
        sheet: &Sheet,
    ) -> Result<(Trace, Collector)> {
        let session = &self.prepared.session;
        let (truth, seed) = (&session.book.truth, Seed(key.seed));
        let summarizer = cell::summarizer(key)?;
        let ask = live::recorded_summarizer(
            request.run,
            &request.data.manifest,
            summarizer,
            truth,
            seed,
        )?;
        let (own, sheet_of_prices) = (Memo::default(), PriceSheet::embedded());
        let cell = Cell {
            session,
            pipeline: &plan.configurations[0].pipeline,
            limits: limits(&self.scenario, &plan.configurations[0]),
            mode: plan.suite.modes[0],
            ask: &*ask,
            memo: memos.get(key.summarizer.as_str()).unwrap_or(&own),
            sheet: &sheet_of_prices,
            replicate: key.replicate,
            probes: plan.suite.probes,
        };
        let mut views = Collector::new(sheet);
        let trace = drive_observed(cell, &mut views)
            .map_err(|stopped| live::not_repeatable(&key.cell, stopped))?;
        Ok((trace, views))
    }
}

/// The ranked needs of sessions, as the run recorded them of their first cells: steps
/// and distances are the log's, the same for every cell.
fn needs(run: &Path, sessions: &[Vec<&CellKey>]) -> Result<BTreeMap<String, Vec<Need>>> {
    let mut needs: BTreeMap<String, Vec<Need>> =
        sessions.iter().map(|cells| (cells[0].cell.clone(), Vec::new())).collect();
    each_row(&run.join("facts.csv"), |row: FactRow| {
        if let Some(of) = needs.get_mut(&row.cell).filter(|_| row.origin != "incidental") {
            of.push(Need {
                demand: row.demand,
                fact: FactId(row.fact),
                step: row.step,
                windows: number(&row.windows).unwrap_or(0.0),
            });
        }
    })?;
    Ok(needs)
}

/// Decoys for sessions that have none to ask about: those of a synthesized one.
fn spare() -> Result<Vec<Fact>> {
    Ok(Scenario::embedded("smoke")?.session(Seed(1))?.truth.decoys)
}

/// Digests of the recorded traces of these cells.
fn recorded<'a>(run: &Path, keys: &[&'a CellKey]) -> Result<BTreeMap<&'a str, Digest>> {
    #[derive(Deserialize)]
    struct Line {
        cell: String,
        trace: Box<RawValue>,
    }
    let wanted: BTreeMap<&str, ()> = keys.iter().map(|key| (key.cell.as_str(), ())).collect();
    let path = run.join("traces.jsonl");
    let file = File::open(&path).map_err(|source| Error::io("read", &path, source))?;
    let mut found = BTreeMap::new();
    for line in BufReader::new(file).lines() {
        let line = line.map_err(|source| Error::io("read", &path, source))?;
        let Ok(line) = serde_json::from_str::<Line>(&line) else { continue };
        if let Some((cell, ())) = wanted.get_key_value(line.cell.as_str()) {
            found.insert(*cell, Digest::of(line.trace.get().as_bytes()));
        }
    }
    Ok(found)
}
