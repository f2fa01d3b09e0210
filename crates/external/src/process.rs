//! A process of a contestant.

#[cfg_attr(not(unix), path = "process/absent.rs")]
mod running;

use std::path::PathBuf;

pub(crate) use running::Process;

/// What a process may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Allowance {
    pub(crate) answer_bytes: usize,
    pub(crate) memory_bytes: u64,
    pub(crate) processes: u64,
    pub(crate) run_seconds: u64,
}

/// How a program is started.
#[derive(Clone, Debug)]
pub(crate) struct Start<'a> {
    pub(crate) words: Vec<PathBuf>,
    pub(crate) environment: Vec<(&'a str, String)>,
    pub(crate) allowance: Allowance,
}

/// What a process did that ended it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    /// What it did, with the program for a subject.
    pub(crate) reason: String,
    /// The end of its standard error.
    pub(crate) said: String,
}

/// What ended the waiting for a process.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A line of the process.
    Line(String),
    /// Something waits at the door.
    Bell,
}
