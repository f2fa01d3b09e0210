//! Finalisation: landed cells in matrix order, as the files of a run directory.

use std::fs;
use std::sync::mpsc::sync_channel;

use serde_json::value::RawValue;

use crate::derive::{self, Record, StepsOf};
use crate::frame::{CellState, Frame, MeasuredCell};
use crate::prelude::*;
use crate::row::{CompactionRow, FloorRow, TriggerRow};
use crate::run::{Options, Outcome, Plan, live};
use crate::run_dir::cells::TraceWriter;
use crate::run_dir::host::{self, Host};
use crate::run_dir::inputs::{self, Inputs};
use crate::run_dir::shard::{Landed, Place, Shard};
use crate::run_dir::story::SUFFIX;
use crate::run_dir::tables::{
    COMPACTIONS, CURVE, DERIVED, FLOOR, LineWriter, MEASUREMENTS, STEPS, TRIGGERS, of_cells,
    packed_text, write_table,
};
use crate::run_dir::write::{json_file, no_link, write_whole};
use crate::run_dir::{Manifest, ManifestCell, datapackage, digests};
use crate::scenario::SessionSource;

/// Cells that are read before they are written.
const CELLS_AHEAD: usize = 8;

/// The machine, and what of the run lies elsewhere.
pub(super) fn host(plan: &Plan, options: &Options) -> Host {
    let paths = plan.scenarios.iter().filter_map(|scenario| match &scenario.source {
        SessionSource::Transcript(path) => Some((scenario.name.clone(), path.clone())),
        SessionSource::Synth(_) => None,
    });
    // A redacted run does not say where its transcripts lie.
    let transcripts = paths.filter(|_| !options.redact).collect();
    let live = options.live.as_deref().map(live::host);
    Host { transcripts, live, ..Host::here(options.binary.clone()) }
}

/// Writes every file of a run directory from cells that have landed, in this order.
pub(crate) fn assemble<C: Serialize>(
    dir: &Path,
    shard: &Shard,
    mut manifest: Manifest,
    mut inputs: Inputs<C>,
    order: &[String],
    mut host: Host,
) -> Result<Outcome> {
    let places: BTreeMap<String, Place> =
        shard.landed().into_iter().map(|place| (place.cell.clone(), place)).collect();
    let mut files = Files::create(dir)?;
    let mut outcome = Outcome { cells: order.len(), ..Outcome::default() };
    let mut gathered = Gathered::default();
    let in_order = order.iter().filter_map(|cell| places.get(cell));
    read_ahead(shard, in_order, |cell, mut landed| {
        host.cell_wall_ms.insert(cell.to_owned(), landed.wall_ms);
        files.put(cell, &landed)?;
        for measured in landed.rows::<MeasuredCell>(MEASUREMENTS)? {
            let (key, state) = (measured.key.clone(), measured.state.clone());
            outcome.failed += usize::from(state.is_failed());
            outcome.unanswered += usize::from(matches!(state, CellState::Unanswered(_)));
            manifest.cells.push(ManifestCell { key, state, digest: landed.digest.clone() });
            gathered.add(measured, &landed)?;
        }
        inputs.prompts.append(&mut landed.prompts);
        Ok(())
    })?;
    files.finish()?;
    outcome.broken_controls = gathered.write(dir, &manifest, &|cell| match places.get(cell) {
        Some(place) => shard.read(place)?.rows(STEPS),
        None => Ok(Vec::new()),
    })?;
    write_whole(dir, inputs::FILE, &json_file(inputs::FILE, &inputs)?)?;
    write_whole(dir, datapackage::FILE, &datapackage::file()?)?;
    write_whole(dir, host::FILE, &json_file(host::FILE, &host)?)?;
    digests::seal(dir, &json_file("manifest.json", &manifest)?)?;
    shard.remove()?;
    Ok(outcome)
}

/// Hands over these cells one by one, while a thread of its own reads the next.
fn read_ahead<'a>(
    shard: &Shard,
    places: impl Iterator<Item = &'a Place> + Send,
    mut each: impl FnMut(&str, Landed) -> Result<()>,
) -> Result<()> {
    std::thread::scope(|scope| {
        let (reading, read) = sync_channel(CELLS_AHEAD);
        scope.spawn(move || {
            // An error of the receiver only says that it has left.
            places.map(|place| (place, shard.read(place))).try_for_each(|one| reading.send(one))
        });
        read.into_iter().try_for_each(|(place, landed)| each(&place.cell, landed?))
    })
}

struct Files {
    dir: PathBuf,
    tables: Vec<LineWriter>,
    traces: TraceWriter,
    stories: usize,
}

impl Files {
    fn create(dir: &Path) -> Result<Files> {
        let tables =
            of_cells().iter().map(|info| LineWriter::create(dir, info.file, &info.columns));
        Ok(Files {
            dir: dir.to_owned(),
            tables: tables.collect::<Result<_>>()?,
            traces: TraceWriter::create(dir)?,
            stories: 0,
        })
    }

    fn put(&mut self, cell: &str, landed: &Landed) -> Result<()> {
        for (table, lines) in self.tables.iter_mut().zip(&landed.lines) {
            lines.iter().try_for_each(|line| table.put(line))?;
        }
        if let Some(trace) = &landed.trace {
            self.traces.put(cell, trace)?;
        }
        if let Some(story) = &landed.story {
            self.stories += 1;
            write_story(&self.dir, self.stories, story)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        self.tables.into_iter().try_for_each(LineWriter::finish)?;
        self.traces.finish()
    }
}

#[derive(Default)]
struct Gathered {
    cells: Vec<MeasuredCell>,
    floor: Vec<FloorRow>,
    compactions: Vec<CompactionRow>,
    triggers: Vec<TriggerRow>,
}

impl Gathered {
    fn add(&mut self, measured: MeasuredCell, landed: &Landed) -> Result<()> {
        if measured.is_done() {
            self.floor.append(&mut landed.rows(FLOOR)?);
            self.compactions.append(&mut landed.rows(COMPACTIONS)?);
            self.triggers.append(&mut landed.rows(TRIGGERS)?);
            self.cells.push(measured);
        }
        Ok(())
    }

    /// Writes what is made from all cells, and says which controls did not hold.
    fn write(&self, dir: &Path, manifest: &Manifest, steps_of: StepsOf) -> Result<Vec<String>> {
        let rows = derive::derive(&Record {
            frame: &Frame::new(&self.cells, &self.floor, &self.compactions, &[]),
            references: &manifest.references,
            triggers: &self.triggers,
            steps_of,
        })?;
        write_table(dir, DERIVED, &rows)?;
        let curve = derive::curve(&self.cells, &manifest.inferred());
        write_table(dir, CURVE, &curve)?;
        Ok(derive::controls_hold(&rows).err().unwrap_or_default())
    }
}

/// Stories are numbered in the order of the cells.
fn write_story(dir: &Path, number: usize, story: &RawValue) -> Result<()> {
    let folder = dir.join("stories");
    no_link(&folder)?;
    fs::create_dir_all(&folder).map_err(|source| Error::io("create", &folder, source))?;
    let name = format!("{number:04}{SUFFIX}");
    let packed = packed_text(&folder.join(&name), format!("{story}\n").as_bytes())?;
    write_whole(&folder, &name, &packed)
}
