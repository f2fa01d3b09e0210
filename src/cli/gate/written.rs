//! The files of a gate, and what they say where a file is not valid and nothing was judged.

use std::io::Write;

use super::Arguments;
use crate::cli::prelude::*;
use crate::gate::{Judgement, render};

/// Writes everything that was asked for.
pub(super) fn all(arguments: &Arguments, judgement: &Judgement) -> Result<()> {
    let file = |path: &Option<PathBuf>, make: fn(&Judgement) -> Result<String>| match path {
        Some(path) => write(path, &make(judgement)?),
        None => Ok(()),
    };
    file(&arguments.json, render::json)?;
    file(&arguments.junit, render::junit)?;
    file(&arguments.sarif, render::sarif)?;
    file(&arguments.badge, render::badge)?;
    if let Some(path) = &arguments.comment {
        write(path, &render::comment(judgement, &of(arguments))?)?;
    }
    arguments
        .step_summary
        .as_deref()
        .map_or(Ok(()), |path| append(path, |room| render::summary(judgement, room)))
}

/// Writes what CI shows of an error: an annotation, a failure of JUnit, the comment.
pub(super) fn broken(arguments: &Arguments, error: &Error) -> Result<()> {
    let broken = render::Broken::of(error, arguments.candidate_config.as_deref());
    if arguments.github {
        say(broken.annotation());
    }
    if let Some(path) = &arguments.junit {
        write(path, &broken.junit()?)?;
    }
    if let Some(path) = &arguments.sarif {
        write(path, &broken.sarif()?)?;
    }
    if let Some(path) = &arguments.comment {
        write(path, &render::marked(&broken.markdown()?, &of(arguments)))?;
    }
    arguments.step_summary.as_deref().map_or(Ok(()), |path| append(path, |_| broken.markdown()))
}

/// What is gated, as it was given: a comment is found again by it.
fn of(arguments: &Arguments) -> String {
    let of = arguments.candidate_config.as_ref().or(arguments.target.as_ref());
    of.cloned().unwrap_or_default().replace('\\', "/")
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|source| Error::io("write", path, source))
}

/// Appends a text, to whose limit counts what is there already.
fn append(path: &Path, text: impl Fn(usize) -> Result<String>) -> Result<()> {
    let io = |source| Error::io("write", path, source);
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).map_err(io)?;
    let there = file.metadata().map_err(io)?.len() as usize;
    let text = text(render::MOST_BYTES.saturating_sub(there))?;
    file.write_all(text.as_bytes()).map_err(io)
}
