//! Scenarios over recorded sessions: a file, a directory or a glob of them, with the digests that
//! they must have and a filter.

use super::{Scenario, SessionSource};
use crate::bounds::Bound;
use crate::import::{self, Imported, places};
use crate::prelude::*;
use crate::token::{TokenTable, Tokenizer};

/// What `[session.transcript]` says.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Transcripts {
    /// A file, a directory or a pattern (`logs/**/*.jsonl`), beside the scenario's own file.
    path: PathBuf,
    /// Digests of whole files, by name. Where any is given, every file needs one.
    #[serde(default)]
    digests: BTreeMap<String, Digest>,
    /// Sessions of fewer reference tokens are left out.
    #[serde(default)]
    min_tokens: u64,
    /// Only sessions in which a compaction is recorded, or only those in which none is.
    compacted: Option<bool>,
    /// Tokens of the provider by token of the reference count.
    #[serde(default, deserialize_with = "factor")]
    counter: Option<f64>,
    /// Whether the file leaves the window to the recording.
    #[serde(skip)]
    pub(super) recorded_window: bool,
}

fn factor<'de, D: serde::Deserializer<'de>>(
    value: D,
) -> std::result::Result<Option<f64>, D::Error> {
    let factor = f64::deserialize(value)?;
    super::check_counter(factor).map(Some).map_err(serde::de::Error::custom)
}

impl Transcripts {
    /// Where the session is, as the file says it.
    pub(super) fn source(&self) -> SessionSource {
        SessionSource::Transcript(self.path.clone())
    }

    /// The scenarios of a file's scenario: one for each session that it names.
    pub(super) fn scenarios(&self, scenario: &Scenario, file: &Path) -> Result<Vec<Scenario>> {
        let folder = file.parent().unwrap_or(Path::new(""));
        let place = |key: &str| format!("{}: session.transcript.{key}", file.display());
        let path = folder.join(&self.path);
        let pattern = path.to_string_lossy();
        let is_pattern = pattern.contains(['*', '?', '[']) && !path.exists();
        let many = is_pattern || path.is_dir();
        let files = match (is_pattern, path.is_dir()) {
            (true, _) => {
                let found = glob::glob(&pattern).map_err(|error| {
                    Error::invalid(place("path"), format!("`{pattern}` is no pattern: {error}"))
                })?;
                found.flatten().filter(|path| path.is_file()).collect()
            }
            (false, true) => places::below(&path),
            (false, false) => vec![path.clone()],
        };
        // A lone transcript that needs nothing of its content is read when it is driven.
        if !many && self.digests.is_empty() && !self.recorded_window {
            return Ok(vec![Scenario { counter: self.counter, ..scenario.at(path) }]);
        }
        self.check(&files, folder).map_err(|rule| Error::invalid(place("digests"), rule))?;
        let mut found = Vec::new();
        for file in &files {
            match import::load_named(file) {
                Ok(sessions) => found.extend(sessions),
                // Beside sessions other files may lie; one that is named must be a session.
                Err(_) if many && self.digests.is_empty() => {}
                Err(error) => return Err(error),
            }
        }
        let count = found.len();
        found.retain(|(_, session)| self.takes(session));
        if found.is_empty() {
            let rule = format!(
                "none of the {count} sessions in {} files is taken: see `min-tokens` and \
                 `compacted`",
                files.len()
            );
            return Err(Error::invalid(place("path"), rule));
        }
        let alone = found.len() == 1 && !many;
        let of =
            |(place, session): (PathBuf, Imported)| self.scenario(scenario, place, session, alone);
        Ok(found.into_iter().map(of).collect())
    }

    fn takes(&self, session: &Imported) -> bool {
        let log = &session.log;
        !log.steps().is_empty()
            && self.compacted.is_none_or(|compacted| compacted == log.was_compacted())
            && (self.min_tokens == 0
                || TokenTable::new(log, Tokenizer::O200k).total() >= Tokens(self.min_tokens))
    }

    fn scenario(
        &self,
        scenario: &Scenario,
        place: PathBuf,
        mut session: Imported,
        alone: bool,
    ) -> Scenario {
        session.log.ratio = self.counter.or(session.log.ratio);
        let (window, max_output) = match self.recorded_window {
            true => {
                let recorded = Scenario::of_session(&place, "", &session.log);
                (recorded.window, recorded.max_output.max(scenario.max_output))
            }
            false => (scenario.window, scenario.max_output),
        };
        let name = match alone {
            true => scenario.name.clone(),
            false => format!("{}-{}", scenario.name, session_name(&place)),
        };
        Scenario { name, window, max_output, counter: self.counter, ..scenario.at(place) }
    }

    /// Whether the files are those that the digests name.
    fn check(&self, files: &[PathBuf], folder: &Path) -> std::result::Result<(), String> {
        if self.digests.is_empty() {
            return Ok(());
        }
        let mut left: BTreeSet<&String> = self.digests.keys().collect();
        for file in files {
            let bytes = Bound::Session.bytes(file).map_err(|error| error.to_string())?;
            let found = Digest::of(&bytes);
            let name = file.strip_prefix(folder).unwrap_or(file).display().to_string();
            match self.digests.get(&name) {
                None => return Err(format!("`{name}` has none: \"{name}\" = \"{found}\"")),
                Some(wanted) if *wanted != found => {
                    return Err(format!("`{name}` has changed: it is {found}, not {wanted}"));
                }
                Some(_) => left.remove(&name),
            };
        }
        match left.first() {
            Some(name) => Err(format!("`{name}` is not there")),
            None => Ok(()),
        }
    }
}

/// The name of a session in cell ids, from its file's.
pub fn session_name(place: &Path) -> String {
    let file = place.file_name().unwrap_or(place.as_os_str()).to_string_lossy();
    let (stem, number) = match file.rsplit_once('#') {
        Some((file, number)) => (file.to_owned(), format!("-{number}")),
        None => (file.into_owned(), String::new()),
    };
    let stem = Path::new(&stem)
        .file_stem()
        .map_or(stem.clone(), |stem| stem.to_string_lossy().into_owned());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let lower = format!("{}{number}", stem.trim_start_matches('.')).to_lowercase();
    lower.chars().map(|c| if is_plain(c) { c } else { '-' }).take(60).collect()
}
