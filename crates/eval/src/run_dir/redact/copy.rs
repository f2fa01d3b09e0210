//! A run directory again, without the names and words of its transcripts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::error::{Error, Result};
use crate::run_dir::read::{self, load_manifest};
use crate::run_dir::write::{Fresh, TABLES, write_whole};
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
    for table in TABLES.iter().copied().chain(["derived", "curve"]) {
        let name = format!("{table}.csv");
        copy_table(&from.join(&name), to, &name, &names)?;
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
        write_whole(&folder, &format!("{:04}.json", place + 1), &json(&story))?;
    }
    names.rename_manifest(&mut manifest);
    write_whole(to, "manifest.json", &json(&manifest))
}

fn json<T: serde::Serialize>(value: &T) -> Vec<u8> {
    // OK because stories and manifests hold nothing that JSON cannot say.
    serde_json::to_vec(value).unwrap_or_default()
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

/// Copies a table line by line: it may be large.
fn copy_table(from: &Path, to: &Path, name: &str, names: &Names) -> Result<()> {
    let broken = |error: csv::Error| Error::Line {
        file: from.display().to_string(),
        line: error.position().map_or(1, csv::Position::line) as usize,
        rule: error.to_string(),
    };
    let file = fs::File::open(from).map_err(|source| Error::io("read", from, source))?;
    let mut reader = csv::Reader::from_reader(file);
    let headers = reader.headers().map_err(broken)?.clone();
    let naming: Vec<bool> = headers.iter().map(|header| NAMING.contains(&header)).collect();
    let mut fresh = Fresh::create(to, name)?;
    let mut writer = csv::Writer::from_writer(Vec::new());
    // OK to ignore: a Vec takes every write; so below.
    let _ = writer.write_record(&headers);
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(broken)? {
        for (field, names_one) in record.iter().zip(&naming) {
            let new = if *names_one { names.renamed(field) } else { None };
            let _ = writer.write_field(new.as_deref().unwrap_or(field));
        }
        let _ = writer.write_record(None::<&[u8]>);
        if writer.get_ref().len() > 1 << 20 {
            fresh.write(&writer.into_inner().unwrap_or_default())?;
            writer = csv::Writer::from_writer(Vec::new());
        }
    }
    fresh.write(&writer.into_inner().unwrap_or_default())?;
    fresh.finish()
}
