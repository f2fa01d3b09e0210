//! Verifying a run: every digest, session and figure of a run directory come by again.
//!
//! Figures are recomputed from the recorded traces and from sessions that are synthesized
//! (or read) again; where a trace does not give back what the tables say, and wherever it
//! is asked for, the cell is driven once more. What could not be checked is said beside
//! what was: an absent session is no fault, and no proof.

mod cells;
mod compare;
mod inputs;
mod rebuild;
mod sessions;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::{Error, Result};
use crate::ident::{Digest, Seed};
use crate::matrix::Suite;
use crate::run;
use crate::run_dir::blocks::Cells;
use crate::run_dir::partition::Whole;
use crate::run_dir::read::load_manifest;
use crate::run_dir::{CellState, Manifest, ManifestCell, digests};
use crate::scenario::Scenario;
use inputs::Inputs;

pub use compare::text as compare_text;

/// What is to be verified, and with what.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// Transcripts that the run replayed, wherever they lie now.
    pub transcripts: Vec<PathBuf>,
    /// Scenarios of the user's own.
    pub scenarios: Vec<Scenario>,
    /// A suite of the user's own, for its pipelines.
    pub suite: Option<Suite>,
    /// What the model answered that the run asked; the run's own recording where absent.
    pub cassette: Option<PathBuf>,
    /// Only cells whose id holds this text.
    pub cells: Option<String>,
    /// Only so many cells, by lot.
    pub sample: Option<usize>,
    /// Seed of that lot.
    pub seed: u64,
    /// Whether every cell is driven again, not only those whose trace does not suffice.
    pub again: bool,
    /// Threads; all cores where absent.
    pub jobs: Option<usize>,
}

/// How a cell's figures were come by again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// Measured from the recorded trace and the session.
    Recomputed,
    /// Driven from its inputs; the trace was compared too.
    DrivenAgain,
    /// Not at all: its session is not at hand.
    SessionAbsent,
    /// Not at all: no pipeline of the recorded digest is at hand.
    PipelineAbsent,
    /// Its trace does not give back its tables, and whatever answered it is not at hand.
    SummarizerAbsent,
    /// Not at all: it failed in the run and has no figures.
    Failed,
    /// Not at all: its rows cannot be read.
    Unreadable,
    /// Not at all: it was not asked for.
    NotChosen,
}

impl How {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            How::Recomputed => "recomputed from trace",
            How::DrivenAgain => "driven again",
            How::SessionAbsent => "session absent",
            How::PipelineAbsent => "pipeline not at hand",
            How::SummarizerAbsent => "summarizer not at hand",
            How::Failed => "failed in the run",
            How::Unreadable => "rows cannot be read",
            How::NotChosen => "not chosen",
        }
    }
}

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The file, relative to the run directory.
    pub file: String,
    /// The cell or session; empty where it is about the file.
    pub cell: String,
    /// The column, with the row behind it where a cell has several; empty where it is
    /// about more than one.
    pub column: String,
    /// What the run directory holds.
    pub found: String,
    /// What it should hold.
    pub expected: String,
}

/// One thing that was checked, over all files, sessions or cells that it is about.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Check {
    /// What: usually a file.
    pub name: String,
    /// What is counted.
    pub unit: &'static str,
    /// How many were compared.
    pub compared: usize,
    /// Of these, how many differ.
    pub differ: usize,
    /// How many could not be compared, by reason.
    pub unchecked: BTreeMap<String, usize>,
    /// The first that differ.
    pub differences: Vec<Difference>,
}

impl Check {
    /// Most differences that a check names; the others are counted.
    const NAMED: usize = 5;

    /// Of something, so far without anything compared.
    pub fn new(name: &str, unit: &'static str) -> Check {
        Check { name: name.to_owned(), unit, ..Check::default() }
    }

    /// One more was compared: `difference` where it is not as it should be.
    pub fn put(&mut self, difference: Option<Difference>) {
        self.compared += 1;
        if let Some(difference) = difference {
            self.differ += 1;
            if self.differences.len() < Self::NAMED {
                self.differences.push(difference);
            }
        }
    }

    /// One more could not be compared.
    pub fn pass_over(&mut self, reason: impl Into<String>) {
        *self.unchecked.entry(reason.into()).or_default() += 1;
    }

    /// A fact about a file or session that holds or does not.
    pub fn same(&mut self, what: [&str; 3], found: &str, expected: &str) {
        let [file, cell, column] = what.map(str::to_owned);
        self.put((found != expected).then(|| Difference {
            file,
            cell,
            column,
            found: found.to_owned(),
            expected: expected.to_owned(),
        }));
    }
}

/// What became of a verification.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Verification {
    /// Version of the tool that verified.
    pub verified_by: String,
    /// Version of the tool that made the run.
    pub made_by: String,
    /// Digest of the manifest.
    pub manifest: Option<Digest>,
    /// What was checked, in order.
    pub checks: Vec<Check>,
    /// How each cell was come by again, in the order of the run.
    pub cells: Vec<(String, How)>,
    /// What a reader should know besides.
    pub notes: Vec<String>,
}

impl Verification {
    /// Whether everything that was compared is as it should be.
    pub fn holds(&self) -> bool {
        self.checks.iter().all(|check| check.differ == 0)
    }

    /// How many cells were come by again in which way.
    pub fn by_how(&self) -> BTreeMap<How, usize> {
        let mut counts = BTreeMap::new();
        for (_, how) in &self.cells {
            *counts.entry(*how).or_default() += 1;
        }
        counts
    }
}

/// Told which session is being verified.
pub type Told<'a> = &'a (dyn Fn(&str) + Sync);

/// Verifies a run directory, but for its report.
///
/// # Errors
///
/// [`Error::Io`] where there is no manifest, and what is wrong with a session that was
/// given. What is wrong with the run is no error but a difference.
pub fn verify(dir: &Path, wish: &Wish, told: Told) -> Result<Verification> {
    let mut found = Verification { verified_by: run::tool(), ..Verification::default() };
    found.checks.push(sealed(dir, &mut found.notes));
    let mut own = Check::new("manifest.json", "rules");
    let manifest = match load_manifest(&dir.join("manifest.json")) {
        Ok((manifest, digest)) => {
            found.manifest = Some(digest);
            manifest
        }
        Err(error @ Error::Io { .. }) => return Err(error),
        Err(error) => {
            own.same(["manifest.json", "", ""], &error.to_string(), "a manifest");
            found.checks.push(own);
            return Ok(found);
        }
    };
    found.made_by.clone_from(&manifest.tool);
    if found.made_by != found.verified_by {
        found.notes.push(format!(
            "the run was made by {}, this is {}: figures may differ for that",
            found.made_by, found.verified_by
        ));
    }
    well_formed(dir, &manifest, &mut own);
    found.checks.push(own);
    let mut inputs = Inputs::of(dir, &manifest, wish)?;
    found.checks.extend(inputs.checks.iter().cloned());
    found.notes.extend(inputs.notes.iter().cloned());
    let cells = match Cells::open(dir) {
        Ok(cells) => cells,
        Err(error) => {
            let mut check = Check::new("tables", "files");
            check.same(["tables", "", ""], &error.to_string(), "lines of cells");
            found.checks.push(check);
            let unread = |cell: &ManifestCell| (cell.key.cell.clone(), How::Unreadable);
            found.cells = manifest.cells.iter().map(unread).collect();
            return Ok(found);
        }
    };
    found.checks.push(in_order(&manifest, &cells));
    if !inputs.is_whole {
        let floor = cells.tables().get("floor");
        inputs.plan.suite.probes = floor.is_some_and(|floor| !floor.order.is_empty());
    }
    let chosen = chosen(&manifest, wish);
    let job = cells::Job { manifest: &manifest, inputs: &inputs, cells: &cells, chosen: &chosen };
    let verified = job.verify(wish, told)?;
    found.checks.extend(verified.checks);
    found.cells = verified.cells;
    found.checks.extend(derived(dir, &manifest, &cells));
    Ok(found)
}

/// Every file against `digests.txt`.
fn sealed(dir: &Path, notes: &mut Vec<String>) -> Check {
    let mut check = Check::new(digests::FILE, "files");
    match digests::check(dir) {
        Ok(Some((compared, faults))) => {
            check.compared = compared;
            check.differ = faults.len();
            let faults = faults.into_iter().map(|fault| Difference {
                file: fault.file,
                cell: String::new(),
                column: String::new(),
                found: fault.found,
                expected: fault.expected,
            });
            check.differences = faults.collect();
        }
        Ok(None) => {
            check.pass_over("the run has no digests");
            notes.push(
                "the run has no digests.txt: a file that no figure is recomputed from may \
                        have been changed"
                    .to_owned(),
            );
        }
        Err(error) => check.same([digests::FILE, "", ""], &error.to_string(), "digests"),
    }
    check
}

/// What holds of every manifest.
fn well_formed(dir: &Path, manifest: &Manifest, check: &mut Check) {
    let mut say = |column: &str, found: &str, expected: &str| {
        check.same(["manifest.json", "", column], found, expected);
    };
    let ids: BTreeSet<&str> = manifest.cells.iter().map(|cell| cell.key.cell.as_str()).collect();
    let count = |n: usize| n.to_string();
    say("cells: different ids", &count(ids.len()), &count(manifest.cells.len()));
    let sessions: BTreeSet<(&str, u64)> =
        manifest.sessions.iter().map(|one| (one.scenario.as_str(), one.seed)).collect();
    say("sessions: different ones", &count(sessions.len()), &count(manifest.sessions.len()));
    let homeless = manifest.cells.iter().map(|cell| &cell.key);
    let homeless = homeless.filter(|key| !sessions.contains(&(key.scenario.as_str(), key.seed)));
    say("cells: of sessions that it does not list", &count(homeless.count()), "0");
    let Some(part) = &manifest.part else { return };
    match Whole::load(dir) {
        Ok((whole, digest)) => {
            say("part.matrix", &digest.to_string(), &part.matrix.to_string());
            let all: BTreeSet<&str> = whole.cells().collect();
            let foreign = ids.iter().filter(|id| !all.contains(*id)).count();
            say("cells: outside the matrix", &count(foreign), "0");
        }
        Err(error) => say("part.matrix", &error.to_string(), "the cells of the whole run"),
    }
}

/// Whether the tables have the header of this version, and cells in the manifest's order.
fn in_order(manifest: &Manifest, cells: &Cells) -> Check {
    let mut check = Check::new("order of cells", "files");
    let ids = || manifest.cells.iter().map(|cell| cell.key.cell.as_str());
    let places: BTreeMap<&str, usize> = ids().zip(0..).collect();
    let headers = run::again::headers();
    for (name, blocks) in cells.tables() {
        let file = format!("{name}.csv");
        let header = headers.get(name).map_or("", String::as_str);
        check.same([&file, "", "header"], &blocks.header, header);
        let mut next = 0;
        for cell in &blocks.order {
            match places.get(cell.as_str()) {
                Some(place) if *place >= next => next = place + 1,
                Some(_) => check.same([&file, cell, ""], "rows out of order", "the run's order"),
                None => check.same([&file, cell, ""], "rows", "no such cell in the manifest"),
            }
        }
    }
    let measured: BTreeSet<&str> = cells
        .tables()
        .get("measurements")
        .into_iter()
        .flat_map(|t| &t.order)
        .map(String::as_str)
        .collect();
    let traced: BTreeSet<&str> = cells.traced().collect();
    for id in ids() {
        for (file, there) in [("measurements.csv", &measured), ("traces.jsonl", &traced)] {
            if !there.contains(id) {
                check.same([file, id, ""], "no line", "a line");
            }
        }
    }
    for (file, there) in [("traces.jsonl", traced), ("stories", cells.told().collect())] {
        let foreign = there.into_iter().find(|id| !places.contains_key(id));
        check.same([file, foreign.unwrap_or(""), ""], foreign.unwrap_or(""), "");
    }
    check
}

/// The cells that are asked for, in the order of the run.
fn chosen<'a>(manifest: &'a Manifest, wish: &Wish) -> BTreeSet<&'a str> {
    let ids = manifest.cells.iter().map(|cell| cell.key.cell.as_str());
    let named = ids.filter(|id| wish.cells.as_ref().is_none_or(|text| id.contains(text.as_str())));
    let Some(sample) = wish.sample else { return named.collect() };
    let lot = |id: &str| Seed(wish.seed).derive(&["verify", id]).0;
    let mut drawn: Vec<(u64, &str)> = named.map(|id| (lot(id), id)).collect();
    drawn.sort_unstable();
    drawn.into_iter().take(sample).map(|(_, id)| id).collect()
}

/// `derived.csv` and `curve.csv` from the rows of all cells.
fn derived(dir: &Path, manifest: &Manifest, cells: &Cells) -> [Check; 2] {
    let done = manifest.cells.iter().filter(|cell| cell.state == CellState::Done);
    let landed = done.map(|cell| cells.landed(cell));
    let steps_of = |cell: &str| cells.text("steps", cell).unwrap_or_default();
    let again = run::derived(manifest, landed, &steps_of);
    ["derived", "curve"].map(|table| {
        let file = format!("{table}.csv");
        let mut check = Check::new(&file, "rows");
        let again = match &again {
            Ok(files) if table == "derived" => &files.derived,
            Ok(files) => &files.curve,
            Err(error) => {
                check.same([&file, "", ""], &error.to_string(), "rows of cells");
                return check;
            }
        };
        let path = dir.join(&file);
        match std::fs::read_to_string(&path) {
            Ok(found) => compare::table(&mut check, &file, "", (&found, again), ""),
            Err(error) => check.same([&file, "", ""], &error.to_string(), "a table"),
        }
        check
    })
}
