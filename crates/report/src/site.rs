//! The site of a history: the night's verdict, what changed, and every figure over time.
//!
//! Plain files that open from a folder and load nothing; no page holds a script. All words of
//! a history are hostile text, which the templates escape.

mod book;
mod exposition;
mod feed;
mod figure;
mod finding;
mod markup;
mod night;
mod pages;
mod plot;
mod prelude;
mod verdict;
mod words;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use minijinja::context;
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::history::{Finding, History};
use book::Book;

/// Nights that charts show in full; those before are an overview.
pub const WINDOW: usize = 90;

/// Folders whose pages are this module's: one that is no longer made is removed.
const FOLDERS: [&str; 2] = ["configurations", "scenarios"];

/// What of a site is a matter of choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Where the site will be found: the feed's links start with it.
    pub base: Option<String>,
}

/// What was rendered.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// `index.html`.
    pub index: PathBuf,
    /// Files of the site.
    pub files: usize,
    /// Of these, written: the others said the same already.
    pub written: usize,
    /// The verdict of the last night in a few words.
    pub verdict: String,
    /// Steps and drifts, the newest first.
    pub findings: Vec<Finding>,
}

/// Renders a history into a directory.
///
/// # Errors
///
/// [`Error::Invalid`] where the history is empty or a template broken, [`Error::Io`]
/// where a file cannot be written.
pub fn render(history: &History, out: &Path, options: &Options) -> Result<Site> {
    let book = Book::of(history)?;
    let markup = markup::Markup::new()?;
    let verdict = verdict::verdict(&book);
    let mut files = pages::all(&book, &verdict, &markup)?;
    files.push(("atom.xml".to_owned(), feed::feed(&book, &markup, options.base.as_deref())?));
    files.push(("metrics.txt".to_owned(), exposition::exposition(&book, &markup)?));
    for folder in FOLDERS {
        let folder = out.join(folder);
        fs::create_dir_all(&folder).map_err(|source| Error::io("create", &folder, source))?;
    }
    let stored: Vec<bool> = files
        .par_iter()
        .map(|(name, text)| store(&out.join(name), text.as_bytes()))
        .collect::<Result<_>>()?;
    let names: BTreeSet<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    FOLDERS.iter().try_for_each(|folder| clear(out, folder, &names))?;
    Ok(Site {
        index: out.join("index.html"),
        files: files.len(),
        written: stored.into_iter().filter(|written| *written).count(),
        verdict: markup.render("verdict.txt", context! { verdict })?,
        findings: book.findings,
    })
}

/// Writes a file unless it says the same already; readers see the old one or the new.
fn store(path: &Path, bytes: &[u8]) -> Result<bool> {
    if fs::read(path).is_ok_and(|known| known == bytes) {
        return Ok(false);
    }
    let io = |source| Error::io("write", path, source);
    let draft = path.with_added_extension("part");
    fs::write(&draft, bytes).map_err(io)?;
    fs::rename(&draft, path).map_err(io)?;
    Ok(true)
}

/// Removes pages of configurations and scenarios that are no longer there.
fn clear(out: &Path, folder: &str, names: &BTreeSet<&str>) -> Result<()> {
    let directory = out.join(folder);
    let io = |source| Error::io("read", &directory, source);
    for entry in fs::read_dir(&directory).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_page = path.extension().is_some_and(|end| end == "html");
        if is_page && !names.contains(format!("{folder}/{file}").as_str()) {
            fs::remove_file(&path).map_err(|source| Error::io("remove", &path, source))?;
        }
    }
    Ok(())
}
