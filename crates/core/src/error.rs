//! Errors that a user can act on, and the exit codes of the binary.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::ident::did_you_mean;
use crate::sanitize::Inert;

/// Exit codes of `proctor`. They are part of the interface and never change meaning.
pub struct ExitCode;

impl ExitCode {
    /// Everything asked for was done.
    pub const OK: u8 = 0;
    /// A file or directory could not be read or written, or an internal error.
    pub const FAILURE: u8 = 1;
    /// The command line is wrong (clap's own code).
    pub const USAGE: u8 = 2;
    /// A scenario, suite, pipeline, price sheet or transcript is not valid.
    pub const INVALID_INPUT: u8 = 3;
    /// The run finished, but at least one cell has no figures: an internal error, or a model that did
    /// not answer.
    pub const CELLS_FAILED: u8 = 4;
    /// A control of the run did not hold, and `--lenient` was not given.
    pub const CONTROLS_FAILED: u8 = 5;
    /// The run directory belongs to another run (`--resume` with other inputs or a session that has
    /// changed).
    pub const WRONG_RUN: u8 = 6;
    /// The run stopped at a budget, an interrupt or an unreachable model; `--resume` goes on.
    pub const STOPPED: u8 = 7;
    /// `verify` found a figure, a digest or a report that does not belong to the run.
    pub const NOT_VERIFIED: u8 = 8;
    /// `gate`: something is shown to be worse by more than its margin.
    pub const REGRESSION: u8 = 20;
    /// `gate`: a loss beyond a margin is neither shown nor excluded.
    pub const UNDECIDED: u8 = 21;
    /// `gate`: there is no baseline to compare with.
    pub const NO_BASELINE: u8 = 22;
    /// `gate`: baseline and run do not measure the same thing.
    pub const INCOMPATIBLE: u8 = 23;
    /// `gate`: the run failed in part or lacks cells.
    pub const INCOMPLETE_RUN: u8 = 24;
    /// `gate`: sessions end earlier than they did.
    pub const COMPLETION_FELL: u8 = 25;
    /// `gate`: a hard rule does not hold.
    pub const INVARIANT_VIOLATED: u8 = 26;
    /// `gate --strict-codes`: it passes, and no session differs at all.
    pub const PASS_IDENTICAL: u8 = 30;
    /// `gate --strict-codes`: it passes, and something became better.
    pub const IMPROVEMENT: u8 = 31;
}

/// What can go wrong outside a cell. Shown on one line: what it quotes steers nothing. Inside, a cell ends in a row that says how.
#[derive(Debug)]
pub enum Error {
    /// A file or directory could not be read, written or made.
    Io {
        /// What was being done, as a verb: "read", "write", "create".
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
        /// What to do about it, where there is a remedy.
        hint: Option<String>,
    },
    /// A TOML file does not say what its format requires. Drawn with a caret.
    Toml {
        /// What the file is: "scenario", "suite", "pipeline", "price sheet".
        what: &'static str,
        /// The file, or `embedded:NAME`.
        file: String,
        /// Its whole text, to draw the place.
        text: String,
        /// Byte range of the offending value.
        span: std::ops::Range<usize>,
        /// Key, value and rule.
        rule: String,
        /// What to do about it, where there is a remedy.
        hint: Option<String>,
    },
    /// A line of a transcript or of our own formats cannot be used.
    Line {
        /// The file.
        file: String,
        /// Line number from 1.
        line: usize,
        /// What is wrong with it.
        rule: String,
    },
    /// A value is well formed but breaks a rule.
    Invalid {
        /// File and key.
        place: String,
        /// The value and the rule it breaks.
        rule: String,
        /// What to do about it, where there is a remedy.
        hint: Option<String>,
    },
    /// A name that nothing answers to.
    Unknown {
        /// "suite, scenario or transcript", "pipeline", ...
        what: &'static str,
        /// The name as given.
        name: String,
        /// The nearest known name, or where to look.
        hint: Option<String>,
    },
    /// The run directory was made from other inputs.
    WrongRun {
        /// The run directory.
        path: PathBuf,
        /// The first manifest key that differs.
        difference: String,
    },
    /// The run stopped before its end; what was done is kept.
    Stopped {
        /// Why, with the figures.
        reason: String,
        /// What to do about it.
        hint: String,
    },
}

impl Error {
    /// An I/O error on a path.
    pub fn io(action: &'static str, path: &Path, source: std::io::Error) -> Error {
        let hint = remedy(action, path, &source);
        Error::Io { action, path: path.to_owned(), source, hint }
    }

    /// A broken rule without a remedy.
    pub fn invalid(place: impl Into<String>, rule: impl Into<String>) -> Error {
        Error::Invalid { place: place.into(), rule: rule.into(), hint: None }
    }

    /// A broken rule with its remedy.
    pub fn refused(
        place: impl Into<String>,
        rule: impl Into<String>,
        hint: impl Into<String>,
    ) -> Error {
        Error::Invalid { place: place.into(), rule: rule.into(), hint: Some(hint.into()) }
    }

    /// A name that nothing answers to, with what to do about it where that is known.
    pub fn unknown(what: &'static str, name: impl Into<String>, hint: Option<String>) -> Error {
        Error::Unknown { what, name: name.into(), hint }
    }

    /// The same error with another remedy.
    #[must_use]
    pub fn with_hint(mut self, remedy: impl Into<String>) -> Error {
        match &mut self {
            Error::Io { hint, .. }
            | Error::Toml { hint, .. }
            | Error::Invalid { hint, .. }
            | Error::Unknown { hint, .. } => *hint = Some(remedy.into()),
            Error::Stopped { hint, .. } => *hint = remedy.into(),
            Error::Line { .. } | Error::WrongRun { .. } => {}
        }
        self
    }

    /// An error about a name or file that stands at a place of another file says where.
    #[must_use]
    pub fn within(self, place: impl Into<String>) -> Error {
        match self {
            Error::Unknown { .. } | Error::Io { .. } => {
                let hint = self.hint().map(str::to_owned);
                Error::Invalid { place: place.into(), rule: self.to_string(), hint }
            }
            other => other,
        }
    }

    /// The exit code that this error ends the process with.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Io { .. } => ExitCode::FAILURE,
            Error::Toml { .. } | Error::Line { .. } | Error::Invalid { .. } => {
                ExitCode::INVALID_INPUT
            }
            Error::Unknown { .. } => ExitCode::USAGE,
            Error::WrongRun { .. } => ExitCode::WRONG_RUN,
            Error::Stopped { .. } => ExitCode::STOPPED,
        }
    }

    /// The remedy, where there is one.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Error::Io { hint, .. }
            | Error::Toml { hint, .. }
            | Error::Invalid { hint, .. }
            | Error::Unknown { hint, .. } => hint.as_deref(),
            Error::Stopped { hint, .. } => Some(hint),
            Error::WrongRun { .. } => Some(
                "`--resume` goes on from the same inputs, another `--out DIR` starts a new run",
            ),
            Error::Line { .. } => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { action, path, source, .. } => {
                write!(f, "failed to {action} `{}`: {source}", Inert(path.display()))
            }
            Error::Toml { what, file, .. } => write!(f, "invalid {what} `{}`", Inert(file)),
            Error::Line { file, line, rule } => {
                write!(f, "{}:{line}: {}", Inert(file), Inert(rule))
            }
            Error::Invalid { place, rule, .. } => {
                write!(f, "{}: {}", Inert(place), Inert(rule))
            }
            Error::Unknown { what, name, .. } => write!(f, "unknown {what} `{}`", Inert(name)),
            Error::WrongRun { path, difference } => {
                write!(f, "`{}` holds another run: {}", Inert(path.display()), Inert(difference))
            }
            Error::Stopped { reason, .. } => write!(f, "the run stopped: {}", Inert(reason)),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// What to do about a file that cannot be read.
fn remedy(action: &str, path: &Path, source: &std::io::Error) -> Option<String> {
    use std::io::ErrorKind::{FileTooLarge, IsADirectory, NotFound};
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    match source.kind() {
        IsADirectory => Some(format!("it is a directory: name a file, `ls {}`", path.display())),
        NotFound if action == "read" => {
            let listed = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let mut names: Vec<String> =
                listed.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            let near = did_you_mean(&name, names.iter().map(String::as_str));
            near.or_else(|| Some(format!("`ls {}` shows what is there", folder.display())))
        }
        FileTooLarge => Some("`--max-file-size` sets another bound".to_owned()),
        _ => None,
    }
}

/// A rule that a text breaks, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(pub String);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Broken {}

/// Short for results with our error.
pub type Result<T, E = Error> = std::result::Result<T, E>;
