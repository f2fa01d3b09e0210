//! Verifying a run: its files against their digests, and the run against itself driven again from
//! the inputs that it embeds. What cannot be driven again is counted: no fault, and no proof.

mod compare;

use crate::matrix::Suite;
use crate::prelude::*;
use crate::run::rerun::{NotDriven, Recorded};
use crate::run::{self, Progress, frozen};
use crate::run_dir::digests;
use crate::run_dir::write::Scratch;
use crate::strategy::Registry;

pub use compare::Difference;
use compare::Sides;

/// What is to be verified, and with what.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    /// Transcripts that the run replayed, wherever they lie now.
    pub transcripts: Vec<PathBuf>,
    /// What the model answered that the run asked; the run's own recording where absent.
    pub cassette: Option<PathBuf>,
    /// Only cells whose id holds this text.
    pub cells: Option<String>,
    /// Threads; all cores where absent.
    pub jobs: Option<usize>,
}

/// What became of a verification.
#[derive(Clone, Debug, Default)]
pub struct Verification {
    /// What is not as it should be.
    pub differences: Vec<Difference>,
    /// Cells that were driven again.
    pub driven: usize,
    /// How many were not, by reason.
    pub not_driven: BTreeMap<NotDriven, usize>,
    /// What a reader should know besides.
    pub notes: Vec<String>,
}

/// Verifies a run directory; what is wrong with it is a difference and no error.
pub fn verify(
    registry: &Registry,
    dir: &Path,
    options: &VerifyOptions,
    progress: &dyn Progress,
) -> Result<Verification> {
    let mut verified = Verification::default();
    sealed(dir, &mut verified);
    let mut recorded = match Recorded::read(registry, dir) {
        Ok(recorded) => recorded,
        Err(error @ Error::Io { .. }) => return Err(error),
        Err(error) => {
            let (found, expected) = (error.to_string(), "a run that can be driven again");
            verified.differences.push(Difference::of_file("manifest.json", &found, expected));
            return Ok(verified);
        }
    };
    recorded.find_transcripts(&options.transcripts)?;
    let (made_by, this) = (&recorded.manifest.tool, run::tool());
    if *made_by != this {
        let note = format!("the run was made by {made_by}, this is {this}: figures may differ");
        verified.notes.push(note);
    }
    as_frozen(&recorded, &mut verified)?;
    let stranger = |path: &PathBuf| format!("`{}` is no session of this run", path.display());
    verified.notes.extend(recorded.strangers.iter().map(stranger));
    let scratch = Scratch::new("verify");
    let driven = again(&recorded, options, &scratch, progress, &mut verified)?;
    verified.driven = driven.len();
    if !driven.is_empty() {
        let sides = Sides { recorded: &recorded, again: &scratch.0, driven: &driven };
        verified.differences.extend(sides.differences()?);
    }
    Ok(verified)
}

/// Holds a run of a frozen suite to the suite's digests.
fn as_frozen(recorded: &Recorded, verified: &mut Verification) -> Result<()> {
    let Recorded { dir, plan, manifest, .. } = recorded;
    let suite = &plan.suite;
    if frozen::digests(&suite.name).is_none() {
        return Ok(());
    }
    let unread =
        |error: Error| vec![["figures".to_owned(), error.to_string(), "a table".to_owned()]];
    let wrong = frozen::differing(dir, plan, &manifest.sessions).unwrap_or_else(unread);
    verified.differences.extend(wrong.iter().map(|[what, found, expected]| {
        Difference::of_file(&format!("suite {}, {what}", suite.name), found, expected)
    }));
    verified.notes.extend(wrong.is_empty().then(|| entered(suite)).transpose()?);
    Ok(())
}

fn entered(suite: &Suite) -> Result<String> {
    let entries = frozen::entries(suite)?;
    let beside = match entries.as_slice() {
        [] => "nothing was entered beside them".to_owned(),
        entries => format!("entered beside them: {}", entries.join(", ")),
    };
    let held = "inputs, sessions and the figures of its own pipelines are as they were frozen";
    Ok(format!("suite {}: {held}; {beside}", suite.name))
}

fn sealed(dir: &Path, verified: &mut Verification) {
    match digests::check(dir) {
        Ok(Some((_, faults))) => verified.differences.extend(faults.into_iter().map(|fault| {
            let file = format!("{}, {}", digests::FILE, fault.file);
            Difference::of_file(&file, &fault.found, &fault.expected)
        })),
        Ok(None) => verified.notes.push("the run has no digests.txt".to_owned()),
        Err(error) => {
            let difference = Difference::of_file(digests::FILE, &error.to_string(), "digests");
            verified.differences.push(difference);
        }
    }
}

/// Drives the cells again that are asked for and can be, into a directory, and says which.
fn again(
    recorded: &Recorded,
    options: &VerifyOptions,
    out: &Scratch,
    progress: &dyn Progress,
    verified: &mut Verification,
) -> Result<BTreeSet<String>> {
    let ids = recorded.manifest.cells.iter().map(|cell| cell.key.cell.as_str());
    let is_chosen = |id: &&str| options.cells.as_ref().is_none_or(|text| id.contains(text));
    let (chosen, others): (BTreeSet<&str>, BTreeSet<&str>) = ids.partition(is_chosen);
    let mut how = recorded.options(out.0.clone(), options.cassette.as_deref())?;
    how.jobs = options.jobs;
    let (driven, mut absent) = match drive(recorded, &chosen, &how, progress) {
        // The recording lacks an answer: no cell that asks for one can be driven.
        Err(Error::Stopped { .. }) => {
            out.clear();
            how.live = None;
            drive(recorded, &chosen, &how, progress)?
        }
        outcome => outcome?,
    };
    for id in chosen.iter().filter(|id| !driven.contains(**id) && !absent.contains_key(**id)) {
        let (place, expected) = (["manifest.json", id, ""], "no such cell in the suite");
        verified.differences.push(Difference::new(place, "a cell", expected));
    }
    absent.retain(|id, _| chosen.contains(id.as_str()));
    absent.extend(others.into_iter().map(|id| (id.to_owned(), NotDriven::NotChosen)));
    for why in absent.into_values() {
        *verified.not_driven.entry(why).or_default() += 1;
    }
    Ok(driven)
}

/// Drives what can be driven: which cells, and why others are not.
fn drive(
    recorded: &Recorded,
    chosen: &BTreeSet<&str>,
    options: &run::Options,
    progress: &dyn Progress,
) -> Result<(BTreeSet<String>, BTreeMap<String, NotDriven>)> {
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
