//! Finalisation: landed cells in matrix order, as the files of a run directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::derive::{self, Record};
use crate::error::{Error, Result};
use crate::frame::{Frame, MeasuredCell};
use crate::measure::{self, Measurement, MetricId, table};
use crate::record::{Field, Line, Value, columns};
use crate::row::{CompactionRow, FloorRow, StepRow, TriggerRow};
use crate::run::live::LiveHost;
use crate::run::{Options, Outcome, Plan};
use crate::run_dir::cells::TraceWriter;
use crate::run_dir::read::{Measured, STORY};
use crate::run_dir::tables::{CURVE, CellWriters, DERIVED, MEASUREMENTS, packed_text, write_table};
use crate::run_dir::write::{Fresh, Landed, Place, Shard, json_file, write_whole};
use crate::run_dir::{CellState, Manifest, ManifestCell, datapackage, digests};
use crate::scenario::SessionSource;
use crate::summarize::live::Live;

/// Wall times and the machine: outside the identity set.
#[derive(Serialize)]
pub struct Host {
    /// The binary that drove it, with its commit where known.
    binary: String,
    cores: usize,
    os: &'static str,
    architecture: &'static str,
    pub(crate) cell_wall_ms: BTreeMap<String, u64>,
    /// Where transcripts were read from, by scenario name.
    transcripts: BTreeMap<String, PathBuf>,
    /// Where a model was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    live: Option<LiveHost>,
}

impl Host {
    /// The machine at hand. `transcripts` says where each lies, by scenario name, `live` who
    /// was asked.
    pub(crate) fn new(
        binary: String,
        transcripts: BTreeMap<String, PathBuf>,
        live: Option<&Live>,
    ) -> Host {
        Host {
            binary,
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
    let host = Host::new(options.binary.clone(), transcripts, options.live.as_deref());
    assemble(&options.out, shard, manifest, order, host)
}

/// Writes every file of a run directory from cells that have landed, in this order.
///
/// # Errors
///
/// [`Error::Io`], or [`Error::Invalid`] where something cannot be written.
pub fn assemble(
    dir: &Path,
    shard: &Shard,
    mut manifest: Manifest,
    order: &[String],
    mut host: Host,
) -> Result<Outcome> {
    let places: BTreeMap<String, Place> =
        shard.landed()?.into_iter().map(|place| (place.cell.clone(), place)).collect();
    let mut files = Files::create(dir)?;
    let mut outcome = Outcome { cells: order.len(), ..Outcome::default() };
    let mut gathered = Gathered::default();
    for cell in order {
        let Some(place) = places.get(cell) else { continue };
        let landed = shard.read(place)?;
        host.cell_wall_ms.insert(cell.clone(), landed.wall_ms);
        files.put(&landed)?;
        outcome.failed += usize::from(landed.failed.is_some());
        manifest.cells.push(ManifestCell {
            key: landed.key.clone(),
            state: landed.failed.clone().map_or(CellState::Done, CellState::Failed),
            digest: landed.digest.clone(),
        });
        gathered.add(landed)?;
    }
    files.finish()?;
    outcome.broken_controls = gathered.write(dir, &manifest, &|cell| match places.get(cell) {
        Some(place) => Ok(shard.read(place)?.rows.steps),
        None => Ok(Vec::new()),
    })?;
    write_whole(dir, datapackage::FILE, &datapackage::file()?)?;
    write_whole(dir, "host.json", &json_file("host.json", &host)?)?;
    digests::seal(dir, &json_file("manifest.json", &manifest)?)?;
    shard.remove()?;
    Ok(outcome)
}

/// The files that are written cell by cell.
struct Files {
    dir: PathBuf,
    measurements: csv::Writer<Fresh>,
    tables: CellWriters,
    traces: TraceWriter,
    stories: usize,
}

impl Files {
    fn create(dir: &Path) -> Result<Files> {
        let mut files = Files {
            dir: dir.to_owned(),
            measurements: csv::Writer::from_writer(Fresh::create(dir, MEASUREMENTS)?),
            tables: CellWriters::create(dir)?,
            traces: TraceWriter::create(dir)?,
            stories: 0,
        };
        let mut header = Line::default();
        columns::<Measured>().iter().for_each(|column| header.push(Value::Text(column.name)));
        table::of_cells().map(MetricId::name).for_each(|name| header.push(Value::Text(name)));
        files.measurement(&header)?;
        Ok(files)
    }

    fn measurement(&mut self, line: &Line) -> Result<()> {
        let written = self.measurements.write_record(line.values().map(|value| value.to_string()));
        written.map_err(|error| Error::io("write", &self.dir.join(MEASUREMENTS), error.into()))
    }

    fn put(&mut self, landed: &Landed) -> Result<()> {
        let key = landed.key.clone();
        let (state, error) = match &landed.failed {
            Some(error) => ("failed", error.clone()),
            None => ("done", String::new()),
        };
        let mut line = Line::default();
        Measured { key, state: state.to_owned(), error }.write(&mut line);
        landed.figures.iter().for_each(|figure| line.push(Value::Text(figure)));
        self.measurement(&line)?;
        self.tables.put(&landed.rows)?;
        if let Some(trace) = &landed.trace {
            self.traces.put(&landed.key.cell, trace)?;
        }
        if let Some(story) = &landed.story {
            self.stories += 1;
            write_story(&self.dir, self.stories, story)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        let path = self.dir.join(MEASUREMENTS);
        let measurements = self.measurements.into_inner();
        measurements.map_err(|error| Error::io("write", &path, error.into_error()))?.finish()?;
        self.tables.finish()?;
        self.traces.finish()
    }
}

/// What derived figures need of all cells.
#[derive(Default)]
struct Gathered {
    cells: Vec<MeasuredCell>,
    floor: Vec<FloorRow>,
    compactions: Vec<CompactionRow>,
    triggers: Vec<TriggerRow>,
}

/// The model calls of one cell, in order.
type StepsOf<'a> = &'a (dyn Fn(&str) -> Result<Vec<StepRow>> + Sync);

impl Gathered {
    fn add(&mut self, landed: Landed) -> Result<()> {
        if landed.failed.is_some() {
            return Ok(());
        }
        let Landed { key, figures, rows, .. } = landed;
        let mut measured = Measurement::default();
        for (metric, text) in table::of_cells().zip(&figures).filter(|(_, text)| !text.is_empty()) {
            let value = measure::Value::parse(metric, text).ok_or_else(|| {
                Error::invalid(&key.cell, format!("`{metric}` is never `{text}`"))
            })?;
            measured.set(metric, Some(value));
        }
        self.floor.extend(rows.floor);
        self.compactions.extend(rows.compactions);
        self.triggers.extend(rows.triggers);
        self.cells.push(MeasuredCell::done(key, measured));
        Ok(())
    }

    /// Writes what is made from all cells, and says which controls did not hold.
    fn write(&self, dir: &Path, manifest: &Manifest, steps_of: StepsOf) -> Result<Vec<String>> {
        let broken: Mutex<Option<Error>> = Mutex::new(None);
        let rows = derive::derive(&Record {
            frame: &Frame::new(&self.cells, &self.floor, &self.compactions, &[]),
            references: &manifest.references,
            triggers: &self.triggers,
            steps_of: &|cell| match steps_of(cell) {
                Ok(steps) => steps,
                Err(error) => {
                    let mut broken =
                        broken.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    broken.get_or_insert(error);
                    Vec::new()
                }
            },
        });
        // Figures of steps that could not be read must not be written.
        let broken = broken.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(error) = broken {
            return Err(error);
        }
        write_table(dir, DERIVED, &rows)?;
        let curve = derive::curve(&self.cells, &manifest.inferred());
        write_table(dir, CURVE, &curve)?;
        Ok(derive::controls_hold(&rows).err().unwrap_or_default())
    }
}

/// Stories are numbered in the order of the cells.
fn write_story(dir: &Path, number: usize, story: &RawValue) -> Result<()> {
    let folder = dir.join("stories");
    fs::create_dir_all(&folder).map_err(|source| Error::io("create", &folder, source))?;
    let name = format!("{number:04}{STORY}");
    let packed = packed_text(&folder.join(&name), format!("{story}\n").as_bytes())?;
    write_whole(&folder, &name, &packed)
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
