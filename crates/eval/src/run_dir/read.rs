//! Reading a run directory. Columns are found by name.

use crate::frame::{Derived, Frame, MeasuredCell};
use crate::prelude::*;
use crate::record::Field;
use crate::row::{CompactionRow, CompositionRow, CurveRow, FloorRow, SCHEMA, StepRow};
use crate::run_dir::layout::Layout;
use crate::run_dir::tables::{
    COMPACTIONS, COMPOSITIONS, CURVE, DERIVED, FACTS, FLOOR, LineReader, MEASUREMENTS, STEPS,
    SURVIVAL, TRIGGERS, rows, rows_of,
};
use crate::run_dir::write::bytes;
use crate::run_dir::{Manifest, digests};

/// Files that may be as large as all others: [`each_row`] and [`steps_of`] read them by row.
const LARGE: [&str; 4] = [STEPS, FACTS, SURVIVAL, TRIGGERS];

/// A run, as its directory tells it; all but steps, demands, survival and triggers.
#[derive(Clone, Debug)]
pub struct RunData {
    /// What was run (`manifest.json`).
    pub manifest: Manifest,
    /// Digest of the manifest's bytes: names the run in reports.
    pub manifest_digest: Digest,
    /// One row per cell (`measurements.csv`).
    pub measurements: Vec<MeasuredCell>,
    /// Figures over several cells (`derived.csv`).
    pub derived: Vec<Derived>,
    /// Floor-probe rounds (`floor.parquet`).
    pub floor: Vec<FloorRow>,
    /// What views were made of (`composition.parquet`).
    pub compositions: Vec<CompositionRow>,
    /// Every plan (`compactions.parquet`).
    pub compactions: Vec<CompactionRow>,
    /// Points of the Proctor curve (`curve.csv`).
    pub curve: Vec<CurveRow>,
}

/// A finite number as the files write it.
pub fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

impl RunData {
    /// Reads a run directory. [`Error::Line`] where a line cannot be used, [`Error::Invalid`] where
    /// the layout is of another version, or a file not what the run wrote.
    pub fn load(dir: &Path) -> Result<RunData> {
        let (manifest, manifest_digest) = load_manifest(&dir.join("manifest.json"))?;
        digests::check_whole(dir)?;
        for file in LARGE {
            LineReader::open(&dir.join(file), &[])?;
        }
        fn table<R: Field + Send>(dir: &Path, name: &str) -> Result<Vec<R>> {
            rows(&dir.join(name))?.collect()
        }
        let ((derived, compactions), (measurements, compositions)) = rayon::join(
            || (table(dir, DERIVED), table(dir, COMPACTIONS)),
            || (table(dir, MEASUREMENTS), table(dir, COMPOSITIONS)),
        );
        Ok(RunData {
            manifest,
            manifest_digest,
            measurements: measurements?,
            derived: derived?,
            floor: table(dir, FLOOR)?,
            compositions: compositions?,
            compactions: compactions?,
            curve: table(dir, CURVE)?,
        })
    }

    /// Of figures that no directory holds.
    pub(crate) fn of_figures(manifest: Manifest, measurements: Vec<MeasuredCell>) -> RunData {
        RunData {
            manifest_digest: Digest::of_json(&manifest),
            manifest,
            measurements,
            derived: Vec::new(),
            floor: Vec::new(),
            compositions: Vec::new(),
            compactions: Vec::new(),
            curve: Vec::new(),
        }
    }

    /// With the cells of another run of the same suite on other sessions.
    #[must_use]
    pub fn joined(mut self, other: RunData) -> RunData {
        let digests = format!("{}{}", self.manifest_digest, other.manifest_digest);
        self.manifest_digest = Digest::of(digests.as_bytes());
        self.manifest.sessions.extend(other.manifest.sessions);
        self.manifest.cells.extend(other.manifest.cells);
        self.measurements.extend(other.measurements);
        self.derived.extend(other.derived);
        self.floor.extend(other.floor);
        self.compositions.extend(other.compositions);
        self.compactions.extend(other.compactions);
        self.curve.extend(other.curve);
        self
    }

    /// Its cells and figures, indexed.
    pub fn frame(&self) -> Frame<'_> {
        Frame::new(&self.measurements, &self.floor, &self.compactions, &self.derived)
    }
}

/// The steps of these cells, in the order of the table.
pub fn steps_of(dir: &Path, cells: &BTreeSet<String>) -> Result<BTreeMap<String, Vec<StepRow>>> {
    let mut found: BTreeMap<String, Vec<StepRow>> = BTreeMap::new();
    for row in rows_of(&dir.join(STEPS), |cell| cells.contains(cell))? {
        let row: StepRow = row?;
        found.entry(row.cell.clone()).or_default().push(row);
    }
    Ok(found)
}

const LAYOUT: Layout = Layout {
    key: "schema",
    known: SCHEMA..=SCHEMA,
    remedy: "read it with the version of proctor that made it, or run again",
};

/// Reads a manifest file, with the digest of its bytes.
pub fn load_manifest(path: &Path) -> Result<(Manifest, Digest)> {
    let bytes = bytes(path).map_err(|error| {
        let folder = path.parent().unwrap_or(path).display().to_string();
        let hint = "is no finished run directory: `proctor run` makes one, under reports/runs where \
                    no `--out DIR` is given";
        error.with_hint(format!("`{folder}` {hint}"))
    })?;
    Ok((LAYOUT.read(&path.display().to_string(), &bytes)?, Digest::of(&bytes)))
}

/// Hands the rows of a table to `each`, one at a time and in their order.
pub fn each_row<R: Field>(path: &Path, mut each: impl FnMut(R)) -> Result<()> {
    for row in rows(path)? {
        each(row?);
    }
    Ok(())
}
