//! The side that a candidate is compared with: as it was named, at a commit, or what the candidate
//! is derived from.

use std::path::Component;
use std::process::Command;

use super::Arguments;
use crate::cli::prelude::*;
use crate::cli::run as runs;
use crate::config;
use crate::gate::Terms;
use crate::matrix::load_pipeline;
use crate::pipeline::Pipeline;

/// The baseline's side.
#[derive(Debug)]
pub(super) struct Before {
    /// A pipeline or suite, by name or file.
    pub(super) given: String,
    /// What is to be said of it.
    pub(super) note: Option<String>,
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
        return Ok(Before { given: given.clone(), note: None });
    };
    let Some(text) = shown(commit, file)? else {
        return derived(candidate, suite, &format!("{file} is not there at {commit}"));
    };
    let folder = scratch.join("before");
    let name = Path::new(file).file_name().map_or(Path::new("before.toml"), Path::new);
    let path = folder.join(name);
    std::fs::create_dir_all(&folder).map_err(|source| Error::io("create", &folder, source))?;
    std::fs::write(&path, &text).map_err(|source| Error::io("write", &path, source))?;
    // Prompts and programs stand beside it, and may have changed with it.
    let is_beside = |name: &&String| {
        Path::new(name).components().all(|one| matches!(one, Component::Normal(_)))
    };
    for name in Pipeline::files(&text).iter().filter(is_beside) {
        let beside = Path::new(file).with_file_name(name);
        let Some(words) = shown(commit, &beside.display().to_string())? else { continue };
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(&folder);
        std::fs::create_dir_all(parent).map_err(|source| Error::io("create", parent, source))?;
        std::fs::write(&path, words).map_err(|source| Error::io("write", &path, source))?;
    }
    Ok(Before { given: path.display().to_string(), note: None })
}

/// A commit and a file, written as git does: `COMMIT:FILE`.
fn of_commit(given: &str) -> Option<(&str, &str)> {
    let (commit, file) = given.split_once(':')?;
    let is_meant = !commit.is_empty() && !commit.starts_with('-') && runs::is_toml(file);
    (is_meant && !Path::new(given).exists()).then_some((commit, file))
}

/// The text of a file at a commit; `None` where the commit does not have it.
fn shown(commit: &str, file: &str) -> Result<Option<String>> {
    let git = |words: &[&str]| {
        let output = Command::new("git").args(words).output();
        output.map_err(|source| Error::io("run", Path::new("git"), source))
    };
    let known = git(&["rev-parse", "--quiet", "--verify", &format!("{commit}^{{commit}}")])?;
    if !known.status.success() {
        let rule = "git does not know this commit here";
        let hint = "fetch it first (in CI: check out with the whole history)";
        return Err(Error::refused(format!("`{commit}`"), rule, hint));
    }
    // A path from where the command is run, not from the top of the repository.
    let from_here = format!("{commit}:./{}", file.trim_start_matches("./"));
    let output = git(&["show", &from_here])?;
    if !output.status.success() {
        return Ok(None);
    }
    let text = String::from_utf8(output.stdout);
    text.map(Some).map_err(|_| Error::invalid(format!("{commit}:{file}"), "it is no text"))
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
        return Ok(Before { given, note: Some(note) });
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
    Ok(Before { given, note: Some(note) })
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
