//! Merging: the parts of a run as the run directory of the whole, byte for byte.

use std::fs;

use serde_json::value::RawValue;

use crate::prelude::*;
use crate::run::{self, Outcome, Silent, programs};
use crate::run_dir::cells::Cells;
use crate::run_dir::host::Host;
use crate::run_dir::inputs::{self, Inputs, Prompts};
use crate::run_dir::partition::{MATRIX, ManifestPart, Whole};
use crate::run_dir::read::load_manifest;
use crate::run_dir::shard::Packed;
use crate::run_dir::write::{json_file, read_json};
use crate::run_dir::{Manifest, ManifestSession, digests, manifest};

/// Cells that are written together.
const AT_ONCE: usize = 64;
/// Cells that an error names, before it says how many there are.
const NAMED: usize = 5;

struct Part {
    dir: PathBuf,
    manifest: Manifest,
    place: ManifestPart,
    whole: Whole,
    inputs: Inputs<Box<RawValue>>,
}

/// Joins parts of a run into a new directory. [`Error::WrongRun`] where they are not of one run;
/// [`Error::Invalid`] where one is no part or was changed, and where cells are missing or doubled.
pub fn merge(out: &Path, parts: &[PathBuf], binary: String) -> Result<Outcome> {
    let parts = parts.iter().map(|dir| load(dir)).collect::<Result<Vec<Part>>>()?;
    let Some(first) = parts.first() else {
        return Err(Error::invalid("merge", "there is no part to merge"));
    };
    for part in &parts[1..] {
        same_run(first, part)?;
    }
    no_doubles(&parts)?;
    no_gaps(first, &parts)?;
    let sessions = sessions(first, &parts)?;
    is_new(out)?;
    let inputs = shared(&first.manifest);
    let shard = run::open(out, false, &inputs, &Silent)?;
    let mut made_from = first.inputs.clone();
    let (mut transcripts, mut waiting) = (BTreeMap::new(), Vec::new());
    for part in &parts {
        let host = Host::load(&part.dir);
        let mut cells = Cells::open(&part.dir)?;
        for cell in &part.manifest.cells {
            let mut landed = cells.next(cell)?;
            landed.wall_ms = host.cell_wall_ms.get(&cell.key.cell).copied().unwrap_or(0);
            let Some(session) = part.manifest.session(&cell.key) else {
                let rule = format!("has no session of cell `{}`", cell.key.cell);
                return Err(Error::invalid(part.dir.display().to_string(), rule));
            };
            waiting.push(Packed::new(&cell.key.cell, &session.log, &landed, &shard)?);
            if waiting.len() == AT_ONCE {
                shard.land(&std::mem::take(&mut waiting))?;
            }
        }
        cells.finish()?;
        made_from.prompts.extend(part.inputs.prompts.clone());
        transcripts.extend(host.transcripts);
    }
    shard.land(&waiting)?;
    let order: Vec<String> = first.whole.cells().map(str::to_owned).collect();
    let host = Host { transcripts, ..Host::here(binary) };
    if let Some(record) = programs::of_runs(parts.iter().map(|part| part.dir.as_path()))? {
        programs::write(out, &record)?;
    }
    run::assemble(out, &shard, Manifest { sessions, ..inputs }, made_from, &order, host)
}

fn load(dir: &Path) -> Result<Part> {
    let (manifest, _) = load_manifest(&dir.join("manifest.json"))?;
    let Some(place) = manifest.part.clone() else {
        let (place, rule) = (dir.display().to_string(), "is a whole run, no part of one");
        return Err(Error::refused(place, rule, "parts are made by `proctor run --partition K/N`"));
    };
    digests::check_whole(dir)?;
    let (whole, digest) = Whole::load(dir)?;
    if digest != place.matrix {
        let rule = "is not the matrix that the manifest names";
        return Err(Error::invalid(dir.join(MATRIX).display().to_string(), rule));
    }
    let (inputs, _) = read_json(&dir.join(inputs::FILE))?;
    Ok(Part { dir: dir.to_owned(), manifest, place, whole, inputs })
}

/// What parts of one run have in common: everything but their cells.
fn shared(manifest: &Manifest) -> Manifest {
    Manifest { sessions: Vec::new(), cells: Vec::new(), part: None, ..manifest.clone() }
}

fn same_run(first: &Part, other: &Part) -> Result<()> {
    let differs = |key: &str| Error::WrongRun {
        path: other.dir.clone(),
        difference: format!("its `{key}` differs from that of `{}`", first.dir.display()),
    };
    let value = |part: &Part| manifest::value(&shared(&part.manifest));
    if let Some(key) = manifest::differing(&value(first)?, &value(other)?) {
        return Err(differs(key));
    }
    let inputs = |part: &Part| {
        let prompts = Prompts::new();
        json_file(inputs::FILE, &Inputs { prompts, ..part.inputs.clone() })
    };
    if inputs(first)? != inputs(other)? {
        return Err(differs(inputs::FILE));
    }
    match (&first.place, &other.place) {
        (own, given) if own.partition.of != given.partition.of => Err(differs("part.partition.of")),
        (own, given) if own.matrix != given.matrix => Err(differs("part.matrix")),
        _ => Ok(()),
    }
}

fn no_doubles(parts: &[Part]) -> Result<()> {
    let mut known: BTreeMap<&str, &Part> = BTreeMap::new();
    for part in parts {
        let ids = part.manifest.cells.iter().map(|cell| cell.key.cell.as_str());
        let before = |id: &&str| known.get(id).copied();
        let doubles: Vec<(&str, &Part)> =
            ids.clone().filter_map(|id| Some((id, before(&id)?))).collect();
        if let Some((_, before)) = doubles.first() {
            let (dir, number) = (before.dir.display(), before.place.partition);
            let again = named(doubles.iter().map(|(id, _)| *id));
            let rule = format!("has cells of `{dir}` (part {number}) once more: {again}");
            return Err(Error::invalid(part.dir.display().to_string(), rule));
        }
        known.extend(ids.map(|id| (id, part)));
    }
    Ok(())
}

fn no_gaps(first: &Part, parts: &[Part]) -> Result<()> {
    let cells = parts.iter().flat_map(|part| &part.manifest.cells);
    let there: BTreeSet<&str> = cells.map(|cell| cell.key.cell.as_str()).collect();
    let missing: Vec<&str> = first.whole.cells().filter(|id| !there.contains(id)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let of = first.place.partition.of;
    let given: BTreeSet<u32> = parts.iter().map(|part| part.place.partition.part).collect();
    let absent = (1..=of).filter(|part| !given.contains(part)).map(|part| format!("{part}/{of}"));
    let absent: Vec<String> = absent.take(NAMED).collect();
    Err(Error::Invalid {
        place: "merge".to_owned(),
        rule: format!("cells are in none of the parts: {}", named(missing.into_iter())),
        hint: (!absent.is_empty()).then(|| format!("part {} was not given", absent.join(", "))),
    })
}

fn named<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<&str> = cells.collect();
    let first = all.iter().take(NAMED).map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
    match all.len() {
        few if few <= NAMED => first,
        many => format!("{first} and {} more", many - NAMED),
    }
}

/// The sessions of the whole run in its order, from the parts that made them ready.
fn sessions(first: &Part, parts: &[Part]) -> Result<Vec<ManifestSession>> {
    let mut known: BTreeMap<(&str, u64), (&ManifestSession, &Part)> = BTreeMap::new();
    for part in parts {
        for session in &part.manifest.sessions {
            let name = (session.scenario.as_str(), session.seed);
            let (before, from) = known.entry(name).or_insert((session, part));
            if *before != session {
                return Err(Error::WrongRun {
                    path: part.dir.clone(),
                    difference: format!(
                        "its session `{}` seed {} differs from that of `{}`",
                        session.scenario,
                        session.seed,
                        from.dir.display()
                    ),
                });
            }
        }
    }
    let session = |one: &crate::run_dir::partition::WholeSession| {
        let found = known.get(&(one.scenario.as_str(), one.seed));
        found.map(|(session, _)| (*session).clone()).ok_or_else(|| {
            let rule = format!("no part lists the session `{}` seed {}", one.scenario, one.seed);
            Error::invalid("merge", rule)
        })
    };
    first.whole.sessions.iter().map(session).collect()
}

fn is_new(out: &Path) -> Result<()> {
    let mut listed = match fs::read_dir(out) {
        Ok(listed) => listed,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(Error::io("read", out, source)),
    };
    if listed.next().is_none() {
        return Ok(());
    }
    let (place, rule) = (out.display().to_string(), "is there already and is not empty");
    let hint = "the first directory is the new one: `proctor merge OUT PART...`";
    Err(Error::refused(place, rule, hint))
}
