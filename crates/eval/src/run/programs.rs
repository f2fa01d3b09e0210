//! Strategies that are programs of their own: whether they start, and the record of their answers in
//! a run directory.

use std::fs;
use std::sync::Arc;

use crate::pipeline::Pipeline;
use crate::prelude::*;
use crate::run::{Options, Plan, Progress};
use crate::run_dir::EXCHANGES;
use crate::run_dir::write::{packed_text, write_whole};
use crate::trace::EndedBy;
use proctor_external::External;
use proctor_external::record::Record;

/// The record while the run goes on.
const GROWING: &str = "exchanges.jsonl";

/// Who answers for strategies that are programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Programs {
    /// The programs, where the run directory holds no answer of theirs yet.
    #[default]
    Asked,
    /// These records alone.
    Recorded(Vec<PathBuf>),
}

/// Whether a plan has strategies that are programs.
pub(super) fn are_in(plan: &Plan) -> bool {
    let pipelines = plan.configurations.iter().map(|one| &one.pipeline);
    let mut stages = pipelines.flat_map(|pipeline| &pipeline.stages);
    stages.any(|stage| stage.strategy.name() == External::NAME)
}

/// Starts every program once, before anything is written. [`Error::Invalid`] with what it said.
pub(super) fn check(plan: &Plan, options: &Options) -> Result<()> {
    if options.programs != Programs::Asked || options.exchanges.is_some() {
        return Ok(());
    }
    let mut checked = BTreeSet::new();
    for pipeline in plan.configurations.iter().map(|one| &one.pipeline) {
        for stage in pipeline.stages.iter().filter(|_| checked.insert(&pipeline.name)) {
            let ready = stage.strategy.strategy().ready();
            ready.map_err(|rule| Error::invalid(format!("pipeline `{}`", pipeline.name), rule))?;
        }
    }
    Ok(())
}

/// The options with the record of a run into their directory, which exists.
pub(super) fn recording(plan: &Plan, options: &Options) -> Result<Options> {
    let is_hidden = options.redact;
    let exchanges = match (&options.exchanges, &options.programs) {
        (Some(record), _) => Some(Arc::clone(record)),
        _ if !are_in(plan) => None,
        (None, Programs::Recorded(files)) => {
            Some(Arc::new(Record::replay(files.iter().map(PathBuf::as_path))?))
        }
        (None, Programs::Asked) if is_hidden => Some(Arc::new(Record::in_memory())),
        (None, Programs::Asked) => Some(Arc::new(Record::open(&options.out.join(GROWING))?)),
    };
    Ok(Options { exchanges, ..options.clone() })
}

/// Notes the reason for which a strategy that is a program ended its session.
pub(super) fn note(options: &Options, pipeline: &Pipeline, ended: &EndedBy) {
    let is_program = pipeline.stages.iter().any(|stage| stage.strategy.name() == External::NAME);
    if let (Some(record), EndedBy::Raised(reason), true) = (&options.exchanges, ended, is_program) {
        record.raised(&pipeline.name, reason);
    }
}

/// Sees to it that what landed cells were answered is in the file.
pub(super) fn flush(options: &Options) -> Result<()> {
    options.exchanges.as_ref().map_or(Ok(()), |record| record.flush())
}

/// Puts the whole record into the run directory, and says what is to be said of programs.
pub(super) fn close(options: &Options, progress: &dyn Progress) -> Result<()> {
    let Some(record) = &options.exchanges else { return Ok(()) };
    for (program, complaint) in record.complaints() {
        if let Some(difference) = complaint.differs {
            progress.warn(&format!(
                "`{program}` is not deterministic: asked twice, {difference}\n\nhint: this run \
                 repeats from its record, and another one may have other figures"
            ));
        }
        if let Some((_, said)) = complaint.first.filter(|(_, said)| !said.is_empty()) {
            progress.warn(&format!("`{program}` last said:\n{said}"));
        }
    }
    for (pipeline, (sessions, reason)) in record.ended() {
        let times =
            if sessions == 1 { "a session".to_owned() } else { format!("{sessions} sessions") };
        progress.warn(&format!("`{pipeline}` ended {times}; the first one because {reason}"));
    }
    if options.redact {
        return Ok(());
    }
    write(&options.out, record)?;
    match fs::remove_file(options.out.join(GROWING)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove", &options.out.join(GROWING), error))
        }
        _ => Ok(()),
    }
}

/// Writes a record into a run directory.
pub(crate) fn write(dir: &Path, record: &Record) -> Result<()> {
    let packed = packed_text(&dir.join(EXCHANGES), record.lines().as_bytes())?;
    write_whole(dir, EXCHANGES, &packed)
}

/// What programs answered in runs, where any of their directories says so.
pub(crate) fn of_runs<'a>(dirs: impl IntoIterator<Item = &'a Path>) -> Result<Option<Record>> {
    let files = dirs.into_iter().map(|dir| dir.join(EXCHANGES)).filter(|file| file.exists());
    let files: Vec<PathBuf> = files.collect();
    if files.is_empty() {
        return Ok(None);
    }
    Record::replay(files.iter().map(PathBuf::as_path)).map(Some)
}
