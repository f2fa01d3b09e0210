//! Verifying a run: its files against their digests, and the run against itself driven again.
//!
//! A run is a pure function of the inputs that its directory embeds. So it is driven again
//! into a temporary directory, and what it leaves there is compared with what is recorded,
//! row by row. What could not be driven again (a transcript that is not at hand, a model
//! without a recording) is named beside what was: it is no fault, and no proof.

mod compare;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::{Error, Result};
use crate::ident::{Digest, Seed};
use crate::measure::table;
use crate::record::{Column, ColumnType, columns};
use crate::run::rerun::{Absent, Recorded};
use crate::run::{self, Progress};
use crate::run_dir::cells::{TRACES, stories};
use crate::run_dir::read::{Measured, load_manifest};
use crate::run_dir::tables::{CELL_TABLES, MEASUREMENTS, infos, whole_text};
use crate::run_dir::{Manifest, ManifestCell, ManifestSession, datapackage, digests, manifest};
use crate::strategy::Registry;

pub use compare::text as compare_text;
use compare::{Chosen, lines};

/// What is to be verified, and with what.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    /// Transcripts that the run replayed, wherever they lie now.
    pub transcripts: Vec<PathBuf>,
    /// What the model answered that the run asked; the run's own recording where absent.
    pub cassette: Option<PathBuf>,
    /// Only cells whose id holds this text.
    pub cells: Option<String>,
    /// Only so many cells, drawn at random.
    pub sample: Option<usize>,
    /// Seed of that draw.
    pub seed: u64,
    /// Threads; all cores where absent.
    pub jobs: Option<usize>,
}

/// What was done about a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum How {
    /// Driven again from its inputs.
    DrivenAgain,
    /// Nothing: its session is not at hand.
    SessionAbsent,
    /// Nothing: whatever answered it is not at hand.
    SummarizerAbsent,
    /// Nothing: the run's inputs cannot be used, or stand for no such cell.
    InputsUnusable,
    /// Nothing: it was not asked for.
    NotChosen,
}

impl How {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            How::DrivenAgain => "driven again",
            How::SessionAbsent => "session absent",
            How::SummarizerAbsent => "summarizer not at hand",
            How::InputsUnusable => "inputs cannot be used",
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
    /// The column; empty where it is about more than one.
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

    /// A fact about `[file, cell, column]` that holds or does not.
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
    /// What was done about each cell, in the order of the run.
    pub cells: Vec<(String, How)>,
    /// What a reader should know besides.
    pub notes: Vec<String>,
}

impl Verification {
    /// Whether everything that was compared is as it should be.
    pub fn holds(&self) -> bool {
        self.checks.iter().all(|check| check.differ == 0)
    }

    /// How many cells were treated in which way.
    pub fn by_how(&self) -> BTreeMap<How, usize> {
        let mut counts = BTreeMap::new();
        for (_, how) in &self.cells {
            *counts.entry(*how).or_default() += 1;
        }
        counts
    }
}

/// Verifies a run directory, but for its report.
///
/// # Errors
///
/// [`Error::Io`] where there is no manifest, and what is wrong with a session that was
/// given. What is wrong with the run is no error but a difference.
#[expect(clippy::too_many_lines, reason = "the steps of a verification in their order")]
pub fn verify(
    registry: &Registry,
    dir: &Path,
    options: &VerifyOptions,
    progress: &dyn Progress,
) -> Result<Verification> {
    let mut found = Verification { verified_by: run::tool(), ..Verification::default() };
    found.checks.push(sealed(dir, &mut found.notes));
    let mut own = Check::new("manifest.json", "entries");
    let unusable = |found: &mut Verification, mut own: Check, error: &Error| {
        own.same(["manifest.json", "", ""], &error.to_string(), "a run that can be driven again");
        found.checks.push(own);
    };
    let manifest = match load_manifest(&dir.join("manifest.json")) {
        Ok((manifest, digest)) => {
            found.manifest = Some(digest);
            manifest
        }
        Err(error @ Error::Io { .. }) => return Err(error),
        Err(error) => {
            unusable(&mut found, own, &error);
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
    let recorded = match Recorded::open(registry, dir, &options.transcripts) {
        Ok(recorded) => recorded,
        Err(error) => {
            let unread = |cell: &ManifestCell| (cell.key.cell.clone(), How::InputsUnusable);
            found.cells = manifest.cells.iter().map(unread).collect();
            unusable(&mut found, own, &error);
            return Ok(found);
        }
    };
    let strangers = recorded.strangers.iter();
    found
        .notes
        .extend(strangers.map(|path| format!("`{}` is no session of this run", path.display())));
    let folder = Folder::new();
    let how = again(&recorded, options, &folder.path, progress)?;
    let driven: BTreeSet<&str> =
        how.iter().filter(|(_, how)| *how == How::DrivenAgain).map(|(id, _)| id.as_str()).collect();
    let is_whole = driven.len() == how.len();
    let again = load_manifest(&folder.path.join("manifest.json")).map(|(again, _)| again);
    if let Ok(again) = again {
        let (drivable, absent) = recorded.drivable(true);
        let known: BTreeSet<&str> =
            drivable.iter().chain(absent.keys()).map(String::as_str).collect();
        manifests(&manifest, &again, (&driven, &known), is_whole, &mut own)?;
    }
    found.checks.push(own);
    if !driven.is_empty() {
        let chosen = if is_whole { Chosen::All } else { Chosen::Only(&driven) };
        found.checks.extend(files([dir, &folder.path], &chosen)?);
    }
    let reasons: Vec<How> =
        how.iter().map(|(_, how)| *how).filter(|how| *how != How::DrivenAgain).collect();
    for check in found.checks.iter_mut().skip(1) {
        reasons.iter().for_each(|how| check.pass_over(format!("cells: {}", how.name())));
    }
    found.cells = how;
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
            notes.push("the run has no digests.txt".to_owned());
        }
        Err(error) => check.same([digests::FILE, "", ""], &error.to_string(), "digests"),
    }
    check
}

/// Drives the cells again that are asked for and can be, into a directory; what was done
/// about each cell of the run, in its order.
fn again(
    recorded: &Recorded,
    options: &VerifyOptions,
    out: &Path,
    progress: &dyn Progress,
) -> Result<Vec<(String, How)>> {
    let chosen = chosen(&recorded.manifest, options);
    let mut how = recorded.options(out.to_owned(), options.cassette.as_deref())?;
    how.jobs = options.jobs;
    let (cells, absent) = match drive(recorded, &chosen, &how, progress) {
        // The recording lacks an answer: no cell that asks for one can be driven.
        Err(Error::Stopped { .. }) => {
            let _ = fs::remove_dir_all(out);
            how.live = None;
            drive(recorded, &chosen, &how, progress)?
        }
        outcome => outcome?,
    };
    let done = recorded.manifest.cells.iter().map(|cell| {
        let id = cell.key.cell.as_str();
        let how = match absent.get(id) {
            _ if !chosen.contains(id) => How::NotChosen,
            Some(Absent::Session) => How::SessionAbsent,
            Some(Absent::Summarizer) => How::SummarizerAbsent,
            None if cells.contains(id) => How::DrivenAgain,
            None => How::InputsUnusable,
        };
        (id.to_owned(), how)
    });
    Ok(done.collect())
}

/// The cells that were driven, and those that cannot be.
type Driven = (BTreeSet<String>, BTreeMap<String, Absent>);

fn drive(
    recorded: &Recorded,
    chosen: &BTreeSet<&str>,
    options: &run::Options,
    progress: &dyn Progress,
) -> Result<Driven> {
    let (mut cells, absent) = recorded.drivable(options.live.is_some());
    let is_whole = absent.is_empty() && chosen.len() == recorded.manifest.cells.len();
    cells.retain(|cell| chosen.contains(cell.as_str()));
    if !cells.is_empty() {
        let mut options = options.clone();
        options.only = (!is_whole).then(|| cells.clone());
        run::run(&recorded.plan, &options, progress)?;
    }
    Ok((cells, absent))
}

/// The cells that are asked for.
fn chosen<'a>(manifest: &'a Manifest, options: &VerifyOptions) -> BTreeSet<&'a str> {
    let ids = manifest.cells.iter().map(|cell| cell.key.cell.as_str());
    let named =
        ids.filter(|id| options.cells.as_ref().is_none_or(|text| id.contains(text.as_str())));
    let Some(sample) = options.sample else { return named.collect() };
    let lot = |id: &str| Seed(options.seed).derive(&["verify", id]).0;
    let mut drawn: Vec<(u64, &str)> = named.map(|id| (lot(id), id)).collect();
    drawn.sort_unstable();
    drawn.into_iter().take(sample).map(|(_, id)| id).collect()
}

/// The manifest against that of the second drive: its sessions and cells one by one, and
/// everything else where all of the run was driven.
fn manifests(
    recorded: &Manifest,
    again: &Manifest,
    (driven, known): (&BTreeSet<&str>, &BTreeSet<&str>),
    is_whole: bool,
    check: &mut Check,
) -> Result<()> {
    // Where a transcript lies now, and what it is called there, is nobody's figure.
    let named = |one: &ManifestSession| {
        ((one.scenario.clone(), one.seed), ManifestSession { path: String::new(), ..one.clone() })
    };
    let sessions: BTreeMap<(String, u64), ManifestSession> =
        recorded.sessions.iter().map(named).collect();
    for ((scenario, seed), expected) in again.sessions.iter().map(named) {
        let name = format!("{scenario} seed {seed}");
        let Some(found) = sessions.get(&(scenario, seed)) else {
            check.same(["manifest.json", &name, ""], "no session", "a session");
            continue;
        };
        differing(check, &name, (found, &expected))?;
    }
    let cells: BTreeMap<&str, &ManifestCell> =
        again.cells.iter().map(|cell| (cell.key.cell.as_str(), cell)).collect();
    for found in &recorded.cells {
        let id = found.key.cell.as_str();
        match cells.get(id) {
            Some(expected) => differing(check, id, (found, *expected))?,
            None if is_whole || driven.contains(id) || !known.contains(id) => {
                check.same(["manifest.json", id, ""], "a cell", "no such cell in the suite");
            }
            None => {}
        }
    }
    if is_whole {
        let rest =
            |one: &Manifest| Manifest { sessions: Vec::new(), cells: Vec::new(), ..one.clone() };
        let (mut found, mut expected) = (rest(recorded), rest(again));
        // A note says that the versions differ.
        expected.tool.clone_from(&found.tool);
        found.part.clone_from(&expected.part);
        differing(check, "", (&found, &expected))?;
        check.same(
            ["manifest.json", "", "number of cells"],
            &recorded.cells.len().to_string(),
            &again.cells.len().to_string(),
        );
    }
    Ok(())
}

/// The first key in which two entries of a manifest differ.
fn differing<T: Serialize>(check: &mut Check, name: &str, pair: (&T, &T)) -> Result<()> {
    let (found, expected) = (manifest::value(pair.0)?, manifest::value(pair.1)?);
    let key = manifest::differing(&found, &expected).unwrap_or_default();
    let shown = |value: &serde_json::Value| {
        value
            .get(key)
            .map_or_else(String::new, |value| value.to_string().chars().take(120).collect())
    };
    check.same(["manifest.json", name, key], &shown(&found), &shown(&expected));
    Ok(())
}

/// The files of both directories. Those that are made from all cells are compared only
/// where all were driven.
fn files(dirs: [&Path; 2], chosen: &Chosen) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    checks.push(compare::table(MEASUREMENTS, &measurement_columns(), dirs, chosen)?);
    for info in infos() {
        let is_of_cells = CELL_TABLES.contains(&info.file);
        if is_of_cells || matches!(chosen, Chosen::All) {
            checks.push(compare::table(info.file, &info.columns, dirs, chosen)?);
        }
    }
    if matches!(chosen, Chosen::All) {
        checks.push(lines(datapackage::FILE, dirs, chosen)?);
    }
    checks.push(lines(TRACES, dirs, chosen)?);
    checks.push(told(dirs, chosen)?);
    Ok(checks)
}

/// The columns of `measurements.csv`, figures as they are written.
fn measurement_columns() -> Vec<Column> {
    let metrics = table::of_cells().map(|id| {
        Column::new(id.name(), ColumnType::String, id.metric().unit, id.metric().definition)
    });
    columns::<Measured>().into_iter().chain(metrics).collect()
}

fn told([found, expected]: [&Path; 2], chosen: &Chosen) -> Result<Check> {
    let mut check = Check::new("stories", "stories");
    let expected = stories(expected)?;
    let mut found = match stories(found) {
        Ok(found) => found,
        Err(error) => {
            check.same(["stories", "", ""], &error.to_string(), "stories");
            return Ok(check);
        }
    };
    for (cell, path) in &expected {
        match found.remove(cell) {
            Some(own) => {
                let [own, path] = [&own, path].map(|path| whole_text(path));
                compare_text(&mut check, "stories", cell, &own?, &path?);
            }
            None => check.same(["stories", cell, ""], "no story", "a story"),
        }
    }
    for cell in found.keys().filter(|cell| chosen.holds(cell)) {
        check.same(["stories", cell, ""], "a story", "no story");
    }
    Ok(check)
}

/// A folder for the second drive; it goes when this is dropped.
struct Folder {
    path: PathBuf,
}

impl Folder {
    fn new() -> Folder {
        let name = format!("proctor-verify-again-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        Folder { path }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed stays in the directory for such things.
        let _ = fs::remove_dir_all(&self.path);
    }
}
