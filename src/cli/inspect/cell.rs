//! One cell of a run, driven again: its story, with what a story has no room for.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::answer::Memo;
use crate::cli::{live, registry, say, talk};
use crate::drive::{Cell, drive_observed};
use crate::error::{Error, Result};
use crate::ident::{self, Seed};
use crate::matrix::{Suite, Summarizer, SummarizerError};
use crate::price::PriceSheet;
use crate::row::CellKey;
use crate::run::story::{AtLength, Recorder, Told};
use crate::run::{Plan, Prepared, limits, prepare};
use crate::run_dir::read::{self, RunData};
use crate::run_dir::story::Story;
use crate::run_dir::{ManifestSession, redact};
use crate::sanitize;
use crate::scenario::Scenario;
use crate::trace::Trace;

/// The cells of a run.
pub(super) fn list(run: &Path) -> Result<()> {
    for row in &RunData::load(run)?.measurements {
        say(&sanitize::terminal(&row.key.cell));
    }
    Ok(())
}

/// What of a cell is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part<'a> {
    Overview,
    Compaction(u32),
    Step(u32),
    Fact(&'a str),
}

/// What of a cell is wanted, and how.
#[derive(Clone, Copy)]
pub(super) struct Wish<'a> {
    pub(super) part: Part<'a>,
    pub(super) full: bool,
    pub(super) redact: bool,
    pub(super) transcript: Option<&'a Path>,
}

impl Wish<'_> {
    fn at_length(self) -> AtLength {
        match (self.part, self.full) {
            _ if self.redact => AtLength::Nothing,
            (Part::Compaction(number), true) => AtLength::One(number),
            (Part::Overview, true) => AtLength::All,
            (Part::Compaction(_), false) => AtLength::Details,
            (Part::Overview | Part::Step(_) | Part::Fact(_), _) => AtLength::Nothing,
        }
    }
}

/// A cell's story and, where it was driven again, its session.
pub(super) struct Shown {
    pub(super) told: Told,
    pub(super) session: Option<Prepared>,
}

/// Tells a cell: driven again where its session is at hand, else as the run recorded it.
pub(super) fn tell(run: &Path, name: &str, wish: Wish) -> Result<Shown> {
    let data = RunData::load(run)?;
    let keys: Vec<&CellKey> = data.measurements.iter().map(|row| &row.key).collect();
    let key = find(&keys, name)?;
    let sessions = &data.manifest.sessions;
    let session = sessions.iter().find(|s| s.scenario == key.scenario && s.seed == key.seed);
    let is_transcript = session.is_some_and(|session| !session.path.is_empty());
    let source = match is_transcript {
        true => transcript(run, key, wish.transcript).map(Some),
        false => Ok(None),
    };
    let driven = source.and_then(|path| driven(run, &data, key, path.as_deref(), session, wish));
    let mut shown = match driven {
        Ok(shown) => shown,
        Err(error) => {
            let Some(story) = recorded(run, &key.cell)? else { return Err(error) };
            talk(&format!("note: {error}; this is the story that the run recorded"));
            Shown { told: Told { story, details: BTreeMap::new() }, session: None }
        }
    };
    if wish.redact && is_transcript {
        let mut story = redact::story(shown.told.story);
        let name = redact::name(&story.scenario);
        story.cell = story.cell.replacen(&story.scenario, &name, 1);
        story.scenario = name;
        shown = Shown { told: Told { story, details: BTreeMap::new() }, session: None };
    }
    Ok(shown)
}

/// Drives the cell again and compares it with what the run recorded.
fn driven(
    run: &Path,
    data: &RunData,
    key: &CellKey,
    transcript: Option<&Path>,
    recorded: Option<&ManifestSession>,
    wish: Wish,
) -> Result<Shown> {
    let mut plan = plan(data, key, transcript)?;
    if let Some(terms) = &data.manifest.live {
        plan = plan.addressed(terms);
    }
    let scenario = &plan.scenarios[0];
    let prepared = prepare(&plan, scenario, key.seed)?;
    if recorded.is_some_and(|recorded| recorded.log != prepared.manifest.log) {
        talk("warning: the session is not the one that was run: its digest differs");
    }
    let truth = &prepared.session.book.truth;
    let ask =
        live::recorded_summarizer(run, &data.manifest, summarizer(key)?, truth, Seed(key.seed))?;
    let (memo, sheet) = (Memo::default(), PriceSheet::embedded());
    let pipeline = &plan.configurations[0].pipeline;
    let cell = Cell {
        session: &prepared.session,
        pipeline,
        limits: limits(scenario, &plan.configurations[0]),
        mode: plan.suite.modes[0],
        ask: &*ask,
        memo: &memo,
        sheet: &sheet,
        replicate: key.replicate,
        probes: plan.suite.probes,
    };
    let mut recorder = Recorder::new(&prepared.session, pipeline, wish.at_length());
    let trace = drive_observed(cell, &mut recorder)
        .map_err(|stopped| live::not_repeatable(&key.cell, stopped))?;
    let told = recorder.finish(key, cell.limits, &trace);
    if !same_as_recorded(run, key, &trace)? {
        talk("warning: the cell did not repeat what the run recorded: another version of proctor?");
    }
    Ok(Shown { told, session: Some(prepared) })
}

/// The latest run that has a cell of this id, or with this text in its id.
pub(super) fn latest(cell: &str) -> Result<PathBuf> {
    let folder = Path::new("reports").join("runs");
    let listed = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut runs: Vec<(std::time::SystemTime, PathBuf)> = listed
        .filter_map(|entry| {
            let manifest = std::fs::metadata(entry.path().join("manifest.json")).ok()?;
            Some((manifest.modified().ok()?, entry.path()))
        })
        .collect();
    runs.sort();
    let holds = |run: &PathBuf| {
        RunData::load(run)
            .is_ok_and(|data| data.measurements.iter().any(|row| row.key.cell.contains(cell)))
    };
    let found = runs.into_iter().rev().map(|(_, run)| run).find(holds);
    found.ok_or_else(|| Error::Unknown {
        what: "file, scenario or cell",
        name: cell.to_owned(),
        hint: Some(format!(
            "no run under {} has such a cell; name the run directory: `proctor inspect RUN CELL`",
            folder.display()
        )),
    })
}

/// The story that a run recorded of a cell.
fn recorded(run: &Path, cell: &str) -> Result<Option<Story>> {
    for file in read::story_files(run)? {
        let story = read::story(&file)?;
        if story.cell == cell {
            return Ok(Some(story));
        }
    }
    Ok(None)
}

fn find<'a>(keys: &[&'a CellKey], wanted: &str) -> Result<&'a CellKey> {
    if let Some(key) = keys.iter().find(|key| key.cell == wanted) {
        return Ok(key);
    }
    let holding: Vec<&&CellKey> = keys.iter().filter(|key| key.cell.contains(wanted)).collect();
    // Ids of interventions and brackets go on where those of plain cells end.
    let ending: Vec<&&CellKey> =
        holding.iter().copied().filter(|key| key.cell.ends_with(wanted)).collect();
    let chosen = if ending.len() == 1 { ending } else { holding };
    match chosen.as_slice() {
        [key] => Ok(key),
        [] => {
            let near = ident::nearest(wanted, keys.iter().map(|key| key.cell.as_str()));
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            Err(Error::Unknown { what: "cell", name: wanted.to_owned(), hint })
        }
        several => {
            let ids: Vec<&str> = several.iter().take(6).map(|key| key.cell.as_str()).collect();
            let ids = sanitize::terminal(&ids.join(", "));
            Err(Error::Invalid {
                place: format!("--cell {wanted}"),
                rule: format!("{} cells hold this text", several.len()),
                hint: Some(format!("for example {ids}")),
            })
        }
    }
}

pub(in crate::cli) fn summarizer(key: &CellKey) -> Result<Summarizer> {
    key.summarizer
        .parse()
        .map_err(|error: SummarizerError| Error::invalid(&key.cell, error.to_string()))
}

/// A plan of the one cell, from the manifest and what ships with the binary.
pub(in crate::cli) fn plan(
    data: &RunData,
    key: &CellKey,
    transcript: Option<&Path>,
) -> Result<Plan> {
    let scenario = match transcript {
        None => Scenario::embedded(&key.scenario)?,
        Some(path) => {
            let mut scenario = Scenario::for_transcript(path, &key.scenario);
            scenario.max_output = crate::cli::run::longest_answer(&scenario)?;
            scenario
        }
    };
    let mode = serde_json::from_value(key.mode.clone().into())
        .map_err(|error| Error::invalid(&key.cell, error.to_string()))?;
    let share = key.variant.strip_prefix("limit=").and_then(|share| share.parse().ok());
    let name = vec![key.pipeline.clone()];
    // What the run's suite said, where it ships: the manifest names it with its digest.
    let shipped = data.manifest.suite.split(' ').next().and_then(Suite::embedded).transpose()?;
    let suite = Suite {
        name: "one-cell".to_owned(),
        about: String::new(),
        scenarios: vec![key.scenario.clone()],
        windowless: if key.variant == "windowless" { name.clone() } else { Vec::new() },
        pipelines: if key.variant == "windowed" { name } else { Vec::new() },
        truncate_sweep: share.into_iter().collect(),
        modes: vec![mode],
        seeds: vec![key.seed],
        second_bank: Vec::new(),
        summarizer: summarizer(key)?.without_fault(),
        brackets: Vec::new(),
        faults: Vec::new(),
        replicates: 1,
        // Brackets and interventions are not probed; without rows there was no probe.
        probes: data.floor.iter().any(|row| row.cell == key.cell),
        orderings: None,
        grid: Vec::new(),
    };
    let mut plan = Plan::new(registry(), suite, vec![scenario], String::new())?;
    if let Some(generated) =
        shipped.map(|suite| suite.generated(registry(), key)).transpose()?.flatten()
    {
        plan.configurations = vec![generated];
    }
    Ok(plan)
}

/// Where a cell's transcript lies: where the user says, or where the run read it from.
pub(in crate::cli) fn transcript(
    run: &Path,
    key: &CellKey,
    given: Option<&Path>,
) -> Result<PathBuf> {
    #[derive(Deserialize)]
    struct Host {
        transcripts: BTreeMap<String, PathBuf>,
    }
    if let Some(path) = given {
        return Ok(path.to_owned());
    }
    let hint = Some("say where it lies with `--transcript FILE`".to_owned());
    let file = run.join("host.json");
    let text = std::fs::read(&file).map_err(|source| Error::io("read", &file, source))?;
    let host: Option<Host> = serde_json::from_slice(&text).ok();
    let path = host.and_then(|mut host| host.transcripts.remove(&key.scenario));
    match path {
        Some(path) if path.exists() => Ok(path),
        Some(path) => Err(Error::Invalid {
            place: path.display().to_string(),
            rule: format!("the transcript of `{}` is not there any more", key.scenario),
            hint,
        }),
        None => Err(Error::Invalid {
            place: file.display().to_string(),
            rule: format!("does not say where the transcript of `{}` lies", key.scenario),
            hint,
        }),
    }
}

fn same_as_recorded(run: &Path, key: &CellKey, trace: &Trace) -> Result<bool> {
    #[derive(Deserialize)]
    struct Line {
        cell: String,
        trace: Box<RawValue>,
    }
    let path = run.join("traces.jsonl");
    let file = File::open(&path).map_err(|source| Error::io("read", &path, source))?;
    let again = serde_json::to_string(&trace.without_tables()).unwrap_or_default();
    let id = serde_json::to_string(&key.cell).unwrap_or_default();
    for line in BufReader::new(file).lines() {
        let line = line.map_err(|source| Error::io("read", &path, source))?;
        if !line.starts_with(&format!("{{\"cell\":{id},")) {
            continue;
        }
        let parsed: Option<Line> = serde_json::from_str(&line).ok();
        return Ok(parsed.is_some_and(|line| line.cell == key.cell && line.trace.get() == again));
    }
    Ok(false)
}
