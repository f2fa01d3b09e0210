//! Finalisation: landed cells in matrix order, as the files of a run directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::value::RawValue;

use crate::derive::{self, Record};
use crate::error::{Error, Result};
use crate::frame::{Frame, MeasuredCell};
use crate::measure::{Measurement, MetricId, Value, table};
use crate::row::{CellKey, CompactionRow, FloorRow, StepRow, TriggerRow};
use crate::run::live::LiveHost;
use crate::run::{Options, Outcome, Plan};
use crate::run_dir::write::{
    Fresh, Landed, Place, Shard, TABLES, header, key_columns, line, lines, write_whole,
};
use crate::run_dir::{CellState, Manifest, ManifestCell, digests};
use crate::scenario::SessionSource;
use crate::summarize::live::Live;

/// Wall times and the machine: outside the identity set.
#[derive(Serialize)]
struct Host {
    cores: usize,
    os: &'static str,
    architecture: &'static str,
    cell_wall_ms: BTreeMap<String, u64>,
    /// Where transcripts were read from, by scenario name.
    transcripts: BTreeMap<String, PathBuf>,
    /// Where a model was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    live: Option<LiveHost>,
}

impl Host {
    /// The machine at hand.
    fn this(transcripts: BTreeMap<String, PathBuf>, live: Option<&Live>) -> Host {
        Host {
            live: live.map(LiveHost::of),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            os: std::env::consts::OS,
            architecture: std::env::consts::ARCH,
            cell_wall_ms: BTreeMap::new(),
            transcripts,
        }
    }
}

/// Writes every file of the directory, the manifest last.
pub(super) fn finalise(
    options: &Options,
    shard: &Shard,
    manifest: Manifest,
    order: &[String],
    plan: &Plan,
) -> Result<Outcome> {
    let transcripts = transcripts(plan, options.redact);
    assemble(&options.out, shard, manifest, order, transcripts, options.live.as_deref())
}

/// Writes every file of a run directory from cells that have landed, in this order.
/// `transcripts` says where each lies, by scenario name, `live` who was asked.
///
/// # Errors
///
/// [`Error::Io`].
pub fn assemble(
    dir: &Path,
    shard: &Shard,
    mut manifest: Manifest,
    order: &[String],
    transcripts: BTreeMap<String, PathBuf>,
    live: Option<&Live>,
) -> Result<Outcome> {
    let places: BTreeMap<String, Place> =
        shard.landed()?.into_iter().map(|place| (place.cell.clone(), place)).collect();
    let mut files = open_tables(dir)?;
    let mut traces = Fresh::create(dir, "traces.jsonl")?;
    let mut host = Host::this(transcripts, live);
    let mut stories = 0;
    let mut outcome = Outcome { cells: order.len(), ..Outcome::default() };
    let mut gathered = Gathered::default();
    for cell in order {
        let Some(place) = places.get(cell) else { continue };
        let landed = shard.read(place)?;
        host.cell_wall_ms.insert(cell.clone(), landed.wall_ms);
        for (name, file) in &mut files {
            let failed_line = failed_line(name, &landed);
            let text = landed.tables.get(*name).or(failed_line.as_ref());
            file.write(text.map_or("", String::as_str).as_bytes())?;
        }
        let id = serde_json::to_string(cell).unwrap_or_default();
        traces.write(format!("{{\"cell\":{id},\"trace\":{}}}\n", landed.trace).as_bytes())?;
        if let Some(story) = &landed.story {
            stories += 1;
            write_story(dir, stories, story)?;
        }
        outcome.failed += usize::from(landed.failed.is_some());
        gathered.add(&landed);
        let state = landed.failed.map_or(CellState::Done, CellState::Failed);
        manifest.cells.push(ManifestCell { key: landed.key, state });
    }
    for (_, file) in files {
        file.finish()?;
    }
    traces.finish()?;
    let steps_of = |cell: &str| {
        let landed = places.get(cell).and_then(|place| shard.read(place).ok());
        landed.map_or_else(Vec::new, |landed| parse("steps", &landed))
    };
    let derived = gathered.derived(&manifest, &steps_of);
    write_whole(dir, "derived.csv", derived.derived.as_bytes())?;
    write_whole(dir, "curve.csv", derived.curve.as_bytes())?;
    outcome.broken_controls = derived.broken_controls;
    write_whole(dir, "host.json", &json(&host))?;
    digests::seal(dir, &json(&manifest))?;
    shard.remove()?;
    Ok(outcome)
}

fn open_tables(dir: &Path) -> Result<Vec<(&'static str, Fresh)>> {
    let mut files = Vec::new();
    for name in TABLES {
        let mut file = Fresh::create(dir, &format!("{name}.csv"))?;
        file.write(header_of(name).as_bytes())?;
        files.push((name, file));
    }
    Ok(files)
}

/// A failed cell is a row all the same.
pub(super) fn failed_line(table: &str, landed: &Landed) -> Option<String> {
    let error = landed.failed.as_ref()?;
    (table == "measurements")
        .then(|| measurement_line(&landed.key, "failed", error, &Measurement::default()))
}

/// Header of a table.
pub(super) fn header_of(table: &str) -> String {
    if table == "measurements" { measurement_header() } else { header(table) }
}

/// Header of `measurements.csv`: key, state, error, every metric of a cell.
fn measurement_header() -> String {
    let fixed = key_columns().iter().copied().chain(["state", "error"]);
    let all = fixed.chain(table::of_cells().map(MetricId::name));
    line(&all.map(str::to_owned).collect::<Vec<_>>())
}

/// A line of `measurements.csv`.
pub(super) fn measurement_line(
    key: &CellKey,
    state: &str,
    error: &str,
    measured: &Measurement,
) -> String {
    let mut fields: Vec<String> = vec![
        key.cell.clone(),
        key.scenario.clone(),
        key.family.clone(),
        key.turns.to_string(),
        key.window.to_string(),
        key.pipeline.clone(),
        key.variant.clone(),
        key.mode.clone(),
        key.seed.to_string(),
        key.summarizer.clone(),
        key.replicate.to_string(),
        state.to_owned(),
        error.to_owned(),
    ];
    fields.extend(measured.columns());
    line(&fields)
}

/// What derived figures need of all cells.
#[derive(Default)]
struct Gathered {
    cells: Vec<MeasuredCell>,
    floor: Vec<FloorRow>,
    compactions: Vec<CompactionRow>,
    triggers: Vec<TriggerRow>,
}

impl Gathered {
    fn add(&mut self, landed: &Landed) {
        if landed.failed.is_some() {
            return;
        }
        self.floor.extend(parse::<FloorRow>("floor", landed));
        self.compactions.extend(parse::<CompactionRow>("compactions", landed));
        self.triggers.extend(parse::<TriggerRow>("triggers", landed));
        let key = landed.key.clone();
        self.cells.push(MeasuredCell::done(key, figures(landed)));
    }

    fn derived(&self, manifest: &Manifest, steps_of: StepsOf) -> Derived {
        let rows = derive::derive(&Record {
            frame: &Frame::new(&self.cells, &self.floor, &self.compactions, &[]),
            references: &manifest.references,
            triggers: &self.triggers,
            steps_of,
        });
        Derived {
            derived: header("derived") + &lines(&rows),
            curve: header("curve") + &lines(&derive::curve(&self.cells, &manifest.inferred())),
            broken_controls: derive::controls_hold(&rows).err().unwrap_or_default(),
        }
    }
}

/// The rows of one cell in `steps.csv`, in order.
type StepsOf<'a> = &'a (dyn Fn(&str) -> Vec<StepRow> + Sync);

/// The files that are made from all cells of a run.
#[derive(Clone, Debug, Default)]
pub struct Derived {
    /// `derived.csv`.
    pub derived: String,
    /// `curve.csv`.
    pub curve: String,
    /// Controls that did not hold, in words.
    pub broken_controls: Vec<String>,
}

/// Derives what a run derives from its cells, from recorded ones in the manifest's order.
///
/// # Errors
///
/// The first of `landed`.
pub fn derived(
    manifest: &Manifest,
    landed: impl Iterator<Item = Result<Landed>>,
    steps_of: &(dyn Fn(&str) -> String + Sync),
) -> Result<Derived> {
    let mut gathered = Gathered::default();
    for cell in landed {
        gathered.add(&cell?);
    }
    Ok(gathered.derived(manifest, &|cell| parse_lines("steps", &steps_of(cell))))
}

/// A cell's figures, from its line of `measurements.csv`.
fn figures(landed: &Landed) -> Measurement {
    let line = landed.tables.get("measurements").map_or("", String::as_str);
    let record = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(line.as_bytes())
        .into_records()
        .next()
        .and_then(Result::<_, csv::Error>::ok)
        .unwrap_or_default();
    let fields = record.iter().skip(key_columns().len() + 2);
    let named = table::of_cells().zip(fields);
    named.filter_map(|(metric, text)| Some((metric, Value::parse(metric, text)?))).collect()
}

/// A cell's rows of a table.
fn parse<R: serde::de::DeserializeOwned>(table: &str, landed: &Landed) -> Vec<R> {
    parse_lines(table, landed.tables.get(table).map_or("", String::as_str))
}

fn parse_lines<R: serde::de::DeserializeOwned>(table: &str, lines: &str) -> Vec<R> {
    let whole = header(table) + lines;
    // OK to skip a row that does not parse: these lines were written by `lines`.
    csv::Reader::from_reader(whole.as_bytes()).into_deserialize().filter_map(Result::ok).collect()
}

/// Stories are numbered in the order of the cells.
fn write_story(dir: &Path, number: usize, story: &RawValue) -> Result<()> {
    let folder = dir.join("stories");
    fs::create_dir_all(&folder).map_err(|source| Error::io("create", &folder, source))?;
    write_whole(&folder, &format!("{number:04}.json"), format!("{story}\n").as_bytes())
}

/// Where transcripts lie; nowhere in a redacted run.
fn transcripts(plan: &Plan, redact: bool) -> BTreeMap<String, PathBuf> {
    let paths = plan.scenarios.iter().filter(|_| !redact);
    let paths = paths.filter_map(|scenario| match &scenario.source {
        SessionSource::Transcript(path) => Some((scenario.name.clone(), path.clone())),
        SessionSource::Synth(_) => None,
    });
    paths.collect()
}

pub(super) fn json<T: Serialize>(value: &T) -> Vec<u8> {
    // OK because manifests and hosts hold nothing that JSON cannot say.
    let mut text = serde_json::to_vec_pretty(value).unwrap_or_default();
    text.push(b'\n');
    text
}
