//! One cell of a run, driven again: its story, with what a story has no room for.

use crate::cli::prelude::*;
use crate::run::rerun::Recorded;
use crate::run::story::{CellStory, Length};
use crate::run::{Prepared, prepare};
use crate::run_dir::story;

pub(super) fn list(run: &Path) -> Result<()> {
    for row in &RunData::load(run)?.measurements {
        say(shown!("{}", row.key.cell));
    }
    Ok(())
}

/// Tells a cell: driven again where its session is at hand, else as the run recorded it.
pub(super) fn tell(
    run: &Path,
    name: &str,
    length: Length,
    transcript: Option<&Path>,
) -> Result<CellStory> {
    let given: Vec<PathBuf> = transcript.map(Path::to_owned).into_iter().collect();
    let recorded = Recorded::open(registry(), run, &given)?;
    let keys: Vec<&CellKey> = recorded.manifest.cells.iter().map(|cell| &cell.key).collect();
    let key = find(&keys, name)?;
    driven(&recorded, key, length).or_else(|error| {
        let Some(file) = story::by_cell(run)?.remove(&key.cell) else { return Err(error) };
        talk(shown!("note: {}; this is the story that the run recorded", error));
        Ok(CellStory { story: story::story(&file)?, details: BTreeMap::new() })
    })
}

fn driven(recorded: &Recorded, key: &CellKey, length: Length) -> Result<CellStory> {
    recorded.cell(key).map_err(|error| with_hint(error, "--transcript"))?;
    let again = recorded.again(key, length)?;
    if !again.same_session {
        talk(shown!("warning: the session is not the one that was run: its digest differs"));
    }
    if !again.same {
        talk(shown!(
            "warning: the cell did not repeat what the run recorded: another version of proctor?"
        ));
    }
    Ok(again.told)
}

/// The session of a cell, with a warning where it is another than the one that was run.
pub(in crate::cli) fn prepared(
    recorded: &Recorded,
    scenario: &Scenario,
    key: &CellKey,
) -> Result<Prepared> {
    let prepared = prepare(&recorded.plan, scenario, key.seed)?;
    if recorded.manifest.session(key).is_some_and(|one| one.log != prepared.manifest.log) {
        talk(shown!("warning: the session is not the one that was run: its digest differs"));
    }
    Ok(prepared)
}

/// An error of a session that is not at hand, with the option that says where it lies.
pub(in crate::cli) fn with_hint(error: Error, option: &str) -> Error {
    match error {
        Error::Invalid { place, rule, .. } => {
            Error::refused(place, rule, format!("say where it lies with `{option} FILE`"))
        }
        other => other,
    }
}

/// The latest run that has a cell of this id, or with this text in its id.
pub(super) fn latest(cell: &str) -> Result<PathBuf> {
    let folder = Path::new("reports").join("runs");
    let listed = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let dated = |entry: std::fs::DirEntry| {
        let manifest = std::fs::metadata(entry.path().join("manifest.json")).ok()?;
        Some((manifest.modified().ok()?, entry.path()))
    };
    let mut runs: Vec<_> = listed.filter_map(dated).collect();
    runs.sort();
    let has_it = |data: RunData| data.measurements.iter().any(|row| row.key.cell.contains(cell));
    let holds = |run: &PathBuf| RunData::load(run).is_ok_and(has_it);
    let found = runs.into_iter().rev().map(|(_, run)| run).find(holds);
    found.ok_or_else(|| {
        let hint = "name the run directory: `proctor inspect RUN CELL`";
        let hint = format!("no run under {} has such a cell; {hint}", folder.display());
        Error::unknown("file, scenario or cell", cell, Some(hint))
    })
}

fn find<'a>(keys: &[&'a CellKey], wanted: &str) -> Result<&'a CellKey> {
    if let Some(key) = keys.iter().find(|key| key.cell == wanted) {
        return Ok(key);
    }
    let holding: Vec<&&CellKey> = keys.iter().filter(|key| key.cell.contains(wanted)).collect();
    // Ids of interventions and brackets go on where those of plain cells end.
    let ending: Vec<&&CellKey> =
        holding.iter().copied().filter(|key| key.cell.ends_with(wanted)).collect();
    let goes_on = |one: &&CellKey| holding.iter().all(|other| other.cell.starts_with(&one.cell));
    // A text with a seed means one cell, a name alone all that have it.
    let plain = holding.iter().copied().find(|one| wanted.contains('/') && goes_on(one));
    let chosen = match (ending.len() == 1, plain) {
        (true, _) => ending,
        (false, Some(plain)) => vec![plain],
        (false, None) => holding,
    };
    match chosen.as_slice() {
        [key] => Ok(key),
        [] => {
            let near = did_you_mean(wanted, keys.iter().map(|key| key.cell.as_str()));
            let all = || "`proctor inspect RUN` lists its cells".to_owned();
            Err(Error::unknown("cell", wanted, near.or_else(|| Some(all()))))
        }
        several => {
            let ids: Vec<&str> = several.iter().take(6).map(|key| key.cell.as_str()).collect();
            let ids = sanitize::terminal(&ids.join(", "));
            let rule = format!("{} cells hold this text", several.len());
            Err(Error::refused(format!("--cell {wanted}"), rule, format!("for example {ids}")))
        }
    }
}
