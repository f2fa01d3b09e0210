//! A run directory again, without the names and words of its transcripts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use csv::StringRecord;

use crate::error::{Error, Result};
use crate::record::{Line, Value};
use crate::run_dir::read::{self, load_manifest};
use crate::run_dir::tables::{
    CELL_TABLES, CURVE, CsvTable, DERIVED, LineReader, LineWriter, MEASUREMENTS, TableInfo, infos,
    packed_text,
};
use crate::run_dir::write::{Fresh, json_file, write_whole};
use crate::run_dir::{Manifest, redact};

/// Columns that name a cell, its session or a group of them.
const NAMING: [&str; 5] = ["cell", "scenario", "family", "subject", "pool"];

/// Writes what a report reads of a run into another directory, with digests for the
/// names and texts of transcripts. Traces, which no report reads, are left out.
///
/// # Errors
///
/// [`Error::Io`], [`Error::Line`] or [`Error::Invalid`] where the run cannot be read, and
/// [`Error::Io`] where the copy cannot be written.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).map_err(|source| Error::io("create", to, source))?;
    let (mut manifest, _) = load_manifest(&from.join("manifest.json"))?;
    let names = Names::of(&manifest);
    for file in [MEASUREMENTS, DERIVED, CURVE] {
        copy_plain(from, to, file, &names)?;
    }
    for info in infos().iter().filter(|info| CELL_TABLES.contains(&info.file)) {
        copy_packed(from, to, info, &names)?;
    }
    for (place, file) in read::story_files(from)?.iter().enumerate() {
        let mut story = read::story(file)?;
        if names.new.contains_key(&story.scenario) {
            story = redact::story(story);
        }
        names.rename(&mut story.cell);
        names.rename(&mut story.scenario);
        let folder = to.join("stories");
        fs::create_dir_all(&folder).map_err(|source| Error::io("create", &folder, source))?;
        let name = format!("{:04}{}", place + 1, read::STORY);
        let packed = packed_text(&folder.join(&name), &json_file("a story", &story)?)?;
        write_whole(&folder, &name, &packed)?;
    }
    names.rename_manifest(&mut manifest);
    write_whole(to, "manifest.json", &json_file("manifest.json", &manifest)?)
}

/// By name of a transcript's scenario or family: what stands for it.
struct Names {
    new: BTreeMap<String, String>,
    /// By file name.
    paths: BTreeMap<String, String>,
}

impl Names {
    fn of(manifest: &Manifest) -> Names {
        let transcripts = || manifest.sessions.iter().filter(|session| !session.path.is_empty());
        let mut new: BTreeMap<String, String> = BTreeMap::new();
        for session in transcripts() {
            let of_session = |key: &&str| **key == session.scenario;
            let cells = manifest.cells.iter().map(|cell| &cell.key);
            let families = cells
                .filter(|key| of_session(&key.scenario.as_str()))
                .map(|key| key.family.clone());
            for name in families.chain([session.scenario.clone()]) {
                let hidden = redact::name(&name);
                new.insert(name, hidden);
            }
        }
        let paths =
            transcripts().map(|session| (session.path.clone(), redact::name(&session.path)));
        Names { paths: paths.collect(), new }
    }

    /// A name, or an id that begins with one.
    fn rename(&self, text: &mut String) {
        if let Some(new) = self.renamed(text) {
            *text = new;
        }
    }

    fn renamed(&self, text: &str) -> Option<String> {
        let end = text.find(['@', '/', ' ']).unwrap_or(text.len());
        let new = self.new.get(&text[..end])?;
        Some(format!("{new}{}", &text[end..]))
    }

    fn rename_manifest(&self, manifest: &mut Manifest) {
        manifest.redacted = true;
        let words = manifest.command.split(' ').map(|word| match self.paths.get(word) {
            Some(hidden) => hidden.clone(),
            None => self.renamed(word).unwrap_or_else(|| word.to_owned()),
        });
        manifest.command = words.collect::<Vec<_>>().join(" ");
        // A file's name may hold spaces, and a filter the name of its session.
        for (old, new) in self.paths.iter().chain(&self.new) {
            manifest.command = manifest.command.replace(old.as_str(), new);
        }
        self.rename(&mut manifest.suite);
        manifest.scenarios.iter_mut().for_each(|input| self.rename(&mut input.name));
        for session in &mut manifest.sessions {
            self.rename(&mut session.scenario);
            session.path = redact::name(&session.path);
        }
        for cell in &mut manifest.cells {
            for name in [&mut cell.key.cell, &mut cell.key.scenario, &mut cell.key.family] {
                self.rename(name);
            }
        }
    }
}

/// Copies a plain table line by line.
fn copy_plain(from: &Path, to: &Path, file: &str, names: &Names) -> Result<()> {
    let io = |error: csv::Error| Error::io("write", to, error.into());
    let mut table = CsvTable::open(&from.join(file))?;
    let naming: Vec<bool> = table.headers.iter().map(|header| NAMING.contains(&header)).collect();
    let mut writer = csv::Writer::from_writer(Fresh::create(to, file)?);
    writer.write_record(&table.headers).map_err(io)?;
    let mut line = StringRecord::new();
    while table.next(&mut line)? {
        for (field, is_name) in line.iter().zip(&naming) {
            let new = if *is_name { names.renamed(field) } else { None };
            writer.write_field(new.as_deref().unwrap_or(field)).map_err(io)?;
        }
        writer.write_record(None::<&[u8]>).map_err(io)?;
    }
    writer.into_inner().map_err(|error| Error::io("write", to, error.into_error()))?.finish()
}

/// Copies a table of cells line by line: it may be large.
fn copy_packed(from: &Path, to: &Path, info: &TableInfo, names: &Names) -> Result<()> {
    let mut reader = LineReader::open(&from.join(info.file), &info.columns)?;
    let mut writer = LineWriter::create(to, info.file, &info.columns)?;
    let (mut line, mut new) = (Line::default(), Line::default());
    while reader.next(&mut line)? {
        new.clear();
        for (value, column) in line.values().zip(&info.columns) {
            match value {
                Value::Text(text) if NAMING.contains(&column.name) => {
                    let renamed = names.renamed(text);
                    new.push(Value::Text(renamed.as_deref().unwrap_or(text)));
                }
                value => new.push(value),
            }
        }
        writer.put(&new)?;
    }
    writer.finish()
}
