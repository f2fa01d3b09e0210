//! Whether a report is that of its run: rendered once more, it has the same bytes.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::report::{self, Options};
use crate::run_dir::redact;
use crate::verify::{Check, Verification, compare_text};

/// What a report may be made with, the usual first.
const CHOICES: [Options; 4] = [
    Options { include_inferred: false, alone: false },
    Options { include_inferred: true, alone: false },
    Options { include_inferred: false, alone: true },
    Options { include_inferred: true, alone: true },
];

/// What no report is made from: charts and pages are made anew, traces are not read, and
/// digests of what is not there would only be missed.
const NOT_READ: [&str; 7] =
    ["traces.jsonl.gz", "digests.txt", "report.md", "report.html", "charts", "cells", "shards"];

/// Checks the pages of a run, or the one that is given.
pub(super) fn check(run: &Path, given: Option<&Path>, found: &mut Verification) -> Result<()> {
    let beside = || ["report.md", "report.html"].map(|name| run.join(name)).to_vec();
    let pages: Vec<PathBuf> = match given {
        Some(page) => vec![page.to_owned()],
        None => beside().into_iter().filter(|page| page.exists()).collect(),
    };
    let mut checks = Vec::new();
    for page in &pages {
        let text = fs::read_to_string(page).map_err(|source| Error::io("read", page, source))?;
        checks.push((page, text, Check::new(&page.display().to_string(), "pages")));
    }
    let Some(digest) = found.manifest.clone() else { return Ok(()) };
    let digest = digest.to_string();
    let same_tool = found.made_by == found.verified_by;
    let folder = Folder::new(run)?;
    for (page, text, check) in &mut checks {
        let name = check.name.clone();
        if !same_tool {
            let told = if text.contains(&digest) { digest.as_str() } else { "another digest" };
            check.same([&name, "", "manifest digest"], told, &digest);
            found.notes.push(format!(
                "`{name}` was not rendered again: the run was made by another version. Its \
                 manifest digest was compared"
            ));
            continue;
        }
        let is_markdown = page.extension().is_some_and(|end| end == "md");
        folder.compare(text, is_markdown, &digest, check)?;
    }
    for (_, _, mut check) in checks {
        check.name = file_name(&check.name);
        found.checks.push(check);
    }
    Ok(())
}

fn file_name(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// A folder of its own in which a report is rendered again; it goes when this is dropped.
struct Folder {
    run: PathBuf,
    path: PathBuf,
}

impl Folder {
    fn new(run: &Path) -> Result<Folder> {
        let path = std::env::temp_dir().join(format!("proctor-verify-{}", std::process::id()));
        clear(&path);
        Ok(Folder { run: run.to_owned(), path })
    }

    /// Renders the report in every way that it may have been made, until one is the page.
    fn compare(
        &self,
        page: &str,
        is_markdown: bool,
        digest: &str,
        check: &mut Check,
    ) -> Result<()> {
        let name = check.name.clone();
        // The digest is that of a redacted copy where the page was made from one.
        let redacted = !page.contains(digest);
        let mut usual = None;
        for options in CHOICES {
            let again = match self.render(options, is_markdown, redacted) {
                Ok(again) => again,
                Err(error) => {
                    check.same([&name, "", ""], "a page", &error.to_string());
                    return Ok(());
                }
            };
            if again == page {
                check.put(None);
                return Ok(());
            }
            usual.get_or_insert(again);
        }
        compare_text(check, &name, "", page, &usual.unwrap_or_default());
        Ok(())
    }

    fn render(&self, options: Options, is_markdown: bool, redacted: bool) -> Result<String> {
        clear(&self.path);
        if redacted {
            redact::copy(&self.run, &self.path)?;
        } else {
            lend(&self.run, &self.path)?;
        }
        let files = report::write_with(&self.path, options)?;
        let page = if is_markdown { files.markdown } else { files.html };
        fs::read_to_string(&page).map_err(|source| Error::io("read", &page, source))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        clear(&self.path);
    }
}

/// A folder that is not there need not be taken away.
fn clear(path: &Path) {
    let _ = fs::remove_dir_all(path);
}

/// Puts the files of a run into another folder, without copying where that can be had.
fn lend(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).map_err(|source| Error::io("create", to, source))?;
    let listed = fs::read_dir(from).map_err(|source| Error::io("read", from, source))?;
    for entry in listed {
        let entry = entry.map_err(|source| Error::io("read", from, source))?;
        let (path, name) = (entry.path(), entry.file_name());
        if name.to_str().is_some_and(|name| NOT_READ.contains(&name) || name.starts_with('.')) {
            continue;
        }
        if path.is_dir() {
            lend(&path, &to.join(&name))?;
        } else if fs::hard_link(&path, to.join(&name)).is_err() {
            fs::copy(&path, to.join(&name)).map_err(|source| Error::io("read", &path, source))?;
        }
    }
    Ok(())
}
