//! The side that a candidate is compared with: as it was named, at a commit, or what the candidate
//! is derived from.

use std::process::Command;

use super::Arguments;
use crate::cli::prelude::*;
use crate::cli::run as runs;
use crate::config;
use crate::gate::Terms;
use crate::matrix::load_pipeline;

/// The baseline's side.
#[derive(Debug)]
pub(super) struct Before {
    /// A pipeline or suite, by name or file.
    pub(super) given: String,
    /// Where its files are, where it is that of a commit.
    pub(super) at: Option<AtCommit>,
    /// What is to be said of it.
    pub(super) note: Option<String>,
}

/// A file as it was at a commit.
#[derive(Debug)]
pub(super) struct AtCommit {
    /// Stands for the directory where the command is run.
    pub(super) directory: PathBuf,
    /// Relative to it.
    pub(super) file: String,
}

impl AtCommit {
    /// Does something where the files of the commit are those of the directory.
    pub(super) fn within<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let io = |source| Error::io("enter", &self.directory, source);
        let here = std::env::current_dir().map_err(io)?;
        std::env::set_current_dir(&self.directory).map_err(io)?;
        let done = work();
        std::env::set_current_dir(here).map_err(io)?;
        done
    }
}

/// Finds the baseline's side. A file of a commit is written into `scratch`; one that is not there
/// is judged beside what it is derived from.
pub(super) fn find(
    arguments: &Arguments,
    candidate: &str,
    suite: &str,
    scratch: &Path,
) -> Result<Before> {
    let Some(given) = &arguments.baseline_config else {
        return derived(candidate, suite, "no baseline is named");
    };
    let Some((commit, file)) = of_commit(given) else {
        return Ok(Before { given: given.clone(), at: None, note: None });
    };
    let directory = checkout(commit, scratch)?;
    let path = directory.join(file);
    if !path.is_file() {
        return derived(candidate, suite, &format!("{file} is not there at {commit}"));
    }
    let at = Some(AtCommit { directory, file: file.to_owned() });
    Ok(Before { given: path.display().to_string(), at, note: None })
}

/// A commit and a file, written as git does: `COMMIT:FILE`.
fn of_commit(given: &str) -> Option<(&str, &str)> {
    let (commit, file) = given.split_once(':')?;
    let is_meant = !commit.is_empty() && !commit.starts_with('-') && runs::is_toml(file);
    (is_meant && !Path::new(given).exists()).then_some((commit, file))
}

/// Writes all files of a commit into `scratch`, so that a side finds there what it names. The
/// directory that stands for the one where the command is run.
fn checkout(commit: &str, scratch: &Path) -> Result<PathBuf> {
    let (index, folder) = (scratch.join("index"), scratch.join("before"));
    std::fs::create_dir_all(&folder).map_err(|source| Error::io("create", &folder, source))?;
    let git = |words: &[&str]| {
        let output = Command::new("git").env("GIT_INDEX_FILE", &index).args(words).output();
        output.map_err(|source| Error::io("run", Path::new("git"), source))
    };
    let told = format!("{commit}^{{commit}}");
    let known = git(&["rev-parse", "--quiet", "--verify", "--end-of-options", &told])?;
    if !known.status.success() {
        let rule = "git does not know this commit here";
        let hint = "fetch it first (in CI: check out with the whole history)";
        return Err(Error::refused(format!("`{commit}`"), rule, hint));
    }
    let into = format!("--prefix={}/", folder.display());
    let prefix = git(&["rev-parse", "--show-prefix"])?;
    for words in [&["read-tree", commit][..], &["checkout-index", "--all", "--force", &into]] {
        let done = git(words)?;
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr).trim().to_owned();
            let rule = format!("its files cannot be written: {said}");
            return Err(Error::invalid(format!("`{commit}`"), rule));
        }
    }
    Ok(folder.join(String::from_utf8_lossy(&prefix.stdout).trim()))
}

/// What a file is derived from by its own words, or else the suite's first pipeline that acts.
fn derived(candidate: &str, suite: &str, why: &str) -> Result<Before> {
    let is_pipeline = runs::suite(candidate)?.is_none();
    if !is_pipeline {
        let hint = "name what it is compared with: `--baseline-config FILE`";
        return Err(Error::refused(format!("`{candidate}`"), why.to_owned(), hint));
    }
    let text = runs::is_toml(candidate).then(|| config::text(Path::new(candidate))).transpose()?;
    let terms = text.map(|text| Terms::parse(candidate, &text)).transpose()?.unwrap_or_default();
    if let Some(named) = terms.derived_from {
        let beside = Path::new(candidate).with_file_name(&named);
        let is_file = runs::is_toml(&named) && beside.exists();
        let given = if is_file { beside.display().to_string() } else { named };
        let note = format!("{why}: it is judged beside `{given}`, from which it is derived");
        return Ok(Before { given, at: None, note: Some(note) });
    }
    let of_suite = runs::suite(suite)?.map(|suite| suite.pipelines).unwrap_or_default();
    let acts = |name: &&String| {
        load_pipeline(registry(), name).is_ok_and(|pipeline| !pipeline.stages.is_empty())
    };
    let Some(given) = of_suite.iter().find(acts).cloned() else {
        let rule = format!("{why}, and suite {suite} has no pipeline to judge it beside");
        let hint = "write `gate.derived-from = \"NAME\"` above its stages";
        return Err(Error::refused(format!("`{candidate}`"), rule, hint));
    };
    let note = format!(
        "{why}: it is judged beside `{given}`, the first of suite {suite}; \
         `gate.derived-from = \"NAME\"` in its file names another"
    );
    Ok(Before { given, at: None, note: Some(note) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_and_a_file_are_told_from_a_file() {
        for (given, expected) in [
            ("origin/main:strategies/mine.toml", Some(("origin/main", "strategies/mine.toml"))),
            ("HEAD~1:a.toml", Some(("HEAD~1", "a.toml"))),
            ("strategies/mine.toml", None),
            ("forge-adr", None),
            ("-x:a.toml", None),
            (":a.toml", None),
            ("main:a", None),
        ] {
            assert_eq!(of_commit(given), expected, "{given}");
        }
    }
}
