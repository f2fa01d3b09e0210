//! Driving the cells of a run again, session by session, and asking at their steps.

use rayon::prelude::*;

use crate::answer::Memo;
use crate::cli::complain;
use crate::cli::inspect::cell::{prepared, with_hint};
use crate::cli::prelude::*;
use crate::drive::{Cell, drive_observed};
use crate::ident::Seed;
use crate::matrix::CellSpec;
use crate::question::{
    Collector, Draw, Examined, Key, Need, QuestionRow, Reader, Sheet, SheetCounts, draw, examine,
};
use crate::row::FactRow;
use crate::run::rerun::{Recorded, not_repeatable};
use crate::run::{Prepared, cell_of};
use crate::run_dir::read::each_row;
use crate::strategy::Exchanges;
use crate::summarize::Stopped;
use crate::trace::{DemandRecord, Trace};
use crate::truth::{Fact, Origin};

#[derive(Default)]
pub(super) struct Asked {
    pub(super) rows: Vec<QuestionRow>,
    pub(super) sessions: Vec<(String, SheetCounts)>,
    pub(super) differing: Vec<String>,
    pub(super) left_out: usize,
}

/// Asks at the steps of these cells. A session that is not at hand is left out with a word; where
/// none is, its error is the outcome, as is that of a model that stops answering.
pub(super) fn ask(
    (run, transcript): (&Path, Option<&Path>),
    how: Draw,
    keys: &[&CellKey],
    reader: &mut Reader,
) -> Result<Asked> {
    let mut asked = Asked::default();
    let mut last = None;
    let mut sessions: Vec<Vec<&CellKey>> = Vec::new();
    for key in keys.iter().copied() {
        let same =
            |one: &&mut Vec<&CellKey>| (&one[0].scenario, one[0].seed) == (&key.scenario, key.seed);
        match sessions.iter_mut().find(same) {
            Some(session) => session.push(key),
            None => sessions.push(vec![key]),
        }
    }
    let given: Vec<PathBuf> = transcript.map(Path::to_owned).into_iter().collect();
    let records = RunRecords {
        recorded: Recorded::open(registry(), run, &given)?,
        needs: needs(run, &sessions)?,
        // Decoys of a synthesized session.
        spare: Scenario::embedded("smoke")?.session(Seed(1))?.truth.decoys,
        how,
    };
    for cells in &sessions {
        talk(shown!("{} seed {} ...", cells[0].scenario, cells[0].seed));
        let at_hand = Session::ready(&records.recorded, cells);
        match at_hand.and_then(|session| session.ask(&records, reader, &mut asked)) {
            Ok(()) => {}
            Err(stopped @ Error::Stopped { .. }) => return Err(stopped),
            Err(error) => {
                asked.left_out += cells.len();
                if let Some(earlier) = last.replace(error) {
                    complain(&earlier);
                }
            }
        }
        reader.clear();
    }
    let Some(error) = last else { return Ok(asked) };
    if asked.sessions.is_empty() {
        return Err(error);
    }
    complain(&error);
    Ok(asked)
}

fn error_of(stopped: Stopped) -> Error {
    let again = "ask again with the same flags: no recorded call is made twice";
    let hint = match stopped.remedy {
        Some(remedy) => format!("{remedy}; then {again}"),
        None => again.to_owned(),
    };
    Error::Stopped { reason: stopped.reason, hint }
}

/// What the run recorded, for all sessions, and how questions are drawn from it.
struct RunRecords {
    recorded: Recorded,
    /// By the first cell of a session: the session's ranked needs.
    needs: BTreeMap<String, Vec<Need>>,
    /// Decoys for sessions that have none to ask about.
    spare: Vec<Fact>,
    how: Draw,
}

struct Session<'a> {
    prepared: Prepared,
    scenario: &'a Scenario,
    cells: Vec<(&'a CellKey, CellSpec)>,
}

impl<'a> Session<'a> {
    fn ready(recorded: &'a Recorded, keys: &[&'a CellKey]) -> Result<Session<'a>> {
        let first = keys[0];
        let cell = |key: &&'a CellKey| {
            let found = recorded.cell(key).map_err(|error| with_hint(error, "--transcript"))?;
            Ok((*key, found))
        };
        let found = keys.iter().map(cell).collect::<Result<Vec<_>>>()?;
        let scenario = found[0].1.0;
        let cells = found.into_iter().map(|(key, (_, spec))| (key, spec)).collect();
        let prepared = prepared(recorded, scenario, first)?;
        Ok(Session { prepared, scenario, cells })
    }

    fn ask(&self, records: &RunRecords, reader: &mut Reader, asked: &mut Asked) -> Result<()> {
        let session = &self.prepared.session;
        let first = self.cells[0].0;
        let named = (first.scenario.as_str(), first.seed);
        let needs = records.needs.get(&first.cell).map_or(&[][..], Vec::as_slice);
        let sheet = draw(session, named, needs, &records.spare, records.how);
        asked.sessions.push((format!("{} seed {}", first.scenario, first.seed), sheet.counts));
        let key = Key::new(&session.book.truth.facts);
        let memos: BTreeMap<&str, Memo> =
            self.cells.iter().map(|(key, _)| (key.summarizer.as_str(), Memo::default())).collect();
        let driven: Vec<Result<(Trace, Collector)>> = self
            .cells
            .par_iter()
            .map(|(_, spec)| self.drive(&records.recorded, spec, &memos, &sheet))
            .collect();
        for ((cell, _), driven) in self.cells.iter().zip(driven) {
            let (trace, views) = driven?;
            if !records.recorded.did_the_same(cell, &trace) {
                talk(shown!(
                    "warning: `{}` did not repeat what the run recorded: another version of proctor?",
                    cell.cell
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
        recorded: &Recorded,
        spec: &CellSpec,
        memos: &BTreeMap<&str, Memo>,
        sheet: &Sheet,
    ) -> Result<(Trace, Collector)> {
        let ask = recorded.summarizer(spec, &self.prepared.session)?;
        let own = Memo::default();
        let memo = memos.get(spec.key.summarizer.as_str()).unwrap_or(&own);
        let cell = cell_of(&recorded.plan, self.scenario, &self.prepared, spec, (&*ask, memo));
        let record = recorded.exchanges()?;
        let exchanges = record.as_deref().map(|record| record as &dyn Exchanges);
        let cell = Cell { exchanges, ..cell };
        let mut views = Collector::new(sheet);
        let trace = drive_observed(cell, &mut views)
            .map_err(|stopped| not_repeatable(&spec.key.cell, stopped))?;
        Ok((trace, views))
    }
}

/// The ranked needs of sessions, as recorded of their first cells: the same for every cell.
fn needs(run: &Path, sessions: &[Vec<&CellKey>]) -> Result<BTreeMap<String, Vec<Need>>> {
    let mut needs: BTreeMap<String, Vec<Need>> =
        sessions.iter().map(|cells| (cells[0].cell.clone(), Vec::new())).collect();
    each_row(&run.join("facts.parquet"), |row: FactRow| {
        let FactRow { cell, demand, windows } = row;
        let is_ranked = demand.origin != Origin::Incidental;
        if let Some(of) = needs.get_mut(&cell).filter(|_| is_ranked) {
            let DemandRecord { demand, fact, step, compacted, .. } = demand;
            of.push(Need { demand, fact, step, windows, compacted });
        }
    })?;
    Ok(needs)
}
